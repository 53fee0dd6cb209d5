//! Setting, reading and clearing the sitemap.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::testing::*;

const ADDRESS: &str = "https://shop.example/sitemap.xml";

async fn update(shop: &Shop, body: Value) -> Reply {
    // Not part of the test: at most six calls in a minute may read.
    shop.app.clock.advance(Duration::from_secs(60));
    shop.app.patch(SITEMAP).key(&shop.account.key).json(body).await
}

async fn update_without_body(shop: &Shop) -> Reply {
    shop.app.clock.advance(Duration::from_secs(60));
    shop.app.patch(SITEMAP).key(&shop.account.key).await
}

fn counted(address: &str, count: u64) -> Value {
    json!({ "sitemapUrl": address, "discoveredUrlCount": count })
}

#[tokio::test]
async fn a_new_address_is_read_and_stored_with_the_number_of_its_pages() {
    on_each_engine(async |shop| {
        let pages =
            ["https://shop.example/", "https://www.shop.example/a", "https://elsewhere.example/", "/b"];
        shop.web.sitemap("/sitemap.xml", &pages);

        let reply = update(&shop, json!({ "sitemapUrl": ADDRESS })).await;

        reply.assert(200, counted(ADDRESS, 2));
        let read = shop.app.get(SHOP).key(&shop.account.key).await;
        read.assert(200, counted(ADDRESS, 2));
        assert_eq!(reply.json(), read.json());
    })
    .await;
}

#[tokio::test]
async fn an_index_and_packed_files_are_read_and_a_sitemap_may_be_on_another_host() {
    on_each_engine(async |shop| {
        let entry = |file: &str| format!("<sitemap><loc>https://cdn.example/{file}</loc></sitemap>");
        let index = format!("<sitemapindex>{}{}</sitemapindex>", entry("one.xml.gz"), entry("gone.xml"));
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(b"<urlset><url><loc>https://shop.example/a</loc></url></urlset>").unwrap();
        shop.web.set("/index.xml", 200, index);
        shop.web.set("/one.xml.gz", 200, packed.finish().unwrap());

        let reply = update(&shop, json!({ "sitemapUrl": "https://cdn.example/index.xml" })).await;

        reply.assert(200, counted("https://cdn.example/index.xml", 1));
    })
    .await;
}

#[tokio::test]
async fn an_empty_request_reads_the_stored_address_again() {
    on_each_engine(async |shop| {
        shop.web.sitemap("/sitemap.xml", &["https://shop.example/"]);
        update(&shop, json!({ "sitemapUrl": ADDRESS })).await.assert(200, counted(ADDRESS, 1));

        for (pages, body) in [
            (2, None),
            (3, Some(json!({}))),
            (4, Some(json!({ "refresh": true }))),
            (5, Some(json!({ "sitemapUrl": ADDRESS, "refresh": true }))),
            (6, Some(json!({ "refresh": false }))),
            (7, Some(Value::Null)),
        ] {
            let urls: Vec<String> = (0..pages).map(|at| format!("https://shop.example/{at}")).collect();
            shop.web.sitemap("/sitemap.xml", &urls.iter().map(String::as_str).collect::<Vec<_>>());
            let reply = match body {
                None => update_without_body(&shop).await,
                Some(body) => update(&shop, body).await,
            };

            reply.assert(200, counted(ADDRESS, pages));
        }
    })
    .await;
}

