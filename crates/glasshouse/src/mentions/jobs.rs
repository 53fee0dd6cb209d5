//! Background work of AI mentions. Each job says what to do; the parts of the service know how.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::model::PromptRunId;
use super::service::Mentions;
use crate::jobs::{Job, JobError, JobOutcome, JobRun};

/// Time for a call that is under way when the process ends; the worker's own limit is the service's time of grace.
const CALL_DRAIN: Duration = Duration::from_secs(130);

/// Asks a provider the question of one run. Lane: the provider.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AskProvider {
    pub run: PromptRunId,
}

impl Job for AskProvider {
    const KIND: &'static str = "AskProvider";
    // Failures of the call are counted in the run; what counts here is trouble of this installation.
    const MAX_ATTEMPTS: u32 = 1_000;
    const FIRST_WAIT: Duration = Duration::from_secs(2);
    const LONGEST_WAIT: Duration = Duration::from_secs(60);
    // Runs wait for six hours by their own age, whatever their priority; see `TendRuns`.
    const LANE_PATIENCE: Duration = Duration::MAX;
    const DRAIN: Duration = CALL_DRAIN;
    type Services = Mentions;

    async fn run(&self, mentions: &Mentions, run: &JobRun) -> Result<JobOutcome, JobError> {
        let _ = (mentions, run);
        Err(JobError::retry("not wired yet"))
    }
}
