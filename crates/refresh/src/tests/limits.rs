//! Limits of what may be queued: requests a minute, the month's renders with what waits, and domains that nothing has proven.

use super::*;

fn paths(from: usize, count: usize) -> Vec<String> {
    (from..from + count).map(|n| format!("/p/{n}")).collect()
}

#[tokio::test]
async fn a_key_refreshes_120_times_a_minute() {
    on_each_engine(async |shop| {
        let body = json!({ "domain": "shop.example", "path": "/a", "prewarm": false });
        for _ in 0..120 {
            shop.post(PAGE, body.clone()).await.assert_status(200);
        }

        let over = shop.post(SITE, json!({ "domain": "shop.example" })).await;

        over.assert_error(429, "rate_limited");
        assert_eq!(over.header("retry-after"), "60");
        shop.app.clock.advance(Duration::from_secs(60));
        shop.post(PAGE, body).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn renders_that_wait_count_against_the_month() {
    on_each_engine_with("[plans.enterprise]\nrenders_per_month = 5", async |shop| {
        let first = shop.post_ok(PATHS, json!({ "paths": paths(0, 3) })).await;
        let second = shop.post_ok(PATHS, json!({ "paths": paths(3, 3) })).await;
        let third = shop.post_ok(PAGE, json!({ "path": "/p/9" })).await;
        shop.run_jobs().await;

        assert_eq!((&first["prewarmed"], &second["prewarmed"]), (&json!(3), &json!(2)));
        assert_eq!(third, json!({ "ok": false, "error": "render_limit_reached", "prewarmed": 0 }));
        assert_eq!(shop.all_renders(), 5);
    })
    .await;
}

#[tokio::test]
async fn a_site_is_refreshed_as_far_as_the_month_allows_and_the_batch_says_so() {
    on_each_engine_with("[plans.enterprise]\nrenders_per_month = 3", async |shop| {
        shop.web.sitemap(&[("/a", None), ("/b", None), ("/c", None), ("/d", None)]);

        let reply = shop.post_ok(SITE, json!({})).await;
        let page = shop.post_ok(PAGE, json!({ "path": "/p/9" })).await;
        shop.run_jobs().await;

        let batch = shop.batch(&reply["batchGroupId"]).await;
        assert_eq!((&batch["total"], &batch["done"]), (&json!(3), &json!(3)));
        let said = batch["error"].as_str().unwrap();
        assert!(said.starts_with("1 pages were left out"), "{said}");
        assert_eq!(page["error"], "render_limit_reached");
    })
    .await;
}

#[tokio::test]
async fn an_account_has_a_bounded_number_of_renders_in_the_queue_whatever_its_plan() {
    on_each_engine(async |shop| {
        let pages = paths(0, 250);
        let pages: Vec<_> = pages.iter().map(|path| (path.as_str(), None)).collect();
        shop.web.sitemap(&pages);

        let site = shop.post_ok(SITE, json!({})).await;
        let page = shop.post_ok(PAGE, json!({ "path": "/one-more" })).await;

        // In tests 200 stand for 100,000.
        assert_eq!(shop.batch(&site["batchGroupId"]).await["total"], 200);
        assert_eq!(page["error"], "render_limit_reached");
    })
    .await;
}

#[tokio::test]
async fn a_pending_domain_that_is_removed_and_added_again_has_the_pages_that_it_had_left() {
    on_each_engine(async |shop| {
        let add = async || {
            shop.app.domain_with_status(&shop.account, "app.host.example", DomainStatus::Pending).await
        };
        let refresh = async |paths: Vec<String>| {
            let body = json!({ "domain": "app.host.example", "paths": paths });
            shop.post(PATHS, body).await.json()
        };
        let domain = add().await;
        let first = refresh(paths(0, 80)).await;
        assert!(shop.app.state.domains.remove(&domain).await.unwrap());

        add().await;
        let second = refresh(paths(0, 80)).await;

        assert_eq!((&first["prewarmed"], &second["prewarmed"]), (&json!(80), &json!(20)));
    })
    .await;
}

#[tokio::test]
async fn a_pending_domain_refreshes_100_pages_a_day() {
    on_each_engine(async |shop| {
        let domain =
            shop.app.domain_with_status(&shop.account, "app.host.example", DomainStatus::Pending).await;
        assert_eq!(domain.status, DomainStatus::Pending);
        let refresh = async |paths: Vec<String>| {
            let body = json!({ "domain": "app.host.example", "paths": paths });
            shop.post(PATHS, body).await.json()
        };

        let first = refresh(paths(0, 80)).await;
        let second = refresh(paths(80, 80)).await;
        let third = refresh(paths(160, 1)).await;
        shop.run_jobs().await;
        shop.app.clock.advance(DAY);

        assert_eq!((&first["prewarmed"], &second["prewarmed"]), (&json!(80), &json!(20)));
        assert_eq!(third["error"], "render_limit_reached");
        assert_eq!(refresh(paths(160, 1)).await["prewarmed"], 1);
    })
    .await;
}
