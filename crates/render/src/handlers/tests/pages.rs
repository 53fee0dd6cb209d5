//! Tests of rendered pages: their status, and renders that do not become the snapshot.

use super::*;

#[tokio::test]
async fn a_page_keeps_its_own_status() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_status(PAGE, 404, "<p>gone</p>");

        let first = app.crawl(&account, PAGE).await;
        let second = app.crawl(&account, PAGE).await;

        assert_eq!((first.status.as_u16(), first.text().as_str()), (404, "<p>gone</p>"));
        assert_eq!((second.status.as_u16(), second.header("x-service-render-cache")), (404, "edge-hit"));
        assert_eq!(first.header("cache-control"), "public, max-age=600, s-maxage=600");
    })
    .await;
}

#[tokio::test]
async fn a_page_that_is_gone_is_looked_at_again_after_ten_minutes() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_status(PAGE, 410, "<p>gone</p>");
        app.crawl(&account, PAGE).await;
        app.renderer.answers_html(PAGE, "<p>back</p>");

        app.clock.advance(Duration::from_secs(599));
        assert_eq!(app.crawl(&account, PAGE).await.status.as_u16(), 410);
        app.clock.advance(Duration::from_secs(1));

        assert_page(&app.crawl(&account, PAGE).await, "miss", "<p>back</p>");
    })
    .await;
}

#[tokio::test]
async fn a_failing_server_s_page_is_returned_and_never_stored_over_a_good_one() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>good</p>");
        app.crawl(&account, PAGE).await;
        app.renderer.answers_status(PAGE, 503, "<p>down</p>");

        let forced = app.force(&account, PAGE).await;

        assert_eq!((forced.status.as_u16(), forced.text().as_str()), (503, "<p>down</p>"));
        assert_eq!(forced.header("cache-control"), "no-store");
        assert_page(&app.crawl(&account, PAGE).await, "edge-hit", "<p>good</p>");
        app.clock.advance(Duration::from_secs(301));
        assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>good</p>");
    })
    .await;
}

#[tokio::test]
async fn a_page_that_was_cut_off_says_so_and_is_not_stored() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_partial(PAGE, "<p>half</p>");

        let first = app.crawl(&account, PAGE).await;
        let second = app.crawl(&account, PAGE).await;

        for reply in [first, second] {
            assert_page(&reply, "miss", "<p>half</p>");
            assert_eq!(reply.header("x-service-render-partial"), "1");
        }
        let list = app.get("/api/prerender/snapshots?domain=shop.example").key(&account.key).await;
        list.assert(200, json!({ "snapshots": [], "total": 0 }));
    })
    .await;
}

#[tokio::test]
async fn a_page_that_redirects_redirects_the_crawler() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.redirects(PAGE, 302, "https://shop.example/boots");

        let first = app.crawl(&account, PAGE).await;
        let second = app.crawl(&account, PAGE).await;

        for (reply, tier) in [(first, "miss"), (second, "edge-hit")] {
            reply.assert_status(302);
            assert_eq!(reply.header("location"), "https://shop.example/boots");
            assert_eq!(reply.header("x-service-render-cache"), tier);
            assert_eq!(reply.text(), "");
        }
    })
    .await;
}

#[tokio::test]
async fn a_page_that_cannot_be_rendered_and_never_was_goes_to_the_origin() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.set(&domain, |settings| settings.origin_host = "app.host.test".parse().ok()).await;
        app.renderer.fails(PAGE, RenderError::OriginUnreachable("no such host".into()));

        let reply = app.crawl(&account, PAGE).await;

        assert_leads_to(&reply, 304, "https://app.host.test/shoes");
    })
    .await;
}

/// Decides whether a render of the page was held back.
async fn is_suspected(app: &TestApp, domain: &Domain) -> bool {
    let site = app.site(domain).await;
    let page = page_of(&site, &url::Url::parse(PAGE).expect("an address"));
    let mut conn = app.state.platform.db.read().await.expect("a database");
    let row = queries::find_snapshot(&mut conn, &page_id(&domain.id, &page.key)).await.expect("a database");
    row.expect("a snapshot").suspect_at.is_some()
}

