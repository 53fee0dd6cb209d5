//! HTTP of the four reports of the specification.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::header;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::analytics::access::{ReadAnalytics, StatsReader, is_same_site};
use crate::analytics::model::Day;
use crate::analytics::report::{Bots, CrawlerVisits, Daily, Summary, WindowInfo};
use crate::analytics::service::{DEFAULT_DAYS, MAX_DAYS, Scope};
use crate::api::openapi::{Refusals, own_errors};
use crate::api::{ApiError, ApiResult, AppQuery, Issue};
use crate::app::AppState;

/// Longest `search`, in characters.
const MAX_SEARCH_CHARS: usize = 500;
/// Longest `path`, in characters.
const MAX_PATH_CHARS: usize = 1024;

/// The operations of this file.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(get_page_insights))
        .routes(routes!(get_bots))
        .routes(routes!(get_daily_bots))
        .routes(routes!(get_bots_summary))
}

type ReadRefusals = Refusals<ReadAnalytics, ReportNotGiven>;

own_errors! {
    /// Those of a parameter, of a domain that is not the caller's, and of a public token that has ended.
    ReportNotGiven: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned, NotFound;
}

/// Which domain, and which days of it.
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
    #[param(example = "origin")]
    include: Option<String>,
    /// The domain's public token, in place of a key or session.
    #[expect(dead_code, reason = "the reader was found by it already")]
    token: Option<String>,
}

/// Which domain, and which days and pages of it.
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
    #[param(example = "origin")]
    include: Option<String>,
    /// The domain's public token, in place of a key or session.
    #[expect(dead_code, reason = "the reader was found by it already")]
    token: Option<String>,
}

/// Which page, and which days.
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
    #[param(example = "origin")]
    include: Option<String>,
    /// The domain's public token, in place of a key or session.
    #[expect(dead_code, reason = "the reader was found by it already")]
    token: Option<String>,
}

/// Crawler visits of a page, and what the latest audit found on it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PageInsights {
    /// The page.
    url: String,
    /// Its domain.
    domain: String,
    /// Its path, without the query.
    path: String,
    /// What the visits are counted over.
    window: WindowInfo,
    /// Visits of crawlers.
    crawler_visits: CrawlerVisits,
    /// The latest audit with results.
    seo_spider: SeoSpider,
}

/// What an audit says about a page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SeoSpider {
    /// The run; null when the domain has none with results.
    latest_run: Option<AuditRun>,
    /// The page in it.
    page: AuditedPage,
}

/// An audit with results.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AuditRun {
    /// Its id.
    id: String,
    /// How it ended.
    status: String,
    /// Epoch milliseconds.
    started_at: i64,
    /// Epoch milliseconds; null while it runs.
    completed_at: Option<i64>,
}

/// The page in an audit. All but `found` is empty when it was not audited.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AuditedPage {
    /// Whether the audit has the page.
    found: bool,
    /// How many issues it has.
    issue_count: u32,
    /// Each of them.
    issues: Vec<AuditedIssue>,
    /// Its status.
    status_code: Option<u16>,
    /// 0 to 100.
    health_score: Option<f64>,
    /// 0 to 100.
    preview_score: Option<f64>,
    /// Whether search engines may list it.
    indexable: Option<bool>,
}

/// An issue of a page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AuditedIssue {
    /// Id in the catalogue.
    issue_id: String,
    /// `error`, `warning` or `notice`.
    severity: String,
}

/// Reports what crawlers and the latest audit say about one page.
///
/// The query of `url` does not matter: visits are counted by path.
#[utoipa::path(get, path = "/api/analytics/page-insights", tag = "Analytics", params(PageQuery),
    security(("apiKey" = []), ("session" = []), ("statsToken" = [])),
    responses(ReadRefusals, (status = 200, description = "The page.", body = PageInsights)))]
async fn get_page_insights(
    reader: StatsReader,
    State(app): State<AppState>,
    AppQuery(query): AppQuery<PageQuery>,
) -> ApiResult<impl IntoResponse> {
    let days = days(query.days)?;
    let scope = scope(query.include.as_deref())?;
    let name = reader.name(query.domain.as_deref())?;
    let url = page_url(&query.url, name.as_deref())?;
    let domain = reader.domain(&app, name.as_deref()).await?;
    let crawler_visits = app.analytics.page(&domain, url.path(), days, scope).await?;
    Ok(private(PageInsights {
        path: url.path().to_owned(),
        domain: name.unwrap_or_default(),
        url: query.url,
        window: app.analytics.window_info(days),
        crawler_visits,
        seo_spider: SeoSpider { latest_run: None, page: AuditedPage::default() },
    }))
}

/// Reports crawler visits by page, most visits first.
#[utoipa::path(get, path = "/api/analytics/bots", tag = "Analytics", params(BotsQuery),
    security(("apiKey" = []), ("session" = []), ("statsToken" = [])),
    responses(ReadRefusals, (status = 200, description = "Visits by page.", body = Bots)))]
async fn get_bots(
    reader: StatsReader,
    State(app): State<AppState>,
    AppQuery(query): AppQuery<BotsQuery>,
) -> ApiResult<impl IntoResponse> {
    let window = dates(query.from.as_deref(), query.to.as_deref(), app.analytics.today())?;
    let scope = scope(query.include.as_deref())?;
    check_length("path", query.path.as_deref(), MAX_PATH_CHARS)?;
    check_length("search", query.search.as_deref(), MAX_SEARCH_CHARS)?;
    let name = reader.name(query.domain.as_deref())?;
    let domain = reader.domain(&app, name.as_deref()).await?;
    let search = query.search.filter(|search| !search.is_empty());
    let path = query.path.as_deref().filter(|path| !path.is_empty());
    Ok(private(app.analytics.bots(&domain, window, path, search, scope).await?))
}

