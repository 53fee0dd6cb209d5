//! Tests of the domain's crawler policy at the render endpoint.

use serde_json::Value;

use super::*;
use domains::CrawlerPolicy;

const GPTBOT: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)";

async fn set_policy(app: &TestApp, domain: &Domain, policy: Value) {
    let policy: CrawlerPolicy = serde_json::from_value(policy).expect("a policy");
    app.set(domain, |settings| settings.crawler_policy = policy).await;
}

async fn enforce(app: &TestApp, domain: &Domain, rules: Value) {
    set_policy(app, domain, json!({ "mode": "enforce", "rules": rules })).await;
}

fn ask(app: &TestApp, account: &TestAccount, agent: &str) -> TestRequest {
    app.render(account, PAGE).header("user-agent", agent)
}

#[track_caller]
fn assert_refused(reply: &Reply, status: u16, action: &str) {
    reply.assert_status(status);
    assert_eq!(reply.header("x-service-policy"), action);
    assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(reply.header("cache-control"), "no-store");
}

#[tokio::test]
async fn a_rule_blocks_or_charges_with_its_text_and_nothing_is_rendered_or_a_visit() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.state.start();
        let rules = json!([
            { "match": { "crawler": "gptbot" }, "action": "block", "text": "Write to us." },
            { "match": { "purpose": "llm-user" }, "action": "pay" },
        ]);
        enforce(&app, &domain, rules).await;

        let blocked = ask(&app, &account, GPTBOT).await;
        let charged = ask(&app, &account, "ChatGPT-User/1.0").await;

        assert_refused(&blocked, 403, "block");
        assert_eq!(blocked.text(), "Write to us.");
        assert_refused(&charged, 402, "pay");
        assert!(charged.text().contains("payment"), "{}", charged.text());
        assert_eq!(app.renderer.requests().len(), 0);
        app.state.recorder.flush().await;
        assert!(app.visits().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_limit_counts_each_crawler_of_the_domain_and_says_when_to_come_again() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        let rule = json!([{ "match": { "provider": "openai" }, "action": "limit", "perMinute": 2 }]);
        enforce(&app, &domain, rule).await;

        ask(&app, &account, GPTBOT).await.assert_status(200);
        app.clock.advance(Duration::from_secs(20));
        ask(&app, &account, GPTBOT).await.assert_status(200);
        let over = ask(&app, &account, GPTBOT).await;
        ask(&app, &account, "OAI-SearchBot/1.0").await.assert_status(200);
        app.clock.advance(Duration::from_secs(40));

        assert_refused(&over, 429, "limit");
        assert_eq!(over.header("retry-after"), "40");
        ask(&app, &account, GPTBOT).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_policy_that_logs_changes_nothing_and_both_modes_are_counted() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.state.start();
        let rules = json!([
            { "match": { "crawler": "gptbot" }, "action": "block" },
            { "match": { "unverified": true }, "action": "block" },
        ]);
        for (mode, status) in [("log", 200), ("enforce", 403), ("off", 200)] {
            set_policy(&app, &domain, json!({ "mode": mode, "rules": rules })).await;
            ask(&app, &account, GPTBOT).await.assert_status(status);
            let impostor = app.crawl(&account, PAGE).header("x-service-client-address", "9.9.9.9");
            impostor.await.assert_status(status);
        }
        app.state.recorder.flush().await;

        let report = app.get("/api/analytics/policy?domain=shop.example&days=2").key(&account.key).await;

        let row = |crawler: &str, provider: &str| {
            json!({ "crawler": crawler, "provider": provider, "action": "block", "enforced": 1, "wouldBe": 1, "daily": [0, 2] })
        };
        report.assert(200, json!({ "rows": [row("gptbot", "openai"), row("unverified", "other")] }));
    })
    .await;
}

