//! DataForSEO: one call for a result page with its overview, deferred ones included, or for a page of AI Mode, which has the form
//! of an overview.
//! Set-up: login and password of the API. A search costs 0.002 dollars, and 0.002 more for a deferred overview, which are
//! given back when there is none; a page of AI Mode costs 0.004 dollars. The response states the exact price.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::civil::time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use super::{GooglePage, MAX_RESTARTS, SearchQuery, blocks, language_of, search_answer};
use crate::countries::find_country;
use crate::providers::asking::{AskState, Progress};
use crate::providers::wire::json::{count, found, list, text};
use crate::providers::wire::{
    AnswerReading, CallBill, FailureClass, ProviderCheck, ProviderCredit, ProviderFailure, ProviderRequest,
    ProviderResponse, ReadOutcome, SourceList, VendorErrorBody, Wire, http_failure, json as fields, learn,
    read_failure,
};
use crate::providers::{LocationSent, Persona, ProviderConnection, Quirk, Usage, Usd};

pub(super) const BASE_URL: &str = "https://api.dataforseo.com/v3";
pub(super) const WIRE: Wire = Wire { request, read, fail: read_failure, check, read_check };

const OK: u64 = 20_000;
const NO_RESULTS: u64 = 40_102;
/// Number that Google adds to a country's own.
const COUNTRY_CODES: u32 = 2_000;
const UNITED_STATES: u32 = 840;
const RESTART_PAUSE: Duration = Duration::from_secs(2);

fn authorized(request: ProviderRequest, connection: &ProviderConnection) -> ProviderRequest {
    let key = connection.key.as_ref().map(|key| STANDARD.encode(key.secret()));
    request.with_key("authorization", "Basic ", key.as_deref())
}

fn request(asking: &AskState) -> ProviderRequest {
    // The vendor decodes percent signs and pluses.
    let keyword = SearchQuery::of(asking).text.replace('%', "%25").replace('+', "%2B");
    let page = GooglePage::of(asking);
    let mut task = json!({ "keyword": keyword, "language_code": language_of(asking), "device": "desktop" });
    if page.has_results {
        task["depth"] = json!(10);
        task["load_async_ai_overview"] = json!(true);
    }
    let (field, value, _) = place(asking);
    task[field] = value;
    if let Some(run) = asking.run() {
        task["tag"] = json!(run);
    }
    let url = asking.connection.endpoint(&["serp", "google", page.dataforseo_type, "live", "advanced"]);
    authorized(ProviderRequest::post(url, json!([task])), asking.connection)
}

/// Chooses the field of the place: coordinates, a name, else the country. The vendor demands a place: without any it is
/// the United States.
fn place(asking: &AskState) -> (&'static str, Value, LocationSent) {
    let nowhere = Persona::default();
    let persona = asking.persona().unwrap_or(&nowhere);
    let is_exact = asking.accepts(Quirk::UserLocation);
    if let Some((lat, lng)) = persona.coordinates().filter(|_| is_exact) {
        return (
            "location_coordinate",
            json!(format!("{lat:.7},{lng:.7},{}", GooglePage::of(asking).extent)),
            LocationSent::Parameters,
        );
    }
    let country = persona.country.as_deref().and_then(find_country);
    let has_part = persona.city.is_some() || persona.region.is_some();
    if is_exact && has_part && country.is_some() {
        return ("location_name", json!(persona.place_names().join(",")), LocationSent::Parameters);
    }
    let number = country.map_or(UNITED_STATES, |country| country.number);
    let sent = if country.is_some() { LocationSent::Parameters } else { LocationSent::None };
    ("location_code", json!(COUNTRY_CODES + number), sent)
}

fn read(asking: &AskState, value: Value) -> AnswerReading {
    let nothing = Value::Null;
    let task = list(&value, "tasks").first().unwrap_or(&nothing);
    // An error of the whole request has no task; one of the task stands beside a status that is well.
    let failed =
        [&value, task].into_iter().find(|level| level.is_object() && count(level, "status_code") != OK);
    let bill = bill_of(&value, task);
    match failed {
        Some(level) if count(level, "status_code") == NO_RESULTS => {}
        Some(level) => return failure_of(asking, level, bill),
        None if !task.is_object() => return AnswerReading::unreadable(bill, "HTTP 200 without tasks"),
        None => {}
    }
    let mut items = list(task, "result").iter().flat_map(|result| list(result, "items"));
    let overview = items.find(|item| text(item, "type") == "ai_overview");
    let (text, cited) = overview.map(overview_of).unwrap_or_default();
    let sent = place(asking).2;
    AnswerReading::answer(bill, search_answer(asking, text, cited, sent, value))
}

