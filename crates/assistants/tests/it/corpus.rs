//! The known errors of every vendor, over real sockets: class and code of each, the calls and the passages of the gate
//! that it takes. And the same for the odd answers that are none.

use assistants::providers::call::CallOutcome;
use assistants::providers::wire::{CallErrorCode, FailureClass};
use assistants::providers::{Finish, Retrieval};
use fakeai::Fault::*;
use fakeai::{Fault, Scenario, Vendor};

use crate::world::*;

/// A fault and the failure that it leads to.
struct Row {
    vendor: Vendor,
    fault: Fault,
    class: FailureClass,
    code: CallErrorCode,
    calls: u32,
    tickets: usize,
    may_be_paid: bool,
}

fn row(vendor: Vendor, fault: Fault, class: FailureClass, code: CallErrorCode) -> Row {
    let (calls, may_be_paid) = match class {
        FailureClass::Throttle | FailureClass::Quota => (0, false),
        _ => (1, false),
    };
    Row { vendor, fault, class, code, calls, tickets: 1, may_be_paid }
}

impl Row {
    fn in_calls(self, calls: u32) -> Row {
        Row { calls, tickets: calls as usize, ..self }
    }

    fn maybe_paid(self) -> Row {
        Row { may_be_paid: true, ..self }
    }
}

fn rows() -> Vec<Row> {
    use CallErrorCode as Code;
    use FailureClass::{Auth, Config, Quota, Refused, Retry, Throttle, Unreadable};
    use Vendor::{Anthropic, Chat, Dataforseo, Gemini, Openai, Perplexity, Serpapi};
    let mut rows = vec![
        row(Openai, InvalidKey, Auth, Code::Auth),
        row(Openai, ModelNotFound, Config, Code::Config),
        row(Openai, RateLimit, Throttle, Code::ProviderError),
        row(Openai, Fault::Quota, Quota, Code::ProviderError),
        row(Openai, ServerError, Retry, Code::ProviderError),
        row(Openai, Failed, Retry, Code::ProviderError),
        row(Openai, IncompleteEmpty, Unreadable, Code::Unreadable).in_calls(2).maybe_paid(),
        row(Openai, Refusal, Refused, Code::Refused),
        row(Openai, EmptyAnswer, Unreadable, Code::Unreadable).maybe_paid(),
        row(Perplexity, ValidationList, Config, Code::Config),
        row(Perplexity, PlainUnauthorized, Auth, Code::Auth),
        row(Perplexity, RateLimit, Throttle, Code::ProviderError),
        row(Perplexity, Fault::Quota, Quota, Code::ProviderError),
        row(Perplexity, ContentNull, Unreadable, Code::Unreadable).maybe_paid(),
        row(Perplexity, Failed, Retry, Code::ProviderError),
        row(Gemini, RetryInfo, Throttle, Code::ProviderError),
        row(Gemini, DailyQuota, Quota, Code::ProviderError),
        row(Gemini, ErrorArray, Retry, Code::ProviderError),
        row(Gemini, InvalidArgument, Config, Code::Config),
        row(Gemini, BadKeyArgument, Auth, Code::Auth),
        row(Gemini, Blocked, Refused, Code::Refused),
        row(Gemini, Safety, Refused, Code::Refused),
        row(Gemini, Malformed, Retry, Code::ProviderError),
        row(Gemini, IncompleteEmpty, Unreadable, Code::Unreadable).in_calls(2).maybe_paid(),
        row(Anthropic, Overloaded, Retry, Code::ProviderError),
        row(Anthropic, Fault::Quota, Quota, Code::ProviderError),
        // The throttled search was part of an answer that is billed.
        row(Anthropic, ToolError, Throttle, Code::ProviderError).in_calls(1),
        row(Anthropic, PauseTurn, Unreadable, Code::Unreadable).in_calls(4).maybe_paid(),
        row(Anthropic, Refusal, Refused, Code::Refused),
        row(Serpapi, InvalidKey, Auth, Code::Auth),
        row(Serpapi, HourlyThrottle, Throttle, Code::ProviderError),
        row(Serpapi, OutOfSearches, Quota, Code::ProviderError),
        row(Serpapi, ServerError, Retry, Code::ProviderError),
        row(Dataforseo, InvalidKey, Auth, Code::Auth),
        row(Dataforseo, RateCode, Throttle, Code::ProviderError),
        row(Dataforseo, Fault::Quota, Quota, Code::ProviderError),
        row(Chat, ContentNull, Unreadable, Code::Unreadable).maybe_paid(),
        row(Chat, Refusal, Refused, Code::Refused),
        row(Chat, IncompleteEmpty, Unreadable, Code::Unreadable).in_calls(2).maybe_paid(),
    ];
    for vendor in Vendor::ALL {
        rows.extend([
            row(vendor, HtmlPage, Unreadable, Code::Unreadable).maybe_paid(),
            row(vendor, EmptyBody, Unreadable, Code::Unreadable).maybe_paid(),
            row(vendor, NotJson, Unreadable, Code::Unreadable).maybe_paid(),
            row(vendor, Redirect, Unreadable, Code::Unreadable),
            row(vendor, BadGateway, Retry, Code::ProviderError),
        ]);
    }
    rows
}

