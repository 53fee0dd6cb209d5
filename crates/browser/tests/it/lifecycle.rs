//! Browsers that crash, hang, are missing or are shut down: renders are retried, and nothing is left behind.

use std::sync::Arc;
use std::time::Duration;

use browser::{RenderError, RenderRequest, Renderer};

use crate::origin::Reply;
use crate::support::{Bench, allows_sandboxes, eventually, group, renderers, request, signal};

#[tokio::test]
async fn a_render_is_retried_when_its_browser_ends() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();
    bench.origin.on("/slow", Reply::script("out.textContent = 'done'").after(Duration::from_millis(700)));
    let first = bench.pool.browser_pid().unwrap();
    let pool = bench.pool.clone();
    let render =
        tokio_util::task::TaskTracker::new().spawn(async move { pool.render(request("/slow")).await });
    eventually("the page is asked for", || bench.origin.count("/slow") > 0).await;

    signal(first, "KILL");

    let page = render.await.unwrap().unwrap();
    assert!(page.html.contains("done"));
    assert_ne!(bench.pool.browser_pid(), Some(first));
    eventually("nothing is left of the first browser", || group(first).is_empty()).await;
}

#[tokio::test]
async fn a_render_is_retried_when_its_renderer_process_ends() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();
    bench.origin.on("/slow", Reply::script("out.textContent = 'done'").after(Duration::from_millis(700)));
    let browser = bench.pool.browser_pid().unwrap();
    let pool = bench.pool.clone();
    let render =
        tokio_util::task::TaskTracker::new().spawn(async move { pool.render(request("/slow")).await });
    eventually("the page is asked for", || bench.origin.count("/slow") > 0).await;

    for pid in renderers(browser) {
        signal(pid, "KILL");
    }

    assert!(render.await.unwrap().unwrap().html.contains("done"));
    assert_eq!(bench.pool.browser_pid(), Some(browser));
}

#[tokio::test]
async fn a_browser_that_hangs_is_replaced() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();
    let first = bench.pool.browser_pid().unwrap();

    signal(first, "STOP");

    let page = bench.render_reply(Reply::script("out.textContent = 'done'")).await.unwrap();
    assert!(page.html.contains("done"));
    eventually("nothing is left of the first browser", || group(first).is_empty()).await;
}

#[tokio::test]
async fn a_render_ends_at_its_deadline_however_many_browsers_hang() {
    let bench = Bench::new().await;
    bench.origin.on("/page", Reply::script("").after(Duration::from_secs(60)));
    let limit = Duration::from_secs(2);
    let render = bench.pool.render(RenderRequest { timeout: limit, ..request("/page") });
    tokio::pin!(render);

    // The limit, the time for waiting and retries, and as much again for a loaded machine.
    let deadline = tokio::time::Instant::now() + 2 * (limit + Duration::from_secs(20));
    let ended = loop {
        if let Some(browser) = bench.pool.browser_pid() {
            let _ = std::process::Command::new("sh").args(["-c", &format!("kill -STOP {browser}")]).output();
        }
        tokio::select! {
            ended = &mut render => break ended,
            () = tokio::time::sleep(Duration::from_millis(50)) => {
                assert!(tokio::time::Instant::now() < deadline, "the render does not end");
            }
        }
    };

    let error = ended.unwrap_err();
    assert!(matches!(error, RenderError::NoBrowser(_) | RenderError::Timeout(_)), "{error:?}");
}

#[tokio::test]
async fn no_process_and_no_file_is_left_after_shutdown() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();
    let browser = bench.pool.browser_pid().unwrap();

    bench.pool.shutdown().await;

    assert_eq!(group(browser), Vec::<u32>::new());
    let left: Vec<_> =
        std::fs::read_dir(bench.profiles()).unwrap().flatten().map(|entry| entry.path()).collect();
    assert_eq!(left, Vec::<std::path::PathBuf>::new());
    assert!(matches!(bench.render("/page").await, Err(RenderError::ShuttingDown)));
}

#[tokio::test]
async fn a_pool_that_is_dropped_ends_its_browser() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();
    let browser = bench.pool.browser_pid().unwrap();

    drop(bench);

    eventually("nothing is left of the browser", || group(browser).is_empty()).await;
}

#[tokio::test]
async fn without_a_browser_health_says_what_is_missing_and_renders_fail() {
    let bench = Bench::with(|config| config.binary = Some("/nowhere/chromium".into())).await;

    let (health, answer) = (bench.pool.health().await, bench.render("/page").await);

    assert!(!health.usable);
    assert!(health.problem.unwrap().contains("/nowhere/chromium"));
    assert!(matches!(answer, Err(RenderError::NoBrowser(_))), "{answer:?}");
}

#[tokio::test]
async fn a_program_that_is_no_browser_is_reported() {
    let bench = Bench::with(|config| config.binary = Some("/bin/false".into())).await;

    let health = bench.pool.health().await;

    assert!(!health.usable && health.problem.is_some());
}

#[tokio::test]
async fn health_reports_confinement_and_frames() {
    let bench = Bench::new().await;

    let health = bench.pool.health().await;

    assert!(health.usable && health.confined && health.frames_on_demand, "{health:?}");
    assert!(health.version.unwrap().contains("Chrome/"));
    assert_eq!(health.active, 0);
    assert_eq!(health.problem.is_none(), allows_sandboxes(), "{:?}", health.problem);
}

#[tokio::test]
async fn a_full_browser_works_with_continuous_frames() {
    let bench = Bench::with(|config| config.binary = Some("/usr/bin/chromium".into())).await;

    let page = bench
        .render_reply(Reply::script("requestAnimationFrame(() => { out.textContent = 'framed' })"))
        .await
        .unwrap();

    assert!(page.html.contains("framed"));
    assert!(!bench.pool.health().await.frames_on_demand);
}

#[tokio::test]
async fn a_slot_is_released_when_the_tab_is_clean_or_the_render_is_cancelled() {
    let bench = Bench::new().await;
    bench.origin.on("/page", Reply::script(""));
    bench.origin.on("/hang", Reply::script("").after(Duration::from_secs(600)));
    let slot = Arc::new(());
    let with_slot = |path: &str| RenderRequest { slot: Some(slot.clone()), ..request(path) };

    let page = bench.pool.render(with_slot("/page")).await;
    eventually("the tab is clean", || Arc::strong_count(&slot) == 1).await;
    let cancelled =
        tokio::time::timeout(Duration::from_millis(300), bench.pool.render(with_slot("/hang"))).await;

    assert!(page.is_ok() && cancelled.is_err());
    eventually("the cancelled page is closed", || Arc::strong_count(&slot) == 1).await;
}

#[tokio::test]
async fn many_concurrent_renders_return_their_own_pages() {
    let bench = Bench::with(|config| config.concurrency = 4).await;
    for n in 0..40 {
        bench.origin.on(
            &format!("/p{n}"),
            Reply::script(&format!("setTimeout(() => {{ out.textContent = 'page number {n}.' }}, 30)")),
        );
    }
    let bench = Arc::new(bench);

    let renders = (0..40).map(|n| {
        let bench = bench.clone();
        async move {
            (
                n,
                bench
                    .render_in_slot(RenderRequest {
                        tenant: format!("t{}", n % 3),
                        ..request(&format!("/p{n}"))
                    })
                    .await,
            )
        }
    });

    for (n, page) in futures::future::join_all(renders).await {
        assert!(page.unwrap().html.contains(&format!("page number {n}.")));
    }
}
