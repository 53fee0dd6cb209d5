//! Anthropic: Messages with `web_search_20250305`, and the description of models. Pure.

use serde_json::{Value, json};

use super::errors::VendorError;
use super::openai::task_text;
use super::strict::{PLACE, unknown_field};
use super::{FakeRequest, Reply, Vendor, World, chat, is_key, tokens};
use crate::answers::Document;
use crate::scenario::Fault;

const FIELDS: &[&str] = &[
    "model",
    "max_tokens",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "output_config",
    "metadata",
    "stop_sequences",
    "stream",
    "service_tier",
    "thinking",
    "container",
    "cache_control",
    "inference_geo",
    "temperature",
    "top_p",
    "top_k",
];
const TOOL: &[&str] = &[
    "type",
    "name",
    "max_uses",
    "user_location",
    "allowed_domains",
    "blocked_domains",
    "cache_control",
    "strict",
];

/// A model and what it refuses.
struct ClaudeModel {
    id: &'static str,
    forces_tools: bool,
}

const MODELS: &[ClaudeModel] = &[
    ClaudeModel { id: "claude-haiku-5-5", forces_tools: true },
    ClaudeModel { id: "claude-sonnet-5", forces_tools: true },
    ClaudeModel { id: "claude-sonnet-5-5", forces_tools: false },
];

type Replied = Result<Reply, Reply>;

fn refuse(status: u16, message: &str) -> Reply {
    VendorError { status, code: "", message, param: None }.reply(Vendor::Anthropic)
}

pub(super) fn reply(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    // The vendor's documentation names the first header, its SDK sends the second.
    if !is_key(request.header("x-api-key")) && !is_key(request.bearer()) {
        return Err(refuse(401, "invalid x-api-key"));
    }
    if request.header("anthropic-version").is_empty() {
        return Err(refuse(400, "anthropic-version: header is required"));
    }
    if let Some(id) = request.path.strip_prefix("/models/") {
        return match MODELS.iter().find(|model| model.id == id) {
            Some(model) => Ok(Reply::json(describe(model))),
            None => Err(refuse(404, &format!("model: {id}"))),
        };
    }
    if !request.is_post("/messages") {
        return Err(refuse(404, "Not Found"));
    }
    check(&request.body)?;
    respond(&request.body, world, fault)
}

fn describe(model: &ClaudeModel) -> Value {
    let yes = json!({ "supported": true });
    let no = json!({ "supported": false });
    json!({ "type": "model", "id": model.id, "display_name": model.id, "created_at": "2026-10-07T00:00:00Z",
        "lifecycle": "active", "deprecated_at": null, "retires_at": null, "line": null,
        "max_input_tokens": 200_000, "max_tokens": 64_000,
        "capabilities": {
            "batch": yes, "citations": yes, "code_execution": yes, "image_input": yes, "pdf_input": yes,
            "structured_outputs": yes,
            "context_management": { "supported": true, "clear_thinking_20251015": yes, "clear_tool_uses_20250919": yes, "compact_20260112": yes },
            "effort": { "supported": true, "low": yes, "medium": yes, "high": yes, "max": no, "xhigh": no },
            "thinking": { "supported": true, "types": { "adaptive": yes, "between_tools": yes, "disabled": yes, "enabled": no } },
            "server_tools": { "supported": true, "web_search": yes, "code_execution": yes } } })
}

fn check(body: &Value) -> Result<(), Reply> {
    if !body.is_object() {
        return Err(refuse(400, "The request body is not valid JSON"));
    }
    if let Some(field) = unknown_field(body, FIELDS) {
        return Err(refuse(400, &format!("{field}: Extra inputs are not permitted")));
    }
    for field in ["model", "max_tokens", "messages"] {
        if body[field].is_null() {
            return Err(refuse(400, &format!("{field}: Field required")));
        }
    }
    let id = body["model"].as_str().unwrap_or_default();
    let Some(model) = MODELS.iter().find(|model| model.id == id) else {
        return Err(refuse(404, &format!("model: {id}")));
    };
    for field in ["temperature", "top_p", "top_k"] {
        if !body[field].is_null() {
            return Err(refuse(400, &format!("{field}: this model does not support sampling parameters")));
        }
    }
    if body["thinking"]["type"] == "enabled" {
        return Err(refuse(400, "thinking.enabled: this model supports adaptive thinking only"));
    }
    if matches!(body["tool_choice"]["type"].as_str(), Some("tool" | "any")) && !model.forces_tools {
        return Err(refuse(400, "tool_choice: this model does not support forced tool use"));
    }
    for tool in body["tools"].as_array().into_iter().flatten() {
        let unknown = unknown_field(tool, TOOL).or_else(|| unknown_field(&tool["user_location"], PLACE));
        if let Some(field) = unknown {
            return Err(refuse(400, &format!("tools.0.{field}: Extra inputs are not permitted")));
        }
    }
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let is_continued = messages.iter().any(|message| message["role"] == "assistant");
    if messages.first().is_none_or(|message| message["role"] != "user")
        || (is_continued && messages.len() != 2)
    {
        return Err(refuse(400, "messages: roles must alternate and begin with user"));
    }
    Ok(())
}

/// Returns the text of the first message, which a continuation repeats.
pub(super) fn question(body: &Value) -> String {
    chat::content(&body["messages"][0]["content"])
}

