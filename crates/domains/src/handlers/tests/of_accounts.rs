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
