//! DataForSEO: live result pages of Google with their overview, pages of AI Mode, and the account's data. Pure.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::strict::unknown_field;
use super::{FakeRequest, Reply, Vendor, World};
use crate::answers::{Document, FakeSource};
use crate::scenario::Fault;

/// Pages that the vendor reads: their type in path and answer, and the fields that a task may have.
const PAGES: [(&str, &[&str]); 2] = [(ORGANIC, ORGANIC_FIELDS), (AI_MODE, AI_MODE_FIELDS)];
const ORGANIC: &str = "organic";
const AI_MODE: &str = "ai_mode";
const ORGANIC_FIELDS: &[&str] = &[
    "keyword",
    "location_code",
    "location_name",
    "location_coordinate",
    "language_code",
    "language_name",
    "depth",
    "device",
    "os",
    "tag",
    "load_async_ai_overview",
    "max_crawl_pages",
    "se_domain",
    "url",
    "search_param",
];
const AI_MODE_FIELDS: &[&str] = &[
    "keyword",
    "location_code",
    "location_name",
    "location_coordinate",
    "language_code",
    "language_name",
    "device",
    "os",
    "tag",
    "calculate_rectangles",
    "browser_screen_width",
    "browser_screen_height",
    "browser_screen_resolution_ratio",
];
/// Price of a page, and of an overview that is deferred.
const PRICE: f64 = 0.002;
/// Price of a page of AI Mode.
const AI_MODE_PRICE: f64 = 0.004;

type Replied = Result<Reply, Reply>;

/// Makes an error of the whole request. Only a few are HTTP errors.
pub(super) fn error(status: u16, message: &str) -> Reply {
    let (http, code) = match status {
        401 => (401, 40_100),
        402 => (402, 40_200),
        404 => (404, 40_400),
        429 => (200, 40_202),
        500.. => (500, 50_000),
        _ => (200, 40_503),
    };
    Reply::error(
        http,
        json!({ "version": "0.1.20261120", "status_code": code, "status_message": message,
        "time": "0 sec.", "cost": 0, "tasks_count": 0, "tasks_error": 0, "tasks": null }),
    )
}

/// Makes an error of the task, inside a request that went well.
pub(super) fn task_error(code: u32, message: &str) -> Reply {
    envelope(code, message, 0.0, &Value::Null, Value::Null)
}

fn envelope(code: u32, message: &str, cost: f64, data: &Value, result: Value) -> Reply {
    let is_error = u32::from(code != 20_000);
    let count = if result.is_null() { 0 } else { 1 };
    let page = data["se_type"].as_str().unwrap_or(ORGANIC);
    Reply::json(
        json!({ "version": "0.1.20261120", "status_code": 20_000, "status_message": "Ok.", "time": "4.2 sec.",
        "cost": cost, "tasks_count": 1, "tasks_error": is_error,
        "tasks": [{ "id": "11251200-1535-0139-0000-fa4e00000000", "status_code": code, "status_message": message,
            "time": "4.1 sec.", "cost": cost, "result_count": count, "path": ["v3", "serp", "google", page, "live", "advanced"],
            "data": data, "result": result }] }),
    )
}

