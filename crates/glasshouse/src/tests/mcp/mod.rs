//! Tools over HTTP: what the protocol answers, whom it refuses, and how.

mod pages;
mod protocol;
mod refusals;
mod roles;
mod settings;

use serde_json::{Value, json};

use crate::testing::*;
use domains::Domain;
use platform::plans::Plan;

const MCP: &str = "/api/mcp";
const PAGE: &str = "https://shop.example/a";

/// An agent with the key of an account that has a domain.
struct Agent {
    app: TestApp,
    account: TestAccount,
    domain: Domain,
}

impl Agent {
    async fn new() -> Agent {
        Agent::with("").await
    }

    async fn with(settings: &str) -> Agent {
        let app = TestApp::with(settings).await;
        let account = app.account("owner@shop.example", Plan::Enterprise).await;
        let domain = app.domain(&account, "shop.example").await;
        // Refused by the guard at once, without a look into DNS.
        app.set(&domain, |settings| settings.origin_host = "127.0.0.1:9".parse().ok()).await;
        Agent { app, account, domain }
    }

    /// Sends a message with a key.
    async fn send_as(&self, key: &str, method: &str, params: Value) -> Reply {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.app.post(MCP).header("authorization", &format!("Bearer {key}")).json(message).await
    }

    async fn send(&self, method: &str, params: Value) -> Value {
        let reply = self.send_as(&self.account.key, method, params).await;
        reply.assert_status(200);
        reply.json()
    }

    /// Calls a tool with a key and returns the result.
    async fn call_as(&self, key: &str, tool: &str, arguments: Value) -> Value {
        let reply = self.send_as(key, "tools/call", json!({ "name": tool, "arguments": arguments })).await;
        reply.assert_status(200);
        reply.json()["result"].clone()
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_as(&self.account.key, tool, arguments).await
    }

    /// Calls a tool and returns what it found.
    async fn result(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        assert!(text.len() <= 25_000);
        result["structuredContent"].clone()
    }

    /// Calls a tool that refuses, and returns the code and the sentence.
    async fn refusal(&self, tool: &str, arguments: Value) -> (String, String) {
        code_and_sentence(&self.call(tool, arguments).await)
    }
}

fn code_and_sentence(result: &Value) -> (String, String) {
    assert_eq!(result["isError"], true, "{result}");
    let (sentence, code) = result["content"][0]["text"].as_str().unwrap().rsplit_once(" (").unwrap();
    let code = code.trim_end_matches(')');
    assert_eq!(result["structuredContent"]["error"], code);
    assert_eq!(result["_meta"]["code"], code);
    (code.to_owned(), sentence.to_owned())
}
