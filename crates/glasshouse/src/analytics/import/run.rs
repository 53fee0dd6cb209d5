//! Reading a log to its end and counting it, a part at a time. Used by the command.
//! A part is one transaction: its visits and its checkpoint are both there, or neither is.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

use store::{Db, DbError};

use super::super::bounds::PageBounds;
use super::super::model::{TimeKey, Visit, VisitKey};
use super::super::queries;
use super::super::segments::close::MAX_PAGES;
use super::super::verify::ranges::RangeTable;
use super::progress::{Checkpoint, LineChain};
use super::{Counting, LogFormat};
use crate::clock::{Clock, Timestamp};
use crate::domains::DomainId;
use crate::platform::Platform;

/// Lines of one part.
const MAX_LINES: usize = 5_000;
/// Visits of one part: its rows are at most as many.
const MAX_VISITS: usize = 1_000;
/// A longer line is read over: no request line and user agent take so much.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Why an import ended early. What was counted until then stays, and is not counted again.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The log could not be read.
    #[error("cannot read the log")]
    Read(#[from] io::Error),
    /// Visits could not be written.
    #[error("cannot write visits")]
    Write(#[from] DbError),
}

/// What became of the lines of a log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Lines read.
    pub lines: u64,
    /// Visits counted now.
    pub visits: u64,
    /// Lines that an earlier import had counted.
    pub lines_known: u64,
    /// Lines that are not of the format.
    pub lines_unreadable: u64,
}

/// One log of one domain, from its first line on.
pub struct Import {
    db: Db,
    clock: Clock,
    domain: DomainId,
    format: LogFormat,
    ranges: Arc<RangeTable>,
    chain: LineChain,
    /// A line whose end has not come yet.
    unfinished: Vec<u8>,
    bytes_read: u64,
    imported: Imported,
    bounds: PageBounds,
}

impl Imported {
    /// Both together.
    pub fn plus(self, other: Imported) -> Imported {
        Imported {
            lines: self.lines + other.lines,
            visits: self.visits + other.visits,
            lines_known: self.lines_known + other.lines_known,
            lines_unreadable: self.lines_unreadable + other.lines_unreadable,
        }
    }
}

impl Import {
    /// Prepares to read a log of a domain.
    pub fn new(platform: &Platform, domain: DomainId, format: LogFormat) -> Import {
        Import {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            domain,
            format,
            ranges: Arc::new(RangeTable::of_installation(&platform.config.storage.data_dir)),
            chain: LineChain::default(),
            unfinished: Vec::new(),
            bytes_read: 0,
            imported: Imported::default(),
            bounds: PageBounds::new(MAX_PAGES),
        }
    }

    /// Counts what there is to read now; whoever follows a log calls it again when there is more.
    ///
    /// Blocks its thread while it reads. A last line without its end waits for the rest, or for [`Import::finish`].
    pub async fn read(&mut self, log: &mut impl BufRead) -> Result<Imported, ImportError> {
        loop {
            let part = self.next_part(log)?;
            if part.checkpoints.is_empty() {
                return Ok(self.imported);
            }
            self.count(part).await?;
        }
    }

    /// Counts a last line without its end, when nothing will follow it. It is a part by itself: should the rest come
    /// after all, everything before it is known.
    pub async fn finish(&mut self) -> Result<Imported, ImportError> {
        let line = std::mem::take(&mut self.unfinished);
        if !line.is_empty() {
            let mut part = Part::default();
            self.add_line(&mut part, &line);
            self.count(part).await?;
        }
        Ok(self.imported)
    }

    /// What was counted so far.
    pub fn imported(&self) -> Imported {
        self.imported
    }

    /// Bytes of the log that were read, its text when it is compressed.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Whole lines, as many as make a part; none when there are no more now.
    fn next_part(&mut self, log: &mut impl BufRead) -> io::Result<Part> {
        let mut part = Part::default();
        while part.checkpoints.len() < MAX_LINES && part.visits.len() < MAX_VISITS {
            let (is_whole, bytes) = read_line(log, &mut self.unfinished)?;
            self.bytes_read += bytes;
            if !is_whole {
                break;
            }
            let line = std::mem::take(&mut self.unfinished);
            self.add_line(&mut part, &line);
        }
        Ok(part)
    }

