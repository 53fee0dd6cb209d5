//! Tests of the fetcher against servers on loopback.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_compression::tokio::write::{BrotliEncoder, GzipEncoder};
use http_body_util::Full;
use hyper_util::client::legacy::connect::Connection;
use rcgen::{CertificateParams, CertifiedIssuer, KeyPair, date_time_ymd};
use rustls::RootCertStore;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::testing::WebServer;
use crate::{NetworkConfig, NetworkError, Refusal, tls};

type Answer = Response<Full<Bytes>>;

fn page(body: impl Into<Bytes>) -> Answer {
    Response::new(Full::new(body.into()))
}

fn redirect(status: u16, location: &str) -> Answer {
    Response::builder().status(status).header("location", location).body(Full::default()).unwrap()
}

fn encoded(encoding: &str, body: Vec<u8>) -> Answer {
    Response::builder().header("content-encoding", encoding).body(Full::new(body.into())).unwrap()
}

async fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzipEncoder::new(Vec::new());
    encoder.write_all(bytes).await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner()
}

async fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = BrotliEncoder::new(Vec::new());
    encoder.write_all(bytes).await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner()
}

/// Makes a fetcher that may reach 127.0.0.1 (and no other loopback address), with static hosts.
fn fetcher_with(hosts: &[(&str, String)], roots: RootCertStore) -> Fetcher {
    let network = Network::new(NetworkConfig {
        allow_private: vec!["127.0.0.1/32".parse().unwrap()],
        hosts: hosts.iter().map(|(name, target)| (name.to_string(), target.parse().unwrap())).collect(),
        dns_servers: vec!["127.0.0.1:9".parse().unwrap()],
    });
    Fetcher::new(network.unwrap(), tls::client_config_trusting(roots), HeaderValue::from_static("Tester/1"))
}

fn fetcher(hosts: &[(&str, &WebServer)]) -> Fetcher {
    let hosts: Vec<_> = hosts.iter().map(|(name, server)| (*name, server.address().to_string())).collect();
    fetcher_with(&hosts, RootCertStore::empty())
}

fn get(url: &str) -> FetchRequest {
    FetchRequest::get(url.parse().unwrap())
}

fn refusal(error: &FetchError) -> Option<Refusal> {
    match error {
        FetchError::Connect(error) => match &**error {
            ConnectError::Network(NetworkError::Refused { reason, .. }) => Some(*reason),
            _ => None,
        },
        _ => None,
    }
}

#[tokio::test]
async fn a_page_comes_back_with_status_headers_and_body() {
    let server = WebServer::start(async |request: Request<Incoming>| {
        let headers = request.headers();
        let seen =
            ["host", "user-agent", "accept", "accept-encoding"].map(|name| headers[name].to_str().unwrap());
        let mut answer = page(format!("{} {}", request.uri(), seen.join("|")));
        *answer.status_mut() = StatusCode::NOT_FOUND;
        answer.headers_mut().insert("x-page", HeaderValue::from_static("yes"));
        answer
    })
    .await;

    let fetched = fetcher(&[("shop.test", &server)]).fetch(get("http://shop.test/a?b=1#part")).await.unwrap();

    assert_eq!(
        (fetched.status.as_u16(), &fetched.headers["x-page"]),
        (404, &HeaderValue::from_static("yes"))
    );
    assert_eq!(fetched.redirects, []);
    let body = fetched.body.bytes().await.unwrap();
    assert_eq!(body, "/a?b=1 shop.test|Tester/1|*/*|gzip, br");
}

#[tokio::test]
async fn a_static_host_with_a_port_is_reached_over_plain_http_for_an_https_address_too() {
    let server = WebServer::start(async |_: Request<Incoming>| page("plain")).await;

    let fetched = fetcher(&[("shop.test", &server)]).fetch(get("https://shop.test/")).await.unwrap();

    assert_eq!(fetched.body.bytes().await.unwrap(), "plain");
}

#[tokio::test]
async fn requests_to_one_host_share_a_connection() {
    let server = WebServer::start(async |_: Request<Incoming>| page("x")).await;
    let fetcher = fetcher(&[("shop.test", &server)]);

    for _ in 0..5 {
        fetcher.fetch(get("http://shop.test/")).await.unwrap().body.bytes().await.unwrap();
    }

    assert_eq!((server.connections(), server.requests()), (1, 5));
}

