//! Background work of reports. Each job says what to do; the service knows how.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::MentionReports;
use ::domains::DomainId;
use platform::jobs::{Job, JobError, JobOutcome, JobPriority, JobRun, Registry, Schedule};

/// Interval at which reports that are due are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(20);
/// Reports that one process builds at a time.
const AT_ONCE: usize = 2;

/// A job that looks for reports that are due.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FindDueReports {}

impl Job for FindDueReports {
    const KIND: &'static str = "FindDueReports";
    // The next one comes in some seconds.
    const MAX_ATTEMPTS: u32 = 1;
    type Services = MentionReports;

    async fn run(&self, reports: &MentionReports, _: &JobRun) -> Result<JobOutcome, JobError> {
        reports.queue_due().await?;
        Ok(JobOutcome::Done)
    }
}

/// A job that builds the reports of a domain that are due.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BuildReports {
    pub domain: DomainId,
}

impl Job for BuildReports {
    const KIND: &'static str = "BuildReports";
    const MAX_ATTEMPTS: u32 = 3;
    type Services = MentionReports;

    async fn run(&self, reports: &MentionReports, run: &JobRun) -> Result<JobOutcome, JobError> {
        reports.build_due(&self.domain, run).await?;
        Ok(JobOutcome::Done)
    }
}

impl BuildReports {
    pub(super) fn job(domain: &DomainId) -> platform::jobs::NewJob {
        BuildReports { domain: domain.clone() }
            .queued_for("service")
            .domain(domain.as_str())
            .unique(format!("reports:{domain}"))
            .priority(JobPriority::Background)
    }
}

impl MentionReports {
    /// Adds the jobs of reports to those that this process can run.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<FindDueReports>(self.clone(), 1).with::<BuildReports>(self.clone(), AT_ONCE)
    }

    /// Lists what the worker has to queue again and again.
    pub fn schedules(&self) -> Vec<Schedule> {
        vec![Schedule::every(LOOK_EVERY, "reports that are due", || FindDueReports {}.queued_for("service"))]
    }

    pub(super) async fn queue_due(&self) -> Result<(), store::DbError> {
        let due = self.list_due().await?;
        if due.is_empty() {
            return Ok(());
        }
        let jobs = due.iter().map(BuildReports::job).collect();
        let mut tx = self.0.db.write().await?;
        self.0.jobs.enqueue(&mut tx, jobs).await?;
        tx.commit().await?;
        self.0.jobs.wake();
        Ok(())
    }
}
