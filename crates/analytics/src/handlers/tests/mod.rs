//! Tests of the four reports and of the public token, over HTTP.

mod further;
mod logs;
mod over_time;
mod policy;
mod told;

use std::io::Read as _;

use serde_json::{Value, json};

use crate::testing::*;
use crate::{CrawlerIndex, ServedBy, Verified, Visit};
use domains::Domain;
use platform::clock::Timestamp;
use platform::plans::Plan;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const REPORTS: [&str; 5] = [
    "/api/analytics/bots?",
    "/api/analytics/bots/daily?",
    "/api/analytics/bots/summary?",
    "/api/analytics/page-insights?url=https%3A%2F%2Fshop.example%2Fa&",
    "/api/analytics/badge.svg?",
];

struct Shop {
    app: TestApp,
    account: TestAccount,
    domain: Domain,
}

/// Makes a visit with default values.
fn visit(shop: &Shop, days_ago: i64, path: &str, user_agent: &str) -> Visit {
    Visit {
        domain: shop.domain.id.clone(),
        path: path.into(),
        crawler: CrawlerIndex::shared().identify(user_agent).expect("a crawler"),
        verified: Verified::Unknown,
        served: ServedBy::Cache,
        status: 200,
        at: Timestamp::from_millis(shop.app.clock.now().as_millis() - days_ago * DAY_MS),
        duration: std::time::Duration::from_millis(2),
    }
}

impl Shop {
    async fn on_each_store(test: impl AsyncFn(&Shop)) {
        TestApp::on_each_visit_store(async |app| {
            let account = app.account("a@shop.example", Plan::Agency).await;
            let domain = app.domain(&account, "shop.example").await;
            app.state.start();
            test(&Shop { app, account, domain }).await;
        })
        .await;
    }

    async fn record(&self, visits: impl IntoIterator<Item = Visit>) {
        for visit in visits {
            self.app.state.recorder.record(visit);
        }
        self.app.state.recorder.flush().await;
    }

    fn get(&self, path: &str) -> TestRequest {
        self.app.get(path).key(&self.account.key)
    }

    async fn token(&self) -> String {
        let reply = self.app.post("/api/domains/shop.example/stats-token").key(&self.account.key).await;
        reply.assert_status(201);
        reply.json()["token"].as_str().expect("a token").to_owned()
    }
}

fn names(list: &Value, fields: [&str; 2]) -> Vec<(String, String, u64)> {
    let rows = list.as_array().expect("a list").iter();
    rows.map(|row| {
        let text = |field: &str| row[field].as_str().expect("a text").to_owned();
        (text(fields[0]), text(fields[1]), row["count"].as_u64().expect("a count"))
    })
    .collect()
}

fn row(path: &str, name: &str, count: u64) -> (String, String, u64) {
    (path.to_owned(), name.to_owned(), count)
}

#[tokio::test]
async fn bots_lists_pages_by_provider_and_by_way() {
    Shop::on_each_store(async |shop| {
        let rendered = Visit { served: ServedBy::Render, ..visit(shop, 1, "/a", "GPTBot/1.2") };
        let spoofed = Visit { verified: Verified::No, ..visit(shop, 0, "/a", "GPTBot/1.2") };
        let origin = Visit { served: ServedBy::Origin, ..visit(shop, 0, "/a", "GPTBot/1.2") };
        let too_old = visit(shop, 31, "/a", "GPTBot/1.2");
        let oldest = visit(shop, 30, "/b", "bingbot/2.0");
        shop.record([visit(shop, 0, "/a", "GPTBot/1.2"), rendered, spoofed, origin, too_old, oldest]).await;

        let reply = shop.get("/api/analytics/bots?domain=shop.example").await.json();
        let with_origin = shop.get("/api/analytics/bots?domain=shop.example&include=origin").await.json();

        assert_eq!(
            names(&reply["byProvider"], ["path", "provider"]),
            [row("/a", "openai", 2), row("/b", "bing", 1)]
        );
        assert_eq!(
            names(&reply["byServedBy"], ["path", "servedBy"]),
            [row("/a", "cache", 1), row("/a", "render", 1), row("/b", "cache", 1)]
        );
        assert_eq!(names(&with_origin["byProvider"], ["path", "provider"])[0].2, 3);
    })
    .await;
}

