//! The walk through the sitemaps of a site, level by level, from the first files to those that they refer to. Entries
//! go to a collector: pages of one site for refreshes and settings (`site`), every entry for audits.
//! Must never follow a circle, nor hold more than the reader's memory.

mod site;

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use url::Url;

use super::file::{EntryExtra, FileContent, read_file};
use super::memory::Memory;
use super::{
    FileKind, FileProblem, FileSummary, SiteHosts, Sitemap, SitemapError, SitemapFile, SitemapLimits,
};

pub use site::read_site;

/// Deepest level that is read: an index may name indexes.
const MAX_DEPTH: usize = 3;
/// Maximum number of files of one site's sitemap.
const MAX_FILES: usize = 2_000;

/// A file whose download began.
pub struct OpenedFile<B> {
    /// Address of the response, redirects followed.
    pub url: Url,
    pub body: B,
}

/// A file that could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnopenedFile {
    /// Status of the response; 0: none.
    pub status: u16,
    pub reason: String,
}

/// A file of the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedFile {
    /// Address by which the file is named.
    pub url: Url,
    /// Address of the response.
    pub end: Url,
    /// Status of the response; 0: none.
    pub status: u16,
    /// Indexes above it.
    pub depth: usize,
}

/// An entry of a list.
#[derive(Debug, Clone, Copy)]
pub struct WalkedEntry<'e> {
    /// Address as written.
    pub loc: &'e str,
    /// Date of the page's last change, in epoch milliseconds.
    pub lastmod: Option<i64>,
    /// Further facts, for collectors that want them.
    pub extra: Option<&'e EntryExtra>,
}

/// Outcome of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryOutcome {
    /// It was taken.
    Taken,
    /// It is not an address.
    Unusable,
    /// It belongs to another site.
    Foreign,
    /// It was taken before.
    Duplicate,
    /// A limit leaves it out.
    LeftOut,
}

/// Receiver of the entries of a walk.
pub trait SitemapCollector: Send + 'static {
    /// True if the collector wants more than address and date of entries.
    const WANTS_EXTRAS: bool;

    /// Decides whether a file of an index is read.
    fn admits_file(&self, index: &WalkedFile, file: &Url) -> bool;

    /// Receives an entry of a list.
    fn take(&mut self, file: &WalkedFile, entry: WalkedEntry<'_>) -> EntryOutcome;

    /// Receives the outcome of a file, after its entries.
    fn note(&mut self, file: WalkedFile, outcome: Result<FileSummary, FileProblem>);

    /// Learns that a limit left out the files that were still to be read.
    fn record_cut(&mut self);

    /// Returns true when the collector wants nothing more.
    fn is_full(&self) -> bool;

    /// Returns the bytes of memory that the collector holds.
    fn bytes(&self) -> usize;
}

/// Reads sitemap files and every file that they refer to, and passes their entries to a collector.
///
/// `open` fetches a file. Fails only when a thread of the reader does; then the collected entries are lost.
/// Dropping the future stops everything.
pub async fn walk_sitemaps<C, F, B>(
    open: impl Fn(Url) -> F,
    starts: Vec<Url>,
    limits: SitemapLimits,
    collector: C,
) -> Option<C>
where
    C: SitemapCollector,
    F: Future<Output = Result<OpenedFile<B>, UnopenedFile>>,
    B: Stream<Item = io::Result<Bytes>>,
{
    let memory = Arc::new(Memory::of(limits.memory_bytes));
    let mut walk =
        Walk { memory: memory.clone(), visited: starts.iter().cloned().collect(), next: starts, collector };
    for depth in 0..=MAX_DEPTH {
        let level = std::mem::take(&mut walk.next);
        let (open, memory) = (&open, &memory);
        let files = stream::iter(level).map(|url| async move {
            let opened = open(url.clone()).await;
            let (end, status) = match &opened {
                Ok(opened) => (opened.url.clone(), 200),
                Err(unopened) => (url.clone(), unopened.status),
            };
            let file = WalkedFile { url, end, status, depth };
            let content = match opened {
                Ok(opened) => read_file(opened, limits, C::WANTS_EXTRAS, memory.clone()).await,
                Err(unopened) => Err(FileProblem::Fetch(unopened.reason)),
            };
            (file, content)
        });
        let mut files = std::pin::pin!(files.buffered(limits.files_at_once.max(1)));
        while let Some((file, outcome)) = files.next().await {
            let is_full = walk.is_full();
            // Fifty thousand addresses are some tenths of a second's work.
            let taking = tokio::task::spawn_blocking(move || {
                walk.take(file, outcome);
                walk
            });
            walk = taking.await.ok()?;
            if is_full {
                walk.collector.record_cut();
                return Some(walk.collector);
            }
        }
    }
    Some(walk.collector)
}

