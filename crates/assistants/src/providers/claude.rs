//! Claude: Anthropic's Messages API with the tool `web_search_20250305`.
//! Set-up: an API key of console.anthropic.com; web search has to be switched on there. One question costs 0.012 to 0.033
//! dollars with claude-haiku-5-5; claude-sonnet-5-5 is closer to the app and dearer.

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::asking::{AskState, PlaceField, Progress};
use super::chatgpt::{approximate_place, instructions_at, read_model};
use super::wire::{
    AnswerReading, CallBill, FailureClass, MAX_QUERIES, ProviderCheck, ProviderFailure, ProviderRequest,
    ProviderResponse, SourceList, VendorErrorBody, Wire, http_failure, inner_failure,
    json::{count, found, list, text},
    plain_schema, read_failure,
};
use super::{
    Answer, Finish, Listing, LocationSent, PlanLevel, Provider, ProviderConnection, Quirk, Retrieval, Usage,
};

pub const LISTING: Listing = Listing {
    provider: Provider::Claude,
    plan: PlanLevel::Agency,
    base_url: "https://api.anthropic.com/v1",
    model: "claude-haiku-5-5",
    connect: "Create an API key at console.anthropic.com, allow web search there, and set it as providers.claude.api_key.",
    documentation: "https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool",
    requests_per_minute: 50,
    in_flight: 12,
    wire: |_| &WIRE,
};

const WIRE: Wire = Wire { request, read, fail: read_failure, check, read_check };

const VERSION: &str = "2023-06-01";
/// Maximum number of searches of one answer.
const MAX_SEARCHES: u32 = 2;
/// Maximum number of continuations of an answer that pauses.
const MAX_CONTINUATIONS: usize = 3;

fn location(asking: &AskState) -> LocationSent {
    asking.location(PlaceField::Names, Quirk::UserLocation)
}

fn authorized(request: ProviderRequest, connection: &ProviderConnection) -> ProviderRequest {
    let key = connection.key.as_ref().map(|key| key.secret());
    request.with_key("x-api-key", "", key).with_header("anthropic-version", VERSION)
}

fn request(asking: &AskState) -> ProviderRequest {
    let earlier = &asking.progress.earlier;
    let mut messages = vec![json!({ "role": "user", "content": asking.user_text() })];
    if !earlier.is_empty() {
        let content: Vec<&Value> = earlier.iter().flat_map(|response| list(response, "content")).collect();
        messages.push(json!({ "role": "assistant", "content": content }));
    }
    let mut body = json!({
        "model": asking.connection.model(),
        "max_tokens": asking.max_output_tokens(),
        "messages": messages,
    });
    if let Some(system) = instructions_at(asking, location(asking)) {
        body["system"] = json!(system);
    }
    let mut output = json!({});
    if asking.accepts(Quirk::Reasoning) {
        output["effort"] = json!("low");
    }
    if let Some(schema) = asking.schema().filter(|_| asking.accepts(Quirk::ResponseFormat)) {
        output["format"] = json!({ "type": "json_schema", "schema": plain_schema(schema) });
    }
    if output != json!({}) {
        body["output_config"] = output;
    }
    if asking.searches() {
        add_search(asking, &mut body);
    }
    authorized(ProviderRequest::post(asking.connection.endpoint(&["messages"]), body), asking.connection)
}

fn add_search(asking: &AskState, body: &mut Value) {
    let mut tool = json!({ "type": "web_search_20250305", "name": "web_search" });
    if asking.accepts(Quirk::MaxToolCalls) {
        tool["max_uses"] = json!(MAX_SEARCHES);
    }
    if location(asking) == LocationSent::Parameters {
        tool["user_location"] = approximate_place(asking.persona());
    }
    body["tools"] = json!([tool]);
    // A continuation that was forced to search would search again.
    if asking.accepts(Quirk::ToolChoice) && asking.progress.earlier.is_empty() {
        body["tool_choice"] = json!({ "type": "tool", "name": "web_search" });
    }
}

/// Parts of the content, collected in one pass.
#[derive(Default)]
struct Content {
    text: String,
    cited: SourceList,
    found: SourceList,
    queries: Vec<String>,
    has_searched: bool,
    /// Code of a search that failed for a reason that passes.
    throttled: Option<String>,
}

impl Content {
    fn add(&mut self, block: &Value) {
        match text(block, "type") {
            "text" => {
                // Without separators: citations split sentences.
                self.text.push_str(text(block, "text"));
                for citation in list(block, "citations") {
                    if text(citation, "type") == "web_search_result_location" {
                        self.cited.add(text(citation, "url"), text(citation, "title"));
                    }
                }
            }
            "server_tool_use" if text(block, "name") == "web_search" => {
                let query = block.get("input").map_or("", |input| text(input, "query"));
                let is_new = !query.is_empty() && !self.queries.iter().any(|known| known == query);
                if is_new && self.queries.len() < MAX_QUERIES {
                    self.queries.push(query.to_owned());
                }
            }
            "web_search_tool_result" => self.add_results(block),
            _ => {}
        }
    }

