//! Promotion of a pending domain to a served status. Used by the connection check. Must never demote, and never give a name
//! to two accounts.

use store::DbError;

use super::DomainsService;
use crate::model::{Domain, DomainStatus};
use crate::ownership::{self, ConnectionProof, is_contested};
use crate::queries;

impl DomainsService {
    /// Moves a pending domain to a served status. Returns false when the domain is no longer pending, another account has the
    /// name or its twin, or the domain is contested and nothing proves its ownership.
    pub async fn promote(
        &self,
        domain: &Domain,
        to: DomainStatus,
        proof: ConnectionProof,
    ) -> Result<bool, DbError> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        queries::lock_site(&mut tx, &domain.host).await?;
        if proof == ConnectionProof::OfTheWay && is_contested(&mut tx, domain, now).await? {
            return Ok(false);
        }
        let is_promoted = match queries::promote(&mut tx, domain, to, now).await {
            // A concurrent promotion on another account was first.
            Err(error) if error.is_unique_violation() => return Ok(false),
            result => result?,
        };
        if let (true, DomainStatus::Connected, Some(jobs)) = (is_promoted, to, self.when_connected.get()) {
            self.jobs.enqueue(&mut tx, jobs(domain)).await?;
        }
        if is_promoted {
            self.tell_connected(&mut tx, domain, to).await?;
        }
        tx.commit_durably().await?;
        if is_promoted {
            self.jobs.wake();
            self.follower.take_over().await;
            tracing::info!(domain = %domain.host, status = %to, "domain connected");
        }
        Ok(is_promoted)
    }

    /// Decides whether another account can claim a domain, so that its ownership must be proven.
    pub async fn is_contested(&self, domain: &Domain) -> Result<bool, DbError> {
        is_contested(&mut self.db.read().await?, domain, self.clock.now()).await
    }
}

/// Records the account of a removed name, in the removal's transaction.
pub(super) async fn remember_removal(
    tx: &mut store::Conn,
    domain: &Domain,
    now: platform::clock::Timestamp,
) -> Result<(), DbError> {
    ownership::queries::insert_former(tx, domain, now, now.minus(ownership::FORMER)).await
}
