//! Tests of permissions and refusals.

use super::*;

#[tokio::test]
async fn requests_are_refused_in_the_documented_order() {
    on_each_engine(async |shop| {
        let other = shop.app.account("other@else.example", Plan::Enterprise).await;
        shop.app.domain(&other, "else.example").await;
        shop.app.domain_with_status(&shop.account, "locked.example", DomainStatus::Suspended).await;
        let scoped = shop.app.key(&shop.account.id, Some("shop.example")).await;
        let scoped_post = async |body: Value| shop.app.post(PAGE).key(&scoped).json(body).await;

        shop.app.post(PAGE).json(json!({})).await.assert_error(401, "invalid_api_key");
        shop.post(PAGE, json!({ "domain": "shop.example" })).await.assert_error(400, "invalid_request");
        for path in ["a", "//evil.example/a", "https://shop.example/a", ""] {
            let body = json!({ "domain": "else.example", "path": path });
            shop.post(PAGE, body).await.assert_error(400, "invalid_request");
        }
        shop.post(PATHS, json!({ "domain": "shop.example", "paths": [] }))
            .await
            .assert_error(400, "invalid_request");
        let bad = shop.post(PATHS, json!({ "domain": "shop.example", "paths": ["/a", "b"] })).await;
        bad.assert_error(400, "invalid_request");
        assert_eq!(bad.json()["issues"][0]["path"], "paths.1");
        for sitemap in ["nonsense", "/sitemap.xml", "ftp://shop.example/sitemap.xml"] {
            let body = json!({ "domain": "shop.example", "sitemapUrl": sitemap });
            shop.post(SITE, body).await.assert_error(400, "invalid_request");
        }
        let elsewhere = json!({ "domain": "else.example", "path": "/a" });
        scoped_post(elsewhere.clone()).await.assert_error(403, "api_key_domain_scope_mismatch");
        shop.post(PAGE, elsewhere).await.assert_error(403, "domain_not_owned");
        shop.post(PAGE, json!({ "domain": "not a name", "path": "/a" }))
            .await
            .assert_error(403, "domain_not_owned");
        let locked = json!({ "domain": "locked.example", "path": "/a" });
        shop.post(PAGE, locked).await.assert_error(403, "domain_suspended");
        scoped_post(json!({ "domain": "shop.example", "path": "/a" })).await.assert_status(200);
        shop.app.deactivate(&shop.account).await;
        tokio::time::sleep(Duration::from_millis(2100)).await;
        shop.post(PAGE, json!({})).await.assert_error(402, "subscription_required");
    })
    .await;
}

#[tokio::test]
async fn a_session_refreshes_under_the_dashboards_address_and_not_under_the_specifications() {
    on_each_engine(async |shop| {
        let session = shop.app.sign_in(&shop.account).await;
        let body = json!({ "domain": "shop.example", "path": "/a" });

        let own =
            shop.app.post("/api/dashboard/cache/invalidate-page-cache").session(&session).json(&body).await;
        let keys_only = shop.app.post(PAGE).session(&session).json(&body).await;

        own.assert(200, json!({ "ok": true, "prewarmed": 1 }));
        keys_only.assert_error(401, "invalid_api_key");
    })
    .await;
}