    fn add_results(&mut self, block: &Value) {
        match found(block, "content") {
            Some(Value::Array(results)) => {
                self.has_searched = true;
                for result in results {
                    self.found.add(text(result, "url"), text(result, "title"));
                }
            }
            Some(error) if matches!(text(error, "error_code"), "too_many_requests" | "unavailable") => {
                self.throttled = Some(text(error, "error_code").to_owned());
            }
            _ => {}
        }
    }
}

fn read(asking: &AskState, value: Value) -> AnswerReading {
    if text(&value, "type") == "error" || found(&value, "error").is_some() {
        let failure = inner_failure(&VendorErrorBody::from_json(&value));
        return AnswerReading::failure(CallBill::Free, failure);
    }
    let usage = usage_of(&value);
    let bill = usage.map_or(CallBill::Unknown, CallBill::Used);
    if !value.get("content").is_some_and(Value::is_array) {
        return AnswerReading::unreadable(bill, "HTTP 200 without content");
    }
    let total = sum(asking.progress.usage, usage.unwrap_or_default());
    let stop = text(&value, "stop_reason").to_owned();
    if stop == "pause_turn" && asking.progress.earlier.len() < MAX_CONTINUATIONS {
        let mut progress = Progress { usage: total, ..asking.progress.clone() };
        progress.earlier.push(value);
        return AnswerReading::next(bill, progress, Duration::ZERO);
    }

    let mut content = Content::default();
    let responses = || asking.progress.earlier.iter().chain([&value]);
    responses().flat_map(|response| list(response, "content")).for_each(|block| content.add(block));
    if stop == "refusal" {
        let category =
            value.pointer("/stop_details/category").and_then(Value::as_str).unwrap_or("no category");
        return AnswerReading::refused(bill, &format!("the model declined to answer: {category}"));
    }
    if let Some(code) = content.throttled.take().filter(|_| !content.has_searched) {
        let failure =
            ProviderFailure::new(FailureClass::Throttle, &format!("HTTP 200 the search failed: {code}"));
        return AnswerReading::failure(bill, failure);
    }
    if content.text.trim().is_empty() {
        if stop == "max_tokens" && !asking.progress.is_doubled {
            let progress = Progress { is_doubled: true, ..Progress::default() };
            return AnswerReading::next(bill, progress, Duration::ZERO);
        }
        return AnswerReading::unreadable(bill, "HTTP 200 with an empty answer");
    }
    AnswerReading::answer(bill, answer(asking, content, value, &stop, total))
}

fn answer(asking: &AskState, content: Content, last: Value, stop: &str, usage: Usage) -> Answer {
    let retrieval = match (asking.searches(), content.has_searched) {
        (false, _) => Retrieval::Off,
        (true, true) => Retrieval::Used,
        (true, false) => Retrieval::NotUsed,
    };
    let is_cut = matches!(stop, "max_tokens" | "model_context_window_exceeded" | "pause_turn");
    Answer {
        text: content.text,
        retrieved: content.found.without(&content.cited),
        citations: content.cited.into_vec(),
        queries: content.queries,
        retrieval,
        served_model: Some(text(&last, "model").to_owned()).filter(|model| !model.is_empty()),
        finish: if is_cut { Finish::Truncated } else { Finish::Complete },
        location: location(asking),
        query_cut: false,
        usage,
        raw: with_earlier(asking, last),
    }
}

/// Joins the responses of an answer that took several: a list, oldest first.
fn with_earlier(asking: &AskState, last: Value) -> Value {
    if asking.progress.earlier.is_empty() {
        return last;
    }
    Value::Array(asking.progress.earlier.iter().cloned().chain([last]).collect())
}

fn usage_of(value: &Value) -> Option<Usage> {
    let usage = found(value, "usage").filter(|usage| usage.is_object())?;
    let cached =
        count(usage, "cache_creation_input_tokens").saturating_add(count(usage, "cache_read_input_tokens"));
    Some(Usage {
        input_tokens: count(usage, "input_tokens").saturating_add(cached),
        output_tokens: count(usage, "output_tokens"),
        searches: usage.get("server_tool_use").map_or(0, |tools| count(tools, "web_search_requests")),
    })
}

fn sum(one: Usage, other: Usage) -> Usage {
    Usage {
        input_tokens: one.input_tokens.saturating_add(other.input_tokens),
        output_tokens: one.output_tokens.saturating_add(other.output_tokens),
        searches: one.searches.saturating_add(other.searches),
    }
}

fn check(connection: &ProviderConnection) -> ProviderRequest {
    authorized(ProviderRequest::get(connection.endpoint(&["models", connection.model()])), connection)
}

fn read_check(
    _: &ProviderConnection,
    response: &ProviderResponse,
    now: Timestamp,
) -> Result<ProviderCheck, ProviderFailure> {
    let Some(model) = read_model(response, now, http_failure)? else {
        return Ok(ProviderCheck { is_model_there: Some(false), ..ProviderCheck::default() });
    };
    let supported = model.pointer("/capabilities/server_tools/web_search/supported").and_then(Value::as_bool);
    Ok(ProviderCheck {
        // A retired model is still described.
        is_model_there: Some(text(&model, "lifecycle") != "retired"),
        shutdown: text(&model, "retires_at").get(..10).and_then(|day| day.parse::<Date>().ok()),
        can_search: supported,
        credit: None,
    })
}
