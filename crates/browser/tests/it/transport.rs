//! Malformed responses, byte by byte: the result is what a visitor's browser shows, in time.

use std::net::SocketAddr;
use std::time::Duration;

use browser::{RenderRequest, Rendered, Renderer, Settled};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::origin::Reply;
use crate::support::{Bench, request};

const HOST: &str = "raw.test";
const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

/// Behaviour of an origin after its response.
#[derive(Clone, Copy)]
enum Then {
    Close,
    Hang,
}

/// Starts an origin that sends `response` to every connection.
async fn origin(response: String, then: Then) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let tasks = TaskTracker::new();
    tasks.clone().spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let response = response.clone();
            tasks.spawn(async move {
                let _ = stream.read(&mut [0; 8 << 10]).await;
                let _ = stream.write_all(response.as_bytes()).await;
                if matches!(then, Then::Hang) {
                    tokio::time::sleep(Duration::from_secs(600)).await;
                }
            });
        }
    });
    address
}

/// Starts an origin that sends `first` to every connection, and `rest` after a pause.
async fn trickle(first: String, pause: Duration, rest: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    TaskTracker::new().spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 8 << 10]).await;
            let _ = stream.write_all(first.as_bytes()).await;
            tokio::time::sleep(pause).await;
            let _ = stream.write_all(rest.as_bytes()).await;
        }
    });
    address
}

async fn render(response: String, then: Then) -> Rendered {
    let address = origin(response, then).await;
    let bench = Bench::with_hosts(&[(HOST, address)], |_| {}).await;
    let url = format!("https://{HOST}/page").parse().unwrap();
    bench.pool.render(RenderRequest { url, ..request("/") }).await.unwrap()
}

fn page(body: &str) -> String {
    format!("<!DOCTYPE html><title>t</title>{body}")
}

#[tokio::test]
async fn headers_that_browsers_tolerate_do_not_fail_the_render() {
    let body = page("<h1>Hello</h1>");
    for odd in [
        "X-Folded: one\r\n two\r\n",
        "X-Spaced : one\r\n",
        "no colon at all\r\n",
        "X-(bad): name\r\n",
        "X-Control: a\u{1}b\r\n",
        &"X-Many: 1\r\n".repeat(150),
    ] {
        let response = format!("{HEAD}{odd}Content-Length: {}\r\n\r\n{body}", body.len());

        let page = render(response, Then::Close).await;

        assert!(page.status == 200 && page.html.contains("Hello"), "{odd:?}: {page:?}");
    }
}

#[tokio::test]
async fn an_invalid_content_length_does_not_fail_the_render() {
    let body = page("<h1>Hello</h1>");
    for odd in [format!("+{}", body.len()), "abc".to_owned(), String::new()] {
        let page = render(format!("{HEAD}Content-Length: {odd}\r\n\r\n{body}"), Then::Close).await;

        assert!(page.html.contains("<h1>Hello</h1>") && !page.partial, "{odd}: {}", page.html);
    }
}

#[tokio::test]
async fn a_content_length_beside_chunks_is_ignored() {
    let body = page("<h1>Hello</h1>");
    let response = format!(
        "{HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );

    let page = render(response, Then::Close).await;

    assert!(page.html.contains("Hello") && !page.partial, "{page:?}");
}

#[tokio::test]
async fn a_truncated_document_is_captured_as_far_as_received() {
    let body = page(
        "<h1>Hello</h1><script>setTimeout(() => document.body.append('and more'), 300)</script><p>begun",
    );
    for response in [
        format!("{HEAD}Content-Length: {}\r\n\r\n{body}", body.len() + 500),
        format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}", body.len() + 500),
        format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\nnot a chunk", body.len()),
    ] {
        let page = render(response, Then::Close).await;

        assert!(page.html.contains("Hello") && page.html.contains("and more"), "{}", page.html);
        // Waiting for its end would make it `Still`.
        assert!(!page.partial && page.settled == Settled::Quiet, "{page:?}");
    }
}

