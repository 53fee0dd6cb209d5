//! The transport: messages, methods, credentials, origins, limits; and what is listed.

use http::Method;
use serde_json::{Value, json};

use super::{Agent, MCP};
use crate::testing::*;

const NAMES: [&str; 20] = [
    "list_domains",
    "add_domain",
    "check_domain",
    "get_page_as_crawler",
    "render_page",
    "compare_views",
    "list_snapshots",
    "refresh_pages",
    "start_audit",
    "get_audit",
    "list_issues",
    "get_audited_page",
    "crawler_visits",
    "page_insights",
    "ai_visibility",
    "ai_answers",
    "ask_assistants",
    "verify_site",
    "domain_settings",
    "update_domain_settings",
];

#[tokio::test]
async fn all_tools_are_listed_without_a_handshake_whoever_asks() {
    let agent = Agent::new().await;
    agent.app.deactivate(&agent.account).await;

    let listed = agent.send("tools/list", json!({})).await;

    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, NAMES);
}

#[tokio::test]
async fn every_tool_has_schemas_of_its_arguments_and_of_its_answer() {
    let agent = Agent::new().await;

    let listed = agent.send("tools/list", json!({})).await;

    for tool in listed["result"]["tools"].as_array().unwrap() {
        let arguments = &tool["inputSchema"];
        assert_eq!(arguments["additionalProperties"], false);
        for (name, schema) in arguments["properties"].as_object().unwrap() {
            assert!(schema.as_object().is_some_and(|schema| !schema.is_empty()), "{}: {name}", tool["name"]);
            assert!(schema.get("description").is_none_or(Value::is_string), "{}: {name}", tool["name"]);
        }
        for name in arguments["required"].as_array().unwrap() {
            assert!(arguments["properties"].get(name.as_str().unwrap()).is_some());
        }
        assert!(tool["outputSchema"]["properties"].as_object().unwrap().len() > 1, "{}", tool["name"]);
        assert!(!tool.to_string().contains("$ref"), "{}", tool["name"]);
    }
}

#[tokio::test]
async fn tools_that_only_read_and_tools_that_cost_are_marked() {
    let agent = Agent::new().await;

    let listed = agent.send("tools/list", json!({})).await;

    let marked = |is_wanted: &dyn Fn(&Value) -> bool| {
        let tools = listed["result"]["tools"].as_array().unwrap().iter().filter(|tool| is_wanted(tool));
        tools.map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>()
    };
    let changing = marked(&|tool| tool["annotations"]["readOnlyHint"] == false);
    assert_eq!(
        changing,
        [
            "add_domain",
            "check_domain",
            "render_page",
            "compare_views",
            "refresh_pages",
            "start_audit",
            "ask_assistants",
            "update_domain_settings"
        ]
    );
    let renders = marked(&|tool| tool["_meta"]["cost"] == "render");
    assert_eq!(renders, ["render_page", "compare_views", "refresh_pages", "start_audit"]);
    assert_eq!(marked(&|tool| tool["_meta"]["cost"] == "money"), ["ask_assistants"]);
}

#[tokio::test]
async fn a_handshake_of_any_revision_makes_no_session() {
    let agent = Agent::new().await;
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });

        let reply = agent.send_as(&agent.account.key, "initialize", params).await;

        reply.assert(
            200,
            json!({ "result": { "protocolVersion": revision, "serverInfo": { "name": "glasshouse" } } }),
        );
        assert_eq!(reply.header("mcp-session-id"), "");
        assert_eq!(reply.header("content-type"), "application/json");
    }
}

#[tokio::test]
async fn only_messages_are_taken() {
    let agent = Agent::new().await;
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let reply = agent.app.request(method, MCP).key(&agent.account.key).await;

        reply.assert_error(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), "POST");
    }
}

#[tokio::test]
async fn a_notification_is_taken_without_an_answer() {
    let agent = Agent::new().await;
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });

    let reply = agent.app.post(MCP).key(&agent.account.key).json(message).await;

    reply.assert_status(202);
}

#[tokio::test]
async fn what_is_no_message_is_refused_like_any_body() {
    let agent = Agent::new().await;
    let post = || agent.app.post(MCP).key(&agent.account.key);

    post().json(json!({ "domain": "shop.example" })).await.assert_error(400, "invalid_request");
    post().body("{").await.assert_error(400, "invalid_request");
    post().header("content-type", "text/plain").body("{}").await.assert_error(415, "unsupported_media_type");
}

#[tokio::test]
async fn a_key_is_needed_and_a_session_is_none() {
    let agent = Agent::new().await;
    let session = agent.app.sign_in(&agent.account).await;
    let list = || agent.app.post(MCP).json(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));

    for reply in [list().await, list().session(&session).await, list().key("gh_live_unknown").await] {
        reply.assert_error(401, "invalid_api_key");
        assert_eq!(reply.header("www-authenticate"), "Bearer");
    }
    list().key(&agent.account.key).await.assert_status(200);
}

#[tokio::test]
async fn a_page_of_another_site_may_not_call_even_with_a_key() {
    let agent = Agent::with("[server]\npublic_url = \"https://glass.example\"").await;
    let list = |origin: &str| {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        agent.app.post(MCP).key(&agent.account.key).header("origin", origin).json(message)
    };

    for other in ["null", "https://evil.example", "http://glass.example"] {
        list(other).await.assert_error(403, "cross_site_request");
    }
    list("https://glass.example").await.assert_status(200);
}

#[tokio::test]
async fn a_call_counts_once_towards_the_limit_of_its_key() {
    let agent = Agent::new().await;
    let call = json!({ "name": "list_domains" });

    let first = agent.send_as(&agent.account.key, "tools/call", call.clone()).await;
    let second = agent.send_as(&agent.account.key, "tools/call", call).await;

    assert_eq!(first.header("ratelimit-policy"), "\"default\";q=600;w=60");
    assert!(first.header("ratelimit").contains("r=599"), "{}", first.header("ratelimit"));
    assert!(second.header("ratelimit").contains("r=598"), "{}", second.header("ratelimit"));
}

#[tokio::test]
async fn an_unknown_tool_is_answered_with_the_right_ones() {
    let agent = Agent::new().await;

    let answer = agent.send("tools/call", json!({ "name": "delete_everything" })).await;

    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("list_domains, add_domain"));
}

#[tokio::test]
async fn issues_and_documentation_are_resources() {
    let agent = Agent::new().await;

    let listed = agent.send("resources/list", json!({})).await;
    let issues = agent.send("resources/read", json!({ "uri": "glasshouse://issues" })).await;
    let page = agent.send("resources/read", json!({ "uri": "glasshouse://docs/mcp" })).await;
    let missing = agent.send("resources/read", json!({ "uri": "glasshouse://docs/nope" })).await;

    let uris = listed["result"]["resources"].as_array().unwrap().iter().map(|resource| &resource["uri"]);
    assert!(uris.clone().any(|uri| uri == "glasshouse://issues"));
    assert!(uris.clone().any(|uri| uri == "glasshouse://docs/rendering"));
    let issues: Value =
        serde_json::from_str(issues["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert!(issues["issues"].as_array().unwrap().iter().any(|issue| issue["id"] == "META_DESC_MISSING"));
    assert!(page["result"]["contents"][0]["text"].as_str().unwrap().starts_with("# "));
    assert!(missing["error"]["message"].as_str().unwrap().contains("glasshouse://docs/nope"));
}
