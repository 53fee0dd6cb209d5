//! Reading a log to its end and counting it, a part at a time. Used by the command.
//! A part is counted as one: its visits and its checkpoint are both there, or neither is.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::ops::Range;
use std::sync::Arc;

use super::super::model::{Day, TimeKey, Visit, VisitKey, day_of, month_of};
use super::super::stores::{VisitError, VisitStore};
use super::super::verify::ranges::RangeTable;
use super::progress::{Checkpoint, LineChain};
use super::{Counting, LogFormat};
use crate::clock::Clock;
use crate::domains::Domain;
use crate::platform::Platform;

/// Lines of one part.
const MAX_LINES: usize = 100_000;
/// Visits of one part: its rows are at most as many. Nobody else writes to SQLite while they are counted.
const MAX_VISITS: usize = 20_000;
/// Bytes of lines of one part, give or take one line.
const MAX_PART_BYTES: u64 = 32 << 20;
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
    Write(#[from] VisitError),
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
    /// Lines of other sites.
    pub lines_of_others: u64,
}

/// One log of one domain, from its first line on.
pub struct Import {
    store: Arc<dyn VisitStore>,
    clock: Clock,
    domain: Domain,
    format: LogFormat,
    ranges: Arc<RangeTable>,
    chain: LineChain,
    /// A line whose end has not come yet.
    unfinished: Vec<u8>,
    bytes_read: u64,
    imported: Imported,
}

impl Imported {
    /// Both together.
    pub fn plus(self, other: Imported) -> Imported {
        Imported {
            lines: self.lines + other.lines,
            visits: self.visits + other.visits,
            lines_known: self.lines_known + other.lines_known,
            lines_unreadable: self.lines_unreadable + other.lines_unreadable,
            lines_of_others: self.lines_of_others + other.lines_of_others,
        }
    }
}

impl Import {
    /// Prepares to read a log of a domain.
    pub fn new(platform: &Platform, store: Arc<dyn VisitStore>, domain: Domain, format: LogFormat) -> Import {
        Import {
            store,
            clock: platform.clock.clone(),
            domain,
            format,
            ranges: Arc::new(RangeTable::of_installation(&platform.config.storage.data_dir)),
            chain: LineChain::default(),
            unfinished: Vec::new(),
            bytes_read: 0,
            imported: Imported::default(),
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
            let mut part = LogPart::default();
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
    fn next_part(&mut self, log: &mut impl BufRead) -> io::Result<LogPart> {
        let (mut part, before) = (LogPart::default(), self.bytes_read);
        let has_room = |part: &LogPart| part.checkpoints.len() < MAX_LINES && part.visits.len() < MAX_VISITS;
        while has_room(&part) && self.bytes_read - before < MAX_PART_BYTES {
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

    fn add_line(&mut self, part: &mut LogPart, line: &[u8]) {
        part.checkpoints.push(self.chain.add(line));
        let text = String::from_utf8_lossy(line);
        let Domain { id, host, .. } = &self.domain;
        let counting = Counting { domain: id, host, ranges: &self.ranges, now: self.clock.now() };
        match self.format.parse(text.trim()) {
            Some(parsed) if !counting.is_own(&parsed) => part.of_others += 1,
            Some(parsed) => {
                let visit = counting.visit(&parsed);
                part.visits.extend(visit.map(|visit| (part.checkpoints.len(), visit)));
            }
            None if text.trim().is_empty() => {}
            None => part.unreadable += 1,
        }
    }

    async fn count(&mut self, part: LogPart) -> Result<(), VisitError> {
        let counted = self.store.import(&self.domain.id, &part).await?;
        self.imported.lines += part.checkpoints.len() as u64;
        self.imported.lines_unreadable += part.unreadable;
        self.imported.lines_of_others += part.of_others;
        self.imported.lines_known += counted.known as u64;
        self.imported.visits += counted.visits;
        Ok(())
    }
}

/// Lines that are counted together.
#[derive(Debug, Default)]
pub struct LogPart {
    /// After each line.
    pub(in crate::analytics) checkpoints: Vec<Checkpoint>,
    /// With the number of their line in the part, from one.
    visits: Vec<(usize, Visit)>,
    unreadable: u64,
    of_others: u64,
}

impl LogPart {
    /// How many visits some lines tell of, and the visits by page and by time. Lines are counted from zero.
    pub(in crate::analytics) fn counts(&self, lines: Range<usize>) -> LogCounts {
        let mut pages: HashMap<VisitKey, u64> = HashMap::new();
        let mut times: HashMap<TimeKey, u64> = HashMap::new();
        let visits = self.visits.iter().filter(|(line, _)| lines.contains(&(line - 1)));
        for (_, visit) in visits.clone() {
            *pages.entry(visit.key()).or_default() += 1;
            // A log without times says nothing about them.
            if !visit.duration.is_zero() {
                *times.entry(visit.time_key()).or_default() += 1;
            }
        }
        (visits.count() as u64, pages.into_iter().collect(), times.into_iter().collect())
    }

    /// How far the lines after the first `known` tell of visits of one month only, and a day of it; none: of no visit.
    pub(in crate::analytics) fn month_after(&self, known: usize) -> (usize, Option<Day>) {
        let mut new = self.visits.iter().filter(|(line, _)| *line > known);
        let Some((_, first)) = new.next() else { return (self.checkpoints.len(), None) };
        let day = day_of(first.at);
        let is_other = |(_, visit): &&(usize, Visit)| month_of(day_of(visit.at)) != month_of(day);
        let end = new.find(is_other).map_or(self.checkpoints.len(), |(line, _)| line - 1);
        (end, Some(day))
    }
}

type LogCounts = (u64, Vec<(VisitKey, u64)>, Vec<(TimeKey, u64)>);

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
