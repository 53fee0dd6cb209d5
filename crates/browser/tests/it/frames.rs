//! Frames of other sites: what holds in the page holds in them.

use std::time::Duration;

use browser::{RenderRequest, Rendered, Renderer};

use crate::article::{article, assert_shows};
use crate::origin::{Origin, Reply};
use crate::support::{Bench, request};

/// Renders a page that shows what a frame of another site tells it.
async fn told(framed: &str, attributes: &str, blocked: &[&str]) -> (Rendered, Origin) {
    let other = Origin::start().await;
    other.on("/frame", Reply::script(framed));
    other.on("/slow", Reply::typed("text/plain", "answer").after(Duration::from_millis(600)));
    let bench = Bench::with_hosts(&[("frame.test", other.address)], |_| {}).await;
    let page = format!(
        "addEventListener('message', (e) => add(e.data));
         out.innerHTML = '<iframe {attributes} src=https://frame.test/frame></iframe>'"
    );
    bench.origin.on("/page", article(&page));
    let blocked_urls = blocked.iter().map(|pattern| (*pattern).to_owned()).collect();

    let page = bench.pool.render(RenderRequest { blocked_urls, ..request("/page") }).await.unwrap();

    (page, other)
}

#[tokio::test]
async fn addresses_that_are_blocked_are_blocked_in_frames_of_other_sites_too() {
    let script = "fetch('/chat/start').then(() => 'a chat', () => 'no chat').then((said) => parent.postMessage(said, '*'))";
    for attributes in ["", "sandbox=allow-scripts"] {
        let (page, other) = told(script, attributes, &["*/chat/*"]).await;

        assert_shows(&page, &["no chat"]);
        assert_eq!(other.count("/chat/start"), 0);
    }
}

#[tokio::test]
async fn a_frame_of_another_site_gets_the_frames_it_waits_for() {
    let script = "let n = 0; const next = () => ++n < 5 ? requestAnimationFrame(next) : parent.postMessage('drawn', '*'); next()";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &["drawn"]);
}

#[tokio::test]
async fn requests_of_a_frame_of_another_site_are_waited_for_by_a_page_that_listens() {
    let script = "(async () => {
        let text = '';
        for (let i = 0; i < 3; i++) text += await (await fetch('/slow?' + i)).text();
        parent.postMessage(text, '*');
    })()";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &["answeransweranswer"]);
}

#[tokio::test]
async fn a_page_hears_nothing_of_what_the_script_in_a_frame_tells() {
    let script = "fetch('/slow').then(() => parent.postMessage('the only message', '*'))";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &["the only message"]);
    assert_eq!(page.html.matches("<p>").count(), 2, "{}", page.html);
}

#[tokio::test]
async fn frames_of_other_sites_find_no_service_workers_either() {
    let script = "parent.postMessage(String(navigator.serviceWorker), '*')";

    let (page, other) = told(script, "", &[]).await;

    assert_shows(&page, &["undefined"]);
    assert_eq!(other.count("/sw.js"), 0);
}

#[tokio::test]
async fn a_frame_of_another_site_that_pauses_before_it_speaks_is_waited_for() {
    // As frames do that tell their height once they are laid out; the page may have listened to them only later.
    let script =
        "onload = () => setTimeout(() => setTimeout(() => parent.postMessage('321 px high', '*'), 200), 200)";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &["321 px high"]);
}

#[tokio::test]
async fn a_frame_of_another_site_that_pauses_for_ever_holds_nobody() {
    let script = "(function again() { setTimeout(again, 200) })()";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &[]);
}

/// Renders a page with frames far below its window that load when they are scrolled to.
async fn lazily_framed(script: &str) -> (Rendered, Origin) {
    let other = Origin::start().await;
    other.on("/player", Reply::script(""));
    let bench = Bench::with_hosts(&[("frame.test", other.address)], |_| {}).await;
    bench.origin.on("/near", Reply::script("parent.postMessage('from the frame', '*')"));
    let far = "<div style='height: 20000px'></div>";
    let page = format!(
        "out.innerHTML = `{far}<iframe loading=lazy src=/near></iframe><iframe loading=LAZY id=player src=https://frame.test/player></iframe>`;
         addEventListener('message', (e) => add(e.data)); {script}"
    );

    let page = bench.render_reply(article(&page)).await.unwrap();

    (page, other)
}

#[tokio::test]
async fn frames_that_load_when_they_are_scrolled_to_are_loaded_when_somebody_waits_for_them() {
    let (page, other) = lazily_framed("player.addEventListener('load', () => add('played'))").await;

    assert_shows(&page, &["from the frame", "played"]);
    assert_eq!(other.count("/player"), 1);
    assert!(page.html.contains(r#"<iframe loading="lazy" src="/near""#), "{}", page.html);
    assert!(page.html.contains(r#"<iframe loading="LAZY" id="player""#), "{}", page.html);
}

#[tokio::test]
async fn frames_of_other_sites_that_nobody_waits_for_are_not_loaded_before_they_are_scrolled_to() {
    let (page, other) = lazily_framed("").await;

    assert_shows(&page, &["from the frame"]);
    assert_eq!(other.count("/player"), 0);
}
