//! Tests of the render endpoint: decisions, tiers, failures and refusals, over HTTP on both databases.

#![allow(clippy::disallowed_methods, reason = "clients of a test are nobody's background work")]

mod outages;

use std::time::Duration;

use browser::RenderError;
use serde_json::json;

use crate::accounts::Plan;
use crate::analytics::{CrawlerIndex, Verified};
use crate::domains::redirects::RedirectRule;
use crate::domains::{Domain, DomainStatus, PreferredHost};
use crate::render::cache::page_id;
use crate::render::decide::page_of;
use crate::render::model::Freshness;
use crate::render::request_facts::DecidingHeaders;
use crate::render::{Call, Place, RenderResponse, queries};
use crate::testing::{GOOGLEBOT, Reply, TestAccount, TestApp, render_path};

const DAY: Duration = Duration::from_secs(24 * 3600);
const PAGE: &str = "https://shop.example/shoes";

/// An account on a plan without limits, with the connected domain shop.example.
async fn shop(app: &TestApp) -> (TestAccount, Domain) {
    let account = app.account("owner@shop.example", Plan::Enterprise).await;
    let domain = app.domain(&account, "shop.example").await;
    (account, domain)
}

#[track_caller]
fn assert_page(reply: &Reply, tier: &str, html: &str) {
    reply.assert_status(200);
    assert_eq!((reply.header("x-service-render-cache"), reply.text().as_str()), (tier, html));
}

#[track_caller]
fn assert_leads_to(reply: &Reply, status: u16, location: &str) {
    reply.assert_status(status);
    assert_eq!((reply.header("location"), reply.text().as_str()), (location, ""));
    assert_eq!(reply.header("cache-control"), "no-store");
    for absent in ["etag", "x-service-render-cache", "x-service-snapshot-key"] {
        assert!(!reply.headers.contains_key(absent), "{absent}");
    }
}

/// Waits for background work, which needs no time of the clock but some of the runtime.
async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    for _ in 0..500 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not happen");
}

// ---- Tiers

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
        // The router names the length itself; for the fast path the connection does.
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
        // Within the pause nobody tries again; after it somebody does.
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
    // Without memory for documents: a process that remembers one does not miss its object for a minute.
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

// ---- Forced renders

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

        // Both end now, with what is there now; what matters is which of them is kept.
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

// ---- What a page is

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
        app.set(&domain, |settings| settings.origin_host = "app.host.test".into()).await;
        app.renderer.fails(PAGE, RenderError::OriginUnreachable("no such host".into()));

        let reply = app.crawl(&account, PAGE).await;

        assert_leads_to(&reply, 304, "https://app.host.test/shoes");
    })
    .await;
}

/// Whether a render of the page was held back.
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
        // A file where a folder should be: the store fails, and does not say that the object is missing.
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
    let call = |freshness| Call {
        site: &site,
        target: &target,
        facts: deciding.facts(&method, true),
        place: Place::Edge,
        freshness,
        crawler: CrawlerIndex::shared().identify("Googlebot/2.1"),
        verified: Verified::No,
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

// ---- Decisions and settings

#[tokio::test]
async fn people_assets_and_data_are_passed_to_the_origin() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;

    let person =
        app.render(&account, PAGE).header("sec-fetch-mode", "navigate").header("sec-fetch-dest", "document");
    let data = app.render(&account, PAGE).header("accept", "application/json");

    assert_leads_to(&person.await, 304, PAGE);
    assert_leads_to(&data.await, 304, PAGE);
    let asset = app.crawl(&account, "https://shop.example/app.js?v=1").await;
    assert_leads_to(&asset, 304, "https://shop.example/app.js?v=1");
    assert_eq!(app.renderer.requests().len(), 0);
}

#[tokio::test]
async fn if_none_match_is_ignored() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let etag = app.crawl(&account, PAGE).await.header("etag").to_owned();

    let reply = app.crawl(&account, PAGE).header("if-none-match", &etag).await;

    reply.assert_status(200);
}

