//! Reading of a log to its end, and counting of its lines part by part. Used by the command, and for logs that are pushed.
//! A part is counted as one: its visits and its checkpoint are stored both, or neither is. See docs/decisions/0190.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

use super::super::model::{Day, TimeKey, Verified, Visit, VisitKey, day_of};
use super::super::stores::{CountedLines, VisitError, VisitStore};
use super::super::verify::ranges::RangeTable;
use super::progress::{Checkpoint, LineChain};
use super::reader::{LineReader, Reading, format_of};
use super::records::RecordSplitter;
use super::requests::CountedRequests;
use super::{Counting, LogFormat, text_of};
use domains::Domain;
use platform::Platform;
use platform::clock::Clock;

/// Maximum number of lines that are looked up together and that are counted together: in any version and with any list of crawlers.
const MAX_LINES: usize = 100_000;
/// Most visits that are counted together; they have as many rows at most. Other writers of SQLite wait meanwhile.
const MAX_VISITS: usize = 20_000;
/// Number of first lines that tell the format of a log, and after which a log without a line of its format is refused.
const FIRST_LINES: usize = 100;

/// Reason why an import ended early. Visits that were counted until then stay, and are not counted again.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The log could not be read.
    #[error("cannot read the log")]
    Read(#[from] io::Error),
    /// Visits could not be written.
    #[error("cannot write visits")]
    Write(#[from] VisitError),
    /// The first lines of the log, or all of them, are not of the format. Nothing was counted.
    #[error("no line is of the format")]
    OtherFormat {
        /// Lines that were read.
        lines: u64,
        /// Format that the lines seem to have.
        form: Option<LogFormat>,
    },
}

/// Result of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Number of lines that were read.
    pub lines: u64,
    /// Number of visits counted now that reports show.
    pub visits: u64,
    /// Number of visits of impostors counted now, which reports show apart.
    pub spoofed: u64,
    /// Number of visits of days that are not kept any more, or in the future: not counted.
    pub expired: u64,
    /// Number of lines that an earlier import had counted.
    pub lines_known: u64,
    /// Number of lines that are not of the format.
    pub lines_unreadable: u64,
    /// Number of lines of other sites.
    pub lines_of_others: u64,
    /// Number of lines that name no host, and are taken for the domain's.
    pub lines_without_host: u64,
    /// Number of lines without the address of a client. Crawlers on such lines are not verified.
    pub lines_without_address: u64,
    /// Number of visits on lines that an earlier import had counted.
    pub visits_known: u64,
    /// Format of the lines; none before it is known.
    pub format: Option<LogFormat>,
}

/// Import of one log of one domain, from its first line on.
pub struct Import {
    store: Arc<dyn VisitStore>,
    clock: Clock,
    domain: Domain,
    /// Reader of the lines; none before the format is known.
    reader: Option<LineReader>,
    ranges: Arc<RangeTable>,
    chain: LineChain,
    splitter: RecordSplitter,
    /// Beginning of a line whose end was not read yet.
    unfinished: Vec<u8>,
    /// Lines that were read before the format was known.
    first: Vec<Vec<u8>>,
    /// Requests that were counted, and the number of this log among them.
    requests: (CountedRequests, u64),
    /// True when a log without a line of the format is an error.
    is_strict: bool,
    /// Lines that were read, and are not counted yet. Empty before the first line of the format.
    part: LogPart,
    has_begun: bool,
    /// First day of which visits are kept.
    first_day: Day,
    max_lines: usize,
    bytes_read: u64,
    imported: Imported,
}

impl Imported {
    /// Returns the sums of both results.
    pub fn plus(self, other: Imported) -> Imported {
        Imported {
            lines: self.lines + other.lines,
            visits: self.visits + other.visits,
            spoofed: self.spoofed + other.spoofed,
            expired: self.expired + other.expired,
            lines_known: self.lines_known + other.lines_known,
            lines_unreadable: self.lines_unreadable + other.lines_unreadable,
            lines_of_others: self.lines_of_others + other.lines_of_others,
            lines_without_host: self.lines_without_host + other.lines_without_host,
            lines_without_address: self.lines_without_address + other.lines_without_address,
            visits_known: self.visits_known + other.visits_known,
            format: other.format.or(self.format),
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
            reader: (format != LogFormat::Auto).then(|| LineReader::new(format)),
            ranges: Arc::new(RangeTable::of_installation(&platform.config.storage.data_dir)),
            chain: LineChain::default(),
            splitter: RecordSplitter::default(),
            unfinished: Vec::new(),
            first: Vec::new(),
            requests: (CountedRequests::default(), 0),
            is_strict: true,
            part: LogPart { checkpoints: Vec::new(), visits: Vec::new(), max_visits: MAX_VISITS },
            has_begun: false,
            first_day: day_of(platform.clock.now()) - i64::from(platform.config.analytics.keep_days) + 1,
            max_lines: MAX_LINES,
            bytes_read: 0,
            imported: Imported {
                format: (format != LogFormat::Auto).then_some(format),
                ..Imported::default()
            },
        }
    }

