//! Recurring jobs of owners (audits of a domain, answers to a prompt), stored as rows. The elected process turns due rows
//! into jobs: each occurrence once, whatever the number of processes, and one late job for all missed occurrences.
//! See docs/decisions/0225.

use std::time::Duration;

use store::{DbError, Tx};

use super::model::NewJob;
use super::queries;
use super::queue::Jobs;
use super::recurrence::Recurrence;
use crate::clock::Timestamp;

/// Rows that one transaction turns into jobs.
const SOME: i64 = 500;
/// Transactions of one look. What is left is due at the next one, seconds later.
const ROUNDS: usize = 20;
/// No rule's next time is further away than this. A time that is was planned by a clock that was ahead.
const HORIZON: Duration = Duration::from_secs(34 * 24 * 3600);

impl Jobs {
    /// Queues a job for an owner whenever the rule says so, from its next time on; in the caller's transaction.
    ///
    /// There is one rule for each owner and kind of job. The same rule again leaves the planned time as it is. A job
    /// without a unique key gets one: it is not queued beside an earlier one of the same owner.
    pub async fn set_schedule(
        &self,
        tx: &mut Tx,
        owner: &str,
        rule: &Recurrence,
        job: NewJob,
    ) -> Result<Timestamp, DbError> {
        let text = serde_json::to_string(rule).expect("rules are plain data");
        let known = queries::find_recurrence(tx, owner, &job.kind).await?;
        let next = match known.filter(|(before, _)| *before == text) {
            Some((_, next)) => Timestamp::from_millis(next),
            None => rule.next_after(self.clock().now(), owner),
        };
        let job = match job.unique_key {
            Some(_) => job,
            None => job.unique(format!("schedule:{owner}")),
        };
        queries::put_recurrence(tx, owner, (&text, next), &job).await?;
        Ok(next)
    }

    /// Queues no more jobs of a kind for an owner. What is queued already stays.
    pub async fn remove_schedule(&self, tx: &mut Tx, owner: &str, kind: &str) -> Result<(), DbError> {
        queries::delete_recurrence(tx, owner, kind).await
    }

    /// Returns the time at which the next job of a kind is queued for an owner; `None`: there is no rule.
    pub async fn next_run(&self, owner: &str, kind: &str) -> Result<Option<Timestamp>, DbError> {
        queries::find_next_run(&mut self.db().read().await?, owner, kind).await
    }
}

/// Queues what is due; answers how many jobs that were.
pub(super) async fn queue_due(jobs: &Jobs) -> Result<u64, DbError> {
    let mut queued = 0;
    for _ in 0..ROUNDS {
        let (found, new) = queue_some(jobs).await?;
        queued += new;
        if found < SOME.unsigned_abs() {
            break;
        }
    }
    if queued > 0 {
        jobs.wake();
    }
    Ok(queued)
}

async fn queue_some(jobs: &Jobs) -> Result<(u64, u64), DbError> {
    let now = jobs.clock().now();
    let mut tx = jobs.db().write().await?;
    let rows = queries::list_due_recurrences(&mut tx, (now, now.plus(HORIZON)), SOME).await?;
    let found = rows.len() as u64;
    let mut due = Vec::new();
    for row in rows {
        let next = match serde_json::from_str::<Recurrence>(&row.recurrence) {
            Ok(rule) => rule.next_after(now, &row.owner),
            Err(error) => {
                // Written by a later version, which may come back.
                tracing::error!(owner = row.owner, kind = row.kind, %error, "a schedule cannot be read");
                queries::plan_recurrence(&mut tx, &row, now.plus(Duration::from_secs(3600))).await?;
                continue;
            }
        };
        queries::plan_recurrence(&mut tx, &row, next).await?;
        if row.next_at <= now.as_millis() {
            due.push(row.job());
        }
    }
    let queued = if due.is_empty() { 0 } else { jobs.enqueue(&mut tx, due).await? };
    tx.commit().await?;
    Ok((found, queued))
}
