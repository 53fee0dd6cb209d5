//! Changes to a domain's audit settings: permitted values and their effect. Pure.

use std::collections::BTreeMap;

use audit_engine::checks::CheckId;
use audit_engine::checks::thresholds::{BadThreshold, Thresholds};
use audit_engine::engine::CrawlMode;
use http::{HeaderName, HeaderValue};
use serde::Deserialize;
use utoipa::ToSchema;

use super::custom::rule_issues;
use super::{
    Auditing, BasicAuth, ExtractionRule, Ignored, RobotsTxt, SearchRule, SentHeader, SiteCredentials,
};
use crate::words::Frequency;

const MAX_PATTERNS: usize = 100;
const MAX_PATTERN_CHARS: usize = 500;
const MAX_PARAMETERS: usize = 100;
const MAX_HEADERS: usize = 20;
const MAX_HEADER_BYTES: usize = 4096;
const MAX_IGNORED: usize = 200;
const MAX_DEPTH: u32 = 1000;
/// Below it a run would not get anywhere in its twelve hours.
const MIN_RATE: f64 = 0.01;
const MAX_RATE: f64 = 100.0;
const MAX_URL_BYTES: usize = 2048;
const MAX_PAGES: u64 = 1_000_000;

/// Headers that belong to the connection or to the audit itself.
const OWN_HEADERS: &[&str] = &[
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "upgrade",
    "te",
    "trailer",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "user-agent",
    "accept-encoding",
    "range",
    "expect",
];

/// Changes to the audit settings of a domain. Fields that are left out stay as they are.
#[derive(Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AuditingChange {
    /// `manual`, `daily`, `weekly` or `monthly`.
    frequency: Option<Frequency>,
    /// Method of finding pages in scheduled audits: `follow` or `sitemap`.
    mode: Option<CrawlMode>,
    /// Paths that are audited, with their queries; empty: all. `*` is any run of characters.
    #[schema(max_items = 100)]
    include: Option<Vec<String>>,
    /// Paths that are not audited.
    #[schema(max_items = 100)]
    exclude: Option<Vec<String>>,
    /// Query parameters that make no other page.
    #[schema(max_items = 100)]
    drop_parameters: Option<Vec<String>>,
    /// HTML pages after which a run ends; null: what the plan allows.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<u64>, minimum = 1)]
    max_pages: Option<Option<u64>>,
    /// Clicks from the start; null: any.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<u32>)]
    max_depth: Option<Option<u32>>,
    /// Most requests per second, 0.01 to 100; null: what the site bears.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<f64>, minimum = 0.01, maximum = 100)]
    requests_per_second: Option<Option<f64>>,
    /// User agent of the audit; its first word is the product token for robots.txt. Null: the default.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    user_agent: Option<Option<String>>,
    /// `obey`: the site's robots.txt; `ignore`: none; else a text that stands in for it. Only `obey` until a check has proven
    /// the domain.
    #[schema(value_type = Option<String>, max_length = 65_536, examples("User-agent: *\nDisallow: /cart"))]
    robots_txt: Option<RobotsTxt>,
    /// Headers of requests to the site; replaces all.
    #[schema(max_items = 20)]
    headers: Option<Vec<SentHeader>>,
    /// User and password for the site; null: none.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<BasicAuth>)]
    basic_auth: Option<Option<BasicAuth>>,
    /// Pages are rendered where that is needed.
    javascript: Option<bool>,
    /// Checks that run although they do not by default.
    enabled_checks: Option<Vec<String>>,
    /// Checks that do not run.
    disabled_checks: Option<Vec<String>>,
    /// Thresholds of checks by the names of the catalogue; replaces all. Thresholds that are left out have their default.
    thresholds: Option<BTreeMap<String, f64>>,
    /// Extractions from each page; replaces all.
    #[schema(max_items = 20)]
    extractions: Option<Vec<ExtractionRule>>,
    /// Searches for pages; replaces all.
    #[schema(max_items = 20)]
    searches: Option<Vec<SearchRule>>,
    /// Findings that are left out of lists and scores.
    #[schema(max_items = 200)]
    ignored: Option<Vec<Ignored>>,
    /// Told when a run ends; null: nobody.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    webhook_url: Option<Option<String>>,
}

