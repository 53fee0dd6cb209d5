//! Maintenance that keeps jobs from being lost or forgotten: finding dead workers, due schedules, stuck batches, old rows.
//! A worker is dead when its beats stand still on the reader's own monotonic clock; no two clocks are compared.
//! Every process looks for the dead; the remaining work is one elected process's.
//! See docs/decisions/0052.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use store::{Db, DbError};
use tokio::time::Instant;

use super::WorkerSettings;
use super::aging::Aging;
use super::claim::record_upkeep;
use crate::clock::Timestamp;
use crate::jobs::job::Registry;
use crate::jobs::model::{BatchId, HORIZON};
use crate::jobs::queries::Depth;
use crate::jobs::queue::Jobs;
use crate::jobs::schedule::Schedule;
use crate::jobs::{queries, schedule, schedules};

/// Complete batches can be asked about for so long, and jobs that gave up are kept for so long.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// Maximum number of jobs of an account that gave up and are kept.
const DEAD_PER_ACCOUNT: i64 = 10_000;
/// Time between two trims of accounts.
const TRIM_EVERY: Duration = Duration::from_secs(600);
/// A batch this young may still be in the hands of who makes it.
const YOUNG: Duration = Duration::from_secs(120);
/// Name of the maintenance of all jobs, for which one process is elected.
const CHORE: &str = "sweep";

/// Maintenance of the process's own jobs, and of all jobs when the process is elected.
pub(super) struct Sweeper {
    jobs: Jobs,
    registry: Registry,
    schedules: Vec<Schedule>,
    settings: WorkerSettings,
    id: String,
    /// Other workers: the last heartbeat that we read, and since when it has not changed, by our own monotonic clock.
    others: HashMap<String, (i64, Instant)>,
    /// Elected process: its id, its last beat, and since when the beat has not changed.
    elected: Option<(String, i64, Instant)>,
    last_trim: Option<Instant>,
    aging: Aging,
    shows_depth: bool,
}

impl Sweeper {
    pub fn new(
        jobs: &Jobs,
        registry: &Registry,
        schedules: Vec<Schedule>,
        settings: &WorkerSettings,
        id: &str,
    ) -> Sweeper {
        Sweeper {
            jobs: jobs.clone(),
            registry: registry.clone(),
            schedules,
            settings: settings.clone(),
            id: id.to_owned(),
            others: HashMap::new(),
            elected: None,
            last_trim: None,
            aging: Aging::default(),
            shows_depth: false,
        }
    }

    fn db(&self) -> &Db {
        self.jobs.db()
    }

    /// Returns the number of working processes, this one included.
    pub fn live_workers(&self) -> usize {
        self.others.len() + 1
    }

    /// Runs one round.
    pub async fn sweep(&mut self) -> Result<(), DbError> {
        self.reclaim_dead_workers().await?;
        schedule::keep(&self.jobs, &self.schedules).await?;
        self.tell_deaths().await?;
        if self.is_elected().await? {
            schedules::queue_due(&self.jobs).await?;
            self.look_after_all().await?;
            self.shows_depth = true;
            self.publish_depth().await?;
        } else if std::mem::take(&mut self.shows_depth) {
            self.hide_depth();
        }
        Ok(())
    }

    /// Returns true when this process maintains the whole queue: it did before, or the process that did has not
    /// reported for as long as a lease.
    async fn is_elected(&mut self) -> Result<bool, DbError> {
        let found = queries::find_maintainer(&mut self.db().read().await?, CHORE).await?;
        let seen = match &found {
            None => None,
            Some((worker, beat)) if *worker == self.id => Some(*beat),
            Some((worker, beat)) => {
                let known = self.elected.take().filter(|(id, last, _)| id == worker && last == beat);
                let since = known.map_or_else(Instant::now, |(_, _, since)| since);
                self.elected = Some((worker.clone(), *beat, since));
                if since.elapsed() < self.settings.lease {
                    return Ok(false);
                }
                Some(*beat)
            }
        };
        let mut tx = self.db().write_replanned().await?;
        let is_ours = queries::take_maintenance(&mut tx, CHORE, &self.id, seen).await?;
        tx.commit().await?;
        Ok(is_ours)
    }

    async fn look_after_all(&mut self) -> Result<(), DbError> {
        let (now, since) = (self.jobs.clock().now(), Instant::now());
        let mut tx = self.db().write_replanned().await?;
        queries::bring_forward(&mut tx, now.plus(HORIZON)).await?;
        let closed: Vec<String> =
            queries::list_troubled_lanes(&mut tx).await?.into_iter().map(|lane| lane.lane).collect();
        self.aging.raise_overdue(&mut tx, now, &closed).await?;
        queries::close_abandoned_batches(&mut tx, now.minus(YOUNG), now).await?;
        queries::complete_stuck_batches(&mut tx, now.minus(YOUNG), now).await?;
        queries::delete_old_batches(&mut tx, now.minus(KEPT)).await?;
        queries::delete_old_dead(&mut tx, now.minus(KEPT)).await?;
        tx.commit().await?;
        record_upkeep("sweep", since);
        if self.last_trim.is_none_or(|last| last.elapsed() >= TRIM_EVERY) {
            self.trim_dead().await?;
            self.last_trim = Some(Instant::now());
        }
        Ok(())
    }

