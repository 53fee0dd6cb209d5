//! Paths of the dashboard, and passwords over HTTP.

mod agents;
mod rules;
mod sites;
mod weekly;

use serde_json::json;

use crate::testing::*;
use platform::plans::Plan;

const NEW_PASSWORD: &str = "purple monkey dishwasher";

fn change(app: &TestApp, session: &TestSession, current: &str, new: &str) -> TestRequest {
    let body = json!({ "currentPassword": current, "newPassword": new });
    app.request(http::Method::PUT, "/api/dashboard/password").session(session).json(body)
}

fn sign_in(app: &TestApp, password: &str) -> TestRequest {
    app.post("/api/session").json(json!({ "email": "owner@shop.example", "password": password }))
}

#[tokio::test]
async fn every_path_without_an_operation_is_the_dashboard() {
    let app = TestApp::new().await;
    let page = app.get("/").await;

    for path in [
        "/sign-in",
        "/d/lumadocs.io",
        "/d/lumadocs.io/rendering/page?path=/a.html",
        "/apiary",
        "/a/../b",
        "/https",
        "/rendering",
        "/%00",
    ] {
        let reply = app.get(path).await;

        assert_eq!((reply.status, &reply.body), (page.status, &page.body), "{path}");
        assert_eq!(reply.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert!(
            reply.header("content-security-policy").starts_with("default-src 'none'; script-src 'self';"),
            "{path}"
        );
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
    }
}

#[tokio::test]
async fn an_unknown_path_of_the_api_and_of_the_probes_is_not_the_dashboard() {
    let app = TestApp::new().await;

    for path in ["/api", "/api/", "/api/nothing", "/api/dashboard", "/healthz/x", "/readyz/"] {
        app.get(path).await.assert_error(404, "not_found");
    }
}

#[tokio::test]
async fn paths_where_middlewares_of_prerender_ask_are_not_the_dashboard() {
    let app = TestApp::new().await;

    for path in [
        "/https://shop.example/path?x=y",
        "/http://shop.example/",
        "/https:/shop.example/",
        "/https%3A%2F%2Fshop.example%2F",
        "/render?url=https://shop.example/",
    ] {
        app.get(path).await.assert_status(401);
    }
    for path in ["/HTTPS%3A%2F%2Fshop.example/", "/render/", "/cache-clear/"] {
        app.get(path).await.assert_error(404, "not_found");
    }
    for path in ["/recache", "/sitemap", "/cache-clear"] {
        app.get(path).await.assert_error(405, "method_not_allowed");
        app.post(path).json(json!({ "prerenderToken": "x" })).await.assert_status(401);
    }
}

#[tokio::test]
async fn the_dashboard_is_read_only() {
    let app = TestApp::new().await;

    let reply = app.post("/d/lumadocs.io").await;

    reply.assert_error(405, "method_not_allowed");
    assert_eq!(reply.header("allow"), "GET, HEAD");
}

#[tokio::test]
async fn a_changed_password_ends_every_session_and_begins_a_new_one() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let (own, other) = (app.sign_in(&account).await, app.sign_in(&account).await);

        let reply = change(&app, &own, PASSWORD, NEW_PASSWORD).await;

        reply.assert_status(204);
        let cookie = reply.header("set-cookie").split(';').next().unwrap();
        assert!(
            reply.header("set-cookie").contains("HttpOnly; SameSite=Lax"),
            "{}",
            reply.header("set-cookie")
        );
        let fresh = app.get("/api/session").header("cookie", cookie).await;
        fresh.assert(200, json!({ "email": "owner@shop.example" }));
        assert_ne!(fresh.json()["csrfToken"], own.csrf_token);
        for ended in [own, other] {
            app.get("/api/session").header("cookie", &ended.cookie).await.assert_status(401);
        }
        sign_in(&app, PASSWORD).await.assert_error(401, "invalid_credentials");
        sign_in(&app, NEW_PASSWORD).await.assert_status(204);
    })
    .await;
}

#[tokio::test]
async fn a_wrong_current_password_changes_nothing_and_counts_like_a_failed_sign_in() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let session = app.sign_in(&account).await;
        for _ in 0..5 {
            change(&app, &session, "wrong", NEW_PASSWORD).await.assert_error(403, "wrong_password");
            sign_in(&app, "wrong").await.assert_status(401);
        }

        let refused = change(&app, &session, PASSWORD, NEW_PASSWORD).await;

        refused.assert_error(429, "rate_limited");
        assert_eq!(refused.header("retry-after"), "60");
        app.get("/api/session").session(&session).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_right_current_password_does_not_count() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;

    for _ in 0..6 {
        let session = app.sign_in(&account).await;
        change(&app, &session, PASSWORD, PASSWORD).await.assert_status(204);
    }

    app.sign_in(&account).await;
}

#[tokio::test]
async fn a_new_password_has_12_to_256_characters() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let session = app.sign_in(&account).await;

    let short = change(&app, &session, "wrong", "elevenchars").await;
    let long = change(&app, &session, "wrong", &"ü".repeat(257)).await;
    let longest = change(&app, &session, PASSWORD, &"ü".repeat(256)).await;

    for refused in [short, long] {
        refused.assert(400, json!({ "error": "invalid_request", "issues": [{ "path": "newPassword" }] }));
    }
    longest.assert_status(204);
}

#[tokio::test]
async fn the_password_is_changed_by_a_session_with_its_token_only() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let session = app.sign_in(&account).await;
    let put = || app.request(http::Method::PUT, "/api/dashboard/password").body("{");

    put().await.assert_error(401, "invalid_api_key");
    put().key(&account.key).await.assert_error(401, "invalid_api_key");
    put().header("cookie", &session.cookie).await.assert_error(403, "csrf_token_missing");
    put().session(&session).await.assert_error(400, "invalid_request");
    put()
        .session(&session)
        .header("content-type", "text/plain")
        .await
        .assert_error(415, "unsupported_media_type");
}

#[tokio::test]
async fn an_inactive_account_may_change_its_password() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.deactivate(&account).await;
    let session = app.sign_in(&account).await;

    change(&app, &session, PASSWORD, NEW_PASSWORD).await.assert_status(204);
}
