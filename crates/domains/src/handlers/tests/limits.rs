//! Rate limits: the limit that each request counts towards, over all processes.

use std::time::Duration;

use futures::future::join_all;
use serde_json::json;

use super::*;
use crate::service::Lock;

#[tokio::test]
async fn exactly_sixty_operations_pass_in_a_minute_on_all_processes_together() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let second = TestApp::on(app.state.platform.db.clone(), "").await;

        let first = app.get(DOMAINS).key(&account.key).await;
        let rest = (0..70).map(|number| if number % 2 == 0 { &app } else { &second });
        let replies = join_all(rest.map(|app| app.get(DOMAINS).key(&account.key).into_future())).await;

        assert_eq!(first.header("ratelimit"), "\"default\";r=59;t=60");
        assert_eq!(first.header("ratelimit-policy"), "\"default\";q=60;w=60");
        let passed = replies.iter().filter(|reply| reply.status == 200).count();
        assert_eq!(passed, 59);
        let over = app.get(DOMAINS).key(&account.key).await;
        over.assert_error(429, "rate_limited");
        assert_eq!(over.header("retry-after"), "60");
        assert_eq!(over.header("ratelimit"), "\"default\";r=0;t=60");
        app.clock.advance(Duration::from_secs(60));
        app.get(DOMAINS).key(&account.key).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn checks_and_sitemaps_that_are_read_share_six_a_minute() {
    on_each_engine(async |shop| {
        shop.web.sitemap("/sitemap.xml", &["https://shop.example/"]);
        let (app, key) = (&shop.app, &shop.account.key);
        for _ in 0..3 {
            app.post(CHECK).key(key).await.assert_status(200);
            app.patch(SITEMAP).key(key).await.assert_status(200);
        }

        let check = app.post(CHECK).key(key).await;
        let sitemap = app.patch(SITEMAP).key(key).await;

        check.assert_error(429, "rate_limited");
        assert_eq!(check.header("ratelimit-policy"), "\"default\";q=6;w=60");
        sitemap.assert_error(429, "rate_limited");
        assert_eq!(sitemap.header("ratelimit-policy"), "\"default\";q=6;w=60");
        app.get(SHOP).key(key).await.assert_status(200);
        let other = app.key(&shop.account.id, None).await;
        app.post(CHECK).key(&other).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_sitemap_call_that_reads_nothing_counts_with_the_other_operations() {
    on_each_engine(async |shop| {
        shop.web.sitemap("/sitemap.xml", &["https://shop.example/"]);
        let (app, key) = (&shop.app, &shop.account.key);
        let stored = json!({ "sitemapUrl": "https://shop.example/sitemap.xml" });
        app.patch(SITEMAP).key(key).json(&stored).await.assert_status(200);

        for _ in 0..10 {
            let same = app.patch(SITEMAP).key(key).json(&stored).await;
            same.assert_status(200);
            assert_eq!(same.header("ratelimit-policy"), "\"default\";q=60;w=60");
        }
        for body in [json!({ "sitemapUrl": "" }), json!({ "sitemapUrl": "", "refresh": true })] {
            app.patch(SITEMAP).key(key).json(body).await.assert_status(200);
        }
        let malformed = app.patch(SITEMAP).key(key).json(json!({ "sitemapUrl": "x" })).await;

        malformed.assert_error(400, "validation_error");
        assert_eq!(malformed.header("ratelimit"), "\"default\";r=47;t=60");
        for _ in 0..5 {
            app.post(CHECK).key(key).await.assert_status(200);
        }
        app.post(CHECK).key(key).await.assert_error(429, "rate_limited");
    })
    .await;
}

#[tokio::test]
async fn the_limit_comes_before_every_refusal_but_a_missing_key() {
    TestApp::on_each_engine(async |app| {
        let account = app.account("owner@shop.example", Plan::Essential).await;
        app.domain(&account, "shop.example").await;
        app.state.domains.set_suspended("shop.example", Lock::On).await.unwrap();
        app.deactivate(&account).await;
        for _ in 0..6 {
            app.post(CHECK).key(&account.key).await.assert_error(402, "subscription_required");
        }
        for _ in 0..60 {
            app.patch(SITEMAP).key(&account.key).body("{").await.assert_error(402, "subscription_required");
        }

        app.post(CHECK).key(&account.key).await.assert_error(429, "rate_limited");
        app.patch(SITEMAP).key(&account.key).body("{").await.assert_error(429, "rate_limited");
        app.patch(SETTINGS).key(&account.key).body("{").await.assert_error(429, "rate_limited");
        app.get(DOMAINS).await.assert_error(401, "invalid_api_key");
    })
    .await;
}

#[tokio::test]
async fn the_sessions_of_an_account_have_the_limits_of_one_key() {
    on_each_engine(async |shop| {
        shop.web.sitemap("/sitemap.xml", &["https://shop.example/"]);
        let app = &shop.app;
        let sessions = [app.sign_in(&shop.account).await, app.sign_in(&shop.account).await];
        let sitemap = "/api/dashboard/domains/shop.example/sitemap";

        for number in 0..6 {
            let read = app.patch(sitemap).session(&sessions[number % 2]).await;
            read.assert_status(200);
            assert_eq!(read.header("ratelimit-policy"), "\"default\";q=6;w=60");
        }

        app.patch(sitemap).session(&sessions[1]).await.assert_error(429, "rate_limited");
        let listed = app.get("/api/dashboard/domains").session(&sessions[0]).await;
        assert_eq!(listed.header("ratelimit-policy"), "\"default\";q=60;w=60");
        assert_eq!(listed.header("ratelimit"), "\"default\";r=59;t=60");
        let keys = app.get("/api/keys").session(&sessions[0]).await;
        assert_eq!(keys.header("ratelimit"), "\"default\";r=597;t=60", "each sign-in asked who is signed in");
    })
    .await;
}

#[tokio::test]
async fn all_keys_of_an_account_have_ten_keys_worth_together() {
    on_each_engine(async |shop| {
        shop.web.sitemap("/sitemap.xml", &["https://shop.example/"]);
        let app = &shop.app;
        let mut keys = vec![shop.account.key.clone()];
        for _ in 0..10 {
            keys.push(app.key(&shop.account.id, None).await);
        }

        for key in &keys[..10] {
            for _ in 0..6 {
                app.patch(SITEMAP).key(key).await.assert_status(200);
            }
        }

        let eleventh = app.patch(SITEMAP).key(&keys[10]).await;
        eleventh.assert_error(429, "rate_limited");
        assert_eq!(eleventh.header("ratelimit-policy"), "\"default\";q=60;w=60");
        app.get(SHOP).key(&keys[10]).await.assert_status(200);
    })
    .await;
}
