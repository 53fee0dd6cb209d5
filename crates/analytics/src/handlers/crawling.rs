//! HTTP API of the reports about crawlers: their visits, their errors, and visits that robots.txt forbids. For sessions and
//! keys; a public token opens none of them.

use crate::Analytics;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{NotAnswered, Question, ReportQuery, Span, private};
use crate::AnalyticsState;
use crate::access::ReadAnalytics;
use crate::crawl_report::{CrawlerCount, ForbiddenVisits, PageError};
use crate::referrals::ReferralCount;
use domains::Site;
use domains::origin::RobotsAnswer;
use platform::api::openapi::Refusals;
use platform::api::{ApiError, ApiResult};

/// Maximum number of rows of one answer.
const MAX_LIMIT: u32 = 1000;
const DEFAULT_LIMIT: u32 = 100;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new()
        .routes(routes!(list_crawlers))
        .routes(routes!(list_crawl_errors))
        .routes(routes!(list_robots_violations))
        .routes(routes!(list_referrals))
}

type ReadRefusals = Refusals<ReadAnalytics, NotAnswered>;

/// Domain and days of a report.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct CrawlersQuery {
    /// Domain of the account.
    #[param(required, example = "shop.example")]
    domain: Option<String>,
    /// First day, `yyyy-mm-dd`; 30 days ago unless given.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Last day, `yyyy-mm-dd`; today unless given.
    #[param(example = "2026-11-20")]
    to: Option<String>,
}

/// Domain, days and number of rows of a report.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PagesQuery {
    /// Domain of the account.
    #[param(required, example = "shop.example")]
    domain: Option<String>,
    /// First day, `yyyy-mm-dd`; 30 days ago unless given.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Last day, `yyyy-mm-dd`; today unless given.
    #[param(example = "2026-11-20")]
    to: Option<String>,
    /// Most rows of the answer: 1 to 1000, 100 unless given.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u32>,
}

impl ReportQuery for CrawlersQuery {
    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Dates(self.from.as_deref(), self.to.as_deref())
    }
}

impl ReportQuery for PagesQuery {
    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Dates(self.from.as_deref(), self.to.as_deref())
    }

    fn check(&self, _: Option<&str>) -> ApiResult<()> {
        match self.limit {
            Some(limit) if !(1..=MAX_LIMIT).contains(&limit) => {
                Err(ApiError::invalid_parameter("limit", format!("must be from 1 to {MAX_LIMIT}")))
            }
            _ => Ok(()),
        }
    }
}

impl PagesQuery {
    fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_LIMIT) as usize
    }
}

#[derive(Serialize, ToSchema)]
struct CrawlerList {
    /// Crawlers, most visits first.
    crawlers: Vec<CrawlerCount>,
}

/// Pages for which crawlers got an error.
#[derive(Serialize, ToSchema)]
struct CrawlErrorList {
    /// Rows by page and status, most visits first.
    errors: Vec<PageError>,
    /// Number of all rows.
    total: usize,
}

/// People who came from assistants.
#[derive(Serialize, ToSchema)]
struct ReferralList {
    /// Rows by assistant and page, most people first.
    referrals: Vec<ReferralCount>,
    /// Number of all people.
    people: u64,
    /// Number of all rows.
    total: u64,
}

/// Visits to pages that robots.txt forbids.
#[derive(Serialize, ToSchema)]
struct RobotsViolations {
    /// Result of reading the site's robots.txt. Without `read` there are no rules to compare visits with.
    robots: RobotsState,
    /// Forbidden visits, most visits first. Pages that are counted together and unknown bots are not compared.
    violations: Vec<ForbiddenVisits>,
    /// Number of such rows among the 50,000 pairs of a crawler and a page that have the most visits.
    total: usize,
}

/// Result of reading a robots.txt.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum RobotsState {
    /// The file was read; its current rules apply.
    Read,
    /// The site has no robots.txt: everything is allowed.
    Missing,
    /// The site's server did not deliver the file.
    Unreachable,
}

/// Lists the crawlers with visits. Visits of impostors are counted apart.
#[utoipa::path(get, path = "/api/analytics/crawlers", tag = "Analytics", params(CrawlersQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(ReadRefusals, (status = 200, description = "The crawlers.", body = CrawlerList)))]
async fn list_crawlers(
    Question { window, domain, .. }: Question<CrawlersQuery>,
    State(analytics): State<Analytics>,
) -> ApiResult<impl IntoResponse> {
    Ok(private(CrawlerList { crawlers: analytics.crawlers(&domain, window).await? }))
}

/// Lists the pages for which crawlers got a status of 400 and above.
#[utoipa::path(get, path = "/api/analytics/errors", tag = "Analytics", params(PagesQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(ReadRefusals, (status = 200, description = "The pages.", body = CrawlErrorList)))]
async fn list_crawl_errors(
    Question { query, window, domain, .. }: Question<PagesQuery>,
    State(app): State<AnalyticsState>,
) -> ApiResult<impl IntoResponse> {
    let (errors, total) = app.analytics.errors(&domain, window, query.limit()).await?;
    Ok(private(CrawlErrorList { errors, total }))
}

/// Lists visits of crawlers to pages that the current robots.txt forbids them. Queries of addresses are ignored.
#[utoipa::path(get, path = "/api/analytics/robots", tag = "Analytics", params(PagesQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(ReadRefusals, (status = 200, description = "The visits.", body = RobotsViolations)))]
async fn list_robots_violations(
    Question { query, window, domain, .. }: Question<PagesQuery>,
    State(app): State<AnalyticsState>,
) -> ApiResult<impl IntoResponse> {
    // The domain may have been removed meanwhile.
    let record = app.domains.find_by_id(&domain).await?.ok_or_else(ApiError::not_found)?;
    let (robots, rules) = match app.domains.read_robots(&app.origins, &Site::new(record)).await {
        RobotsAnswer::Rules(rules) => (RobotsState::Read, rules),
        RobotsAnswer::Missing => (RobotsState::Missing, Default::default()),
        RobotsAnswer::Unreachable => (RobotsState::Unreachable, Default::default()),
    };
    let (violations, total) = app.analytics.forbidden(&domain, window, rules, query.limit()).await?;
    Ok(private(RobotsViolations { robots, violations, total }))
}

/// Lists the pages that people came to from assistants (ChatGPT, Perplexity and the like).
///
/// People are counted at the edge when the page was answered with a status of 200 to 299. The assistant is known by the `Referer`
/// of the browser or, without one, by `utm_source`.
#[utoipa::path(get, path = "/api/analytics/referrals", tag = "Analytics", params(PagesQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(ReadRefusals, (status = 200, description = "The pages.", body = ReferralList)))]
async fn list_referrals(
    Question { query, window, domain, .. }: Question<PagesQuery>,
    State(analytics): State<Analytics>,
) -> ApiResult<impl IntoResponse> {
    let totals = analytics.referral_totals(&domain, window).await?;
    let referrals = analytics.referrals(&domain, window, query.limit()).await?;
    Ok(private(ReferralList { referrals, people: totals.people, total: totals.rows }))
}
