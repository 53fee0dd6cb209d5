//! One file of a sitemap, parsed on a blocking thread while it is downloaded. Used by the walk.
//! Must never hold more than the entries of the file, nor those beyond the reader's memory limit.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use futures::{Stream, StreamExt};
use tokio::sync::mpsc;

use super::memory::Memory;
use super::{FileProblem, Listed, OpenedFile, PageList, Parsed, SitemapLimits, parse_sitemap};

/// Divisor of the reader's memory for one file: three are open at once, and the site's pages take the remaining memory.
const SHARE: usize = 4;
/// Pieces of a download that are buffered for the parser.
const PIECES: usize = 8;

/// Entries of a file before the site's rules are applied. Counts as held memory until it is dropped.
pub(super) struct FileContent {
    pub(super) parsed: Parsed,
    pub(super) listed: PageList,
    /// Extra facts of entries by entry number; entries without any are left out.
    pub(super) extras: Vec<(u32, EntryExtra)>,
    extra_bytes: usize,
    counted: usize,
    memory: Arc<Memory>,
}

/// Facts of an entry beside its address and date, kept only for collectors that want them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryExtra {
    /// The date cannot be read.
    pub has_bad_lastmod: bool,
    /// The priority is 0.8 or more.
    pub is_important: bool,
    /// Language versions: language and address as written.
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

/// A download as a blocking reader. Ends with the download, or when the caller has gone.
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
