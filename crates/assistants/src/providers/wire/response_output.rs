//! Responses with a list `output`: OpenAI's Responses API and Perplexity's Agent API. Pure.
//! Reads by the type of each item, never by its position; unknown items are skipped.

use std::time::Duration;

use serde_json::Value;

use super::chat_completion::read_chat_completion;
use super::json::{as_count, count, found, list, text};
use super::{AnswerReading, CallBill, SourceList, VendorErrorBody, inner_failure};
use crate::providers::asking::{AskState, Progress};
use crate::providers::{Answer, Finish, LocationSent, Retrieval, Usage, Usd};

/// Reads an answer by its shape, whichever path was asked: gateways, and Perplexity itself, translate between the forms.
pub fn read_openai_form(asking: &AskState, value: Value, location: LocationSent) -> AnswerReading {
    if value.get("output").is_some_and(Value::is_array) {
        return read_output(asking, value, location);
    }
    if value.get("choices").is_some_and(Value::is_array) {
        return read_chat_completion(asking, value, location);
    }
    match error_in(&value) {
        Some(error) => AnswerReading::failure(bill_without_answer(&value), inner_failure(&error)),
        None => AnswerReading::unreadable(bill_of(&value, 0), "HTTP 200 without output or choices"),
    }
}

/// Finds the error in a response with a successful status.
fn error_in(value: &Value) -> Option<VendorErrorBody> {
    let is_error = found(value, "error").is_some() || text(value, "object") == "error";
    is_error.then(|| VendorErrorBody::from_json(value))
}

/// Maximum number of queries that are kept.
pub const MAX_QUERIES: usize = 100;
/// Maximum number of markers of a text that are followed.
const MAX_MARKERS: usize = 200;

/// Parts of the output, collected in one pass.
#[derive(Default)]
struct Output {
    messages: Vec<String>,
    refusal: Option<String>,
    annotated: SourceList,
    found: SourceList,
    /// Results by the number with which the text refers to them.
    numbered: Vec<(u64, String, String)>,
    queries: Vec<String>,
    searches: u64,
    has_searched: bool,
}

fn read_output(asking: &AskState, value: Value, location: LocationSent) -> AnswerReading {
    let mut output = Output::default();
    list(&value, "output").iter().for_each(|item| output.add(item));
    let answer_text = output.messages.join("\n\n");
    let bill = bill_of(&value, output.searches);

    let status = text(&value, "status");
    if matches!(status, "failed" | "cancelled") {
        let error = error_in(&value).unwrap_or_default();
        return AnswerReading::failure(bill_without_answer(&value), inner_failure(&error));
    }
    if answer_text.trim().is_empty() {
        return output.without_text(asking, &value, bill, status);
    }
    let finish = if matches!(status, "" | "completed") { Finish::Complete } else { Finish::Truncated };
    AnswerReading::answer(bill, output.into_answer(asking, value, answer_text, finish, location))
}

impl Output {
    fn add(&mut self, item: &Value) {
        match text(item, "type") {
            "message" => self.add_message(item),
            "web_search_call" => self.add_search_call(item),
            "search_results" => {
                self.has_searched = true;
                self.searches += 1;
                self.add_queries(list(item, "queries"));
                for result in list(item, "results") {
                    self.add_result(result);
                }
            }
            "fetch_url_results" => {
                list(item, "contents")
                    .iter()
                    .for_each(|page| self.found.add(text(page, "url"), text(page, "title")));
            }
            _ => {}
        }
    }

    fn add_message(&mut self, item: &Value) {
        let mut message = String::new();
        if let Some(content) = item.get("content").and_then(Value::as_str) {
            message.push_str(content);
        }
        for part in list(item, "content") {
            match text(part, "type") {
                "output_text" | "text" => {
                    message.push_str(text(part, "text"));
                    list(part, "annotations")
                        .iter()
                        .for_each(|annotation| add_citation(&mut self.annotated, annotation));
                }
                "refusal" => self.refusal = Some(text(part, "refusal").to_owned()),
                _ => {}
            }
        }
        if !message.is_empty() {
            self.messages.push(message);
        }
    }

    fn add_search_call(&mut self, item: &Value) {
        let Some(action) = item.get("action") else {
            self.has_searched |= text(item, "status") == "completed";
            return;
        };
        if text(item, "status") == "failed" {
            return;
        }
        self.has_searched = true;
        list(action, "sources")
            .iter()
            .for_each(|source| self.found.add(text(source, "url"), text(source, "title")));
        match text(action, "type") {
            "search" => {
                self.searches += 1;
                match list(action, "queries") {
                    [] => self.add_queries(action.get("query").map_or(&[], std::slice::from_ref)),
                    queries => self.add_queries(queries),
                }
            }
            _ => self.found.add(text(action, "url"), ""),
        }
    }

    fn add_queries(&mut self, queries: &[Value]) {
        for query in queries.iter().filter_map(Value::as_str).filter(|query| !query.is_empty()) {
            if self.queries.len() < MAX_QUERIES && !self.queries.iter().any(|known| known == query) {
                self.queries.push(query.to_owned());
            }
        }
    }

    fn add_result(&mut self, result: &Value) {
        let (url, title) = (text(result, "url"), text(result, "title"));
        self.found.add(url, title);
        if let Some(number) = result.get("id").and_then(as_count) {
            self.numbered.push((number, url.to_owned(), title.to_owned()));
        }
    }

