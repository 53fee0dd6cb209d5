//! Changes of a domain's record without lost updates: each change reads and writes in one transaction, and concurrent
//! changes wait for each other. Used by the settings, sitemap and rendering endpoints.

use store::{DbError, Tx};

use super::DomainsService;
use crate::model::{Domain, DomainId, DomainStatus, Rendering, Settings};
use crate::queries;

/// Reason why a record was not changed.
#[derive(Debug, thiserror::Error)]
pub enum DomainChangeError {
    /// The domain was removed.
    #[error("the domain is gone")]
    Gone,
    /// The operator's lock is on.
    #[error("this domain is suspended")]
    Suspended,
    /// The database failed.
    #[error("could not reach the database")]
    Store(#[from] DbError),
}

impl DomainsService {
    /// Changes a domain's settings and returns the updated record. The caller has validated the change.
    pub async fn change_settings(
        &self,
        id: &DomainId,
        change: impl FnOnce(&mut Settings),
    ) -> Result<Domain, DomainChangeError> {
        self.change(id, |domain| change(&mut domain.settings)).await
    }

    /// Changes a domain's rendering settings and returns the updated record. The caller has validated the change.
    pub async fn change_rendering(
        &self,
        id: &DomainId,
        change: impl FnOnce(&mut Rendering),
    ) -> Result<Domain, DomainChangeError> {
        self.change(id, |domain| change(&mut domain.rendering)).await
    }

    async fn change(
        &self,
        id: &DomainId,
        change: impl FnOnce(&mut Domain),
    ) -> Result<Domain, DomainChangeError> {
        let (tx, before) = self.begin_change(id).await?;
        let mut domain = before.clone();
        change(&mut domain);
        if domain == before {
            // The transaction is rolled back: a change without effect keeps the record's version and time.
            return Ok(Domain { version: before.version - 1, ..before });
        }
        domain.updated_at = self.clock.now();
        self.end_change(tx, &domain).await?;
        Ok(domain)
    }

    /// Begins a change of a record and returns the record, which stays locked until the transaction ends.
    pub(super) async fn begin_change(&self, id: &DomainId) -> Result<(Tx, Domain), DomainChangeError> {
        let mut tx = self.db.write().await?;
        let Some(domain) = queries::begin_change(&mut tx, id).await? else {
            return Err(DomainChangeError::Gone);
        };
        match domain.status {
            DomainStatus::Suspended => Err(DomainChangeError::Suspended),
            _ => Ok((tx, domain)),
        }
    }

    /// Writes the changed record and commits the transaction.
    pub(super) async fn end_change(&self, mut tx: Tx, domain: &Domain) -> Result<(), DomainChangeError> {
        queries::finish_change(&mut tx, domain).await?;
        tx.commit_durably().await?;
        self.follower.take_over().await;
        Ok(())
    }
}
