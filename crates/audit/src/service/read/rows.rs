//! Rows of runs as they are stored, one after another, and selected fields of them. Used by all readers of runs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::visits::LastVisits;
use crate::live::LiveRun;
use crate::model::Run;
use crate::ports::LAST_VISIT;
use crate::segments::ReadError;
use crate::service::Audits;
use crate::stored::{PART_ROWS, PartKind, lines};

/// Reader of rows, which keeps the current part open for the next rows.
pub(super) struct RowReader<'a> {
    audits: &'a Audits,
    run: &'a Run,
    kind: PartKind,
    part: Option<(usize, Bytes, Vec<std::ops::Range<usize>>)>,
    live: Option<Arc<LiveRun>>,
}

impl<'a> RowReader<'a> {
    pub fn new(audits: &'a Audits, run: &'a Run, kind: PartKind) -> RowReader<'a> {
        RowReader { audits, run, kind, part: None, live: None }
    }

    pub async fn line(&mut self, row: usize) -> Result<Bytes, ReadError> {
        if self.run.is_active {
            return self.live_line(row).await;
        }
        let (wanted, at) = (row / PART_ROWS, row % PART_ROWS);
        if self.part.as_ref().is_none_or(|(part, _, _)| *part != wanted) {
            // A look through all rows must not keep a thread of the runtime from everybody else.
            tokio::task::yield_now().await;
            let bytes = self.audits.0.segments.get(self.run, self.kind, wanted).await?;
            let start = bytes.as_ptr() as usize;
            let range = |line: &[u8]| {
                let from = line.as_ptr() as usize - start;
                from..from + line.len()
            };
            let ranges = lines(&bytes).map(range).collect();
            self.part = Some((wanted, bytes, ranges));
        }
        let found =
            self.part.as_ref().and_then(|(_, bytes, ranges)| Some(bytes.slice(ranges.get(at)?.clone())));
        found.ok_or_else(|| ReadError::Missing {
            run: self.run.id.to_string(),
            kind: self.kind.as_str(),
            part: wanted,
        })
    }

    /// Returns the line of a row of a running audit.
    async fn live_line(&mut self, row: usize) -> Result<Bytes, ReadError> {
        let live = match &self.live {
            Some(live) => live.clone(),
            None => self.live.insert(self.audits.0.segments.live(self.run).await?).clone(),
        };
        live.line(self.kind, row).ok_or_else(|| ReadError::Missing {
            run: self.run.id.to_string(),
            kind: self.kind.as_str(),
            part: row,
        })
    }
}

/// Writes the fields of a row that are wanted, as a JSON object.
pub(super) fn write_fields(text: &mut Vec<u8>, line: &[u8], fields: &[String], visits: &LastVisits) {
    let row: HashMap<&str, &RawValue> = serde_json::from_slice(line).unwrap_or_default();
    text.push(b'{');
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            text.push(b',');
        }
        let value = match field.as_str() {
            LAST_VISIT => Cow::Owned(visits.shown(row.get("path").copied())),
            field => Cow::Borrowed(row.get(field).map_or("null", |raw| raw.get())),
        };
        text.extend_from_slice(format!("\"{field}\":{value}").as_bytes());
    }
    text.push(b'}');
}
