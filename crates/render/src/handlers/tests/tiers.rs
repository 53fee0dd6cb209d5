//! Tests of the tiers (memory, snapshot, browser), and of stale and lost pages.

use super::*;

#[tokio::test]
async fn a_page_is_rendered_once_and_then_comes_from_memory() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>Shoes</p>");

        let first = app.crawl(&account, PAGE).await;
        let second = app.crawl(&account, PAGE).await;

        assert_page(&first, "miss", "<p>Shoes</p>");
        assert_page(&second, "edge-hit", "<p>Shoes</p>");
        assert_eq!(first.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(first.header("cache-control"), "public, max-age=86400, s-maxage=86400");
        assert!(first.header("etag").starts_with("W/\""), "{}", first.header("etag"));
        assert_eq!(second.header("etag"), first.header("etag"));
        assert!(!first.headers.contains_key("x-service-snapshot-key"));
        assert_eq!(app.renderer.renders(PAGE), 1);
    })
    .await;
}

#[tokio::test]
async fn the_third_equal_request_is_answered_like_the_second() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.crawl(&account, PAGE).await;

    let routed = app.crawl(&account, PAGE).await;
    let fast = app.crawl(&account, PAGE).await;

    let headers = |reply: &Reply| {
        let mut headers = reply.headers.clone();
        headers.remove("x-request-id");
        // The router sets the length itself; for the fast path the connection sets the length.
        headers.remove("content-length");
        headers
    };
    assert_eq!(headers(&fast), headers(&routed));
    assert_eq!((fast.status, fast.body), (routed.status, routed.body));
}

#[tokio::test]
async fn a_snapshot_outlives_the_memory_of_a_process() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>Shoes</p>");
        app.crawl(&account, PAGE).await;
        app.clock.advance(Duration::from_secs(301));

        let reply = app.crawl(&account, PAGE).await;

        assert_page(&reply, "hit", "<p>Shoes</p>");
        assert!(reply.header("x-service-snapshot-key").starts_with("snapshots/"), "{reply:?}");
        assert_eq!(app.renderer.renders(PAGE), 1);
        assert_page(&app.crawl(&account, PAGE).await, "edge-hit", "<p>Shoes</p>");
    })
    .await;
}

#[tokio::test]
async fn equal_pages_share_a_snapshot_whatever_the_scheme_www_order_or_tracking() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.crawl(&account, "https://shop.example/shoes?b=1&a=2").await;

    let reply = app.crawl(&account, "http://www.shop.example/shoes?a=2&utm_source=x&b=1#top").await;

    assert_eq!(reply.header("x-service-render-cache"), "edge-hit");
    assert_eq!(
        app.crawl(&account, "https://shop.example/shoes?a=3").await.header("x-service-render-cache"),
        "miss"
    );
}

#[tokio::test]
async fn a_stale_page_is_served_at_once_and_rendered_again_behind_it() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>old</p>");
        app.crawl(&account, PAGE).await;
        app.renderer.answers_html(PAGE, "<p>new</p>");
        app.clock.advance(DAY);

        let stale = app.crawl(&account, PAGE).await;

        assert_page(&stale, "hit", "<p>old</p>");
        eventually("the new page", async || app.crawl(&account, PAGE).await.text() == "<p>new</p>").await;
        assert_eq!(app.renderer.renders(PAGE), 2);
    })
    .await;
}

#[tokio::test]
async fn a_failed_re_render_keeps_the_snapshot_records_the_error_and_waits_longer_each_time() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>old</p>");
        app.crawl(&account, PAGE).await;
        app.renderer.fails(PAGE, RenderError::OriginUnreachable("connection refused".into()));
        app.clock.advance(DAY);

        assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>old</p>");

        let list =
            async || app.get("/api/prerender/snapshots?domain=shop.example").key(&account.key).await.json();
        eventually("the recorded error", async || list().await["snapshots"][0]["lastError"].is_string())
            .await;
        let listed = list().await;
        let expected = "the origin could not be reached: connection refused";
        assert_eq!(listed["snapshots"][0]["lastError"], expected);
        assert_eq!(listed["snapshots"][0]["stale"], true);
        // The page is not rendered within the pause, and is rendered after the pause.
        assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>old</p>");
        assert_eq!(app.renderer.renders(PAGE), 2);
        app.clock.advance(Duration::from_secs(61));
        assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>old</p>");
        eventually("another attempt", async || {
            assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>old</p>");
            app.renderer.renders(PAGE) == 3
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_missing_object_is_rendered_again_and_repaired() {
    // Without memory for documents: a process with a cached document does not detect the missing object for a minute.
    TestApp::on_each_engine_with("render.memory_cache_bytes = 0", async |app| {
        let (account, _) = shop(&app).await;
        app.crawl(&account, PAGE).await;
        let key = app.crawl(&account, PAGE).await.header("x-service-snapshot-key").to_owned();
        app.state.platform.blobs.delete(&key).await.expect("a folder");

        let reply = app.crawl(&account, PAGE).await;

        assert_eq!(reply.header("x-service-render-cache"), "miss");
        assert_eq!(app.crawl(&account, PAGE).await.header("x-service-snapshot-key"), key);
    })
    .await;
}

#[tokio::test]
async fn a_replaced_object_is_deleted() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>old</p>");
        app.crawl(&account, PAGE).await;
        app.renderer.answers_html(PAGE, "<p>new</p>");

        app.force(&account, PAGE).await;

        let prefix = format!("snapshots/{}/", domain.id);
        let objects =
            futures::StreamExt::count(app.state.platform.blobs.list(&prefix).expect("a prefix")).await;
        assert_eq!(objects, 1);
    })
    .await;
}
