//! Answers to crawlers: the render service's decision, and the origin's answer whenever there is no page.

use crate::testing::*;
use std::time::Duration;

use browser::RenderError;

use super::world::{RawOrigin, Reply, World};
use domains::connection::probe::ProbeRoute;

const PAGE: &str = "https://shop.example/shoes";
const HTML: &str = "<!DOCTYPE html><html><head><title>Shoes</title></head><body><h1>Shoes</h1></body></html>";

async fn world() -> (World, RawOrigin) {
    let origin = RawOrigin::echo().await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    world.app.renderer.answers_html(PAGE, HTML);
    (world, origin)
}

#[tokio::test]
async fn a_crawler_gets_the_page_rendered_once_and_then_from_memory() {
    let (world, _origin) = world().await;

    let first = world.crawl("/shoes", &[]).await;
    let second =
        world.crawl("/shoes?utm_source=x", &["Cookie: session=1", "X-Forwarded-Host: evil.example"]).await;

    assert_eq!((first.status, first.header("x-service-render-cache")), (200, Some("miss")));
    assert_eq!(second.header("x-service-render-cache"), Some("edge-hit"));
    assert_eq!(second.text(), HTML);
    assert_eq!(second.header("cache-control"), Some("no-cache"));
    assert_eq!(second.header("cdn-cache-control"), Some("no-store"));
    assert_eq!(world.app.renderer.renders(PAGE), 1);
}

#[tokio::test]
async fn a_crawlers_name_counts_beside_bytes_that_are_no_ascii() {
    let (world, _origin) = world().await;

    let reply = world.get("/shoes", &["User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; café)"]).await;

    assert_eq!(reply.header("x-service-render-cache"), Some("miss"));
}

#[tokio::test]
async fn a_crawler_gets_the_headers_that_the_page_has_for_crawlers() {
    let (world, _origin) = world().await;
    world.app.renderer.answers_page(PAGE, |page| {
        for (name, value) in [
            ("x-robots-tag", "noindex"),
            ("link", "<https://shop.example/>; rel=canonical"),
            ("content-language", "de"),
        ] {
            page.headers.append(name, http::HeaderValue::from_static(value));
        }
    });

    let first = world.crawl("/shoes", &[]).await;
    let etag = format!("If-None-Match: {}", first.header("etag").expect("an etag"));
    let second = world.crawl("/shoes", &[]).await;
    let unchanged = world.crawl("/shoes", &[&etag]).await;

    assert_eq!([first.status, second.status, unchanged.status], [200, 200, 304]);
    for reply in [&first, &second, &unchanged] {
        assert_eq!(reply.header("x-robots-tag"), Some("noindex"));
        assert_eq!(reply.header("link"), Some("<https://shop.example/>; rel=canonical"));
        assert_eq!(reply.header("content-language"), Some("de"));
    }
}

#[tokio::test]
async fn a_person_gets_the_origins_answer_for_the_same_address() {
    let (world, _origin) = world().await;
    world.crawl("/shoes", &[]).await;

    let reply = world.get("/shoes", &["User-Agent: curl/8.4.0"]).await;

    assert_eq!(reply.header("x-origin"), Some("1"));
    assert_eq!(reply.header("x-service-render-cache"), None);
}

