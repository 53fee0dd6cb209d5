//! A domain's record as it is held in memory. Pure.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::queries::{DomainRow, with_lock};
use crate::{Domain, DomainId, DomainStatus};

#[derive(Debug, Clone)]
pub struct DomainRecord {
    /// Number that no other record of this process has: what is made of this one is known by it.
    pub stamp: u64,
    pub domain: Arc<Domain>,
    /// Status without the operator's lock.
    stored: DomainStatus,
    /// Size of its settings; one at least.
    pub kilobytes: usize,
}

impl DomainRecord {
    /// Reads a row; an error when a newer version wrote it.
    pub fn of(row: &DomainRow) -> Result<DomainRecord, String> {
        Ok(DomainRecord {
            stamp: next_stamp(),
            domain: Arc::new(row.parse()?),
            stored: row.stored_status()?,
            kilobytes: 1 + (row.settings.len() + row.rendering.len()) / 1024,
        })
    }

    /// Returns the same record locked or unlocked.
    pub fn locked(&self, is_locked: bool) -> DomainRecord {
        let status = with_lock(self.stored, is_locked);
        let domain = Arc::new(Domain { status, ..(*self.domain).clone() });
        DomainRecord { stamp: next_stamp(), domain, ..*self }
    }

    /// Ranks how it answers at the edge: a served one before a suspended one before one that waits.
    pub fn rank(&self) -> u8 {
        match self.domain.status {
            DomainStatus::Connected | DomainStatus::ViaApi => 0,
            DomainStatus::Suspended => 1,
            DomainStatus::Pending => 2,
        }
    }

    /// Orders records of one name: the least answers at the edge.
    pub fn precedence(&self) -> (u8, i64, DomainId) {
        (self.rank(), self.domain.created_at.as_millis(), self.domain.id.clone())
    }

    /// Decides whether both say the same, so that what was made of one holds for the other.
    pub fn says_the_same(&self, other: &DomainRecord) -> bool {
        self.stored == other.stored && self.domain == other.domain
    }
}

fn next_stamp() -> u64 {
    static STAMPS: AtomicU64 = AtomicU64::new(0);
    STAMPS.fetch_add(1, Ordering::Relaxed)
}
