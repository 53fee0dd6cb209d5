//! Each misconfiguration, planted in a site on loopback, and sites on which nothing is wrong.

#![allow(clippy::disallowed_methods, reason = "servers of a test are nobody's background work")]

mod pages;
mod schedule;
mod sites;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler::testing::WebServer;
use http::{HeaderMap, Request};
use hyper::body::Incoming;
use serde_json::json;

use self::pages::PAGE_SITES;
use self::sites::{SITES, answer};
use super::answer::SlowAfter;
use super::model::{ImitatedCrawler, SiteCheckResult, SiteReport, SnapshotExpectation, VerifyTarget};
use super::probes::SiteVerifier;
use crate::testing::*;
use domains::DomainStatus;
use platform::plans::Plan;

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
    let sites = || SITES.iter().chain(PAGE_SITES);
    let names: Vec<String> = sites().map(|(name, _)| format!("{name}.test")).collect();
    let (_server, app) = world(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    // No site here is slow, however loaded the machine is.
    let patient = SlowAfter { first: Duration::MAX, second: Duration::MAX };
    let verifier = SiteVerifier::with_limits(&app.state.platform.network, patient);

    let mut wrong = Vec::new();
    for (name, expected) in sites() {
        let path = if PAGE_SITES.iter().any(|(own, _)| own == name) { "shoes" } else { "" };
        let report = verifier.verify(&target(&format!("https://{name}.test/{path}"))).await.unwrap();

        assert_eq!(report.ok, found(&report).is_empty());
        assert!(report.checks.iter().all(|check| check.ok != check.remedy.is_some()), "{name}");
        if found(&report).iter().collect::<BTreeSet<_>>() != expected.iter().collect() {
            let told = report.checks.iter().filter(|check| !check.ok);
            wrong.push((
                *name,
                *expected,
                told.map(|check| (check.id, check.detail.clone())).collect::<Vec<_>>(),
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns a check of the report of a planted site.
async fn check_of(name: &str, id: &str) -> SiteCheckResult {
    let host = format!("{name}.example");
    let (_server, app) = world(&[&host]).await;
    let report = app.state.site_verifier.verify(&target(&format!("https://{host}/"))).await.unwrap();
    report.checks.into_iter().find(|check| check.id == id).unwrap()
}

#[tokio::test]
async fn a_finding_that_the_usual_remedy_does_not_repair_has_its_own() {
    for (name, id, seen, remedy) in [
        ("fails", "crawler_snapshot", "Everybody gets status 500", "The site itself fails"),
        ("wrong-key", "crawler_snapshot", "reason=status-401", "valid API key"),
        ("empty-snapshot", "crawler_snapshot", "it is empty: 0 words", "glasshouse render URL"),
        ("people-fail", "person_app", "People get status 500", "the site's own server"),
        ("cached", "person_app", "out of a cache (age: 12)", "Repair `shared_cache` first"),
        ("silent-cache", "double_rendering", "out of a cache", "Repair `shared_cache` first"),
        ("password", "firewall", "asks for a password", "Take the password off"),
        ("cookie-wall", "loop", "in circles: https://cookie-wall.example/, with a cookie", "keep no cookies"),
        ("long-chain", "loop", "more than 10 times", "Redirect at once"),
        (
            "upstream",
            "crawler_snapshot",
            "Crawlers get status 502, people 200",
            "does not reach what it sends them to",
        ),
        ("upstream-500", "crawler_snapshot", "Crawlers get status 500", "error log"),
        ("storable", "shared_cache", "s-maxage=600", "No cache has kept anything"),
        ("text-plain", "crawler_snapshot", "text/plain", "Content-Type: text/html"),
        ("refused-snapshot", "firewall", "the site's refusal (status 403)", "the service's browser"),
        ("notice", "same_content", "cookies", "notice"),
        ("refresh-away", "same_content", "https://elsewhere.test/", "redirect (301)"),
        ("two-canonicals", "canonical", "more than one", "one canonical link"),
        ("robots-fails", "robots_txt", "status 503", "/robots.txt"),
    ] {
        let check = check_of(name, id).await;

        assert!(check.detail.contains(seen), "{name}: {check:?}");
        assert!(check.remedy.as_ref().is_some_and(|text| text.contains(remedy)), "{name}: {check:?}");
    }
}

/// Starts a server that answers every connection with these bytes. Returns its address.
async fn speaks(bytes: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 4096]).await.ok();
            tokio::io::AsyncWriteExt::write_all(&mut stream, bytes).await.ok();
        }
    });
    address.to_string()
}

