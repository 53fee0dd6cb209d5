//! Console messages of a page: errors, warnings and uncaught exceptions, bounded in number and length.
//! Used by the visit. Must never exceed its bounds: a page can write without end.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use crate::ConsoleMessage;
use crate::cdp::{Event, EventKind};

const MAX_MESSAGES: usize = 100;
const MAX_CHARACTERS: usize = 1_000;

/// Adds the message of an event, up to the bound.
pub(crate) fn record(messages: &mut Vec<ConsoleMessage>, event: &Event) {
    if messages.len() >= MAX_MESSAGES {
        return;
    }
    let message = match event.kind {
        EventKind::ExceptionThrown => event.params().map(from_exception),
        _ => event.params().and_then(from_call),
    };
    messages.extend(message);
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    args: Vec<Value>,
}

fn from_call(call: Call<'_>) -> Option<ConsoleMessage> {
    let level = match &*call.kind {
        "error" | "assert" => "error",
        "warning" => "warning",
        _ => return None,
    };
    let words: Vec<String> = call.args.iter().map(text_of).collect();
    Some(ConsoleMessage { level: level.to_owned(), text: cut(&words.join(" ")) })
}

fn text_of(argument: &Value) -> String {
    match argument.get("value").or_else(|| argument.get("description")).or_else(|| argument.get("type")) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thrown {
    exception_details: Details,
}

#[derive(Deserialize)]
struct Details {
    text: String,
    exception: Option<Value>,
}

fn from_exception(thrown: Thrown) -> ConsoleMessage {
    let details = thrown.exception_details;
    let what = details.exception.as_ref().map(text_of).unwrap_or_default();
    ConsoleMessage { level: "exception".to_owned(), text: cut(format!("{} {what}", details.text).trim()) }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_errors_and_warnings_are_recorded() {
        let call = |kind: &str| {
            let text = json!({ "type": kind, "args": [{ "type": "string", "value": "no" }, { "type": "number", "value": 7 }] })
                .to_string();
            from_call(serde_json::from_str(&text).unwrap())
        };

        assert_eq!(call("warning").unwrap().text, "no 7");
        assert_eq!(call("error").unwrap().level, "error");
        assert!(call("log").is_none());
    }

    #[test]
    fn an_uncaught_exception_is_recorded_with_its_description() {
        let thrown = json!({ "exceptionDetails": { "text": "Uncaught", "exception": { "description": "Error: x\n  at y" } } });

        let message = from_exception(serde_json::from_value(thrown).unwrap());

        assert_eq!(
            (message.level.as_str(), message.text.as_str()),
            ("exception", "Uncaught Error: x\n  at y")
        );
    }

    #[test]
    fn long_messages_are_cut() {
        assert_eq!(cut(&"é".repeat(5_000)).chars().count(), MAX_CHARACTERS);
    }
}
