//! Verifications by schedule, over HTTP and by their jobs.

use std::time::Duration;

use domains::DomainStatus;
use platform::jobs::{Registry, Worker, WorkerSettings};
use platform::plans::Plan;
use serde_json::{Value, json};

use crate::testing::*;

const PATH: &str = "/api/domains/shop.example/verification";

async fn run_jobs(app: &TestApp) {
    let registry = app.state.scheduled.register(Registry::default());
    let settings = WorkerSettings { kinds: registry.kinds(), ..WorkerSettings::of(app.state.platform()) };
    Worker::new(app.state.jobs.clone(), registry, Vec::new(), settings).run_until_idle().await;
}

#[tokio::test]
async fn a_connected_domain_is_verified_daily_until_that_is_switched_off() {
    TestApp::on_each_engine(async |app: TestApp| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        app.domain(&account, "shop.example").await;

        let before = app.get(PATH).key(&account.key).await;
        app.state.scheduled.queue_due().await.unwrap();
        run_jobs(&app).await;
        let first = app.get(PATH).key(&account.key).await.json();
        app.clock.advance(Duration::from_secs(3600));
        app.state.scheduled.queue_due().await.unwrap();
        run_jobs(&app).await;
        let same = app.get(PATH).key(&account.key).await.json();
        let off = app.patch(PATH).key(&account.key).json(json!({ "every": "off" })).await;
        app.clock.advance(Duration::from_secs(48 * 3600));
        app.state.scheduled.queue_due().await.unwrap();
        run_jobs(&app).await;

        before.assert(200, json!({ "every": "daily", "lastResult": null }));
        // Nothing answers for the domain of a test.
        assert_eq!(
            (&first["lastResult"]["ok"], &first["lastResult"]["checks"][0]["id"]),
            (&json!(false), &json!("answers"))
        );
        assert_eq!(same["lastResult"]["at"], first["lastResult"]["at"]);
        off.assert(200, json!({ "every": "off" }));
        let last = app.get(PATH).key(&account.key).await.json();
        assert_eq!(last["lastResult"]["at"], first["lastResult"]["at"]);
    })
    .await;
}

#[tokio::test]
async fn webhooks_are_told_of_the_first_failure_once() {
    TestApp::on_each_engine(async |app: TestApp| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        app.domain(&account, "shop.example").await;
        let events = webhooks::Events::new(&app.clock, &app.state.jobs);
        let service = webhooks::Webhooks::new(app.state.platform(), &events);
        let new = webhooks::NewWebhook {
            url: "https://hooks.example".into(),
            format: webhooks::WebhookFormat::Standard,
            events: vec!["verify.failing".into()],
            domains: Vec::new(),
        };
        let (webhook, _) = service.create(&account.id, new).await.unwrap().unwrap();

        for _ in 0..2 {
            app.state.scheduled.queue_due().await.unwrap();
            run_jobs(&app).await;
            app.clock.advance(Duration::from_secs(25 * 3600));
        }

        let (deliveries, _) = service.list_deliveries(&webhook.id, (10, 0)).await.unwrap();
        let told: Vec<(&str, Option<&str>)> =
            deliveries.iter().map(|delivery| (delivery.event.as_str(), delivery.domain.as_deref())).collect();
        assert_eq!(told, [("verify.failing", Some("shop.example"))]);
    })
    .await;
}

#[tokio::test]
async fn a_pending_domain_is_not_verified_and_another_value_is_refused() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Business).await;
    app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await;

    app.state.scheduled.queue_due().await.unwrap();
    run_jobs(&app).await;

    let shown = app.get(PATH).key(&account.key).await.json();
    assert_eq!(shown["lastResult"], Value::Null);
    let refused = app.patch(PATH).key(&account.key).json(json!({ "every": "weekly" })).await;
    refused.assert_error(400, "invalid_request");
}
