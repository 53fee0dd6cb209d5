//! Refreshing a whole site, or what is newer than its snapshot: sitemaps and batches.

use super::*;
use crate::jobs::TellBatch;
use webhooks::testing::HeardEvents;

#[tokio::test]
async fn a_site_is_refreshed_page_by_page_and_its_batch_tells_how_far_it_is() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/", None), ("/a", None), ("/b", None), ("/c.pdf", None)]);
        shop.app.renderer.answers_status("/b", 404, "<p>gone</p>");
        shop.app.renderer.fails("/a", RenderError::NotAPage("application/zip".into()));

        let response = shop.post_ok(SITE, json!({})).await;
        let before = shop.batch(&response["batchGroupId"]).await;
        shop.run_jobs().await;
        let after = shop.batch(&response["batchGroupId"]).await;

        assert_eq!((response["ok"].as_bool(), response["accepted"].as_bool()), (Some(true), Some(true)));
        assert_eq!(before["total"], 3);
        assert_eq!(
            (&before["done"], &before["startedAt"], &before["completedAt"]),
            (&json!(0), &Value::Null, &Value::Null)
        );
        assert_eq!(
            (&after["total"], &after["done"], &after["failed"], &after["running"]),
            (&json!(3), &json!(2), &json!(1), &json!(0))
        );
        assert_eq!((&after["startedAt"], &after["completedAt"]), (&json!(NOON), &json!(NOON)));
        assert_eq!(after["failures"][0]["url"], "https://shop.example/a");
        let usage = shop.app.get("/api/usage").key(&shop.account.key).await.json();
        let renders =
            usage["limits"].as_array().unwrap().iter().find(|entry| entry["name"] == "renders_per_month");
        assert_eq!(renders.unwrap()["used"], 2, "a render that failed is not counted");
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_shown_to_its_account_only() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        let other = shop.app.account("other@else.example", Plan::Enterprise).await;
        shop.app.domain(&shop.account, "second.example").await;
        let scoped = shop.app.key(&shop.account.id, Some("second.example")).await;
        let id = shop.post_ok(SITE, json!({})).await["batchGroupId"].as_str().unwrap().to_owned();
        let path = format!("/api/prerender/batches/{id}");

        shop.app.get(&path).key(&other.key).await.assert_error(404, "not_found");
        shop.app.get(&path).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        shop.app
            .get("/api/prerender/batches/nothing")
            .key(&shop.account.key)
            .await
            .assert_error(404, "not_found");
        let session = shop.app.sign_in(&shop.account).await;
        shop.app.get(&path).session(&session).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_refresh_renders_nothing_more_and_counts_the_rest_as_failed() {
    on_each_engine(async |shop| {
        let pages: Vec<String> = (0..150).map(|n| format!("/p{n}")).collect();
        let pages: Vec<(&str, Option<&str>)> = pages.iter().map(|path| (path.as_str(), None)).collect();
        shop.web.sitemap(&pages);
        let large = shop.post_ok(SITE, json!({})).await;
        shop.web.sitemap(&[("/a", None), ("/b", None)]);
        let small = shop.post_ok(UPDATED, json!({})).await;
        let cancel = async |batch: &Value| {
            let path = format!("/api/prerender/batches/{}/cancel", batch["batchGroupId"].as_str().unwrap());
            shop.app.post(&path).key(&shop.account.key).await.json()
        };

        let first = [cancel(&large).await, cancel(&small).await];
        shop.run_jobs().await;
        let list = shop.app.get("/api/prerender/batches?domain=shop.example").key(&shop.account.key).await;

        assert_eq!(first, [json!({ "ok": true }), json!({ "ok": true })]);
        assert_eq!(shop.all_renders(), 0);
        list.assert(
            200,
            json!({ "batches": [
                { "batchGroupId": small["batchGroupId"], "selection": "updated", "total": 2, "failed": 2, "done": 0 },
                { "batchGroupId": large["batchGroupId"], "selection": "every", "total": 150, "failed": 150,
                    "completedAt": NOON, "error": "it was cancelled" },
            ] }),
        );
        assert_eq!(cancel(&large).await, json!({ "ok": false }), "it is over");
    })
    .await;
}

