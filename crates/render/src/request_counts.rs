//! Numbers of requests for pages, counted in memory and added to the pages' rows once a minute.
//! Used by the render service and its fast path. Must stay small and fast: every request for a page is counted.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::queries::PageId;

/// Number of parts, each with its own lock.
const SHARDS: usize = 16;
/// Maximum number of pages that are counted at a time. Requests for further pages are not counted.
const MAX_PAGES: usize = 160_000;

#[derive(Default)]
pub(super) struct RequestCounts([Mutex<HashMap<PageId, i64>>; SHARDS]);

impl RequestCounts {
    /// Counts requests for a page.
    pub fn add(&self, page: &PageId, times: i64) {
        let shard = page.key_hash.bytes().last().map_or(0, usize::from) % SHARDS;
        let mut counts = self.0[shard].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(page) {
            *count += times;
        } else if counts.len() < MAX_PAGES / SHARDS {
            counts.insert(page.clone(), times);
        }
    }

    /// Takes the counts, in the order in which rows are locked.
    pub fn take(&self) -> Vec<(PageId, i64)> {
        let taken = self
            .0
            .iter()
            .map(|shard| std::mem::take(&mut *shard.lock().unwrap_or_else(PoisonError::into_inner)));
        let mut counts: Vec<(PageId, i64)> = taken.flatten().collect();
        counts.sort_by(|(a, _), (b, _)| {
            (a.domain.as_str(), &a.key_hash).cmp(&(b.domain.as_str(), &b.key_hash))
        });
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domains::DomainId;

    fn page(number: usize) -> PageId {
        PageId { domain: DomainId::from("d1"), key_hash: format!("{number:032x}") }
    }

    #[test]
    fn what_is_taken_is_counted_once_and_in_one_order() {
        let counts = RequestCounts::default();
        for number in [3, 1, 2, 1] {
            counts.add(&page(number), 1);
        }

        assert_eq!(counts.take(), [(page(1), 2), (page(2), 1), (page(3), 1)]);
        assert!(counts.take().is_empty());
    }

    #[test]
    fn a_flood_of_addresses_does_not_fill_the_memory() {
        let counts = RequestCounts::default();
        for number in 0..MAX_PAGES + 1_000 {
            counts.add(&page(number), 1);
        }

        assert!(counts.take().len() <= MAX_PAGES);
    }
}