#[tokio::test]
async fn a_long_list_of_pages_comes_packed_to_those_who_take_it() {
    let app = TestApp::new().await;
    let account = app.account("a@shop.example", Plan::Agency).await;
    let domain = app.domain(&account, "shop.example").await;
    app.state.start();
    let shop = Shop { app, account, domain };
    let visits: Vec<_> = (0..200).map(|page| visit(&shop, 0, &format!("/{page}"), "GPTBot/1.2")).collect();
    shop.record(visits).await;
    let list = |encodings: &'static str, query: &str| {
        shop.get(&format!("/api/analytics/bots?domain=shop.example{query}"))
            .header("accept-encoding", encodings)
    };

    let (plain, packed) = (list("br, gzip;q=0", "").await, list("gzip", "").await);

    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(packed.body.as_ref()).read_to_end(&mut unpacked).unwrap();
    assert_eq!((packed.header("content-encoding"), plain.header("content-encoding")), ("gzip", ""));
    assert!(unpacked == plain.body && packed.body.len() * 4 < plain.body.len());
    for reply in [&plain, &packed, &list("gzip", "&path=/1").await] {
        let headers =
            ["content-type", "vary", "cache-control", "referrer-policy"].map(|name| reply.header(name));
        assert_eq!(headers, ["application/json", "accept-encoding", "private, no-store", "no-referrer"]);
    }
    assert_eq!(list("gzip", "&path=/1").await.header("content-encoding"), "");
}

#[tokio::test]
async fn bots_are_narrowed_by_dates_path_and_search() {
    Shop::on_each_store(async |shop| {
        shop.record([
            visit(shop, 0, "/Tea/green", "GPTBot/1.2"),
            visit(shop, 3, "/tea", "GPTBot/1.2"),
            visit(shop, 0, "/coffee", "GPTBot/1.2"),
            visit(shop, 0, "/%C3%9Cber-uns", "GPTBot/1.2"),
        ])
        .await;
        let paths = async |query: &str| {
            let reply = shop.get(&format!("/api/analytics/bots?domain=shop.example&{query}")).await.json();
            let rows = names(&reply["byProvider"], ["path", "provider"]);
            rows.into_iter().map(|(path, _, _)| path).collect::<Vec<_>>()
        };

        assert_eq!(paths("search=tEa").await, ["/Tea/green", "/tea"]);
        assert_eq!(paths("search=%C3%BCber").await, ["/%C3%9Cber-uns"]);
        assert_eq!(paths("path=/tea").await, ["/tea"]);
        assert_eq!(paths("path=/tea%3Fsize=2%23top").await, ["/tea"]);
        assert_eq!(paths("path=/%C3%9Cber-uns").await, ["/%C3%9Cber-uns"]);
        assert_eq!(paths("path=/unknown").await, [""; 0]);
        assert_eq!(paths("from=2026-11-17&to=2026-11-17").await, ["/tea"]);
        assert_eq!(paths("to=2026-11-19").await, ["/tea"]);
    })
    .await;
}

#[tokio::test]
async fn daily_has_every_day_of_the_window_and_ends_today() {
    Shop::on_each_store(async |shop| {
        shop.record([visit(shop, 0, "/a", "GPTBot/1.2"), visit(shop, 2, "/a", "GPTBot/1.2")]).await;

        let three = shop.get("/api/analytics/bots/daily?domain=shop.example&days=3").await;
        let thirty = shop.get("/api/analytics/bots/daily?domain=shop.example").await.json();

        let openai = json!([{ "provider": "openai", "count": 1 }]);
        three.assert(
            200,
            json!({ "daily": [
                { "date": "2026-11-18", "total": 1, "providers": openai },
                { "date": "2026-11-19", "total": 0, "providers": [] },
                { "date": "2026-11-20", "total": 1, "providers": openai },
            ] }),
        );
        assert_eq!(thirty["daily"].as_array().unwrap().len(), 30);
    })
    .await;
}