#[tokio::test]
async fn redirect_rules_and_the_preferred_host_answer_before_anything_is_rendered() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        let rule = |source: &str, status| RedirectRule {
            source: source.into(),
            destination: "/new/$1".into(),
            status,
            preserve_query: true,
        };
        app.set(&domain, |settings| {
            settings.preferred_host = Some(PreferredHost::Www);
            settings.redirect_rules = vec![rule("/old/*", 301), rule("/tmp/*", 307)];
        })
        .await;

        let permanent = app.crawl(&account, "https://shop.example/old/a?b=c").await;
        let temporary = app.crawl(&account, "https://www.shop.example/tmp/a").await;
        let host = app.crawl(&account, PAGE).await;

        assert_leads_to(&permanent, 301, "https://www.shop.example/new/a?b=c");
        assert_leads_to(&temporary, 307, "https://www.shop.example/new/a");
        assert_leads_to(&host, 301, "https://www.shop.example/shoes");
        assert_eq!(app.renderer.requests().len(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_change_of_settings_holds_at_once_for_pages_in_memory() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    for _ in 0..3 {
        app.crawl(&account, PAGE).await;
    }

    app.set(&domain, |settings| settings.ignore_paths = "/shoes".into()).await;

    assert_leads_to(&app.crawl(&account, PAGE).await, 304, PAGE);
}

#[tokio::test]
async fn custom_response_headers_are_on_the_snapshots_of_their_paths() {
    use crate::domains::headers::{HeaderField, HeaderRule};
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    let field = HeaderField { name: "x-robots-tag".into(), value: "noarchive".into() };
    let rule = HeaderRule { path_pattern: "/sh*".into(), headers: vec![field] };
    app.set(&domain, |settings| settings.custom_response_headers = vec![rule]).await;

    for tier in ["miss", "edge-hit", "edge-hit"] {
        let reply = app.crawl(&account, PAGE).await;
        assert_eq!(
            (reply.header("x-service-render-cache"), reply.header("x-robots-tag")),
            (tier, "noarchive")
        );
    }
    assert_eq!(app.crawl(&account, "https://shop.example/").await.header("x-robots-tag"), "");
}

#[tokio::test]
async fn the_interval_of_the_most_specific_rule_is_what_caches_are_told() {
    use crate::domains::RefreshRule;
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    app.set_rendering(&domain, |rendering| {
        rendering.refresh_rules = vec![
            RefreshRule { pattern: "/**".into(), interval_seconds: 7200 },
            RefreshRule { pattern: "/shoes".into(), interval_seconds: 120 },
        ];
    })
    .await;

    let shoes = app.crawl(&account, PAGE).await;
    let home = app.crawl(&account, "https://shop.example/").await;

    assert_eq!(shoes.header("cache-control"), "public, max-age=120, s-maxage=120");
    assert_eq!(home.header("cache-control"), "public, max-age=7200, s-maxage=7200");
}

#[tokio::test]
async fn with_on_demand_rendering_off_only_what_is_stored_is_served() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.set(&domain, |settings| settings.on_demand_render_enabled = false).await;

        assert_leads_to(&app.crawl(&account, PAGE).await, 304, PAGE);
        assert_eq!(app.renderer.renders(PAGE), 0);
        let forced = app.force(&account, PAGE).await;
        assert_eq!(forced.header("x-service-render-cache"), "miss");
        app.clock.advance(DAY * 2);
        let stale = app.crawl(&account, PAGE).await;

        assert_eq!(stale.header("x-service-render-cache"), "hit");
        assert_eq!(app.renderer.renders(PAGE), 1);
    })
    .await;
}

#[tokio::test]
async fn an_escaped_fragment_is_rendered_as_its_hash_bang_page() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;

    app.render(&account, "https://shop.example/?_escaped_fragment_=about").await.assert_status(200);

    let rendered: Vec<String> =
        app.renderer.requests().iter().map(|request| request.url.to_string()).collect();
    assert_eq!(rendered, ["https://shop.example/#!about"]);
}

#[tokio::test]
async fn the_browser_is_told_where_the_site_is_and_what_to_wait_for() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    app.set(&domain, |settings| settings.origin_host = "app.host.test".into()).await;
    app.set_rendering(&domain, |rendering| {
        rendering.wait_for_selector = Some("#main".into());
        rendering.blocked_urls = vec!["*://ads.test/*".into()];
    })
    .await;

    app.crawl(&account, PAGE).await;

    let request = app.renderer.requests().remove(0);
    let route = request.route.expect("a route to the origin host");
    assert_eq!((route.origin_host.as_str(), route.tls), ("app.host.test", true));
    assert_eq!(route.hosts, ["shop.example", "www.shop.example"]);
    assert_eq!(request.tenant, domain.id.as_str());
    assert_eq!(request.wait_for_selector.as_deref(), Some("#main"));
    assert_eq!(request.blocked_urls, ["*://ads.test/*"]);
}

