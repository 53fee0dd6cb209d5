//! Runs jobs: claims due jobs, keeps their leases, records the outcome of each run. One per process with the role `worker`. Waits
//! for a signal or a time, never in a busy loop. Must tolerate an unavailable database.
//! See docs/decisions/0052.

mod aging;
mod claim;
mod heartbeat;
mod lanes;
mod listen;
mod results;
mod running;
mod settings;
mod sweep;
mod ticks;
#[cfg(any(test, feature = "testing"))]
mod until_idle;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use store::{DbError, Engine};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::claim::{Claimed, Claims, QueueClaim};
use self::heartbeat::WorkerLease;
use self::lanes::LaneRates;
use self::listen::listen;
use self::results::{BatchChanges, EndedRun, ResultWriter, writable};
use self::running::{Over, RunningJobs, Taken};
use self::sweep::Sweeper;
use self::ticks::{every, report};
use crate::clock::Timestamp;
use crate::jobs::{BatchId, JobError, Jobs, Registry, Schedule, queries};

pub(super) use lanes::after_failure;
pub use lanes::{LaneLimits, NamedLane, NamedLanes};
pub use settings::WorkerSettings;

/// The worker of this process.
pub struct Worker {
    jobs: Jobs,
    registry: Registry,
    settings: WorkerSettings,
    id: String,
    running: RunningJobs,
    /// Runs that are over and not yet written down.
    ended: Vec<EndedRun>,
    lease: Arc<WorkerLease>,
    /// Number of lost leases at the last look.
    losses_known: u64,
    sweeper: Sweeper,
    rates: LaneRates,
    /// Time after the last claim until it may find more.
    look_again: Option<Duration>,
    /// Batches that are known to have begun.
    begun_batches: HashSet<BatchId>,
    failures_in_a_row: u32,
    /// True when the database may list jobs for this worker that it does not run.
    is_unsure: bool,
}

impl Worker {
    /// Makes a worker for these kinds of jobs and these schedules.
    pub fn new(jobs: Jobs, registry: Registry, schedules: Vec<Schedule>, settings: WorkerSettings) -> Worker {
        let id = Uuid::now_v7().to_string();
        Worker {
            sweeper: Sweeper::new(&jobs, &registry, schedules, &settings, &id),
            lease: WorkerLease::new(settings.lease, settings.beat_every),
            losses_known: 0,
            jobs,
            registry,
            settings,
            id,
            running: RunningJobs::default(),
            ended: Vec::new(),
            rates: LaneRates::default(),
            look_again: None,
            begun_batches: HashSet::new(),
            failures_in_a_row: 0,
            is_unsure: false,
        }
    }

