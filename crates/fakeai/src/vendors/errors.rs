//! Errors that every vendor has, each in its own form. Pure.

use serde_json::{Value, json};

use super::{FakeRequest, Reply, Vendor, dataforseo};
use crate::scenario::Fault;

/// An error before it gets a vendor's form.
pub struct VendorError<'a> {
    pub status: u16,
    /// OpenAI's and Perplexity's word.
    pub code: &'a str,
    pub message: &'a str,
    /// Parameter that is refused.
    pub param: Option<&'a str>,
}

impl VendorError<'_> {
    /// Writes the error as the vendor does.
    pub fn reply(&self, vendor: Vendor) -> Reply {
        let VendorError { status, code, message, param } = *self;
        let body = match vendor {
            Vendor::Openai | Vendor::Chat => json!({ "error": {
                "message": message, "type": openai_type(status), "param": param, "code": code } }),
            Vendor::Perplexity => {
                json!({ "error": { "message": message, "type": code, "code": status, "param": param } })
            }
            Vendor::Gemini => {
                json!({ "error": { "code": status, "message": message, "status": google_status(status) } })
            }
            Vendor::Anthropic => json!({ "type": "error", "request_id": "req_fake",
                "error": { "type": anthropic_type(status), "message": message } }),
            Vendor::Serpapi => json!({ "error": message }),
            Vendor::Dataforseo => return dataforseo::error(status, message),
        };
        Reply::error(status, body)
    }
}

fn openai_type(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        429 => "requests",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

fn google_status(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

fn anthropic_type(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

/// Makes the response of a fault that does not depend on the vendor's form of answers.
pub(super) fn common(vendor: Vendor, request: &FakeRequest, fault: Option<&Fault>) -> Option<Reply> {
    let plain = |status, code, message| VendorError { status, code, message, param: None }.reply(vendor);
    let reply = match fault? {
        Fault::Verbatim { status, headers, body } => {
            let mut reply = Reply::text(*status, "application/json", body);
            reply.headers.clone_from(headers);
            reply
        }
        Fault::Refuses(parameter) => {
            let is_sent = has_key(&request.body, parameter) || request.parameter(parameter).is_some();
            return is_sent.then(|| refused(vendor, parameter));
        }
        Fault::InvalidKey => plain(401, "invalid_api_key", "Incorrect API key provided."),
        Fault::ModelNotFound => {
            plain(404, "model_not_found", "The model does not exist or you do not have access to it.")
        }
        Fault::RateLimit => plain(429, "rate_limit_exceeded", "Rate limit reached. Please slow down.")
            .with_header("retry-after", "2"),
        Fault::Quota => quota(vendor),
        Fault::ServerError => {
            plain(500, "server_error", "The server had an error while processing your request.")
        }
        Fault::BadGateway => {
            Reply::text(502, "text/html", "<html><head><title>502 Bad Gateway</title></head></html>")
        }
        Fault::Redirect => {
            Reply::text(307, "text/html", "").with_header("location", "http://127.0.0.1:9/elsewhere")
        }
        Fault::HtmlPage => {
            Reply::text(200, "text/html", "<!DOCTYPE html><html><body>Sign in to the network</body></html>")
        }
        Fault::EmptyBody => Reply::text(200, "application/json", ""),
        Fault::NotJson => Reply::text(200, "application/json", "upstream is warming up"),
        Fault::ValidationList => Reply::error(
            422,
            json!({ "detail": [{ "loc": ["body", "model"], "msg": "field required", "type": "value_error.missing" }] }),
        ),
        Fault::PlainUnauthorized => Reply::text(401, "text/plain", "Unauthorized"),
        Fault::Overloaded => plain(529, "overloaded_error", "Overloaded"),
        _ => return None,
    };
    Some(reply)
}

fn quota(vendor: Vendor) -> Reply {
    let (status, code, message) = match vendor {
        Vendor::Anthropic => (402, "", "Your credit balance is too low to access the API."),
        Vendor::Perplexity => (
            401,
            "insufficient_quota",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        Vendor::Serpapi => (429, "", "Your account has run out of searches."),
        Vendor::Dataforseo => return dataforseo::task_error(40_200, "Payment Required."),
        _ => (
            429,
            "insufficient_quota",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
    };
    VendorError { status, code, message, param: None }.reply(vendor)
}

fn refused(vendor: Vendor, parameter: &str) -> Reply {
    let message = match vendor {
        Vendor::Gemini => {
            format!("Invalid JSON payload received. Unknown name \"{parameter}\": Cannot find field.")
        }
        Vendor::Anthropic => format!("{parameter}: Extra inputs are not permitted"),
        Vendor::Dataforseo => {
            return dataforseo::task_error(40_501, &format!("Invalid Field: '{parameter}'."));
        }
        Vendor::Serpapi => format!("Unsupported value - {parameter} parameter."),
        _ => format!("Unsupported parameter: '{parameter}' is not supported with this model."),
    };
    let code = "unsupported_parameter";
    VendorError { status: 400, code, message: &message, param: Some(parameter) }.reply(vendor)
}

/// Decides whether a key stands anywhere in a body.
fn has_key(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(fields) => fields.contains_key(key) || fields.values().any(|field| has_key(field, key)),
        Value::Array(items) => items.iter().any(|item| has_key(item, key)),
        _ => false,
    }
}