    fn add_line(&mut self, part: &mut Part, line: &[u8]) {
        part.checkpoints.push(self.chain.add(line));
        let text = String::from_utf8_lossy(line);
        let counting = Counting { domain: &self.domain, ranges: &self.ranges, now: self.clock.now() };
        match self.format.parse(text.trim()) {
            Some(parsed) => {
                let visit = counting.visit(&parsed);
                part.visits.extend(visit.map(|visit| (part.checkpoints.len(), visit)));
            }
            None if text.trim().is_empty() => {}
            None => part.unreadable += 1,
        }
    }

    async fn count(&mut self, part: Part) -> Result<(), DbError> {
        let applied = apply(&self.db, &self.domain, self.clock.now(), &part, &mut self.bounds).await?;
        self.imported.lines += part.checkpoints.len() as u64;
        self.imported.lines_unreadable += part.unreadable;
        self.imported.lines_known += applied.lines_known as u64;
        self.imported.visits += applied.visits;
        Ok(())
    }
}

/// Lines that are counted together.
#[derive(Default)]
struct Part {
    /// After each line.
    checkpoints: Vec<Checkpoint>,
    /// With the number of their line in the part, from one.
    visits: Vec<(usize, Visit)>,
    unreadable: u64,
}

struct Applied {
    lines_known: usize,
    visits: u64,
}

/// Counts what no import has counted yet. Two that read the same log wait for each other here.
async fn apply(
    db: &Db,
    domain: &DomainId,
    now: Timestamp,
    part: &Part,
    bounds: &mut PageBounds,
) -> Result<Applied, DbError> {
    let mut tx = db.write().await?;
    queries::lock_imports(&mut tx, domain, now).await?;
    let lines_known = lines_known(&mut tx, domain, &part.checkpoints).await?;
    let new: Vec<&Visit> =
        part.visits.iter().filter(|(line, _)| *line > lines_known).map(|(_, visit)| visit).collect();
    let mut pages: HashMap<VisitKey, u64> = HashMap::new();
    let mut times: HashMap<TimeKey, u64> = HashMap::new();
    for visit in &new {
        *pages.entry(visit.key()).or_default() += 1;
        // A log without times says nothing about them.
        if !visit.duration.is_zero() {
            *times.entry(visit.time_key()).or_default() += 1;
        }
    }
    let (pages, times): (Vec<_>, Vec<_>) = (pages.into_iter().collect(), times.into_iter().collect());
    let pages = bounds.fold(&mut tx, &pages).await?;
    queries::add_counts(&mut tx, &pages, &times).await?;
    if let Some(last) = part.checkpoints.last().filter(|_| lines_known < part.checkpoints.len()) {
        queries::add_checkpoint(&mut tx, domain, last.as_str(), now).await?;
    }
    tx.commit().await?;
    Ok(Applied { lines_known, visits: new.len() as u64 })
}

/// How many of these lines were counted before: as many as the last known checkpoint is after.
async fn lines_known(
    tx: &mut store::Tx,
    domain: &DomainId,
    checkpoints: &[Checkpoint],
) -> Result<usize, DbError> {
    let Some(last) = checkpoints.last() else { return Ok(0) };
    // The common case by itself: a log that is read for the second time has the same parts.
    if !queries::list_known_checkpoints(tx, domain, &[last.as_str()]).await?.is_empty() {
        return Ok(checkpoints.len());
    }
    let texts: Vec<&str> = checkpoints.iter().map(Checkpoint::as_str).collect();
    let known = queries::list_known_checkpoints(tx, domain, &texts).await?;
    Ok(checkpoints.iter().rposition(|checkpoint| known.contains(checkpoint.as_str())).map_or(0, |at| at + 1))
}

/// Reads on in a line, without its end: whether the line ended, and how many bytes there were. Of a line that is too
/// long only the start is kept.
fn read_line(log: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<(bool, u64)> {
    let mut bytes = 0;
    loop {
        let available = match log.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok((false, bytes));
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let piece = &available[..end.unwrap_or(available.len())];
        let room = MAX_LINE_BYTES.saturating_sub(line.len());
        line.extend_from_slice(&piece[..piece.len().min(room)]);
        let consumed = piece.len() + usize::from(end.is_some());
        bytes += consumed as u64;
        log.consume(consumed);
        if end.is_some() {
            return Ok((true, bytes));
        }
    }
}
