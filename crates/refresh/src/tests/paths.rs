//! Refreshing one page and several.

use super::*;

#[tokio::test]
async fn a_refreshed_page_is_served_old_until_the_new_one_replaces_it() {
    on_each_engine(async |shop| {
        shop.app.renderer.answers_html("/shoes", "<p>old</p>");
        shop.crawl("/shoes").await;
        shop.app.renderer.answers_html("/shoes", "<p>new</p>");

        let response = shop.post_ok(PAGE, json!({ "path": "/shoes" })).await;
        let before = shop.crawl("/shoes").await.text();
        shop.run_jobs().await;
        let after = shop.crawl("/shoes").await.text();

        assert_eq!(response, json!({ "ok": true, "prewarmed": 1 }));
        assert_eq!((before.as_str(), after.as_str()), ("<p>old</p>", "<p>new</p>"));
        assert_eq!(shop.renders("/shoes"), 2);
    })
    .await;
}

#[tokio::test]
async fn without_prewarm_nothing_happens() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        let off = |mut body: Value| {
            body["prewarm"] = json!(false);
            body
        };

        let page = shop.post_ok(PAGE, off(json!({ "path": "/a" }))).await;
        let paths = shop.post_ok(PATHS, off(json!({ "paths": ["/a"] }))).await;
        let site = shop.post_ok(SITE, off(json!({}))).await;
        let updated = shop.post_ok(UPDATED, off(json!({}))).await;
        shop.run_jobs().await;

        assert_eq!(
            (&page, &paths),
            (&json!({ "ok": true, "prewarmed": 0 }), &json!({ "ok": true, "prewarmed": 0 }))
        );
        let nothing = json!({ "ok": true, "accepted": false, "batchGroupId": "" });
        assert_eq!((&site, &updated), (&nothing, &nothing));
        assert_eq!(shop.all_renders(), 0);
    })
    .await;
}

#[tokio::test]
async fn paths_that_mean_the_same_page_are_rendered_once() {
    on_each_engine(async |shop| {
        let paths = json!(["/a", "/a?utm_source=x", "/b#top", "/b"]);

        let response = shop.post_ok(PATHS, json!({ "paths": paths })).await;
        let again = shop.post_ok(PATHS, json!({ "paths": ["/a"] })).await;
        shop.run_jobs().await;

        assert_eq!((response["prewarmed"].as_u64(), again["prewarmed"].as_u64()), (Some(2), Some(1)));
        assert_eq!((shop.renders("/a"), shop.renders("/b")), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn a_path_that_the_origin_does_not_have_is_not_reachable() {
    on_each_engine(async |shop| {
        shop.web.set("/gone", 404, "");
        shop.web.set("/broken", 500, "");

        let gone = shop.post_ok(PAGE, json!({ "path": "/gone" })).await;
        let broken = shop.post_ok(PAGE, json!({ "path": "/broken" })).await;
        let some = shop.post_ok(PATHS, json!({ "paths": ["/gone", "/a"] })).await;

        let nothing = json!({ "ok": false, "error": "path_not_reachable", "prewarmed": 0 });
        assert_eq!((&gone, &broken), (&nothing, &nothing));
        assert_eq!(some, json!({ "ok": true, "prewarmed": 1 }));
    })
    .await;
}

#[tokio::test]
async fn what_is_never_prerendered_cannot_be_refreshed() {
    on_each_engine(async |shop| {
        shop.app.set(&shop.domain, |settings| settings.ignore_paths = "/cart/**".into()).await;

        let ignored = shop.post_ok(PAGE, json!({ "path": "/cart/1" })).await;
        let asset = shop.post_ok(PAGE, json!({ "path": "/logo.png" })).await;

        let nothing = json!({ "ok": false, "error": "path_not_reachable", "prewarmed": 0 });
        assert_eq!((&ignored, &asset), (&nothing, &nothing));
    })
    .await;
}

#[tokio::test]
async fn an_origin_that_does_not_answer_is_told_before_anything_is_queued() {
    on_each_engine(async |shop| {
        let dead = shop.app.domain(&shop.account, "dead.example").await;
        let page = json!({ "domain": "dead.example", "path": "/a" });
        let site = json!({ "domain": "dead.example", "sitemapUrl": "https://shop.example/sitemap.xml" });
        shop.web.sitemap(&[("/a", None)]);

        let own = shop.post(PAGE, page.clone()).await.json();
        let own_site = shop.post(SITE, site).await.json();
        shop.app.set(&dead, |settings| settings.origin_host = "app.host.example".parse().ok()).await;
        let well = shop.post(PAGE, page.clone()).await.json();
        shop.app.set(&shop.domain, |settings| settings.origin_host = "dead.example".parse().ok()).await;
        let host = shop.post_ok(PAGE, json!({ "path": "/a" })).await;

        assert_eq!(own, json!({ "ok": false, "error": "origin_not_reachable", "prewarmed": 0 }));
        let nothing =
            json!({ "ok": false, "error": "origin_not_reachable", "accepted": false, "batchGroupId": "" });
        assert_eq!(own_site, nothing);
        assert_eq!(well["ok"], true);
        assert_eq!(host["error"], "origin_host_not_reachable");
    })
    .await;
}

#[tokio::test]
async fn an_account_without_renders_left_is_told_so() {
    on_each_engine_with("[plans.enterprise]\nrenders_per_month = 2", async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        let some = shop.post_ok(PATHS, json!({ "paths": ["/a", "/b", "/c"] })).await;
        shop.run_jobs().await;

        let page = shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        let site = shop.post_ok(SITE, json!({})).await;

        assert_eq!(some["prewarmed"], 2);
        assert_eq!(shop.all_renders(), 2);
        let dead = shop.app.state.jobs.list(Some(JobState::Dead), 10).await.unwrap();
        assert!(dead.is_empty(), "{dead:?}");
        assert_eq!(page, json!({ "ok": false, "error": "render_limit_reached", "prewarmed": 0 }));
        assert_eq!(
            site,
            json!({ "ok": false, "error": "render_limit_reached", "accepted": false, "batchGroupId": "" })
        );
    })
    .await;
}

#[tokio::test]
async fn the_preferred_host_is_what_is_rendered() {
    on_each_engine(async |shop| {
        let settings = domains::PreferredHost::Www;
        shop.app.set(&shop.domain, |all| all.preferred_host = Some(settings)).await;
        // The twin has no address here, so nobody answers there.
        let response = shop.post_ok(PAGE, json!({ "path": "/a" })).await;

        assert_eq!(response["error"], "origin_not_reachable");
    })
    .await;
}
