//! Pages that misbehave: each ends alone and in time, and the next page renders normally.

use std::time::{Duration, Instant};

use browser::{RenderError, RenderRequest, Rendered, Renderer, Settled};

use crate::origin::Reply;
use crate::support::{Bench, eventually, renderers, request};

/// Bound on a page with a limit of three seconds. Generous, since a loaded machine is slow.
const IN_TIME: Duration = Duration::from_secs(60);

/// Renders a hostile page with a limit of three seconds, which it reaches, then an ordinary page.
async fn survive(bench: &Bench, reply: Reply) -> (Result<Rendered, RenderError>, Duration) {
    survive_within(bench, Duration::from_secs(3), reply).await
}

/// Renders a hostile page that is not cut off, then an ordinary page.
async fn survive_whole(bench: &Bench, reply: Reply) -> Rendered {
    survive_within(bench, request("/hostile").timeout, reply).await.0.unwrap()
}

async fn survive_within(
    bench: &Bench,
    timeout: Duration,
    reply: Reply,
) -> (Result<Rendered, RenderError>, Duration) {
    bench.origin.on("/hostile", reply);
    let started = Instant::now();
    let answer = bench.pool.render(RenderRequest { timeout, ..request("/hostile") }).await;
    let took = started.elapsed();
    let next = bench.render_reply(Reply::script("out.textContent = 'alive'")).await;
    assert!(next.as_ref().is_ok_and(|page| page.html.contains("alive") && !page.partial), "{next:?}");
    (answer, took)
}

#[tokio::test]
async fn an_endless_loop_is_stopped_and_the_page_is_partial() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();

    let (answer, took) =
        survive(&bench, Reply::script("out.textContent = 'before'; setTimeout(() => { while (true); }, 20)"))
            .await;

    let page = answer.unwrap();
    assert!(page.partial && page.html.contains("before"), "{page:?}");
    assert!(took < IN_TIME, "{took:?}");
}

#[tokio::test]
async fn a_loop_that_never_lets_the_page_parse_ends_in_time() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();

    let (_, took) = survive(&bench, Reply::script("while (true);")).await;

    assert!(took < IN_TIME, "{took:?}");
    let pid = bench.pool.browser_pid().unwrap();
    eventually("the looping renderer is gone", || renderers(pid).len() <= 1).await;
}

#[tokio::test]
async fn an_endless_animation_frame_does_not_block_other_pages() {
    let bench = Bench::new().await;
    bench.origin.on("/stuck", Reply::script("requestAnimationFrame(() => { while (true); })"));
    let frames = "let n = 0; const next = () => { out.textContent = ++n < 5 ? n : 'drawn'; if (n < 5) requestAnimationFrame(next) };
        requestAnimationFrame(next)";
    bench.origin.on("/framed", Reply::script(frames));

    let stuck = RenderRequest { timeout: Duration::from_secs(5), ..request("/stuck") };
    let (stuck, framed) = tokio::join!(bench.pool.render(stuck), bench.render("/framed"));

    let framed = framed.unwrap();
    assert!(framed.html.contains("drawn") && !framed.partial, "{framed:?}");
    assert!(stuck.is_err() || stuck.is_ok_and(|page| page.partial));
}

#[tokio::test]
async fn content_that_starts_at_an_animations_end_is_captured_beside_a_blocking_page() {
    let bench = Bench::new().await;
    bench.origin.on("/stuck", Reply::script("requestAnimationFrame(() => { while (true); })"));
    // The pattern of Svelte: an animation without a length keeps the initial style until the real one begins.
    let animated = "const start = out.animate([{ opacity: 0 }], { duration: 0, fill: 'forwards' });
        out.textContent = 'there';
        start.onfinish = () => { start.cancel(); out.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300, fill: 'forwards' }) }";
    bench.origin.on("/animated", Reply::script(animated));

    let stuck = RenderRequest { timeout: Duration::from_secs(5), ..request("/stuck") };
    let (_, page) = tokio::join!(bench.pool.render(stuck), bench.render("/animated"));

    let page = page.unwrap();
    assert!(page.html.contains("there") && !page.html.contains("opacity: 0"), "{}", page.html);
}

#[tokio::test]
async fn endless_microtasks_end_in_time() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();

    let (_, took) = survive(&bench, Reply::script("(function f() { Promise.resolve().then(f) })()")).await;

    assert!(took < IN_TIME, "{took:?}");
}

#[tokio::test]
async fn an_app_that_polls_for_ever_is_complete_and_equal_each_time() {
    let bench = Bench::new().await;
    bench.origin.on("/poll", Reply::typed("application/json", "{}"));
    let page = Reply::script(
        "out.textContent = 'content'; setInterval(() => fetch('/poll').then(r => r.json()), 100)",
    );

    let first = bench.render_reply(page.clone()).await.unwrap();
    let second = bench.render_reply(page).await.unwrap();

    assert!(!first.partial && first.html.contains("content"));
    assert_eq!(first.html, second.html);
}

#[tokio::test]
async fn a_request_without_a_response_delays_the_capture_for_a_limited_time() {
    let bench = Bench::new().await;
    bench.origin.on("/hang", Reply::typed("application/json", "{}").after(Duration::from_secs(600)));

    let page = bench.render_reply(Reply::script("out.textContent = 'there'; fetch('/hang')")).await.unwrap();

    assert_eq!((page.settled, page.partial), (Settled::Still, false));
    assert!(page.html.contains("there"));
}

#[tokio::test]
async fn dialogs_do_not_block_a_page() {
    let bench = Bench::new().await;
    let script = "alert('a'); const c = confirm('b'); const p = prompt('c'); print();
        onbeforeunload = (e) => { e.preventDefault(); return 'stay' };
        out.textContent = 'after ' + c + ' ' + p";

    let page = survive_whole(&bench, Reply::script(script)).await;

    assert!(page.html.contains("after") && !page.partial, "{page:?}");
}

