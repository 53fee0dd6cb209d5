//! Tests of decisions: the clients that get a snapshot, and the effect of the domain's settings.

use super::*;

#[tokio::test]
async fn people_assets_and_data_are_passed_to_the_origin() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;

    let person =
        app.render(&account, PAGE).header("sec-fetch-mode", "navigate").header("sec-fetch-dest", "document");
    let data = app.render(&account, PAGE).header("accept", "application/json");

    assert_leads_to(&person.await, 304, PAGE);
    assert_leads_to(&data.await, 304, PAGE);
    let asset = app.crawl(&account, "https://shop.example/app.js?v=1").await;
    assert_leads_to(&asset, 304, "https://shop.example/app.js?v=1");
    assert_eq!(app.renderer.requests().len(), 0);
}

#[tokio::test]
async fn a_phone_named_bot_gets_the_app_and_an_agent_that_asks_for_markdown_the_page() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let ask = |agent| app.render(&account, PAGE).header("user-agent", agent);
    let phone = "Mozilla/5.0 (Linux; Android 12; M BOT 60) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";

    for request in [
        ask("AcmeBot/1.0").header("sec-fetch-mode", "navigate"),
        ask(phone).header("accept-language", "en").header("upgrade-insecure-requests", "1"),
        ask(phone).header("accept-language", "en").header("sec-ch-ua", "\"Chromium\";v=\"120\""),
    ] {
        assert_leads_to(&request.await, 304, PAGE);
    }
    assert_eq!(app.renderer.requests().len(), 0);
    for request in [
        ask(phone),
        ask("Googlebot/2.1").header("sec-fetch-mode", "navigate"),
        ask(phone).header("sec-fetch-mode", "navigate").header("accept", "text/markdown, */*;q=0.8"),
    ] {
        request.await.assert_status(200);
    }
}

#[tokio::test]
async fn if_none_match_is_ignored() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let etag = app.crawl(&account, PAGE).await.header("etag").to_owned();

    let reply = app.crawl(&account, PAGE).header("if-none-match", &etag).await;

    reply.assert_status(200);
}

#[tokio::test]
async fn redirect_rules_and_the_preferred_host_answer_before_anything_is_rendered() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        let rule = |source: &str, status| RedirectRule {
            source: source.into(),
            destination: "/new/$1".into(),
            status,
            preserve_query: true,
        };
        app.set(&domain, |settings| {
            settings.preferred_host = Some(PreferredHost::Www);
            settings.redirect_rules = vec![rule("/old/*", 301), rule("/tmp/*", 307)];
        })
        .await;

        let permanent = app.crawl(&account, "https://shop.example/old/a?b=c").await;
        let temporary = app.crawl(&account, "https://www.shop.example/tmp/a").await;
        let host = app.crawl(&account, PAGE).await;

        assert_leads_to(&permanent, 301, "https://www.shop.example/new/a?b=c");
        assert_leads_to(&temporary, 307, "https://www.shop.example/new/a");
        assert_leads_to(&host, 301, "https://www.shop.example/shoes");
        assert_eq!(app.renderer.requests().len(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_change_of_settings_holds_at_once_for_pages_in_memory() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    for _ in 0..3 {
        app.crawl(&account, PAGE).await;
    }

    app.set(&domain, |settings| settings.ignore_paths = "/shoes".into()).await;

    assert_leads_to(&app.crawl(&account, PAGE).await, 304, PAGE);
}

#[tokio::test]
async fn custom_response_headers_are_on_the_snapshots_of_their_paths() {
    use domains::headers::{HeaderField, HeaderRule};
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    let field = HeaderField { name: "x-robots-tag".into(), value: "noarchive".into() };
    let rule = HeaderRule { path_pattern: "/sh*".into(), headers: vec![field] };
    app.set(&domain, |settings| settings.custom_response_headers = vec![rule]).await;

    for tier in ["miss", "edge-hit", "edge-hit"] {
        let reply = app.crawl(&account, PAGE).await;
        assert_eq!(
            (reply.header("x-service-render-cache"), reply.header("x-robots-tag")),
            (tier, "noarchive")
        );
    }
    assert_eq!(app.crawl(&account, "https://shop.example/").await.header("x-robots-tag"), "");
}

/// Returns the values of a header, line by line.
fn lines<'a>(reply: &'a Reply, name: &str) -> Vec<&'a str> {
    reply.headers.get_all(name).iter().map(|value| value.to_str().expect("a text")).collect()
}

/// Makes the page answer with these header lines.
fn answer_with(app: &TestApp, status: u16, fields: &[(&'static str, &'static str)]) {
    app.renderer.answers_page(PAGE, |page| {
        page.status = status;
        let fields = fields.iter().map(|(name, value)| (*name, http::HeaderValue::from_static(value)));
        fields.for_each(|(name, value)| _ = page.headers.append(name, value));
    });
}

const OWN: [(&str, &str); 5] = [
    ("x-robots-tag", "googlebot: noindex"),
    ("x-robots-tag", "noarchive"),
    ("content-language", "de-AT"),
    ("content-location", "https://app.host.test/schuhe"),
    ("link", "</a.css>; rel=preload, <https://app.host.test/de>; rel=\"alternate\"; hreflang=\"de\""),
];

