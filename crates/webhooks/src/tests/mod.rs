//! Webhooks over HTTP, with a receiver on loopback.

mod access;
mod deliveries;
mod hourly;

use std::time::Duration;

use platform::plans::Plan;
use serde_json::{Value, json};

use crate::events::{AuditCompleted, EventData, LimitReached};
use crate::testing::*;
use crate::{Events, NewEvent};

/// An account with a webhook, and its receiver.
struct World {
    app: TestApp,
    account: TestAccount,
    receiver: Receiver,
}

impl World {
    async fn on_each_engine(test: impl AsyncFn(World)) {
        World::on_each_engine_with("", test).await;
    }

    async fn on_each_engine_with(settings: &str, test: impl AsyncFn(World)) {
        let receiver = Receiver::start().await;
        let settings = format!("{}{settings}", receiver.settings());
        TestApp::on_each_engine_with(&settings, async |app: TestApp| {
            let account = app.account("owner@shop.example", Plan::Business).await;
            let receiver = receiver.clone();
            receiver.forget();
            test(World { app, account, receiver }).await;
        })
        .await;
    }

    async fn create(&self, body: Value) -> Value {
        let reply = self.app.post("/api/webhooks").key(&self.account.key).json(body).await;
        reply.assert_status(201);
        reply.json()
    }

    /// Makes a webhook that hears of finished audits, and returns its path.
    async fn of_audits(&self, format: &str) -> String {
        let url = "http://hooks.example/in";
        let made = self.create(json!({ "url": url, "format": format, "events": ["audit.completed"] })).await;
        format!("/api/webhooks/{}", made["id"].as_str().unwrap())
    }

    async fn emit(&self, domain: Option<&str>, data: EventData) {
        let mut tx = self.app.state.platform().db.write().await.unwrap();
        let event = NewEvent { account: &self.account.id, domain, data };
        self.app.state.events.emit(&mut tx, event).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn audit_ends(&self, domain: &str) {
        self.emit(Some(domain), audit("success")).await;
    }

    async fn send(&self) {
        self.app.state.worker().run_until_idle().await;
    }

    async fn send_after(&self, wait: Duration) {
        self.app.clock.advance(wait);
        self.send().await;
    }

    async fn get(&self, path: &str) -> Value {
        let reply = self.app.get(path).key(&self.account.key).await;
        reply.assert_status(200);
        reply.json()
    }
}

fn audit(status: &str) -> EventData {
    EventData::from(AuditCompleted {
        run_id: "r1".into(),
        status: status.into(),
        close_reason: "finished".into(),
        pages_crawled: 12,
        health_score: 87.5,
        delta_health: 0.0,
        issue_count: 3,
        new_errors: 0,
    })
}

#[tokio::test]
async fn an_event_of_a_rolled_back_transaction_is_told_to_nobody() {
    World::on_each_engine(async |world| {
        let path = world.of_audits("standard").await;

        let mut tx = world.app.state.platform().db.write().await.unwrap();
        let event =
            NewEvent { account: &world.account.id, domain: Some("shop.example"), data: audit("success") };
        world.app.state.events.emit(&mut tx, event).await.unwrap();
        drop(tx);
        world.send().await;

        assert!(world.receiver.received().is_empty());
        assert_eq!(world.get(&format!("{path}/deliveries")).await["total"], 0);
    })
    .await;
}

#[tokio::test]
async fn a_limit_is_told_when_it_is_near_and_when_it_is_reached_once_until_the_use_falls_below() {
    // The account has four domains.
    let limits =
        "[plans.essential]\ndomains = 6\n[plans.business]\ndomains = 5\n[plans.agency]\ndomains = 4\n";
    World::on_each_engine_with(limits, async |world| {
        world
            .create(json!({ "url": "http://hooks.example/in", "events": ["limit.near", "limit.reached"] }))
            .await;

        for plan in
            [Plan::Business, Plan::Business, Plan::Agency, Plan::Agency, Plan::Essential, Plan::Business]
        {
            world.app.state.accounts.set_plan(&world.account.email, plan).await.unwrap();
            world.app.state.limits().look().await.unwrap();
            world.send().await;
        }

        let told: Vec<Value> = world.receiver.received().iter().map(|message| message.json()).collect();
        let parts: Vec<_> = told.iter().map(|event| (&event["type"], &event["data"])).collect();
        let of = |limit: u64| json!({ "name": "domains", "used": 4, "limit": limit });
        let (near, reached) = (json!("limit.near"), json!("limit.reached"));
        assert_eq!(parts, [(&near, &of(5)), (&reached, &of(4)), (&near, &of(5))]);
        assert_eq!(told[0]["domain"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn events_of_the_account_are_not_told_to_webhooks_of_some_domains() {
    World::on_each_engine(async |world| {
        let events = ["limit.reached"];
        world
            .create(
                json!({ "url": "http://hooks.example/in", "events": events, "domains": ["shop.example"] }),
            )
            .await;

        let data = EventData::from(LimitReached { name: "domains".into(), used: 1, limit: 1 });
        world.emit(None, data).await;
        world.send().await;

        assert!(world.receiver.received().is_empty());
    })
    .await;
}

#[tokio::test]
async fn events_are_emitted_by_any_service_that_has_the_queue() {
    World::on_each_engine(async |world| {
        world.of_audits("standard").await;
        let events = Events::new(&world.app.clock, &world.app.state.jobs);

        let mut tx = world.app.state.platform().db.write().await.unwrap();
        let event =
            NewEvent { account: &world.account.id, domain: Some("shop.example"), data: audit("success") };
        events.emit(&mut tx, event).await.unwrap();
        tx.commit().await.unwrap();
        world.send().await;

        assert_eq!(world.receiver.received().len(), 1);
    })
    .await;
}
