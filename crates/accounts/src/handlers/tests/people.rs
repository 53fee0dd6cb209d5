//! People of an account: invitations, roles, removal.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::testing::*;
use platform::plans::Plan;

fn invited(email: &str, role: &str) -> Value {
    json!({ "email": email, "role": role })
}

/// Makes an account with its owner's session, and an editor's session.
async fn two_people(app: &TestApp) -> (TestAccount, TestSession, TestSession) {
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let owner = app.sign_in(&account).await;
    let editor = app.person(&owner, invited("ada@shop.example", "editor")).await;
    (account, owner, editor)
}

/// Finds the id of a person in the owner's list.
async fn id_of(app: &TestApp, owner: &TestSession, email: &str) -> String {
    let list = app.get("/api/people").session(owner).await.json();
    let people = list["people"].as_array().unwrap();
    people.iter().find(|person| person["email"] == email).unwrap()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_invitation_makes_a_person_with_a_password_and_a_session() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let owner = app.sign_in(&account).await;
        let token = app.invite(&owner, invited(" Ada@Shop.example", "viewer")).await;
        let ada = |state| json!({ "email": "ada@shop.example", "role": "viewer", "domains": null, "state": state });
        app.get("/api/people").session(&owner).await.assert(200, json!({ "people": [
            { "email": "owner@shop.example", "role": "owner", "state": "active", "secondFactor": false },
            ada("invited") ] }));

        let accepted = json!({ "token": token, "password": PASSWORD });
        let reply = app.post("/api/session/invitation").json(&accepted).await;

        reply.assert_status(204);
        let session = app.session_of(&reply).await;
        app.get("/api/session").session(&session).await.assert(200, json!({
            "email": "ada@shop.example", "role": "viewer", "domains": null, "secondFactor": false, "plan": "agency",
            "account": { "id": account.id.as_str(), "name": "owner@shop.example" },
            "accounts": [{ "id": account.id.as_str(), "name": "owner@shop.example" }] }));
        app.get("/api/people").session(&owner).await.assert(200, json!({ "people": [{}, ada("active")] }));
        let sign_in = json!({ "email": "ada@shop.example", "password": PASSWORD });
        app.post("/api/session").json(sign_in).await.assert_status(204);
        app.post("/api/session/invitation").json(accepted).await.assert_error(400, "invalid_token");
    })
    .await;
}

