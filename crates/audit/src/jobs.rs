//! The background work of audits. Each job says what to do; the service knows how.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use store::DbError;

use super::model::{Run, RunId, Trigger};
use super::service::{AuditRuns, AuditSchedule, end_later, give_up, work};
use domains::DomainId;
use platform::jobs::{Job, JobError, JobOutcome, JobPriority, JobRun, NewJob};

/// Audits a site, from the beginning or from where it was cut off.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunAudit {
    pub run: RunId,
    /// True when the run only ends with its results so far, because the job of its crawl gave up.
    pub ends: bool,
}

impl RunAudit {
    /// Makes the job of a run. Queued again it is the same job.
    pub fn job(run: &Run) -> NewJob {
        let priority = match run.trigger {
            Trigger::Scheduled => JobPriority::Background,
            Trigger::Api | Trigger::Manual => JobPriority::Normal,
        };
        RunAudit { run: run.id.clone(), ends: false }
            .queued_for(run.account_id.as_str())
            .domain(run.domain_id.as_str())
            .unique(format!("audit:{}", run.id))
            .priority(priority)
    }

    /// Makes the job that ends a run whose crawl gave up.
    pub fn ending(run: &Run) -> NewJob {
        RunAudit { run: run.id.clone(), ends: true }
            .queued_for(run.account_id.as_str())
            .domain(run.domain_id.as_str())
            .unique(format!("audit-end:{}", run.id))
    }
}

impl Job for RunAudit {
    const KIND: &'static str = "RunAudit";
    // Every crash of a process is an attempt, and each goes on where the last one was cut off.
    const MAX_ATTEMPTS: u32 = 100;
    const FIRST_WAIT: Duration = Duration::from_secs(1);
    const LONGEST_WAIT: Duration = Duration::from_secs(60);
    const TELLS_DEATH: bool = true;
    type Services = AuditRuns;

    async fn died(&self, runs: &AuditRuns, reason: &str) -> Result<(), DbError> {
        match self.ends {
            true => give_up(runs, &self.run, reason).await,
            false => end_later(runs, &self.run).await,
        }
    }

    async fn run(&self, runs: &AuditRuns, job: &JobRun) -> Result<JobOutcome, JobError> {
        work(runs, self, job).await
    }
}

/// A job that archives old runs and continues those that no process works on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeepAudits {}

impl Job for KeepAudits {
    const KIND: &'static str = "KeepAudits";
    // The next one comes in some minutes.
    const MAX_ATTEMPTS: u32 = 1;
    type Services = AuditSchedule;

    async fn run(&self, schedule: &AuditSchedule, run: &JobRun) -> Result<JobOutcome, JobError> {
        schedule.keep(run).await?;
        Ok(JobOutcome::Done)
    }
}

/// A job that begins an audit by its domain's schedule.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AuditDomain {
    pub domain: DomainId,
}

impl Job for AuditDomain {
    const KIND: &'static str = "AuditDomain";
    const MAX_ATTEMPTS: u32 = 5;
    type Services = AuditSchedule;

    async fn run(&self, schedule: &AuditSchedule, _: &JobRun) -> Result<JobOutcome, JobError> {
        schedule.start_scheduled(&self.domain).await?;
        Ok(JobOutcome::Done)
    }
}
