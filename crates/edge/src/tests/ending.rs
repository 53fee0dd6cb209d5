//! Shutdown of the edge's listeners: requests that clients have sent by then are answered.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::world::World;

/// Request for an unknown host, whose answer needs no origin.
const REQUEST: &[u8] = b"GET /a HTTP/1.1\r\nHost: nobody.example\r\n\r\n";
/// Longer than the edge waits for any client.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reads until the connection ends.
async fn rest_of(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
    ended.expect("the connection ends").expect("it is not reset");
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn connections(world: &World) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(TcpStream::connect(world.http).await.unwrap());
    }
    streams
}

#[tokio::test]
async fn a_request_on_its_way_at_shutdown_is_answered() {
    let world = World::with("").await;
    let mut streams = connections(&world).await;
    // The first eight are accepted, the further ones wait in the system's queue.
    tokio::time::sleep(Duration::from_millis(100)).await;
    streams.extend(connections(&world).await);

    world.end();

    for stream in &mut streams {
        stream.write_all(REQUEST).await.unwrap();
    }
    for stream in &mut streams {
        let answer = rest_of(stream).await;
        assert!(answer.starts_with("HTTP/1.1 421"), "{answer:?}");
    }
}

#[tokio::test]
async fn connections_without_a_request_end_after_shutdown_and_no_new_one_is_taken() {
    let world = World::with("").await;
    let mut streams = connections(&world).await;
    streams[0].write_all(REQUEST).await.unwrap();
    assert!(streams[0].read(&mut [0; 4096]).await.unwrap() > 0);

    world.end();

    for stream in &mut streams {
        rest_of(stream).await;
    }
    assert!(TcpStream::connect(world.http).await.is_err());
}
