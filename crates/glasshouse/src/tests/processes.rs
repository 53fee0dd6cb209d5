//! Changes of domains in every process of an installation.

use std::time::{Duration, Instant};

use platform::plans::Plan;
use serde_json::json;

use crate::testing::*;

const DOMAINS: &str = "/api/domains";
const SHOP: &str = "/api/domains/shop.example";
const SETTINGS: &str = "/api/domains/shop.example/settings";

/// Repeats a request until the answer is right, for little more than two seconds.
async fn soon(ask: impl Fn() -> TestRequest, is_right: impl Fn(&Reply) -> bool) {
    let begun = Instant::now();
    loop {
        let reply = ask().await;
        if is_right(&reply) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_millis(2_500), "{} {}", reply.status, reply.text());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_change_holds_in_every_process_within_two_seconds() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let other = TestApp::on(app.state.platform.db.clone(), "").await;
        app.domain(&account, "shop.example").await;
        // Both processes have read the record.
        for process in [&app, &other] {
            process.crawl(&account, "https://shop.example/old").await.assert_status(200);
        }

        let rules = json!({ "redirectRules": [{ "source": "/old", "destination": "/new" }] });
        app.patch(SETTINGS).key(&account.key).json(rules).await.assert_status(200);

        app.crawl(&account, "https://shop.example/old").await.assert_status(301);
        soon(|| other.crawl(&account, "https://shop.example/old"), |reply| reply.status == 301).await;
        app.delete(SHOP).key(&account.key).await.assert_status(200);
        app.crawl(&account, "https://shop.example/old").await.assert_error(403, "domain_not_owned");
        soon(|| other.crawl(&account, "https://shop.example/old"), |reply| reply.status == 403).await;
    })
    .await;
}

#[tokio::test]
async fn a_record_that_a_newer_version_wrote_leaves_the_last_one_in_use() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        app.domain(&account, "shop.example").await;
        app.domain(&account, "other.example").await;
        app.crawl(&account, "https://shop.example/").await.assert_status(200);
        let mut tx = app.state.platform.db.write().await.unwrap();
        let newer = "update domains set status = 'paused', rendering = '{}', version = version + 1 \
             where host = 'shop.example'";
        store::on_engine!(tx, |c| sqlx::query(newer).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
        tokio::time::sleep(Duration::from_millis(2_100)).await;

        let crawled = app.crawl(&account, "https://shop.example/").await;
        let listed = app.get(DOMAINS).key(&account.key).await;

        crawled.assert_status(200);
        listed.assert(200, json!({ "domains": [{ "domain": "other.example" }] }));
        let restarted = TestApp::on(app.state.platform.db.clone(), "").await;
        restarted.crawl(&account, "https://shop.example/").await.assert_error(403, "domain_not_owned");
        restarted.crawl(&account, "https://other.example/").await.assert_status(200);
    })
    .await;
}