/// Distinguishes a field that is null from a missing one.
fn given<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Problems of a change: path and sentence.
type Issues = Vec<(String, String)>;

impl AuditingChange {
    /// Lists the problems of the change: dotted path and sentence. Empty: none.
    pub fn issues(&self) -> Issues {
        let mut issues = Issues::new();
        let mut note = |path: String, message: &str| issues.push((path, message.to_owned()));
        if self.mode == Some(CrawlMode::Selected) {
            note("mode".to_owned(), "must be follow or sitemap");
        }
        for (name, patterns) in [("include", &self.include), ("exclude", &self.exclude)] {
            let Some(patterns) = patterns else { continue };
            if patterns.len() > MAX_PATTERNS {
                note(name.to_owned(), "has more than 100 entries");
            }
            for (at, _) in patterns.iter().enumerate().filter(|(_, pattern)| !is_glob(pattern)) {
                note(format!("{name}.{at}"), "must begin with / or *, and have at most 500 characters");
            }
        }
        let is_name = |name: &String| {
            (1..=100).contains(&name.len()) && !name.contains(|c: char| c.is_control() || "&=#".contains(c))
        };
        if self
            .drop_parameters
            .as_ref()
            .is_some_and(|names| names.len() > MAX_PARAMETERS || !names.iter().all(is_name))
        {
            note("dropParameters".to_owned(), "must be at most 100 names of query parameters");
        }
        if let Some(Some(pages)) = self.max_pages
            && !(1..=MAX_PAGES).contains(&pages)
        {
            note("maxPages".to_owned(), "must be from 1 to 1000000");
        }
        if let Some(Some(depth)) = self.max_depth
            && depth > MAX_DEPTH
        {
            note("maxDepth".to_owned(), "must be at most 1000");
        }
        if let Some(Some(rate)) = self.requests_per_second
            && !(MIN_RATE..=MAX_RATE).contains(&rate)
        {
            note("requestsPerSecond".to_owned(), "must be from 0.01 to 100");
        }
        if let Some(issue) = self.robots_txt.as_ref().and_then(RobotsTxt::issue) {
            note("robotsTxt".to_owned(), issue);
        }
        if let Some(Some(agent)) = &self.user_agent
            && (agent.trim().is_empty()
                || agent.len() > 300
                || !agent.is_ascii()
                || HeaderValue::from_str(agent).is_err())
        {
            note("userAgent".to_owned(), "must be 1 to 300 characters of plain text");
        }
        self.secret_issues(&mut note);
        self.check_issues(&mut note);
        issues.extend(self.rule_issues());
        issues
    }

    /// Lists the problems of the change for an unproven domain, which may belong to another owner.
    pub fn issues_unproven(&self) -> Issues {
        let is_other = self.robots_txt.as_ref().is_some_and(|rules| *rules != RobotsTxt::Obey);
        let issue = ("robotsTxt", "must be obey until a check has proven the domain");
        is_other.then(|| (issue.0.to_owned(), issue.1.to_owned())).into_iter().collect()
    }

    fn secret_issues(&self, note: &mut impl FnMut(String, &str)) {
        let headers = self.headers.as_deref().unwrap_or_default();
        if headers.len() > MAX_HEADERS {
            note("headers".to_owned(), "has more than 20 entries");
        }
        for (at, header) in headers.iter().enumerate() {
            let name: Result<HeaderName, _> = header.name.parse();
            let is_own = OWN_HEADERS.contains(&header.name.to_ascii_lowercase().as_str());
            if name.is_err() || is_own {
                note(format!("headers.{at}.name"), "is not a header that an audit may send");
            } else if header.value.len() > MAX_HEADER_BYTES || HeaderValue::from_str(&header.value).is_err() {
                note(format!("headers.{at}.value"), "is not the value of a header");
            }
        }
        if let Some(Some(BasicAuth { username, password })) = &self.basic_auth
            && (username.is_empty()
                || username.contains(':')
                || username.len() + password.len() > MAX_HEADER_BYTES)
        {
            note("basicAuth.username".to_owned(), "must not be empty and must not have a colon");
        }
        if let Some(Some(url)) = &self.webhook_url
            && crawler::url::parse_target(url, MAX_URL_BYTES).is_err()
        {
            note("webhookUrl".to_owned(), "is not an absolute http or https address");
        }
    }