#[tokio::test]
async fn the_summary_names_the_top_and_counts_new_pages() {
    Shop::on_each_store(async |shop| {
        let rendered = |days, path| Visit {
            served: ServedBy::Render,
            duration: std::time::Duration::from_secs(2),
            ..visit(shop, days, path, "Googlebot/2.1")
        };
        shop.record([rendered(40, "/old"), rendered(0, "/old"), rendered(1, "/new")]).await;
        shop.record((0..60).map(|_| visit(shop, 0, "/new", "GPTBot/1.2"))).await;

        let reply = shop.get("/api/analytics/bots/summary?domain=shop.example").await;

        reply.assert(
            200,
            json!({
                "topSearchCrawler": { "provider": "google", "count": 2 },
                "topLlmCrawler": { "provider": "openai", "count": 60 },
                "newPagesCrawled": 1, "totalPagesCrawled": 2, "totalCrawlsServed": 62,
                "crawlBudgetSaved": { "percentage": 96.8, "minutesSaved": 2.0, "cacheHits": 60 },
            }),
        );
    })
    .await;
}

#[tokio::test]
async fn a_late_visit_makes_a_page_older() {
    Shop::on_each_store(async |shop| {
        let new = async || {
            let reply = shop.get("/api/analytics/bots/summary?domain=shop.example&days=5").await;
            reply.json()["newPagesCrawled"].as_u64()
        };
        shop.record([visit(shop, 0, "/a", "GPTBot/1.2")]).await;
        let before = new().await;

        shop.record([visit(shop, 20, "/a", "GPTBot/1.2")]).await;

        assert_eq!((before, new().await), (Some(1), Some(0)));
    })
    .await;
}

#[tokio::test]
async fn nothing_visited_is_zeros_and_nulls() {
    Shop::on_each_store(async |shop| {
        let reply = shop.get("/api/analytics/bots/summary?domain=shop.example").await;

        reply.assert(
            200,
            json!({ "topSearchCrawler": null, "topLlmCrawler": null, "newPagesCrawled": 0,
                "crawlBudgetSaved": { "percentage": 0.0, "minutesSaved": 0.0, "cacheHits": 0 } }),
        );
    })
    .await;
}

#[tokio::test]
async fn page_insights_are_about_one_path() {
    Shop::on_each_store(async |shop| {
        shop.record([visit(shop, 0, "/a", "GPTBot/1.2"), visit(shop, 0, "/b", "GPTBot/1.2")]).await;
        let path = "/api/analytics/page-insights?domain=shop.example&url=https%3A%2F%2Fwww.shop.example%2Fa%3Fx%3D1&days=2";

        let reply = shop.get(path).await;

        reply.assert(
            200,
            json!({
                "url": "https://www.shop.example/a?x=1", "domain": "shop.example", "path": "/a",
                "window": { "days": 2, "from": "2026-11-19T00:00:00.000Z", "to": "2026-11-20T12:00:00.000Z" },
                "crawlerVisits": { "total": 1, "byProvider": [{ "provider": "openai", "count": 1 }],
                    "byServedBy": [{ "servedBy": "cache", "count": 1 }] },
                "seoSpider": { "latestRun": null, "page": { "found": false, "issueCount": 0, "issues": [] } },
            }),
        );
    })
    .await;
}

#[tokio::test]
async fn page_insights_name_the_domain_as_its_record_does() {
    let app = TestApp::new().await;
    let account = app.account("a@shop.example", Plan::Agency).await;
    app.domain(&account, "shop.example").await;
    let path = "/api/analytics/page-insights?domain=WWW.shop.example&url=https%3A%2F%2Fwww.shop.example%2Fa";

    let reply = app.get(path).key(&account.key).await;

    assert_eq!(reply.json()["domain"], "shop.example");
}

#[tokio::test]
async fn a_page_that_is_not_on_the_domain_is_refused_before_the_domain_is_looked_up() {
    let app = TestApp::new().await;
    let account = app.account("a@shop.example", Plan::Agency).await;
    let path = |host: &str| {
        format!("/api/analytics/page-insights?domain=foreign.example&url=https%3A%2F%2F{host}%2Fa")
    };

    let elsewhere = app.get(&path("other.example")).key(&account.key).await;
    let there = app.get(&path("www.foreign.example")).key(&account.key).await;

    elsewhere.assert_error(400, "invalid_request");
    there.assert_error(403, "domain_not_owned");
}

