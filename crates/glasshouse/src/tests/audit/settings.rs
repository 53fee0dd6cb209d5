//! Tests of audit settings: permitted values, hidden secrets, and effects on runs.

use std::time::Duration;

use serde_json::{Value, json};

use super::{AUDITING, RUNS, on_each_engine, paths};
use platform::api::header_names::{WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP};
use platform::clock::Timestamp;
use platform::notify::webhook::sign;
use webhooks::testing::HeardEvents;

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
        let is_plain = |headers: &http::HeaderMap| {
            !headers.contains_key("x-staging") && !headers.contains_key("x-service-probe")
        };
        assert!(!elsewhere.is_empty() && elsewhere.iter().all(is_plain));
        let now = shop.app.clock.now();
        assert!(asked.iter().all(|headers| shop.app.state.probe_marks.are_in(headers, "shop.example", now)));
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
            (json!({ "requestsPerSecond": 0.009 }), "requestsPerSecond"),
            (json!({ "include": ["blog"] }), "include.0"),
            (json!({ "headers": [{ "name": "host", "value": "x" }] }), "headers.0.name"),
            (json!({ "headers": [{ "name": "x-a", "value": "a\nb" }] }), "headers.0.value"),
            (json!({ "basicAuth": { "username": "a:b", "password": "" } }), "basicAuth.username"),
            (json!({ "enabledChecks": ["NOPE"] }), "enabledChecks.0"),
            (json!({ "ignored": [{ "issueId": "NOPE", "pathPattern": "/a" }] }), "ignored.0.issueId"),
            (json!({ "webhookUrl": "ftp://hook.example/" }), "webhookUrl"),
            (json!({ "thresholds": { "nope": 1 } }), "thresholds.nope"),
            (json!({ "thresholds": { "titleMaxCharacters": 9 } }), "thresholds.titleMaxCharacters"),
            (json!({ "thresholds": { "titleMaxCharacters": 20 } }), "thresholds"),
            (json!({ "extractions": [{ "name": "a" }] }), "extractions.0"),
            (json!({ "extractions": [{ "name": "a", "selector": "p", "regex": "p" }] }), "extractions.0"),
            (json!({ "extractions": [{ "name": "a", "selector": "p[" }] }), "extractions.0"),
            (json!({ "extractions": [{ "name": "a", "regex": "p", "attribute": "x" }] }), "extractions.0"),
            (json!({ "extractions": [{ "name": "a", "selector": "p", "of": "both" }] }), "extractions.0.of"),
            (
                json!({ "extractions": [{ "name": "a", "selector": "p" }, { "name": "a", "selector": "b" }] }),
                "extractions.1.name",
            ),
            (json!({ "searches": [{ "name": "", "text": "x" }] }), "searches.0"),
            (json!({ "searches": [{ "name": "a", "regex": "(" }] }), "searches.0"),
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
async fn thresholds_move_the_line_at_which_checks_fire() {
    on_each_engine(async |shop| {
        let usual = shop.audit(json!({})).await;
        let change = json!({ "thresholds": { "titleMinCharacters": 5, "titleMaxCharacters": 20 } });
        let changed = shop.patch_auditing(change).await.json();
        assert_eq!(changed["thresholds"]["titleMaxCharacters"], 20.0, "{changed:#}");

        let strict = shop.audit(json!({})).await;

        let (usual, strict) = (shop.details(&usual, "").await, shop.details(&strict, "").await);
        let short = |details: &Value| super::issues_of(details, "/coffee").contains(&"TITLE_TOO_SHORT");
        let long = |details: &Value| super::issues_of(details, "/").contains(&"TITLE_TOO_LONG");
        assert_eq!((short(&usual), long(&usual)), (true, false));
        assert_eq!((short(&strict), long(&strict)), (false, true));
        let listed = shop.get("/api/seo-spider/issues").await.json();
        let thresholds = listed["thresholds"].as_array().unwrap();
        let title = thresholds.iter().find(|entry| entry["name"] == "titleMaxCharacters").unwrap();
        assert!(title["issues"].as_array().unwrap().contains(&json!("TITLE_TOO_LONG")), "{title}");
        shop.patch_auditing(json!({ "thresholds": {} })).await.assert(200, json!({ "thresholds": {} }));
    })
    .await;
}

