//! Each misconfiguration, planted in a site on loopback, and sites on which nothing is wrong.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use crawler::testing::WebServer;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::json;

use super::answer::SlowAfter;
use super::model::{ImitatedCrawler, SiteReport, VerifyTarget};
use super::probes::SiteVerifier;
use crate::accounts::Plan;
use crate::testing::TestApp;

const SHELL: &str = "<!DOCTYPE html><title>Shop</title><link rel=stylesheet href=https://fonts.test/a.css>\
    <div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript><script src=/app.js></script>";
const TEXT: &str = "Hand-made shoes of leather and wool, for winter and summer, in all sizes from small to large. \
    We sew them in our own workshop and send them to every place on Earth within three days.";

/// Sites, by the first label of their host: what is wrong with them, and the checks that say so.
const SITES: &[(&str, &[&str])] = &[
    ("right", &[]),
    ("without", &[]),
    ("shell", &["crawler_snapshot"]),
    ("fails", &["crawler_snapshot"]),
    ("people", &["person_app"]),
    ("cached", &["person_app", "shared_cache"]),
    ("cached-app", &["crawler_snapshot", "shared_cache"]),
    ("storable", &["shared_cache"]),
    ("unmarked", &["shared_cache"]),
    ("circle", &["loop"]),
    ("origin-is-edge", &["loop"]),
    ("twice", &["double_rendering"]),
    ("two-marks", &["double_rendering"]),
    ("query-ignored", &["query"]),
    ("query-redirected", &["query"]),
    ("soft-404", &["missing_page"]),
    ("home-for-missing", &["missing_page"]),
    ("origin-host", &["host"]),
    ("misdirected", &["host"]),
    ("elsewhere", &["host"]),
    ("plain-address", &["scheme"]),
    ("downgraded", &["scheme"]),
    ("forbidden", &["firewall"]),
    ("challenge", &["firewall"]),
    ("asset", &["asset"]),
    ("asset-html", &["asset"]),
    ("head", &["head"]),
];

/// A site behind Glasshouse, or without it, with the fault that its name says.
async fn answer(request: Request<Incoming>) -> Response<Full<Bytes>> {
    let text =
        |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let host = text("host").to_owned();
    let fault = host.split('.').next().unwrap_or_default().to_owned();
    let agent = text("user-agent");
    let is_crawler = agent.contains("Googlebot");
    let client = if is_crawler {
        "crawler"
    } else if agent.contains("Glasshouse/") {
        "service"
    } else {
        "person"
    };
    let visit = Visit { fault, host, client, query: request.uri().query().map(str::to_owned) };
    if let Some(special) = visit.special(request.method(), request.uri().path()) {
        return special;
    }
    visit.page()
}

struct Visit {
    fault: String,
    host: String,
    client: &'static str,
    query: Option<String>,
}

impl Visit {
    fn is(&self, fault: &str, client: &str) -> bool {
        self.fault == fault && self.client == client
    }

    /// Answers what is not just the page.
    fn special(&self, method: &Method, path: &str) -> Option<Response<Full<Bytes>>> {
        let redirect = |to: &str| Some(plain(302, "", &[("location", to)]));
        if path == "/app.js" {
            return Some(match (self.fault.as_str(), self.client) {
                ("asset", "crawler") => plain(200, "<p>x", &[("x-service-render-cache", "miss")]),
                ("asset-html", "crawler") => plain(200, "<p>x", &[]),
                _ => plain(200, "run()", &[("content-type", "text/javascript")]),
            });
        }
        if path.starts_with("/glasshouse-verify-") {
            return match (self.fault.as_str(), self.client) {
                ("soft-404", _) => None,
                ("home-for-missing", _) => redirect("/"),
                // Nobody has asked for it, so that no cache has it.
                ("cached-app", "crawler") => Some(plain(404, "", &[("x-service-render-cache", "miss")])),
                _ => Some(plain(404, "", &[])),
            };
        }
        match (self.fault.as_str(), self.client) {
            ("circle", _) => redirect("/"),
            ("origin-is-edge", "crawler") => Some(plain(508, "", &[])),
            ("misdirected", "crawler") => Some(plain(421, "", &[])),
            ("elsewhere", "crawler") => redirect("https://origin.test/"),
            ("fails", _) => Some(plain(500, "", &[])),
            ("forbidden", "crawler") => Some(plain(403, "", &[("server", "cloudflare")])),
            ("challenge", "crawler") => Some(plain(503, "<title>Just a moment...</title>", &[])),
            ("head", "crawler") if method == Method::HEAD => Some(plain(405, "", &[])),
            ("query-redirected", "crawler") if self.query.is_some() => redirect("/"),
            ("downgraded", "crawler") if path == "/" => {
                redirect(&format!("http://{}/plain?{}", self.host, self.query.as_deref().unwrap_or_default()))
            }
            _ => None,
        }
    }

