//! Gemini: Google's `generateContent` with Google Search.
//! Set-up: an API key of Google AI Studio. One question costs 0.03 to 0.11 dollars with gemini-3.8-flash, since each
//! executed search is billed; the first 5,000 a month of a project are free.
//! Terms: Google's terms restrict the storing and analysing of grounded answers. It is the operator's account and choice:
//! `providers.gemini.search = false` asks without searching, and Search Suggestions are dropped here, before anything is kept.

use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use super::asking::{AskState, PlaceField, Progress};
use super::chatgpt::{instructions_at, read_model};
use super::wire::{
    AnswerReading, CallBill, FailureClass, MAX_QUERIES, MAX_WAIT, ProviderCheck, ProviderFailure,
    ProviderRequest, ProviderResponse, ReadOutcome, SourceList, VendorErrorBody, Wire, http_failure,
    inner_failure,
    json::{self as fields, count, found, list, text},
    parse_span, plain_schema,
};
use super::{
    Answer, Finish, Listing, LocationSent, PlanLevel, Provider, ProviderConnection, Quirk, Retrieval, Usage,
};

pub const LISTING: Listing = Listing {
    provider: Provider::Gemini,
    plan: PlanLevel::Essential,
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    model: "gemini-3.8-flash",
    connect: "Create an API key at aistudio.google.com, read Google's terms for grounding, and set it as providers.gemini.api_key.",
    documentation: "https://ai.google.dev/gemini-api/docs/google-search",
    requests_per_minute: 60,
    in_flight: 16,
    wire: |_| &WIRE,
};

const WIRE: Wire = Wire { request, read, fail: read_error, check, read_check };

fn location(asking: &AskState) -> LocationSent {
    asking.location(PlaceField::Coordinates, Quirk::RetrievalConfig)
}

fn model_path(connection: &ProviderConnection) -> &str {
    let model = connection.model();
    model.strip_prefix("models/").unwrap_or(model)
}

fn authorized(request: ProviderRequest, connection: &ProviderConnection) -> ProviderRequest {
    request.with_key("x-goog-api-key", "", connection.key.as_ref().map(|key| key.secret()))
}

fn request(asking: &AskState) -> ProviderRequest {
    let mut config = json!({ "maxOutputTokens": asking.max_output_tokens() });
    if asking.accepts(Quirk::Reasoning) {
        config["thinkingConfig"] = json!({ "thinkingLevel": "low" });
    }
    if let Some(schema) = asking.schema().filter(|_| asking.accepts(Quirk::ResponseFormat)) {
        config["responseMimeType"] = json!("application/json");
        config["responseJsonSchema"] = plain_schema(schema);
    }
    let mut body = json!({
        "contents": [{ "role": "user", "parts": [{ "text": asking.user_text() }] }],
        "generationConfig": config,
    });
    if let Some(system) = instructions_at(asking, location(asking)) {
        body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
    }
    if asking.searches() {
        body["tools"] = json!([{ "google_search": {} }]);
        if let Some(retrieval) = retrieval_config(asking) {
            body["toolConfig"] = json!({ "retrievalConfig": retrieval });
        }
    }
    let action = format!("{}:generateContent", model_path(asking.connection));
    authorized(
        ProviderRequest::post(asking.connection.endpoint(&["models", &action]), body),
        asking.connection,
    )
}

fn retrieval_config(asking: &AskState) -> Option<Value> {
    let persona = asking.persona().filter(|_| asking.accepts(Quirk::RetrievalConfig))?;
    let mut config = json!({});
    if let Some((latitude, longitude)) = persona.coordinates() {
        config["latLng"] = json!({ "latitude": latitude, "longitude": longitude });
    }
    if let Some(language) = &persona.language {
        config["languageCode"] = json!(language);
    }
    Some(config).filter(|config| *config != json!({}))
}

