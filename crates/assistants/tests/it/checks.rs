//! The free check of a connection: key, model, announced end, searching, credit.

use assistants::providers::ProviderKey;
use assistants::providers::wire::{FailureClass, ProviderCheck, ProviderCredit};
use fakeai::{Fault, Vendor};
use jiff::civil::date;

use crate::world::*;

async fn check(world: &World, vendor: Vendor, model: Option<&str>) -> ProviderCheck {
    let mut connection = world.connection(vendor);
    if let Some(model) = model {
        connection.model = Some(model.to_owned());
    }
    world.assistants.check(&connection, now()).await.unwrap()
}

#[tokio::test]
async fn a_check_says_what_the_vendor_knows() {
    let world = World::new().await;
    let nothing = ProviderCheck::default();
    let there = ProviderCheck { is_model_there: Some(true), ..nothing.clone() };

    assert_eq!(check(&world, Vendor::Openai, None).await, there);
    let ends = ProviderCheck { shutdown: Some(date(2027, 6, 30)), ..there.clone() };
    assert_eq!(check(&world, Vendor::Openai, Some("gpt-5.4-mini")).await, ends);
    assert_eq!(check(&world, Vendor::Perplexity, None).await, nothing);
    assert_eq!(check(&world, Vendor::Gemini, None).await, there);
    assert_eq!(
        check(&world, Vendor::Anthropic, None).await,
        ProviderCheck { can_search: Some(true), ..there.clone() }
    );
    assert_eq!(check(&world, Vendor::Chat, Some("llama3.3")).await, there);
    let money = ProviderCheck { credit: Some(ProviderCredit::Money(usd(12.34))), ..nothing.clone() };
    assert_eq!(check(&world, Vendor::Dataforseo, None).await, money);
    let searches = ProviderCheck { credit: Some(ProviderCredit::Searches(900)), ..nothing };
    assert_eq!(check(&world, Vendor::Serpapi, None).await, searches);
    assert!(world.gate.entries().is_empty(), "a check is free");
}

#[tokio::test]
async fn a_model_that_is_not_there_is_found_missing() {
    let world = World::new().await;

    for vendor in [Vendor::Openai, Vendor::Gemini, Vendor::Anthropic, Vendor::Chat] {
        assert_eq!(
            check(&world, vendor, Some("no-such-model")).await.is_model_there,
            Some(false),
            "{vendor:?}"
        );
    }
}

#[tokio::test]
async fn a_key_that_is_refused_is_found_by_every_check() {
    let world = World::new().await;

    for vendor in Vendor::ALL {
        let mut connection = world.connection(vendor);
        let key = if vendor == Vendor::Dataforseo { "login:invalid-password" } else { "invalid-key" };
        connection.key = Some(ProviderKey::new(key).unwrap());

        let failure = world.assistants.check(&connection, now()).await.unwrap_err();

        assert_eq!(failure.class, FailureClass::Auth, "{vendor:?}: {failure:?}");
    }
}

#[tokio::test]
async fn a_wrong_address_is_no_missing_model() {
    let world = World::new().await;
    world.fails(Fault::Verbatim { status: 404, headers: Vec::new(), body: "404 page not found".to_owned() });

    for vendor in [Vendor::Openai, Vendor::Gemini, Vendor::Anthropic] {
        let failure = world.assistants.check(&world.connection(vendor), now()).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Config, "{vendor:?}");
    }
}

#[tokio::test]
async fn a_connection_without_a_key_is_not_checked() {
    let world = World::new().await;
    let mut connection = world.connection(Vendor::Openai);
    connection.key = None;

    let failure = world.assistants.check(&connection, now()).await.unwrap_err();

    assert_eq!((failure.class, world.vendors.count(Vendor::Openai)), (FailureClass::Config, 0));
}
