//! Domains before they are served: the connection check over a real edge, and pending hosts that go live.

use std::time::{Duration, Instant};

use super::world::{RawOrigin, SETTINGS, World, listener};
use crate::EdgeSockets;
use crate::testing::*;
use domains::{Domain, DomainStatus};
use platform::plans::Plan;

/// Returns a service whose records are on a DNS server of the test. `shop.example` itself resolves to the edge.
async fn world(dns: &DnsServer) -> World {
    let http = listener().await;
    let address = http.local_addr().unwrap();
    let settings = format!(
        "{SETTINGS}{}edge.public_ipv4 = [\"192.0.2.1\"]\nnetwork.hosts = {{ \"shop.example\" = \"{address}\" }}",
        dns.setting()
    );
    let app = TestApp::with(&settings).await;
    World::listening(app, EdgeSockets { http: Some(http), https: None }).await
}

async fn pending(world: &World) -> Domain {
    world.app.domain_with_status(&world.account, "shop.example", DomainStatus::Pending).await
}

async fn status(world: &World, domain: &Domain) -> DomainStatus {
    world.app.state.domains.find_by_id(&domain.id).await.unwrap().unwrap().status
}

/// Repeats a request until the answer is no longer the pending page.
async fn asked_until_live(world: &World) -> u16 {
    for _ in 0..100 {
        let status = world.get("/", &[]).await.status;
        if status != 503 {
            return status;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    503
}

#[tokio::test]
async fn a_probe_that_comes_in_over_the_edge_makes_an_uncontested_domain_via_api() {
    let dns = DnsServer::start().await;
    let world = world(&dns).await;
    // A proxy in front hides the records, and forwards requests to the edge.
    dns.leads_to("shop.example", &["104.16.132.229"]);
    let shop = pending(&world).await;

    let result = world.app.state.connection.check(&shop).await.unwrap();

    assert!(result.probe.ok && result.dns.cloudflare_proxy && !result.dns.r#match);
    assert_eq!((result.status, result.promoted), (DomainStatus::ViaApi, true));
}

#[tokio::test]
async fn a_probe_over_the_edge_does_not_decide_whose_a_contested_domain_is() {
    let dns = DnsServer::start().await;
    let world = world(&dns).await;
    let rival = world.app.account("rival@x.example", Plan::Business).await;
    world.app.domain_with_status(&rival, "shop.example", DomainStatus::Pending).await;
    let shop = pending(&world).await;

    let result = world.app.state.connection.check(&shop).await.unwrap();

    assert!(result.probe.ok);
    assert_eq!((result.status, result.promoted), (DomainStatus::Pending, false));
}

#[tokio::test]
async fn a_pending_host_goes_live_by_itself_once_its_records_lead_here() {
    let dns = DnsServer::start().await;
    dns.leads_to("shop.example", &["192.0.2.1"]);
    let world = world(&dns).await;
    let shop = pending(&world).await;

    let first = world.get("/", &[]).await;
    let live = asked_until_live(&world).await;

    assert_eq!((first.status, first.header("retry-after")), (503, Some("10")));
    // The edge itself is the origin: the domain is served, and the request loops.
    assert_eq!(live, 508);
    assert_eq!(status(&world, &shop).await, DomainStatus::Connected);
}

#[tokio::test]
async fn a_visitor_does_not_wait_for_a_probe_when_the_records_are_right() {
    let dns = DnsServer::start().await;
    dns.leads_to("shop.example", &["192.0.2.1"]);
    let silent = RawOrigin::start(async |_stream, _| std::future::pending().await).await;
    let settings = format!(
        "{SETTINGS}{}edge.public_ipv4 = [\"192.0.2.1\"]\nnetwork.hosts = {{ \"shop.example\" = \"{}\" }}",
        dns.setting(),
        silent.address
    );
    let world = World::around(TestApp::with(&settings).await).await;
    let shop = pending(&world).await;
    let start = Instant::now();

    world.app.state.connection.check_soon("shop.example", &shop.account_id);
    while status(&world, &shop).await == DomainStatus::Pending && start.elapsed() < Duration::from_secs(4) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    assert_eq!(status(&world, &shop).await, DomainStatus::Connected);
}

#[tokio::test]
async fn a_pending_host_is_checked_for_every_account_that_claims_it() {
    let dns = DnsServer::start().await;
    dns.leads_to("shop.example", &["192.0.2.1"]);
    let world = world(&dns).await;
    let rival = world.app.account("rival@x.example", Plan::Business).await;
    let theirs = world.app.domain_with_status(&rival, "shop.example", DomainStatus::Pending).await;
    let shop = pending(&world).await;
    let value = world.app.state.connection.ownership(&shop).await.unwrap().unwrap();
    dns.says("_glasshouse.shop.example", &[&value]);

    world.get("/", &[]).await;
    asked_until_live(&world).await;

    // The edge answered the probe of the older claim, and the account with the proof got the name.
    assert_eq!(status(&world, &shop).await, DomainStatus::Connected);
    assert_eq!(status(&world, &theirs).await, DomainStatus::Pending);
}

#[tokio::test]
async fn a_pending_host_is_checked_at_most_once_in_ten_seconds() {
    let dns = DnsServer::start().await;
    let origin = RawOrigin::saying("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await;
    let settings =
        format!("{SETTINGS}{}network.hosts = {{ \"shop.example\" = \"{}\" }}", dns.setting(), origin.address);
    let app = TestApp::with(&settings).await;
    let account = app.account("owner@shop.example", Plan::Business).await;
    app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await;

    for _ in 0..50 {
        app.state.connection.check_soon("shop.example", &account.id);
    }
    let started = app.state.platform.tasks.len();
    app.state.platform.shutdown.cancel();
    app.state.platform.tasks.close();
    tokio::time::timeout(Duration::from_secs(2), app.state.platform.tasks.wait())
        .await
        .expect("it ends at shutdown");

    assert_eq!(started, 1);
}

#[tokio::test]
async fn the_hosts_of_one_account_take_a_part_of_the_checks_only() {
    let dns = DnsServer::start().await;
    let app = TestApp::with(&format!("{SETTINGS}{}", dns.setting())).await;
    let (one, two) =
        (app.account("a@x.example", Plan::Business).await, app.account("b@x.example", Plan::Business).await);

    for host in 0..40 {
        app.state.connection.check_soon(&format!("{host}.one.example"), &one.id);
    }
    let of_one = app.state.platform.tasks.len();
    for host in 0..40 {
        app.state.connection.check_soon(&format!("{host}.two.example"), &two.id);
    }

    assert_eq!((of_one, app.state.platform.tasks.len()), (8, 16));
}

#[tokio::test]
async fn requests_for_a_name_without_a_certificate_do_not_pile_up_behind_its_order() {
    // An authority that accepts connections and never answers.
    let silent = RawOrigin::start(|stream, _| async move {
        let _stream = stream;
        std::future::pending::<()>().await;
    })
    .await;
    let settings = format!(
        "{SETTINGS}edge.https_listen = \"127.0.0.1:8443\"\nedge.acme_directory_url = \"https://{}/dir\"\n",
        silent.address
    );
    let world = World::around(TestApp::with(&settings).await).await;
    world.shop().await;
    let certificates = world.edge.inner().certificates.clone().unwrap();
    let tasks = &world.app.state.platform.tasks;
    assert!(!certificates.is_ready("shop.example").await);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let during_the_order = tasks.len();

    for _ in 0..50 {
        assert!(!certificates.is_ready("shop.example").await);
    }

    assert_eq!(tasks.len(), during_the_order);
}
