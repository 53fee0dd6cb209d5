//! Tests of pages in Prerender's interface, over HTTP, with an origin on loopback and a programmed browser.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use browser::RenderError;
use crawler::testing::WebServer;
use http::{Method, Request, Response};
use http_body_util::Full;
use serde_json::json;

use crate::testing::*;
use domains::Domain;
use platform::plans::Plan;

const PAGE: &str = "https://shop.example/shoes?size=42";
/// Requests that the origin got: path with query, and whether the header of a prerender service is set.
type Asked = Arc<Mutex<Vec<(String, bool)>>>;

struct Shop {
    app: TestApp,
    account: TestAccount,
    domain: Domain,
    asked: Asked,
    _origin: WebServer,
}

impl Shop {
    async fn new() -> Shop {
        Shop::with("", Plan::Enterprise).await
    }

    async fn with(settings: &str, plan: Plan) -> Shop {
        let asked = Asked::default();
        let seen = asked.clone();
        let origin = WebServer::start(move |request: Request<hyper::body::Incoming>| {
            let path = request.uri().path_and_query().expect("a path").as_str().to_owned();
            let is_marked = request.headers().contains_key("x-prerender");
            seen.lock().unwrap().push((path.clone(), is_marked));
            async move { of_origin(&path) }
        })
        .await;
        let address = origin.address();
        let network = format!(
            "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"shop.example\" = \"{address}\" }}\n{settings}"
        );
        let app = TestApp::with(&network).await;
        let account = app.account("owner@shop.example", plan).await;
        let domain = app.domain(&account, "shop.example").await;
        Shop { app, account, domain, asked, _origin: origin }
    }

    /// Requests an address as a middleware does.
    fn get(&self, address: &str) -> TestRequest {
        self.at(&format!("/{address}"))
    }

    fn at(&self, target: &str) -> TestRequest {
        let request = self.app.get(target).header("x-prerender-token", &self.account.key);
        request.header("user-agent", GOOGLEBOT)
    }

    fn asked(&self) -> Vec<(String, bool)> {
        self.asked.lock().unwrap().clone()
    }
}

fn of_origin(path: &str) -> Response<Full<bytes::Bytes>> {
    let response =
        Response::builder().header("set-cookie", "session=1").header("cache-control", "max-age=60");
    let (response, body) = match path {
        "/gone.css" => (response.status(404), "gone".to_owned()),
        "/account/moved" => {
            (response.status(302).header("location", "http://shop.example/account"), String::new())
        }
        "/account/large" => (response, "a".repeat(5_000)),
        _ => (response.header("content-type", "text/html"), format!("the shell of {path}")),
    };
    response.body(Full::from(body)).expect("a response")
}

#[track_caller]
fn assert_uncached(reply: &Reply) {
    assert_eq!(reply.header("cache-control"), "no-cache");
    assert_eq!(reply.header("cdn-cache-control"), "no-store");
    assert_eq!(reply.header("vary"), "User-Agent");
    assert!(!reply.headers.contains_key("set-cookie"));
}

#[track_caller]
fn assert_text(reply: &Reply, status: u16) {
    reply.assert_status(status);
    assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
    assert_uncached(reply);
}

#[tokio::test]
async fn each_form_of_a_request_gets_the_rendered_page_and_no_cache_may_keep_it() {
    let shop = Shop::new().await;
    shop.app.renderer.answers_html(PAGE, "<p>shoes</p>");

    for target in [
        "/https://shop.example/shoes?size=42",
        "/http://shop.example/shoes?size=42",
        "/https:/shop.example/shoes?size=42",
        "/https%3A%2F%2Fshop.example%2Fshoes%3Fsize%3D42",
        "/render?url=https%3A%2F%2Fshop.example%2Fshoes%3Fsize%3D42",
    ] {
        let reply = shop.at(target).await;

        reply.assert_status(200);
        assert_eq!(reply.text(), "<p>shoes</p>", "{target}");
        assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(reply.header("x-service-snapshot-key"), "");
        assert_uncached(&reply);
    }
    assert_eq!(shop.app.renderer.renders(PAGE), 1);
    assert!(shop.asked().is_empty());
}

#[tokio::test]
async fn the_page_is_served_as_to_a_crawler_whatever_the_headers_say() {
    let shop = Shop::new().await;
    let etag = shop.get(PAGE).await.header("etag").to_owned();
    let chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

    for (name, value) in [
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "image"),
        ("accept", "application/json"),
        ("user-agent", chrome),
        ("authorization", "Basic YTpi"),
        ("if-none-match", &etag),
    ] {
        let key = &shop.account.key;
        let request = shop.app.get(&format!("/{PAGE}")).header("x-prerender-token", key);
        let reply = request.header(name, value).header("accept-language", "en").await;

        reply.assert_status(200);
        assert_eq!(reply.header("x-service-render-cache"), "edge-hit", "{name}");
    }
}

