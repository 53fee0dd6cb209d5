//! Requests as the vendors document them, with a place and without one.

use assistants::providers::wire::{ProviderRequest, write_request};
use assistants::providers::{
    ApiStyle, AskState, AssistantQuestion, Matter, Persona, Progress, Provider, ProviderConnection,
    ProviderKey, Quirk, Quirks, SearchVendor,
};
use serde_json::{Value, json};

use crate::world::*;

fn connection(provider: Provider) -> ProviderConnection {
    let key = if provider.is_google_search() { OVERVIEW_KEY } else { KEY };
    ProviderConnection { key: ProviderKey::new(key).ok(), ..ProviderConnection::new(provider) }
}

fn request(connection: &ProviderConnection, persona: Value, quirks: &[Quirk]) -> ProviderRequest {
    let persona = Persona::from_json(&persona).unwrap();
    let question = AssistantQuestion { text: QUESTION, persona: &persona, run: Some("01JD"), now: now() };
    write_request(&AskState::new(connection, Matter::Question(question), quirks.iter().copied().collect()))
}

fn berlin() -> Value {
    json!({ "country": "DE", "region": "Berlin", "city": "Berlin", "timezone": "Europe/Berlin", "language": "de",
        "lat": 52.52, "lng": 13.405 })
}

fn body(request: &ProviderRequest) -> &Value {
    request.body.as_ref().unwrap()
}

#[test]
fn chatgpt_is_asked_to_search_from_a_place() {
    let request = request(&connection(Provider::Chatgpt), berlin(), &[]);

    assert_eq!(request.url.as_str(), "https://api.openai.com/v1/responses");
    assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(
        *body(&request),
        json!({ "model": "gpt-6-luna", "input": QUESTION,
            "tools": [{ "type": "web_search", "search_context_size": "low", "user_location": {
                "type": "approximate", "country": "DE", "region": "Berlin", "city": "Berlin", "timezone": "Europe/Berlin" } }],
            "tool_choice": "required", "max_tool_calls": 2, "max_output_tokens": 8000, "reasoning": { "effort": "low" },
            "include": ["web_search_call.action.sources"], "store": false, "metadata": { "run": "01JD" } })
    );
}

#[test]
fn chatgpt_without_a_place_is_told_that_there_is_none() {
    let request = request(&connection(Provider::Chatgpt), json!({}), &[]);

    assert_eq!(body(&request)["tools"][0]["user_location"], json!({ "type": "approximate" }));
    assert_eq!(body(&request).get("instructions"), None);
}

#[test]
fn perplexity_is_asked_by_its_agent_api() {
    let request = request(&connection(Provider::Perplexity), berlin(), &[]);

    assert_eq!(request.url.as_str(), "https://api.perplexity.ai/v1/agent");
    assert_eq!(
        *body(&request),
        json!({ "model": "perplexity/sonar", "input": QUESTION, "max_output_tokens": 8000, "max_steps": 2, "store": false,
            "tools": [{ "type": "web_search", "search_context_size": "low", "user_location": {
                "country": "DE", "region": "Berlin", "city": "Berlin", "latitude": 52.52, "longitude": 13.405 } }],
            "tool_choice": "required", "language_preference": "de" })
    );
}

#[test]
fn gemini_is_asked_with_coordinates_and_language() {
    let request = request(&connection(Provider::Gemini), berlin(), &[]);

    let url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash:generateContent";
    assert_eq!((request.url.as_str(), &request.headers["x-goog-api-key"]), (url, &KEY.parse().unwrap()));
    assert_eq!(
        *body(&request),
        json!({ "contents": [{ "role": "user", "parts": [{ "text": QUESTION }] }], "tools": [{ "google_search": {} }],
            "toolConfig": { "retrievalConfig": { "latLng": { "latitude": 52.52, "longitude": 13.405 }, "languageCode": "de" } },
            "generationConfig": { "maxOutputTokens": 8000, "thinkingConfig": { "thinkingLevel": "low" } } })
    );
}

#[test]
fn gemini_is_told_a_place_without_coordinates_in_words() {
    let request = request(&connection(Provider::Gemini), json!({ "country": "DE", "city": "Berlin" }), &[]);

    assert_eq!(body(&request).get("toolConfig"), None);
    let said = json!({ "parts": [{ "text": "The user is in Berlin, Germany." }] });
    assert_eq!(body(&request)["systemInstruction"], said);
}

#[test]
fn claude_is_asked_with_a_forced_search() {
    let request = request(&connection(Provider::Claude), berlin(), &[]);

    assert_eq!(request.url.as_str(), "https://api.anthropic.com/v1/messages");
    assert_eq!(
        (&request.headers["x-api-key"], &request.headers["anthropic-version"]),
        (&KEY.parse().unwrap(), &"2023-06-01".parse().unwrap())
    );
    assert_eq!(
        *body(&request),
        json!({ "model": "claude-haiku-5-5", "max_tokens": 8000, "messages": [{ "role": "user", "content": QUESTION }],
            "tools": [{ "type": "web_search_20250305", "name": "web_search", "max_uses": 2, "user_location": {
                "type": "approximate", "country": "DE", "region": "Berlin", "city": "Berlin", "timezone": "Europe/Berlin" } }],
            "tool_choice": { "type": "tool", "name": "web_search" }, "output_config": { "effort": "low" } })
    );
}

