//! Messages of sockets, workers and streams: greetings, answers, and content after pauses.
//! The page waits for those that may change it, and not for workers and sockets without a listener.

use std::time::{Duration, Instant};

use base64::Engine;
use browser::Rendered;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::article::{article, assert_shows};
use crate::origin::Reply;
use crate::support::Bench;

/// Message that the server sends by itself or as an answer, after a pause in ms.
#[derive(Clone, Copy)]
enum Word {
    Unasked(u64, &'static str),
    Answer(u64, &'static str),
}

/// Accepts one WebSocket and sends the messages. Before an answer it waits for a message of the client.
async fn speak(listener: TcpListener, words: &'static [Word]) -> std::io::Result<()> {
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
        (0..20).map(|index| u8::from_str_radix(&digest[2 * index..2 * index + 2], 16).unwrap()).collect();
    let accepted = base64::engine::general_purpose::STANDARD.encode(bytes);
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accepted}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    for word in words {
        let (pause, word) = match word {
            Word::Unasked(pause, word) => (pause, word),
            Word::Answer(pause, word) => {
                let _ = stream.read(&mut buffer).await?;
                (pause, word)
            }
        };
        tokio::time::sleep(Duration::from_millis(*pause)).await;
        stream.write_all(&[0x81, u8::try_from(word.len()).unwrap()]).await?;
        stream.write_all(word.as_bytes()).await?;
    }
    let _ = stream.read(&mut buffer).await?;
    Ok(())
}

/// Renders an article with a WebSocket server at `live.test` and a worker at `/worker.js`.
async fn rendered(worker: &str, words: &'static [Word], script: &str) -> (Rendered, Duration) {
    rendered_reply(worker, words, article(script)).await
}

/// Renders another page with the same servers.
async fn rendered_reply(worker: &str, words: &'static [Word], reply: Reply) -> (Rendered, Duration) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    TaskTracker::new().spawn(speak(listener, words));
    let bench = Bench::with_hosts(&[("live.test", address)], |_| {}).await;
    bench.origin.on("/worker.js", Reply::typed("text/javascript", worker));
    bench.render_reply(article("add('first')")).await.unwrap();
    let started = Instant::now();

    let page = bench.render_reply(reply).await.unwrap();

    (page, started.elapsed())
}

#[tokio::test]
async fn an_answer_to_a_request_after_a_sockets_first_message_is_awaited() {
    // The pattern of GraphQL over WebSockets.
    let script = "const socket = new WebSocket('wss://live.test/');
        socket.onopen = () => socket.send('init');
        socket.onmessage = ({ data }) => (data === 'ack' ? socket.send('subscribe') : add(data))";

    let (page, _) = rendered("", &[Word::Answer(0, "ack"), Word::Answer(800, "prices")], script).await;

    assert_shows(&page, &["prices"]);
}

#[tokio::test]
async fn content_after_a_greeting_and_a_pause_is_awaited() {
    let by_socket =
        "new WebSocket('wss://live.test/').onmessage = ({ data }) => data !== 'hello' && add(data)";
    let (page, _) = rendered("", &[Word::Unasked(0, "hello"), Word::Unasked(800, "news")], by_socket).await;
    assert_shows(&page, &["news"]);

    let late = "postMessage('hello'); setTimeout(() => postMessage('news'), 800)";
    let by_worker = "new Worker('/worker.js').onmessage = ({ data }) => data !== 'hello' && add(data)";
    let (page, _) = rendered(late, &[], by_worker).await;
    assert_shows(&page, &["news"]);
}

#[tokio::test]
async fn an_answer_to_a_request_after_a_shared_workers_first_message_is_awaited() {
    let worker = "onconnect = ({ ports: [port] }) => {
        port.postMessage('hello');
        port.onmessage = () => setTimeout(() => port.postMessage('answer'), 900);
    }";
    let script = "const { port } = new SharedWorker('/worker.js');
        port.onmessage = ({ data }) => { add(data); if (data === 'hello') port.postMessage('and?') }";

    let (page, _) = rendered(worker, &[], script).await;

    assert_shows(&page, &["hello", "answer"]);
}

