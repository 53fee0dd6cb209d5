//! HTTP of trying settings out before they are saved: what the edge would do with an address, and which stored pages
//! patterns match. Changes nothing and fetches nothing.

use accounts::callers::Callers;
use domains::DomainsService;
use render::RenderService;
use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::State;
use axum::response::IntoResponse;
use serde::{Deserialize, Deserializer, Serialize};
use url::{Position, Url};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::policy_test::{PolicyTestResult, find_crawler, try_policy, usable_policy};
use super::{UseDashboard, no_store};
use crate::DashboardState;
use accounts::callers::Caller;
use domains::model::Domain;
use domains::patterns::{PathList, SplitPath};
use domains::redirects::{RedirectRule, RedirectSet};
use domains::root_files::RootFileMode;
use domains::site::SiteRedirect;
use domains::{CrawlerPolicy, DomainAccess, PreferredHost, RequestedDomain, Site};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, ErrorCode, Issue};
use render::decide::{DecidedAnswer, Decision, DecisionReason, decide_navigation};

/// Matches that an answer names.
const MOST_EXAMPLES: usize = 100;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<DashboardState> {
    OpenApiRouter::new().routes(routes!(test_rules)).routes(routes!(test_patterns))
}

own_errors! {
    NotTested: InvalidRequest, RedirectLimitReached, NotFound, PayloadTooLarge, UnsupportedMediaType;
}

/// Sender of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Visitor {
    Crawler,
    Person,
}

/// An address to try, and settings that take the place of the stored ones.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RuleTest {
    /// Address on the domain or its `www.` twin.
    #[schema(examples("https://shop.example/old/shoes"))]
    url: String,
    #[serde(rename = "as")]
    #[schema(inline)]
    visitor: Visitor,
    #[serde(default)]
    redirect_rules: Option<Vec<RedirectRule>>,
    /// Path patterns, one per line.
    #[serde(default)]
    #[schema(examples("/admin/**"))]
    ignore_paths: Option<String>,
    /// `apex`, `www`, or null for none.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<PreferredHost>)]
    preferred_host: Option<Option<PreferredHost>>,
    /// Id of the crawler that is tried with the crawler policy; `unverified`: one that is not who it claims to be. Without it no
    /// policy is asked.
    #[serde(default)]
    #[schema(examples("gptbot"))]
    crawler: Option<String>,
    #[serde(default)]
    crawler_policy: Option<CrawlerPolicy>,
}

fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<PreferredHost>>, D::Error> {
    Option::<PreferredHost>::deserialize(deserializer).map(Some)
}

/// Answer of the edge to a tried address.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
struct RuleTestResult {
    decision: EdgeDecision,
    reason: EdgeReason,
    /// Status of a redirect.
    #[schema(required = true, examples(301))]
    status: Option<u16>,
    /// Address that a redirect leads to, or where the site's own server is asked.
    #[schema(required = true, examples("https://shop.example/new/shoes"))]
    location: Option<String>,
    /// Position of the redirect rule, from 0.
    #[schema(required = true, examples(0))]
    rule: Option<usize>,
    /// Line of the ignored paths that matches.
    #[schema(required = true)]
    pattern: Option<String>,
    /// Rule of the crawler policy that the crawler meets, if any. The site's robots.txt is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<PolicyTestResult>,
    /// A snapshot of the page is stored.
    stored: bool,
    /// Mode of the file at the site's root that answers before redirect rules: `always`, or `fallback` where the site's own server has none.
    #[serde(rename = "rootFile")]
    #[schema(required = true)]
    root_file: Option<RootFileMode>,
    /// Problems of the given settings. What has one plays no part.
    issues: Vec<Issue>,
}

/// Kind of the edge's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum EdgeDecision {
    Redirect,
    /// The site's own server answers.
    Origin,
    Snapshot,
    /// The crawler policy refuses the crawler.
    Refused,
}

/// Reason of the edge's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum EdgeReason {
    PreferredHost,
    RedirectRule,
    IgnoredPath,
    StaticAsset,
    Person,
    Page,
    CrawlerPolicy,
}

impl EdgeReason {
    /// Returns the reason of a decision about a navigation.
    pub(super) fn of(decision: &Decision) -> EdgeReason {
        match (decision.reason, &decision.answer) {
            (_, DecidedAnswer::Redirect(SiteRedirect { rule: Some(_), .. })) => EdgeReason::RedirectRule,
            (DecisionReason::Redirected, _) => EdgeReason::PreferredHost,
            (DecisionReason::IgnoredPath, _) => EdgeReason::IgnoredPath,
            // Only the path of a navigation can ask for something else than a page.
            (DecisionReason::StaticAsset | DecisionReason::NotForPage, _) => EdgeReason::StaticAsset,
            (DecisionReason::Person, _) => EdgeReason::Person,
            (DecisionReason::Page, _) => EdgeReason::Page,
        }
    }
}

