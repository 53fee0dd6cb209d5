//! Google: `generateContent` with Google Search, the redirector of its sources, the description of models. Pure.

use serde_json::{Value, json};

use super::errors::VendorError;
use super::openai::{host_of, task_text};
use super::strict::unknown_field;
use super::{FakeRequest, Reply, Vendor, World, is_key, tokens};
use crate::answers::Document;
use crate::scenario::Fault;

/// Path of the redirector, on a host of its own.
pub(crate) const REDIRECTOR: &str = "/grounding-api-redirect/";
const REDIRECTOR_HOST: &str = "vertexaisearch.cloud.google.com";
const MODELS: &[&str] = &["gemini-3.8-flash", "gemini-3.8-pro", "gemini-flash-latest"];
const FIELDS: &[&str] = &[
    "contents",
    "tools",
    "toolConfig",
    "tool_config",
    "generationConfig",
    "generation_config",
    "systemInstruction",
    "system_instruction",
    "safetySettings",
    "safety_settings",
    "cachedContent",
    "cached_content",
    "labels",
];
const CONFIG: &[&str] = &[
    "maxOutputTokens",
    "thinkingConfig",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "temperature",
    "topP",
    "topK",
    "seed",
    "stopSequences",
    "candidateCount",
];

type Replied = Result<Reply, Reply>;

fn refuse(status: u16, message: &str) -> Reply {
    VendorError { status, code: "", message, param: None }.reply(Vendor::Gemini)
}

pub(super) fn reply(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    let key = [request.header("x-goog-api-key"), request.parameter("key").unwrap_or_default()];
    let key = key.into_iter().find(|key| !key.is_empty()).unwrap_or_default();
    if key.is_empty() {
        return Err(refuse(403, "Method doesn't allow unregistered callers. Please use an API key."));
    }
    if !is_key(key) || fault == Some(&Fault::BadKeyArgument) {
        return Err(bad_key());
    }
    let path = request.path.strip_prefix("/models/").ok_or_else(|| refuse(404, "Not found"))?;
    let (model, action) = path.split_once(':').unwrap_or((path, ""));
    if !MODELS.contains(&model) {
        return Err(refuse(404, &format!("models/{model} is not found for API version v1beta")));
    }
    match action {
        "" => Ok(Reply::json(
            json!({ "name": format!("models/{model}"), "version": "3.8", "displayName": model,
            "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent", "countTokens"] }),
        )),
        "generateContent" => {
            check(&request.body)?;
            if let Some(error) = wrong(fault) {
                return Err(error);
            }
            generate(&request.body, model, world, fault)
        }
        _ => Err(refuse(404, "Not found")),
    }
}

fn bad_key() -> Reply {
    Reply::error(
        400,
        json!({ "error": { "code": 400, "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT", "details": [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "API_KEY_INVALID", "domain": "googleapis.com" }] } }),
    )
}

fn wrong(fault: Option<&Fault>) -> Option<Reply> {
    let quota = "You exceeded your current quota, please check your plan and billing details.";
    let exhausted = |details: Value| json!({ "error": { "code": 429, "message": quota, "status": "RESOURCE_EXHAUSTED", "details": details } });
    let reply = match fault? {
        Fault::RetryInfo => Reply::error(
            429,
            exhausted(json!([
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "38s" }])),
        ),
        Fault::DailyQuota => Reply::error(
            429,
            exhausted(json!([
            { "@type": "type.googleapis.com/google.rpc.Help", "links": [{ "description": "Learn more about Gemini API quotas",
                "url": "https://ai.google.dev/gemini-api/docs/rate-limits" }] }])),
        ),
        Fault::ErrorArray => Reply::error(
            503,
            json!([{ "error": { "code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE" } }]),
        ),
        Fault::InvalidArgument => refuse(400, "Request contains an invalid argument."),
        _ => return None,
    };
    Some(reply)
}

fn check(body: &Value) -> Result<(), Reply> {
    let unknown = |field: &str, place: &str| {
        refuse(
            400,
            &format!("Invalid JSON payload received. Unknown name \"{field}\"{place}: Cannot find field."),
        )
    };
    if !body.is_object() {
        return Err(refuse(400, "Invalid JSON payload received."));
    }
    if let Some(field) = unknown_field(body, FIELDS) {
        return Err(unknown(field, ""));
    }
    if let Some(field) = unknown_field(&body["generationConfig"], CONFIG) {
        return Err(unknown(field, " at 'generation_config'"));
    }
    if let Some(field) = unknown_field(&body["toolConfig"], &["retrievalConfig", "functionCallingConfig"]) {
        return Err(unknown(field, " at 'tool_config'"));
    }
    if question(body).is_empty() {
        return Err(refuse(400, "GenerateContentRequest.contents: contents is not specified"));
    }
    Ok(())
}

/// Returns the text of the last content.
pub(super) fn question(body: &Value) -> String {
    let contents = body["contents"].as_array().map_or(&[][..], Vec::as_slice);
    let parts = contents.last().and_then(|content| content["parts"].as_array());
    parts.into_iter().flatten().filter_map(|part| part["text"].as_str()).collect()
}

