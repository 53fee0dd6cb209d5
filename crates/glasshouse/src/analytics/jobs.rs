//! The background work of crawler analytics: closing days that are over, and deleting what is too old.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::service::Analytics;
use crate::jobs::{Job, JobError, JobOutcome, JobRun, Registry, Schedule};

/// How often days are looked through: late visits come at any time.
const EVERY: Duration = Duration::from_secs(3600);
/// Into the hour: what was counted before midnight has left the spools by then.
const OFFSET: Duration = Duration::from_secs(10 * 60);

/// Closes days that are over, and deletes visits that are older than they are kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CloseDays {}

impl Job for CloseDays {
    const KIND: &'static str = "CloseDays";
    // An hour later there is another one.
    const MAX_ATTEMPTS: u32 = 3;
    type Services = Analytics;

    async fn run(&self, analytics: &Analytics, _: &JobRun) -> Result<JobOutcome, JobError> {
        analytics.delete_old_visits().await?;
        analytics.close_days().await?;
        Ok(JobOutcome::Done)
    }
}

/// Adds the feature's jobs to what a worker can do.
pub fn register(registry: Registry, analytics: &Analytics) -> Registry {
    registry.with::<CloseDays>(analytics.clone(), 1)
}

/// What the worker has to queue again and again.
pub fn schedules() -> Vec<Schedule> {
    let close = Schedule::every(EVERY, "days of visits", || CloseDays {}.queued_for("service"));
    vec![Schedule { offset: OFFSET, ..close }]
}
