//! Results of an audit: rows, findings and numbers under the names of the API.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::journal::FileRecord;
use super::results::RowResults;
use super::robots_analysis::RobotsAnalysis;
use super::stats::CrawlStats;
use crate::checks::{CheckId, Evidence, Example, Severity};
use crate::score::{Penalty, finding_points};
use crate::site::{CrawledSite, PageFields, SiteFinding};

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
    pub issue_breakdown: BTreeMap<Cow<'static, str>, usize>,
    pub(super) site: CrawledSite,
    /// Files that are not pages.
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

/// A row with its findings and scores, under the names of the API.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RowResult {
    /// The page as lists show it.
    #[serde(flatten)]
    pub page: ListedPage,
    /// Further details of the page.
    #[serde(flatten)]
    pub details: PageDetails,
    /// True for an HTML page.
    pub is_page: bool,
    /// True for a rendered page.
    pub is_rendered: bool,
    /// robots.txt forbids it to Googlebot or to the audit.
    pub is_blocked: bool,
    /// Fingerprint of its main text.
    pub content_hash: String,
    /// Language that the document declares.
    pub lang: String,
}

/// A page as lists show it.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedPage {
    /// Path with query.
    #[schema(examples("/pricing"))]
    pub path: String,
    /// Status of the page; 0: no response, or robots.txt forbids it.
    pub status_code: u16,
    /// Health, 0 to 100, one decimal: 100 less the weight of each finding, up to twice that when many elements share
    /// it, each category at most its cap; 0 with a finding that makes the page worthless.
    pub health_score: f64,
    /// Preview score, 0 to 100: quality of a search result and a shared link.
    pub preview_score: f64,
    /// A search engine would list it under its own address.
    pub indexable: bool,
    /// Number of different issues.
    pub issue_count: usize,
    pub issues: Vec<ListedIssue>,
    /// Everything that is read from the page itself.
    #[serde(flatten)]
    pub fields: PageFields,
    /// Hops of its redirect.
    pub redirect_count: usize,
    /// Time at which the response was complete, `YYYY-MM-DD HH:MM:SS` in UTC; "" when it was not requested.
    #[schema(examples("2026-11-20 12:00:00"))]
    pub crawled_at: String,
    /// Words of the main text.
    pub word_count: usize,
    /// Pages of the site that link to it.
    pub inlink_count: u32,
    /// Clicks from the start; null: nothing leads to it.
    #[schema(required = true)]
    pub depth: Option<u32>,
    /// 0 to 100, one decimal: the share of visits of somebody who follows links at random, on a logarithmic scale.
    pub link_score: f64,
    /// Pieces of it, by the name of the extraction; those that found nothing are left out.
    pub extracted: BTreeMap<String, Vec<String>>,
    /// Names of the searches that found it.
    pub searches: Vec<String>,
}

/// An issue of a page, without evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PageIssue)]
pub struct ListedIssue {
    /// Id in the catalogue.
    #[schema(examples("META_DESC_MISSING"))]
    pub issue_id: &'static str,
    pub severity: Severity,
}

/// Details of a page beside its fields in lists. Stored by the application, and read again by versions that know other checks.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageDetails {
    /// Findings with evidence.
    pub findings: Vec<Finding>,
    /// Findings of the server's own answer that the snapshot does not have: crawlers do not meet them, and they take nothing from
    /// the health.
    pub solved: Vec<Finding>,
    /// Health of the server's own answer, 0 to 100; null where crawlers get that answer.
    #[schema(required = true)]
    pub origin_health_score: Option<f64>,
    /// Health that the page lost, by category.
    pub penalties: Vec<Penalty>,
    /// Values of the server's response: `title`, `metaDesc`, `canonical`, `metaRobots`, `h1`, and other fields that
    /// scripts changed.
    pub raw: BTreeMap<String, String>,
    /// Values of the rendered page; null when it was not rendered.
    #[schema(required = true)]
    pub rendered: Option<BTreeMap<String, String>>,
    /// True when the page should have been rendered and no browser was free in time: its findings are those of the
    /// server's response.
    pub missed_render: bool,
    /// Headers that protect visitors, by name, as they were sent.
    #[schema(example = json!({ "x-content-type-options": "nosniff" }))]
    pub security_headers: BTreeMap<String, String>,
    /// Steps of its redirect.
    pub hops: Vec<Hop>,
}

/// One step of a redirect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hop {
    /// Absolute address.
    pub url: String,
    /// Status; 0: no response, or not requested.
    pub status: u16,
}

/// Findings of one check on a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    #[schema(examples("META_DESC_MISSING"))]
    pub issue_id: Cow<'static, str>,
    pub severity: Severity,
    /// Elements or targets at fault.
    pub count: u32,
    /// Points that it takes from the page's health, before the category's cap.
    #[schema(examples(3.0))]
    pub points: f64,
    /// The first 20 of them.
    pub examples: Vec<Example>,
}

impl Finding {
    pub(super) fn of((check, Evidence { count, examples }): (CheckId, Evidence)) -> Finding {
        Finding {
            issue_id: check.check().id.into(),
            severity: check.check().severity,
            count,
            points: finding_points(check, count),
            examples,
        }
    }
}

/// Findings of one check about the site.
#[derive(Debug, Clone, Serialize)]
pub struct SiteResult {
    pub check: CheckId,
    pub findings: Vec<SiteFinding>,
}

/// Finding of one check in one sitemap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SitemapIssue {
    #[schema(examples("SITEMAP_URL_4XX"))]
    pub issue_id: Cow<'static, str>,
    pub severity: Severity,
    /// The file; null when it is about all files together.
    #[schema(required = true)]
    pub sitemap: Option<String>,
    /// Addresses concerned.
    pub count: u32,
    /// The first of them.
    pub examples: Vec<SitemapExample>,
}

/// An address that a sitemap lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
