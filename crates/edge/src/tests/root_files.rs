//! Files at the root of a site: before redirect rules, after the preferred host, and never in place of a file of the origin.

use http::Method;
use serde_json::{Value, json};

use super::world::{RawOrigin, World};
use crate::testing::*;
use domains::PreferredHost;
use domains::redirects::RedirectRule;

const GPTBOT: &str = "User-Agent: GPTBot/1.2";
const HTML: &str = "Content-Type: text/html";
const TEXT: &str = "Content-Type: text/plain";

async fn world() -> (World, RawOrigin) {
    let origin = RawOrigin::responding(&[
        ("/robots.txt", "404 Not Found", HTML),
        ("/llms.txt", "200 OK", HTML),
        ("/ads.txt", "200 OK", TEXT),
        ("/app-ads.txt", "403 Forbidden", HTML),
        ("/moved.txt", "302 Found", "Location: /"),
        ("/down.txt", "503 Service Unavailable", HTML),
        ("/google1.html", "200 OK", HTML),
        ("/gone.html", "410 Gone", HTML),
        ("/sitemap.xml", "404 Not Found", HTML),
    ])
    .await;
    let world = World::with_origin(origin.address).await;
    world.shop().await;
    (world, origin)
}

async fn put(world: &World, files: Value) {
    let request = world.app.request(Method::PUT, "/api/domains/shop.example/root-files");
    request.key(&world.account.key).json(json!({ "files": files })).await.assert_status(200);
}

async fn refuse(world: &World, policy: Value) {
    let request = world.app.request(Method::PUT, "/api/domains/shop.example/crawler-policy");
    request.key(&world.account.key).json(policy).await.assert_status(200);
}

fn text(path: &str, mode: &str) -> Value {
    json!({ "path": path, "mode": mode, "source": "text", "body": "ours" })
}

#[tokio::test]
async fn a_fallback_answers_only_where_the_origin_has_no_such_file() {
    let (world, _origin) = world().await;
    let paths = [
        "/robots.txt",
        "/llms.txt",
        "/ads.txt",
        "/app-ads.txt",
        "/moved.txt",
        "/down.txt",
        "/google1.html",
        "/gone.html",
    ];
    put(&world, paths.iter().map(|path| text(path, "fallback")).collect()).await;

    for (path, expected) in [
        ("/robots.txt", (200, Some("fallback"))),
        ("/llms.txt", (200, Some("fallback"))),
        ("/ads.txt", (200, None)),
        ("/app-ads.txt", (403, None)),
        ("/moved.txt", (200, Some("fallback"))),
        ("/down.txt", (503, None)),
        ("/google1.html", (200, None)),
        ("/gone.html", (200, Some("fallback"))),
    ] {
        let person = world.get(path, &[]).await;
        assert_eq!((person.status, person.header("x-service-root-file")), expected, "{path}");
        let body = if expected.1.is_some() { "ours" } else { "ok" };
        assert_eq!(person.text(), body, "{path}");
    }
    let crawler = world.crawl("/robots.txt", &[]).await;
    assert_eq!((crawler.status, crawler.text().as_str()), (200, "ours"));
}

