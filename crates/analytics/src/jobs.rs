//! Background work of crawler analytics: deletion of old visits, and the watch over crawlers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::service::Analytics;
use super::watch::CrawlerWatch;
use platform::jobs::{Job, JobError, JobOutcome, JobRun, Registry, Schedule};

/// Interval between two deletions of old days.
const EVERY: Duration = Duration::from_secs(3600);
/// Interval between two looks at crawlers.
const LOOK_EVERY: Duration = Duration::from_secs(5 * 60);
/// Delay after the full hour: counts from before midnight have left the spools by then.
const OFFSET: Duration = Duration::from_secs(10 * 60);

/// Job that deletes visits by page older than `analytics.keep_days`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeleteOldVisits {}

impl Job for DeleteOldVisits {
    const KIND: &'static str = "DeleteOldVisits";
    // The next run follows an hour later.
    const MAX_ATTEMPTS: u32 = 3;
    type Services = Analytics;

    async fn run(&self, analytics: &Analytics, _: &JobRun) -> Result<JobOutcome, JobError> {
        analytics.delete_old_visits().await?;
        Ok(JobOutcome::Done)
    }
}

/// Job that looks for crawlers that are new, gone, failing or false.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WatchCrawlers {}

impl Job for WatchCrawlers {
    const KIND: &'static str = "WatchCrawlers";
    const MOST_AT_ONCE: Option<usize> = Some(1);
    // The next run follows minutes later.
    const MAX_ATTEMPTS: u32 = 1;
    type Services = CrawlerWatch;

    async fn run(&self, watch: &CrawlerWatch, _: &JobRun) -> Result<JobOutcome, JobError> {
        watch.look().await?;
        Ok(JobOutcome::Done)
    }
}

/// Registers the feature's jobs with a worker.
pub fn register(registry: Registry, analytics: &Analytics, watch: &CrawlerWatch) -> Registry {
    registry.with::<DeleteOldVisits>(analytics.clone(), 1).with::<WatchCrawlers>(watch.clone(), 1)
}

/// Returns the schedules of the worker's recurring jobs.
pub fn schedules() -> Vec<Schedule> {
    let delete = Schedule::every(EVERY, "days of visits", || DeleteOldVisits {}.queued_for("service"));
    let watch = Schedule::every(LOOK_EVERY, "crawlers", || WatchCrawlers {}.queued_for("service"));
    vec![Schedule { offset: OFFSET, ..delete }, watch]
}
