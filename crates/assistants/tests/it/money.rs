//! Money of calls: the reservation before each, the settlement after it, and the sums that a question reports.

use assistants::providers::call::{AskFailureCause, CallEnd, CallOutcome};
use assistants::providers::{ApiStyle, Usd};
use fakeai::{Fault, Vendor};
use jiff::civil::date;

use crate::world::*;

#[tokio::test]
async fn a_stated_cost_is_settled_as_it_is() {
    let world = World::new().await;

    let asked = world.ask(&world.connection(Vendor::Perplexity)).await.unwrap();

    let [entry] = world.gate.entries()[..] else { panic!("one request") };
    assert_eq!(entry.reserved, usd(0.006));
    let stated = asked.answer.raw.pointer("/usage/cost/total_cost").unwrap().as_f64().unwrap();
    assert_eq!(
        entry.end,
        Some(CallEnd { cost: usd(stated), is_estimated: false, outcome: CallOutcome::Answered })
    );
    assert_eq!((asked.cost, asked.is_cost_estimated, asked.calls), (usd(stated), false, 1));
}

#[tokio::test]
async fn a_stated_cost_counts_up_to_ten_times_what_was_reserved() {
    for (stated, settled, is_estimated) in [(0.05, 0.05, false), (0.06, 0.06, false), (5_000.0, 0.06, true)] {
        let world = World::new().await;
        let asked = world.ask(&world.connection(Vendor::Perplexity)).await.unwrap();
        let mut reply = asked.answer.raw;
        *reply.pointer_mut("/usage/cost/total_cost").unwrap() = stated.into();
        world.fails(Fault::Verbatim { status: 200, headers: Vec::new(), body: reply.to_string() });

        let asked = world.ask(&world.connection(Vendor::Perplexity)).await.unwrap();

        assert_eq!((asked.cost, asked.is_cost_estimated), (usd(settled), is_estimated), "{stated}");
    }
}

#[tokio::test]
async fn usage_is_priced_by_the_table_and_marked_as_estimated() {
    let world = World::new().await;

    let asked = world.ask(&world.connection(Vendor::Openai)).await.unwrap();

    let usage = asked.answer.usage;
    let price = |tokens: u64, per_million: f64| usd(tokens as f64 * per_million / 1e6);
    let expected =
        price(usage.input_tokens, 0.10) + price(usage.output_tokens, 0.50) + usd(0.01).times(usage.searches);
    assert!(usage.searches > 0 && asked.is_cost_estimated);
    assert!((asked.cost - expected).nanos().abs() < 1_000, "{} {}", asked.cost, expected);
    assert_eq!(world.gate.entries()[0].reserved, usd(0.022));
}

#[tokio::test]
async fn a_vendor_of_overviews_states_or_counts_its_searches() {
    let world = World::new().await;
    let dataforseo = world.ask(&world.connection(Vendor::Dataforseo)).await.unwrap();
    world.fails(Fault::TokenFlow);

    let serpapi = world.ask(&world.connection(Vendor::Serpapi)).await.unwrap();

    let expected = if dataforseo.answer.text.is_empty() { usd(0.002) } else { usd(0.004) };
    assert_eq!((dataforseo.cost, dataforseo.is_cost_estimated), (expected, false));
    assert_eq!(
        (serpapi.cost, serpapi.answer.usage.searches, serpapi.is_cost_estimated),
        (usd(0.03), 2, true)
    );
    let reserved: Vec<Usd> = world.gate.entries()[1..].iter().map(|entry| entry.reserved).collect();
    assert_eq!(reserved, [usd(0.015), usd(0.015)]);
}