fn read(asking: &AskState, mut value: Value) -> AnswerReading {
    drop_search_suggestions(&mut value);
    let usage = usage_of(&value);
    let bill = usage.map_or(CallBill::Unknown, CallBill::Used);
    let Some(candidate) = list(&value, "candidates").first() else {
        return without_candidate(&value, bill);
    };
    let parts = candidate.get("content").map_or(&[][..], |content| list(content, "parts"));
    let is_thought = |part: &&Value| part.get("thought").and_then(Value::as_bool) == Some(true);
    let answer_text: String =
        parts.iter().filter(|part| !is_thought(part)).map(|part| text(part, "text")).collect();
    let reason = text(candidate, "finishReason");

    match reason {
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => {
            let detail = format!("the model declined to answer: {reason}");
            AnswerReading::refused(bill, &detail)
        }
        "MALFORMED_RESPONSE"
        | "OTHER"
        | "TOO_MANY_TOOL_CALLS"
        | "UNEXPECTED_TOOL_CALL"
        | "MALFORMED_FUNCTION_CALL" => {
            let detail = format!("HTTP 200 the answer ended with {reason}");
            AnswerReading::failure(bill, ProviderFailure::new(FailureClass::Retry, &detail))
        }
        "MAX_TOKENS" if answer_text.trim().is_empty() && !asking.progress.is_doubled => {
            let progress = Progress { is_doubled: true, ..asking.progress.clone() };
            AnswerReading::next(bill, progress, Duration::ZERO)
        }
        _ if answer_text.trim().is_empty() => {
            AnswerReading::unreadable(bill, "HTTP 200 with an empty answer")
        }
        _ => {
            let finish = if reason == "MAX_TOKENS" { Finish::Truncated } else { Finish::Complete };
            let grounding = Grounding::read(candidate.get("groundingMetadata"));
            AnswerReading::answer(bill, grounding.into_answer(asking, answer_text, finish, value, usage))
        }
    }
}

/// Removes Google's Search Suggestions, which its terms allow nobody to keep.
fn drop_search_suggestions(value: &mut Value) {
    let Some(candidates) = value.get_mut("candidates").and_then(Value::as_array_mut) else { return };
    for candidate in candidates {
        if let Some(grounding) = candidate.get_mut("groundingMetadata").and_then(Value::as_object_mut) {
            grounding.remove("searchEntryPoint");
        }
    }
}

fn without_candidate(value: &Value, bill: CallBill) -> AnswerReading {
    if let Some(reason) = value.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
        let detail = format!("the question was blocked: {reason}");
        return AnswerReading::refused(bill, &detail);
    }
    if found(value, "error").is_some() || value.is_array() {
        return AnswerReading::failure(CallBill::Free, inner_failure(&VendorErrorBody::from_json(value)));
    }
    AnswerReading::unreadable(bill, "HTTP 200 without candidates")
}

/// Sources and searches of a grounded answer.
#[derive(Default)]
struct Grounding {
    is_there: bool,
    cited: SourceList,
    found: SourceList,
    queries: Vec<String>,
}

impl Grounding {
    fn read(metadata: Option<&Value>) -> Grounding {
        let mut grounding = Grounding::default();
        let Some(metadata) = metadata.filter(|metadata| metadata.is_object()) else { return grounding };
        let chunks: Vec<(&str, &str)> = list(metadata, "groundingChunks").iter().map(source_of).collect();
        let queries = list(metadata, "webSearchQueries").iter().filter_map(Value::as_str);
        grounding.queries = queries.take(MAX_QUERIES).map(str::to_owned).collect();
        grounding.is_there = !chunks.is_empty() || !grounding.queries.is_empty();

        let supports = list(metadata, "groundingSupports");
        let indices = supports.iter().flat_map(|support| list(support, "groundingChunkIndices"));
        let cited: Vec<&(&str, &str)> =
            indices.filter_map(|index| chunks.get(usize::try_from(index.as_u64()?).ok()?)).collect();
        if supports.is_empty() {
            chunks.iter().for_each(|(url, title)| grounding.cited.add(url, title));
        } else {
            cited.into_iter().for_each(|(url, title)| grounding.cited.add(url, title));
        }
        chunks.iter().for_each(|(url, title)| grounding.found.add(url, title));
        grounding
    }

    fn into_answer(
        self,
        asking: &AskState,
        text: String,
        finish: Finish,
        raw: Value,
        usage: Option<Usage>,
    ) -> Answer {
        let retrieval = match (asking.searches(), self.is_there) {
            (false, _) => Retrieval::Off,
            (true, true) => Retrieval::Used,
            (true, false) => Retrieval::NotUsed,
        };
        Answer {
            text,
            retrieved: self.found.without(&self.cited),
            citations: self.cited.into_vec(),
            queries: self.queries,
            retrieval,
            served_model: Some(fields::text(&raw, "modelVersion").to_owned())
                .filter(|model| !model.is_empty()),
            finish,
            location: location(asking),
            query_cut: false,
            usage: usage.unwrap_or_default(),
            raw,
        }
    }
}