/// Tells what the edge would do with a request, with stored or given settings. Changes nothing, fetches nothing.
///
/// At most as many rules as the plan allows settings to have. An account tries rules and patterns twice at once; a third call
/// is 429.
#[utoipa::path(post, path = "/api/dashboard/domains/{domain}/test-rules", tag = "Dashboard", request_body = RuleTest,
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("session" = [])),
    responses(Refusals::<UseDashboard, NotTested>,
        (status = 200, description = "The edge's answer.", body = RuleTestResult)))]
async fn test_rules(
    caller: Caller<UseDashboard>,
    State(app): State<DashboardState>,
    domain: RequestedDomain,
    AppJson(test): AppJson<RuleTest>,
) -> ApiResult<impl IntoResponse> {
    let max_bytes = app.config.limits.url_bytes;
    let url = crawler::url::parse_target(&test.url, max_bytes)
        .map_err(|error| ApiError::invalid_request(vec![Issue::new("url", error.to_string())]))?;
    if test.crawler.as_deref().is_some_and(|id| find_crawler(id).is_none()) {
        return Err(ApiError::invalid_request(vec![Issue::new("crawler", "is no crawler's id")]));
    }
    let record = domain.record(&caller, &app.domains, DomainAccess::Read).await?;
    check_number_of_rules(&test, &caller)?;
    let site = Site::new(record.clone());
    if !url.host_str().is_some_and(|host| site.owns_host(host)) {
        let issue = Issue::new("url", "is on another host than the domain");
        return Err(ApiError::invalid_request(vec![issue]));
    }
    let root_file = app.render.root_files().find(&site, &url).await.map(|file| file.mode);
    // Looking for loops among thousands of redirects takes longer than other requests should wait.
    let tried = url.clone();
    let call = app.callers.rate_limits.long_calls.begin(caller.account())?;
    let trying = tokio::task::spawn_blocking(move || {
        let _call = call;
        try_rules(record, &tried, root_file, test)
    });
    let (site, mut result) = trying.await.map_err(ApiError::internal)?;
    let stored = app.render.stored_pages().stored_at(&site, &[url]).await?;
    result.stored = stored.iter().any(Option::is_some);
    Ok(no_store(result))
}

/// Refuses more rules than settings of the account's plan may have.
fn check_number_of_rules(test: &RuleTest, caller: &Caller<UseDashboard>) -> ApiResult<()> {
    let (limit, current) =
        (caller.limits().redirect_rules, test.redirect_rules.as_ref().map_or(0, Vec::len) as u64);
    match limit.most().filter(|_| !limit.allows(current)) {
        None => Ok(()),
        Some(most) => {
            let refusal = ApiError::new(ErrorCode::RedirectLimitReached);
            Err(refusal.with("limit", most).with("current", current))
        }
    }
}

fn try_rules(
    mut record: Domain,
    url: &Url,
    root_file: Option<RootFileMode>,
    test: RuleTest,
) -> (Arc<Site>, RuleTestResult) {
    let mut issues = Vec::new();
    let mut positions: Option<Vec<usize>> = None;
    if let Some(rules) = test.redirect_rules {
        let site = Site::new(record.clone());
        let hosts = site.hosts();
        let (good, at) = usable_rules(rules, &hosts, &mut issues);
        record.settings.redirect_rules = good;
        positions = Some(at);
    }
    if let Some(text) = test.ignore_paths {
        record.settings.ignore_paths = usable_lines(&text, &mut issues);
    }
    if let Some(preferred) = test.preferred_host {
        record.settings.preferred_host = preferred;
    }
    if let Some(policy) = test.crawler_policy {
        record.settings.crawler_policy = usable_policy(policy, &mut issues);
    }
    let site = Arc::new(Site::new(record));
    // A policy is never asked about files at the root.
    let crawler = test.crawler.filter(|_| test.visitor == Visitor::Crawler && root_file.is_none());
    let crawler = crawler.as_deref().and_then(find_crawler);
    let policy = crawler.and_then(|crawler| try_policy(&site, url, &crawler));
    let refusal = policy.as_ref().filter(|policy| policy.is_refusal());
    if let Some(status) = refusal.map(PolicyTestResult::status) {
        let result = RuleTestResult {
            decision: EdgeDecision::Refused,
            reason: EdgeReason::CrawlerPolicy,
            status,
            location: None,
            rule: None,
            pattern: None,
            policy,
            stored: false,
            root_file,
            issues,
        };
        return (site, result);
    }
    let decided = decide_navigation(&site, url, test.visitor == Visitor::Crawler);
    let reason = EdgeReason::of(&decided);
    let (decision, status, location, rule) = match decided.answer {
        DecidedAnswer::Redirect(SiteRedirect { status, location, rule }) => {
            (EdgeDecision::Redirect, Some(status), Some(location), rule)
        }
        DecidedAnswer::Origin(location) => (EdgeDecision::Origin, None, Some(location), None),
        DecidedAnswer::Snapshot(_) => (EdgeDecision::Snapshot, None, None, None),
    };
    let location = location.map(String::from);
    let rule = rule.map(|at| positions.map_or(at, |positions| positions[at]));
    let pattern =
        (reason == EdgeReason::IgnoredPath).then(|| site.ignored_by(url).map(str::to_owned)).flatten();
    let result = RuleTestResult {
        decision,
        reason,
        status,
        location,
        rule,
        pattern,
        policy,
        stored: false,
        root_file,
        issues,
    };
    (site, result)
}

