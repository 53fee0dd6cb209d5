//! HTTP of sites at a glance: the list of an account's sites, the overview of one, what is dismissed, and the first run.

use crate::SiteDashboard;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domains::DomainsService;
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{ChangeDashboard, UseDashboard, no_store};
use crate::DashboardState;
use crate::attention::is_attention_id;
use crate::first_run::{FirstRun, InstallationPart, InstallationState, look_at_providers, look_at_settings};
use crate::health::PartReadiness;
use crate::overview::SiteOverview;
use crate::sites::{SitePage, SiteQuestion, SiteRow, SiteSort};
use accounts::callers::Caller;
use accounts::usage::{UsageEntry, entries};
use domains::{DomainAccess, DomainStatus, RequestedDomain};
use platform::api::access::Access;
use platform::api::csv::cell;
use platform::api::listing::{ListFormat, SortOrder};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppQuery, Issue};

/// Days of an answer that names none, and the most.
const DEFAULT_DAYS: u32 = 30;
const MAX_DAYS: u32 = 180;
/// Rows of a list that names no limit, and the most.
const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 500;
/// Longest search text, in characters.
const MAX_SEARCH_CHARS: usize = 500;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<DashboardState> {
    OpenApiRouter::new()
        .routes(routes!(list_sites))
        .routes(routes!(get_overview))
        .routes(routes!(dismiss_entry, restore_entry))
        .routes(routes!(get_first_run))
}

own_errors! {
    SitesNotListed: InvalidRequest;
    OverviewNotRead: InvalidRequest, DomainNotOwned;
    NotDismissed: InvalidRequest, DomainNotOwned, PayloadTooLarge, UnsupportedMediaType;
}

/// Parameters of the list of sites.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SitesQuery {
    /// Days of visits and answers, today included: 1 to 180.
    #[param(minimum = 1, maximum = 180, default = 30)]
    days: Option<u32>,
    /// Text that names must contain; case does not matter. At most 500 characters.
    #[param(example = "shop")]
    search: Option<String>,
    /// Only sites of this connection status.
    #[param(inline, example = "connected")]
    status: Option<DomainStatus>,
    /// Only sites with this tag.
    #[param(example = "customers", max_length = 64)]
    tag: Option<String>,
    /// Property to order by; `attention` unless given.
    #[param(inline, example = "attention")]
    sort: Option<SiteSort>,
    /// Direction; `desc` unless given.
    #[param(inline, example = "desc")]
    order: Option<SortOrder>,
    /// Number of rows.
    #[param(minimum = 1, maximum = 500, default = 100)]
    limit: Option<u32>,
    /// Rows to leave out first.
    #[param(default = 0)]
    offset: Option<u32>,
    /// `csv`: all rows as a file; limit and offset are ignored.
    #[param(inline, example = "csv")]
    format: Option<ListFormat>,
}

impl SitesQuery {
    fn check(self) -> ApiResult<SiteQuestion> {
        let days = checked_days(self.days)?;
        let search = self.search.unwrap_or_default();
        if search.chars().count() > MAX_SEARCH_CHARS {
            let message = format!("is longer than {MAX_SEARCH_CHARS} characters");
            return Err(ApiError::invalid_parameter("search", message));
        }
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(ApiError::invalid_parameter("limit", format!("must be from 1 to {MAX_LIMIT}")));
        }
        let is_file = self.format == Some(ListFormat::Csv);
        Ok(SiteQuestion {
            days,
            search,
            status: self.status,
            tag: self.tag.filter(|tag| !tag.is_empty()),
            sort: self.sort.unwrap_or_default(),
            is_ascending: self.order.unwrap_or_default() == SortOrder::Asc,
            limit: if is_file { usize::MAX } else { limit as usize },
            offset: if is_file { 0 } else { self.offset.unwrap_or_default() as usize },
        })
    }
}