#[tokio::test]
async fn every_known_error_has_its_class_code_calls_and_passages_of_the_gate() {
    for row in rows() {
        let name = format!("{:?} {:?}", row.vendor, row.fault);
        let world = World::new().await;
        let connection = world.connection(row.vendor);
        world.fails(row.fault);

        let result = world.ask(&connection).await;

        let calls = result.as_ref().unwrap_err().calls;
        let failure = failure_of(result);
        assert_eq!((failure.class, failure.code()), (row.class, row.code), "{name}: {failure:?}");
        assert_eq!((calls, world.gate.ends().len()), (row.calls, row.tickets), "{name}: {failure:?}");
        assert_eq!(failure.may_be_paid, row.may_be_paid, "{name}: {failure:?}");
        assert_eq!(world.vendors.count(row.vendor), row.tickets as u64, "{name}");
        assert!(!failure.detail.is_empty() && failure.detail.chars().count() <= 300, "{name}: {failure:?}");
    }
}

#[tokio::test]
async fn an_answer_that_came_may_still_be_odd() {
    let cases = [
        (Vendor::Openai, Incomplete, Finish::Truncated, 1),
        (Vendor::Openai, FromMemory, Finish::Complete, 1),
        (Vendor::Perplexity, ContentChunks, Finish::Complete, 1),
        (Vendor::Perplexity, FormerForm, Finish::Complete, 1),
        (Vendor::Perplexity, Incomplete, Finish::Truncated, 1),
        (Vendor::Perplexity, NoCitations, Finish::Complete, 1),
        (Vendor::Gemini, Incomplete, Finish::Truncated, 1),
        (Vendor::Gemini, NoGrounding, Finish::Complete, 1),
        (Vendor::Anthropic, MaxUsesExceeded, Finish::Complete, 1),
        (Vendor::Anthropic, ThinkingFirst, Finish::Complete, 1),
        (Vendor::Anthropic, Incomplete, Finish::Truncated, 1),
        (Vendor::Serpapi, NoResults, Finish::AbsentOverview, 1),
        (Vendor::Serpapi, Absent, Finish::AbsentOverview, 1),
        (Vendor::Serpapi, TokenFlow, Finish::Complete, 2),
        (Vendor::Serpapi, DuplicateReferences, Finish::Complete, 1),
        (Vendor::Dataforseo, Absent, Finish::AbsentOverview, 1),
        (Vendor::Dataforseo, NoResults, Finish::AbsentOverview, 1),
        (Vendor::Chat, Thinks, Finish::Complete, 1),
        (Vendor::Chat, Incomplete, Finish::Truncated, 1),
    ];
    for (vendor, fault, finish, calls) in cases {
        let name = format!("{vendor:?} {fault:?}");
        let world = World::new().await;
        world.fails(fault);

        let asked = world
            .ask(&world.connection(vendor))
            .await
            .unwrap_or_else(|failure| panic!("{name}: {failure:?}"));

        assert_eq!((asked.answer.finish, asked.calls), (finish, calls), "{name}");
        assert_eq!(asked.answer.text.is_empty(), finish == Finish::AbsentOverview, "{name}");
        assert!(!asked.answer.text.contains("</think>"), "{name}");
    }
}

