//! People who see only some domains of their account, over all features.

use serde_json::json;

use crate::testing::*;
use platform::plans::Plan;

/// An account with two domains, and an editor who sees one of them.
struct Shared {
    app: TestApp,
    account: TestAccount,
    owner: TestSession,
    editor: TestSession,
}

impl Shared {
    async fn on(app: TestApp) -> Shared {
        let account = app.account("owner@shop.test", Plan::Enterprise).await;
        app.domain(&account, "seen.test").await;
        app.domain(&account, "hidden.test").await;
        let owner = app.sign_in(&account).await;
        let ada = json!({ "email": "ada@shop.test", "role": "editor", "domains": ["SEEN.test"] });
        let editor = app.person(&owner, ada).await;
        Shared { app, account, owner, editor }
    }
}

#[tokio::test]
async fn lists_leave_out_the_domains_that_a_person_does_not_see() {
    TestApp::on_each_engine(async |app| {
        let shared = Shared::on(app).await;
        let (app, editor) = (&shared.app, &shared.editor);
        for domain in ["seen.test", "hidden.test"] {
            let audit =
                json!({ "domain": domain, "urls": [format!("https://{domain}/")], "mode": "selected" });
            app.post("/api/seo-spider/runs").session(&shared.owner).json(audit).await.assert_status(200);
        }

        let seen = json!([{ "domain": "seen.test" }]);
        app.get("/api/session").session(editor).await.assert(200, json!({ "domains": ["seen.test"] }));
        app.get("/api/dashboard/domains").session(editor).await.assert(200, json!({ "domains": seen }));
        app.get("/api/dashboard/sites")
            .session(editor)
            .await
            .assert(200, json!({ "sites": seen, "total": 1 }));
        app.get("/api/dashboard/first-run")
            .session(editor)
            .await
            .assert(200, json!({ "account": { "domains": 1 } }));
        app.get("/api/seo-spider/runs").session(editor).await.assert(200, json!({ "runs": seen }));
        let hidden = app.get("/api/seo-spider/runs?domain=hidden.test").session(editor).await;
        hidden.assert(200, json!({ "runs": [] }));
    })
    .await;
}

#[tokio::test]
async fn the_rest_is_refused_as_another_accounts() {
    TestApp::on_each_engine(async |app| {
        let shared = Shared::on(app).await;
        let (app, editor) = (&shared.app, &shared.editor);
        let audit = json!({ "domain": "hidden.test", "urls": ["https://hidden.test/"], "mode": "selected" });
        let run = app.post("/api/seo-spider/runs").session(&shared.owner).json(audit).await.json();
        let run = format!("/api/seo-spider/runs/{}", run["runId"].as_str().unwrap());

        app.get("/api/dashboard/domains/seen.test").session(editor).await.assert_status(200);
        app.get("/api/dashboard/domains/hidden.test").session(editor).await.assert_error(404, "not_found");
        let overview = app.get("/api/dashboard/overview?domain=hidden.test").session(editor).await;
        overview.assert_error(403, "domain_not_owned");
        app.get(&run).session(editor).await.assert_error(404, "not_found");
        app.get(&run).session(&shared.owner).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_person_with_a_list_adds_and_removes_no_domain() {
    TestApp::on_each_engine(async |app| {
        let shared = Shared::on(app).await;
        let (app, editor) = (&shared.app, &shared.editor);

        let refused = json!({ "error": "role_forbidden", "requiredRole": "owner" });
        app.post("/api/dashboard/domains").session(editor).body("{").await.assert(403, refused.clone());
        app.delete("/api/dashboard/domains/seen.test").session(editor).await.assert(403, refused);
    })
    .await;
}

#[tokio::test]
async fn a_list_stays_a_list_when_its_domain_goes() {
    TestApp::on_each_engine(async |app| {
        let shared = Shared::on(app).await;
        let app = &shared.app;

        app.delete("/api/domains/seen.test").key(&shared.account.key).await.assert_status(200);

        app.get("/api/dashboard/domains").session(&shared.editor).await.assert(200, json!({ "domains": [] }));
        app.get("/api/session")
            .session(&shared.editor)
            .await
            .assert(200, json!({ "domains": ["seen.test"] }));
    })
    .await;
}

#[tokio::test]
async fn a_key_that_reads_renders_but_not_anew() {
    TestApp::on_each_engine(async |app| {
        let shared = Shared::on(app).await;
        let made =
            shared.app.post("/api/keys").session(&shared.owner).json(json!({ "access": "read" })).await;
        let key = made.json()["key"].as_str().unwrap().to_owned();
        let render = async |query: &str| {
            let path = format!("/api/prerender/render?url=https%3A%2F%2Fseen.test%2F{query}");
            shared.app.get(&path).key(&key).header("user-agent", GOOGLEBOT).await
        };

        render("").await.assert_status(200);
        render("&cache_invalidate=1").await.assert_error(403, "key_read_only");
    })
    .await;
}
