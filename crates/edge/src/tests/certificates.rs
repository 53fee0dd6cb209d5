//! Certificates from a real certificate authority (pebble), which resolves names at its own DNS server.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, HandshakeKind, RootCertStore};
use store::on_engine;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::sync::CancellationToken;

use super::world::{RawOrigin, SETTINGS, World, listener, start_edge};
use crate::EdgeSockets;
use crate::certificates::model::OrderOutcome;
use crate::certificates::service::CertificateHolder;
use crate::testing::*;
use domains::ConnectionProof;
use domains::service::Lock;
use domains::{DomainStatus, PreferredHost};
use platform::clock::Clock;

/// A certificate authority. Dropping it ends its processes.
struct Authority {
    _pebble: Child,
    _dns: Child,
    folder: TempDir,
    address: SocketAddr,
    management: SocketAddr,
}

impl Authority {
    /// Starts an authority that validates proofs at these ports and whose certificates have this lifetime.
    async fn start(http_port: u16, tls_port: u16, life: Duration) -> Authority {
        // Another test may meanwhile use an address that was free a moment ago.
        for _ in 0..4 {
            if let Some(authority) = Authority::try_start(http_port, tls_port, life).await {
                return authority;
            }
        }
        panic!("no authority answers")
    }

    async fn try_start(http_port: u16, tls_port: u16, life: Duration) -> Option<Authority> {
        let folder = tempfile::tempdir().unwrap();
        let [address, management, dns, dns_management] =
            [free_address().await, free_address().await, free_address().await, free_address().await];
        write_server_certificate(folder.path());
        let config = serde_json::json!({ "pebble": {
            "listenAddress": address.to_string(),
            "managementListenAddress": management.to_string(),
            "certificate": folder.path().join("server.pem"),
            "privateKey": folder.path().join("server.key"),
            "httpPort": http_port,
            "tlsPort": tls_port,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": false,
            "certificateValidityPeriod": life.as_secs(),
        }});
        std::fs::write(folder.path().join("pebble.json"), config.to_string()).unwrap();
        let none = [
            "-http01",
            "",
            "-https01",
            "",
            "-tlsalpn01",
            "",
            "-defaultIPv4",
            "127.0.0.1",
            "-defaultIPv6",
            "",
        ];
        let dns_child = start(Command::new("pebble-challtestsrv").args(none).args([
            "-dns01",
            &dns.to_string(),
            "-management",
            &dns_management.to_string(),
        ]));
        let pebble = start(
            Command::new("pebble")
                .arg("-config")
                .arg(folder.path().join("pebble.json"))
                .args(["-dnsserver", &dns.to_string()])
                .env("PEBBLE_VA_NOSLEEP", "1")
                .env("PEBBLE_WFE_NONCEREJECT", "5"),
        );
        for server in [address, management, dns_management] {
            if !answers(server).await {
                return None;
            }
        }
        Some(Authority { _pebble: pebble, _dns: dns_child, folder, address, management })
    }

    fn settings(&self) -> String {
        let root = self.folder.path().join("root.pem");
        format!(
            "edge.acme_directory_url = \"https://{}/dir\"\nedge.acme_root_ca = \"{}\"\nedge.https_listen = \"127.0.0.1:8443\"\n",
            self.address,
            root.display()
        )
    }

    /// Returns a client that trusts the authority's certificates.
    async fn client(&self, protocol: &str) -> TlsConnector {
        let own_root = std::fs::read(self.folder.path().join("root.pem")).unwrap();
        let mut stream =
            connect_with(trusting(&own_root, "http/1.1"), self.management, "localhost").await.unwrap();
        stream.write_all(b"GET /roots/0 HTTP/1.0\r\n\r\n").await.unwrap();
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response).await;
        trusting(&response, protocol)
    }
}

#[expect(clippy::expect_fun_call, reason = "says what to install")]
fn start(command: &mut Command) -> Child {
    let name = format!("{:?}", command.as_std().get_program());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true).spawn();
    child.expect(&format!("{name} starts: apt-get install pebble"))
}

async fn free_address() -> SocketAddr {
    listener().await.local_addr().unwrap()
}