pub(super) fn reply(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    if !is_authorized(request) {
        return Err(error(401, "You are not authorized to access this resource."));
    }
    if request.is_get("/appendix/user_data") {
        let account = json!([{ "login": "shop@example.com", "timezone": "UTC",
            "money": { "total": 50.0, "balance": 12.34 } }]);
        return Ok(envelope(
            20_000,
            "Ok.",
            0.0,
            &json!({ "api": "appendix", "function": "user_data" }),
            account,
        ));
    }
    let is_asked = |page: &str| request.is_post(&format!("/serp/google/{page}/live/advanced"));
    let Some((page, fields)) = PAGES.into_iter().find(|(page, _)| is_asked(page)) else {
        return Err(error(404, "Not Found."));
    };
    let Some(task) = request.body.get(0).filter(|task| task.is_object()) else {
        return Err(error(400, "POST Data Is Invalid."));
    };
    check(task, page, fields)?;
    let price = if page == AI_MODE { AI_MODE_PRICE } else { PRICE };
    match fault {
        Some(Fault::RateCode) => {
            return Err(task_error(40_202, "The rate-limit per minute has been exceeded."));
        }
        // Sent to the search engine, and billed for it.
        Some(Fault::SearchEngineError) => {
            return Err(envelope(40_101, "Internal SE Server Error.", price, &data(task, page), Value::Null));
        }
        Some(Fault::NoResults) => {
            return Ok(envelope(40_102, "No Search Results.", price, &data(task, page), Value::Null));
        }
        _ => {}
    }
    let question = question(&request.body);
    let document = match page {
        AI_MODE => world.ai_mode_document(Vendor::Dataforseo, &question, fault),
        _ => world.document(Vendor::Dataforseo, &question, fault),
    };
    let Some(document) = document else {
        return Err(task_error(
            40_501,
            "Invalid Field: 'keyword'. This stand-in answers only the questions in its file.",
        ));
    };
    Ok(match page {
        AI_MODE => ai_mode(task, &question, &document),
        _ => live(task, &question, &document),
    })
}

fn is_authorized(request: &FakeRequest) -> bool {
    let encoded = request.header("authorization").strip_prefix("Basic ").unwrap_or_default();
    let decoded =
        STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    decoded.split_once(':').is_some_and(|(login, password)| !login.is_empty() && super::is_key(password))
}

fn check(task: &Value, page: &str, fields: &[&str]) -> Result<(), Reply> {
    let invalid = |field: &str| Err(task_error(40_501, &format!("Invalid Field: '{field}'.")));
    if let Some(field) = unknown_field(task, fields) {
        return invalid(field);
    }
    if task["keyword"].as_str().is_none_or(|keyword| keyword.is_empty() || keyword.chars().count() > 700) {
        return invalid("keyword");
    }
    if task["language_code"].is_null() && task["language_name"].is_null() {
        return invalid("language_code");
    }
    let places = ["location_code", "location_name", "location_coordinate"];
    match places.into_iter().filter(|field| !task[*field].is_null()).count() {
        1 => {}
        _ => return invalid("location_code"),
    }
    // Results are near a radius, AI Mode at a zoom of the map.
    let coordinate = task["location_coordinate"].as_str().unwrap_or_default();
    let extent = coordinate.splitn(3, ',').nth(2).unwrap_or_default();
    let is_zoom = extent.strip_suffix('z').is_some_and(|zoom| matches!(zoom.parse(), Ok(4..=18)));
    let is_radius = extent.parse().is_ok_and(|radius: f64| (199.9..=199_999.0).contains(&radius));
    if !extent.is_empty() && !(if page == AI_MODE { is_zoom } else { is_radius }) {
        return invalid("location_coordinate");
    }
    // A name is one of Google's: at least place and country.
    if task["location_name"].as_str().is_some_and(|name| name.contains("Nowhere")) {
        return invalid("location_name");
    }
    Ok(())
}

/// Decodes the keyword as the vendor does.
pub(super) fn question(body: &Value) -> String {
    let keyword = body[0]["keyword"].as_str().unwrap_or_default().replace('+', " ");
    percent_encoding::percent_decode_str(&keyword).decode_utf8_lossy().into_owned()
}

fn data(task: &Value, page: &str) -> Value {
    let mut data = task.clone();
    data["api"] = json!("serp");
    data["function"] = json!("live");
    data["se"] = json!("google");
    data["se_type"] = json!(page);
    data
}