fn respond(body: &Value, world: &World, fault: Option<&Fault>) -> Replied {
    let question = question(body);
    let mut dice = world.occasion(Vendor::Anthropic, &question).dice("ids");
    let mut message = Message { body, id: dice.id(), content: Vec::new(), searches: 0 };
    if let Some(schema) = body.pointer("/output_config/format/schema") {
        message.add_text(&task_text(schema, &question, world, fault), Value::Null);
        return Ok(message.finish("end_turn"));
    }
    if fault == Some(&Fault::Refusal) {
        let mut reply = message.finish("refusal");
        if let super::ReplyBody::Json(value) = &mut reply.body {
            value["stop_details"] = json!({ "type": "refusal", "category": "cyber", "explanation": null });
        }
        return Ok(reply);
    }
    let Some(document) = world.document(Vendor::Anthropic, &question, fault) else {
        return Err(refuse(400, "This stand-in answers only the questions in its file."));
    };
    match fault {
        Some(Fault::EmptyAnswer) => return Ok(message.finish("end_turn")),
        Some(Fault::IncompleteEmpty) => return Ok(message.finish("max_tokens")),
        Some(Fault::PauseTurn) => {
            message.add_search(&document, 0);
            return Ok(message.finish("pause_turn"));
        }
        Some(Fault::ThinkingFirst) => {
            message.content.push(json!({ "type": "thinking", "thinking": "", "signature": "EqQBCgIYAhIM" }));
        }
        _ => {}
    }
    message.add_answer(&document, fault);
    Ok(message.finish(if fault == Some(&Fault::Incomplete) { "max_tokens" } else { "end_turn" }))
}

/// A message under construction.
struct Message<'a> {
    body: &'a Value,
    id: String,
    content: Vec<Value>,
    searches: u64,
}

impl Message<'_> {
    fn add_answer(&mut self, document: &Document, fault: Option<&Fault>) {
        let may_search = self.body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let is_forced = self.body["tool_choice"]["type"] == "tool";
        // A continuation has searched before.
        let is_continued = self.body["messages"].as_array().is_some_and(|messages| messages.len() > 1);
        if !may_search || !(is_forced || is_continued || document.has_searched) {
            self.add_text(&document.plain(), Value::Null);
            return;
        }
        match fault {
            Some(Fault::ToolError) => self.add_failed_search("too_many_requests"),
            _ if is_continued => {}
            _ => (0..document.queries.len()).for_each(|number| self.add_search(document, number)),
        }
        if fault == Some(&Fault::MaxUsesExceeded) {
            self.add_failed_search("max_uses_exceeded");
        }
        if fault == Some(&Fault::ToolError) {
            self.add_text(&document.plain(), Value::Null);
            return;
        }
        for piece in &document.pieces {
            let citations: Vec<Value> = piece
                .cites
                .iter()
                .map(|number| {
                    let source = &document.sources[*number];
                    json!({ "type": "web_search_result_location", "url": source.url, "title": source.title,
                        "encrypted_index": "Eo8BCioIAhgBIiQ", "cited_text": source.snippet })
                })
                .collect();
            let citations = if citations.is_empty() { Value::Null } else { json!(citations) };
            self.add_text(&format!("{}{}", piece.gap, piece.text), citations);
        }
    }

    fn add_text(&mut self, text: &str, citations: Value) {
        self.content.push(json!({ "type": "text", "text": text, "citations": citations }));
    }

    fn add_search(&mut self, document: &Document, number: usize) {
        let id = self.tool_id();
        let results: Vec<Value> = document
            .sources
            .iter()
            .map(|source| {
                json!({ "type": "web_search_result", "url": source.url, "title": source.title,
                    "encrypted_content": "EqgfCioIAhgBIiQ", "page_age": "2 weeks ago" })
            })
            .collect();
        let query = document.queries.get(number).map_or("", String::as_str);
        self.content.push(json!({ "type": "server_tool_use", "id": id, "name": "web_search",
            "input": { "query": query }, "caller": { "type": "direct" } }));
        self.content.push(json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": results,
            "caller": { "type": "direct" } }));
        self.searches += 1;
    }

    fn add_failed_search(&mut self, code: &str) {
        let id = self.tool_id();
        let error = json!({ "type": "web_search_tool_result_error", "error_code": code });
        self.content.push(json!({ "type": "server_tool_use", "id": id, "name": "web_search",
            "input": { "query": "best tool" }, "caller": { "type": "direct" } }));
        self.content.push(json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": error,
            "caller": { "type": "direct" } }));
    }

    fn tool_id(&self) -> String {
        format!("srvtoolu_{}{:02}", self.id, self.content.len())
    }

    fn finish(self, stop: &str) -> Reply {
        let length: usize =
            self.content.iter().filter_map(|block| block["text"].as_str()).map(str::len).sum();
        let usage = json!({ "input_tokens": tokens(&question(self.body)) + 4_000 * self.searches,
            "output_tokens": length as u64 / 4 + 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            "cache_creation": null, "inference_geo": null, "service_tier": "standard", "output_tokens_details": null,
            "server_tool_use": { "web_search_requests": self.searches, "web_fetch_requests": 0 } });
        Reply::json(json!({ "id": format!("msg_{}", self.id), "type": "message", "role": "assistant",
            "model": self.body["model"], "content": self.content, "stop_reason": stop, "stop_sequence": null,
            "stop_details": null, "container": null, "usage": usage }))
        .with_header("anthropic-ratelimit-requests-limit", "1000")
        .with_header("anthropic-ratelimit-requests-remaining", "999")
        .with_header("anthropic-ratelimit-requests-reset", "2026-11-25T12:00:10Z")
        .with_header("request-id", &format!("req_{}", self.id))
    }
}
