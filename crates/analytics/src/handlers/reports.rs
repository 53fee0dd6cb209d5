//! HTTP API of the four reports of the specification.

use std::collections::HashMap;

use crate::Analytics;
use axum::extract::State;
use axum::response::IntoResponse;
use http::HeaderMap;
use serde::{Deserialize, Serialize};
use url::{Position, Url};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{Include, Question, ReportQuery, Span, check_length, days, private, private_list};
use crate::AnalyticsState;
use crate::access::ReadAnalytics;
use crate::report::{Bots, CrawlerVisits, Daily, Summary, WindowInfo};
use domains::{DomainId, names};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult};
use platform::clock::Timestamp;

/// Longest `search`, in characters.
const MAX_SEARCH_CHARS: usize = 500;
/// Longest `path`, in characters.
const MAX_PATH_CHARS: usize = 1024;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new()
        .routes(routes!(get_page_insights))
        .routes(routes!(get_bots))
        .routes(routes!(get_daily_bots))
        .routes(routes!(get_bots_summary))
}

type ReadRefusals = Refusals<ReadAnalytics, ReportNotGiven>;

own_errors! {
    /// Errors of a parameter, of a domain that is not the caller's, and of a public token that has ended.
    pub(super) ReportNotGiven: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned, NotFound;
}

/// Domain and days of a report.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct DaysQuery {
    /// Domain of the account. A public token carries its own.
    #[param(example = "shop.example")]
    domain: Option<String>,
    /// Days to look back at, today included: 1 to 180, 30 unless given.
    #[param(minimum = 1, maximum = 180, default = 30)]
    days: Option<u32>,
    /// `origin`: visits that the site's own server answered count too.
    #[param(inline, example = "origin")]
    include: Option<Include>,
    /// The domain's public token, in place of a key or session.
    #[expect(dead_code, reason = "the reader was found by it already")]
    token: Option<String>,
}

/// Domain, days and pages of a report.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct BotsQuery {
    /// Domain of the account. A public token carries its own.
    #[param(example = "shop.example")]
    domain: Option<String>,
    /// First day, `yyyy-mm-dd`; 30 days ago unless given.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Last day, `yyyy-mm-dd`; today unless given.
    #[param(example = "2026-11-20")]
    to: Option<String>,
    /// Only this path.
    #[param(example = "/pricing", max_length = 1024)]
    path: Option<String>,
    /// Only paths with this text in them, in any case.
    #[param(max_length = 500)]
    search: Option<String>,
    /// `origin`: visits that the site's own server answered count too.
    #[param(inline, example = "origin")]
    include: Option<Include>,
    /// The domain's public token, in place of a key or session.
    #[expect(dead_code, reason = "the reader was found by it already")]
    token: Option<String>,
}

/// Page and days of a report.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PageQuery {
    /// Absolute address of the page, on the domain.
    #[param(example = "https://shop.example/pricing")]
    url: String,
    /// Domain of the account. A public token carries its own.
    #[param(example = "shop.example")]
    domain: Option<String>,
    /// Days to look back at, today included: 1 to 180, 30 unless given.
    #[param(minimum = 1, maximum = 180, default = 30)]
    days: Option<u32>,
    /// `origin`: visits that the site's own server answered count too.
    #[param(inline, example = "origin")]
    include: Option<Include>,
    /// The domain's public token, in place of a key or session.
    #[expect(dead_code, reason = "the reader was found by it already")]
    token: Option<String>,
}

/// Crawler visits of a page, and the results of the latest audit for the page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PageInsights {
    /// Address of the page.
    url: String,
    domain: String,
    /// Path of the page, without the query.
    path: String,
    /// Window of the counted visits.
    window: WindowInfo,
    crawler_visits: CrawlerVisits,
    /// Results of the latest audit.
    seo_spider: SeoSpider,
}

