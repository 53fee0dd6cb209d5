//! Changes while the database is unavailable.

use serde_json::json;

use super::*;

#[tokio::test]
async fn a_change_that_the_database_cannot_take_is_503_and_changes_nothing() {
    on_each_engine(async |shop| {
        let (app, key) = (&shop.app, &shop.account.key);
        // The key is cached, as in a running service.
        app.get(SHOP).key(key).await.assert_status(200);
        app.state.platform.db.close().await;

        for request in [
            app.post(DOMAINS).key(key).json(json!({ "domain": "new.example" })),
            app.delete(SHOP).key(key),
            app.patch(SETTINGS).key(key).json(json!({ "ignorePaths": "/a" })),
            app.patch(SITEMAP).key(key).json(json!({ "sitemapUrl": "" })),
            app.post(CHECK).key(key),
            app.get(DOMAINS).key(key),
        ] {
            let reply = request.await;

            reply.assert_status(503);
            assert_eq!(reply.text(), "{\"error\":\"service_unavailable\"}");
            assert_eq!(reply.header("retry-after"), "5");
        }
    })
    .await;
}
