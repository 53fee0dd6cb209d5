//! Keys that expire, and keys that only read.

use std::time::Duration;

use serde_json::json;

use crate::testing::*;
use platform::clock::Timestamp;
use platform::plans::Plan;

async fn key_of(reply: Reply) -> String {
    reply.assert_status(201);
    reply.json()["key"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_key_is_unknown_from_its_end_on() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let end = app.clock.now().plus(Duration::from_secs(3600));
        let key =
            key_of(app.post("/api/keys").key(&account.key).json(json!({ "expiresAt": end })).await).await;
        app.get("/api/usage").key(&key).await.assert_status(200);

        app.clock.set(end);

        app.get("/api/usage").key(&key).await.assert_error(401, "invalid_api_key");
        let list = app.get("/api/keys").key(&account.key).await;
        list.assert(200, json!({ "keys": [{ "expiresAt": null }, { "expiresAt": end.to_string() }] }));
    })
    .await;
}

#[tokio::test]
async fn the_end_of_a_key_lies_in_the_future() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let make = async |end| app.post("/api/keys").key(&account.key).json(json!({ "expiresAt": end })).await;

    let now: Timestamp = app.clock.now();
    make(json!(now)).await.assert_error(400, "invalid_request");
    make(json!("tomorrow")).await.assert_error(400, "invalid_request");
    make(json!(null)).await.assert(201, json!({ "expiresAt": null, "access": "write" }));
}

#[tokio::test]
async fn a_key_that_reads_changes_nothing() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let key =
            key_of(app.post("/api/keys").key(&account.key).json(json!({ "access": "read" })).await).await;

        app.get("/api/keys").key(&key).await.assert(200, json!({ "keys": [{}, { "access": "read" }] }));
        // Before the body is even looked at.
        app.post("/api/keys").key(&key).body("{").await.assert_error(403, "key_read_only");
        app.delete("/api/keys/x").key(&key).await.assert_error(403, "key_read_only");
    })
    .await;
}

#[tokio::test]
async fn a_key_makes_none_that_outlives_it() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Agency).await;
    let end = app.clock.now().plus(Duration::from_secs(3600));
    let key = key_of(app.post("/api/keys").key(&account.key).json(json!({ "expiresAt": end })).await).await;
    let make = async |end| app.post("/api/keys").key(&key).json(json!({ "expiresAt": end })).await;

    make(json!(null)).await.assert_error(400, "invalid_request");
    make(json!(end.plus(Duration::from_secs(1)))).await.assert_error(400, "invalid_request");
    make(json!(end)).await.assert_status(201);
}

#[tokio::test]
async fn a_key_names_its_maker_and_so_do_the_keys_that_it_makes() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Agency).await;
        let owner = app.sign_in(&account).await;
        let key = key_of(app.post("/api/keys").session(&owner).json(json!({})).await).await;

        app.post("/api/keys").key(&key).json(json!({})).await.assert_status(201);

        let made_by = |email| json!({ "createdBy": email });
        let (command, person) = (made_by(json!(null)), made_by(json!("owner@shop.example")));
        app.get("/api/keys").session(&owner).await.assert(200, json!({ "keys": [command, person, person] }));
    })
    .await;
}
