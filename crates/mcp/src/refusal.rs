//! Refusals of tools: a sentence, the code of the API, and its further fields. Pure.

use http::StatusCode;
use serde_json::{Value, json};

use platform::api::{ApiError, ErrorCode};

/// Reason why a tool returns no result.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRefusal {
    /// Code and further fields, as the API answers them.
    pub body: Value,
    /// Sentence for people; it names no code.
    pub sentence: String,
}

impl ToolRefusal {
    /// Makes a refusal with a sentence of its own.
    pub fn new(code: ErrorCode, sentence: impl Into<String>) -> ToolRefusal {
        ToolRefusal { body: json!({ "error": code.as_str() }), sentence: sentence.into() }
    }

    /// Refuses an argument.
    pub fn of_argument(name: &str, problem: &str) -> ToolRefusal {
        let issues = json!([{ "path": name, "message": problem }]);
        let body = json!({ "error": ErrorCode::InvalidRequest.as_str(), "issues": issues });
        ToolRefusal { body, sentence: format!("{name} {problem}.") }
    }

    /// Reads an error of the API. An answer without a code gets that of its status.
    pub fn of_answer(status: StatusCode, body: &[u8]) -> ToolRefusal {
        let sent = serde_json::from_slice(body).ok().filter(|body: &Value| body["error"].is_string());
        let of_status = ErrorCode::ALL.iter().find(|code| code.status() == status);
        let unnamed = of_status.copied().unwrap_or(ErrorCode::InternalError);
        let body = sent.unwrap_or_else(|| json!({ "error": unnamed.as_str() }));
        let code = ErrorCode::ALL.iter().find(|code| body["error"] == code.as_str());
        let mut meaning =
            code.map_or("The service refused the request.", |code| code.description()).to_owned();
        for (field, value) in body.as_object().into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            meaning = meaning.replace(&format!("`{field}`"), &value);
        }
        let issues: Vec<String> = body["issues"].as_array().into_iter().flatten().map(told).collect();
        let sentence = match issues.is_empty() {
            true => meaning,
            false => format!("{}.", issues.join("; ")),
        };
        ToolRefusal { sentence, body }
    }

    /// Returns the code.
    pub fn code(&self) -> &str {
        self.body["error"].as_str().unwrap_or_default()
    }
}

fn told(issue: &Value) -> String {
    let text = |field: &str| issue[field].as_str().unwrap_or_default().to_owned();
    format!("{} {}", text("path"), text("message")).trim().to_owned()
}

impl From<ApiError> for ToolRefusal {
    fn from(error: ApiError) -> ToolRefusal {
        ToolRefusal::new(error.code(), error.code().description())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_its_code_means() {
        let body = br#"{"error":"domain_limit_reached","limit":25,"current":25}"#;

        let refusal = ToolRefusal::of_answer(StatusCode::FORBIDDEN, body);

        assert_eq!(refusal.sentence, "The plan allows no more domains.");
        assert_eq!((refusal.code(), &refusal.body["limit"]), ("domain_limit_reached", &json!(25)));
    }

    #[test]
    fn a_field_that_the_meaning_names_is_told_by_its_value() {
        let body = br#"{"error":"plan_required","requiredPlan":"business"}"#;

        let refusal = ToolRefusal::of_answer(StatusCode::FORBIDDEN, body);

        assert_eq!(refusal.sentence, "This needs a higher plan: business.");
    }

    #[test]
    fn issues_are_told_by_their_paths() {
        let body = br#"{"error":"invalid_request","issues":[{"path":"path","message":"must start with /"}]}"#;

        let refusal = ToolRefusal::of_answer(StatusCode::BAD_REQUEST, body);

        assert_eq!(refusal.sentence, "path must start with /.");
    }

    #[test]
    fn an_answer_without_a_code_gets_that_of_its_status() {
        for (status, code) in
            [(StatusCode::NOT_FOUND, "not_found"), (StatusCode::BAD_GATEWAY, "internal_error")]
        {
            assert_eq!(ToolRefusal::of_answer(status, b"<html>").code(), code);
        }
    }
}
