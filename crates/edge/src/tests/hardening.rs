//! Attacks: malformed and oversized requests, smuggling, slow connections.

use super::world::{RawOrigin, World};

async fn world() -> (World, RawOrigin) {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    (world, origin)
}

#[tokio::test]
async fn requests_that_two_servers_could_read_in_two_ways_are_refused() {
    let (world, _origin) = world().await;
    let host = "Host: shop.example\r\n";

    for request in [
        format!("POST / HTTP/1.1\r\n{host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        format!("POST / HTTP/1.1\r\n{host}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd"),
        format!("POST / HTTP/1.1\r\n{host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        format!("POST / HTTP/1.1\r\n{host}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
        format!("GET / HTTP/1.1\n{host}\r\n"),
        format!("GET / HTTP/1.1\r\n{host}X: 1\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}X: 1\r\n folded\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}Host: other.example\r\n\r\n"),
        "GET / HTTP/1.1\r\n\r\n".to_owned(),
        format!("GET http://other.example/ HTTP/1.1\r\n{host}\r\n"),
        format!("GET / HTTP/1.1\r\n{host}X\u{0}: 1\r\n\r\n"),
        "\u{16}\u{3}\u{1}\u{2}\r\n\r\n".to_owned(),
    ] {
        let reply = world.send(&request).await;
        assert_eq!(reply.status, 400, "{request:?}");
    }
}

#[tokio::test]
async fn a_second_request_hidden_in_the_first_is_never_served() {
    let (world, _origin) = world().await;

    let reply = world
        .send("GET / HTTP/1.1\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: shop.example\r\n\r\n")
        .await;

    assert_eq!(reply.status, 200);
    assert!(!reply.text().contains("HTTP/1.1 200"), "two answers came: {}", reply.text());
}

#[tokio::test]
async fn a_body_that_is_malformed_is_the_clients_fault_and_not_the_origins() {
    let (world, _origin) = world().await;

    for body in ["zz\r\nhello\r\n0\r\n\r\n", "5\r\nhello-0\r\n\r\n", "-1\r\n\r\n"] {
        let head = "POST / HTTP/1.1\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(world.send(&format!("{head}{body}")).await.status, 400, "{body:?}");
    }
}

#[tokio::test]
async fn too_many_or_too_long_headers_are_refused() {
    let (world, _origin) = world().await;
    let many: String = (0..200).map(|number| format!("X-{number}: 1\r\n")).collect();

    for fields in [many, format!("X: {}\r\n", "a".repeat(40_000))] {
        let reply = world.send(&format!("GET / HTTP/1.1\r\nHost: shop.example\r\n{fields}\r\n")).await;
        assert_eq!(reply.status, 431);
    }
}

#[tokio::test]
async fn methods_that_nobody_serves_are_refused() {
    let (world, _origin) = world().await;

    assert_eq!(world.ask("TRACE", "/", &[]).await.status, 405);
    assert_eq!(
        world.send("CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n").await.status,
        405
    );
}

#[tokio::test]
async fn strange_paths_stay_on_their_own_host() {
    let (world, _origin) = world().await;

    for path in ["//evil.example/%2e%2e", "/%00", "/%ff", "/a%2fb", "/..;/", "/?a=//b"] {
        let reply = world.get(path, &[]).await;
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.text().starts_with(&format!("GET {path} HTTP/1.1")), "{}", reply.text());
    }
}

#[tokio::test]
async fn hosts_that_are_no_names_are_nobodys() {
    let (world, _origin) = world().await;

    for host in ["127.0.0.1", "internal", "shop_example", &"a".repeat(300)] {
        let reply = world.send(&format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).await;
        assert_eq!(reply.status, 421, "{host}");
    }
}
