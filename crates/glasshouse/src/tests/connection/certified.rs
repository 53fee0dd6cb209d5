//! Names for which certificates may be ordered.

use super::world::{ELSEWHERE, HERE, World};
use crate::testing::*;
use domains::{Domain, DomainStatus};
use platform::plans::Plan;

/// Address of a known CDN.
const CDN: &str = "104.16.132.229";

async fn may_have_one(world: &World, domain: &Domain) -> bool {
    let host = &domain.host;
    world.app.state.connection.may_be_certified(host, domain).await.expect("the database is there")
}

#[tokio::test]
async fn a_pending_name_may_have_one_when_all_its_addresses_are_ours() {
    let world = World::new().await;
    let shop = world.shop().await;

    for (addresses, expected) in
        [(&[HERE][..], true), (&[HERE, ELSEWHERE], false), (&[HERE, CDN], false), (&[CDN], false)]
    {
        world.dns.leads_to("shop.example", addresses);

        assert_eq!(may_have_one(&world, &shop).await, expected, "{addresses:?}");
    }
}

#[tokio::test]
async fn a_served_name_may_have_one_behind_a_cdn() {
    let world = World::new().await;
    let shop = world.app.domain(&world.account, "shop.example").await;

    for (address, expected) in [(HERE, true), (CDN, true), (ELSEWHERE, false)] {
        world.dns.leads_to("shop.example", &[address]);

        assert_eq!(may_have_one(&world, &shop).await, expected, "{address}");
    }
}

#[tokio::test]
async fn a_claim_behind_somebodys_wildcard_record_may_have_none_before_it_is_proven() {
    let world = World::new().await;
    let stranger = world.app.account("stranger@x.example", Plan::Business).await;
    world.app.domain(&world.account, "shop.example").await;
    world.dns.leads_to("login.shop.example", &[HERE]);
    let login = world.app.domain_with_status(&stranger, "login.shop.example", DomainStatus::Pending).await;

    let unproven = may_have_one(&world, &login).await;
    let proof = world.app.state.connection.ownership(&login).await.unwrap().expect("it is contested");
    world.dns.says("_glasshouse.login.shop.example", &[&proof]);
    let proven = may_have_one(&world, &login).await;

    assert_eq!((unproven, proven), (false, true));
}

#[tokio::test]
async fn a_pending_name_of_an_inactive_account_may_have_none() {
    let world = World::new().await;
    let shop = world.shop().await;
    world.dns.leads_to("shop.example", &[HERE]);
    world.app.deactivate(&world.account).await;

    assert!(!may_have_one(&world, &shop).await);
}
