//! Tests of data beside a site's pages: other hosts, pictures, other user agents, and stored snapshots.

use crate::testing::*;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Shop, all_issues, issues_of, on_each_engine};
use domains::DomainStatus;

/// Findings that depend on requests beside the pages.
const PROBED: &[&str] = &[
    "HOST_DUPLICATE_WWW",
    "HOST_HTTP_NOT_REDIRECTED",
    "TLS_CERT_EXPIRING",
    "UA_RESPONSE_DIFFERS",
    "AI_BOT_HTTP_BLOCKED",
    "LINK_BROKEN_EXTERNAL",
    "IMG_BROKEN",
];

fn with_picture_and_link(shop: &Shop, picture: &str, link: &str) {
    shop.web.page("/coffee", "Coffee of all kinds", &["/", link]);
    let page = shop.web.pages.lock().unwrap()["/coffee"].clone();
    let picture = format!("<img src=\"{picture}\" alt=\"a cup\" width=\"9\" height=\"9\">");
    shop.web.set("/coffee", &page.replace("</main>", &format!("{picture}</main>")));
}

#[tokio::test]
async fn what_is_wrong_beside_the_pages_is_found() {
    on_each_engine(async |shop| {
        with_picture_and_link(&shop, "/lost.png", "https://hook.example/away");
        shop.web.has_copy.store(true, Ordering::Relaxed);
        shop.web.answers_agent("GPTBot", 403, "no");
        shop.web.answers_agent("Googlebot", 200, "<title>Cheap pills</title><p>Pills and pills");

        let id = shop.audit(json!({})).await;

        let details = shop.details(&id, "").await;
        let found = all_issues(&details);
        for issue in ["HOST_DUPLICATE_WWW", "AI_BOT_HTTP_BLOCKED", "UA_RESPONSE_DIFFERS"] {
            assert!(found.contains(&issue), "{issue} is not among {found:?}");
        }
        let coffee = issues_of(&details, "/coffee");
        assert!(coffee.contains(&"IMG_BROKEN") && coffee.contains(&"LINK_BROKEN_EXTERNAL"), "{coffee:?}");
        let bots = details["run"]["robotsAnalysis"]["bots"].as_array().unwrap();
        let blocked = bots.iter().find(|bot| bot["name"] == "GPTBot").unwrap();
        assert_eq!(blocked["httpStatus"], 403);
    })
    .await;
}

#[tokio::test]
async fn a_sound_site_has_no_findings_beside_its_pages() {
    on_each_engine(async |shop| {
        with_picture_and_link(&shop, "/cup.png", "https://hook.example/away");
        shop.web.set("/cup.png", "a picture");
        shop.web.page("/away", "Another site", &[]);

        let id = shop.audit(json!({})).await;

        let details = shop.details(&id, "").await;
        let found = all_issues(&details);
        assert!(PROBED.iter().all(|issue| !found.contains(issue)), "{found:?}");
        assert!(!shop.web.asked_for("/cup.png").is_empty() && !shop.web.asked_for("/away").is_empty());
        let agents = shop.web.asked_for("/");
        let is_bot =
            |headers: &http::HeaderMap| headers["user-agent"].to_str().unwrap().contains("ClaudeBot");
        assert!(agents.iter().any(is_bot), "nobody asked as an AI crawler");
        assert!(!found.iter().any(|issue| issue.starts_with("SNAPSHOT_")), "{found:?}");
    })
    .await;
}

#[tokio::test]
async fn a_preferred_host_of_the_domain_is_no_second_copy() {
    on_each_engine(async |shop| {
        shop.web.has_copy.store(true, Ordering::Relaxed);
        let apex = Some(domains::PreferredHost::Apex);
        shop.app.set(&shop.domain, |settings| settings.preferred_host = apex).await;
        shop.app.clock.advance(Duration::from_secs(3));

        let id = shop.audit(json!({})).await;

        let details = shop.details(&id, "").await;
        assert!(!all_issues(&details).contains(&"HOST_DUPLICATE_WWW"));
    })
    .await;
}

#[tokio::test]
async fn dates_of_the_sitemap_are_compared_with_what_changed_since_the_run_before() {
    on_each_engine(async |shop| {
        let dated = |day: u32| {
            let url =
                format!("<url><loc>https://shop.example/tea</loc><lastmod>2026-11-{day:02}</lastmod></url>");
            shop.web.set(
                "/sitemap.xml",
                &format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{url}</urlset>"),
            );
        };
        let drifts = async |id: &str| {
            let details = shop.details(id, "limit=1").await;
            let issues = details["run"]["sitemapIssues"].as_array().unwrap().clone();
            issues.iter().any(|issue| issue["issueId"] == "SITEMAP_LASTMOD_DRIFT")
        };
        dated(1);
        let first = shop.audit(json!({})).await;
        let same = shop.audit(json!({})).await;
        dated(2);
        let only_dated = shop.audit(json!({})).await;
        dated(3);
        shop.web.page("/tea", "Tea from other hills", &["/"]);
        let changed = shop.audit(json!({})).await;

        let mut found = Vec::new();
        for id in [first, same, only_dated, changed] {
            found.push(drifts(&id).await);
        }
        assert_eq!(found, [false, false, true, false]);
    })
    .await;
}

