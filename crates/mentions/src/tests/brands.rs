//! Brand profiles that nobody has saved follow the name of the site, as its audits find it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use crawler::testing::WebServer;
use fakeai::{FakeOptions, FakeVendors};
use http::{Method, Request, Response};
use http_body_util::Full;
use serde_json::{Value, json};
use store::testing::TestDb;

use super::fixture::Monitored;
use crate::jobs::TidyMentions;
use crate::testing::*;
use platform::jobs::{Registry, Worker, WorkerSettings};

const BRAND: &str = "/api/domains/lumadocs.io/brand";

/// A monitored site whose pages say its name.
struct NamedSite {
    monitored: Monitored,
    name: Arc<Mutex<&'static str>>,
    _server: WebServer,
    _db: TestDb,
}

impl NamedSite {
    async fn start() -> NamedSite {
        let name = Arc::new(Mutex::new(""));
        let said = name.clone();
        let server = WebServer::start(move |_: Request<hyper::body::Incoming>| {
            let head = match *said.lock().unwrap() {
                "" => String::new(),
                name => format!("<meta property=\"og:site_name\" content=\"{name}\">"),
            };
            let page = format!("<!doctype html><html lang=en><head><title>Docs</title>{head}</head><body><h1>Docs</h1></body></html>");
            let response = Response::builder().header("content-type", "text/html; charset=utf-8");
            let response = response.body(Full::new(Bytes::from(page))).unwrap();
            async move { response }
        })
        .await;
        let address = server.address();
        let settings = format!(
            "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"lumadocs.io\" = \"{address}\", \"www.lumadocs.io\" = \"{address}\" }}\n"
        );
        let db = sqlite().await;
        let fakes = FakeVendors::start(FakeOptions::default()).await.unwrap();
        let monitored = Monitored::on((*db).clone(), fakes, &settings).await;
        NamedSite { monitored, name, _server: server, _db: db }
    }

    /// Audits the site under a name, and derives profiles again.
    async fn audit_as(&self, name: &'static str) -> Value {
        *self.name.lock().unwrap() = name;
        let app = &self.monitored.app;
        let body = json!({ "domain": "lumadocs.io", "urls": ["https://lumadocs.io/"], "mode": "selected" });
        let key = &self.monitored.account.key;
        let without_browser = json!({ "javascript": false });
        app.patch("/api/domains/lumadocs.io/auditing")
            .key(key)
            .json(without_browser)
            .await
            .assert_status(200);
        let started = app.post("/api/seo-spider/runs").key(key).json(body).await.json();
        let audits = &app.state.audits;
        let registry = audits.register_runs(audits.register(Registry::default()));
        let settings = WorkerSettings::default();
        Worker::new(app.state.jobs.clone(), registry, Vec::new(), settings).run_until_idle().await;
        app.clock.advance(Duration::from_secs(60));
        let run = format!("/api/seo-spider/runs/{}", started["runId"].as_str().expect("a run"));
        let audited = app.get(&run).key(key).await.json();
        assert_eq!(audited["run"]["status"], "success", "{audited:#}");
        self.monitored.run_job(&TidyMentions {}).await;
        app.get(BRAND).key(key).await.json()
    }
}

#[tokio::test]
async fn a_profile_that_nobody_saved_follows_the_name_of_the_site() {
    let site = NamedSite::start().await;

    let without = site.audit_as("").await;
    let named = site.audit_as("Luma Handbook").await;
    let same = site.audit_as("Luma Handbook").await;

    let seen =
        |brand: &Value| (brand["name"].clone(), brand["derived"].clone(), brand["analysisVersion"].clone());
    assert_eq!(seen(&without), (json!("LumaDocs"), json!(true), json!(1)));
    assert_eq!(seen(&named), (json!("Luma Handbook"), json!(true), json!(2)), "{named:#}");
    assert_eq!(seen(&same), seen(&named));
}

#[tokio::test]
async fn a_saved_profile_is_never_derived_again() {
    let site = NamedSite::start().await;
    let app = &site.monitored.app;
    let body = json!({ "name": "Luma", "domains": ["lumadocs.io"] });
    let saved = app.request(Method::PUT, BRAND).key(&site.monitored.account.key).json(body).await;
    saved.assert_status(200);

    let read = site.audit_as("Luma Handbook").await;

    assert_eq!((&read["name"], &read["derived"]), (&json!("Luma"), &json!(false)));
}
