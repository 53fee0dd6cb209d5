//! The walk through a site's sitemap: from its first file to those that it refers to, level by level.
//! Must never take a page of another host, nor follow a circle.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use url::Url;

use super::file::{FileContent, read_file};
use super::memory::Memory;
use super::{
    FileKind, FileProblem, FileSummary, SiteHosts, Sitemap, SitemapError, SitemapFile, SitemapLimits,
    SitemapPage,
};
use crate::url::cache_key;

/// An index may name indexes; below this depth nothing is read.
const MAX_DEPTH: usize = 3;
/// More files than this are not one site's sitemap.
const MAX_FILES: usize = 2_000;
/// Files of one index that are fetched at the same time. Low: they all come from one origin, and wait in memory.
const FILES_AT_ONCE: usize = 3;
/// Tables that the known pages are spread over: a table that grows is there twice meanwhile.
const TABLES: usize = 16;

/// Reads a sitemap and every file that it refers to.
///
/// `open` fetches a file: its answer is the body of a 2xx, and any error of it is `fetch_failed`. The first file must be
/// usable; of the files of an index the unusable ones are only noted, unless not one of them is usable.
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
    let memory = Arc::new(Memory::of(limits.memory_bytes));
    let mut walk = Walk {
        hosts: hosts.clone(),
        limits,
        memory: memory.clone(),
        site: Sitemap::default(),
        known: Known::default(),
        visited: HashSet::from([start.clone()]),
        next: vec![start.clone()],
    };
    for depth in 0..=MAX_DEPTH {
        let level = std::mem::take(&mut walk.next);
        let (open, memory) = (&open, &memory);
        let files = stream::iter(level).map(|url| async move {
            let content = read_file(open(url.clone()), limits, memory.clone()).await;
            (url, content)
        });
        let mut files = std::pin::pin!(files.buffered(FILES_AT_ONCE));
        while let Some((url, outcome)) = files.next().await {
            let is_full = walk.is_full();
            // Fifty thousand addresses are some tenths of a second's work.
            let taking = tokio::task::spawn_blocking(move || {
                walk.take(url, outcome, depth);
                walk
            });
            walk = taking.await.map_err(|_| SitemapError::ParseFailed {
                url: start.clone(),
                reason: "the reader failed".to_owned(),
            })?;
            if is_full {
                walk.site.is_cut = true;
                return Ok(walk.site);
            }
        }
    }
    walk.end()
}

struct Walk {
    hosts: SiteHosts,
    limits: SitemapLimits,
    memory: Arc<Memory>,
    site: Sitemap,
    known: Known,
    visited: HashSet<Url>,
    next: Vec<Url>,
}

impl Walk {
    fn is_full(&self) -> bool {
        self.site.pages.len() >= self.limits.total_urls || self.memory.is_full()
    }

    /// Takes over what a file lists: its pages, or the files that it refers to.
    fn take(&mut self, url: Url, outcome: Result<FileContent, FileProblem>, depth: usize) {
        let outcome = match outcome {
            Ok(content) if content.parsed.kind == FileKind::Index && depth == MAX_DEPTH => {
                Err(FileProblem::TooDeep)
            }
            Ok(content) => Ok(self.take_content(&url, &content)),
            Err(problem) => Err(problem),
        };
        self.note(url, outcome);
    }

    fn note(&mut self, url: Url, outcome: Result<FileSummary, FileProblem>) {
        self.memory.take(size_of::<SitemapFile>() + url.as_str().len());
        self.site.files.push(SitemapFile { url, outcome });
    }

    fn take_content(&mut self, file: &Url, content: &FileContent) -> FileSummary {
        let parsed = content.parsed;
        let mut summary = FileSummary {
            kind: parsed.kind,
            listed: content.listed.len(),
            unusable: 0,
            foreign: 0,
            duplicates: 0,
            bad_lastmods: parsed.bad_lastmods,
            is_cut: parsed.is_cut,
        };
        let mut entries = content.listed.entries();
        while let Some((loc, lastmod)) = entries.next() {
            let Some(url) = usable(loc) else {
                summary.unusable += 1;
                continue;
            };
            match parsed.kind {
                FileKind::Index => self.take_file(file, url, &mut summary),
                _ => self.take_page(SitemapPage { url, lastmod }, &mut summary),
            }
        }
        self.site.is_cut |= summary.is_cut;
        summary
    }

    fn take_file(&mut self, index: &Url, url: Url, summary: &mut FileSummary) {
        let host = url.host_str().unwrap_or_default();
        // A sitemap may live on a host of its own; then so may the files beside it.
        let is_own = self.hosts.contains(host) || self.hosts.page(url.clone()).is_some();
        if !is_own && index.host_str() != Some(host) {
            summary.foreign += 1;
            if self.site.files.len() < MAX_FILES {
                self.note(url, Err(FileProblem::ForeignHost));
            }
        } else if self.visited.contains(&url) {
            // A circle, or named twice.
        } else if self.visited.len() >= MAX_FILES || self.memory.is_full() {
            summary.is_cut = true;
        } else {
            self.memory.take(2 * (size_of::<Url>() + url.as_str().len()));
            self.visited.insert(url.clone());
            self.next.push(url);
        }
    }

    fn take_page(&mut self, page: SitemapPage, summary: &mut FileSummary) {
        let Some(url) = self.hosts.page(page.url) else {
            summary.foreign += 1;
            return;
        };
        let page = SitemapPage { url, ..page };
        let hash = self.known.hash(&page.url);
        if self.known.contains(hash) {
            summary.duplicates += 1;
        } else if self.is_full() {
            summary.is_cut = true;
        } else {
            let before = self.site.pages.bytes() + self.known.bytes();
            self.known.insert(hash);
            self.site.pages.push(&page);
            self.memory.take(self.site.pages.bytes() + self.known.bytes() - before);
        }
    }

    /// The site, unless its first file is unusable or, being an index, none of its files is usable.
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

/// Pages that were taken already: hashes of their cache keys, 8 bytes for a page. That two of a million pages share one,
/// and the second is lost, happens once in some thirty million sites.
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

    /// What the tables hold: a place is a hash and a byte, and an eighth of the places stays free.
    fn bytes(&self) -> usize {
        self.tables.iter().map(|table| table.capacity() * 8 / 7 * (size_of::<u64>() + 1)).sum()
    }
}

/// An absolute http or https address without credentials; its fragment is dropped.
fn usable(loc: &str) -> Option<Url> {
    let mut url = Url::parse(loc).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    if !is_web || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.set_fragment(None);
    Some(url)
}

#[cfg(test)]
mod tests;