#[tokio::test]
async fn redirects_are_followed_and_remembered() {
    let server = WebServer::start(async |request: Request<Incoming>| match request.uri().path() {
        "/a" => redirect(301, "/b?x=ü"),
        "/b" => redirect(302, "http://other.test/c"),
        path => page(format!("{} {path}", request.method())),
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server), ("other.test", &server)]);

    let fetched = fetcher.fetch(get("http://shop.test/a")).await.unwrap();

    let way: Vec<String> =
        fetched.redirects.iter().map(|hop| format!("{} {}", hop.status.as_u16(), hop.url)).collect();
    assert_eq!(way, ["301 http://shop.test/a", "302 http://shop.test/b?x=%C3%BC"]);
    assert_eq!(fetched.url.as_str(), "http://other.test/c");
    assert_eq!(fetched.body.bytes().await.unwrap(), "GET /c");
}

#[tokio::test]
async fn exactly_as_many_redirects_as_allowed_are_followed() {
    let server = WebServer::start(async |request: Request<Incoming>| {
        let left: u32 = request.uri().path()[1..].parse().unwrap();
        if left == 0 { page("end") } else { redirect(302, &format!("/{}", left - 1)) }
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server)]);
    let with_limit =
        |path: &str| FetchRequest { max_redirects: 3, ..get(&format!("http://shop.test/{path}")) };

    assert!(fetcher.fetch(with_limit("3")).await.is_ok());
    let refused = fetcher.fetch(with_limit("4")).await;

    assert!(matches!(refused, Err(FetchError::TooManyRedirects { limit: 3 })), "{refused:?}");
    assert_eq!(server.requests(), 4 + 4);
}

#[tokio::test]
async fn a_redirect_to_a_host_that_was_not_named_is_the_answer() {
    let other = WebServer::start(async |_: Request<Incoming>| page("other")).await;
    let server = WebServer::start(async |request: Request<Incoming>| match request.uri().path() {
        "/twin" => redirect(302, "http://www.shop.test/"),
        "/away" => redirect(302, "http://other.test/"),
        _ => page("end"),
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server), ("www.shop.test", &server), ("other.test", &other)]);
    let hosts = vec!["shop.test".to_owned(), "www.shop.test".to_owned()];
    let staying = |url: &str| FetchRequest { stay_on: Some(hosts.clone()), ..get(url) };

    let twin = fetcher.fetch(staying("http://shop.test/twin")).await.unwrap();
    let away = fetcher.fetch(staying("http://shop.test/away")).await.unwrap();

    assert_eq!((twin.status.as_u16(), away.status.as_u16()), (200, 302));
    assert_eq!(other.requests(), 0);
}

#[tokio::test]
async fn with_nowhere_to_go_every_redirect_is_the_answer_itself() {
    let server = WebServer::start(async |request: Request<Incoming>| match request.uri().path() {
        "/own" => redirect(302, "http://shop.test/end"),
        _ => redirect(302, "ftp://shop.test/"),
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server)]);
    let one_hop = |url: &str| FetchRequest { stay_on: Some(Vec::new()), ..get(url) };

    let own = fetcher.fetch(one_hop("http://shop.test/own")).await.unwrap();
    let unusable = fetcher.fetch(one_hop("http://shop.test/unusable")).await.unwrap();

    assert_eq!((own.status.as_u16(), unusable.status.as_u16()), (302, 302));
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn a_redirect_is_checked_like_the_first_address() {
    let victim = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let target = format!("http://127.0.0.2:{}/", victim.local_addr().unwrap().port());
    let server = WebServer::start({
        let target = target.clone();
        move |request: Request<Incoming>| {
            let to = if request.uri().path() == "/victim" {
                target.clone()
            } else {
                request.uri().path()[1..].to_owned()
            };
            async move { redirect(302, &to) }
        }
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server)]);

    let literal = fetcher.fetch(get("http://shop.test/victim")).await.unwrap_err();
    let direct = fetcher.fetch(get(&target)).await.unwrap_err();

    assert_eq!((refusal(&literal), refusal(&direct)), (Some(Refusal::Loopback), Some(Refusal::Loopback)));
    assert!(literal.is_refused() && !literal.is_transient());
    for elsewhere in ["file:///etc/passwd", "gopher://shop.test/", "javascript:1", "http://user@shop.test/"] {
        let refused = fetcher.fetch(get(&format!("http://shop.test/{elsewhere}"))).await;
        assert!(matches!(refused, Err(FetchError::BadRedirect(_))), "{elsewhere}: {refused:?}");
    }
    let called = tokio::time::timeout(Duration::from_millis(50), victim.accept()).await;
    assert!(called.is_err(), "somebody called the victim");
}

