//! Refusals of reading, and that nobody reads another account's answers.

use super::*;
use ::domains::service::Lock;

const OPERATIONS: [(&str, &str); 6] = [
    ("prompt-stats", ""),
    ("trend", ""),
    ("sources", "by=page"),
    ("queries", ""),
    ("suggestions", ""),
    ("export", "what=runs"),
];

#[tokio::test]
async fn answers_of_another_account_are_nobodys_else() {
    TestApp::on_each_engine(async |app| {
        let mut monitored = Monitored::begin(&app, "a@x.example", OWN_DOMAIN).await;
        let prompt = monitored.prompt(&app, "best docs tool", |_| {}).await;
        monitored.answer(&app, &prompt, &Given::on(today(), Provider::Chatgpt, &[OWN], &["g2.com"])).await;
        let other = Monitored::begin(&app, "b@x.example", "other.example").await;
        let scoped = app.key(&monitored.account.id, Some("third.example")).await;

        for (operation, query) in OPERATIONS {
            let path = format!("/api/ai-mentions/{operation}?domain={OWN_DOMAIN}&{query}");
            app.get(&path).key(&other.account.key).await.assert_error(403, "domain_not_owned");
            app.get(&path).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
            app.get(&path).await.assert_error(401, "invalid_api_key");
            assert!(!other.get(&app, operation, query).await.text().contains("g2.com"), "{operation}");
        }
        other
            .get(&app, "prompt-stats", "")
            .await
            .assert(200, json!({ "prompts": [], "summary": { "totalResponses": 0 } }));
    })
    .await;
}

#[tokio::test]
async fn a_key_needs_pro_and_a_session_does_not() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("a@x.example", Plan::Essential).await;
        app.domain(&account, OWN_DOMAIN).await;
        let session = app.sign_in(&account).await;

        for (operation, query) in OPERATIONS {
            let path = format!("/api/ai-mentions/{operation}?domain={OWN_DOMAIN}&{query}");
            let refused = app.get(&path).key(&account.key).await;
            refused.assert(403, json!({ "error": "plan_required", "requiredPlan": "agency" }));
            app.get(&path).session(&session).await.assert_status(200);
        }
    })
    .await;
}

#[tokio::test]
async fn a_suspended_domain_and_an_inactive_account_are_read() {
    TestApp::on_each_engine(async |app| {
        let monitored = Monitored::begin(&app, "a@x.example", OWN_DOMAIN).await;
        app.state.domains.set_suspended(OWN_DOMAIN, Lock::On).await.unwrap();
        app.deactivate(&monitored.account).await;

        for (operation, query) in OPERATIONS {
            monitored.get(&app, operation, query).await.assert_status(200);
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_malformed_is_refused() {
    TestApp::on_each_engine(async |app| {
        let monitored = Monitored::begin(&app, "a@x.example", OWN_DOMAIN).await;

        for (operation, query) in [
            ("prompt-stats", "from=2026-13-01"),
            ("prompt-stats", "from=2026-11-20&to=2026-11-19"),
            ("prompt-stats", "provider=copilot"),
            ("prompt-stats", "intent=buy"),
            ("prompt-stats", "branded=yes"),
            ("trend", "from=2001-01-01"),
            ("trend", "to=9999-12-31"),
            ("sources", "by=site"),
            ("sources", "limit=0"),
            ("sources", "limit=501"),
            ("queries", "offset=-1"),
            ("suggestions", "limit=501"),
            ("export", "what=pages"),
            ("export", "what=runs&format=xml"),
            ("export", ""),
        ] {
            let reply = monitored.get(&app, operation, query).await;
            assert_eq!(
                (reply.status.as_u16(), &reply.json()["error"]),
                (400, &json!("invalid_request")),
                "{operation}?{query}"
            );
        }
        let missing = app.get("/api/ai-mentions/prompt-stats").key(&monitored.account.key).await;
        missing.assert_error(400, "invalid_request");
        let many: Vec<String> = (0..5001).map(|at| format!("term {at}")).collect();
        for terms in [json!(many), json!(["x".repeat(2001)]), json!("term")] {
            let body = json!({ "domain": OWN_DOMAIN, "terms": terms });
            let reply = app.post("/api/ai-mentions/suggestions").key(&monitored.account.key).json(body).await;
            reply.assert_error(400, "invalid_request");
        }
    })
    .await;
}