#[tokio::test]
async fn trouble_that_passes_within_the_call_leads_to_an_answer() {
    let cases = [
        (Vendor::Openai, IncompleteEmpty, 1, 2),
        (Vendor::Gemini, IncompleteEmpty, 1, 2),
        (Vendor::Anthropic, IncompleteEmpty, 1, 2),
        (Vendor::Anthropic, PauseTurn, 1, 2),
        (Vendor::Anthropic, PauseTurn, 3, 4),
        (Vendor::Dataforseo, SearchEngineError, 2, 3),
        // A search and an expired token, then a search with the overview in it.
        (Vendor::Serpapi, ExpiredToken, 2, 3),
    ];
    for (vendor, fault, times, calls) in cases {
        let name = format!("{vendor:?} {fault:?}");
        let world = World::new().await;
        world.fails_times(fault, times);

        let asked = world
            .ask(&world.connection(vendor))
            .await
            .unwrap_or_else(|failure| panic!("{name}: {failure:?}"));

        assert_eq!((asked.answer.finish, asked.calls), (Finish::Complete, calls), "{name}");
        assert_eq!(world.gate.ends().len(), calls as usize, "{name}");
        assert_eq!(asked.answer.retrieval, Retrieval::Used, "{name}");
    }
}

#[tokio::test]
async fn an_overview_that_google_does_not_make_is_absent_after_three_searches() {
    let world = World::new().await;
    world.fails(CannotGenerate);

    let asked = world.ask(&world.connection(Vendor::Serpapi)).await.unwrap();

    // Each time a search and its token.
    assert_eq!((asked.answer.finish, asked.calls), (Finish::AbsentOverview, 6));
}

#[tokio::test]
async fn ai_mode_has_no_answer_where_google_shows_none() {
    let cases = [
        (Vendor::Dataforseo, Absent, 1),
        (Vendor::Dataforseo, NoResults, 1),
        (Vendor::Serpapi, Absent, 1),
        (Vendor::Serpapi, NoResults, 1),
        (Vendor::Serpapi, CannotGenerate, 3),
    ];
    for (vendor, fault, calls) in cases {
        let name = format!("{vendor:?} {fault:?}");
        let world = World::new().await;
        world.fails(fault);

        let asked = world.ask(&world.ai_mode(vendor)).await.unwrap();

        assert_eq!((asked.answer.finish, asked.calls), (Finish::AbsentOverview, calls), "{name}");
    }
}

#[tokio::test]
async fn ai_mode_is_searched_anew_when_that_may_help_and_fails_as_an_overview_does() {
    let world = World::new().await;
    world.fails_times(SearchEngineError, 2);
    let asked = world.ask(&world.ai_mode(Vendor::Dataforseo)).await.unwrap();
    assert_eq!((asked.answer.finish, asked.calls), (Finish::Complete, 3));

    let rows = [
        (Vendor::Dataforseo, InvalidKey, FailureClass::Auth),
        (Vendor::Dataforseo, RateCode, FailureClass::Throttle),
        (Vendor::Dataforseo, Fault::Quota, FailureClass::Quota),
        (Vendor::Serpapi, InvalidKey, FailureClass::Auth),
        (Vendor::Serpapi, HourlyThrottle, FailureClass::Throttle),
        (Vendor::Serpapi, OutOfSearches, FailureClass::Quota),
        (Vendor::Serpapi, ServerError, FailureClass::Retry),
    ];
    for (vendor, fault, class) in rows {
        let name = format!("{vendor:?} {fault:?}");
        let world = World::new().await;
        world.fails(fault);

        let failure = failure_of(world.ask(&world.ai_mode(vendor)).await);

        assert_eq!(failure.class, class, "{name}: {failure:?}");
    }
}

