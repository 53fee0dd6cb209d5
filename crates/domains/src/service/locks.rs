//! The operator's locks. Each holds for a name, its twin and every name below it, on every account, also for names that are
//! added later. Used by the command line. Must never unlock a name that another lock holds for.
//! See docs/decisions/0036.

use store::DbError;

use super::DomainsService;
use crate::queries;

/// The operator's lock on a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// Suspended.
    On,
    /// Resumed.
    Off,
}

impl DomainsService {
    /// Locks or unlocks a name. Answers how many records it holds for; for a name that is unlocked after its records were
    /// removed, 1.
    ///
    /// The lock is the name's: removing a locked domain and adding it again does not open it.
    pub async fn set_suspended(&self, host: &str, lock: Lock) -> Result<u64, DbError> {
        let mut tx = self.db.write().await?;
        let now = self.clock.now();
        // Nobody adds a name of the site between the look at its records and the lock.
        queries::lock_site(&mut tx, host).await?;
        // As they are stored: what a newer version wrote is locked like any other.
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
        }
        tx.commit_durably().await?;
        self.follower.take_over().await;
        Ok(changed)
    }
}