#[tokio::test]
async fn head_answers_like_get_without_the_page() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let get = app.crawl(&account, PAGE).await;

    let head = app
        .request(http::Method::HEAD, &render_path(PAGE))
        .key(&account.key)
        .header("user-agent", GOOGLEBOT)
        .await;

    head.assert_status(200);
    assert_eq!((head.header("etag"), head.text().as_str()), (get.header("etag"), ""));
    assert_eq!(head.header("x-service-render-cache"), "edge-hit");
}

// ---- Plans

#[tokio::test]
async fn renders_are_counted_and_what_failed_is_not() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.fails("/broken", RenderError::PageCrashed);

        for path in ["/a", "/a", "/b", "/broken"] {
            app.crawl(&account, &format!("https://shop.example{path}")).await;
        }
        app.force(&account, "https://shop.example/a").await;

        let usage = app.get("/api/usage").key(&account.key).await.json();
        let renders = usage["limits"]
            .as_array()
            .and_then(|limits| limits.iter().find(|it| it["name"] == "renders_per_month"));
        assert_eq!(renders.map(|it| it["used"].clone()), Some(json!(3)));
    })
    .await;
}

#[tokio::test]
async fn over_the_limit_the_last_snapshot_is_served_and_the_rest_goes_to_the_origin() {
    TestApp::on_each_engine_with("[plans.essential]\nrenders_per_month = 1", async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        app.renderer.answers_html(PAGE, "<p>old</p>");
        app.crawl(&account, PAGE).await;
        app.renderer.answers_html(PAGE, "<p>new</p>");

        assert_page(&app.force(&account, PAGE).await, "hit", "<p>old</p>");
        assert_leads_to(
            &app.crawl(&account, "https://shop.example/boots").await,
            304,
            "https://shop.example/boots",
        );
        app.clock.advance(DAY * 31);
        assert_page(&app.force(&account, PAGE).await, "miss", "<p>new</p>");
    })
    .await;
}

// ---- Refusals

#[tokio::test]
async fn an_address_that_cannot_be_a_page_is_refused_with_a_sentence() {
    let app = TestApp::with("[limits]\nurl_bytes = 100").await;
    let (account, _) = shop(&app).await;
    let long = format!("https://shop.example/{}", "a".repeat(100));

    for url in [
        "",
        "/shoes",
        "shop.example/shoes",
        "ftp://shop.example/",
        "https://user:pw@shop.example/",
        "https://",
        &long,
    ] {
        let reply = app.crawl(&account, url).await;
        reply.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "url" }] }));
    }
    for query in [
        "",
        "?",
        "?uri=x",
        "?url=https://shop.example/&url=https://shop.example/",
        "?url=https://shop.example/%FF%FE%",
    ] {
        let reply = app.get(&format!("/api/prerender/render{query}")).key(&account.key).await;
        if query.contains("%FF") {
            reply.assert_error(400, "invalid_request");
        } else {
            reply.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "url" }] }));
        }
    }
}

#[tokio::test]
async fn refusals_come_in_their_documented_order() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        let scoped = app.key(&account.id, Some("shop.example")).await;
        let stranger = app.account("other@x.example", Plan::Enterprise).await;
        app.domain(&stranger, "theirs.example").await;
        let get = |url: &str, key: &str| app.get(&render_path(url)).key(key);

        app.get("/api/prerender/render").await.assert_error(401, "invalid_api_key");
        get(PAGE, "gh_live_nonsense").await.assert_error(401, "invalid_api_key");
        get("nonsense", &scoped).await.assert_error(400, "invalid_request");
        get("https://theirs.example/", &scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        get("https://nobodys.example/", &scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        get("https://theirs.example/", &account.key).await.assert_error(403, "domain_not_owned");
        get("https://nobodys.example/", &account.key).await.assert_error(403, "domain_not_owned");
        get("https://sub.shop.example/", &account.key).await.assert_error(403, "domain_not_owned");
        get("https://127.0.0.1/", &account.key).await.assert_error(403, "domain_not_owned");
        get("https://www.shop.example/", &scoped).await.assert_status(200);

        app.state
            .domains
            .set_suspended(&domain.host, crate::domains::service::Lock::On)
            .await
            .expect("a database");
        get("https://shop.example/app.js", &account.key).await.assert_error(403, "domain_suspended");
        app.deactivate(&account).await;
        tokio::time::sleep(Duration::from_millis(2100)).await;
        get("nonsense", &account.key).await.assert_error(402, "subscription_required");
    })
    .await;
}