#[tokio::test]
async fn the_search_engine_s_trouble_ends_as_a_failure_after_three_searches() {
    let world = World::new().await;
    world.fails(SearchEngineError);

    let result = world.ask(&world.connection(Vendor::Dataforseo)).await;

    let cost = result.as_ref().unwrap_err().cost;
    assert_eq!((failure_of(result).class, cost), (FailureClass::Retry, usd(0.006)));
}

#[tokio::test]
async fn a_wait_is_the_one_that_the_provider_advises() {
    let headers = |lines: &[(&str, &str)]| {
        lines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
    };
    let cases = [
        (Vendor::Openai, RateLimit, headers(&[("retry-after-ms", "1500")]), 1.5),
        (Vendor::Openai, RateLimit, headers(&[]), 2.0),
        (Vendor::Openai, ServerError, headers(&[("retry-after", "Wed, 25 Nov 2026 09:31:00 GMT")]), 60.0),
        (Vendor::Openai, Fault::Quota, headers(&[("x-ratelimit-reset-requests", "6m0s")]), 360.0),
        (Vendor::Gemini, RetryInfo, headers(&[]), 38.0),
        // From half past nine in London to midnight in California.
        (Vendor::Gemini, DailyQuota, headers(&[]), 22.5 * 3_600.0),
        (
            Vendor::Anthropic,
            Fault::Quota,
            headers(&[("anthropic-ratelimit-requests-reset", "2026-11-25T09:30:20Z")]),
            20.0,
        ),
    ];
    for (vendor, fault, headers, seconds) in cases {
        let world = World::new().await;
        world.vendors.set_scenario(Scenario { fault: Some(fault.clone()), headers, ..Scenario::default() });

        let failure = failure_of(world.ask(&world.connection(vendor)).await);

        let wait = failure.wait.map(|wait| wait.as_secs_f64());
        assert_eq!(wait, Some(seconds), "{vendor:?} {fault:?}: {failure:?}");
    }
}

#[tokio::test]
async fn the_vendor_s_word_about_trying_again_is_obeyed() {
    for (fault, word, is_repeatable) in [
        (ServerError, "false", false),
        (ServerError, "true", true),
        (ModelNotFound, "true", true),
        (ModelNotFound, "no", false),
    ] {
        let world = World::new().await;
        let headers = vec![("x-should-retry".to_owned(), word.to_owned())];
        world.vendors.set_scenario(Scenario { fault: Some(fault.clone()), headers, ..Scenario::default() });

        let failure = failure_of(world.ask(&world.connection(Vendor::Openai)).await);

        assert_eq!(failure.is_repeatable, is_repeatable, "{fault:?} {word}");
    }
}

#[tokio::test]
async fn a_closed_port_is_unreachable_and_nothing_was_sent() {
    let world = World::new().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut connection = world.connection(Vendor::Openai);
    connection.base_url = Some(format!("http://127.0.0.1:{port}/v1").parse().unwrap());

    let result = world.ask(&connection).await;

    assert_eq!(result.as_ref().unwrap_err().calls, 0);
    let failure = failure_of(result);
    assert_eq!((failure.class, failure.may_be_paid), (FailureClass::Unreachable, false));
    assert_eq!(world.gate.ends()[0].outcome, CallOutcome::NotSent);
}

#[tokio::test]
async fn a_connection_that_cannot_be_asked_sends_nothing() {
    let world = World::new().await;
    let mut without_key = world.connection(Vendor::Openai);
    without_key.key = None;

    let failure = failure_of(world.ask(&without_key).await);

    assert_eq!((failure.class, failure.detail.as_str()), (FailureClass::Config, "no api_key is set"));
    assert!(world.gate.entries().is_empty());
}
