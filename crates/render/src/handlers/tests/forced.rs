//! Tests of forced renders.

use super::*;

#[tokio::test]
async fn a_forced_render_skips_every_tier_and_replaces_the_snapshot() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>old</p>");
        app.crawl(&account, PAGE).await;
        app.renderer.answers_html(PAGE, "<p>new</p>");

        let forced = app.force(&account, PAGE).await;

        assert_page(&forced, "miss", "<p>new</p>");
        assert_page(&app.crawl(&account, PAGE).await, "edge-hit", "<p>new</p>");
        app.clock.advance(Duration::from_secs(301));
        assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>new</p>");
    })
    .await;
}

#[tokio::test]
async fn only_a_top_level_one_forces() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let inside = "https://shop.example/shoes?cache_invalidate=1";
    app.crawl(&account, PAGE).await;
    app.crawl(&account, inside).await;

    let again = app.crawl(&account, inside).await;
    let other_value =
        app.get(&format!("{}&cache_invalidate=true", render_path(PAGE))).key(&account.key).await;

    assert_eq!(again.header("x-service-render-cache"), "edge-hit");
    assert_eq!(other_value.header("x-service-render-cache"), "edge-hit");
}

#[tokio::test]
async fn a_forced_render_that_began_later_is_not_replaced_by_an_older_one() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>old</p>");
        app.renderer.hangs(PAGE);
        let slow = tokio::spawn(app.crawl(&account, PAGE).into_future());
        eventually("the first render", async || app.renderer.renders(PAGE) == 1).await;
        let forced = tokio::spawn(app.force(&account, PAGE).into_future());
        eventually("the forced render", async || app.renderer.renders(PAGE) == 2).await;

        // Both renders end now, with the present page; the one that is kept matters.
        app.renderer.release(PAGE);
        let (slow, forced) = (slow.await.expect("an answer"), forced.await.expect("an answer"));

        assert_eq!(
            (slow.header("x-service-render-cache"), forced.header("x-service-render-cache")),
            ("miss", "miss")
        );
        let list = app.get("/api/prerender/snapshots?domain=shop.example").key(&account.key).await;
        list.assert(200, json!({ "total": 1 }));
        assert_eq!(app.renderer.renders(PAGE), 2);
    })
    .await;
}

#[tokio::test]
async fn a_forced_render_that_fails_answers_with_the_stored_snapshot() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>old</p>");
        app.crawl(&account, PAGE).await;
        app.renderer.fails(PAGE, RenderError::PageCrashed);

        assert_page(&app.force(&account, PAGE).await, "hit", "<p>old</p>");
    })
    .await;
}

#[tokio::test]
async fn a_key_forces_sixty_renders_a_minute() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    for _ in 0..60 {
        app.force(&account, PAGE).await.assert_status(200);
    }

    let refused = app.force(&account, PAGE).await;
    let other_key = app.key(&account.id, None).await;
    let path = format!("{}&cache_invalidate=1", render_path(PAGE));

    refused.assert_error(429, "rate_limited");
    assert!(refused.headers.contains_key("retry-after") && refused.headers.contains_key("ratelimit"));
    assert_eq!(app.crawl(&account, PAGE).await.header("x-service-render-cache"), "edge-hit");
    app.get(&path).key(&other_key).await.assert_status(200);
    // The limit is checked before the address and its owner.
    app.force(&account, "https://else.example/").await.assert_error(429, "rate_limited");
    app.clock.advance(Duration::from_secs(61));
    app.force(&account, PAGE).await.assert_status(200);
}

#[tokio::test]
async fn a_domain_that_no_check_has_proven_is_forced_ten_times_a_minute_whatever_key_asks() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Enterprise).await;
        let domain = app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await;
        let other_key = app.key(&account.id, None).await;
        let path = format!("{}&cache_invalidate=1", render_path(PAGE));
        for _ in 0..5 {
            app.force(&account, PAGE).await.assert_status(200);
            app.get(&path).key(&other_key).await.assert_status(200);
        }

        app.force(&account, PAGE).await.assert_error(429, "rate_limited");
        assert!(app.state.domains.remove(&domain).await.expect("a database"));
        app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await;

        app.get(&path).key(&other_key).await.assert_error(429, "rate_limited");
        app.clock.advance(Duration::from_secs(61));
        app.force(&account, PAGE).await.assert_status(200);
    })
    .await;
}