    fn page(&self) -> Response<Full<Bytes>> {
        let gets_snapshot = match self.fault.as_str() {
            "without" => return plain(200, &rendered("https://without.test/"), &[]),
            "shell" | "cached-app" => false,
            "people" | "cached" => self.client != "service",
            "twice" => self.client != "person",
            _ => self.client == "crawler",
        };
        if self.fault == "unmarked" {
            return self.unmarked();
        }
        if !gets_snapshot {
            let age = if self.fault == "cached-app" { "77" } else { "0" };
            return plain(200, SHELL, &[("vary", "user-agent"), ("age", age)]);
        }
        let own = match self.fault.as_str() {
            "origin-host" => "https://shop.internal.test/".to_owned(),
            "plain-address" => format!("http://{}/", self.host),
            _ => format!("https://{}/", self.host),
        };
        let tier = match (self.query.is_some(), self.fault.as_str()) {
            (true, "query-ignored") => "edge-hit",
            (true, _) => "miss",
            (false, "two-marks") => "hit, hit",
            _ => "hit",
        };
        let control = if self.fault == "storable" { "s-maxage=600" } else { "no-cache" };
        let age = if self.is("cached", "person") { "12" } else { "0" };
        let headers = [("x-service-render-cache", tier), ("cache-control", control), ("age", age)];
        plain(200, &rendered(&own), &headers)
    }

    /// An integration that drops the marks of snapshots, behind a cache that says nothing. The cache keeps the first page that
    /// a crawler asks for with a query of none; here the second person is given it.
    fn unmarked(&self) -> Response<Full<Bytes>> {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static PEOPLE: AtomicUsize = AtomicUsize::new(0);
        let is_first_person = self.client == "person" && PEOPLE.fetch_add(1, Ordering::Relaxed) == 0;
        match is_first_person || self.client == "service" {
            true => plain(200, SHELL, &[]),
            false => plain(200, &rendered("https://unmarked.test/"), &[]),
        }
    }
}

fn rendered(own: &str) -> String {
    format!(
        "<!DOCTYPE html><title>Shop</title><link rel=canonical href={own}><h1>Shoes</h1><p>{TEXT}</p><script src=/app.js></script>"
    )
}

fn plain(status: u16, body: &str, headers: &[(&str, &str)]) -> Response<Full<Bytes>> {
    let mut response = Response::builder().status(status);
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        response = response.header("content-type", "text/html; charset=utf-8");
    }
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(Full::new(Bytes::from(body.to_owned()))).unwrap()
}

fn found(report: &SiteReport) -> Vec<&'static str> {
    report.checks.iter().filter(|check| !check.ok).map(|check| check.id).collect()
}

async fn world(names: &[&str]) -> (WebServer, TestApp) {
    let server = WebServer::start(answer).await;
    let address = server.address();
    let hosts: Vec<String> = names.iter().map(|name| format!("\"{name}\" = \"{address}\"")).collect();
    let settings =
        format!("network.allow_private = [\"127.0.0.0/8\"]\nnetwork.hosts = {{ {} }}\n", hosts.join(", "));
    (server, TestApp::with(&settings).await)
}

fn target(url: &str) -> VerifyTarget {
    VerifyTarget::new(url.parse().unwrap(), ImitatedCrawler::named("googlebot").unwrap())
}

#[tokio::test]
async fn each_misconfiguration_is_found_and_nothing_on_right_sites() {
    let names: Vec<String> = SITES.iter().map(|(name, _)| format!("{name}.test")).collect();
    let (_server, app) = world(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    // No site here is slow, however loaded the machine is.
    let patient = SlowAfter { first: Duration::MAX, second: Duration::MAX };
    let verifier = SiteVerifier::with_limits(&app.state.platform.network, patient);

    for (name, expected) in SITES {
        let report = verifier.verify(&target(&format!("https://{name}.test/"))).await.unwrap();

        assert_eq!(found(&report), *expected, "{name}: {report:#?}");
        assert_eq!(report.ok, expected.is_empty());
        assert!(report.checks.iter().all(|check| check.ok != check.remedy.is_some()), "{name}");
    }
}

#[tokio::test]
async fn every_question_of_the_service_is_marked_for_its_host_and_one_of_the_command_is_not() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    let server = WebServer::start(move |request: Request<Incoming>| {
        seen.lock().unwrap().push(request.headers().clone());
        answer(request)
    })
    .await;
    let app = TestApp::with(&format!(
        "network.allow_private = [\"127.0.0.0/8\"]\nnetwork.hosts = {{ \"right.test\" = \"{}\" }}\n",
        server.address()
    ))
    .await;
    let target = target("https://right.test/");
    let now = app.clock.now();
    let marked = |headers: &HeaderMap| app.state.probe_marks.are_in(headers, "right.test", now);

    app.state.site_verifier.verify(&target).await.unwrap();
    let of_service = std::mem::take(&mut *asked.lock().unwrap());
    SiteVerifier::new(&app.state.platform.network).verify(&target).await.unwrap();
    let of_command = asked.lock().unwrap();

    assert!(of_service.len() >= 9 && of_service.iter().all(marked), "{of_service:?}");
    assert!(of_command.len() >= 9 && !of_command.iter().any(marked));
}