#[tokio::test]
async fn popups_are_closed() {
    let bench = Bench::new().await;
    let script = "window.open('/popup'); const a = document.createElement('a'); a.href = '/popup2'; a.target = '_blank';
        document.body.append(a); a.click(); out.textContent = 'still here'";

    let page = survive_whole(&bench, Reply::script(script)).await;

    assert!(page.html.contains("still here") && page.location.is_none(), "{page:?}");
}

#[tokio::test]
async fn a_download_that_a_page_starts_changes_nothing() {
    let bench = Bench::new().await;
    bench
        .origin
        .on("/file", Reply::typed("application/zip", "PK").header("content-disposition", "attachment"));
    let script = "const a = document.createElement('a'); a.href = '/file'; a.download = 'x.zip'; document.body.append(a); a.click();
        out.textContent = 'page'";

    let page = survive_whole(&bench, Reply::script(script)).await;

    assert!(page.html.contains("page"));
    assert!(!contains_file(bench.profiles(), "x.zip"));
}

#[tokio::test]
async fn an_open_websocket_does_not_delay_the_capture_forever() {
    let bench = Bench::new().await;
    let script =
        "new WebSocket('wss://shop.test/socket'); new EventSource('/events'); out.textContent = 'live'";
    bench.origin.on("/events", Reply { drip: 10, ..Reply::typed("text/event-stream", ":\n\n") });

    let page = survive_whole(&bench, Reply::script(script)).await;

    assert!(page.html.contains("live") && !page.partial, "{page:?}");
}

#[tokio::test]
async fn a_page_finds_a_browser_without_service_workers() {
    let bench = Bench::new().await;
    bench.origin.on("/sw.js", Reply::typed("text/javascript", ""));
    let script = "if ('serviceWorker' in navigator) navigator.serviceWorker.register('/sw.js');
        out.textContent = 'serviceWorker' in navigator ? 'has workers' : 'goes on without'";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert!(page.html.contains("goes on without"), "{}", page.html);
    assert_eq!(bench.origin.count("/sw.js"), 0);
}

#[tokio::test]
async fn an_endlessly_growing_page_ends_in_time() {
    let bench = Bench::new().await;
    let script = "setInterval(() => { for (let i = 0; i < 500; i++) document.body.append(document.createElement('p')) }, 5)";

    let (_, took) = survive(&bench, Reply::script(script)).await;

    assert!(took < IN_TIME, "{took:?}");
}

#[tokio::test]
async fn a_huge_document_is_rendered() {
    let bench = Bench::new().await;
    let script = "let h = ''; for (let i = 0; i < 20000; i++) h += '<p class=c' + i + '>row ' + i + '</p>'; out.innerHTML = h";

    let page = bench.render_reply(Reply::script(script)).await.unwrap();

    assert!(page.html.contains("row 19999"));
}

#[tokio::test]
async fn a_page_that_eats_memory_ends_alone() {
    let bench = Bench::with(|config| config.memory_limit_bytes = 700 << 20).await;
    bench.render_reply(Reply::script("")).await.unwrap();
    let pid = bench.pool.browser_pid();
    let bomb = "window.prerenderReady = false; const a = []; setInterval(() => { const b = new Uint8Array(8 << 20); b.fill(1); a.push(b) }, 10)";
    bench.origin.on("/bomb", Reply::script(bomb));
    let request = RenderRequest { timeout: Duration::from_secs(20), ..request("/bomb") };

    let answer = bench.pool.render(request).await;

    assert!(matches!(answer, Err(RenderError::PageCrashed)), "{answer:?}");
    assert_eq!(bench.pool.browser_pid(), pid, "the browser went down with the page");
    assert!(
        bench.render_reply(Reply::script("out.textContent = 'alive'")).await.unwrap().html.contains("alive")
    );
}

#[tokio::test]
async fn a_page_that_closes_or_replaces_itself_ends_in_time() {
    let bench = Bench::new().await;

    for script in [
        "window.close(); out.textContent = 'x'",
        "location = 'javascript:\"gone\"'",
        "document.open(); document.write('<p>written')",
    ] {
        let (_, took) = survive(&bench, Reply::script(script)).await;

        assert!(took < IN_TIME, "{script}: {took:?}");
    }
}

#[tokio::test]
async fn a_page_that_cannot_be_serialized_fails_without_a_time_out() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();
    let script = "document.documentElement.remove()";

    let (answer, _) = survive_within(&bench, request("/hostile").timeout, Reply::script(script)).await;

    assert!(matches!(answer, Err(RenderError::NotAPage(_))), "{answer:?}");
}

#[tokio::test]
async fn an_origin_that_never_answers_is_a_time_out() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();

    let (answer, took) = survive(&bench, Reply::script("").after(Duration::from_secs(60))).await;

    assert!(matches!(answer, Err(RenderError::Timeout(_))), "{answer:?}");
    assert!(took < IN_TIME, "{took:?}");
}

#[tokio::test]
async fn a_document_without_an_end_is_partial() {
    let bench = Bench::new().await;
    let reply = Reply { drip: 10, ..Reply::html("<!DOCTYPE html><title>t</title><h1>begun</h1>") };

    let (answer, took) = survive(&bench, reply).await;

    let page = answer.unwrap();
    assert!(page.partial && page.html.contains("begun"), "{page:?}");
    assert!(took < IN_TIME, "{took:?}");
}

fn contains_file(folder: &std::path::Path, name: &str) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        entry.file_name() == name || (entry.path().is_dir() && contains_file(&entry.path(), name))
    })
}