#[tokio::test]
async fn plain_http_after_https_is_followed_on_the_same_host_only() {
    let server = WebServer::start(async |request: Request<Incoming>| match request.uri().path() {
        "/same" => redirect(302, "http://shop.test/end"),
        "/other" => redirect(302, "http://other.test/end"),
        _ => page("end"),
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server), ("other.test", &server)]);

    assert!(fetcher.fetch(get("https://shop.test/same")).await.is_ok());
    assert!(fetcher.fetch(get("http://shop.test/other")).await.is_ok());
    let refused = fetcher.fetch(get("https://shop.test/other")).await;

    assert!(matches!(refused, Err(FetchError::Downgrade)), "{refused:?}");
}

#[tokio::test]
async fn a_3xx_without_an_address_is_an_answer() {
    let server = WebServer::start(async |_: Request<Incoming>| {
        Response::builder().status(302).body(Full::new("nowhere".into())).unwrap()
    })
    .await;

    let fetched = fetcher(&[("shop.test", &server)]).fetch(get("http://shop.test/")).await.unwrap();

    assert_eq!(fetched.status, 302);
}

#[tokio::test]
async fn compressed_bodies_are_unpacked() {
    let server = WebServer::start(async |request: Request<Incoming>| match request.uri().path() {
        "/gzip" => encoded("gzip", gzip(b"hello").await),
        "/two" => encoded("x-gzip", [gzip(b"hel").await, gzip(b"lo").await].concat()),
        "/br" => encoded("BR", brotli(b"hello").await),
        "/identity" => encoded("identity", b"hello".to_vec()),
        _ => encoded("gzip", Vec::new()),
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server)]);

    for (path, expected) in
        [("gzip", "hello"), ("two", "hello"), ("br", "hello"), ("identity", "hello"), ("none", "")]
    {
        let fetched = fetcher.fetch(get(&format!("http://shop.test/{path}"))).await.unwrap();
        assert_eq!(fetched.body.bytes().await.unwrap(), expected, "{path}");
    }
}

#[tokio::test]
async fn a_body_is_what_it_is_whatever_its_label_says() {
    const PAGE: &str = "<!doctype html><title>Shop</title><p>hello, hello, hello";
    fn deflated(header: bool) -> Vec<u8> {
        let mut encoder = flate2::Compress::new(flate2::Compression::default(), header);
        let mut packed = Vec::with_capacity(1024);
        encoder.compress_vec(PAGE.as_bytes(), &mut packed, flate2::FlushCompress::Finish).unwrap();
        packed
    }
    let server = WebServer::start(async |request: Request<Incoming>| {
        let label = request.uri().query().unwrap().replace("%20", " ");
        let body = match request.uri().path() {
            "/raw" => deflated(false),
            "/zlib" => deflated(true),
            "/gzip" => gzip(PAGE.as_bytes()).await,
            _ => PAGE.into(),
        };
        encoded(&label, body)
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server)]);

    for path in [
        "raw?deflate",
        "zlib?Deflate",
        "gzip?none,gzip",
        "gzip?gzip,%20utf-8",
        "plain?deflate",
        "plain?gzip",
        "plain?zstd",
        "plain?none",
        "plain?utf-8",
        "plain?binary,%208bit",
        "plain?",
    ] {
        let fetched = fetcher.fetch(get(&format!("http://shop.test/{path}"))).await.unwrap();
        assert_eq!(fetched.body.bytes().await.unwrap(), PAGE, "{path}");
    }
}

/// Starts a server that sends one response to every client.
#[expect(clippy::disallowed_methods, reason = "the task ends with the test")]
async fn server_that_says(response: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = [0; 4096];
            _ = socket.read(&mut request).await;
            _ = socket.write_all(&response).await;
        }
    });
    address
}

