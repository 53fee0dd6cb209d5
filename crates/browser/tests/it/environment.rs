//! Environment of a page: a desktop's screen and mouse, and random numbers that are equal in every render.

use std::time::Duration;

use crate::article::{article, article_with, assert_shows};
use crate::origin::Reply;
use crate::support::Bench;

/// Returns the text that a script has written into a page at `path`.
async fn written(bench: &Bench, path: &str, script: &str) -> String {
    bench.origin.on(path, Reply::script(script));
    let html = bench.render(path).await.unwrap().html;
    let (_, rest) = html.split_once("<div id=\"out\">").unwrap();
    rest.split_once("</div>").unwrap().0.to_owned()
}

#[tokio::test]
async fn a_page_is_online() {
    let bench = Bench::new().await;

    assert_eq!(written(&bench, "/page", "out.textContent = navigator.onLine").await, "true");
}

#[tokio::test]
async fn a_page_finds_a_large_screen_and_a_mouse() {
    let bench = Bench::new().await;
    let script = "const mouse = matchMedia('(hover: hover) and (pointer: fine)').matches;
        out.textContent = [mouse, screen.width, screen.height, innerWidth, innerHeight].join(' ')";

    assert_eq!(written(&bench, "/page", script).await, "true 1920 1080 1280 1024");
}

#[tokio::test]
async fn a_view_transition_finishes_at_once() {
    let bench = Bench::new().await;
    let script = "const view = document.startViewTransition(() => { out.textContent = 'changed' });
        Promise.all([view.updateCallbackDone, view.ready, view.finished]).then(() => { out.textContent += ' and over' })";

    assert_eq!(written(&bench, "/page", script).await, "changed and over");
}

const DRAW: &str = "out.textContent = crypto.randomUUID() + ' ' + crypto.getRandomValues(new Uint8Array(8))";

#[tokio::test]
async fn random_values_of_crypto_are_equal_in_every_render() {
    let bench = Bench::new().await;

    let first = written(&bench, "/page", DRAW).await;
    let second = written(&bench, "/page", DRAW).await;

    assert_eq!(first, second);
}

#[tokio::test]
async fn random_values_of_crypto_differ_between_paths() {
    let bench = Bench::new().await;

    let one = written(&bench, "/one", DRAW).await;
    let other = written(&bench, "/other", DRAW).await;

    let ((id, bytes), (other_id, other_bytes)) =
        (one.split_once(' ').unwrap(), other.split_once(' ').unwrap());
    assert_ne!(id, other_id);
    assert_ne!(bytes, other_bytes);
}

#[tokio::test]
async fn random_values_are_refused_for_other_types_than_integer_arrays() {
    let bench = Bench::new().await;
    let script =
        "try { crypto.getRandomValues(new Float32Array(2)) } catch (error) { out.textContent = error.name }";

    assert_eq!(written(&bench, "/page", script).await, "TypeMismatchError");
}

#[tokio::test]
async fn scroll_handlers_see_the_end_of_the_page_once_and_then_the_top() {
    let bench = Bench::new().await;
    // Reads the position when scrolling has paused, as such scripts do.
    let script = "document.body.style.cssText = 'margin: 0; height: 3000px';
        document.querySelector('h1').style.margin = 0;
        let pause;
        addEventListener('scroll', () => {
            clearTimeout(pause);
            pause = setTimeout(() => { out.textContent += scrollY + ' ' }, 150);
        })";

    let seen = written(&bench, "/page", script).await;

    assert_eq!(seen, "1976 0 ");
}

#[tokio::test]
async fn access_to_cameras_and_microphones_is_denied_and_none_is_listed() {
    let bench = Bench::new().await;
    let script = "navigator.mediaDevices.getUserMedia({ video: true }).catch((error) => add(error.name));
        navigator.mediaDevices.enumerateDevices().then((devices) => add(devices.length + ' devices'))";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["NotAllowedError", "0 devices"]);
}

#[tokio::test]
async fn long_tasks_are_reported() {
    let bench = Bench::new().await;
    let script = "new PerformanceObserver(() => add('long')).observe({ type: 'longtask' });
        setTimeout(() => { const end = performance.now() + 120; while (performance.now() < end); }, 50)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["long"]);
}

#[tokio::test]
async fn requests_by_the_window_of_a_new_frame_are_awaited() {
    let bench = Bench::new().await;
    bench.origin.on("/data", Reply::typed("text/plain", "by a frame").after(Duration::from_millis(600)));
    let script = "const frame = document.body.appendChild(document.createElement('iframe'));
        const { contentWindow } = frame;
        contentWindow.fetch(location.origin + '/data').then((r) => r.text()).then(add);
        contentWindow.setTimeout(() => add('a frame has time'), 900)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["by a frame", "a frame has time"]);
}

#[tokio::test]
async fn a_micro_frontend_in_a_frame_is_awaited() {
    let bench = Bench::new().await;
    bench.origin.on("/data", Reply::typed("text/plain", "of the part").after(Duration::from_millis(400)));
    let part = "fetch('/data').then((r) => r.text()).then((text) => setTimeout(() => parent.add(text), 300))";
    bench.origin.on("/part", Reply::html(&format!("<!DOCTYPE html><script>{part}</script>")));
    let script = "window.add = add; const frame = document.createElement('iframe'); frame.src = '/part'; out.append(frame)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["of the part"]);
}

#[tokio::test]
async fn an_srcdoc_document_is_kept_under_trusted_types() {
    let bench = Bench::new().await;
    let script = "const policy = trustedTypes.createPolicy('app', { createHTML: (html) => html });
        const frame = document.createElement('iframe');
        frame.srcdoc = policy.createHTML('<p onclick=x>inside</p><script>1</' + 'script>');
        out.append(frame)";
    let head = "<meta http-equiv=content-security-policy content=\"require-trusted-types-for 'script'\">";

    let page = bench.render_reply(article_with(head, script)).await.unwrap();

    assert!(page.html.contains("srcdoc=") && page.html.contains("inside"), "{}", page.html);
    assert!(!page.html.contains("onclick") && !page.html.contains("script&gt;"), "{}", page.html);
}

#[tokio::test]
async fn a_page_finds_no_earlier_history_in_its_tab() {
    let bench = Bench::with(|config| config.concurrency = 1).await;
    let script = "const { currentEntry } = navigation;
        history.pushState(1, '', '?second');
        out.textContent = [navigation.entries().length, currentEntry.index, navigation.currentEntry.index, navigation.entries()[0] === currentEntry,
            navigation.canGoBack, history.length].join()";
    bench.origin.on("/first", Reply::html("<h1>First</h1>"));
    bench.origin.on("/page", Reply::script(script));

    bench.render("/first").await.unwrap();
    let page = bench.render("/page").await.unwrap();

    assert!(page.html.contains("2,0,1,true,true,2"), "{}", page.html);
}

#[tokio::test]
async fn workers_are_online_too() {
    let bench = Bench::new().await;
    bench.origin.on("/worker.js", Reply::typed("text/javascript", "postMessage(navigator.onLine)"));
    let script = "new Worker('/worker.js').onmessage = (e) => { out.textContent = e.data }";

    assert_eq!(written(&bench, "/page", script).await, "true");
}
