//! Probes of a domain as a crawler, over a customer's own server. For probes over the edge see `edge::tests`.

use std::time::{Duration, Instant};

use crawler::testing::WebServer;
use http::Request;
use hyper::body::Incoming;

use super::world::{HERE, Middleware, World, page, redirect};
use crate::testing::*;
use domains::DomainStatus;
use domains::connection::probe::{ProbeKey, ProbeRoute};
use platform::plans::Plan;

const REACHED: (bool, DomainStatus, bool) = (true, DomainStatus::ViaApi, true);
const NOT_REACHED: (bool, DomainStatus, bool) = (false, DomainStatus::Pending, false);

async fn probed(world: &World) -> (bool, DomainStatus, bool) {
    let shop = world.shop().await;
    let result = world.check(&shop).await;
    (result.probe.ok, result.status, result.promoted)
}

#[tokio::test]
async fn a_server_that_asks_the_render_endpoint_makes_a_domain_via_api() {
    let server = Middleware::start().await;
    let world = World::with_host_at(server.address()).await;
    server.asks(&world.app, &world.account.key);

    assert_eq!(probed(&world).await, REACHED);
    assert_eq!(world.app.renderer.requests().len(), 0);
    assert_eq!(world.app.visits().await.len(), 0);
}

#[tokio::test]
async fn records_that_lead_here_count_more_than_a_probe() {
    let server = Middleware::start().await;
    let world = World::with_host_at(server.address()).await;
    server.asks(&world.app, &world.account.key);
    world.dns.leads_to("shop.example", &[HERE]);

    assert_eq!(probed(&world).await, (true, DomainStatus::Connected, true));
}

#[tokio::test]
async fn a_server_with_another_accounts_key_proves_nothing() {
    let server = Middleware::start().await;
    let world = World::with_host_at(server.address()).await;
    let rival = world.app.account("rival@x.example", Plan::Business).await;
    world.app.domain_with_status(&rival, "shop.example", DomainStatus::Pending).await;
    server.asks(&world.app, &rival.key);

    assert_eq!(probed(&world).await, NOT_REACHED);
}

#[tokio::test]
async fn a_contested_domain_is_whose_key_its_server_uses() {
    let server = Middleware::start().await;
    let world = World::with_host_at(server.address()).await;
    let rival = world.app.account("rival@x.example", Plan::Business).await;
    let theirs = world.app.domain_with_status(&rival, "shop.example", DomainStatus::Pending).await;
    server.asks(&world.app, &world.account.key);

    let refused = world.check(&theirs).await;

    assert_eq!((refused.probe.ok, refused.status), (false, DomainStatus::Pending));
    assert_eq!(probed(&world).await, REACHED);
}

#[tokio::test]
async fn a_server_that_answers_everything_with_a_page_is_not_this_service() {
    let server = WebServer::start(async |request: Request<Incoming>| {
        // An echo of the probe's address proves nothing: the proof cannot be derived from it.
        let echo: &'static str = Box::leak(format!("<html>{}</html>", request.uri()).into_boxed_str());
        page(echo)
    })
    .await;
    let world = World::with_host_at(server.address()).await;

    assert_eq!(probed(&world).await, NOT_REACHED);
}

#[tokio::test]
async fn a_redirect_to_the_twin_is_followed() {
    let server = Middleware::start().await;
    let apex = WebServer::start(async |request: Request<Incoming>| {
        redirect(&format!("https://www.shop.example{}", request.uri().path()))
    })
    .await;
    let hosts = format!(
        "network.hosts = {{ \"shop.example\" = \"{}\", \"www.shop.example\" = \"{}\" }}",
        apex.address(),
        server.address()
    );
    let world = World::with(&hosts).await;
    server.asks(&world.app, &world.account.key);

    assert_eq!(probed(&world).await, REACHED);
}

#[tokio::test]
async fn a_redirect_to_another_site_is_not_followed() {
    let other = WebServer::start(async |_: Request<Incoming>| page("other")).await;
    let server =
        WebServer::start(async |_: Request<Incoming>| redirect("https://other.example/__service_probe/x"))
            .await;
    let hosts = format!(
        "network.hosts = {{ \"shop.example\" = \"{}\", \"other.example\" = \"{}\" }}",
        server.address(),
        other.address()
    );
    let world = World::with(&hosts).await;

    assert_eq!(probed(&world).await, NOT_REACHED);
    assert_eq!(other.requests(), 0);
}

