//! Runs of audits and requests for them. Pure: no database, clock or HTTP.

use std::borrow::Cow;
use std::collections::BTreeMap;

use audit_engine::engine::{CrawlMode, CrawlStats, RobotsAnalysis, SitemapIssue};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::auditing::Auditing;
use accounts::AccountId;
use domains::DomainId;
use platform::clock::Timestamp;
use platform::ids::id_type;

pub use super::words::{CloseReason, Frequency, RunStatus, Trigger};

id_type! {
    /// Identifies a run. Ids sort by the time they were made.
    RunId
}

impl RunStatus {
    /// Returns true when the run has pages to show.
    pub fn has_results(self) -> bool {
        matches!(self, RunStatus::Success | RunStatus::LimitReached | RunStatus::Partial)
    }
}

/// Request of a run. Stored with it: an interrupted run continues as it began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRequest {
    /// Addresses at which the crawl begins; in selected mode all addresses.
    pub urls: Vec<Url>,
    /// Method of finding pages.
    pub mode: CrawlMode,
    /// Templates with many pages are sampled.
    pub allow_sampling: bool,
    /// True when only pages are audited that are new or changed since the last completed run.
    pub new_pages_only: bool,
    /// The sitemap that is read, in sitemap mode.
    pub sitemap: Option<Url>,
    /// HTML pages after which the run ends.
    pub max_pages: u64,
    /// The domain's settings when it began.
    pub auditing: Auditing,
    /// Crawlers were given snapshots when it began: the domain was connected.
    pub crawlers_are_served: bool,
}

impl AuditRequest {
    /// Returns the key of comparable runs: mode, sampling and sitemap.
    pub fn scope_key(&self) -> String {
        let sitemap = self.sitemap.as_ref().map_or("", Url::as_str);
        format!("{} {} {sitemap}", self.mode.as_str(), if self.allow_sampling { "sampled" } else { "whole" })
    }
}

/// A run in its current state.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub id: RunId,
    pub account_id: AccountId,
    /// The domain record it belongs to, which may be gone.
    pub domain_id: DomainId,
    /// The domain's name when it began.
    pub host: String,
    /// Time of the request.
    pub started_at: Timestamp,
    /// End of the run.
    pub completed_at: Option<Timestamp>,
    pub status: RunStatus,
    /// Nobody else may audit the domain.
    pub is_active: bool,
    /// Trigger of the run: API, manual or schedule.
    pub trigger: Trigger,
    /// The schedule's, if it was started by one.
    pub frequency: Frequency,
    /// Request of the run.
    pub request: AuditRequest,
    /// Number of runs that the domain has had, this one included.
    pub run_count: u64,
    /// HTML pages that answered 200.
    pub pages_crawled: u64,
    /// Addresses that wait.
    pub waiting: u64,
    /// Remaining requests of pictures, scripts and links to other hosts.
    pub probes_waiting: u64,
    /// Pages that are counted against the plan.
    pub pages_counted: u64,
    /// Number of continuations after interruptions.
    pub continuations: u64,
    /// 0 to 100.
    pub health_score: f64,
    /// Findings in all.
    pub issue_count: u64,
    /// Change of the findings since the previous run.
    pub delta_issues: i64,
    /// Change of the health since the previous run.
    pub delta_health: f64,
    /// Reason of the end; none while it runs.
    pub close_reason: Option<CloseReason>,
    /// True when the run was interrupted and has not continued yet.
    pub needs_continuation: bool,
    /// Start of the first attempt; none: it waits in the queue.
    pub begun_at: Option<Timestamp>,
    /// Attempts that began and have not returned, those before the last saved batch left out.
    pub open_attempts: u64,
    /// Until when a process says that it works on the run.
    pub working_until: Timestamp,
    /// The page limit ended it.
    pub hit_url_limit: bool,
    /// True when the run should stop.
    pub cancel_requested: bool,
    /// Reason why there are no results.
    pub error_message: Option<String>,
    /// Findings about the site.
    pub report: RunReport,
    /// Time at which its parts moved to the object store.
    pub archived_at: Option<Timestamp>,
    /// True when its results were deleted with its domain.
    pub is_forgotten: bool,
}

impl Run {
    /// Decides whether the run covered all of the site: then pages that only an earlier run has are gone.
    pub fn looked_everywhere(&self) -> bool {
        !self.request.new_pages_only
            && self.close_reason == Some(CloseReason::Finished)
            && self.report.crawl_stats.skipped.sampling == 0
    }

    /// Returns true when the run was interrupted and no process has continued it yet. A process that stops records the
    /// interruption; a process that died stopped extending `working_until`.
    pub fn is_cut_off(&self, now: Timestamp) -> bool {
        let is_silent = self.open_attempts > 0 && self.working_until < now;
        self.is_active && (self.needs_continuation || is_silent)
    }
}

/// Rows that carry each issue, by its id.
pub type IssueBreakdown = BTreeMap<Cow<'static, str>, usize>;

