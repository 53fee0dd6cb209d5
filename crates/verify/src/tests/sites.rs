//! Sites on loopback, each with the fault that its name says, and right ones.

use std::collections::BTreeSet;
use std::sync::Mutex;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;

use super::pages::{self, Question};

pub(super) const SHELL: &str = "<!DOCTYPE html><title>Shop</title><link rel=stylesheet href=https://fonts.test/a.css>\
    <div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript><script src=/app.js></script>";
pub(super) const TEXT: &str = "Hand-made shoes of leather and wool, for winter and summer, in all sizes from small to large. \
    We sew them in our own workshop and send them to every place on Earth within three days.";

const LOGIN: &str = "<title>Shop</title><h1>Sign in</h1><form action=/in><input name=mail><button>Sign in</button></form><script src=/app.js></script>";

/// Sites, by the first label of their host: what is wrong with them, and the checks that say so.
pub(super) const SITES: &[(&str, &[&str])] = &[
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
    ("login", &[]),
    ("sent-on", &[]),
    ("article", &[]),
    ("ignored", &[]),
    ("empty-snapshot", &["crawler_snapshot"]),
    ("wrong-key", &["crawler_snapshot"]),
    ("silent-cache", &["person_app", "shared_cache", "double_rendering"]),
    ("silent-app-cache", &["crawler_snapshot", "shared_cache"]),
    ("asked-for-people", &["person_app"]),
    ("asked-for-service", &["double_rendering"]),
    ("people-fail", &["person_app"]),
    ("password", &["firewall"]),
    ("cookie-wall", &["loop"]),
    ("long-chain", &["loop"]),
];

/// Answers as a site behind Glasshouse, or without it, with the fault in its name.
pub(super) async fn answer(request: Request<Incoming>) -> Response<Full<Bytes>> {
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
    let asked = Question {
        fault: &fault,
        host: &host,
        path: request.uri().path(),
        is_crawler,
        is_person: client == "person",
        has_query: request.uri().query().is_some(),
        has_language: !text("accept-language").is_empty(),
    };
    if let Some(answer) = pages::answer(&asked) {
        return answer;
    }
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
        let hop = path.strip_prefix("/hop").and_then(|hop| hop.parse::<u32>().ok()).unwrap_or_default();
        match (self.fault.as_str(), self.client) {
            ("people-fail", "person") => Some(plain(500, "", &[])),
            ("password", _) => Some(plain(401, "", &[("www-authenticate", "Basic")])),
            ("cookie-wall", _) => Some(plain(302, "", &[("location", "/"), ("set-cookie", "seen=1")])),
            ("long-chain", _) => redirect(&format!("/hop{}", hop + 1)),
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
            "login" => return plain(200, LOGIN, &[]),
            "sent-on" => return plain(200, "<meta http-equiv=refresh content='0; url=/a'>", &[]),
            "article" => return plain(200, &article(), &[]),
            "ignored" => {
                let headers = [("x-service-integration", "app; reason=declined")];
                let page = rendered("https://ignored.test/");
                return plain(200, &page, if self.client == "crawler" { &headers } else { &[] });
            }
            "empty-snapshot" => {
                let tier = if self.query.is_some() { "miss" } else { "hit" };
                let headers = [("x-service-render-cache", tier)];
                return plain(200, SHELL, if self.client == "crawler" { &headers } else { &[] });
            }
            "wrong-key" => return self.wrong_key(),
            // Caches that name nothing: one has the snapshot of the page, the other the app. New addresses are in neither.
            "silent-cache" => self.client == "crawler" || self.query.is_none(),
            "silent-app-cache" => self.client == "crawler" && self.query.is_some(),
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
            let is_asked_for =
                self.is("asked-for-people", "person") || self.is("asked-for-service", "service");
            let said = ("x-service-integration", "app; reason=declined");
            let headers = [("vary", "user-agent"), ("age", age), said];
            return plain(200, SHELL, if is_asked_for { &headers } else { &headers[..2] });
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

    /// Answers as an integration with a wrong key, which sends no more requests to the service after the first crawler.
    fn wrong_key(&self) -> Response<Full<Bytes>> {
        static PAUSED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        let is_crawler = self.client == "crawler";
        let reason = match is_crawler && !PAUSED.lock().unwrap().insert(self.host.clone()) {
            false => "app; reason=status-401",
            true => "app; reason=paused",
        };
        let headers = [("x-service-integration", reason)];
        plain(200, SHELL, if is_crawler { &headers } else { &[] })
    }

    /// Answers as an integration that drops the marks of snapshots, behind a cache that ignores the client. The cache
    /// keeps the first page that a crawler requests with a query of none; here the second person gets that page.
    fn unmarked(&self) -> Response<Full<Bytes>> {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static PEOPLE: AtomicUsize = AtomicUsize::new(0);
        let is_first_person =
            self.client == "person" && self.query.is_none() && PEOPLE.fetch_add(1, Ordering::Relaxed) == 0;
        let is_fresh_person = self.client == "person" && self.query.is_some();
        match is_first_person || is_fresh_person || self.client == "service" {
            true => plain(200, SHELL, &[]),
            false => plain(200, &rendered("https://unmarked.test/"), &[]),
        }
    }
}

/// Returns a page about the challenges of firewalls.
fn article() -> String {
    format!(
        "<title>Challenges</title><h1>The page that says Just a moment...</h1><p>{}</p><script src=/app.js></script>",
        TEXT.repeat(5)
    )
}

fn rendered(own: &str) -> String {
    format!(
        "<!DOCTYPE html><title>Shop</title><link rel=canonical href={own}><h1>Shoes</h1><p>{TEXT}</p><script src=/app.js></script>"
    )
}

pub(super) fn plain(status: u16, body: &str, headers: &[(&str, &str)]) -> Response<Full<Bytes>> {
    let mut response = Response::builder().status(status);
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        response = response.header("content-type", "text/html; charset=utf-8");
    }
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(Full::new(Bytes::from(body.to_owned()))).unwrap()
}
