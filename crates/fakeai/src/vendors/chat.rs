//! Chat completions: a local server, a gateway, and OpenAI's own. Pure.

use serde_json::{Value, json};

use super::errors::VendorError;
use super::openai::task_text;
use super::{FakeRequest, Reply, Vendor, World, tokens};
use crate::scenario::Fault;

type Replied = Result<Reply, Reply>;

fn refuse(status: u16, code: &str, message: &str, param: Option<&str>) -> Reply {
    VendorError { status, code, message, param }.reply(Vendor::Chat)
}

/// Answers as a server without keys: local ones have none. Every model is there unless its name begins with `unknown`.
pub(super) fn reply(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    if request.bearer().starts_with("invalid") {
        return Err(refuse(401, "invalid_api_key", "Invalid API key", None));
    }
    if request.is_get("/models") {
        let models = ["some-search-model", "llama3.3:latest", "gpt-6-luna"].map(
            |id| json!({ "id": id, "object": "model", "created": 1_790_000_000, "owned_by": "library" }),
        );
        return Ok(Reply::json(json!({ "object": "list", "data": models })));
    }
    if !request.is_post("/chat/completions") {
        return Err(refuse(404, "not_found", "404 page not found", None));
    }
    let body = &request.body;
    let Some(model) = body["model"].as_str() else {
        return Err(refuse(400, "missing_required_parameter", "model is required", Some("model")));
    };
    if model.starts_with("unknown") {
        return Err(refuse(404, "model_not_found", &format!("model '{model}' not found"), Some("model")));
    }
    if body["messages"].as_array().is_none_or(Vec::is_empty) {
        return Err(refuse(400, "missing_required_parameter", "messages is required", Some("messages")));
    }
    complete(body, world, fault)
}

/// Returns the text of the last message of the user.
pub(super) fn question(body: &Value) -> String {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let last = messages.iter().rev().find(|message| message["role"] == "user");
    last.map(|message| content(&message["content"])).unwrap_or_default()
}

/// Reads content: a text, or the texts of a list of parts.
pub(super) fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn complete(body: &Value, world: &World, fault: Option<&Fault>) -> Replied {
    let question = question(body);
    let mut dice = world.occasion(Vendor::Chat, &question).dice("ids");
    let mut message = json!({ "role": "assistant", "refusal": null });
    let mut reason = "stop";
    let text = match body.pointer("/response_format/json_schema/schema") {
        Some(schema) => task_text(schema, &question, world, fault),
        None => {
            let Some(document) = world.document(Vendor::Chat, &question, fault) else {
                return Err(refuse(
                    400,
                    "invalid_prompt",
                    "This stand-in answers only the questions in its file.",
                    None,
                ));
            };
            if body["web_search_options"].is_object() && document.has_searched {
                let cited = document.cited();
                let annotations = cited.iter().map(|number| {
                    let source = &document.sources[*number];
                    json!({ "type": "url_citation", "url_citation": {
                        "start_index": 0, "end_index": 1, "url": source.url, "title": source.title } })
                });
                message["annotations"] = annotations.collect();
            }
            document.plain()
        }
    };
    message["content"] = match fault {
        Some(Fault::ContentNull) => Value::Null,
        Some(Fault::ContentChunks) => {
            let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            json!([{ "type": "text", "text": text[..middle] }, { "type": "text", "text": text[middle..] }])
        }
        Some(Fault::EmptyAnswer) => json!(""),
        Some(Fault::Thinks) => json!(format!("<think>\nThe user asks for a list.\n</think>\n\n{text}")),
        Some(Fault::Refusal) => {
            message["refusal"] = json!("I can't help with that.");
            Value::Null
        }
        Some(Fault::Incomplete) => {
            reason = "length";
            json!(text)
        }
        Some(Fault::IncompleteEmpty) => {
            reason = "length";
            json!("")
        }
        _ => json!(text),
    };
    let (input, output) = (tokens(&question), tokens(&text));
    Ok(Reply::json(json!({
        "id": format!("chatcmpl-{}", dice.id()), "object": "chat.completion", "created": world.created_at(),
        "model": body["model"],
        "choices": [{ "index": 0, "message": message, "finish_reason": reason, "logprobs": null }],
        "usage": { "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output },
    })))
}