#[tokio::test]
async fn every_bound_of_a_parameter_is_400() {
    Shop::on_each_store(async |shop| {
        let long = |length| "x".repeat(length);
        let wrong = [
            "/api/analytics/bots".to_owned(),
            "/api/analytics/bots/daily?domain=shop.example&days=0".to_owned(),
            "/api/analytics/bots/daily?domain=shop.example&days=181".to_owned(),
            "/api/analytics/bots/summary?domain=shop.example&days=x".to_owned(),
            "/api/analytics/bots?domain=shop.example&from=2026-11-31".to_owned(),
            "/api/analytics/bots?domain=shop.example&from=2026-11-20&to=2026-11-19".to_owned(),
            "/api/analytics/bots?domain=shop.example&include=all".to_owned(),
            format!("/api/analytics/bots?domain=shop.example&search={}", long(501)),
            format!("/api/analytics/bots?domain=shop.example&path=/{}", long(1024)),
            "/api/analytics/page-insights?domain=shop.example".to_owned(),
            "/api/analytics/page-insights?domain=shop.example&url=/a".to_owned(),
            "/api/analytics/page-insights?domain=shop.example&url=https%3A%2F%2Fother.example%2Fa".to_owned(),
            "/api/analytics/page-insights?url=https%3A%2F%2Fshop.example%2Fa".to_owned(),
        ];

        for path in &wrong {
            let reply = shop.get(path).await;
            assert_eq!(reply.status, 400, "{path}: {}", reply.text());
            reply.assert_error(400, "invalid_request");
        }
        let at_the_bound = format!("/api/analytics/bots?domain=shop.example&search={}", long(500));
        shop.get(&at_the_bound).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_session_reads_on_every_plan_and_a_key_needs_pro() {
    let app = TestApp::new().await;
    let account = app.account("a@shop.example", Plan::Essential).await;
    app.domain(&account, "shop.example").await;
    let session = app.sign_in(&account).await;

    for report in REPORTS {
        let path = format!("{report}domain=shop.example");
        app.get(&path).session(&session).await.assert_status(200);
        let refused = app.get(&path).key(&account.key).await;
        refused.assert(403, json!({ "error": "plan_required", "requiredPlan": "agency" }));
    }
}

#[tokio::test]
async fn a_domain_of_somebody_else_is_not_told_from_none() {
    let app = TestApp::new().await;
    let (owner, stranger) =
        (app.account("a@x.example", Plan::Agency).await, app.account("b@x.example", Plan::Agency).await);
    app.domain(&owner, "shop.example").await;
    let scoped = app.key(&owner.id, Some("other.example")).await;

    for report in REPORTS {
        let path = format!("{report}domain=shop.example");
        app.get(&path).key(&stranger.key).await.assert_error(403, "domain_not_owned");
        app.get(&path).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
    }
    let nonsense = app.get("/api/analytics/bots?domain=%21").key(&owner.key).await;
    nonsense.assert_error(403, "domain_not_owned");
}

#[tokio::test]
async fn a_public_token_opens_its_domain_from_query_and_header() {
    Shop::on_each_store(async |shop| {
        shop.record([visit(shop, 0, "/a", "GPTBot/1.2")]).await;
        let other = shop.app.account("b@x.example", Plan::Business).await;
        shop.app.domain(&other, "other.example").await;
        let token = shop.token().await;

        for report in REPORTS {
            shop.app.get(&format!("{report}token={token}")).await.assert_status(200);
            let header = shop.app.get(report).header("x-service-public-stats-token", &token).await;
            header.assert_status(200);
            let elsewhere = shop.app.get(&format!("{report}token={token}&domain=other.example"));
            let elsewhere: Reply = elsewhere.key(&other.key).await;
            elsewhere.assert_error(403, "domain_not_owned");
        }
        let foreign = shop.app.get(&format!("/api/analytics/bots?token={token}&domain=other.example")).await;
        foreign.assert_error(403, "domain_not_owned");
        for url in ["https://other.example/a", "https://shop.example/a"] {
            let page = format!("/api/analytics/page-insights?token={token}&domain=other.example&url={url}");
            shop.app.get(&page).await.assert_error(403, "domain_not_owned");
        }
        let daily = shop.app.get(&format!("/api/analytics/bots/daily?days=1&token={token}")).await;
        daily.assert(200, json!({ "daily": [{ "total": 1 }] }));
    })
    .await;
}

#[tokio::test]
async fn a_badge_is_a_picture_that_pages_embed_and_caches_keep_for_an_hour() {
    Shop::on_each_store(async |shop| {
        let origin = Visit { served: ServedBy::Origin, ..visit(shop, 0, "/a", "GPTBot/1.2") };
        let too_old = visit(shop, 7, "/a", "bingbot/2.0");
        shop.record([visit(shop, 0, "/a", "GPTBot/1.2"), origin, too_old]).await;
        let token = shop.token().await;

        let badge = shop.app.get(&format!("/api/analytics/badge.svg?days=7&token={token}")).await;
        let own = shop.get("/api/analytics/badge.svg?domain=shop.example").await;

        badge.assert_status(200);
        assert!(
            badge.text().contains("<title>Read by 1 crawler: 2 visits in 7 days</title>"),
            "{}",
            badge.text()
        );
        for (name, value) in [
            ("content-type", "image/svg+xml"),
            ("cache-control", "public, max-age=3600"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("content-security-policy", "default-src 'none'"),
        ] {
            assert_eq!(badge.header(name), value, "{name}");
        }
        assert_eq!(own.header("cache-control"), "private, no-store");
    })
    .await;
}

#[tokio::test]
async fn a_token_beats_a_key_and_ends_when_it_is_replaced_or_switched_off() {
    Shop::on_each_store(async |shop| {
        let first = shop.token().await;
        let second = shop.token().await;
        let read = |token: &str| shop.get(&format!("/api/analytics/bots?domain=shop.example&token={token}"));
        let never = accounts::keys::NewKey::generate(accounts::keys::KeyKind::Stats);

        read(&first).await.assert_error(404, "not_found");
        read(&second).await.assert_status(200);
        read(never.reveal()).await.assert_error(401, "invalid_api_key");
        read("gh_stats_nonsense").await.assert_error(401, "invalid_api_key");
        read("").await.assert_error(401, "invalid_api_key");

        let path = "/api/domains/shop.example/stats-token";
        let shown = shop.get(path).await;
        shown.assert(200, json!({ "enabled": true, "last4": second[second.len() - 4..] }));
        shop.app.delete(path).key(&shop.account.key).await.assert_status(204);
        read(&second).await.assert_error(404, "not_found");
        shop.get(path).await.assert(200, json!({ "enabled": false, "last4": null }));
    })
    .await;
}

#[tokio::test]
async fn tokens_of_a_removed_domain_are_unknown_at_once() {
    let app = TestApp::new().await;
    let account = app.account("a@shop.example", Plan::Agency).await;
    let domain = app.domain(&account, "shop.example").await;
    let shop = Shop { app, account, domain };
    let (replaced, open) = (shop.token().await, shop.token().await);

    // No job runs that would delete the tokens.
    shop.app.state.domains.remove(&shop.domain).await.unwrap();

    for token in [replaced, open] {
        let reply = shop.app.get(&format!("/api/analytics/bots?token={token}")).await;
        reply.assert_error(401, "invalid_api_key");
    }
}

#[tokio::test]
async fn keys_and_tokens_have_60_requests_a_minute_each() {
    Shop::on_each_store(async |shop| {
        let token = shop.token().await;
        let by_key = "/api/analytics/bots/daily?days=1&domain=shop.example";
        let by_token = format!("/api/analytics/bots/daily?days=1&token={token}");

        for _ in 0..60 {
            shop.get(by_key).await.assert_status(200);
            shop.app.get(&by_token).await.assert_status(200);
        }

        shop.get(by_key).await.assert_error(429, "rate_limited");
        shop.app.get(&by_token).await.assert_error(429, "rate_limited");
    })
    .await;
}

#[tokio::test]
async fn a_key_of_another_account_cannot_share_a_domain() {
    let app = TestApp::new().await;
    let (owner, stranger) = (
        app.account("a@x.example", Plan::Essential).await,
        app.account("b@x.example", Plan::Enterprise).await,
    );
    app.domain(&owner, "shop.example").await;

    let path = "/api/domains/shop.example/stats-token";
    app.post(path).key(&stranger.key).await.assert_error(404, "not_found");
    app.delete(path).key(&stranger.key).await.assert_error(404, "not_found");
    app.deactivate(&owner).await;
    app.post(path).key(&owner.key).await.assert_status(201);
}