#[tokio::test]
async fn pieces_of_pages_and_pages_that_were_searched_for_stand_with_the_pages() {
    on_each_engine(async |shop| {
        let change = json!({
            "extractions": [
                { "name": "heading", "selector": "main h1", "of": "raw" },
                { "name": "view", "selector": "meta[name=viewport]", "attribute": "content" },
                { "name": "about", "regex": "All about ([A-Za-z ]+) and what" },
            ],
            "searches": [
                { "name": "coffee", "text": "COFFEE OF" },
                { "name": "no coffee", "regex": "Coffee of", "in": "source", "inverted": true },
            ],
        });
        let changed = shop.patch_auditing(change).await.json();
        let search = json!({
            "name": "coffee", "text": "COFFEE OF", "in": "text", "of": "rendered", "inverted": false,
        });
        assert_eq!(changed["searches"][0], search, "{changed:#}");

        let id = shop.audit(json!({})).await;

        let details = shop.details(&id, "fields=path,extracted,searches&search=e").await;
        let coffee = &details["pages"][0];
        assert_eq!(coffee["extracted"]["heading"], json!(["Coffee of all kinds"]), "{details:#}");
        assert_eq!(coffee["extracted"]["view"], json!(["width=device-width"]));
        assert_eq!(coffee["extracted"]["about"][0], "Coffee of all kinds");
        assert_eq!(coffee["searches"], json!(["coffee"]));
        let all = shop.details(&id, "").await;
        let tea = all["pages"].as_array().unwrap().iter().find(|page| page["path"] == "/tea").unwrap();
        assert_eq!(tea["searches"], json!(["no coffee"]));
        let page = shop.get(&format!("{RUNS}/{id}/pages/{}", tea["id"].as_str().unwrap())).await.json();
        assert_eq!(page["page"]["extracted"]["heading"], json!(["Green and black tea"]));
        let export = shop.get(&format!("{RUNS}/{id}/export?what=pages")).await.text();
        let head = export.lines().next().unwrap();
        assert!(head.ends_with("extracted,searches"), "{head}");
        assert!(export.contains("\"\"heading\"\":[\"\"Green and black tea\"\"]"), "{export}");
        let gone = all["pages"].as_array().unwrap().iter().find(|page| page["path"] == "/gone").unwrap();
        assert_eq!((&gone["extracted"], &gone["searches"]), (&json!({}), &json!([])));
    })
    .await;
}

#[tokio::test]
async fn a_schedule_audits_the_domain_by_itself() {
    on_each_engine(async |shop| {
        shop.patch_auditing(json!({ "frequency": "daily" })).await.assert_status(200);
        let next = shop.app.state.jobs.next_run(shop.domain.id.as_str(), "AuditDomain").await.unwrap();

        shop.app.state.audits.schedule.start_scheduled(&shop.domain.id).await.unwrap();
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
async fn a_scheduled_audit_renders_with_the_domains_credentials_and_tells_its_webhook() {
    on_each_engine(async |shop| {
        shop.web.set("/hook", "ok");
        let shell = "<!doctype html><html><head><title>Shop</title></head><body><div id=\"root\"></div>\
            <script src=\"/app.js\"></script></body></html>";
        shop.web.set("/tea", shell);
        let rendered = "<!doctype html><html><head><title>Tea from far away</title></head><body><h1>Tea</h1></body></html>";
        shop.app.renderer.answers_html("https://shop.example/tea", rendered);
        let change = json!({
            "frequency": "weekly", "javascript": true, "webhookUrl": "https://hook.example/hook",
            "headers": [{ "name": "x-staging", "value": "hunter2" }],
        });
        shop.patch_auditing(change).await.assert_status(200);

        shop.app.state.audits.schedule.start_scheduled(&shop.domain.id).await.unwrap();
        shop.run_jobs().await;

        let id = shop.get(RUNS).await.json()["runs"][0]["id"].as_str().unwrap().to_owned();
        let details = shop.details(&id, "").await;
        let run = &details["run"];
        assert_eq!((&run["trigger"], &run["frequency"]), (&json!("scheduled"), &json!("weekly")));
        assert_eq!((&run["status"], &run["closeReason"]), (&json!("success"), &json!("finished")));
        assert!(super::issues_of(&details, "/tea").contains(&"JS_TITLE_CHANGED"), "{details:#}");
        assert!(shop.app.renderer.requests().iter().all(|request| request.own_headers.is_some()));
        let told: Value = serde_json::from_str(&shop.web.body_of("/hook")).unwrap();
        assert_eq!((&told["run"]["id"], &told["run"]["trigger"]), (&json!(id), &json!("scheduled")));
        assert!(shop.web.asked_for("/hook")[0].get("x-staging").is_none());
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
        let at: i64 = headers[0][WEBHOOK_TIMESTAMP].to_str().unwrap().parse().unwrap();
        let body = shop.web.body_of("/hook");
        assert_eq!(headers[0][WEBHOOK_SIGNATURE], sign(secret, Timestamp::from_millis(at), &body));
        let event: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((&event["event"], &event["run"]["id"]), (&json!("audit.completed"), &json!(id)));
        assert_eq!(event["run"]["status"], "success");
        assert_eq!((&event["reasons"], &event["newErrors"]), (&json!(["completed"]), &json!(0)));
        shop.web.page("/tea", "Green and black tea", &["/", "/gone", "/lost"]);
        shop.audit(json!({})).await;
        let event: Value = serde_json::from_str(&shop.web.body_of("/hook")).unwrap();
        assert_eq!(event["reasons"], json!(["completed", "new_errors", "health_dropped"]), "{event:#}");
        // The missing page.
        assert_eq!(event["newErrors"], 1);
    })
    .await;
}

#[tokio::test]
async fn webhooks_of_the_account_are_told_how_a_run_ended_and_of_new_errors() {
    on_each_engine(async |shop| {
        let state = &shop.app.state;
        let names = ["audit.completed", "audit.new_errors"];
        let heard = HeardEvents::of(&state.platform, &state.jobs, &shop.domain.account_id, &names).await;

        shop.audit(json!({})).await;
        let first = heard.list().await;
        shop.web.page("/tea", "Green and black tea", &["/", "/gone", "/lost"]);
        shop.audit(json!({})).await;

        let told = |name: &str| (name.to_owned(), "shop.example".to_owned());
        assert_eq!(first, [told("audit.completed")]);
        let mut all = heard.list().await;
        all.sort();
        assert_eq!(all, [told("audit.completed"), told("audit.completed"), told("audit.new_errors")]);
    })
    .await;
}
