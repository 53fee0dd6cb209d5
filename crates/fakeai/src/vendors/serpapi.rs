//! SerpApi: result pages of Google, overviews by token, answers of AI Mode, and the account. Pure.

use serde_json::{Value, json};

use super::errors::VendorError;
use super::{FakeRequest, Reply, Vendor, World, is_key};
use crate::answers::Document;
use crate::scenario::Fault;

type Replied = Result<Reply, Reply>;

fn refuse(status: u16, message: &str) -> Reply {
    VendorError { status, code: "", message, param: None }.reply(Vendor::Serpapi)
}

pub(super) fn reply(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    if !is_key(request.parameter("api_key").unwrap_or_default()) {
        return Err(refuse(
            401,
            "Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key",
        ));
    }
    if request.is_get("/account.json") {
        return Ok(Reply::json(
            json!({ "account_id": "5ac54d6adefb2f1dba1663f5", "account_status": "Active",
            "plan_name": "Starter", "searches_per_month": 1_000, "plan_searches_left": 900, "extra_credits": 0,
            "total_searches_left": 900, "this_month_usage": 100, "account_rate_limit_per_hour": 200 }),
        ));
    }
    if !request.is_get("/search.json") && !request.is_get("/search") {
        return Err(refuse(404, "Not found"));
    }
    match fault {
        Some(Fault::HourlyThrottle) => {
            return Err(refuse(429, "Your searches for the hour have exceeded the hourly throughput limit."));
        }
        Some(Fault::OutOfSearches) => return Err(refuse(429, "Your account has run out of searches.")),
        _ => {}
    }
    match request.parameter("engine") {
        Some("google") => search(request, world, fault),
        Some("google_ai_mode") => ai_mode(request, world, fault),
        Some("google_ai_overview") => by_token(request, world, fault),
        Some(other) => Err(refuse(400, &format!("Unsupported `{other}` search engine."))),
        None => Err(refuse(400, "Missing `engine` parameter.")),
    }
}

fn page(world: &World, id: &str, engine: &str, question: &str) -> Value {
    let created = world.created_at();
    json!({ "search_metadata": { "id": id, "status": "Success", "created_at": created.to_string(), "total_time_taken": 2.0 },
        "search_parameters": { "engine": engine, "q": question } })
}

/// Reads the question of a search, whose place must be one of Google's.
fn question_of(request: &FakeRequest) -> Result<&str, Reply> {
    let Some(question) = request.parameter("q").filter(|question| !question.is_empty()) else {
        return Err(refuse(400, "Missing query `q` parameter."));
    };
    if let Some(place) = request.parameter("location").filter(|place| place.contains("Nowhere")) {
        return Err(refuse(400, &format!("Unsupported `{place}` location - location parameter.")));
    }
    Ok(question)
}

/// Answers a search of AI Mode. The fields of the answer stand at the top of the response.
fn ai_mode(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    let question = question_of(request)?;
    let Some(document) = world.ai_mode_document(Vendor::Serpapi, question, fault) else {
        return Err(refuse(400, "This stand-in answers only the questions in its file."));
    };
    let id = world.occasion(Vendor::Serpapi, question).dice("AI Mode ids").id();
    let mut page = page(world, &id, "google_ai_mode", question);
    match fault {
        Some(Fault::NoResults) => {
            page["error"] = json!("Google hasn't returned any results for this query.");
        }
        Some(Fault::CannotGenerate) => {
            page["error"] = json!("We couldn't get valid results for this search. Please try again later.");
        }
        _ if document.is_absent => {}
        _ => {
            let answer = overview(&document, fault);
            page["text_blocks"] = answer["text_blocks"].clone();
            page["references"] = answer["references"].clone();
            page["reconstructed_markdown"] = json!(document.marked(|_| String::new()).text);
        }
    }
    Ok(Reply::json(page))
}

