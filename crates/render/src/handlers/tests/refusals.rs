//! Tests of refusals by the plan and the API, and of their order.

use super::*;

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

        app.state.domains.set_suspended(&domain.host, domains::service::Lock::On).await.expect("a database");
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

#[tokio::test]
async fn an_account_without_renders_left_costs_no_write() {
    let app = TestApp::with("[plans.essential]\nrenders_per_month = 1").await;
    let account = app.account("owner@shop.example", Plan::Essential).await;
    app.domain(&account, "shop.example").await;
    let crawl = async |path: &str| app.crawl(&account, &format!("https://shop.example/{path}")).await;
    crawl("a").await.assert_status(200);
    crawl("b").await.assert_status(304);
    let only_writer = app.state.platform.db.write().await.expect("a database");

    for path in ["c", "d", "e"] {
        let reply = tokio::time::timeout(Duration::from_secs(3), crawl(path)).await;
        reply.expect("it waits for no writer").assert_status(304);
    }

    drop(only_writer);
    app.state.accounts.set_plan(&account.email, Plan::Enterprise).await.expect("a database");
    crawl("f").await.assert_status(200);
}

#[tokio::test]
async fn a_process_that_refuses_an_account_learns_of_its_new_plan() {
    TestApp::on_each_engine_with("[plans.essential]\nrenders_per_month = 0", async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        let other = app.second().await;
        other.crawl(&account, PAGE).await.assert_status(304);
        other.crawl(&account, PAGE).await.assert_status(304);

        app.state.accounts.set_plan(&account.email, Plan::Enterprise).await.expect("a database");

        eventually("the new plan", async || other.crawl(&account, PAGE).await.status == 200).await;
        other.stop().await;
    })
    .await;
}
