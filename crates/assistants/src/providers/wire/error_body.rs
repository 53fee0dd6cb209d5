//! Errors in the bodies of providers, in whatever form a server writes them. Used by failures and quirks.
//! Pure; must never panic, whatever the bytes are.

use serde_json::Value;

use super::json::{found, list, parse, text};

/// Longest message that is kept, in characters.
const MAX_MESSAGE: usize = 300;

/// Parts of an error that a body names. A missing part is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VendorErrorBody {
    pub message: String,
    /// `rate_limit_exceeded`, `RESOURCE_EXHAUSTED`, `40202`…
    pub code: String,
    /// `invalid_request_error`, `overloaded_error`…
    pub kind: String,
    /// Parameter that is refused.
    pub param: String,
}

impl VendorErrorBody {
    /// Reads a body: JSON in the forms of the vendors, else text. A page of HTML is named as such.
    pub fn parse(body: &[u8]) -> VendorErrorBody {
        match parse(body) {
            Some(value) => VendorErrorBody::from_json(&value),
            None => VendorErrorBody {
                message: text_of(&String::from_utf8_lossy(body)),
                ..VendorErrorBody::default()
            },
        }
    }

    /// Reads `{"error": {…}}`, `{"error": "…"}`, `{"detail": …}`, `{"message": …}` and lists of these.
    pub fn from_json(value: &Value) -> VendorErrorBody {
        let value = match value {
            Value::Array(items) => items.first().unwrap_or(value),
            value => value,
        };
        let inner = found(value, "error").or_else(|| found(value, "detail")).unwrap_or(value);
        let inner = match inner {
            Value::Array(items) => items.first().unwrap_or(inner),
            inner => inner,
        };
        if let Some(message) = inner.as_str() {
            return VendorErrorBody { message: one_line(message, MAX_MESSAGE), ..VendorErrorBody::default() };
        }
        let message = ["message", "msg", "detail"].map(|field| text(inner, field));
        let message = message.into_iter().find(|message| !message.is_empty()).unwrap_or_default();
        // FastAPI names the parameter as a path: ["body", "tools", 0, "user_location"].
        let path: Vec<&str> = list(inner, "loc").iter().filter_map(Value::as_str).collect();
        let param = match text(inner, "param") {
            "" => path.join("."),
            param => param.to_owned(),
        };
        VendorErrorBody {
            message: one_line(message, MAX_MESSAGE),
            code: one_line(&word(inner, "code"), 80),
            kind: one_line(&[text(inner, "type"), text(inner, "status")].concat(), 80),
            param: one_line(&param, 80),
        }
    }

    /// Decides whether the body named nothing.
    pub fn is_empty(&self) -> bool {
        *self == VendorErrorBody::default()
    }

    /// Decides whether the code or the kind is one of these words.
    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.code.eq_ignore_ascii_case(word) || self.kind.eq_ignore_ascii_case(word))
    }

    /// Decides whether the message contains one of these phrases, given in lower case.
    pub fn says_any(&self, phrases: &[&str]) -> bool {
        let message = self.message.to_ascii_lowercase();
        phrases.iter().any(|phrase| message.contains(phrase))
    }
}

/// Reads a field that is a text or a number.
fn word(value: &Value, field: &str) -> String {
    match found(value, field) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn text_of(body: &str) -> String {
    if looks_like_html(body) {
        return "a page of HTML".to_owned();
    }
    one_line(body, MAX_MESSAGE)
}

/// Decides whether a body is a web page, such as a proxy's.
pub fn looks_like_html(body: &str) -> bool {
    let start: String = body.trim_start().chars().take(15).collect();
    let start = start.to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html") || start.starts_with("<head")
}

/// Brings a text to one line of at most `limit` characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let is_gap = |letter: char| letter.is_whitespace() || letter.is_control();
    let words = text.split(is_gap).filter(|word| !word.is_empty());
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // Characters are no longer than four bytes.
        if line.len() > 4 * limit {
            break;
        }
    }
    if line.chars().nth(limit).is_some() {
        // The last character says that there was more.
        line = line.chars().take(limit - 1).chain(['…']).collect();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> VendorErrorBody {
        VendorErrorBody::parse(body.as_bytes())
    }

    #[test]
    fn the_vendors_forms_are_read() {
        let openai = read(
            r#"{"error":{"message":"No such model","type":"invalid_request_error","param":"model","code":"model_not_found"}}"#,
        );
        let google = read(r#"[{"error":{"code":429,"message":"Slow down","status":"RESOURCE_EXHAUSTED"}}]"#);
        let anthropic =
            read(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);

        assert_eq!(
            (openai.message.as_str(), openai.code.as_str(), openai.param.as_str()),
            ("No such model", "model_not_found", "model")
        );
        assert!(openai.is_any(&["invalid_request_error"]));
        assert_eq!((google.code.as_str(), google.kind.as_str()), ("429", "RESOURCE_EXHAUSTED"));
        assert_eq!((anthropic.kind.as_str(), anthropic.message.as_str()), ("overloaded_error", "Overloaded"));
    }

    #[test]
    fn lists_texts_and_pages_are_read_too() {
        let list = read(
            r#"{"detail":[{"loc":["body","tools",0,"user_location"],"msg":"extra fields","type":"value_error"}]}"#,
        );

        assert_eq!(
            (list.message.as_str(), list.param.as_str()),
            ("extra fields", "body.tools.user_location")
        );
        assert_eq!(read(r#"{"error":"Invalid API key"}"#).message, "Invalid API key");
        assert_eq!(read("Unauthorized\n").message, "Unauthorized");
        assert_eq!(read("<!DOCTYPE html><h1>502").message, "a page of HTML");
        assert!(read("").is_empty() && read("[]").is_empty() && read("{}").is_empty());
    }

    #[test]
    fn a_message_is_one_line_of_limited_length() {
        assert_eq!(one_line(" a\r\n\tb\u{0}c ", 80), "a b c");
        assert_eq!(one_line("ééé", 3), "ééé");
        assert_eq!(one_line("éééé", 3), "éé…");
        assert_eq!(one_line("abc def", 3), "ab…");
        assert_eq!(one_line("abc d", 4), "abc…");
    }
}
