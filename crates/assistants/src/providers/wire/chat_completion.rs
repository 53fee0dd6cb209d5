//! Responses with a list `choices`: chat completions of any server, and Perplexity's former answers. Pure.

use serde_json::Value;

use super::json::{found, list, text};
use super::response_output::{add_citation, ask_for_more, bill_of, markers_in, served_model, usage_of};
use super::{AnswerReading, SourceList};
use crate::providers::asking::AskState;
use crate::providers::{Answer, Finish, LocationSent, Retrieval};

const THINK_BEGINS: &str = "<think>";
const THINK_ENDS: &str = "</think>";

pub(super) fn read_chat_completion(asking: &AskState, value: Value, location: LocationSent) -> AnswerReading {
    let nothing = Value::Null;
    let choice = list(&value, "choices").first().unwrap_or(&nothing);
    let message = choice.get("message").unwrap_or(&nothing);
    let answer_text = without_thinking(&content_of(message)).trim().to_owned();
    let reason = text(choice, "finish_reason");
    let mut sources = Sources::default();
    sources.read(&value, message, &answer_text);
    let searches = u64::from(!sources.found.is_empty() || !sources.cited.is_empty());
    let bill = bill_of(&value, searches);

    if answer_text.is_empty() {
        let refusal = text(message, "refusal");
        if !refusal.is_empty() || reason == "content_filter" {
            let detail = if refusal.is_empty() { "the provider declined to answer" } else { refusal };
            return AnswerReading::refused(bill, detail);
        }
        if reason == "length" && !asking.progress.is_doubled {
            return ask_for_more(asking, bill);
        }
        return AnswerReading::unreadable(bill, "HTTP 200 with an empty answer");
    }
    let retrieval = match (asking.searches(), searches) {
        (false, _) => Retrieval::Off,
        (true, 0) => Retrieval::Unknown,
        (true, _) => Retrieval::Used,
    };
    let answer = Answer {
        text: answer_text,
        retrieved: sources.found.without(&sources.cited),
        citations: sources.cited.into_vec(),
        queries: Vec::new(),
        retrieval,
        served_model: served_model(&value),
        finish: if matches!(reason, "length" | "content_filter") {
            Finish::Truncated
        } else {
            Finish::Complete
        },
        location,
        query_cut: false,
        usage: usage_of(&value, searches).unwrap_or_default(),
        raw: value,
    };
    AnswerReading::answer(bill, answer)
}

#[derive(Default)]
struct Sources {
    cited: SourceList,
    found: SourceList,
}

impl Sources {
    /// Reads annotations, else `citations` by the markers in the text, and what was found besides.
    fn read(&mut self, value: &Value, message: &Value, answer: &str) {
        for result in list(value, "search_results") {
            self.found.add(text(result, "url"), text(result, "title"));
        }
        let citations: Vec<(&str, &str)> = list(value, "citations").iter().map(source_of).collect();
        citations.iter().for_each(|(url, title)| self.found.add(url, title));

        list(message, "annotations").iter().for_each(|annotation| add_citation(&mut self.cited, annotation));
        if !self.cited.is_empty() {
            return;
        }
        let numbers = markers_in(answer);
        let of_number = |number: &u64| {
            let index = usize::try_from(*number).ok()?.checked_sub(1)?;
            citations.get(index)
        };
        let marked: Vec<&(&str, &str)> = numbers.iter().filter_map(of_number).collect();
        if marked.is_empty() {
            citations.iter().for_each(|(url, title)| self.cited.add(url, title));
        } else {
            marked.into_iter().for_each(|(url, title)| self.cited.add(url, title));
        }
    }
}

/// Reads a source: an address by itself, or an object with a title.
fn source_of(citation: &Value) -> (&str, &str) {
    match citation.as_str() {
        Some(url) => (url, ""),
        None => (text(citation, "url"), text(citation, "title")),
    }
}

/// Reads the content of a message: a text, a list of pieces, or null.
fn content_of(message: &Value) -> String {
    match found(message, "content") {
        Some(Value::String(content)) => content.clone(),
        Some(Value::Array(pieces)) => {
            let is_text = |piece: &&Value| matches!(text(piece, "type"), "" | "text" | "output_text");
            pieces
                .iter()
                .filter(is_text)
                .map(|piece| piece.as_str().unwrap_or_else(|| text(piece, "text")))
                .collect()
        }
        _ => String::new(),
    }
}

/// Removes the thinking with which local models begin. Some templates leave the opening mark out; a text that was cut off
/// while thinking has no closing one.
fn without_thinking(content: &str) -> &str {
    let mut answer = content.trim_start();
    if let Some((thinking, rest)) = answer.split_once(THINK_ENDS)
        && !thinking.contains(THINK_BEGINS)
    {
        answer = rest.trim_start();
    }
    while answer.starts_with(THINK_BEGINS) {
        answer = answer.split_once(THINK_ENDS).map_or("", |(_, rest)| rest.trim_start());
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_is_removed() {
        assert_eq!(without_thinking("<think>\nhm\n</think>\n\nNotchly"), "Notchly");
        assert_eq!(without_thinking("hm\n</think>Notchly"), "Notchly");
        assert_eq!(without_thinking("<think>a</think><think>b</think>Notchly"), "Notchly");
        assert_eq!(without_thinking("<think>never ends"), "");
        assert_eq!(
            without_thinking("Notchly has a <think> tag </think>."),
            "Notchly has a <think> tag </think>."
        );
        assert_eq!(without_thinking("Notchly"), "Notchly");
    }
}
