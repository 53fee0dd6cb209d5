//! Readers against anything: whatever a server sends, they end with an answer or a failure and never panic.

use assistants::providers::wire::{ProviderResponse, ReadOutcome, read_check, read_response};
use assistants::providers::{
    ApiStyle, AskState, AssistantQuestion, Finish, Matter, Persona, Progress, Provider, ProviderConnection,
    Quirks, SearchVendor,
};
use http::{HeaderMap, StatusCode};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::world::now;

/// Words that the readers look for.
const WORDS: &[&str] = &[
    "output",
    "choices",
    "content",
    "type",
    "text",
    "message",
    "annotations",
    "url_citation",
    "url",
    "title",
    "status",
    "incomplete",
    "completed",
    "failed",
    "error",
    "candidates",
    "parts",
    "groundingMetadata",
    "groundingChunks",
    "web",
    "uri",
    "groundingSupports",
    "groundingChunkIndices",
    "finishReason",
    "MAX_TOKENS",
    "usage",
    "input_tokens",
    "stop_reason",
    "pause_turn",
    "web_search_tool_result",
    "tasks",
    "status_code",
    "result",
    "items",
    "ai_overview",
    "reconstructed_markdown",
    "markdown",
    "references",
    "text_blocks",
    "list",
    "table",
    "comparison",
    "expandable",
    "snippet",
    "page_token",
    "search_results",
    "results",
    "queries",
    "id",
    "citations",
    "web_search_call",
    "action",
    "https://a.example/",
    "usageMetadata",
    "[1]",
];

fn anything() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(WORDS).prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_map(|number| serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number)),
        prop_oneof![any::<String>(), word.clone()].prop_map(Value::from),
        Just(Value::from(20_000)),
    ];
    leaf.prop_recursive(7, 120, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((word.clone(), inner), 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn connections() -> Vec<ProviderConnection> {
    let of = ProviderConnection::new;
    let mut all: Vec<ProviderConnection> = Provider::ALL.into_iter().map(of).collect();
    for provider in [Provider::GoogleAiOverview, Provider::GoogleAiMode] {
        all.push(ProviderConnection { vendor: SearchVendor::Serpapi, ..of(provider) });
    }
    all.push(ProviderConnection { style: ApiStyle::Chat, ..of(Provider::Chatgpt) });
    all
}

fn read_all(status: u16, body: &[u8]) {
    let persona = Persona::default();
    let headers = HeaderMap::new();
    let response =
        ProviderResponse { status: StatusCode::from_u16(status).unwrap(), headers: &headers, body };
    for connection in connections() {
        let question = AssistantQuestion { text: "best tool?", persona: &persona, run: None, now: now() };
        let fresh = AskState::new(&connection, Matter::Question(question), Quirks::default());
        let mut later = fresh.clone();
        later.progress = Progress {
            is_doubled: true,
            page_token: Some("t".to_owned()),
            restarts: 2,
            ..Progress::default()
        };
        for state in [fresh, later] {
            let reading = read_response(&state, &response);
            if let ReadOutcome::Answer(answer) = reading.outcome {
                assert_eq!(answer.text.is_empty(), answer.finish == Finish::AbsentOverview);
                assert!(!answer.text.contains('\0') && !answer.raw.to_string().contains("\\u0000"));
            }
        }
        let _ = read_check(&connection, &response, now());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_json_is_read_without_a_panic(value in anything(), status in prop::sample::select(&[200u16, 400, 404, 429, 500, 301][..])) {
        read_all(status, value.to_string().as_bytes());
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..300)) {
        read_all(200, &body);
        read_all(429, &body);
    }
}

#[test]
fn large_hostile_responses_are_read_to_their_end() {
    let markers = "[1]".repeat(30_000);
    let blocks = r#"{"type":"paragraph","snippet":"a","reference_indexes":[1,2,3]},"#.repeat(6_000);
    let thoughts = "<think></think>".repeat(30_000);
    let chunks = r#"{"web":{"uri":"https://a.example/","title":"a"}},"#.repeat(6_000);
    let links = r#"{"text":"a","link":"https://a.example"},"#.repeat(6_000);
    let bodies = [
        format!(r#"{{"output":[{{"type":"message","content":"{markers}"}}]}}"#),
        format!(r#"{{"choices":[{{"message":{{"content":"{thoughts}"}}}}]}}"#),
        format!(
            r#"{{"search_metadata":{{}},"ai_overview":{{"text_blocks":[{blocks}{{"type":"paragraph","snippet":"{markers}","snippet_links":[{links}{{}}]}}]}}}}"#
        ),
        format!(
            r#"{{"search_metadata":{{}},"text_blocks":[{blocks}{{"type":"code_block","code":"{markers}"}}]}}"#
        ),
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"x"}}]}},"groundingMetadata":{{"groundingChunks":[{chunks}{{}}]}}}}]}}"#
        ),
    ];

    for body in bodies {
        read_all(200, body.as_bytes());
    }
}
