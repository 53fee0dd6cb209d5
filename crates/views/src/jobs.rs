//! The background work of views. Each job says what to do; `work` and `service` know how.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use store::DbError;

use super::model::ViewId;
use super::service::Views;
use platform::jobs::{Job, JobError, JobOutcome, JobRun};

/// A job that looks at a page and stores the result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TakeView {
    pub view: ViewId,
}

impl Job for TakeView {
    const KIND: &'static str = "TakeView";
    const MAX_ATTEMPTS: u32 = 2;
    const FIRST_WAIT: Duration = Duration::from_secs(1);
    const TELLS_DEATH: bool = true;
    type Services = Views;

    async fn run(&self, views: &Views, run: &JobRun) -> Result<JobOutcome, JobError> {
        tokio::select! {
            taken = views.work().take(&self.view) => taken,
            // Dropping the work closes its tabs.
            () = run.stopping() => Err(JobError::retry("the process ends")),
        }
    }

    async fn died(&self, views: &Views, _: &str) -> Result<(), DbError> {
        views.work().give_up(&self.view).await
    }
}

/// A job that deletes views that have expired.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TidyViews {}

impl Job for TidyViews {
    const KIND: &'static str = "TidyViews";
    type Services = Views;

    async fn run(&self, views: &Views, run: &JobRun) -> Result<JobOutcome, JobError> {
        views.tidy(run).await?;
        Ok(JobOutcome::Done)
    }
}
