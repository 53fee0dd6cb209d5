//! One file of a sitemap: downloaded, and parsed beside it on a thread where that may block. Used by the walk.
//! Must never hold more than what the file lists, nor that beyond the reader's memory.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use futures::{Stream, StreamExt};
use tokio::sync::mpsc;

use super::memory::Memory;
use super::{FileProblem, PageList, Parsed, SitemapLimits, parse_sitemap};

/// The part of the reader's memory that one file may list: three are open at once, and the site's pages have the rest.
const SHARE: usize = 4;
/// Pieces of a download that wait for the parser.
const PIECES: usize = 8;

/// What a file says, before the site's rules are applied to it. Counts as held until it is dropped.
pub(super) struct FileContent {
    pub(super) parsed: Parsed,
    pub(super) listed: PageList,
    counted: usize,
    memory: Arc<Memory>,
}

impl FileContent {
    fn parse(
        file: impl Read,
        limits: SitemapLimits,
        memory: Arc<Memory>,
    ) -> Result<FileContent, FileProblem> {
        let parsed = Parsed { kind: super::FileKind::Text, is_cut: false, bad_lastmods: 0 };
        let mut content = FileContent { parsed, listed: PageList::default(), counted: 0, memory };
        let mut is_cut = false;
        content.parsed = parse_sitemap(file, limits.file_bytes, limits.file_urls, |entry| {
            if content.counted >= limits.memory_bytes / SHARE || content.memory.is_full() {
                is_cut = true;
            } else {
                content.listed.add(&entry.loc, entry.lastmod);
                content.count();
            }
        })
        .map_err(|error| FileProblem::Parse(error.to_string()))?;
        content.parsed.is_cut |= is_cut;
        Ok(content)
    }

    fn count(&mut self) {
        let bytes = self.listed.bytes();
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

/// Fetches and parses one file.
pub(super) async fn read_file<B, E>(
    opened: impl Future<Output = Result<B, E>>,
    limits: SitemapLimits,
    memory: Arc<Memory>,
) -> Result<FileContent, FileProblem>
where
    B: Stream<Item = io::Result<Bytes>>,
    E: fmt::Display,
{
    let body = opened.await.map_err(|error| FileProblem::Fetch(error.to_string()))?;
    let (pieces, received) = mpsc::channel::<Bytes>(PIECES);
    let parsing = tokio::task::spawn_blocking(move || {
        FileContent::parse(Pieces { received, piece: Bytes::new() }, limits, memory)
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
