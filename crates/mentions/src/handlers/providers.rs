//! HTTP of assistants and of costs.

use crate::Mentions;
use ::domains::DomainsService;
use axum::Json;
use axum::extract::State;
use platform::clock::Clock;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::read_day;
use crate::MentionsState;
use crate::access::{ReadCosts, ReadMentions};
use crate::model::UtcDay;
use crate::service::provider_status::{self, DomainCosts, ProviderStatus};
use ::domains::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppQuery};

/// Days before today with which costs begin, unless the request says otherwise.
const DEFAULT_DAYS: UtcDay = 30;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new().routes(routes!(list_providers)).routes(routes!(get_costs))
}

own_errors! {
    StatusNotRead: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned;
}

/// Domain about which assistants are asked.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ProviderQuery {
    /// Domain of the account.
    #[param(example = "shop.example")]
    domain: String,
}

#[derive(Serialize, ToSchema)]
struct ProviderList {
    /// All assistants, in their order.
    providers: Vec<ProviderStatus>,
}

/// Lists the assistants: which of them can be asked about a domain, whether they work, and what a question costs.
#[utoipa::path(get, path = "/api/ai-mentions/providers", tag = "AI mentions", params(ProviderQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, StatusNotRead>,
        (status = 200, description = "The assistants.", body = ProviderList)))]
async fn list_providers(
    caller: Caller<ReadMentions>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    AppQuery(query): AppQuery<ProviderQuery>,
) -> ApiResult<Json<ProviderList>> {
    let site = RequestedDomain::named(&query.domain).site(&caller, &domains, DomainAccess::Read).await?;
    let providers = provider_status::list_provider_statuses(&mentions, &site.domain, caller.plan()).await?;
    Ok(Json(ProviderList { providers }))
}

/// Domain and days of costs.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct CostQuery {
    /// Domain of the account.
    #[param(example = "shop.example")]
    domain: String,
    /// First UTC day; 30 days ago unless given.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Last UTC day; today unless given.
    #[param(example = "2026-11-20")]
    to: Option<String>,
}

impl CostQuery {
    /// Returns the first and the last day. Without `from` they begin 30 days before today, or before an earlier `to`.
    fn days(&self, today: UtcDay) -> ApiResult<(UtcDay, UtcDay)> {
        let to = read_day("to", self.to.as_deref())?.unwrap_or(today);
        let from = read_day("from", self.from.as_deref())?.unwrap_or(to.min(today) - DEFAULT_DAYS);
        if from > to { Err(ApiError::invalid_parameter("from", "is after to")) } else { Ok((from, to)) }
    }
}

/// Returns the costs of a domain's monitoring, and what is left of its budgets.
#[utoipa::path(get, path = "/api/ai-mentions/costs", tag = "AI mentions", params(CostQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadCosts, StatusNotRead>,
        (status = 200, description = "The costs.", body = DomainCosts)))]
async fn get_costs(
    caller: Caller<ReadCosts>,
    State(clock): State<Clock>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    AppQuery(query): AppQuery<CostQuery>,
) -> ApiResult<Json<DomainCosts>> {
    let days = query.days(clock.now().day_number())?;
    let site = RequestedDomain::named(&query.domain).site(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(provider_status::sum_domain_costs(&mentions, &site.domain, caller.plan(), days).await?))
}