#[tokio::test]
async fn a_site_that_cannot_be_verified_is_told_with_a_plain_reason_and_without_its_private_address() {
    let app = TestApp::with(
        "network.allow_private = [\"127.0.0.0/8\"]\nnetwork.hosts = { \"inside.test\" = \"169.254.9.9\" }\n",
    )
    .await;
    let ssh = speaks(b"SSH-2.0-OpenSSH_9.2\r\n").await;
    let packed =
        speaks(b"HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\ncontent-length: 5\r\n\r\n\x28\xB5\x2F\xFD\x00")
            .await;
    let short = speaks(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx").await;

    for (url, reason) in [
        (format!("http://{ssh}/"), "the answer is no HTTP"),
        (format!("https://{ssh}/"), "it speaks no TLS at this port"),
        (format!("http://{packed}/"), "the body is compressed as \"zstd\", which was not asked for"),
        (format!("http://{short}/"), "the connection was closed before the answer was complete"),
        (
            "http://inside.test/".to_owned(),
            "its address is private or reserved, which `network.allow_private` does not allow",
        ),
    ] {
        let error = app.state.site_verifier.verify(&target(&url)).await.unwrap_err();

        assert_eq!(error.to_string(), format!("{url} cannot be verified: {reason}"));
    }
}

#[tokio::test]
async fn a_site_that_answers_over_http_alone_is_verified_there() {
    let server = WebServer::start(answer).await;
    let app = TestApp::with("network.allow_private = [\"127.0.0.0/8\"]\n").await;
    let url = |scheme: &str| format!("{scheme}://{}/", server.address());
    let target = VerifyTarget { otherwise: Some(url("http").parse().unwrap()), ..target(&url("https")) };

    let report = app.state.site_verifier.verify(&target).await.unwrap();

    assert_eq!(report.url, url("http"));
}

#[tokio::test]
async fn crawlers_of_a_connected_domain_must_get_snapshots_unless_its_settings_say_otherwise() {
    let (_server, app) = world(&["without.test"]).await;
    let expecting = |expects| VerifyTarget { expects, ..target("https://without.test/") };

    for (expects, remedy) in [
        (SnapshotExpectation::Unknown, None),
        (SnapshotExpectation::IgnoredPath, None),
        (SnapshotExpectation::Snapshot, Some("Send crawlers' requests")),
        (SnapshotExpectation::StoredSnapshot, Some("switch rendering on demand on")),
    ] {
        let report = app.state.site_verifier.verify(&expecting(expects)).await.unwrap();

        let check = &report.checks[0];
        assert_eq!(check.ok, remedy.is_none(), "{expects:?}: {check:?}");
        assert!(remedy.is_none_or(|text| check.remedy.as_ref().unwrap().contains(text)), "{check:?}");
        assert!(remedy.is_none() || check.detail.contains("no snapshot of Glasshouse"), "{check:?}");
    }
}

#[tokio::test]
async fn the_settings_of_a_domain_say_what_its_crawlers_should_get() {
    let (_server, app) = world(&["without.example"]).await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let domain = app.domain(&account, "without.example").await;
    let key = app.key(&account.id, None).await;
    app.set(&domain, |settings| settings.ignore_paths = "/cart".to_owned()).await;
    let first_check = async |path: &str| {
        let report =
            app.post("/api/domains/without.example/verify").key(&key).json(json!({ "path": path })).await;
        report.json()["checks"][0].clone()
    };

    let (page, ignored) = (first_check("/").await, first_check("/cart").await);
    app.set_rendering(&domain, |rendering| rendering.verified_crawlers_only = true).await;
    let verified_only = first_check("/").await;

    assert_eq!(page["ok"], json!(false), "{page}");
    for (check, said) in [(ignored, "ignored paths"), (verified_only, "only verified crawlers")] {
        assert_eq!(check["ok"], json!(true), "{check}");
        assert!(check["detail"].as_str().unwrap().contains(said), "{check}");
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
async fn a_site_that_no_check_has_proven_is_asked_sixty_times_an_hour_whoever_asks() {
    let asked = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = asked.clone();
    let server = WebServer::start(move |request: Request<Incoming>| {
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        answer(request)
    })
    .await;
    let app = TestApp::with(&format!(
        "network.allow_private = [\"127.0.0.0/8\"]\nnetwork.hosts = {{ \"right.example\" = \"{0}\", \"without.example\" = \"{0}\" }}\n",
        server.address()
    ))
    .await;
    let mut owners = Vec::new();
    for number in 0..3 {
        let owner = app.account(&format!("owner{number}@shop.example"), Plan::Agency).await;
        app.domain_with_status(&owner, "right.example", DomainStatus::Pending).await;
        owners.push(owner);
    }
    let ask = async |owner: usize, host: &str| {
        let path = format!("/api/domains/{host}/verify");
        app.post(&path).key(&owners[owner].key).await.status.as_u16()
    };

    let mut answers = Vec::new();
    for number in 0..9 {
        answers.push(ask(number % 3, "right.example").await);
    }
    let in_an_hour = asked.load(std::sync::atomic::Ordering::Relaxed);
    app.domain(&owners[0], "without.example").await;
    let proven = ask(0, "without.example").await;
    app.clock.advance(Duration::from_secs(3601));

    assert_eq!((answers[0], answers[8], proven), (200, 429, 200), "{answers:?}");
    assert!((50..=60).contains(&in_an_hour), "{in_an_hour}");
    assert_eq!(ask(1, "right.example").await, 200);
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
    let expecting = |expects| VerifyTarget { expects, ..target("https://shell.test/") };
    let verified_only = expecting(SnapshotExpectation::VerifiedCrawlersOnly);
    let ignored = expecting(SnapshotExpectation::IgnoredPath);
    let no_query =
        VerifyTarget { query_parameters: Some(Vec::new()), ..target("https://query-ignored.test/") };

    for target in [verified_only, ignored, no_query] {
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
    let away = app.post("/api/domains/away.example/verify").key(&key).await;
    assert!(away.json()["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{:?}", away.json());
    away.assert_error(400, "fetch_failed");
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
