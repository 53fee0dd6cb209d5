//! Requests and responses without a network: each provider writes the one and reads the other with pure functions.
//! Used by the provider files and `call`; fuzzed with arbitrary bytes. Must never panic and never send anything.
//! See docs/decisions/0361.

mod chat_completion;
mod error_body;
mod failure;
pub(super) mod json;
mod response_output;
mod sources;
mod structured;
mod waits;

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;
use url::Url;

use super::asking::{AskState, Progress};
use super::connection::{ProviderConnection, ProviderKey};
use super::{Answer, Quirk, Usage, Usd, quirks, wire_of};

pub use error_body::VendorErrorBody;
pub use failure::{CallErrorCode, FailureClass, ProviderFailure};
pub use waits::advised_pause;

pub(super) use failure::class_of;
pub(super) use response_output::{MAX_QUERIES, read_openai_form};
pub(super) use sources::SourceList;
pub(super) use structured::{json_in, plain_schema, schema_in_words};
pub(super) use waits::{MAX_WAIT, parse_span};

/// A request to a provider, before it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderRequest {
    pub method: Method,
    /// Address without a key.
    pub url: Url,
    /// Headers; those with a key are marked as sensitive, so that printing hides them.
    pub headers: HeaderMap,
    pub body: Option<Value>,
    /// Key that this vendor wants as a parameter of the address; added when the request is sent.
    pub key_parameter: Option<(&'static str, ProviderKey)>,
}

impl ProviderRequest {
    pub(super) fn get(url: Url) -> ProviderRequest {
        ProviderRequest {
            method: Method::GET,
            url,
            headers: HeaderMap::new(),
            body: None,
            key_parameter: None,
        }
    }

    pub(super) fn post(url: Url, body: Value) -> ProviderRequest {
        ProviderRequest { method: Method::POST, body: Some(body), ..ProviderRequest::get(url) }
    }

    pub(super) fn with_header(mut self, name: &'static str, value: &'static str) -> ProviderRequest {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    /// Adds the key to a header, after `prefix`. Without a key the header is left out.
    pub(super) fn with_key(mut self, name: &'static str, prefix: &str, key: Option<&str>) -> ProviderRequest {
        if let Some(key) = key {
            let text = format!("{prefix}{key}");
            let mut value =
                HeaderValue::from_str(&text).expect("a key is visible ASCII, which its type checks");
            value.set_sensitive(true);
            self.headers.insert(HeaderName::from_static(name), value);
        }
        self
    }

    pub(super) fn with_bearer(self, connection: &ProviderConnection) -> ProviderRequest {
        let key = connection.key.as_ref().map(ProviderKey::secret);
        self.with_key("authorization", "Bearer ", key)
    }
}

/// A response of a provider, read to its end.
#[derive(Debug, Clone, Copy)]
pub struct ProviderResponse<'a> {
    pub status: StatusCode,
    pub headers: &'a HeaderMap,
    /// Body after decompression.
    pub body: &'a [u8],
}

/// Amount that a response was billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallBill {
    /// Nothing: an error that vendors do not bill.
    Free,
    /// The provider states the amount.
    Stated(Usd),
    /// The provider states what it took; the price table knows the rest.
    Used(Usage),
    /// The response does not say.
    Unknown,
}

/// Result of reading a response.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerReading {
    pub bill: CallBill,
    pub outcome: ReadOutcome,
}

/// Next step after a response.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadOutcome {
    Answer(Box<Answer>),
    /// One more request is needed, after a pause.
    Next {
        progress: Box<Progress>,
        pause: Duration,
    },
    /// The model refuses this parameter: ask again without it.
    Without(Quirk),
    Failure(ProviderFailure),
}

impl AnswerReading {
    pub(super) fn answer(bill: CallBill, answer: Answer) -> AnswerReading {
        AnswerReading { bill, outcome: ReadOutcome::Answer(Box::new(answer)) }
    }

    pub(super) fn next(bill: CallBill, progress: Progress, pause: Duration) -> AnswerReading {
        AnswerReading { bill, outcome: ReadOutcome::Next { progress: Box::new(progress), pause } }
    }

    pub(super) fn failure(bill: CallBill, failure: ProviderFailure) -> AnswerReading {
        AnswerReading { bill, outcome: ReadOutcome::Failure(failure) }
    }

    pub(super) fn refused(bill: CallBill, detail: &str) -> AnswerReading {
        AnswerReading::failure(bill, ProviderFailure::new(FailureClass::Refused, detail))
    }

    /// Makes the failure of a successful status with nothing to read in it, which may have been billed.
    pub(super) fn unreadable(bill: CallBill, detail: &str) -> AnswerReading {
        AnswerReading::failure(bill, ProviderFailure::new(FailureClass::Unreadable, detail))
    }
}

/// Free check of a connection, as a provider answers it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderCheck {
    /// None: the provider has no way to say it without a paid call.
    pub is_model_there: Option<bool>,
    /// Announced last day of the model.
    pub shutdown: Option<Date>,
    /// None: not said.
    pub can_search: Option<bool>,
    /// None: not said.
    pub credit: Option<ProviderCredit>,
}

/// Credit that is left with a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderCredit {
    Money(Usd),
    Searches(u64),
}

/// Functions of one form of requests and responses.
#[derive(Clone, Copy)]
pub(super) struct Wire {
    pub(super) request: fn(&AskState) -> ProviderRequest,
    /// Reader of the JSON of a response whose status is a success.
    pub(super) read: fn(&AskState, Value) -> AnswerReading,
    /// Reader of a response whose status is an error; the common form is [`read_failure`].
    pub(super) fail: fn(&AskState, &ProviderResponse) -> ReadOutcome,
    pub(super) check: fn(&ProviderConnection) -> ProviderRequest,
    pub(super) read_check:
        fn(&ProviderConnection, &ProviderResponse, Timestamp) -> Result<ProviderCheck, ProviderFailure>,
}

