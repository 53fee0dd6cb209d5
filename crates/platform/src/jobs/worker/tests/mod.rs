//! The rules of the queue and its worker, on both engines.

mod batches;
mod faults;
mod lanes;
mod limits;
mod order;
mod processes;
mod results;
mod schedules;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use store::testing::{PostgresServer, TestDb};
use store::{Db, DbConfig};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::MIGRATIONS;
use crate::clock::{Clock, Timestamp};
use crate::draining::Draining;
use crate::jobs::{Batch, Job, JobOutcome, JobPriority, JobRun, JobState, NewBatch, NewJob};
use crate::testing::{for_each_engine, postgres};

const NOON: Timestamp = Timestamp::from_millis(1_795_176_000_000);
const HOUR: Duration = Duration::from_secs(3600);

/// Behaviour of a test's job.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Say {
    Done(String),
    Fail,
    FailOnce,
    GiveUp,
    Panic,
    Hang,
    Later,
    Trouble,
    Slow(u64),
    Busy,
    Nul,
    Hold,
    Poison,
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    async fn has(&self, lines: usize) {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
        while self.lines().len() < lines {
            assert!(tokio::time::Instant::now() < deadline, "only {} of {lines}", self.lines().len());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Job for Say {
    const KIND: &'static str = "Say";
    const MAX_ATTEMPTS: u32 = 3;
    const TELLS_DEATH: bool = true;
    type Services = Log;

    async fn died(&self, log: &Log, reason: &str) -> Result<(), DbError> {
        if let Say::GiveUp = self {
            log.write(&format!("died: {reason}"));
        }
        Ok(())
    }

    async fn run(&self, log: &Log, run: &JobRun) -> Result<JobOutcome, JobError> {
        match self {
            Say::Done(text) => log.write(text),
            Say::FailOnce if run.attempt > 1 => log.write("worked"),
            Say::Fail | Say::FailOnce => {
                log.write("failed");
                return Err(JobError::retry("no luck"));
            }
            Say::GiveUp => return Err(JobError::give_up("no way")),
            Say::Panic => panic!("a test's panic"),
            Say::Hang => {
                log.write("hangs");
                std::future::pending::<()>().await;
            }
            Say::Later => {
                log.write("later");
                return Ok(JobOutcome::Later(HOUR));
            }
            Say::Trouble => {
                log.write("trouble");
                return Err(JobError::rest_lane("it is down", None));
            }
            Say::Busy => return Err(JobError::rest_lane("come back", Some(Duration::from_secs(120)))),
            Say::Nul => return Err(JobError::retry("a \0 in the middle")),
            Say::Hold => {
                run.stopping().await;
                log.write("stopped by itself");
            }
            Say::Poison => log.write("poison"),
            Say::Slow(millis) => {
                tokio::time::sleep(Duration::from_millis(*millis)).await;
                log.write("slow");
            }
        }
        Ok(JobOutcome::Done)
    }
}

fn say(text: &str) -> NewJob {
    Say::Done(text.to_owned()).queued_for("a")
}

fn say_for(account: &str, text: &str) -> NewJob {
    Say::Done(text.to_owned()).queued_for(account)
}

/// A queue and one process that works on it.
struct Process {
    jobs: Jobs,
    log: Log,
    clock: Clock,
    settings: WorkerSettings,
}

impl Process {
    async fn on(db: &Db) -> Process {
        db.migrate(&MIGRATIONS).await.unwrap();
        let clock = Clock::fixed(NOON);
        let settings = WorkerSettings {
            // Long: a busy machine must not look like a dead process.
            lease: Duration::from_secs(10),
            beat_every: Duration::from_millis(100),
            sweep_every: Duration::from_millis(100),
            idle_wait: Duration::from_millis(200),
            drain: Duration::from_millis(100),
            draining: Draining::default(),
            lanes: LaneLimits { at_once: 2, per_second: 1000 },
            named_lanes: NamedLanes::new(),
            kinds: Vec::new(),
            notify_url: None,
        };
        Process { jobs: Jobs::new(db.clone(), clock.clone()), log: Log::default(), clock, settings }
    }

    fn worker(&self, at_once: usize) -> Worker {
        let registry = Registry::default().with::<Say>(self.log.clone(), at_once);
        Worker::new(self.jobs.clone(), registry, Vec::new(), self.settings.clone())
    }

    #[expect(clippy::disallowed_methods, reason = "the test ends it")]
    fn start(&self, at_once: usize) -> (CancellationToken, JoinHandle<()>) {
        let shutdown = CancellationToken::new();
        (shutdown.clone(), tokio::spawn(self.worker(at_once).run(shutdown)))
    }

    async fn queue(&self, jobs: Vec<NewJob>) -> u64 {
        let mut tx = self.jobs.db().write().await.unwrap();
        let new = self.jobs.enqueue(&mut tx, jobs).await.unwrap();
        tx.commit().await.unwrap();
        self.jobs.wake();
        new
    }

    async fn batch_of(&self, jobs: Vec<NewJob>) -> BatchId {
        let mut tx = self.jobs.db().write().await.unwrap();
        let batch = NewBatch {
            kind: "Say",
            account: "a".to_owned(),
            domain: None,
            total: jobs.len() as u64,
            is_open: false,
            source: None,
        };
        let id = self.jobs.create_batch(&mut tx, &batch).await.unwrap();
        let jobs = jobs.into_iter().map(|job| job.batch(&id)).collect();
        self.jobs.enqueue(&mut tx, jobs).await.unwrap();
        tx.commit().await.unwrap();
        self.jobs.wake();
        id
    }

    async fn run_all(&self) -> Vec<String> {
        self.worker(1).run_until_idle().await;
        self.log.lines()
    }

    async fn batch(&self, id: &BatchId) -> Batch {
        self.jobs.find_batch(id.as_str()).await.unwrap().unwrap()
    }

    async fn batch_is_complete(&self, id: &BatchId) -> Batch {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
        loop {
            if let Ok(Some(batch)) = self.jobs.find_batch(id.as_str()).await
                && batch.completed_at.is_some()
            {
                return batch;
            }
            assert!(tokio::time::Instant::now() < deadline, "{:?}", self.jobs.find_batch(id.as_str()).await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn states(&self) -> Vec<(JobState, u64, Option<String>)> {
        let jobs = self.jobs.list(None, 100).await.unwrap();
        jobs.into_iter().map(|job| (job.state, job.attempts, job.error)).collect()
    }
}

async fn on_each_engine(test: impl AsyncFn(Process)) {
    for_each_engine(async |db: &TestDb| test(Process::on(db).await).await).await;
}
