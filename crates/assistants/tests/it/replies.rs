//! Recorded replies of every vendor, read without a server.

use assistants::providers::wire::{CallBill, ProviderResponse, ReadOutcome, read_response};
use assistants::providers::{Answer, ApiStyle};
use assistants::providers::{
    AskState, AssistantQuestion, Finish, LocationSent, Matter, Persona, Progress, Provider,
    ProviderConnection, Quirks, Retrieval, SearchVendor, Source, Usage,
};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use crate::world::*;

fn read_after(connection: &ProviderConnection, progress: Progress, reply: &Value) -> (CallBill, ReadOutcome) {
    let persona = Persona::default();
    let question = AssistantQuestion { text: QUESTION, persona: &persona, run: None, now: now() };
    let mut state = AskState::new(connection, Matter::Question(question), Quirks::default());
    state.progress = progress;
    let (headers, body) = (HeaderMap::new(), reply.to_string());
    let response = ProviderResponse { status: StatusCode::OK, headers: &headers, body: body.as_bytes() };
    let reading = read_response(&state, &response);
    (reading.bill, reading.outcome)
}

fn read(connection: &ProviderConnection, reply: &Value) -> (CallBill, Answer) {
    match read_after(connection, Progress::default(), reply) {
        (bill, ReadOutcome::Answer(answer)) => (bill, *answer),
        other => panic!("no answer: {other:?}"),
    }
}

fn source(url: &str, title: &str) -> Source {
    Source { url: url.to_owned(), title: title.to_owned() }
}

fn openai() -> Value {
    json!({ "id": "resp_0a1", "object": "response", "created_at": 1_795_132_800, "status": "completed", "model": "gpt-6-luna",
        "error": null, "incomplete_details": null, "output": [
            { "type": "reasoning", "id": "rs_1", "summary": [] },
            { "type": "web_search_call", "id": "ws_1", "status": "completed", "action": { "type": "search",
                "query": "best spa prerendering tool", "queries": ["best spa prerendering tool"],
                "sources": [{ "type": "url", "url": "https://notchly.com/blog/prerender?utm_source=openai" }] } },
            { "type": "web_search_call", "id": "ws_2", "status": "completed", "action": { "type": "open_page", "url": "https://g2.com/c/prerender" } },
            { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
                { "type": "output_text", "text": "1. **Notchly** ... ([g2.com](https://g2.com/c/prerender?utm_source=openai))",
                  "annotations": [{ "type": "url_citation", "start_index": 24, "end_index": 80,
                      "url": "https://g2.com/c/prerender?utm_source=openai", "title": "Best prerender tools" }] }] }],
        "usage": { "input_tokens": 8731, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 912,
            "output_tokens_details": { "reasoning_tokens": 320 }, "total_tokens": 9643 },
        "tool_usage": { "web_search": { "num_requests": 1 } } })
}

#[test]
fn a_response_of_openai() {
    let (bill, answer) = read(&ProviderConnection::new(Provider::Chatgpt), &openai());

    assert_eq!(answer.text, "1. **Notchly** ... ([g2.com](https://g2.com/c/prerender?utm_source=openai))");
    assert_eq!(
        answer.citations,
        [source("https://g2.com/c/prerender?utm_source=openai", "Best prerender tools")]
    );
    assert_eq!(answer.retrieved, [source("https://notchly.com/blog/prerender?utm_source=openai", "")]);
    assert_eq!(answer.queries, ["best spa prerendering tool"]);
    assert_eq!(
        (answer.retrieval, answer.finish, answer.location),
        (Retrieval::Used, Finish::Complete, LocationSent::None)
    );
    assert_eq!(answer.served_model.as_deref(), Some("gpt-6-luna"));
    assert_eq!(bill, CallBill::Used(Usage { input_tokens: 8731, output_tokens: 912, searches: 1 }));
    assert_eq!(answer.raw, openai());
}

