//! Admission when the listener is at its connection limit: closes idle connections in favour of new ones and keeps the others.
//! Clients have different addresses, and no usual limit ends their connections during these tests.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_util::sync::CancellationToken;

use super::certificates::{connect_with, trusting};
use super::readers::{app, keep_certificate};
use super::world::{RawOrigin, SETTINGS as WORLD, listener, read_request};
use crate::proxy::forward::OriginLimits;
use crate::proxy::open_tunnels::TunnelLimits;
use crate::testing::*;
use crate::{Edge, EdgeSockets};
use platform::listen::Listening;
use platform::plans::Plan;

const PLACES: u8 = 8;
/// Time below any usual limit on a client that has sent a request.
const SOON: Duration = Duration::from_secs(20);
const SETTINGS: &str = "limits.connections = 8\nedge.trusted_proxies = [\"127.0.9.0/24\"]\n";
const PATIENT: OriginLimits = OriginLimits {
    head: Duration::from_secs(60),
    body_idle: Duration::from_secs(60),
    tunnel_idle: Duration::from_secs(60),
    requests_per_domain: 100,
    tunnels: TunnelLimits::of(64),
};

/// Starts an origin: `/endless` sends while it is read, `/live` echoes, other paths answer without a body.
async fn origin() -> RawOrigin {
    RawOrigin::start(|mut stream, _| async move {
        while let Some(request) = read_request(&mut stream).await {
            let head = match request.get(..8) {
                Some(b"GET /end") => "200 OK\r\ncontent-length: 1000000000000",
                Some(b"GET /liv") => "101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket",
                _ => "200 OK\r\ncontent-length: 0",
            };
            let head = format!("HTTP/1.1 {head}\r\n\r\n");
            if stream.write_all(head.as_bytes()).await.is_err() {
                return;
            }
            while head.contains("1000000000000") {
                if stream.write_all(&[b'x'; 64 * 1024]).await.is_err() {
                    return;
                }
            }
            while head.contains("101") {
                let Ok(byte) = stream.read_u8().await else { return };
                if stream.write_all(&[byte]).await.is_err() {
                    return;
                }
            }
        }
    })
    .await
}

/// An edge with few connection slots.
struct Crowded {
    _app: TestApp,
    _origin: RawOrigin,
    address: SocketAddr,
    stop: CancellationToken,
}

impl Drop for Crowded {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Crowded {
    async fn start() -> Crowded {
        let origin = origin().await;
        let app = app(&origin, SETTINGS).await;
        let (socket, stop) = (listener().await, CancellationToken::new());
        let address = socket.local_addr().unwrap();
        listen(&app, EdgeSockets { http: Some(socket), https: None }, &stop);
        Crowded { _app: app, _origin: origin, address, stop }
    }

    /// Connects from 127.0.`network`.`host`.
    async fn connect(&self, network: u8, host: u8) -> TcpStream {
        connect_from(self.address, network, host).await
    }

    /// Connects, requests `path` and reads the head of the response.
    async fn ask(&self, network: u8, host: u8, path: &str) -> TcpStream {
        let mut stream = self.connect(network, host).await;
        request(&mut stream, path).await.expect("it is answered");
        stream
    }
}

fn listen(app: &TestApp, sockets: EdgeSockets, stop: &CancellationToken) {
    let services = app.state.edge_services();
    let edge = Edge::with_limits(&app.state.platform, services, sockets.addresses(), PATIENT).unwrap();
    edge.listen(sockets, &Listening::new(stop.clone()));
}

async fn connect_from(address: SocketAddr, network: u8, host: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::new(127, 0, network, host), 0).into()).unwrap();
    socket.connect(address).await.unwrap()
}

/// Sends a request and reads the head of the response.
async fn request(stream: &mut TcpStream, path: &str) -> std::io::Result<()> {
    let head = head_of(stream, "shop.example", path).await?;
    assert!(head.starts_with(b"HTTP/1.1 200") || head.starts_with(b"HTTP/1.1 101"));
    Ok(())
}

async fn head_of(stream: &mut TcpStream, host: &str, path: &str) -> std::io::Result<Vec<u8>> {
    let upgrade = if path == "/live" { "Connection: Upgrade\r\nUpgrade: websocket\r\n" } else { "" };
    let text = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{upgrade}\r\n");
    stream.write_all(text.as_bytes()).await?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    Ok(head)
}

