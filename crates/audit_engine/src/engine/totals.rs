//! Totals over all rows of an audit, each of which is built once for them. Used by the end of an audit.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::crawl::Crawl;
use super::outcome::{Finding, RowResult};
use super::stats::BySeverity;
use super::template::template;
use crate::checks::Severity;
use crate::score::{Scored, is_scored};
use crate::site::Row;

/// Totals over all rows in one pass.
#[derive(Default)]
pub(super) struct RowTotals {
    /// Rows that carry each check.
    pub issues: BTreeMap<Cow<'static, str>, usize>,
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

impl RowTotals {
    /// Counts a row.
    pub fn add(&mut self, crawl: &Crawl, row: &Row, result: &RowResult) {
        let RowResult { page, details, .. } = result;
        for found in &details.findings {
            *self.issues.entry(found.issue_id.clone()).or_default() += 1;
            self.by_severity.add(found.severity);
        }
        self.served_pages += usize::from(details.origin_health_score.is_some());
        for found in &details.solved {
            *self.solved.entry(found.issue_id.clone()).or_default() += 1;
        }
        if is_scored(row) {
            let is_error = |found: &Finding| found.severity == Severity::Error;
            let scored = Scored {
                health: page.health_score,
                inlinks: page.inlink_count,
                has_error: details.findings.iter().any(is_error),
                stands_for: crawl.queue.patterns.stands_for(&page.path),
            };
            self.scored.push(scored);
            self.origin_scored.push(Scored {
                health: details.origin_health_score.unwrap_or(page.health_score),
                has_error: scored.has_error || details.solved.iter().any(is_error),
                ..scored
            });
        }
        if let Some(depth) = page.depth.filter(|_| result.is_page) {
            let depth = depth as usize;
            self.depth.resize(self.depth.len().max(depth + 1), 0);
            self.depth[depth] += 1;
        }
        let media_type = page.fields.content_type.split(';').next().unwrap_or_default();
        count_type(&mut self.content_types, media_type);
        self.bytes += page.fields.html_bytes;
        if row.status != 0 {
            self.load_times.push(page.fields.load_time_ms);
        }
        if result.is_page && !crawl.queue.sampled.is_empty() {
            self.health.entry(template(&page.path)).or_default().push(page.health_score);
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
