//! Tests of audits: over HTTP on both databases, with a site on loopback.

mod access;
mod details;
mod lifecycle;
mod real_web;
mod settings;
mod surroundings;
mod visits;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use crawler::testing::WebServer;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::testing::*;
use domains::Domain;
use platform::jobs::{Registry, Worker, WorkerSettings};
use platform::plans::Plan;

const RUNS: &str = "/api/seo-spider/runs";
const AUDITING: &str = "/api/domains/shop.example/auditing";

/// Responses of the site by path; other paths are 404. Its twin redirects to it. Records the requests.
#[derive(Clone)]
struct Web {
    pages: Arc<Mutex<HashMap<String, String>>>,
    asked: Arc<Mutex<Vec<(String, HeaderMap)>>>,
    bodies: Arc<Mutex<HashMap<String, String>>>,
    /// Responses to user agents that contain a word: status, and another page.
    agents: Arc<Mutex<Vec<(String, u16, String)>>>,
    /// True when the twin serves the site a second time.
    has_copy: Arc<AtomicBool>,
    /// Milliseconds that each answer to the audit itself takes.
    delay_ms: Arc<AtomicU64>,
    /// Pages whose path begins with `/slow` answer once this is true.
    open: watch::Sender<bool>,
}

impl Web {
    fn new() -> Web {
        Web {
            pages: Arc::default(),
            asked: Arc::default(),
            bodies: Arc::default(),
            agents: Arc::default(),
            has_copy: Arc::default(),
            delay_ms: Arc::default(),
            open: watch::channel(true).0,
        }
    }

    fn answers_agent(&self, word: &str, status: u16, body: &str) {
        self.agents.lock().unwrap().push((word.to_owned(), status, body.to_owned()));
    }

    /// Resets the changes of a test.
    fn clear(&self) {
        self.pages.lock().unwrap().clear();
        self.asked.lock().unwrap().clear();
        self.agents.lock().unwrap().clear();
        self.has_copy.store(false, Ordering::Relaxed);
        self.delay_ms.store(0, Ordering::Relaxed);
        self.open.send_replace(true);
    }

    /// Returns the response: status, header and body.
    fn respond(&self, path: &str, headers: &HeaderMap) -> Response<Full<Bytes>> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if text("host").starts_with("www.") && !self.has_copy.load(Ordering::Relaxed) {
            let moved =
                Response::builder().status(301).header("location", format!("https://shop.example{path}"));
            return moved.body(Full::default()).unwrap();
        }
        let kind = match path.rsplit('.').next() {
            Some("xml") => "application/xml",
            Some("txt") => "text/plain",
            Some("png") => "image/png",
            _ => "text/html; charset=utf-8",
        };
        let response = Response::builder().header("content-type", kind);
        let agent = text("user-agent");
        let own = self.agents.lock().unwrap().iter().find(|(word, _, _)| agent.contains(word)).cloned();
        if let Some((_, status, body)) = own {
            return response.status(status).body(Full::from(body)).unwrap();
        }
        let page = self.pages.lock().unwrap().get(path).cloned();
        let response = if page.is_none() { response.status(404) } else { response };
        response.body(Full::from(page.unwrap_or_else(|| "<p>nothing here</p>".to_owned()))).unwrap()
    }

    fn set(&self, path: &str, body: &str) {
        self.pages.lock().unwrap().insert(path.to_owned(), body.to_owned());
    }

    /// Creates a page with a title, a heading, a text and links.
    fn page(&self, path: &str, title: &str, links: &[&str]) {
        let links: String = links.iter().map(|to| format!("<a href=\"{to}\">to {to}</a> ")).collect();
        let words = format!("All about {title} and what it is good for. ").repeat(12);
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><title>{title}</title>\
             <meta name=\"viewport\" content=\"width=device-width\"></head><body><main><h1>{title}</h1>\
             <p>{words}</p>{links}</main></body></html>"
        );
        self.set(path, &html);
    }

    /// Creates a small shop: three pages, one broken link.
    fn shop(&self) {
        self.page("/", "The start page of the shop", &["/tea", "/coffee"]);
        self.page("/tea", "Green and black tea", &["/", "/gone"]);
        self.page("/coffee", "Coffee of all kinds", &["/"]);
        self.sitemap(&["/", "/tea", "/coffee"]);
    }

    fn sitemap(&self, paths: &[&str]) {
        let urls = paths.iter().map(|path| format!("<url><loc>https://shop.example{path}</loc></url>"));
        let urls: String = urls.collect();
        self.set(
            "/sitemap.xml",
            &format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>"),
        );
    }

    fn asked_for(&self, path: &str) -> Vec<HeaderMap> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(other, _)| other == path).map(|(_, headers)| headers.clone()).collect()
    }

    /// Returns the last body sent to a path.
    fn body_of(&self, path: &str) -> String {
        self.bodies.lock().unwrap().get(path).cloned().unwrap_or_default()
    }

    async fn serve(&self) -> WebServer {
        let web = self.clone();
        WebServer::start(move |request: Request<hyper::body::Incoming>| {
            let web = web.clone();
            async move {
                let path = request.uri().path().to_owned();
                let headers = request.headers().clone();
                web.asked.lock().unwrap().push((path.clone(), headers.clone()));
                let body = request.into_body().collect().await.unwrap().to_bytes();
                web.bodies.lock().unwrap().insert(path.clone(), String::from_utf8_lossy(&body).into_owned());
                if path.starts_with("/slow") {
                    web.open.subscribe().wait_for(|open| *open).await.unwrap();
                }
                if is_audit(&headers) {
                    tokio::time::sleep(Duration::from_millis(web.delay_ms.load(Ordering::Relaxed))).await;
                }
                web.respond(&path, &headers)
            }
        })
        .await
    }
}

