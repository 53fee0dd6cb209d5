//! Reuse of connections: after a refused request with a body, behind a balancer's PROXY header, with hints before the response.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::world::{RawOrigin, Reply, World, read_request};

const SOON: Duration = Duration::from_secs(10);
const BEHIND_BALANCER: &str =
    "edge.proxy_protocol = \"required\"\nedge.trusted_proxies = [\"127.0.0.0/8\"]\n";

async fn world_of(origin: &RawOrigin, settings: &str) -> World {
    let hosts = format!("network.hosts = {{ \"shop.example\" = \"{}\" }}\n", origin.address);
    let world = World::with(&format!("{settings}{hosts}")).await;
    world.shop().await;
    world
}

/// Reads the head of a response and a body of its content length.
async fn read_response(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let read = async {
        while !bytes.ends_with(b"\r\n\r\n") {
            bytes.push(stream.read_u8().await.expect("an answer comes first"));
        }
        let length = Reply::parse(&bytes).header("content-length").and_then(|value| value.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        stream.read_exact(&mut body).await.expect("a whole body");
        [bytes, body].concat()
    };
    Reply::parse(&timeout(SOON, read).await.expect("it is answered"))
}

fn post(host: &str, bytes: usize) -> String {
    format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: {bytes}\r\n\r\n")
}

#[tokio::test]
async fn a_connection_is_kept_after_a_refused_post_whose_body_comes_late() {
    let origin = RawOrigin::echo().await;
    let world = world_of(&origin, "").await;
    let mut stream = TcpStream::connect(world.http).await.unwrap();

    for _ in 0..20 {
        stream.write_all(post("nobody.example", 2000).as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(3)).await;
        for half in [[b'x'; 1000], [b'y'; 1000]] {
            stream.write_all(&half).await.unwrap();
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        let refused = read_response(&mut stream).await;
        assert_eq!((refused.status, refused.header("connection")), (421, None));
    }
    stream.write_all(b"GET /a HTTP/1.1\r\nHost: shop.example\r\n\r\n").await.unwrap();

    assert_eq!(read_response(&mut stream).await.status, 200);
}

#[tokio::test]
async fn a_refused_post_with_much_that_was_not_read_says_that_the_connection_ends() {
    let origin = RawOrigin::echo().await;
    let world = world_of(&origin, "").await;
    let mut stream = TcpStream::connect(world.http).await.unwrap();
    let bytes = 8 << 20;

    let (mut reading, mut writing) = stream.split();
    let sending = async {
        writing.write_all(post("nobody.example", bytes).as_bytes()).await.unwrap();
        // The answer stops the rest of the upload.
        let _ = writing.write_all(&vec![b'x'; bytes]).await;
    };
    let mut answer = Vec::new();
    let reading = timeout(SOON, async { reading.read_to_end(&mut answer).await });
    let (_, read) = tokio::join!(sending, reading);

    read.expect("it ends").expect("the answer is not destroyed by a reset");
    let refused = Reply::parse(&answer);
    assert_eq!((refused.status, refused.header("connection")), (421, Some("close")));
}

#[tokio::test]
async fn early_hints_of_the_origin_come_before_its_response() {
    let origin = RawOrigin::start(async |mut stream, _| {
        while read_request(&mut stream).await.is_some() {
            let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n";
            stream.write_all(hints.as_bytes()).await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
        }
    })
    .await;
    let world = world_of(&origin, "").await;
    let mut stream = TcpStream::connect(world.http).await.unwrap();

    for _ in 0..3 {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n").await.unwrap();

        let hints = read_response(&mut stream).await;
        assert_eq!((hints.status, hints.header("link")), (103, Some("</a.css>; rel=preload")));
        let response = read_response(&mut stream).await;
        assert_eq!((response.status, response.text().as_str()), (200, "ok"));
    }
}

#[tokio::test]
async fn a_client_of_http_1_0_gets_no_hints() {
    let hints =
        "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let origin = RawOrigin::saying(hints).await;
    let world = world_of(&origin, "").await;

    let reply = world.send("GET / HTTP/1.0\r\nHost: shop.example\r\n\r\n").await;

    assert_eq!((reply.status, reply.text().as_str()), (200, "ok"));
}

#[tokio::test]
async fn the_client_of_a_proxy_header_is_whom_the_origin_hears_of() {
    let origin = RawOrigin::echo().await;
    let world = world_of(&origin, BEHIND_BALANCER).await;
    let request =
        "GET / HTTP/1.1\r\nHost: shop.example\r\nX-Forwarded-For: 203.0.113.66\r\nConnection: close\r\n\r\n";

    let reply = world.send(&format!("PROXY TCP4 198.51.100.7 10.0.0.1 4000 80\r\n{request}")).await;
    let check = world.send(&format!("PROXY UNKNOWN\r\n{request}")).await;

    assert!(reply.text().contains("x-forwarded-for: 198.51.100.7\r\n"), "{}", reply.text());
    assert!(check.text().contains("x-forwarded-for: 203.0.113.66, 127.0.0.1\r\n"), "{}", check.text());
}

#[tokio::test]
async fn a_connection_without_a_proxy_header_of_a_trusted_peer_ends_without_an_answer() {
    let origin = RawOrigin::echo().await;
    let world = world_of(&origin, BEHIND_BALANCER).await;
    let elsewhere = "edge.proxy_protocol = \"required\"\nedge.trusted_proxies = [\"10.0.0.0/8\"]\n";
    let distrustful = world_of(&origin, elsewhere).await;
    let request = "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n";
    let header = "PROXY TCP4 198.51.100.7 10.0.0.1 4000 80\r\n";

    for (address, sent) in
        [(world.http, request.to_owned()), (distrustful.http, format!("{header}{request}"))]
    {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.write_all(sent.as_bytes()).await;
        let _ = timeout(SOON, stream.read_to_end(&mut answer)).await.expect("it ends");

        assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
    }
}
