//! How a domain is audited: what may be set, what is never shown, and what it does to runs.

use std::time::Duration;

use serde_json::{Value, json};

use super::{AUDITING, RUNS, on_each_engine, paths};
use crate::audit::webhook::{SIGNATURE, TIMESTAMP, sign};
use crate::clock::Timestamp;

#[tokio::test]
async fn secrets_are_sent_to_the_site_and_never_shown() {
    on_each_engine(async |shop| {
        let change = json!({
            "headers": [{ "name": "x-staging", "value": "hunter2" }],
            "basicAuth": { "username": "anna", "password": "swordfish" },
        });
        shop.web.page("/coffee", "Coffee of all kinds", &["/", "https://hook.example/elsewhere"]);
        shop.web.page("/elsewhere", "Another site", &[]);

        let changed = shop.patch_auditing(change).await;
        let shown = shop.get(AUDITING).await;
        shop.audit(json!({})).await;

        changed.assert(
            200,
            json!({ "headers": [{ "name": "x-staging" }], "basicAuth": { "username": "anna" } }),
        );
        for text in [changed.text(), shown.text()] {
            assert!(!text.contains("hunter2") && !text.contains("swordfish"), "{text}");
        }
        let asked = shop.web.asked_for("/tea");
        assert_eq!(asked[0]["x-staging"], "hunter2");
        assert_eq!(asked[0]["authorization"], "Basic YW5uYTpzd29yZGZpc2g=");
        let elsewhere = shop.web.asked_for("/elsewhere");
        assert!(!elsewhere.is_empty() && elsewhere.iter().all(|headers| !headers.contains_key("x-staging")));
        shop.patch_auditing(json!({ "headers": [], "basicAuth": null }))
            .await
            .assert(200, json!({ "headers": [], "basicAuth": null }));
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_set_is_refused_and_nothing_is_changed() {
    on_each_engine(async |shop| {
        for (change, path) in [
            (json!({ "mode": "selected" }), "mode"),
            (json!({ "maxPages": 0 }), "maxPages"),
            (json!({ "requestsPerSecond": 0 }), "requestsPerSecond"),
            (json!({ "include": ["blog"] }), "include.0"),
            (json!({ "headers": [{ "name": "host", "value": "x" }] }), "headers.0.name"),
            (json!({ "headers": [{ "name": "x-a", "value": "a\nb" }] }), "headers.0.value"),
            (json!({ "basicAuth": { "username": "a:b", "password": "" } }), "basicAuth.username"),
            (json!({ "enabledChecks": ["NOPE"] }), "enabledChecks.0"),
            (json!({ "ignored": [{ "issueId": "NOPE", "pathPattern": "/a" }] }), "ignored.0.issueId"),
            (json!({ "webhookUrl": "ftp://hook.example/" }), "webhookUrl"),
            (json!({ "thresholds": { "nope": 1 } }), "thresholds.nope"),
            (json!({ "frequency": "hourly" }), "frequency"),
        ] {
            let reply = shop.patch_auditing(change).await;
            reply.assert(400, json!({ "error": "validation_error", "issues": [{ "path": path }] }));
        }
        shop.get(AUDITING)
            .await
            .assert(200, json!({ "frequency": "manual", "maxPages": null, "javascript": false }));
    })
    .await;
}

#[tokio::test]
async fn settings_change_what_a_run_looks_at_and_what_it_finds() {
    on_each_engine(async |shop| {
        let before = shop.audit(json!({})).await;
        let change = json!({
            "exclude": ["/coffee*"],
            "ignored": [{ "issueId": "LINK_BROKEN_INTERNAL", "pathPattern": "/tea*" }],
            "disabledChecks": ["META_DESC_MISSING"], "userAgent": "Auditor/2.0",
        });
        shop.patch_auditing(change).await.assert_status(200);

        let after = shop.audit(json!({})).await;

        let (before, after) = (shop.details(&before, "").await, shop.details(&after, "").await);
        assert!(!paths(&after).contains(&"/coffee"), "{:?}", paths(&after));
        assert!(before["issueBreakdown"].get("META_DESC_MISSING").is_some());
        assert!(after["issueBreakdown"].get("META_DESC_MISSING").is_none());
        assert!(before["issueBreakdown"].get("LINK_BROKEN_INTERNAL").is_some());
        assert!(after["issueBreakdown"].get("LINK_BROKEN_INTERNAL").is_none());
        let tea = |details: &Value| {
            let pages = details["pages"].as_array().unwrap();
            pages.iter().find(|page| page["path"] == "/tea").unwrap()["healthScore"].as_f64().unwrap()
        };
        assert!(tea(&after) > tea(&before));
        let agents = shop.web.asked_for("/tea");
        assert!(agents.iter().any(|headers| headers["user-agent"] == "Auditor/2.0"));
    })
    .await;
}

#[tokio::test]
async fn a_schedule_audits_the_domain_by_itself() {
    on_each_engine(async |shop| {
        shop.patch_auditing(json!({ "frequency": "daily" })).await.assert_status(200);
        let next = shop.app.state.jobs.next_run(shop.domain.id.as_str(), "AuditDomain").await.unwrap();

        shop.app.state.audits.start_scheduled(&shop.domain.id).await.unwrap();
        let waiting = shop.get(RUNS).await.json();
        shop.run_jobs().await;
        shop.patch_auditing(json!({ "frequency": "manual" })).await.assert_status(200);

        let wait = next.expect("it is planned").since(shop.app.clock.now());
        assert!(wait <= Duration::from_secs(30 * 3600), "{wait:?}");
        assert_eq!(waiting["runs"][0]["status"], "queued");
        let run = &shop.get(RUNS).await.json()["runs"][0];
        assert_eq!((&run["trigger"], &run["frequency"]), (&json!("scheduled"), &json!("daily")));
        assert_eq!(run["status"], "success");
        let next = shop.app.state.jobs.next_run(shop.domain.id.as_str(), "AuditDomain").await.unwrap();
        assert_eq!(next, None);
    })
    .await;
}

#[tokio::test]
async fn a_webhook_is_told_with_a_proof_that_a_run_ended() {
    on_each_engine(async |shop| {
        shop.web.set("/hook", "ok");
        let made = shop.patch_auditing(json!({ "webhookUrl": "https://hook.example/hook" })).await.json();
        let shown = shop.get(AUDITING).await.json();

        let id = shop.audit(json!({})).await;

        let secret = made["webhookSecret"].as_str().expect("a secret");
        assert!(shown.get("webhookSecret").is_none());
        let headers = shop.web.asked_for("/hook");
        assert_eq!(headers.len(), 1, "{headers:?}");
        let at: i64 = headers[0][TIMESTAMP].to_str().unwrap().parse().unwrap();
        let body = shop.web.body_of("/hook");
        assert_eq!(headers[0][SIGNATURE], sign(secret, Timestamp::from_millis(at), &body));
        let event: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((&event["event"], &event["run"]["id"]), (&json!("audit.completed"), &json!(id)));
        assert_eq!(event["run"]["status"], "success");
    })
    .await;
}