#[tokio::test]
async fn a_question_to_ai_mode_costs_one_page_or_one_search() {
    let world = World::new().await;

    let dataforseo = world.ask(&world.ai_mode(Vendor::Dataforseo)).await.unwrap();
    let serpapi = world.ask(&world.ai_mode(Vendor::Serpapi)).await.unwrap();

    assert_eq!((dataforseo.cost, dataforseo.is_cost_estimated), (usd(0.004), false));
    assert_eq!((serpapi.cost, serpapi.is_cost_estimated), (usd(0.015), true));
    let reserved: Vec<Usd> = world.gate.entries().iter().map(|entry| entry.reserved).collect();
    assert_eq!(reserved, [usd(0.004), usd(0.015)]);
}

#[tokio::test]
async fn errors_and_refused_parameters_cost_nothing() {
    let world = World::new().await;
    world.fails(Fault::Refuses("tool_choice".to_owned()));

    let asked = world.ask(&world.connection(Vendor::Openai)).await.unwrap();

    let costs: Vec<Usd> = world.gate.ends().iter().map(|end| end.cost).collect();
    assert_eq!((costs.len(), costs[0]), (2, Usd::ZERO));
    assert_eq!(asked.calls, 2);
}

#[tokio::test]
async fn a_closed_gate_stops_the_question_before_anything_is_sent() {
    let mut world = World::new().await;
    world.gate.limit = Some(1);
    world.fails(Fault::PauseTurn);

    let failure = world.ask(&world.connection(Vendor::Anthropic)).await.unwrap_err();

    assert_eq!(failure.cause, AskFailureCause::Gate("the budget is spent".to_owned()));
    assert_eq!((failure.calls, world.vendors.count(Vendor::Anthropic)), (1, 1));
    assert!(failure.cost > Usd::ZERO, "the first request was paid");
}

#[tokio::test]
async fn a_chat_server_at_a_private_address_is_free() {
    let world = World::new().await;
    let connection = world.connection(Vendor::Chat);

    let asked = world.ask(&connection).await.unwrap();

    assert_eq!(world.gate.entries()[0].reserved, Usd::ZERO);
    assert_eq!((asked.cost, asked.is_cost_estimated), (Usd::ZERO, false));
    assert_eq!(world.assistants.expected_price(&connection, date(2026, 11, 25)).usd, Usd::ZERO);
}

#[tokio::test]
async fn the_operator_s_price_is_settled_once_a_question() {
    let world = World::new().await;
    let mut connection = world.connection(Vendor::Anthropic);
    connection.usd_per_run = Some(usd(0.5));
    world.fails_times(Fault::PauseTurn, 1);

    let asked = world.ask(&connection).await.unwrap();

    let reserved: Vec<Usd> = world.gate.entries().iter().map(|entry| entry.reserved).collect();
    assert_eq!(reserved, [usd(0.5), Usd::ZERO]);
    assert_eq!((asked.cost, asked.is_cost_estimated), (usd(0.5), true));
}

#[tokio::test]
async fn the_provider_s_figure_wins_over_the_operator_s_unless_that_is_zero() {
    let world = World::new().await;
    let mut connection = world.connection(Vendor::Perplexity);

    connection.usd_per_run = Some(usd(0.5));
    let stated = world.ask(&connection).await.unwrap();
    connection.usd_per_run = Some(Usd::ZERO);
    let free = world.ask(&connection).await.unwrap();

    assert!(stated.cost < usd(0.1) && stated.cost > Usd::ZERO);
    assert_eq!(free.cost, Usd::ZERO);
}

#[tokio::test]
async fn an_expected_price_says_whether_the_model_is_known() {
    let world = World::new().await;
    let mut connection = world.connection(Vendor::Gemini);
    let price = |connection: &_| {
        let price = world.assistants.expected_price(connection, date(2026, 11, 25));
        (price.usd, price.is_model_known)
    };

    assert_eq!(price(&connection), (usd(0.11), true));
    connection.search = false;
    assert_eq!(price(&connection), (usd(0.0165), true));
    connection.model = Some("gemini-9".to_owned());
    assert!(!price(&connection).1);
    connection.style = ApiStyle::Chat;
    assert_eq!(price(&connection), (Usd::ZERO, true), "at a private address");
}