#[tokio::test]
async fn the_pages_own_status_and_location_are_answered() {
    let shop = Shop::new().await;
    shop.app.renderer.answers_status("/missing", 404, "<p>none</p>");
    shop.app.renderer.redirects("/old", 302, "https://shop.example/new");
    let rule = domains::redirects::RedirectRule {
        source: "/rule".into(),
        destination: "/elsewhere".into(),
        status: 301,
        preserve_query: true,
    };
    shop.app.set(&shop.domain, |settings| settings.redirect_rules = vec![rule]).await;

    let missing = shop.get("https://shop.example/missing").await;
    let moved = shop.get("https://shop.example/old").await;
    let ruled = shop.get("https://shop.example/rule?a=b").await;

    missing.assert_status(404);
    assert_eq!(missing.text(), "<p>none</p>");
    moved.assert_status(302);
    assert_eq!(moved.header("location"), "https://shop.example/new");
    ruled.assert_status(301);
    assert_eq!(ruled.header("location"), "https://shop.example/elsewhere?a=b");
    for reply in [missing, moved, ruled] {
        assert_uncached(&reply);
    }
}

#[tokio::test]
async fn an_agent_that_asks_for_markdown_gets_it_and_a_policy_refuses() {
    let shop = Shop::new().await;
    let policy = json!({ "mode": "enforce", "rules": [{ "match": { "crawler": "gptbot" }, "action": "block", "text": "No." }] });
    let policy = serde_json::from_value(policy).expect("a policy");
    shop.app.set(&shop.domain, |settings| settings.crawler_policy = policy).await;
    let get = |agent| {
        let request = shop.app.get(&format!("/{PAGE}")).header("x-prerender-token", &shop.account.key);
        request.header("user-agent", agent)
    };

    let markdown = get("Claude-User (claude-code/2.1.92)").header("accept", "text/markdown, */*").await;
    let refused = get("GPTBot/1.2").await;

    markdown.assert_status(200);
    assert_eq!(markdown.header("content-type"), "text/markdown; charset=utf-8");
    assert_uncached(&markdown);
    assert_text(&refused, 403);
    assert_eq!((refused.text().as_str(), refused.header("x-service-policy")), ("No.", "block"));
}

#[tokio::test]
async fn a_stated_address_verifies_the_crawler_and_without_one_nobody_is_an_impostor() {
    let shop = Shop::new().await;
    let ranges = r#"{"feeds":{"https://openai.com/gptbot.json":{"updated":"2026-11-19","networks":["20.15.240.0/24"]}}}"#;
    let file = shop.app.state.platform.config.storage.data_dir.join("crawler-ranges.json");
    std::fs::write(file, ranges).expect("a folder of this test");
    let app = shop.app.second().await;
    app.state.start();
    let get = |path: &str| {
        let request = app.get(&format!("/https://shop.example{path}"));
        request.header("x-prerender-token", &shop.account.key).header("user-agent", "GPTBot/1.2")
    };

    get("/unknown").await.assert_status(200);
    get("/real").header("x-service-client-address", "20.15.240.7").await.assert_status(200);
    let impostor = get("/false").header("x-service-client-address", "8.8.8.8").await;

    app.state.recorder.flush().await;
    let rows = app.visits().await;
    let verified = |path| {
        let row = rows.iter().find(|row| row.path == path).expect("a visit");
        (row.served.as_str(), row.verified.as_str())
    };
    assert_eq!(verified("/unknown"), ("render", "unknown"));
    assert_eq!(verified("/real"), ("render", "yes"));
    assert_eq!(verified("/false"), ("origin", "no"));
    assert_eq!(impostor.text(), "the shell of /false");
    app.stop().await;
}

#[tokio::test]
async fn without_an_address_only_the_limits_of_domain_and_plan_hold() {
    let settings = "[limits]\nunverified_renders_per_client = 1\nunverified_renders_per_domain = 2";
    let shop = Shop::with(settings, Plan::Enterprise).await;
    let get = async |path: &str| shop.get(&format!("https://shop.example{path}")).await.text();

    let texts = [get("/a").await, get("/b").await, get("/c").await];

    assert!(!texts[0].starts_with("the shell") && !texts[1].starts_with("the shell"), "{texts:?}");
    assert_eq!(texts[2], "the shell of /c");
}

#[tokio::test]
async fn what_is_not_prerendered_is_relayed_from_the_origin_without_cookies() {
    let shop = Shop::new().await;
    shop.app.set(&shop.domain, |settings| settings.ignore_paths = "/account/**\n/account".into()).await;

    let ignored = shop.get("https://shop.example/account/orders?a=b%20c").await;
    let asset = shop.get("https://shop.example/gone.css").await;
    // A middleware behind a proxy that ends TLS.
    let moved = shop.get("http://shop.example/account/moved").await;
    let escaped = shop.get("https://shop.example/account?_escaped_fragment_=x").await;

    ignored.assert_status(200);
    assert_eq!(ignored.text(), "the shell of /account/orders?a=b%20c");
    assert_eq!(ignored.header("content-type"), "text/html");
    asset.assert_status(404);
    moved.assert_status(302);
    assert_eq!(moved.header("location"), "https://shop.example/account");
    assert_eq!(escaped.text(), "the shell of /account");
    for reply in [ignored, asset, moved, escaped] {
        assert_uncached(&reply);
    }
    let is_marked = shop.asked().into_iter().map(|(_, is_marked)| is_marked);
    assert_eq!(is_marked.collect::<Vec<_>>(), [true; 4]);
    assert_eq!(shop.app.renderer.requests().len(), 0);
}

