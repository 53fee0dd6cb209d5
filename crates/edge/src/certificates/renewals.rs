//! Renewals: asks the authority when certificates are to be renewed, and queues a job per certificate that is due, the most
//! urgent first. Each job checks who holds the name by then.
//! Must never let names that cannot be renewed delay others, nor renew a certificate that was renewed meanwhile.
//! See docs/decisions/0062.

use std::time::Duration;

use futures::StreamExt;
use sha2::{Digest, Sha256};
use store::DbError;

use super::acme::SuggestedRenewal;
use super::jobs::RenewCertificate;
use super::model::{self, OrderKind};
use super::queries::{self, StoredCertificate, Suggestion};
use super::service::{CertificateHolder, Certificates, may_have_one};
use platform::clock::Timestamp;
use platform::jobs::{JobError, JobOutcome};
use webhooks::events::CertificateExpiring;
use webhooks::{Condition, NewEvent};

/// Renewals that one run may queue, or a sixth of the hourly budget if that is more.
const MOST_QUEUED: u64 = 20;
/// Renewals at times that the authority suggests that one run may queue.
const MOST_SUGGESTED: i64 = 1_000;
/// Certificates for which one run asks the authority.
const MOST_ASKED: i64 = 1_000;
/// Concurrent questions to the authority.
const ASKED_AT_ONCE: usize = 10;
/// Timeout of one question.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Time after which a run asks no more.
const ASKING_TIME: Duration = Duration::from_secs(120);
/// Certificates that one run tells of.
const MOST_TOLD: i64 = 1_000;

impl Certificates {
    /// Queues renewals of certificates that are due, within the budget of this hour.
    pub(crate) async fn queue_renewals(&self) -> Result<(), DbError> {
        self.0.follower.current().await?;
        let now = self.0.clock.now();
        let mut tx = self.0.db.write().await?;
        let orders = queries::count_last_hour(&mut tx, "", now).await?;
        let budget = self.renewals_per_hour();
        let room = budget.saturating_sub(orders.renewals).min(MOST_QUEUED.max(budget / 6));
        let room = i64::try_from(room).unwrap_or(0);
        let mut due = queries::list_due(&mut tx, OrderKind::Renewal, now, room).await?;
        due.extend(queries::list_due(&mut tx, OrderKind::Suggested, now, MOST_SUGGESTED).await?);
        for certificate in &due {
            // Certificates that cannot be renewed would otherwise stay the most urgent ones for ever.
            let again = now.plus(model::queued_again_after(certificate.life()));
            queries::postpone_renewal(&mut tx, &certificate.host, again).await?;
        }
        let renewal = |due: queries::Due| RenewCertificate { host: due.host, not_after: due.not_after };
        let queued = due.into_iter().map(|due| renewal(due).queued()).collect();
        self.0.jobs.enqueue(&mut tx, queued).await?;
        tx.commit().await?;
        self.0.jobs.wake();
        Ok(())
    }

    /// Asks the authority when it wants certificates renewed, for those whose time for the question has come.
    pub(crate) async fn ask_renewal_times(&self) -> Result<(), DbError> {
        let now = self.0.clock.now();
        let mut tx = self.0.db.write().await?;
        let asked = queries::list_to_ask(&mut tx, now, MOST_ASKED).await?;
        for certificate in &asked {
            // Before the question, so that one that ends in a crash does not hold up the others.
            let again = now.plus(model::ask_after_failure(certificate.validity().life()));
            queries::postpone_asking(&mut tx, &certificate.host, again).await?;
        }
        tx.commit().await?;
        let answers = futures::stream::iter(asked).map(|certificate| self.ask_renewal_time(certificate));
        let answers = answers.buffer_unordered(ASKED_AT_ONCE).take_until(tokio::time::sleep(ASKING_TIME));
        let suggestions: Vec<_> = answers.filter_map(std::future::ready).collect().await;
        let mut tx = self.0.db.write().await?;
        for suggestion in suggestions {
            queries::save_suggestion(&mut tx, &suggestion).await?;
        }
        tx.commit().await
    }

    /// Asks the authority for one certificate. None without a usable answer: the time of renewal stays as it is.
    async fn ask_renewal_time(&self, certificate: StoredCertificate) -> Option<Suggestion> {
        let host = certificate.host.as_str();
        let asking = self.0.authority.suggested_renewal(&certificate.chain, self);
        let SuggestedRenewal { window, retry_after } =
            match tokio::time::timeout(ANSWER_TIMEOUT, asking).await {
                Ok(Ok(answer)) => answer,
                Ok(Err(error)) => {
                    tracing::debug!(host, %error, "the authority suggests no time of renewal");
                    return None;
                }
                Err(_) => {
                    tracing::debug!(host, "the authority did not say when to renew a certificate");
                    return None;
                }
            };
        let renew_at = certificate.validity().suggested_renewal(window, chance_of(&certificate.chain))?;
        let ask_at = self.0.clock.now().plus(model::ask_again_after(retry_after));
        Some(Suggestion { host: certificate.host, not_after: certificate.not_after, renew_at, ask_at })
    }

    /// Tells webhooks of certificates that have a fifth of their life left: their renewals fail. Each is told once.
    pub(crate) async fn tell_expiring(&self) -> Result<(), DbError> {
        const KIND: &str = "certificate.expiring";
        let (db, events) = (&self.0.db, &self.0.events);
        let listeners = events.listeners(db, &[KIND]).await?;
        if listeners.is_empty() {
            return Ok(());
        }
        let now = self.0.clock.now();
        let expiring = queries::list_expiring(&mut db.read().await?, now, MOST_TOLD).await?;
        for due in expiring {
            let Some(site) = self.0.domains.find_for_edge(&due.host).await? else { continue };
            let domain = &site.domain;
            if !listeners.has(&domain.account_id, KIND, Some(&domain.host)) {
                continue;
            }
            let subject = format!("{}@{}", due.host, due.not_after);
            let condition = Condition {
                account: &domain.account_id,
                domain: Some(domain.id.as_str()),
                subject: &subject,
                kind: KIND,
            };
            let mut tx = db.write().await?;
            if events.begin_condition(&mut tx, &condition).await? {
                let expires_at = Timestamp::from_millis(due.not_after);
                let data = CertificateExpiring { host: due.host, expires_at }.into();
                let event = NewEvent { account: &domain.account_id, domain: Some(&domain.host), data };
                events.emit(&mut tx, event).await?;
            }
            tx.commit().await?;
        }
        events.wake();
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
        let Some(present) = present.filter(|present| present.not_after == due.not_after) else {
            return Ok(JobOutcome::Done);
        };
        let kind = if present.suggested { OrderKind::Suggested } else { OrderKind::Renewal };
        self.order_in_job(&due.host, &holder, kind).await
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

/// Returns a number from 0 to 1 that is random among certificates and the same for one each time.
fn chance_of(chain: &str) -> f64 {
    let digest = Sha256::digest(chain);
    let [a, b, c, d] = [digest[0], digest[1], digest[2], digest[3]];
    f64::from(u32::from_be_bytes([a, b, c, d])) / f64::from(u32::MAX)
}
