//! Pages that hide themselves temporarily: they are captured visible, with all of their styles.

use std::time::Instant;

use browser::Rendered;

use crate::article::{article, article_with, assert_shows};
use crate::support::Bench;

async fn rendered(head: &str, script: &str) -> Rendered {
    let bench = Bench::new().await;

    let page = bench.render_reply(article_with(head, script)).await.unwrap();

    assert_shows(&page, &[]);
    page
}

fn assert_untouched(page: &Rendered) {
    assert!(page.html.contains(".grid{display:grid}"), "{}", page.html);
    for trace in ["not all", "important", "opacity: "] {
        assert!(!page.html.contains(trace), "{trace}: {}", page.html);
    }
}

#[tokio::test]
async fn a_page_that_fades_in_keeps_its_styles() {
    let at_once =
        "<style>body{animation:fade .6s .1s both}@keyframes fade{from{opacity:0}}.grid{display:grid}</style>";
    let on_load =
        "<style>body{opacity:0;transition:opacity .5s}body.ready{opacity:1}.grid{display:grid}</style>";
    for (head, script) in
        [(at_once, ""), (on_load, "addEventListener('load', () => document.body.className = 'ready')")]
    {
        let page = rendered(head, script).await;

        assert_untouched(&page);
    }
}

#[tokio::test]
async fn a_page_that_shows_itself_after_a_while_is_not_changed() {
    let head = "<style>body{visibility:hidden}body.ready{visibility:visible}.grid{display:grid}</style>";

    let page = rendered(head, "setTimeout(() => { document.body.className = 'ready' }, 3000)").await;

    assert_untouched(&page);
    assert!(page.html.contains("<body class=\"ready\">"), "{}", page.html);
}

#[tokio::test]
async fn a_page_that_is_hidden_by_two_rules_is_shown() {
    let head = "<style>.async-hide{opacity:0!important}</style><style id=other>body{opacity:0!important;filter:none}</style>
        <style>.grid{display:grid}</style><script>document.documentElement.className = 'js async-hide'</script>";

    let page = rendered(head, "").await;

    for part in ["html class=\"js async-hide\"", "body"] {
        assert!(page.html.contains(&format!("<{part} style=\"opacity: 1 !important;\">")), "{}", page.html);
    }
}

#[tokio::test]
async fn a_page_that_is_hidden_by_an_attribute_or_a_large_sheet_is_shown() {
    let by_attribute = rendered("", "document.documentElement.style.opacity = '0'").await;
    let by_sheet = rendered("<style>body{opacity:0;margin:3px}.grid{display:grid}</style>", "").await;

    assert!(by_attribute.html.contains("<html style=\"opacity: 1 !important;\">"), "{}", by_attribute.html);
    assert!(by_sheet.html.contains("<body style=\"opacity: 1 !important;\">"), "{}", by_sheet.html);
    assert!(by_sheet.html.contains("margin:3px}.grid{display:grid}</style>"), "{}", by_sheet.html);
}

#[tokio::test]
async fn content_that_is_hidden_for_seconds_is_awaited() {
    let script = "document.body.innerHTML = `<p>${out.previousSibling.textContent}</p><div><div id=all style=\"opacity: 0\">${document.body.innerHTML}</div></div>`;
        setTimeout(() => { all.style.opacity = 1 }, 2500)";
    let began = Instant::now();

    let page = rendered("", script).await;

    assert!(page.html.contains("opacity: 1"), "{}", page.html);
    assert!(began.elapsed().as_secs() < 10, "not skipped");
}

#[tokio::test]
async fn a_late_fade_in_is_finished() {
    let bench = Bench::new().await;
    for (style, show) in [
        ("transition: opacity 0.6s", "out.style.opacity = 1"),
        ("", "const began = performance.now(); const step = () => { out.style.opacity = Math.min(1, (performance.now() - began) / 600);
            if (out.style.opacity < 1) requestAnimationFrame(step) }; requestAnimationFrame(step)"),
        ("", "out.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 600, fill: 'forwards' })"),
    ] {
        let script = format!(
            "out.textContent = 'hero'; out.style = 'opacity: 0; {style}'; setTimeout(() => {{ {show} }}, 2500)"
        );

        let page = bench.render_reply(article(&script)).await.unwrap();

        assert!(page.html.contains("opacity: 1") && !page.partial, "{}", page.html);
    }
}
