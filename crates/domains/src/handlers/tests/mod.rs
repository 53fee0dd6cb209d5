//! Tests of the Domains API over HTTP, on both databases, with origins on loopback.

mod access;
mod dns_records;
mod domain_records;
mod limits;
mod of_accounts;
mod root_files;
mod settings;
mod sitemap;
mod without_database;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use crawler::testing::WebServer;
use http::{Request, Response};
use http_body_util::Full;

use crate::Domain;
use crate::testing::*;
use platform::plans::Plan;

const DOMAINS: &str = "/api/domains";
const SHOP: &str = "/api/domains/shop.example";
const CHECK: &str = "/api/domains/shop.example/check";
const SETTINGS: &str = "/api/domains/shop.example/settings";
const SITEMAP: &str = "/api/domains/shop.example/sitemap";

/// Status and body of a response.
type StubResponse = (u16, Vec<u8>);

/// Responses of the origin, by path; every other path is 404.
#[derive(Clone, Default)]
struct Web(Arc<Mutex<HashMap<String, StubResponse>>>);

impl Web {
    fn set(&self, path: &str, status: u16, body: impl Into<Vec<u8>>) {
        self.0.lock().unwrap().insert(path.to_owned(), (status, body.into()));
    }

    fn sitemap(&self, path: &str, pages: &[&str]) {
        let urls: String = pages.iter().map(|page| format!("<url><loc>{page}</loc></url>")).collect();
        self.set(path, 200, format!("<urlset>{urls}</urlset>"));
    }
}

/// An account on the Business plan with a domain whose server is on loopback.
struct Shop {
    app: TestApp,
    web: Web,
    server: Arc<WebServer>,
    account: TestAccount,
    domain: Domain,
}

impl Shop {
    /// Returns the number of requests that the server has received.
    fn asked(&self) -> usize {
        self.server.requests()
    }
}

async fn on_each_engine(test: impl AsyncFn(Shop)) {
    on_each_engine_with("", test).await;
}

/// Runs a test on each engine. `app.host.example` is the same server; no server listens at `dead.example`.
async fn on_each_engine_with(settings: &str, test: impl AsyncFn(Shop)) {
    let web = Web::default();
    let responses = web.clone();
    let server = WebServer::start(move |request: Request<_>| {
        let response = responses.0.lock().unwrap().get(request.uri().path()).cloned();
        async move {
            let (status, body) = response.unwrap_or((404, Vec::new()));
            let response = Response::builder().status(status);
            let response = if (300..400).contains(&status) {
                response.header("location", String::from_utf8(body.clone()).unwrap())
            } else {
                response
            };
            response.body(Full::from(Bytes::from(body))).unwrap()
        }
    })
    .await;
    let server = Arc::new(server);
    let address = server.address();
    let hosts =
        ["shop.example", "app.host.example", "cdn.example"].map(|host| format!("\"{host}\" = \"{address}\""));
    let settings = format!(
        "{settings}\n[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ {}, \"dead.example\" = \"127.0.0.1:1\" }}",
        hosts.join(", ")
    );
    TestApp::on_each_engine_with(&settings, async |app| {
        web.0.lock().unwrap().clear();
        let account = app.account("owner@shop.example", Plan::Business).await;
        let domain = app.domain(&account, "shop.example").await;
        let (web, server) = (web.clone(), server.clone());
        test(Shop { app, web, server, account, domain }).await;
    })
    .await;
}
