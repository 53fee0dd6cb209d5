//! Record, settings and rendering of a domain. Pure: no database, network or HTTP.

use std::fmt;
use std::str::FromStr;

use crawler::url::{OriginHost, bare_host};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::crawler_policy::CrawlerPolicy;
use super::headers::HeaderRule;
use super::patterns::{Grammar, PathPattern};
use super::redirects::RedirectRule;
use accounts::AccountId;
use platform::clock::Timestamp;
use platform::ids::id_type;

id_type! {
    /// Id of a domain record. Snapshots, jobs and counts belong to the id, never to the host name, so that a name which is
    /// removed and added again starts empty.
    DomainId
}

/// Connection status of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
pub enum DomainStatus {
    /// Added; not connected yet.
    #[default]
    #[serde(rename = "pending")]
    Pending,
    /// The domain's DNS records point at the service.
    #[serde(rename = "connected")]
    Connected,
    /// The domain's own server calls the render API.
    #[serde(rename = "via api")]
    ViaApi,
    /// Locked by the operator.
    #[serde(rename = "suspended")]
    Suspended,
}

impl DomainStatus {
    /// Returns the text that clients and the database use.
    pub const fn as_str(self) -> &'static str {
        match self {
            DomainStatus::Pending => "pending",
            DomainStatus::Connected => "connected",
            DomainStatus::ViaApi => "via api",
            DomainStatus::Suspended => "suspended",
        }
    }
}

impl fmt::Display for DomainStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for DomainStatus {
    type Err = String;

    fn from_str(text: &str) -> Result<DomainStatus, String> {
        let all =
            [DomainStatus::Pending, DomainStatus::Connected, DomainStatus::ViaApi, DomainStatus::Suspended];
        all.into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| format!("no domain status is called {text:?}"))
    }
}

/// Preferred one of a site's two names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreferredHost {
    /// The name without `www.`.
    Apex,
    Www,
}

/// Settings of the specification's settings endpoint, the sitemap's address, and the crawler policy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// Host that serves people and assets; none: the domain itself.
    pub origin_host: Option<OriginHost>,
    /// Path patterns, one per line, that are never prerendered.
    pub ignore_paths: String,
    /// Name to which requests for the other name are redirected.
    pub preferred_host: Option<PreferredHost>,
    /// Redirect rules; the first match wins.
    pub redirect_rules: Vec<RedirectRule>,
    /// Headers that are added to the domain's responses.
    pub custom_response_headers: Vec<HeaderRule>,
    /// True when a page that was never rendered is rendered when a crawler requests it.
    pub on_demand_render_enabled: bool,
    /// Address of the sitemap; empty: none.
    pub sitemap_url: String,
    /// Number of pages found when the sitemap was last read.
    pub discovered_url_count: u64,
    #[serde(default)]
    pub crawler_policy: CrawlerPolicy,
    /// True when changed pages are submitted to IndexNow and the key is served.
    #[serde(default)]
    pub index_now: bool,
    /// Tags that group an account's domains, in order and without repetitions.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// Rendering settings of a domain's pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rendering {
    /// Age at which a snapshot is rendered again, unless a refresh rule matches.
    #[schema(example = 86400)]
    pub refresh_interval_seconds: u64,
    /// Intervals for some paths; the most specific matching pattern wins.
    pub refresh_rules: Vec<RefreshRule>,
    /// CSS selector that must match before a page counts as ready.
    #[schema(example = "#main article")]
    pub wait_for_selector: Option<String>,
    /// Address patterns that pages may not fetch; `*` matches any characters.
    #[schema(example = json!(["*://ads.example/*"]))]
    pub blocked_urls: Vec<String>,
    /// True when only verified crawlers start renders at the edge. Others get the stored snapshot, else the origin's response.
    pub verified_crawlers_only: bool,
    /// Names of the query parameters that are a part of a page's address; null: all except tracking parameters.
    #[schema(example = json!(["page", "color"]))]
    pub query_parameters: Option<Vec<String>>,
    /// Requests that get pages as Markdown.
    #[serde(default)]
    pub markdown: MarkdownSetting,
    /// Signs of missing pages with status 200.
    #[serde(default)]
    pub not_found: NotFoundRules,
}

/// Requests that get Markdown of a page in place of its HTML.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MarkdownSetting {
    /// Requests whose `Accept` lists `text/markdown` with a quality not below that of `text/html`.
    #[default]
    Accept,
    /// No request.
    Off,
}

/// Signs of a missing page whose server returns status 200. The start page is never treated as missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct NotFoundRules {
    /// CSS selector of an element that only a missing page has; null: none.
    #[schema(example = ".not-found")]
    pub selector: Option<String>,
    /// Text that only a missing page shows, case-sensitive; null: none.
    #[schema(example = "This page does not exist")]
    pub text: Option<String>,
    /// True when a page counts as missing if it shows nearly the same text as an address that cannot exist.
    pub compare: bool,
}

