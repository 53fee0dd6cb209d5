//! How a run of a job failed, and what follows. Made by jobs, read by the worker. Pure.

use std::time::Duration;

/// How a run failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobError {
    pub(super) reason: String,
    pub(super) next: AfterFailure,
}

/// What follows a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AfterFailure {
    /// Another attempt, after this time or the job's own wait.
    Retry(Option<Duration>),
    /// The same, and the job's lane rests: after this time, or longer with every failure in a row.
    Rest(Option<Duration>),
    /// None: the same would happen again.
    GiveUp,
    /// None: an operator does not want it any more.
    Remove,
}

impl JobError {
    /// It may work later.
    pub fn retry(reason: impl Into<String>) -> JobError {
        JobError { reason: reason.into(), next: AfterFailure::Retry(None) }
    }

    /// It may work after this time, for instance what a `Retry-After` said; a day at most.
    pub fn retry_after(reason: impl Into<String>, after: Duration) -> JobError {
        JobError { reason: reason.into(), next: AfterFailure::Retry(Some(after)) }
    }

    /// What the lane stands for is in trouble: none of its jobs runs for a while.
    pub fn rest_lane(reason: impl Into<String>, after: Option<Duration>) -> JobError {
        JobError { reason: reason.into(), next: AfterFailure::Rest(after) }
    }

    /// It was cancelled.
    pub(super) fn cancelled() -> JobError {
        JobError { reason: "cancelled".to_owned(), next: AfterFailure::Remove }
    }

    /// It can never work.
    pub fn give_up(reason: impl Into<String>) -> JobError {
        JobError { reason: reason.into(), next: AfterFailure::GiveUp }
    }
}

impl From<store::DbError> for JobError {
    fn from(error: store::DbError) -> JobError {
        JobError::retry(error.to_string())
    }
}
