//! Keys and usage of accounts that have domains.

use platform::plans::Plan;
use serde_json::json;

use crate::testing::*;

#[tokio::test]
async fn a_key_is_made_for_a_domain_of_the_account_only() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let other = app.account("other@shop.example", Plan::Agency).await;
        app.domain(&account, "shop.test").await;

        let own = app.post("/api/keys").key(&account.key).json(json!({ "domain": "Shop.test" })).await;
        let foreign = app.post("/api/keys").key(&other.key).json(json!({ "domain": "shop.test" })).await;
        let nonsense = app.post("/api/keys").key(&account.key).json(json!({ "domain": "no domain" })).await;

        own.assert(201, json!({ "domain": "shop.test" }));
        foreign.assert_error(403, "domain_not_owned");
        nonsense.assert_error(403, "domain_not_owned");
    })
    .await;
}

#[tokio::test]
async fn what_no_text_of_the_database_may_hold_is_refused_and_never_an_error_of_ours() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        app.domain(&account, "shop.test").await;
        let get = async |path: &str| app.get(path).key(&account.key).await;

        let name = app.post("/api/keys").key(&account.key).json(json!({ "name": "a\u{0}b" })).await;
        let line = app.post("/api/keys").key(&account.key).json(json!({ "name": "a\nb" })).await;
        let revoked = app.delete("/api/keys/%00").key(&account.key).await;

        name.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "name" }] }));
        line.assert_error(400, "invalid_request");
        revoked.assert_error(404, "not_found");
        for path in
            ["/api/seo-spider/runs/a%00b", "/api/prerender/batches/%00", "/api/seo-spider/runs/%00/links"]
        {
            get(path).await.assert_error(404, "not_found");
        }
        for query in
            ["prerender/snapshots?domain=shop.test&search=%00", "analytics/bots?domain=shop.test&path=%00"]
        {
            get(&format!("/api/{query}")).await.assert_error(400, "invalid_request");
        }
    })
    .await;
}

#[tokio::test]
async fn usage_is_shown_against_every_limit_of_the_plan() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.test").await;

        let reply = app.get("/api/usage").key(&account.key).await;

        reply.assert(200, json!({
            "plan": "essential", "active": true, "month": "2026-11", "resetsAt": "2026-12-01T00:00:00.000Z",
            "limits": [
                { "name": "domains", "used": 1, "limit": 1 },
                { "name": "renders_per_month", "used": 0, "limit": 5000 },
                { "name": "audits_per_month", "used": 0, "limit": 5 },
                { "name": "audited_pages_per_month", "used": 0, "limit": 500 },
                { "name": "pages_per_audit", "used": null, "limit": 100 },
                { "name": "prompts", "used": 0, "limit": 10 },
                { "name": "monitors", "used": 0, "limit": 5 },
                { "name": "providers_per_prompt", "used": null, "limit": 3 },
                { "name": "redirect_rules", "used": null, "limit": 10 },
                { "name": "snapshot_bytes", "used": null, "limit": 2_147_483_648_u64 },
            ],
        }));
    })
    .await;
}

#[tokio::test]
async fn a_visitors_bearer_token_is_looked_at_on_the_domains_api_only() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Business).await;
    app.domain(&account, "shop.example").await;
    let bearer = format!("Bearer {}", account.key);

    let forwarded =
        app.get("/api/usage").key(&account.key).header("authorization", "Bearer a.visitors.token").await;
    let as_key = app.get("/api/usage").header("authorization", &bearer).await;

    forwarded.assert_status(200);
    as_key.assert_error(401, "invalid_api_key");
    app.get("/api/domains").header("authorization", &bearer).await.assert_status(200);
    app.get("/api/domains/shop.example/rendering").header("authorization", &bearer).await.assert_status(200);
}