/// A refresh interval for the paths that match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefreshRule {
    /// Pattern of the paths.
    #[schema(example = "/blog/**")]
    pub pattern: String,
    /// Interval in seconds: 60 s to 365 days.
    #[schema(example = 3600)]
    pub interval_seconds: u64,
}

/// Shortest interval that the API accepts, in seconds.
pub const MIN_INTERVAL_S: u64 = 60;
/// Longest interval, in seconds: 365 days.
pub const MAX_INTERVAL_S: u64 = 365 * 24 * 60 * 60;
/// Maximum number of refresh rules of a domain.
pub const MAX_REFRESH_RULES: usize = 50;
/// Maximum number of blocked address patterns of a domain.
pub const MAX_BLOCKED_URLS: usize = 100;
const MAX_BLOCKED_URL_BYTES: usize = 512;
const MAX_SELECTOR_BYTES: usize = 512;
const MAX_TEXT_BYTES: usize = 512;
/// Maximum number of query parameters that a domain names.
pub const MAX_QUERY_PARAMETERS: usize = 50;
const MAX_QUERY_PARAMETER_BYTES: usize = 100;

impl Rendering {
    /// Makes the rendering settings of a new domain.
    pub fn new(refresh_interval_seconds: u64) -> Rendering {
        Rendering {
            refresh_interval_seconds,
            refresh_rules: Vec::new(),
            wait_for_selector: None,
            blocked_urls: Vec::new(),
            verified_crawlers_only: false,
            query_parameters: None,
            markdown: MarkdownSetting::default(),
            not_found: NotFoundRules::default(),
        }
    }

    /// Returns the issues of the settings, as pairs of a dotted path and a sentence; empty when the settings may be saved.
    pub fn issues(&self) -> Vec<(String, String)> {
        let mut issues = Vec::new();
        if !is_interval(self.refresh_interval_seconds) {
            issues.push(("refreshIntervalSeconds".to_owned(), interval_message()));
        }
        if self.refresh_rules.len() > MAX_REFRESH_RULES {
            issues
                .push(("refreshRules".to_owned(), format!("at most {MAX_REFRESH_RULES} rules are allowed")));
        }
        for (at, rule) in self.refresh_rules.iter().enumerate() {
            if let Err(error) = PathPattern::parse(&rule.pattern, Grammar::Path) {
                issues.push((format!("refreshRules.{at}.pattern"), error.to_string()));
            }
            if !is_interval(rule.interval_seconds) {
                issues.push((format!("refreshRules.{at}.intervalSeconds"), interval_message()));
            }
        }
        if self.wait_for_selector.as_ref().is_some_and(|selector| !is_selector(selector)) {
            let message = format!("must be a CSS selector of at most {MAX_SELECTOR_BYTES} bytes");
            issues.push(("waitForSelector".to_owned(), message));
        }
        if self.blocked_urls.len() > MAX_BLOCKED_URLS {
            issues.push((
                "blockedUrls".to_owned(),
                format!("at most {MAX_BLOCKED_URLS} addresses are allowed"),
            ));
        }
        for (at, url) in self.blocked_urls.iter().enumerate() {
            if !is_blocked_url(url) {
                let message = format!("must be an address pattern of at most {MAX_BLOCKED_URL_BYTES} bytes");
                issues.push((format!("blockedUrls.{at}"), message));
            }
        }
        if self.not_found.selector.as_ref().is_some_and(|selector| !is_selector(selector)) {
            let message = format!("must be a CSS selector of at most {MAX_SELECTOR_BYTES} bytes");
            issues.push(("notFound.selector".to_owned(), message));
        }
        if self
            .not_found
            .text
            .as_ref()
            .is_some_and(|text| text.trim().is_empty() || text.len() > MAX_TEXT_BYTES)
        {
            issues
                .push(("notFound.text".to_owned(), format!("must be a text of 1 to {MAX_TEXT_BYTES} bytes")));
        }
        let parameters = self.query_parameters.as_deref().unwrap_or_default();
        if parameters.len() > MAX_QUERY_PARAMETERS {
            let message = format!("at most {MAX_QUERY_PARAMETERS} parameters are allowed");
            issues.push(("queryParameters".to_owned(), message));
        }
        for (at, name) in parameters.iter().enumerate() {
            if !is_parameter_name(name) {
                let message = format!("must be a name of 1 to {MAX_QUERY_PARAMETER_BYTES} bytes");
                issues.push((format!("queryParameters.{at}"), message));
            }
        }
        issues
    }
}

fn is_parameter_name(text: &str) -> bool {
    (1..=MAX_QUERY_PARAMETER_BYTES).contains(&text.len()) && !text.chars().any(char::is_control)
}

fn is_interval(seconds: u64) -> bool {
    (MIN_INTERVAL_S..=MAX_INTERVAL_S).contains(&seconds)
}

