//! A service with the records of its domains on a DNS server of the test.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use crawler::testing::WebServer;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;

use crate::testing::*;
use domains::connection::{CheckResult, ConnectionReport};
use domains::{Domain, DomainStatus};
use platform::api::envelope::Envelope;
use platform::plans::Plan;

/// The service's own address in these tests.
pub const HERE: &str = "192.0.2.1";
pub const HERE_V6: &str = "2001:db8::1";
/// Address of another server.
pub const ELSEWHERE: &str = "198.51.100.7";

/// Returns settings that permit loopback and place the service at [`HERE`].
pub fn settings(dns: &DnsServer) -> String {
    format!(
        "{}edge.public_ipv4 = [{HERE:?}]\nedge.public_ipv6 = [{HERE_V6:?}]\nnetwork.allow_private = [\"127.0.0.0/8\"]\n",
        dns.setting()
    )
}

/// A service, its DNS server, and an account.
pub struct World {
    pub app: TestApp,
    pub dns: DnsServer,
    pub account: TestAccount,
}

impl World {
    pub async fn new() -> World {
        World::with("").await
    }

    /// Creates a world with further settings.
    pub async fn with(more: &str) -> World {
        let dns = DnsServer::start().await;
        let app = TestApp::with(&(settings(&dns) + more)).await;
        let account = app.account("owner@shop.example", Plan::Business).await;
        World { app, dns, account }
    }

    /// Creates a world with `shop.example` on a server of the test, for probes.
    pub async fn with_host_at(address: SocketAddr) -> World {
        World::with(&format!("network.hosts = {{ \"shop.example\" = \"{address}\" }}")).await
    }

    /// Adds `shop.example`, pending.
    pub async fn shop(&self) -> Domain {
        self.pending("shop.example").await
    }

    pub async fn pending(&self, host: &str) -> Domain {
        self.app.domain_with_status(&self.account, host, DomainStatus::Pending).await
    }

    pub async fn check(&self, domain: &Domain) -> CheckResult {
        self.examine(domain).await.result
    }

    pub async fn examine(&self, domain: &Domain) -> ConnectionReport {
        self.app.state.connection.examine(domain).await.expect("the database is there")
    }

    /// Returns match, proxy and failure of a domain's DNS check.
    pub async fn dns_of(&self, domain: &Domain) -> (bool, bool, bool) {
        let dns = self.check(domain).await.dns;
        (dns.r#match, dns.cloudflare_proxy, dns.lookup_failed)
    }
}

/// A customer's own server, which calls the render endpoint for requests of crawlers, as middlewares do: it passes on the
/// body and drops the headers.
pub struct Middleware {
    server: WebServer,
    service: Arc<OnceLock<(Envelope, String)>>,
}

impl Middleware {
    pub async fn start() -> Middleware {
        let service = Arc::<OnceLock<(Envelope, String)>>::default();
        let shared = service.clone();
        let server = WebServer::start(move |request: Request<Incoming>| {
            let shared = shared.clone();
            async move {
                let (envelope, key) = shared.get().expect("told before the first request");
                ask_render(envelope, key, &request).await
            }
        })
        .await;
        Middleware { server, service }
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Sets the service to call, and the key.
    pub fn asks(&self, app: &TestApp, key: &str) {
        assert!(self.service.set((app.state.envelope(), key.to_owned())).is_ok(), "told once");
    }
}

async fn ask_render(envelope: &Envelope, key: &str, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let user_agent = request.headers()["user-agent"].clone();
    assert!(user_agent.to_str().unwrap().contains("Googlebot"), "a probe looks like a crawler");
    let host = request.headers()["host"].to_str().unwrap();
    let url = format!("https://{host}{}", request.uri().path());
    let asked = Request::get(render_path(&url))
        .header("x-service-api-key", key)
        .header("user-agent", user_agent)
        .body(axum::body::Body::empty())
        .unwrap();
    let response = envelope.respond(asked, std::net::Ipv4Addr::LOCALHOST.into()).await;
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), 1_000_000).await.unwrap();
    Response::builder().status(status).body(Full::new(body)).unwrap()
}

/// Returns a response with a text.
pub fn page(text: &'static str) -> Response<Full<Bytes>> {
    Response::new(Full::new(Bytes::from_static(text.as_bytes())))
}

/// Returns a redirect.
pub fn redirect(to: &str) -> Response<Full<Bytes>> {
    Response::builder().status(301).header("location", to).body(Full::default()).unwrap()
}
