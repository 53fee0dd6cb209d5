//! Rules of the whole API: its document, its refusals, its database.

use serde_json::{Value, json};
use store::testing::{postgres, schema_differences, sqlite};

use super::*;
use crate::testing::*;
use platform::MIGRATIONS;
use platform::api::access::PersonRole;
use platform::plans::Plan;

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

    /// Fills in every parameter of the path that names a domain, an address or a record.
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
                "with" => query.append_pair("with", id),
                "id" => query.append_pair("id", "snapshots_stale"),
                "path" if self.path.ends_with("/views") => query.append_pair("path", "/"),
                "what" if self.path.contains("/ai-mentions/") => query.append_pair("what", "runs"),
                "what" => query.append_pair("what", "pages"),
                _ => continue,
            };
        }
        let query = query.finish();
        if query.is_empty() { path } else { format!("{path}?{query}") }
    }

    /// Returns the smallest well-formed body, so that the refusal concerns the caller and not the body.
    fn smallest_body(&self, domain: &str) -> Value {
        // One operation names a crawler by this field, another one a type of client.
        let client = if self.path.ends_with("/verify") { "googlebot" } else { "crawler" };
        let mode = if self.path.ends_with("/crawler-policy") { "off" } else { "follow" };
        json!({
            "domain": domain, "path": "/", "paths": ["/"], "urls": [format!("https://{domain}/")], "mode": mode,
            "action": "delete", "id": "snapshots_stale", "prompts": [], "name": "Shop", "terms": [],
            "url": format!("https://{domain}/"), "as": client, "patterns": "/a", "files": [],
        })
    }

    fn names_a_domain(&self) -> bool {
        let has_body = self.body["requestBody"].is_object();
        let in_body = [
            "/api/seo-spider/runs",
            "/api/ai-mentions/prompts",
            "/api/ai-mentions/prompts/import",
            "/api/ai-mentions/suggestions",
            "/api/dashboard/dismissed",
            "/api/dashboard/views",
        ];
        if has_body && (self.path.contains("/cache/") || in_body.contains(&self.path.as_str())) {
            return true;
        }
        let parameters = self.body["parameters"].as_array().cloned().unwrap_or_default();
        parameters.iter().any(|parameter| parameter["name"] == "domain" || parameter["name"] == "url")
    }

    /// Returns true for a list of the caller's own records, which is empty for others and has its own test.
    fn is_empty_for_others(&self) -> bool {
        self.method == http::Method::GET && self.path == "/api/seo-spider/runs"
    }

    /// Returns the lowest role that may: owners manage people and keys, viewers see neither those nor money and change what concerns only
    /// themselves.
    fn lowest_role(&self) -> PersonRole {
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| self.path.starts_with(prefix));
        let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| self.path.ends_with(suffix));
        if begins(&["/api/people", "/api/keys"]) {
            return PersonRole::Owner;
        }
        let is_own = begins(&["/api/session", "/api/dashboard/password"]);
        let tries_out = ends(&["/mcp", "/views", "/verify", "/test-rules", "/test-patterns", "/suggestions"]);
        let reads = self.method == http::Method::GET && !self.path.ends_with("/ai-mentions/costs");
        if is_own || tries_out || reads { PersonRole::Viewer } else { PersonRole::Editor }
    }

    /// Returns true when a key that only reads may: it reads, and tries out like a viewer.
    fn may_read_with_a_key(&self) -> bool {
        self.method == http::Method::GET || self.lowest_role() == PersonRole::Viewer
    }

    fn names_something(&self) -> bool {
        self.path.contains('{') || self.names_a_domain()
    }
}

