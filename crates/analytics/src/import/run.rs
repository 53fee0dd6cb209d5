//! Reading of a log to its end, and counting of its lines part by part. Used by the command.
//! A part is counted as one: its visits and its checkpoint are stored both, or neither is. See docs/decisions/0190.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

use super::super::model::{Day, TimeKey, Verified, Visit, VisitKey, day_of};
use super::super::stores::{CountedLines, VisitError, VisitStore};
use super::super::verify::ranges::RangeTable;
use super::progress::{Checkpoint, LineChain};
use super::{Counting, LogFormat, text_of};
use domains::Domain;
use platform::Platform;
use platform::clock::Clock;

/// Most lines that are looked up together and that are counted together: in any version and with any list of crawlers.
const MAX_LINES: usize = 100_000;
/// Most visits that are counted together; they have as many rows at most. Other writers of SQLite wait meanwhile.
const MAX_VISITS: usize = 20_000;
/// Longest line in bytes; the rest of a longer one is skipped. No request line and user agent are that long.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Number of first lines after which a log without a line of the format is refused.
const FIRST_LINES: u64 = 100;

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
        form: Option<&'static str>,
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
}

/// Import of one log of one domain, from its first line on.
pub struct Import {
    store: Arc<dyn VisitStore>,
    clock: Clock,
    domain: Domain,
    format: LogFormat,
    ranges: Arc<RangeTable>,
    chain: LineChain,
    /// Beginning of a line whose end was not read yet.
    unfinished: Vec<u8>,
    /// Lines that were read, and are not counted yet. Empty before the first line of the format.
    part: LogPart,
    has_begun: bool,
    /// Format that the lines before the first one of the format seem to have.
    other_form: Option<&'static str>,
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
            part: LogPart { checkpoints: Vec::new(), visits: Vec::new(), max_visits: MAX_VISITS },
            has_begun: false,
            other_form: None,
            first_day: day_of(platform.clock.now()) - i64::from(platform.config.analytics.keep_days) + 1,
            max_lines: MAX_LINES,
            bytes_read: 0,
            imported: Imported::default(),
        }
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
            self.add_line(&line);
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
            let (is_whole, bytes) = read_line(log, &mut self.unfinished)?;
            self.bytes_read += bytes;
            if !is_whole {
                return Ok(false);
            }
            let line = std::mem::take(&mut self.unfinished);
            self.add_line(&line);
            self.check_format(FIRST_LINES)?;
        }
        Ok(true)
    }

    /// Fails when at least `least` lines are not of the format and no line is.
    fn check_format(&self, least: u64) -> Result<(), ImportError> {
        let Imported { lines, lines_unreadable, .. } = self.imported;
        match self.has_begun || lines_unreadable < least {
            true => Ok(()),
            false => Err(ImportError::OtherFormat { lines, form: self.other_form }),
        }
    }

    fn add_line(&mut self, line: &[u8]) {
        let checkpoint = self.chain.add(line);
        let text = text_of(line);
        let parsed = self.format.parse(text.trim());
        if parsed.is_none() && !text.trim().is_empty() {
            self.imported.lines_unreadable += 1;
            if !self.has_begun {
                self.other_form = LogFormat::form_of(text.trim()).or(self.other_form);
            }
        }
        // Lines before the first one of the format are not recorded as known, since the log may be of another format.
        self.has_begun |= parsed.is_some();
        if !self.has_begun {
            self.imported.lines += 1;
            return;
        }
        self.part.checkpoints.push(checkpoint);
        let Some(parsed) = parsed else { return };
        let Domain { id, host, .. } = &self.domain;
        let (first_day, now) = (self.first_day, self.clock.now());
        let counting = Counting { domain: id, first_day, host, ranges: &self.ranges, now };
        if !counting.is_own(&parsed) {
            self.imported.lines_of_others += 1;
        } else if let Some(visit) = counting.visit(&parsed) {
            match counting.is_shown(&visit) {
                true => self.part.visits.push((self.part.checkpoints.len(), visit)),
                false => self.imported.expired += 1,
            }
        }
    }

    /// Counts the first lines of the part, or skips the lines that are known.
    async fn count_part(&mut self) -> Result<(), VisitError> {
        if self.part.checkpoints.is_empty() {
            return Ok(());
        }
        let lines = match self.store.import(&self.domain.id, &self.part).await? {
            CountedLines::Known(lines) => {
                self.imported.lines_known += lines as u64;
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

/// Reads more of a line, without its end. Returns whether the line ended, and the number of bytes. Only the start of a line
/// that is too long is kept.
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
