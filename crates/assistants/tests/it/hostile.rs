//! Responses that hang, drip, break, never end or unpack to gigabytes: each ends in bounded time and memory.
//! The clock stands still, so that two minutes pass at once.

use std::time::Duration;

use assistants::providers::call::CallOutcome;
use assistants::providers::wire::FailureClass;
use fakeai::{Delivery, Fault, Scenario, Vendor};

use crate::world::*;

fn delivers(world: &World, delivery: Delivery) {
    world.vendors.set_scenario(Scenario { delivery, ..Scenario::default() });
}

/// Stops the clock once the request has arrived; whatever waits for time then wakes at once.
async fn stop_the_clock(world: &World, vendor: Vendor) {
    while world.vendors.count(vendor) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::pause();
}

#[tokio::test]
async fn a_response_that_never_comes_is_a_timeout_that_may_have_been_paid() {
    let world = World::new().await;
    delivers(&world, Delivery::Hang);
    let connection = world.connection(Vendor::Openai);

    let (result, ()) = tokio::join!(world.ask(&connection), stop_the_clock(&world, Vendor::Openai));

    let failure = failure_of(result);
    assert_eq!((failure.class, failure.may_be_paid), (FailureClass::Timeout, true));
    assert_eq!(failure.detail, "no answer within 120 s");
    assert_eq!(world.gate.ends()[0].outcome, CallOutcome::Unanswered);
    assert_eq!(world.gate.ends()[0].cost, usd(0.022), "the reserved price");
}

#[tokio::test]
async fn a_drip_of_bytes_does_not_extend_the_time() {
    let world = World::new().await;
    delivers(&world, Delivery::Drip(1_000));
    let connection = world.connection(Vendor::Openai);
    let begun = tokio::time::Instant::now();

    let (result, ()) = tokio::join!(world.ask(&connection), stop_the_clock(&world, Vendor::Openai));

    assert_eq!(failure_of(result).class, FailureClass::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(125));
}

#[tokio::test]
async fn bodies_that_are_broken_or_too_long_are_unreadable() {
    let cases = [
        (Delivery::Truncated, "the response was cut off"),
        (Delivery::Endless, "the response is longer than 8 MiB"),
        (Delivery::Large, "the response is longer than 8 MiB"),
        (Delivery::GzipBomb, "the response is longer than 8 MiB"),
    ];
    for (delivery, detail) in cases {
        let world = World::new().await;
        delivers(&world, delivery);

        let failure = failure_of(world.ask(&world.connection(Vendor::Gemini)).await);

        assert_eq!(
            (failure.class, failure.detail.as_str()),
            (FailureClass::Unreadable, detail),
            "{delivery:?}"
        );
        assert_eq!(world.gate.ends()[0].outcome, CallOutcome::Unanswered, "{delivery:?}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_object_is_unreadable_and_may_have_been_paid() {
    for body in ["[]", "[{\"error\":{\"code\":500}}]", "null", "7", "\"text\""] {
        for vendor in [Vendor::Openai, Vendor::Gemini, Vendor::Anthropic, Vendor::Perplexity, Vendor::Serpapi]
        {
            let world = World::new().await;
            world.fails(Fault::Verbatim { status: 200, headers: Vec::new(), body: body.to_owned() });

            let failure = failure_of(world.ask(&world.connection(vendor)).await);

            let found = (failure.class, failure.may_be_paid, world.gate.ends()[0].outcome);
            assert_eq!(found, (FailureClass::Unreadable, true, CallOutcome::Unanswered), "{vendor:?} {body}");
        }
    }
}

#[tokio::test]
async fn a_connection_that_breaks_before_the_response_may_have_been_paid() {
    let world = World::new().await;
    delivers(&world, Delivery::Close);

    let failure = failure_of(world.ask(&world.connection(Vendor::Anthropic)).await);

    assert_eq!((failure.class, failure.may_be_paid), (FailureClass::Retry, true));
    assert_eq!(world.vendors.count(Vendor::Anthropic), 1, "sent once");
}

#[tokio::test]
async fn odd_but_valid_deliveries_are_read() {
    let deliveries = [
        Delivery::Gzip,
        Delivery::Chunked,
        Delivery::WrongType,
        Delivery::DuplicateKeys,
        Delivery::UnknownBlocks,
    ];
    for vendor in Vendor::ALL {
        for delivery in deliveries {
            let world = World::new().await;
            let plain = world.ask(&world.connection(vendor)).await.unwrap();
            delivers(&world, delivery);

            let asked = world.ask(&world.connection(vendor)).await;

            let asked = asked.unwrap_or_else(|failure| panic!("{vendor:?} {delivery:?}: {failure:?}"));
            assert_eq!(asked.answer.text, plain.answer.text, "{vendor:?} {delivery:?}");
            assert_eq!(asked.answer.citations, plain.answer.citations, "{vendor:?} {delivery:?}");
        }
    }
}

#[tokio::test]
async fn the_operator_s_own_host_may_be_private_and_no_other() {
    let world = World::new().await;
    let mut metadata = world.connection(Vendor::Openai);
    metadata.base_url = Some("http://169.254.169.254/v1".parse().unwrap());

    let own = world.ask(&world.connection(Vendor::Openai)).await;
    let refused = failure_of(world.ask(&metadata).await);

    assert!(own.is_ok());
    assert_eq!((refused.class, refused.may_be_paid), (FailureClass::Config, false));
}

#[tokio::test]
async fn static_names_lead_to_the_vendors_stand_ins() {
    let world = World::with_vendor_names().await;

    for vendor in Vendor::ALL.into_iter().filter(|vendor| *vendor != Vendor::Chat) {
        let mut connection = world.connection(vendor);
        connection.base_url = None;
        assert!(world.ask(&connection).await.is_ok(), "{vendor:?}");
    }
}
