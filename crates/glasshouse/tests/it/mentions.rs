//! AI mentions and a real SIGKILL of the service while assistants answer. The binary, SQLite, and stand-ins of the vendors.

use std::time::Duration;

use fakeai::{FakeOptions, FakeVendors, Scenario, Vendor};
use serde_json::{Value, json};

use crate::support::{Service, Site, eventually_within};

const PROMPTS: usize = 6;

/// Time for six answers, and for another process to take over the runs of a dead one.
const PATIENCE: Duration = Duration::from_secs(120);

fn runs(service: &Service) -> Vec<Value> {
    let reply = service.ask("/api/ai-mentions/runs?domain=shop.test");
    let body: Value = serde_json::from_str(&reply.body).unwrap_or_default();
    body["runs"].as_array().cloned().unwrap_or_default()
}

fn all_ok(service: &Service) -> bool {
    let runs = runs(service);
    runs.len() == PROMPTS && runs.iter().all(|run| run["status"] == "ok")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_is_killed_while_assistants_answer_asks_again_and_counts_every_call() {
    let fakes = FakeVendors::start(FakeOptions::default()).await.unwrap();
    fakes.set_scenario(Scenario { latency_ms: Some((3_000, 3_000)), ..Scenario::default() });
    let site = Site::start();
    let settings = format!(
        "[providers.chatgpt]\napi_key = \"sk-test\"\nbase_url = \"{}\"",
        fakes.base_url(Vendor::Openai)
    );
    let mut service = Service::start(&site, &settings);
    for number in 0..PROMPTS {
        let body = json!({
            "action": "create", "domain": "shop.test", "intent": "comm",
            "promptText": format!("Which documentation tool is the best? ({number})"),
        });
        assert_eq!(service.post("/api/ai-mentions/prompts", &body.to_string()).status, 200);
    }
    eventually_within(PATIENCE, "calls under way", || fakes.count(Vendor::Openai) == PROMPTS as u64);

    service.restart_after_a_kill();
    fakes.set_scenarios(Vec::new());

    eventually_within(PATIENCE, "an answer of every run", || all_ok(&service));
    let details: Vec<Value> = runs(&service)
        .iter()
        .map(|run| {
            let path = format!("/api/ai-mentions/runs/{}", run["id"].as_str().unwrap_or_default());
            serde_json::from_str(&service.ask(&path).body).unwrap_or_default()
        })
        .collect();
    let calls: u64 = details.iter().filter_map(|run| run["calls"].as_u64()).sum();
    // Each call was counted before its first byte, also those whose answer was lost.
    assert_eq!(calls, fakes.count(Vendor::Openai));
    assert_eq!(calls, 2 * PROMPTS as u64);
}