    /// Makes it the import of a pushed log: logs with equal ids are one, none of them need have a line of the format, and of a
    /// request whose lines come in several logs one counts.
    pub(super) fn pushed(mut self, id: [u8; 32], log: u64, requests: CountedRequests) -> Import {
        (self.chain, self.requests, self.is_strict) = (LineChain::pushed(id), (requests, log), false);
        self
    }

    /// Sets other limits than [`MAX_LINES`] and [`MAX_VISITS`].
    #[cfg(test)]
    pub(super) fn bounded(mut self, max_lines: usize, max_visits: usize) -> Import {
        (self.max_lines, self.part.max_visits) = (max_lines, max_visits);
        self
    }

    /// Counts all lines that can be read now. A caller that follows a log calls this again when the log has grown.
    ///
    /// Blocks its thread while it reads. A last line without its end is not counted before the rest came, or [`Import::finish`].
    pub async fn read(&mut self, log: &mut impl BufRead) -> Result<Imported, ImportError> {
        while self.read_part(log).await? {}
        Ok(self.imported)
    }

    /// Counts one part of these lines. Returns false when no more can be read now, and all of it is counted.
    pub async fn read_part(&mut self, log: &mut impl BufRead) -> Result<bool, ImportError> {
        let has_more = self.fill_part(log)?;
        self.count_part().await?;
        Ok(has_more || !self.part.checkpoints.is_empty())
    }

    /// Counts a last line without its end, when all before it is counted and nothing will follow it. The line is a part by
    /// itself: if the rest comes after all, everything before the line is known.
    pub async fn finish(&mut self) -> Result<Imported, ImportError> {
        let line = std::mem::take(&mut self.unfinished);
        if !line.is_empty() {
            self.add_line(line)?;
        }
        if self.reader.is_none() {
            self.take_format(format_of(&self.first))?;
        }
        self.check_format(1)?;
        while !self.part.checkpoints.is_empty() {
            self.count_part().await?;
        }
        Ok(self.imported)
    }

    /// Returns the result so far.
    pub fn imported(&self) -> Imported {
        self.imported
    }

    /// Returns the number of bytes that were read, of the text when the log is compressed.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Reads whole lines until the part is full. Returns false when there are no more lines now.
    fn fill_part(&mut self, log: &mut impl BufRead) -> Result<bool, ImportError> {
        while self.part.checkpoints.len() < self.max_lines {
            let (is_whole, bytes) = self.splitter.read(log, &mut self.unfinished)?;
            self.bytes_read += bytes;
            if !is_whole {
                // Lines that will be appended to a log that is followed are of the same format.
                let format = if self.reader.is_none() { format_of(&self.first) } else { None };
                if format.is_some() {
                    self.take_format(format)?;
                }
                return Ok(false);
            }
            let line = std::mem::take(&mut self.unfinished);
            self.add_line(line)?;
        }
        Ok(true)
    }

    /// Adds a line, once the format is known.
    fn add_line(&mut self, line: Vec<u8>) -> Result<(), ImportError> {
        if self.reader.is_some() {
            return self.add_known_line(&line);
        }
        self.first.push(line);
        match self.first.len() {
            FIRST_LINES => self.take_format(format_of(&self.first)),
            _ => Ok(()),
        }
    }

    /// Begins to read the log in a format; none: no format is known that its first lines are of.
    fn take_format(&mut self, format: Option<LogFormat>) -> Result<(), ImportError> {
        self.imported.format = format;
        self.reader = Some(LineReader::new(format.unwrap_or(LogFormat::Combined)));
        for line in std::mem::take(&mut self.first) {
            self.add_known_line(&line)?;
        }
        Ok(())
    }

    /// Fails when at least `least` lines are not of the format and no line is.
    fn check_format(&self, least: usize) -> Result<(), ImportError> {
        let Imported { lines, lines_unreadable, .. } = self.imported;
        match !self.is_strict || self.has_begun || lines_unreadable < least as u64 {
            true => Ok(()),
            false => Err(ImportError::OtherFormat { lines, form: format_of(&self.first) }),
        }
    }

