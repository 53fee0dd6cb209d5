//! Collector of the pages of one site, for refreshes and settings. Used by the walk.
//! Must never take a page of another host.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::*;
use crate::sitemap::SitemapPage;
use crate::url::cache_key;

/// Number of tables of the known pages: a table that grows exists twice meanwhile, so small tables cost less.
const TABLES: usize = 16;

/// Reads a sitemap and every file that it refers to.
///
/// `open` fetches a file and returns the body of a 2xx response; any error of it is `fetch_failed`. The first file
/// must be usable; unusable files of an index are only recorded, unless all of them are unusable.
/// Dropping the future stops everything.
pub async fn read_site<F, B, E>(
    open: impl Fn(Url) -> F,
    start: &Url,
    hosts: &SiteHosts,
    limits: SitemapLimits,
) -> Result<Sitemap, SitemapError>
where
    F: Future<Output = Result<B, E>>,
    B: Stream<Item = io::Result<Bytes>>,
    E: fmt::Display,
{
    let open = &open;
    let opened = |url: Url| async move {
        let opened = open(url.clone()).await;
        opened
            .map(|body| OpenedFile { url, body })
            .map_err(|error| UnopenedFile { status: 0, reason: error.to_string() })
    };
    let collector = SiteCollector {
        hosts: hosts.clone(),
        most: limits.total_urls,
        site: Sitemap::default(),
        known: Known::default(),
    };
    match walk_sitemaps(opened, vec![start.clone()], limits, collector).await {
        Some(collector) => collector.end(),
        None => Err(SitemapError::ParseFailed { url: start.clone(), reason: "the reader failed".to_owned() }),
    }
}

/// Collector of the pages of a site.
struct SiteCollector {
    hosts: SiteHosts,
    most: usize,
    site: Sitemap,
    known: Known,
}

impl SitemapCollector for SiteCollector {
    const WANTS_EXTRAS: bool = false;

    fn admits_file(&self, index: &WalkedFile, file: &Url) -> bool {
        let host = file.host_str().unwrap_or_default();
        // A sitemap may live on a host of its own; then so may the files beside it.
        let is_own = self.hosts.contains(host) || self.hosts.page(file.clone()).is_some();
        is_own || [&index.url, &index.end].iter().any(|url| url.host_str() == Some(host))
    }

    fn take(&mut self, _: &WalkedFile, entry: WalkedEntry<'_>) -> EntryOutcome {
        // A relative address is none here: the protocol wants them absolute.
        let absolute = Url::parse(entry.loc).ok();
        let Some(url) = absolute.and_then(|url| usable(entry.loc, &url)) else {
            return EntryOutcome::Unusable;
        };
        let Some(url) = self.hosts.page(url) else { return EntryOutcome::Foreign };
        let page = SitemapPage { url, lastmod: entry.lastmod };
        let hash = self.known.hash(&page.url);
        if self.known.contains(hash) {
            EntryOutcome::Duplicate
        } else if self.is_full() {
            EntryOutcome::LeftOut
        } else {
            self.known.insert(hash);
            self.site.pages.push(&page);
            EntryOutcome::Taken
        }
    }

    fn note(&mut self, file: WalkedFile, outcome: Result<FileSummary, FileProblem>) {
        self.site.is_cut |= outcome.as_ref().is_ok_and(|summary| summary.is_cut);
        self.site.files.push(SitemapFile { url: file.url, outcome });
    }

    fn record_cut(&mut self) {
        self.site.is_cut = true;
    }

    fn is_full(&self) -> bool {
        self.site.pages.len() >= self.most
    }

    fn bytes(&self) -> usize {
        self.site.pages.bytes() + self.known.bytes()
    }
}

impl SiteCollector {
    /// Returns the site, unless its first file is unusable or, being an index, none of its files is usable.
    fn end(self) -> Result<Sitemap, SitemapError> {
        let has_list =
            |file: &SitemapFile| file.outcome.as_ref().is_ok_and(|file| file.kind != FileKind::Index);
        if self.site.files.iter().any(has_list) {
            return Ok(self.site);
        }
        let failed = self.site.files.iter().find_map(|file| match &file.outcome {
            Err(FileProblem::Fetch(reason)) => {
                Some(SitemapError::FetchFailed { url: file.url.clone(), reason: reason.clone() })
            }
            Err(FileProblem::Parse(reason)) => {
                Some(SitemapError::ParseFailed { url: file.url.clone(), reason: reason.clone() })
            }
            _ => None,
        });
        failed.map_or(Ok(self.site), Err)
    }
}

/// Hashes of the cache keys of the known pages, 8 bytes for a page. Two of a million pages share a hash, and the
/// second is lost, once in some thirty million sites.
#[derive(Default)]
struct Known {
    tables: [HashSet<u64>; TABLES],
    hasher: RandomState,
}

impl Known {
    fn insert(&mut self, hash: u64) {
        self.tables[hash as usize % TABLES].insert(hash);
    }

    fn contains(&self, hash: u64) -> bool {
        self.tables[hash as usize % TABLES].contains(&hash)
    }

    fn hash(&self, url: &Url) -> u64 {
        self.hasher.hash_one(cache_key(url))
    }

    /// Returns the bytes of the tables: a slot is a hash and a byte, and an eighth of the slots stays free.
    fn bytes(&self) -> usize {
        self.tables.iter().map(|table| table.capacity() * 8 / 7 * (size_of::<u64>() + 1)).sum()
    }
}