#[tokio::test]
async fn refreshes_are_listed_and_stopped_by_their_account_only() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        let other = shop.app.account("other@else.example", Plan::Enterprise).await;
        let id = shop.post_ok(SITE, json!({})).await["batchGroupId"].as_str().unwrap().to_owned();
        let cancel = format!("/api/prerender/batches/{id}/cancel");
        let list = "/api/prerender/batches?domain=shop.example";

        shop.app.post(&cancel).key(&other.key).await.assert_error(404, "not_found");
        shop.app.get(list).key(&other.key).await.assert_error(403, "domain_not_owned");
        shop.app.get("/api/prerender/batches").key(&other.key).await.assert_error(400, "invalid_request");
        shop.run_jobs().await;

        assert_eq!(shop.all_renders(), 1, "nobody stopped it");
    })
    .await;
}

#[tokio::test]
async fn the_batch_of_a_removed_domain_is_shown_to_account_wide_keys_only() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        let scoped = shop.app.key(&shop.account.id, Some("shop.example")).await;
        let id = shop.post_ok(SITE, json!({})).await["batchGroupId"].as_str().unwrap().to_owned();
        let path = format!("/api/prerender/batches/{id}");
        shop.app.get(&path).key(&scoped).await.assert_status(200);

        assert!(shop.app.state.domains.remove(&shop.domain).await.unwrap());

        shop.app.get(&path).key(&scoped).await.assert_error(403, "api_key_domain_scope_mismatch");
        shop.app.get(&path).key(&shop.account.key).await.assert_status(200);
    })
    .await;
}

#[tokio::test]
async fn an_unusable_sitemap_is_told_with_its_code() {
    on_each_engine(async |shop| {
        shop.web.set("/missing.xml", 404, "");
        shop.web.set("/page.xml", 200, "<html><body>Hello</body></html>");
        let site = async |sitemap: &str| {
            let body = json!({ "sitemapUrl": format!("https://shop.example{sitemap}") });
            let (every, updated) =
                (shop.post_ok(SITE, body.clone()).await, shop.post_ok(UPDATED, body).await);
            assert_eq!(every, updated);
            every
        };

        let (missing, broken) = (site("/missing.xml").await, site("/page.xml").await);
        shop.app.set(&shop.domain, |settings| settings.sitemap_url = String::new()).await;
        let none = shop.post_ok(SITE, json!({})).await;

        let nothing = |code| json!({ "ok": false, "error": code, "accepted": false, "batchGroupId": "" });
        assert_eq!(
            (missing, broken, none),
            (nothing("fetch_failed"), nothing("parse_failed"), nothing("no_sitemap"))
        );
    })
    .await;
}

#[tokio::test]
async fn the_sitemap_is_read_from_the_origin_host() {
    on_each_engine(async |shop| {
        let second = shop.app.domain(&shop.account, "nowhere.example").await;
        shop.app
            .set(&second, |settings| {
                settings.origin_host = "app.host.example".parse().ok();
                settings.sitemap_url = "https://nowhere.example/second.xml".into();
            })
            .await;
        shop.web.set("/second.xml", 200, "<urlset><url><loc>https://nowhere.example/a</loc></url></urlset>");

        let response = shop.post(SITE, json!({ "domain": "nowhere.example" })).await.json();
        shop.run_jobs().await;

        assert_eq!(response["accepted"], true);
        assert_eq!(shop.app.renderer.renders("https://nowhere.example/a"), 1);
    })
    .await;
}

