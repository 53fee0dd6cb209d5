//! Context of a job's run: the attempt, the signal to stop, the checkpoint of an earlier attempt.
//! Used by jobs. A long job writes under [`JobRun::hold`]: an attempt that lost its lease changes nothing.

use serde::Serialize;
use serde::de::DeserializeOwned;
use store::{DbError, Tx};
use tokio_util::sync::CancellationToken;

use super::failure::JobError;
use super::model::{BatchId, JobId};
use super::queries::{self, Candidate};
use crate::clock::Timestamp;

/// One attempt at a job.
#[derive(Debug, Clone)]
pub struct JobRun {
    pub id: JobId,
    pub account: String,
    pub domain: Option<String>,
    pub batch: Option<BatchId>,
    /// 1 at the first attempt.
    pub attempt: u32,
    /// True when a failure is final.
    pub is_last_attempt: bool,
    /// Time at which it was queued.
    pub queued_at: Timestamp,
    worker: String,
    checkpoint: Option<String>,
    stop: CancellationToken,
}

/// Reason why an attempt may not write.
#[derive(Debug, thiserror::Error)]
pub enum HoldError {
    /// Another process has taken the job over, or it was removed.
    #[error("another process has taken the job over, or it was removed")]
    Lost,
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] DbError),
}

impl From<HoldError> for JobError {
    fn from(error: HoldError) -> JobError {
        JobError::retry(error.to_string())
    }
}

impl JobRun {
    pub(super) fn new(job: &Candidate, worker: &str, stop: CancellationToken) -> JobRun {
        let attempt = job.attempts + 1;
        JobRun {
            id: job.id.clone().into(),
            account: job.account_id.clone(),
            domain: job.domain_id.clone(),
            batch: job.batch_id.clone().map(BatchId::from),
            attempt: u32::try_from(attempt).unwrap_or(u32::MAX),
            is_last_attempt: attempt >= job.max_attempts,
            queued_at: Timestamp::from_millis(job.created_at),
            worker: worker.to_owned(),
            checkpoint: job.checkpoint.clone(),
            stop,
        }
    }

    /// Checks that this attempt still owns its job, and locks the job until the transaction ends.
    pub async fn hold(&self, tx: &mut Tx) -> Result<(), HoldError> {
        match queries::hold_job(tx, &self.id, &self.worker, i64::from(self.attempt)).await? {
            true => Ok(()),
            false => Err(HoldError::Lost),
        }
    }

    /// Returns the point at which an earlier attempt was cut off; `None` without one, or when another version wrote it.
    pub fn checkpoint<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.checkpoint.as_deref()?).ok()
    }

    /// Stores the checkpoint of the next attempt and the visible progress of the job, together with the caller's writes.
    pub async fn save(
        &self,
        tx: &mut Tx,
        checkpoint: &impl Serialize,
        progress: &impl Serialize,
    ) -> Result<(), HoldError> {
        self.hold(tx).await?;
        let text = |value: serde_json::Result<String>| value.expect("checkpoints are plain data");
        let (checkpoint, progress) =
            (text(serde_json::to_string(checkpoint)), text(serde_json::to_string(progress)));
        Ok(queries::save_checkpoint(tx, &self.id, &checkpoint, &progress).await?)
    }

    /// Returns true when the job was cancelled or the process ends: the job should save its progress and return.
    pub fn is_stopping(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Waits until [`JobRun::is_stopping`].
    pub async fn stopping(&self) {
        self.stop.cancelled().await;
    }
}