#[tokio::test]
async fn a_file_that_is_always_served_has_an_etag_and_no_body_for_head() {
    let (world, _origin) = world().await;
    put(&world, json!([text("/ads.txt", "always"), text("/off.txt", "off")])).await;

    let got = world.get("/ads.txt", &[]).await;
    let etag = got.header("etag").expect("an etag").to_owned();
    let unchanged = world.get("/ads.txt", &[&format!("If-None-Match: {etag}")]).await;
    let head = world.ask("HEAD", "/ads.txt", &[]).await;
    let posted = world.ask("POST", "/ads.txt", &["Content-Length: 0"]).await;

    assert_eq!(
        (got.status, got.header("x-service-root-file"), got.text().as_str()),
        (200, Some("always"), "ours")
    );
    assert!(got.header("cache-control").expect("a header").contains("max-age=3600"));
    assert_eq!(got.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!((unchanged.status, unchanged.text().as_str()), (304, ""));
    assert_eq!(
        (head.status, head.header("content-length"), head.header("etag")),
        (200, Some("4"), Some(etag.as_str()))
    );
    assert_eq!((posted.header("x-service-root-file"), posted.text().as_str()), (None, "ok"));
}

#[tokio::test]
async fn a_file_goes_after_the_preferred_host_and_before_redirect_rules() {
    let (world, _origin) = world().await;
    let rule = |source: &str| RedirectRule {
        source: source.into(),
        destination: "/elsewhere".into(),
        status: 301,
        preserve_query: true,
    };
    let domain = world.app.state.domains.find_exact(&world.account.id, "shop.example").await;
    let domain = domain.expect("a database").expect("the domain");
    world.app.set(&domain, |settings| settings.redirect_rules = vec![rule("/*")]).await;
    put(
        &world,
        json!([text("/robots.txt", "fallback"), text("/ads.txt", "fallback"), text("/a.txt", "always")]),
    )
    .await;

    let (absent, there, always) = (
        world.get("/robots.txt", &[]).await,
        world.get("/ads.txt", &[]).await,
        world.get("/a.txt", &[]).await,
    );
    world.app.set(&domain, |settings| settings.preferred_host = Some(PreferredHost::Www)).await;
    let other_host = world.get("/a.txt?b=1", &[]).await;

    assert_eq!((absent.text().as_str(), always.text().as_str()), ("ours", "ours"));
    assert_eq!((there.status, there.header("location")), (301, Some("http://shop.example/elsewhere")));
    assert_eq!(
        (other_host.status, other_host.header("location")),
        (301, Some("http://www.shop.example/a.txt?b=1"))
    );
}

#[tokio::test]
async fn a_crawler_policy_refuses_no_file_at_the_root() {
    let (world, _origin) = world().await;
    refuse(&world, json!({ "mode": "enforce", "rules": [{ "match": {}, "action": "block" }] })).await;
    put(
        &world,
        json!([text("/google1.html", "fallback"), text("/gone.html", "always"), text("/a.html", "off")]),
    )
    .await;
    let by_endpoint = world.app.render(&world.account, "https://shop.example/google1.html");

    for (path, policy) in [
        ("/google1.html", None),
        ("/gone.html", None),
        ("/a.html", Some("block")),
        ("/b.html", Some("block")),
    ] {
        assert_eq!(world.get(path, &[GPTBOT]).await.header("x-service-policy"), policy, "{path}");
    }
    by_endpoint.header("user-agent", "GPTBot/1.2").await.assert_status(200);
}

#[tokio::test]
async fn a_crawler_policy_obeys_robots_txt_as_it_is_served() {
    let allowing = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n\r\nUser-agent: *\n";
    let absent = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    for (origin, mode, status) in [
        (allowing, "always", 403),
        (allowing, "fallback", 200),
        (absent, "fallback", 403),
        (absent, "off", 200),
    ] {
        let origin = RawOrigin::saying(origin).await;
        let world = World::with_origin(origin.address).await;
        world.shop().await;
        refuse(&world, json!({ "mode": "enforce", "obeyRobotsTxt": true })).await;
        let body = "User-agent: *\nDisallow: /shoes\n";
        put(&world, json!([{ "path": "/robots.txt", "mode": mode, "source": "text", "body": body }])).await;

        let reply = world.get("/shoes", &[GPTBOT]).await;

        assert_eq!(reply.status, status, "{mode}");
    }
}

#[tokio::test]
async fn a_new_domain_answers_with_robots_that_name_its_sitemap_and_without_pages_with_the_origins_sitemap() {
    let (world, _origin) = world().await;

    let robots = world.get("/robots.txt", &[]).await;
    let sitemap = world.get("/sitemap.xml", &[]).await;

    assert_eq!(robots.text(), "User-agent: *\nAllow: /\n\nSitemap: https://shop.example/sitemap.xml\n");
    assert_eq!((sitemap.status, sitemap.text().as_str()), (404, "ok"));
}

#[tokio::test]
async fn a_managed_sitemap_lists_named_pages_and_none_that_only_a_stranger_asked_for() {
    let (world, _origin) = world().await;
    let page = |body: &str| format!("<html><head></head><body>{body}</body></html>");
    let renderer = &world.app.renderer;
    renderer.answers_html(
        "/",
        &page("<a href=/shoes>Shoes</a> <a href=/gone>Gone</a> <a href=/hidden>Hidden</a>"),
    );
    renderer.answers_html("/shoes", &page("Shoes <a href=/boots?page=2>Boots</a>"));
    renderer.answers_html("/boots?page=2", &page("Boots"));
    renderer.answers_html("/stranger", &page("<a href=/other-stranger>Other</a>"));
    renderer.answers_status("/gone", 404, &page("Gone"));
    renderer.answers_html(
        "/hidden",
        "<html><head><meta name=robots content=noindex></head><body>x</body></html>",
    );
    for path in ["/", "/shoes", "/boots?page=2", "/stranger", "/other-stranger", "/gone", "/hidden"] {
        world.crawl(path, &[]).await;
    }

    let sitemap = world.get("/sitemap.xml", &[]).await;

    let text = sitemap.text();
    let listed: Vec<&str> =
        text.split("<loc>").skip(1).filter_map(|rest| rest.split("</loc>").next()).collect();
    assert_eq!(
        listed,
        ["https://shop.example/", "https://shop.example/boots?page=2", "https://shop.example/shoes"]
    );
    assert_eq!(sitemap.header("x-service-root-file"), Some("fallback"));
    assert_eq!(text.matches("<lastmod>").count(), 3);
}

#[tokio::test]
async fn the_key_of_indexnow_is_served_while_that_is_on() {
    let (world, _origin) = world().await;
    let path = "/api/domains/shop.example/indexnow";
    let key = &world.account.key;
    let on = world.app.patch(path).key(key).json(json!({ "enabled": true })).await.json();
    let name = on["key"].as_str().expect("a key").to_owned();

    let served = world.get(&format!("/{name}.txt"), &[]).await;
    world.app.patch(path).key(key).json(json!({ "enabled": false })).await.assert_status(200);
    let off = world.crawl(&format!("/{name}.txt"), &[]).await;

    assert_eq!((served.status, served.text()), (200, name));
    assert_eq!(off.header("x-service-root-file"), None);
}
