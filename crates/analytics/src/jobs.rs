//! The background work of crawler analytics: deleting what is too old.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::service::Analytics;
use platform::jobs::{Job, JobError, JobOutcome, JobRun, Registry, Schedule};

/// Interval between two deletions of old days.
const EVERY: Duration = Duration::from_secs(3600);
/// Into the hour: what was counted before midnight has left the spools by then.
const OFFSET: Duration = Duration::from_secs(10 * 60);

/// Deletes visits that are older than they are kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeleteOldVisits {}

impl Job for DeleteOldVisits {
    const KIND: &'static str = "DeleteOldVisits";
    // An hour later there is another one.
    const MAX_ATTEMPTS: u32 = 3;
    type Services = Analytics;

    async fn run(&self, analytics: &Analytics, _: &JobRun) -> Result<JobOutcome, JobError> {
        analytics.delete_old_visits().await?;
        Ok(JobOutcome::Done)
    }
}

/// Adds the feature's jobs to what a worker can do.
pub fn register(registry: Registry, analytics: &Analytics) -> Registry {
    registry.with::<DeleteOldVisits>(analytics.clone(), 1)
}

/// What the worker has to queue again and again.
pub fn schedules() -> Vec<Schedule> {
    let delete = Schedule::every(EVERY, "days of visits", || DeleteOldVisits {}.queued_for("service"));
    vec![Schedule { offset: OFFSET, ..delete }]
}