#[tokio::test]
async fn updated_paths_are_the_newer_the_never_stored_and_the_undated() {
    on_each_engine(async |shop| {
        for path in ["/older", "/newer", "/undated"] {
            shop.crawl(path).await;
        }
        shop.app.clock.advance(DAY);
        let (before, after) = ("2026-11-20T11:59:59Z", "2026-11-20T12:00:01Z");
        let all =
            [("/older", Some(before)), ("/newer", Some(after)), ("/undated", None), ("/never", Some(before))];
        shop.web.sitemap(&all);

        let response = shop.post_ok(UPDATED, json!({})).await;
        shop.run_jobs().await;

        let batch = shop.batch(&response["batchGroupId"]).await;
        assert_eq!((&batch["total"], &batch["done"]), (&json!(3), &json!(3)));
        let renders = ["/older", "/newer", "/undated", "/never"].map(|path| shop.renders(path));
        assert_eq!(renders, [1, 2, 2, 1]);
    })
    .await;
}

#[tokio::test]
async fn nothing_newer_is_told_so() {
    on_each_engine(async |shop| {
        shop.crawl("/a").await;
        shop.web.sitemap(&[("/a", Some("2020-01-01"))]);

        let response = shop.post_ok(UPDATED, json!({})).await;

        let expected =
            json!({ "ok": false, "error": "no_updated_paths", "accepted": false, "batchGroupId": "" });
        assert_eq!(response, expected);
    })
    .await;
}

#[tokio::test]
async fn a_large_site_is_fed_part_by_part_and_every_page_is_rendered_once() {
    on_each_engine(async |shop| {
        let paths: Vec<String> = (0..130).map(|n| format!("/p/{n}")).collect();
        let pages: Vec<_> = paths.iter().map(|path| (path.as_str(), None)).collect();
        shop.web.sitemap(&pages);

        let response = shop.post_ok(SITE, json!({})).await;
        let waiting = shop.app.state.jobs.list(None, 10_000).await.unwrap().len();
        let mut batch = Value::Null;
        for _ in 0..40 {
            shop.run_jobs().await;
            shop.app.clock.advance(Duration::from_secs(2));
            batch = shop.batch(&response["batchGroupId"]).await;
            if !batch["completedAt"].is_null() {
                break;
            }
        }

        assert_eq!(waiting, 1);
        assert_eq!(
            (&batch["total"], &batch["done"], &batch["failed"]),
            (&json!(130), &json!(130), &json!(0))
        );
        assert_eq!(shop.all_renders(), 130);
    })
    .await;
}

#[tokio::test]
async fn a_sitemap_that_takes_longer_than_five_seconds_is_read_in_the_background() {
    let web = WebServer::start(async |request: Request<_>| {
        if request.uri().path() == "/sitemap.xml" {
            tokio::time::sleep(Duration::from_millis(5_500)).await;
            return Response::new(Full::from(
                "<urlset><url><loc>https://shop.example/a</loc></url></urlset>",
            ));
        }
        Response::new(Full::from("<p>a page</p>"))
    })
    .await;
    let settings = format!(
        "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"shop.example\" = \"{}\" }}",
        web.address()
    );
    let app = TestApp::with(&settings).await;
    let account = app.account("owner@shop.example", Plan::Enterprise).await;
    let domain = app.domain(&account, "shop.example").await;
    app.set(&domain, |settings| settings.sitemap_url = "https://shop.example/sitemap.xml".into()).await;

    let body = json!({ "domain": "shop.example" });
    let response = app.post(SITE).key(&account.key).json(&body).await.json();
    let path = format!("/api/prerender/batches/{}", response["batchGroupId"].as_str().unwrap());
    let before = app.get(&path).key(&account.key).await.json();
    app.state.worker().run_until_idle().await;
    let after = app.get(&path).key(&account.key).await.json();

    assert_eq!((&before["total"], &before["completedAt"]), (&json!(0), &Value::Null));
    assert_eq!((&after["total"], &after["done"]), (&json!(1), &json!(1)));
    assert!(!after["completedAt"].is_null());
}