#[tokio::test]
async fn a_search_engine_is_refused_by_name_alone_and_its_impostor_by_rules_for_all() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    let from = |address| app.crawl(&account, PAGE).header("x-service-client-address", address);
    for rule in [json!({}), json!({ "provider": "google" }), json!({ "unverified": true })] {
        enforce(&app, &domain, json!([{ "match": rule, "action": "block" }])).await;

        from("66.249.66.1").await.assert_status(200);
        let impostor = from("9.9.9.9").await.status.as_u16();

        assert_eq!(impostor == 403, rule != json!({ "provider": "google" }), "{rule}");
    }
    enforce(&app, &domain, json!([{ "match": { "crawler": "googlebot" }, "action": "block" }])).await;
    assert_refused(&from("66.249.66.1").await, 403, "block");
}

#[tokio::test]
async fn people_own_requests_and_what_is_no_page_meet_no_policy() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    app.set(&domain, |settings| settings.sitemap_url = "https://shop.example/map".into()).await;
    enforce(&app, &domain, json!([{ "match": {}, "action": "block" }])).await;
    let mark = app.state.probe_marks.issue("shop.example", app.clock.now());

    for path in
        ["/robots.txt", "/sitemap.xml", "/llms.txt", "/app.js", "/.well-known/change-password", "/map"]
    {
        let reply =
            app.render(&account, &format!("https://shop.example{path}")).header("user-agent", GPTBOT).await;
        assert_ne!(reply.status, 403, "{path}");
    }
    ask(&app, &account, GPTBOT).header("accept", "application/json").await.assert_status(304);
    ask(&app, &account, GPTBOT)
        .header("x-service-probe", mark.to_str().expect("plain"))
        .await
        .assert_status(200);
    app.render(&account, PAGE).header("sec-fetch-mode", "navigate").await.assert_status(304);
    app.render(&account, PAGE).await.assert_status(200);
    assert_refused(&ask(&app, &account, GPTBOT).await, 403, "block");
    assert_refused(&app.render(&account, PAGE).header("x-bufferbot", "1").await, 403, "block");
}

#[tokio::test]
async fn a_policy_is_asked_before_redirects_and_ignored_paths_and_after_whose_domain_it_is() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    app.set(&domain, |settings| {
        settings.ignore_paths = "/shoes".into();
        settings.preferred_host = Some(PreferredHost::Www);
    })
    .await;
    enforce(&app, &domain, json!([{ "match": { "crawler": "gptbot" }, "action": "block" }])).await;

    let stranger = app.account("other@x.example", Plan::Enterprise).await;
    let foreign = ask(&app, &stranger, GPTBOT).await;

    assert_refused(&ask(&app, &account, GPTBOT).await, 403, "block");
    foreign.assert_error(403, "domain_not_owned");
    app.state.domains.set_suspended("shop.example", domains::service::Lock::On).await.expect("a database");
    ask(&app, &account, GPTBOT).await.assert_error(403, "domain_suspended");
}

#[tokio::test]
async fn a_page_in_memory_is_refused_to_whom_the_policy_refuses_it_and_to_nobody_else() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    let tier = async |agent: &str| {
        let reply = ask(&app, &account, agent).await;
        (reply.status.as_u16(), reply.headers.get("x-service-render-cache").is_some())
    };
    for _ in 0..3 {
        assert_eq!((tier(GPTBOT).await, tier("CCBot/2.0").await), ((200, true), (200, true)));
    }

    let rules = json!([
        { "match": { "crawler": "ccbot" }, "action": "limit", "perMinute": 4 },
        { "match": { "crawler": "gptbot" }, "action": "block" },
    ]);
    enforce(&app, &domain, rules).await;

    for _ in 0..4 {
        assert_eq!((tier(GPTBOT).await, tier("CCBot/2.0").await), ((403, false), (200, true)));
        assert_eq!(tier("Bingbot/2.0").await, (200, true));
    }
    assert_eq!(tier("CCBot/2.0").await, (429, false));
}

#[tokio::test]
async fn a_robots_txt_that_cannot_be_read_forbids_nothing() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    set_policy(&app, &domain, json!({ "mode": "enforce", "obeyRobotsTxt": true })).await;

    ask(&app, &account, GPTBOT).await.assert_status(200);
}
