//! Shadow roots that are not attached by scripts: by the parser, in clones, and from other documents.

use std::time::Duration;

use crate::article::{PROSE, article};
use crate::origin::Reply;
use crate::support::Bench;

#[tokio::test]
async fn a_declarative_root_of_an_endless_document_is_captured() {
    let bench = Bench::new().await;
    let page = format!(
        "<!DOCTYPE html><title>t</title><p>{PROSE}<x-card><template shadowrootmode=open><b>inside</b></template></x-card><p>begun"
    );

    let page = bench
        .render_reply(Reply::html(&page).in_pieces(Duration::from_secs(60), vec!["end".into()]))
        .await
        .unwrap();

    assert!(
        !page.partial && page.html.contains("<x-card><template shadowrootmode=\"open\"><b>inside"),
        "{}",
        page.html
    );
}

#[tokio::test]
async fn roots_of_cloned_and_adopted_elements_are_captured() {
    let by_template = "const all = document.createElement('template');
        all.setHTMLUnsafe('<x-copy><template shadowrootmode=open shadowrootclonable><b>inside</b></template></x-copy>');
        out.append(all.content.cloneNode(true))";
    let by_script = "const one = document.createElement('x-copy');
        one.attachShadow({ mode: 'open', clonable: true }).innerHTML = '<b>inside</b>';
        out.append(one.cloneNode(true))";
    let by_document = "const other = Document.parseHTMLUnsafe('<x-copy><template shadowrootmode=open><b>inside</b></template></x-copy>');
        out.append(other.body.firstChild)";
    for script in [by_template, by_script, by_document] {
        let bench = Bench::new().await;

        let page = bench.render_reply(article(script)).await.unwrap();

        let (_, shown) = page.html.split_once("<div id=\"out\">").unwrap();
        assert!(shown.starts_with("<x-copy><template shadowrootmode=\"open\""), "{script}: {}", page.html);
        assert!(shown.contains("<b>inside</b></template></x-copy></div>"), "{script}: {}", page.html);
    }
}

#[tokio::test]
async fn closed_declarative_roots_of_defined_elements_are_captured() {
    let page = format!(
        "<!DOCTYPE html><title>t</title><p>{PROSE}
         <x-card><template shadowrootmode=closed><b>closed</b><x-open><template shadowrootmode=open><i>open in it</i></template></x-open>
           <x-inner><template shadowrootmode=closed><i>closed in it</i></template></x-inner></template>light</x-card>
         <script>
            // One element uses its root, the other never reads it.
            customElements.define('x-card', class extends HTMLElement {{
                constructor() {{ super(); this.attachInternals().shadowRoot.querySelector('b').textContent = 'made' }}
            }});
            customElements.define('x-inner', class extends HTMLElement {{}});
         </script>"
    );
    let bench = Bench::new().await;

    let page = bench.render_reply(Reply::html(&page)).await.unwrap();

    for part in [
        "<x-card><template shadowrootmode=\"closed\"><b>made</b>",
        "<x-open><template shadowrootmode=\"open\"><i>open in it</i></template></x-open>",
        "<x-inner><template shadowrootmode=\"closed\"><i>closed in it</i></template></x-inner>",
    ] {
        assert!(page.html.contains(part), "{part}: {}", page.html);
    }
}

#[tokio::test]
async fn a_template_with_a_scripted_shadowrootmode_is_no_root() {
    let script =
        "out.innerHTML = '<x-card><template shadowrootmode=open><b>never shown</b></template>light</x-card>'";

    let page = Bench::new().await.render_reply(article(script)).await.unwrap();

    assert!(page.html.contains("<x-card><template><b>never shown</b></template>light"), "{}", page.html);
}
