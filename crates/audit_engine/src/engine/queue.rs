//! The queue of a crawl: the addresses to request, their order, and the reasons why others are not requested. Used by
//! the crawl.
//! Must never depend on the speed of responses.

use std::collections::HashMap;

use hashbrown::HashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::AuditOptions;
use super::frontier::{CrawlPriority, Frontier};
use super::listed::ListedPages;
use super::patterns::{Admission, Patterns};
use crate::site::{Interner, Row, RowDestination, UrlId};

/// Maximum number of redirects that are followed one after the other. Verdicts distinguish up to ten.
const MAX_REDIRECTS: u8 = 20;

/// Addresses that wait, and those that are left out.
pub(super) struct CrawlQueue<'a> {
    options: &'a AuditOptions,
    pub frontier: Frontier,
    pub patterns: Patterns,
    /// Addresses that the options leave out.
    pub filtered: HashSet<UrlId>,
    /// Addresses that lead nowhere new, without end.
    pub trapped: HashSet<UrlId>,
    /// Addresses that other pages of their template represent.
    pub sampled: HashSet<UrlId>,
    /// Redirects in a row that led to an address.
    redirects: HashMap<UrlId, u8>,
    /// Pages that sitemaps list, when others of their template may represent them.
    listed: ListedPages,
    /// Pages that sitemaps call important.
    important: HashSet<UrlId>,
    /// Year of the audit: dates far from it are not pages.
    pub year: i32,
    /// Seed of the selection of representing pages: the same in every run of the site.
    pub seed: u64,
}

impl<'a> CrawlQueue<'a> {
    /// Makes an empty queue.
    pub fn new(options: &'a AuditOptions) -> CrawlQueue<'a> {
        CrawlQueue {
            options,
            frontier: Frontier::default(),
            patterns: Patterns::default(),
            filtered: HashSet::new(),
            trapped: HashSet::new(),
            sampled: HashSet::new(),
            redirects: HashMap::new(),
            listed: ListedPages::default(),
            important: HashSet::new(),
            year: 0,
            seed: xxh3_64(
                options.seeds[0].host_str().unwrap_or_default().trim_start_matches("www.").as_bytes(),
            ),
        }
    }

    /// Queues the pages that sitemaps list, each with whether it is important.
    pub fn list(&mut self, urls: &Interner, pages: Vec<(UrlId, bool)>) {
        if !self.options.allow_sampling {
            pages.into_iter().for_each(|(id, _)| self.enqueue(urls, id, CrawlPriority::Listed, 0));
            return;
        }
        let mut waiting = Vec::with_capacity(pages.len());
        for (id, is_important) in pages {
            let key = urls.key(id);
            if self.options.is_filtered(key) {
                self.filtered.insert(id);
            } else if !self.frontier.knows(id) && !self.frontier.is_pending(id) {
                self.patterns.discover(key);
                self.frontier.set_pending(id);
                if is_important {
                    self.important.insert(id);
                }
                waiting.push(id);
            }
        }
        let mut kept = HashSet::new();
        for id in &waiting {
            if self.is_kept(urls.key(*id), *id) && self.patterns.keeps(urls.key(*id)) {
                kept.insert(*id);
            }
        }
        self.listed = ListedPages::of(waiting, urls, self.seed, |id| kept.contains(&id));
    }

    /// Returns the number of waiting addresses.
    pub fn waiting(&self) -> usize {
        self.frontier.len() + self.listed.len()
    }

    /// Decides whether a page is never skipped: the start page, one that a sitemap calls important, one that had an
    /// error in the previous run or was visited lately.
    fn is_kept(&self, key: &str, id: UrlId) -> bool {
        key == "/" || self.important.contains(&id) || self.options.never_skipped.contains(key)
    }

    /// Takes the next address. What nothing links to comes only when `is_idle` says that no answer is awaited.
    pub fn next(&mut self, urls: &Interner, is_idle: bool) -> Option<UrlId> {
        loop {
            if let Some(id) = self.frontier.pop(is_idle) {
                return Some(id);
            }
            let CrawlQueue { listed, frontier, patterns, sampled, .. } = self;
            if !is_idle || !listed.release(urls, frontier, patterns, sampled) {
                return None;
            }
        }
    }

    /// Queues what a row leads to.
    pub fn follow(&mut self, urls: &Interner, row: &Row) {
        let depth = self.frontier.depth(row.id);
        if let Some(RowDestination::Page(to)) = row.redirect {
            let redirects = self.redirects.get(&row.id).copied().unwrap_or_default() + 1;
            if redirects <= MAX_REDIRECTS {
                self.redirects.entry(to).or_insert(redirects);
                self.enqueue(urls, to, CrawlPriority::Link, depth);
            }
        }
        let next = depth.saturating_add(1);
        let Some(named) = &row.named else { return };
        let key = urls.key(row.id);
        let path = key.split('?').next().unwrap_or_default();
        let folder = &path[..path.rfind('/').map_or(0, |at| at + 1)];
        let has_grown = self.patterns.has_grown(key, row);
        for link in &named.links {
            let to = urls.key(link.to);
            let grows = has_grown && to.len() > path.len() && to.starts_with(folder);
            self.weigh(urls, link.to, CrawlPriority::Link, next, grows);
        }
        named.references.iter().for_each(|to| self.enqueue(urls, *to, CrawlPriority::Reference, next));
    }

    /// Queues an address unless the options leave it out.
    pub fn enqueue(&mut self, urls: &Interner, id: UrlId, priority: CrawlPriority, depth: u16) {
        self.weigh(urls, id, priority, depth, false);
    }

    fn weigh(&mut self, urls: &Interner, id: UrlId, priority: CrawlPriority, depth: u16, grows: bool) {
        let key = urls.key(id);
        let is_too_deep =
            priority != CrawlPriority::Listed && self.options.max_depth.is_some_and(|most| depth > most);
        if is_too_deep || self.options.is_filtered(key) {
            self.filtered.insert(id);
            return;
        }
        // An address is weighed once: a template counts each address once.
        if priority == CrawlPriority::Link && depth > 0 && !self.frontier.knows(id) {
            if self.frontier.is_pending(id) {
                self.patterns.undiscover(key);
            }
            let may_sample = self.options.allow_sampling
                && depth > 1
                && !(self.is_kept(key, id) && self.patterns.keeps(key));
            let left_out = match self.patterns.admit(key, self.year, may_sample, grows) {
                Admission::Yes => None,
                Admission::Trap => Some(&mut self.trapped),
                Admission::Sampled => Some(&mut self.sampled),
            };
            if let Some(left_out) = left_out {
                left_out.insert(id);
                return self.frontier.refuse(id);
            }
        }
        self.frontier.push(id, priority, depth);
    }
}