#[tokio::test]
async fn a_truncated_response_is_an_error_for_scripts() {
    let cut = origin(
        format!("{HEAD}Access-Control-Allow-Origin: *\r\nContent-Length: 500\r\n\r\nbegun"),
        Then::Close,
    )
    .await;
    let page = "fetch('https://raw.test/cut', { headers: { accept: 'text/html' } }).then((r) => r.text()).then((text) => { out.textContent = 'whole: ' + text }, () => { out.textContent = 'cut' })";
    let bench = Bench::with_hosts(&[(HOST, cut)], |_| {}).await;

    let page = bench.render_reply(Reply::script(page)).await.unwrap();

    assert!(page.html.contains(">cut<"), "{}", page.html);
}

#[tokio::test]
async fn a_document_without_an_end_is_captured_in_time() {
    let body = page(
        "<h1>Hello</h1><script>setTimeout(() => document.body.append('and more'), 300)</script><p>begun",
    );
    for response in [
        format!("{HEAD}Content-Length: {}\r\n\r\n{body}", body.len() + 500),
        format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n", body.len()),
    ] {
        let page = render(response, Then::Hang).await;

        assert!(page.html.contains("Hello") && page.html.contains("and more"), "{}", page.html);
        assert!(!page.partial && page.settled == Settled::Still, "{page:?}");
    }
}

#[tokio::test]
async fn hanging_requests_to_other_sites_delay_the_capture_briefly() {
    let third = origin(String::new(), Then::Hang).await;
    let bench = Bench::with_hosts(&[("widget.other", third)], |_| {}).await;
    let never = Reply::typed("application/json", "{}").after(Duration::from_secs(600));
    bench.origin.on("/hang", never);
    let text = "All of the shop is here, ready to be read by anybody who comes along. ".repeat(4);
    for script in [
        "document.head.append(Object.assign(document.createElement('script'), { src: 'https://widget.other/chat.js' }))",
        "fetch('https://widget.other/chat')",
        "const x = new XMLHttpRequest(); x.open('GET', 'https://widget.other/chat?since=1'); x.send()",
    ] {
        let body = |script: &str| Reply::html(&page(&format!("<p>{text}</p><script>{script}</script>")));
        bench.origin.on("/own", body("fetch('/hang')")).on("/other", body(script));

        let (own, other) = bench.render_both("/own", "/other").await;

        assert!(other.html.contains("All of the shop") && !other.partial, "{script}: {other:?}");
        assert!(other.timings.load_ms < own.timings.load_ms, "{script}: {:?}", other.timings);
    }
}

/// Renders a page whose own site leaves a script hanging, beside the same page with another site's script.
async fn own_beside_other(with: impl Fn(&str) -> Reply) -> (Rendered, Rendered) {
    let hanging = origin(String::new(), Then::Hang).await;
    let bench = Bench::with_hosts(&[("hanging.test", hanging)], |_| {}).await;
    bench.origin.on("/hang", Reply::typed("text/javascript", "").after(Duration::from_secs(600)));
    bench.origin.on("/own", with("/hang")).on("/other", with("https://hanging.test/a.js"));
    bench.render_both("/own", "/other").await
}

#[tokio::test]
async fn a_script_of_another_site_that_blocks_the_parser_is_awaited_shorter_than_an_own_one() {
    let with = |script: &str| {
        Reply::html(&page(&format!("<h1>Hello</h1><script src={script}></script><p>behind it</p>")))
    };

    // The rest of the page follows after its own script.
    let (own, other) = own_beside_other(with).await;

    assert!(other.html.contains("<h1>Hello</h1>") && other.html.contains("behind it"), "{}", other.html);
    assert!(
        !other.partial && other.timings.load_ms < own.timings.load_ms,
        "{:?} {:?}",
        other.timings,
        own.timings
    );
}

