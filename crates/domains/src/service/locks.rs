//! Operator locks. A lock applies to a name, its twin and every name below it, on every account, including names that are
//! added later. Used by the command line. Must never unlock a name that another lock applies to.
//! See docs/decisions/0036.

use store::DbError;

use super::DomainsService;
use crate::queries;
use accounts::AccountId;
use webhooks::NewEvent;
use webhooks::events::DomainSuspended;

/// State of the operator's lock on a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// The name is suspended.
    On,
    /// The name is not suspended.
    Off,
}

impl DomainsService {
    /// Locks or unlocks a name. Returns the number of records that the lock applies to, or 1 for a name that is unlocked after
    /// its records were removed. A name without records is not locked.
    ///
    /// The lock belongs to the name: removing a locked domain and adding it again does not unlock it.
    pub async fn set_suspended(&self, host: &str, lock: Lock) -> Result<u64, DbError> {
        let mut tx = self.db.write().await?;
        let now = self.clock.now();
        // No name of the site can be added between the query of its records and the lock.
        queries::lock_site(&mut tx, host).await?;
        // Raw rows, so that records of a newer version are locked, too.
        let domains = queries::list_below(&mut tx, host).await?;
        let mut changed = domains.len() as u64;
        match lock {
            Lock::On if changed > 0 => queries::insert_lock(&mut tx, host, now).await?,
            Lock::On => {}
            Lock::Off => changed = changed.max(queries::delete_lock(&mut tx, host).await?),
        }
        for domain in &domains {
            let is_locked = queries::is_locked(&mut tx, &domain.host).await?;
            queries::set_suspended(&mut tx, &domain.id, is_locked, now).await?;
            if is_locked && !domain.suspended {
                let account = AccountId::from(domain.account_id.as_str());
                let data = DomainSuspended {}.into();
                let event = NewEvent { account: &account, domain: Some(&domain.host), data };
                self.events.emit(&mut tx, event).await?;
            }
        }
        tx.commit_durably().await?;
        self.events.wake();
        self.follower.take_over().await;
        Ok(changed)
    }
}