/// Returns true for a request of the audit itself, false for one as an imitated crawler.
fn is_audit(headers: &HeaderMap) -> bool {
    headers.get("user-agent").is_some_and(|agent| agent.as_bytes().starts_with(b"Glasshouse/"))
}

pub(super) struct Shop {
    pub(super) app: TestApp,
    web: Web,
    account: TestAccount,
    domain: Domain,
}

impl Shop {
    async fn get(&self, path: &str) -> Reply {
        self.app.get(path).key(&self.account.key).await
    }

    async fn post(&self, path: &str, body: Value) -> Reply {
        self.app.post(path).key(&self.account.key).json(body).await
    }

    async fn patch_auditing(&self, body: Value) -> Reply {
        self.app.patch(AUDITING).key(&self.account.key).json(body).await
    }

    /// Starts a run and returns its id.
    pub(super) async fn start(&self, body: Value) -> String {
        let reply = self.post(RUNS, with_defaults(body)).await;
        reply.assert(200, json!({ "ok": true, "status": "running" }));
        reply.json()["runId"].as_str().unwrap().to_owned()
    }

    /// Runs all jobs that are due.
    async fn run_jobs(&self) {
        worker(&self.app).run_until_idle().await;
    }

    /// Runs a whole audit and returns its id.
    async fn audit(&self, body: Value) -> String {
        let id = self.start(body).await;
        self.run_jobs().await;
        self.app.clock.advance(Duration::from_secs(60));
        id
    }

    /// Returns a run with its pages.
    async fn details(&self, id: &str, query: &str) -> Value {
        let reply = self.get(&format!("{RUNS}/{id}?{query}")).await;
        reply.assert_status(200);
        reply.json()
    }
}

fn with_defaults(body: Value) -> Value {
    let mut whole = json!({ "domain": "shop.example", "urls": ["https://shop.example/"], "mode": "follow" });
    for (name, value) in body.as_object().unwrap() {
        whole[name] = value.clone();
    }
    whole
}

fn worker(app: &TestApp) -> Worker {
    let audits = &app.state.audits;
    let registry = app.state.webhook_sender().register(audits.register(Registry::default()));
    let registry = audits.register_runs(registry);
    Worker::new(app.state.jobs.clone(), registry, Vec::new(), WorkerSettings::default())
}

/// Returns the ids of the findings on a page.
fn issues_of<'a>(details: &'a Value, path: &str) -> Vec<&'a str> {
    let page = details["pages"].as_array().unwrap().iter().find(|page| page["path"] == path);
    let issues = page.unwrap_or_else(|| panic!("no {path} in {details:#}"))["issues"].as_array().unwrap();
    issues.iter().map(|issue| issue["issueId"].as_str().unwrap()).collect()
}

/// Returns the ids of all findings.
fn all_issues(details: &Value) -> Vec<&str> {
    details["issueBreakdown"].as_object().unwrap().keys().map(String::as_str).collect()
}

fn paths(details: &Value) -> Vec<&str> {
    details["pages"].as_array().unwrap().iter().map(|page| page["path"].as_str().unwrap()).collect()
}

pub(super) async fn on_each_engine(test: impl AsyncFn(Shop)) {
    on_each_engine_with("", test).await;
}

async fn on_each_engine_with(settings: &str, test: impl AsyncFn(Shop)) {
    let web = Web::new();
    let server = web.serve().await;
    let address = server.address();
    let settings = format!(
        "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"shop.example\" = \"{address}\", \"hook.example\" = \"{address}\", \"www.shop.example\" = \"{address}\", \"pending.example\" = \"{address}\" }}\n{settings}"
    );
    TestApp::on_each_engine_with(&settings, async |app| {
        web.clear();
        web.shop();
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let domain = app.domain(&account, "shop.example").await;
        let shop = Shop { app, web: web.clone(), account, domain };
        // Other tests cover rendered pages.
        shop.patch_auditing(json!({ "javascript": false })).await.assert_status(200);
        test(shop).await;
    })
    .await;
}