/// Results of an audit for a page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SeoSpider {
    /// The run; null when the domain has none with results.
    #[schema(required = true)]
    latest_run: Option<AuditRun>,
    /// The page in the audit.
    page: AuditedPage,
}

/// Finds the latest audit with results, and the page in it: by the path with the query, then by the path alone.
async fn latest_audit(app: &AnalyticsState, domain: &DomainId, url: &Url) -> ApiResult<SeoSpider> {
    let nothing = SeoSpider { latest_run: None, page: AuditedPage::default() };
    let path = &url[Position::BeforePath..Position::AfterQuery];
    let Some(latest) = app.audits.latest_run(domain).await? else { return Ok(nothing) };
    let mut page = latest.find_page::<AuditedPage>(path).await?;
    if page.is_none() && path != url.path() {
        page = latest.find_page(url.path()).await?;
    }
    let run = latest.run;
    Ok(SeoSpider {
        latest_run: Some(AuditRun {
            id: run.id.to_string(),
            status: run.status.to_string(),
            started_at: run.started_at.as_millis(),
            completed_at: run.completed_at.map(Timestamp::as_millis),
        }),
        page: page.map(|page| AuditedPage { found: true, ..page }).unwrap_or_default(),
    })
}

/// An audit with results.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AuditRun {
    id: String,
    /// Status of the run.
    status: String,
    /// Start of the run, in epoch milliseconds.
    started_at: i64,
    /// End of the run, in epoch milliseconds; null while it runs.
    #[schema(required = true)]
    completed_at: Option<i64>,
}

/// Page in an audit. All fields but `found` are empty when the page was not audited.
#[derive(Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AuditedPage {
    /// True when the audit has the page.
    #[serde(default)]
    #[schema(required = true)]
    found: bool,
    /// Number of issues of the page.
    issue_count: u32,
    issues: Vec<AuditedIssue>,
    #[schema(required = true)]
    status_code: Option<u16>,
    /// Health score, 0 to 100.
    #[schema(required = true)]
    health_score: Option<f64>,
    /// Preview score, 0 to 100.
    #[schema(required = true)]
    preview_score: Option<f64>,
    /// True when search engines may list the page.
    #[schema(required = true)]
    indexable: Option<bool>,
}

/// An issue of a page.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AuditedIssue {
    /// Id of the issue in the catalogue.
    issue_id: String,
    /// Severity: `error`, `warning` or `notice`.
    severity: String,
}

/// Reports the crawler visits of one page, and the results of the latest audit for it.
///
/// The query of `url` is ignored for visits, which are counted by path.
#[utoipa::path(get, path = "/api/analytics/page-insights", tag = "Analytics", params(PageQuery),
    security(("apiKey" = []), ("session" = []), ("statsToken" = [])),
    responses(ReadRefusals, (status = 200, description = "The page.", body = PageInsights)))]
async fn get_page_insights(
    Question { query, scope, domain, name, .. }: Question<PageQuery>,
    State(app): State<AnalyticsState>,
) -> ApiResult<impl IntoResponse> {
    let (days, url) = (days(query.days)?, page_url(&query.url)?);
    let crawler_visits = app.analytics.page(&domain, url.path(), days, scope).await?;
    let seo_spider = latest_audit(&app, &domain, &url).await?;
    Ok(private(PageInsights {
        path: url.path().to_owned(),
        domain: name,
        url: query.url,
        window: app.analytics.window_info(days),
        crawler_visits,
        seo_spider,
    }))
}

/// Finds the name that the start page gives the site in its social tags, by the latest audit.
async fn site_name(app: &AnalyticsState, domain: &DomainId) -> ApiResult<Option<String>> {
    const TAG: &str = "og:site_name";
    let Some(latest) = app.audits.latest_run(domain).await? else { return Ok(None) };
    let page: Option<NamedPage> = latest.find_page("/").await?;
    Ok(page.and_then(|mut page| page.social_tags.remove(TAG)).filter(|name| !name.trim().is_empty()))
}

