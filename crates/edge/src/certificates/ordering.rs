//! Orders certificates: one process at a time per name, within the limits, and only for names that lead here.
//! The writing part of the certificates' service; `service` decides on an order.
//! See docs/decisions/0062.

use std::time::Duration;

use futures::future::OptionFuture;
use store::DbError;
use uuid::Uuid;

use super::acme::{OrderError, ValidationMethod};
use super::model::{self, AT_ONCE_PER_ACCOUNT, Bound, OrderKind, OrderOutcome};
use super::queries::{self, OrderEnd, StoredCertificate};
use super::service::{CertificateHolder, Certificates, chance};
use super::tls::{self, KeyPairError};
use platform::jobs::{JobError, JobOutcome};

/// Timeout of a whole order.
const ORDER_TIMEOUT: Duration = Duration::from_secs(180);
/// Lease of an order, a little longer than its timeout.
pub(super) const LEASE: Duration = Duration::from_secs(240);
/// Delay before a job tries again while another process orders the name or all slots are in use.
const SOON: Duration = Duration::from_secs(15);
/// Delay before the limits are checked again.
const BOUND_PAUSE: Duration = Duration::from_secs(60);

/// Reason for which a name has no new certificate.
#[derive(Debug, thiserror::Error)]
enum NotOrdered {
    #[error("another process orders it")]
    Elsewhere,
    #[error("it was tried a short time ago")]
    TooEarly,
    #[error("its records do not lead here, or nobody knows whose they are")]
    LeadsElsewhere,
    #[error("its account orders enough at the moment")]
    TooMany,
    #[error(transparent)]
    Bound(#[from] Bound),
    #[error("the certificate authority took too long")]
    TimedOut,
    #[error(transparent)]
    Order(#[from] OrderError),
    #[error("the certificate authority sent something unusable")]
    Unusable(#[from] KeyPairError),
    #[error(transparent)]
    Store(#[from] DbError),
}

impl Certificates {
    /// Orders a certificate. Concurrent callers with the same name share one order.
    pub(super) async fn order_once(&self, host: &str) -> OrderOutcome {
        let Some(holder) = self.holder_of(host).await else { return OrderOutcome::None };
        let ordering = async {
            let (certificates, name) = (self.clone(), host.to_owned());
            // A separate task, so that a client which disconnects does not cancel the order.
            let order = self.0.tasks.spawn(async move { certificates.order_logged(&name, &holder).await });
            order.await.unwrap_or(OrderOutcome::None)
        };
        OrderOutcome::clone(&*self.0.orders.get_with(host, ordering).await)
    }

    /// Orders a first certificate, unless it is too early, and logs the outcome.
    pub(crate) async fn order_logged(&self, host: &str, holder: &CertificateHolder) -> OrderOutcome {
        match self.order(host, holder, OrderKind::First).await {
            Ok(()) => {
                tracing::info!(host, "a certificate was issued");
                OrderOutcome::Issued
            }
            Err(NotOrdered::Elsewhere) => OrderOutcome::Elsewhere,
            Err(NotOrdered::TooEarly | NotOrdered::LeadsElsewhere | NotOrdered::TooMany) => {
                OrderOutcome::None
            }
            Err(error) => {
                tracing::warn!(host, %error, "no certificate was issued");
                OrderOutcome::None
            }
        }
    }

    /// Orders the first certificate of a name, unless it has one by now or was removed.
    pub(super) async fn order_first_for_job(&self, host: &str) -> Result<JobOutcome, JobError> {
        let Some(holder) = self.holder_of(host).await else { return Ok(JobOutcome::Done) };
        if self.has(host).await {
            return Ok(JobOutcome::Done);
        }
        self.order_in_job(host, &holder, OrderKind::First).await
    }

    /// Orders a certificate, and postpones the job when only the time is wrong.
    pub(super) async fn order_in_job(
        &self,
        host: &str,
        holder: &CertificateHolder,
        kind: OrderKind,
    ) -> Result<JobOutcome, JobError> {
        match self.order(host, holder, kind).await {
            Ok(()) => {
                tracing::info!(host, "a certificate was issued");
                Ok(JobOutcome::Done)
            }
            // One of a domain's two names need not lead here. The next visitor, or the next renewal run a day later when it had a
            // certificate, triggers another check.
            Err(NotOrdered::LeadsElsewhere) => Ok(JobOutcome::Done),
            Err(NotOrdered::Elsewhere | NotOrdered::TooMany) => Ok(JobOutcome::Later(SOON)),
            Err(NotOrdered::Bound(_)) => Ok(JobOutcome::Later(BOUND_PAUSE)),
            Err(NotOrdered::TooEarly) => Ok(JobOutcome::Later(self.wait_after(host, 1))),
            Err(error) => Err(JobError::retry_after(error.to_string(), self.wait_after(host, 1))),
        }
    }

    async fn order(&self, host: &str, holder: &CertificateHolder, kind: OrderKind) -> Result<(), NotOrdered> {
        let of_customer = holder.domain().filter(|_| kind == OrderKind::First);
        let of_account = of_customer.map(|domain| {
            let slot = self.0.orders_of_account.acquire(domain.account_id.clone(), AT_ONCE_PER_ACCOUNT);
            slot.ok_or(NotOrdered::TooMany)
        });
        let _of_account = of_account.transpose()?;
        // The authority would look for the proof elsewhere: neither an order nor a failure.
        if let Some(domain) = holder.domain()
            && !self.0.connection.may_be_certified(host, domain).await?
        {
            return Err(NotOrdered::LeadsElsewhere);
        }
        let slot = of_customer.map(|_| self.0.slots.acquire());
        let _slot = OptionFuture::from(slot).await;
        let lease = Uuid::now_v7().to_string();
        let failures = self.begin(host, holder, kind, &lease).await?;
        // After a failed validation the other method may succeed: a firewall on port 80, a proxy that ends TLS.
        let method = match (self.0.first_method, failures % 2) {
            (ValidationMethod::Http, 1) => ValidationMethod::Tls,
            (first, _) => first,
        };
        let replaced = match kind {
            OrderKind::First => None,
            _ => queries::find_certificate(&mut self.0.db.read().await?, host).await?,
        };
        let replaced = replaced.as_ref().map(|certificate| certificate.chain.as_str());
        let order = self.0.authority.order(host, method, replaced, self);
        let order = tokio::time::timeout(ORDER_TIMEOUT, order);
        let issued = match order.await {
            Ok(Ok(issued)) => self.sealed(host, &issued.chain, &issued.key).map_err(NotOrdered::from),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(NotOrdered::TimedOut),
        };
        self.end(host, holder, &lease, failures, issued).await
    }

    /// Acquires the lease and records the order, in one transaction. Returns the number of failures so far.
    async fn begin(
        &self,
        host: &str,
        holder: &CertificateHolder,
        kind: OrderKind,
        lease: &str,
    ) -> Result<u64, NotOrdered> {
        let domains = match holder.domain() {
            Some(domain) => Some(self.0.domains.count(&domain.account_id).await?),
            None => None,
        };
        let now = self.0.clock.now();
        let while_pending = holder.is_pending();
        let mut tx = self.0.db.write().await?;
        if !while_pending {
            queries::forget_pending_failures(&mut tx, host).await?;
        }
        if !queries::take_lease(&mut tx, host, lease, now, now.plus(LEASE)).await? {
            let is_ordered = queries::is_leased(&mut tx, host, now).await?;
            return Err(if is_ordered { NotOrdered::Elsewhere } else { NotOrdered::TooEarly });
        }
        let failures = queries::count_failures(&mut tx, host).await?;
        let account = holder.account();
        let orders = queries::count_last_hour(&mut tx, account, now).await?;
        if let Some(domains) = domains
            && let Err(bound) = model::may_order(kind, orders, domains, self.renewals_per_hour())
        {
            let (error, not_until) = (bound.to_string(), now.plus(BOUND_PAUSE));
            let end = OrderEnd { failures, error: Some(&error), not_until, while_pending };
            queries::end_lease(&mut tx, host, lease, end).await?;
            tx.commit().await?;
            return Err(bound.into());
        }
        if kind != OrderKind::Suggested {
            queries::record_attempt(&mut tx, &Uuid::now_v7().to_string(), host, account, kind, now).await?;
        }
        tx.commit().await?;
        Ok(failures)
    }

    /// Stores the outcome and releases the lease, in one transaction.
    async fn end(
        &self,
        host: &str,
        holder: &CertificateHolder,
        lease: &str,
        failures: u64,
        issued: Result<StoredCertificate, NotOrdered>,
    ) -> Result<(), NotOrdered> {
        let now = self.0.clock.now();
        let mut tx = self.0.db.write().await?;
        queries::delete_challenges(&mut tx, host, now).await?;
        let (failures, error) = match &issued {
            Ok(_) => (0, None),
            Err(error) => (failures + 1, Some(error.to_string())),
        };
        let mut wait = self.wait_after(host, failures);
        if let Ok(certificate) = &issued {
            queries::save_certificate(&mut tx, certificate, now).await?;
            wait = model::wait_after(failures, Some(certificate.validity().life()));
        }
        let end = OrderEnd {
            failures,
            error: error.as_deref(),
            not_until: now.plus(wait),
            while_pending: holder.is_pending(),
        };
        queries::end_lease(&mut tx, host, lease, end).await?;
        tx.commit().await?;
        self.0.follower.take_over().await;
        issued.map(drop)
    }

    pub(super) fn sealed(
        &self,
        host: &str,
        chain: &str,
        key: &str,
    ) -> Result<StoredCertificate, KeyPairError> {
        // An unusable certificate must not be stored, since it would prevent another order.
        tls::certified_key(chain.as_bytes(), key.as_bytes())?;
        let validity = tls::validity(chain)?;
        Ok(StoredCertificate {
            host: host.to_owned(),
            chain: chain.to_owned(),
            sealed_key: self.0.key_seal.seal(key.as_bytes(), host),
            not_before: validity.from.as_millis(),
            not_after: validity.until.as_millis(),
            renew_at: validity.renew_at(chance()).as_millis(),
            suggested: false,
        })
    }
}
