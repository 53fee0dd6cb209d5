//! Background work of AI mentions. Each job calls a function of the service.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use store::DbError;

use super::model::PromptRunId;
use super::service::Mentions;
use super::service::analysing::by_model::analyse_by_model;
use super::service::analysing::reanalysis::{abandon_reanalysis, reanalyse};
use super::service::asking::ask_provider;
use super::service::scheduling::queue_due;
use super::service::settings::brands::derive_brands_again;
use super::service::tending::tend;
use super::service::tidying::tidy;
use ::domains::DomainId;
use platform::jobs::{Job, JobError, JobOutcome, JobRun};

/// Time for a call that is in progress when the process ends; the worker's own limit is the service's time of grace.
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
        ask_provider(mentions, &self.run, run).await
    }
}

/// Analyses the answer of one run with a model. Lane: the provider of the model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AnalyseAnswer {
    pub run: PromptRunId,
}

impl Job for AnalyseAnswer {
    const KIND: &'static str = "AnalyseAnswer";
    const MAX_ATTEMPTS: u32 = 1_000;
    const FIRST_WAIT: Duration = Duration::from_secs(2);
    const LONGEST_WAIT: Duration = Duration::from_secs(60);
    const LANE_PATIENCE: Duration = Duration::MAX;
    const DRAIN: Duration = CALL_DRAIN;
    type Services = Mentions;

    async fn run(&self, mentions: &Mentions, run: &JobRun) -> Result<JobOutcome, JobError> {
        analyse_by_model(mentions, &self.run, run).await
    }
}

/// A job that makes runs of the targets that are due.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct QueueDuePrompts {}

impl Job for QueueDuePrompts {
    const KIND: &'static str = "QueueDuePrompts";
    const MAX_ATTEMPTS: u32 = 1;
    const MOST_AT_ONCE: Option<usize> = Some(1);
    type Services = Mentions;

    async fn run(&self, mentions: &Mentions, run: &JobRun) -> Result<JobOutcome, JobError> {
        queue_due(mentions, run).await?;
        Ok(JobOutcome::Done)
    }
}

/// Ends runs whose job is gone, analyses that nobody completes, and waits behind a provider that is away.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TendRuns {}

impl Job for TendRuns {
    const KIND: &'static str = "TendRuns";
    const MAX_ATTEMPTS: u32 = 1;
    const MOST_AT_ONCE: Option<usize> = Some(1);
    type Services = Mentions;

    async fn run(&self, mentions: &Mentions, run: &JobRun) -> Result<JobOutcome, JobError> {
        tend(mentions, run).await?;
        Ok(JobOutcome::Done)
    }
}

/// A job that deletes answers and responses beyond their retention, and derives brand profiles again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TidyMentions {}

impl Job for TidyMentions {
    const KIND: &'static str = "TidyMentions";
    const MAX_ATTEMPTS: u32 = 3;
    type Services = Mentions;

    async fn run(&self, mentions: &Mentions, run: &JobRun) -> Result<JobOutcome, JobError> {
        tidy(mentions, run).await?;
        derive_brands_again(mentions, run).await?;
        Ok(JobOutcome::Done)
    }
}

/// Analyses the kept answers of a domain again, because its brand profile or the analyser changed. Asks no model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReanalyseDomain {
    pub domain: DomainId,
}

impl Job for ReanalyseDomain {
    const KIND: &'static str = "ReanalyseDomain";
    const MAX_ATTEMPTS: u32 = 1_000;
    const TELLS_DEATH: bool = true;
    type Services = Mentions;

    async fn run(&self, mentions: &Mentions, run: &JobRun) -> Result<JobOutcome, JobError> {
        reanalyse(mentions, &self.domain, run).await
    }

    async fn died(&self, mentions: &Mentions, reason: &str) -> Result<(), DbError> {
        abandon_reanalysis(mentions, &self.domain, reason).await
    }
}