#[test]
fn searches_are_counted_when_openai_does_not_count_them() {
    let mut reply = openai();
    reply.as_object_mut().unwrap().remove("tool_usage");

    let (_, answer) = read(&ProviderConnection::new(Provider::Chatgpt), &reply);

    assert_eq!(answer.usage.searches, 1, "opening a page is no search");
}

fn perplexity() -> Value {
    json!({ "id": "resp_1", "object": "response", "created_at": 1_795_132_800, "model": "perplexity/sonar", "status": "completed",
        "error": null, "output": [
            { "type": "search_results", "queries": ["best spa prerendering tool"], "results": [
                { "id": 1, "url": "https://lumadocs.io/", "title": "LumaDocs", "snippet": "...", "source": "web" },
                { "id": 2, "url": "https://notchly.com/", "title": "Notchly", "snippet": "..." },
                { "id": 3, "url": "https://g2.com/", "title": "G2", "snippet": "..." }] },
            { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
                { "type": "output_text", "text": "**LumaDocs** leads [2]; Notchly follows [1][9].", "annotations": [] }] }],
        "usage": { "input_tokens": 5200, "output_tokens": 420, "total_tokens": 5620,
            "tool_calls_details": { "search_web": { "invocation": 1 } },
            "cost": { "currency": "USD", "input_cost": 0.0013, "output_cost": 0.00105, "tool_calls_cost": 0.0025, "total_cost": 0.00485 } } })
}

#[test]
fn a_response_of_perplexity_cites_by_markers() {
    let (bill, answer) = read(&ProviderConnection::new(Provider::Perplexity), &perplexity());

    assert_eq!(
        answer.citations,
        [source("https://notchly.com/", "Notchly"), source("https://lumadocs.io/", "LumaDocs")]
    );
    assert_eq!(answer.retrieved, [source("https://g2.com/", "G2")]);
    assert_eq!((answer.queries.len(), answer.retrieval), (1, Retrieval::Used));
    assert_eq!(bill, CallBill::Stated(usd(0.00485)));
}

#[test]
fn annotations_of_perplexity_win_over_markers_and_no_marker_cites_nothing() {
    let connection = ProviderConnection::new(Provider::Perplexity);
    let mut annotated = perplexity();
    annotated["output"][1]["content"][0]["annotations"] =
        json!([{ "type": "url_citation", "url": "https://g2.com/", "title": "G2" }]);
    let mut unmarked = perplexity();
    unmarked["output"][1]["content"][0]["text"] = json!("LumaDocs leads.");

    assert_eq!(read(&connection, &annotated).1.citations, [source("https://g2.com/", "G2")]);
    assert!(read(&connection, &unmarked).1.citations.is_empty());
    assert_eq!(read(&connection, &unmarked).1.retrieved.len(), 3);
}

#[test]
fn the_former_form_of_perplexity_is_read_whichever_path_was_asked() {
    let reply = json!({ "id": "x", "model": "sonar", "object": "chat.completion",
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": "LumaDocs [2]." } }],
        "citations": ["https://g2.com/", "https://lumadocs.io/"],
        "search_results": [{ "title": "LumaDocs", "url": "https://lumadocs.io/" }, { "title": "G2", "url": "https://g2.com/" }],
        "usage": { "prompt_tokens": 9, "completion_tokens": 400, "cost": { "total_cost": 0.006 } } });

    let (bill, answer) = read(&ProviderConnection::new(Provider::Perplexity), &reply);

    assert_eq!(answer.citations, [source("https://lumadocs.io/", "")]);
    assert_eq!(answer.retrieved, [source("https://g2.com/", "G2")]);
    assert_eq!((bill, answer.retrieval), (CallBill::Stated(usd(0.006)), Retrieval::Used));
}

