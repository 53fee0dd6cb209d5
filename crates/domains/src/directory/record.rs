//! In-memory record of a domain. Pure.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::queries::{DomainRow, with_lock};
use crate::{Domain, DomainId, DomainStatus};

#[derive(Debug, Clone)]
pub struct DomainRecord {
    /// Number that is unique within this process; the key of the compiled site.
    pub stamp: u64,
    pub domain: Arc<Domain>,
    /// Status without the operator's lock.
    stored: DomainStatus,
    /// Size of the settings in kilobytes, at least one.
    pub kilobytes: usize,
}

impl DomainRecord {
    /// Parses a row. Fails when a newer version wrote the row.
    pub fn of(row: &DomainRow) -> Result<DomainRecord, String> {
        Ok(DomainRecord {
            stamp: next_stamp(),
            domain: Arc::new(row.parse()?),
            stored: row.stored_status()?,
            kilobytes: 1 + (row.settings.len() + row.rendering.len()) / 1024,
        })
    }

    /// Returns a locked or unlocked copy of the record.
    pub fn locked(&self, is_locked: bool) -> DomainRecord {
        let status = with_lock(self.stored, is_locked);
        let domain = Arc::new(Domain { status, ..(*self.domain).clone() });
        DomainRecord { stamp: next_stamp(), domain, ..*self }
    }

    /// Returns the precedence of the record's status at the edge: served before suspended before pending.
    pub fn rank(&self) -> u8 {
        match self.domain.status {
            DomainStatus::Connected | DomainStatus::ViaApi => 0,
            DomainStatus::Suspended => 1,
            DomainStatus::Pending => 2,
        }
    }

    /// Returns the sort key of records of one name; the edge serves the least.
    pub fn precedence(&self) -> (u8, i64, DomainId) {
        (self.rank(), self.domain.created_at.as_millis(), self.domain.id.clone())
    }

    /// Decides whether both records are equal, so that the compiled site of one is valid for the other.
    pub fn says_the_same(&self, other: &DomainRecord) -> bool {
        self.stored == other.stored && self.domain == other.domain
    }
}

fn next_stamp() -> u64 {
    static STAMPS: AtomicU64 = AtomicU64::new(0);
    STAMPS.fetch_add(1, Ordering::Relaxed)
}
