//! The background work of certificates: a domain that is connected gets its certificates before anybody asks for them, and
//! new ones before they end. First handshakes order what is still missing.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::model;
use super::service::Certificates;
use domains::{Domain, names};
use platform::jobs::{Job, JobError, JobOutcome, JobPriority, JobRun, NewJob, Registry, Schedule};

/// First orders of this process at once, so that handshakes keep most of the places.
const FIRST_AT_ONCE: usize = 4;
/// How often what is due for renewal is looked for: renewals begin weeks before a certificate ends.
const LOOK_EVERY: Duration = Duration::from_secs(5 * 60);
/// Owner of jobs and orders that no customer caused.
pub(super) const SERVICE: &str = "service";

/// Orders the first certificate of a name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OrderCertificate {
    host: String,
}

impl OrderCertificate {
    /// The jobs for a domain's names, to be queued with what connects it.
    pub fn for_names_of(domain: &Domain) -> Vec<NewJob> {
        let queued = |host: String| {
            let key = format!("certificate of {host}");
            let job = OrderCertificate { host }.queued_for(domain.account_id.as_str());
            job.domain(domain.id.as_str()).unique(key)
        };
        std::iter::once(domain.host.clone()).chain(names::twin(&domain.host)).map(queued).collect()
    }
}

impl Job for OrderCertificate {
    const KIND: &'static str = "OrderCertificate";
    type Services = Certificates;

    async fn run(&self, certificates: &Certificates, _: &JobRun) -> Result<JobOutcome, JobError> {
        certificates.order_first_for_job(&self.host).await
    }
}

/// Renews a certificate, or deletes it when its domain is not here any more.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RenewCertificate {
    pub(super) host: String,
    /// When the certificate ends that is to be replaced.
    pub(super) not_after: i64,
}

impl RenewCertificate {
    /// The job for a certificate that is due.
    pub(super) fn queued(self) -> NewJob {
        let key = format!("renewal of {}", self.host);
        let job = self.queued_for(SERVICE);
        // Ahead of first orders: without its renewal a site that works now would stop working.
        job.unique(key).priority(JobPriority::Urgent)
    }
}

impl Job for RenewCertificate {
    const KIND: &'static str = "RenewCertificate";
    type Services = Certificates;

    async fn run(&self, certificates: &Certificates, _: &JobRun) -> Result<JobOutcome, JobError> {
        certificates.renew_for_job(self).await
    }
}

/// Queues [`RenewCertificate`] for what is due.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct QueueRenewals {}

impl Job for QueueRenewals {
    const KIND: &'static str = "QueueRenewals";
    const MOST_AT_ONCE: Option<usize> = Some(1);
    // The next one comes in some minutes.
    const MAX_ATTEMPTS: u32 = 1;
    type Services = Certificates;

    async fn run(&self, certificates: &Certificates, _: &JobRun) -> Result<JobOutcome, JobError> {
        certificates.queue_renewals().await?;
        Ok(JobOutcome::Done)
    }
}

/// Adds the feature's jobs to what a worker can do. First orders and renewals have places of their own.
pub fn register(registry: Registry, certificates: &Certificates) -> Registry {
    registry
        .with::<OrderCertificate>(certificates.clone(), FIRST_AT_ONCE)
        .with::<RenewCertificate>(certificates.clone(), model::AT_ONCE)
        .with::<QueueRenewals>(certificates.clone(), 1)
}

/// What the worker has to queue again and again.
pub fn schedules() -> Vec<Schedule> {
    vec![Schedule::every(LOOK_EVERY, "renewals", || QueueRenewals {}.queued_for(SERVICE))]
}