#[tokio::test]
async fn a_page_whose_text_is_suddenly_gone_is_held_back_until_a_second_render_agrees() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        let full = format!("<p>{}</p>", "All our shoes. ".repeat(50));
        app.renderer.answers_html(PAGE, &full);
        app.crawl(&account, PAGE).await;
        app.renderer.answers_html(PAGE, "<div id=root></div>");
        app.clock.advance(DAY);

        assert_page(&app.crawl(&account, PAGE).await, "hit", &full);
        eventually("the render that is held back", async || is_suspected(&app, &domain).await).await;
        app.clock.advance(Duration::from_secs(30));
        assert_page(&app.crawl(&account, PAGE).await, "hit", &full);
        assert_eq!(app.renderer.renders(PAGE), 2);
        app.clock.advance(Duration::from_secs(31));
        assert_page(&app.crawl(&account, PAGE).await, "hit", &full);

        eventually("the second render's page", async || {
            app.crawl(&account, PAGE).await.text() == "<div id=root></div>"
        })
        .await;
        assert_eq!(app.renderer.renders(PAGE), 3);
    })
    .await;
}

#[tokio::test]
async fn a_good_page_is_not_replaced_by_an_error_page_or_a_redirect_until_a_second_render_agrees() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>good</p>");
        app.crawl(&account, PAGE).await;
        app.renderer.redirects(PAGE, 302, "https://shop.example/maintenance");
        app.clock.advance(DAY);

        assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>good</p>");
        eventually("the redirect that is held back", async || is_suspected(&app, &domain).await).await;
        app.clock.advance(Duration::from_secs(61));
        app.renderer.answers_status(PAGE, 404, "<p>gone</p>");
        assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>good</p>");

        eventually("the second render's page", async || {
            app.crawl(&account, PAGE).await.text() == "<p>gone</p>"
        })
        .await;
        assert_eq!(app.renderer.renders(PAGE), 3);
    })
    .await;
}

#[tokio::test]
async fn a_forced_render_replaces_a_good_page_by_an_error_page_at_once() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.renderer.answers_html(PAGE, "<p>good</p>");
    app.crawl(&account, PAGE).await;
    app.renderer.answers_status(PAGE, 404, "<p>gone</p>");

    app.force(&account, PAGE).await;

    assert_eq!(app.crawl(&account, PAGE).await.text(), "<p>gone</p>");
}

#[tokio::test]
async fn an_object_store_that_does_not_answer_is_no_reason_to_render() {
    TestApp::on_each_engine_with("render.memory_cache_bytes = 0", async |app| {
        let (account, _) = shop(&app).await;
        app.crawl(&account, PAGE).await;
        let key = app.crawl(&account, PAGE).await.header("x-service-snapshot-key").to_owned();
        let (blobs, db) = (&app.state.platform.blobs, &app.state.platform.db);
        blobs.delete(&key).await.expect("a folder");
        // A file in place of a folder: the store fails, and does not report the object as missing.
        blobs.put("broken", bytes::Bytes::from_static(b"a file")).await.expect("a folder");
        const SQL: &str = "update snapshots set object_key = 'broken/object'";
        let mut tx = db.write().await.expect("a database");
        store::on_engine!(tx, |c| sqlx::query(SQL).execute(c).await.map(drop)).expect("a table");
        tx.commit().await.expect("a database");

        let reply = app.crawl(&account, PAGE).await;

        reply.assert_status(304);
        assert_eq!(app.renderer.renders(PAGE), 1);
    })
    .await;
}