#[tokio::test]
async fn a_second_refresh_of_the_whole_site_joins_the_first() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None), ("/b", None)]);

        let first = shop.post_ok(SITE, json!({})).await;
        let second = shop.post_ok(SITE, json!({})).await;
        shop.run_jobs().await;
        let third = shop.post_ok(SITE, json!({})).await;

        assert_eq!(first["batchGroupId"], second["batchGroupId"]);
        assert_ne!(first["batchGroupId"], third["batchGroupId"]);
        assert_eq!(shop.batch(&first["batchGroupId"]).await["total"], json!(2));
    })
    .await;
}

#[tokio::test]
async fn a_domain_has_at_most_ten_refreshes_in_progress() {
    on_each_engine(async |shop| {
        shop.web.sitemap(&[("/a", None)]);
        for _ in 0..10 {
            shop.post_ok(UPDATED, json!({})).await;
        }

        let refused = shop.post(UPDATED, json!({ "domain": "shop.example" })).await;

        refused.assert_status(429);
        assert_eq!(refused.json()["error"], "rate_limited");
        assert_eq!(refused.header("retry-after"), "60");
        shop.run_jobs().await;
        shop.post_ok(UPDATED, json!({})).await;
    })
    .await;
}

#[tokio::test]
async fn a_large_batch_whose_domain_is_suspended_half_way_is_complete_and_adds_up() {
    on_each_engine(async |shop| {
        let paths: Vec<String> = (0..130).map(|n| format!("/p/{n}")).collect();
        let pages: Vec<_> = paths.iter().map(|path| (path.as_str(), None)).collect();
        shop.web.sitemap(&pages);
        let reply = shop.post_ok(SITE, json!({})).await;
        shop.run_jobs().await;

        shop.app.state.domains.set_suspended("shop.example", domains::service::Lock::On).await.unwrap();
        for _ in 0..5 {
            shop.app.clock.advance(Duration::from_secs(2));
            shop.run_jobs().await;
        }

        let batch = shop.batch(&reply["batchGroupId"]).await;
        let sum = batch["done"].as_u64().unwrap() + batch["failed"].as_u64().unwrap();
        assert_eq!((&batch["total"], sum, batch["completedAt"].is_null()), (&json!(130), 130, false));
    })
    .await;
}

#[tokio::test]
async fn webhooks_are_told_once_that_a_batch_is_over() {
    on_each_engine(async |shop| {
        let state = &shop.app.state;
        let heard =
            HeardEvents::of(state.platform(), &state.jobs, &shop.account.id, &["batch.finished"]).await;
        shop.web.sitemap(&[("/a", None), ("/b", None)]);

        shop.post_ok(SITE, json!({})).await;
        let before = heard.list().await;
        shop.run_jobs().await;
        shop.run_jobs().await;

        assert!(before.is_empty());
        assert_eq!(heard.list().await, [("batch.finished".to_owned(), "shop.example".to_owned())]);
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_told_once_although_the_process_dies_before_its_job_is_over() {
    on_each_engine(async |shop| {
        let state = &shop.app.state;
        let heard =
            HeardEvents::of(state.platform(), &state.jobs, &shop.account.id, &["batch.finished"]).await;
        shop.web.sitemap(&[("/a", None)]);
        let batch = shop.post_ok(SITE, json!({})).await["batchGroupId"].as_str().unwrap().to_owned();
        shop.run_jobs().await;

        // The event is committed and the job is not: another process runs it again.
        let mut tx = state.platform().db.write().await.unwrap();
        state.jobs.enqueue(&mut tx, vec![TellBatch::job(&batch.into())]).await.unwrap();
        tx.commit().await.unwrap();
        shop.run_jobs().await;

        assert_eq!(heard.list().await.len(), 1);
    })
    .await;
}