#[tokio::test]
async fn the_origin_answers_while_on_demand_is_off_or_the_renders_are_used_up_and_nothing_is_stored() {
    let shop = Shop::with("[plans.essential]\nrenders_per_month = 1", Plan::Essential).await;
    shop.get("https://shop.example/a").await.assert_status(200);

    let used_up = shop.get("https://shop.example/b").await;
    shop.app.set(&shop.domain, |settings| settings.on_demand_render_enabled = false).await;
    let off = shop.get("https://shop.example/c").await;
    let stored = shop.get("https://shop.example/a").await;

    assert_eq!((used_up.text().as_str(), off.text().as_str()), ("the shell of /b", "the shell of /c"));
    assert_eq!(stored.header("x-service-render-cache"), "edge-hit");
    assert_eq!(shop.app.renderer.requests().len(), 1);
}

#[tokio::test]
async fn an_origin_that_is_away_or_sends_too_much_is_502() {
    let shop = Shop::with("[limits]\npage_bytes = 4096", Plan::Enterprise).await;
    shop.app.set(&shop.domain, |settings| settings.ignore_paths = "/account/**".into()).await;
    let other = shop.app.domain(&shop.account, "dead.example").await;
    shop.app.set(&other, |settings| settings.ignore_paths = "/*".into()).await;

    assert_text(&shop.get("https://shop.example/account/large").await, 502);
    assert_text(&shop.get("https://dead.example/a").await, 502);
}

#[tokio::test]
async fn a_failed_render_is_504_unless_the_page_is_stored() {
    let shop = Shop::new().await;
    shop.app.renderer.fails("/broken", RenderError::PageCrashed);
    shop.get(PAGE).await.assert_status(200);
    shop.app.renderer.fails("/shoes", RenderError::PageCrashed);
    shop.app.clock.advance(Duration::from_secs(31 * 24 * 3600));

    let failed = shop.get("https://shop.example/broken").await;
    let stale = shop.get(PAGE).await;

    assert_text(&failed, 504);
    stale.assert_status(200);
    assert!(shop.asked().is_empty());
}

#[tokio::test]
async fn a_relayed_request_that_comes_back_is_refused() {
    let shop = Shop::new().await;

    let reply = shop.get(PAGE).header("x-prerender", "1").await;

    assert_text(&reply, 502);
    assert!(shop.asked().is_empty());
}

#[tokio::test]
async fn refusals_are_plain_text_in_the_documented_order() {
    let shop = Shop::new().await;
    let stranger = shop.app.account("other@x.example", Plan::Enterprise).await;
    shop.app.domain(&stranger, "theirs.example").await;
    let scoped = shop.app.key(&shop.account.id, Some("other.example")).await;
    let get =
        |address: &str, token: &str| shop.app.get(&format!("/{address}")).header("x-prerender-token", token);

    assert_text(&shop.app.get(&format!("/{PAGE}")).await, 401);
    assert_text(&shop.app.get(&format!("/{PAGE}")).key(&shop.account.key).await, 401);
    assert_text(&get(PAGE, "gh_live_nonsense").await, 401);
    for address in [
        "https://theirs.example/",
        "https://nobodys.example/",
        "https://127.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "https://sub.shop.example/",
    ] {
        assert_text(&get(address, &shop.account.key).await, 403);
    }
    assert_text(&get(PAGE, &scoped).await, 403);
    for address in ["https://user:pw@shop.example/", "https:///", "http://"] {
        assert_text(&get(address, &shop.account.key).await, 400);
    }
    assert_text(&shop.at("/render").await, 400);
    shop.app.deactivate(&shop.account).await;
    tokio::time::sleep(Duration::from_millis(2100)).await;
    assert_text(&shop.get(PAGE).await, 402);
}

#[tokio::test]
async fn a_key_over_its_rate_is_429() {
    let shop = Shop::new().await;
    for _ in 0..600 {
        shop.get(PAGE).await.assert_status(200);
    }

    let over = shop.get(PAGE).await;

    assert_text(&over, 429);
    assert!(!over.header("retry-after").is_empty());
}

#[tokio::test]
async fn head_has_the_headers_and_no_body_and_other_methods_are_not_allowed() {
    let shop = Shop::new().await;
    let path = format!("/{PAGE}");
    let ask = |method| shop.app.request(method, &path).header("x-prerender-token", &shop.account.key);

    let head = ask(Method::HEAD).await;
    let post = ask(Method::POST).await;

    head.assert_status(200);
    assert_eq!(head.body.len(), 0);
    assert_uncached(&head);
    post.assert_status(405);
}
