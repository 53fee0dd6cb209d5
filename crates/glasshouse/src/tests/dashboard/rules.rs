//! Trials of settings, over HTTP.

use serde_json::{Value, json};

use crate::testing::*;
use platform::plans::Plan;

const RULES: &str = "/api/dashboard/domains/shop.example/test-rules";
const PATTERNS: &str = "/api/dashboard/domains/shop.example/test-patterns";

fn redirect(source: &str, destination: &str, status: u16) -> Value {
    json!({ "source": source, "destination": destination, "status": status })
}

#[tokio::test]
async fn an_address_is_tried_with_stored_and_with_given_settings() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let domain = app.domain(&account, "shop.example").await;
        app.set(&domain, |settings| settings.ignore_paths = "# private\n/admin/**".to_owned()).await;
        app.crawl(&account, "https://shop.example/a").await;
        let session = app.sign_in(&account).await;
        let test = async |path: &str, visitor: &str, mut settings: Value| {
            settings["url"] = json!(format!("https://shop.example{path}"));
            settings["as"] = json!(visitor);
            app.post(RULES).session(&session).json(settings).await.json()
        };

        let page = test("/a", "crawler", json!({})).await;
        let person = test("/a", "person", json!({})).await;
        let asset = test("/app.js", "crawler", json!({})).await;
        let robots = test("/robots.txt", "crawler", json!({})).await;
        let ignored = test("/admin/x", "crawler", json!({})).await;
        let not_ignored = test("/admin/x", "crawler", json!({ "ignorePaths": "" })).await;
        let rules = [redirect("bad", "/", 302), redirect("/a", "/b", 307)];
        let redirected = test("/a", "person", json!({ "redirectRules": rules })).await;
        let preferred = test("/a", "person", json!({ "preferredHost": "www" })).await;

        assert_eq!(
            page,
            json!({ "decision": "snapshot", "reason": "page", "status": null, "location": null, "rule": null,
                "pattern": null, "stored": true, "rootFile": null, "issues": [] })
        );
        assert_eq!((&person["decision"], &person["reason"]), (&json!("origin"), &json!("person")));
        assert_eq!((&asset["reason"], &asset["stored"]), (&json!("static_asset"), &json!(false)));
        assert_eq!((&asset["rootFile"], &robots["rootFile"]), (&json!(null), &json!("fallback")));
        assert_eq!((&ignored["reason"], &ignored["pattern"]), (&json!("ignored_path"), &json!("/admin/**")));
        assert_eq!(not_ignored["reason"], "page");
        assert_eq!(
            [&redirected["reason"], &redirected["rule"], &redirected["status"], &redirected["location"]],
            [&json!("redirect_rule"), &json!(1), &json!(307), &json!("https://shop.example/b")]
        );
        let issues: Vec<_> =
            redirected["issues"].as_array().unwrap().iter().map(|issue| &issue["path"]).collect();
        assert_eq!(issues, ["redirectRules.0.source", "redirectRules.0.status"]);
        assert_eq!(
            [&preferred["reason"], &preferred["location"]],
            [&json!("preferred_host"), &json!("https://www.shop.example/a")]
        );
        let stored = app.state.domains.find_by_id(&domain.id).await.unwrap().unwrap();
        assert_eq!((stored.settings.redirect_rules.len(), stored.settings.preferred_host), (0, None));
    })
    .await;
}

