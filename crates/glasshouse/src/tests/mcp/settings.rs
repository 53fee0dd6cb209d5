//! Tools for a domain and its settings.

use serde_json::json;

use super::Agent;

#[tokio::test]
async fn a_domain_is_added_and_listed() {
    let agent = Agent::new().await;

    let added =
        agent.result("add_domain", json!({ "domain": "second.example", "originHost": "app.example" })).await;
    let listed = agent.result("list_domains", json!({})).await;

    assert_eq!(added["status"], "pending");
    let names: Vec<_> =
        listed["domains"].as_array().unwrap().iter().map(|domain| &domain["domain"]).collect();
    assert!(names.contains(&&json!("shop.example")) && names.contains(&&json!("second.example")));
    assert_eq!(agent.domain.host, "shop.example");
}

#[tokio::test]
async fn settings_are_changed_section_by_section_as_they_are_read() {
    let agent = Agent::new().await;
    let change = json!({
        "domain": "shop.example",
        "rendering": { "markdown": "off" },
        "settings": { "onDemandRenderEnabled": false },
    });

    let changed = agent.result("update_domain_settings", change).await;
    let read = agent.result("domain_settings", json!({ "domain": "shop.example" })).await;

    assert_eq!(changed["rendering"]["markdown"], "off");
    assert_eq!(read["rendering"]["markdown"], "off");
    assert_eq!(read["settings"]["onDemandRenderEnabled"], false);
    for section in ["crawlerPolicy", "rootFiles", "indexnow", "auditing", "brand", "monitoring"] {
        assert!(read[section].is_object(), "{section}");
    }
}

#[tokio::test]
async fn a_section_that_is_refused_is_named_with_those_before_it() {
    let agent = Agent::new().await;
    let change = json!({
        "domain": "shop.example",
        "settings": { "onDemandRenderEnabled": false },
        "rendering": { "markdown": "sometimes" },
    });

    let (code, sentence) = agent.refusal("update_domain_settings", change).await;

    assert_eq!(code, "validation_error");
    assert!(
        sentence.starts_with("rendering: markdown ") && sentence.ends_with("Changed before it: settings."),
        "{sentence}"
    );
}

#[tokio::test]
async fn a_change_of_nothing_is_refused() {
    let agent = Agent::new().await;

    let refused = agent.refusal("update_domain_settings", json!({ "domain": "shop.example" })).await;

    assert_eq!(refused.0, "invalid_request");
}
