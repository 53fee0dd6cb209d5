//! The stand-ins over HTTP: as strict as the vendors, repeatable, counted, and gone when they are dropped.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use bytes::Bytes;
use fakeai::{AnswerFile, FakeOptions, FakeVendors, Fault, Scenario, Vendor};
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

const QUESTION: &str = "What is the best editor?";

struct Reply {
    status: u16,
    bytes: Bytes,
    body: Value,
}

async fn call(url: &str, method: Method, headers: &[(&str, &str)], body: &Value) -> Reply {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let mut request = Request::builder().method(method).uri(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let response = client.request(request.body(Full::new(body)).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    Reply { status, body: serde_json::from_slice(&bytes).unwrap_or_default(), bytes }
}

async fn start() -> FakeVendors {
    FakeVendors::start(FakeOptions { day: Some(20_782), ..FakeOptions::default() }).await.unwrap()
}

/// Returns a path of a vendor, the headers that it requires, and a valid body.
fn good(vendor: Vendor) -> (&'static str, Vec<(&'static str, &'static str)>, Value) {
    let bearer = ("authorization", "Bearer key");
    let messages = json!([{ "role": "user", "content": QUESTION }]);
    match vendor {
        Vendor::Openai => {
            let tools = json!([{ "type": "web_search", "user_location": { "type": "approximate" } }]);
            (
                "/responses",
                vec![bearer],
                json!({ "model": "gpt-6-luna", "input": QUESTION, "tools": tools, "tool_choice": "required" }),
            )
        }
        Vendor::Chat => ("/chat/completions", vec![], json!({ "model": "m", "messages": messages })),
        Vendor::Perplexity => {
            let tools = json!([{ "type": "web_search" }]);
            (
                "/v1/agent",
                vec![bearer],
                json!({ "model": "perplexity/sonar", "input": QUESTION, "tools": tools, "tool_choice": "required" }),
            )
        }
        Vendor::Gemini => {
            let contents = json!([{ "role": "user", "parts": [{ "text": QUESTION }] }]);
            let body = json!({ "contents": contents, "tools": [{ "google_search": {} }] });
            ("/models/gemini-3.8-flash:generateContent", vec![("x-goog-api-key", "key")], body)
        }
        Vendor::Anthropic => {
            let body = json!({ "model": "claude-haiku-5-5", "max_tokens": 8000, "messages": messages,
                "tools": [{ "type": "web_search_20250305", "name": "web_search" }], "tool_choice": { "type": "tool", "name": "web_search" } });
            ("/messages", vec![("x-api-key", "key"), ("anthropic-version", "2023-06-01")], body)
        }
        Vendor::Dataforseo => {
            let task = json!([{ "keyword": QUESTION, "location_code": 2840, "language_code": "en", "load_async_ai_overview": true }]);
            (
                "/serp/google/organic/live/advanced",
                vec![("authorization", "Basic bG9naW46cGFzc3dvcmQ=")],
                task,
            )
        }
        Vendor::Serpapi => {
            ("/search.json?engine=google&q=What+is+the+best+editor%3F&api_key=key", vec![], Value::Null)
        }
    }
}

async fn ask(vendors: &FakeVendors, vendor: Vendor, change: impl Fn(&mut Value)) -> Reply {
    let (path, headers, mut body) = good(vendor);
    change(&mut body);
    let method = if vendor == Vendor::Serpapi { Method::GET } else { Method::POST };
    call(&format!("{}{path}", vendors.base_url(vendor)), method, &headers, &body).await
}

#[tokio::test]
async fn every_vendor_answers_a_good_request() {
    let vendors = start().await;

    for vendor in Vendor::ALL {
        let reply = ask(&vendors, vendor, |_| {}).await;
        assert_eq!(reply.status, 200, "{vendor:?}: {}", reply.body);
        assert!(reply.bytes.len() > 1_000, "{vendor:?}");
        assert_eq!(vendors.count(vendor), 1, "{vendor:?}");
    }
}

#[tokio::test]
async fn the_same_request_gets_the_same_bytes_and_another_seed_or_day_others() {
    let (one, same) = (start().await, start().await);
    let other =
        |seed, day| FakeVendors::start(FakeOptions { seed, day: Some(day), ..FakeOptions::default() });
    let (seed, day) = (other(2, 20_782).await.unwrap(), other(1, 20_783).await.unwrap());

    for vendor in Vendor::ALL {
        let bytes = ask(&one, vendor, |_| {}).await.bytes;
        assert_eq!(ask(&one, vendor, |_| {}).await.bytes, bytes, "{vendor:?}");
        assert_eq!(ask(&same, vendor, |_| {}).await.bytes, bytes, "{vendor:?}");
        assert_ne!(ask(&seed, vendor, |_| {}).await.bytes, bytes, "{vendor:?}");
        assert_ne!(ask(&day, vendor, |_| {}).await.bytes, bytes, "{vendor:?}");
    }
}

#[tokio::test]
async fn what_the_vendors_refuse_is_refused() {
    type Change = fn(&mut Value);
    let cases: &[(Vendor, Change, u16, &str)] = &[
        (Vendor::Openai, |body| body["model"] = json!("gpt-4o-search-preview"), 404, "model_not_found"),
        (Vendor::Openai, |body| body["temprature"] = json!(1), 400, "Unknown parameter: 'temprature'"),
        (Vendor::Openai, |body| body["temperature"] = json!(1), 400, "temperature"),
        (
            Vendor::Openai,
            |body| body["tools"][0]["user_location"]["lat"] = json!(1),
            400,
            "tools[0].user_location.lat",
        ),
        (Vendor::Openai, |body| body["tools"] = json!([]), 400, "Tool choice"),
        (Vendor::Chat, |body| body["model"] = json!("unknown-model"), 404, "model_not_found"),
        (Vendor::Perplexity, |body| body["model"] = json!("sonar"), 400, "invalid_model"),
        (Vendor::Perplexity, |body| body["temperature"] = json!(1), 400, "temperature"),
        (Vendor::Gemini, |body| body["tols"] = json!([]), 400, "Unknown name \\\"tols\\\""),
        (Vendor::Anthropic, |body| body["temperature"] = json!(1), 400, "temperature"),
        (Vendor::Anthropic, |body| body["model"] = json!("claude-sonnet-5-5"), 400, "tool_choice"),
        (Vendor::Anthropic, |body| body["model"] = json!("claude-2"), 404, "not_found_error"),
        (Vendor::Anthropic, |body| body["thinking"] = json!({ "type": "enabled" }), 400, "thinking"),
        (Vendor::Anthropic, |body| body["max_tokens"] = Value::Null, 400, "max_tokens: Field required"),
        (Vendor::Dataforseo, |body| body[0]["location_name"] = json!("Germany"), 200, "40501"),
        (Vendor::Dataforseo, |body| body[0]["keyword"] = json!("x".repeat(701)), 200, "40501"),
    ];
    let vendors = start().await;

    for (vendor, change, status, words) in cases {
        let reply = ask(&vendors, *vendor, change).await;
        let text = String::from_utf8_lossy(&reply.bytes);
        assert!(
            reply.status == *status && text.contains(words),
            "{vendor:?} {words}: {} {text}",
            reply.status
        );
    }
}

const AI_MODE_PATH: &str = "/serp/google/ai_mode/live/advanced";

async fn ask_ai_mode(vendors: &FakeVendors, change: impl Fn(&mut Value)) -> Reply {
    let (_, headers, _) = good(Vendor::Dataforseo);
    let mut task = json!([{ "keyword": QUESTION, "location_code": 2840, "language_code": "en" }]);
    change(&mut task);
    let url = format!("{}{AI_MODE_PATH}", vendors.base_url(Vendor::Dataforseo));
    call(&url, Method::POST, &headers, &task).await
}

#[tokio::test]
async fn ai_mode_answers_otherwise_than_an_overview() {
    let vendors = start().await;
    let url = format!(
        "{}/search.json?engine=google_ai_mode&q=What+is+the+best+editor%3F&api_key=key",
        vendors.base_url(Vendor::Serpapi)
    );

    let dataforseo = ask_ai_mode(&vendors, |_| {}).await.body;
    let serpapi = call(&url, Method::GET, &[], &Value::Null).await.body;
    let overview = ask(&vendors, Vendor::Dataforseo, |_| {}).await.body;

    let result = &dataforseo["tasks"][0]["result"][0];
    let item = &result["items"][0];
    assert_eq!((&result["type"], &result["items_count"]), (&json!("ai_mode"), &json!(1)));
    assert_eq!((&item["type"], &dataforseo["cost"]), (&json!("ai_overview"), &json!(0.004)));
    assert_ne!(item["markdown"], overview["tasks"][0]["result"][0]["items"][0]["markdown"]);
    for list in ["text_blocks", "references"] {
        assert!(serpapi[list].as_array().is_some_and(|list| list.len() > 2), "{list}: {serpapi}");
    }
    assert!(serpapi["reconstructed_markdown"].as_str().is_some_and(|text| text.len() > 500));
}

#[tokio::test]
async fn ai_mode_refuses_what_only_result_pages_take() {
    let vendors = start().await;
    let near = |coordinate: &str| {
        let coordinate = coordinate.to_owned();
        move |task: &mut Value| {
            task[0]["location_code"] = Value::Null;
            task[0]["location_coordinate"] = json!(coordinate);
        }
    };

    let depth = ask_ai_mode(&vendors, |task| task[0]["depth"] = json!(10)).await;
    let radius = ask_ai_mode(&vendors, near("52.52,13.4,200")).await;
    let zoom = ask_ai_mode(&vendors, near("52.52,13.4,12z")).await;

    let codes = [depth, radius, zoom].map(|reply| reply.body["tasks"][0]["status_code"].clone());
    assert_eq!(codes, [json!(40_501), json!(40_501), json!(20_000)]);
}

#[tokio::test]
async fn a_missing_key_or_version_is_refused() {
    let vendors = start().await;

    for vendor in Vendor::ALL.into_iter().filter(|vendor| *vendor != Vendor::Chat) {
        let (path, _, body) = good(vendor);
        let path = path.trim_end_matches("&api_key=key");
        let method = if vendor == Vendor::Serpapi { Method::GET } else { Method::POST };
        let reply = call(&format!("{}{path}", vendors.base_url(vendor)), method, &[], &body).await;
        assert!(matches!(reply.status, 401 | 403), "{vendor:?}: {}", reply.status);
    }
    let (path, _, body) = good(Vendor::Anthropic);
    let url = format!("{}{path}", vendors.base_url(Vendor::Anthropic));
    let reply = call(&url, Method::POST, &[("x-api-key", "key")], &body).await;
    assert_eq!(reply.status, 400);
}

#[tokio::test]
async fn scenarios_are_set_by_endpoint_header_and_in_process() {
    let vendors = start().await;
    let control = format!("http://{}/_scenario", vendors.address());

    let set = call(
        &control,
        Method::POST,
        &[],
        &json!([{ "vendor": "openai", "fault": "server_error", "times": 1 }]),
    )
    .await;
    let (failed, well) =
        (ask(&vendors, Vendor::Openai, |_| {}).await, ask(&vendors, Vendor::Openai, |_| {}).await);
    assert_eq!((set.status, failed.status, well.status), (200, 500, 200));

    let wrong = call(&control, Method::POST, &[], &json!({ "fault": "no_such_fault" })).await;
    assert_eq!(wrong.status, 400);

    let (path, mut headers, body) = good(Vendor::Openai);
    headers.push(("x-fake-scenario", r#"{"fault":"rate_limit"}"#));
    let by_header =
        call(&format!("{}{path}", vendors.base_url(Vendor::Openai)), Method::POST, &headers, &body).await;
    assert_eq!(by_header.status, 429);

    vendors.set_scenario(Scenario { fault: Some(Fault::Quota), ..Scenario::default() });
    assert_eq!(ask(&vendors, Vendor::Anthropic, |_| {}).await.status, 402);
    call(&control, Method::DELETE, &[], &Value::Null).await;
    assert_eq!(ask(&vendors, Vendor::Anthropic, |_| {}).await.status, 200);
}

#[tokio::test]
async fn requests_and_bytes_are_counted_by_path() {
    let vendors = start().await;
    ask(&vendors, Vendor::Openai, |_| {}).await;
    let asked = ask(&vendors, Vendor::Openai, |_| {}).await;

    let counts =
        call(&format!("http://{}/_count", vendors.address()), Method::GET, &[], &Value::Null).await.body;

    let path = &counts["paths"]["Openai /responses"];
    let sent = good(Vendor::Openai).2.to_string().len();
    assert_eq!((&counts["total"], &path["requests"]), (&json!(2), &json!(2)));
    assert_eq!(path["bytesIn"], json!(2 * sent));
    assert_eq!(path["bytesOut"], json!(2 * asked.bytes.len()));
}

#[tokio::test]
async fn a_file_of_answers_is_the_only_source_of_answers() {
    let file = json!({ QUESTION: { "chatgpt": [{ "text": "Notchly.", "citations": ["https://notchly.com/"] }], "claude": ["LumaDocs."],
        "google_ai_mode": ["Quillbase."] } });
    let answers = Some(AnswerFile::parse(&file.to_string()).unwrap());
    let vendors = FakeVendors::start(FakeOptions { answers, ..FakeOptions::default() }).await.unwrap();

    let known = ask(&vendors, Vendor::Openai, |_| {}).await;
    let unknown = ask(&vendors, Vendor::Openai, |body| body["input"] = json!("Another?")).await;
    let other_vendor = ask(&vendors, Vendor::Gemini, |_| {}).await;
    let ai_mode = ask_ai_mode(&vendors, |_| {}).await.body;
    let overview = ask(&vendors, Vendor::Dataforseo, |_| {}).await.body;

    let text =
        known.body["output"].as_array().unwrap().last().unwrap()["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Notchly.") && text.contains("https://notchly.com/"), "{text}");
    assert_eq!((unknown.status, other_vendor.status), (400, 400));
    assert_eq!(ai_mode["tasks"][0]["result"][0]["items"][0]["markdown"], "Quillbase.");
    assert_eq!(overview["tasks"][0]["status_code"], 40_501);
}

#[tokio::test]
async fn nothing_listens_after_the_stand_ins_are_dropped() {
    let vendors = start().await;
    let address = vendors.address();

    drop(vendors);

    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}
