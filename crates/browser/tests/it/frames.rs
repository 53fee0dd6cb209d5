//! Frames of other sites: the rules of the page apply in them.

use std::time::Duration;

use browser::{RenderRequest, Rendered, Renderer};

use crate::article::{article, assert_shows};
use crate::origin::{Origin, Reply};
use crate::support::{Bench, request};

/// Renders a page that shows the messages of a frame of another site.
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
async fn blocked_addresses_are_blocked_in_frames_of_other_sites() {
    let script = "fetch('/chat/start').then(() => 'a chat', () => 'no chat').then((said) => parent.postMessage(said, '*'))";
    for attributes in ["", "sandbox=allow-scripts"] {
        let (page, other) = told(script, attributes, &["*/chat/*"]).await;

        assert_shows(&page, &["no chat"]);
        assert_eq!(other.count("/chat/start"), 0);
    }
}

#[tokio::test]
async fn a_frame_of_another_site_gets_the_animation_frames_it_requests() {
    let script = "let n = 0; const next = () => ++n < 5 ? requestAnimationFrame(next) : parent.postMessage('drawn', '*'); next()";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &["drawn"]);
}

#[tokio::test]
async fn requests_in_a_frame_of_another_site_are_awaited_when_the_page_listens_to_messages() {
    let script = "(async () => {
        let text = '';
        for (let i = 0; i < 3; i++) text += await (await fetch('/slow?' + i)).text();
        parent.postMessage(text, '*');
    })()";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &["answeransweranswer"]);
}

#[tokio::test]
async fn a_page_does_not_receive_messages_of_the_page_script() {
    let script = "fetch('/slow').then(() => parent.postMessage('the only message', '*'))";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &["the only message"]);
    assert_eq!(page.html.matches("<p>").count(), 2, "{}", page.html);
}

#[tokio::test]
async fn frames_of_other_sites_have_no_service_workers() {
    let script = "parent.postMessage(String(navigator.serviceWorker), '*')";

    let (page, other) = told(script, "", &[]).await;

    assert_shows(&page, &["undefined"]);
    assert_eq!(other.count("/sw.js"), 0);
}

#[tokio::test]
async fn a_delayed_message_of_a_frame_of_another_site_is_awaited() {
    // The pattern of frames that post their height after layout. The page may start to listen late.
    let script =
        "onload = () => setTimeout(() => setTimeout(() => parent.postMessage('321 px high', '*'), 200), 200)";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &["321 px high"]);
}

#[tokio::test]
async fn an_endless_timer_in_a_frame_of_another_site_does_not_delay_the_capture() {
    let script = "(function again() { setTimeout(again, 200) })()";

    let (page, _) = told(script, "", &[]).await;

    assert_shows(&page, &[]);
}

/// Renders a page with lazy frames far below its window.
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
async fn lazy_frames_with_a_load_listener_are_loaded() {
    let (page, other) = lazily_framed("player.addEventListener('load', () => add('played'))").await;

    assert_shows(&page, &["from the frame", "played"]);
    assert_eq!(other.count("/player"), 1);
    assert!(page.html.contains(r#"<iframe loading="lazy" src="/near""#), "{}", page.html);
    assert!(page.html.contains(r#"<iframe loading="LAZY" id="player""#), "{}", page.html);
}

#[tokio::test]
async fn lazy_frames_of_other_sites_without_a_listener_are_not_loaded() {
    let (page, other) = lazily_framed("").await;

    assert_shows(&page, &["from the frame"]);
    assert_eq!(other.count("/player"), 0);
}