#[tokio::test]
async fn header_lines_that_browsers_skip_or_mend_cost_no_page() {
    for (lines, expected) in [
        ("X-A: 1\r\n folded\r\n\tonce more", "1  folded once more"),
        ("X-A : 1", "1"),
        ("X-A: 1\nX-B: 2", "1"),
        ("X-A: 1\r\nno colon here", "1"),
        ("X-A: 1\r\n: no name\r\nX B: 2\r\nX-C: a\x01b\r\nX-\u{fc}: 1", "1"),
        ("X-A: 1\r\nContent-Length: much", "1"),
        ("X-A: 1\r\nContent-Length:", "1"),
        ("X-A: 1\r\nX-B: a\0b", "1"),
        ("X-A: 1\r\nX-B: a\rb", "1"),
    ] {
        let response = format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\nhello");
        let address = server_that_says(response.into_bytes()).await;
        let fetcher = fetcher_with(&[("shop.test", address)], RootCertStore::empty());

        let fetched = fetcher.fetch(get("http://shop.test/")).await.unwrap();

        let value = fetched.headers["x-a"].to_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(value, expected.split_whitespace().collect::<Vec<_>>().join(" "), "{lines}");
        assert_eq!(fetched.body.bytes().await.unwrap(), "hello", "{lines}");
    }
}

#[tokio::test]
async fn five_hundred_header_fields_are_no_reason_to_refuse_a_page() {
    let lines: String = (0..500).map(|number| format!("X-{number}: 1\r\n")).collect();
    let address = server_that_says(format!("HTTP/1.1 200 OK\r\n{lines}\r\nhello").into_bytes()).await;
    let fetcher = fetcher_with(&[("shop.test", address)], RootCertStore::empty());

    let fetched = fetcher.fetch(get("http://shop.test/")).await.unwrap();

    assert_eq!((fetched.headers.len(), fetched.body.bytes().await.unwrap()), (500, "hello".into()));
}

#[tokio::test]
async fn a_redirect_in_any_encoding_leads_to_the_bytes_that_were_sent() {
    for (location, expected) in [
        (&b"/caf\xE9?x=\xFC"[..], "/caf%E9?x=%FC"),
        ("/café".as_bytes(), "/caf%C3%A9"),
        (b"/a b", "/a%20b"),
        (b" /a%20b ", "/a%20b"),
    ] {
        let response = [b"HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nLocation: ", location, b"\r\n\r\n"];
        let address = server_that_says(response.concat()).await;
        let fetcher = fetcher_with(&[("shop.test", address)], RootCertStore::empty());
        let from: Url = "http://shop.test/".parse().unwrap();

        let request = FetchRequest { stay_on: Some(Vec::new()), ..FetchRequest::get(from.clone()) };
        let fetched = fetcher.fetch(request).await.unwrap();

        let to = join_location(&from, &fetched.headers[LOCATION]).unwrap();
        assert_eq!(&to[url::Position::BeforePath..], expected);
    }
}

#[tokio::test]
async fn other_encodings_and_broken_archives_are_errors() {
    let server = WebServer::start(async |request: Request<Incoming>| match request.uri().path() {
        "/zstd" => encoded("zstd", b"\x28\xB5\x2F\xFD\x00\x01\x00\x00".to_vec()),
        "/twice" => encoded("gzip, gzip", gzip(&gzip(b"x").await).await),
        "/cut" => encoded("gzip", gzip(&[7; 4096]).await[..20].to_vec()),
        _ => encoded("br", b"this is not brotli at all".to_vec()),
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server)]);

    let twice = fetcher.fetch(get("http://shop.test/twice")).await;
    assert!(matches!(twice, Err(FetchError::Encoding(_))), "{twice:?}");
    let zstd = fetcher.fetch(get("http://shop.test/zstd")).await.unwrap().body.bytes().await;
    assert!(matches!(zstd, Err(FetchError::Encoding(_))), "{zstd:?}");
    for path in ["cut", "lie"] {
        let read = fetcher.fetch(get(&format!("http://shop.test/{path}"))).await.unwrap().body.bytes().await;
        assert!(matches!(read, Err(FetchError::Broken(_))), "{path}: {read:?}");
    }
}

