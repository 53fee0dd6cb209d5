//! Access to the operations on domains, and the order of refusals.

use http::Method;
use serde_json::{Value, json};

use super::*;
use crate::service::Lock;
use crate::testing::*;

/// Operation: its method, its path below `/api/domains`, and a valid body.
type Operation = (Method, &'static str, Option<Value>);

/// Returns the operations in the order of the columns of the table below.
fn operations() -> [Operation; 7] {
    [
        (Method::GET, "", None),
        (Method::POST, "", Some(json!({ "domain": "new.example" }))),
        (Method::GET, "/shop.example", None),
        (Method::POST, "/shop.example/check", None),
        (Method::PATCH, "/shop.example/settings", Some(json!({}))),
        (Method::PATCH, "/shop.example/sitemap", Some(json!({ "sitemapUrl": "" }))),
        // Last, because it removes the domain.
        (Method::DELETE, "/shop.example", None),
    ]
}

/// Credentials of a request.
#[derive(Clone, Copy)]
enum Shown<'a> {
    Nothing,
    Key(&'a str),
    Bearer(&'a str),
    Session(&'a TestSession),
    SessionWithoutToken(&'a TestSession),
    SessionBesideKey(&'a TestSession, &'a str),
}

async fn call(app: &TestApp, base: &str, shown: Shown<'_>, (method, path, body): Operation) -> Reply {
    let request = app.request(method, &format!("{base}{path}"));
    let request = match shown {
        Shown::Nothing => request,
        Shown::Key(key) => request.key(key),
        Shown::Bearer(key) => request.header("authorization", &format!("Bearer {key}")),
        Shown::Session(session) => request.session(session),
        Shown::SessionWithoutToken(session) => request.header("cookie", &session.cookie),
        Shown::SessionBesideKey(session, key) => {
            request.session(session).key(key).header("authorization", &format!("Bearer {key}"))
        }
    };
    match body {
        Some(body) => request.json(body).await,
        None => request.await,
    }
}

/// Returns the status of each operation and, for a refusal, its code.
async fn outcomes(app: &TestApp, base: &str, shown: Shown<'_>) -> Vec<String> {
    let mut outcomes = Vec::new();
    for operation in operations() {
        let reply = call(app, base, shown, operation).await;
        let code = reply.json()["error"].as_str().map(|code| format!(" {code}")).unwrap_or_default();
        outcomes.push(format!("{}{code}", reply.status.as_u16()));
    }
    outcomes
}

#[tokio::test]
async fn every_operation_is_open_to_whom_the_table_says() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("owner@shop.example", Plan::Business).await;
        let agency = app.account("agency@shop.example", Plan::Agency).await;
        let stranger = app.account("stranger@shop.example", Plan::Enterprise).await;
        let (own, other) =
            (app.key(&owner.id, Some("shop.example")).await, app.key(&owner.id, Some("other.example")).await);
        let session = app.sign_in(&owner).await;
        let stranger_session = app.sign_in(&stranger).await;
        let all = |outcome: &str| vec![outcome.to_owned(); 7];
        let row = |outcomes: [&str; 7]| outcomes.map(str::to_owned).to_vec();
        const UNSCOPED: &str = "403 requires_unscoped_key";
        const SCOPE: &str = "403 api_key_domain_scope_mismatch";
        const GONE: &str = "404 not_found";
        const CSRF: &str = "403 csrf_token_missing";
        let done = row(["200", "201", "200", "200", "200", "200", "200"]);
        let by_other_key = row([UNSCOPED, UNSCOPED, SCOPE, SCOPE, SCOPE, SCOPE, UNSCOPED]);
        let by_own_key = row([UNSCOPED, UNSCOPED, "200", "200", "200", "200", UNSCOPED]);
        let by_stranger = row(["200", "201", GONE, GONE, GONE, GONE, GONE]);

        let by_key = [
            (Shown::Nothing, all("401 invalid_api_key")),
            (Shown::Session(&session), all("401 invalid_api_key")),
            (Shown::Key(&agency.key), all("403 plan_required")),
            (Shown::Key(&other), by_other_key),
            (Shown::Key(&own), by_own_key),
            (Shown::Key(&stranger.key), by_stranger.clone()),
            (Shown::Key(&owner.key), done.clone()),
            (Shown::Bearer(&owner.key), done.clone()),
        ];
        let in_dashboard = [
            (Shown::Nothing, all("401 invalid_api_key")),
            (Shown::SessionWithoutToken(&session), row(["200", CSRF, "200", CSRF, CSRF, CSRF, CSRF])),
            (Shown::Key(&owner.key), all("401 invalid_api_key")),
            (Shown::Bearer(&owner.key), all("401 invalid_api_key")),
            (Shown::Session(&stranger_session), by_stranger),
            (Shown::SessionBesideKey(&session, &stranger.key), done.clone()),
            (Shown::Session(&session), done),
        ];
        for (base, table) in [(DOMAINS, by_key.to_vec()), ("/api/dashboard/domains", in_dashboard.to_vec())] {
            for (at, (shown, expected)) in table.into_iter().enumerate() {
                for domain in app.state.domains.list(None).await.unwrap() {
                    app.state.domains.remove(&domain).await.unwrap();
                }
                app.domain(&owner, "shop.example").await;
                app.clock.advance(std::time::Duration::from_secs(60));

                assert_eq!(outcomes(&app, base, shown).await, expected, "{base}, row {at}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_first_refusal_in_the_documented_order_answers() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&owner, "shop.example").await;
        app.state.domains.set_suspended("shop.example", Lock::On).await.unwrap();
        let (own, other) =
            (app.key(&owner.id, Some("shop.example")).await, app.key(&owner.id, Some("other.example")).await);
        let settings = async |key: &str, body: &str| app.patch(SETTINGS).key(key).body(body.to_owned()).await;
        app.deactivate(&owner).await;

        settings("gh_live_nonsense", "{").await.assert_error(401, "invalid_api_key");
        settings(&other, "{").await.assert_error(402, "subscription_required");
        app.delete(SHOP).key(&other).await.assert_error(402, "subscription_required");
        app.state.accounts.set_active(&owner.email, true).await.unwrap();
        settings(&other, "{")
            .await
            .assert(403, json!({ "error": "plan_required", "requiredPlan": "business" }));
        app.post(DOMAINS).key(&other).body("{").await.assert_error(403, "plan_required");
        app.state.accounts.set_plan(&owner.email, Plan::Business).await.unwrap();
        app.post(DOMAINS).key(&other).body("{").await.assert_error(403, "requires_unscoped_key");
        settings(&other, "{").await.assert_error(400, "validation_error");
        settings(&other, "{}").await.assert_error(403, "api_key_domain_scope_mismatch");
        app.get("/api/domains/no%20name")
            .key(&other)
            .await
            .assert_error(403, "api_key_domain_scope_mismatch");
        app.get("/api/domains/no%20name").key(&owner.key).await.assert_error(404, "not_found");
        app.patch("/api/domains/nobodys.example/settings")
            .key(&owner.key)
            .json(json!({ "originHost": "" }))
            .await
            .assert_error(404, "not_found");
        settings(&own, r#"{"originHost": ""}"#).await.assert_error(403, "domain_suspended");
    })
    .await;
}

#[tokio::test]
async fn the_sitemap_refuses_in_the_same_order() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&owner, "shop.example").await;
        app.state.domains.set_suspended("shop.example", Lock::On).await.unwrap();
        let other = app.key(&owner.id, Some("other.example")).await;
        let sitemap = async |key: &str, body: &str| app.patch(SITEMAP).key(key).body(body.to_owned()).await;
        app.deactivate(&owner).await;

        sitemap("gh_live_nonsense", "{").await.assert_error(401, "invalid_api_key");
        sitemap(&other, "{").await.assert_error(402, "subscription_required");
        app.state.accounts.set_active(&owner.email, true).await.unwrap();
        sitemap(&other, "{").await.assert_error(403, "plan_required");
        app.state.accounts.set_plan(&owner.email, Plan::Business).await.unwrap();
        sitemap(&other, r#"{"sitemapUrl": "nonsense"}"#).await.assert_error(400, "validation_error");
        sitemap(&other, "").await.assert_error(403, "api_key_domain_scope_mismatch");
        app.patch("/api/domains/nobodys.example/sitemap")
            .key(&owner.key)
            .await
            .assert_error(404, "not_found");
        sitemap(&owner.key, "").await.assert_error(403, "domain_suspended");
    })
    .await;
}

#[tokio::test]
async fn an_inactive_account_reads_and_changes_nothing() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("owner@shop.example", Plan::Business).await;
        app.domain(&owner, "shop.example").await;
        let session = app.sign_in(&owner).await;
        app.deactivate(&owner).await;

        for (base, shown) in
            [(DOMAINS, Shown::Key(&owner.key)), ("/api/dashboard/domains", Shown::Session(&session))]
        {
            let paid = "402 subscription_required";
            assert_eq!(
                outcomes(&app, base, shown).await,
                ["200", paid, "200", paid, paid, paid, paid],
                "{base}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_suspended_domain_is_read_and_removed_and_not_changed() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("owner@shop.example", Plan::Business).await;
        app.domain(&owner, "shop.example").await;
        app.state.domains.set_suspended("shop.example", Lock::On).await.unwrap();

        let outcomes = outcomes(&app, DOMAINS, Shown::Key(&owner.key)).await;

        let locked = "403 domain_suspended";
        assert_eq!(outcomes, ["200", "201", "200", locked, locked, locked, "200"]);
    })
    .await;
}