fn checked_days(days: Option<u32>) -> ApiResult<u32> {
    let days = days.unwrap_or(DEFAULT_DAYS);
    if (1..=MAX_DAYS).contains(&days) {
        return Ok(days);
    }
    Err(ApiError::invalid_parameter("days", format!("must be from 1 to {MAX_DAYS}")))
}

/// Sites of an account.
#[derive(Serialize, ToSchema)]
struct SiteList {
    sites: Vec<SiteRow>,
    /// Number of sites that match, whatever limit and offset.
    #[schema(examples(12))]
    total: usize,
    /// Tags of all sites of the account.
    #[schema(example = json!(["customers"]))]
    tags: Vec<String>,
}

/// Lists the account's sites, those that need attention first.
#[utoipa::path(get, path = "/api/dashboard/sites", tag = "Dashboard", params(SitesQuery), security(("session" = [])),
    responses(Refusals::<UseDashboard, SitesNotListed>, (status = 200, description = "The sites.", content(
        (SiteList = "application/json"),
        (String = "text/csv", example = "domain,status,tags,visits,previousVisits,healthScore,deltaHealth,visibilityRate,errors,attention,mostUrgent\n\"shop.example\",\"connected\",\"customers\",\"4\",\"3\",\"87.4\",\"2.1\",\"43.6\",\"0\",\"1\",\"crawl_errors\"\n")))))]
async fn list_sites(
    caller: Caller<UseDashboard>,
    State(app): State<DashboardState>,
    AppQuery(query): AppQuery<SitesQuery>,
) -> ApiResult<Response> {
    let is_file = query.format == Some(ListFormat::Csv);
    let SitePage { rows, total, tags } =
        app.dashboard.list_sites(&caller.seen_account(), &query.check()?).await?;
    if is_file {
        let headers = [
            (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
            (header::CONTENT_DISPOSITION, "attachment; filename=\"domains.csv\""),
            (header::CACHE_CONTROL, "private, no-store"),
        ];
        return Ok((headers, csv(&rows)).into_response());
    }
    Ok(no_store(SiteList { sites: rows, total, tags }).into_response())
}

/// Writes sites as CSV.
fn csv(rows: &[SiteRow]) -> String {
    const HEADER: &str = "domain,status,tags,visits,previousVisits,healthScore,deltaHealth,visibilityRate,errors,attention,mostUrgent\n";
    let mut csv = HEADER.to_owned();
    for row in rows {
        let row = serde_json::json!([
            row.domain,
            row.status,
            row.tags.join("; "),
            row.visits,
            row.previous_visits,
            row.health_score,
            row.delta_health,
            row.visibility_rate,
            row.errors,
            row.attention,
            row.most_urgent.as_ref().map(|entry| entry.kind),
        ]);
        let cells: Vec<String> =
            row.as_array().into_iter().flatten().map(|value| cell(Some(value))).collect();
        csv.push_str(&cells.join(","));
        csv.push('\n');
    }
    csv
}

/// Domain and days of an overview.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct OverviewQuery {
    /// Domain of the account.
    #[param(example = "shop.example")]
    domain: String,
    /// Days of the numbers, today included: 1 to 180.
    #[param(minimum = 1, maximum = 180, default = 30)]
    days: Option<u32>,
}

/// Returns one site at a glance. Parts that cannot be read are null and named in `unavailable`.
#[utoipa::path(get, path = "/api/dashboard/overview", tag = "Dashboard", params(OverviewQuery), security(("session" = [])),
    responses(Refusals::<UseDashboard, OverviewNotRead>, (status = 200, description = "The site.", body = SiteOverview)))]
async fn get_overview(
    caller: Caller<UseDashboard>,
    State(app): State<DashboardState>,
    AppQuery(query): AppQuery<OverviewQuery>,
) -> ApiResult<impl IntoResponse> {
    let days = checked_days(query.days)?;
    let site = RequestedDomain::named(&query.domain).site(&caller, &app.domains, DomainAccess::Read).await?;
    let limits = limits_of(&caller, &app).await?;
    Ok(no_store(app.dashboard.overview(&site, days, &limits).await))
}

