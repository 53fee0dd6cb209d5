//! SerpApi: a search, and a second call when Google makes the overview only on demand. AI Mode takes one search, whose response
//! has the fields of an overview.
//! Set-up: the key of an account. A search costs about 0.015 dollars at entry plans. The vendor wants its key in the address; it is
//! added when the request is sent.

use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;
use serde_json::Value;
use url::Url;

use super::{GooglePage, MAX_RESTARTS, SearchQuery, blocks, language_of, search_answer};
use crate::providers::asking::{AskState, Progress};
use crate::providers::wire::json::{as_count, count, list, text};
use crate::providers::wire::{
    AnswerReading, CallBill, FailureClass, ProviderCheck, ProviderCredit, ProviderFailure, ProviderRequest,
    ProviderResponse, ReadOutcome, SourceList, VendorErrorBody, Wire, class_of, http_failure, json as fields,
    read_failure,
};
use crate::providers::{Answer, LocationSent, ProviderConnection, Quirk, Usage};

pub(super) const BASE_URL: &str = "https://serpapi.com";
pub(super) const WIRE: Wire = Wire { request, read, fail, check, read_check };

const RESTART_PAUSE: Duration = Duration::from_secs(2);
/// Errors that stand for a page without results.
const NO_RESULTS: &[&str] = &["hasn't returned any results", "has not returned any results"];
/// Errors of an overview that may come the next time.
const NOT_NOW: &[&str] = &["can't generate an ai overview", "try again later"];
/// Errors of a token that is too old.
const EXPIRED: &[&str] = &["expired", "page_token", "page token"];

fn request(asking: &AskState) -> ProviderRequest {
    let mut url = asking.connection.endpoint(&["search.json"]);
    match &asking.progress.page_token {
        Some(token) => {
            url.query_pairs_mut()
                .append_pair("engine", "google_ai_overview")
                .append_pair("page_token", token);
        }
        None => add_search(asking, &mut url),
    }
    with_key(ProviderRequest::get(url), asking.connection)
}

fn with_key(request: ProviderRequest, connection: &ProviderConnection) -> ProviderRequest {
    let key_parameter = connection.key.clone().map(|key| ("api_key", key));
    ProviderRequest { key_parameter, ..request }
}

fn add_search(asking: &AskState, url: &mut Url) {
    let mut query = url.query_pairs_mut();
    query.append_pair("engine", GooglePage::of(asking).serpapi_engine);
    query.append_pair("q", &SearchQuery::of(asking).text);
    query.append_pair("hl", &language_of(asking).to_ascii_lowercase());
    if let Some(country) = asking.persona().and_then(|persona| persona.country.as_deref()) {
        query.append_pair("gl", &country.to_ascii_lowercase());
    }
    if let Some(place) = named_place(asking) {
        query.append_pair("location", &place);
    }
    if asking.progress.restarts > 0 {
        // Without it an equal search is answered from the vendor's cache.
        query.append_pair("no_cache", "true");
    }
}

/// Names a place below a country; the country has a parameter of its own.
fn named_place(asking: &AskState) -> Option<String> {
    let persona = asking.persona().filter(|_| asking.accepts(Quirk::UserLocation))?;
    let has_part = persona.city.is_some() || persona.region.is_some();
    has_part.then(|| persona.place_names().join(","))
}

fn location(asking: &AskState) -> LocationSent {
    let has_country = asking.persona().is_some_and(|persona| persona.country.is_some());
    if has_country || named_place(asking).is_some() { LocationSent::Parameters } else { LocationSent::None }
}

fn read(asking: &AskState, value: Value) -> AnswerReading {
    let error = VendorErrorBody::from_json(&value);
    if !text(&value, "error").is_empty() {
        return after_error(asking, value, &error);
    }
    let nothing = Value::Null;
    let field = GooglePage::of(asking).serpapi_field;
    let overview = match field {
        Some(field) => value.get(field).unwrap_or(&nothing),
        None => &value,
    };
    if !text(overview, "error").is_empty() {
        let inner = VendorErrorBody::from_json(overview);
        return after_error(asking, value, &inner);
    }
    let token = text(overview, "page_token");
    if list(overview, "text_blocks").is_empty() && !token.is_empty() && asking.progress.page_token.is_none() {
        // Valid for a minute: fetched at once.
        let progress = Progress { page_token: Some(token.to_owned()), ..counted(asking, &value) };
        return AnswerReading::next(searched(1), progress, Duration::ZERO);
    }
    let is_page = value.get("search_metadata").is_some() || (field.is_some() && overview.is_object());
    if !is_page {
        return AnswerReading::unreadable(CallBill::Unknown, "HTTP 200 without a result page");
    }
    AnswerReading::answer(searched(1), answer_of(asking, overview.clone(), value))
}

