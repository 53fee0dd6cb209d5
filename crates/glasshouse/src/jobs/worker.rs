//! Runs jobs: takes what is due, keeps its leases, writes down how each run ended. One per process with the role `worker`.
//! Waits for a signal or a time, never in a busy loop. Must bear that the database goes away and comes back.

mod care;
mod step;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use sqlx::postgres::PgListener;
use store::{DbError, Engine};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::job::{JobError, Outcome, Registry, Run};
use super::model::BatchId;
use super::queries::{self, Candidate};
use super::queue::Jobs;
use super::schedule::Schedule;

/// How much of one lane runs at a time.
#[derive(Debug, Clone, Copy)]
pub struct LaneLimits {
    /// Jobs at once, over all processes; they may exceed it by a few when they begin jobs at the same moment.
    pub at_once: usize,
    /// Jobs begun per second, by this process.
    pub per_second: u32,
}

/// How a worker behaves. The defaults are what production uses; tests are in more of a hurry.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// A worker that has not shown itself for so long is dead.
    pub lease: Duration,
    /// How often it shows itself while it has jobs.
    pub beat_every: Duration,
    /// How often it looks for dead workers and due schedules.
    pub sweep_every: Duration,
    /// Longest time without looking into the queue. Signals make it look at once.
    pub idle_wait: Duration,
    /// How long running jobs may go on when the process is asked to end.
    pub drain: Duration,
    /// Politeness.
    pub lanes: LaneLimits,
    /// Address of PostgreSQL, to hear of work that other processes queue.
    pub notify_url: Option<String>,
}

impl Default for WorkerSettings {
    fn default() -> WorkerSettings {
        WorkerSettings {
            lease: Duration::from_secs(30),
            beat_every: Duration::from_secs(5),
            sweep_every: Duration::from_secs(5),
            idle_wait: Duration::from_secs(5),
            drain: Duration::from_secs(15),
            lanes: LaneLimits { at_once: 8, per_second: 50 },
            notify_url: None,
        }
    }
}

/// The worker of this process.
pub struct Worker {
    jobs: Jobs,
    registry: Registry,
    schedules: Vec<Schedule>,
    settings: WorkerSettings,
    id: String,
    tasks: JoinSet<Result<Outcome, JobError>>,
    running: HashMap<Id, Running>,
    /// Runs that are over and not yet written down.
    ended: Vec<Ended>,
    /// When the database last heard of us.
    last_beat: Instant,
    /// Other workers: the last beat we saw, and since when it stands still. By our own clock, which cannot jump.
    others: HashMap<String, (i64, Instant)>,
    /// How many jobs of a lane were begun in a second that began then.
    lane_starts: HashMap<String, (Instant, u32)>,
    /// Batches that are known to have begun.
    begun_batches: HashSet<BatchId>,
    failures_in_a_row: u32,
    /// Whether the database may think that we have jobs which we do not have.
    is_unsure: bool,
}

struct Running {
    job: Candidate,
    since: Instant,
    abort: AbortHandle,
}

struct Ended {
    job: Candidate,
    result: Result<Outcome, JobError>,
}

impl Worker {
    /// A worker that can run these kinds of jobs and keeps these schedules.
    pub fn new(jobs: Jobs, registry: Registry, schedules: Vec<Schedule>, settings: WorkerSettings) -> Worker {
        Worker {
            jobs,
            registry,
            schedules,
            settings,
            id: Uuid::now_v7().to_string(),
            tasks: JoinSet::new(),
            running: HashMap::new(),
            ended: Vec::new(),
            last_beat: Instant::now(),
            others: HashMap::new(),
            lane_starts: HashMap::new(),
            begun_batches: HashSet::new(),
            failures_in_a_row: 0,
            is_unsure: false,
        }
    }

