//! Renewals: queues a job per certificate that is due, the most urgent first. Each job checks who holds the name by then.
//! Must never let names that cannot be renewed delay others, nor renew a certificate that was renewed meanwhile.
//! See docs/decisions/0062.

use std::time::Duration;

use store::DbError;

use super::jobs::RenewCertificate;
use super::model::{self, OrderKind};
use super::queries;
use super::service::{CertificateHolder, Certificates, may_have_one};
use platform::jobs::{JobError, JobOutcome};

/// Renewals that one run may queue, or a sixth of the hourly budget if that is more.
const MOST_QUEUED: u64 = 20;
/// Delay before a certificate that was not renewed meanwhile is queued again.
const AGAIN_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

impl Certificates {
    /// Queues renewals of certificates that are due, within the budget of this hour.
    pub(crate) async fn queue_renewals(&self) -> Result<(), DbError> {
        self.0.follower.current().await?;
        let now = self.0.clock.now();
        let mut tx = self.0.db.write().await?;
        let orders = queries::count_last_hour(&mut tx, "", now).await?;
        let budget = model::renewals_per_hour(self.held_count());
        let room = budget.saturating_sub(orders.renewals).min(MOST_QUEUED.max(budget / 6));
        let due = queries::list_due(&mut tx, now, i64::try_from(room).unwrap_or(0)).await?;
        for certificate in &due {
            // Certificates that cannot be renewed would otherwise stay the most urgent ones for ever.
            queries::postpone_renewal(&mut tx, &certificate.host, now.plus(AGAIN_AFTER)).await?;
        }
        let renewal = |due: queries::Due| RenewCertificate { host: due.host, not_after: due.not_after };
        let queued = due.into_iter().map(|due| renewal(due).queued()).collect();
        self.0.jobs.enqueue(&mut tx, queued).await?;
        tx.commit().await?;
        self.0.jobs.wake();
        Ok(())
    }

    /// Renews a certificate if it is still the one that was due, and its name is still one of our domains' or our own.
    pub(super) async fn renew_for_job(&self, due: &RenewCertificate) -> Result<JobOutcome, JobError> {
        let holder = match self.0.domains.find_for_edge(&due.host).await? {
            _ if self.is_own(&due.host) => CertificateHolder::Service,
            Some(site) if may_have_one(&site) => CertificateHolder::Customer(Box::new(site.domain.clone())),
            // A locked domain may be unlocked. A removed one needs no certificate.
            Some(_) => return Ok(JobOutcome::Done),
            None => {
                self.retire(&due.host).await?;
                return Ok(JobOutcome::Done);
            }
        };
        let present = queries::find_certificate(&mut self.0.db.read().await?, &due.host).await?;
        if present.is_none_or(|present| present.not_after != due.not_after) {
            return Ok(JobOutcome::Done);
        }
        self.order_in_job(&due.host, &holder, OrderKind::Renewal).await
    }

    /// Deletes the certificate and key of a name that is no domain of ours any more.
    async fn retire(&self, host: &str) -> Result<(), DbError> {
        let mut tx = self.0.db.write().await?;
        queries::delete_name(&mut tx, host).await?;
        tx.commit().await?;
        self.0.follower.take_over().await;
        tracing::info!(host, "a certificate of a name that left was deleted");
        Ok(())
    }
}