struct Walk<C> {
    memory: Arc<Memory>,
    visited: HashSet<Url>,
    next: Vec<Url>,
    collector: C,
}

impl<C: SitemapCollector> Walk<C> {
    fn is_full(&self) -> bool {
        self.collector.is_full() || self.memory.is_full()
    }

    /// Processes the content of a file: its pages, or the files that it refers to.
    fn take(&mut self, file: WalkedFile, outcome: Result<FileContent, FileProblem>) {
        let outcome = match outcome {
            Ok(content) if content.parsed.kind == FileKind::Index && file.depth == MAX_DEPTH => {
                Err(FileProblem::TooDeep)
            }
            Ok(content) => Ok(self.take_content(&file, &content)),
            Err(problem) => Err(problem),
        };
        self.note(file, outcome);
    }

    fn note(&mut self, file: WalkedFile, outcome: Result<FileSummary, FileProblem>) {
        self.memory.take(size_of::<SitemapFile>() + file.url.as_str().len());
        self.collector.note(file, outcome);
    }

    fn take_content(&mut self, file: &WalkedFile, content: &FileContent) -> FileSummary {
        let parsed = content.parsed;
        let mut summary = FileSummary {
            kind: parsed.kind,
            listed: content.listed.len(),
            unusable: 0,
            foreign: 0,
            duplicates: 0,
            bad_lastmods: parsed.bad_lastmods,
            bytes: parsed.bytes,
            has_more_entries: parsed.has_more_entries,
            is_cut: parsed.is_cut,
        };
        let mut extras = content.extras.iter().peekable();
        let mut entries = content.listed.entries();
        for number in 0.. {
            let Some((loc, lastmod)) = entries.next() else { break };
            let extra = extras.next_if(|(of, _)| *of == number).map(|(_, extra)| extra);
            if parsed.kind == FileKind::Index {
                self.take_file(file, loc, &mut summary);
                continue;
            }
            let before = self.collector.bytes();
            let is_full = self.memory.is_full();
            let outcome = match is_full {
                true => EntryOutcome::LeftOut,
                false => self.collector.take(file, WalkedEntry { loc, lastmod, extra }),
            };
            self.memory.take(self.collector.bytes().saturating_sub(before));
            match outcome {
                EntryOutcome::Taken => {}
                EntryOutcome::Unusable => summary.unusable += 1,
                EntryOutcome::Foreign => summary.foreign += 1,
                EntryOutcome::Duplicate => summary.duplicates += 1,
                EntryOutcome::LeftOut => summary.is_cut = true,
            }
        }
        summary
    }

    fn take_file(&mut self, index: &WalkedFile, loc: &str, summary: &mut FileSummary) {
        let Some(url) = usable(loc, &index.end) else {
            summary.unusable += 1;
            return;
        };
        if !self.collector.admits_file(index, &url) {
            summary.foreign += 1;
            if self.visited.len() < MAX_FILES && self.visited.insert(url.clone()) {
                let foreign = WalkedFile { end: url.clone(), url, status: 0, depth: index.depth + 1 };
                self.note(foreign, Err(FileProblem::ForeignHost));
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
}

/// Resolves an address against its file: http or https without credentials, fragment dropped. Returns `None` for any other.
pub fn usable(loc: &str, file: &Url) -> Option<Url> {
    let mut url = file.join(loc).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    if !is_web || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.set_fragment(None);
    Some(url)
}

#[cfg(test)]
mod tests;
