//! Failures of a job's run, and their consequences. Made by jobs, read by the worker. Pure.

use std::time::Duration;

/// Failure of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobError {
    pub(super) reason: String,
    pub(super) next: AfterFailure,
}

/// Consequence of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AfterFailure {
    /// Another attempt, after this time or the job's own wait.
    Retry(Option<Duration>),
    /// Retry, and a cooldown of the job's lane: of this length, or longer with every failure in a row.
    Rest(Option<Duration>),
    /// None: the same would happen again.
    GiveUp,
    /// None: an operator does not want it any more.
    Remove,
}

impl JobError {
    /// Makes a failure that may not recur later.
    pub fn retry(reason: impl Into<String>) -> JobError {
        JobError { reason: reason.into(), next: AfterFailure::Retry(None) }
    }

    /// Makes a failure to be retried after this time, for instance that of a `Retry-After`; a day at most.
    pub fn retry_after(reason: impl Into<String>, after: Duration) -> JobError {
        JobError { reason: reason.into(), next: AfterFailure::Retry(Some(after)) }
    }

    /// Makes a failure of whatever the lane stands for: none of the lane's jobs runs during a cooldown.
    pub fn rest_lane(reason: impl Into<String>, after: Option<Duration>) -> JobError {
        JobError { reason: reason.into(), next: AfterFailure::Rest(after) }
    }

    /// Makes the failure of a cancelled job.
    pub(super) fn cancelled() -> JobError {
        JobError { reason: "cancelled".to_owned(), next: AfterFailure::Remove }
    }

    /// Makes a permanent failure.
    pub fn give_up(reason: impl Into<String>) -> JobError {
        JobError { reason: reason.into(), next: AfterFailure::GiveUp }
    }
}

impl From<store::DbError> for JobError {
    fn from(error: store::DbError) -> JobError {
        JobError::retry(error.to_string())
    }
}
