//! Clients that do not read the responses to their requests: on the edge with HTTP/1.1 and HTTP/2, and on the API. More bytes
//! wait for them than the process allows, so that time limits are short.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use store::on_engine;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::certificates::{connect_with, trusting};
use super::world::{LIMITS, RawOrigin, SETTINGS, listener, read_request};
use crate::testing::*;
use crate::{Edge, EdgeSockets};
use platform::api::server::{ApiServer, Sender};
use platform::config::ProxyProtocol;
use platform::listen::Listening;
use platform::listen::accept::admission;
use platform::listen::pressure::Pressure;
use platform::plans::Plan;

/// More bytes than the system buffers of a connection.
const LARGE: usize = 16 << 20;

fn impatient() -> Listening {
    let mut listening = Listening::new(CancellationToken::new());
    listening.pressure = Pressure::with_limit(0);
    listening
}

/// Answers every request with a large body.
async fn large_origin() -> RawOrigin {
    origin_of(LARGE).await
}

/// Answers every request with a body of `bytes` bytes.
async fn origin_of(bytes: usize) -> RawOrigin {
    RawOrigin::start(move |mut stream, _| async move {
        while read_request(&mut stream).await.is_some() {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\n\r\n");
            let sent = async {
                stream.write_all(head.as_bytes()).await?;
                stream.write_all(&vec![b'x'; bytes]).await
            };
            if sent.await.is_err() {
                return;
            }
        }
    })
    .await
}

/// Returns a service with `shop.example` on that origin.
pub async fn app(origin: &RawOrigin, settings: &str) -> TestApp {
    let hosts = format!("network.hosts = {{ \"shop.example\" = \"{}\" }}\n", origin.address);
    let app = TestApp::with(&format!("{SETTINGS}{hosts}{settings}")).await;
    let account = app.account("owner@shop.example", Plan::Business).await;
    app.domain(&account, "shop.example").await;
    app
}

fn listen(app: &TestApp, sockets: EdgeSockets, listening: &Listening) {
    let services = app.state.edge_services();
    let edge = Edge::with_limits(&app.state.platform, services, sockets.addresses(), LIMITS).unwrap();
    edge.listen(sockets, listening);
}

/// Waits until there are fewer connections and streams.
async fn until_fewer(listening: &Listening, than: usize) {
    for _ in 0..600 {
        if listening.tasks.len() < than {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the client that does not read is still served");
}

#[tokio::test]
async fn a_client_of_the_edge_that_does_not_read_is_given_up() {
    let origin = large_origin().await;
    let app = app(&origin, "").await;
    let (listening, socket) = (impatient(), listener().await);
    let address = socket.local_addr().unwrap();
    listen(&app, EdgeSockets { http: Some(socket), https: None }, &listening);

    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(b"GET /large HTTP/1.1\r\nHost: shop.example\r\n\r\n").await.unwrap();
    client.read_u8().await.unwrap();
    until_fewer(&listening, listening.tasks.len()).await;

    let mut rest = Vec::new();
    let _ = client.read_to_end(&mut rest).await;
    assert!(rest.len() < LARGE, "{} bytes were kept for it", rest.len());
    listening.shutdown.cancel();
}

#[tokio::test]
async fn a_client_that_closes_its_window_loses_the_stream() {
    a_closed_window_ends_the_stream(&large_origin().await).await;
}

#[tokio::test]
async fn a_client_that_closes_its_window_loses_the_stream_of_a_small_body_too() {
    a_closed_window_ends_the_stream(&origin_of(4 * 1024).await).await;
}

async fn a_closed_window_ends_the_stream(origin: &RawOrigin) {
    let settings =
        "edge.https_listen = \"127.0.0.1:8443\"\nedge.acme_directory_url = \"https://127.0.0.1:9/dir\"\n";
    let app = app(origin, settings).await;
    let root = keep_certificate(&app).await;
    let (listening, socket) = (impatient(), listener().await);
    let address = socket.local_addr().unwrap();
    listen(&app, EdgeSockets { http: None, https: Some(socket) }, &listening);
    let stream = connect_with(trusting(root.as_bytes(), "h2"), address, "shop.example").await.unwrap();
    let mut client = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    let (mut sender, connection) =
        client.initial_stream_window_size(1024).handshake(TokioIo::new(stream)).await.unwrap();
    app.state.platform.tasks.spawn(connection);

    let request = http::Request::get("https://shop.example/large").body(Empty::<Bytes>::new()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.status(), 200);
    until_fewer(&listening, listening.tasks.len()).await;

    assert!(response.into_body().collect().await.is_err(), "the stream was reset");
    // The connection itself stays usable.
    assert!(sender.ready().await.is_ok());
    listening.shutdown.cancel();
}

/// Stores a certificate for `shop.example` as an order would; it is its own root.
pub async fn keep_certificate(app: &TestApp) -> String {
    let made = rcgen::generate_simple_self_signed(vec!["shop.example".to_owned()]).unwrap();
    let seal = app.state.platform.secrets.seal_key("certificate keys");
    let key = seal.seal(made.signing_key.serialize_pem().as_bytes(), "shop.example");
    const SQL: &str = "insert into certificates \
         (host, chain, sealed_key, not_before, not_after, renew_at, updated_at) values ($1, $2, $3, 0, $4, $4, 0)";
    let mut tx = app.state.platform.db.write().await.unwrap();
    on_engine!(tx, |c| sqlx::query(SQL)
        .bind("shop.example")
        .bind(made.cert.pem())
        .bind(&key)
        .bind(i64::MAX)
        .execute(c)
        .await
        .map(drop))
    .unwrap();
    tx.commit().await.unwrap();
    made.cert.pem()
}

#[tokio::test]
async fn a_client_of_the_api_that_does_not_read_is_given_up() {
    let app = TestApp::new().await;
    let (listening, socket) = (impatient(), listener().await);
    let address = socket.local_addr().unwrap();
    let server = ApiServer {
        listening: listening.clone(),
        admission: admission(&app.state.platform.config, "api", ProxyProtocol::Off),
        head_bytes: 64 * 1024,
    };
    let envelope = app.state.envelope();
    let respond = move |request, sender: Sender| {
        let envelope = envelope.clone();
        async move { envelope.respond(request, sender.peer).await }
    };
    listening.tasks.spawn(server.serve(socket, respond));

    let mut client = TcpStream::connect(address).await.unwrap();
    // Repeats requests until the connection ends.
    let ask = async {
        while client.write_all(b"GET /api/openapi.json HTTP/1.1\r\nHost: api.example\r\n\r\n").await.is_ok() {
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ask).await.expect("the connection ends");

    listening.shutdown.cancel();
}