#[tokio::test]
async fn a_session_does_not_open_the_render_endpoint() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let session = app.sign_in(&account).await;

    let reply = app.get(&render_path(PAGE)).session(&session).await;

    reply.assert_error(401, "invalid_api_key");
}

#[tokio::test]
async fn other_methods_are_not_allowed() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;

    let reply = app.post(&render_path(PAGE)).key(&account.key).await;

    reply.assert_error(405, "method_not_allowed");
}

#[tokio::test]
async fn a_pending_domain_may_be_rendered() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Essential).await;
    app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await;

    assert_eq!(app.crawl(&account, PAGE).await.header("x-service-render-cache"), "miss");
}

#[tokio::test]
async fn a_key_that_was_revoked_is_refused_though_the_page_is_in_memory() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    for _ in 0..3 {
        app.crawl(&account, PAGE).await;
    }
    let keys = app.state.accounts.list_keys(&account.id).await.expect("a database");

    app.state.accounts.revoke_key(Some(&account.id), &keys[0].id).await.expect("a database");
    tokio::time::sleep(Duration::from_millis(2100)).await;

    app.crawl(&account, PAGE).await.assert_error(401, "invalid_api_key");
}

// ---- Many at once

#[tokio::test]
async fn a_thousand_requests_for_a_new_page_are_one_render() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html(PAGE, "<p>Shoes</p>");
        app.renderer.delays(PAGE, Duration::from_millis(300));

        let asked: Vec<_> =
            (0..1000).map(|_| tokio::spawn(app.crawl(&account, PAGE).into_future())).collect();
        let replies = futures::future::join_all(asked).await;

        for reply in replies {
            let reply = reply.expect("an answer");
            assert_eq!((reply.status.as_u16(), reply.text().as_str()), (200, "<p>Shoes</p>"));
        }
        assert_eq!(app.renderer.renders(PAGE), 1);
    })
    .await;
}

#[tokio::test]
async fn waiters_share_the_failure_of_a_render() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    app.renderer.fails(PAGE, RenderError::PageCrashed);
    app.renderer.hangs(PAGE);

    let asked: Vec<_> = (0..50).map(|_| tokio::spawn(app.crawl(&account, PAGE).into_future())).collect();
    eventually("the render", async || app.renderer.renders(PAGE) == 1).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    app.renderer.release(PAGE);
    let replies = futures::future::join_all(asked).await;

    for reply in replies {
        assert_leads_to(&reply.expect("an answer"), 304, PAGE);
    }
    assert_eq!(app.renderer.renders(PAGE), 1);
}

#[tokio::test]
async fn a_client_that_goes_away_takes_nobody_s_page_with_it() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.hangs(PAGE);
        let first = tokio::spawn(app.crawl(&account, PAGE).into_future());
        eventually("the render", async || app.renderer.renders(PAGE) == 1).await;
        let second = tokio::spawn(app.crawl(&account, PAGE).into_future());
        tokio::time::sleep(Duration::from_millis(50)).await;

        first.abort();
        app.renderer.release(PAGE);

        assert_eq!(second.await.expect("an answer").header("x-service-render-cache"), "miss");
        assert_eq!(app.renderer.renders(PAGE), 1);
    })
    .await;
}

#[tokio::test]
async fn two_processes_on_one_database_make_one_render() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        let other = app.second().await;
        for app in [&app, &other] {
            app.renderer.answers_html(PAGE, "<p>Shoes</p>");
            app.renderer.delays(PAGE, Duration::from_millis(400));
        }

        let (here, there) = tokio::join!(app.crawl(&account, PAGE), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            other.crawl(&account, PAGE).await
        });

        assert_page(&here, "miss", "<p>Shoes</p>");
        assert_page(&there, "hit", "<p>Shoes</p>");
        assert_eq!((app.renderer.renders(PAGE), other.renderer.renders(PAGE)), (1, 0));
        other.stop().await;
    })
    .await;
}

