//! Records the outcomes of runs: done, again, later, dead; and counts them in their batches. Used by the worker.
//! Must never count a run whose job belongs to another worker by now: every statement names the worker.
//! See docs/decisions/0053.

use std::collections::BTreeMap;
use std::time::Duration;

use store::{DbError, Tx};

use super::lanes;
use crate::clock::Timestamp;
use crate::jobs::failure::{AfterFailure, JobError};
use crate::jobs::job::{JobOutcome, Registry};
use crate::jobs::model::{BatchId, HORIZON, JobId, JobPriority, backoff};
use crate::jobs::queries::{self, Candidate};
use crate::jobs::queue::Jobs;

/// Wait after a failure of a job whose kind this process does not know.
const UNKNOWN_WAIT: Duration = Duration::from_secs(60);
/// Longest stored reason of a failure.
const MAX_REASON_CHARS: usize = 2_000;

/// A run that is over and not yet written down.
pub(super) struct EndedRun {
    pub job: Candidate,
    pub rest_id: Option<String>,
    pub result: Result<JobOutcome, JobError>,
}

/// Changes of batches, applied at the end of a transaction: contended rows are locked last, in one order.
#[derive(Default)]
pub(super) struct BatchChanges(pub BTreeMap<BatchId, (i64, i64)>);

impl BatchChanges {
    pub fn begun(&mut self, batch: BatchId) {
        self.0.entry(batch).or_default();
    }

    pub fn done(&mut self, batches: Vec<Option<BatchId>>) {
        for batch in batches.into_iter().flatten() {
            self.0.entry(batch).or_default().0 += 1;
        }
    }

    pub fn failed(&mut self, batches: impl IntoIterator<Item = Option<BatchId>>) {
        for batch in batches.into_iter().flatten() {
            self.0.entry(batch).or_default().1 += 1;
        }
    }

    pub async fn write(&self, tx: &mut Tx, jobs: &Jobs) -> Result<(), DbError> {
        for (batch, counts) in &self.0 {
            jobs.count_in_batch(tx, batch, *counts).await?;
        }
        Ok(())
    }
}

/// Writer of results in the name of one worker.
pub(super) struct ResultWriter<'a> {
    pub worker: &'a str,
    pub registry: &'a Registry,
    pub now: Timestamp,
}

impl ResultWriter<'_> {
    /// Writes down these runs.
    pub async fn write(
        &self,
        tx: &mut Tx,
        ended: &[EndedRun],
        changes: &mut BatchChanges,
    ) -> Result<(), DbError> {
        let mut done = Vec::new();
        let mut well: BTreeMap<&str, &str> = BTreeMap::new();
        for ended in ended {
            let job = &ended.job;
            let result = match &ended.result {
                Ok(JobOutcome::Done) => {
                    done.push(job.id.clone());
                    well.extend(job.lane.as_deref().zip(ended.rest_id.as_deref()));
                    "done"
                }
                Ok(JobOutcome::Later(after)) => {
                    let run_at = self.now.plus((*after).min(HORIZON));
                    queries::put_off(tx, self.worker, &job.id.clone().into(), run_at, None, 1).await?;
                    "later"
                }
                Err(error) => self.write_failure(tx, changes, job, error).await?,
            };
            let kind = job.kind.clone();
            metrics::counter!("glasshouse_jobs_ended_total", "kind" => kind, "result" => result).increment(1);
        }
        if !done.is_empty() {
            let deleted = queries::delete_done(tx, self.worker, &done).await?;
            if deleted.len() < done.len() {
                queries::rerun(tx, self.worker, &done).await?;
            }
            changes.done(deleted);
        }
        for (lane, rest_id) in well {
            queries::clear_lane(tx, lane, rest_id).await?;
        }
        Ok(())
    }

    async fn write_failure(
        &self,
        tx: &mut Tx,
        changes: &mut BatchChanges,
        job: &Candidate,
        error: &JobError,
    ) -> Result<&'static str, DbError> {
        let id: JobId = job.id.clone().into();
        let attempt = job.attempts + 1;
        let reason = &writable(&error.reason);
        if error.next == AfterFailure::Remove {
            changes.failed(queries::delete_cancelled(tx, self.worker, &id).await?);
            return Ok("cancelled");
        }
        tracing::info!(job = %id, kind = job.kind, attempt, reason, "a job failed");
        if let (AfterFailure::Rest(after), Some(lane)) = (&error.next, &job.lane) {
            let is_given_up = self.rest_lane(tx, changes, job, lane, (*after, reason)).await?;
            if !is_given_up {
                // The job waits until its lane's rest ends. The lane's trouble is not the job's fault: the attempt does not count.
                let at_once = Timestamp::from_millis(0);
                queries::put_off(tx, self.worker, &id, at_once, Some(reason), 1).await?;
                return Ok("retried");
            }
            return self.give_up(tx, changes, &id, reason).await;
        }
        let wait = match &error.next {
            AfterFailure::Retry(after) | AfterFailure::Rest(after) if attempt < job.max_attempts => *after,
            _ => return self.give_up(tx, changes, &id, reason).await,
        };
        let wait = wait.unwrap_or_else(|| self.wait_after(job, attempt)).min(HORIZON);
        queries::put_off(tx, self.worker, &id, self.now.plus(wait), Some(reason), 0).await?;
        Ok("retried")
    }

    async fn give_up(
        &self,
        tx: &mut Tx,
        changes: &mut BatchChanges,
        id: &JobId,
        reason: &str,
    ) -> Result<&'static str, DbError> {
        match queries::give_up(tx, self.worker, id, reason, self.now).await? {
            Some(batch) => changes.failed([batch]),
            None => {
                // Asked for again meanwhile, or not ours any more.
                queries::rerun(tx, self.worker, std::slice::from_ref(&id.as_str().to_owned())).await?;
            }
        }
        Ok("dead")
    }

    /// Begins a cooldown of a lane. Returns true when work of this kind has waited long enough for the lane and gives up.
    async fn rest_lane(
        &self,
        tx: &mut Tx,
        changes: &mut BatchChanges,
        job: &Candidate,
        lane: &str,
        (asked, reason): (Option<Duration>, &str),
    ) -> Result<bool, DbError> {
        let before = queries::find_troubled_lane(tx, lane).await?;
        let after = lanes::after_failure(lane, before.as_ref(), asked, self.now, rand::random());
        if let Some(after) = &after {
            queries::rest_lane(tx, after).await?;
        }
        let patience = self.registry.0.get(job.kind.as_str()).map_or(Duration::MAX, |kind| kind.patience);
        let current = after.or(before);
        if !current.is_some_and(|lane| lanes::is_given_up(&lane, patience, self.now)) {
            return Ok(false);
        }
        let rank = JobPriority::Bulk.rank();
        let kind = job.kind.as_str();
        changes.failed(queries::give_up_on_lane(tx, (lane, kind), rank, reason, self.now).await?);
        Ok(true)
    }

    fn wait_after(&self, job: &Candidate, attempt: i64) -> Duration {
        let Some(kind) = self.registry.0.get(job.kind.as_str()) else { return UNKNOWN_WAIT };
        let attempt = u32::try_from(attempt).unwrap_or(u32::MAX);
        backoff(attempt, kind.first_wait, kind.longest_wait, rand::random())
    }
}

/// Cleans a reason for both databases: PostgreSQL refuses NUL in a text.
pub(super) fn writable(reason: &str) -> String {
    reason.chars().filter(|c| *c != '\0').take(MAX_REASON_CHARS).collect()
}
