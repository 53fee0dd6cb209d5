//! OpenAI: Responses with `web_search`, and the description of models. Pure.

use serde_json::{Value, json};

use super::errors::VendorError;
use super::strict::{PLACE, WEB_SEARCH, unknown_field};
use super::{FakeRequest, Reply, Vendor, World, chat, is_key, tokens};
use crate::answers::{Document, MarkedText, result_for};
use crate::scenario::Fault;

/// Known models, and their announced end.
const MODELS: &[(&str, Option<&str>)] = &[
    ("gpt-6-luna", None),
    ("gpt-6-sol", None),
    ("gpt-6.1-sol", None),
    ("gpt-5.6-luna", None),
    ("gpt-5.4-mini", Some("2027-06-30")),
];
const FIELDS: &[&str] = &[
    "background",
    "conversation",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

type Replied = Result<Reply, Reply>;

fn refuse(status: u16, code: &str, message: &str, param: Option<&str>) -> Reply {
    VendorError { status, code, message, param }.reply(Vendor::Openai)
}

pub(super) fn reply(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    if !is_key(request.bearer()) {
        return Err(refuse(401, "invalid_api_key", "Incorrect API key provided.", None));
    }
    if let Some(model) = request.path.strip_prefix("/models/") {
        return describe(model);
    }
    if request.is_get("/models") {
        let models: Vec<Value> = MODELS.iter().map(|(id, end)| model(id, *end)).collect();
        return Ok(Reply::json(json!({ "object": "list", "data": models })));
    }
    if request.is_post("/chat/completions") {
        return chat::reply(request, world, fault);
    }
    if !request.is_post("/responses") {
        return Err(refuse(404, "not_found", "Invalid URL.", None));
    }
    check(&request.body)?;
    respond(&request.body, world, fault)
}

fn model(id: &str, end: Option<&str>) -> Value {
    json!({ "id": id, "object": "model", "created": 1_790_000_000, "owned_by": "openai", "shutdown_date": end })
}

fn describe(id: &str) -> Replied {
    match MODELS.iter().find(|(known, _)| *known == id) {
        Some((id, end)) => Ok(Reply::json(model(id, *end))),
        None => {
            Err(refuse(404, "model_not_found", &format!("The model '{id}' does not exist"), Some("model")))
        }
    }
}

fn check(body: &Value) -> Result<(), Reply> {
    let unknown = |field: &str| {
        Err(refuse(400, "unknown_parameter", &format!("Unknown parameter: '{field}'."), Some(field)))
    };
    if !body.is_object() {
        return Err(refuse(400, "invalid_json", "We could not parse the JSON body of your request.", None));
    }
    if let Some(field) = unknown_field(body, FIELDS) {
        return unknown(field);
    }
    let Some(name) = body["model"].as_str() else {
        return Err(refuse(
            400,
            "missing_required_parameter",
            "Missing required parameter: 'model'.",
            Some("model"),
        ));
    };
    if !MODELS.iter().any(|(known, _)| *known == name) {
        let message = format!("The model `{name}` does not exist or you do not have access to it.");
        return Err(refuse(404, "model_not_found", &message, None));
    }
    if body["temperature"].is_number() || body["top_p"].is_number() {
        return Err(refuse(
            400,
            "unsupported_parameter",
            "Unsupported parameter: 'temperature' is not supported with this model.",
            Some("temperature"),
        ));
    }
    for tool in body["tools"].as_array().into_iter().flatten() {
        if !matches!(tool["type"].as_str(), Some("web_search" | "web_search_2025_08_26")) {
            return Err(refuse(
                400,
                "invalid_value",
                "Invalid value for 'tools[0].type'.",
                Some("tools[0].type"),
            ));
        }
        if let Some(field) = unknown_field(tool, WEB_SEARCH) {
            return unknown(&format!("tools[0].{field}"));
        }
        if let Some(field) = unknown_field(&tool["user_location"], PLACE) {
            return unknown(&format!("tools[0].user_location.{field}"));
        }
    }
    if body["tool_choice"] == "required" && body["tools"].as_array().is_none_or(Vec::is_empty) {
        return Err(refuse(
            400,
            "invalid_value",
            "Tool choice 'required' must be specified with 'tools' parameter.",
            Some("tool_choice"),
        ));
    }
    Ok(())
}

/// Returns the text of the input: a text, or the last message of a list.
pub(super) fn question(body: &Value) -> String {
    match &body["input"] {
        Value::String(text) => text.clone(),
        Value::Array(items) => chat::content(&items.last().cloned().unwrap_or_default()["content"]),
        _ => String::new(),
    }
}

fn respond(body: &Value, world: &World, fault: Option<&Fault>) -> Replied {
    let question = question(body);
    let mut dice = world.occasion(Vendor::Openai, &question).dice("ids");
    let id = dice.id();
    let schema = body.pointer("/text/format/schema");
    let mut response = Response { world, body, id: &id, output: Vec::new(), searches: 0, text_length: 0 };
    match (schema, fault) {
        (Some(schema), fault) => {
            response.add_message(&task_text(schema, &question, world, fault), Vec::new())
        }
        (None, Some(Fault::EmptyAnswer)) => response.add_message("", Vec::new()),
        (None, Some(Fault::Failed)) => {
            let error =
                json!({ "code": "server_error", "message": "The model failed to generate a response." });
            return Ok(response.finish("failed", error, Value::Null));
        }
        (None, Some(Fault::Refusal)) => {
            let part = json!({ "type": "refusal", "refusal": "I can't help with that." });
            response.add_parts(json!([part]));
        }
        (None, Some(Fault::IncompleteEmpty)) => {
            response.output.push(json!({ "type": "reasoning", "id": format!("rs_{id}"), "summary": [] }));
            return Ok(response.finish("incomplete", Value::Null, json!({ "reason": "max_output_tokens" })));
        }
        (None, fault) => {
            let Some(document) = world.document(Vendor::Openai, &question, fault) else {
                return Err(unscripted());
            };
            response.add_answer(&document);
            if fault == Some(&Fault::Incomplete) {
                return Ok(response.finish(
                    "incomplete",
                    Value::Null,
                    json!({ "reason": "max_output_tokens" }),
                ));
            }
        }
    }
    Ok(response.finish("completed", Value::Null, Value::Null))
}

/// Makes the refusal of a question that the file of answers does not have.
fn unscripted() -> Reply {
    refuse(400, "invalid_prompt", "This stand-in answers only the questions in its file.", None)
}

/// Writes a task's result, with the faults that labelling models have.
pub(super) fn task_text(schema: &Value, text: &str, world: &World, fault: Option<&Fault>) -> String {
    let mut result = result_for(schema, text, world.brands);
    match fault {
        Some(Fault::BrokenJson) => {
            let text = result.to_string();
            let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            return text[..half].to_owned();
        }
        Some(Fault::WrongType) => return json!({ "brand": "positive", "competitors": 3 }).to_string(),
        Some(Fault::InventedBrand) => {
            if let Some(list) = result.get_mut("competitors").and_then(Value::as_array_mut) {
                list.push(
                    json!({ "name": "Neverheardof", "sentiment": 0.9, "website": "neverheardof.example" }),
                );
            }
        }
        Some(Fault::FalseQuote) => {
            if let Some(quote) = result.pointer_mut("/brand/quote") {
                *quote = json!("a sentence that nobody wrote");
            }
        }
        _ => {}
    }
    result.to_string()
}

/// A response under construction.
struct Response<'a> {
    world: &'a World<'a>,
    body: &'a Value,
    id: &'a str,
    output: Vec<Value>,
    searches: u64,
    text_length: usize,
}

