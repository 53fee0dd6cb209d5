//! Removal of a domain: at once for requests, in the background for stored data.

use std::time::Duration;

use bytes::Bytes;
use crawler::testing::WebServer;
use domains::Domain;
use futures::StreamExt;
use http::{Request, Response};
use http_body_util::Full;
use platform::jobs::JobState;
use platform::plans::Plan;
use serde_json::json;
use store::on_engine;

use crate::testing::*;

const DOMAINS: &str = "/api/domains";
const SHOP: &str = "/api/domains/shop.example";

/// An account with a domain whose server has a page and a sitemap of two.
struct Shop {
    app: TestApp,
    account: TestAccount,
    domain: Domain,
}

async fn on_each_engine(test: impl AsyncFn(Shop)) {
    let server = WebServer::start(async |request: Request<_>| {
        let (status, body) = match request.uri().path() {
            "/" => (200, "a page"),
            "/sitemap.xml" => (
                200,
                "<urlset><url><loc>https://shop.example/a</loc></url><url><loc>https://shop.example/b</loc></url></urlset>",
            ),
            _ => (404, ""),
        };
        Response::builder().status(status).body(Full::from(Bytes::from_static(body.as_bytes()))).unwrap()
    })
    .await;
    let settings = format!(
        "[network]\nallow_private = [\"127.0.0.0/8\"]\nhosts = {{ \"shop.example\" = \"{}\" }}",
        server.address()
    );
    TestApp::on_each_engine_with(&settings, async |app| {
        let account = app.account("owner@shop.example", Plan::Business).await;
        let domain = app.domain(&account, "shop.example").await;
        test(Shop { app, account, domain }).await;
    })
    .await;
}

/// Counts the rows of the tables that belong to domain records.
async fn rows(app: &TestApp, domain: &Domain) -> Vec<i64> {
    let mut conn = app.state.platform.db.read().await.unwrap();
    let mut counts = Vec::new();
    for sql in [
        "select count(*) from domains where id = $1",
        "select count(*) from snapshots where domain_id = $1",
        "select count(*) from visit_paths p join visit_domains d on d.number = p.domain where d.domain_id = $1",
        "select count(*) from jobs where domain_id = $1",
        "select count(*) from job_batches where domain_id = $1",
    ] {
        let count: i64 =
            on_engine!(conn, |c| sqlx::query_scalar(sql).bind(domain.id.as_str()).fetch_one(c).await)
                .unwrap();
        counts.push(count);
    }
    counts
}

async fn execute(app: &TestApp, sql: &'static str) {
    let mut tx = app.state.platform.db.write().await.unwrap();
    on_engine!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
    tx.commit().await.unwrap();
}

async fn objects(app: &TestApp, domain: &Domain) -> usize {
    let prefix = format!("snapshots/{}/", domain.id);
    app.state.platform.blobs.list(&prefix).unwrap().count().await
}

/// Creates snapshots, visits, a batch and its jobs.
async fn fill(shop: &Shop) {
    let platform = &shop.app.state.platform;
    platform.tasks.spawn(shop.app.state.recorder.clone().run(platform.shutdown.clone()));
    for page in ["/", "/shoes"] {
        let url = format!("https://shop.example{page}");
        shop.app.crawl(&shop.account, &url).await.assert_status(200);
    }
    shop.app.state.recorder.flush().await;
    let body = json!({ "domain": "shop.example", "sitemapUrl": "https://shop.example/sitemap.xml" });
    let batch = shop.app.post("/api/prerender/cache/invalidate-site-cache").key(&shop.account.key).json(body);
    batch.await.assert(200, json!({ "ok": true }));
}

#[tokio::test]
async fn a_removed_domain_is_gone_at_once_and_what_was_stored_a_little_later() {
    on_each_engine(async |shop| {
        let (app, key) = (&shop.app, &shop.account.key);
        fill(&shop).await;
        assert_eq!(
            (rows(app, &shop.domain).await, objects(app, &shop.domain).await),
            (vec![1, 2, 2, 2, 1], 2)
        );

        app.delete(SHOP).key(key).await.assert(200, json!({ "deleted": true }));

        app.get(SHOP).key(key).await.assert_error(404, "not_found");
        app.delete(SHOP).key(key).await.assert_error(404, "not_found");
        app.get(DOMAINS).key(key).await.assert(200, json!({ "domains": [] }));
        app.crawl(&shop.account, "https://shop.example/").await.assert_error(403, "domain_not_owned");
        assert!(app.state.domains.find_for_edge("shop.example").await.unwrap().is_none());
        assert_eq!(app.state.domains.count(&shop.account.id).await.unwrap(), 0);
        app.state.worker().run_until_idle().await;
        assert_eq!((rows(app, &shop.domain).await, objects(app, &shop.domain).await), (vec![0; 5], 0));
    })
    .await;
}

