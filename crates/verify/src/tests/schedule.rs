//! Verifications by schedule, over HTTP and by their jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crawler::testing::WebServer;
use domains::DomainStatus;
use platform::jobs::{Registry, Worker, WorkerSettings};
use platform::plans::Plan;
use serde_json::{Value, json};
use webhooks::testing::HeardEvents;

use super::sites::{answer, plain};
use crate::ScheduledVerification;
use crate::answer::SlowAfter;
use crate::probes::SiteVerifier;
use crate::testing::*;

const PATH: &str = "/api/domains/shop.example/verification";

async fn run_jobs(app: &TestApp) {
    run_jobs_of(app, &app.state.scheduled).await;
}

async fn run_jobs_of(app: &TestApp, scheduled: &ScheduledVerification) {
    let registry = scheduled.register(Registry::default());
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
async fn webhooks_are_told_once_that_a_site_fails_and_once_that_it_has_recovered() {
    let is_down = Arc::new(AtomicBool::new(true));
    let down = is_down.clone();
    let server = WebServer::start(move |request| {
        let is_down = down.load(Ordering::Relaxed);
        async move { if is_down { plain(500, "", &[]) } else { answer(request).await } }
    })
    .await;
    let address = server.address();
    let settings = format!(
        "network.allow_private = [\"127.0.0.0/8\"]\nnetwork.hosts = {{ \"right.example\" = \"{address}\" }}\n"
    );
    TestApp::on_each_engine_with(&settings, async |app: TestApp| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        app.domain(&account, "right.example").await;
        let (platform, jobs) = (app.state.platform(), &app.state.jobs);
        let names = ["verify.failing", "verify.recovered"];
        let heard = HeardEvents::of(platform, jobs, &account.id, &names).await;
        // No site here is slow, however loaded the machine is.
        let patient = SlowAfter { first: Duration::MAX, second: Duration::MAX };
        let verifier = SiteVerifier::with_limits(&platform.network, patient);
        let (domains, render) = (&app.state.domains, &app.state.render);
        let scheduled = ScheduledVerification::new(platform, domains, render, jobs, &verifier);

        for down in [true, true, false, false, true] {
            is_down.store(down, Ordering::Relaxed);
            scheduled.queue_due().await.unwrap();
            run_jobs_of(&app, &scheduled).await;
            app.clock.advance(Duration::from_secs(25 * 3600));
        }

        let told = |name: &str| (name.to_owned(), "right.example".to_owned());
        let [failing, recovered] = names.map(told);
        assert_eq!(heard.list().await, [failing.clone(), recovered, failing]);
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
