//! Links of invitations, and links to another password.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use crate::testing::*;
use platform::plans::Plan;

const OTHER_PASSWORD: &str = "purple monkey dishwasher";

async fn accept(app: &TestApp, body: Value) -> Reply {
    app.post("/api/session/invitation").json(body).await
}

#[tokio::test]
async fn a_second_invitation_ends_the_link_of_the_first() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let owner = app.sign_in(&account).await;
        let person = json!({ "email": "ada@shop.example", "role": "viewer" });
        let (first, second) = (app.invite(&owner, person.clone()).await, app.invite(&owner, person).await);

        accept(&app, json!({ "token": first, "password": PASSWORD }))
            .await
            .assert_error(400, "invalid_token");

        accept(&app, json!({ "token": second, "password": PASSWORD })).await.assert_status(204);
    })
    .await;
}

#[tokio::test]
async fn an_invitation_ends_after_seven_days() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let person = json!({ "email": "ada@shop.example", "role": "viewer" });
        let token = app.invite(&app.sign_in(&account).await, person).await;

        app.clock.advance(Duration::from_secs(7 * 24 * 3600));

        accept(&app, json!({ "token": token, "password": PASSWORD }))
            .await
            .assert_error(400, "invalid_token");
    })
    .await;
}

#[tokio::test]
async fn a_refused_password_does_not_use_an_invitation_up() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let person = json!({ "email": "ada@shop.example", "role": "viewer" });
    let token = app.invite(&app.sign_in(&account).await, person).await;

    accept(&app, json!({ "token": token })).await.assert_error(400, "invalid_request");
    accept(&app, json!({ "token": token, "password": "short" })).await.assert_error(400, "invalid_request");

    accept(&app, json!({ "token": token, "password": PASSWORD })).await.assert_status(204);
}

#[tokio::test]
async fn an_invitation_of_a_person_needs_that_persons_session() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let other = app.account("other@else.example", Plan::Agency).await;
        let (owner, other) = (app.sign_in(&account).await, app.sign_in(&other).await);
        let person = json!({ "email": "other@else.example", "role": "viewer" });
        let token = app.invite(&owner, person).await;
        let body = json!({ "token": token, "password": OTHER_PASSWORD });

        accept(&app, body.clone()).await.assert_error(401, "invalid_api_key");
        let as_owner = app.post("/api/session/invitation").session(&owner).json(&body).await;
        as_owner.assert_error(401, "invalid_api_key");
        let without_token =
            app.post("/api/session/invitation").header("cookie", &other.cookie).json(&body).await;
        without_token.assert_error(403, "csrf_token_missing");

        app.post("/api/session/invitation").session(&other).json(body).await.assert_status(204);
        let sign_in = json!({ "email": "other@else.example", "password": PASSWORD });
        app.post("/api/session").json(sign_in).await.assert_status(204);
    })
    .await;
}

#[tokio::test]
async fn an_invitation_is_accepted_once_however_many_try() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let person = json!({ "email": "ada@shop.example", "role": "viewer" });
        let token = app.invite(&app.sign_in(&account).await, person).await;

        let tries = (0..4).map(|_| accept(&app, json!({ "token": token, "password": PASSWORD })));
        let replies = futures::future::join_all(tries).await;

        let (accepted, late): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 204);
        assert_eq!((accepted.len(), late.len()), (1, 3));
        late.iter().for_each(|reply| reply.assert_error(400, "invalid_token"));
    })
    .await;
}

#[tokio::test]
async fn guessed_links_are_limited_like_sign_ins() {
    let app = TestApp::new().await;
    for number in 0..30 {
        let body = json!({ "token": format!("guess{number}"), "password": PASSWORD });
        accept(&app, body).await.assert_error(400, "invalid_token");
    }

    accept(&app, json!({ "token": "one more", "password": PASSWORD }))
        .await
        .assert_error(429, "rate_limited");
}

/// Runs a test with a mail server. `sent` waits for the mails and returns the token of the newest.
async fn with_mail(test: impl AsyncFn(&TestApp, &Mutex<Vec<String>>)) {
    let mails: Arc<Mutex<Vec<String>>> = Arc::default();
    let server = mail_server(mails.clone()).await;
    let settings = format!(
        "server.public_url = \"https://glass.example\"\n[mail]\nsmtp_url = \"smtp://{server}\"\nfrom = \"g@glass.example\""
    );
    TestApp::on_each_engine_with(&settings, async |app| {
        mails.lock().unwrap().clear();
        test(&app, &mails).await;
    })
    .await;
}

async fn token_of_reset(mails: &Mutex<Vec<String>>) -> String {
    for _ in 0..200 {
        if let Some(mail) = mails.lock().unwrap().pop() {
            let link = mail.split("https://glass.example/reset#").nth(1).expect("a link");
            return link.chars().take_while(char::is_ascii_alphanumeric).collect();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("nothing was mailed");
}

async fn request_reset(app: &TestApp, email: &str) -> Reply {
    app.post("/api/session/reset").json(json!({ "email": email })).await
}

async fn reset(app: &TestApp, token: &str, password: &str) -> Reply {
    let body = json!({ "token": token, "newPassword": password });
    app.request(Method::PUT, "/api/session/reset").json(body).await
}

#[tokio::test]
async fn a_mailed_link_sets_another_password_once_and_ends_all_sessions() {
    with_mail(async |app, mails| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let session = app.sign_in(&account).await;
        request_reset(app, "Owner@shop.example").await.assert_status(204);
        let token = token_of_reset(mails).await;
        reset(app, &token, "short").await.assert_error(400, "invalid_request");

        let reply = reset(app, &token, OTHER_PASSWORD).await;

        reply.assert_status(204);
        assert_eq!(reply.header("set-cookie"), "");
        app.get("/api/session").session(&session).await.assert_status(401);
        let sign_in = |password| json!({ "email": "owner@shop.example", "password": password });
        app.post("/api/session").json(sign_in(PASSWORD)).await.assert_status(401);
        app.post("/api/session").json(sign_in(OTHER_PASSWORD)).await.assert_status(204);
        reset(app, &token, PASSWORD).await.assert_error(400, "invalid_token");
    })
    .await;
}

#[tokio::test]
async fn a_link_to_another_password_ends_after_an_hour() {
    with_mail(async |app, mails| {
        app.account("owner@shop.example", Plan::Agency).await;
        request_reset(app, "owner@shop.example").await.assert_status(204);
        let token = token_of_reset(mails).await;

        app.clock.advance(Duration::from_secs(3600));

        reset(app, &token, OTHER_PASSWORD).await.assert_error(400, "invalid_token");
    })
    .await;
}

#[tokio::test]
async fn a_request_for_another_password_says_nothing_about_the_address() {
    let app = TestApp::new().await;
    app.account("owner@shop.example", Plan::Agency).await;

    let (known, unknown) =
        (request_reset(&app, "owner@shop.example").await, request_reset(&app, "nobody@shop.example").await);

    known.assert_status(204);
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));
    request_reset(&app, "no address").await.assert_error(400, "invalid_request");
    for _ in 0..9 {
        request_reset(&app, "owner@shop.example").await.assert_status(204);
    }
    request_reset(&app, "owner@shop.example").await.assert_error(429, "rate_limited");
}