#[tokio::test]
async fn root_files_submissions_and_links_of_a_removed_domain_are_deleted() {
    on_each_engine(async |shop| {
        let (app, key) = (&shop.app, &shop.account.key);
        let file = json!({ "path": "/llms.txt", "mode": "always", "source": "text", "body": "Shoes" });
        let put = app.request(http::Method::PUT, "/api/domains/shop.example/root-files").key(key);
        put.json(json!({ "files": [file] })).await.assert_status(200);
        app.patch("/api/domains/shop.example/indexnow")
            .key(key)
            .json(json!({ "enabled": true }))
            .await
            .assert_status(200);
        app.patch("/api/domains/shop.example/rendering")
            .key(key)
            .json(json!({ "notFound": { "compare": true } }))
            .await
            .assert_status(200);
        fill(&shop).await;
        // The row of a first submission.
        execute(
            app,
            "insert into indexnow (domain_id, submitted, failures, next_at) select id, 1, 0, 0 from domains",
        )
        .await;
        let counts = async || {
            let mut conn = app.state.platform.db.read().await.unwrap();
            let mut counts = Vec::new();
            for sql in [
                "select count(*) from root_files where domain_id = $1",
                "select count(*) from indexnow where domain_id = $1",
                "select count(*) from indexnow_pages where domain_id = $1",
                "select count(*) from impossible_pages where domain_id = $1",
                "select count(*) from snapshot_links where domain_id = $1",
            ] {
                let id = shop.domain.id.as_str();
                let count: i64 =
                    on_engine!(conn, |c| sqlx::query_scalar(sql).bind(id).fetch_one(c).await).unwrap();
                counts.push(count);
            }
            counts
        };
        assert_eq!(counts().await, [1, 1, 2, 1, 2]);

        app.delete(SHOP).key(key).await.assert_status(200);
        app.state.worker().run_until_idle().await;

        assert_eq!(counts().await, [0; 5]);
    })
    .await;
}

#[tokio::test]
async fn the_name_is_free_at_once_and_starts_empty() {
    on_each_engine(async |shop| {
        let (app, key) = (&shop.app, &shop.account.key);
        fill(&shop).await;
        app.delete(SHOP).key(key).await.assert_status(200);

        let again = app.domain(&shop.account, "shop.example").await;
        let page = app.crawl(&shop.account, "https://shop.example/").await;

        assert_eq!(page.header("x-service-render-cache"), "miss");
        app.state.recorder.flush().await;
        app.state.worker().run_until_idle().await;
        assert_ne!(again.id, shop.domain.id);
        assert_eq!((rows(app, &again).await, objects(app, &again).await), (vec![1, 1, 1, 0, 0], 1));
        assert_eq!(rows(app, &shop.domain).await, [0; 5]);
    })
    .await;
}

#[tokio::test]
async fn what_could_not_be_deleted_is_tried_again() {
    on_each_engine(async |shop| {
        let app = &shop.app;
        fill(&shop).await;
        app.state.domains.remove(&shop.domain).await.unwrap();
        execute(app, "alter table visit_totals rename to aside").await;

        app.state.worker().run_until_idle().await;
        let waiting = app.state.jobs.list(Some(JobState::Waiting), 10).await.unwrap();
        execute(app, "alter table aside rename to visit_totals").await;
        app.clock.advance(Duration::from_secs(3600));
        app.state.worker().run_until_idle().await;

        assert_eq!(waiting.iter().map(|job| &*job.kind).collect::<Vec<_>>(), ["RemoveDomain"]);
        assert_eq!((rows(app, &shop.domain).await, objects(app, &shop.domain).await), (vec![0; 5], 0));
    })
    .await;
}

#[tokio::test]
async fn a_page_that_was_stored_while_its_domain_was_removed_is_deleted_later() {
    on_each_engine(async |shop| {
        let app = &shop.app;
        app.state.domains.remove(&shop.domain).await.unwrap();
        app.state.worker().run_until_idle().await;
        let key = format!("snapshots/{}/late/page.html.zst", shop.domain.id);
        app.state.platform.blobs.put(&key, bytes::Bytes::from_static(b"late")).await.unwrap();

        app.clock.advance(Duration::from_secs(600));
        app.state.worker().run_until_idle().await;

        assert_eq!(objects(app, &shop.domain).await, 0);
        assert_eq!(app.state.jobs.list(None, 10).await.unwrap().len(), 0);
    })
    .await;
}

#[tokio::test]
async fn removing_frees_the_name_and_takes_what_belonged_to_it() {
    TestApp::on_each_engine(async |app| {
        let (one, two) = (
            app.account("a@x.example", Plan::Business).await,
            app.account("b@x.example", Plan::Business).await,
        );
        let domain = app.domain(&one, "shop.example").await;
        app.crawl(&one, "https://shop.example/").await.assert_status(200);

        assert!(app.state.domains.remove(&domain).await.expect("a database"));
        app.state.worker().run_until_idle().await;

        app.crawl(&one, "https://shop.example/").await.assert_error(403, "domain_not_owned");
        let again = app.domain(&two, "shop.example").await;
        assert_ne!(again.id, domain.id);
        assert_eq!(app.crawl(&two, "https://shop.example/").await.header("x-service-render-cache"), "miss");
        let left = app.state.platform.blobs.list(&format!("snapshots/{}/", domain.id)).expect("a prefix");
        assert_eq!(futures::StreamExt::count(left).await, 0);
    })
    .await;
}

#[tokio::test]
async fn jobs_of_a_removed_domain_go_with_it() {
    on_each_engine(async |shop| {
        let body = json!({ "domain": "shop.example", "sitemapUrl": "https://shop.example/sitemap.xml" });
        let path = "/api/prerender/cache/invalidate-site-cache";
        shop.app.post(path).key(&shop.account.key).json(body).await.assert(200, json!({ "ok": true }));

        shop.app.state.domains.remove(&shop.domain).await.unwrap();
        shop.app.state.worker().run_until_idle().await;

        assert_eq!(shop.app.renderer.requests().len(), 0);
        let left = shop.app.state.jobs.list(None, 10).await.unwrap();
        // A later run of the job is queued; it belongs to no domain.
        assert_eq!(left.iter().map(|job| job.kind.as_str()).collect::<Vec<_>>(), ["RemoveDomain"]);
    })
    .await;
}