/// Social tags of an audited page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NamedPage {
    social_tags: HashMap<String, String>,
}

/// Reports crawler visits by page, most visits first.
#[utoipa::path(get, path = "/api/analytics/bots", tag = "Analytics", params(BotsQuery),
    security(("apiKey" = []), ("session" = []), ("statsToken" = [])),
    responses(ReadRefusals, (status = 200, description = "Visits by page.", body = Bots)))]
async fn get_bots(
    Question { query, scope, window, domain, .. }: Question<BotsQuery>,
    request: HeaderMap,
    State(analytics): State<Analytics>,
) -> ApiResult<impl IntoResponse> {
    let search = query.search.filter(|search| !search.is_empty());
    let path = query.path.as_deref().filter(|path| !path.is_empty());
    let bots = analytics.bots(&domain, window, path, search, scope).await?;
    let json = move || serde_json::to_vec(&bots).expect("counts are plain data");
    private_list(&request, json).await
}

/// Reports crawler visits by day. Days without visits are included; the last one is today.
#[utoipa::path(get, path = "/api/analytics/bots/daily", tag = "Analytics", params(DaysQuery),
    security(("apiKey" = []), ("session" = []), ("statsToken" = [])),
    responses(ReadRefusals, (status = 200, description = "Visits by day.", body = Daily)))]
async fn get_daily_bots(
    Question { query, scope, domain, .. }: Question<DaysQuery>,
    State(analytics): State<Analytics>,
) -> ApiResult<impl IntoResponse> {
    Ok(private(analytics.daily(&domain, days(query.days)?, scope).await?))
}

/// Reports a summary of crawler visits.
#[utoipa::path(get, path = "/api/analytics/bots/summary", tag = "Analytics", params(DaysQuery),
    security(("apiKey" = []), ("session" = []), ("statsToken" = [])),
    responses(ReadRefusals, (status = 200, description = "Visits in short.", body = Summary)))]
async fn get_bots_summary(
    Question { query, scope, domain, name, .. }: Question<DaysQuery>,
    State(app): State<AnalyticsState>,
) -> ApiResult<impl IntoResponse> {
    let summary = app.analytics.summary(&domain, days(query.days)?, scope).await?;
    let demo = app.config.server.demo_domain.as_deref() == Some(name.as_str());
    Ok(private(Summary { demo, site_name: site_name(&app, &domain).await?, ..summary }))
}

impl ReportQuery for DaysQuery {
    const OPEN_TO_TOKENS: bool = true;

    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Last(self.days)
    }

    fn include(&self) -> Option<Include> {
        self.include
    }
}

impl ReportQuery for PageQuery {
    const OPEN_TO_TOKENS: bool = true;

    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Last(self.days)
    }

    fn include(&self) -> Option<Include> {
        self.include
    }

    fn check(&self, host: Option<&str>) -> ApiResult<()> {
        let url = page_url(&self.url)?;
        let on = url.host_str().unwrap_or_default();
        match host {
            Some(host) if !names::is_same_domain(host, on.strip_suffix('.').unwrap_or(on)) => {
                Err(ApiError::invalid_parameter("url", "is not on the domain"))
            }
            _ => Ok(()),
        }
    }
}

impl ReportQuery for BotsQuery {
    const OPEN_TO_TOKENS: bool = true;

    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Dates(self.from.as_deref(), self.to.as_deref())
    }

    fn include(&self) -> Option<Include> {
        self.include
    }

    fn check(&self, _: Option<&str>) -> ApiResult<()> {
        check_length("path", self.path.as_deref(), MAX_PATH_CHARS)?;
        check_length("search", self.search.as_deref(), MAX_SEARCH_CHARS)
    }
}

/// Parses the absolute http(s) address of a page.
fn page_url(text: &str) -> ApiResult<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| ApiError::invalid_parameter("url", "must be an absolute http or https address"))
}
