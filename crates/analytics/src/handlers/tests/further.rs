//! Tests of the reports beyond the four, over HTTP.

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use crawler::testing::WebServer;
use futures::{FutureExt, StreamExt};
use http::{Request, Response};
use http_body_util::Full;
use serde_json::{Value, json};

use super::super::live::LOOK_EVERY;
use super::{Shop, visit};
use crate::testing::*;
use crate::{ServedBy, Verified, Visit};
use platform::plans::Plan;

const FURTHER: [&str; 9] =
    ["crawlers", "errors", "robots", "referrals", "export", "live", "timeline", "pages", "policy"];

fn path(report: &str, query: &str) -> String {
    format!("/api/analytics/{report}?domain=shop.example{query}")
}

#[tokio::test]
async fn the_further_reports_take_keys_and_no_tokens() {
    Shop::on_each_store(async |shop| {
        let token = shop.token().await;
        let low = shop.app.account("low@x.example", Plan::Essential).await;
        shop.app.domain(&low, "low.example").await;
        let stranger = shop.app.account("b@x.example", Plan::Business).await;

        for report in FURTHER {
            let path = path(report, "");
            shop.app.get(&path).await.assert_error(401, "invalid_api_key");
            shop.app.get(&format!("{path}&token={token}")).await.assert_error(401, "invalid_api_key");
            shop.app.get(&path).key(&stranger.key).await.assert_error(403, "domain_not_owned");
            shop.app.get(&path).key(&low.key).await.assert_error(403, "plan_required");
            let reply = shop.get(&format!("/api/analytics/{report}")).await;
            reply.assert_error(400, "invalid_request");
        }
        for report in ["crawlers", "errors", "robots", "export"] {
            shop.get(&path(report, "&from=2026-11-31")).await.assert_error(400, "invalid_request");
        }
        shop.get(&path("errors", "&limit=0")).await.assert_error(400, "invalid_request");
        shop.get(&path("export", "&format=xml")).await.assert_error(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn crawlers_are_listed_with_what_they_got() {
    Shop::on_each_store(async |shop| {
        let gone = Visit { status: 404, served: ServedBy::Origin, ..visit(shop, 2, "/gone", "GPTBot/1.2") };
        let spoofed = Visit { verified: Verified::No, ..visit(shop, 0, "/x", "GPTBot/1.2") };
        shop.record([visit(shop, 40, "/a", "GPTBot/1.2"), gone, spoofed, visit(shop, 0, "/a", "GPTBot/1.2")])
            .await;

        let reply = shop.get(&path("crawlers", "")).await.json();
        let long = shop.get(&path("crawlers", "&from=2020-01-01")).await.json();

        let mut daily = vec![0; 31];
        (daily[28], daily[30]) = (1, 1);
        assert_eq!(long["crawlers"][0]["daily"], Value::Null);
        assert_eq!(
            reply,
            json!({"crawlers": [{
                "id": "gptbot", "name": "GPTBot", "provider": "openai", "purpose": "llm-training",
                "visits": 2, "verified": 0, "spoofed": 1, "fromCache": 1, "pages": 1, "clientErrors": 1,
                "serverErrors": 0, "firstSeen": "2026-10-11", "lastSeen": "2026-11-20", "daily": daily,
            }]})
        );
    })
    .await;
}

#[tokio::test]
async fn errors_are_listed_by_page_and_status() {
    Shop::on_each_store(async |shop| {
        let failed = |days_ago, path, status| {
            let found = visit(shop, days_ago, path, "GPTBot/1.2");
            Visit { status, verified: Verified::Yes, ..found }
        };
        shop.record([failed(1, "/a", 404), failed(0, "/a", 404), failed(0, "/b", 500), failed(0, "/c", 200)]).await;

        let reply = shop.get(&path("errors", "&limit=1")).await.json();

        let providers = json!([{"provider": "openai", "count": 2}]);
        let row = json!({"path": "/a", "status": 404, "count": 2, "providers": providers, "lastSeen": "2026-11-20"});
        assert_eq!(reply, json!({"errors": [row], "total": 2}));
    })
    .await;
}

#[tokio::test]
async fn without_a_server_there_are_no_rules_to_break() {
    Shop::on_each_store(async |shop| {
        shop.record([visit(shop, 0, "/a", "GPTBot/1.2")]).await;

        let reply = shop.get(&path("robots", "")).await.json();

        assert_eq!(reply, json!({"robots": "unreachable", "violations": [], "total": 0}));
    })
    .await;
}

#[tokio::test]
async fn visits_that_the_sites_own_rules_forbid_are_told_with_the_line_that_does() {
    let rules = "User-agent: GPTBot\nDisallow: /checkout\n\nUser-agent: *\nAllow: /\n";
    let server = WebServer::start(move |request: Request<_>| async move {
        let is_there = request.uri().path() == "/robots.txt";
        let response = Response::builder().status(if is_there { 200 } else { 404 });
        response.body(Full::from(Bytes::from(rules))).expect("a response")
    })
    .await;
    let settings = format!(
        "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"shop.example\" = \"{}\" }}",
        server.address()
    );
    TestApp::on_each_engine_with(&settings, async |app: TestApp| {
        let account = app.account("a@shop.example", Plan::Agency).await;
        let domain = app.domain(&account, "shop.example").await;
        app.state.start();
        let shop = &Shop { app, account, domain };
        let visits = [("/checkout", "GPTBot/1.2"), ("/checkout/2", "GPTBot/1.2"), ("/", "GPTBot/1.2")];
        shop.record(visits.map(|(path, agent)| visit(shop, 0, path, agent))).await;
        shop.record([visit(shop, 1, "/checkout", "GPTBot/1.2"), visit(shop, 0, "/checkout", "bingbot/2.0")])
            .await;

        let reply = shop.get(&path("robots", "&limit=1")).await.json();

        let worst =
            json!({"path": "/checkout", "crawler": "gptbot", "provider": "openai", "line": 2, "count": 2});
        assert_eq!(reply, json!({"robots": "read", "violations": [worst], "total": 2}));
    })
    .await;
}

#[tokio::test]
async fn an_export_has_every_row_of_closed_and_open_days() {
    Shop::on_each_store(async |shop| {
        let spoofed = Visit { verified: Verified::No, ..visit(shop, 0, "/b", "GPTBot/1.2") };
        shop.record([visit(shop, 1, "/a", "GPTBot/1.2"), visit(shop, 1, "/a", "bingbot/2.0")]).await;
        shop.record([visit(shop, 1, "/a", "GPTBot/1.2"), spoofed]).await;

        let csv = shop.get(&path("export", "&from=0001-01-01&to=2100-12-31")).await;
        let parquet = shop.get(&path("export", "&format=parquet")).await;
        let endless = shop.get(&path("export", "&from=9999-12-30&to=9999-12-31")).await;

        assert_eq!(
            csv.text(),
            "day,path,crawler,provider,verified,servedBy,status,visits\n\
             2026-11-19,/a,bingbot,bing,unknown,cache,200,1\n\
             2026-11-19,/a,gptbot,openai,unknown,cache,200,2\n\
             2026-11-20,/b,gptbot,openai,no,cache,200,1\n"
        );
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        assert!(parquet.header("content-disposition").contains("visits-shop.example-"));
        endless.assert_status(200);
        assert!(
            endless.header("content-disposition").contains("visits-shop.example-9999-12-30-9999-12-31.csv")
        );
        assert!(parquet.body.starts_with(b"PAR1") && parquet.body.ends_with(b"PAR1"));
    })
    .await;
}

/// Opens the live tail of the domain with a key.
async fn watch(shop: &Shop, key: &str) -> BodyDataStream {
    let request = http::Request::get(path("live", "")).header("x-service-api-key", key);
    let request = request.body(Body::empty()).unwrap();
    let reply = shop.app.state.envelope().respond(request, [192, 0, 2, 1].into()).await;
    assert_eq!(reply.headers()["content-type"], "text/event-stream");
    reply.into_body().into_data_stream()
}

#[tokio::test]
async fn whoever_may_not_watch_any_more_sees_the_end() {
    let app = TestApp::new().await;
    let account = app.account("a@shop.example", Plan::Agency).await;
    let domain = app.domain(&account, "shop.example").await;
    let revoked = app.key(&account.id, None).await;
    let shop = Shop { app, account, domain };
    let look = async || {
        tokio::time::pause();
        tokio::time::advance(LOOK_EVERY).await;
        tokio::time::resume();
    };
    // Comments keep the connection alive while nothing happens.
    let next = async |events: &mut BodyDataStream| {
        let mut events =
            events.filter(|event| std::future::ready(!event.as_ref().unwrap().starts_with(b":")));
        tokio::time::timeout(std::time::Duration::from_secs(5), events.next()).await
    };
    let mut of_revoked = watch(&shop, &revoked).await;
    let mut of_other = watch(&shop, &shop.account.key).await;

    let accounts = &shop.app.state.accounts;
    let keys = accounts.list_keys(&shop.account.id).await.unwrap();
    assert!(accounts.revoke_key(None, &keys.last().unwrap().id).await.unwrap());
    assert!(of_revoked.next().now_or_never().is_none() && of_other.next().now_or_never().is_none());
    look().await;

    assert!(next(&mut of_revoked).await.unwrap().is_none());
    shop.app.state.recorder.record(visit(&shop, 0, "/a", "GPTBot/1.2"));
    assert!(next(&mut of_other).await.unwrap().is_some());
    shop.app.state.domains.remove(&shop.domain).await.unwrap();
    // Cached domains may be two seconds old.
    tokio::time::sleep(std::time::Duration::from_millis(2_500)).await;
    look().await;
    assert!(next(&mut of_other).await.unwrap().is_none());
}

#[tokio::test]
async fn an_account_watches_ten_times_at_once() {
    Shop::on_each_store(async |shop| {
        let mut watchers = Vec::new();
        for _ in 0..10 {
            watchers.push(watch(shop, &shop.account.key).await);
        }

        shop.get(&path("live", "")).await.assert_error(429, "rate_limited");
        watchers.pop();
        watchers.push(watch(shop, &shop.account.key).await);
    })
    .await;
}

#[tokio::test]
async fn whoever_watches_sees_visits_as_they_come() {
    Shop::on_each_store(async |shop| {
        let mut events = watch(shop, &shop.account.key).await;

        let seen = Visit { verified: Verified::Yes, ..visit(shop, 0, "/pricing", "GPTBot/1.2") };
        shop.app.state.recorder.record(seen);

        let event = String::from_utf8(events.next().await.unwrap().unwrap().to_vec()).unwrap();
        let data = event.strip_prefix("event: visit\ndata: ").expect(&event);
        let visit: Value = serde_json::from_str(data.trim_end()).unwrap();
        assert_eq!(
            visit,
            json!({"at": "2026-11-20T12:00:00.000Z", "path": "/pricing", "crawler": "gptbot", "provider": "openai",
                "verified": "yes", "servedBy": "cache", "status": 200, "durationMs": 2.0})
        );
        shop.app.state.platform.shutdown.cancel();
        assert!(events.next().await.is_none());
    })
    .await;
}
