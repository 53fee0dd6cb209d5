//! The domain's crawler policy at the edge.

use serde_json::{Value, json};

use super::world::{RawOrigin, World};
use crate::testing::*;
use domains::CrawlerPolicy;

const GPTBOT: &str = "User-Agent: GPTBot/1.2";

async fn world(rules: Value) -> (World, RawOrigin) {
    let origin = RawOrigin::echo().await;
    (world_on(&origin, json!({ "mode": "enforce", "rules": rules })).await, origin)
}

async fn world_on(origin: &RawOrigin, policy: Value) -> World {
    let world = World::with_origin(origin.address).await;
    let shop = world.shop().await;
    let policy: CrawlerPolicy = serde_json::from_value(policy).expect("a policy");
    world.app.set(&shop, |settings| settings.crawler_policy = policy).await;
    world
}

#[tokio::test]
async fn a_crawler_is_refused_with_the_rules_text_and_people_get_the_app() {
    let rule = json!([{ "match": { "crawler": "gptbot" }, "action": "pay", "text": "Ask for a licence." }]);
    let (world, _origin) = world(rule).await;

    let refused = world.get("/shoes", &[GPTBOT]).await;
    let head = world.ask("HEAD", "/shoes", &[GPTBOT]).await;
    let person = world.get("/shoes", &["User-Agent: curl/8.4.0"]).await;
    let asset = world.get("/robots.txt", &[GPTBOT]).await;

    assert_eq!((refused.status, refused.text()), (402, "Ask for a licence.".to_owned()));
    assert_eq!(refused.header("x-service-policy"), Some("pay"));
    assert_eq!(refused.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!((head.status, head.text()), (402, String::new()));
    assert_eq!((person.header("x-origin"), asset.header("x-origin")), (Some("1"), Some("1")));
    assert_eq!(world.app.renderer.requests().len(), 0);
}

#[tokio::test]
async fn a_crawler_that_signs_in_or_upgrades_its_connection_is_refused_like_any_other() {
    let (world, _origin) = world(json!([{ "match": { "crawler": "gptbot" }, "action": "block" }])).await;

    for header in ["Authorization: Basic dTpw", "Upgrade: websocket"] {
        let refused = world.get("/shoes", &[GPTBOT, header]).await;
        let person = world.get("/shoes", &["User-Agent: curl/8.4.0", header]).await;

        assert_eq!((refused.status, refused.header("x-service-policy")), (403, Some("block")), "{header}");
        assert_eq!(person.header("x-origin"), Some("1"), "{header}");
    }
}

#[tokio::test]
async fn requests_at_the_edge_and_through_the_render_endpoint_share_a_limit() {
    let rule = json!([{ "match": { "crawler": "gptbot" }, "action": "limit", "perMinute": 2 }]);
    let (world, _origin) = world(rule).await;
    let by_api = async || {
        let request = world.app.render(&world.account, "https://shop.example/shoes");
        request.header("user-agent", "GPTBot/1.2").await.status.as_u16()
    };

    let first = (world.get("/shoes", &[GPTBOT]).await.status, by_api().await);
    let over = world.get("/shoes", &[GPTBOT]).await;

    assert_eq!(first, (200, 200));
    assert_eq!((over.status, by_api().await), (429, 429));
    assert_eq!(over.header("retry-after"), Some("60"));
}

#[tokio::test]
async fn the_domains_of_an_inactive_account_have_no_policy() {
    let (world, _origin) = world(json!([{ "match": {}, "action": "block" }])).await;
    assert_eq!(world.get("/shoes", &[GPTBOT]).await.status, 403);

    world.app.state.accounts.set_active(&world.account.email, false).await.expect("a database");

    assert_eq!(world.get("/shoes", &[GPTBOT]).await.header("x-origin"), Some("1"));
}

#[tokio::test]
async fn robots_txt_is_obeyed_after_the_rules_and_never_refuses_a_search_engine() {
    let robots = "HTTP/1.1 200 OK\r\nContent-Length: 31\r\n\r\nUser-agent: *\nDisallow: /shoes\n";
    let origin = RawOrigin::saying(robots).await;
    let allowed = json!([{ "match": { "crawler": "ccbot" }, "action": "allow" }]);
    let policy = json!({ "mode": "enforce", "obeyRobotsTxt": true, "rules": allowed });
    let world = world_on(&origin, policy).await;
    let status = async |path: &str, agent: &str| world.get(path, &[agent]).await.status;

    let refused = world.get("/shoes?size=1", &[GPTBOT]).await;

    assert_eq!((refused.status, refused.header("x-service-policy")), (403, Some("block")));
    assert_eq!(status("/hats", GPTBOT).await, 200);
    assert_eq!(status("/shoes", "User-Agent: CCBot/2.0").await, 200);
    assert_eq!(world.crawl("/shoes", &[]).await.status, 200);
}
