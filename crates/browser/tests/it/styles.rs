//! Styles that exist only in the browser's memory: they are written into the snapshot.

use browser::Rendered;

use crate::article::{article, article_with};
use crate::origin::Reply;
use crate::support::Bench;

/// Makes a page with a component inside a component, with a constructed style sheet.
fn nested(sheet: &str, more: &str) -> String {
    format!(
        "customElements.define('x-inner', class extends HTMLElement {{
            constructor() {{
                super();
                const sheet = new CSSStyleSheet();
                sheet.replaceSync(`{sheet}`);
                this.attachShadow({{ mode: 'open' }}).adoptedStyleSheets = [sheet];
                this.shadowRoot.innerHTML = '<div class=bar>bar</div>';
                {more}
            }}
        }});
        customElements.define('x-outer', class extends HTMLElement {{
            constructor() {{ super(); this.attachShadow({{ mode: 'closed' }}).innerHTML = '<x-inner></x-inner>' }}
        }});
        out.innerHTML = '<x-outer></x-outer>'"
    )
}

#[tokio::test]
async fn a_shorthand_with_a_variable_keeps_its_value_in_a_constructed_sheet() {
    let bench = Bench::new().await;
    let sheet = ":host { --tint: rgb(9, 8, 7) } .bar { background: var(--tint); background-size: 10px }";

    let page = bench.render_reply(article(&nested(sheet, ""))).await.unwrap();

    assert!(page.html.contains("background: var(--tint)"), "{}", page.html);
}

#[tokio::test]
async fn a_shorthand_with_a_variable_keeps_its_value_when_more_rules_came_later() {
    let bench = Bench::new().await;
    let sheet = ":host { --tint: rgb(9, 8, 7) } .bar { background: var(--tint); background-size: 10px }";
    let more = "sheet.insertRule('.later { color: red }', 2); sheet.cssRules[1].style.height = '3px';";

    let page = bench.render_reply(article(&nested(sheet, more))).await.unwrap();

    assert!(page.html.contains("background-color: rgb(9, 8, 7)"), "{}", page.html);
}

#[tokio::test]
async fn a_shorthand_with_a_variable_keeps_its_value_in_a_style_attribute() {
    let bench = Bench::new().await;
    let script = "document.documentElement.style.setProperty('--tint', 'rgb(1, 2, 3)');
        out.style.background = 'var(--tint)';
        out.style.backgroundRepeat = 'no-repeat'";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(page.html.contains("background-color: rgb(1, 2, 3)"), "{}", page.html);
}

#[tokio::test]
async fn rules_that_a_script_adds_to_an_svg_style_are_written() {
    let bench = Bench::new().await;
    let script = "out.innerHTML = '<svg><style id=v></style><rect class=r width=9 height=9></rect></svg>';
        document.getElementById('v').sheet.insertRule('.r { fill: rgb(4, 5, 6) }')";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(page.html.contains("<svg><style id=\"v\">.r { fill: rgb(4, 5, 6); }"), "{}", page.html);
}

/// Loads a snapshot with a script that evaluates an expression, and returns the value.
async fn seen(bench: &Bench, page: &Rendered, expression: &str) -> String {
    let probe = format!("<p id=seen></p><script>seen.textContent = {expression}</script></body>");
    let again = page.html.replace("</body>", &probe);
    let looked = bench.render_reply(Reply::html(&again)).await.unwrap().html;
    let (_, seen) = looked.split_once("<p id=\"seen\">").unwrap();
    seen.split_once("</p>").unwrap().0.to_owned()
}

/// Script that defines an element shortly after it is inserted.
const DEFINES: &str = "out.innerHTML = '<doc-page><i>Basil</i></doc-page>';
    setTimeout(() => customElements.define('doc-page', class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<slot></slot>' }
    }), 50);";
const IS_VISIBLE: &str = "document.querySelector('doc-page i').checkVisibility({ opacityProperty: true, visibilityProperty: true })";

#[tokio::test]
async fn elements_hidden_until_defined_are_visible_in_any_notation() {
    let bench = Bench::new().await;
    for rules in [
        "doc-page:not(:defined) { visibility: hidden }",
        ":where(:not(:defined, [did-render])), :where(:not(:defined, [did-render])) * { opacity: 0 }",
        "doc-page { display: block; &:not(:defined) { display: none } }",
        "@layer base { @media all { *:NOT( :Defined ) { display: none !important } } }",
        "@scope (body) { :scope :is(doc-page, x-other):not(:defined) { display: none } }",
        "i { opacity: 0 } doc-page:defined > i { opacity: 1 }",
        "body:has(:not(:defined)) { visibility: hidden }",
        "p:not(:defined), /* :defined */ [title=':defined'], :not(:is(:defined)) { display: none !important }",
    ] {
        let page =
            bench.render_reply(article_with(&format!("<style>{rules}</style>"), DEFINES)).await.unwrap();

        assert_eq!(seen(&bench, &page, IS_VISIBLE).await, "true", "{rules}: {}", page.html);
    }
}