#[tokio::test]
async fn workers_without_a_listener_are_not_awaited() {
    let script = "new SharedWorker('/worker.js'); new Worker('/worker.js')";

    let (page, took) = rendered("onconnect = () => {}", &[], script).await;

    assert_shows(&page, &[]);
    // Waiting for the worker would take at least 2.5 s.
    assert!(took < Duration::from_millis(2400), "{took:?}");
}

#[tokio::test]
async fn a_worker_that_posts_to_a_broadcast_channel_is_awaited() {
    let worker = "setTimeout(() => new BroadcastChannel('news').postMessage('by channel'), 800)";
    let script = "new Worker('/worker.js'); new BroadcastChannel('news').onmessage = ({ data }) => add(data)";

    let (page, _) = rendered(worker, &[], script).await;

    assert_shows(&page, &["by channel"]);
}

#[tokio::test]
async fn canvases_are_encoded_without_delay() {
    let script = "const began = performance.now();
        const later = (name) => () => add(name + (performance.now() - began < 1500 ? ' soon' : ' late'));
        const canvas = document.createElement('canvas');
        canvas.getContext('2d').fillRect(0, 0, 9, 9);
        canvas.toBlob(later('canvas'));
        const beside = new OffscreenCanvas(300, 300);
        beside.getContext('2d').fillRect(0, 0, 9, 9);
        beside.convertToBlob().then(later('beside'));";

    let (page, _) = rendered("", &[], script).await;

    assert_shows(&page, &["canvas soon", "beside soon"]);
}

#[tokio::test]
async fn an_answer_that_streams_word_by_word_is_awaited_to_its_end() {
    let bench = Bench::new().await;
    let words = (1..=25).map(|n| format!("data: word {n}\n\n")).collect();
    let stream = Reply::typed("text/event-stream", "").in_pieces(Duration::from_millis(100), words);
    bench.origin.on("/answer", stream);
    // The pattern of chats: text without elements.
    let script = "(async () => {
        const reader = (await fetch('/answer', { method: 'POST' })).body.pipeThrough(new TextDecoderStream()).getReader();
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) out.textContent += piece.value;
    })()";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(page.html.contains("word 25") && !page.partial, "{}", page.html);
}

#[tokio::test]
async fn the_second_answer_of_a_socket_is_awaited_by_a_nearly_empty_page() {
    // The pattern of socket.io: the page reports the connection, then requests its content.
    let words: &'static [_] =
        &[Word::Answer(0, "ack"), Word::Answer(0, "connected"), Word::Answer(800, "prices")];
    let script = "const socket = new WebSocket('wss://live.test/');
        socket.onopen = () => socket.send('init');
        socket.onmessage = ({ data }) => { out.textContent = data; socket.send('after ' + data) }";
    let page = format!("<!DOCTYPE html><title>t</title><div id=out></div><script>{script}</script>");

    let (page, _) = rendered_reply("", words, Reply::html(&page)).await;

    assert!(page.html.contains("prices"), "{}", page.html);
}

#[tokio::test]
async fn messages_without_visible_effect_are_awaited_while_the_page_shows_a_loading_indicator() {
    let bench = Bench::new().await;
    let news = (1..=8).map(|n| format!("data: news {n}\n\n")).collect();
    let stream = Reply::typed("text/event-stream", "").in_pieces(Duration::from_millis(300), news);
    bench.origin.on("/news", stream);
    let script = "out.innerHTML = '<main>Loading…</main>';
        const all = [];
        new EventSource('/news').onmessage = ({ data }) => {
            if (all.push(data) === 8) { out.textContent = ''; add(all.join()) }
        }";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert!(page.html.contains("news 1,news 2") && page.html.contains("news 8"), "{}", page.html);
}

/// Makes a page with header and footer whose main part is filled by messages.
fn app(script: &str) -> Reply {
    let words = "Everything for those who grow under glass, from the first seed to the last leaf. ".repeat(3);
    Reply::html(&format!(
        "<!DOCTYPE html><title>t</title><header>{words}</header><main id=part></main><footer>{words}</footer><script>
         const add = (text) => {{ part.innerHTML += '<p>' + text + '</p>' }};
         {script}</script>"
    ))
}

