//! Sessions, keys and usage over HTTP.

mod keys;
mod links;
mod people;
mod proxied;
mod second_factor;

use serde_json::json;

use crate::keys::{KeyKind, NewKey};
use crate::testing::*;
use platform::plans::Plan;

fn credentials(password: &str) -> serde_json::Value {
    json!({ "email": "owner@shop.example", "password": password })
}

#[tokio::test]
async fn signing_in_answers_with_a_cookie_and_a_csrf_token() {
    TestApp::on_each_engine(async |app| {
        app.account("owner@shop.example", Plan::Agency).await;

        let reply = app.post("/api/session").json(credentials(PASSWORD)).await;

        reply.assert_status(204);
        let cookie = reply.header("set-cookie");
        assert!(cookie.contains("HttpOnly; SameSite=Lax") && !cookie.contains("Secure"), "{cookie}");
        let session = app.get("/api/session").header("cookie", cookie.split(';').next().unwrap()).await;
        session.assert(200, json!({ "email": "owner@shop.example", "plan": "agency" }));
        assert_eq!(session.json()["csrfToken"].as_str().map(str::len), Some(43));
    })
    .await;
}

#[tokio::test]
async fn the_cookie_is_secure_when_the_public_address_is_https() {
    let app = TestApp::with("server.public_url = \"https://glass.example\"").await;
    app.account("owner@shop.example", Plan::Agency).await;

    let reply = app.post("/api/session").json(credentials(PASSWORD)).await;

    assert!(reply.header("set-cookie").ends_with("; Secure"), "{}", reply.header("set-cookie"));
}

#[tokio::test]
async fn signing_in_always_begins_a_new_session() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let old = app.sign_in(&account).await;

        let reply = app.post("/api/session").header("cookie", &old.cookie).json(credentials(PASSWORD)).await;

        reply.assert_status(204);
        assert!(!reply.header("set-cookie").starts_with(&old.cookie));
        app.get("/api/session").header("cookie", &old.cookie).await.assert_status(401);
    })
    .await;
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_email_look_alike() {
    let app = TestApp::new().await;
    app.account("owner@shop.example", Plan::Agency).await;

    let wrong = app.post("/api/session").json(credentials("wrong")).await;
    let unknown =
        app.post("/api/session").json(json!({ "email": "nobody@shop.example", "password": "x" })).await;

    wrong.assert_error(401, "invalid_credentials");
    assert_eq!((wrong.status, &wrong.body), (unknown.status, &unknown.body));
}

#[tokio::test]
async fn after_ten_failed_attempts_the_right_password_waits_too() {
    let app = TestApp::new().await;
    app.account("owner@shop.example", Plan::Agency).await;
    for _ in 0..10 {
        app.post("/api/session").json(credentials("wrong")).await.assert_status(401);
    }

    let right = app.post("/api/session").json(credentials(PASSWORD)).await;
    let elsewhere = app.post("/api/session").from_address("198.51.100.7").json(credentials(PASSWORD)).await;

    right.assert_error(429, "rate_limited");
    assert_eq!(right.header("retry-after"), "60");
    elsewhere.assert_status(204);
}

#[tokio::test]
async fn an_address_has_thirty_failed_attempts_whatever_the_emails() {
    let app = TestApp::new().await;
    app.account("owner@shop.example", Plan::Agency).await;
    for number in 0..30 {
        let body = json!({ "email": format!("nobody{number}@shop.example"), "password": "x" });
        app.post("/api/session").json(body).await.assert_status(401);
    }

    app.post("/api/session").json(credentials(PASSWORD)).await.assert_error(429, "rate_limited");
}

#[tokio::test]
async fn a_sign_in_is_small_and_is_not_read_for_an_address_with_too_many_attempts() {
    let app = TestApp::new().await;
    app.account("owner@shop.example", Plan::Agency).await;
    let large = || app.post("/api/session").json(credentials(&"x".repeat(5_000)));
    large().await.assert_error(413, "payload_too_large");
    for number in 0..30 {
        let body = json!({ "email": format!("nobody{number}@shop.example"), "password": "x" });
        app.post("/api/session").json(body).await.assert_status(401);
    }

    let unread = large().await;

    unread.assert_error(429, "rate_limited");
    assert_eq!(unread.header("retry-after"), "60");
}

#[tokio::test]
async fn right_passwords_and_malformed_bodies_do_not_count_as_failed() {
    let app = TestApp::new().await;
    app.account("owner@shop.example", Plan::Agency).await;
    for _ in 0..11 {
        app.post("/api/session").json(credentials(PASSWORD)).await.assert_status(204);
        app.post("/api/session").body("{").await.assert_error(400, "invalid_request");
        app.post("/api/session")
            .json(json!({ "email": "no address", "password": "x" }))
            .await
            .assert_status(400);
    }

    app.post("/api/session").json(credentials(PASSWORD)).await.assert_status(204);
}

#[tokio::test]
async fn a_page_of_another_site_cannot_sign_its_visitor_in() {
    let app = TestApp::new().await;
    app.account("owner@shop.example", Plan::Agency).await;

    let reply =
        app.post("/api/session").header("sec-fetch-site", "cross-site").json(credentials(PASSWORD)).await;

    reply.assert_error(403, "cross_site_request");
}