fn generate(body: &Value, model: &str, world: &World, fault: Option<&Fault>) -> Replied {
    let question = question(body);
    let mut dice = world.occasion(Vendor::Gemini, &question).dice("ids");
    let id = dice.id();
    if fault == Some(&Fault::Blocked) {
        return Ok(Reply::json(json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" },
            "usageMetadata": { "promptTokenCount": 14, "totalTokenCount": 14 }, "modelVersion": model, "responseId": id })));
    }
    let (text, grounding) = match body.pointer("/generationConfig/responseJsonSchema") {
        Some(schema) => (task_text(schema, &question, world, fault), Value::Null),
        None => {
            let Some(document) = world.document(Vendor::Gemini, &question, fault) else {
                return Err(refuse(400, "This stand-in answers only the questions in its file."));
            };
            let is_without = matches!(fault, Some(Fault::NoGrounding | Fault::FromMemory));
            let may_search =
                body["tools"].to_string().contains("google_search") && !is_without && document.has_searched;
            let grounding = if may_search { grounding(&document, fault) } else { Value::Null };
            (document.plain(), grounding)
        }
    };
    let (text, reason) = match fault {
        Some(Fault::Safety | Fault::Refusal) => (String::new(), "SAFETY"),
        Some(Fault::Malformed) => (String::new(), "MALFORMED_RESPONSE"),
        Some(Fault::Incomplete) => (text, "MAX_TOKENS"),
        Some(Fault::IncompleteEmpty) => (String::new(), "MAX_TOKENS"),
        Some(Fault::EmptyAnswer) => (String::new(), "STOP"),
        _ => (text, "STOP"),
    };
    let mut parts = vec![json!({ "text": "The user asks for a comparison.", "thought": true })];
    if !text.is_empty() {
        parts.push(json!({ "text": text }));
    }
    let mut candidate =
        json!({ "content": { "role": "model", "parts": parts }, "finishReason": reason, "index": 0 });
    if !grounding.is_null() {
        candidate["groundingMetadata"] = grounding;
    }
    let (input, output) = (tokens(&question), tokens(&text));
    Ok(Reply::json(json!({ "candidates": [candidate], "modelVersion": model, "responseId": id,
        "usageMetadata": { "promptTokenCount": input, "candidatesTokenCount": output, "thoughtsTokenCount": 900,
            "totalTokenCount": input + output + 900 } })))
}

/// Chunks with redirects, and supports with offsets in bytes.
fn grounding(document: &Document, fault: Option<&Fault>) -> Value {
    let chunks: Vec<Value> = document
        .sources
        .iter()
        .map(|source| json!({ "web": { "uri": redirect_to(&source.url), "title": host_of(&source.url) } }))
        .collect();
    let marked = document.marked(|_| String::new());
    let mut supports: Vec<Value> = Vec::new();
    for span in &marked.spans {
        let is_same =
            supports.last().is_some_and(|support| support["segment"]["startIndex"] == json!(span.start));
        match supports.last_mut().filter(|_| is_same) {
            Some(support) => {
                if let Some(list) = support["groundingChunkIndices"].as_array_mut() {
                    list.push(json!(span.source));
                }
                if let Some(list) = support["confidenceScores"].as_array_mut() {
                    list.push(json!(0.91));
                }
            }
            None => supports.push(json!({ "groundingChunkIndices": [span.source], "confidenceScores": [0.94],
                "segment": { "startIndex": span.start, "endIndex": span.end, "text": &marked.text[span.start..span.end] } })),
        }
    }
    let mut grounding = json!({ "webSearchQueries": document.queries, "groundingChunks": chunks,
        "searchEntryPoint": { "renderedContent": "<style>.chip{color:blue}</style><div class=\"chip\">Search suggestions</div>" } });
    if fault != Some(&Fault::NoSupports) {
        grounding["groundingSupports"] = json!(supports);
    }
    grounding
}

/// Writes a redirect of the real host, with its target in the path.
fn redirect_to(url: &str) -> String {
    let token: String = url.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("https://{REDIRECTOR_HOST}{REDIRECTOR}AUZIYQ{token}")
}

/// Reads the target of a redirect's path.
pub(crate) fn target_of(path: &str) -> Option<String> {
    let token = path.strip_prefix(REDIRECTOR)?.strip_prefix("AUZIYQ")?;
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = token.as_bytes().chunks(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_leads_to_its_source() {
        let redirect = redirect_to("https://www.g2.com/c?x=1");
        let path = redirect.strip_prefix("https://vertexaisearch.cloud.google.com").unwrap();

        assert_eq!(target_of(path).as_deref(), Some("https://www.g2.com/c?x=1"));
        for other in ["/grounding-api-redirect/", "/grounding-api-redirect/AUZIYQzz", "/other"] {
            assert_eq!(target_of(other).filter(|target| !target.is_empty()), None, "{other}");
        }
    }
}
