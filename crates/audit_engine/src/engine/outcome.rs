//! Results of an audit: rows, findings and numbers under the names of the API.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::journal::FileRecord;
use super::results::RowResults;
use super::robots_analysis::RobotsAnalysis;
use super::stats::CrawlStats;
use crate::checks::{CheckId, Evidence, Example, Severity};
use crate::score::Penalty;
use crate::site::{CrawledSite, Difference, Fields, SiteFinding};

/// A finished audit.
pub struct Audit {
    /// Final status.
    pub status: AuditStatus,
    /// Reason of the end.
    pub close_reason: CrawlEnd,
    /// Reason why there is no page, when there is none.
    pub error_message: Option<String>,
    /// Address of the site's root.
    pub site_url: String,
    /// Findings about the site, its robots.txt and its sitemaps.
    pub site_findings: Vec<SiteResult>,
    /// Findings about sitemaps, by check and file.
    pub sitemap_issues: Vec<SitemapIssue>,
    /// Analysis of robots.txt, by crawler.
    pub robots_analysis: RobotsAnalysis,
    /// Numbers of the crawl.
    pub crawl_stats: CrawlStats,
    /// 0 to 100, one decimal.
    pub health: f64,
    /// HTML pages.
    pub pages: usize,
    /// Rows that carry each check, 1 for one about the site; checks that found nothing are left out.
    pub issue_breakdown: BTreeMap<&'static str, usize>,
    pub(super) site: CrawledSite,
    /// Files that are no pages.
    pub(super) files: Vec<FileRecord>,
    pub(super) results: RowResults,
}

impl Audit {
    /// Returns every row from one on, sorted by path. Each is built when it is requested: those of a large site do
    /// not fit in memory.
    pub fn rows_from(&self, first: usize) -> impl Iterator<Item = RowResult> {
        self.results.from(&self.site, first)
    }

    /// Returns every row, sorted by path.
    pub fn rows(&self) -> impl Iterator<Item = RowResult> {
        self.rows_from(0)
    }

    pub fn row_count(&self) -> usize {
        self.site.rows.len()
    }
}

/// Final status of an audit, in the words of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditStatus {
    /// Every address was processed.
    Success,
    /// The page limit ended it.
    LimitReached,
    /// More than a tenth of the pages failed, or it ended early.
    Partial,
    /// No page could be fetched.
    #[serde(rename = "error")]
    Unreachable,
}

/// Reason of an audit's end, in the words of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrawlEnd {
    /// No address was left.
    Finished,
    /// The page limit.
    UrlLimit,
    TimeLimit,
    /// It was cancelled.
    Cancelled,
    /// It failed repeatedly, and ended with the results so far.
    Crashed,
    /// No page could be fetched.
    Unreachable,
}

impl CrawlEnd {
    /// Decides whether the audit ended before all requests beside pages were made.
    pub(super) fn is_early(self) -> bool {
        matches!(self, CrawlEnd::TimeLimit | CrawlEnd::Cancelled | CrawlEnd::Crashed)
    }
}

/// A row with its findings and scores, under the names of the API's page fields.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RowResult {
    /// Path and query.
    pub path: String,
    /// Status of this address; 0: no response, or forbidden.
    #[serde(rename = "statusCode")]
    pub status: u16,
    /// 0 to 100, one decimal.
    #[serde(rename = "healthScore")]
    pub health: f64,
    /// Health of the server's own response; none: crawlers get no other page.
    #[serde(rename = "originHealthScore", skip_serializing_if = "Option::is_none")]
    pub origin_health: Option<f64>,
    /// 0 to 100.
    #[serde(rename = "previewScore")]
    pub preview: f64,
    /// Share of the site's links that lead to it, 0 to 100.
    #[serde(rename = "linkScore")]
    pub link_score: f64,
    /// A search engine would index it under its own address.
    pub indexable: bool,
    /// True for an HTML page.
    pub is_page: bool,
    /// True for a rendered page.
    pub is_rendered: bool,
    /// True when the page should have been rendered and no browser was free in time: its facts are those of the
    /// server's response.
    pub missed_render: bool,
    /// robots.txt forbids it to Googlebot or to the audit.
    pub is_blocked: bool,
    /// Hops of its redirect.
    #[serde(rename = "redirectCount")]
    pub redirects: usize,
    /// Redirects, step by step.
    pub hops: Vec<Hop>,
    /// Pages that link to it.
    #[serde(rename = "inlinkCount")]
    pub inlinks: u32,
    /// Clicks from the start.
    pub depth: Option<u32>,
    /// Words of its main text.
    #[serde(rename = "wordCount")]
    pub words: usize,
    /// Time at which the response was complete: `YYYY-MM-DD HH:MM:SS`, UTC; "" when it was not requested.
    pub crawled_at: String,
    /// Fingerprint of its main text.
    pub content_hash: String,
    /// Fields for reports.
    #[serde(flatten)]
    pub fields: Fields,
    /// Changes by scripts.
    pub differences: Vec<Difference>,
    pub findings: Vec<Finding>,
    /// Findings of the server's own answer that the snapshot does not have: crawlers do not meet them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub solved: Vec<Finding>,
    /// Points that the health lost, by category.
    pub penalties: Vec<Penalty>,
    /// Pieces of it, by the extraction's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extracted: BTreeMap<String, Vec<String>>,
    /// Names of the searches that found it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<String>,
}

/// One step of a redirect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// Absolute address.
    pub url: String,
    /// Status; 0: no response, or not requested.
    pub status: u16,
}

/// Findings of one check on a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    #[serde(rename = "issueId")]
    pub check: CheckId,
    pub severity: Severity,
    /// Points taken from the page's health, before the category's cap.
    pub points: f64,
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// Findings of one check about the site.
#[derive(Debug, Clone, Serialize)]
pub struct SiteResult {
    pub check: CheckId,
    pub findings: Vec<SiteFinding>,
}

/// Finding of one check in one sitemap.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SitemapIssue {
    /// The check.
    pub issue_id: CheckId,
    pub severity: Severity,
    /// The file; none when it is about all files together.
    pub sitemap: Option<String>,
    /// Addresses concerned.
    pub count: u32,
    /// The first of them.
    pub examples: Vec<SitemapExample>,
}

/// An address that a sitemap lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SitemapExample {
    /// The address; "" when it is the file itself.
    pub url: String,
    /// Description of the problem.
    pub detail: String,
}

impl From<&Example> for SitemapExample {
    fn from(example: &Example) -> SitemapExample {
        SitemapExample { url: example.url.clone(), detail: example.detail.clone() }
    }
}