#[tokio::test]
async fn signing_out_ends_the_session() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let session = app.sign_in(&account).await;

        let reply = app.delete("/api/session").session(&session).await;

        reply.assert_status(204);
        assert!(reply.header("set-cookie").contains("Max-Age=0"));
        app.get("/api/session").header("cookie", &session.cookie).await.assert_status(401);
    })
    .await;
}

#[tokio::test]
async fn a_session_changes_nothing_without_its_csrf_token() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let session = app.sign_in(&account).await;

    let without = app.post("/api/keys").header("cookie", &session.cookie).json(json!({})).await;
    let wrong = app
        .post("/api/keys")
        .header("cookie", &session.cookie)
        .header("x-csrf-token", "x")
        .json(json!({}))
        .await;

    without.assert_error(403, "csrf_token_missing");
    wrong.assert_error(403, "csrf_token_missing");
    app.get("/api/keys").header("cookie", &session.cookie).await.assert_status(200);
}

#[tokio::test]
async fn a_request_with_key_and_cookie_uses_the_key_only() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let session = app.sign_in(&account).await;

    let no_token_needed =
        app.post("/api/keys").key(&account.key).header("cookie", &session.cookie).json(json!({})).await;
    let wrong_key = app.get("/api/keys").key("gh_live_wrong").session(&session).await;

    no_token_needed.assert_status(201);
    wrong_key.assert_error(401, "invalid_api_key");
}

#[tokio::test]
async fn a_key_is_shown_when_it_is_made_and_never_again() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;

        let made = app.post("/api/keys").key(&account.key).json(json!({ "name": "  Build server " })).await;

        made.assert(201, json!({ "name": "Build server", "domain": null, "revokedAt": null }));
        let key = made.json()["key"].as_str().unwrap().to_owned();
        assert!(key.ends_with(made.json()["last4"].as_str().unwrap()));
        let list = app.get("/api/keys").key(&key).await;
        list.assert(200, json!({ "keys": [{ "name": "Test" }, { "name": "Build server" }] }));
        assert!(!list.text().contains(&key));
    })
    .await;
}

#[tokio::test]
async fn a_revoked_key_is_unknown_from_then_on() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let made = app.post("/api/keys").key(&account.key).json(json!({})).await.json();
        let key = made["key"].as_str().unwrap().to_owned();
        app.get("/api/keys").key(&key).await.assert_status(200);

        app.delete(&format!("/api/keys/{}", made["id"].as_str().unwrap()))
            .key(&account.key)
            .await
            .assert_status(204);

        app.get("/api/keys").key(&key).await.assert_error(401, "invalid_api_key");
    })
    .await;
}

#[tokio::test]
async fn nobody_revokes_a_key_of_another_account() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let other = app.account("other@shop.example", Plan::Agency).await;
        let keys = app.get("/api/keys").key(&account.key).await.json();
        let path = format!("/api/keys/{}", keys["keys"][0]["id"].as_str().unwrap());

        app.delete(&path).key(&other.key).await.assert_error(404, "not_found");

        app.get("/api/keys").key(&account.key).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_key_for_one_domain_cannot_manage_keys() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let scoped = app.key(&account.id, Some("shop.test")).await;

    // Before the body is even looked at.
    let reply = app.post("/api/keys").key(&scoped).body("{").await;

    reply.assert_error(403, "requires_unscoped_key");
}

#[tokio::test]
async fn an_inactive_account_keeps_its_keys_and_its_readings() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.deactivate(&account).await;

    app.get("/api/usage").key(&account.key).await.assert(200, json!({ "active": false }));
    app.post("/api/keys").key(&account.key).json(json!({})).await.assert_status(201);
    app.sign_in(&account).await;
}

#[tokio::test]
async fn one_key_more_than_the_limit_is_refused() {
    let app = TestApp::with("limits.keys_per_account = 1").await;
    let account = app.account("owner@shop.example", Plan::Agency).await;

    let refused = app.post("/api/keys").key(&account.key).json(json!({})).await;

    refused.assert(403, json!({ "error": "key_limit_reached", "limit": 1, "current": 1 }));
}

#[tokio::test]
async fn an_unknown_key_costs_five_look_ups_a_second_once_its_address_is_over_the_limit() {
    let app = TestApp::with("limits.anonymous_per_minute = 2").await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.get("/api/keys").key(&account.key).await.assert_status(200);
    let unknown = || NewKey::generate(KeyKind::Live);
    for _ in 0..2 {
        app.get("/api/keys").key(unknown().reveal()).await.assert_error(401, "invalid_api_key");
    }

    for _ in 0..5 {
        app.get("/api/keys").key(unknown().reveal()).await.assert_error(429, "rate_limited");
    }

    // Nothing can be looked up any more: whoever tries gets 503.
    app.state.platform.db.close().await;

    app.get("/api/keys").key(unknown().reveal()).await.assert_error(429, "rate_limited");
    let elsewhere = app.get("/api/keys").key(unknown().reveal()).from_address("198.51.100.7").await;
    assert!(elsewhere.status.is_server_error(), "{}", elsewhere.status);
}

#[tokio::test]
async fn a_known_key_works_from_an_address_that_is_over_the_limit() {
    let app = TestApp::with("limits.anonymous_per_minute = 1").await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    app.get("/api/keys").key(&account.key).await.assert_status(200);
    app.get("/api/keys").key("gh_live_x").await.assert_error(401, "invalid_api_key");
    app.get("/api/keys").key("gh_live_x").await.assert_error(429, "rate_limited");

    app.get("/api/keys").key(&account.key).await.assert_status(200);
}
