//! Chat completions of any server (Ollama, vLLM, LM Studio, gateways), which stand in for a provider, and for analysis.
//! Set-up: `api_style = "chat"` and a `base_url`, with or without a key. At a private address they are free.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::asking::{AskState, PlaceField};
use super::chatgpt::instructions_at;
use super::wire::{
    AnswerReading, FailureClass, ProviderCheck, ProviderFailure, ProviderRequest, ProviderResponse, Wire,
    http_failure, json as fields, plain_schema, read_failure, read_openai_form,
};
use super::{LocationSent, Persona, ProviderConnection, Quirk};

pub(super) const WIRE: Wire = Wire { request, read, fail: read_failure, check, read_check };

fn location(asking: &AskState) -> LocationSent {
    let location = asking.location(PlaceField::Names, Quirk::UserLocation);
    // The place is part of the search options.
    if asking.accepts(Quirk::WebSearchOptions) {
        location
    } else {
        asking.location(PlaceField::Names, Quirk::WebSearchOptions)
    }
}

fn request(asking: &AskState) -> ProviderRequest {
    let location = location(asking);
    let mut messages = Vec::new();
    if let Some(system) = instructions_at(asking, location) {
        messages.push(json!({ "role": "system", "content": system }));
    }
    messages.push(json!({ "role": "user", "content": asking.user_text() }));
    let mut body = json!({ "model": asking.connection.model(), "messages": messages });
    let limit = if asking.accepts(Quirk::MaxTokens) { "max_tokens" } else { "max_completion_tokens" };
    body[limit] = json!(asking.max_output_tokens());
    if asking.searches() && asking.accepts(Quirk::WebSearchOptions) {
        body["web_search_options"] = search_options(asking, location);
    }
    if let Some(schema) = asking.schema().filter(|_| asking.accepts(Quirk::ResponseFormat)) {
        let schema = json!({ "name": "result", "strict": true, "schema": plain_schema(schema) });
        body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
    }
    ProviderRequest::post(asking.connection.endpoint(&["chat", "completions"]), body)
        .with_bearer(asking.connection)
}

fn search_options(asking: &AskState, location: LocationSent) -> Value {
    let mut options = json!({ "search_context_size": "low" });
    if let Some(persona) = asking.persona().filter(|_| location == LocationSent::Parameters) {
        options["user_location"] = json!({ "type": "approximate", "approximate": place(persona) });
    }
    options
}

fn place(persona: &Persona) -> Value {
    let mut place = json!({});
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

fn read(asking: &AskState, value: Value) -> AnswerReading {
    read_openai_form(asking, value, location(asking))
}

/// Asks for the list of models, which every server of this form has.
fn check(connection: &ProviderConnection) -> ProviderRequest {
    ProviderRequest::get(connection.endpoint(&["models"])).with_bearer(connection)
}

fn read_check(
    connection: &ProviderConnection,
    response: &ProviderResponse,
    now: Timestamp,
) -> Result<ProviderCheck, ProviderFailure> {
    if !response.status.is_success() {
        return Err(http_failure(response, now));
    }
    let Some(answer) = fields::parse(response.body) else {
        return Err(ProviderFailure::new(FailureClass::Unreadable, "the list of models is not JSON"));
    };
    let wanted = connection.model();
    // Ollama adds a tag to a name that has none.
    let is_wanted = |id: &str| id == wanted || id.strip_suffix(":latest") == Some(wanted);
    let is_there = fields::list(&answer, "data").iter().any(|model| is_wanted(fields::text(model, "id")));
    Ok(ProviderCheck { is_model_there: Some(is_there), ..ProviderCheck::default() })
}