/// Waits up to ten seconds until a server accepts connections. Returns false when it does not.
async fn answers(server: SocketAddr) -> bool {
    for _ in 0..200 {
        if TcpStream::connect(server).await.is_ok() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

/// Writes the certificate of the authority's own listener and its root.
pub fn write_server_certificate(folder: &Path) {
    let (ca_key, key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let mut ca = CertificateParams::new(Vec::new()).unwrap();
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = ca.self_signed(&ca_key).unwrap();
    let issuer = Issuer::new(ca, ca_key);
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let server = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
    std::fs::write(folder.join("root.pem"), root.pem()).unwrap();
    std::fs::write(folder.join("server.pem"), server.pem()).unwrap();
    std::fs::write(folder.join("server.key"), key.serialize_pem()).unwrap();
}

pub fn trusting(pem: &[u8], protocol: &str) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).filter_map(Result::ok));
    let builder = ClientConfig::builder_with_provider(crawler::tls::provider());
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    TlsConnector::from(Arc::new(config))
}

pub async fn connect_with(
    client: TlsConnector,
    address: SocketAddr,
    name: &str,
) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    client.connect(ServerName::try_from(name.to_owned()).unwrap(), stream).await
}

/// A service, its authority, and an origin that echoes.
pub struct Secured {
    pub world: World,
    authority: Authority,
    _origin: RawOrigin,
}

impl Secured {
    pub async fn start(further: &str) -> Secured {
        Secured::start_with(further, None, NINETY_DAYS).await
    }

    /// Starts a service whose authority validates HTTP proofs at another port than the edge's.
    async fn start_with(further: &str, http_port: Option<u16>, life: Duration) -> Secured {
        let origin = RawOrigin::echo().await;
        let sockets = EdgeSockets { http: Some(listener().await), https: Some(listener().await) };
        let port = |at: usize| sockets.addresses()[at].port();
        let authority = Authority::start(http_port.unwrap_or(port(0)), port(1), life).await;
        let hosts = format!("network.hosts = {{ \"shop.example\" = \"{}\" }}\n", origin.address);
        let app = TestApp::with(&format!("{SETTINGS}{hosts}{}{further}", authority.settings())).await;
        Secured { world: World::listening(app, sockets).await, authority, _origin: origin }
    }

    pub async fn connect(&self, name: &str, protocol: &str) -> std::io::Result<TlsStream<TcpStream>> {
        let client = self.authority.client(protocol).await;
        connect_with(client, self.world.https.unwrap(), name).await
    }

    pub async fn count(&self, sql: &'static str) -> i64 {
        count(&self.world.app, sql).await
    }

    /// Queues renewals that are due, as the worker does every few minutes.
    async fn queue_renewals(&self) {
        let certificates = self.world.edge.inner().certificates.clone().unwrap();
        certificates.queue_renewals().await.unwrap();
    }

    /// Queues renewals that are due, and runs them.
    pub async fn renew_due(&self) {
        self.queue_renewals().await;
        self.world.app.state.worker().run_until_idle().await;
    }

    pub fn pass_two_months(&self) {
        pass_two_months(&self.world.app);
    }
}

/// Sets the clock to two months from real time, not from the tests' noon: the authority dates its certificates by real time.
fn pass_two_months(app: &TestApp) {
    app.clock.set(Clock::system().now().plus(Duration::from_secs(62 * 24 * 3600)));
}

async fn count(app: &TestApp, sql: &'static str) -> i64 {
    let mut conn = app.state.platform.db.read().await.unwrap();
    let row: (i64,) = on_engine!(conn, |c| sqlx::query_as(sql).fetch_one(c).await).unwrap();
    row.0
}

/// Lifetime of most certificates that are in use.
const NINETY_DAYS: Duration = Duration::from_secs(90 * 24 * 3600);
const ATTEMPTS: &str = "select count(*) from certificate_attempts";
/// Number of renewals; attempts are stored for a day.
const RENEWED: &str = "select count(*) from certificate_attempts where renewal";
const RENEWALS: &str = "select count(*) from jobs where kind = 'RenewCertificate'";

