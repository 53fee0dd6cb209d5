//! Background jobs of certificates: order the certificates of a connected domain before the first request, and renew them
//! before they expire. First handshakes order those that are still missing.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::model;
use super::service::Certificates;
use domains::{Domain, names};
use platform::jobs::{Job, JobError, JobOutcome, JobPriority, JobRun, NewJob, Registry, Schedule};

/// First orders of this process at once; leaves most of the slots to handshakes.
const FIRST_AT_ONCE: usize = 4;
/// Interval of the search for certificates that are due. A certificate of ten minutes is due for three of them.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Owner of jobs and orders without a customer.
pub(super) const SERVICE: &str = "service";

/// Orders the first certificate of a name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OrderCertificate {
    host: String,
}

impl OrderCertificate {
    /// Returns the jobs for the names of a domain, to be queued in the transaction that connects it.
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

/// Renews a certificate, or deletes it when its domain was removed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RenewCertificate {
    pub(super) host: String,
    /// Epoch milliseconds at which the certificate to be replaced expires.
    pub(super) not_after: i64,
}

impl RenewCertificate {
    /// Returns the queued form of the job.
    pub(super) fn queued(self) -> NewJob {
        let key = format!("renewal of {}", self.host);
        let job = self.queued_for(SERVICE);
        // Runs before first orders: without its renewal a site that works now would stop working.
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

/// Queues [`RenewCertificate`] for certificates that are due, and tells webhooks of those that are about to expire.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct QueueRenewals {}

impl Job for QueueRenewals {
    const KIND: &'static str = "QueueRenewals";
    const MOST_AT_ONCE: Option<usize> = Some(1);
    // The next job follows within minutes.
    const MAX_ATTEMPTS: u32 = 1;
    type Services = Certificates;

    async fn run(&self, certificates: &Certificates, _: &JobRun) -> Result<JobOutcome, JobError> {
        certificates.queue_renewals().await?;
        certificates.tell_expiring().await?;
        Ok(JobOutcome::Done)
    }
}

/// Asks the certificate authority when it wants certificates renewed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AskRenewalTimes {}

impl Job for AskRenewalTimes {
    const KIND: &'static str = "AskRenewalTimes";
    const MOST_AT_ONCE: Option<usize> = Some(1);
    // The next job follows within minutes.
    const MAX_ATTEMPTS: u32 = 1;
    type Services = Certificates;

    async fn run(&self, certificates: &Certificates, _: &JobRun) -> Result<JobOutcome, JobError> {
        certificates.ask_renewal_times().await?;
        Ok(JobOutcome::Done)
    }
}

/// Registers the jobs with a worker. First orders and renewals have separate slots.
pub fn register(registry: Registry, certificates: &Certificates) -> Registry {
    registry
        .with::<OrderCertificate>(certificates.clone(), FIRST_AT_ONCE)
        .with::<RenewCertificate>(certificates.clone(), model::AT_ONCE)
        .with::<QueueRenewals>(certificates.clone(), 1)
        .with::<AskRenewalTimes>(certificates.clone(), 1)
}

/// Returns the periodic jobs.
pub fn schedules() -> Vec<Schedule> {
    vec![
        Schedule::every(LOOK_EVERY, "renewals", || QueueRenewals {}.queued_for(SERVICE)),
        Schedule::every(LOOK_EVERY, "renewal times", || AskRenewalTimes {}.queued_for(SERVICE)),
    ]
}
