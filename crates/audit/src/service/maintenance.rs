//! Maintenance of runs: old ones move to the object store, abandoned ones continue, those of removed domains are deleted.
//! See docs/decisions/0071.

use std::time::Duration;

use store::DbError;

use super::Audits;
use crate::jobs::RunAudit;
use crate::model::{CloseReason, Frequency, Outcome, RunId};
use crate::queries;
use crate::segments::ReadError;
use domains::DomainId;
use platform::jobs::{JobError, JobRun};

/// Time between two rounds.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(5 * 60);
/// Age at which a run is archived.
const ARCHIVED_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);
/// Runs of a domain that stay in the database whatever else was audited since.
const KEPT_NEAR: i64 = 3;
/// Runs that are archived, or queued again, at one look.
const LOOKED_AT_ONCE: i64 = 50;
/// An active run that says nothing for so long has lost its job.
const SILENT: Duration = Duration::from_secs(10 * 60);
/// For how long a removed domain's runs are told from those that never were.
const REMEMBERED: Duration = Duration::from_secs(90 * 24 * 3600);

impl Audits {
    /// Runs one round.
    pub async fn keep(&self, run: &JobRun) -> Result<(), JobError> {
        let now = self.0.clock.now();
        self.requeue_silent().await?;
        let mut tx = self.0.db.write().await?;
        queries::delete_forgotten(&mut tx, now.minus(REMEMBERED)).await?;
        tx.commit().await?;
        let old = now.minus(ARCHIVED_AFTER);
        let due =
            queries::list_archivable(&mut self.0.db.read().await?, old, KEPT_NEAR, LOOKED_AT_ONCE).await?;
        for id in due {
            if run.is_stopping() {
                break;
            }
            self.archive(&id).await.map_err(|error| JobError::retry(error.to_string()))?;
        }
        Ok(())
    }

    /// Requeues active runs that no process works on: an operator removed their job, or a process lost it.
    pub async fn requeue_silent(&self) -> Result<(), DbError> {
        let since = self.0.clock.now().minus(SILENT);
        let silent = queries::list_silent(&mut self.0.db.read().await?, since, LOOKED_AT_ONCE).await?;
        if !silent.is_empty() {
            let mut tx = self.0.db.write().await?;
            // A job that is still there stays the same one.
            self.0.jobs.enqueue(&mut tx, silent.iter().map(RunAudit::job).collect()).await?;
            tx.commit().await?;
            self.0.jobs.wake();
        }
        Ok(())
    }

    /// Moves the results of a run to the object store. Answers stay the same.
    pub async fn archive(&self, id: &RunId) -> Result<(), ReadError> {
        self.0.segments.archive(id, self.0.clock.now()).await
    }

    /// Queues the end of a run whose job gave up: its results so far are kept.
    pub async fn end_later(&self, id: &RunId) -> Result<(), DbError> {
        let Some(run) = self.find_run(id.as_str()).await?.filter(|run| run.is_active) else { return Ok(()) };
        let mut tx = self.0.db.write().await?;
        self.0.jobs.enqueue(&mut tx, vec![RunAudit::ending(&run)]).await?;
        tx.commit().await?;
        self.0.jobs.wake();
        Ok(())
    }

    /// Ends a run as failed, without results.
    pub async fn give_up(&self, id: &RunId, reason: &str) -> Result<(), DbError> {
        let Some(run) = self.find_run(id.as_str()).await?.filter(|run| run.is_active) else { return Ok(()) };
        let outcome = Outcome {
            pages_crawled: run.pages_crawled,
            ..Outcome::nothing(run.request.mode, CloseReason::Crashed, reason)
        };
        let mut tx = self.0.db.write().await?;
        if queries::finish_run(&mut tx, id, &outcome, self.0.clock.now()).await? {
            self.announce_end(&mut tx, &run).await?;
        }
        tx.commit().await?;
        self.0.segments.delete_rows(id, None).await
    }

    /// Deletes the results of a removed domain's runs; the runs themselves are remembered for a while.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), ReadError> {
        let mut tx = self.0.db.write().await?;
        let runs = queries::forget_runs(&mut tx, domain, self.0.clock.now()).await?;
        queries::summaries::delete_summaries(&mut tx, domain).await?;
        self.set_frequency(&mut tx, domain, Frequency::Manual).await?;
        tx.commit().await?;
        for run in runs {
            self.0.segments.forget(&run).await?;
        }
        Ok(())
    }
}
