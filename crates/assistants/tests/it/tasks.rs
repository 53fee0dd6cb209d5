//! Tasks whose result is JSON, in each provider's form of structured output.

use assistants::providers::call::{AskFailure, AskFailureCause, Completed};
use assistants::providers::wire::FailureClass;
use assistants::providers::{CompletionTask, ProviderConnection, Quirk, Quirks, Usd};
use fakeai::{Fault, Vendor};
use serde_json::{Value, json};

use crate::world::*;

const ANSWER: &str =
    "1. **Notchly** is a leading option with excellent support.\n2. **LumaDocs** is expensive.";

fn schema() -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": ["brand", "competitors", "summary"],
        "properties": {
            "brand": { "type": "object", "additionalProperties": false, "required": ["sentiment", "recommended", "quote"],
                "properties": { "sentiment": { "type": "number", "minimum": -1, "maximum": 1 },
                    "recommended": { "type": "boolean" }, "quote": { "type": "string", "maxLength": 200 } } },
            "competitors": { "type": "array", "maxItems": 20, "items": { "type": "object", "additionalProperties": false,
                "required": ["name"], "properties": { "name": { "type": "string", "maxLength": 80 } } } },
            "summary": { "type": "string", "maxLength": 300 } } })
}

async fn complete(world: &World, connection: &ProviderConnection) -> Result<Completed, AskFailure<String>> {
    let schema = schema();
    let task = CompletionTask {
        system: "You label how an answer portrays brands.",
        user: ANSWER,
        schema: &schema,
        max_output_tokens: 1_000,
        now: now(),
    };
    world.assistants.complete(connection, task, &Quirks::default(), &world.gate).await
}

const MODELS: [Vendor; 5] =
    [Vendor::Openai, Vendor::Perplexity, Vendor::Gemini, Vendor::Anthropic, Vendor::Chat];

#[tokio::test]
async fn a_task_is_completed_by_every_model() {
    for vendor in MODELS {
        let world = World::new().await;

        let completed = complete(&world, &world.connection(vendor)).await.unwrap();

        assert_eq!(completed.value["competitors"][0]["name"], "Notchly", "{vendor:?}");
        assert!(ANSWER.contains(completed.value["brand"]["quote"].as_str().unwrap()), "{vendor:?}");
        assert_eq!(completed.calls, 1, "{vendor:?}");
        assert!(completed.served_model.is_some() && completed.usage.output_tokens > 0, "{vendor:?}");
        let [entry] = world.gate.entries()[..] else { panic!("one request") };
        let is_free = vendor == Vendor::Chat;
        assert_eq!(entry.reserved == Usd::ZERO, is_free, "{vendor:?}");
        assert!(
            completed.cost <= entry.reserved + usd(0.004),
            "{vendor:?}: {} of {}",
            completed.cost,
            entry.reserved
        );
    }
}

#[tokio::test]
async fn a_result_that_is_not_json_is_unreadable() {
    for vendor in MODELS {
        let world = World::new().await;
        world.fails(Fault::BrokenJson);

        let failure = complete(&world, &world.connection(vendor)).await.unwrap_err();

        let AskFailureCause::Provider(cause) = failure.cause else { panic!("{vendor:?}") };
        assert_eq!(cause.class, FailureClass::Unreadable, "{vendor:?}");
        assert_eq!(failure.calls, 1, "{vendor:?}");
    }
}

#[tokio::test]
async fn a_server_without_structured_output_is_told_the_form_in_words() {
    let world = World::new().await;
    let body = r#"{"choices":[{"message":{"role":"assistant","content":"<think>hm</think>Sure:\n```json\n{\"summary\":\"fine\"}\n```"},"finish_reason":"stop"}],"model":"llama"}"#;
    let scenarios = vec![
        fakeai::Scenario {
            fault: Some(Fault::Refuses("response_format".to_owned())),
            times: Some(1),
            ..fakeai::Scenario::default()
        },
        fakeai::Scenario {
            fault: Some(Fault::Verbatim { status: 200, headers: Vec::new(), body: body.to_owned() }),
            ..fakeai::Scenario::default()
        },
    ];
    world.vendors.set_scenarios(scenarios);

    let completed = complete(&world, &world.connection(Vendor::Chat)).await.unwrap();

    assert_eq!(completed.value, json!({ "summary": "fine" }));
    assert_eq!(completed.quirks, [Quirk::ResponseFormat].into_iter().collect());
}

#[tokio::test]
async fn google_s_search_runs_no_task() {
    let world = World::new().await;

    for connection in [world.connection(Vendor::Dataforseo), world.ai_mode(Vendor::Dataforseo)] {
        let failure = complete(&world, &connection).await.unwrap_err();

        let AskFailureCause::Provider(cause) = failure.cause else { panic!() };
        assert_eq!((cause.class, world.gate.entries().len()), (FailureClass::Config, 0));
    }
}