#[test]
fn every_operation_says_who_may_call_and_how_it_refuses() {
    for operation in operations(&document()) {
        let name = format!("{} {}", operation.method, operation.path);
        assert!(operation.body.get("security").is_some(), "{name}: security");
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

/// Credential of a caller who may not call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Intruder {
    Nobody,
    UnknownKey,
    /// A key where only sessions are accepted, or a session where only keys are.
    OtherCredential,
    /// A key of another account, or its session where no keys are accepted.
    Foreign,
    /// A key that is restricted to another domain of the account.
    OtherScope,
    SessionWithoutToken,
    /// The owner, whose subscription has ended.
    Inactive,
    /// A key that only reads.
    ReadingKey,
    /// A person who sees another domain of the account only.
    Unseeing,
    /// A person of the account with a role below the operation's.
    Role(PersonRole),
    /// A person whose password was right and whose code is missing.
    SecondFactorPending,
}

const INTRUDERS: [Intruder; 12] = [
    Intruder::Nobody,
    Intruder::UnknownKey,
    Intruder::OtherCredential,
    Intruder::Foreign,
    Intruder::OtherScope,
    Intruder::SessionWithoutToken,
    Intruder::Inactive,
    Intruder::ReadingKey,
    Intruder::Unseeing,
    Intruder::Role(PersonRole::Viewer),
    Intruder::Role(PersonRole::Editor),
    Intruder::SecondFactorPending,
];

/// Accounts, keys and sessions of the matrix.
struct Cast {
    app: TestApp,
    owner_key: String,
    owner_session: TestSession,
    foreign_key: String,
    foreign_session: TestSession,
    scoped_key: String,
    key_id: String,
    inactive: (String, TestSession),
    reading_key: String,
    unseeing: TestSession,
    viewer: TestSession,
    editor: TestSession,
    /// Cookie of the reply to a right password without a code.
    pending: String,
}

impl Cast {
    async fn on(app: TestApp) -> Cast {
        let owner = app.account("owner@shop.test", Plan::Enterprise).await;
        let stranger = app.account("stranger@shop.test", Plan::Enterprise).await;
        let ended = app.account("ended@shop.test", Plan::Enterprise).await;
        app.domain(&owner, "shop.test").await;
        app.domain(&ended, "ended.test").await;
        let scoped_key = app.key(&owner.id, Some("other.test")).await;
        let keys = app.get("/api/keys").key(&owner.key).await.json();
        let key_id = keys["keys"][0]["id"].as_str().unwrap().to_owned();
        let inactive = (ended.key.clone(), app.sign_in(&ended).await);
        app.deactivate(&ended).await;
        app.domain(&owner, "seen.test").await;
        let owner_session = app.sign_in(&owner).await;
        let person = async |email: &str, role: &str, domains: Value| {
            app.person(&owner_session, json!({ "email": email, "role": role, "domains": domains })).await
        };
        let reading_key =
            app.post("/api/keys").session(&owner_session).json(json!({ "access": "read" })).await.json();
        Cast {
            unseeing: person("unseeing@shop.test", "editor", json!(["seen.test"])).await,
            viewer: person("viewer@shop.test", "viewer", json!(null)).await,
            editor: person("editor@shop.test", "editor", json!(null)).await,
            pending: pending(&app, &person("guarded@shop.test", "owner", json!(null)).await).await,
            reading_key: reading_key["key"].as_str().unwrap().to_owned(),
            owner_session,
            foreign_session: app.sign_in(&stranger).await,
            owner_key: owner.key,
            foreign_key: stranger.key,
            scoped_key,
            key_id,
            inactive,
            app,
        }
    }

    /// Returns the answer to an intruder. None when the operation has no such intruder.
    async fn try_as(&self, intruder: Intruder, operation: &Operation) -> Option<(u16, String)> {
        let takes = |scheme| operation.accepts(scheme);
        let domain = if intruder == Intruder::Inactive { "ended.test" } else { "shop.test" };
        let path = operation.filled(domain, &self.key_id);
        let request = self.app.request(operation.method.clone(), &path);
        let request = match intruder {
            Intruder::Nobody => request,
            Intruder::UnknownKey => {
                request.key(accounts::keys::NewKey::generate(accounts::keys::KeyKind::Live).reveal())
            }
            Intruder::OtherCredential if takes("apiKey") && takes("session") => return None,
            Intruder::OtherCredential if takes("session") => request.key(&self.owner_key),
            Intruder::OtherCredential => request.session(&self.owner_session),
            Intruder::Foreign | Intruder::OtherScope if operation.is_empty_for_others() => return None,
            Intruder::Foreign if !operation.names_something() => return None,
            Intruder::Foreign if takes("apiKey") => request.key(&self.foreign_key),
            Intruder::Foreign => request.session(&self.foreign_session),
            Intruder::OtherScope if !takes("apiKey") || !operation.names_something() => return None,
            Intruder::OtherScope => request.key(&self.scoped_key),
            Intruder::SessionWithoutToken if !takes("session") || operation.method == http::Method::GET => {
                return None;
            }
            Intruder::SessionWithoutToken => request.header("cookie", &self.owner_session.cookie),
            Intruder::Inactive if operation.body["responses"].get("402").is_none() => return None,
            Intruder::Inactive if takes("apiKey") => request.key(&self.inactive.0),
            Intruder::Inactive => request.session(&self.inactive.1),
            Intruder::ReadingKey if !takes("apiKey") || operation.may_read_with_a_key() => return None,
            Intruder::ReadingKey => request.key(&self.reading_key),
            Intruder::Unseeing if operation.is_empty_for_others() => return None,
            Intruder::Unseeing if !takes("session") || !operation.names_something() => return None,
            Intruder::Unseeing => request.session(&self.unseeing),
            Intruder::Role(role) if !takes("session") || role >= operation.lowest_role() => return None,
            Intruder::Role(PersonRole::Viewer) => request.session(&self.viewer),
            Intruder::Role(_) => request.session(&self.editor),
            Intruder::SecondFactorPending if !takes("session") => return None,
            Intruder::SecondFactorPending => request.header("cookie", &self.pending),
        };
        let reply = request.json(operation.smallest_body(domain)).await;
        let code = reply.json()["error"].as_str().unwrap_or_default().to_owned();
        Some((reply.status.as_u16(), code))
    }
}

/// Turns the second factor of a person on, and returns what a sign-in without a code gives.
async fn pending(app: &TestApp, session: &TestSession) -> String {
    let totp = |method| app.request(method, "/api/session/totp").session(session);
    let setup = totp(http::Method::POST).json(json!({ "password": PASSWORD })).await.json();
    let code = accounts::people::code_at(setup["secret"].as_str().unwrap(), app.clock.now());
    totp(http::Method::PUT).json(json!({ "code": code })).await.assert_status(200);
    let sign_in = json!({ "email": "guarded@shop.test", "password": PASSWORD });
    let reply = app.post("/api/session").json(sign_in).await;
    reply.assert_error(401, "totp_required");
    reply.header("set-cookie").to_owned()
}

/// Decides whether an operation may give an intruder this answer.
fn is_refusal(intruder: Intruder, (status, code): (u16, &str), operation: &Operation) -> bool {
    match intruder {
        Intruder::Nobody
        | Intruder::UnknownKey
        | Intruder::OtherCredential
        | Intruder::SecondFactorPending => (status, code) == (401, "invalid_api_key"),
        Intruder::ReadingKey => (status, code) == (403, "key_read_only"),
        Intruder::Role(_) => (status, code) == (403, "role_forbidden"),
        Intruder::Unseeing => {
            matches!((status, code), (403, "domain_not_owned" | "role_forbidden") | (404, "not_found"))
        }
        Intruder::Foreign => matches!((status, code), (403, "domain_not_owned") | (404, "not_found")),
        Intruder::OtherScope => match (status, code) {
            (403, "api_key_domain_scope_mismatch" | "requires_unscoped_key") => true,
            // A record by its id: the answer does not reveal whether it is unknown or another domain's.
            (404, "not_found") => !operation.names_a_domain(),
            _ => false,
        },
        Intruder::SessionWithoutToken => (status, code) == (403, "csrf_token_missing"),
        Intruder::Inactive => (status, code) == (402, "subscription_required"),
    }
}

#[tokio::test]
async fn the_document_has_every_operation_that_is_served() {
    let app = TestApp::new().await;
    let served = serde_json::to_value(app.state.routes().into_openapi()).unwrap();

    assert_eq!(operations(&served).len(), operations(&document()).len());
    assert_eq!(served["paths"], document()["paths"]);
}

#[tokio::test]
async fn every_operation_refuses_every_intruder() {
    TestApp::on_each_engine(async |app| {
        let cast = Cast::on(app).await;
        let mut tried = Vec::new();
        for operation in operations(&document()) {
            if !operation.accepts("apiKey") && !operation.accepts("session") {
                continue;
            }
            for intruder in INTRUDERS {
                let Some((status, code)) = cast.try_as(intruder, &operation).await else { continue };
                tried.push(intruder);
                assert!(
                    is_refusal(intruder, (status, &code), &operation),
                    "{} {} as {intruder:?}: {status} {code}",
                    operation.method,
                    operation.path
                );
                // The limits have their own tests.
                cast.app.clock.advance(std::time::Duration::from_secs(61));
            }
        }
        for intruder in INTRUDERS {
            assert!(tried.contains(&intruder), "{intruder:?} is met by no operation");
        }
    })
    .await;
}

#[tokio::test]
async fn every_operation_lets_the_lowest_role_in() {
    let cast = Cast::on(TestApp::new().await).await;
    for operation in operations(&document()) {
        // Signing out would end the session of the test.
        let signs_out = operation.method == http::Method::DELETE && operation.path == "/api/session";
        if !operation.accepts("session") || signs_out {
            continue;
        }
        let session = match operation.lowest_role() {
            PersonRole::Viewer => &cast.viewer,
            PersonRole::Editor => &cast.editor,
            PersonRole::Owner => &cast.owner_session,
        };
        // A domain that nobody has: nothing is done.
        let path = operation.filled("nobodys.test", "nothing");
        let request = cast.app.request(operation.method.clone(), &path).session(session);

        let reply = request.json(operation.smallest_body("nobodys.test")).await;

        let code = serde_json::from_slice::<Value>(&reply.body).unwrap_or_default()["error"].clone();
        assert_ne!(code, "role_forbidden", "{} {}", operation.method, operation.path);
        assert_ne!(reply.status, 401, "{} {}", operation.method, operation.path);
        cast.app.clock.advance(std::time::Duration::from_secs(61));
    }
}

#[tokio::test]
async fn every_write_with_a_key_has_a_rate() {
    let cast = Cast::on(TestApp::new().await).await;
    for operation in operations(&document()) {
        if operation.method == http::Method::GET || !operation.accepts("apiKey") {
            continue;
        }
        let path = operation.filled("shop.test", &cast.key_id);
        let request = cast.app.request(operation.method.clone(), &path).key(&cast.foreign_key);

        let reply = request.json(operation.smallest_body("shop.test")).await;

        assert_ne!(reply.header("ratelimit-policy"), "", "{} {}", operation.method, operation.path);
        cast.app.clock.advance(std::time::Duration::from_secs(61));
    }
}

#[tokio::test]
async fn both_databases_get_the_same_tables() {
    let (sqlite, postgres) = (sqlite().await, postgres().await);

    sqlite.migrate(&MIGRATIONS).await.unwrap();
    postgres.migrate(&MIGRATIONS).await.unwrap();

    assert_eq!(schema_differences(&sqlite, &postgres).await.unwrap(), Vec::<String>::new());
}
