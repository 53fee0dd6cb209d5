//! Totals over all rows of an audit, each of which is built once for them. Used by the end of an audit.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::crawl::Crawl;
use super::outcome::{Finding, RowResult};
use super::stats::BySeverity;
use super::template::template;
use crate::checks::Severity;
use crate::score::{Scored, is_error, is_scored};
use crate::site::Row;

/// Totals over all rows in one pass.
#[derive(Default)]
pub(super) struct RowTally {
    /// Rows that carry each check.
    pub issues: BTreeMap<&'static str, usize>,
    /// Scored rows for the run's health.
    pub scored: Vec<Scored>,
    /// Scores of the server's own answers; see `scored`.
    pub origin_scored: Vec<Scored>,
    /// Pages of which crawlers get a snapshot.
    pub served_pages: usize,
    /// Rows whose snapshot lacks a finding of the answer, by check.
    pub solved: BTreeMap<Cow<'static, str>, usize>,
    /// Pages by clicks from the start.
    pub depth: Vec<usize>,
    /// Rows by media type.
    pub content_types: BTreeMap<String, usize>,
    /// Bytes of their documents.
    pub bytes: u64,
    /// Response times, in milliseconds.
    pub load_times: Vec<u64>,
    /// Findings by severity.
    pub by_severity: BySeverity,
    /// Health of the audited pages of each template of which others were skipped.
    pub health: HashMap<String, Vec<f64>>,
}

impl RowTally {
    /// Counts a row.
    pub fn add(&mut self, crawl: &Crawl, row: &Row, result: &RowResult) {
        for found in &result.findings {
            let check = found.check.check();
            *self.issues.entry(check.id).or_default() += 1;
            self.by_severity.add(found.severity);
        }
        self.served_pages += usize::from(result.origin_health.is_some());
        for found in &result.solved {
            *self.solved.entry(found.check.check().id.into()).or_default() += 1;
        }
        if is_scored(row) {
            let has_error = |findings: &[Finding]| findings.iter().any(|found| is_error(found.check));
            let scored = Scored {
                health: result.health,
                inlinks: result.inlinks,
                has_error: has_error(&result.findings),
                stands_for: crawl.queue.patterns.stands_for(&result.path),
            };
            self.scored.push(scored);
            self.origin_scored.push(Scored {
                health: result.origin_health.unwrap_or(result.health),
                has_error: scored.has_error || has_error(&result.solved),
                ..scored
            });
        }
        if let Some(depth) = result.depth.filter(|_| result.is_page) {
            let depth = depth as usize;
            self.depth.resize(self.depth.len().max(depth + 1), 0);
            self.depth[depth] += 1;
        }
        let media_type = result.fields.content_type.split(';').next().unwrap_or_default();
        count_type(&mut self.content_types, media_type);
        self.bytes += result.fields.html_bytes;
        if row.status != 0 {
            self.load_times.push(result.fields.load_time_ms);
        }
        if result.is_page && !crawl.queue.sampled.is_empty() {
            self.health.entry(template(&result.path)).or_default().push(result.health);
        }
    }
}

pub(super) fn count_type(counts: &mut BTreeMap<String, usize>, media_type: &str) {
    if !media_type.is_empty() {
        *counts.entry(media_type.trim().to_ascii_lowercase()).or_default() += 1;
    }
}

impl BySeverity {
    /// Counts a finding.
    pub(super) fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.error += 1,
            Severity::Warning => self.warning += 1,
            Severity::Notice => self.notice += 1,
        }
    }
}
