//! The older variant, which deletes first.

use super::*;

#[tokio::test]
async fn the_purge_variant_deletes_first_and_renders_only_when_asked_to() {
    on_each_engine_with("[refresh]\nvariant = \"purge\"", async |shop| {
        for path in ["/a", "/b"] {
            shop.crawl(path).await;
        }
        shop.web.sitemap(&[("/a", None), ("/b", None), ("/c", None)]);

        let page = shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        let twice = shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        let warm = shop.post_ok(PATHS, json!({ "paths": ["/b", "/c"], "prewarm": true })).await;
        shop.run_jobs().await;
        let site = shop.post_ok(SITE, json!({})).await;
        let warm_site = shop.post_ok(SITE, json!({ "prewarm": true })).await;
        shop.run_jobs().await;
        let updated = shop.post_ok(UPDATED, json!({})).await;

        assert_eq!(page, json!({ "ok": true, "deleted": 1, "prewarmed": 0 }));
        assert_eq!(twice, json!({ "ok": true, "deleted": 0, "prewarmed": 0 }));
        assert_eq!(warm, json!({ "ok": true, "deleted": 1, "prewarmed": 2 }));
        let purged = |deleted, queued| {
            json!({ "ok": true, "deleted": deleted, "queued": queued, "pathSource": "sitemap", "totalPaths": 3 })
        };
        assert_eq!((site, warm_site, updated), (purged(2, 0), purged(0, 3), purged(3, 0)));
    })
    .await;
}

#[tokio::test]
async fn a_purged_page_is_rendered_anew_for_the_next_crawler() {
    on_each_engine_with("[refresh]\nvariant = \"purge\"", async |shop| {
        shop.app.renderer.answers_html("/a", "<p>old</p>");
        shop.crawl("/a").await;
        shop.app.renderer.answers_html("/a", "<p>new</p>");

        shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        let next = shop.crawl("/a").await;

        assert_eq!((next.header("x-service-render-cache"), next.text().as_str()), ("miss", "<p>new</p>"));
    })
    .await;
}

#[tokio::test]
async fn purging_a_site_without_a_sitemap_purges_what_is_stored() {
    on_each_engine_with("[refresh]\nvariant = \"purge\"", async |shop| {
        for path in ["/a", "/b"] {
            shop.crawl(path).await;
        }
        shop.app.set(&shop.domain, |settings| settings.sitemap_url = String::new()).await;

        let site = shop.post_ok(SITE, json!({})).await;
        let updated = shop.post_ok(UPDATED, json!({})).await;

        let expected =
            json!({ "ok": true, "deleted": 2, "queued": 0, "pathSource": "snapshots", "totalPaths": 2 });
        assert_eq!(site, expected);
        assert_eq!((updated["ok"].as_bool(), updated["error"].as_str()), (Some(false), Some("no_sitemap")));
    })
    .await;
}