/// Reports crawler visits by day. Days without visits are there too; the last one is today.
#[utoipa::path(get, path = "/api/analytics/bots/daily", tag = "Analytics", params(DaysQuery),
    security(("apiKey" = []), ("session" = []), ("statsToken" = [])),
    responses(ReadRefusals, (status = 200, description = "Visits by day.", body = Daily)))]
async fn get_daily_bots(
    reader: StatsReader,
    State(app): State<AppState>,
    AppQuery(query): AppQuery<DaysQuery>,
) -> ApiResult<impl IntoResponse> {
    let (days, scope) = (days(query.days)?, scope(query.include.as_deref())?);
    let name = reader.name(query.domain.as_deref())?;
    let domain = reader.domain(&app, name.as_deref()).await?;
    Ok(private(app.analytics.daily(&domain, days, scope).await?))
}

/// Reports crawler visits in short.
#[utoipa::path(get, path = "/api/analytics/bots/summary", tag = "Analytics", params(DaysQuery),
    security(("apiKey" = []), ("session" = []), ("statsToken" = [])),
    responses(ReadRefusals, (status = 200, description = "Visits in short.", body = Summary)))]
async fn get_bots_summary(
    reader: StatsReader,
    State(app): State<AppState>,
    AppQuery(query): AppQuery<DaysQuery>,
) -> ApiResult<impl IntoResponse> {
    let (days, scope) = (days(query.days)?, scope(query.include.as_deref())?);
    let name = reader.name(query.domain.as_deref())?;
    let domain = reader.domain(&app, name.as_deref()).await?;
    Ok(private(app.analytics.summary(&domain, days, scope).await?))
}

/// A report that no cache keeps: its address may hold a token, which no other site may learn either.
fn private<T: Serialize>(report: T) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "private, no-store"), (header::REFERRER_POLICY, "no-referrer")], Json(report))
}

fn invalid(path: &str, message: impl Into<String>) -> ApiError {
    ApiError::invalid_request(vec![Issue::new(path, message)])
}

fn days(days: Option<u32>) -> ApiResult<u32> {
    let days = days.unwrap_or(DEFAULT_DAYS);
    if (1..=MAX_DAYS).contains(&days) {
        return Ok(days);
    }
    Err(invalid("days", format!("must be from 1 to {MAX_DAYS}")))
}

fn scope(include: Option<&str>) -> ApiResult<Scope> {
    match include {
        None => Ok(Scope::Snapshots),
        Some("origin") => Ok(Scope::WithOrigin),
        Some(_) => Err(invalid("include", "must be origin")),
    }
}

fn check_length(name: &str, text: Option<&str>, most: usize) -> ApiResult<()> {
    if text.is_some_and(|text| text.chars().count() > most) {
        return Err(invalid(name, format!("is longer than {most} characters")));
    }
    Ok(())
}

/// The window of `bots`, both days included. Without `from` it begins 30 days ago, or 30 days before an earlier `to`.
fn dates(from: Option<&str>, to: Option<&str>, today: Day) -> ApiResult<(Day, Day)> {
    let read = |name: &str, text: Option<&str>| {
        text.map(|text| parse_day(text).ok_or_else(|| invalid(name, "must be a day such as 2026-11-20")))
            .transpose()
    };
    let to = read("to", to)?.unwrap_or(today);
    let from = read("from", from)?.unwrap_or(to.min(today) - i64::from(DEFAULT_DAYS));
    if from > to {
        return Err(invalid("from", "is after to"));
    }
    Ok((from, to))
}

/// Exactly `YYYY-MM-DD`.
fn parse_day(text: &str) -> Option<Day> {
    let is_plain = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let date: jiff::civil::Date = text.parse().ok().filter(|_| is_plain)?;
    let midnight = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(midnight.timestamp().as_second().div_euclid(24 * 60 * 60))
}

/// The page, if it is an http(s) address on the domain.
fn page_url(text: &str, domain: Option<&str>) -> ApiResult<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.ok_or_else(|| invalid("url", "must be an absolute http or https address"))?;
    let host = url.host_str().unwrap_or_default();
    // What is no domain at all is nobody's: the refusal that follows says so.
    if domain.is_some_and(|domain| !is_same_site(domain, host)) {
        return Err(invalid("url", "is not on the domain"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_one_form() {
        assert_eq!(parse_day("1970-01-02"), Some(1));
        assert_eq!(parse_day("2024-02-29"), Some(19_782));
        for text in
            ["", "2026-1-1", "20261120", "2026-02-30", "2026-11-20T00:00", "+026-11-20", "２026-11-20"]
        {
            assert_eq!(parse_day(text), None, "{text}");
        }
    }

    #[test]
    fn a_window_without_a_beginning_covers_31_days() {
        let today = 20_000;
        let on = |from, to| dates(from, to, today).ok();

        assert_eq!(on(None, None), Some((19_970, 20_000)));
        assert_eq!(on(None, Some("2024-10-01")), Some((19_967, 19_997)));
        assert_eq!(on(Some("2024-10-01"), None), Some((19_997, 20_000)));
        assert_eq!(on(Some("2024-10-02"), Some("2024-10-01")), None);
    }
}