    async fn trim_dead(&self) -> Result<(), DbError> {
        let accounts = queries::list_accounts_with_dead(&mut self.db().read().await?).await?;
        for account in accounts {
            let mut tx = self.db().write_replanned().await?;
            queries::delete_dead_beyond(&mut tx, &account, DEAD_PER_ACCOUNT).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Notifies the kinds with a hook of their jobs that gave up. A job is notified again when this fails half-way.
    async fn tell_deaths(&self) -> Result<(), DbError> {
        let told = self.registry.0.iter().filter(|(_, kind)| kind.died.is_some());
        let kinds: Vec<String> = told.map(|(name, _)| (*name).to_owned()).collect();
        if kinds.is_empty() {
            return Ok(());
        }
        for job in queries::list_untold(&mut self.db().read().await?, &kinds).await? {
            let Some(died) = self.registry.0.get(job.kind.as_str()).and_then(|kind| kind.died.as_ref())
            else {
                continue;
            };
            died(job.payload, job.error.unwrap_or_default()).await?;
            let mut tx = self.db().write_replanned().await?;
            queries::record_told(&mut tx, &job.id.into()).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    async fn reclaim_dead_workers(&mut self) -> Result<(), DbError> {
        let workers = queries::list_workers(&mut self.db().read().await?).await?;
        let names: HashSet<&String> = workers.iter().map(|(id, _)| id).collect();
        self.others.retain(|id, _| names.contains(id));
        for (id, beat) in workers {
            if id == self.id {
                continue;
            }
            let seen = self.others.entry(id.clone()).or_insert((beat, Instant::now()));
            if seen.0 != beat {
                *seen = (beat, Instant::now());
            } else if seen.1.elapsed() >= self.settings.lease {
                self.reclaim(&id, beat).await?;
                self.others.remove(&id);
            }
        }
        Ok(())
    }

    /// Takes over from every worker there is a trace of.
    pub async fn reclaim_all(&mut self) -> Result<(), DbError> {
        let workers = queries::list_workers(&mut self.db().read().await?).await?;
        for (id, beat) in workers {
            self.reclaim(&id, beat).await?;
        }
        let chore = queries::find_maintainer(&mut self.db().read().await?, CHORE).await?;
        if let Some((worker, _)) = chore.filter(|(worker, _)| *worker != self.id) {
            let mut tx = self.db().write_replanned().await?;
            queries::leave_maintenance(&mut tx, &worker).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    async fn reclaim(&self, worker: &str, last_beat: i64) -> Result<(), DbError> {
        let now = self.jobs.clock().now();
        let mut tx = self.db().write_replanned().await?;
        // Listed before the worker's row is locked: what it begins afterwards, should it live, stays its own.
        let listed = queries::list_jobs_of(&mut tx, worker).await?;
        let ids: Vec<String> = listed.into_iter().map(|(id, _)| id).collect();
        if !queries::remove_worker(&mut tx, worker, last_beat).await? {
            return Ok(());
        }
        if !ids.is_empty() {
            let back = queries::reclaim(&mut tx, worker, &ids).await?;
            let lost = queries::give_up_lost(&mut tx, worker, &ids, now).await?;
            let mut failed: BTreeMap<BatchId, i64> = BTreeMap::new();
            for batch in lost.iter().flatten() {
                *failed.entry(batch.clone()).or_default() += 1;
            }
            for (batch, failed) in failed {
                self.jobs.count_in_batch(&mut tx, &batch, (0, failed)).await?;
            }
            tracing::warn!(
                worker,
                jobs = back,
                given_up = lost.len(),
                "jobs of a process that ended go back into the queue"
            );
        }
        tx.commit().await?;
        self.jobs.wake();
        Ok(())
    }

    fn kinds(&self) -> Vec<&'static str> {
        match self.settings.kinds.is_empty() {
            true => self.registry.kinds(),
            false => self.settings.kinds.clone(),
        }
    }

    async fn publish_depth(&self) -> Result<(), DbError> {
        let (now, since) = (self.jobs.clock().now(), Instant::now());
        let kinds: Vec<String> = self.kinds().into_iter().map(str::to_owned).collect();
        let depths = queries::count_depths(&mut self.db().read_replanned().await?, &kinds).await?;
        record_upkeep("depth", since);
        for Depth { kind, state, jobs, oldest } in depths {
            let age = oldest.map_or(Duration::ZERO, |oldest| now.since(Timestamp::from_millis(oldest)));
            let labels = [("kind", kind), ("state", state)];
            #[expect(clippy::cast_precision_loss, reason = "a gauge")]
            metrics::gauge!("glasshouse_jobs", &labels).set(jobs as f64);
            metrics::gauge!("glasshouse_jobs_oldest_seconds", &labels).set(age.as_secs_f64());
        }
        Ok(())
    }

    /// Leaves the showing to who is elected now.
    fn hide_depth(&self) {
        for kind in self.kinds() {
            for state in ["waiting", "running", "dead"] {
                metrics::gauge!("glasshouse_jobs", "kind" => kind, "state" => state).set(0.0);
                metrics::gauge!("glasshouse_jobs_oldest_seconds", "kind" => kind, "state" => state).set(0.0);
            }
        }
    }
}
