//! A batch of very many pages on four origins, one of which is dead: the pages of the others must run at the queue's own rate,
//! each once, and the batch must be complete when nobody has patience with the dead one any more.
//! Three workers share the queue on PostgreSQL, one has it to itself on SQLite.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use platform::MIGRATIONS;
use platform::clock::Clock;
use platform::jobs::{
    BatchId, Job, JobError, JobOutcome, JobPriority, JobRun, Jobs, LaneLimits, NewBatch, Registry, Worker, WorkerSettings,
};
use serde::{Deserialize, Serialize};
use store::{Db, DbConfig};
use tokio_util::sync::CancellationToken;

use super::{PART, fresh_database};

const ORIGINS: usize = 4;
/// How long a batch may take before the run is called a failure.
const PATIENCE: Duration = Duration::from_secs(900);

/// How often each page ran, and how often the dead origin was asked.
struct Pages {
    runs: Vec<AtomicU8>,
    ran: AtomicUsize,
    troubles: AtomicUsize,
}

#[derive(Serialize, Deserialize)]
struct Page(usize);

impl Job for Page {
    const KIND: &'static str = "Page";
    type Services = Arc<Pages>;

    async fn run(&self, pages: &Arc<Pages>, _: &JobRun) -> Result<JobOutcome, JobError> {
        if self.0 % ORIGINS == 0 {
            pages.troubles.fetch_add(1, Ordering::Relaxed);
            return Err(JobError::rest_lane("it is down", None));
        }
        pages.runs[self.0].fetch_add(1, Ordering::Relaxed);
        pages.ran.fetch_add(1, Ordering::Relaxed);
        Ok(JobOutcome::Done)
    }
}

/// Runs it on both engines and prints a line for each.
pub async fn run(server: &str, pages: usize) {
    let url = fresh_database(server, "batch").await;
    measure("large batch on PostgreSQL", &url, pages, 3).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("bench.db").display());
    measure("large batch on SQLite", &url, pages, 1).await;
}

async fn measure(name: &str, url: &str, pages: usize, workers: usize) {
    let db = Db::open(&DbConfig { url: url.to_owned(), max_connections: 12 }).await.expect("the database opens");
    db.migrate(&MIGRATIONS).await.expect("the schema");
    let clock = Clock::fixed(Clock::system().now());
    let queue = Jobs::new(db.clone(), clock.clone());
    let start = Instant::now();
    let batch = queue_pages(&db, &queue, pages).await;
    let queued = start.elapsed();

    let seen = Arc::new(Pages {
        runs: (0..pages).map(|_| AtomicU8::new(0)).collect(),
        ran: AtomicUsize::new(0),
        troubles: AtomicUsize::new(0),
    });
    let shutdown = CancellationToken::new();
    let lanes = LaneLimits { at_once: 2_000, per_second: 1_000_000 };
    let settings = WorkerSettings { lanes, idle_wait: Duration::from_millis(200), ..WorkerSettings::default() };
    let start = Instant::now();
    let running: Vec<_> = (0..workers)
        .map(|_| {
            let registry = Registry::default().with::<Page>(seen.clone(), 2_000);
            tokio::spawn(Worker::new(queue.clone(), registry, Vec::new(), settings.clone()).run(shutdown.clone()))
        })
        .collect();
    let living = pages - pages.div_ceil(ORIGINS);
    until(async || queue.find_batch(batch.as_str()).await.is_ok_and(|batch| batch.is_some_and(|b| b.done as usize >= living))).await;
    let ran = start.elapsed();
    // Hours pass, and with them the patience.
    let start = Instant::now();
    until(async || {
        clock.advance(Duration::from_secs(1_800));
        queue.find_batch(batch.as_str()).await.is_ok_and(|batch| batch.is_some_and(|b| b.completed_at.is_some()))
    })
    .await;
    let given_up = start.elapsed();
    shutdown.cancel();
    for worker in running {
        worker.await.expect("a worker ends");
    }
    let over = queue.find_batch(batch.as_str()).await.expect("the queue").expect("the batch");
    let once = seen.runs.iter().filter(|runs| runs.load(Ordering::Relaxed) == 1).count();
    assert_eq!((over.done as usize, over.failed as usize), (living, pages - living), "counts add up");
    assert_eq!((once, seen.ran.load(Ordering::Relaxed)), (living, living), "every page of a living origin ran once");
    let line = serde_json::json!({
        "name": name, "pages": pages,
        "queuedPerSecond": (pages as f64 / queued.as_secs_f64()).round(),
        "ranPerSecond": (living as f64 / ran.as_secs_f64()).round(),
        "deadAsked": seen.troubles.load(Ordering::Relaxed),
        "secondsToGiveUp": given_up.as_secs_f64(),
    });
    println!("{line}");
    db.close().await;
}

async fn queue_pages(db: &Db, queue: &Jobs, pages: usize) -> BatchId {
    let new = NewBatch {
        kind: "Pages",
        account: "bench".to_owned(),
        domain: None,
        total: pages as u64,
        is_open: false,
        source: None,
    };
    let mut tx = db.write().await.expect("a transaction");
    let batch = queue.create_batch(&mut tx, &new).await.expect("the queue");
    tx.commit().await.expect("a commit");
    for from in (0..pages).step_by(PART) {
        let page = |n: usize| {
            let job = Page(n).queued_for("bench").lane(format!("origin {}", n % ORIGINS));
            job.priority(JobPriority::Bulk).batch(&batch)
        };
        let mut tx = db.write().await.expect("a transaction");
        let part = (from..pages.min(from + PART)).map(page).collect();
        queue.enqueue(&mut tx, part).await.expect("the queue");
        tx.commit().await.expect("a commit");
    }
    batch
}

async fn until(holds: impl AsyncFn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < deadline, "it takes longer than {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
