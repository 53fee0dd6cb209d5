//! Tests of crawler policies, over HTTP.

use serde_json::{Value, json};

use crate::policy::{IMPOSTORS, RefusalKey};
use crate::testing::*;
use domains::PolicyAction;
use domains::service::Lock;
use platform::plans::Plan;

const PATH: &str = "/api/domains/shop.example/crawler-policy";

fn put(app: &TestApp, key: &str, body: Value) -> TestRequest {
    app.request(http::Method::PUT, PATH).key(key).json(body)
}

#[tokio::test]
async fn a_new_domain_has_no_policy_and_a_policy_is_replaced_as_a_whole() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        let none = json!({ "mode": "off", "obeyRobotsTxt": false, "rules": [] });
        app.get(PATH).key(&account.key).await.assert(200, none);
        let rule = json!({
            "match": { "provider": "openai" }, "paths": ["/blog/**"], "action": "limit", "perMinute": 60, "text": "Slowly."
        });
        let policy = json!({ "mode": "log", "obeyRobotsTxt": true, "rules": [rule] });

        put(&app, &account.key, policy.clone()).await.assert(200, policy.clone());
        assert_eq!(app.get(PATH).key(&account.key).await.json(), policy);
        let short = json!({ "mode": "enforce", "rules": [{ "match": {}, "action": "block" }] });
        put(&app, &account.key, short).await.assert_status(200);

        let rule = json!({ "match": {}, "paths": [], "action": "block", "perMinute": null, "text": null });
        let whole = json!({ "mode": "enforce", "obeyRobotsTxt": false, "rules": [rule] });
        assert_eq!(app.get(PATH).key(&account.key).await.json(), whole);
    })
    .await;
}

#[tokio::test]
async fn a_bad_rule_is_named_and_nothing_is_changed() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Essential).await;
    app.domain(&account, "shop.example").await;
    let rule = |crawlers: Value, action: &str| json!([{ "match": crawlers, "action": action }]);
    let with = |field: &str, value: Value| json!([{ "match": {}, "action": "limit", field: value }]);

    for (rules, path) in [
        (rule(json!({ "crawler": "gptbot", "purpose": "seo" }), "block"), "rules.0.match"),
        (rule(json!({ "name": "gptbot" }), "block"), "rules.0.match"),
        (rule(json!({ "crawler": "no-such-bot" }), "block"), "rules.0.match"),
        (rule(json!({ "provider": "nobody" }), "allow"), "rules.0.match"),
        (rule(json!({ "purpose": "fun" }), "allow"), "rules.0.match"),
        (rule(json!({ "purpose": "search" }), "limit"), "rules.0.match"),
        (rule(json!({ "unverified": false }), "block"), "rules.0.match"),
        (rule(json!({}), "refuse"), "rules.0.action"),
        (with("perMinute", json!(0)), "rules.0.perMinute"),
        (with("perMinute", json!(6001)), "rules.0.perMinute"),
        (with("perMinute", Value::Null), "rules.0.perMinute"),
        (json!([{ "match": {}, "action": "block", "paths": ["blog"] }]), "rules.0.paths.0"),
        (json!([{ "match": {}, "action": "block", "text": "x".repeat(501) }]), "rules.0.text"),
        (json!(vec![json!({ "match": {}, "action": "allow" }); 101]), "rules"),
    ] {
        let reply = put(&app, &account.key, json!({ "mode": "enforce", "rules": rules })).await;
        reply.assert_error(400, "validation_error");
        let issues = reply.json()["issues"].clone();
        assert!(
            issues.as_array().expect("issues").iter().any(|issue| issue["path"] == path),
            "{path}: {issues}"
        );
    }
    put(&app, &account.key, json!({ "mode": "on", "rules": [] })).await.assert_error(400, "validation_error");
    app.get(PATH).key(&account.key).await.assert(200, json!({ "mode": "off", "rules": [] }));
}

#[tokio::test]
async fn a_policy_is_the_accounts_own_and_that_of_a_suspended_domain_can_only_be_read() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        let stranger = app.account("other@x.example", Plan::Enterprise).await;
        let scoped = app.key(&account.id, Some("other.example")).await;
        let off = json!({ "mode": "off" });

        app.get(PATH).await.assert_error(401, "invalid_api_key");
        app.get(PATH).key(&stranger.key).await.assert_error(404, "not_found");
        put(&app, &stranger.key, off.clone()).await.assert_error(404, "not_found");
        put(&app, &scoped, off.clone()).await.assert_error(403, "api_key_domain_scope_mismatch");
        app.state.domains.set_suspended("shop.example", Lock::On).await.expect("a database");

        app.get(PATH).key(&account.key).await.assert_status(200);
        put(&app, &account.key, off).await.assert_error(403, "domain_suspended");
    })
    .await;
}

#[tokio::test]
async fn refusals_are_reported_by_crawler_and_action_from_every_store() {
    super::Shop::on_each_store(async |shop| {
        let today = shop.app.state.analytics.today();
        let refuse = |crawler: &'static str, days_ago: i64, enforced: bool| {
            shop.app.state.recorder.record_refusal(RefusalKey {
                domain: shop.domain.id.clone(),
                day: today - days_ago,
                crawler: crawler.into(),
                action: PolicyAction::Block,
                enforced,
            });
        };
        refuse("gptbot", 0, true);
        refuse("gptbot", 0, true);
        refuse("gptbot", 1, false);
        refuse("gptbot", 3, true);
        refuse(IMPOSTORS, 1, true);
        shop.app.state.recorder.flush().await;

        let reply = shop.get("/api/analytics/policy?domain=shop.example&days=3").await;

        let row = |crawler: &str, provider: &str, enforced: u64, would_be: u64, daily: [u64; 3]| {
            json!({ "crawler": crawler, "provider": provider, "action": "block", "enforced": enforced, "wouldBe": would_be, "daily": daily })
        };
        let rows = [row("gptbot", "openai", 2, 1, [0, 1, 2]), row("unverified", "other", 1, 0, [0, 1, 0])];
        assert_eq!(reply.json(), json!({ "rows": rows }));
        shop.get("/api/analytics/policy?domain=shop.example&days=181").await.assert_error(400, "invalid_request");
    })
    .await;
}
