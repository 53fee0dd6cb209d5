//! The walk through the sitemaps of a site: from the first files to those that they refer to, level by level. What is found
//! goes to a collector: pages of one site for refreshes and settings (`site`), every entry for audits.
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

/// An index may name indexes; below this depth nothing is read.
const MAX_DEPTH: usize = 3;
/// More files than this are not one site's sitemap.
const MAX_FILES: usize = 2_000;

/// A file whose download began.
pub struct OpenedFile<B> {
    /// Address that answered, redirects followed.
    pub url: Url,
    pub body: B,
}

/// A file that could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnopenedFile {
    /// Status of the answer; 0: none.
    pub status: u16,
    pub reason: String,
}

/// A file of the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedFile {
    /// Address under which it is named.
    pub url: Url,
    /// Address that answered.
    pub end: Url,
    /// Status of the answer; 0: none.
    pub status: u16,
    /// Indexes above it.
    pub depth: usize,
}

/// An entry of a list.
#[derive(Debug, Clone, Copy)]
pub struct WalkedEntry<'e> {
    /// The address as it stands there.
    pub loc: &'e str,
    /// When the page changed, in epoch milliseconds.
    pub lastmod: Option<i64>,
    /// Further facts, for those who ask for them.
    pub extra: Option<&'e EntryExtra>,
}

/// Outcome of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryOutcome {
    /// It was taken.
    Taken,
    /// It is no address.
    Unusable,
    /// It is another site's.
    Foreign,
    /// It was taken before.
    Duplicate,
    /// A limit leaves it out.
    LeftOut,
}

/// Takes over what a walk finds.
pub trait SitemapCollector: Send + 'static {
    /// True if it wants more of entries than address and date.
    const WANTS_EXTRAS: bool;

    /// Decides whether a file is read that an index names.
    fn admits_file(&self, index: &WalkedFile, file: &Url) -> bool;

    /// Takes over an entry of a list.
    fn take(&mut self, file: &WalkedFile, entry: WalkedEntry<'_>) -> EntryOutcome;

    /// Hears how a file ended. Its entries were handed over before.
    fn note(&mut self, file: WalkedFile, outcome: Result<FileSummary, FileProblem>);

    /// Hears that a bound left out what was still to be read.
    fn note_cut(&mut self);

    /// Decides whether nothing more is wanted.
    fn is_full(&self) -> bool;

    /// Bytes that it holds.
    fn bytes(&self) -> usize;
}

/// Reads sitemap files and every file that they refer to, and hands what they list to a collector.
///
/// `open` fetches a file. Fails only when a thread of the reader does; then what was collected is lost.
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
                walk.collector.note_cut();
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

    /// Takes over what a file lists: its pages, or the files that it refers to.
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

/// An http or https address without credentials, relative ones made absolute; its fragment is dropped.
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