#[tokio::test]
async fn redirects_in_a_circle_end() {
    let server = WebServer::start(async |request: Request<Incoming>| redirect(request.uri().path())).await;
    let world = World::with_host_at(server.address()).await;

    assert_eq!(probed(&world).await, NOT_REACHED);
    assert_eq!(server.requests(), 2 * 4);
}

#[tokio::test]
async fn a_server_that_never_answers_costs_a_bounded_time() {
    let server = WebServer::start(async |_: Request<Incoming>| std::future::pending().await).await;
    let world = World::with_host_at(server.address()).await;
    let start = Instant::now();

    assert_eq!(probed(&world).await, NOT_REACHED);
    assert!(start.elapsed() < Duration::from_secs(14), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_static_host_is_its_own_permission_and_other_private_addresses_are_refused() {
    let server = WebServer::start(async |_: Request<Incoming>| page("internal")).await;
    let dns = DnsServer::start().await;
    dns.leads_to("internal.example", &["127.0.0.1"]);
    let hosts = format!(
        "network.hosts = {{ \"shop.example\" = \"{}\", \"link.example\" = \"169.254.9.9\", \"cloud.example\" = \"169.254.169.254\" }}",
        server.address()
    );
    let app = TestApp::with(&(dns.setting() + &hosts)).await;
    let account = app.account("owner@shop.example", Plan::Business).await;
    let shop = app.domain_with_status(&account, "shop.example", DomainStatus::Pending).await;

    app.state.connection.check(&shop).await.unwrap();

    assert!(server.connections() > 0);
    let network = &app.state.platform.network;
    let without_itself = network.without([server.address()]);
    for (network, host) in [
        (network, "link.example"),
        (network, "cloud.example"),
        (network, "internal.example"),
        (&without_itself, "shop.example"),
    ] {
        assert!(network.resolve(host, 443).await.is_err_and(|error| error.is_refused()), "{host}");
    }
}

#[tokio::test]
async fn the_render_endpoint_answers_a_probe_with_its_proof_and_as_a_page() {
    let world = World::new().await;
    world.shop().await;
    let key = ProbeKey::new(&world.app.state.platform.secrets);
    let nonce = key.issue("shop.example", world.app.clock.now());
    let url = format!("https://www.shop.example/__service_probe/{nonce}");

    let reply = world.app.get(&render_path(&url)).key(&world.account.key).await;

    let proof = key.proof(&nonce, ProbeRoute::Api(&world.account.id));
    reply.assert_status(200);
    assert_eq!(reply.header("x-service-probe"), proof);
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(reply.header("cache-control"), "no-store");
    assert!(reply.text().contains(&proof));
}

#[tokio::test]
async fn prerenders_interface_answers_a_probe_with_its_proof() {
    let world = World::new().await;
    world.shop().await;
    let key = ProbeKey::new(&world.app.state.platform.secrets);
    let nonce = key.issue("shop.example", world.app.clock.now());
    let path = format!("/https://shop.example/__service_probe/{nonce}");

    let reply = world.app.get(&path).header("x-prerender-token", &world.account.key).await;

    reply.assert_status(200);
    let proof = key.proof(&nonce, ProbeRoute::Api(&world.account.id));
    assert_eq!(reply.header("x-service-probe"), proof);
}

#[tokio::test]
async fn the_render_endpoint_answers_only_the_domains_own_account() {
    let world = World::new().await;
    world.shop().await;
    let stranger = world.app.account("stranger@x.example", Plan::Business).await;
    let key = ProbeKey::new(&world.app.state.platform.secrets);
    let nonce = key.issue("shop.example", world.app.clock.now());
    let path = render_path(&format!("https://shop.example/__service_probe/{nonce}"));

    world.app.get(&path).key(&stranger.key).await.assert_error(403, "domain_not_owned");
    world.app.get(&path).await.assert_error(401, "invalid_api_key");
}

#[tokio::test]
async fn a_probe_that_nobody_asked_for_is_a_page_like_any_other() {
    let world = World::new().await;
    let shop = world.shop().await;
    world.app.set(&shop, |settings| settings.on_demand_render_enabled = false).await;
    let key = ProbeKey::new(&world.app.state.platform.secrets);
    let old = key.issue("shop.example", world.app.clock.now().minus(Duration::from_secs(61)));

    for nonce in ["n0nce", &old] {
        let url = format!("https://shop.example/__service_probe/{nonce}");
        world.app.crawl(&world.account, &url).await.assert_status(304);
    }
}
