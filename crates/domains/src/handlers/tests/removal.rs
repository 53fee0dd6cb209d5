//! Removing a domain: at once for everybody who asks, in the background for what was stored.

use std::time::Duration;

use futures::StreamExt;
use serde_json::json;
use store::on_engine;

use super::*;
use platform::jobs::JobState;

/// Rows of the tables that belong to domain records.
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

/// Snapshots, visits, a batch and its jobs.
async fn fill(shop: &Shop) {
    let platform = &shop.app.state.platform;
    platform.tasks.spawn(shop.app.state.recorder.clone().run(platform.shutdown.clone()));
    for page in ["/", "/shoes"] {
        let url = format!("https://shop.example{page}");
        shop.app.crawl(&shop.account, &url).await.assert_status(200);
    }
    shop.app.state.recorder.flush().await;
    shop.web.set("/", 200, "a page");
    shop.web.sitemap("/sitemap.xml", &["https://shop.example/a", "https://shop.example/b"]);
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
