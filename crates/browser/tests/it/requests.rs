//! Many requests: what brings content and what is a poll.

use std::time::Duration;

use base64::Engine;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::article::{article, assert_shows};
use crate::origin::Reply;
use crate::support::Bench;

async fn shows(script: &str, shown: &str) {
    let bench = Bench::new().await;
    bench.origin.on("/data", Reply::typed("application/json", "{}"));
    bench.origin.on("/orders", Reply::typed("text/plain", "ordered").after(Duration::from_millis(500)));
    let survey = Reply::typed("text/plain", "tea or coffee").after(Duration::from_millis(2500));
    bench.origin.on("/api/poll/7", survey);
    bench
        .origin
        .on("/orders/track", Reply::typed("text/plain", "on its way").after(Duration::from_millis(2200)));
    bench.origin.on("/track", Reply::typed("text/plain", "tracked").after(Duration::from_millis(500)));

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &[shown]);
}

#[tokio::test]
async fn many_questions_to_one_path_at_once_are_no_polls() {
    let script = "const ask = (n) => fetch('/data', { method: 'POST', body: JSON.stringify({ n }) }).then((r) => r.json());
        Promise.all(Array.from({ length: 30 }, (_, n) => ask(n))).then((all) => setTimeout(() => add(all.length + ' answers'), 50))";

    shows(script, "30 answers").await;
}

#[tokio::test]
async fn pages_that_are_asked_for_one_after_the_other_are_no_polls() {
    let script = "(async () => {
        let n = 0;
        for (; n < 45; n++) await (await fetch('/data?page=' + n)).json();
        add(n + ' pages');
    })()";

    shows(script, "45 pages").await;
}

#[tokio::test]
async fn pages_that_are_asked_for_with_a_pause_between_them_are_no_polls() {
    let script = "(async () => {
        let n = 0;
        for (; n < 12; n++) { await (await fetch('/data?page=' + n)).json(); await sleep(80) }
        add(n + ' pages');
    })()";

    shows(script, "12 pages").await;
}

#[tokio::test]
async fn equal_questions_of_several_components_are_no_polls() {
    let script = "Promise.all(Array.from({ length: 8 }, () => fetch('/data').then((r) => r.json())))
        .then((all) => setTimeout(() => add(all.length + ' components'), 50))";

    shows(script, "8 components").await;
}

#[tokio::test]
async fn equal_questions_are_asked_for_as_long_as_the_page_says_that_it_is_busy() {
    let script = "out.setAttribute('aria-busy', true);
        out.textContent = 'working';
        (async () => {
            for (let n = 0; n < 9; n++) { await (await fetch('/data')).json(); await sleep(150) }
            out.removeAttribute('aria-busy');
            add('job done');
        })()";

    shows(script, "job done").await;
}

#[tokio::test]
async fn a_post_that_looks_like_a_beacon_may_bring_content() {
    shows("fetch('/track', { method: 'POST', body: 'parcel 7' }).then((r) => r.text()).then(add)", "tracked")
        .await;
}

#[tokio::test]
async fn a_get_that_may_outlive_the_page_may_bring_content() {
    shows("fetch('/track', { keepalive: true }).then((r) => r.text()).then(add)", "tracked").await;
}

#[tokio::test]
async fn what_is_asked_by_the_numbers_of_things_is_no_poll() {
    let script = "(async () => {
        let n = 0;
        for (; n < 10; n++) { await (await fetch('/data?id=' + (40012345 + n))).json(); await sleep(70) }
        add(n + ' things');
    })()";

    shows(script, "10 things").await;
}

#[tokio::test]
async fn a_post_to_the_own_site_that_may_outlive_the_page_may_bring_content() {
    let script =
        "fetch('/orders', { method: 'POST', keepalive: true, body: '{}' }).then((r) => r.text()).then(add)";

    shows(script, "ordered").await;
}

#[tokio::test]
async fn what_the_own_site_is_asked_by_a_beacons_name_has_more_time() {
    shows(
        "fetch('/orders/track', { method: 'POST', body: '7' }).then((r) => r.text()).then(add)",
        "on its way",
    )
    .await;
}

#[tokio::test]
async fn a_survey_is_no_long_poll() {
    shows("fetch('/api/poll/7').then((r) => r.text()).then(add)", "tea or coffee").await;
}

/// Accepts one WebSocket, and answers each message with the next of `answers`, after its pause.
async fn answer_socket(
    listener: TcpListener,
    answers: &'static [(u64, &'static str)],
) -> std::io::Result<()> {
    let (mut stream, _) = listener.accept().await?;
    let mut buffer = vec![0; 4096];
    let read = stream.read(&mut buffer).await?;
    let head = String::from_utf8_lossy(&buffer[..read]).into_owned();
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    let text = format!("{}258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key.trim());
    let script = format!("printf %s '{text}' | sha1sum | cut -c1-40");
    let digest = std::process::Command::new("sh").args(["-c", &script]).output()?.stdout;
    let digest = String::from_utf8_lossy(&digest).trim().to_owned();
    let bytes: Vec<u8> =
        (0..20).map(|place| u8::from_str_radix(&digest[2 * place..2 * place + 2], 16).unwrap()).collect();
    let accepted = base64::engine::general_purpose::STANDARD.encode(bytes);
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accepted}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    for (pause, answer) in answers {
        let _ = stream.read(&mut buffer).await?;
        tokio::time::sleep(Duration::from_millis(*pause)).await;
        stream.write_all(&[0x81, u8::try_from(answer.len()).unwrap()]).await?;
        stream.write_all(answer.as_bytes()).await?;
    }
    let _ = stream.read(&mut buffer).await?;
    Ok(())
}

#[tokio::test]
async fn what_a_socket_is_asked_after_its_first_word_is_answered() {
    // As GraphQL over WebSockets does.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    TaskTracker::new().spawn(answer_socket(listener, &[(0, "ack"), (400, "prices")]));
    let bench = Bench::with_hosts(&[("live.test", address)], |_| {}).await;
    let script = "const socket = new WebSocket('wss://live.test/');
        socket.onopen = () => socket.send('init');
        socket.onmessage = ({ data }) => (data === 'ack' ? socket.send('subscribe') : add(data))";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["prices"]);
}
