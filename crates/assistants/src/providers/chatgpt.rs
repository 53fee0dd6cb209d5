//! ChatGPT: OpenAI's Responses API with the tool `web_search`.
//! Set-up: an API key of platform.openai.com. One question costs 0.012 to 0.022 dollars with gpt-6-luna, 0.045 to 0.055
//! with gpt-6.1-sol. Terms: citations have to be clearly visible and clickable where an answer is shown.

use http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::asking::{AskState, PlaceField};
use super::wire::{
    AnswerReading, FailureClass, ProviderCheck, ProviderFailure, ProviderRequest, ProviderResponse,
    VendorErrorBody, Wire, http_failure, json as fields, plain_schema, read_failure, read_openai_form,
    schema_in_words,
};
use super::{Listing, LocationSent, Persona, PlanLevel, Provider, ProviderConnection, Quirk};

pub const LISTING: Listing = Listing {
    provider: Provider::Chatgpt,
    plan: PlanLevel::Essential,
    base_url: "https://api.openai.com/v1",
    model: "gpt-6-luna",
    connect: "Create an API key at platform.openai.com and set it as providers.chatgpt.api_key.",
    documentation: "https://developers.openai.com/api/docs/guides/tools-web-search",
    requests_per_minute: 120,
    in_flight: 16,
    wire: |_| &WIRE,
};

const WIRE: Wire = Wire { request, read, fail: read_failure, check, read_check };

/// Maximum number of searches of one answer.
const MAX_SEARCHES: u32 = 2;

fn location(asking: &AskState) -> LocationSent {
    asking.location(PlaceField::Names, Quirk::UserLocation)
}

fn request(asking: &AskState) -> ProviderRequest {
    let mut body = json!({
        "model": asking.connection.model(),
        "input": asking.user_text(),
        "max_output_tokens": asking.max_output_tokens(),
        "store": false,
    });
    if asking.accepts(Quirk::Reasoning) {
        body["reasoning"] = json!({ "effort": "low" });
    }
    if asking.searches() {
        add_search(asking, &mut body);
    }
    if let Some(system) = instructions(asking) {
        body["instructions"] = json!(system);
    }
    if let Some(schema) = asking.schema().filter(|_| asking.accepts(Quirk::ResponseFormat)) {
        let format = json!({ "type": "json_schema", "name": "result", "strict": true, "schema": plain_schema(schema) });
        body["text"] = json!({ "format": format });
    }
    if let Some(run) = asking.run() {
        body["metadata"] = json!({ "run": run });
    }
    ProviderRequest::post(asking.connection.endpoint(&["responses"]), body).with_bearer(asking.connection)
}

fn add_search(asking: &AskState, body: &mut Value) {
    let mut tool = json!({ "type": "web_search", "search_context_size": "low" });
    if asking.accepts(Quirk::UserLocation) {
        // A missing location would mean the United States; one without a place means none.
        tool["user_location"] = approximate_place(asking.persona());
    }
    body["tools"] = json!([tool]);
    if asking.accepts(Quirk::ToolChoice) {
        body["tool_choice"] = json!("required");
    }
    if asking.accepts(Quirk::MaxToolCalls) {
        body["max_tool_calls"] = json!(MAX_SEARCHES);
    }
    if asking.accepts(Quirk::Include) {
        body["include"] = json!(["web_search_call.action.sources"]);
    }
}

/// Writes a place as OpenAI and Anthropic take it.
pub(super) fn approximate_place(persona: Option<&Persona>) -> Value {
    let mut place = json!({ "type": "approximate" });
    let Some(persona) = persona else { return place };
    let named = [
        ("country", &persona.country),
        ("region", &persona.region),
        ("city", &persona.city),
        ("timezone", &persona.timezone),
    ];
    for (field, value) in named.into_iter().filter_map(|(field, value)| Some((field, value.as_ref()?))) {
        place[field] = json!(value);
    }
    place
}

/// Writes the system message, with the form of a task's result when the server has no structured output.
pub(super) fn instructions_at(asking: &AskState, location: LocationSent) -> Option<String> {
    let in_words = asking.schema().filter(|_| !asking.accepts(Quirk::ResponseFormat)).map(schema_in_words);
    let parts: Vec<String> = asking.system_text(location).into_iter().chain(in_words).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn instructions(asking: &AskState) -> Option<String> {
    instructions_at(asking, location(asking))
}

fn read(asking: &AskState, value: Value) -> AnswerReading {
    read_openai_form(asking, value, location(asking))
}

fn check(connection: &ProviderConnection) -> ProviderRequest {
    ProviderRequest::get(connection.endpoint(&["models", connection.model()])).with_bearer(connection)
}

fn read_check(
    _: &ProviderConnection,
    response: &ProviderResponse,
    now: Timestamp,
) -> Result<ProviderCheck, ProviderFailure> {
    let Some(model) = read_model(response, now, http_failure)? else {
        return Ok(ProviderCheck { is_model_there: Some(false), ..ProviderCheck::default() });
    };
    Ok(ProviderCheck {
        is_model_there: Some(true),
        shutdown: fields::text(&model, "shutdown_date").parse().ok(),
        ..ProviderCheck::default()
    })
}

/// Reads the description of a model. None: the key is accepted and the model is not there.
pub(super) fn read_model(
    response: &ProviderResponse,
    now: Timestamp,
    fail: fn(&ProviderResponse, Timestamp) -> ProviderFailure,
) -> Result<Option<Value>, ProviderFailure> {
    if response.status == StatusCode::NOT_FOUND {
        // A proxy that does not know the path answers 404 too, but not in the vendor's form.
        return match VendorErrorBody::parse(response.body) {
            error if error.code.is_empty() && error.kind.is_empty() => Err(fail(response, now)),
            _ => Ok(None),
        };
    }
    if !response.status.is_success() {
        return Err(fail(response, now));
    }
    let model = fields::parse(response.body).filter(Value::is_object);
    let unreadable =
        || ProviderFailure::new(FailureClass::Unreadable, "the description of the model is not JSON");
    model.map(Some).ok_or_else(unreadable)
}