    fn add_known_line(&mut self, line: &[u8]) -> Result<(), ImportError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let checkpoint = self.chain.add(line);
        let text = text_of(line);
        let reading = reader.read(&text);
        if reading == Reading::Unreadable {
            self.imported.lines_unreadable += 1;
        }
        // Lines before the first one of the format are not recorded as known, since the log may be of another format.
        self.has_begun |= matches!(reading, Reading::Line(_));
        if !self.has_begun {
            self.imported.lines += 1;
            if self.is_strict && self.first.len() < FIRST_LINES {
                self.first.push(line.to_vec());
            }
            return self.check_format(FIRST_LINES);
        }
        self.part.checkpoints.push(checkpoint);
        let Reading::Line(parsed) = reading else { return Ok(()) };
        let Domain { id, host, .. } = &self.domain;
        let (first_day, now) = (self.first_day, self.clock.now());
        let counting = Counting { domain: id, first_day, host, ranges: &self.ranges, now };
        if parsed.is_of_visitor {
            self.imported.lines_without_host += u64::from(parsed.named_host().is_none());
            self.imported.lines_without_address += u64::from(parsed.address.is_none());
        }
        if !counting.is_own(&parsed) {
            self.imported.lines_of_others += 1;
        } else if let Some(visit) = counting.visit(&parsed) {
            let line = self.imported.lines + self.part.checkpoints.len() as u64;
            let (requests, log) = &self.requests;
            let id = parsed.request_id.as_deref();
            if id.is_some_and(|request| !requests.is_first(&visit.domain, request, (*log, line))) {
                return Ok(());
            }
            match counting.is_shown(&visit) {
                true => self.part.visits.push((self.part.checkpoints.len(), visit)),
                false => self.imported.expired += 1,
            }
        }
        Ok(())
    }

    /// Counts the first lines of the part, or skips the lines that are known.
    async fn count_part(&mut self) -> Result<(), VisitError> {
        if self.part.checkpoints.is_empty() {
            return Ok(());
        }
        let lines = match self.store.import(&self.domain.id, &self.part).await? {
            CountedLines::Known(lines) => {
                self.imported.lines_known += lines as u64;
                self.imported.visits_known += self.part.shown_until(lines);
                lines
            }
            CountedLines::New { lines, visits } => {
                self.imported.visits += visits.shown;
                self.imported.spoofed += visits.spoofed;
                lines
            }
        };
        self.imported.lines += lines as u64;
        self.part.remove(lines);
        Ok(())
    }
}

/// Lines that are processed together: as many as are ever counted together, unless fewer can be read now. So the checkpoint
/// of any earlier count that began at the first of these lines is in the part.
#[derive(Debug)]
pub struct LogPart {
    /// Checkpoints, one after each line.
    pub(crate) checkpoints: Vec<Checkpoint>,
    /// Visits with the number of their line in the part, from one.
    visits: Vec<(usize, Visit)>,
    max_visits: usize,
}

impl LogPart {
    /// Returns the number of the lines that are counted together.
    pub(crate) fn lines_at_once(&self) -> usize {
        self.visits.get(self.max_visits).map_or(self.checkpoints.len(), |(line, _)| line - 1)
    }

    /// Returns the number of visits on the first lines that reports count.
    fn shown_until(&self, lines: usize) -> u64 {
        let shown =
            self.visits.iter().filter(|(line, visit)| *line <= lines && visit.verified != Verified::No);
        shown.count() as u64
    }

    fn remove(&mut self, lines: usize) {
        self.checkpoints.drain(..lines);
        self.visits.retain_mut(|(line, _)| {
            let stays = *line > lines;
            *line = line.saturating_sub(lines);
            stays
        });
    }

    /// Returns the number of the lines that are counted together, the number of their visits, and the visits by page and time.
    pub(crate) fn counts(&self) -> LogCounts {
        let lines = self.lines_at_once();
        let mut pages: HashMap<VisitKey, u64> = HashMap::new();
        let mut times: HashMap<TimeKey, u64> = HashMap::new();
        let mut sums = ImportedVisits::default();
        for (_, visit) in self.visits.iter().take_while(|(line, _)| *line <= lines) {
            match visit.verified {
                Verified::No => sums.spoofed += 1,
                _ => sums.shown += 1,
            }
            *pages.entry(visit.key()).or_default() += 1;
            // A log without durations has none to count, and an impostor gets other answers than the crawler.
            if !visit.duration.is_zero() && visit.verified != Verified::No {
                *times.entry(visit.time_key()).or_default() += 1;
            }
        }
        (lines, sums, pages.into_iter().collect(), times.into_iter().collect())
    }
}

/// Numbers of visits in some lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportedVisits {
    /// Visits that reports count.
    pub shown: u64,
    /// Visits of impostors.
    pub spoofed: u64,
}

type LogCounts = (usize, ImportedVisits, Vec<(VisitKey, u64)>, Vec<(TimeKey, u64)>);
