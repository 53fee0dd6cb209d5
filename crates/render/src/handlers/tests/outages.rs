//! Tests of rendering during outages of the object store: a real S3 service that delays, answers errors, hangs or cuts.

use std::time::Duration;

use store::testing::{Behaviour, S3Server};

use super::*;

const OTHER: &str = "https://shop.example/other";

/// Failures of a store, tested one after another.
const TROUBLES: [Behaviour; 4] =
    [Behaviour::Answers(503), Behaviour::Answers(500), Behaviour::Hangs, Behaviour::Cuts];

/// Makes a service with a stored page that is not in memory, on a store that then fails.
async fn with_store_in_trouble(trouble: Behaviour) -> (S3Server, TestApp, TestAccount) {
    let server = S3Server::start().await;
    let app = TestApp::on_objects(&server.config("objects"), "render.memory_cache_bytes = 0").await;
    let (account, _) = shop(&app).await;
    app.renderer.answers_html(PAGE, "<p>stored</p>");
    assert_page(&app.crawl(&account, PAGE).await, "miss", "<p>stored</p>");
    assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>stored</p>");
    server.behave(trouble);
    (server, app, account)
}

async fn renders_counted(app: &TestApp, account: &TestAccount) -> serde_json::Value {
    let usage = app.get("/api/usage").key(&account.key).await.json();
    let limits = usage["limits"].as_array().cloned().unwrap_or_default();
    let renders = limits.into_iter().find(|limit| limit["name"] == "renders_per_month");
    renders.map(|limit| limit["used"].clone()).unwrap_or_default()
}

#[tokio::test]
async fn while_the_store_is_in_trouble_nothing_is_rendered_or_counted_and_the_origin_answers() {
    for trouble in TROUBLES {
        let (server, app, account) = with_store_in_trouble(trouble).await;
        let before = renders_counted(&app, &account).await;

        for _ in 0..20 {
            app.crawl(&account, PAGE).await.assert_status(304);
            app.crawl(&account, OTHER).await.assert_status(304);
        }

        assert_eq!((app.renderer.renders(PAGE), app.renderer.renders(OTHER)), (1, 0), "{trouble:?}");
        assert_eq!(renders_counted(&app, &account).await, before, "{trouble:?}");
        // One request detected the outage, and the others failed without an operation of the store.
        assert!(server.requests_in_trouble() < 40, "{trouble:?}: {}", server.requests_in_trouble());
        server.behave(Behaviour::Works);
        eventually_for(Duration::from_secs(30), "the stored page", async || {
            app.crawl(&account, PAGE).await.text() == "<p>stored</p>"
        })
        .await;
        assert_eq!(app.renderer.renders(PAGE), 1, "{trouble:?}");
    }
}

#[tokio::test]
async fn the_last_known_page_is_served_from_memory_while_the_store_hangs() {
    let server = S3Server::start().await;
    let app = TestApp::on_objects(&server.config("objects"), "").await;
    let (account, _) = shop(&app).await;
    app.renderer.answers_html(PAGE, "<p>known</p>");
    app.crawl(&account, PAGE).await;
    server.behave(Behaviour::Hangs);
    app.clock.advance(DAY * 30);

    let reply = app.crawl(&account, PAGE).await;

    assert_page(&reply, "hit", "<p>known</p>");
    assert_eq!(app.renderer.renders(PAGE), 1);
}

#[tokio::test]
async fn a_page_that_cannot_be_stored_is_rendered_once_and_served_from_memory() {
    let server = S3Server::start().await;
    let app = TestApp::on_objects(&server.config("objects"), "").await;
    let (account, _) = shop(&app).await;
    app.renderer.answers_html(PAGE, "<p>new</p>");
    server.behave(Behaviour::Answers(503));

    let first = app.crawl(&account, PAGE).await;
    let second = app.crawl(&account, PAGE).await;

    assert_page(&first, "miss", "<p>new</p>");
    assert_page(&second, "edge-hit", "<p>new</p>");
    assert_eq!(renders_counted(&app, &account).await, 1);
}

#[tokio::test]
async fn a_store_that_is_slow_but_answers_is_waited_for() {
    let (_server, app, account) = with_store_in_trouble(Behaviour::Delays(Duration::from_millis(300))).await;

    assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>stored</p>");
}

#[tokio::test]
async fn a_refresh_waits_for_the_store_instead_of_rendering_for_nothing() {
    let (server, app, account) = with_store_in_trouble(Behaviour::Answers(503)).await;
    let domain = app.state.domains.list(None).await.expect("a database").remove(0);
    let site = app.site(&domain).await;
    let target = url::Url::parse(PAGE).expect("an address");
    // This request detects the outage.
    app.crawl(&account, PAGE).await.assert_status(304);

    let refused = app.state.render.refresh(&site, &target).await;
    let before = app.renderer.renders(PAGE);
    server.behave(Behaviour::Works);
    app.renderer.answers_html(PAGE, "<p>fresh</p>");
    eventually_for(Duration::from_secs(30), "the refresh", async || {
        app.state.render.refresh(&site, &target).await == crate::Refreshed::Stored
    })
    .await;

    assert!(matches!(refused, crate::Refreshed::Failed { trouble: crate::RefreshTrouble::Service, .. }));
    assert_eq!(before, 1);
    assert_page(&app.crawl(&account, PAGE).await, "hit", "<p>fresh</p>");
}

/// Waits longer than [`eventually`], since a store is tried again after some seconds.
async fn eventually_for(time: Duration, what: &str, is_so: impl AsyncFn() -> bool) {
    let deadline = tokio::time::Instant::now() + time;
    while !is_so().await {
        assert!(tokio::time::Instant::now() < deadline, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
