//! What holds for the whole API: its document, its refusals, its database.

use serde_json::{Value, json};
use store::testing::{postgres, schema_differences, sqlite};

use super::*;
use crate::accounts::Plan;
use crate::testing::TestApp;

/// One operation of the document.
struct Operation {
    method: http::Method,
    path: String,
    body: Value,
}

fn document() -> Value {
    let config = Config::from_toml("").unwrap();
    serde_json::to_value(openapi(&config)).unwrap()
}

fn operations(document: &Value) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, body) in item.as_object().unwrap() {
            let method = method.to_uppercase().parse().unwrap();
            found.push(Operation { method, path: path.clone(), body: body.clone() });
        }
    }
    found
}

impl Operation {
    fn accepts(&self, scheme: &str) -> bool {
        let schemes = self.body["security"].as_array();
        schemes.is_some_and(|schemes| schemes.iter().any(|wanted| wanted.get(scheme).is_some()))
    }

    /// The path with every parameter that names a domain, an address or a thing filled in.
    fn filled(&self, domain: &str, id: &str) -> String {
        let mut path = self.path.replace("{domain}", domain);
        while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
            path.replace_range(start..=end, id);
        }
        let parameters = self.body["parameters"].as_array().cloned().unwrap_or_default();
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query") {
            match parameter["name"].as_str().unwrap() {
                "domain" => query.append_pair("domain", domain),
                "url" => query.append_pair("url", &format!("https://{domain}/")),
                _ => continue,
            };
        }
        let query = query.finish();
        if query.is_empty() { path } else { format!("{path}?{query}") }
    }

    fn names_a_domain(&self) -> bool {
        let parameters = self.body["parameters"].as_array().cloned().unwrap_or_default();
        parameters.iter().any(|parameter| parameter["name"] == "domain" || parameter["name"] == "url")
    }

    fn names_something(&self) -> bool {
        self.path.contains('{') || self.names_a_domain()
    }
}

#[test]
fn the_document_is_as_it_was_reviewed() {
    insta::assert_json_snapshot!("openapi", document());
}

#[test]
fn every_operation_says_who_may_call_and_how_it_refuses() {
    for operation in operations(&document()) {
        let name = format!("{} {}", operation.method, operation.path);
        assert!(
            operation.body.get("security").is_some() || operation.path == "/api/session",
            "{name}: security"
        );
        assert!(operation.body["operationId"].is_string(), "{name}: operationId");
        assert!(operation.body["summary"].as_str().is_some_and(|text| !text.is_empty()), "{name}: summary");
        if operation.accepts("apiKey") || operation.accepts("session") {
            for status in ["401", "429", "500", "503"] {
                assert!(operation.body["responses"].get(status).is_some(), "{name}: {status}");
            }
        }
        if operation.body.get("requestBody").is_some() {
            for status in ["400", "413", "415"] {
                assert!(operation.body["responses"].get(status).is_some(), "{name}: {status}");
            }
        }
    }
}

#[tokio::test]
async fn every_operation_refuses_a_missing_and_an_unknown_key() {
    let app = TestApp::new().await;
    let unknown = crate::accounts::keys::NewKey::generate(crate::accounts::keys::KeyKind::Live);

    for operation in operations(&document()) {
        if !operation.accepts("apiKey") && !operation.accepts("session") {
            continue;
        }
        let path = operation.filled("shop.test", "x");
        for reply in [
            app.request(operation.method.clone(), &path).await,
            app.request(operation.method.clone(), &path).key(unknown.reveal()).await,
            app.request(operation.method.clone(), &path).key("gh_live_nonsense").await,
        ] {
            assert_eq!(reply.status, 401, "{} {path}", operation.method);
            reply.assert_error(401, "invalid_api_key");
        }
    }
}

#[tokio::test]
async fn every_operation_refuses_the_key_of_another_account() {
    TestApp::on_each_engine(async |app| {
        let owner = app.account("owner@shop.test", Plan::Enterprise).await;
        let stranger = app.account("stranger@shop.test", Plan::Enterprise).await;
        app.domain(&owner, "shop.test").await;
        let keys = app.get("/api/keys").key(&owner.key).await.json();
        let id = keys["keys"][0]["id"].as_str().unwrap().to_owned();

        for operation in
            operations(&document()).into_iter().filter(|o| o.accepts("apiKey") && o.names_something())
        {
            let path = operation.filled("shop.test", &id);
            let reply = app.request(operation.method.clone(), &path).key(&stranger.key).json(json!({})).await;

            let refused = matches!(reply.status.as_u16(), 403 | 404);
            assert!(refused, "{} {path}: {} {}", operation.method, reply.status, reply.text());
        }
    })
    .await;
}

#[tokio::test]
async fn every_operation_refuses_a_key_for_another_domain() {
    let app = TestApp::new().await;
    let owner = app.account("owner@shop.test", Plan::Enterprise).await;
    app.domain(&owner, "shop.test").await;
    let scoped = app.key(&owner.id, Some("other.test")).await;

    for operation in
        operations(&document()).into_iter().filter(|o| o.accepts("apiKey") && o.names_something())
    {
        let path = operation.filled("shop.test", "x");
        let reply = app.request(operation.method.clone(), &path).key(&scoped).json(json!({})).await;

        if reply.status == 404 && !operation.names_a_domain() {
            // A thing by its id: whether it is unknown or another domain's is not told.
            continue;
        }
        reply.assert_status(403);
        let code = reply.json()["error"].as_str().unwrap().to_owned();
        assert!(
            matches!(code.as_str(), "api_key_domain_scope_mismatch" | "requires_unscoped_key"),
            "{path}: {code}"
        );
    }
}

#[tokio::test]
async fn both_databases_get_the_same_tables() {
    let (sqlite, postgres) = (sqlite().await, postgres().await);

    sqlite.migrate(&MIGRATIONS_SQLITE, &MIGRATIONS_POSTGRES).await.unwrap();
    postgres.migrate(&MIGRATIONS_SQLITE, &MIGRATIONS_POSTGRES).await.unwrap();

    assert_eq!(schema_differences(&sqlite, &postgres).await.unwrap(), Vec::<String>::new());
}
