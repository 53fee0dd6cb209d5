//! One file of a sitemap: downloaded, and parsed beside it on a thread where that may block. Used by the walk.
//! Must never hold more than what the file lists, nor that beyond the reader's memory.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use futures::{Stream, StreamExt};
use tokio::sync::mpsc;

use super::memory::Memory;
use super::{FileProblem, Listed, OpenedFile, PageList, Parsed, SitemapLimits, parse_sitemap};

/// The part of the reader's memory that one file may list: three are open at once, and the site's pages have the rest.
const SHARE: usize = 4;
/// Pieces of a download that wait for the parser.
const PIECES: usize = 8;

/// What a file says, before the site's rules are applied to it. Counts as held until it is dropped.
pub(super) struct FileContent {
    pub(super) parsed: Parsed,
    pub(super) listed: PageList,
    /// More than address and date of an entry, by its number; entries that say no more are left out.
    pub(super) extras: Vec<(u32, EntryExtra)>,
    extra_bytes: usize,
    counted: usize,
    memory: Arc<Memory>,
}

/// Facts of an entry beside its address and date. Kept for those who ask for it only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryExtra {
    /// The date cannot be read.
    pub has_bad_lastmod: bool,
    /// The priority is 0.8 or more.
    pub is_important: bool,
    /// Language versions: the language and the address as they stand there.
    pub alternates: Vec<(String, String)>,
}

impl EntryExtra {
    fn of(entry: Listed) -> Option<EntryExtra> {
        let Listed { has_bad_lastmod, is_important, alternates, .. } = entry;
        let says_more = has_bad_lastmod || is_important || !alternates.is_empty();
        says_more.then_some(EntryExtra { has_bad_lastmod, is_important, alternates })
    }

    fn bytes(&self) -> usize {
        let texts: usize = self.alternates.iter().map(|(lang, href)| lang.len() + href.len() + 48).sum();
        size_of::<(u32, EntryExtra)>() + texts
    }
}

impl FileContent {
    fn parse(
        file: impl Read,
        limits: SitemapLimits,
        wants_extras: bool,
        memory: Arc<Memory>,
    ) -> Result<FileContent, FileProblem> {
        let parsed = Parsed {
            kind: super::FileKind::Text,
            is_cut: false,
            bad_lastmods: 0,
            bytes: 0,
            has_more_entries: false,
        };
        let (listed, extras) = (PageList::default(), Vec::new());
        let mut content = FileContent { parsed, listed, extras, extra_bytes: 0, counted: 0, memory };
        let mut is_cut = false;
        content.parsed = parse_sitemap(file, limits.file_bytes, limits.file_urls, |entry| {
            if content.counted >= limits.memory_bytes / SHARE || content.memory.is_full() {
                is_cut = true;
            } else {
                content.listed.add(&entry.loc, entry.lastmod);
                if let Some(extra) = Some(entry).filter(|_| wants_extras).and_then(EntryExtra::of) {
                    content.extra_bytes += extra.bytes();
                    let number = u32::try_from(content.listed.len() - 1).unwrap_or(u32::MAX);
                    content.extras.push((number, extra));
                }
                content.count();
            }
        })
        .map_err(|error| FileProblem::Parse(error.to_string()))?;
        content.parsed.is_cut |= is_cut;
        Ok(content)
    }

    fn count(&mut self) {
        let bytes = self.listed.bytes() + self.extra_bytes;
        if bytes > self.counted {
            self.memory.take(bytes - self.counted);
            self.counted = bytes;
        }
    }
}

impl Drop for FileContent {
    fn drop(&mut self) {
        self.memory.give_back(self.counted);
    }
}

/// Parses one file while it is downloaded.
pub(super) async fn read_file<B: Stream<Item = io::Result<Bytes>>>(
    opened: OpenedFile<B>,
    limits: SitemapLimits,
    wants_extras: bool,
    memory: Arc<Memory>,
) -> Result<FileContent, FileProblem> {
    let body = opened.body;
    let (pieces, received) = mpsc::channel::<Bytes>(PIECES);
    let parsing = tokio::task::spawn_blocking(move || {
        FileContent::parse(Pieces { received, piece: Bytes::new() }, limits, wants_extras, memory)
    });

    let mut body = std::pin::pin!(body);
    let mut broken_off = None;
    while let Some(piece) = body.next().await {
        match piece {
            // The parser has enough: a limit, or an error that it is about to report.
            Ok(piece) => {
                if pieces.send(piece).await.is_err() {
                    break;
                }
            }
            Err(error) => {
                broken_off = Some(FileProblem::Fetch(error.to_string()));
                break;
            }
        }
    }
    drop(pieces);
    let parsed = parsing.await.map_err(|_| FileProblem::Parse("the reader failed".to_owned()))?;
    match broken_off {
        Some(problem) => Err(problem),
        None => parsed,
    }
}

/// A download as the parser reads it. Ends when the download does, or when nobody waits for it any more.
struct Pieces {
    received: mpsc::Receiver<Bytes>,
    piece: Bytes,
}

impl Read for Pieces {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.received.blocking_recv() {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let count = to.len().min(self.piece.len());
        self.piece.copy_to_slice(&mut to[..count]);
        Ok(count)
    }
}
