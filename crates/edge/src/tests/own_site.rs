//! The installation itself at the host of its public address, with a certificate from a real authority.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use store::on_engine;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::certificates::{Secured, first_certificate};
use super::world::Reply;
use crate::certificates::model::PER_HOUR;
use crate::testing::*;

const PUBLIC_URL: &str = "server.public_url = \"https://glasshouse.example\"\n";

impl Secured {
    /// Requests a path of the public address over HTTP/1.1 and TLS.
    async fn get_own(&self, path: &str) -> Reply {
        let mut stream = self.connect("glasshouse.example", "http/1.1").await.expect("a trusted certificate");
        let request = format!("GET {path} HTTP/1.1\r\nHost: glasshouse.example\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response).await;
        Reply::parse(&response)
    }

    /// Requests a path of the public address without TLS.
    async fn ask_in_the_clear(&self, method: &str, path: &str, header: &str) -> (u16, Option<String>) {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: glasshouse.example\r\n{header}Content-Length: 0\r\nConnection: close\r\n\r\n"
        );
        let reply = self.world.send(&request).await;
        (reply.status, reply.header("location").map(str::to_owned))
    }
}

#[tokio::test]
async fn the_api_is_served_at_the_public_address_with_a_certificate_on_demand() {
    let secured = Secured::start(PUBLIC_URL).await;

    let sites = secured.get_own("/api/domains").await;

    assert_eq!((sites.status, sites.header("content-type")), (401, Some("application/json")));
    assert!(sites.header("x-request-id").is_some() && sites.header("connection") == Some("close"));
    assert_eq!(
        secured.count("select count(*) from certificate_attempts where account_id = 'service'").await,
        1
    );
}

#[tokio::test]
async fn a_person_signs_in_over_http2() {
    let secured = Secured::start(PUBLIC_URL).await;
    let account = &secured.world.account;
    let stream = secured.connect("glasshouse.example", "h2").await.expect("a trusted certificate");
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    secured.world.app.state.platform.tasks.spawn(connection);
    let body = json!({ "email": account.email.as_str(), "password": PASSWORD }).to_string();
    let sign_in = http::Request::post("https://glasshouse.example/api/session")
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from(body)))
        .unwrap();

    let signed_in = sender.send_request(sign_in).await.unwrap();
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let who = http::Request::get("https://glasshouse.example/api/session").header("cookie", &cookie);
    let who = sender.send_request(who.body(Full::default()).unwrap()).await.unwrap();

    assert_eq!(signed_in.status(), 204);
    assert!(cookie.starts_with("__Host-"), "{cookie}");
    let session = who.into_body().collect().await.unwrap().to_bytes();
    assert!(String::from_utf8_lossy(&session).contains(account.email.as_str()), "{session:?}");
}

#[tokio::test]
async fn nothing_of_the_installation_is_answered_in_the_clear() {
    let secured = Secured::start(PUBLIC_URL).await;

    let get = secured.ask_in_the_clear("GET", "/d/shop.example?range=7d", "").await;
    let post = secured.ask_in_the_clear("POST", "/api/session", "").await;
    let pretended = secured.ask_in_the_clear("GET", "/healthz", "X-Forwarded-Proto: https\r\n").await;

    let at = |path: &str| Some(format!("https://glasshouse.example{path}"));
    assert_eq!(get, (301, at("/d/shop.example?range=7d")));
    assert_eq!(post, (308, at("/api/session")));
    assert_eq!(pretended, (301, at("/healthz")));
}

#[tokio::test]
async fn no_bound_of_customers_holds_its_certificate_up() {
    let secured = Secured::start(PUBLIC_URL).await;
    let at = secured.world.app.clock.now().as_millis();
    let mut tx = secured.world.app.state.platform.db.write().await.unwrap();
    for number in 0..PER_HOUR {
        let insert =
            "insert into certificate_attempts (id, host, account_id, at) values ($1, 'x', 'other', $2)";
        let id = format!("attempt {number}");
        on_engine!(tx, |c| sqlx::query(insert).bind(id).bind(at).execute(c).await.map(drop)).unwrap();
    }
    tx.commit().await.unwrap();
    secured.world.shop().await;

    assert!(secured.connect("shop.example", "http/1.1").await.is_err(), "customers have ordered enough");
    assert!(secured.connect("glasshouse.example", "http/1.1").await.is_ok());
}

#[tokio::test]
async fn its_certificate_is_renewed_ahead() {
    let secured = Secured::start(PUBLIC_URL).await;
    let first = first_certificate(&secured.connect("glasshouse.example", "http/1.1").await.unwrap());
    secured.pass_two_months();

    secured.renew_due().await;
    let second = first_certificate(&secured.connect("glasshouse.example", "http/1.1").await.unwrap());

    assert_ne!(first, second);
}

#[tokio::test]
async fn a_domain_that_was_there_before_does_not_take_the_public_address() {
    let secured = Secured::start(PUBLIC_URL).await;
    secured.world.shop().await;
    // The state of an installation whose public address was set later.
    let mut tx = secured.world.app.state.platform.db.write().await.unwrap();
    let moved = "update domains set host = 'glasshouse.example'";
    on_engine!(tx, |c| sqlx::query(moved).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();

    let session = secured.get_own("/api/session").await;

    assert_eq!((session.status, session.header("content-type")), (401, Some("application/json")));
}