fn bill_of(value: &Value, task: &Value) -> CallBill {
    let cost = found(task, "cost").or_else(|| found(value, "cost")).and_then(Value::as_f64);
    cost.and_then(Usd::from_dollars)
        .filter(|cost| *cost >= Usd::ZERO)
        .map_or(CallBill::Unknown, CallBill::Stated)
}

/// Reads an overview or an answer of AI Mode: its markdown, else its elements; and its references, which stand at several levels.
fn overview_of(item: &Value) -> (String, SourceList) {
    let mut cited = SourceList::default();
    for level in list(item, "items").iter().chain([item]) {
        for reference in list(level, "references") {
            let title = [text(reference, "title"), text(reference, "source")];
            cited.add(
                text(reference, "url"),
                title.into_iter().find(|title| !title.is_empty()).unwrap_or_default(),
            );
        }
    }
    let written = match text(item, "markdown").trim() {
        "" => blocks::elements_to_markdown(list(item, "items")),
        markdown => markdown.to_owned(),
    };
    (written, cited)
}

fn failure_of(asking: &AskState, level: &Value, bill: CallBill) -> AnswerReading {
    let code = count(level, "status_code");
    // The request as it was sent is billed by what it states; a refused one states zero.
    let bill = if bill == CallBill::Unknown { CallBill::Free } else { bill };
    let error = VendorErrorBody {
        message: text(level, "status_message").to_owned(),
        code: code.to_string(),
        ..VendorErrorBody::default()
    };
    let class = class_of(code);
    if class == FailureClass::Config
        && let Some(quirk) = learn(asking, &error)
    {
        return AnswerReading { bill, outcome: ReadOutcome::Without(quirk) };
    }
    if class == FailureClass::Retry && asking.progress.restarts < MAX_RESTARTS {
        let restarts = asking.progress.restarts + 1;
        let usage = Usage { searches: asking.progress.usage.searches + 1, ..Usage::default() };
        return AnswerReading::next(bill, Progress { restarts, usage, ..Progress::default() }, RESTART_PAUSE);
    }
    let failure = ProviderFailure::from_error(class, 200, &error).unpaid();
    let wait = (code == 40_203).then(|| until_utc_midnight(asking.now())).flatten();
    AnswerReading::failure(bill, failure.with_wait(wait))
}

/// Decides the class of a status of the vendor.
fn class_of(code: u64) -> FailureClass {
    match code {
        40_100 | 40_104 | 40_201 | 40_204 | 40_207 => FailureClass::Auth,
        // Money of the account, and the limit that the operator has set for a day.
        40_200 | 40_203 | 40_210 => FailureClass::Quota,
        40_202 | 40_205 | 40_206 | 40_209 => FailureClass::Throttle,
        40_101 | 40_103 | 50_000.. => FailureClass::Retry,
        _ => FailureClass::Config,
    }
}

fn until_utc_midnight(now: Timestamp) -> Option<Duration> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let midnight =
        today.checked_add(1.day()).ok()?.to_datetime(time(0, 0, 0, 0)).to_zoned(TimeZone::UTC).ok()?;
    Duration::try_from(midnight.timestamp().duration_since(now)).ok()
}

fn check(connection: &ProviderConnection) -> ProviderRequest {
    authorized(ProviderRequest::get(connection.endpoint(&["appendix", "user_data"])), connection)
}

fn read_check(
    _: &ProviderConnection,
    response: &ProviderResponse,
    now: Timestamp,
) -> Result<ProviderCheck, ProviderFailure> {
    if !response.status.is_success() {
        return Err(http_failure(response, now));
    }
    let unreadable = || ProviderFailure::new(FailureClass::Unreadable, "the account's data is not JSON");
    let value = fields::parse(response.body).filter(Value::is_object).ok_or_else(unreadable)?;
    let nothing = Value::Null;
    let task = list(&value, "tasks").first().unwrap_or(&nothing);
    let levels = [&value, task];
    if let Some(level) =
        levels.into_iter().find(|level| level.is_object() && count(level, "status_code") != OK)
    {
        let code = count(level, "status_code");
        let message = text(level, "status_message").to_owned();
        let error = VendorErrorBody { message, code: code.to_string(), ..VendorErrorBody::default() };
        return Err(ProviderFailure::from_error(class_of(code), 200, &error));
    }
    let balance = task.pointer("/result/0/money/balance").and_then(Value::as_f64).and_then(Usd::from_dollars);
    Ok(ProviderCheck { credit: balance.map(ProviderCredit::Money), ..ProviderCheck::default() })
}
