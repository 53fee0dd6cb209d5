//! Tests of the rendering settings over HTTP, on both databases.

use serde_json::json;

use crate::service::Lock;
use crate::testing::*;
use platform::plans::Plan;

const PATH: &str = "/api/domains/shop.example/rendering";

#[tokio::test]
async fn a_new_domain_is_rendered_with_the_default_interval() {
    TestApp::on_each_engine_with("[render]\ndefault_refresh_interval_s = 5", async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;

        let reply = app.get(PATH).key(&account.key).await;

        let expected = json!({ "refreshIntervalSeconds": 5, "refreshRules": [], "waitForSelector": null, "blockedUrls": [],
            "notFound": { "selector": null, "text": null, "compare": false }, "notFoundProblem": null });
        reply.assert(200, expected);
    })
    .await;
}

#[tokio::test]
async fn fields_that_are_left_out_stay_as_they_are() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        let rules = json!([{ "pattern": "/blog/**", "intervalSeconds": 60 }]);

        app.patch(PATH)
            .key(&account.key)
            .json(json!({ "refreshRules": rules, "waitForSelector": "#main" }))
            .await
            .assert_status(200);
        let reply = app
            .patch(PATH)
            .key(&account.key)
            .json(json!({ "refreshIntervalSeconds": 3600, "unknown": 1 }))
            .await;

        let expected =
            json!({ "refreshIntervalSeconds": 3600, "refreshRules": rules, "waitForSelector": "#main" });
        reply.assert(200, expected.clone());
        app.get(PATH).key(&account.key).await.assert(200, expected);
        app.patch(PATH)
            .key(&account.key)
            .json(json!({ "waitForSelector": null }))
            .await
            .assert(200, json!({ "waitForSelector": null }));
    })
    .await;
}

#[tokio::test]
async fn markdown_is_sent_to_agents_until_it_is_off_and_has_no_third_setting() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        let change = |body| app.patch(PATH).key(&account.key).json(body);

        app.get(PATH).key(&account.key).await.assert(200, json!({ "markdown": "accept" }));
        change(json!({ "markdown": "off" })).await.assert(200, json!({ "markdown": "off" }));
        for wrong in [json!("always"), json!("Off"), json!(true)] {
            let refused = change(json!({ "markdown": wrong })).await;
            refused.assert(400, json!({ "error": "validation_error", "issues": [{ "path": "markdown" }] }));
        }
        app.get(PATH).key(&account.key).await.assert(200, json!({ "markdown": "off" }));
    })
    .await;
}

#[tokio::test]
async fn signs_of_a_missing_page_that_are_left_out_stay_as_they_are() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        let change = async |rules: serde_json::Value| {
            app.patch(PATH).key(&account.key).json(json!({ "notFound": rules })).await
        };

        change(json!({ "selector": ".gone" })).await.assert_status(200);
        let both = change(json!({ "text": "Gone", "compare": true })).await;
        let one = change(json!({ "selector": null, "compare": false })).await;

        both.assert(200, json!({ "notFound": { "selector": ".gone", "text": "Gone", "compare": true } }));
        one.assert(200, json!({ "notFound": { "selector": null, "text": "Gone", "compare": false } }));
    })
    .await;
}

#[tokio::test]
async fn a_bad_field_is_named_and_nothing_is_changed() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        let change = async |body: serde_json::Value| app.patch(PATH).key(&account.key).json(body).await;

        let cases = [
            (json!({ "refreshIntervalSeconds": 59 }), "refreshIntervalSeconds"),
            (json!({ "refreshIntervalSeconds": 31_536_001 }), "refreshIntervalSeconds"),
            (json!({ "refreshIntervalSeconds": "x" }), "refreshIntervalSeconds"),
            (json!({ "refreshRules": [{ "pattern": "x", "intervalSeconds": 60 }] }), "refreshRules.0.pattern"),
            (json!({ "refreshIntervalSeconds": 60, "refreshRules": [{ "pattern": "/x", "intervalSeconds": 1 }] }), "refreshRules.0.intervalSeconds"),
            (json!({ "waitForSelector": "" }), "waitForSelector"),
            (json!({ "notFound": { "selector": "p[" } }), "notFound.selector"),
            (json!({ "notFound": { "text": "" } }), "notFound.text"),
            (json!({ "notFound": { "compare": "yes" } }), "notFound.compare"),
            (json!({ "notFound": null }), "notFound"),
        ];
        for (body, path) in cases {
            change(body).await.assert(400, json!({ "error": "validation_error", "issues": [{ "path": path }] }));
        }
        app.get(PATH).key(&account.key).await.assert(200, json!({ "refreshIntervalSeconds": 86400, "refreshRules": [] }));
    })
    .await;
}

#[tokio::test]
async fn a_domain_of_nobody_or_of_somebody_else_is_not_found() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        let stranger = app.account("other@x.example", Plan::Enterprise).await;
        let scoped = app.key(&account.id, Some("other.example")).await;

        app.get(PATH).key(&stranger.key).await.assert_error(404, "not_found");
        app.patch(PATH).key(&stranger.key).json(json!({})).await.assert_error(404, "not_found");
        app.get("/api/domains/not%20a%20domain/rendering")
            .key(&account.key)
            .await
            .assert_error(404, "not_found");
        app.get(PATH).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        app.patch(PATH)
            .key(&scoped)
            .json(json!({ "refreshIntervalSeconds": 1 }))
            .await
            .assert_error(400, "validation_error");
    })
    .await;
}

#[tokio::test]
async fn a_suspended_domain_can_be_read_and_not_changed() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        app.state.domains.set_suspended("shop.example", Lock::On).await.expect("a database");

        app.get(PATH).key(&account.key).await.assert_status(200);
        app.patch(PATH).key(&account.key).json(json!({})).await.assert_error(403, "domain_suspended");
    })
    .await;
}