#[tokio::test]
async fn the_stored_address_without_refresh_and_an_empty_one_read_nothing() {
    on_each_engine(async |shop| {
        shop.web.sitemap("/sitemap.xml", &["https://shop.example/"]);
        update(&shop, json!({ "sitemapUrl": ADDRESS })).await.assert_status(200);
        shop.web.set("/sitemap.xml", 500, "");
        let asked = shop.asked();

        update(&shop, json!({ "sitemapUrl": "HTTPS://Shop.Example/sitemap.xml" }))
            .await
            .assert(200, counted(ADDRESS, 1));
        update(&shop, json!({ "sitemapUrl": ADDRESS, "refresh": false }))
            .await
            .assert(200, counted(ADDRESS, 1));
        update(&shop, json!({ "sitemapUrl": "", "refresh": true })).await.assert(200, counted("", 0));
        update(&shop, json!({ "sitemapUrl": "" })).await.assert(200, counted("", 0));

        assert_eq!(shop.asked(), asked);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_read_is_not_stored() {
    on_each_engine(async |shop| {
        shop.web.sitemap("/sitemap.xml", &["https://shop.example/"]);
        update(&shop, json!({ "sitemapUrl": ADDRESS })).await.assert_status(200);
        shop.web.set("/page.html", 200, "<!doctype html><p>no sitemap");
        shop.web.set("/elsewhere.xml", 302, "http://127.0.0.2:1/sitemap.xml");
        let before = shop.app.get(SHOP).key(&shop.account.key).await.json();

        for (address, code) in [
            ("https://shop.example/gone.xml", "fetch_failed"),
            ("https://dead.example/sitemap.xml", "fetch_failed"),
            ("https://shop.example/elsewhere.xml", "fetch_failed"),
            ("http://10.0.0.1/sitemap.xml", "fetch_failed"),
            ("https://shop.example/page.html", "parse_failed"),
        ] {
            update(&shop, json!({ "sitemapUrl": address })).await.assert(400, json!({ "error": code }));
        }
        shop.web.set("/sitemap.xml", 200, "<urlset><url>");
        update_without_body(&shop).await.assert_error(400, "parse_failed");

        assert_eq!(shop.app.get(SHOP).key(&shop.account.key).await.json(), before);
    })
    .await;
}

#[tokio::test]
async fn an_address_that_is_none_is_a_schema_error() {
    on_each_engine(async |shop| {
        for (body, path) in [
            (json!({ "sitemapUrl": "sitemap.xml" }), "sitemapUrl"),
            (json!({ "sitemapUrl": " " }), "sitemapUrl"),
            (json!({ "sitemapUrl": "ftp://shop.example/sitemap.xml" }), "sitemapUrl"),
            (json!({ "sitemapUrl": null }), "sitemapUrl"),
            (json!({ "sitemapUrl": 1 }), "sitemapUrl"),
            (json!({ "refresh": "yes" }), "refresh"),
            (json!([]), ""),
        ] {
            let reply = update(&shop, body.clone()).await;

            assert_eq!(reply.status, 400, "{body}");
            reply.assert(400, json!({ "error": "validation_error", "issues": [{ "path": path }] }));
        }
        assert_eq!(shop.asked(), 0);
    })
    .await;
}

#[tokio::test]
async fn without_an_address_it_is_looked_for_where_sites_have_it() {
    on_each_engine(async |shop| {
        update_without_body(&shop).await.assert_error(400, "fetch_failed");
        shop.web.sitemap("/sitemap.xml", &["https://shop.example/"]);
        update_without_body(&shop).await.assert(200, counted(ADDRESS, 1));

        update(&shop, json!({ "sitemapUrl": "" })).await.assert_status(200);
        shop.web.set("/robots.txt", 200, "User-agent: *\nSitemap: /pages.xml");
        shop.web.sitemap("/pages.xml", &["https://shop.example/a", "https://shop.example/b"]);
        let named = update_without_body(&shop).await;

        named.assert(200, counted("https://shop.example/pages.xml", 2));
    })
    .await;
}

#[tokio::test]
async fn a_site_with_an_origin_host_is_read_there() {
    on_each_engine(async |shop| {
        shop.app.domain(&shop.account, "www.other.example").await;
        let path = "/api/domains/www.other.example";
        let key = &shop.account.key;
        let origin = json!({ "originHost": "app.host.example" });
        shop.app.patch(&format!("{path}/settings")).key(key).json(origin).await.assert_status(200);
        shop.web.sitemap("/sitemap.xml", &["https://other.example/", "https://www.other.example/a"]);

        let reply = shop.app.patch(&format!("{path}/sitemap")).key(key).await;

        reply.assert(200, counted("https://www.other.example/sitemap.xml", 2));
    })
    .await;
}

#[tokio::test]
async fn over_the_limits_the_rest_is_left_out() {
    on_each_engine_with("limits.sitemap_urls = 3", async |shop| {
        let urls: Vec<String> = (0..10).map(|at| format!("https://shop.example/{at}")).collect();
        shop.web.sitemap("/sitemap.xml", &urls.iter().map(String::as_str).collect::<Vec<_>>());

        update(&shop, json!({ "sitemapUrl": ADDRESS })).await.assert(200, counted(ADDRESS, 3));
    })
    .await;
}
