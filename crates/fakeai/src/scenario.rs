//! Scenarios: how the stand-ins deviate from good answers. Set by a header of a request, by the control endpoint or in
//! process. Pure.

use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use crate::vendors::Vendor;

/// A deviation. Fields that are missing match everything and change nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// Vendor to which the scenario applies.
    pub vendor: Option<Vendor>,
    /// Part of the question, or of the path of a request without one.
    pub question: Option<String>,
    /// Requests to which the scenario applies, counted from the first.
    pub times: Option<u32>,
    /// Time before the first byte, from and to, in milliseconds.
    pub latency_ms: Option<(u64, u64)>,
    pub fault: Option<Fault>,
    pub delivery: Delivery,
    /// Headers that are added to the response: `retry-after-ms`, `x-should-retry`, rate limits.
    pub headers: Vec<(String, String)>,
}

/// A wrong answer, in the vendor's own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Any response: status, headers and body as they are.
    Verbatim {
        status: u16,
        headers: Vec<(String, String)>,
        body: String,
    },
    /// 400 that names this parameter, as long as a request has it.
    Refuses(String),
    InvalidKey,
    ModelNotFound,
    RateLimit,
    /// The account's money is used up.
    Quota,
    ServerError,
    /// A proxy's page with status 502.
    BadGateway,
    Redirect,
    /// Status 200 with a page of HTML.
    HtmlPage,
    EmptyBody,
    /// Status 200 with a text that is not JSON.
    NotJson,
    /// Status 200 with an error of the model inside.
    Failed,
    /// Cut off by the limit of tokens, with text.
    Incomplete,
    /// Cut off by the limit of tokens before the first word.
    IncompleteEmpty,
    Refusal,
    EmptyAnswer,
    /// Answered without a search.
    FromMemory,
    /// The answer contains instructions to whoever labels it.
    PromptInjection,
    /// Perplexity: the form of its former answers.
    FormerForm,
    ContentNull,
    ContentChunks,
    NoCitations,
    /// Errors as a list of validation problems.
    ValidationList,
    /// 401 as plain text.
    PlainUnauthorized,
    /// Chat: the answer begins with thinking.
    Thinks,
    /// Gemini: 429 with a delay.
    RetryInfo,
    /// Gemini: 429 that points at plan and billing.
    DailyQuota,
    /// Gemini: the error stands in a list.
    ErrorArray,
    /// Gemini: a key that is not valid arrives as 400.
    BadKeyArgument,
    InvalidArgument,
    /// Gemini: no candidates and a reason for blocking.
    Blocked,
    Safety,
    Malformed,
    NoGrounding,
    NoSupports,
    /// Gemini's redirector: the link is gone.
    LinkGone,
    LinkHangs,
    LinkLoops,
    /// Anthropic: 529.
    Overloaded,
    /// Anthropic: the search was throttled inside a 200.
    ToolError,
    /// Anthropic: a search too many after one that went well.
    MaxUsesExceeded,
    PauseTurn,
    ThinkingFirst,
    /// SerpApi: the overview comes with a second request.
    TokenFlow,
    ExpiredToken,
    HourlyThrottle,
    OutOfSearches,
    NoResults,
    CannotGenerate,
    DuplicateReferences,
    /// DataForSEO: 40202.
    RateCode,
    /// DataForSEO: 40101.
    SearchEngineError,
    /// Google showed no overview.
    Absent,
    /// Results of tasks: cut off, of the wrong type, with a brand or a quote that is not in the text.
    BrokenJson,
    WrongType,
    InventedBrand,
    FalseQuote,
}

/// Way of the bytes to the client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    #[default]
    Whole,
    Gzip,
    /// Without a length, in several pieces.
    Chunked,
    /// One byte after the other, with a pause in milliseconds.
    Drip(u64),
    /// The connection breaks in the middle of the body.
    Truncated,
    /// White space without end.
    Endless,
    /// 20 MB of white space before the body.
    Large,
    /// Gigabytes of white space in a few megabytes of gzip.
    GzipBomb,
    /// `text/html` in place of JSON.
    WrongType,
    /// The first key of the body stands there twice.
    DuplicateKeys,
    /// Unknown items in every list of typed items.
    UnknownBlocks,
    /// Never a byte.
    Hang,
    /// The connection breaks without a response.
    Close,
}

/// A scenario and the number of requests that it still applies to.
#[derive(Debug)]
pub(crate) struct Armed {
    scenario: Scenario,
    left: AtomicU32,
}

impl Armed {
    pub(crate) fn new(scenario: Scenario) -> Armed {
        let left = AtomicU32::new(scenario.times.unwrap_or(u32::MAX));
        Armed { scenario, left }
    }

    /// Returns the scenario when it applies to a request, and counts it.
    pub(crate) fn apply(&self, vendor: Vendor, question: &str) -> Option<Scenario> {
        let fits = self.scenario.vendor.is_none_or(|wanted| wanted == vendor)
            && self.scenario.question.as_deref().is_none_or(|part| question.contains(part));
        if !fits {
            return None;
        }
        let take = |left: u32| match left {
            u32::MAX => Some(u32::MAX),
            left => left.checked_sub(1),
        };
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(self.scenario.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_applies_to_its_vendor_and_question_as_often_as_it_says() {
        let armed = Armed::new(Scenario {
            vendor: Some(Vendor::Gemini),
            question: Some("best".to_owned()),
            times: Some(2),
            ..Scenario::default()
        });

        assert!(armed.apply(Vendor::Openai, "best tool").is_none());
        assert!(armed.apply(Vendor::Gemini, "other").is_none());
        assert!(armed.apply(Vendor::Gemini, "best tool").is_some());
        assert!(armed.apply(Vendor::Gemini, "best tool").is_some());
        assert!(armed.apply(Vendor::Gemini, "best tool").is_none());
    }

    #[test]
    fn a_scenario_is_read_from_json() {
        let read = |text: &str| serde_json::from_str::<Scenario>(text);

        let scenario =
            read(r#"{"vendor":"openai","fault":"rate_limit","delivery":{"drip":10},"latency_ms":[5,10]}"#);

        assert_eq!(scenario.unwrap().fault, Some(Fault::RateLimit));
        assert!(read(r#"{"fault":{"refuses":"tool_choice"}}"#).is_ok());
        assert!(read(r#"{"falt":"rate_limit"}"#).is_err());
    }
}
