//! Parameters that a model refuses: the question is asked again without them, and the caller learns them.

use assistants::providers::wire::FailureClass;
use assistants::providers::{AssistantQuestion, LocationSent, Persona, ProviderConnection, Quirk, Quirks};
use fakeai::{Fault, Vendor};
use serde_json::json;

use crate::world::*;

fn berlin() -> Persona {
    Persona::from_json(
        &json!({ "country": "DE", "city": "Berlin", "language": "de", "lat": 52.52, "lng": 13.405 }),
    )
    .unwrap()
}

#[tokio::test]
async fn each_parameter_is_dropped_when_the_vendor_names_it() {
    let cases = [
        (Vendor::Openai, "tool_choice", Quirk::ToolChoice, LocationSent::Parameters),
        (Vendor::Openai, "reasoning", Quirk::Reasoning, LocationSent::Parameters),
        (Vendor::Openai, "max_tool_calls", Quirk::MaxToolCalls, LocationSent::Parameters),
        (Vendor::Openai, "include", Quirk::Include, LocationSent::Parameters),
        (Vendor::Openai, "user_location", Quirk::UserLocation, LocationSent::Text),
        (Vendor::Openai, "metadata", Quirk::Metadata, LocationSent::Parameters),
        (Vendor::Perplexity, "tool_choice", Quirk::ToolChoice, LocationSent::Parameters),
        (Vendor::Perplexity, "user_location", Quirk::UserLocation, LocationSent::Text),
        (Vendor::Perplexity, "language_preference", Quirk::LanguagePreference, LocationSent::Parameters),
        (Vendor::Gemini, "retrievalConfig", Quirk::RetrievalConfig, LocationSent::Text),
        (Vendor::Gemini, "thinkingConfig", Quirk::Reasoning, LocationSent::Parameters),
        (Vendor::Anthropic, "tool_choice", Quirk::ToolChoice, LocationSent::Parameters),
        (Vendor::Anthropic, "user_location", Quirk::UserLocation, LocationSent::Text),
        (Vendor::Anthropic, "effort", Quirk::Reasoning, LocationSent::Parameters),
        (Vendor::Chat, "web_search_options", Quirk::WebSearchOptions, LocationSent::Text),
        (Vendor::Chat, "max_tokens", Quirk::MaxTokens, LocationSent::Parameters),
        // The country has a parameter of its own, which is kept.
        (Vendor::Dataforseo, "location_coordinate", Quirk::UserLocation, LocationSent::Parameters),
        (Vendor::Serpapi, "location", Quirk::UserLocation, LocationSent::Parameters),
    ];
    for (vendor, parameter, quirk, location) in cases {
        let name = format!("{vendor:?} {parameter}");
        let world = World::new().await;
        world.fails(Fault::Refuses(parameter.to_owned()));

        let asked = world.ask_about(&world.connection(vendor), QUESTION, &berlin()).await;

        let asked = asked.unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        assert_eq!(asked.quirks, [quirk].into_iter().collect(), "{name}");
        assert_eq!((asked.calls, asked.answer.location), (2, location), "{name}");
    }
}

#[tokio::test]
async fn a_known_quirk_saves_the_refusal() {
    let world = World::new().await;
    world.fails(Fault::Refuses("tool_choice".to_owned()));
    let connection = world.connection(Vendor::Openai);
    let persona = Persona::default();
    let question = AssistantQuestion { text: QUESTION, persona: &persona, run: None, now: now() };
    let known: Quirks = [Quirk::ToolChoice].into_iter().collect();

    let asked = world.assistants.ask(&connection, question, &known, &world.gate).await.unwrap();

    assert_eq!(asked.calls, 1);
    assert!(asked.quirks.is_empty(), "nothing new was learnt");
}

#[tokio::test]
async fn a_model_that_cannot_be_forced_to_search_is_asked_without_forcing() {
    let world = World::new().await;
    let mut connection = world.connection(Vendor::Anthropic);
    connection.model = Some("claude-sonnet-5-5".to_owned());

    let asked = world.ask(&connection).await.unwrap();

    assert_eq!(asked.quirks, [Quirk::ToolChoice].into_iter().collect());
    assert_eq!(asked.calls, 2);
}

#[tokio::test]
async fn learnt_quirks_come_with_a_failure_too() {
    let world = World::new().await;
    let mut connection = world.connection(Vendor::Openai);
    connection.model = Some("gpt-6-luna".to_owned());
    let refusals = ["tool_choice", "reasoning"].map(|parameter| fakeai::Scenario {
        fault: Some(Fault::Refuses(parameter.to_owned())),
        times: Some(1),
        ..fakeai::Scenario::default()
    });
    let then = fakeai::Scenario { fault: Some(Fault::ServerError), ..fakeai::Scenario::default() };
    world.vendors.set_scenarios(refusals.into_iter().chain([then]).collect());

    let failure = world.ask(&connection).await.unwrap_err();

    assert_eq!(failure.quirks, [Quirk::ToolChoice, Quirk::Reasoning].into_iter().collect());
    assert_eq!(failure.calls, 3);
}

#[tokio::test]
async fn a_parameter_that_is_refused_although_it_is_not_sent_is_a_failure() {
    let world = World::new().await;
    let body = r#"{"error":{"message":"Unsupported parameter: 'user_location'","type":"invalid_request_error","param":"user_location","code":null}}"#;
    world.fails(Fault::Verbatim { status: 400, headers: Vec::new(), body: body.to_owned() });
    let connection = ProviderConnection { search: false, ..world.connection(Vendor::Openai) };

    let result = world.ask(&connection).await;

    assert_eq!(result.as_ref().unwrap_err().calls, 1);
    assert_eq!(failure_of(result).class, FailureClass::Config);
}