#[tokio::test]
async fn a_phone_named_bot_gets_the_app_and_an_agent_that_asks_for_markdown_the_page() {
    let (world, _origin) = world().await;
    let agent = "User-Agent: Mozilla/5.0 (Linux; Android 12; XBot 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";
    let navigation = [agent, "Accept-Language: en", "Accept: text/html,application/xhtml+xml,*/*;q=0.8"];

    let person = world.get("/shoes", &navigation).await;
    let markdown = ["Accept: text/markdown, text/plain;q=0.9, */*;q=0.8", "User-Agent: node"];
    let client = world.get("/shoes", &markdown).await;
    let crawler = world.crawl("/shoes", &["Sec-Fetch-Mode: navigate", "Accept: text/*"]).await;

    assert_eq!((person.header("x-origin"), person.header("x-service-render-cache")), (Some("1"), None));
    assert_eq!(client.header("x-service-render-cache"), Some("miss"));
    assert_eq!(client.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(client.text().ends_with("\n# Shoes\n"), "{}", client.text());
    assert_eq!(crawler.header("x-service-render-cache"), Some("edge-hit"));
}

#[tokio::test]
async fn an_agent_that_has_the_markdown_gets_a_304_and_one_that_has_the_html_the_markdown() {
    let (world, _origin) = world().await;
    let accept = "Accept: text/markdown";

    let html = world.crawl("/shoes", &[]).await;
    let markdown = world.get("/shoes", &[accept]).await;
    let known = |reply: &Reply| format!("If-None-Match: {}", reply.header("etag").expect("an etag"));
    let unchanged = world.get("/shoes", &[accept, &known(&markdown)]).await;
    let other_form = world.get("/shoes", &[accept, &known(&html)]).await;

    assert_eq!((unchanged.status, other_form.status), (304, 200));
    for reply in [&html, &markdown] {
        assert_eq!(reply.header("vary"), Some("User-Agent, Accept, Accept-Encoding"));
    }
    assert_eq!(markdown.header("link"), Some("<https://shop.example/shoes>; rel=\"canonical\""));
    assert_eq!(html.header("link"), None);
}

#[tokio::test]
async fn the_render_endpoint_and_the_edge_share_their_pages() {
    let (world, _origin) = world().await;
    world.app.renderer.answers_html("https://shop.example/shoes", HTML);

    world.app.crawl(&world.account, "https://shop.example/shoes").await;
    let reply = world.crawl("/shoes", &[]).await;

    assert_eq!(reply.header("x-service-render-cache"), Some("edge-hit"));
    assert_eq!(world.app.renderer.requests().len(), 1);
}

#[tokio::test]
async fn a_crawler_that_has_the_page_gets_a_real_304() {
    let (world, _origin) = world().await;
    let etag = world.crawl("/shoes", &[]).await.header("etag").expect("an etag").to_owned();

    let reply = world.crawl("/shoes", &[&format!("If-None-Match: {etag}")]).await;

    assert_eq!((reply.status, reply.header("etag")), (304, Some(etag.as_str())));
    assert!(reply.body.is_empty() && reply.header("location").is_none());
}

#[tokio::test]
async fn a_head_request_of_a_crawler_gets_the_length_and_no_body() {
    let (world, _origin) = world().await;
    world.crawl("/shoes", &[]).await;

    let reply = world.ask("HEAD", "/shoes", &["User-Agent: Googlebot/2.1"]).await;

    assert_eq!(reply.header("content-length"), Some(HTML.len().to_string().as_str()));
    assert_eq!(reply.header("x-service-render-cache"), Some("edge-hit"));
    assert!(reply.body.is_empty());
}

#[tokio::test]
async fn a_page_that_cannot_be_rendered_is_the_origins() {
    let (world, _origin) = world().await;
    world.app.renderer.fails(PAGE, RenderError::PageCrashed);

    let reply = world.crawl("/shoes", &[]).await;

    assert_eq!((reply.status, reply.header("x-origin")), (200, Some("1")));
}

#[tokio::test]
async fn an_unverified_crawler_causes_so_many_renders_and_then_gets_the_origin() {
    let origin = RawOrigin::echo().await;
    let world = World::with(&format!(
        "edge.trusted_proxies = [\"127.0.0.0/8\"]\nlimits.unverified_renders_per_client = 1\n\
         network.hosts = {{ \"shop.example\" = \"{}\" }}",
        origin.address
    ))
    .await;
    world.shop().await;
    let ask = async |path: &str, from: &str| {
        world.get(path, &["User-Agent: Slackbot 1.0", &format!("X-Forwarded-For: {from}")]).await
    };

    let first = ask("/a", "9.9.9.1").await;
    let second = ask("/b", "9.9.9.99").await;
    let stored = ask("/a", "9.9.9.99").await;
    let other = ask("/b", "8.8.8.8").await;

    assert_eq!(first.header("x-service-render-cache"), Some("miss"));
    assert_eq!((second.header("x-origin"), second.header("x-service-render-cache")), (Some("1"), None));
    assert_eq!(stored.header("x-service-render-cache"), Some("edge-hit"));
    assert_eq!(other.header("x-service-render-cache"), Some("miss"));
}

#[tokio::test]
async fn a_stored_page_is_served_while_the_origin_is_down() {
    let (world, origin) = world().await;
    world.crawl("/shoes", &[]).await;
    drop(origin);
    world.app.renderer.fails(PAGE, RenderError::PageCrashed);
    world.app.clock.advance(std::time::Duration::from_secs(3 * 24 * 3600));

    let reply = world.crawl("/shoes", &[]).await;

    assert_eq!((reply.status, reply.header("x-service-render-cache")), (200, Some("hit")));
    assert_eq!(reply.text(), HTML);
}

#[tokio::test]
async fn what_is_no_page_is_the_origins_for_crawlers_too() {
    let (world, _origin) = world().await;
    let shop = world.app.state.domains.list(None).await.unwrap().remove(0);
    world.app.set(&shop, |settings| settings.ignore_paths = "/private/**".into()).await;

    for (path, headers) in [
        ("/logo.png", &[][..]),
        ("/robots.txt", &[]),
        ("/private/x", &[]),
        ("/shoes", &["Accept: application/json"]),
        ("/shoes", &["Authorization: Basic eDp5"]),
        ("/shoes", &["Sec-Fetch-Dest: image"]),
    ] {
        let reply = world.crawl(path, headers).await;
        assert_eq!(reply.header("x-origin"), Some("1"), "{path} {headers:?}");
    }
    assert_eq!(world.app.renderer.requests().len(), 0);
}

#[tokio::test]
async fn a_site_whose_account_is_inactive_passes_everything_through() {
    let (world, _origin) = world().await;
    world.app.state.accounts.set_active(&world.account.email, false).await.unwrap();

    let reply = world.crawl("/shoes", &[]).await;

    assert_eq!(reply.header("x-origin"), Some("1"));
    assert_eq!(world.app.renderer.requests().len(), 0);
}

#[tokio::test]
async fn a_connection_probe_is_answered_with_its_proof_and_reaches_nobody() {
    let (world, _origin) = world().await;
    let key = &world.edge.inner().probe_key;
    let nonce = key.issue("shop.example", world.app.clock.now());

    let reply = world.crawl(&format!("/__service_probe/{nonce}"), &[]).await;

    assert_eq!(reply.header("x-service-probe"), Some(key.proof(&nonce, ProbeRoute::Edge).as_str()));
    assert_eq!(reply.header("x-origin"), None);
}

#[tokio::test]
async fn a_probe_that_nobody_asked_for_is_a_path_like_any_other() {
    let (world, _origin) = world().await;
    let key = &world.edge.inner().probe_key;
    let anothers = key.issue("other.example", world.app.clock.now());
    let old = key.issue("shop.example", world.app.clock.now().minus(Duration::from_secs(61)));

    for nonce in ["n0nce", &anothers, &old] {
        let reply = world.get(&format!("/__service_probe/{nonce}"), &[]).await;

        assert_eq!((reply.header("x-service-probe"), reply.header("x-origin")), (None, Some("1")), "{nonce}");
    }
}

#[tokio::test]
async fn a_crawlers_visit_is_counted() {
    let (world, _origin) = world().await;
    let recorder = world.app.state.recorder.clone();
    world.app.state.platform.tasks.spawn(recorder.clone().run(world.app.state.platform.shutdown.clone()));

    world.crawl("/shoes", &[]).await;
    world.crawl("/shoes", &[]).await;
    world.get("/shoes", &[]).await;
    recorder.flush().await;

    let visits = world.app.visits().await;
    assert_eq!(visits.iter().map(|row| row.visits).sum::<i64>(), 2);
}

#[tokio::test]
async fn our_own_requests_are_no_visits() {
    let origin = RawOrigin::responding(&[("/html", "200 OK", "Content-Type: text/html")]).await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    world.app.renderer.answers_html(PAGE, HTML);
    let recorder = world.app.state.recorder.clone();
    world.app.state.platform.tasks.spawn(recorder.clone().run(world.app.state.platform.shutdown.clone()));
    let now = world.app.clock.now();
    let mark = |host: &str| {
        let mark = world.app.state.probe_marks.issue(host, now);
        format!("X-Service-Probe: {}", mark.to_str().expect("plain"))
    };

    for path in ["/shoes", "/shoes", "/html"] {
        world.crawl(path, &[&mark("shop.example")]).await;
    }
    world.crawl("/shoes", &[&mark("other.example")]).await;
    recorder.flush().await;

    let visits = world.app.visits().await;
    assert_eq!(visits.iter().map(|row| row.visits).sum::<i64>(), 1, "only the mark of another site counts");
}

#[tokio::test]
async fn what_the_origin_answers_a_crawler_is_counted_with_its_status() {
    let origin = RawOrigin::responding(&[
        ("/html", "200 OK", "Content-Type: text/html"),
        ("/gone", "410 Gone", "Content-Type: text/html; charset=utf-8"),
        ("/moved", "302 Found", "Content-Type: text/html\r\nLocation: /html"),
        ("/data", "200 OK", "Content-Type: application/json"),
    ])
    .await;
    let world = World::with_origin(origin.address).await;
    let domain = world.shop().await;
    world.app.set(&domain, |settings| settings.on_demand_render_enabled = false).await;
    let recorder = world.app.state.recorder.clone();
    world.app.state.platform.tasks.spawn(recorder.clone().run(world.app.state.platform.shutdown.clone()));

    for path in ["/html", "/gone", "/moved", "/data"] {
        world.crawl(path, &[]).await;
    }
    // No page, and the crawler is not verified: counted, but not by its path.
    world.ask("POST", "/html", &["User-Agent: Googlebot/2.1", "Content-Length: 0"]).await;
    world.get("/html", &["User-Agent: curl/8.4.0"]).await;
    drop(origin);
    world.crawl("/down", &[]).await;
    world.crawl("/down.css", &[]).await;
    recorder.flush().await;

    let rows = world.app.visits().await;
    let counted: Vec<_> = rows.iter().map(|row| (&*row.path, &*row.served, row.status, row.visits)).collect();
    assert_eq!(
        counted,
        [("(other)", "origin", 410, 1), ("(other)", "origin", 502, 1), ("/html", "origin", 200, 1)]
    );
}

#[tokio::test]
async fn what_a_crawler_gets_while_the_account_is_inactive_is_counted_too() {
    let origin = RawOrigin::responding(&[("/html", "200 OK", "Content-Type: text/html")]).await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    world.app.state.accounts.set_active(&world.account.email, false).await.unwrap();
    let recorder = world.app.state.recorder.clone();
    world.app.state.platform.tasks.spawn(recorder.clone().run(world.app.state.platform.shutdown.clone()));

    world.crawl("/html", &[]).await;
    world.get("/html", &["User-Agent: curl/8.4.0"]).await;
    recorder.flush().await;

    let rows = world.app.visits().await;
    let counted: Vec<_> = rows.iter().map(|row| (&*row.path, &*row.served, row.visits)).collect();
    assert_eq!(counted, [("/html", "origin", 1)]);
}

#[tokio::test]
async fn people_whom_an_assistant_sent_are_counted() {
    let origin = RawOrigin::responding(&[
        ("/html", "200 OK", "Content-Type: text/html"),
        ("/gone", "404 Not Found", "Content-Type: text/html"),
        ("/data", "200 OK", "Content-Type: application/json"),
    ])
    .await;
    let world = World::with_origin(origin.address).await;
    let domain = world.shop().await;
    let recorder = world.app.state.recorder.clone();
    world.app.state.platform.tasks.spawn(recorder.clone().run(world.app.state.platform.shutdown.clone()));
    let browser = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

    for path in ["/html", "/gone", "/data"] {
        world.get(path, &[browser, "Referer: https://chatgpt.com/"]).await;
    }
    world.get("/html", &[browser, "Referer: https://shop.example/"]).await;
    recorder.flush().await;

    let analytics = &world.app.state.analytics;
    let people = analytics.referrals(&domain.id, analytics.window(1), 10).await.unwrap();
    let rows: Vec<_> = people.iter().map(|row| (&*row.assistant, &*row.path, row.count)).collect();
    assert_eq!(rows, [("openai", "/html", 1)]);
    assert!(world.app.visits().await.is_empty());
}

#[tokio::test]
async fn a_compressed_page_says_how_it_is_packed() {
    let (world, _origin) = world().await;
    world.app.renderer.answers_html(PAGE, &format!("{HTML}{}", "<p>tea and cake</p>".repeat(100)));

    let reply = world.crawl("/shoes", &["Accept-Encoding: gzip"]).await;

    assert_eq!(reply.header("content-encoding"), Some("gzip"));
    assert_eq!(reply.header("vary"), Some("User-Agent, Accept, Accept-Encoding"));
    assert!(reply.body.len() < 1000);
}
