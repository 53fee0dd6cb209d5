//! Pages that sitemaps list and that others of their template may represent: the order in which they are requested,
//! and the point at which no more are. Used by the queue.
//! Must never depend on the speed of responses: pages are released when no response is awaited.
//! See docs/decisions/0161.

use std::collections::HashMap;
use std::collections::VecDeque;

use hashbrown::HashSet;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::frontier::{CrawlPriority, Frontier};
use super::patterns::Patterns;
use super::template::template;
use crate::site::{Interner, UrlId};

/// Listed pages that wait, by template.
#[derive(Default)]
pub(super) struct ListedPages {
    groups: Vec<VecDeque<UrlId>>,
    /// Pages that are audited even if others represent them.
    kept: Vec<UrlId>,
}

impl ListedPages {
    /// Orders listed pages: within a template by a hash that is the same in every run of the site, so that an unchanged
    /// site is sampled in the same places.
    pub fn of(pages: Vec<UrlId>, urls: &Interner, seed: u64, is_kept: impl Fn(UrlId) -> bool) -> ListedPages {
        let (kept, others): (Vec<UrlId>, Vec<UrlId>) = pages.into_iter().partition(|id| is_kept(*id));
        let mut by_template: HashMap<String, Vec<(u64, UrlId)>> = HashMap::new();
        for id in others {
            let key = urls.key(id);
            by_template.entry(template(key)).or_default().push((order(key, seed), id));
        }
        let mut groups: Vec<Vec<(u64, UrlId)>> = by_template.into_values().collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        let ids = |group: Vec<(u64, UrlId)>| group.into_iter().map(|(_, id)| id).collect();
        ListedPages { groups: groups.into_iter().map(ids).collect(), kept }
    }

    /// Returns the number of waiting pages.
    pub fn len(&self) -> usize {
        self.kept.len() + self.groups.iter().map(VecDeque::len).sum::<usize>()
    }

    /// Queues the next pages. Those that are left out for good go to `sampled`. Returns whether it queued any.
    pub fn release(
        &mut self,
        urls: &Interner,
        frontier: &mut Frontier,
        patterns: &mut Patterns,
        sampled: &mut HashSet<UrlId>,
    ) -> bool {
        let before = frontier.len();
        for id in
            std::mem::take(&mut self.kept).into_iter().filter(|id| !frontier.knows(*id)).collect::<Vec<_>>()
        {
            patterns.record_queued(urls.key(id));
            frontier.push(id, CrawlPriority::Listed, 0);
        }
        for group in &mut self.groups {
            // Some were linked meanwhile.
            group.retain(|id| !frontier.knows(*id));
            let Some(first) = group.front() else { continue };
            match patterns.listed_share(urls.key(*first)) {
                Some(share) => {
                    for id in group.drain(..(share as usize).min(group.len())) {
                        patterns.record_queued(urls.key(id));
                        frontier.push(id, CrawlPriority::Listed, 0);
                    }
                }
                None => {
                    for id in group.drain(..) {
                        patterns.record_sampled(urls.key(id));
                        sampled.insert(id);
                        frontier.refuse(id);
                    }
                }
            }
        }
        self.groups.retain(|group| !group.is_empty());
        frontier.len() > before
    }
}

/// Returns the position of an address among those of its template.
pub(super) fn order(key: &str, seed: u64) -> u64 {
    xxh3_64_with_seed(key.as_bytes(), seed)
}
