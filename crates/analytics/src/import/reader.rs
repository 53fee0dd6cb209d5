//! Reading of lines in a format, and choice of the format of a log by its first lines. Pure.

use super::w3c::Columns;
use super::{LogFormat, LogLine, text_of};

/// Reader of the lines of one log, from its first line on.
#[derive(Debug)]
pub(super) struct LineReader {
    format: LogFormat,
    columns: Columns,
}

/// Meaning of a line.
#[derive(Debug, PartialEq)]
pub(super) enum Reading<'a> {
    Line(LogLine<'a>),
    /// Empty line, or one about the lines after it.
    Nothing,
    /// Line of another format.
    Unreadable,
}

impl LineReader {
    pub(super) fn new(format: LogFormat) -> LineReader {
        LineReader { format, columns: Columns::default() }
    }

    /// Reads the next line of the log.
    pub(super) fn read<'a>(&mut self, line: &'a str) -> Reading<'a> {
        // A file that was written on Windows may begin with a byte order mark.
        let line = line.trim_start_matches('\u{feff}').trim();
        let has_columns = matches!(self.format, LogFormat::Cloudfront | LogFormat::Iis);
        if line.is_empty() || has_columns && self.columns.direct(line) {
            return Reading::Nothing;
        }
        match self.format.parse(line, &self.columns) {
            Some(line) => Reading::Line(line),
            None => Reading::Unreadable,
        }
    }
}

/// Returns the format that most of these lines are of. None when they are of none.
pub(super) fn format_of(lines: &[Vec<u8>]) -> Option<LogFormat> {
    let count = |format: &LogFormat| {
        let mut reader = LineReader::new(*format);
        lines.iter().filter(|line| matches!(reader.read(&text_of(line)), Reading::Line(_))).count()
    };
    let counts =
        LogFormat::KNOWN.iter().map(|format| (count(format), *format)).filter(|(lines, _)| *lines > 0);
    // Of equal counts the first one: lines of Traefik are lines of the combined format with more fields.
    counts.rev().max_by_key(|(lines, _)| *lines).map(|(_, format)| format)
}