/// Opens a tunnel, with as many attempts as it takes.
async fn open_tunnel(edge: SocketAddr, host: &str, (network, address): (u8, u8)) -> TcpStream {
    loop {
        let mut stream = connect_from(edge, network, address).await;
        if head_of(&mut stream, host, "/live").await.is_ok_and(|head| head.starts_with(b"HTTP/1.1 101")) {
            return stream;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Expects an answer to a client with a new address.
async fn newcomer_is_answered(crowded: &Crowded) {
    let responded = tokio::time::timeout(SOON, crowded.ask(5, 1, "/"));

    responded.await.expect("it does not wait for those who do nothing");
}

#[tokio::test]
async fn one_address_leaves_places_to_the_others_however_many_connections_it_opens() {
    let crowded = Crowded::start().await;
    let mut greedy = Vec::new();
    for _ in 0..4 * PLACES {
        greedy.push(crowded.connect(1, 1).await);
    }

    newcomer_is_answered(&crowded).await;
}

#[tokio::test]
async fn addresses_that_do_not_read_make_way() {
    let crowded = Crowded::start().await;
    let mut readers = Vec::new();
    for host in 1..=PLACES {
        readers.push(crowded.ask(1, host, "/endless").await);
    }

    newcomer_is_answered(&crowded).await;
}

#[tokio::test]
async fn addresses_that_ask_nothing_more_make_way() {
    let crowded = Crowded::start().await;
    let mut idle = Vec::new();
    for host in 1..=PLACES {
        idle.push(crowded.ask(1, host, "/").await);
    }

    newcomer_is_answered(&crowded).await;
}

#[tokio::test]
async fn bodies_that_do_not_come_make_way() {
    let crowded = Crowded::start().await;
    let mut senders = Vec::new();
    for host in 1..=PLACES {
        let mut sender = crowded.connect(1, host).await;
        let head = b"POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 1000\r\n\r\nx";
        sender.write_all(head).await.unwrap();
        senders.push(sender);
    }

    newcomer_is_answered(&crowded).await;
}

/// Sends through a tunnel and reads a download until one of them ends.
async fn keep_using(tunnel: &mut TcpStream, download: &mut TcpStream) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        tunnel.write_all(b"x").await?;
        tunnel.read_u8().await?;
        download.read_exact(&mut buffer).await?;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn downloads_tunnels_and_trusted_proxies_stay() {
    let crowded = Crowded::start().await;
    let mut proxy = crowded.ask(9, 1, "/").await;
    let mut tunnel = crowded.ask(2, 1, "/live").await;
    let mut download = crowded.ask(2, 2, "/endless").await;
    // More clients than slots: each of the later ones is answered because an earlier connection was closed.
    let coming = async {
        let mut idle = Vec::new();
        for host in 1..=2 * PLACES {
            idle.push(crowded.ask(1, host, "/").await);
        }
        for mut client in idle.into_iter().take(usize::from(PLACES)) {
            assert_eq!(client.read(&mut [0; 1]).await.unwrap_or(0), 0);
        }
    };

    tokio::select! {
        ended = keep_using(&mut tunnel, &mut download) => panic!("what was used has ended: {ended:?}"),
        waited = tokio::time::timeout(2 * SOON, coming) => waited.expect("new clients are answered"),
    }

    request(&mut proxy, "/").await.expect("the proxy's connection is open");
}

#[tokio::test]
async fn handshakes_that_do_not_come_make_way() {
    let origin = origin().await;
    let tls =
        "edge.https_listen = \"127.0.0.1:8443\"\nedge.acme_directory_url = \"https://127.0.0.1:9/dir\"\n";
    let app = app(&origin, &format!("{SETTINGS}{tls}")).await;
    let root = keep_certificate(&app).await;
    let (socket, stop) = (listener().await, CancellationToken::new());
    let address = socket.local_addr().unwrap();
    listen(&app, EdgeSockets { http: None, https: Some(socket) }, &stop);
    let mut silent = Vec::new();
    for host in 1..=PLACES {
        silent.push(connect_from(address, 1, host).await);
    }

    // Shorter than the handshake's own limit of ten seconds.
    let client = connect_with(trusting(root.as_bytes(), "http/1.1"), address, "shop.example");
    let shaken = tokio::time::timeout(Duration::from_secs(9), client).await;

    assert!(shaken.expect("it does not wait for them").is_ok());
    stop.cancel();
}

#[tokio::test]
async fn a_domain_has_its_quarter_of_tunnels_beside_one_that_wants_more_than_there_are() {
    const CONNECTIONS: usize = 80;
    let origin = origin().await;
    let own = origin.address;
    let hosts =
        format!("network.hosts = {{ \"shop.example\" = \"{own}\", \"other.example\" = \"{own}\" }}\n");
    let app = TestApp::with(&format!("{WORLD}{hosts}limits.connections = {CONNECTIONS}\n")).await;
    let account = app.account("owner@shop.example", Plan::Business).await;
    app.domain(&account, "shop.example").await;
    app.domain(&account, "other.example").await;
    let (socket, stop) = (listener().await, CancellationToken::new());
    let edge = socket.local_addr().unwrap();
    let sockets = EdgeSockets { http: Some(socket), https: None };
    let limits = OriginLimits { tunnels: TunnelLimits::of(CONNECTIONS), ..PATIENT };
    let made = Edge::with_limits(&app.state.platform, app.state.edge_services(), sockets.addresses(), limits);
    made.unwrap().listen(sockets, &Listening::new(stop.clone()));

    let greedy = (1..=100).map(async |number| {
        loop {
            let mut tunnel = open_tunnel(edge, "shop.example", (number, 1)).await;
            let _ = tunnel.read_u8().await;
        }
    });
    let modest = futures::future::join_all((1..=20).map(|_| open_tunnel(edge, "other.example", (200, 1))));
    let opened = tokio::select! {
        _ = futures::future::join_all(greedy) => unreachable!("it never ends"),
        opened = tokio::time::timeout(2 * SOON, modest) => opened,
    };

    for mut tunnel in opened.expect("all of them are opened") {
        tunnel.write_all(b"x").await.unwrap();
        assert_eq!(tunnel.read_u8().await.expect("it is still open"), b'x');
    }
    stop.cancel();
}