#[test]
fn a_chat_completion_has_its_annotations_one_level_deeper() {
    let connection =
        ProviderConnection { style: ApiStyle::Chat, ..ProviderConnection::new(Provider::Chatgpt) };
    let reply = json!({ "id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": [{ "index": 0, "finish_reason": "length",
        "message": { "role": "assistant", "content": [{ "type": "text", "text": "Notch" }, { "type": "text", "text": "ly" }], "refusal": null,
            "annotations": [{ "type": "url_citation", "url_citation": { "url": "https://g2.com/x", "title": "t" } }] } }],
        "usage": { "prompt_tokens": 9, "completion_tokens": 400, "total_tokens": 409 } });

    let (bill, answer) = read(&connection, &reply);

    assert_eq!((answer.text.as_str(), answer.finish), ("Notchly", Finish::Truncated));
    assert_eq!(answer.citations, [source("https://g2.com/x", "t")]);
    assert_eq!(bill, CallBill::Used(Usage { input_tokens: 9, output_tokens: 400, searches: 1 }));
    let mut plain = reply;
    plain["choices"][0]["message"] = json!({ "content": "Notchly" });
    assert_eq!(read(&connection, &plain).1.retrieval, Retrieval::Unknown);
}

#[test]
fn a_response_of_gemini_cites_the_chunks_that_its_supports_name() {
    let redirect =
        |end: &str| format!("https://vertexaisearch.cloud.google.com/grounding-api-redirect/{end}");
    let mut reply = json!({ "candidates": [{ "content": { "role": "model", "parts": [
                { "text": "thinking...", "thought": true }, { "text": "PaperTrail and LumaDocs " }, { "text": "are popular." }] },
            "finishReason": "STOP", "index": 0, "groundingMetadata": { "webSearchQueries": ["best spa prerender 2026", "more"],
                "searchEntryPoint": { "renderedContent": "<style>...</style>" },
                "groundingChunks": [{ "web": { "uri": redirect("A"), "title": "papertrail.app" } }, { "web": { "uri": redirect("B"), "title": "youtube.com" } }],
                "groundingSupports": [{ "segment": { "startIndex": 0, "endIndex": 37, "text": "..." }, "groundingChunkIndices": [0, 7], "confidenceScores": [0.94] }] } }],
        "usageMetadata": { "promptTokenCount": 14, "candidatesTokenCount": 210, "thoughtsTokenCount": 900, "totalTokenCount": 1124 },
        "modelVersion": "gemini-3.8-flash", "responseId": "r1" });
    let connection = ProviderConnection::new(Provider::Gemini);

    let (bill, answer) = read(&connection, &reply);

    assert_eq!(answer.text, "PaperTrail and LumaDocs are popular.");
    assert_eq!(answer.citations, [source(&redirect("A"), "papertrail.app")]);
    assert_eq!(answer.retrieved, [source(&redirect("B"), "youtube.com")]);
    assert_eq!(bill, CallBill::Used(Usage { input_tokens: 14, output_tokens: 1110, searches: 2 }));
    assert_eq!(answer.raw.pointer("/candidates/0/groundingMetadata/searchEntryPoint"), None);
    reply["candidates"][0]["groundingMetadata"].as_object_mut().unwrap().remove("groundingSupports");
    assert_eq!(read(&connection, &reply).1.citations.len(), 2, "without supports every chunk is cited");
    reply["candidates"][0].as_object_mut().unwrap().remove("groundingMetadata");
    assert_eq!(read(&connection, &reply).1.retrieval, Retrieval::NotUsed);
}

fn claude(stop: &str, content: Value) -> Value {
    json!({ "id": "msg_01", "type": "message", "role": "assistant", "model": "claude-haiku-5-5", "stop_reason": stop,
        "stop_sequence": null, "content": content,
        "usage": { "input_tokens": 9120, "output_tokens": 640, "server_tool_use": { "web_search_requests": 1, "web_fetch_requests": 0 } } })
}

