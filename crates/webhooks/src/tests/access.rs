//! Refusals: shapes, roles, scopes, limits.

use platform::plans::Plan;
use serde_json::{Value, json};

use super::World;
use crate::testing::*;

fn hook(format: &str) -> Value {
    json!({ "url": "https://hooks.example/secret", "format": format, "events": ["audit.completed"], "domains": ["shop.example"] })
}

#[tokio::test]
async fn what_cannot_be_a_webhook_is_refused_and_named() {
    World::on_each_engine(async |world| {
        let bad = [
            json!({ "url": "https://hooks.example", "events": [] }),
            json!({ "url": "https://hooks.example", "events": ["audit.done"] }),
            json!({ "url": "https://hooks.example", "events": ["webhook.test"] }),
            json!({ "url": "https://me:secret@hooks.example", "events": ["audit.completed"] }),
            json!({ "url": "hooks.example", "events": ["audit.completed"] }),
            json!({ "url": "https://hooks.example", "format": "xml", "events": ["audit.completed"] }),
        ];

        for body in bad {
            let reply = world.app.post("/api/webhooks").key(&world.account.key).json(&body).await;
            reply.assert_error(400, "invalid_request");
        }
        let foreign = json!({ "url": "https://hooks.example", "events": ["audit.completed"], "domains": ["foreign.example"] });
        let reply = world.app.post("/api/webhooks").key(&world.account.key).json(foreign).await;
        reply.assert_error(403, "domain_not_owned");
    })
    .await;
}

#[tokio::test]
async fn a_webhook_has_the_documented_shape_and_shows_its_secret_once() {
    World::on_each_engine(async |world| {
        let made = world.create(hook("standard")).await;

        let listed = world.get("/api/webhooks").await["webhooks"][0].clone();
        let mut keys: Vec<&String> = listed.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["createdAt", "domains", "enabled", "events", "format", "id", "problem", "url"]);
        assert_eq!(listed["url"], "https://hooks.example/secret");
        assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
        assert!(world.create(hook("slack")).await.get("secret").is_none());
    })
    .await;
}

#[tokio::test]
async fn an_account_has_twenty_webhooks_and_those_of_others_are_not_there() {
    World::on_each_engine(async |world| {
        let mut path = String::new();
        for _ in 0..20 {
            path = world.of_audits("standard").await;
        }

        let reply = world.app.post("/api/webhooks").key(&world.account.key).json(hook("slack")).await;
        let other = world.app.account("other@shop.example", Plan::Business).await;

        reply.assert(403, json!({ "error": "webhook_limit_reached", "limit": 20, "current": 20 }));
        world.app.delete(&path).key(&other.key).await.assert_error(404, "not_found");
        world.app.delete(&path).key(&world.account.key).await.assert_status(204);
        world.app.delete(&path).key(&world.account.key).await.assert_error(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn webhooks_that_are_made_at_the_same_time_are_counted_together() {
    World::on_each_engine(async |world| {
        let make = async || {
            let request = world.app.post("/api/webhooks").key(&world.account.key).json(hook("slack"));
            request.await.status.as_u16()
        };

        let mut answers = futures::future::join_all((0..25).map(|_| make())).await;

        answers.sort_unstable();
        assert_eq!(answers, [vec![201; 20], vec![403; 5]].concat());
    })
    .await;
}

#[tokio::test]
async fn editors_manage_webhooks_for_people_and_owners_those_for_programs() {
    World::on_each_engine(async |world| {
        let owner = world.app.sign_in(&world.account).await;
        let editor = world.app.person(&owner, json!({ "email": "ed@shop.example", "role": "editor" })).await;
        let viewer = world.app.person(&owner, json!({ "email": "vi@shop.example", "role": "viewer" })).await;
        let standard = world.of_audits("standard").await;

        let made = world.app.post("/api/webhooks").session(&editor).json(hook("slack")).await;
        let refused = world.app.post("/api/webhooks").session(&editor).json(hook("standard")).await;

        made.assert_status(201);
        refused.assert(403, json!({ "error": "role_forbidden", "requiredRole": "owner" }));
        let off = json!({ "enabled": false });
        world.app.patch(&standard).session(&editor).json(&off).await.assert_error(403, "role_forbidden");
        world
            .app
            .post(&format!("{standard}/test"))
            .session(&editor)
            .await
            .assert_error(403, "role_forbidden");
        world.app.patch(&standard).session(&owner).json(&off).await.assert_status(200);
        let of_viewer = world.app.post("/api/webhooks").session(&viewer).json(hook("slack")).await;
        of_viewer.assert(403, json!({ "error": "role_forbidden", "requiredRole": "editor" }));
        let shown = |list: Value| -> Vec<String> {
            list["webhooks"]
                .as_array()
                .unwrap()
                .iter()
                .map(|hook| hook["url"].as_str().unwrap().to_owned())
                .collect()
        };
        let to_editor = shown(world.app.get("/api/webhooks").session(&editor).await.json());
        let to_viewer = shown(world.app.get("/api/webhooks").session(&viewer).await.json());
        assert_eq!(to_editor, ["hooks.example", "https://hooks.example/secret"]);
        assert_eq!(to_viewer, ["hooks.example", "hooks.example"]);
    })
    .await;
}

#[tokio::test]
async fn one_who_sees_some_domains_sees_and_makes_webhooks_of_these_only() {
    World::on_each_engine(async |world| {
        let owner = world.app.sign_in(&world.account).await;
        let limited = json!({ "email": "ed@shop.example", "role": "editor", "domains": ["shop.example"] });
        let editor = world.app.person(&owner, limited).await;
        let of_all = world.of_audits("slack").await;

        let make = |domains: Value| {
            let body = json!({ "url": "https://hooks.example", "format": "slack", "events": ["audit.completed"], "domains": domains });
            world.app.post("/api/webhooks").session(&editor).json(body)
        };

        make(json!([])).await.assert_error(403, "role_forbidden");
        make(json!(["shop-other.example"])).await.assert_error(403, "domain_not_owned");
        make(json!(["shop.example"])).await.assert_status(201);
        let list = world.app.get("/api/webhooks").session(&editor).await.json();
        assert_eq!(list["webhooks"].as_array().unwrap().len(), 1);
        world.app.delete(&of_all).session(&editor).await.assert_error(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn a_key_of_one_domain_is_refused() {
    World::on_each_engine(async |world| {
        let key = world.app.key(&world.account.id, Some("shop.example")).await;

        world.app.get("/api/webhooks").key(&key).await.assert_error(403, "requires_unscoped_key");
        world.app.get("/api/webhooks").await.assert_error(401, "invalid_api_key");
    })
    .await;
}
