//! Rows of a running audit, in the order of their discovery, so that a row keeps its number. Used by readers of runs. Pure.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;

use super::stored::{Index, PartKind, tenths};

/// Results so far of a run that is in progress.
#[derive(Debug, Default)]
pub struct LiveRun {
    /// Columns of its rows.
    pub index: Arc<Index>,
    /// Parts that it was made of.
    pub parts: usize,
    pages: Vec<Bytes>,
    details: Vec<Bytes>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LiveColumns {
    path: String,
    status_code: u16,
    health_score: f64,
    preview_score: f64,
    load_time_ms: u32,
    word_count: u32,
    inlink_count: u32,
    indexable: bool,
    issues: Vec<LiveIssue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LiveIssue {
    issue_id: String,
}

impl LiveRun {
    /// Reads unpacked parts of pages and of details, each in order.
    pub fn read(pages: &[Bytes], details: &[Bytes]) -> LiveRun {
        let lines = |parts: &[Bytes]| -> Vec<Bytes> {
            let lines = parts.iter().flat_map(|part| {
                super::stored::lines(part).map(|line| part.slice_ref(line)).collect::<Vec<_>>()
            });
            lines.collect()
        };
        let mut run = LiveRun { parts: pages.len(), details: lines(details), ..LiveRun::default() };
        let mut index = Index::default();
        let mut numbers = HashMap::new();
        for line in lines(pages) {
            let Ok(columns) = serde_json::from_slice::<LiveColumns>(&line) else { continue };
            add(&mut index, &mut numbers, columns);
            run.pages.push(line);
        }
        run.index = Arc::new(index);
        run
    }

    /// Returns the line of a row. Returns `None` when there is no such row.
    pub fn line(&self, kind: PartKind, row: usize) -> Option<Bytes> {
        match kind {
            PartKind::Pages => self.pages.get(row).cloned(),
            PartKind::Details => self.details.get(row).cloned(),
            // Links are known once the crawl is over.
            PartKind::Links | PartKind::Inlinks if row < self.pages.len() => Some(Bytes::from_static(b"[]")),
            _ => None,
        }
    }

    /// Returns the approximate bytes in memory.
    pub fn weight(&self) -> usize {
        let bytes = |lines: &[Bytes]| lines.iter().map(|line| line.len() + 32).sum::<usize>();
        bytes(&self.pages) + bytes(&self.details) + self.index.weight()
    }
}

fn add(index: &mut Index, numbers: &mut HashMap<String, u16>, columns: LiveColumns) {
    index.status.push(columns.status_code);
    index.health.push(tenths(columns.health_score));
    index.preview.push(tenths(columns.preview_score));
    index.load_ms.push(columns.load_time_ms);
    index.words.push(columns.word_count);
    index.inlinks.push(columns.inlink_count);
    index.indexable.push(columns.indexable);
    index.scored.push(false);
    let mut issues = Vec::with_capacity(columns.issues.len());
    for LiveIssue { issue_id } in columns.issues {
        let next = u16::try_from(index.issue_ids.len()).unwrap_or(u16::MAX);
        let number = *numbers.entry(issue_id).or_insert_with_key(|id| {
            index.issue_ids.push(id.clone());
            next
        });
        issues.push(number);
    }
    index.issues.push(issues);
    index.paths.push(columns.path);
}
