//! Tests of failures while pages are rendered, and of renders whose job another process took over.

use super::*;

#[tokio::test]
async fn a_failed_render_keeps_what_is_stored_and_is_tried_again() {
    on_each_engine(async |shop| {
        shop.app.renderer.answers_html("/a", "<p>good</p>");
        shop.crawl("/a").await;
        shop.app.renderer.fails("/a", RenderError::OriginUnreachable("connection refused".into()));

        shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        shop.run_jobs().await;
        let meanwhile = shop.snapshot_html("/a").await;
        shop.app.renderer.answers_html("/a", "<p>better</p>");
        shop.run_jobs().await;

        assert_eq!(meanwhile, "<p>good</p>");
        assert_eq!(shop.snapshot_html("/a").await, "<p>better</p>");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_asks_to_be_spared_is_left_alone_for_so_long() {
    on_each_engine(async |shop| {
        shop.post_ok(PATHS, json!({ "paths": ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"] })).await;
        for path in ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"] {
            shop.web.set(path, 429, "");
            shop.app.renderer.answers_status(path, 429, "<p>slow down</p>");
        }
        shop.run_jobs().await;
        let refused = shop.all_renders();
        shop.app.clock.advance(Duration::from_secs(119));
        shop.run_jobs().await;
        let spared = shop.all_renders();
        for path in ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"] {
            shop.app.renderer.answers_html(path, "<p>well</p>");
        }
        shop.app.clock.advance(Duration::from_secs(2));
        shop.run_jobs().await;

        assert!((1..8).contains(&refused), "{refused}");
        assert_eq!(spared, refused);
        assert_eq!(shop.all_renders(), refused + 8);
        assert!(shop.app.state.jobs.list(None, 10).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_page_that_lost_its_text_is_replaced_only_when_a_second_render_a_minute_later_agrees() {
    on_each_engine(async |shop| {
        shop.app.renderer.answers_html("/a", &format!("<p>{}</p>", "many words ".repeat(100)));
        shop.crawl("/a").await;
        shop.app.renderer.answers_html("/a", "<p>few</p>");

        shop.post_ok(PAGE, json!({ "path": "/a" })).await;
        shop.run_jobs().await;
        let held_back = shop.crawl("/a").await.text();
        shop.app.clock.advance(Duration::from_secs(62));
        shop.run_jobs().await;
        let confirmed = shop.crawl("/a").await.text();

        assert!(held_back.contains("many words"));
        assert_eq!(confirmed, "<p>few</p>");
        assert_eq!(shop.renders("/a"), 3);
    })
    .await;
}

#[tokio::test]
async fn the_render_of_a_job_that_another_process_took_over_ends_with_its_tab_and_costs_nothing() {
    on_each_engine(async |shop| {
        let url = "https://shop.example/slow";
        shop.app.renderer.hangs(url);
        shop.post_ok(PAGE, json!({ "path": "/slow" })).await;
        let state = &shop.app.state;
        let settings = WorkerSettings { beat_every: Duration::from_millis(50), ..WorkerSettings::default() };
        let registry = state.refresh.register_renders(state.refresh.register(Registry::default()));
        let worker = Worker::new(state.jobs.clone(), registry, Vec::new(), settings);
        let shutdown = tokio_util::sync::CancellationToken::new();

        let taken_over = async {
            eventually("the render", async || shop.renders("/slow") == 1).await;
            const SQL: &str =
                "update jobs set worker_id = 'another', attempts = attempts + 1 where state = 'running'";
            let mut tx = state.platform.db.write().await.unwrap();
            store::on_engine!(tx, |c| sqlx::query(SQL).execute(c).await.map(drop)).unwrap();
            tx.commit().await.unwrap();
            eventually("the end of the tab", async || active(&shop).await == 0).await;
            shutdown.cancel();
        };
        tokio::join!(worker.run(shutdown.clone()), taken_over);

        // The page is free again, and the job is the other's.
        shop.app.renderer.release(url);
        assert_eq!(shop.crawl("/slow").await.header("x-service-render-cache"), "miss");
        let usage = shop.app.get("/api/usage").key(&shop.account.key).await.json();
        let limits = usage["limits"].as_array().cloned().unwrap();
        let renders = limits.iter().find(|limit| limit["name"] == "renders_per_month").unwrap();
        assert_eq!(renders["used"], 1);
        let left = state.jobs.list(Some(JobState::Running), 10).await.unwrap();
        assert_eq!(left.len(), 1);
    })
    .await;
}

async fn active(shop: &Shop) -> usize {
    browser::Renderer::health(&*shop.app.renderer).await.active
}
