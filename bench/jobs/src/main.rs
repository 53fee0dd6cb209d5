//! Queues and runs no-op jobs on PostgreSQL and SQLite with our queue, and on the same PostgreSQL with graphile_worker, as it
//! comes and tuned as its own benchmark does. Prints one JSON line per run; `bench/run.mjs` makes the table.
//!
//! Usage: `bench-jobs POSTGRES_URL [JOBS] [ROUNDS]`, or `bench-jobs POSTGRES_URL batch PAGES` for a large batch with one dead
//! origin in four; every run gets an empty database of its own.

mod batch;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use platform::MIGRATIONS;
use platform::clock::Clock;
use platform::jobs::{Job, JobError, JobOutcome, JobRun, Jobs, Registry, Worker, WorkerSettings};
use graphile_worker::{IntoTaskHandlerResult, JobSpec, LocalQueueConfig, RawJobSpec, TaskHandler, WorkerContext};
use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use store::{Db, DbConfig};
use tokio_util::sync::CancellationToken;

/// Jobs of one transaction.
const PART: usize = 1_000;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let server = arguments.next().expect("usage: bench-jobs POSTGRES_URL [JOBS] [ROUNDS]");
    let mut arguments = arguments.peekable();
    if arguments.next_if_eq("batch").is_some() {
        let pages = arguments.next().map_or(1_000_000, |count| count.parse().expect("a number of pages"));
        batch::run(&server, pages).await;
        return;
    }
    let jobs = arguments.next().map_or(100_000, |count| count.parse().expect("a number of jobs"));
    let rounds = arguments.next().map_or(3, |count| count.parse().expect("a number of rounds"));
    // Interleaved, so that whatever else the machine does hits all of them.
    for round in 0..rounds {
        let url = fresh_database(&server, &format!("ours_{round}")).await;
        report("ours on PostgreSQL", jobs, ours(&url, jobs).await);
        let url = fresh_database(&server, &format!("plain_{round}")).await;
        report("graphile_worker as it comes", jobs, theirs(&url, jobs, Tuning::None).await);
        let url = fresh_database(&server, &format!("tuned_{round}")).await;
        report("graphile_worker tuned", jobs, theirs(&url, jobs, Tuning::AsInItsBenchmark).await);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}", folder.path().join("bench.db").display());
        report("ours on SQLite", jobs, ours(&url, jobs).await);
    }
}

fn report(name: &str, jobs: usize, (queue, run): (Duration, Duration)) {
    let rate = |time: Duration| (jobs as f64 / time.as_secs_f64()).round();
    let line = serde_json::json!({
        "name": name, "jobs": jobs,
        "queuedPerSecond": rate(queue), "runPerSecond": rate(run), "bothPerSecond": rate(queue + run),
    });
    println!("{line}");
}

async fn fresh_database(server: &str, name: &str) -> String {
    let mut admin = PgConnection::connect(server).await.expect("the server answers");
    for sql in [format!("drop database if exists bench_{name}"), format!("create database bench_{name}")] {
        sqlx::query(AssertSqlSafe(sql)).execute(&mut admin).await.expect("databases can be made");
    }
    let (before, _) = server.rsplit_once('/').expect("an address with a database");
    format!("{before}/bench_{name}")
}

/// Waits until so many jobs have run.
async fn wait_for(count: &AtomicUsize, jobs: usize) {
    while count.load(Ordering::Relaxed) < jobs {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[derive(Serialize, Deserialize)]
struct Nothing {
    n: usize,
}

impl Job for Nothing {
    const KIND: &'static str = "Nothing";
    type Services = Arc<AtomicUsize>;

    async fn run(&self, count: &Arc<AtomicUsize>, _: &JobRun) -> Result<JobOutcome, JobError> {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(JobOutcome::Done)
    }
}

async fn ours(url: &str, jobs: usize) -> (Duration, Duration) {
    let db = Db::open(&DbConfig { url: url.to_owned(), max_connections: 10 }).await.expect("the database opens");
    db.migrate(&MIGRATIONS).await.expect("the schema");
    let queue = Jobs::new(db.clone(), Clock::system());

    let start = Instant::now();
    for from in (0..jobs).step_by(PART) {
        let part = (from..jobs.min(from + PART)).map(|n| Nothing { n }.queued_for("bench")).collect();
        let mut tx = db.write().await.expect("a transaction");
        queue.enqueue(&mut tx, part).await.expect("the queue");
        tx.commit().await.expect("a commit");
    }
    let queued = start.elapsed();

    let (count, shutdown) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
    let registry = Registry::default().with::<Nothing>(count.clone(), 2_000);
    let worker = Worker::new(queue.clone(), registry, Vec::new(), WorkerSettings::default());
    let start = Instant::now();
    let running = tokio::spawn(worker.run(shutdown.clone()));
    wait_for(&count, jobs).await;
    // Over when it is written down, not when the last one has run.
    while !queue.list(None, 1).await.expect("the queue").is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let run = start.elapsed();
    shutdown.cancel();
    running.await.expect("the worker ends");
    assert_eq!(count.load(Ordering::Relaxed), jobs, "every job runs once");
    db.close().await;
    (queued, run)
}

static THEIR_COUNT: AtomicUsize = AtomicUsize::new(0);

#[derive(Serialize, Deserialize, Clone)]
struct Noop {
    n: usize,
}

impl TaskHandler for Noop {
    const IDENTIFIER: &'static str = "noop";

    async fn run(self, _: WorkerContext) -> impl IntoTaskHandlerResult {
        THEIR_COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

enum Tuning {
    None,
    AsInItsBenchmark,
}

async fn theirs(url: &str, jobs: usize, tuning: Tuning) -> (Duration, Duration) {
    let options = graphile_worker::WorkerOptions::default()
        .database_url(url)
        .max_pg_conn(10)
        .concurrency(500)
        .define_job::<Noop>();
    let options = match tuning {
        Tuning::None => options,
        Tuning::AsInItsBenchmark => options
            .poll_interval(Duration::from_millis(5))
            .complete_job_batch_delay(Duration::from_millis(5))
            .local_queue(LocalQueueConfig::default().with_size(5000)),
    };
    let worker = Arc::new(options.init().await.expect("the worker is set up"));
    let utils = worker.create_utils();

    let start = Instant::now();
    for from in (0..jobs).step_by(PART) {
        let part: Vec<RawJobSpec> = (from..jobs.min(from + PART))
            .map(|n| RawJobSpec {
                identifier: Noop::IDENTIFIER.to_owned(),
                payload: serde_json::json!({ "n": n }),
                spec: JobSpec::default(),
            })
            .collect();
        utils.add_raw_jobs(&part).await.expect("the queue");
    }
    let queued = start.elapsed();

    THEIR_COUNT.store(0, Ordering::Relaxed);
    let mut looking = PgConnection::connect(url).await.expect("the database answers");
    let start = Instant::now();
    let running = tokio::spawn({
        let worker = worker.clone();
        async move { worker.run().await }
    });
    wait_for(&THEIR_COUNT, jobs).await;
    loop {
        let left: bool = sqlx::query_scalar("select exists (select 1 from graphile_worker._private_jobs)")
            .fetch_one(&mut looking)
            .await
            .expect("the database answers");
        if !left {
            break;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let run = start.elapsed();
    worker.request_shutdown();
    running.await.expect("the worker ends").expect("the worker is well");
    (queued, run)
}
