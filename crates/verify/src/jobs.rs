//! Background work of verifications: finds the domains that are due, and verifies each.

use std::time::Duration;

use domains::DomainId;
use platform::jobs::{Job, JobError, JobOutcome, JobRun, Registry, Schedule};
use serde::{Deserialize, Serialize};

use super::scheduled::ScheduledVerification;

/// Verifications that one process makes at a time.
const AT_ONCE: usize = 2;
/// Time between two looks for domains that are due.
const LOOK_EVERY: Duration = Duration::from_secs(300);

/// A job that queues the verifications that are due.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FindDueVerifications {}

impl Job for FindDueVerifications {
    const KIND: &'static str = "FindDueVerifications";
    // The next one comes in minutes.
    const MAX_ATTEMPTS: u32 = 1;
    type Services = ScheduledVerification;

    async fn run(&self, service: &ScheduledVerification, _: &JobRun) -> Result<JobOutcome, JobError> {
        service.queue_due().await?;
        Ok(JobOutcome::Done)
    }
}

/// A job that verifies a domain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VerifyBySchedule {
    pub domain: DomainId,
}

impl Job for VerifyBySchedule {
    const KIND: &'static str = "VerifyBySchedule";
    const MAX_ATTEMPTS: u32 = 3;
    type Services = ScheduledVerification;

    async fn run(&self, service: &ScheduledVerification, _: &JobRun) -> Result<JobOutcome, JobError> {
        service.verify(&self.domain).await
    }
}

impl ScheduledVerification {
    /// Adds the jobs to those that this process can run.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<FindDueVerifications>(self.clone(), 1).with::<VerifyBySchedule>(self.clone(), AT_ONCE)
    }
}

/// Lists what the worker has to queue again and again.
pub fn schedules() -> Vec<Schedule> {
    vec![Schedule::every(LOOK_EVERY, "verifications that are due", || {
        FindDueVerifications {}.queued_for("service")
    })]
}