#[tokio::test]
async fn a_script_of_another_site_that_blocks_the_head_loses_no_content() {
    let hanging = origin(String::new(), Then::Hang).await;
    let bench = Bench::with_hosts(&[("hanging.test", hanging)], |_| {}).await;
    bench.origin.on("/app.js", Reply::typed("text/javascript", "out.textContent = 'the app'"));
    for held_up in [
        "<script src=https://hanging.test/a.js></script><script src=https://hanging.test/b.js></script>",
        "<link rel=stylesheet href=https://hanging.test/a.css><script>let after</script>",
        "<script defer src=https://hanging.test/a.js></script>",
    ] {
        let app = "<div id=out></div><script type=module src=/app.js></script>";
        bench.origin.on("/page", Reply::html(&page(&format!("{held_up}{app}"))));
        for scheme in ["https", "http"] {
            let url = format!("{scheme}://{}/page", crate::support::HOST).parse().unwrap();

            let page = bench.pool.render(RenderRequest { url, ..request("/") }).await.unwrap();

            assert!(page.html.contains("the app") && !page.partial, "{scheme}, {held_up}: {}", page.html);
            assert_eq!(page.settled, Settled::Quiet);
        }
    }
}

#[tokio::test]
async fn a_response_that_another_site_has_begun_is_awaited() {
    let body = "document.title = 'whole'";
    let begun =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nContent-Length: {}\r\n\r\n", body.len());
    let slow = trickle(begun, Duration::from_secs(5), body.to_owned()).await;
    let bench = Bench::with_hosts(&[("slow.test", slow)], |_| {}).await;

    let page = bench
        .render_reply(Reply::html(
            "<!DOCTYPE html><title>t</title><script src=https://slow.test/a.js></script><p>end",
        ))
        .await;

    let page = page.unwrap();
    assert!(page.html.contains("<title>whole</title>") && page.html.contains("end"), "{}", page.html);
}

#[tokio::test]
async fn a_page_written_into_a_loaded_document_is_captured_in_time() {
    let bench = Bench::new().await;
    for script in [
        "addEventListener('load', () => setTimeout(() => document.write('<h1>written</h1>'), 50))",
        "addEventListener('load', () => { document.open(); document.write('<h1>written</h1>') })",
    ] {
        let page =
            bench.render_reply(Reply::html(&page(&format!("<p>first</p><script>{script}</script>")))).await;

        let page = page.unwrap();
        assert!(page.html.contains("<h1>written") && !page.html.contains("first"), "{script}: {}", page.html);
        assert!(!page.partial && page.settled == Settled::Quiet, "{script}: {page:?}");
    }
}

#[tokio::test]
async fn late_responses_of_the_own_site_are_awaited() {
    let bench = Bench::new().await;
    let late = "document.body.append('what came late')";
    bench.origin.on("/late", Reply::typed("text/javascript", late).after(Duration::from_millis(5_500)));
    let text = "All of the shop is here, ready to be read by anybody who comes along. ".repeat(4);
    for rest in [
        "<script async src=/late></script>",
        "<script>document.head.append(Object.assign(document.createElement('script'), { src: '/late' }))</script>",
        "<script type=module src=/late></script>",
    ] {
        let page = bench.render_reply(Reply::html(&page(&format!("<p>{text}</p>{rest}")))).await.unwrap();

        assert!(page.html.contains("what came late") && !page.partial, "{rest}: {page:?}");
    }
}

#[tokio::test]
async fn a_late_part_of_the_document_is_awaited() {
    let text = "All of the shop is here, ready to be read by anybody who comes along. ".repeat(4);
    let (first, rest) = (page(&format!("<p>{text}</p>")), "<p>what came late</p>");
    let head = format!("{HEAD}Content-Length: {}\r\n\r\n{first}", first.len() + rest.len());
    let slow = trickle(head, Duration::from_millis(5_500), rest.to_owned()).await;
    let bench = Bench::with_hosts(&[(HOST, slow)], |_| {}).await;
    let url = format!("https://{HOST}/page").parse().unwrap();

    let page = bench.pool.render(RenderRequest { url, ..request("/") }).await.unwrap();

    assert!(page.html.contains("what came late") && !page.partial, "{page:?}");
}