#[tokio::test]
async fn a_late_first_message_is_awaited() {
    let events = "const source = new EventSource('/late');
        source.addEventListener('price', ({ data }) => add(data));
        source.onmessage = ({ data }) => add(data)";
    let bench = Bench::new().await;
    for event in ["data: late\n\n", "event: price\ndata: late\n\n"] {
        for page in [article(events), app(events)] {
            let stream = Reply::typed("text/event-stream", ": hello\n\n");
            bench.origin.on("/late", stream.in_pieces(Duration::from_millis(1500), vec![event.into()]));

            let page = bench.render_reply(page).await.unwrap();

            assert_shows(&page, &["late"]);
        }
    }

    let by_socket = "new WebSocket('wss://live.test/').onmessage = ({ data }) => add(data)";
    let (page, _) = rendered("", &[Word::Unasked(1700, "late")], by_socket).await;
    assert_shows(&page, &["late"]);
}

#[tokio::test]
async fn all_messages_of_a_conversation_without_visible_effect_are_awaited() {
    let words: &'static [_] = &[
        Word::Answer(0, "ack"),
        Word::Answer(450, "session"),
        Word::Answer(700, "rooms"),
        Word::Unasked(900, "ping"),
        Word::Answer(700, "prices"),
    ];
    let script = "const socket = new WebSocket('wss://live.test/');
        socket.onopen = () => socket.send('init');
        socket.onmessage = ({ data }) => (data === 'prices' ? add(data) : data === 'ping' || socket.send('after ' + data))";

    let (page, _) = rendered_reply("", words, app(script)).await;
    assert_shows(&page, &["prices"]);

    let (page, _) = rendered("", words, script).await;
    assert_shows(&page, &["prices"]);
}

#[tokio::test]
async fn the_answer_to_a_second_request_is_awaited_after_the_first_one_is_shown() {
    let words: &'static [_] = &[Word::Answer(50, "summary"), Word::Answer(1500, "details")];
    let script = "const socket = new WebSocket('wss://live.test/');
        socket.onopen = () => socket.send('summary');
        socket.onmessage = ({ data }) => { add(data); if (data === 'summary') socket.send('details') }";

    let (page, _) = rendered("", words, script).await;

    assert_shows(&page, &["summary", "details"]);
}

#[tokio::test]
async fn a_late_message_of_a_worker_is_awaited_on_any_channel() {
    let by_port = "onmessage = ({ ports: [port] }) => setTimeout(() => port.postMessage('late'), 3000)";
    let port = "const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => add(data);
        new Worker('/worker.js').postMessage('begin', [port2])";
    let by_channel = "setTimeout(() => new BroadcastChannel('news').postMessage('late'), 3000)";
    let channel =
        "new Worker('/worker.js'); new BroadcastChannel('news').onmessage = ({ data }) => add(data)";
    let by_itself = "postMessage('ready'); setTimeout(() => postMessage('late'), 3000)";
    let itself = "new Worker('/worker.js').onmessage = ({ data }) => data === 'late' && add(data)";
    for (worker, script) in [(by_port, port), (by_channel, channel), (by_itself, itself)] {
        let (page, _) = rendered(worker, &[], script).await;

        assert_shows(&page, &["late"]);
    }
}

#[tokio::test]
async fn a_late_long_poll_is_awaited() {
    let bench = Bench::new().await;
    bench.origin.on("/api/poll", Reply::typed("text/plain", "late").after(Duration::from_millis(2500)));
    let script = "fetch('/api/poll').then((answer) => answer.text()).then(add)";

    let page = bench.render_reply(article(script)).await.unwrap();

    assert_shows(&page, &["late"]);
}

#[tokio::test]
async fn an_endless_feed_is_complete_after_the_limit_of_own_time() {
    let bench = Bench::new().await;
    let rows = (1..=200).map(|n| format!("data: row {n}\n\n")).collect();
    let stream = Reply::typed("text/event-stream", "").in_pieces(Duration::from_millis(250), rows);
    bench.origin.on("/feed", stream);

    let page =
        bench.render_reply(article("new EventSource('/feed').onmessage = (e) => add(e.data)")).await.unwrap();

    assert_shows(&page, &["row 1", "row 20"]);
    assert!(!page.html.contains("row 80"), "{}", page.html);
}
