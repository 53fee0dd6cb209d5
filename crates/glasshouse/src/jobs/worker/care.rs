//! What keeps jobs from being lost: showing that we live, finding out who does not, and keeping the clock's jumps harmless.
//! Whether a worker is dead is told by its beats standing still on our own monotonic clock; no two clocks are compared.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use store::DbError;
use tokio::time::Instant;

use super::Worker;
use super::step::HORIZON;
use crate::clock::Timestamp;
use crate::jobs::model::BatchId;
use crate::jobs::{queries, schedule};

/// Complete batches can be asked about for so long.
const BATCHES_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

impl Worker {
    /// Shows that this worker lives, and compares what it has with what the database says it has.
    pub(super) async fn beat(&mut self) -> Result<(), DbError> {
        if self.running.is_empty() && self.ended.is_empty() && !self.is_unsure {
            self.last_beat = Instant::now();
            return Ok(());
        }
        let now = self.jobs.clock().now();
        let mut tx = self.jobs.db().write().await?;
        queries::beat(&mut tx, &self.id, now).await?;
        let ours: HashSet<String> = queries::list_jobs_of(&mut tx, &self.id).await?.into_iter().collect();
        let running = self.running.values().map(|running| &running.job.id);
        let known: HashSet<&String> = running.chain(self.ended.iter().map(|ended| &ended.job.id)).collect();
        // Begun by a transaction whose commit was not confirmed: nobody runs them.
        for id in ours.iter().filter(|id| !known.contains(id)) {
            let (id, at_once) = (id.clone().into(), Timestamp::from_millis(0));
            queries::put_off(&mut tx, &self.id, &id, at_once, None, 1).await?;
        }
        tx.commit().await?;
        self.last_beat = Instant::now();
        self.is_unsure = false;
        // Cancelled, or taken away because we were silent for too long: the result would be refused.
        for running in self.running.values().filter(|running| !ours.contains(&running.job.id)) {
            running.abort.abort();
        }
        self.ended.retain(|ended| ours.contains(&ended.job.id));
        Ok(())
    }

    /// Stops everything when the database has not heard of us for so long that others may have taken our jobs.
    pub(super) fn drop_lost_leases(&mut self) {
        let margin = self.settings.beat_every.min(self.settings.lease / 4);
        let has_jobs = !self.running.is_empty() || !self.ended.is_empty();
        if has_jobs && self.last_beat.elapsed() + margin > self.settings.lease {
            tracing::warn!(
                jobs = self.running.len(),
                "the database was out of reach for too long: running jobs are dropped"
            );
            self.abort_all();
        }
    }

    /// Looks for dead workers, due schedules and the traces of wrong clocks.
    pub(super) async fn sweep(&mut self) -> Result<(), DbError> {
        self.bury_the_dead().await?;
        schedule::keep(&self.jobs, &self.schedules).await?;
        let now = self.jobs.clock().now();
        let mut tx = self.jobs.db().write().await?;
        queries::bring_forward(&mut tx, now.plus(HORIZON)).await?;
        queries::delete_old_batches(&mut tx, now.minus(BATCHES_KEPT)).await?;
        tx.commit().await?;
        self.publish_depth().await
    }

    async fn bury_the_dead(&mut self) -> Result<(), DbError> {
        let workers = queries::list_workers(&mut self.jobs.db().read().await?).await?;
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
    pub(super) async fn reclaim_all(&mut self) -> Result<(), DbError> {
        let workers = queries::list_workers(&mut self.jobs.db().read().await?).await?;
        for (id, beat) in workers {
            self.reclaim(&id, beat).await?;
        }
        Ok(())
    }

    async fn reclaim(&self, worker: &str, last_beat: i64) -> Result<(), DbError> {
        let now = self.jobs.clock().now();
        let mut tx = self.jobs.db().write().await?;
        // Listed before the worker's row is locked: what it begins afterwards, should it live, stays its own.
        let ids = queries::list_jobs_of(&mut tx, worker).await?;
        if !queries::remove_worker(&mut tx, worker, last_beat).await? {
            return Ok(());
        }
        if !ids.is_empty() {
            let back = queries::reclaim(&mut tx, worker, &ids).await?;
            let lost = queries::bury_lost(&mut tx, worker, &ids, now).await?;
            let mut failed: BTreeMap<BatchId, i64> = BTreeMap::new();
            for batch in lost.iter().flatten() {
                *failed.entry(batch.clone()).or_default() += 1;
            }
            for (batch, failed) in failed {
                queries::count_in_batch(&mut tx, &batch, 0, failed, now).await?;
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

    /// Gives back what is still ours, uncounted.
    pub(super) async fn give_back(&mut self) -> Result<(), DbError> {
        let mut tx = self.jobs.db().write().await?;
        queries::give_back(&mut tx, &self.id).await?;
        tx.commit().await
    }

    async fn publish_depth(&mut self) -> Result<(), DbError> {
        let counts = queries::count_jobs(&mut self.jobs.db().read().await?).await?;
        let now = self.jobs.clock().now();
        let mut depth: HashMap<(String, String), (i64, i64)> = HashMap::new();
        for count in counts {
            depth.insert((count.kind, count.state), (count.jobs, count.oldest));
        }
        for kind in self.registry.0.keys() {
            for state in ["waiting", "running", "dead"] {
                let (jobs, oldest) = depth
                    .get(&((*kind).to_owned(), state.to_owned()))
                    .copied()
                    .unwrap_or((0, now.as_millis()));
                let age = now.since(Timestamp::from_millis(oldest));
                #[expect(clippy::cast_precision_loss, reason = "a gauge")]
                metrics::gauge!("glasshouse_jobs", "kind" => *kind, "state" => state).set(jobs as f64);
                metrics::gauge!("glasshouse_jobs_oldest_seconds", "kind" => *kind, "state" => state)
                    .set(age.as_secs_f64());
            }
        }
        Ok(())
    }

    /// Runs everything that is due and everything that follows from it. For tests and commands.
    #[cfg(test)]
    pub async fn run_until_idle(&mut self) {
        loop {
            let begun = self.step().await.expect("the database answers");
            if begun == 0 && self.ended.is_empty() {
                match (self.tasks.join_next_with_id().await, self.until_lane_opens()) {
                    (Some(over), _) => self.take_result(over),
                    (None, Some(wait)) => tokio::time::sleep(wait).await,
                    (None, None) => return,
                }
            }
            self.take_ready_results();
        }
    }
}