#[tokio::test]
async fn elements_hidden_until_defined_by_linked_or_constructed_sheets_are_visible() {
    let bench = Bench::new().await;
    bench.origin.on(
        "/app.css",
        Reply::typed("text/css", "a { color: red } :not(:defined) { display: none !important }"),
    );
    let linked = article_with("<link rel=stylesheet href=/app.css>", DEFINES);
    let adopted = format!(
        "{DEFINES} const sheet = new CSSStyleSheet();
         sheet.replaceSync('doc-page {{ &:not(:defined) {{ opacity: 0 }} }}');
         document.adoptedStyleSheets = [sheet]"
    );
    let inside = "customElements.define('x-shell', class extends HTMLElement {
            connectedCallback() {
                this.attachShadow({ mode: 'open' }).innerHTML =
                    '<style>:host(:not(:defined)) { display: none } :not(:defined) { display: none }</style><slot></slot>';
            }
        });
        out.innerHTML = '<x-shell><doc-page><i>Basil</i></doc-page></x-shell>';
        customElements.define('doc-page', class extends HTMLElement {})";
    for reply in [linked, article(&adopted), article(inside)] {
        let page = bench.render_reply(reply).await.unwrap();

        assert_eq!(seen(&bench, &page, IS_VISIBLE).await, "true", "{}", page.html);
    }
}

#[tokio::test]
async fn elements_that_were_never_defined_stay_hidden() {
    let bench = Bench::new().await;
    let script = "out.innerHTML = '<doc-page><i>menu</i></doc-page><x-used></x-used>';
        customElements.define('x-used', class extends HTMLElement {})";
    let head = "<style>:not(:defined) { display: none }</style>";

    let page = bench.render_reply(article_with(head, script)).await.unwrap();

    assert_eq!(seen(&bench, &page, IS_VISIBLE).await, "false", "{}", page.html);
}

/// Makes a script of components that share a sheet of about 20 KB. Each runs `setup`.
fn components(count: usize, setup: &str) -> String {
    format!(
        "let text = '.name {{ color: rgb(1, 2, 3) }} @media all {{ .name:hover, .name.big {{ margin: 7px }} }} :host {{ display: block }}';
         for (let i = 0; i < 400; i++) text += `.utility-number-${{i}} {{ margin: ${{i}}px; padding: 30px }}\\n`;
         const sheet = new CSSStyleSheet(); sheet.replaceSync(text);
         customElements.define('x-card', class extends HTMLElement {{
             connectedCallback() {{
                 const root = this.attachShadow({{ mode: 'open' }});
                 root.innerHTML = '<p class=\"name big\">Lamp</p>';
                 {setup}
             }}
         }});
         out.innerHTML = '<x-card></x-card>'.repeat({count})"
    )
}

#[tokio::test]
async fn a_sheet_shared_by_many_components_does_not_exceed_the_size_limit() {
    let bench = Bench::new().await;
    let last = "(([style, size]) => style.color + style.marginTop + size)([getComputedStyle([...document.querySelectorAll('x-card')].at(-1).shadowRoot.querySelector('p')), document.querySelectorAll('x-card').length])";
    for setup in [
        "root.adoptedStyleSheets = [sheet]",
        "const style = document.createElement('style'); style.textContent = text; root.prepend(style)",
    ] {
        let page = bench.render_reply(article(&components(400, setup))).await.unwrap();

        assert!(page.html.len() < 2_000_000, "{} bytes", page.html.len());
        assert_eq!(seen(&bench, &page, last).await, "rgb(1, 2, 3)7px400", "{setup}");
    }
}

#[tokio::test]
async fn a_sheet_shared_by_few_components_is_written_in_each() {
    let bench = Bench::new().await;

    let page =
        bench.render_reply(article(&components(3, "root.adoptedStyleSheets = [sheet]"))).await.unwrap();

    assert_eq!(page.html.matches(".utility-number-399 {").count(), 3);
}

#[tokio::test]
async fn rules_that_apply_in_every_component_do_not_exceed_the_size_limit() {
    let bench = Bench::new().await;
    let setup =
        "const rows = Array.from({ length: 400 }, (_, i) => `<b class=utility-number-${i}></b>`).join('');
        root.innerHTML += rows; root.adoptedStyleSheets = [sheet]";

    let page = bench.render_reply(article(&components(320, setup))).await.unwrap();

    assert_eq!(page.html.matches("Lamp").count(), 320);
    assert!(page.html.contains("color: rgb(1, 2, 3)"));
}
