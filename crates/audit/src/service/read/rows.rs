//! Rows of runs as they are stored, one after another. Used by all readers of runs.

use std::sync::Arc;

use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::AuditReader;
use crate::live::LiveRun;
use crate::model::Run;
use crate::segments::ReadError;
use crate::stored::{PART_ROWS, PartKind, lines};

/// Reader of rows, which keeps the current part open for the next rows.
pub(super) struct RowReader<'a> {
    reader: &'a AuditReader,
    run: &'a Run,
    kind: PartKind,
    part: Option<(usize, Bytes, Vec<std::ops::Range<usize>>)>,
    live: Option<Arc<LiveRun>>,
}

impl<'a> RowReader<'a> {
    pub fn new(reader: &'a AuditReader, run: &'a Run, kind: PartKind) -> RowReader<'a> {
        RowReader { reader, run, kind, part: None, live: None }
    }

    pub async fn line(&mut self, row: usize) -> Result<Bytes, ReadError> {
        if self.run.is_active {
            return self.live_line(row).await;
        }
        let (wanted, at) = (row / PART_ROWS, row % PART_ROWS);
        if self.part.as_ref().is_none_or(|(part, _, _)| *part != wanted) {
            // A look through all rows must not keep a thread of the runtime from everybody else.
            tokio::task::yield_now().await;
            let bytes = self.reader.segments.get(self.run, self.kind, wanted).await?;
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

    /// Returns a row, parsed. Returns `None` when another version wrote it in another form.
    pub async fn read<T: DeserializeOwned>(&mut self, row: usize) -> Result<Option<T>, ReadError> {
        Ok(serde_json::from_slice(&self.line(row).await?).ok())
    }

    /// Returns the line of a row of a running audit.
    async fn live_line(&mut self, row: usize) -> Result<Bytes, ReadError> {
        let live = match &self.live {
            Some(live) => live.clone(),
            None => self.live.insert(self.reader.segments.live(self.run).await?).clone(),
        };
        live.line(self.kind, row).ok_or_else(|| ReadError::Missing {
            run: self.run.id.to_string(),
            kind: self.kind.as_str(),
            part: row,
        })
    }
}