#[tokio::test]
async fn when_the_process_that_renders_a_page_dies_another_one_takes_over() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        let site = app.site(&domain).await;
        let page = page_of(&site, &url::Url::parse(PAGE).expect("an address"));
        let id = page_id(&domain.id, &page.key);
        let (now, soon) = (app.clock.now(), app.clock.now().plus(Duration::from_secs(10)));
        let mut tx = app.state.platform.db.write().await.expect("a database");
        let names = (page.key.as_str(), PAGE);
        let begun = queries::begin_render(&mut tx, &id, names, "dead", (now, soon), false).await;
        assert!(begun.expect("a database").is_some());
        tx.commit().await.expect("a database");

        let waiting = tokio::spawn(app.crawl(&account, PAGE).into_future());
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(app.renderer.renders(PAGE), 0);
        app.clock.advance(Duration::from_secs(11));

        assert_eq!(waiting.await.expect("an answer").header("x-service-render-cache"), "miss");
    })
    .await;
}

// ---- Visits

#[tokio::test]
async fn visits_of_crawlers_that_got_a_page_are_counted() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.state.start();
        for _ in 0..4 {
            app.crawl(&account, "https://shop.example/shoes?utm_source=x").await;
        }
        app.crawl(&account, "https://shop.example/app.js").await;
        app.render(&account, PAGE).header("user-agent", "curl/8").await;

        app.state.recorder.flush().await;

        let rows = app.visits().await;
        let counted: Vec<_> =
            rows.iter().map(|row| (row.path.as_str(), row.served.as_str(), row.visits)).collect();
        assert_eq!(counted, [("/shoes", "cache", 3), ("/shoes", "render", 1)]);
        let row = &rows[0];
        assert_eq!(
            (row.domain_id.as_str(), row.crawler.as_str(), row.day.as_str()),
            (domain.id.as_str(), "googlebot", "2026-11-20")
        );
        assert_eq!(row.verified, "unknown");
    })
    .await;
}

#[tokio::test]
async fn crawlers_that_are_left_to_the_origin_are_counted_apart() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.state.start();
        app.set(&domain, |settings| settings.on_demand_render_enabled = false).await;

        app.crawl(&account, PAGE).await.assert_status(304);
        app.crawl(&account, "https://shop.example/app.js").await.assert_status(304);
        app.render(&account, PAGE).header("user-agent", "curl/8").await.assert_status(304);
        app.state.recorder.flush().await;

        let rows = app.visits().await;
        let counted: Vec<_> = rows.iter().map(|row| (&*row.path, &*row.served, row.visits)).collect();
        assert_eq!(counted, [("/shoes", "origin", 1)]);
    })
    .await;
}

// ---- Listing

#[tokio::test]
async fn what_is_stored_is_listed_and_searched() {
    TestApp::on_each_engine(async |app| {
        let (account, _) = shop(&app).await;
        app.renderer.answers_html("/shoes", "<p>Shoes</p>");
        for path in ["/shoes", "/Boots_100%25", "/about"] {
            app.crawl(&account, &format!("https://shop.example{path}")).await;
            app.clock.advance(Duration::from_secs(60));
        }
        let list = async |query: &str| app.get(&format!("/api/prerender/snapshots?domain=shop.example{query}")).key(&account.key).await;

        list("").await.assert(200, json!({ "total": 3, "snapshots": [{ "path": "/about" }, { "path": "/Boots_100%25" }, {
            "path": "/shoes", "url": "https://shop.example/shoes", "status": 200, "htmlBytes": 12, "ageSeconds": 180,
            "createdAt": "2026-11-20T12:00:00.000Z", "stale": false, "lastError": null,
        }] }));
        list("&limit=1&offset=1").await.assert(200, json!({ "total": 3, "snapshots": [{ "path": "/Boots_100%25" }] }));
        list("&search=boots").await.assert(200, json!({ "total": 1, "snapshots": [{ "path": "/Boots_100%25" }] }));
        list("&search=_100%25").await.assert(200, json!({ "total": 1 }));
        list("&search=%25_%25").await.assert(200, json!({ "total": 0, "snapshots": [] }));
        for bad in ["&limit=0", "&limit=501", "&limit=x", "&offset=-1", &format!("&search={}", "a".repeat(501))] {
            list(bad).await.assert_error(400, "invalid_request");
        }
        app.get("/api/prerender/snapshots").key(&account.key).await.assert_error(400, "invalid_request");
        app.get("/api/prerender/snapshots?domain=other.example").key(&account.key).await.assert_error(403, "domain_not_owned");
    })
    .await;
}