#[tokio::test]
async fn the_limit_counts_unpacked_bytes_and_lets_a_body_of_just_that_length_through() {
    let server = WebServer::start(async |request: Request<Incoming>| match request.uri().path() {
        "/exact" => page(vec![b'x'; 1000]),
        "/over" => page(vec![b'x'; 1001]),
        _ => encoded("gzip", gzip(&vec![0; 50_000_000]).await),
    })
    .await;
    let fetcher = fetcher(&[("shop.test", &server)]);
    let with_limit = |path: &str, max_body_bytes| FetchRequest {
        max_body_bytes,
        ..get(&format!("http://shop.test/{path}"))
    };

    let exact = fetcher.fetch(with_limit("exact", 1000)).await.unwrap().body.bytes().await;
    let over = fetcher.fetch(with_limit("over", 1000)).await.unwrap().body.bytes().await;
    let mut bomb = fetcher.fetch(with_limit("bomb", 1_000_000)).await.unwrap().body;
    let mut unpacked = 0;
    let end = loop {
        match bomb.chunk().await {
            Ok(piece) => unpacked += piece.map_or(0, |piece| piece.len()),
            Err(error) => break error,
        }
    };

    assert_eq!(exact.unwrap().len(), 1000);
    assert!(matches!(over, Err(FetchError::TooLarge { limit: 1000 })), "{over:?}");
    assert!(matches!(end, FetchError::TooLarge { limit: 1_000_000 }), "{end:?}");
    assert!(unpacked <= 1_000_000, "{unpacked}");
}

#[tokio::test]
async fn head_has_headers_and_no_body() {
    let server = WebServer::start(async |_: Request<Incoming>| encoded("gzip", gzip(b"hello").await)).await;

    let request = FetchRequest::head("http://shop.test/".parse().unwrap());
    let fetched = fetcher(&[("shop.test", &server)]).fetch(request).await.unwrap();

    assert_eq!(
        (fetched.status.as_u16(), fetched.headers["content-encoding"].to_str().unwrap()),
        (200, "gzip")
    );
    assert_eq!(fetched.body.bytes().await.unwrap(), "");
}

#[tokio::test]
async fn each_phase_has_its_own_time_limit() {
    // Accepts and says nothing; then headers and half a body.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dripping = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hosts = [
        ("silent.test", silent.local_addr().unwrap().to_string()),
        ("dripping.test", dripping.local_addr().unwrap().to_string()),
    ];
    let drip = async {
        let (mut socket, _) = dripping.accept().await.unwrap();
        assert!(socket.read(&mut [0; 1024]).await.unwrap() > 0);
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf").await.unwrap();
        std::future::pending::<()>().await
    };
    let fetcher = fetcher_with(&hosts, RootCertStore::empty());
    let (short, long) = (Duration::from_millis(200), Duration::from_secs(20));
    let request = |url: &str, time_limits| FetchRequest { time_limits, ..get(url) };
    let started = Instant::now();

    let headers = fetcher
        .fetch(request("http://silent.test/", TimeLimits { connect: long, headers: short, total: long }));
    let headers = headers.await.unwrap_err();
    let total = fetcher
        .fetch(request("http://silent.test/", TimeLimits { connect: long, headers: long, total: short }));
    let total = total.await.unwrap_err();
    let body = async {
        let limits = TimeLimits { connect: long, headers: long, total: short * 2 };
        fetcher.fetch(request("http://dripping.test/", limits)).await.unwrap().body.bytes().await.unwrap_err()
    };
    let body = tokio::select! { () = drip => unreachable!(), error = body => error };

    assert!(matches!(headers, FetchError::Timeout(Phase::Headers)), "{headers:?}");
    assert!(matches!(total, FetchError::Timeout(Phase::Total)), "{total:?}");
    assert!(matches!(body, FetchError::Timeout(Phase::Total)), "{body:?}");
    assert!(headers.is_transient() && started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_resolver_that_says_nothing_ends_in_the_connect_limit() {
    let resolver = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let config =
        NetworkConfig { dns_servers: vec![resolver.local_addr().unwrap()], ..NetworkConfig::default() };
    let fetcher = Fetcher::new(
        Network::new(config).unwrap(),
        tls::client_config(),
        HeaderValue::from_static("Tester/1"),
    );
    let mut request = get("http://shop.example/");
    request.time_limits.connect = Duration::from_millis(200);

    let error = fetcher.fetch(request).await.unwrap_err();

    assert!(matches!(error, FetchError::Timeout(Phase::Connect)), "{error:?}");
}

#[tokio::test]
async fn a_connection_that_ends_too_early_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hosts = [("shop.test", listener.local_addr().unwrap().to_string())];
    let serve = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        assert!(socket.read(&mut [0; 1024]).await.unwrap() > 0);
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf").await.unwrap();
    };
    let fetcher = fetcher_with(&hosts, RootCertStore::empty());

    let ((), fetched) = tokio::join!(serve, fetcher.fetch(get("http://shop.test/")));
    let read = fetched.unwrap().body.bytes().await;

    assert!(matches!(read, Err(FetchError::Broken(_))), "{read:?}");
}