/// Returns the rules without issues, and the positions that they have among all.
fn usable_rules(
    rules: Vec<RedirectRule>,
    hosts: &[String],
    issues: &mut Vec<Issue>,
) -> (Vec<RedirectRule>, Vec<usize>) {
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let found = RedirectSet::compile(&rules, &hosts).err().unwrap_or_default();
    let bad: HashSet<usize> = found.iter().map(|issue| issue.rule).collect();
    let good = rules.into_iter().enumerate().filter(|(at, _)| !bad.contains(at)).map(|(at, rule)| (rule, at));
    let usable = good.unzip();
    issues.extend(found.into_iter().map(|issue| Issue::new(issue.field, issue.message)));
    usable
}

/// Returns the lines that are patterns; a text that is too long has none.
fn usable_lines(text: &str, issues: &mut Vec<Issue>) -> String {
    let Err(message) = PathList::parse(text) else { return text.to_owned() };
    issues.push(Issue::new("ignorePaths", message));
    if text.len() > PathList::MAX_BYTES || text.lines().count() > PathList::MAX_LINES {
        return String::new();
    }
    let (_, bad) = PathList::parse_lines(text);
    let is_bad = |line: usize| bad.iter().any(|bad| bad.line == line);
    // Lines stay where they are: the answer names them by what they say.
    let lines = (1..).zip(text.lines()).map(|(line, text)| if is_bad(line) { "" } else { text });
    lines.collect::<Vec<_>>().join("\n")
}

/// Patterns to try.
#[derive(Debug, Deserialize, ToSchema)]
struct PatternTest {
    /// Path patterns, one per line; at most 500 lines and 16 KiB.
    #[schema(examples("/admin/**\n/cart"))]
    patterns: String,
}

/// Stored pages that patterns match.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
struct PatternTestResult {
    /// Number of stored pages.
    total: usize,
    /// Number of stored pages that a pattern matches.
    matched: usize,
    /// The first 100 matches, by path.
    examples: Vec<PatternMatch>,
    /// Lines that are no patterns.
    invalid: Vec<InvalidLine>,
}

/// A stored page and the first line that matches it.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
struct PatternMatch {
    #[schema(examples("/admin/orders"))]
    path: String,
    /// Number of the line, from 1.
    line: usize,
}

/// A line that is no pattern.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
struct InvalidLine {
    /// Number of the line, from 1.
    line: usize,
    #[schema(examples("must start with /"))]
    message: String,
}

/// Lists the stored pages that patterns match. An account tries rules and patterns twice at once; a third call is 429.
#[utoipa::path(post, path = "/api/dashboard/domains/{domain}/test-patterns", tag = "Dashboard", request_body = PatternTest,
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("session" = [])),
    responses(Refusals::<UseDashboard, NotTested>,
        (status = 200, description = "The matches.", body = PatternTestResult)))]
async fn test_patterns(
    caller: Caller<UseDashboard>,
    State(domains): State<DomainsService>,
    State(callers): State<Callers>,
    State(render): State<RenderService>,
    domain: RequestedDomain,
    AppJson(test): AppJson<PatternTest>,
) -> ApiResult<impl IntoResponse> {
    let text = test.patterns;
    if text.len() > PathList::MAX_BYTES || text.lines().count() > PathList::MAX_LINES {
        let message =
            format!("must have at most {} lines and {} bytes", PathList::MAX_LINES, PathList::MAX_BYTES);
        return Err(ApiError::invalid_request(vec![Issue::new("patterns", message)]));
    }
    let record = domain.record(&caller, &domains, DomainAccess::Read).await?;
    let call = callers.rate_limits.long_calls.begin(caller.account())?;
    let urls = render.stored_pages().list(&Site::new(record)).await?;
    let trying = tokio::task::spawn_blocking(move || {
        let _call = call;
        try_patterns(&text, urls)
    });
    Ok(no_store(trying.await.map_err(ApiError::internal)?))
}

fn try_patterns(text: &str, mut urls: Vec<Url>) -> PatternTestResult {
    let (list, bad) = PathList::parse_lines(text);
    let total = urls.len();
    urls.sort_unstable();
    let found = urls.iter().filter_map(|url| {
        let line = list.find_line(&SplitPath::of(url))?;
        Some(PatternMatch { path: url[Position::BeforePath..Position::AfterQuery].to_owned(), line })
    });
    let mut matches: Vec<PatternMatch> = found.collect();
    let matched = matches.len();
    matches.truncate(MOST_EXAMPLES);
    let invalid = bad.into_iter().map(|bad| InvalidLine { line: bad.line, message: bad.error.to_string() });
    PatternTestResult { total, matched, examples: matches, invalid: invalid.collect() }
}