#[tokio::test]
async fn hanging_requests_to_the_own_site_do_not_fail_the_render() {
    let bench = Bench::new().await;
    bench.origin.on("/hang", Reply::typed("text/javascript", "").after(Duration::from_secs(600)));
    let text = "All of the shop is here, ready to be read by anybody who comes along. ".repeat(4);
    for rest in [
        "<script>fetch('/hang')</script>",
        "<script async src=/hang></script>",
        "<script>document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/hang' }))</script>",
        "<link rel=modulepreload href=/hang>",
    ] {
        let page = bench.render_reply(Reply::html(&page(&format!("<p>{text}</p>{rest}")))).await.unwrap();

        assert!(page.html.contains("All of the shop") && !page.partial, "{rest}: {page:?}");
    }
}

#[tokio::test]
async fn a_hanging_deferred_script_does_not_fail_the_render() {
    let bench = Bench::new().await;
    bench.origin.on("/hang", Reply::typed("text/javascript", "").after(Duration::from_secs(600)));
    let text = "All of the shop is here, ready to be read by anybody who comes along. ".repeat(4);

    let page = bench
        .render_reply(Reply::html(&page(&format!("<p>{text}</p><script defer src=/hang></script>"))))
        .await;

    let page = page.unwrap();
    assert!(
        page.html.contains("All of the shop") && !page.partial && page.settled == Settled::Still,
        "{page:?}"
    );
}

#[tokio::test]
async fn a_hanging_deferred_script_of_another_site_is_awaited_shorter_than_an_own_one() {
    let text = "All of the shop is here, ready to be read by anybody who comes along. ".repeat(4);
    let with =
        |script: &str| Reply::html(&page(&format!("<p>{text}</p><script defer src={script}></script>")));

    let (own, other) = own_beside_other(with).await;

    assert!(other.html.contains("All of the shop") && !other.partial, "{other:?}");
    assert!(other.timings.load_ms + 1000 < own.timings.load_ms, "{:?} {:?}", other.timings, own.timings);
}

#[tokio::test]
async fn hanging_requests_delay_a_page_with_a_loading_indicator_longer() {
    let hanging = origin(String::new(), Then::Hang).await;
    let bench = Bench::with_hosts(&[("hanging.test", hanging)], |_| {}).await;
    let with = |content: &str| {
        let script = "<script async src=https://hanging.test/a.js></script>";
        let also = "<script>globalThis.words = 'The text of a script is none that anybody sees, however long it is.'</script>";
        Reply::html(&page(&format!("<div id=root>{content}</div>{script}{also}")))
    };
    bench.origin.on("/short", with("<h1>Hello</h1>")).on("/loads", with("<h1>Loading…</h1>"));

    let (short, loads) = bench.render_both("/short", "/loads").await;

    assert!(short.html.contains("<h1>Hello") && !short.partial, "{short:?}");
    assert!(short.timings.load_ms + 2000 < loads.timings.load_ms, "{:?} {:?}", short.timings, loads.timings);
}

#[tokio::test]
async fn a_hanging_preload_of_another_site_is_not_awaited() {
    let with = |address: &str| {
        Reply::html(&page(&format!("<link rel=preload as=script href={address}><h1>Hello</h1>")))
    };

    let (own, other) = own_beside_other(with).await;

    assert!(other.settled == Settled::Quiet, "{other:?}");
    assert!(other.timings.load_ms + 1000 < own.timings.load_ms, "{:?} {:?}", other.timings, own.timings);
}
