//! Audit settings of a domain as responses show them: headers by name, credentials by their user. Pure.

use std::collections::BTreeMap;

use audit_engine::engine::CrawlMode;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Auditing, ExtractionRule, Ignored, RobotsTxt, SearchRule, SentHeader, SiteCredentials};
use crate::words::Frequency;

/// Audit settings of a domain.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditingView {
    /// Frequency of scheduled audits.
    frequency: Frequency,
    /// Method of finding pages in scheduled audits.
    mode: CrawlMode,
    /// Paths that are audited; empty: all.
    include: Vec<String>,
    /// Paths that are not audited.
    exclude: Vec<String>,
    /// Query parameters that make no other page.
    drop_parameters: Vec<String>,
    /// HTML pages after which a run ends; null: what the plan allows.
    max_pages: Option<u64>,
    /// Clicks from the start; null: any.
    max_depth: Option<u32>,
    /// Most requests per second; null: what the site bears.
    requests_per_second: Option<f64>,
    /// User agent of the audit; null: the default.
    user_agent: Option<String>,
    /// `obey`: the site's robots.txt; `ignore`: none; else a text that stands in for it.
    #[schema(value_type = String, examples("obey"))]
    robots_txt: RobotsTxt,
    /// Names of the headers that are sent to the site. Their values are never shown.
    headers: Vec<HeaderShown>,
    /// The user that the site is asked as. The password is never shown.
    basic_auth: Option<UserShown>,
    /// Pages are rendered where that is needed.
    javascript: bool,
    /// Checks that run although they do not by default.
    enabled_checks: Vec<String>,
    /// Checks that do not run.
    disabled_checks: Vec<String>,
    /// Thresholds of checks, by name.
    thresholds: BTreeMap<String, f64>,
    /// Pieces that are wanted of each page.
    extractions: Vec<ExtractionRule>,
    /// Pages that are to be found.
    searches: Vec<SearchRule>,
    /// Findings that are left out of lists and scores.
    ignored: Vec<Ignored>,
    /// Told when a run ends.
    webhook_url: Option<String>,
    /// Key of the `x-service-signature` of webhooks. In the answer that made it, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_secret: Option<String>,
}

/// A header without its value.
#[derive(Debug, Serialize, ToSchema)]
struct HeaderShown {
    name: String,
}

/// A user without the password.
#[derive(Debug, Serialize, ToSchema)]
struct UserShown {
    /// The user.
    username: String,
}

impl AuditingView {
    /// Makes the view, without secrets.
    pub fn of(auditing: Auditing, credentials: &SiteCredentials) -> AuditingView {
        let shown = |header: &SentHeader| HeaderShown { name: header.name.clone() };
        AuditingView {
            frequency: auditing.frequency,
            mode: auditing.mode,
            include: auditing.include,
            exclude: auditing.exclude,
            drop_parameters: auditing.drop_parameters,
            max_pages: auditing.max_pages,
            max_depth: auditing.max_depth,
            requests_per_second: auditing.requests_per_second,
            user_agent: auditing.user_agent,
            robots_txt: auditing.robots_txt,
            headers: credentials.headers.iter().map(shown).collect(),
            basic_auth: credentials
                .basic_auth
                .as_ref()
                .map(|user| UserShown { username: user.username.clone() }),
            javascript: auditing.javascript,
            enabled_checks: auditing.enabled_checks,
            disabled_checks: auditing.disabled_checks,
            thresholds: auditing.thresholds,
            extractions: auditing.extractions,
            searches: auditing.searches,
            ignored: auditing.ignored,
            webhook_url: auditing.webhook_url,
            webhook_secret: None,
        }
    }
}