/// Requests a page as a crawler, so that a snapshot is stored.
async fn store(shop: &Shop, path: &str, html: &str) {
    shop.app.renderer.answers_html(path, html);
    shop.app.crawl(&shop.account, &format!("https://shop.example{path}")).await.assert_status(200);
}

fn snapshot_issues<'a>(details: &'a Value, path: &str) -> Vec<&'a str> {
    issues_of(details, path).into_iter().filter(|issue| issue.starts_with("SNAPSHOT_")).collect()
}

#[tokio::test]
async fn snapshots_are_compared_with_the_pages() {
    on_each_engine(async |shop| {
        let coffee = shop.web.pages.lock().unwrap()["/coffee"].clone();
        let tea = shop.web.pages.lock().unwrap()["/tea"].clone();
        store(&shop, "/tea", &tea).await;
        store(
            &shop,
            "/coffee",
            "<html><title>Just a moment...</title><body>Checking your browser</body></html>",
        )
        .await;

        let fresh = shop.audit(json!({})).await;
        shop.app.clock.advance(Duration::from_secs(3 * 24 * 3600));
        let stale = shop.audit(json!({})).await;
        shop.patch_auditing(json!({ "javascript": true })).await.assert_status(200);
        shop.app.renderer.answers_html("/tea", &tea.replace("Green and black tea", "Herbs"));
        shop.app.renderer.answers_html("/coffee", &coffee);
        let rendered = shop.audit(json!({})).await;

        let fresh = shop.details(&fresh, "").await;
        assert_eq!(snapshot_issues(&fresh, "/"), ["SNAPSHOT_MISSING"]);
        assert_eq!(snapshot_issues(&fresh, "/tea"), Vec::<&str>::new());
        assert_eq!(snapshot_issues(&fresh, "/coffee"), ["SNAPSHOT_IS_ERROR_PAGE"]);
        let stale = shop.details(&stale, "").await;
        assert_eq!(snapshot_issues(&stale, "/tea"), ["SNAPSHOT_STALE"]);
        let rendered = shop.details(&rendered, "").await;
        assert_eq!(snapshot_issues(&rendered, "/tea"), ["SNAPSHOT_DIFFERS"]);
        assert!(rendered["run"]["crawlStats"]["renderedPages"].as_u64().unwrap() > 0);
    })
    .await;
}

#[tokio::test]
async fn a_domain_that_serves_no_snapshots_misses_none() {
    on_each_engine(async |shop| {
        shop.app.domain_with_status(&shop.account, "pending.example", DomainStatus::Pending).await;
        shop.app.crawl(&shop.account, "https://pending.example/tea").await.assert_status(200);

        let body = json!({ "domain": "pending.example", "urls": ["https://pending.example/"] });
        let id = shop.audit(body).await;

        let details = shop.details(&id, "").await;
        assert!(!all_issues(&details).iter().any(|issue| issue.starts_with("SNAPSHOT_")));
    })
    .await;
}

#[tokio::test]
async fn the_browser_is_told_whose_the_credentials_are() {
    on_each_engine(async |shop| {
        let change = json!({
            "javascript": true, "headers": [{ "name": "x-staging", "value": "hunter2" }],
            "basicAuth": { "username": "anna", "password": "swordfish" },
        });
        shop.patch_auditing(change).await.assert_status(200);

        let id = shop.audit(json!({})).await;

        let run = &shop.details(&id, "").await["run"];
        assert!(run["crawlStats"]["renderedPages"].as_u64().unwrap() > 0, "{run:#}");
        for request in shop.app.renderer.requests() {
            let own = request.own_headers.expect("the audit has credentials");
            assert_eq!(own.hosts, ["shop.example", "www.shop.example"]);
            assert!(!own.plain_http);
            let value = |name: &str| own.headers.iter().find(|(other, _)| other == name).unwrap().1.clone();
            assert_eq!(value("x-staging"), "hunter2");
            assert_eq!(value("authorization"), "Basic YW5uYTpzd29yZGZpc2g=");
            assert!(!format!("{own:?}").contains("hunter2"), "a log would show it");
        }
    })
    .await;
}
