//! Records of domains, read from a real DNS server.

use std::time::{Duration, Instant};

use super::world::{ELSEWHERE, HERE, HERE_V6, World};
use crate::testing::*;
use domains::DomainStatus;

const MATCH: (bool, bool, bool) = (true, false, false);
const NO_MATCH: (bool, bool, bool) = (false, false, false);
const FAILED: (bool, bool, bool) = (false, false, true);
const PROXIED: (bool, bool, bool) = (false, true, false);

#[tokio::test]
async fn a_domain_whose_records_lead_here_is_connected_by_its_check() {
    let world = World::new().await;
    let shop = world.shop().await;
    world.dns.leads_to("shop.example", &[HERE, HERE_V6]);
    world.dns.leads_to("www.shop.example", &[HERE]);

    let first = world.check(&shop).await;
    let second = world.check(&shop).await;

    assert_eq!((first.dns.r#match, first.status, first.promoted), (true, DomainStatus::Connected, true));
    assert_eq!((second.status, second.promoted), (DomainStatus::Connected, false));
}

#[tokio::test]
async fn a_domain_without_records_stays_pending() {
    let world = World::new().await;
    let shop = world.shop().await;

    let report = world.examine(&shop).await;

    assert_eq!((report.result.status, report.result.promoted), (DomainStatus::Pending, false));
    assert_eq!(world.dns_of(&shop).await, NO_MATCH);
    assert_eq!(report.problems, ["shop.example has no A or AAAA record"]);
}

#[tokio::test]
async fn an_alias_that_ends_here_matches() {
    let world = World::new().await;
    let shop = world.pending("www.shop.example").await;
    world.dns.is_alias("www.shop.example", "shop.hosting.example");
    world.dns.is_alias("shop.hosting.example", "edge.service.example");
    world.dns.leads_to("edge.service.example", &[HERE]);

    assert_eq!(world.dns_of(&shop).await, MATCH);
}

#[tokio::test]
async fn an_alias_of_nothing_is_no_record() {
    let world = World::new().await;
    let shop = world.pending("app.shop.example").await;
    world.dns.is_alias("app.shop.example", "gone.example");

    assert_eq!(world.dns_of(&shop).await, NO_MATCH);
}

#[tokio::test]
async fn an_old_record_beside_the_new_one_is_a_conflict() {
    let world = World::new().await;
    let shop = world.shop().await;
    world.dns.leads_to("shop.example", &[HERE, ELSEWHERE]);
    assert_eq!(world.dns_of(&shop).await, NO_MATCH);

    world.dns.leads_to("shop.example", &[HERE, "2001:db8::bad"]);
    assert_eq!(world.dns_of(&shop).await, NO_MATCH);

    world.dns.leads_to("shop.example", &[HERE]);
    assert_eq!(world.dns_of(&shop).await, MATCH);
}

#[tokio::test]
async fn www_may_be_missing_but_may_not_lead_elsewhere() {
    let world = World::new().await;
    let shop = world.shop().await;
    world.dns.leads_to("shop.example", &[HERE]);
    world.dns.leads_to("www.shop.example", &[ELSEWHERE]);
    assert_eq!(world.dns_of(&shop).await, NO_MATCH);

    world.dns.forget("www.shop.example");
    assert_eq!(world.dns_of(&shop).await, MATCH);
}

#[tokio::test]
async fn a_server_that_fails_or_refuses_is_not_a_missing_record() {
    let world = World::new().await;
    let shop = world.pending("app.shop.example").await;

    for trouble in [Trouble::ServFail, Trouble::Refused] {
        world.dns.troubles("app.shop.example", trouble);
        assert_eq!(world.dns_of(&shop).await, FAILED, "{trouble:?}");
    }
    world.dns.forget("app.shop.example");
    assert_eq!(world.dns_of(&shop).await, NO_MATCH);
}

#[tokio::test]
async fn a_server_that_never_answers_costs_a_bounded_time() {
    let world = World::new().await;
    let shop = world.pending("app.shop.example").await;
    world.dns.troubles("app.shop.example", Trouble::Silence);
    let start = Instant::now();

    let dns = world.dns_of(&shop).await;

    assert_eq!(dns, FAILED);
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_server_that_is_gone_leaves_the_next_one_to_answer() {
    let silent = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let dns = crate::testing::DnsServer::start().await;
    dns.leads_to("app.shop.example", &[HERE]);
    let settings = format!(
        "network.dns_servers = [\"{}\", \"{}\"]\nedge.public_ipv4 = [{HERE:?}]",
        silent.local_addr().unwrap(),
        dns.address()
    );
    let app = crate::testing::TestApp::with(&settings).await;
    let account = app.account("owner@shop.example", platform::plans::Plan::Business).await;
    let shop = app.domain_with_status(&account, "app.shop.example", DomainStatus::Pending).await;

    let result = app.state.connection.check(&shop).await.unwrap();

    assert_eq!((result.dns.lookup_failed, result.status), (false, DomainStatus::Connected));
}

#[tokio::test]
async fn a_proxy_hides_the_records() {
    let world = World::new().await;
    let shop = world.shop().await;
    world.dns.leads_to("shop.example", &["104.16.132.229", "2606:4700::6810:84e5"]);
    world.dns.leads_to("www.shop.example", &["172.67.1.1"]);

    assert_eq!(world.dns_of(&shop).await, PROXIED);
}

#[tokio::test]
async fn a_check_sees_what_is_so_now() {
    let world = World::new().await;
    let shop = world.pending("app.shop.example").await;
    assert_eq!(world.dns_of(&shop).await, NO_MATCH);

    world.dns.leads_to("app.shop.example", &[HERE]);

    assert_eq!(world.dns_of(&shop).await, MATCH);
}

#[tokio::test]
async fn a_connected_domain_is_never_demoted() {
    let world = World::new().await;
    let shop = world.app.domain(&world.account, "shop.example").await;
    world.dns.leads_to("shop.example", &[ELSEWHERE]);

    let result = world.check(&shop).await;

    assert_eq!((result.dns.r#match, result.status, result.promoted), (false, DomainStatus::Connected, false));
}

#[tokio::test]
async fn a_domain_served_via_the_api_is_not_moved_on() {
    let world = World::new().await;
    let shop = world.app.domain_with_status(&world.account, "shop.example", DomainStatus::ViaApi).await;
    world.dns.leads_to("shop.example", &[HERE]);

    let result = world.check(&shop).await;

    assert_eq!((result.dns.r#match, result.status, result.promoted), (true, DomainStatus::ViaApi, false));
}

#[tokio::test]
async fn a_suspended_domain_is_not_promoted() {
    let world = World::new().await;
    let shop = world.shop().await;
    world.dns.leads_to("shop.example", &[HERE]);
    let lock = domains::service::Lock::On;
    world.app.state.domains.set_suspended("shop.example", lock).await.unwrap();

    // The caller's record is older than the lock.
    let result = world.check(&shop).await;

    assert_eq!((result.status, result.promoted), (DomainStatus::Suspended, false));
}

#[tokio::test]
async fn without_public_addresses_nothing_matches_and_the_reason_is_told() {
    let dns = crate::testing::DnsServer::start().await;
    let app = crate::testing::TestApp::with(&dns.setting()).await;
    let account = app.account("owner@shop.example", platform::plans::Plan::Business).await;
    let shop = app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await;
    dns.leads_to("shop.example", &[HERE]);

    let report = app.state.connection.examine(&shop).await.unwrap();

    assert!(!report.result.dns.r#match);
    assert!(report.problems[0].contains("edge.public_ipv4"), "{:?}", report.problems);
}

#[tokio::test]
async fn a_static_host_is_as_good_as_a_record_only_when_it_leads_to_the_edge() {
    let hosts =
        "network.hosts = { \"here.example\" = \"192.0.2.1:8080\", \"origin.example\" = \"192.0.2.1:9000\" }";
    let world = World::with(hosts).await;
    let (here, origin) = (world.pending("here.example").await, world.pending("origin.example").await);

    assert_eq!(world.dns_of(&here).await, MATCH);
    assert_eq!(world.dns_of(&origin).await, NO_MATCH);
    world.dns.leads_to("origin.example", &[HERE]);
    assert_eq!(world.dns_of(&origin).await, MATCH);
}
