//! Tests of the operations on stored pages in Prerender's interface.

use super::*;

impl Shop {
    /// Sends a body with the account's token.
    async fn send(&self, path: &str, mut body: Value) -> Reply {
        body["prerenderToken"] = json!(self.account.key);
        self.app.post(path).json(body).await
    }

    async fn is_stored(&self, path: &str) -> bool {
        let site = self.app.site(&self.domain).await;
        let page = url::Url::parse(&format!("https://shop.example{path}")).unwrap();
        self.app.state.render.stored_pages().stored_at(&site, &[page]).await.unwrap() != [None]
    }
}

#[track_caller]
fn assert_text(reply: &Reply, status: u16) {
    reply.assert_status(status);
    assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
}

#[tokio::test]
async fn recache_renders_one_or_several_addresses_again_as_the_page_refresh() {
    on_each_engine(async |shop| {
        shop.web.set("/gone", 404, "");
        shop.crawl("/a").await;

        let one = shop.send("/recache", json!({ "url": "https://shop.example/a" })).await;
        let several = json!({ "urls": ["http://shop.example/b?c=d", "https://shop.example/e%2Ff"] });
        let several = shop.send("/recache", several).await;
        let gone = shop.send("/recache", json!({ "url": "https://shop.example/gone" })).await;
        shop.run_jobs().await;

        one.assert(200, json!({ "ok": true, "prewarmed": 1 }));
        several.assert(200, json!({ "ok": true, "prewarmed": 2 }));
        gone.assert(200, json!({ "ok": false, "error": "path_not_reachable" }));
        assert_eq!((shop.renders("/a"), shop.renders("/b?c=d"), shop.renders("/e%2Ff")), (2, 1, 1));
    })
    .await;
}

#[tokio::test]
async fn a_foreign_address_refuses_all_and_a_request_has_at_most_a_thousand() {
    on_each_engine(async |shop| {
        let recache = async |urls: Vec<&str>| shop.send("/recache", json!({ "urls": urls })).await;

        let foreign = recache(vec!["https://shop.example/a", "https://theirs.example/"]).await;
        let most = recache(vec!["https://shop.example/a"; 1_000]).await;
        let more = recache(vec!["https://shop.example/a"; 1_001]).await;

        assert_text(&foreign, 403);
        most.assert(200, json!({ "ok": true, "prewarmed": 1 }));
        assert_text(&more, 400);
        assert_text(&recache(vec![]).await, 400);
        assert_text(&recache(vec!["shop.example/a"]).await, 400);
        shop.run_jobs().await;
        assert_eq!(shop.all_renders(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_sitemap_is_refreshed_as_the_site_refresh() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None), ("/b", None)]);

        let body = json!({ "sitemapUrl": "https://shop.example/sitemap.xml" });
        let refreshed = shop.send("/sitemap", body).await;
        let foreign =
            shop.send("/sitemap", json!({ "sitemapUrl": "https://theirs.example/sitemap.xml" })).await;
        shop.run_jobs().await;

        refreshed.assert(200, json!({ "ok": true, "accepted": true }));
        assert_eq!(shop.batch(&refreshed.json()["batchGroupId"]).await["done"], 2);
        assert_text(&foreign, 403);
    })
    .await;
}

#[tokio::test]
async fn cache_clear_deletes_an_address_byte_for_byte() {
    on_each_engine(async |shop| {
        for path in ["/a%2Fb", "/a/b", "/a%2Fb?c=d"] {
            shop.crawl(path).await;
        }

        let cleared = shop.send("/cache-clear", json!({ "query": "https://shop.example/a%2Fb" })).await;

        cleared.assert(200, json!({ "ok": true, "deleted": 1 }));
        assert!(!shop.is_stored("/a%2Fb").await);
        assert!(shop.is_stored("/a/b").await && shop.is_stored("/a%2Fb?c=d").await);
        let again = shop.crawl("/a%2Fb").await;
        assert_eq!(again.header("x-service-render-cache"), "miss");
    })
    .await;
}

#[tokio::test]
async fn cache_clear_deletes_what_a_pattern_matches_of_one_domain() {
    on_each_engine(async |shop| {
        let other = shop.app.domain(&shop.account, "app.host.example").await;
        shop.app.crawl(&shop.account, "https://app.host.example/shoes/red").await;
        for path in ["/shoes/red", "/shoes?size=42", "/boots"] {
            shop.crawl(path).await;
        }

        let cleared = shop.send("/cache-clear", json!({ "query": "https://www.shop.example/shoes%" })).await;
        let wide = shop.send("/cache-clear", json!({ "query": "https://%/shoes%" })).await;
        let foreign = shop.send("/cache-clear", json!({ "query": "https://theirs.example/%" })).await;

        cleared.assert(200, json!({ "ok": true, "deleted": 2 }));
        assert!(shop.is_stored("/boots").await);
        assert_text(&wide, 400);
        assert_text(&foreign, 403);
        let site = shop.app.site(&other).await;
        assert!(shop.app.state.render.stored_pages().has_any(&site).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn the_token_is_in_the_body_or_the_header_and_a_false_one_is_401() {
    on_each_engine(async |shop| {
        let key = &shop.account.key;
        let stranger = shop.app.account("other@else.example", Plan::Enterprise).await;
        let url = "https://shop.example/a";

        let post = async |token: Value| {
            shop.app.post("/recache").json(json!({ "prerenderToken": token, "url": url })).await
        };
        post(json!(key)).await.assert_status(200);
        for token in [json!("gh_live_nonsense"), json!(""), json!(7), Value::Null] {
            assert_text(&post(token).await, 401);
        }
        assert_text(&post(json!(stranger.key)).await, 403);
        let by_header = shop.app.post("/recache").header("x-prerender-token", key);
        by_header.json(json!({ "url": url })).await.assert_status(200);
        let by_api_key = shop.app.post("/recache").key(key).json(json!({ "url": url })).await;
        assert_text(&by_api_key, 401);
        let both = shop.app.post("/recache").header("x-prerender-token", &stranger.key);
        assert_text(&both.json(json!({ "prerenderToken": key, "url": url })).await, 401);
        // Before what is wrong with the body.
        assert_text(&shop.app.post("/recache").body("nonsense").await, 401);
        let malformed = shop.app.post("/recache").header("x-prerender-token", key).body("nonsense");
        assert_text(&malformed.await, 400);
    })
    .await;
}

#[tokio::test]
async fn a_form_is_read_whatever_its_type_says() {
    on_each_engine(async |shop| {
        let form = format!("prerenderToken={}&url=https%3A%2F%2Fshop.example%2Fa", shop.account.key);

        let request = shop.app.post("/recache").header("content-type", "application/json").body(form);

        request.await.assert(200, json!({ "ok": true, "prewarmed": 1 }));
    })
    .await;
}

#[tokio::test]
async fn the_operations_have_the_rate_of_refreshes_and_an_inactive_account_is_402() {
    on_each_engine(async |shop| {
        let clear = async || shop.send("/cache-clear", json!({ "query": "https://shop.example/a" })).await;
        for _ in 0..120 {
            clear().await.assert_status(200);
        }

        assert_text(&clear().await, 429);
        shop.app.clock.advance(Duration::from_secs(61));
        shop.app.deactivate(&shop.account).await;
        tokio::time::sleep(Duration::from_millis(2100)).await;
        assert_text(&clear().await, 402);
    })
    .await;
}