fn search(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    let question = question_of(request)?;
    let Some(document) = world.document(Vendor::Serpapi, question, fault) else {
        return Err(refuse(400, "This stand-in answers only the questions in its file."));
    };
    let id = world.occasion(Vendor::Serpapi, question).dice("ids").id();
    let mut page = page(world, &id, "google", question);
    if fault == Some(&Fault::NoResults) {
        page["error"] = json!("Google hasn't returned any results for this query.");
        return Ok(Reply::json(page));
    }
    let organic = document.sources.iter().take(10).enumerate().map(|(position, source)| {
        json!({ "position": position + 1, "title": source.title, "link": source.url, "snippet": source.snippet })
    });
    page["organic_results"] = organic.collect();
    if document.is_absent {
        return Ok(Reply::json(page));
    }
    let comes_later = matches!(fault, Some(Fault::TokenFlow | Fault::ExpiredToken | Fault::CannotGenerate));
    page["ai_overview"] = if comes_later {
        let token: String = question.bytes().map(|byte| format!("{byte:02x}")).collect();
        json!({ "page_token": token, "serpapi_link": format!("https://serpapi.com/search.json?engine=google_ai_overview&page_token={token}") })
    } else {
        overview(&document, fault)
    };
    Ok(Reply::json(page))
}

fn by_token(request: &FakeRequest, world: &World, fault: Option<&Fault>) -> Replied {
    let Some(token) = request.parameter("page_token") else {
        return Err(refuse(400, "Missing `page_token` parameter."));
    };
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = token.as_bytes().chunks(2).map(byte).collect();
    let question = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(question) = question.filter(|_| fault != Some(&Fault::ExpiredToken)) else {
        return Err(refuse(400, "The page_token has expired."));
    };
    let Some(document) = world.document(Vendor::Serpapi, &question, fault) else {
        return Err(refuse(400, "This stand-in answers only the questions in its file."));
    };
    let id = world.occasion(Vendor::Serpapi, &question).dice("token ids").id();
    let mut page = page(world, &id, "google_ai_overview", &question);
    page["ai_overview"] = match fault {
        Some(Fault::CannotGenerate) => {
            json!({ "error": "Can't generate an AI overview right now. Try again later." })
        }
        _ => overview(&document, fault),
    };
    Ok(Reply::json(page))
}

/// Writes blocks: paragraphs, lists, headings and tables as they come.
fn overview(document: &Document, fault: Option<&Fault>) -> Value {
    let mut blocks: Vec<Value> = Vec::new();
    let mut items: Vec<Value> = Vec::new();
    for piece in &document.pieces {
        let text = piece.text.replace("**", "");
        let item = text.strip_prefix("- ").or_else(|| {
            let (number, rest) = text.split_once(". ")?;
            number.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
        });
        if let Some(item) = item {
            items.push(json!({ "snippet": item, "reference_indexes": piece.cites }));
            continue;
        }
        if !items.is_empty() {
            blocks.push(json!({ "type": "list", "list": std::mem::take(&mut items) }));
        }
        blocks.push(match text.strip_prefix("## ") {
            Some(heading) => json!({ "type": "heading", "snippet": heading }),
            None if text.starts_with('|') => json!({ "type": "table", "table": rows(&text) }),
            None => json!({ "type": "paragraph", "snippet": text, "reference_indexes": piece.cites }),
        });
    }
    if !items.is_empty() {
        blocks.push(json!({ "type": "list", "list": items }));
    }
    let reference = |(index, source): (usize, &crate::answers::FakeSource)| json!({ "index": index, "title": source.title, "link": source.url, "snippet": source.snippet, "source": source.title });
    let mut references: Vec<Value> = document.sources.iter().enumerate().map(reference).collect();
    if fault == Some(&Fault::DuplicateReferences)
        && let Some(first) = references.first().cloned()
    {
        let index = references.len();
        references.push(first);
        references[index]["index"] = json!(index);
    }
    json!({ "text_blocks": blocks, "references": references })
}

fn rows(table: &str) -> Value {
    let is_rule = |line: &&str| !line.contains("---");
    let cells =
        |line: &str| -> Value { line.trim_matches('|').split('|').map(|cell| json!(cell.trim())).collect() };
    table.lines().filter(is_rule).map(cells).collect()
}