    /// Works until shutdown, then lets running jobs end for a while and gives the others back.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let listen = listen(self.settings.notify_url.clone(), self.jobs.clone());
        tokio::select! {
            () = self.work(&shutdown) => {}
            () = listen => {}
        }
        self.end().await;
    }

    async fn work(&mut self, shutdown: &CancellationToken) {
        if self.jobs.db().engine() == Engine::Sqlite {
            // The data folder belongs to one process at a time, so whoever had jobs before is gone.
            report("take over what an earlier process left", self.reclaim_all().await);
        }
        let mut beats = every(self.settings.beat_every);
        let mut sweeps = every(self.settings.sweep_every);
        let jobs = self.jobs.clone();
        let mut look = true;
        while !shutdown.is_cancelled() {
            let until_look = if look { Duration::ZERO } else { self.until_next_look().await };
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                _ = beats.tick() => {
                    report("renew leases", self.beat().await);
                    self.drop_lost_leases();
                }
                _ = sweeps.tick() => {
                    report("look after jobs", self.sweep().await);
                    look = true;
                }
                Some(over) = self.tasks.join_next_with_id() => {
                    self.take_result(over);
                    self.take_ready_results();
                    look = true;
                }
                () = jobs.woken() => look = true,
                () = tokio::time::sleep(until_look) => look = true,
            }
            if look {
                look = self.look().await;
            }
        }
    }

    /// Writes down what is over and begins what is due; answers whether to look again at once.
    async fn look(&mut self) -> bool {
        match self.step().await {
            Ok(begun) => {
                self.failures_in_a_row = 0;
                // Jobs that end at once are written down together with beginning the next ones.
                tokio::task::yield_now().await;
                self.take_ready_results();
                !self.ended.is_empty() || (begun > 0 && !self.free_slots().is_empty())
            }
            Err(error) => {
                self.is_unsure = true;
                self.failures_in_a_row = self.failures_in_a_row.saturating_add(1);
                if self.failures_in_a_row == 1 {
                    report("write down results and begin jobs", Err::<(), _>(error));
                }
                false
            }
        }
    }

    /// How long there is certainly nothing to do, unless a signal comes.
    async fn until_next_look(&mut self) -> Duration {
        if self.failures_in_a_row > 0 {
            // The queue is out of reach: 0.2 s, 0.4 s … up to the idle wait.
            let wait = Duration::from_millis(100 << self.failures_in_a_row.min(10));
            return wait.min(self.settings.idle_wait);
        }
        let idle = self.settings.idle_wait;
        if let Some(wait) = self.until_lane_opens() {
            return wait.min(idle);
        }
        if self.free_slots().is_empty() {
            return idle;
        }
        let now = self.jobs.clock().now();
        let next = async { queries::find_next_run_at(&mut self.jobs.db().read().await?, now).await };
        match next.await {
            Ok(Some(next)) => next.since(now).clamp(Duration::from_millis(10), idle),
            Ok(None) | Err(_) => idle,
        }
    }

    /// Kinds of which more could run here, and how many more.
    fn free_slots(&self) -> BTreeMap<&'static str, usize> {
        let mut free: BTreeMap<&'static str, usize> =
            self.registry.0.iter().map(|(name, kind)| (*name, kind.at_once)).collect();
        for running in self.running.values() {
            if let Some(free) = free.get_mut(running.job.kind.as_str()) {
                *free = free.saturating_sub(1);
            }
        }
        free.retain(|_, free| *free > 0);
        free
    }

    fn spawn(&mut self, job: Candidate) {
        let Some(kind) = self.registry.0.get(job.kind.as_str()) else { return };
        let attempt = job.attempts + 1;
        let run = Run {
            id: job.id.clone().into(),
            account: job.account_id.clone(),
            domain: job.domain_id.clone(),
            batch: job.batch_id.clone().map(BatchId::from),
            attempt: u32::try_from(attempt).unwrap_or(u32::MAX),
            is_last_attempt: attempt >= job.max_attempts,
            queued_at: crate::clock::Timestamp::from_millis(job.created_at),
        };
        let work = (kind.runner)(job.payload.clone(), run);
        let abort = self.tasks.spawn(work);
        self.running.insert(abort.id(), Running { job, since: Instant::now(), abort });
    }

    fn take_ready_results(&mut self) {
        while let Some(over) = self.tasks.try_join_next_with_id() {
            self.take_result(over);
        }
    }

    fn take_result(&mut self, over: Result<(Id, Result<Outcome, JobError>), JoinError>) {
        let (id, result) = match over {
            Ok((id, result)) => (id, result),
            Err(error) if error.is_panic() => (error.id(), Err(JobError::retry("it panicked"))),
            // Aborted: cancelled, or the lease is lost. Nothing is written down.
            Err(error) => {
                self.running.remove(&error.id());
                return;
            }
        };
        let Some(Running { job, since, .. }) = self.running.remove(&id) else { return };
        metrics::histogram!("glasshouse_job_duration_seconds", "kind" => job.kind.clone())
            .record(since.elapsed());
        self.ended.push(Ended { job, result });
    }

    /// Stops everything that runs, without a trace.
    fn abort_all(&mut self) {
        for running in self.running.values() {
            running.abort.abort();
        }
        self.ended.clear();
        self.is_unsure = true;
    }

    async fn end(mut self) {
        let deadline = Instant::now() + self.settings.drain;
        while !self.tasks.is_empty() {
            match tokio::time::timeout_at(deadline, self.tasks.join_next_with_id()).await {
                Ok(Some(over)) => self.take_result(over),
                Ok(None) | Err(_) => break,
            }
        }
        report("write down the last results", self.finish().await);
        self.abort_all();
        report("give jobs back", self.give_back().await);
    }
}

/// Logs what went wrong in the database. The worker goes on, and everything is tried again in its time.
fn report<T>(what: &'static str, result: Result<T, DbError>) {
    if let Err(error) = result {
        tracing::warn!(error = &error as &dyn std::error::Error, what, "the job queue does not answer");
    }
}

/// A timer whose first tick is at once and which never hurries to make up for lost ticks.
fn every(period: Duration) -> tokio::time::Interval {
    let mut interval = tokio::time::interval(period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// Wakes the worker when another process has queued something. Never returns.
async fn listen(url: Option<String>, jobs: Jobs) {
    let Some(url) = url else { return std::future::pending().await };
    loop {
        if let Err(error) = listen_once(&url, &jobs).await {
            tracing::debug!(error = &error as &dyn std::error::Error, "not listening for jobs at the moment");
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

async fn listen_once(url: &str, jobs: &Jobs) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect(url).await?;
    listener.listen(queries::CHANNEL).await?;
    loop {
        // Whatever was announced before we listened has no signal any more.
        jobs.wake();
        listener.recv().await?;
    }
}

#[cfg(test)]
mod tests;
