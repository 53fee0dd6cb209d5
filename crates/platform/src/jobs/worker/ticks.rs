//! Timers of the worker and its heartbeat, and their log line when the database does not answer.

use std::time::Duration;

use store::DbError;
use tokio::time::MissedTickBehavior;

/// Logs an error of the database. The worker goes on and retries later.
pub(super) fn report<T>(what: &'static str, result: Result<T, DbError>) {
    if let Err(error) = result {
        tracing::warn!(error = &error as &dyn std::error::Error, what, "the job queue does not answer");
    }
}

/// Makes a timer whose first tick is at once and which never makes up for missed ticks.
pub(super) fn every(period: Duration) -> tokio::time::Interval {
    let mut interval = tokio::time::interval(period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