#[test]
fn claude_goes_on_with_what_it_said_and_is_not_forced_again() {
    let connection = connection(Provider::Claude);
    let persona = Persona::default();
    let question = AssistantQuestion { text: QUESTION, persona: &persona, run: None, now: now() };
    let mut state = AskState::new(&connection, Matter::Question(question), Quirks::default());
    let said = |text: &str| json!({ "content": [{ "type": "text", "text": text }] });
    state.progress = Progress { earlier: vec![said("one"), said("two")], ..Progress::default() };

    let request = write_request(&state);

    let messages = &body(&request)["messages"];
    assert_eq!(messages[1]["role"], "assistant");
    assert_eq!(
        messages[1]["content"],
        json!([{ "type": "text", "text": "one" }, { "type": "text", "text": "two" }])
    );
    assert_eq!(body(&request).get("tool_choice"), None);
}

#[test]
fn dataforseo_gets_coordinates_a_name_or_a_country() {
    let connection = connection(Provider::GoogleAiOverview);
    let task = |persona: Value, quirks: &[Quirk]| {
        let mut task = body(&request(&connection, persona, quirks))[0].clone();
        let fields = task.as_object_mut().unwrap();
        ["keyword", "device", "depth", "load_async_ai_overview", "tag"].iter().for_each(|field| {
            fields.remove(*field).unwrap();
        });
        task
    };
    let named = json!({ "country": "DE", "region": "Berlin", "city": "Berlin", "language": "de-DE" });

    assert_eq!(
        task(berlin(), &[]),
        json!({ "location_coordinate": "52.5200000,13.4050000,200", "language_code": "de" })
    );
    assert_eq!(task(named, &[]), json!({ "location_name": "Berlin,Germany", "language_code": "de" }));
    assert_eq!(
        task(berlin(), &[Quirk::UserLocation]),
        json!({ "location_code": 2276, "language_code": "de" })
    );
    assert_eq!(task(json!({}), &[]), json!({ "location_code": 2840, "language_code": "en" }));
    let whole = request(&connection, json!({}), &[]);
    assert_eq!(whole.url.as_str(), "https://api.dataforseo.com/v3/serp/google/organic/live/advanced");
    assert_eq!(whole.headers["authorization"], "Basic c2hvcEBleGFtcGxlLmNvbTowMTIzNDU2Nzg5YWJjZGVm");
}

#[test]
fn serpapi_gets_everything_in_the_address_but_the_key() {
    let mut connection = connection(Provider::GoogleAiOverview);
    connection.vendor = SearchVendor::Serpapi;

    let request = request(&connection, berlin(), &[]);

    let expected = "https://serpapi.com/search.json?engine=google&q=What+is+the+best+tool+for+prerendering+SPAs%3F&hl=de&gl=de&location=Berlin%2CGermany";
    assert_eq!(request.url.as_str(), expected);
    assert_eq!((request.key_parameter.unwrap().0, request.body), ("api_key", None));
}

#[test]
fn ai_mode_is_a_page_of_dataforseo_with_a_zoom_and_without_results() {
    let connection = connection(Provider::GoogleAiMode);

    let near = request(&connection, berlin(), &[]);

    assert_eq!(near.url.as_str(), "https://api.dataforseo.com/v3/serp/google/ai_mode/live/advanced");
    assert_eq!(near.headers["authorization"], "Basic c2hvcEBleGFtcGxlLmNvbTowMTIzNDU2Nzg5YWJjZGVm");
    assert_eq!(
        *body(&near),
        json!([{ "keyword": QUESTION, "language_code": "de", "device": "desktop",
            "location_coordinate": "52.5200000,13.4050000,12z", "tag": "01JD" }])
    );
    let anywhere = request(&connection, json!({}), &[]);
    assert_eq!(body(&anywhere)[0]["location_code"], 2840);
}

#[test]
fn ai_mode_is_an_engine_of_serpapi() {
    let mut connection = connection(Provider::GoogleAiMode);
    connection.vendor = SearchVendor::Serpapi;

    let request = request(&connection, berlin(), &[]);

    let expected = "https://serpapi.com/search.json?engine=google_ai_mode&q=What+is+the+best+tool+for+prerendering+SPAs%3F&hl=de&gl=de&location=Berlin%2CGermany";
    assert_eq!(request.url.as_str(), expected);
    assert_eq!((request.key_parameter.unwrap().0, request.body), ("api_key", None));
}

#[test]
fn a_chat_server_is_asked_with_messages_and_search_options() {
    let mut connection = connection(Provider::Perplexity);
    connection.style = ApiStyle::Chat;
    connection.base_url = Some("http://127.0.0.1:11434/v1".parse().unwrap());
    connection.model = Some("llama3.3".to_owned());
    connection.key = None;

    let request = request(
        &connection,
        json!({ "country": "DE", "city": "Berlin", "persona": "You help a florist." }),
        &[],
    );

    assert_eq!(request.url.as_str(), "http://127.0.0.1:11434/v1/chat/completions");
    assert!(request.headers.is_empty());
    assert_eq!(
        *body(&request),
        json!({ "model": "llama3.3", "max_tokens": 8000,
            "messages": [{ "role": "system", "content": "You help a florist." }, { "role": "user", "content": QUESTION }],
            "web_search_options": { "search_context_size": "low", "user_location": { "type": "approximate",
                "approximate": { "country": "DE", "city": "Berlin" } } } })
    );
}

#[test]
fn a_persona_and_a_place_in_words_share_the_system_message() {
    let persona = json!({ "country": "DE", "persona": "You help a florist." });

    let request = request(&connection(Provider::Claude), persona, &[Quirk::UserLocation]);

    assert_eq!(body(&request)["system"], "You help a florist.\n\nThe user is in Germany.");
    assert_eq!(body(&request)["tools"][0].get("user_location"), None);
}