/// Makes an authority, and a configuration with a certificate by these parameters that the authority signed.
fn tls_config(params: CertificateParams) -> (rustls::ServerConfig, RootCertStore) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();

    let config = rustls::ServerConfig::builder_with_provider(crate::tls::provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    (config, roots)
}

/// Starts a server with a certificate by these parameters, and returns the trusted authorities.
async fn tls_server(params: CertificateParams, trusted: bool) -> (WebServer, RootCertStore) {
    let (config, roots) = tls_config(params);
    let answer = async |_: Request<Incoming>| page("secure");
    let server = WebServer::start_tls(TlsAcceptor::from(Arc::new(config)), answer).await;
    (server, if trusted { roots } else { RootCertStore::empty() })
}

/// Fetches `https://shop.test` over real TLS: the static host has no port, so the URL's scheme and port count.
async fn fetch_over_tls(server: &WebServer, roots: RootCertStore) -> Result<Bytes, FetchError> {
    let fetcher = fetcher_with(&[("shop.test", "127.0.0.1".to_owned())], roots);
    let url = format!("https://shop.test:{}/", server.address().port());
    fetcher.fetch(get(&url)).await?.body.bytes().await
}

fn certificate_for(name: &str) -> CertificateParams {
    CertificateParams::new(vec![name.to_owned()]).unwrap()
}

#[tokio::test]
async fn a_server_with_a_valid_certificate_is_read() {
    let (server, roots) = tls_server(certificate_for("shop.test"), true).await;

    assert_eq!(fetch_over_tls(&server, roots).await.unwrap(), "secure");
}

#[tokio::test]
async fn http2_is_spoken_when_both_sides_offer_it() {
    let (mut config, roots) = tls_config(certificate_for("shop.test"));
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let answer = async |_: Request<Incoming>| page("secure");
    let server = WebServer::start_tls(TlsAcceptor::from(Arc::new(config)), answer).await;
    let network = Network::new(NetworkConfig {
        allow_private: vec!["127.0.0.1/32".parse().unwrap()],
        hosts: [("shop.test".to_owned(), "127.0.0.1".parse().unwrap())].into(),
        ..NetworkConfig::default()
    })
    .unwrap();
    let url = format!("https://shop.test:{}/", server.address().port()).parse().unwrap();

    let only_http1 =
        Connector::new(network.clone(), tls::client_config_trusting(roots.clone())).open(&url).await;
    let mut both = ClientConfig::clone(&tls::client_config_trusting(roots));
    both.alpn_protocols.clone_from(&tls::client_config_with_http2().alpn_protocols);
    let both = Connector::new(network, Arc::new(both)).open(&url).await;

    assert!(!only_http1.unwrap().connected().is_negotiated_h2());
    assert!(both.unwrap().connected().is_negotiated_h2());
}

#[tokio::test]
async fn wrong_expired_and_unknown_certificates_are_refused() {
    let mut expired = certificate_for("shop.test");
    expired.not_before = date_time_ymd(2020, 1, 1);
    expired.not_after = date_time_ymd(2021, 1, 1);
    let cases =
        [(certificate_for("other.test"), true), (expired, true), (certificate_for("shop.test"), false)];

    for (index, (params, trusted)) in cases.into_iter().enumerate() {
        let (server, roots) = tls_server(params, trusted).await;

        let error = fetch_over_tls(&server, roots).await.unwrap_err();

        let is_tls = matches!(&error, FetchError::Connect(why) if matches!(**why, ConnectError::Tls { .. }));
        assert!(is_tls, "case {index}: {error:?}");
        assert_eq!(server.requests(), 0, "case {index}");
    }
}