/// Reads the monthly limits of the account and what is used of them.
async fn limits_of<A: Access>(caller: &Caller<A>, app: &DashboardState) -> ApiResult<Vec<UsageEntry>> {
    let (_, _, counts) = app.accounts.usage(caller.account()).await?;
    let used = |metric| counts.iter().find(|(counted, _)| *counted == metric).map_or(0, |(_, used)| *used);
    Ok(entries(caller.limits(), used, accounts::usage::Holdings::default()))
}

/// Names an entry of attention.
#[derive(Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
struct DismissedEntry {
    /// Domain of the account.
    #[param(example = "shop.example")]
    #[schema(examples("shop.example"))]
    domain: String,
    /// Name of the entry.
    #[param(example = "snapshots_stale")]
    #[schema(examples("snapshots_stale"))]
    id: String,
}

impl DismissedEntry {
    fn check(&self) -> ApiResult<()> {
        match is_attention_id(&self.id) {
            true => Ok(()),
            false => Err(ApiError::invalid_request(vec![Issue::new("id", "is no entry of attention")])),
        }
    }
}

/// Hides an entry of attention for 30 days, or until there is more of it.
#[utoipa::path(post, path = "/api/dashboard/dismissed", tag = "Dashboard", request_body = DismissedEntry,
    security(("session" = [])),
    responses(Refusals::<ChangeDashboard, NotDismissed>, (status = 204, description = "Hidden.")))]
async fn dismiss_entry(
    caller: Caller<ChangeDashboard>,
    State(app): State<DashboardState>,
    AppJson(entry): AppJson<DismissedEntry>,
) -> ApiResult<StatusCode> {
    entry.check()?;
    let site = RequestedDomain::named(&entry.domain).site(&caller, &app.domains, DomainAccess::Read).await?;
    let limits = limits_of(&caller, &app).await?;
    app.dashboard.dismiss(&site, &limits, &entry.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Shows a dismissed entry of attention again.
#[utoipa::path(delete, path = "/api/dashboard/dismissed", tag = "Dashboard", params(DismissedEntry),
    security(("session" = [])),
    responses(Refusals::<ChangeDashboard, OverviewNotRead>, (status = 204, description = "Shown again.")))]
async fn restore_entry(
    caller: Caller<ChangeDashboard>,
    State(domains): State<DomainsService>,
    State(dashboard): State<SiteDashboard>,
    AppQuery(entry): AppQuery<DismissedEntry>,
) -> ApiResult<StatusCode> {
    entry.check()?;
    let site = RequestedDomain::named(&entry.domain).site(&caller, &domains, DomainAccess::Read).await?;
    dashboard.restore(&site.domain.id, &entry.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the state of the installation and of the account, for the first minutes with them.
#[utoipa::path(get, path = "/api/dashboard/first-run", tag = "Dashboard", security(("session" = [])),
    responses(Refusals::<UseDashboard>, (status = 200, description = "The state.", body = FirstRun)))]
async fn get_first_run(
    caller: Caller<UseDashboard>,
    State(app): State<DashboardState>,
) -> ApiResult<impl IntoResponse> {
    let prompts = app.holdings.count(caller.account()).await?.prompts;
    let (account, demo_domain) = app.dashboard.look_at_account(&caller.seen_account(), prompts).await?;
    let part = |part: PartReadiness| InstallationPart {
        id: part.id,
        state: InstallationState::of(part.is_usable, part.has_problem),
    };
    let parts = app.readiness.parts().await.into_iter().map(part);
    let installation = parts.chain(look_at_settings(&app.config)).collect();
    let providers = look_at_providers(&app.network, &app.mentions);
    Ok(no_store(FirstRun { installation, providers, demo_domain, account }))
}