#[tokio::test]
async fn only_owners_manage_people_and_keys() {
    TestApp::on_each_engine(async |app| {
        let (account, owner, editor) = two_people(&app).await;

        for path in ["/api/people", "/api/keys"] {
            app.get(path)
                .session(&editor)
                .await
                .assert(403, json!({ "error": "role_forbidden", "requiredRole": "owner" }));
            // Before the body is even looked at.
            app.post(path).session(&editor).body("{").await.assert_error(403, "role_forbidden");
        }
        app.get("/api/usage").session(&editor).await.assert_status(200);
        app.get("/api/people").key(&account.key).await.assert_error(401, "invalid_api_key");
        app.get("/api/keys").session(&owner).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_changed_role_holds_for_the_sessions_there_are() {
    TestApp::on_each_engine(async |app| {
        let (_, owner, ada) = two_people(&app).await;
        let path = format!("/api/people/{}", id_of(&app, &owner, "ada@shop.example").await);

        app.patch(&path)
            .session(&owner)
            .json(json!({ "role": "owner" }))
            .await
            .assert(200, json!({ "role": "owner" }));

        app.get("/api/people").session(&ada).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn the_last_owner_who_accepted_stays() {
    TestApp::on_each_engine(async |app| {
        let (_, owner, _) = two_people(&app).await;
        app.invite(&owner, invited("later@shop.example", "owner")).await;
        let path = format!("/api/people/{}", id_of(&app, &owner, "owner@shop.example").await);

        app.patch(&path)
            .session(&owner)
            .json(json!({ "role": "viewer" }))
            .await
            .assert_error(409, "last_owner");
        app.delete(&path).session(&owner).await.assert_error(409, "last_owner");

        app.get("/api/people").session(&owner).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_removed_person_is_out_at_once_and_leaves_working_keys() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let owner = app.sign_in(&account).await;
        let ada = app.person(&owner, invited("ada@shop.example", "owner")).await;
        for _ in 0..2 {
            app.post("/api/keys").session(&ada).json(json!({})).await.assert_status(201);
        }
        let path = format!("/api/people/{}", id_of(&app, &owner, "ada@shop.example").await);

        app.delete(&path).session(&owner).await.assert(200, json!({ "keys": 2 }));

        app.get("/api/session").session(&ada).await.assert_status(401);
        app.delete(&path).session(&owner).await.assert_error(404, "not_found");
        // Nothing is left of her: she may be invited like anybody.
        app.person(&owner, invited("ada@shop.example", "viewer")).await;
    })
    .await;
}

#[tokio::test]
async fn people_of_another_account_are_unknown() {
    TestApp::on_each_engine(async |app| {
        let (_, owner, _) = two_people(&app).await;
        let stranger = app.account("stranger@else.example", Plan::Agency).await;
        let stranger = app.sign_in(&stranger).await;
        let path = format!("/api/people/{}", id_of(&app, &owner, "ada@shop.example").await);

        app.patch(&path)
            .session(&stranger)
            .json(json!({ "role": "owner" }))
            .await
            .assert_error(404, "not_found");
        app.delete(&path).session(&stranger).await.assert_error(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn domains_of_a_person_are_the_accounts_own_and_some() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let owner = app.sign_in(&account).await;
    let invite = async |role, domains| {
        let person = json!({ "email": "ada@shop.example", "role": role, "domains": domains });
        app.post("/api/people").session(&owner).json(person).await
    };

    invite("editor", json!([])).await.assert_error(400, "invalid_request");
    invite("editor", json!(["else.example"])).await.assert_error(403, "domain_not_owned");
    invite("owner", json!(["else.example"])).await.assert_error(400, "invalid_request");
    invite("nobody", json!(null)).await.assert_error(400, "invalid_request");
}

#[tokio::test]
async fn an_account_has_a_hundred_people() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let owner = app.sign_in(&account).await;
    for number in 1..100 {
        app.invite(&owner, invited(&format!("p{number}@shop.example"), "viewer")).await;
    }

    let more = app.post("/api/people").session(&owner).json(invited("more@shop.example", "viewer")).await;

    more.assert(403, json!({ "error": "people_limit_reached", "limit": 100, "current": 100 }));
    app.invite(&owner, invited("p1@shop.example", "viewer")).await;
}

#[tokio::test]
async fn a_person_of_the_account_is_not_invited_again() {
    let app = TestApp::new().await;
    let (_, owner, _) = two_people(&app).await;

    let again = app.post("/api/people").session(&owner).json(invited("ada@shop.example", "owner")).await;

    again.assert_error(409, "person_exists");
}

#[tokio::test]
async fn an_address_that_is_a_person_makes_no_account() {
    TestApp::on_each_engine(async |app| {
        two_people(&app).await;

        let email = "ada@shop.example".parse().unwrap();
        let refused = app.state.accounts.create_account(&email, None, Plan::Agency).await;

        assert!(refused.is_err_and(|error| !error.to_string().contains('\n')));
    })
    .await;
}

#[tokio::test]
async fn an_invitation_is_mailed_once_an_hour_to_an_address_and_else_shown() {
    let mails: Arc<Mutex<Vec<String>>> = Arc::default();
    let server = mail_server(mails.clone()).await;
    let settings = format!(
        "server.public_url = \"https://glass.example/\"\n[mail]\nsmtp_url = \"smtp://{server}\"\nfrom = \"g@glass.example\""
    );
    TestApp::on_each_engine_with(&settings, async |app| {
        mails.lock().unwrap().clear();
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let owner = app.sign_in(&account).await;
        let invite = async || {
            app.post("/api/people").session(&owner).json(invited("ada@shop.example", "editor")).await
        };

        invite().await.assert(201, json!({ "inviteUrl": null }));
        let again = invite().await;

        let link = again.json()["inviteUrl"].as_str().unwrap().to_owned();
        assert!(link.starts_with("https://glass.example/invitation#"), "{link}");
        {
            let mails = mails.lock().unwrap();
            assert_eq!(mails.len(), 1);
            assert!(mails[0].contains("owner@shop.example invites you"), "{}", mails[0]);
            assert!(mails[0].contains("text/plain") && mails[0].contains("text/html"));
        }
        app.clock.advance(Duration::from_secs(3600));
        invite().await.assert(201, json!({ "inviteUrl": null }));
    })
    .await;
}

#[tokio::test]
async fn a_person_of_several_accounts_moves_one_session_between_them() {
    TestApp::on_each_engine(async |app| {
        let (account, _, ada) = two_people(&app).await;
        let other = app.account("other@else.example", Plan::Business).await;
        let other_owner = app.sign_in(&other).await;
        let token = app.invite(&other_owner, invited("ada@shop.example", "viewer")).await;
        let reply = app.post("/api/session/invitation").session(&ada).json(json!({ "token": token })).await;
        reply.assert_status(204);
        let ada = app.session_of(&reply).await;
        let seen = app.get("/api/session").session(&ada).await;
        seen.assert(
            200,
            json!({ "role": "viewer", "plan": "business", "account": { "name": "other@else.example" } }),
        );
        assert_eq!(seen.json()["accounts"].as_array().map(Vec::len), Some(2));

        let enter = async |id: &str| {
            app.request(http::Method::PUT, "/api/session/account")
                .session(&ada)
                .json(json!({ "id": id }))
                .await
        };
        enter(account.id.as_str()).await.assert_status(204);

        app.get("/api/session")
            .session(&ada)
            .await
            .assert(200, json!({ "role": "editor", "plan": "agency" }));
        enter("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10").await.assert_error(404, "not_found");
    })
    .await;
}