fn source_of(chunk: &Value) -> (&str, &str) {
    let web = chunk.get("web").unwrap_or(&Value::Null);
    (text(web, "uri"), text(web, "title"))
}

/// Reads the usage. Searches are billed by their number, whatever they found.
fn usage_of(value: &Value) -> Option<Usage> {
    let usage = found(value, "usageMetadata").filter(|usage| usage.is_object())?;
    let queries = list(value, "candidates").first().and_then(|candidate| candidate.get("groundingMetadata"));
    Some(Usage {
        input_tokens: count(usage, "promptTokenCount")
            .saturating_add(count(usage, "toolUsePromptTokenCount")),
        output_tokens: count(usage, "candidatesTokenCount")
            .saturating_add(count(usage, "thoughtsTokenCount")),
        searches: queries.map_or(0, |grounding| list(grounding, "webSearchQueries").len() as u64),
    })
}

fn read_error(asking: &AskState, response: &ProviderResponse) -> ReadOutcome {
    ReadOutcome::Failure(fail(response, asking.now()))
}

/// Reads an error. A 429 with a delay is a throttle; one that only points at plan and billing is the quota of the day,
/// which starts again at midnight in California.
fn fail(response: &ProviderResponse, now: Timestamp) -> ProviderFailure {
    let failure = http_failure(response, now);
    let body = fields::parse(response.body).unwrap_or_default();
    let body = body.get(0).unwrap_or(&body);
    let details = body.get("error").map_or(&[][..], |error| list(error, "details"));
    let of_type = |name: &str| details.iter().find(|detail| text(detail, "@type").ends_with(name));
    let error = VendorErrorBody::parse(response.body);

    if details.iter().any(|detail| text(detail, "reason") == "API_KEY_INVALID") {
        // Arrives as 400 INVALID_ARGUMENT.
        return ProviderFailure { class: FailureClass::Auth, wait: None, ..failure };
    }
    if response.status.as_u16() != 429 {
        return failure;
    }
    if let Some(delay) = of_type("google.rpc.RetryInfo").and_then(|info| parse_span(text(info, "retryDelay")))
    {
        return ProviderFailure { class: FailureClass::Throttle, wait: Some(delay.min(MAX_WAIT)), ..failure };
    }
    if failure.wait.is_none()
        && (of_type("google.rpc.Help").is_some() || error.says_any(&["plan and billing"]))
    {
        return ProviderFailure { class: FailureClass::Quota, wait: until_pacific_midnight(now), ..failure };
    }
    ProviderFailure { class: FailureClass::Throttle, ..failure }
}

/// Returns the time until the quotas of the day start again.
fn until_pacific_midnight(now: Timestamp) -> Option<Duration> {
    let zone = TimeZone::get("America/Los_Angeles").expect("the time zones are part of the binary");
    let tomorrow = now.to_zoned(zone.clone()).date().checked_add(1.day()).ok()?;
    let midnight = tomorrow.to_zoned(zone).ok()?.timestamp();
    Duration::try_from(midnight.duration_since(now)).ok()
}

fn check(connection: &ProviderConnection) -> ProviderRequest {
    authorized(ProviderRequest::get(connection.endpoint(&["models", model_path(connection)])), connection)
}

fn read_check(
    _: &ProviderConnection,
    response: &ProviderResponse,
    now: Timestamp,
) -> Result<ProviderCheck, ProviderFailure> {
    let model = read_model(response, now, fail)?;
    let can_answer = |model: &Value| {
        let methods = list(model, "supportedGenerationMethods");
        methods.is_empty() || methods.iter().any(|method| method == "generateContent")
    };
    Ok(ProviderCheck {
        is_model_there: Some(model.as_ref().is_some_and(can_answer)),
        ..ProviderCheck::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_begin_anew_at_midnight_in_california() {
        let wait = |now: &str| until_pacific_midnight(now.parse().unwrap()).map(|wait| wait.as_secs());

        assert_eq!(wait("2026-11-25T07:30:00Z"), Some(30 * 60));
        assert_eq!(wait("2026-11-25T08:00:00Z"), Some(24 * 3_600));
        // The day on which summer time ends has 25 hours.
        assert_eq!(wait("2026-11-01T07:00:00Z"), Some(25 * 3_600));
    }
}