    fn check_issues(&self, note: &mut impl FnMut(String, &str)) {
        for (name, ids) in
            [("enabledChecks", &self.enabled_checks), ("disabledChecks", &self.disabled_checks)]
        {
            let unknown = ids.iter().flatten().enumerate().filter(|(_, id)| CheckId::find(id).is_none());
            unknown.for_each(|(at, _)| note(format!("{name}.{at}"), "is not an issue id"));
        }
        let ignored = self.ignored.as_deref().unwrap_or_default();
        if ignored.len() > MAX_IGNORED {
            note("ignored".to_owned(), "has more than 200 entries");
        }
        for (at, entry) in ignored.iter().enumerate() {
            if CheckId::find(&entry.issue_id).is_none() {
                note(format!("ignored.{at}.issueId"), "is not an issue id");
            }
            if !is_glob(&entry.path_pattern) {
                note(
                    format!("ignored.{at}.pathPattern"),
                    "must begin with / or *, and have at most 500 characters",
                );
            }
        }
        threshold_issues(self.thresholds.as_ref(), note);
    }

    fn rule_issues(&self) -> Issues {
        let extractions = self.extractions.as_deref().unwrap_or_default().iter();
        let searches = self.searches.as_deref().unwrap_or_default().iter();
        let mut issues =
            rule_issues("extractions", extractions.map(|rule| (rule.name.as_str(), rule.compile().err())));
        issues
            .extend(rule_issues("searches", searches.map(|rule| (rule.name.as_str(), rule.compile().err()))));
        issues
    }

    /// Makes the change. What was sent was checked with [`AuditingChange::issues`].
    pub fn apply_to(self, auditing: &mut Auditing, credentials: &mut SiteCredentials) {
        set(&mut auditing.frequency, self.frequency);
        set(&mut auditing.mode, self.mode);
        set(&mut auditing.include, self.include);
        set(&mut auditing.exclude, self.exclude);
        set(&mut auditing.drop_parameters, self.drop_parameters);
        set(&mut auditing.max_pages, self.max_pages);
        set(&mut auditing.max_depth, self.max_depth);
        set(&mut auditing.requests_per_second, self.requests_per_second);
        set(&mut auditing.user_agent, self.user_agent);
        set(&mut auditing.robots_txt, self.robots_txt);
        set(&mut auditing.javascript, self.javascript);
        set(&mut auditing.enabled_checks, self.enabled_checks);
        set(&mut auditing.disabled_checks, self.disabled_checks);
        set(&mut auditing.thresholds, self.thresholds);
        set(&mut auditing.extractions, self.extractions);
        set(&mut auditing.searches, self.searches);
        set(&mut auditing.ignored, self.ignored);
        set(&mut auditing.webhook_url, self.webhook_url);
        set(&mut credentials.headers, self.headers);
        set(&mut credentials.basic_auth, self.basic_auth);
    }
}

/// Checks each threshold by itself, and all together: they may contradict each other.
fn threshold_issues(wanted: Option<&BTreeMap<String, f64>>, note: &mut impl FnMut(String, &str)) {
    let Some(wanted) = wanted else { return };
    let mut is_any_bad = false;
    for (name, value) in wanted {
        let alone = Thresholds::with(&BTreeMap::from([(name.clone(), *value)]));
        if let Err(error @ (BadThreshold::Unknown(_) | BadThreshold::OutOfRange { .. })) = alone {
            note(format!("thresholds.{name}"), &error.to_string());
            is_any_bad = true;
        }
    }
    if let Err(error) = Thresholds::with(wanted)
        && !is_any_bad
    {
        note("thresholds".to_owned(), &error.to_string());
    }
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// Returns true for a pattern that may limit a crawl: path and query, with `*` for any characters.
fn is_glob(text: &str) -> bool {
    text.starts_with(['/', '*'])
        && text.chars().count() <= MAX_PATTERN_CHARS
        && !text.contains(|c: char| c.is_control() || c.is_whitespace())
}
