//! A service with an edge that listens, origins, and a client that writes raw requests.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::proxy::forward::OriginLimits;
use crate::proxy::open_tunnels::TunnelLimits;
use crate::testing::*;
use crate::{Edge, EdgeSockets};
use domains::Domain;
use platform::listen::Listening;
use platform::plans::Plan;

/// Limits that are short enough for a test.
pub const LIMITS: OriginLimits = OriginLimits {
    head: Duration::from_millis(900),
    body_idle: Duration::from_millis(400),
    tunnel_idle: Duration::from_millis(600),
    requests_per_domain: 3,
    tunnels: TunnelLimits::of(16),
};

/// Settings that allow loopback and write nothing into a folder.
pub const SETTINGS: &str =
    "network.allow_private = [\"127.0.0.0/8\"]\nedge.secret = \"a secret of the tests only\"\n";

/// A service whose edge listens.
pub struct World {
    pub app: TestApp,
    pub edge: Edge,
    pub account: TestAccount,
    pub http: SocketAddr,
    pub https: Option<SocketAddr>,
    stop: CancellationToken,
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl World {
    /// Starts a service with `shop.example` and `origin.example` on an origin.
    pub async fn with_origin(origin: SocketAddr) -> World {
        World::with(&format!(
            "network.hosts = {{ \"shop.example\" = \"{origin}\", \"origin.example\" = \"{origin}\" }}"
        ))
        .await
    }

    /// Starts a service with settings as in `glasshouse.toml`; loopback is allowed.
    pub async fn with(settings: &str) -> World {
        let app = TestApp::with(&format!("{SETTINGS}{settings}")).await;
        World::around(app).await
    }

    /// Starts an edge on an existing service.
    pub async fn around(app: TestApp) -> World {
        let tls = app.state.platform.config.edge.https_listen.is_some();
        let sockets = EdgeSockets {
            http: Some(listener().await),
            https: if tls { Some(listener().await) } else { None },
        };
        World::listening(app, sockets).await
    }

    /// Starts an edge on an existing service and its sockets.
    pub async fn listening(app: TestApp, sockets: EdgeSockets) -> World {
        let http = sockets.http.as_ref().unwrap().local_addr().unwrap();
        let https = sockets.https.as_ref().map(|socket| socket.local_addr().unwrap());
        let stop = CancellationToken::new();
        let edge = start_edge(&app, sockets, &stop);
        let account = app.account("owner@shop.example", Plan::Business).await;
        World { app, edge, account, http, https, stop }
    }

    /// Ends the listeners, as a process does at shutdown.
    pub fn end(&self) {
        self.stop.cancel();
    }

    /// Adds the connected domain `shop.example`.
    pub async fn shop(&self) -> Domain {
        self.app.domain(&self.account, "shop.example").await
    }

    /// Requests a path of `shop.example`, with further header lines.
    pub async fn get(&self, path: &str, headers: &[&str]) -> Reply {
        self.ask("GET", path, headers).await
    }

    /// Requests a path of `shop.example` with any method and further header lines.
    pub async fn ask(&self, method: &str, path: &str, headers: &[&str]) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n");
        for line in headers {
            text.push_str(line);
            text.push_str("\r\n");
        }
        self.send(&format!("{text}\r\n")).await
    }

    /// Requests a path of `shop.example` as a crawler.
    pub async fn crawl(&self, path: &str, headers: &[&str]) -> Reply {
        self.get(path, &[&["User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1)"], headers].concat()).await
    }

    /// Sends bytes and reads until the connection ends.
    pub async fn send(&self, text: &str) -> Reply {
        exchange(self.http, text).await
    }
}

/// Starts an edge on a service, as a process does.
pub fn start_edge(app: &TestApp, sockets: EdgeSockets, stop: &CancellationToken) -> Edge {
    let services = app.state.edge_services();
    let edge = Edge::with_limits(&app.state.platform, services, sockets.addresses(), LIMITS).unwrap();
    let draining = app.state.platform.draining.clone();
    edge.listen(sockets, &Listening { draining, ..Listening::new(stop.clone()) });
    edge
}

/// Returns a listening socket on a free loopback port.
pub async fn listener() -> TcpListener {
    TcpListener::bind(("127.0.0.1", 0)).await.expect("a loopback port is free")
}

async fn exchange(address: SocketAddr, text: &str) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let reading = stream.read_to_end(&mut bytes);
    // A reset after the answer counts as an end.
    let _ = tokio::time::timeout(Duration::from_secs(10), reading).await.expect("the connection ends");
    Reply::parse(&bytes)
}

/// A parsed response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn parse(bytes: &[u8]) -> Reply {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a whole head came");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let field = |line: &str| {
            line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        };
        let headers: Vec<_> = lines.filter_map(field).collect();
        let mut body = bytes[end + 4..].to_vec();
        if headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked") {
            body = unchunk(&body);
        }
        Reply { status: status.expect("a status line"), headers, body }
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
    whole
}

/// An origin that passes each connection to a function.
pub struct RawOrigin {
    pub address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for RawOrigin {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RawOrigin {
    #[expect(clippy::disallowed_methods, reason = "the tasks end with the test")]
    pub async fn start<F, Fut>(serve: F) -> RawOrigin
    where
        F: Fn(TcpStream, usize) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let listener = listener().await;
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            let mut number = 0;
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, number));
                number += 1;
            }
        });
        RawOrigin { address, task }
    }

    /// Answers every request with its own text, head and body, as the origin received it.
    pub async fn echo() -> RawOrigin {
        RawOrigin::start(async |mut stream, _| {
            while let Some(request) = read_request(&mut stream).await {
                let response =
                    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nx-origin: 1\r\n\r\n", request.len());
                if stream.write_all(&[response.as_bytes(), &request].concat()).await.is_err() {
                    return;
                }
            }
        })
        .await
    }

    /// Answers each path with this status line and these headers, one request per connection.
    pub async fn responding(responses: &'static [(&'static str, &'static str, &'static str)]) -> RawOrigin {
        RawOrigin::start(move |mut stream, _| async move {
            let Some(request) = read_request(&mut stream).await else { return };
            let request = String::from_utf8_lossy(&request).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default();
            let Some((_, status, headers)) = responses.iter().find(|(known, _, _)| *known == path) else {
                return;
            };
            let response =
                format!("HTTP/1.1 {status}\r\n{headers}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
            // The client may have disconnected.
            let _ = stream.write_all(response.as_bytes()).await;
        })
        .await
    }

    /// Answers every request with the same bytes.
    pub async fn saying(response: &'static str) -> RawOrigin {
        RawOrigin::start(move |mut stream, _| async move {
            while read_request(&mut stream).await.is_some() {
                if stream.write_all(response.as_bytes()).await.is_err() {
                    return;
                }
            }
        })
        .await
    }
}

/// Reads one request with a body of known length or chunks. None at the end of the connection.
pub async fn read_request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut request = Vec::new();
    loop {
        let mut buffer = [0; 64 * 1024];
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        request.extend_from_slice(&buffer[..read]);
        let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        let is_whole = match length {
            Some(length) => request.len() >= end + 4 + length,
            None if head.contains("transfer-encoding: chunked") => request.ends_with(b"0\r\n\r\n"),
            None => true,
        };
        if is_whole {
            return Some(request);
        }
    }
}