#[tokio::test]
async fn a_client_that_only_claims_to_be_a_crawler_starts_no_render() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    let site = app.site(&domain).await;
    let target = url::Url::parse(PAGE).expect("an address");
    let method = http::Method::GET;
    let headers = http::HeaderMap::new();
    let deciding = DecidingHeaders::of(&headers);
    let call = |freshness| RenderCall {
        site: &site,
        target: &target,
        facts: deciding.facts(&method, true),
        entry: EntryPoint::Edge,
        freshness,
        crawler: CrawlerIndex::shared().identify("Googlebot/2.1"),
        verified: Verified::No,
        unverified_client: None,
        is_probe: false,
        deadline: None,
        format: None,
    };

    let nothing_stored = app.state.render.serve(&call(Freshness::Forced)).await.expect("a database");
    app.crawl(&account, PAGE).await;
    let stored = app.state.render.serve(&call(Freshness::Stored)).await.expect("a database");

    assert!(matches!(nothing_stored, RenderResponse::Passthrough { .. }));
    assert!(matches!(stored, RenderResponse::Page(_)));
    assert_eq!(app.renderer.renders(PAGE), 1);
}

#[tokio::test]
async fn a_page_that_ended_the_browser_is_not_rendered_again_for_a_while() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.renderer.fails(PAGE, RenderError::PageCrashed);

    for _ in 0..3 {
        app.crawl(&account, PAGE).await.assert_status(304);
    }
    let crashed = app.renderer.renders(PAGE);
    app.renderer.answers_html(PAGE, "<p>well</p>");
    let forced = app.force(&account, PAGE).await;

    assert_eq!(crashed, 1);
    assert_page(&forced, "miss", "<p>well</p>");
}

#[tokio::test]
async fn over_its_renders_on_demand_of_a_minute_a_domain_gets_what_is_stored_else_a_pass_through() {
    let app = TestApp::with("limits.on_demand_renders_per_minute = 2").await;
    let (account, _) = shop(&app).await;
    let page = |n: u32| format!("https://shop.example/p/{n}");
    app.crawl(&account, &page(1)).await.assert_status(200);
    app.crawl(&account, &page(2)).await.assert_status(200);

    app.crawl(&account, &page(3)).await.assert_status(304);
    app.crawl(&account, &page(2)).await.assert_status(200);
    app.force(&account, &page(3)).await.assert_status(200);
}

#[tokio::test]
async fn a_forced_render_replaces_a_page_whatever_its_text_says() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.renderer.answers_html(PAGE, &format!("<p>{}</p>", "All our shoes. ".repeat(50)));
    app.crawl(&account, PAGE).await;
    app.renderer.answers_html(PAGE, "<p>Closed</p>");

    app.force(&account, PAGE).await;

    assert_page(&app.crawl(&account, PAGE).await, "edge-hit", "<p>Closed</p>");
}

#[tokio::test]
async fn an_integration_gets_what_there_is_in_time_and_the_page_the_next_time() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    let (site, target) = (app.site(&domain).await, url::Url::parse(PAGE).expect("an address"));
    let (method, headers) = (http::Method::GET, http::HeaderMap::new());
    let deciding = DecidingHeaders::of(&headers);
    let call = RenderCall {
        site: &site,
        target: &target,
        facts: deciding.facts(&method, true),
        entry: EntryPoint::Api,
        freshness: Freshness::Stored,
        crawler: CrawlerIndex::shared().identify("Slackbot 1.0"),
        verified: Verified::Unknown,
        unverified_client: None,
        is_probe: false,
        deadline: Some(std::time::Instant::now()),
        format: None,
    };
    app.renderer.hangs(PAGE);

    let late = app.state.render.serve(&call).await.expect("a database");
    let again = app.state.render.serve(&call).await.expect("a database");
    app.renderer.release(PAGE);
    let waited = app.crawl(&account, PAGE).await;

    assert!(
        matches!(late, RenderResponse::Passthrough { .. })
            && matches!(again, RenderResponse::Passthrough { .. })
    );
    waited.assert_status(200);
    assert_eq!(app.renderer.renders(PAGE), 1);
}

#[test]
fn only_an_integration_has_a_deadline() {
    let mut headers = http::HeaderMap::new();
    assert!(deadline_of(&headers).is_none());

    headers.insert("x-service-integration", http::HeaderValue::from_static("1"));

    let left = deadline_of(&headers).expect("a deadline").duration_since(std::time::Instant::now());
    assert!(left < Duration::from_secs(9), "{left:?}");
}