    fn without_text(self, asking: &AskState, value: &Value, bill: CallBill, status: &str) -> AnswerReading {
        let reason = value.get("incomplete_details").map_or("", |details| text(details, "reason"));
        if self.refusal.is_some() || reason == "content_filter" {
            let detail = self.refusal.filter(|text| !text.is_empty());
            let detail = detail.unwrap_or_else(|| "the provider declined to answer".to_owned());
            return AnswerReading::refused(bill, &detail);
        }
        match status {
            "incomplete" if !asking.progress.is_doubled => ask_for_more(asking, bill),
            "in_progress" | "queued" | "requires_action" => {
                AnswerReading::unreadable(bill, &format!("HTTP 200 with a response that is {status}"))
            }
            _ => AnswerReading::unreadable(bill, "HTTP 200 with an empty answer"),
        }
    }

    fn into_answer(
        self,
        asking: &AskState,
        raw: Value,
        text: String,
        finish: Finish,
        location: LocationSent,
    ) -> Answer {
        let mut cited = self.annotated;
        if cited.is_empty() {
            for number in markers_in(&text) {
                for (_, url, title) in self.numbered.iter().filter(|(id, ..)| *id == number) {
                    cited.add(url, title);
                }
            }
        }
        let retrieval = match (asking.searches(), self.has_searched) {
            (false, _) => Retrieval::Off,
            (true, true) => Retrieval::Used,
            (true, false) => Retrieval::NotUsed,
        };
        Answer {
            text,
            retrieved: self.found.without(&cited),
            citations: cited.into_vec(),
            queries: self.queries,
            retrieval,
            served_model: served_model(&raw),
            finish,
            location,
            query_cut: false,
            usage: usage_of(&raw, self.searches).unwrap_or_default(),
            raw,
        }
    }
}

/// Asks again with twice the budget: thinking and searching have used it up before the first word.
pub(super) fn ask_for_more(asking: &AskState, bill: CallBill) -> AnswerReading {
    let progress = Progress { is_doubled: true, ..asking.progress.clone() };
    AnswerReading::next(bill, progress, Duration::ZERO)
}

/// Adds the source of an annotation, which chat completions nest one level deeper.
pub(super) fn add_citation(cited: &mut SourceList, annotation: &Value) {
    if text(annotation, "type") == "url_citation" {
        let inner = annotation.get("url_citation").unwrap_or(annotation);
        cited.add(text(inner, "url"), text(inner, "title"));
    }
}

pub(super) fn served_model(value: &Value) -> Option<String> {
    Some(text(value, "model").to_owned()).filter(|model| !model.is_empty())
}

/// Reads the bill: the provider's own figure, else the usage, else nothing is known.
pub(super) fn bill_of(value: &Value, searches: u64) -> CallBill {
    match (stated_cost(value), usage_of(value, searches)) {
        (Some(cost), _) => CallBill::Stated(cost),
        (None, Some(usage)) => CallBill::Used(usage),
        (None, None) => CallBill::Unknown,
    }
}

/// Reads the bill of a response that failed: without a usage nothing was billed.
pub(super) fn bill_without_answer(value: &Value) -> CallBill {
    match bill_of(value, 0) {
        CallBill::Unknown => CallBill::Free,
        bill => bill,
    }
}

/// Reads `usage.cost.total_cost` (Perplexity), or the number `usage.cost` of gateways.
fn stated_cost(value: &Value) -> Option<Usd> {
    let cost = found(value.get("usage")?, "cost")?;
    let is_dollars = matches!(text(cost, "currency"), "" | "USD");
    let number = cost.as_f64().or_else(|| cost.get("total_cost")?.as_f64())?;
    Usd::from_dollars(number).filter(|cost| is_dollars && *cost >= Usd::ZERO)
}

/// Reads tokens and billed searches. `seen` are the searches in the output, for responses that do not count them.
pub(super) fn usage_of(value: &Value, seen: u64) -> Option<Usage> {
    let usage = found(value, "usage").filter(|usage| usage.is_object())?;
    let tokens = |names: [&str; 2]| names.into_iter().map(|name| count(usage, name)).max().unwrap_or(0);
    let counted =
        value.pointer("/tool_usage/web_search/num_requests").or_else(|| usage.get("num_search_queries"));
    Some(Usage {
        input_tokens: tokens(["input_tokens", "prompt_tokens"]),
        output_tokens: tokens(["output_tokens", "completion_tokens"]),
        searches: counted.and_then(as_count).unwrap_or(seen),
    })
}

/// Finds the numbers of `[1]`, `[2, 3]` and `[4][5]`, each once, in their order.
pub(super) fn markers_in(text: &str) -> Vec<u64> {
    let mut numbers = Vec::new();
    for piece in text.split('[').skip(1) {
        let Some((inside, _)) = piece.split_once(']') else { continue };
        let is_list = inside.len() <= 40 && inside.split(',').all(|part| is_number(part.trim()));
        if !is_list {
            continue;
        }
        for number in inside.split(',').filter_map(|part| part.trim().parse().ok()) {
            if numbers.len() < MAX_MARKERS && !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }
    numbers
}

fn is_number(text: &str) -> bool {
    (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_numbers_in_brackets() {
        assert_eq!(markers_in("A [2], B [1][3]; C [2, 4]. [x] [] [12345] [1.5] a[0"), [2, 1, 3, 4]);
    }

    #[test]
    fn the_stated_cost_is_read_in_both_forms_and_in_dollars_only() {
        let cost =
            |json: &str| stated_cost(&serde_json::from_str(json).unwrap()).map(|cost| cost.to_string());

        assert_eq!(
            cost(r#"{"usage":{"cost":{"currency":"USD","total_cost":0.00485}}}"#).as_deref(),
            Some("0.00485")
        );
        assert_eq!(cost(r#"{"usage":{"cost":0.5}}"#).as_deref(), Some("0.5"));
        assert_eq!(cost(r#"{"usage":{"cost":{"currency":"EUR","total_cost":1}}}"#), None);
        assert_eq!(cost(r#"{"usage":{"cost":-1}}"#), None);
    }
}
