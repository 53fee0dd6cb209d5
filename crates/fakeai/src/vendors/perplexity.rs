//! Perplexity: the Agent API, its alias, and the form of its former answers. Pure.

use http::Method;
use serde_json::{Value, json};

use super::errors::VendorError;
use super::openai::{question, task_text};
use super::strict::unknown_field;
use super::{FakeRequest, Reply, Vendor, World, is_key, tokens};
use crate::answers::Document;
use crate::scenario::Fault;

const MODELS: &[&str] = &["perplexity/sonar", "openai/gpt-6-luna", "anthropic/claude-haiku-5-5"];
const FIELDS: &[&str] = &[
    "background",
    "input",
    "instructions",
    "language_preference",
    "max_output_tokens",
    "max_steps",
    "model",
    "models",
    "preset",
    "previous_response_id",
    "reasoning",
    "response_format",
    "skills",
    "store",
    "stream",
    "tool_choice",
    "tools",
];
const TOOL: &[&str] =
    &["type", "filters", "max_tokens", "max_tokens_per_page", "search_context_size", "user_location"];
const PLACE: &[&str] = &["country", "region", "city", "latitude", "longitude"];

type Replied = Result<Reply, Reply>;

fn refuse(status: u16, code: &str, message: &str, param: Option<&str>) -> Reply {
    VendorError { status, code, message, param }.reply(Vendor::Perplexity)
}

pub(super) fn reply(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    if !is_key(request.bearer()) {
        return Err(Reply::text(401, "text/plain", "Unauthorized"));
    }
    let is_response = request.method == Method::GET && request.path.starts_with("/v1/responses/");
    if is_response {
        return Err(refuse(404, "not_found", "Response not found", None));
    }
    if !request.is_post("/v1/agent") && !request.is_post("/v1/responses") {
        return Err(refuse(404, "not_found", "Not found", None));
    }
    check(&request.body)?;
    respond(&request.body, world, fault)
}

fn check(body: &Value) -> Result<(), Reply> {
    if !body.is_object() {
        return Err(refuse(400, "invalid_request", "The body is not a JSON object", None));
    }
    if let Some(field) = unknown_field(body, FIELDS) {
        return Err(refuse(400, "invalid_parameter", &format!("Unknown parameter: {field}"), Some(field)));
    }
    if question(body).is_empty() {
        return Err(refuse(400, "invalid_request", "input is required", Some("input")));
    }
    match body["model"].as_str() {
        Some(model) if MODELS.contains(&model) => {}
        Some(model) => {
            return Err(refuse(400, "invalid_model", &format!("Invalid model '{model}'"), Some("model")));
        }
        None => {
            return Err(refuse(
                400,
                "invalid_request",
                "One of model, models, preset is required",
                Some("model"),
            ));
        }
    }
    for tool in body["tools"].as_array().into_iter().flatten() {
        let unknown = unknown_field(tool, TOOL).or_else(|| unknown_field(&tool["user_location"], PLACE));
        if let Some(field) = unknown {
            return Err(refuse(
                400,
                "invalid_parameter",
                &format!("Unknown parameter: {field}"),
                Some(field),
            ));
        }
    }
    Ok(())
}

fn respond(body: &Value, world: &World, fault: Option<&Fault>) -> Replied {
    let question = question(body);
    let mut dice = world.occasion(Vendor::Perplexity, &question).dice("ids");
    let id = dice.id();
    if let Some(schema) = body.pointer("/response_format/json_schema/schema") {
        let text = task_text(schema, &question, world, fault);
        return Ok(finish(body, world, &id, vec![message(&id, &text)], 0, &text));
    }
    if fault == Some(&Fault::Failed) {
        let mut reply = response(body, world, &id, "failed", Vec::new());
        reply["error"] =
            json!({ "code": "server_error", "message": "The model failed.", "type": "server_error" });
        return Ok(Reply::json(reply));
    }
    let Some(document) = world.document(Vendor::Perplexity, &question, fault) else {
        return Err(refuse(
            400,
            "invalid_request",
            "This stand-in answers only the questions in its file.",
            None,
        ));
    };
    let is_forced = body["tool_choice"] == "required";
    let may_search = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let searches = may_search && (is_forced || document.has_searched);
    let text = match fault {
        Some(Fault::NoCitations) => document.plain(),
        Some(Fault::EmptyAnswer | Fault::ContentNull | Fault::IncompleteEmpty) => String::new(),
        _ if searches => document.marked(|number| format!("[{}]", number + 1)).text,
        _ => document.plain(),
    };
    if matches!(fault, Some(Fault::FormerForm | Fault::ContentNull | Fault::ContentChunks)) {
        return Ok(former(body, world, &id, &document, &text, fault));
    }
    let mut output = Vec::new();
    if searches {
        output.push(results(&document));
    }
    output.push(message(&id, &text));
    let count = if searches { document.queries.len() as u64 } else { 0 };
    let mut reply = finish(body, world, &id, output, count, &text);
    if matches!(fault, Some(Fault::Incomplete | Fault::IncompleteEmpty))
        && let super::ReplyBody::Json(value) = &mut reply.body
    {
        value["status"] = json!("incomplete");
    }
    Ok(reply)
}