#[tokio::test]
async fn a_crawler_is_told_which_rule_of_the_policy_it_meets_and_what_it_gets() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.domain(&account, "shop.example").await;
    let session = app.sign_in(&account).await;
    let rules = json!([
        { "match": { "crawler": "nobody" }, "action": "block" },
        { "match": { "crawler": "gptbot" }, "paths": ["/a"], "action": "block", "text": "No." },
        { "match": { "provider": "openai" }, "action": "limit", "perMinute": 5 },
    ]);
    let test = async |path: &str, crawler: &str, mode: &str| {
        let body = json!({
            "url": format!("https://shop.example{path}"), "as": "crawler", "crawler": crawler,
            "crawlerPolicy": { "mode": mode, "rules": rules }
        });
        app.post(RULES).session(&session).json(body).await
    };

    let file = json!({ "path": "/proof.html", "mode": "always", "source": "text", "body": "proof" });
    let put = app.request(http::Method::PUT, "/api/domains/shop.example/root-files").session(&session);
    put.json(json!({ "files": [file] })).await.assert_status(200);

    let refused = test("/a", "gptbot", "enforce").await.json();
    let logged = test("/a", "gptbot", "off").await.json();
    let limited = test("/b", "gptbot", "enforce").await.json();
    let asset = test("/a.css", "gptbot", "enforce").await.json();
    let other = test("/a", "googlebot", "enforce").await.json();
    let root_file = test("/proof.html", "gptbot", "enforce").await.json();

    assert_eq!(
        [&refused["decision"], &refused["reason"], &refused["status"]],
        [&json!("refused"), &json!("crawler_policy"), &json!(403)]
    );
    let policy = json!({ "rule": 1, "action": "block", "enforced": true, "status": 403, "text": "No.", "perMinute": null });
    assert_eq!(
        (&refused["policy"], &refused["issues"][0]["path"]),
        (&policy, &json!("crawlerPolicy.rules.0.match"))
    );
    assert_eq!((&logged["decision"], &logged["policy"]["enforced"]), (&json!("snapshot"), &json!(false)));
    assert_eq!((&limited["decision"], &limited["policy"]["perMinute"]), (&json!("snapshot"), &json!(5)));
    assert_eq!((asset.get("policy"), other.get("policy")), (None, None));
    assert_eq!((&root_file["rootFile"], root_file.get("policy")), (&json!("always"), None));
    test("/a", "nobody", "log").await.assert(400, json!({ "issues": [{ "path": "crawler" }] }));
}

#[tokio::test]
async fn an_address_on_another_host_is_refused() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.domain(&account, "shop.example").await;
    let session = app.sign_in(&account).await;

    for url in ["https://else.example/a", "/a", "ftp://shop.example/", ""] {
        let body = json!({ "url": url, "as": "crawler" });
        let reply = app.post(RULES).session(&session).json(body).await;
        reply.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "url" }] }));
    }
    let foreign = "/api/dashboard/domains/else.example/test-rules";
    let body = json!({ "url": "https://else.example/", "as": "person" });
    app.post(foreign).session(&session).json(body).await.assert_error(404, "not_found");
}

#[tokio::test]
async fn patterns_are_tried_on_the_stored_pages() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        app.domain(&account, "shop.example").await;
        for path in ["/a", "/blog/1", "/blog/2?x=1"] {
            app.crawl(&account, &format!("https://shop.example{path}")).await;
        }
        let session = app.sign_in(&account).await;

        let reply =
            app.post(PATTERNS).session(&session).json(json!({ "patterns": "# posts\nblog\n/blog/*" })).await;

        assert_eq!(
            reply.json(),
            json!({ "total": 3, "matched": 2,
                "examples": [{ "path": "/blog/1", "line": 3 }, { "path": "/blog/2?x=1", "line": 3 }],
                "invalid": [{ "line": 2, "message": "must start with /" }] })
        );
        let long = json!({ "patterns": "/a\n".repeat(501) });
        app.post(PATTERNS).session(&session).json(long).await.assert_error(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn more_rules_than_the_plan_allows_are_not_tried() {
    let app = TestApp::with("[plans.agency]\nredirect_rules = 2").await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.domain(&account, "shop.example").await;
    let session = app.sign_in(&account).await;
    let test = async |number: usize| {
        let rules = vec![redirect("/a", "/b", 301); number];
        let body = json!({ "url": "https://shop.example/a", "as": "person", "redirectRules": rules });
        app.post(RULES).session(&session).json(body).await
    };

    test(2).await.assert_status(200);
    test(3).await.assert(400, json!({ "error": "redirect_limit_reached", "limit": 2, "current": 3 }));
}

#[tokio::test]
async fn an_account_tries_settings_twice_at_once() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.domain(&account, "shop.example").await;
    let session = app.sign_in(&account).await;
    let rules = json!({ "url": "https://shop.example/a", "as": "person" });
    let patterns = json!({ "patterns": "/a" });
    let calls = &app.state.callers.rate_limits.long_calls;
    let (first, _second) = (calls.begin(&account.id).unwrap(), calls.begin(&account.id).unwrap());

    for (path, body) in [(RULES, &rules), (PATTERNS, &patterns)] {
        let refused = app.post(path).session(&session).json(body.clone()).await;
        refused.assert_error(429, "rate_limited");
        assert!(refused.headers.contains_key("retry-after"));
    }
    drop(first);
    app.post(RULES).session(&session).json(rules).await.assert_status(200);
    app.post(PATTERNS).session(&session).json(patterns).await.assert_status(200);
}
