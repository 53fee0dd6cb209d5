//! Tests of a run from its start to its archive: one at a time, interrupted and continued, stopped, archived, followed.

use crate::testing::*;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{RUNS, Shop, is_audit, on_each_engine, on_each_engine_with, with_defaults, worker};
use audit::model::RunId;
use audit::service::{PageFilter, SelectedPages, end_later, page_rows};
use audit::testing::PartKind;
use audit::testing::RunAudit;
use audit::testing::queries;
use platform::jobs::Job as _;
use platform::jobs::{Registry, Worker, WorkerSettings};

/// Waits for a condition, as long as a slow machine needs.
pub(super) async fn until(what: &str, condition: impl AsyncFn() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(120);
    while !condition().await {
        assert!(tokio::time::Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn checkpoints(shop: &Shop, id: &str) -> usize {
    let run = id.to_owned().into();
    let mut conn = shop.app.state.platform.db.read().await.unwrap();
    queries::segments::list_segments(&mut conn, &run, PartKind::Checkpoint).await.unwrap().len()
}

/// Creates a site with a page that answers only when the test permits it.
pub(super) fn with_slow_page(shop: &Shop) {
    shop.web.page("/coffee", "Coffee of all kinds", &["/", "/slow"]);
    shop.web.page("/slow", "A page that takes its time", &["/last"]);
    shop.web.page("/last", "The last page of all", &["/"]);
}

#[tokio::test]
async fn one_audit_of_a_domain_is_active_across_processes() {
    on_each_engine(async |shop| {
        let second = shop.app.second().await;
        let id = shop.start(json!({})).await;

        let refused = second.post(RUNS).key(&shop.account.key).json(with_defaults(json!({}))).await;
        worker(&second).run_until_idle().await;
        let again = second.post(RUNS).key(&shop.account.key).json(with_defaults(json!({}))).await;

        refused.assert(409, json!({ "error": "run_already_active", "runId": id }));
        again.assert_status(200);
        let usage = shop.get("/api/usage").await.json();
        let used = |name: &str| {
            let limits = usage["limits"].as_array().unwrap();
            limits.iter().find(|limit| limit["name"] == name).unwrap()["used"].clone()
        };
        assert_eq!((used("audits_per_month"), used("audited_pages_per_month")), (json!(2), json!(3)));
        second.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_run_that_was_cut_off_ends_like_one_that_was_not() {
    on_each_engine(async |shop| {
        with_slow_page(&shop);
        let undisturbed = shop.audit(json!({})).await;
        shop.web.open.send_replace(false);
        let id = shop.start(json!({})).await;
        {
            let never = CancellationToken::new();
            let killed = worker(&shop.app).run(never.clone());
            let saved = until("nothing was saved", async || checkpoints(&shop, &id).await > 0);
            tokio::select! { () = killed => panic!("it ended"), () = saved => {} }
        }
        let running = shop.details(&id, "limit=1").await;
        shop.app.clock.advance(Duration::from_secs(16));
        let cut = shop.details(&id, "limit=1").await;
        shop.web.open.send_replace(true);
        shop.web.asked.lock().unwrap().clear();

        let stop = CancellationToken::new();
        let survivor = impatient_worker(&shop);
        let done = until("it did not go on", async || {
            shop.details(&id, "").await["run"]["completedAt"] != Value::Null
                && checkpoints(&shop, &id).await == 0
        });
        tokio::select! { () = survivor.run(stop.clone()) => panic!("it ended"), () = done => {} }

        assert_eq!(
            running["run"]["needsContinuation"], false,
            "it is not cut off as long as a process works on it"
        );
        assert_eq!(
            (&cut["run"]["status"], &cut["run"]["needsContinuation"]),
            (&json!("running"), &json!(true))
        );
        let (whole, resumed) = (shop.details(&undisturbed, "").await, shop.details(&id, "").await);
        assert_eq!(resumed["run"]["status"], "success", "{:#}", resumed["run"]);
        assert_eq!(without_times(&resumed), without_times(&whole));
        assert_eq!(resumed["issueBreakdown"], whole["issueBreakdown"]);
        assert_eq!(resumed["run"]["crawlStats"]["continuations"], 1);
        assert_eq!(resumed["run"]["needsContinuation"], false);
        let asked = shop.web.asked_for("/tea");
        assert!(!asked.iter().any(is_audit), "what was saved is not asked for again");
    })
    .await;
}

#[tokio::test]
async fn who_began_to_read_a_run_that_ends_meanwhile_reads_on() {
    on_each_engine(async |shop| {
        with_slow_page(&shop);
        shop.web.open.send_replace(false);
        let id = shop.start(json!({})).await;
        let reader = &shop.app.state.audits.reader;
        let stored = async |kind: PartKind| {
            let mut conn = shop.app.state.platform.db.read().await.unwrap();
            queries::segments::list_segments(&mut conn, &id.clone().into(), kind).await.unwrap().len()
        };
        let reading = async {
            until("no page was found", async || stored(PartKind::Live).await > 0).await;
            let mut conn = shop.app.state.platform.db.read().await.unwrap();
            let run = queries::find_run(&mut conn, &id).await.unwrap().unwrap();
            drop(conn);
            let pages = SelectedPages::select(reader, &run, &PageFilter::default()).await.unwrap();
            shop.web.open.send_replace(true);
            until("it did not end", async || stored(PartKind::LiveDetails).await == 0).await;

            let rows = page_rows(reader, &run, pages.part(0, pages.count()), None);
            let rows: Vec<Bytes> = rows.try_collect().await.unwrap();

            assert!(run.is_active && !rows.concat().is_empty());
        };

        let stop = CancellationToken::new();
        tokio::select! { () = worker(&shop.app).run(stop.clone()) => panic!("it ended"), () = reading => {} }
    })
    .await;
}

#[tokio::test]
async fn an_end_that_was_cut_off_leaves_nothing_to_go_on_from() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;
        let run: RunId = id.clone().into();
        let mut tx = shop.app.state.platform.db.write().await.unwrap();
        queries::segments::put_segment(&mut tx, &run, PartKind::Checkpoint, 0, b"left").await.unwrap();
        let job = RunAudit { run, ends: false }.queued_for(shop.account.id.as_str());
        shop.app.state.jobs.enqueue(&mut tx, vec![job]).await.unwrap();
        tx.commit().await.unwrap();

        worker(&shop.app).run_until_idle().await;

        assert_eq!(checkpoints(&shop, &id).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_run_that_is_cut_off_again_and_again_ends_like_one_that_was_not() {
    // Kills per database, twelve in all.
    const KILLS: u32 = 6;
    on_each_engine(async |shop| {
        let pages: Vec<String> = (0..120).map(|page| format!("/page/{page}")).collect();
        let links: Vec<&str> = pages.iter().map(String::as_str).collect();
        shop.web.page("/", "The start page of the shop", &links);
        for (at, path) in pages.iter().enumerate() {
            let links = ["/", "/gone", pages[at / 2].as_str()];
            shop.web.page(path, &format!("Page number {at} of the shop"), &links);
        }
        // Response times differ from run to run.
        let change = json!({ "disabledChecks": ["TTFB_SLOW", "TTFB_VERY_SLOW"] });
        shop.patch_auditing(change).await.assert_status(200);
        let undisturbed = shop.audit(json!({ "allowSampling": false })).await;
        // Slow enough to outlast the kills, and to have parts saved between them.
        shop.web.delay_ms.store(1000, Ordering::Relaxed);
        let id = shop.start(json!({ "allowSampling": false })).await;

        let never = CancellationToken::new();
        // A fixed seed makes failures reproducible.
        let mut random = 7_u64;
        let mut saved = 0;
        for kill in 0..KILLS {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // The previous lease has to expire first; the rest is random.
            let moment = Duration::from_millis(1700 + (random >> 33) % 2000);
            let come = async {
                // Every other kill waits until something new was saved: a run without progress ends.
                if kill % 2 == 0 {
                    until("nothing was saved", async || checkpoints(&shop, &id).await > saved).await;
                } else {
                    tokio::time::sleep(moment).await;
                }
            };
            tokio::select! { () = impatient_worker(&shop).run(never.clone()) => panic!("it ended"), () = come => {} }
            saved = checkpoints(&shop, &id).await;
        }
        shop.web.delay_ms.store(0, Ordering::Relaxed);
        let done = until("it did not go on", async || {
            shop.details(&id, "").await["run"]["completedAt"] != Value::Null
        });
        tokio::select! { () = impatient_worker(&shop).run(never.clone()) => panic!("it ended"), () = done => {} }

        let (whole, resumed) = (shop.details(&undisturbed, "").await, shop.details(&id, "").await);
        assert_eq!(resumed["run"]["status"], "success", "{:#}", resumed["run"]);
        assert_eq!(without_times(&resumed), without_times(&whole));
        assert_eq!(resumed["issueBreakdown"], whole["issueBreakdown"]);
        for field in ["healthScore", "pagesCrawled", "issueCount", "sitemapIssues"] {
            assert_eq!(resumed["run"][field], whole["run"][field], "{field}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_run_whose_process_died_three_times_at_one_place_ends_with_what_it_has() {
    on_each_engine(async |shop| {
        with_slow_page(&shop);
        shop.web.open.send_replace(false);
        let id = shop.start(json!({})).await;
        let never = CancellationToken::new();
        let run: RunId = id.clone().into();
        for death in 1..=3_u64 {
            let begun = until("it was not begun again", async || {
                let mut conn = shop.app.state.platform.db.read().await.unwrap();
                let found = queries::find_run(&mut conn, run.as_str()).await.unwrap().unwrap();
                drop(conn);
                let is_begun = found.open_attempts == death;
                is_begun && checkpoints(&shop, &id).await > 0
            });
            tokio::select! { () = impatient_worker(&shop).run(never.clone()) => panic!("it ended"), () = begun => {} }
        }

        let done = until("it did not end", async || {
            shop.details(&id, "limit=1").await["run"]["completedAt"] != Value::Null
        });
        tokio::select! { () = impatient_worker(&shop).run(never.clone()) => panic!("it ended"), () = done => {} }
        shop.web.open.send_replace(true);

        let details = shop.details(&id, "").await;
        let run = &details["run"];
        assert_eq!((&run["status"], &run["closeReason"]), (&json!("partial"), &json!("crashed")), "{run:#}");
        assert!(run["errorMessage"].as_str().is_some_and(|text| text.contains("again and again")), "{run:#}");
        assert_eq!(super::paths(&details), ["/", "/coffee", "/gone", "/tea"]);
    })
    .await;
}

#[tokio::test]
async fn a_run_whose_job_gave_up_keeps_what_it_has() {
    on_each_engine(async |shop| {
        with_slow_page(&shop);
        shop.web.open.send_replace(false);
        let id = shop.start(json!({})).await;
        let never = CancellationToken::new();
        let saved = until("nothing was saved", async || checkpoints(&shop, &id).await > 0);
        tokio::select! { () = impatient_worker(&shop).run(never.clone()) => panic!("it ended"), () = saved => {} }
        shop.web.open.send_replace(true);
        let (run, domain) = (id.clone().into(), shop.domain.id.as_str());
        shop.app.state.jobs.forget_domain(domain).await.unwrap();

        end_later(&shop.app.state.audits.runs, &run).await.unwrap();
        shop.run_jobs().await;

        let details = shop.details(&id, "").await;
        assert_eq!(details["run"]["closeReason"], "crashed");
        assert_eq!((&details["run"]["status"], &details["pageTotal"]), (&json!("partial"), &json!(4)));
    })
    .await;
}

#[tokio::test]
async fn a_run_that_waits_is_cancelled_at_once() {
    on_each_engine(async |shop| {
        let id = shop.start(json!({})).await;

        let reply = shop.post(&format!("{RUNS}/{id}/cancel"), json!({})).await;

        reply.assert(200, json!({ "ok": true }));
        let run = &shop.details(&id, "").await["run"];
        assert_eq!((&run["status"], &run["closeReason"]), (&json!("error"), &json!("cancelled")));
        assert_ne!(run["completedAt"], Value::Null);
        let next = shop.start(json!({})).await;
        shop.run_jobs().await;
        assert_eq!(shop.details(&next, "limit=1").await["run"]["status"], "success");
    })
    .await;
}

#[tokio::test]
async fn of_the_runs_of_an_account_two_are_under_way_in_a_process() {
    on_each_engine(async |shop| {
        with_slow_page(&shop);
        shop.web.open.send_replace(false);
        let mut ids = vec![shop.start(json!({})).await];
        for host in ["hook.example", "pending.example"] {
            shop.app.domain(&shop.account, host).await;
            let urls = json!([format!("https://{host}/")]);
            ids.push(shop.start(json!({ "domain": host, "urls": urls })).await);
        }
        let begun = async || {
            let mut conn = shop.app.state.platform.db.read().await.unwrap();
            let mut begun = Vec::new();
            for id in &ids {
                begun.push(queries::find_run(&mut conn, id).await.unwrap().unwrap().begun_at.is_some());
            }
            begun
        };

        let never = CancellationToken::new();
        let two = until("two did not begin", async || begun().await.iter().filter(|is| **is).count() == 2);
        let worker = impatient_worker(&shop);
        let looked = async {
            two.await;
            tokio::time::sleep(Duration::from_secs(2)).await;
            let while_two_run = begun().await;
            shop.web.open.send_replace(true);
            let followed = async || {
                // The job is postponed each time it finds no slot.
                shop.app.clock.advance(Duration::from_secs(1));
                begun().await.iter().all(|is| *is)
            };
            until("the third did not follow", followed).await;
            while_two_run
        };
        let while_two_run =
            tokio::select! { () = worker.run(never.clone()) => panic!("it ended"), seen = looked => seen };

        assert_eq!(while_two_run.iter().filter(|is| **is).count(), 2, "{while_two_run:?}");
    })
    .await;
}

#[tokio::test]
async fn of_many_starts_in_two_processes_one_begins() {
    on_each_engine(async |shop| {
        let second = shop.app.second().await;
        let start = |app: &crate::testing::TestApp| {
            app.post(RUNS).key(&shop.account.key).json(with_defaults(json!({})))
        };

        let starts = (0..12).map(|at| start(if at % 2 == 0 { &shop.app } else { &second }));
        let replies = futures::future::join_all(starts.map(async |request| request.await)).await;

        let begun: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
        assert_eq!(begun.len(), 1);
        let id = begun[0].json()["runId"].clone();
        for reply in replies.iter().filter(|reply| reply.status != 200) {
            reply.assert(409, json!({ "error": "run_already_active", "runId": id }));
        }
        let usage = shop.get("/api/usage").await.json();
        let limits = usage["limits"].as_array().unwrap();
        let audits = limits.iter().find(|limit| limit["name"] == "audits_per_month").unwrap();
        assert_eq!(audits["used"], 1, "what was refused is not counted");
        second.stop().await;
    })
    .await;
}

/// Returns a worker that soon takes over abandoned jobs.
pub(super) fn impatient_worker(shop: &Shop) -> Worker {
    let settings = WorkerSettings {
        // A busy machine can miss heartbeats for a second.
        lease: Duration::from_millis(1500),
        beat_every: Duration::from_millis(100),
        sweep_every: Duration::from_millis(100),
        idle_wait: Duration::from_millis(100),
        ..WorkerSettings::default()
    };
    let registry = shop.app.state.audits.register_runs(shop.app.state.audits.register(Registry::default()));
    Worker::new(shop.app.state.jobs.clone(), registry, Vec::new(), settings)
}

/// Returns the pages without fields that differ from run to run.
fn without_times(details: &Value) -> Vec<Value> {
    let mut pages = details["pages"].as_array().unwrap().clone();
    for page in &mut pages {
        for field in ["loadTimeMs", "crawledAt", "trendPoints"] {
            page[field] = Value::Null;
        }
    }
    pages
}

#[tokio::test]
async fn a_cancelled_run_keeps_what_it_has() {
    on_each_engine(async |shop| {
        with_slow_page(&shop);
        shop.web.open.send_replace(false);
        let id = shop.start(json!({})).await;
        let never = CancellationToken::new();
        let running = worker(&shop.app).run(never.clone());
        let cancelled = async {
            until("the slow page was not reached", async || !shop.web.asked_for("/slow").is_empty()).await;
            let reply = shop.post(&format!("{RUNS}/{id}/cancel"), json!({})).await;
            reply.assert(200, json!({ "ok": true, "runId": id }));
            until("it did not stop", async || {
                shop.details(&id, "").await["run"]["completedAt"] != Value::Null
            })
            .await;
        };
        tokio::select! { () = running => panic!("it ended"), () = cancelled => {} }
        shop.web.open.send_replace(true);

        let details = shop.details(&id, "").await;

        assert_eq!(details["run"]["closeReason"], "cancelled");
        assert_eq!(details["run"]["status"], "partial", "{:#}", details["run"]);
        assert!(details["pageTotal"].as_u64().unwrap() >= 2);
        let again = shop.post(&format!("{RUNS}/{id}/cancel"), json!({})).await;
        again.assert(200, json!({ "ok": false }));
    })
    .await;
}

#[tokio::test]
async fn an_archived_run_is_answered_with_the_same_bytes() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;
        let page = shop.details(&id, "").await["pages"][0]["id"].as_str().unwrap().to_owned();
        let paths = [
            format!("{RUNS}/{id}"),
            format!("{RUNS}/{id}?limit=2&sort=wordCount"),
            format!("{RUNS}/{id}/pages/{page}"),
            format!("{RUNS}/{id}/links"),
            format!("{RUNS}/{id}/links?to=/&status=200"),
            format!("{RUNS}/{id}/export?what=findings"),
            format!("{RUNS}/{id}/export?what=pages&format=ndjson"),
            format!("{RUNS}/{id}/export?what=links"),
            format!("{RUNS}/{id}/export?what=sitemap"),
            format!("{RUNS}/{id}/compare?with={id}"),
        ];
        let mut live = Vec::new();
        for path in &paths {
            live.push(shop.get(path).await.body);
        }
        let run = id.clone().into();

        shop.app.state.audits.schedule.archive(&run).await.unwrap();

        // A process without cached data.
        let fresh = shop.app.second().await;
        let mut conn = shop.app.state.platform.db.read().await.unwrap();
        assert_eq!(queries::segments::list_segment_names(&mut conn, &run).await.unwrap(), []);
        drop(conn);
        for (path, live) in paths.iter().zip(live) {
            let reply = fresh.get(path).key(&shop.account.key).await;
            assert_eq!(reply.body, live, "{path}");
        }
        let objects = shop.app.state.platform.blobs.clone();
        objects.delete(&format!("audits/{id}/index/0")).await.unwrap();
        let empty = shop.app.second().await;
        let reply = empty.get(&paths[0]).key(&shop.account.key).await;
        reply.assert_error(503, "archive_unavailable");
        fresh.stop().await;
        empty.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_site_without_a_page_is_an_error_that_says_why() {
    on_each_engine(async |shop| {
        shop.web.set("/robots.txt", "User-agent: *\nDisallow: /\n");

        let id = shop.audit(json!({})).await;

        let details = shop.details(&id, "").await;
        assert_eq!(details["run"]["status"], "error");
        assert_eq!(details["run"]["closeReason"], "unreachable");
        assert!(details["run"]["errorMessage"].as_str().is_some_and(|text| !text.is_empty()));
        assert_eq!((&details["pages"], &details["pageTotal"]), (&json!([]), &json!(0)));
        shop.audit(json!({})).await;
    })
    .await;
}

#[tokio::test]
async fn the_page_limit_of_the_plan_ends_a_run() {
    on_each_engine_with("[plans.agency]\npages_per_audit = 2\n", async |shop| {
        let id = shop.audit(json!({})).await;

        let run = &shop.details(&id, "").await["run"];
        assert_eq!((&run["status"], &run["hitUrlLimit"]), (&json!("limit_reached"), &json!(true)), "{run:#}");
        assert_eq!((&run["closeReason"], &run["pagesCrawled"]), (&json!("url_limit"), &json!(2)));
    })
    .await;
}

#[tokio::test]
async fn events_tell_the_progress_and_the_end() {
    on_each_engine(async |shop| {
        let id = shop.audit(json!({})).await;

        let reply = shop.get(&format!("{RUNS}/{id}/events")).await;

        reply.assert_status(200);
        assert_eq!(reply.header("content-type"), "text/event-stream");
        let text = reply.text();
        assert!(text.starts_with("event: end\ndata: {"), "{text}");
        assert!(text.contains("\"pagesCrawled\":3") && text.contains("\"status\":\"success\""), "{text}");
    })
    .await;
}

#[tokio::test]
async fn a_run_whose_job_is_lost_is_queued_again() {
    on_each_engine(async |shop| {
        let id = shop.start(json!({})).await;
        shop.app.state.jobs.forget_domain(shop.domain.id.as_str()).await.unwrap();
        shop.run_jobs().await;
        let lost = shop.details(&id, "").await;
        shop.app.clock.advance(Duration::from_secs(11 * 60));

        let mut keeper = Worker::new(
            shop.app.state.jobs.clone(),
            shop.app.state.audits.register_runs(shop.app.state.audits.register(Registry::default())),
            shop.app.state.audits.schedules(),
            WorkerSettings::default(),
        );
        shop.app.state.audits.schedule.requeue_silent().await.unwrap();
        keeper.run_until_idle().await;

        assert_eq!(lost["run"]["status"], "running");
        assert_eq!(shop.details(&id, "").await["run"]["status"], "success");
    })
    .await;
}