fn searched() -> Value {
    json!([{ "type": "thinking", "thinking": "", "signature": "..." },
        { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "best SPA prerender" } },
        { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
            { "type": "web_search_result", "url": "https://g2.com/c/prerender", "title": "Best prerender tools", "encrypted_content": "...", "page_age": "2 weeks ago" },
            { "type": "web_search_result", "url": "https://x.example/", "title": "X", "encrypted_content": "..." }] }])
}

fn said() -> Value {
    json!([{ "type": "text", "text": "Notchly is often recommended", "citations": [
            { "type": "web_search_result_location", "url": "https://g2.com/c/prerender", "title": "Best prerender tools", "encrypted_index": "...", "cited_text": "Notchly ranks first..." }] },
        { "type": "text", "text": ", and LumaDocs is an alternative." }])
}

fn joined(one: Value, other: Value) -> Value {
    Value::Array(one.as_array().unwrap().iter().chain(other.as_array().unwrap()).cloned().collect())
}

#[test]
fn a_message_of_claude_is_joined_without_separators() {
    let reply = claude("end_turn", joined(searched(), said()));

    let (bill, answer) = read(&ProviderConnection::new(Provider::Claude), &reply);

    assert_eq!(answer.text, "Notchly is often recommended, and LumaDocs is an alternative.");
    assert_eq!(answer.citations, [source("https://g2.com/c/prerender", "Best prerender tools")]);
    assert_eq!(answer.retrieved, [source("https://x.example/", "X")]);
    assert_eq!(answer.queries, ["best SPA prerender"]);
    assert_eq!(bill, CallBill::Used(Usage { input_tokens: 9120, output_tokens: 640, searches: 1 }));
}

#[test]
fn a_paused_message_of_claude_and_its_continuation_are_one_answer() {
    let connection = ProviderConnection::new(Provider::Claude);
    let (_, paused) = read_after(&connection, Progress::default(), &claude("pause_turn", searched()));
    let ReadOutcome::Next { progress, .. } = paused else { panic!("{paused:?}") };

    let (_, outcome) = read_after(&connection, *progress, &claude("end_turn", said()));

    let ReadOutcome::Answer(answer) = outcome else { panic!("{outcome:?}") };
    assert_eq!(answer.retrieval, Retrieval::Used);
    assert_eq!((answer.citations.len(), answer.usage.searches, answer.usage.input_tokens), (1, 2, 18_240));
    assert_eq!(answer.raw.as_array().unwrap().len(), 2);
}

#[test]
fn a_page_of_dataforseo_with_and_without_an_overview() {
    let reference = json!({ "type": "ai_overview_reference", "source": "G2", "domain": "www.g2.com", "url": "https://www.g2.com/c", "title": "Best...", "text": "..." });
    let mut reply = json!({ "status_code": 20000, "status_message": "Ok.", "cost": 0.004, "tasks_count": 1, "tasks": [{
        "id": "uuid", "status_code": 20000, "status_message": "Ok.", "cost": 0.004, "result": [{ "keyword": "...", "items": [
            { "type": "organic" },
            { "type": "ai_overview", "rank_absolute": 1, "asynchronous_ai_overview": true, "markdown": "**Notchly** is ... [[1]](https://g2.com/c)",
              "items": [{ "type": "ai_overview_element", "title": null, "text": "Notchly is ...", "references": [reference] }], "references": [reference] }] }] }] });
    let connection = ProviderConnection::new(Provider::GoogleAiOverview);

    let (bill, answer) = read(&connection, &reply);

    assert_eq!(
        (answer.text.as_str(), answer.finish),
        ("**Notchly** is ... [[1]](https://g2.com/c)", Finish::Complete)
    );
    assert_eq!(answer.citations, [source("https://www.g2.com/c", "Best...")]);
    assert_eq!((bill, answer.served_model), (CallBill::Stated(usd(0.004)), None));
    reply["tasks"][0]["result"][0]["items"][1]["markdown"] = Value::Null;
    assert_eq!(read(&connection, &reply).1.text, "Notchly is ...");
    reply["tasks"][0]["result"][0]["items"] = json!([{ "type": "organic" }]);
    assert_eq!(read(&connection, &reply).1.finish, Finish::AbsentOverview);
}