/// Writes the next request.
pub fn write_request(asking: &AskState) -> ProviderRequest {
    (wire_of(asking.connection).request)(asking)
}

/// Reads a response to that request, whatever its bytes are.
pub fn read_response(asking: &AskState, response: &ProviderResponse) -> AnswerReading {
    let wire = wire_of(asking.connection);
    if !response.status.is_success() {
        let mut outcome = (wire.fail)(asking, response);
        if let ReadOutcome::Failure(failure) = &mut outcome {
            if failure.class == FailureClass::Config
                && let Some(quirk) = learn(asking, &VendorErrorBody::parse(response.body))
            {
                return AnswerReading { bill: CallBill::Free, outcome: ReadOutcome::Without(quirk) };
            }
            obey_should_retry(failure, response.headers);
            failure.mask(asking.connection.key.as_ref());
        }
        return AnswerReading { bill: CallBill::Free, outcome };
    }
    // No provider answers with anything but an object.
    let Some(value) = read_json(asking, response.body).filter(Value::is_object) else {
        let detail = format!("HTTP {} with {}", response.status.as_u16(), describe(response.body));
        return AnswerReading::unreadable(CallBill::Unknown, &detail);
    };
    let mut reading = (wire.read)(asking, value);
    if let ReadOutcome::Failure(failure) = &mut reading.outcome {
        if failure.wait.is_none() && matches!(failure.class, FailureClass::Throttle | FailureClass::Retry) {
            failure.wait = waits::wait_after_trouble(response.headers, asking.now());
        }
        obey_should_retry(failure, response.headers);
        failure.mask(asking.connection.key.as_ref());
    }
    reading
}

/// Writes the request of the free check.
pub fn write_check(connection: &ProviderConnection) -> ProviderRequest {
    (wire_of(connection).check)(connection)
}

/// Reads the response to the free check.
pub fn read_check(
    connection: &ProviderConnection,
    response: &ProviderResponse,
    now: Timestamp,
) -> Result<ProviderCheck, ProviderFailure> {
    let read = (wire_of(connection).read_check)(connection, response, now);
    read.map_err(|mut failure| {
        failure.mask(connection.key.as_ref());
        failure
    })
}

/// Finds the parameter that an error refuses, among those that the request has and that were not dropped before.
pub(super) fn learn(asking: &AskState, error: &VendorErrorBody) -> Option<Quirk> {
    let sent = write_request(asking);
    quirks::refused_parameter(error, |quirk| {
        let mut other = asking.clone();
        other.quirks.insert(quirk) && write_request(&other) != sent
    })
}

/// Reads a response whose status is an error, in the form that most vendors share.
pub(super) fn read_failure(asking: &AskState, response: &ProviderResponse) -> ReadOutcome {
    ReadOutcome::Failure(http_failure(response, asking.now()))
}

/// Reads an HTTP error in the form that most vendors share.
pub(super) fn http_failure(response: &ProviderResponse, now: Timestamp) -> ProviderFailure {
    let error = VendorErrorBody::parse(response.body);
    let status = response.status.as_u16();
    let class = class_of(status, &error);
    let failure = ProviderFailure::from_error(class, status, &error).unpaid();
    failure.with_wait(match class {
        FailureClass::Throttle | FailureClass::Quota => waits::wait_after_refusal(response.headers, now),
        FailureClass::Retry => waits::wait_after_trouble(response.headers, now),
        _ => None,
    })
}

/// Makes the failure of an error inside a response whose status is a success.
pub(super) fn inner_failure(error: &VendorErrorBody) -> ProviderFailure {
    let status = error.code.parse().ok().filter(|code| (400..600).contains(code));
    let mut class = class_of(status.unwrap_or(200), error);
    if class == FailureClass::Unreadable {
        // A failure of a response that was accepted is the provider's trouble unless its words say something else.
        class = if error.is_any(&["invalid_prompt", "invalid_request_error", "data_residency_mismatch"]) {
            FailureClass::Config
        } else {
            FailureClass::Retry
        };
    }
    ProviderFailure::from_error(class, status.unwrap_or(200), error)
}

/// Obeys the header with which a vendor overrides the usual rules.
fn obey_should_retry(failure: &mut ProviderFailure, headers: &HeaderMap) {
    match headers.get("x-should-retry").map(HeaderValue::as_bytes) {
        Some(b"true") if failure.class == FailureClass::Config => {
            failure.class = FailureClass::Retry;
            failure.is_repeatable = true;
        }
        Some(b"true") => failure.is_repeatable = true,
        Some(b"false") => failure.is_repeatable = false,
        _ => {}
    }
}

/// Parses a body that should be JSON, without the key, which no answer may keep.
fn read_json(asking: &AskState, body: &[u8]) -> Option<Value> {
    let mut value = json::parse(body)?;
    if let Some(key) = &asking.connection.key {
        json::mask_key(&mut value, key);
    }
    Some(value)
}

fn describe(body: &[u8]) -> &'static str {
    if body.iter().all(u8::is_ascii_whitespace) {
        "an empty body"
    } else if error_body::looks_like_html(&String::from_utf8_lossy(&body[..body.len().min(200)])) {
        "a page of HTML"
    } else {
        "a body that is no JSON object"
    }
}
