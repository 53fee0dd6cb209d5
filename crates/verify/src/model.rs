//! Types of a verification: target, outcome of each check, refusals. Pure.

use std::time::Duration;

use platform::clock::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use analytics::crawlers::{Crawler, CrawlerIndex};

/// Crawler that is imitated unless another one is named.
pub const DEFAULT_CRAWLER: &str = "googlebot";
/// Crawlers that a refusal names.
const EXAMPLES: &str =
    "googlebot, bingbot, gptbot, oai-searchbot, claudebot, perplexitybot, facebookexternalhit";

/// Page to verify, and what is known of its domain.
#[derive(Debug, Clone)]
pub struct VerifyTarget {
    /// Absolute http or https address.
    pub url: Url,
    /// Address that is asked in its place when it answers nobody.
    pub otherwise: Option<Url>,
    pub crawler: ImitatedCrawler,
    /// Query parameters that are a part of a page's address; none: all but those of tracking, or unknown.
    pub query_parameters: Option<Vec<String>>,
    /// Snapshot that the crawler should get.
    pub expects: SnapshotExpectation,
    /// Time after which a snapshot is renewed; zero: unknown.
    pub refresh_interval: Duration,
    /// No check has proven that the site is the account's.
    pub is_unproven: bool,
}

/// Expectation of a snapshot, from the settings of the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotExpectation {
    /// Nothing is known of the domain, or nothing leads to the service yet.
    Unknown,
    /// Crawlers get a snapshot of the page.
    Snapshot,
    /// Crawlers get a snapshot of pages that are stored: rendering on demand is off.
    StoredSnapshot,
    /// Only verified crawlers get one, which this check cannot be.
    VerifiedCrawlersOnly,
    /// The path is one of those that are never rendered.
    IgnoredPath,
}

impl VerifyTarget {
    /// Makes the target of an address of which nothing else is known.
    pub fn new(url: Url, crawler: ImitatedCrawler) -> VerifyTarget {
        let expects = SnapshotExpectation::Unknown;
        let (refresh_interval, is_unproven) = (Duration::ZERO, false);
        VerifyTarget {
            url,
            otherwise: None,
            crawler,
            query_parameters: None,
            expects,
            refresh_interval,
            is_unproven,
        }
    }
}

/// Crawler that the check names itself as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImitatedCrawler {
    pub name: String,
    pub user_agent: String,
    /// Entry of the list of crawlers.
    pub entry: &'static Crawler,
}

/// A crawler that cannot be imitated.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrawlerError {
    /// No crawler has the name.
    #[error(
        "there is no crawler {0:?}; take one of {EXAMPLES}, or another one by the name that reports of visits show"
    )]
    Unknown(String),
    /// The crawler is known by signatures alone.
    #[error("{0} has no user agent of its own and cannot be imitated; take one of {EXAMPLES}")]
    SignedOnly(String),
}

impl ImitatedCrawler {
    /// Finds a crawler by id or name.
    pub fn named(name: &str) -> Result<ImitatedCrawler, CrawlerError> {
        let crawler = CrawlerIndex::shared().find_named(name);
        let crawler = crawler.ok_or_else(|| CrawlerError::Unknown(name.chars().take(80).collect()))?;
        let user_agent =
            crawler.user_agent().ok_or_else(|| CrawlerError::SignedOnly(crawler.name.clone()))?;
        Ok(ImitatedCrawler { name: crawler.name.clone(), user_agent, entry: crawler })
    }
}

/// Outcome of a verification.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteReport {
    /// No check found anything.
    pub ok: bool,
    /// Address that was asked.
    #[schema(examples("https://shop.example/"))]
    pub url: String,
    /// Crawler that was imitated.
    #[schema(examples("Googlebot"))]
    pub crawler: String,
    /// Network or server that answers for the site, as far as its headers tell; null: unknown.
    #[schema(required = true, examples("Cloudflare"))]
    pub platform: Option<&'static str>,
    /// Every check, in an order that never changes.
    pub checks: Vec<SiteCheckResult>,
}

impl SiteReport {
    /// Adds the failures of the stored page, which shows next to nothing, to the check of what crawlers get.
    pub fn explain_empty_page(&mut self, problems: &[String]) {
        let check = self.checks.iter_mut().find(|check| check.id == "crawler_snapshot");
        if let Some(check) = check.filter(|_| !problems.is_empty()) {
            check.detail += &format!(" The page fails in a browser too: {}.", problems.join("; "));
        }
    }
}

/// Outcome of one check.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteCheckResult {
    #[schema(examples("crawler_snapshot"))]
    pub id: &'static str,
    /// Nothing was found. Also true where the check could not judge; `detail` says so.
    pub ok: bool,
    /// One or two sentences on what was seen.
    pub detail: String,
    /// Remedy on the platform that was recognised; null when nothing was found.
    #[schema(required = true)]
    pub remedy: Option<String>,
}

/// A verification that could not be made.
#[derive(Debug, Clone, thiserror::Error)]
pub enum VerifyError {
    /// Neither the crawler nor the person got any answer.
    #[error("{url} cannot be verified: {reason}")]
    NothingAnswered { url: Url, reason: String },
    /// The site is nobody's that is known, and was asked so often that it is left alone for a while.
    #[error("the site was asked too often")]
    AskedTooOften { resets_in: Duration },
}

/// Interval of verifications by schedule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerificationSchedule {
    /// None.
    Off,
    /// Once a day, while the domain is connected.
    #[default]
    Daily,
}

impl VerificationSchedule {
    /// Returns the text in the database.
    pub const fn id(self) -> &'static str {
        match self {
            VerificationSchedule::Off => "off",
            VerificationSchedule::Daily => "daily",
        }
    }

    /// Parses the text in the database.
    pub fn stored(text: &str) -> VerificationSchedule {
        if text == "off" { VerificationSchedule::Off } else { VerificationSchedule::Daily }
    }
}

/// Verifications of a domain by schedule.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerificationView {
    pub every: VerificationSchedule,
    /// Result of the last one; null: there was none.
    #[schema(required = true)]
    pub last_result: Option<LastVerification>,
}

/// Result of a verification by schedule.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LastVerification {
    pub at: Timestamp,
    /// No check found anything.
    pub ok: bool,
    /// Every check; only `answers` when nothing answered.
    #[schema(value_type = Vec<SiteCheckResult>)]
    pub checks: Vec<serde_json::Value>,
}

/// Change of the verifications of a domain.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct VerificationChange {
    pub every: Option<VerificationSchedule>,
}