/// Report of a run about the site as a whole, in the form of the API.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    pub robots_analysis: RobotsAnalysis,
    pub crawl_stats: CrawlStats,
    /// Problems of the sitemaps.
    pub sitemap_issues: Vec<SitemapIssue>,
    pub issue_breakdown: IssueBreakdown,
    /// Errors that pages have and did not have in the run before. Told to webhooks.
    pub new_errors: usize,
    /// Root of the site that was audited, after redirects; "" until the run is over.
    pub site_url: String,
}

impl RunReport {
    /// Makes the report of a run that has not requested anything yet.
    pub fn empty(mode: CrawlMode) -> RunReport {
        let robots_analysis =
            RobotsAnalysis { effective: "unreachable".to_owned(), ..RobotsAnalysis::default() };
        let status_counts = ["2xx", "3xx", "4xx", "5xx", "none"].map(|class| (class.to_owned(), 0)).into();
        let crawl_stats = CrawlStats { mode, status_counts, ..CrawlStats::default() };
        RunReport { robots_analysis, crawl_stats, ..RunReport::default() }
    }
}

/// Final record of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Final status.
    pub status: RunStatus,
    pub close_reason: CloseReason,
    /// HTML pages.
    pub pages_crawled: u64,
    /// 0 to 100.
    pub health_score: f64,
    /// Findings in all.
    pub issue_count: u64,
    /// Change of the findings.
    pub delta_issues: i64,
    /// Change of the health.
    pub delta_health: f64,
    /// Reason why there are no results.
    pub error_message: Option<String>,
    /// About the site.
    pub report: RunReport,
}

impl Outcome {
    /// Makes the outcome of a run that was stopped before it had results.
    pub fn stopped(run: &Run, why: &str) -> Outcome {
        Outcome::nothing(run.request.mode, CloseReason::Cancelled, why)
    }

    /// Makes the outcome of a run without results.
    pub fn nothing(mode: CrawlMode, close_reason: CloseReason, why: impl Into<String>) -> Outcome {
        Outcome {
            status: RunStatus::Error,
            close_reason,
            pages_crawled: 0,
            health_score: 0.0,
            issue_count: 0,
            delta_issues: 0,
            delta_health: 0.0,
            error_message: Some(why.into()),
            report: RunReport::empty(mode),
        }
    }
}

/// A run as the API shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    pub id: String,
    #[schema(examples("shop.example"))]
    pub domain: String,
    /// Epoch milliseconds.
    #[schema(examples(1_795_176_000_000_i64))]
    pub started_at: i64,
    /// Epoch milliseconds; null while it runs.
    pub completed_at: Option<i64>,
    pub status: RunStatus,
    /// Trigger of the run.
    pub trigger: Trigger,
    /// The schedule's, if that started it; else `manual`.
    pub frequency: Frequency,
    /// HTML pages that answered 200.
    pub pages_crawled: u64,
    /// 0 to 100, one decimal: the pages' health weighted by the links to them, the share of pages without errors, less what
    /// is wrong with the site as a whole.
    pub health_score: f64,
    /// Findings: for each issue the number of rows that carry it, 1 for one about the site.
    pub issue_count: u64,
    /// Change since the previous run. Pages of that run that this one did not visit count with what was found then.
    pub delta_issues: i64,
    /// Change since the previous run.
    pub delta_health: f64,
    pub robots_analysis: RobotsAnalysis,
    pub crawl_stats: CrawlStats,
    /// Number of runs that the domain has had, this one included.
    pub run_count: u64,
    /// `finished`, `url_limit`, `time_limit`, `cancelled`, `crashed` or `unreachable`; empty while it runs.
    #[schema(examples("finished"))]
    pub close_reason: &'static str,
    /// True when the run was interrupted and has not continued yet.
    pub needs_continuation: bool,
    /// The page limit ended it.
    pub hit_url_limit: bool,
    /// Reason why there are no results, or of an early end.
    pub error_message: Option<String>,
    /// Problems of the sitemaps; in the details of a run only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sitemap_issues: Option<Vec<SitemapIssue>>,
}

impl RunView {
    pub fn of(run: Run) -> RunView {
        RunView {
            id: run.id.to_string(),
            domain: run.host,
            started_at: run.started_at.as_millis(),
            completed_at: run.completed_at.map(Timestamp::as_millis),
            status: run.status,
            trigger: run.trigger,
            frequency: run.frequency,
            pages_crawled: run.pages_crawled,
            health_score: run.health_score,
            issue_count: run.issue_count,
            delta_issues: run.delta_issues,
            delta_health: run.delta_health,
            robots_analysis: run.report.robots_analysis,
            crawl_stats: run.report.crawl_stats,
            run_count: run.run_count,
            close_reason: run.close_reason.map_or("", CloseReason::as_str),
            needs_continuation: run.needs_continuation,
            hit_url_limit: run.hit_url_limit,
            error_message: run.error_message,
            sitemap_issues: None,
        }
    }

    /// Makes the view of details.
    pub fn detailed(mut run: Run) -> RunView {
        let issues = std::mem::take(&mut run.report.sitemap_issues);
        RunView { sitemap_issues: Some(issues), ..RunView::of(run) }
    }
}