#[tokio::test]
async fn headers_of_the_page_for_crawlers_are_sent_from_every_tier() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.set(&domain, |settings| settings.origin_host = "app.host.test".parse().ok()).await;
        answer_with(&app, 200, &OWN);

        let mut etags = Vec::new();
        for tier in ["miss", "edge-hit", "edge-hit", "hit"] {
            if tier == "hit" {
                app.clock.advance(Duration::from_secs(301));
            }
            let reply = app.crawl(&account, PAGE).await;

            assert_eq!(reply.header("x-service-render-cache"), tier);
            assert_eq!(lines(&reply, "x-robots-tag"), ["googlebot: noindex", "noarchive"], "{tier}");
            assert_eq!(reply.header("content-language"), "de-AT");
            assert_eq!(reply.header("content-location"), "https://shop.example/schuhe");
            assert_eq!(
                lines(&reply, "link"),
                ["<https://shop.example/de>; rel=\"alternate\"; hreflang=\"de\""]
            );
            etags.push(reply.header("etag").to_owned());
        }
        etags.dedup();
        assert_eq!(etags.len(), 1);
        app.force(&account, PAGE).await;
        answer_with(&app, 200, &[]);
        let without = app.force(&account, PAGE).await;
        assert_eq!(lines(&without, "x-robots-tag"), [""; 0]);
        assert_ne!(without.header("etag"), etags[0]);
    })
    .await;
}

#[tokio::test]
async fn a_custom_header_takes_the_place_of_the_pages_own() {
    use domains::headers::{HeaderField, HeaderRule};
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    let field = HeaderField { name: "x-robots-tag".into(), value: "max-snippet:-1".into() };
    let rule = HeaderRule { path_pattern: "/**".into(), headers: vec![field] };
    app.set(&domain, |settings| settings.custom_response_headers = vec![rule]).await;
    answer_with(&app, 404, &OWN);

    for _ in ["miss", "edge-hit", "edge-hit"] {
        let reply = app.crawl(&account, PAGE).await;

        assert_eq!((reply.status.as_u16(), lines(&reply, "x-robots-tag")), (404, vec!["max-snippet:-1"]));
        assert_eq!(reply.header("content-language"), "de-AT");
    }
}

#[tokio::test]
async fn the_interval_of_the_most_specific_rule_is_what_caches_are_told() {
    use domains::RefreshRule;
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    app.set_rendering(&domain, |rendering| {
        rendering.refresh_rules = vec![
            RefreshRule { pattern: "/**".into(), interval_seconds: 7200 },
            RefreshRule { pattern: "/shoes".into(), interval_seconds: 120 },
        ];
    })
    .await;

    let shoes = app.crawl(&account, PAGE).await;
    let home = app.crawl(&account, "https://shop.example/").await;

    assert_eq!(shoes.header("cache-control"), "public, max-age=120, s-maxage=120");
    assert_eq!(home.header("cache-control"), "public, max-age=7200, s-maxage=7200");
}

#[tokio::test]
async fn with_on_demand_rendering_off_only_what_is_stored_is_served() {
    TestApp::on_each_engine(async |app| {
        let (account, domain) = shop(&app).await;
        app.set(&domain, |settings| settings.on_demand_render_enabled = false).await;

        assert_leads_to(&app.crawl(&account, PAGE).await, 304, PAGE);
        assert_eq!(app.renderer.renders(PAGE), 0);
        let forced = app.force(&account, PAGE).await;
        assert_eq!(forced.header("x-service-render-cache"), "miss");
        app.clock.advance(DAY * 2);
        let stale = app.crawl(&account, PAGE).await;

        assert_eq!(stale.header("x-service-render-cache"), "hit");
        assert_eq!(app.renderer.renders(PAGE), 1);
    })
    .await;
}

#[tokio::test]
async fn an_escaped_fragment_is_rendered_as_its_hash_bang_page() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;

    app.render(&account, "https://shop.example/?_escaped_fragment_=about").await.assert_status(200);

    let rendered: Vec<String> =
        app.renderer.requests().iter().map(|request| request.url.to_string()).collect();
    assert_eq!(rendered, ["https://shop.example/#!about"]);
}

#[tokio::test]
async fn the_browser_is_told_where_the_site_is_and_what_to_wait_for() {
    let app = TestApp::new().await;
    let (account, domain) = shop(&app).await;
    app.set(&domain, |settings| settings.origin_host = "app.host.test".parse().ok()).await;
    app.set_rendering(&domain, |rendering| {
        rendering.wait_for_selector = Some("#main".into());
        rendering.blocked_urls = vec!["*://ads.test/*".into()];
    })
    .await;

    app.crawl(&account, PAGE).await;

    let request = app.renderer.requests().remove(0);
    let route = request.route.expect("a route to the origin host");
    assert_eq!((route.origin_host.as_str(), route.tls), ("app.host.test", true));
    assert_eq!(route.hosts, ["shop.example", "www.shop.example"]);
    assert_eq!(request.tenant, domain.id.as_str());
    assert_eq!(request.wait_for_selector.as_deref(), Some("#main"));
    assert_eq!(request.blocked_urls, ["*://ads.test/*"]);
}

#[tokio::test]
async fn head_answers_like_get_without_the_page() {
    let app = TestApp::new().await;
    let (account, _) = shop(&app).await;
    let get = app.crawl(&account, PAGE).await;

    let head = app
        .request(http::Method::HEAD, &render_path(PAGE))
        .key(&account.key)
        .header("user-agent", GOOGLEBOT)
        .await;

    head.assert_status(200);
    assert_eq!((head.header("etag"), head.text().as_str()), (get.header("etag"), ""));
    assert_eq!(head.header("x-service-render-cache"), "edge-hit");
}