pub fn first_certificate(stream: &TlsStream<TcpStream>) -> Vec<u8> {
    stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

#[tokio::test]
async fn a_connected_domain_gets_its_certificate_at_the_first_handshake() {
    let secured = Secured::start("").await;
    secured.world.shop().await;

    let mut stream = secured.connect("shop.example", "http/1.1").await.expect("a trusted certificate");
    stream.write_all(b"GET /a HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut response = String::new();
    let _ = stream.read_to_string(&mut response).await;

    assert!(
        response.starts_with("HTTP/1.1 200") && response.contains("x-forwarded-proto: https"),
        "{response}"
    );
    let redirect = secured.world.get("/a?b=1", &[]).await;
    assert_eq!((redirect.status, redirect.header("location")), (301, Some("https://shop.example/a?b=1")));
    let redirect = secured.world.ask("POST", "/a", &["Content-Length: 0"]).await;
    assert_eq!(redirect.status, 308);
    assert_eq!(secured.count(ATTEMPTS).await, 1);
    assert_eq!(secured.count("select count(*) from acme_challenges").await, 0);
    assert_eq!(secured.count("select count(*) from certificates where sealed_key like '%PRIVATE%'").await, 0);
}

#[tokio::test]
async fn http2_is_spoken_over_tls() {
    let secured = Secured::start("").await;
    secured.world.shop().await;
    let stream = secured.connect("shop.example", "h2").await.expect("a trusted certificate");

    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    secured.world.app.state.platform.tasks.spawn(connection);
    let request =
        http::Request::get("https://shop.example/a").header("cookie", "a=1").header("cookie", "b=2");
    let response = sender.send_request(request.body(Empty::<Bytes>::new()).unwrap()).await.unwrap();

    assert_eq!((response.status().as_u16(), response.version()), (200, http::Version::HTTP_2));
    let received = response.into_body().collect().await.unwrap().to_bytes();
    let received = String::from_utf8_lossy(&received).into_owned();
    assert!(received.contains("cookie: a=1; b=2") && received.contains("via: 2.0 glasshouse"), "{received}");
}

#[tokio::test]
async fn while_draining_an_http2_connection_ends_after_the_requests_that_it_has() {
    let secured = Secured::start("").await;
    secured.world.shop().await;
    let before = secured.connect("shop.example", "h2").await.expect("a trusted certificate");
    secured.world.app.state.platform.draining.begin();
    let after = secured.connect("shop.example", "h2").await.expect("a trusted certificate");

    for stream in [before, after] {
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        let request = http::Request::get("https://shop.example/a").body(Empty::<Bytes>::new()).unwrap();
        let answered = async {
            let response = sender.send_request(request).await.unwrap();
            let status = response.status();
            response.into_body().collect().await.unwrap();
            status
        };
        let (status, ended) = tokio::join!(answered, connection);

        assert_eq!((status.as_u16(), ended.is_ok()), (200, true));
    }
}

#[tokio::test]
async fn another_host_than_the_handshakes_is_misdirected() {
    let secured = Secured::start("").await;
    secured.world.shop().await;
    secured.world.app.domain(&secured.world.account, "other.example").await;
    let mut stream = secured.connect("shop.example", "http/1.1").await.expect("a trusted certificate");

    stream.write_all(b"GET /a HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut response = String::new();
    let _ = stream.read_to_string(&mut response).await;

    assert!(response.starts_with("HTTP/1.1 421"), "{response}");
}

#[tokio::test]
async fn without_plain_http_the_proof_is_given_within_tls() {
    let secured = Secured::start_with("edge.http_listen = \"\"\n", Some(1), NINETY_DAYS).await;
    secured.world.shop().await;

    assert!(secured.connect("shop.example", "http/1.1").await.is_ok());
}

#[tokio::test]
async fn a_second_process_serves_the_certificate_that_the_first_one_got() {
    let secured = Secured::start("").await;
    secured.world.shop().await;
    let first = first_certificate(&secured.connect("shop.example", "http/1.1").await.unwrap());
    let settings = format!("{SETTINGS}{}", secured.authority.settings());
    let other = TestApp::on(secured.world.app.state.platform.db.clone(), &settings).await;
    let sockets = EdgeSockets { http: None, https: Some(listener().await) };
    let address = sockets.addresses()[0];
    let stop = CancellationToken::new();
    let _edge = start_edge(&other, sockets, &stop);

    let client = secured.authority.client("http/1.1").await;
    let second = first_certificate(&connect_with(client, address, "shop.example").await.unwrap());
    stop.cancel();

    assert_eq!(first, second);
    assert_eq!(secured.count(ATTEMPTS).await, 1);
}

#[tokio::test]
async fn a_name_that_is_not_served_gets_no_handshake_and_no_order() {
    let secured = Secured::start("").await;
    let shop = secured.world.shop().await;
    secured.world.app.state.domains.set_suspended(&shop.host, Lock::On).await.unwrap();

    for name in ["nobody.example", "shop.example"] {
        let error = secured.connect(name, "http/1.1").await.expect_err("no handshake");
        assert!(format!("{error:?}").contains("UnrecognisedName"), "{error:?}");
    }

    assert_eq!(secured.count(ATTEMPTS).await, 0);
}

#[tokio::test]
async fn a_pending_domain_may_have_its_certificate_before_it_goes_live() {
    let secured = Secured::start("").await;
    secured.world.app.domain_with_status(&secured.world.account, "shop.example", DomainStatus::Pending).await;

    assert!(secured.connect("shop.example", "http/1.1").await.is_ok());
}

#[tokio::test]
async fn an_order_that_failed_is_not_repeated_at_once() {
    // No server listens where the authority validates the proof.
    let closed = free_address().await.port();
    let secured = Secured::start_with("", Some(closed), NINETY_DAYS).await;
    let shop = CertificateHolder::Customer(Box::new(secured.world.shop().await));
    let certificates = secured.world.edge.inner().certificates.clone().unwrap();

    let outcomes = [
        certificates.order_logged("shop.example", &shop).await,
        certificates.order_logged("shop.example", &shop).await,
    ];

    assert_eq!(outcomes, [OrderOutcome::None; 2]);
    assert_eq!(secured.count(ATTEMPTS).await, 1);
    assert_eq!(secured.count("select failures from certificate_orders").await, 1);
    assert_eq!(
        secured.count("select count(*) from certificate_orders where last_error is not null").await,
        1
    );
}

#[tokio::test]
async fn a_certificate_is_renewed_ahead_and_the_new_one_is_served() {
    let secured = Secured::start("").await;
    secured.world.shop().await;
    let first = first_certificate(&secured.connect("shop.example", "http/1.1").await.unwrap());

    secured.renew_due().await;
    assert_eq!(secured.count(ATTEMPTS).await, 1, "it is not due yet");
    secured.pass_two_months();
    secured.renew_due().await;

    let second = first_certificate(&secured.connect("shop.example", "http/1.1").await.unwrap());
    assert_ne!(first, second);
    assert_eq!(secured.count(RENEWALS).await, 0);
}

#[tokio::test]
async fn a_certificate_of_six_days_or_ten_minutes_is_renewed_when_a_third_of_its_life_is_left() {
    for life in [Duration::from_secs(6 * 24 * 3600), Duration::from_secs(600)] {
        let secured = Secured::start_with("", None, life).await;
        secured.world.shop().await;
        let first = first_certificate(&secured.connect("shop.example", "http/1.1").await.unwrap());
        let set = |share| secured.world.app.clock.set(Clock::system().now().plus(life.mul_f64(share)));

        set(0.55);
        secured.renew_due().await;
        let early = secured.count(RENEWED).await;
        set(0.68);
        secured.renew_due().await;

        let second = first_certificate(&secured.connect("shop.example", "http/1.1").await.unwrap());
        assert_eq!((early, secured.count(RENEWED).await), (0, 1), "{life:?}");
        assert_ne!(first, second);
    }
}

#[tokio::test]
async fn keys_of_a_handshake_are_exchanged_by_a_hybrid_that_outlasts_quantum_computers() {
    let secured = Secured::start("").await;
    secured.world.shop().await;

    let stream = secured.connect("shop.example", "http/1.1").await.expect("a trusted certificate");

    let group = stream.get_ref().1.negotiated_key_exchange_group().map(|group| group.name());
    assert_eq!(group, Some(rustls::NamedGroup::X25519MLKEM768));
}

#[tokio::test]
async fn a_renewal_that_a_process_left_behind_is_done_once_by_another() {
    let secured = Secured::start("").await;
    secured.world.shop().await;
    secured.connect("shop.example", "http/1.1").await.expect("a trusted certificate");
    secured.pass_two_months();

    secured.queue_renewals().await;
    secured.queue_renewals().await;
    assert_eq!((secured.count(RENEWALS).await, secured.count(RENEWED).await), (1, 0));
    let settings = format!("{SETTINGS}{}", secured.authority.settings());
    let other = TestApp::on(secured.world.app.state.platform.db.clone(), &settings).await;
    pass_two_months(&other);
    other.state.worker().run_until_idle().await;

    assert_eq!((secured.count(RENEWALS).await, secured.count(RENEWED).await), (0, 1));
    secured.renew_due().await;
    assert_eq!(secured.count(RENEWED).await, 1);
}

#[tokio::test]
async fn a_renewal_whose_certificate_was_renewed_meanwhile_orders_nothing() {
    let secured = Secured::start("").await;
    secured.world.shop().await;
    secured.connect("shop.example", "http/1.1").await.expect("a trusted certificate");
    secured.pass_two_months();
    secured.queue_renewals().await;
    let mut tx = secured.world.app.state.platform.db.write().await.unwrap();
    let renewed = "update certificates set not_after = not_after + 1";
    on_engine!(tx, |c| sqlx::query(renewed).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();

    secured.world.app.state.worker().run_until_idle().await;

    assert_eq!((secured.count(RENEWALS).await, secured.count(RENEWED).await), (0, 0));
}

#[tokio::test]
async fn a_locked_name_keeps_its_certificate_and_is_not_renewed() {
    let secured = Secured::start("").await;
    let shop = secured.world.shop().await;
    secured.connect("shop.example", "http/1.1").await.expect("a trusted certificate");
    secured.world.app.state.domains.set_suspended(&shop.host, Lock::On).await.unwrap();
    secured.pass_two_months();

    secured.renew_due().await;

    assert_eq!(secured.count(RENEWED).await, 0);
    assert_eq!(secured.count("select count(*) from certificates").await, 1);
}

#[tokio::test]
async fn a_rule_and_https_are_one_hop() {
    let secured = Secured::start("").await;
    let shop = secured.world.shop().await;
    secured.world.app.set(&shop, |settings| settings.preferred_host = Some(PreferredHost::Www)).await;
    secured.connect("shop.example", "http/1.1").await.expect("a trusted certificate");

    let reply = secured.world.get("/a", &[]).await;

    assert_eq!((reply.status, reply.header("location")), (301, Some("https://www.shop.example/a")));
}

#[tokio::test]
async fn a_name_that_does_not_lead_here_is_not_ordered_and_has_not_failed() {
    let secured = Secured::start("edge.public_ipv4 = [\"192.0.2.1\"]\n").await;
    secured.world.shop().await;

    assert!(secured.connect("shop.example", "http/1.1").await.is_err());

    assert_eq!(secured.count(ATTEMPTS).await, 0);
    assert_eq!(secured.count("select count(*) from certificate_orders").await, 0);
}

#[tokio::test]
async fn a_name_that_left_is_retired_instead_of_renewed() {
    let secured = Secured::start("").await;
    let shop = secured.world.shop().await;
    secured.connect("shop.example", "http/1.1").await.expect("a trusted certificate");
    secured.world.app.state.domains.remove(&shop).await.unwrap();

    secured.pass_two_months();
    secured.renew_due().await;

    assert_eq!(secured.count(RENEWED).await, 0);
    assert_eq!(secured.count("select count(*) from certificates").await, 0);
    assert_eq!(secured.count("select count(*) from certificate_orders").await, 0);
}

#[tokio::test]
async fn a_session_resumes_on_another_connection() {
    let secured = Secured::start("").await;
    secured.world.shop().await;
    let client = secured.authority.client("http/1.1").await;
    let address = secured.world.https.unwrap();
    let mut kinds = Vec::new();

    for _ in 0..2 {
        let mut stream = connect_with(client.clone(), address, "shop.example").await.unwrap();
        stream
            .write_all(b"GET /a HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        // The tickets arrive with the first bytes of the response.
        let _ = stream.read_to_end(&mut Vec::new()).await;
        kinds.push(stream.get_ref().1.handshake_kind().unwrap());
    }

    assert_eq!(kinds, [HandshakeKind::Full, HandshakeKind::Resumed]);
}

#[tokio::test]
async fn handshakes_need_no_database() {
    let secured = Secured::start("").await;
    secured.world.shop().await;
    secured.connect("shop.example", "http/1.1").await.expect("a trusted certificate");

    secured.world.app.state.platform.db.close().await;

    for _ in 0..2 {
        assert!(secured.connect("shop.example", "http/1.1").await.is_ok());
        let error = secured.connect("nobody.example", "http/1.1").await.expect_err("no handshake");
        assert!(format!("{error:?}").contains("UnrecognisedName"), "{error:?}");
        // Longer than cached data is valid while the database is reachable.
        tokio::time::sleep(Duration::from_millis(2_100)).await;
    }
}

#[tokio::test]
async fn a_domain_that_is_connected_gets_its_certificates_before_anybody_asks() {
    let secured = Secured::start("").await;
    let (app, account) = (&secured.world.app, &secured.world.account);
    let shop = app.domain_with_status(account, "shop.example", DomainStatus::Pending).await;

    assert!(
        app.state.domains.promote(&shop, DomainStatus::Connected, ConnectionProof::OfOwner).await.unwrap()
    );
    app.state.worker().run_until_idle().await;

    assert_eq!(secured.count("select count(*) from certificates").await, 2, "the name and its twin");
    assert_eq!(secured.count("select count(*) from jobs").await, 0);
    assert!(secured.connect("www.shop.example", "http/1.1").await.is_ok());
    assert_eq!(secured.count(ATTEMPTS).await, 2);
}
