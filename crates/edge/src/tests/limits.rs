//! Limits of concurrent clients: connections, tunnels, requests to one origin.

use crate::testing::*;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::world::{LIMITS, RawOrigin, SETTINGS, World, read_request};
use platform::plans::Plan;

const UPGRADE: &[u8] =
    b"GET /live HTTP/1.1\r\nHost: shop.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

/// Starts an origin that switches every request to a WebSocket and then sends nothing.
async fn silent_websockets() -> RawOrigin {
    RawOrigin::start(|mut stream, _| async move {
        read_request(&mut stream).await;
        let switching =
            b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
        stream.write_all(switching).await.unwrap();
        let _ = stream.read_u8().await;
    })
    .await
}

async fn open_tunnel(world: &World) -> TcpStream {
    let mut stream = TcpStream::connect(world.http).await.unwrap();
    stream.write_all(UPGRADE).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 101"));
    stream
}

/// Returns true when the edge closes a new connection without an answer.
async fn is_turned_away(world: &World) -> bool {
    let mut stream = TcpStream::connect(world.http).await.unwrap();
    let read = tokio::time::timeout(Duration::from_millis(300), stream.read(&mut [0; 1])).await;
    matches!(read, Ok(Ok(0) | Err(_)))
}

#[tokio::test]
async fn a_tunnel_that_nobody_uses_ends() {
    let origin = silent_websockets().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    let mut tunnel = open_tunnel(&world).await;

    let ended = tokio::time::timeout(Duration::from_secs(5), tunnel.read(&mut [0; 1])).await;

    assert!(matches!(ended.expect("it ends"), Ok(0) | Err(_)));
}

#[tokio::test]
async fn a_domain_with_too_many_tunnels_loses_its_clients_oldest_one() {
    let origin = silent_websockets().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    // A domain may have four tunnels on sixteen connections.
    let mut tunnels = Vec::new();
    for _ in 0..5 {
        tunnels.push(open_tunnel(&world).await);
    }

    // The newest one would end only after `tunnel_idle`.
    assert!(matches!(tunnels[0].read(&mut [0; 1]).await, Ok(0) | Err(_)));
    let read = tokio::time::timeout(LIMITS.tunnel_idle / 4, tunnels[4].read(&mut [0; 1])).await;
    assert!(read.is_err(), "{read:?}");
}

#[tokio::test]
async fn an_address_has_so_many_connections_and_tunnels_are_among_them() {
    let origin = silent_websockets().await;
    let hosts = format!("network.hosts = {{ \"shop.example\" = \"{}\" }}\n", origin.address);
    let world = World::with(&format!("{hosts}limits.connections_per_address = 2")).await;
    world.shop().await;

    let _tunnel = open_tunnel(&world).await;
    let other = TcpStream::connect(world.http).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;

    assert!(is_turned_away(&world).await);
    drop(other);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!is_turned_away(&world).await);
}

#[tokio::test]
async fn trusted_proxies_have_as_many_connections_as_they_like() {
    let settings = "limits.connections_per_address = 1\nedge.trusted_proxies = [\"127.0.0.0/8\"]";
    let world = World::with(settings).await;
    let _first = TcpStream::connect(world.http).await.unwrap();

    assert!(!is_turned_away(&world).await);
}

/// More bytes than the system and the edge buffer of a response that nobody reads.
const LARGE: usize = 16 << 20;

#[tokio::test]
async fn clients_that_do_not_read_take_none_of_their_domains_places() {
    let origin = RawOrigin::start(|mut stream, _| async move {
        while let Some(request) = read_request(&mut stream).await {
            let length = if request.starts_with(b"GET /large") { LARGE } else { 2 };
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
            let response = [head.into_bytes(), vec![b'x'; length]].concat();
            if stream.write_all(&response).await.is_err() {
                return;
            }
        }
    })
    .await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    let mut readers = Vec::new();
    // As many requests as may wait for the origin.
    for _ in 0..3 {
        let mut reader = TcpStream::connect(world.http).await.unwrap();
        reader.write_all(b"GET /large HTTP/1.1\r\nHost: shop.example\r\n\r\n").await.unwrap();
        reader.read_u8().await.unwrap();
        readers.push(reader);
    }

    // Waits until the responses have filled every buffer.
    let mut status = 503;
    for _ in 0..100 {
        status = world.get("/", &[]).await.status;
        if status == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    assert_eq!(status, 200);
}

#[tokio::test]
async fn clients_that_do_not_send_take_none_of_their_domains_places() {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    let mut senders = Vec::new();
    // As many requests as may wait for the origin.
    for _ in 0..3 {
        let mut sender = TcpStream::connect(world.http).await.unwrap();
        sender
            .write_all(b"POST /a HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 6\r\n\r\nlet")
            .await
            .unwrap();
        senders.push(sender);
    }

    // Waits until all three have begun and wait.
    let mut status = 503;
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        status = world.get("/", &[]).await.status;
        if status == 200 {
            break;
        }
    }

    assert_eq!(status, 200);
    for sender in &mut senders {
        sender.write_all(b"ter").await.unwrap();
        let mut head = [0; 12];
        sender.read_exact(&mut head).await.unwrap();
        assert_eq!(&head, b"HTTP/1.1 200");
    }
}

#[tokio::test]
async fn an_origin_that_hangs_costs_its_own_domain_a_503_and_no_other_domain_anything() {
    let hanging =
        RawOrigin::start(|mut stream, _| async move { while read_request(&mut stream).await.is_some() {} })
            .await;
    let healthy = RawOrigin::echo().await;
    let settings = format!(
        "{SETTINGS}network.hosts = {{ \"shop.example\" = \"{}\", \"good.example\" = \"{}\" }}",
        hanging.address, healthy.address
    );
    let world = World::around(crate::testing::TestApp::with(&settings).await).await;
    world.shop().await;
    let neighbour = world.app.account("owner@good.example", Plan::Business).await;
    world.app.domain(&neighbour, "good.example").await;
    // As many requests as the domain may have, all of them waiting for the head of a response.
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(world.http).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n").await.unwrap();
        waiting.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;

    let refused = world.get("/", &[]).await;
    let other = world.send("GET / HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n").await;

    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("10")));
    assert_eq!((other.status, other.header("x-origin")), (200, Some("1")));
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert_eq!(world.get("/", &[]).await.status, 504, "the places are free again");
}
