//! Second factors: set-up, sign-in, recovery codes.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use crate::people::code_at;
use crate::testing::*;
use platform::plans::Plan;

const STEP: Duration = Duration::from_secs(30);

/// An owner with a second factor.
struct Guarded {
    app: TestApp,
    account: TestAccount,
    session: TestSession,
    secret: String,
    recovery_codes: Vec<String>,
}

impl Guarded {
    async fn on(app: TestApp) -> Guarded {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let session = app.sign_in(&account).await;
        let secret = begin(&app, &session).await;
        let reply = totp(&app, Method::PUT, &session, &code_at(&secret, app.clock.now())).await;
        reply.assert_status(200);
        let codes = reply.json()["recoveryCodes"].as_array().unwrap().clone();
        let recovery_codes = codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect();
        Guarded { app, account, session, secret, recovery_codes }
    }

    fn code(&self) -> String {
        code_at(&self.secret, self.app.clock.now())
    }

    async fn sign_in(&self, code: Value) -> Reply {
        let body = json!({ "email": "owner@shop.example", "password": PASSWORD, "code": code });
        self.app.post("/api/session").json(body).await
    }
}

async fn begin(app: &TestApp, session: &TestSession) -> String {
    let reply = app.post("/api/session/totp").session(session).json(json!({ "password": PASSWORD })).await;
    reply.assert_status(200);
    let setup = reply.json();
    let secret = setup["secret"].as_str().unwrap().to_owned();
    assert!(setup["uri"].as_str().unwrap().contains(&format!("secret={secret}&")), "{setup}");
    secret
}

async fn totp(app: &TestApp, method: Method, session: &TestSession, code: &str) -> Reply {
    app.request(method, "/api/session/totp").session(session).json(json!({ "code": code })).await
}

#[tokio::test]
async fn nothing_is_asked_for_before_the_first_code() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let session = app.sign_in(&account).await;

        begin(&app, &session).await;

        app.sign_in(&account).await;
        app.get("/api/session").session(&session).await.assert(200, json!({ "secondFactor": false }));
        totp(&app, Method::PUT, &session, "000000").await.assert_error(403, "invalid_code");
    })
    .await;
}

#[tokio::test]
async fn a_second_factor_begins_with_the_password_and_only_while_there_is_none() {
    TestApp::on_each_engine(async |app| {
        let guarded = Guarded::on(app).await;
        let (app, session) = (&guarded.app, &guarded.session);
        let begin = async |password| {
            app.post("/api/session/totp").session(session).json(json!({ "password": password })).await
        };

        begin("wrong").await.assert_error(403, "wrong_password");
        begin(PASSWORD).await.assert_error(409, "totp_enabled");
        totp(app, Method::PUT, session, &guarded.code()).await.assert_error(409, "totp_enabled");
        app.get("/api/session").session(session).await.assert(200, json!({ "secondFactor": true }));
        app.get("/api/people")
            .session(session)
            .await
            .assert(200, json!({ "people": [{ "secondFactor": true }] }));
    })
    .await;
}

#[tokio::test]
async fn a_sign_in_needs_password_and_a_code_that_was_not_used() {
    TestApp::on_each_engine(async |app| {
        let guarded = Guarded::on(app).await;

        guarded.sign_in(json!(null)).await.assert_error(401, "totp_required");
        // The code that turned the second factor on.
        guarded.sign_in(json!(guarded.code())).await.assert_error(401, "invalid_code");
        guarded.app.clock.advance(STEP);
        let code = guarded.code();
        guarded.sign_in(json!(code)).await.assert_status(204);
        guarded.sign_in(json!(code)).await.assert_error(401, "invalid_code");
    })
    .await;
}

#[tokio::test]
async fn one_code_signs_in_once_however_many_try() {
    TestApp::on_each_engine(async |app| {
        let guarded = Guarded::on(app).await;
        guarded.app.clock.advance(STEP);
        let code = guarded.code();

        let replies = futures::future::join_all((0..4).map(|_| guarded.sign_in(json!(code)))).await;

        assert_eq!(replies.iter().filter(|reply| reply.status == 204).count(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_recovery_code_signs_in_once() {
    TestApp::on_each_engine(async |app| {
        let guarded = Guarded::on(app).await;
        assert_eq!(guarded.recovery_codes.len(), 10);
        let code = guarded.recovery_codes[3].to_uppercase().replace('-', " ");

        guarded.sign_in(json!(code)).await.assert_status(204);
        guarded.sign_in(json!(code)).await.assert_error(401, "invalid_code");
        guarded.sign_in(json!(guarded.recovery_codes[4])).await.assert_status(204);
    })
    .await;
}

#[tokio::test]
async fn wrong_codes_are_failures_of_one_address_and_person_and_a_missing_one_is_none() {
    let guarded = Guarded::on(TestApp::new().await).await;
    let other = guarded.app.account("other@shop.example", Plan::Agency).await;
    for _ in 0..12 {
        guarded.sign_in(json!(null)).await.assert_error(401, "totp_required");
    }
    for _ in 0..10 {
        guarded.sign_in(json!("000000")).await.assert_error(401, "invalid_code");
    }

    guarded.sign_in(json!(guarded.recovery_codes[0])).await.assert_error(429, "rate_limited");

    guarded.app.sign_in(&other).await;
}

#[tokio::test]
async fn a_code_turns_the_second_factor_off_with_its_recovery_codes() {
    TestApp::on_each_engine(async |app| {
        let guarded = Guarded::on(app).await;
        let (app, session) = (&guarded.app, &guarded.session);
        totp(app, Method::DELETE, session, "000000").await.assert_error(403, "invalid_code");
        app.clock.advance(STEP);

        totp(app, Method::DELETE, session, &guarded.code()).await.assert_status(204);

        app.sign_in(&guarded.account).await;
        begin(app, session).await;
    })
    .await;
}

#[tokio::test]
async fn the_command_turns_it_off_and_ends_the_sessions() {
    TestApp::on_each_engine(async |app| {
        let guarded = Guarded::on(app).await;

        guarded.app.state.accounts.reset_totp(&guarded.account.email).await.unwrap();

        guarded.app.get("/api/session").session(&guarded.session).await.assert_status(401);
        guarded.app.sign_in(&guarded.account).await;
    })
    .await;
}