#[tokio::test]
async fn an_answer_that_takes_longer_than_crawlers_wait_is_slow() {
    let (_server, app) = world(&["right.test"]).await;
    let impatient = SlowAfter { first: Duration::MAX, second: Duration::ZERO };
    let verifier = SiteVerifier::with_limits(&app.state.platform.network, impatient);

    let report = verifier.verify(&target("https://right.test/")).await.unwrap();

    assert_eq!(found(&report), ["speed"]);
}

#[tokio::test]
async fn the_remedy_is_that_of_the_platform() {
    let (_server, app) = world(&["forbidden.test"]).await;

    let report = app.state.site_verifier.verify(&target("https://forbidden.test/")).await.unwrap();

    let firewall = report.checks.iter().find(|check| check.id == "firewall").unwrap();
    assert_eq!(report.platform, Some("Cloudflare"));
    assert!(firewall.detail.contains("Googlebot gets status 403"), "{}", firewall.detail);
    assert!(firewall.remedy.as_ref().unwrap().contains("Security > Bots"), "{firewall:?}");
}

#[tokio::test]
async fn what_the_domains_settings_leave_out_is_not_judged() {
    let (_server, app) = world(&["shell.test", "query-ignored.test"]).await;
    let verified_only = VerifyTarget { verified_crawlers_only: true, ..target("https://shell.test/") };
    let no_query =
        VerifyTarget { query_parameters: Some(Vec::new()), ..target("https://query-ignored.test/") };

    for target in [verified_only, no_query] {
        let report = app.state.site_verifier.verify(&target).await.unwrap();

        assert!(report.ok, "{report:#?}");
        assert!(report.checks.iter().any(|check| check.detail.starts_with("Not judged")), "{report:#?}");
    }
}

#[tokio::test]
async fn the_report_of_a_domain_says_what_is_wrong_and_refusals_come_in_their_order() {
    let server = WebServer::start(answer).await;
    let address = server.address();
    let app = TestApp::with(&format!(
        "network.allow_private = [\"127.0.0.0/8\"]\nnetwork.hosts = {{ \"shell.example\" = \"{address}\" }}\n"
    ))
    .await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.domain(&account, "shell.example").await;
    app.domain(&account, "away.example").await;
    let (key, other) = (app.key(&account.id, None).await, app.key(&account.id, Some("other.example")).await);
    let path = "/api/domains/shell.example/verify";

    app.post(path).body("{").await.assert_error(401, "invalid_api_key");
    app.deactivate(&account).await;
    app.post(path).key(&other).body("{").await.assert_error(402, "subscription_required");
    app.state.accounts.set_active(&account.email, true).await.unwrap();
    app.post(path).key(&other).json(json!({ "path": "x" })).await.assert_error(400, "invalid_request");
    app.post(path).key(&other).json(json!({})).await.assert_error(403, "api_key_domain_scope_mismatch");
    app.post(path).key(&key).json(json!({ "as": "nobody" })).await.assert_error(400, "invalid_request");
    app.post("/api/domains/nobody.example/verify").key(&key).await.assert_error(404, "not_found");
    app.post("/api/domains/away.example/verify").key(&key).await.assert_error(400, "fetch_failed");
    let report = app.post(path).key(&key).json(json!({ "path": "/?a=b" })).await;

    let first = &report.json()["checks"][0];
    assert_eq!((&first["id"], &first["ok"]), (&json!("crawler_snapshot"), &json!(false)));
    assert!(first["remedy"].is_string() && first["detail"].as_str().unwrap().contains("words"), "{first}");
    report.assert(200, json!({ "ok": false, "platform": null, "url": "https://shell.example/?a=b" }));
}

#[tokio::test]
async fn a_seventh_verification_in_a_minute_is_refused() {
    let (_server, app) = world(&["right.test"]).await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let key = app.key(&account.id, None).await;
    let ask = || app.post("/api/domains/nobody.example/verify").key(&key);

    for _ in 0..6 {
        ask().await.assert_error(404, "not_found");
    }

    ask().await.assert_error(429, "rate_limited");
}

#[test]
fn crawlers_that_cannot_be_imitated_are_refused_with_the_names_of_others() {
    for (name, said) in
        [("nobody", "there is no crawler \"nobody\""), ("chatgpt-agent", "no user agent of its own")]
    {
        let error = ImitatedCrawler::named(name).unwrap_err().to_string();

        assert!(error.contains(said) && error.contains("perplexitybot"), "{error}");
    }
    assert_eq!(ImitatedCrawler::named("GPTBot").unwrap().user_agent, "Mozilla/5.0 (compatible; GPTBot/1.0)");
}

#[test]
fn an_answer_is_html_by_its_media_type() {
    let says = |value: &'static str| {
        super::answer::says_html(&HeaderMap::from_iter([(
            http::header::CONTENT_TYPE,
            http::HeaderValue::from_static(value),
        )]))
    };

    assert!(says("Text/HTML; charset=utf-8") && says("application/xhtml+xml"));
    assert!(!says("text/javascript") && !says("application/json; note=text/html"));
}
