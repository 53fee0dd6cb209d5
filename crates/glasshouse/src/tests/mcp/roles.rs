//! Keys that only read, with tools.

use serde_json::json;

use super::{Agent, PAGE, code_and_sentence};

#[tokio::test]
async fn a_key_that_only_reads_reads_and_tries_out_and_changes_nothing() {
    let agent = Agent::new().await;
    agent.app.renderer.answers_html(PAGE, "<p>Shoes by hand</p>");
    let order = json!({ "name": "agent", "access": "read" });
    let key = agent.app.post("/api/keys").key(&agent.account.key).json(order).await.json()["key"].clone();
    let key = key.as_str().unwrap();
    let session_only = json!({ "domain": "shop.example", "path": "/a" });
    agent.app.state.start();

    for (tool, arguments) in [
        ("list_domains", json!({})),
        ("render_page", json!({ "url": PAGE })),
        ("compare_views", session_only),
        ("domain_settings", json!({ "domain": "shop.example" })),
    ] {
        let result = agent.call_as(key, tool, arguments).await;
        assert_eq!(result["isError"], false, "{tool}: {result}");
    }
    for (tool, arguments) in [
        ("add_domain", json!({ "domain": "second.example" })),
        ("render_page", json!({ "url": PAGE, "cache_invalidate": "1" })),
        ("refresh_pages", json!({ "domain": "shop.example" })),
        ("start_audit", json!({ "domain": "shop.example" })),
        ("ask_assistants", json!({ "domain": "shop.example", "promptText": "Which shoes?" })),
        ("update_domain_settings", json!({ "domain": "shop.example", "rendering": { "markdown": "off" } })),
    ] {
        let result = agent.call_as(key, tool, arguments).await;
        assert_eq!(code_and_sentence(&result).0, "key_read_only", "{tool}");
    }
    agent.app.state.platform.shutdown.cancel();
}