#[test]
fn an_overview_of_serpapi_with_a_repeated_reference() {
    let connection = ProviderConnection {
        vendor: SearchVendor::Serpapi,
        ..ProviderConnection::new(Provider::GoogleAiOverview)
    };
    let first = json!({ "search_metadata": { "id": "6a..", "status": "Success" }, "ai_overview": { "page_token": "jcM4b3ic" } });
    let second = json!({ "search_metadata": { "id": "6b..", "status": "Success" }, "ai_overview": {
        "text_blocks": [{ "type": "paragraph", "snippet": "Notchly is often ...", "reference_indexes": [2] },
            { "type": "list", "list": [{ "title": "LumaDocs", "snippet": "Good for teams", "reference_indexes": [1] }] }],
        "references": [{ "index": 0, "title": "Best...", "link": "https://www.g2.com/c", "source": "G2" },
            { "index": 1, "link": "https://lumadocs.io", "source": "LumaDocs" }, { "index": 2, "title": "Best...", "link": "https://www.g2.com/c" }] } });
    let (bill, outcome) = read_after(&connection, Progress::default(), &first);
    let ReadOutcome::Next { progress, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(progress.page_token.as_deref(), Some("jcM4b3ic"));

    let (_, outcome) = read_after(&connection, *progress, &second);

    let ReadOutcome::Answer(answer) = outcome else { panic!("{outcome:?}") };
    assert_eq!(bill, CallBill::Used(Usage { searches: 1, ..Usage::default() }));
    assert_eq!(answer.text, "Notchly is often ...\n\n- LumaDocs: Good for teams");
    assert_eq!(
        answer.citations,
        [source("https://www.g2.com/c", "Best..."), source("https://lumadocs.io/", "LumaDocs")]
    );
    assert_eq!((answer.usage.searches, answer.raw.as_array().unwrap().len()), (2, 2));
}

#[test]
fn a_page_of_ai_mode_by_dataforseo_has_the_form_of_an_overview() {
    let reference = json!({ "type": "ai_overview_reference", "position": "left", "source": "G2", "domain": "www.g2.com", "url": "https://www.g2.com/c", "title": "Best...", "text": "..." });
    let mut reply = json!({ "status_code": 20000, "status_message": "Ok.", "cost": 0.004, "tasks_count": 1, "tasks": [{
        "id": "uuid", "status_code": 20000, "status_message": "Ok.", "cost": 0.004, "result": [{ "keyword": "...", "type": "ai_mode",
            "item_types": ["ai_overview"], "items_count": 1, "items": [
            { "type": "ai_overview", "rank_group": 1, "rank_absolute": 1, "markdown": "**Notchly** leads.\n\n| Tool |\n| --- |\n| Notchly |",
              "references": [reference], "items": [
                { "type": "ai_overview_element", "title": "In short", "text": "Notchly leads.", "markdown": "**Notchly** leads.", "links": null, "images": null, "references": [reference] },
                { "type": "ai_overview_table_element", "markdown": "| Tool |\n| --- |\n| Notchly |", "table": { "table_header": ["Tool"], "table_content": [["Notchly"]] } },
                { "type": "ai_overview_code_block_element", "code_type": "bash", "text": "npx notchly" },
                { "type": "ai_overview_expanded_element", "title": "More", "text": null, "components": [{ "type": "ai_overview_expanded_component", "text": "Inside" }] },
                { "type": "ai_overview_video_element", "title": "Notchly in a minute", "url": "https://www.youtube.com/watch?v=1" }] }] }] }] });
    let connection = ProviderConnection::new(Provider::GoogleAiMode);

    let (bill, answer) = read(&connection, &reply);

    let table = "| Tool |\n| --- |\n| Notchly |";
    assert_eq!(answer.text, format!("**Notchly** leads.\n\n{table}"));
    assert_eq!((answer.finish, answer.retrieval), (Finish::Complete, Retrieval::Used));
    assert_eq!(answer.citations, [source("https://www.g2.com/c", "Best...")]);
    assert_eq!((bill, answer.served_model), (CallBill::Stated(usd(0.004)), None));
    let page = &mut reply["tasks"][0]["result"][0];
    page["items"][0]["markdown"] = Value::Null;
    let elements = format!(
        "## In short\n\n**Notchly** leads.\n\n{table}\n\n```bash\nnpx notchly\n```\n\n## More\n\nInside"
    );
    assert_eq!(read(&connection, &reply).1.text, elements);
    reply["tasks"][0]["result"][0]["items"] = Value::Null;
    assert_eq!(read(&connection, &reply).1.finish, Finish::AbsentOverview);
}

#[test]
fn an_answer_of_ai_mode_by_serpapi_stands_at_the_top_of_the_response() {
    let connection = ProviderConnection {
        vendor: SearchVendor::Serpapi,
        ..ProviderConnection::new(Provider::GoogleAiMode)
    };
    let mut reply = json!({ "search_metadata": { "id": "6a..", "status": "Success" }, "search_parameters": { "engine": "google_ai_mode" },
        "text_blocks": [{ "type": "paragraph", "snippet": "Notchly is often ...", "reference_indexes": [1] },
            { "type": "list", "list": [{ "snippet": "LumaDocs: good for teams", "reference_indexes": [0] }] }],
        "references": [{ "index": 0, "title": "LumaDocs", "link": "https://lumadocs.io", "snippet": "...", "source": "LumaDocs" },
            { "index": 1, "title": "Best...", "link": "https://www.g2.com/c", "snippet": "...", "source": "G2" }],
        "reconstructed_markdown": "Notchly is often ...\n\n- LumaDocs: good for teams" });

    let (bill, answer) = read(&connection, &reply);

    assert_eq!(bill, CallBill::Used(Usage { searches: 1, ..Usage::default() }));
    assert_eq!(answer.text, "Notchly is often ...\n\n- LumaDocs: good for teams");
    assert_eq!(
        answer.citations,
        [source("https://www.g2.com/c", "Best..."), source("https://lumadocs.io/", "LumaDocs")]
    );
    reply["text_blocks"] = json!([]);
    assert_eq!(read(&connection, &reply).1.text, "Notchly is often ...\n\n- LumaDocs: good for teams");
    reply["reconstructed_markdown"] =
        json!("It looks like there's no response available for this search. Try asking something else.");
    assert_eq!(read(&connection, &reply).1.finish, Finish::AbsentOverview);
    reply.as_object_mut().unwrap().remove("reconstructed_markdown");
    assert_eq!(read(&connection, &reply).1.finish, Finish::AbsentOverview);
}

#[test]
fn nul_and_lone_surrogates_become_replacement_characters() {
    let mut reply = openai().to_string();
    reply = reply.replace("**Notchly**", r"No\u0000tch\ud83dly");
    let persona = Persona::default();
    let connection = ProviderConnection::new(Provider::Chatgpt);
    let question = AssistantQuestion { text: QUESTION, persona: &persona, run: None, now: now() };
    let state = AskState::new(&connection, Matter::Question(question), Quirks::default());
    let headers = HeaderMap::new();

    let reading = read_response(
        &state,
        &ProviderResponse { status: StatusCode::OK, headers: &headers, body: reply.as_bytes() },
    );

    let ReadOutcome::Answer(answer) = reading.outcome else { panic!() };
    assert!(answer.text.starts_with("1. No\u{FFFD}tch\u{FFFD}ly"), "{}", answer.text);
}
