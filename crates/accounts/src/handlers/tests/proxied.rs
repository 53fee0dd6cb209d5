//! Sign-in by a proxy in front.

use serde_json::json;

use crate::testing::*;
use platform::config::Config;
use platform::plans::Plan;

const PROXY: &str = "10.1.0.7";
const SETTINGS: &str = "server.auth_header = \"x-auth-email\"\nserver.auth_proxies = [\"10.1.0.0/16\"]";

async fn on_each_engine(test: impl AsyncFn(TestApp, TestAccount)) {
    TestApp::on_each_engine_with(SETTINGS, async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        test(app, account).await;
    })
    .await;
}

#[test]
fn header_and_proxies_are_set_together() {
    for alone in ["server.auth_header = \"x-auth-email\"", "server.auth_proxies = [\"10.1.0.0/16\"]"] {
        assert!(Config::from_toml(alone).is_err(), "{alone}");
    }
}

#[tokio::test]
async fn the_header_of_a_proxy_signs_its_person_in() {
    on_each_engine(async |app, _| {
        let begun =
            app.get("/api/session").from_address(PROXY).header("x-auth-email", "Owner@shop.example").await;
        begun.assert(200, json!({ "email": "owner@shop.example", "role": "owner" }));
        let cookie = begun.header("set-cookie").split(';').next().unwrap().to_owned();
        let csrf_token = begun.json()["csrfToken"].as_str().unwrap().to_owned();
        let session = TestSession { cookie, csrf_token };

        let kept = |path: &str| {
            app.get(path).from_address(PROXY).header("x-auth-email", "owner@shop.example").session(&session)
        };
        assert_eq!(kept("/api/session").await.header("set-cookie"), "");
        kept("/api/keys").await.assert_status(200);
        let made = app.post("/api/keys").from_address(PROXY).header("x-auth-email", "owner@shop.example");
        made.session(&session).json(json!({})).await.assert_status(201);
    })
    .await;
}

#[tokio::test]
async fn nothing_is_changed_before_the_session_has_begun() {
    on_each_engine(async |app, _| {
        let named =
            |request: TestRequest| request.from_address(PROXY).header("x-auth-email", "owner@shop.example");

        named(app.get("/api/keys")).await.assert_status(200);
        named(app.post("/api/keys")).json(json!({})).await.assert_error(403, "csrf_token_missing");
        named(app.post("/api/keys")).header("x-csrf-token", "").json(json!({})).await.assert_status(403);
    })
    .await;
}

#[tokio::test]
async fn a_header_that_names_nobody_or_several_is_refused() {
    on_each_engine(async |app, _| {
        let ask = || app.get("/api/session").from_address(PROXY);

        ask().header("x-auth-email", "nobody@shop.example").await.assert_error(403, "sign_in_by_proxy");
        ask().header("x-auth-email", "no address").await.assert_error(403, "sign_in_by_proxy");
        let list = "owner@shop.example,owner@shop.example";
        ask().header("x-auth-email", list).await.assert_error(403, "sign_in_by_proxy");
        let twice =
            ask().header("x-auth-email", "owner@shop.example").header("x-auth-email", "owner@shop.example");
        twice.await.assert_error(403, "sign_in_by_proxy");
        ask().await.assert_error(401, "invalid_api_key");
    })
    .await;
}

#[tokio::test]
async fn passwords_and_other_sessions_are_refused_from_a_proxy_and_keys_are_not() {
    on_each_engine(async |app, account| {
        let other = app.account("other@shop.example", Plan::Agency).await;
        let (own, other) = (app.sign_in(&account).await, app.sign_in(&other).await);
        let proxied =
            |request: TestRequest| request.from_address(PROXY).header("x-auth-email", "owner@shop.example");

        let credentials = json!({ "email": "owner@shop.example", "password": PASSWORD });
        proxied(app.post("/api/session")).json(&credentials).await.assert_error(403, "sign_in_by_proxy");
        app.post("/api/session")
            .from_address(PROXY)
            .json(credentials)
            .await
            .assert_error(403, "sign_in_by_proxy");
        let foreign = proxied(app.get("/api/session")).session(&other).await;
        foreign.assert_error(403, "sign_in_by_proxy");
        assert!(foreign.header("set-cookie").contains("Max-Age=0"));
        app.get("/api/session").from_address(PROXY).session(&own).await.assert_error(403, "sign_in_by_proxy");
        proxied(app.get("/api/keys")).key(&account.key).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn the_header_of_anybody_else_is_not_read() {
    on_each_engine(async |app, _| {
        let forged = app.get("/api/session").header("x-auth-email", "owner@shop.example").await;
        let forwarded = app
            .get("/api/session")
            .header("x-auth-email", "owner@shop.example")
            .header("x-forwarded-for", PROXY)
            .await;

        forged.assert_error(401, "invalid_api_key");
        forwarded.assert_error(401, "invalid_api_key");
    })
    .await;
}

#[tokio::test]
async fn somebody_whom_the_proxy_names_accepts_an_invitation_without_a_password() {
    on_each_engine(async |app, account| {
        let owner = app.sign_in(&account).await;
        let token = app.invite(&owner, json!({ "email": "ada@shop.example", "role": "viewer" })).await;
        let accept = |email: &'static str| {
            let request =
                app.post("/api/session/invitation").from_address(PROXY).header("x-auth-email", email);
            request.json(json!({ "token": token }))
        };

        accept("bob@shop.example").await.assert_error(403, "sign_in_by_proxy");
        accept("ada@shop.example").await.assert_status(204);

        let ada =
            app.get("/api/session").from_address(PROXY).header("x-auth-email", "ada@shop.example").await;
        ada.assert(200, json!({ "role": "viewer" }));
    })
    .await;
}
