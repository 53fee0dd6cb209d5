//! Tests of cache refresh: the four endpoints in both variants, batches, stale pages; over HTTP on both databases, with an
//! origin on loopback and a programmed browser.

mod failures;
mod limits;
mod paths;
mod prerender_interface;
mod purge;
mod refusals;
mod sites;
mod stale;
mod tidy;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use browser::RenderError;
use crawler::testing::WebServer;
use http::{Request, Response};
use http_body_util::Full;
use serde_json::{Value, json};

use crate::testing::*;
use domains::{Domain, DomainStatus};
use platform::jobs::{JobState, LaneLimits, Registry, Worker, WorkerSettings};
use platform::plans::Plan;

const PAGE: &str = "/api/prerender/cache/invalidate-page-cache";
const PATHS: &str = "/api/prerender/cache/invalidate-paths-cache";
const SITE: &str = "/api/prerender/cache/invalidate-site-cache";
const UPDATED: &str = "/api/prerender/cache/invalidate-updated-paths";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Responses of the origin: a status and a body by path; every other path is a page.
#[derive(Clone, Default)]
struct Web(Arc<Mutex<HashMap<String, (u16, String)>>>);

impl Web {
    fn set(&self, path: &str, status: u16, body: &str) {
        self.0.lock().unwrap().insert(path.to_owned(), (status, body.to_owned()));
    }

    fn sitemap(&self, pages: &[(&str, Option<&str>)]) {
        let url = |(path, lastmod): &(&str, Option<&str>)| {
            let lastmod = lastmod.map(|date| format!("<lastmod>{date}</lastmod>")).unwrap_or_default();
            format!("<url><loc>https://shop.example{path}</loc>{lastmod}</url>")
        };
        let urls: String = pages.iter().map(url).collect();
        self.set("/sitemap.xml", 200, &format!("<urlset>{urls}</urlset>"));
    }
}

struct Shop {
    app: TestApp,
    web: Web,
    account: TestAccount,
    domain: Domain,
}

impl Shop {
    async fn post(&self, path: &str, body: Value) -> Reply {
        self.app.post(path).key(&self.account.key).json(body).await
    }

    async fn post_ok(&self, path: &str, mut body: Value) -> Value {
        body["domain"] = json!("shop.example");
        let reply = self.post(path, body).await;
        reply.assert_status(200);
        reply.json()
    }

    /// Runs everything that is due, without the patience that a real origin deserves.
    async fn run_jobs(&self) {
        let state = &self.app.state;
        let lanes = LaneLimits { at_once: 4, per_second: 1_000_000 };
        let settings = WorkerSettings { lanes, ..WorkerSettings::default() };
        let registry = state.refresh.register_renders(state.refresh.register(Registry::default()));
        Worker::new(state.jobs.clone(), registry, Vec::new(), settings).run_until_idle().await;
    }

    async fn crawl(&self, path: &str) -> Reply {
        self.app.crawl(&self.account, &format!("https://shop.example{path}")).await
    }

    fn renders(&self, path: &str) -> usize {
        self.app.renderer.renders(&format!("https://shop.example{path}"))
    }

    fn all_renders(&self) -> usize {
        self.app.renderer.requests().len()
    }

    async fn batch(&self, id: &Value) -> Value {
        let path = format!("/api/prerender/batches/{}", id.as_str().unwrap());
        let reply = self.app.get(&path).key(&self.account.key).await;
        reply.assert_status(200);
        reply.json()
    }

    async fn snapshot_html(&self, path: &str) -> String {
        // Past the five minutes of memory.
        self.app.clock.advance(Duration::from_secs(301));
        self.crawl(path).await.text()
    }
}

async fn on_each_engine(test: impl AsyncFn(Shop)) {
    on_each_engine_with("", test).await;
}

async fn on_each_engine_with(settings: &str, test: impl AsyncFn(Shop)) {
    let web = Web::default();
    let responses = web.clone();
    let server = WebServer::start(move |request: Request<_>| {
        let response = responses.0.lock().unwrap().get(request.uri().path()).cloned();
        async move {
            let (status, body) = response.unwrap_or((200, "<p>a page</p>".to_owned()));
            let response = Response::builder().status(status);
            let response = if status == 429 { response.header("retry-after", "120") } else { response };
            response.body(Full::from(body)).unwrap()
        }
    })
    .await;
    let address = server.address();
    let hosts = format!(
        "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"shop.example\" = \"{address}\", \"app.host.example\" = \"{address}\", \"dead.example\" = \"127.0.0.1:1\" }}\n{settings}"
    );
    TestApp::on_each_engine_with(&hosts, async |app| {
        web.0.lock().unwrap().clear();
        let account = app.account("owner@shop.example", Plan::Enterprise).await;
        let domain = app.domain(&account, "shop.example").await;
        app.set(&domain, |settings| settings.sitemap_url = "https://shop.example/sitemap.xml".into()).await;
        let shop = Shop { app, web: web.clone(), account, domain };
        test(shop).await;
    })
    .await;
}

/// Waits for work that needs no time of the clock.
async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    while !is_so().await {
        assert!(tokio::time::Instant::now() < deadline, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