fn live(task: &Value, question: &str, document: &Document) -> Reply {
    let mut items: Vec<Value> = Vec::new();
    let mut cost = PRICE;
    if !document.is_absent {
        items.push(overview(document));
        if task["load_async_ai_overview"] == true {
            cost += PRICE;
        }
    }
    for (position, source) in document.sources.iter().take(10).enumerate() {
        let rank = position + 1;
        items.push(json!({ "type": "organic", "rank_group": rank, "rank_absolute": rank + 1, "page": 1, "position": "left",
            "domain": domain_of(&source.url), "title": source.title, "url": source.url, "description": source.snippet }));
    }
    let types = if document.is_absent { json!(["organic"]) } else { json!(["ai_overview", "organic"]) };
    let mut result = result(task, ORGANIC, question, types);
    result["check_url"] = json!("https://www.google.com/search?q=x");
    result["se_results_count"] = json!(1_000_000);
    result["pages_count"] = json!(1);
    result["items_count"] = json!(items.len());
    result["items"] = json!(items);
    envelope(20_000, "Ok.", cost, &data(task, ORGANIC), json!([result]))
}

/// Writes a page of AI Mode: one item with the answer, in elements, or no item.
fn ai_mode(task: &Value, question: &str, document: &Document) -> Reply {
    let items: Vec<Value> = if document.is_absent { vec![] } else { vec![mode_answer(document)] };
    let types: Vec<&Value> = items.iter().map(|item| &item["type"]).collect();
    let mut result = result(task, AI_MODE, question, json!(types));
    result["check_url"] = json!("https://www.google.com/search?q=x&udm=50");
    result["se_results_count"] = json!(0);
    result["items_count"] = json!(items.len());
    result["items"] = json!(items);
    envelope(20_000, "Ok.", AI_MODE_PRICE, &data(task, AI_MODE), json!([result]))
}

/// Writes the fields that the results of all pages have.
fn result(task: &Value, page: &str, question: &str, types: Value) -> Value {
    json!({ "keyword": question, "type": page, "se_domain": "google.com", "location_code": task["location_code"],
        "language_code": task["language_code"], "datetime": "2026-11-25 12:00:00 +00:00", "spell": null,
        "refinement_chips": null, "item_types": types })
}

/// Writes the answer of AI Mode: an element for each piece, tables as elements of their own.
fn mode_answer(document: &Document) -> Value {
    let mut item = overview(document);
    let elements = document.pieces.iter().map(|piece| {
        if piece.text.starts_with('|') {
            let (header, content) = table(&piece.text);
            return json!({ "type": "ai_overview_table_element", "position": "left", "markdown": piece.text,
                "table": { "table_header": header, "table_content": content } });
        }
        let references: Vec<Value> =
            piece.cites.iter().map(|number| reference(&document.sources[*number])).collect();
        json!({ "type": "ai_overview_element", "position": "left", "title": null, "text": piece.text.replace("**", ""),
            "markdown": piece.text, "links": null, "images": null, "references": references })
    });
    item["items"] = elements.collect();
    item["xpath"] = json!("/html[1]/body[1]/div[1]/div[1]");
    if let Some(fields) = item.as_object_mut() {
        fields.remove("asynchronous_ai_overview");
    }
    item
}

/// Splits a table of markdown into its head and its rows.
fn table(markdown: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut rows = markdown
        .lines()
        .filter(|line| !line.contains("---"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<&str>>());
    (rows.next().unwrap_or_default(), rows.collect())
}

fn overview(document: &Document) -> Value {
    let cited = document.cited();
    let references: Vec<Value> = cited.iter().map(|number| reference(&document.sources[*number])).collect();
    let position = |number: usize| cited.iter().position(|cited| *cited == number).unwrap_or(0) + 1;
    let marked =
        document.marked(|number| format!(" [[{}]]({})", position(number), document.sources[number].url));
    let element = json!({ "type": "ai_overview_element", "position": "left", "title": null, "text": document.plain(),
        "markdown": marked.text, "links": null, "images": null, "references": references });
    json!({ "type": "ai_overview", "rank_group": 1, "rank_absolute": 1, "page": 1, "position": "left",
        "asynchronous_ai_overview": true, "markdown": marked.text, "items": [element], "references": references,
        "rectangle": null })
}

fn reference(source: &FakeSource) -> Value {
    let domain = domain_of(&source.url);
    json!({ "type": "ai_overview_reference", "source": domain.trim_start_matches("www."), "domain": domain,
        "url": source.url, "title": source.title, "text": source.snippet })
}

fn domain_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}
