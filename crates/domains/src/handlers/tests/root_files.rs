//! Tests of files at the root and of IndexNow's switch, over HTTP on both databases.

use serde_json::{Value, json};

use super::*;
use crate::DomainStatus;

const FILES: &str = "/api/domains/shop.example/root-files";
const INDEXNOW: &str = "/api/domains/shop.example/indexnow";

fn llms(body: &str) -> Value {
    json!({ "path": "/llms.txt", "mode": "fallback", "source": "text", "body": body })
}

async fn put(app: &TestApp, key: &str, body: &Value) -> Reply {
    app.request(http::Method::PUT, FILES).key(key).json(body).await
}

#[tokio::test]
async fn a_new_domain_has_robots_and_sitemap_where_its_server_has_none() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;

        let reply = app.get(FILES).key(&account.key).await;

        let file = |path: &str, source: &str, content_type: &str| {
            json!({ "path": path, "mode": "fallback", "source": source, "contentType": content_type, "body": null })
        };
        let robots = file("/robots.txt", "robots", "text/plain; charset=utf-8");
        let sitemap = file("/sitemap.xml", "sitemap", "application/xml; charset=utf-8");
        reply.assert(200, json!({ "files": [robots, sitemap] }));
    })
    .await;
}

#[tokio::test]
async fn what_is_put_replaces_all_files_and_is_read_back() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;

        let reply = put(&app, &account.key, &json!({ "files": [llms("# Shop")] })).await;

        let mut expected = llms("# Shop");
        expected["contentType"] = json!("text/plain; charset=utf-8");
        reply.assert(200, json!({ "files": [expected] }));
        let read = app.get(FILES).key(&account.key).await;
        read.assert(200, json!({ "files": [expected] }));
        put(&app, &account.key, &read.json()).await.assert_status(200);
        put(&app, &account.key, &json!({ "files": [] })).await.assert(200, json!({ "files": [] }));
    })
    .await;
}

#[tokio::test]
async fn twenty_files_of_half_a_mebibyte_are_taken_and_a_bad_one_is_named() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Essential).await;
    app.domain(&account, "shop.example").await;
    let file = |n: usize, bytes: usize| json!({ "path": format!("/{n}.txt"), "mode": "always", "source": "text", "body": "x".repeat(bytes) });
    let files = |bytes: usize| json!({ "files": (0..20).map(|n| file(n, bytes)).collect::<Vec<_>>() });

    put(&app, &account.key, &files(512 * 1024)).await.assert_status(200);
    let twice = put(&app, &account.key, &json!({ "files": [llms("a"), llms("b")] })).await;
    let unknown =
        put(&app, &account.key, &json!({ "files": [{ "path": "/a.txt", "mode": "now", "source": "text" }] }))
            .await;
    let long = put(&app, &account.key, &files(700 * 1024)).await;

    twice.assert(400, json!({ "error": "validation_error", "issues": [{ "path": "files.1.path" }] }));
    unknown.assert(400, json!({ "error": "validation_error", "issues": [{ "path": "files.0.mode" }] }));
    long.assert_error(413, "payload_too_large");
}

#[tokio::test]
async fn files_and_indexnow_of_another_account_are_not_found_and_a_suspended_domain_is_not_changed() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Essential).await;
    app.domain(&account, "shop.example").await;
    let stranger = app.account("other@x.example", Plan::Enterprise).await;

    for path in [FILES, INDEXNOW] {
        app.get(path).key(&stranger.key).await.assert_error(404, "not_found");
    }
    put(&app, &stranger.key, &json!({ "files": [] })).await.assert_error(404, "not_found");
    app.state.domains.set_suspended("shop.example", crate::service::Lock::On).await.expect("a database");
    put(&app, &account.key, &json!({ "files": [] })).await.assert_error(403, "domain_suspended");
    let change = json!({ "enabled": true });
    app.patch(INDEXNOW).key(&account.key).json(change).await.assert_error(403, "domain_suspended");
}

#[tokio::test]
async fn indexnow_is_off_at_first_and_its_key_stays_the_same() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;

        let off = app.get(INDEXNOW).key(&account.key).await;
        let on = app.patch(INDEXNOW).key(&account.key).json(json!({ "enabled": true })).await;

        let key = off.json()["key"].as_str().expect("a key").to_owned();
        assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
        let expected = json!({
            "enabled": false, "key": key, "keyLocation": format!("https://shop.example/{key}.txt"), "pending": 0,
            "submitted": 0, "lastStatus": null, "lastSubmittedAt": null, "problem": null
        });
        off.assert(200, expected);
        on.assert(200, json!({ "enabled": true, "key": key, "problem": null }));
        app.get(INDEXNOW).key(&account.key).await.assert(200, json!({ "enabled": true, "key": key }));
    })
    .await;
}

#[tokio::test]
async fn a_domain_via_api_is_told_where_to_put_the_key() {
    let app = TestApp::new().await;
    let account = app.account("owner@shop.example", Plan::Essential).await;
    app.domain_with_status(&account, "shop.example", DomainStatus::ViaApi).await;

    let off = app.get(INDEXNOW).key(&account.key).await;
    let on = app.patch(INDEXNOW).key(&account.key).json(json!({ "enabled": true })).await.json();

    assert_eq!(off.json()["problem"], Value::Null);
    let problem = on["problem"].as_str().expect("a problem");
    assert!(problem.contains(on["keyLocation"].as_str().expect("an address")), "{problem}");
}