    /// Works until shutdown, then lets running jobs end for a while and gives the others back.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let (db, clock) = (self.jobs.db().clone(), self.jobs.clock().clone());
        let beats = heartbeat::keep(db, self.id.clone(), self.lease.clone(), self.settings.beat_every, clock);
        // A task of its own, so that heartbeats go on whatever this task waits for.
        let mut beside = JoinSet::new();
        beside.spawn(beats);
        beside.spawn(listen(self.settings.notify_url.clone(), self.jobs.clone()));
        self.work(&shutdown).await;
        self.end().await;
    }

    async fn work(&mut self, shutdown: &CancellationToken) {
        if self.jobs.db().engine() == Engine::Sqlite {
            // The data folder belongs to one process at a time, so the process that had these jobs is gone.
            report("take over what an earlier process left", self.sweeper.reclaim_all().await);
        }
        let mut reconciliations = every(self.settings.beat_every);
        let mut sweeps = every(self.settings.sweep_every);
        let jobs = self.jobs.clone();
        let mut look = true;
        while !shutdown.is_cancelled() {
            let until_look = if look { Duration::ZERO } else { self.until_next_look().await };
            tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                _ = reconciliations.tick() => report("compare running jobs", self.reconcile().await),
                _ = sweeps.tick() => {
                    report("look after jobs", self.sweeper.sweep().await);
                    look = true;
                }
                Some(over) = self.running.join_next() => {
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

    /// Records finished runs and begins due ones. Returns true to look again at once.
    async fn look(&mut self) -> bool {
        match self.step().await {
            Ok(begun) => {
                self.failures_in_a_row = 0;
                // Jobs that end at once are written down together with beginning the next ones.
                tokio::task::yield_now().await;
                self.take_ready_results();
                !self.ended.is_empty() || (begun > 0 && self.look_again == Some(Duration::ZERO))
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

    /// Returns the time until the next look at the queue, unless a signal comes.
    async fn until_next_look(&mut self) -> Duration {
        if self.failures_in_a_row > 0 {
            // The queue is out of reach: 0.2 s, 0.4 s … up to the idle wait.
            let wait = Duration::from_millis(100 << self.failures_in_a_row.min(10));
            return wait.min(self.settings.idle_wait);
        }
        let idle = self.settings.idle_wait.min(self.look_again.unwrap_or(Duration::MAX));
        if let Some(wait) = self.until_lane_opens() {
            return wait.min(idle);
        }
        if self.free_slots().is_empty() {
            return idle;
        }
        let now = self.jobs.clock().now();
        let next = async { queries::find_next_run_at(&mut self.jobs.db().read().await?).await };
        match next.await {
            Ok(Some(next)) => next.since(now).clamp(Duration::from_millis(10), idle),
            _ => idle,
        }
    }

    /// Returns the kinds of which more may be claimed, and how many more; none while the process drains.
    fn free_slots(&self) -> BTreeMap<&'static str, usize> {
        match self.settings.draining.has_begun() {
            true => BTreeMap::new(),
            false => self.running.free_slots(&self.registry),
        }
    }

    /// Limits of this process: the rate is shared by all that work.
    fn lane_limits(&self) -> LaneLimits {
        let workers = u32::try_from(self.sweeper.live_workers()).unwrap_or(u32::MAX);
        LaneLimits { per_second: (self.settings.lanes.per_second / workers).max(1), ..self.settings.lanes }
    }

    fn until_lane_opens(&self) -> Option<Duration> {
        self.rates.until_one_opens(self.lane_limits().per_second)
    }

    /// Writes down what is over, begins what is due; answers how many jobs it began.
    ///
    /// Both in one transaction, because under load that halves their number.
    async fn step(&mut self) -> Result<usize, DbError> {
        self.notice_lost_lease();
        let free = self.free_slots();
        if self.ended.is_empty() && free.is_empty() {
            return Ok(0);
        }
        match self.write_and_claim(free).await {
            Err(error) if error.is_about_the_statement() && !self.ended.is_empty() => {
                report("write down results together", Err::<(), _>(error));
                self.finish_one_by_one().await?;
                Ok(0)
            }
            begun => begun,
        }
    }

    async fn write_and_claim(&mut self, free: BTreeMap<&'static str, usize>) -> Result<usize, DbError> {
        let now = self.jobs.clock().now();
        let (sent, limits) = (Instant::now(), self.lane_limits());
        let mut tx = self.jobs.db().write_replanned().await?;
        let mut changes = BatchChanges::default();
        self.results(now).write(&mut tx, &self.ended, &mut changes).await?;
        let most = self.registry.limits();
        let named_lanes = &self.settings.named_lanes;
        let claim = QueueClaim { worker: &self.id, limits, named_lanes, rates: &self.rates, free, most, now };
        let Claims { begun, look_again } = claim.take(&mut tx).await?;
        // A process that was idle has not beaten: without a beat others would take its new jobs for abandoned.
        let beats =
            !begun.is_empty() && (self.running.is_empty() || self.lease.age() >= self.settings.beat_every);
        if beats {
            queries::beat(&mut tx, &self.id, now).await?;
        }
        for Claimed { job, .. } in &begun {
            if let Some(batch) = job.batch_id.clone().map(BatchId::from)
                && !self.begun_batches.contains(&batch)
            {
                changes.begun(batch);
            }
        }
        changes.write(&mut tx, &self.jobs).await?;
        let mut turns: BTreeMap<i64, i64> = BTreeMap::new();
        for Claimed { job, .. } in &begun {
            let turn = turns.entry(job.priority).or_insert(job.turn);
            *turn = job.turn.max(*turn);
        }
        for (priority, turn) in turns {
            queries::advance_turn(&mut tx, priority, turn).await?;
        }
        tx.commit().await?;

        self.look_again = look_again;
        self.ended.clear();
        if self.begun_batches.len() > 10_000 {
            self.begun_batches.clear();
        }
        self.begun_batches.extend(changes.0.into_keys());
        if beats {
            self.lease.confirm(sent);
        }
        let count = begun.len();
        begun.into_iter().for_each(|claimed| self.spawn(claimed));
        self.lease.set_needed(!self.running.is_empty());
        Ok(count)
    }

    fn results(&self, now: Timestamp) -> ResultWriter<'_> {
        ResultWriter { worker: &self.id, registry: &self.registry, now }
    }

    /// Writes down what is over and begins nothing.
    async fn finish(&mut self) -> Result<(), DbError> {
        if self.ended.is_empty() {
            return Ok(());
        }
        match self.finish_these(&self.ended).await {
            Err(error) if error.is_about_the_statement() => self.finish_one_by_one().await,
            written => {
                written?;
                self.ended.clear();
                Ok(())
            }
        }
    }

    async fn finish_these(&self, ended: &[EndedRun]) -> Result<(), DbError> {
        let now = self.jobs.clock().now();
        let mut tx = self.jobs.db().write_replanned().await?;
        let mut changes = BatchChanges::default();
        self.results(now).write(&mut tx, ended, &mut changes).await?;
        changes.write(&mut tx, &self.jobs).await?;
        tx.commit().await
    }

    /// Writes results down each by itself, so that one that cannot be written fails alone: its job gives up, and when not
    /// even that can be written, it goes back into the queue with the next comparison.
    async fn finish_one_by_one(&mut self) -> Result<(), DbError> {
        while let Some(mut ended) = self.ended.pop() {
            let written = self.finish_these(std::slice::from_ref(&ended)).await;
            let Err(error) = written else { continue };
            if !error.is_about_the_statement() {
                self.ended.push(ended);
                return Err(error);
            }
            let job = ended.job.id.clone();
            tracing::error!(error = &error as &dyn std::error::Error, job, "a result could not be written");
            let reason = writable(&format!("its result could not be written: {error}"));
            ended.result = Err(JobError::give_up(reason));
            if let Err(error) = self.finish_these(std::slice::from_ref(&ended)).await {
                report("write down that a result could not be written", Err::<(), _>(error));
                self.is_unsure = true;
            }
        }
        Ok(())
    }

    fn spawn(&mut self, claimed: Claimed) {
        if let Some(lane) = &claimed.job.lane {
            self.rates.record_start(lane);
        }
        self.running.spawn(claimed, &self.registry, &self.id, self.lease.term());
    }

    fn take_ready_results(&mut self) {
        while let Some(over) = self.running.try_join_next() {
            self.take_result(over);
        }
    }

    fn take_result(&mut self, over: Over) {
        match self.running.take(over) {
            Taken::Ended(ended) => self.ended.push(*ended),
            Taken::LeaseLost => self.is_unsure = true,
            Taken::Stopped => {}
        }
    }

    /// Drops the results of runs whose lease was lost: another process may run these jobs by now.
    fn notice_lost_lease(&mut self) {
        let losses = self.lease.times_lost();
        if losses != self.losses_known {
            self.losses_known = losses;
            self.ended.clear();
            self.is_unsure = true;
        }
    }

    /// Compares what this process runs with what the database says it has.
    async fn reconcile(&mut self) -> Result<(), DbError> {
        self.notice_lost_lease();
        self.lease.set_needed(!self.running.is_empty() || !self.ended.is_empty());
        if self.running.is_empty() && self.ended.is_empty() && !self.is_unsure {
            return Ok(());
        }
        let listed = queries::list_jobs_of(&mut self.jobs.db().read().await?, &self.id).await?;
        let ours: HashMap<String, bool> = listed.into_iter().collect();
        let known: HashSet<&str> =
            self.running.ids().chain(self.ended.iter().map(|ended| ended.job.id.as_str())).collect();
        // The commit that began these was not confirmed, so this process did not start them.
        let not_started: Vec<&String> = ours.keys().filter(|id| !known.contains(id.as_str())).collect();
        if !not_started.is_empty() {
            let mut tx = self.jobs.db().write_replanned().await?;
            for id in not_started {
                let at_once = Timestamp::from_millis(0);
                queries::put_off(&mut tx, &self.id, &id.clone().into(), at_once, None, 1).await?;
            }
            tx.commit().await?;
        }
        self.is_unsure = false;
        self.ended.retain(|ended| ours.contains_key(&ended.job.id));
        self.ended.extend(self.running.obey(&ours, &self.registry));
        Ok(())
    }

    async fn end(mut self) {
        let start = Instant::now();
        self.running.ask_all_to_stop();
        while !self.running.is_empty() {
            let longest = self.running.longest_drain(&self.registry).min(self.settings.drain);
            match tokio::time::timeout_at(start + longest, self.running.join_next()).await {
                Ok(Some(over)) => self.take_result(over),
                Ok(None) | Err(_) => break,
            }
        }
        self.notice_lost_lease();
        report("write down the last results", self.finish().await);
        self.lease.lose();
        report("give jobs back", self.give_back().await);
    }

    /// Gives back what is still ours, uncounted.
    async fn give_back(&mut self) -> Result<(), DbError> {
        let mut tx = self.jobs.db().write_replanned().await?;
        queries::give_back(&mut tx, &self.id).await?;
        queries::leave_maintenance(&mut tx, &self.id).await?;
        tx.commit().await
    }
}

#[cfg(test)]
mod tests;
