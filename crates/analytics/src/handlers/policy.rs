//! HTTP API of crawler policies: the policy of a domain, and its refusals. In this crate and not with a domain's other settings,
//! since rules name crawlers.

use crate::Analytics;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{NotAnswered, Question, ReportQuery, Span, days, private};
use crate::AnalyticsState;
use crate::access::ReadAnalytics;
use crate::policy::{PolicyRow, unknown_names};
use accounts::callers::Caller;
use domains::access::{ChangeBeyond, ReadBeyond};
use domains::handlers::change_failed;
use domains::{CrawlerPolicy, DomainAccess, DomainsService, RequestedDomain};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, DomainsJson};

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new()
        .routes(routes!(get_crawler_policy, replace_crawler_policy))
        .routes(routes!(list_policy_refusals))
}

own_errors! {
    PolicyNotRead: ApiKeyDomainScopeMismatch, NotFound;
    PolicyNotReplaced: ValidationError, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Returns the crawler policy of a domain.
#[utoipa::path(get, path = "/api/domains/{domain}/crawler-policy", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, PolicyNotRead>, (status = 200, description = "The policy.", body = CrawlerPolicy)))]
async fn get_crawler_policy(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    domain: RequestedDomain,
) -> ApiResult<Json<CrawlerPolicy>> {
    Ok(Json(domain.record(&caller, &domains, DomainAccess::Read).await?.settings.crawler_policy))
}

/// Replaces the crawler policy of a domain.
///
/// The policy takes effect within two seconds. It applies to pages, at the edge and in the render API, before redirects. A
/// refused crawler gets the text of the rule as `text/plain` with `x-service-policy: block` (403), `pay` (402) or `limit` (429).
#[utoipa::path(put, path = "/api/domains/{domain}/crawler-policy", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    request_body = CrawlerPolicy,
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ChangeBeyond, PolicyNotReplaced>,
        (status = 200, description = "The policy from now on.", body = CrawlerPolicy)))]
async fn replace_crawler_policy(
    caller: Caller<ChangeBeyond>,
    State(domains): State<DomainsService>,
    domain: RequestedDomain,
    DomainsJson(policy): DomainsJson<CrawlerPolicy>,
) -> ApiResult<Json<CrawlerPolicy>> {
    let mut issues = policy.issues();
    issues.extend(unknown_names(&policy));
    if !issues.is_empty() {
        return Err(ApiError::validation_error(issues));
    }
    let domain = domain.record(&caller, &domains, DomainAccess::Use).await?;
    let changed = domains.change_settings(&domain.id, |settings| settings.crawler_policy = policy).await;
    Ok(Json(changed.map_err(change_failed)?.settings.crawler_policy))
}

/// Domain and days of a report.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PolicyQuery {
    /// Domain of the account.
    #[param(required, example = "shop.example")]
    domain: Option<String>,
    /// Days to look back at, today included: 1 to 180, 30 unless given.
    #[param(minimum = 1, maximum = 180, default = 30)]
    days: Option<u32>,
}

impl ReportQuery for PolicyQuery {
    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Last(self.days)
    }
}

/// Refusals of a crawler policy.
#[derive(Serialize, ToSchema)]
struct PolicyReport {
    /// Sums by crawler and action, most refusals first.
    rows: Vec<PolicyRow>,
}

/// Lists what a domain's crawler policy refused in the last days, or would have refused in mode `log`.
#[utoipa::path(get, path = "/api/analytics/policy", tag = "Analytics", params(PolicyQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadAnalytics, NotAnswered>, (status = 200, description = "The refusals.", body = PolicyReport)))]
async fn list_policy_refusals(
    Question { query, domain, .. }: Question<PolicyQuery>,
    State(analytics): State<Analytics>,
) -> ApiResult<impl IntoResponse> {
    Ok(private(PolicyReport { rows: analytics.policy(&domain, days(query.days)?).await? }))
}