fn interval_message() -> String {
    format!("must be from {MIN_INTERVAL_S} to {MAX_INTERVAL_S}")
}

/// Decides whether a text is a CSS selector. A selector that never matches makes renders wait until their time limit.
fn is_selector(text: &str) -> bool {
    !text.trim().is_empty()
        && text.len() <= MAX_SELECTOR_BYTES
        && !text.chars().any(char::is_control)
        && scraper::Selector::parse(text).is_ok()
}

fn is_blocked_url(text: &str) -> bool {
    let only_stars = text.bytes().all(|byte| byte == b'*');
    !only_stars && text.len() <= MAX_BLOCKED_URL_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A domain record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    pub id: DomainId,
    pub account_id: AccountId,
    /// Name of the domain, in A-label form.
    pub host: String,
    /// Connection status; [`DomainStatus::Suspended`] while the operator's lock is on.
    pub status: DomainStatus,
    /// The specification's settings.
    pub settings: Settings,
    pub rendering: Rendering,
    /// Version of the record; increases with every change.
    pub version: i64,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl Domain {
    /// Decides whether a check has proven that the account may connect the site.
    pub fn is_proven(&self) -> bool {
        matches!(self.status, DomainStatus::Connected | DomainStatus::ViaApi)
    }

    /// Returns the key of the domain's budgets: account and name. A domain that is removed and added again keeps what is left
    /// of its budgets.
    pub fn budget_name(&self) -> String {
        format!("{}:{}", self.account_id, bare_host(&self.host))
    }
}

/// Domain as an entry of a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainItem {
    pub id: DomainId,
    /// Name of the domain, in A-label form.
    #[schema(example = "shop.example")]
    pub domain: String,
    /// Host that serves the site to people; empty when it is the domain itself.
    #[schema(example = "shop.lovable.app")]
    pub origin_host: String,
    /// Connection status.
    pub status: DomainStatus,
    /// Address of the sitemap; empty when none.
    pub sitemap_url: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl Settings {
    /// Returns the origin host in the form of the API: an empty text when there is no origin host.
    pub fn origin_text(&self) -> String {
        self.origin_host.as_ref().map(OriginHost::to_string).unwrap_or_default()
    }
}

impl From<&Domain> for DomainItem {
    fn from(domain: &Domain) -> DomainItem {
        DomainItem {
            id: domain.id.clone(),
            domain: domain.host.clone(),
            origin_host: domain.settings.origin_text(),
            status: domain.status,
            sitemap_url: domain.settings.sitemap_url.clone(),
            created_at: domain.created_at,
            updated_at: domain.updated_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(rendering: &Rendering) -> Vec<String> {
        rendering.issues().into_iter().map(|(field, _)| field).collect()
    }

    #[test]
    fn an_interval_is_from_a_minute_to_a_year() {
        for (seconds, is_fine) in [(59, false), (60, true), (31_536_000, true), (31_536_001, false)] {
            assert_eq!(Rendering::new(seconds).issues().is_empty(), is_fine, "{seconds}");
        }
    }

    #[test]
    fn every_bad_field_of_the_rendering_settings_is_named() {
        let rendering = Rendering {
            refresh_interval_seconds: 1,
            refresh_rules: vec![
                RefreshRule { pattern: "/ok".into(), interval_seconds: 60 },
                RefreshRule { pattern: "bad".into(), interval_seconds: 0 },
            ],
            wait_for_selector: Some("###".into()),
            blocked_urls: vec!["*://ads.example/*".into(), "*".into(), "a b".into()],
            verified_crawlers_only: true,
            query_parameters: Some(vec!["page".into(), String::new(), "größe".into(), "x".repeat(101)]),
            markdown: MarkdownSetting::Off,
            not_found: NotFoundRules { selector: Some("p[".into()), text: Some(" ".into()), compare: true },
        };

        let expected = [
            "refreshIntervalSeconds",
            "refreshRules.1.pattern",
            "refreshRules.1.intervalSeconds",
            "waitForSelector",
            "blockedUrls.1",
            "blockedUrls.2",
            "notFound.selector",
            "notFound.text",
            "queryParameters.1",
            "queryParameters.3",
        ];
        assert_eq!(fields(&rendering), expected);
    }

    #[test]
    fn fifty_refresh_rules_are_the_most() {
        let rule = RefreshRule { pattern: "/a".into(), interval_seconds: 60 };
        let with = |count| Rendering { refresh_rules: vec![rule.clone(); count], ..Rendering::new(60) };

        assert_eq!(fields(&with(50)), Vec::<String>::new());
        assert_eq!(fields(&with(51)), ["refreshRules"]);
    }

    #[test]
    fn a_status_is_read_back_as_it_was_written() {
        for status in
            [DomainStatus::Pending, DomainStatus::Connected, DomainStatus::ViaApi, DomainStatus::Suspended]
        {
            assert_eq!(status.as_str().parse(), Ok(status));
        }
    }
}