fn results(document: &Document) -> Value {
    let result = |(number, source): (usize, &crate::answers::FakeSource)| {
        json!({ "id": number + 1, "url": source.url, "title": source.title, "snippet": source.snippet,
            "date": "2026-08-01", "last_updated": "2026-10-02", "source": "web" })
    };
    let results: Vec<Value> = document.sources.iter().enumerate().map(result).collect();
    json!({ "type": "search_results", "queries": document.queries, "results": results })
}

fn message(id: &str, text: &str) -> Value {
    json!({ "type": "message", "id": format!("msg_{id}"), "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": text, "annotations": [] }] })
}

fn response(body: &Value, world: &World, id: &str, status: &str, output: Vec<Value>) -> Value {
    json!({ "id": format!("resp_{id}"), "object": "response", "created_at": world.created_at(), "model": body["model"],
        "status": status, "error": null, "output": output, "store": body["store"] == true, "background": false })
}

fn cost(input: u64, output: u64, searches: u64) -> Value {
    // Millionths of a dollar, so that the sum has no tail of digits.
    let (input_cost, output_cost, tools) = (input * 25 / 100, output * 250 / 100, searches * 2_500);
    let dollars = |millionths: u64| millionths as f64 / 1_000_000.0;
    json!({ "currency": "USD", "input_cost": dollars(input_cost), "output_cost": dollars(output_cost),
        "tool_calls_cost": dollars(tools), "total_cost": dollars(input_cost + output_cost + tools) })
}

fn finish(body: &Value, world: &World, id: &str, output: Vec<Value>, searches: u64, text: &str) -> Reply {
    let (input, written) = (tokens(&question(body)) + 4_000 * searches.min(1), tokens(text));
    let mut reply = response(body, world, id, "completed", output);
    reply["usage"] = json!({ "input_tokens": input, "output_tokens": written, "total_tokens": input + written,
        "tool_calls_details": { "search_web": { "invocation": searches } }, "cost": cost(input, written, searches) });
    Reply::json(reply)
}

/// Writes the form of Sonar's chat completions.
fn former(
    body: &Value,
    world: &World,
    id: &str,
    document: &Document,
    text: &str,
    fault: Option<&Fault>,
) -> Reply {
    let content = match fault {
        Some(Fault::ContentNull) => Value::Null,
        Some(Fault::ContentChunks) => json!([{ "type": "text", "text": text }]),
        _ => json!(text),
    };
    let citations: Vec<&str> = document.sources.iter().map(|source| source.url.as_str()).collect();
    let results: Vec<Value> = document
        .sources
        .iter()
        .map(|source| json!({ "title": source.title, "url": source.url, "date": null, "snippet": source.snippet }))
        .collect();
    let (input, written) = (tokens(&question(body)), tokens(text));
    Reply::json(json!({
        "id": id, "model": "sonar", "created": world.created_at(), "object": "chat.completion",
        "usage": { "prompt_tokens": input, "completion_tokens": written, "total_tokens": input + written,
            "search_context_size": "low", "cost": { "input_tokens_cost": 0.00001, "output_tokens_cost": 0.00099, "request_cost": 0.005, "total_cost": 0.006 } },
        "citations": citations, "search_results": results,
        "choices": [{ "index": 0, "finish_reason": "stop",
            "message": { "role": "assistant", "content": content }, "delta": { "role": "assistant", "content": "" } }],
    }))
}
