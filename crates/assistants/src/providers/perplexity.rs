//! Perplexity: the Agent API with the tool `web_search`.
//! Set-up: an API key of the API portal, with prepaid credit. One question costs 0.004 to 0.006 dollars with
//! perplexity/sonar, and the response states the exact price. The former Sonar form of answers is still read.

use http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::asking::{AskState, PlaceField};
use super::chatgpt::instructions_at;
use super::wire::{
    AnswerReading, ProviderCheck, ProviderFailure, ProviderRequest, ProviderResponse, Wire, http_failure,
    plain_schema, read_failure, read_openai_form,
};
use super::{Listing, LocationSent, Persona, PlanLevel, Provider, ProviderConnection, Quirk};

pub const LISTING: Listing = Listing {
    provider: Provider::Perplexity,
    plan: PlanLevel::Essential,
    base_url: "https://api.perplexity.ai",
    model: "perplexity/sonar",
    connect: "Create an API key in the API portal of perplexity.ai, buy credit, and set it as providers.perplexity.api_key.",
    documentation: "https://docs.perplexity.ai/docs/agent-api/quickstart",
    requests_per_minute: 50,
    in_flight: 8,
    wire: |_| &WIRE,
};

const WIRE: Wire = Wire { request, read, fail: read_failure, check, read_check };

/// Maximum number of steps of searching and writing of one answer.
const MAX_STEPS: u32 = 2;

fn location(asking: &AskState) -> LocationSent {
    asking.location(PlaceField::NamesOrCoordinates, Quirk::UserLocation)
}

fn request(asking: &AskState) -> ProviderRequest {
    let mut body = json!({
        "model": asking.connection.model(),
        "input": asking.user_text(),
        "max_output_tokens": asking.max_output_tokens(),
        "store": false,
    });
    let location = location(asking);
    if asking.searches() {
        let mut tool = json!({ "type": "web_search", "search_context_size": "low" });
        if let Some(persona) = asking.persona().filter(|_| location == LocationSent::Parameters) {
            tool["user_location"] = place(persona);
        }
        body["tools"] = json!([tool]);
        if asking.accepts(Quirk::ToolChoice) {
            body["tool_choice"] = json!("required");
        }
        if asking.accepts(Quirk::MaxToolCalls) {
            body["max_steps"] = json!(MAX_STEPS);
        }
    }
    let language = asking.persona().and_then(|persona| persona.language.as_deref());
    if let Some(language) = language.filter(|_| asking.accepts(Quirk::LanguagePreference)) {
        // Codes of ISO 639-1 only.
        body["language_preference"] = json!(language.split('-').next());
    }
    if let Some(system) = instructions_at(asking, location) {
        body["instructions"] = json!(system);
    }
    if let Some(schema) = asking.schema().filter(|_| asking.accepts(Quirk::ResponseFormat)) {
        let schema = json!({ "name": "result", "schema": plain_schema(schema) });
        body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
    }
    ProviderRequest::post(asking.connection.endpoint(&["v1", "agent"]), body).with_bearer(asking.connection)
}

fn place(persona: &Persona) -> Value {
    let mut place = json!({});
    let named = [("country", &persona.country), ("region", &persona.region), ("city", &persona.city)];
    for (field, value) in named.into_iter().filter_map(|(field, value)| Some((field, value.as_ref()?))) {
        place[field] = json!(value);
    }
    if let Some((latitude, longitude)) = persona.coordinates() {
        place["latitude"] = json!(latitude);
        place["longitude"] = json!(longitude);
    }
    place
}

fn read(asking: &AskState, value: Value) -> AnswerReading {
    read_openai_form(asking, value, location(asking))
}

/// Asks for a response that does not exist: the vendor has no free call that says more.
fn check(connection: &ProviderConnection) -> ProviderRequest {
    ProviderRequest::get(connection.endpoint(&["v1", "responses", "resp_0"])).with_bearer(connection)
}

fn read_check(
    _: &ProviderConnection,
    response: &ProviderResponse,
    now: Timestamp,
) -> Result<ProviderCheck, ProviderFailure> {
    if response.status == StatusCode::NOT_FOUND || response.status.is_success() {
        return Ok(ProviderCheck::default());
    }
    Err(http_failure(response, now))
}
