//! Rendered pages in this process's memory. Used by the render service and its fast path.
//! Must never hold more bytes than it was given, whatever else still looks at a page.

use std::sync::Arc;
use std::time::Duration;

use super::cache::ENTRY_OVERHEAD_BYTES;
use super::kept_headers::bytes_of;
use super::model::{RenderedPage, keeps};
use super::queries::PageId;
use platform::clock::Timestamp;

/// How long a page is answered from memory at most.
const MEMORY_INTERVAL: Duration = Duration::from_secs(5 * 60);
/// How long a page that nobody asks for stays.
const KEPT_IDLE: Duration = Duration::from_secs(3600);

/// A page in memory.
#[derive(Debug)]
pub struct MemoryEntry {
    pub page: Arc<RenderedPage>,
    valid_until: Timestamp,
}

impl MemoryEntry {
    /// Whether it may still be served.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        now < self.valid_until
    }
}

/// Pages of this process, bounded by their bytes. Cheap to clone.
#[derive(Clone)]
pub struct MemoryTier {
    pages: cache::Cache<PageId, MemoryEntry>,
    max_bytes: u64,
}

impl MemoryTier {
    /// A tier for so many bytes; 0 keeps nothing.
    pub fn new(max_bytes: u64) -> MemoryTier {
        let pages = cache::Cache::builder(max_bytes)
            .weigher(|_, entry: &MemoryEntry| {
                entry.page.html.len() + bytes_of(&entry.page.headers) + ENTRY_OVERHEAD_BYTES
            })
            // Entries say themselves when they end, by our clock. Beyond that they are the last known answer.
            .time_to_idle(KEPT_IDLE)
            .build();
        MemoryTier { pages, max_bytes }
    }

    /// A page that may be served.
    pub fn find(&self, page: &PageId, now: Timestamp) -> Option<Arc<MemoryEntry>> {
        self.pages.get(page).filter(|entry| entry.is_valid(now))
    }

    /// The page as it was last known, for when nothing better can be had.
    pub fn last_known(&self, page: &PageId) -> Option<Arc<MemoryEntry>> {
        self.pages.get(page)
    }

    /// Keeps a page for five minutes, or what is left of its refresh interval.
    pub fn insert(&self, page: PageId, rendered: Arc<RenderedPage>, interval: Duration, now: Timestamp) {
        let stale_at = rendered.created_at.plus(keeps(rendered.status, interval));
        let valid_until = stale_at.min(now.plus(MEMORY_INTERVAL));
        if self.max_bytes == 0 || now >= valid_until {
            self.pages.remove(&page);
            return;
        }
        // Of two renders that end together, the one that was made last stays.
        self.pages.upsert(&page, |present| match present {
            Some(entry) if entry.page.created_at > rendered.created_at => entry,
            _ => Arc::new(MemoryEntry { page: rendered, valid_until }),
        });
    }

    pub fn forget(&self, page: &PageId) {
        self.pages.remove(page);
    }
}
