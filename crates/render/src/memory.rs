//! Rendered pages in this process's memory. Used by the render service and its fast path.
//! Must never hold more bytes than its limit, whatever else still refers to a page.

use std::sync::Arc;
use std::time::Duration;

use super::cache::ENTRY_OVERHEAD_BYTES;
use super::kept_headers::bytes_of;
use super::model::{RenderedPage, keeps};
use super::queries::PageId;
use platform::clock::Timestamp;

/// Maximum time for which a page is served from memory.
const MEMORY_INTERVAL: Duration = Duration::from_secs(5 * 60);
/// Time after which a page that is not requested is evicted.
const KEPT_IDLE: Duration = Duration::from_secs(3600);

/// A page in memory.
#[derive(Debug)]
pub struct MemoryEntry {
    pub page: Arc<RenderedPage>,
    valid_until: Timestamp,
}

impl MemoryEntry {
    /// Decides whether the page may still be served.
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
    /// Makes a tier of at most `max_bytes`; 0 keeps nothing.
    pub fn new(max_bytes: u64) -> MemoryTier {
        let pages = cache::Cache::builder(max_bytes)
            .weigher(|_, entry: &MemoryEntry| {
                entry.page.html.len() + bytes_of(&entry.page.headers) + ENTRY_OVERHEAD_BYTES
            })
            // Each entry has its own expiry, by the service's clock. An expired entry is the last known page.
            .time_to_idle(KEPT_IDLE)
            .build();
        MemoryTier { pages, max_bytes }
    }

    /// Finds a page that may be served.
    pub fn find(&self, page: &PageId, now: Timestamp) -> Option<Arc<MemoryEntry>> {
        self.pages.get(page).filter(|entry| entry.is_valid(now))
    }

    /// Finds the last known page, valid or expired, for when no better one is available.
    pub fn last_known(&self, page: &PageId) -> Option<Arc<MemoryEntry>> {
        self.pages.get(page)
    }

    /// Keeps a page for five minutes, or for the rest of its refresh interval if that is shorter.
    pub fn insert(&self, page: PageId, rendered: Arc<RenderedPage>, interval: Duration, now: Timestamp) {
        let stale_at = rendered.created_at.plus(keeps(rendered.status, interval));
        let valid_until = stale_at.min(now.plus(MEMORY_INTERVAL));
        if self.max_bytes == 0 || now >= valid_until {
            self.pages.remove(&page);
            return;
        }
        // Of two renders that end together, the later one is kept.
        self.pages.upsert(&page, |present| match present {
            Some(entry) if entry.page.created_at > rendered.created_at => entry,
            _ => Arc::new(MemoryEntry { page: rendered, valid_until }),
        });
    }

    pub fn forget(&self, page: &PageId) {
        self.pages.remove(page);
    }
}