/// Bills searches by the price table.
fn searched(searches: u64) -> CallBill {
    CallBill::Used(Usage { searches, ..Usage::default() })
}

/// Counts one more search and keeps its response beside the next one.
fn counted(asking: &AskState, value: &Value) -> Progress {
    let mut progress = asking.progress.clone();
    progress.usage.searches += 1;
    progress.earlier.push(value.clone());
    progress
}

fn answer_of(asking: &AskState, overview: Value, value: Value) -> Answer {
    let raw = if asking.progress.earlier.is_empty() {
        value
    } else {
        Value::Array(asking.progress.earlier.iter().cloned().chain([value]).collect())
    };
    let written = blocks::blocks_to_markdown(list(&overview, "text_blocks"));
    let markdown = if written.is_empty() {
        text(&overview, "reconstructed_markdown").trim().to_owned()
    } else {
        written
    };
    search_answer(asking, markdown, cited_in(&overview), location(asking), raw)
}

/// Lists the references in the order in which the text refers to them, then the others. One address may have several
/// numbers.
fn cited_in(overview: &Value) -> SourceList {
    let references = list(overview, "references");
    let mut cited = SourceList::default();
    let add = |cited: &mut SourceList, reference: &Value| {
        let title = [text(reference, "title"), text(reference, "source")];
        cited.add(
            text(reference, "link"),
            title.into_iter().find(|title| !title.is_empty()).unwrap_or_default(),
        );
    };
    for number in blocks::references_in(list(overview, "text_blocks")) {
        for reference in
            references.iter().filter(|reference| reference.get("index").and_then(as_count) == Some(number))
        {
            add(&mut cited, reference);
        }
    }
    references.iter().for_each(|reference| add(&mut cited, reference));
    cited
}

/// Reads a response whose status is an error. One for a token means that the token is too old.
fn fail(asking: &AskState, response: &ProviderResponse) -> ReadOutcome {
    if asking.progress.page_token.is_some() && matches!(response.status.as_u16(), 400 | 404 | 410) {
        return begin_anew(asking, fields::parse(response.body).unwrap_or_default()).outcome;
    }
    read_failure(asking, response)
}

/// Decides about an error that came with HTTP 200. Searches with errors are not billed.
fn after_error(asking: &AskState, value: Value, error: &VendorErrorBody) -> AnswerReading {
    if error.says_any(NO_RESULTS) {
        return AnswerReading::answer(CallBill::Free, answer_of(asking, Value::Null, value));
    }
    let is_token = asking.progress.page_token.is_some();
    if error.says_any(NOT_NOW) || (is_token && error.says_any(EXPIRED)) {
        return begin_anew(asking, value);
    }
    let class = match class_of(200, error) {
        FailureClass::Unreadable if error.says_any(&["api key"]) => FailureClass::Auth,
        FailureClass::Unreadable => FailureClass::Retry,
        class => class,
    };
    AnswerReading::failure(CallBill::Free, ProviderFailure::from_error(class, 200, error).unpaid())
}

/// Searches again, twice at most; after that there is no overview.
fn begin_anew(asking: &AskState, value: Value) -> AnswerReading {
    if asking.progress.restarts >= MAX_RESTARTS {
        return AnswerReading::answer(CallBill::Free, answer_of(asking, Value::Null, value));
    }
    let progress = Progress {
        restarts: asking.progress.restarts + 1,
        usage: asking.progress.usage,
        ..Progress::default()
    };
    AnswerReading::next(CallBill::Free, progress, RESTART_PAUSE)
}

fn check(connection: &ProviderConnection) -> ProviderRequest {
    with_key(ProviderRequest::get(connection.endpoint(&["account.json"])), connection)
}

fn read_check(
    _: &ProviderConnection,
    response: &ProviderResponse,
    now: Timestamp,
) -> Result<ProviderCheck, ProviderFailure> {
    if response.status != StatusCode::OK {
        return Err(http_failure(response, now));
    }
    let unreadable = || ProviderFailure::new(FailureClass::Unreadable, "the account's data is not JSON");
    let value = fields::parse(response.body).filter(Value::is_object).ok_or_else(unreadable)?;
    if !text(&value, "error").is_empty() {
        return Err(ProviderFailure::from_error(
            FailureClass::Auth,
            200,
            &VendorErrorBody::from_json(&value),
        ));
    }
    let left = value.get("total_searches_left").map(|_| count(&value, "total_searches_left"));
    Ok(ProviderCheck { credit: left.map(ProviderCredit::Searches), ..ProviderCheck::default() })
}
