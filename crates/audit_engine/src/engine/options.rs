//! Options of an audit.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crawler::sitemap::SitemapLimits;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::matches;
use crate::checks::thresholds::Thresholds;
use crate::checks::{CheckId, CheckNeed};
use crate::custom::{Extraction, Search};

/// Options of an audit.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// Addresses at which the crawl begins; in selected mode all addresses.
    pub seeds: Vec<Url>,
    /// Method of finding pages.
    pub mode: CrawlMode,
    /// HTML pages after which the audit ends.
    pub max_pages: usize,
    /// Clicks from a seed beyond which links are not followed; none: no limit.
    pub max_depth: Option<u16>,
    /// Time after which the audit ends, interruptions left out; none: no limit.
    pub time_limit: Option<Duration>,
    /// Requests at the same time; fewer when the site has trouble, more when it answers quickly.
    pub concurrency: usize,
    /// Maximum number of renders at the same time.
    pub renders_at_once: usize,
    /// True when large groups of similar pages are sampled.
    pub allow_sampling: bool,
    /// Paths of pages that sampling never skips.
    pub never_skipped: HashSet<String>,
    /// Maximum number of requested pictures, scripts and pages of other hosts; 0: none.
    pub max_assets: usize,
    /// Time after which pictures, scripts and links on other hosts, each of which gets one request a second, are no
    /// longer requested. The remaining ones stay unknown.
    pub foreign_time: Duration,
    /// Maximum number of requested addresses of the site that listed pages name or that sampling left out; 0: none.
    pub max_targets: usize,
    /// Hosts of other sites of the same owner, whose language versions are requested.
    pub sister_hosts: HashSet<String>,
    /// Crawlers are given snapshots of the site, so its pages are judged by these.
    pub crawlers_are_served: bool,
    /// Maximum number of requests per second; none: as many as the site answers.
    pub requests_per_second: Option<f64>,
    /// Product token by which robots.txt names the audit.
    pub agent: String,
    /// Pages are rendered where that is needed.
    pub renders: bool,
    /// Sitemap of the site; in sitemap mode it replaces those that robots.txt names.
    pub sitemap: Option<Url>,
    /// Limits of reading sitemaps.
    pub sitemap_limits: SitemapLimits,
    /// Policy for robots.txt.
    pub robots: RobotsPolicy,
    /// Checks that run.
    pub checks: Vec<CheckId>,
    /// The numbers by which checks fire.
    pub thresholds: Thresholds,
    /// Extractions from each page.
    pub extractions: Vec<Extraction>,
    /// Searches for pages.
    pub searches: Vec<Search>,
    /// Findings that are left out of lists and scores.
    pub ignored: Vec<IgnoredFinding>,
    /// Paths that are audited; empty: all. `*` is any run of characters.
    pub include: Vec<String>,
    /// Paths that are not audited.
    pub exclude: Vec<String>,
    /// Parameters that make no other page, beside those that only track visitors.
    pub drop_parameters: Vec<String>,
    /// Pages of the previous run, by path and query, with the time of each one's request, in epoch milliseconds.
    /// In sitemap mode only pages that are not among them, or that changed since by the sitemap's date, are audited.
    pub known_pages: Option<HashMap<String, i64>>,
    /// Results of the previous run for pages of the sitemap, by path and query.
    pub previous: HashMap<String, PreviousPage>,
}

/// Policy of an audit for robots.txt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RobotsPolicy {
    /// The rules of the site hold.
    #[default]
    Obey,
    /// The audit behaves as if there were none, and looks for nothing that is wrong with it.
    Ignore,
    /// A text replaces it.
    Replace(String),
}

/// A page as the run before found it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousPage {
    /// The sitemap's date, in epoch milliseconds.
    pub lastmod: Option<i64>,
    /// Fingerprint of its main text.
    pub content_hash: String,
}

/// Findings that the customer ignores.
#[derive(Debug, Clone)]
pub struct IgnoredFinding {
    /// Check of the findings.
    pub check: CheckId,
    /// Paths to ignore; `*` matches any characters. A finding about the site is at `/`.
    pub path_pattern: String,
}

impl IgnoredFinding {
    pub(super) fn covers(&self, check: CheckId, path: &str) -> bool {
        self.check == check && matches(&self.path_pattern, path)
    }
}

/// Method of finding pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CrawlMode {
    /// By following links from the given addresses.
    #[default]
    Follow,
    /// By reading the sitemap.
    Sitemap,
    /// By the caller: only the given addresses.
    Selected,
}

impl CrawlMode {
    /// Returns the text in responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            CrawlMode::Follow => "follow",
            CrawlMode::Sitemap => "sitemap",
            CrawlMode::Selected => "selected",
        }
    }
}

impl AuditOptions {
    /// Makes the options of an audit of one site with every default.
    pub fn follow(seed: Url) -> AuditOptions {
        AuditOptions {
            seeds: vec![seed],
            mode: CrawlMode::Follow,
            max_pages: 10_000,
            max_depth: None,
            time_limit: None,
            concurrency: 8,
            renders_at_once: 8,
            allow_sampling: false,
            never_skipped: HashSet::new(),
            max_assets: 5_000,
            foreign_time: Duration::from_secs(300),
            max_targets: 5_000,
            sister_hosts: HashSet::new(),
            crawlers_are_served: false,
            requests_per_second: None,
            agent: "Glasshouse".to_owned(),
            renders: true,
            sitemap: None,
            sitemap_limits: SitemapLimits::default(),
            robots: RobotsPolicy::Obey,
            checks: CheckId::all().filter(|id| id.check().is_default).collect(),
            thresholds: Thresholds::default(),
            extractions: Vec::new(),
            searches: Vec::new(),
            ignored: Vec::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            drop_parameters: Vec::new(),
            known_pages: None,
            previous: HashMap::new(),
        }
    }

    /// Decides whether a check of the audit reads these requests or results.
    pub fn needs(&self, need: CheckNeed) -> bool {
        self.checks.iter().any(|id| id.check().needs == Some(need))
    }

    pub(super) fn is_filtered(&self, path: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, path));
        !self.include.is_empty() && !any(&self.include) || any(&self.exclude)
    }

    pub(super) fn is_ignored(&self, check: CheckId, path: &str) -> bool {
        self.ignored.iter().any(|ignored| ignored.covers(check, path))
    }
}
