//! Refusals of tools: those of the API, as results; 401 and 429 as HTTP.

use serde_json::json;

use super::{Agent, code_and_sentence};
use crate::testing::*;
use platform::plans::Plan;

#[tokio::test]
async fn a_refusal_is_a_result_with_a_sentence_and_the_code() {
    let agent = Agent::new().await;

    let refused = agent.refusal("render_page", json!({ "url": "https://other.example/" })).await;

    assert_eq!(refused, ("domain_not_owned".to_owned(), "The domain is not on the account.".to_owned()));
}

#[tokio::test]
async fn a_key_of_one_domain_is_one_for_tools_too() {
    let agent = Agent::new().await;
    let key = agent.app.key(&agent.account.id, Some("other.example")).await;
    for (tool, arguments, code) in [
        ("list_domains", json!({}), "requires_unscoped_key"),
        ("render_page", json!({ "url": "https://shop.example/" }), "api_key_domain_scope_mismatch"),
        ("get_page_as_crawler", json!({ "url": "https://shop.example/" }), "api_key_domain_scope_mismatch"),
        ("compare_views", json!({ "domain": "shop.example", "path": "/" }), "api_key_domain_scope_mismatch"),
        ("domain_settings", json!({ "domain": "shop.example" }), "api_key_domain_scope_mismatch"),
    ] {
        let result = agent.call_as(&key, tool, arguments).await;

        assert_eq!(code_and_sentence(&result).0, code, "{tool}");
    }
}

#[tokio::test]
async fn what_is_another_accounts_is_not_found() {
    let agent = Agent::new().await;
    let stranger = agent.app.account("stranger@shop.example", Plan::Enterprise).await;
    for (tool, arguments, code) in [
        ("domain_settings", json!({ "domain": "shop.example" }), "not_found"),
        ("update_domain_settings", json!({ "domain": "shop.example", "rendering": {} }), "not_found"),
        ("get_page_as_crawler", json!({ "url": "https://shop.example/" }), "domain_not_owned"),
        ("compare_views", json!({ "domain": "shop.example", "path": "/" }), "domain_not_owned"),
        ("compare_views", json!({ "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10" }), "not_found"),
        ("get_audit", json!({ "runId": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10" }), "not_found"),
        ("list_snapshots", json!({ "domain": "shop.example" }), "domain_not_owned"),
        ("refresh_pages", json!({ "domain": "shop.example" }), "domain_not_owned"),
        ("start_audit", json!({ "domain": "shop.example" }), "domain_not_owned"),
        ("crawler_visits", json!({ "domain": "shop.example" }), "domain_not_owned"),
        (
            "page_insights",
            json!({ "domain": "shop.example", "url": "https://shop.example/" }),
            "domain_not_owned",
        ),
        ("ai_visibility", json!({ "domain": "shop.example" }), "domain_not_owned"),
        ("ai_answers", json!({ "domain": "shop.example" }), "domain_not_owned"),
        ("verify_site", json!({ "domain": "shop.example" }), "not_found"),
        ("check_domain", json!({ "domain": "shop.example" }), "not_found"),
    ] {
        let result = agent.call_as(&stranger.key, tool, arguments).await;

        assert_eq!(code_and_sentence(&result).0, code, "{tool}");
    }
}

#[tokio::test]
async fn an_inactive_account_uses_nothing_that_costs() {
    let agent = Agent::new().await;
    agent.app.deactivate(&agent.account).await;
    for (tool, arguments) in [
        ("render_page", json!({ "url": "https://shop.example/" })),
        ("compare_views", json!({ "domain": "shop.example", "path": "/" })),
        ("refresh_pages", json!({ "domain": "shop.example" })),
        ("verify_site", json!({ "domain": "shop.example" })),
    ] {
        assert_eq!(agent.refusal(tool, arguments).await.0, "subscription_required", "{tool}");
    }
    agent.result("list_domains", json!({})).await;
}

#[tokio::test]
async fn the_rate_limit_of_an_operation_is_http_429() {
    let agent = Agent::new().await;
    let call = json!({ "name": "verify_site", "arguments": { "domain": "shop.example", "path": "x" } });
    for _ in 0..6 {
        assert_eq!(agent.refusal("verify_site", call["arguments"].clone()).await.0, "invalid_request");
    }

    let reply = agent.send_as(&agent.account.key, "tools/call", call).await;

    reply.assert_error(429, "rate_limited");
    assert_eq!(reply.header("retry-after"), "60");
}

#[tokio::test]
async fn arguments_that_cannot_be_used_are_named() {
    let agent = Agent::new().await;
    for (tool, arguments, sentence) in [
        ("check_domain", json!({}), "domain is missing."),
        (
            "render_page",
            json!({ "url": "https://shop.example/", "format": "pdf" }),
            "format must be html or markdown.",
        ),
        ("list_domains", json!({ "limit": 0 }), "limit must be from 1 to 500."),
        ("list_domains", json!({ "offset": "1" }), "offset must be a whole number from 0."),
        (
            "list_domains",
            json!({ "domian": "shop.example" }),
            "domian is no argument of list_domains; it takes limit, offset.",
        ),
        ("get_audit", json!({}), "runId is missing, and no domain is given."),
        ("compare_views", json!({ "domain": "shop.example", "path": "a" }), "path must start with /."),
    ] {
        let refused = agent.refusal(tool, arguments).await;

        assert_eq!(refused, ("invalid_request".to_owned(), sentence.to_owned()), "{tool}");
    }
}

#[tokio::test]
async fn the_limit_of_a_plan_is_told_with_its_numbers() {
    let agent = Agent::with("[plans.enterprise]\ndomains = 1").await;

    let result = agent.call("add_domain", json!({ "domain": "second.example" })).await;

    assert_eq!(code_and_sentence(&result).0, "domain_limit_reached");
    assert_eq!(result["structuredContent"]["limit"], 1);
}