impl Response<'_> {
    fn may_search(&self) -> bool {
        self.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
    }

    fn add_answer(&mut self, document: &Document) {
        let id = self.id;
        self.output.push(json!({ "type": "reasoning", "id": format!("rs_{id}"), "summary": [] }));
        let is_forced = self.body["tool_choice"] == "required";
        if !self.may_search() || !(is_forced || document.has_searched) {
            self.add_message(&document.plain(), Vec::new());
            return;
        }
        let sources: Vec<Value> = document
            .sources
            .iter()
            .map(|source| json!({ "type": "url", "url": with_mark(&source.url) }))
            .collect();
        for (position, query) in document.queries.iter().enumerate() {
            let mut action = json!({ "type": "search", "query": query, "queries": [query] });
            let is_included = self.body["include"].to_string().contains("web_search_call.action.sources");
            if is_included && position == 0 {
                action["sources"] = json!(sources);
            }
            self.output.push(json!({ "type": "web_search_call", "id": format!("ws_{id}_{position}"),
                "status": "completed", "action": action }));
            self.searches += 1;
        }
        let marked = document.marked(|number| {
            let url = &document.sources[number].url;
            format!(" ([{}]({}))", host_of(url), with_mark(url))
        });
        let annotations = annotations(document, &marked);
        self.add_message(&marked.text, annotations);
    }

    fn add_message(&mut self, text: &str, annotations: Vec<Value>) {
        self.text_length = text.len();
        self.add_parts(
            json!([{ "type": "output_text", "text": text, "annotations": annotations, "logprobs": [] }]),
        );
    }

    fn add_parts(&mut self, parts: Value) {
        let id = format!("msg_{}", self.id);
        self.output.push(json!({ "type": "message", "id": id, "role": "assistant", "status": "completed", "content": parts }));
    }

    fn finish(self, status: &str, error: Value, incomplete: Value) -> Reply {
        let body = self.body;
        let (input, output) =
            (tokens(&question(body)) + 3_000 * self.searches, self.text_length as u64 / 4 + 320);
        let usage = json!({
            "input_tokens": input, "input_tokens_details": { "cached_tokens": 0, "cache_write_tokens": 0 },
            "output_tokens": output, "output_tokens_details": { "reasoning_tokens": 320 },
            "total_tokens": input + output,
        });
        let image = json!({ "input_tokens": 0, "input_tokens_details": { "image_tokens": 0, "text_tokens": 0 },
            "output_tokens": 0, "output_tokens_details": { "image_tokens": 0, "text_tokens": 0 }, "total_tokens": 0 });
        let or =
            |field: &str, default: Value| if body[field].is_null() { default } else { body[field].clone() };
        let is_failed = status == "failed";
        Reply::json(json!({
            "id": format!("resp_{}", self.id), "object": "response", "created_at": self.world.created_at(),
            "status": status, "model": body["model"], "error": error, "incomplete_details": incomplete,
            "output": self.output, "instructions": body["instructions"], "metadata": or("metadata", json!({})),
            "parallel_tool_calls": true, "temperature": 1.0, "top_p": 1.0,
            "tool_choice": or("tool_choice", json!("auto")), "tools": or("tools", json!([])),
            "max_output_tokens": body["max_output_tokens"], "reasoning": or("reasoning", json!({})),
            "store": or("store", json!(true)), "text": or("text", json!({ "format": { "type": "text" } })),
            "truncation": "disabled",
            "usage": if is_failed { Value::Null } else { usage },
            "tool_usage": { "image_gen": image, "web_search": { "num_requests": self.searches } },
        }))
        .with_header("x-ratelimit-limit-requests", "500")
        .with_header("x-ratelimit-remaining-requests", "499")
        .with_header("x-ratelimit-reset-requests", "120ms")
        .with_header("x-request-id", &format!("req_{}", self.id))
    }
}

/// Annotations with offsets in characters, as OpenAI counts.
fn annotations(document: &Document, marked: &MarkedText) -> Vec<Value> {
    // One pass over the text: offsets rise from mark to mark.
    let (mut bytes, mut characters) = (0, 0);
    let mut characters_at = |offset: usize| {
        characters += marked.text[bytes..offset].chars().count();
        bytes = offset;
        characters
    };
    marked
        .spans
        .iter()
        .map(|span| {
            let source = &document.sources[span.source];
            let (start, end) = (characters_at(span.end), characters_at(span.mark_end));
            json!({ "type": "url_citation", "start_index": start, "end_index": end,
                "url": with_mark(&source.url), "title": source.title })
        })
        .collect()
}

fn with_mark(url: &str) -> String {
    let sign = if url.contains('?') { '&' } else { '?' };
    format!("{url}{sign}utm_source=openai")
}

pub(super) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or(rest);
    host.strip_prefix("www.").unwrap_or(host)
}
