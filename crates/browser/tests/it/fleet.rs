//! Several browsers: their number, their distribution, and retries when browsers and tabs are killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use browser::{BrowserConfig, RenderError, RenderRequest, Renderer};
use futures::future::join_all;
use tokio_util::task::TaskTracker;

use crate::origin::Reply;
use crate::support::{Bench, eventually, group, renderers, request, signal};

/// Sets the configuration of sixteen pages in two browsers.
fn sixteen_pages(config: &mut BrowserConfig) {
    (config.concurrency, config.concurrency_floor) = (16, 16);
}

/// Makes the request of a page that shows its number after `wait_ms`.
fn numbered(bench: &Bench, number: usize, wait_ms: u64) -> RenderRequest {
    let path = format!("/numbered/{number}");
    let script = format!("setTimeout(() => {{ out.textContent = 'page number {number}.' }}, {wait_ms})");
    bench.origin.on(&path, Reply::script(&script));
    RenderRequest { tenant: format!("t{}", number % 3), ..request(&path) }
}

#[tokio::test]
async fn sixteen_pages_at_once_share_two_browsers() {
    let bench = Bench::with(sixteen_pages).await;
    eventually("two browsers run", || bench.pool.browser_pids().len() == 2).await;
    let requests: Vec<RenderRequest> = (0..16).map(|number| numbered(&bench, number, 400)).collect();

    let pages = join_all(requests.into_iter().map(|request| bench.pool.render(request))).await;

    for (number, page) in pages.into_iter().enumerate() {
        assert!(page.unwrap().html.contains(&format!("page number {number}.")));
    }
    for browser in bench.pool.browser_pids() {
        assert!(!renderers(browser).is_empty(), "a browser had no page");
    }
}

#[tokio::test]
async fn pages_survive_the_end_of_their_browser() {
    let bench = Bench::with(|config| (config.concurrency, config.concurrency_floor) = (8, 8)).await;
    bench.render_reply(Reply::script("")).await.unwrap();
    let requests: Vec<RenderRequest> = (0..8).map(|number| numbered(&bench, number, 900)).collect();
    let browser = bench.pool.browser_pid().unwrap();
    let killed = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        signal(browser, "KILL");
    };

    let renders = join_all(requests.into_iter().map(|request| bench.pool.render(request)));
    let (pages, ()) = tokio::join!(renders, killed);

    for (number, page) in pages.into_iter().enumerate() {
        assert!(page.unwrap().html.contains(&format!("page number {number}.")));
    }
    eventually("the browser for one page alone is let go", || bench.pool.exclusive_browser_pid().is_none())
        .await;
}

#[tokio::test]
async fn a_page_that_ends_browsers_fails_and_affects_other_pages_only_once() {
    let bench = Bench::new().await;
    bench.render_reply(Reply::script("")).await.unwrap();
    bench.origin.on("/killer", Reply::script("").after(Duration::from_secs(25)));
    let first = bench.pool.browser_pid().unwrap();
    let pool = bench.pool.clone();
    let mut killer = TaskTracker::new().spawn(async move { pool.render(request("/killer")).await });
    eventually("the page is asked for", || bench.origin.count("/killer") > 0).await;
    signal(first, "KILL");
    eventually("another browser is shared", || bench.pool.browser_pid().is_some_and(|pid| pid != first))
        .await;
    let shared = bench.pool.browser_pid();

    // Kills whichever browser renders the page, as if the page ended it.
    let refused = loop {
        if let Some(lone) = bench.pool.exclusive_browser_pid() {
            tokio::time::sleep(Duration::from_millis(300)).await;
            signal(lone, "KILL");
            eventually("the killed browser is missed", || bench.pool.exclusive_browser_pid() != Some(lone))
                .await;
        }
        if let Ok(ended) = tokio::time::timeout(Duration::from_millis(20), &mut killer).await {
            break ended.unwrap();
        }
    };

    assert!(matches!(refused, Err(RenderError::PageCrashed)), "{refused:?}");
    assert_eq!(bench.pool.browser_pid(), shared, "the browser of the others was harmed");
}

/// Kills browsers and tabs alternately at an interval until stopped. Counts the kills.
async fn kill_at_random(bench: &Bench, every: Duration, killed: &AtomicU32, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(every).await;
        let kills = killed.load(Ordering::Relaxed) as usize;
        let browsers = bench.pool.browser_pids();
        let Some(browser) = browsers.get(kills / 2 % browsers.len().max(1)).copied() else {
            continue;
        };
        let renderers = renderers(browser);
        let victim = match renderers.get(kills * 7 % renderers.len().max(1)) {
            Some(renderer) if kills.is_multiple_of(2) => *renderer,
            _ => browser,
        };
        signal(victim, "KILL");
        killed.fetch_add(1, Ordering::Relaxed);
    }
}

/// Runs a mixed load for some seconds, or for `MIXED_LOAD_SECONDS`.
#[tokio::test(flavor = "multi_thread")]
async fn all_pages_are_correct_while_browsers_and_tabs_are_killed() {
    let seconds = std::env::vars()
        .find(|(name, _)| name == "MIXED_LOAD_SECONDS")
        .map_or(12, |(_, seconds)| seconds.parse().unwrap());
    let bench = Arc::new(Bench::with(sixteen_pages).await);
    bench.render_reply(Reply::script("")).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let kills = Arc::new(AtomicU32::new(0));
    let until = Instant::now() + Duration::from_secs(seconds);
    let workers = (0..12usize).map(|worker| {
        let (bench, kills) = (bench.clone(), kills.clone());
        async move {
            let mut rendered = 0u32;
            // A loaded machine needs time to start browsers again.
            while Instant::now() < until || rendered == 0 || kills.load(Ordering::Relaxed) < 4 {
                let number = worker * 10 + rendered as usize % 10;
                let page = bench.pool.render(numbered(&bench, number, 40 * (number as u64 % 9))).await;
                let html = page.unwrap_or_else(|error| panic!("page {number} was lost: {error}")).html;
                assert!(html.contains(&format!("page number {number}.")), "page {number} is wrong: {html}");
                rendered += 1;
            }
            rendered
        }
    });
    let load = async {
        let rendered: u32 = join_all(workers).await.iter().sum();
        stop.store(true, Ordering::Relaxed);
        rendered
    };

    let killer = kill_at_random(&bench, Duration::from_millis(1500), &kills, &stop);
    let (rendered, ()) = tokio::join!(load, killer);
    let browsers = bench.pool.browser_pids();
    bench.pool.shutdown().await;

    assert!(rendered >= 12, "{rendered} pages");
    for browser in browsers {
        assert_eq!(group(browser), Vec::<u32>::new());
    }
    assert_eq!(std::fs::read_dir(bench.profiles()).unwrap().count(), 0, "a profile was left");
}
