//! HTTP API of the public token of a domain's crawl statistics.

use crate::Analytics;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use domains::DomainsService;
use http::{StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AnalyticsState;
use accounts::callers::Caller;
use domains::access::{ReadBeyond, ShareStats};
use domains::{DomainAccess, RequestedDomain};
use platform::api::ApiResult;
use platform::api::openapi::{Refusals, own_errors};
use platform::clock::Timestamp;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new().routes(routes!(get_stats_token, create_stats_token, delete_stats_token))
}

type SharingRefusals = Refusals<ShareStats, NotThisDomain>;

own_errors! {
    /// Errors of a domain that is not the caller's.
    NotThisDomain: ApiKeyDomainScopeMismatch, NotFound;
}

/// State of the public token of a domain's crawl statistics.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Sharing {
    /// True when there is a token.
    enabled: bool,
    /// Last four characters of the token; null without a token.
    #[schema(required = true)]
    last4: Option<String>,
    /// Time at which the token was made; null without a token.
    #[schema(required = true)]
    created_at: Option<Timestamp>,
}

/// A new public token.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CreatedToken {
    /// Token. It is shown only once.
    #[schema(examples("gh_stats_…"))]
    token: String,
    /// Last four characters of the token.
    last4: String,
}

/// Says whether a domain's crawl statistics are shared.
#[utoipa::path(get, path = "/api/domains/{domain}/stats-token", tag = "Analytics",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(
        Refusals::<ReadBeyond, NotThisDomain>,
        (status = 200, description = "Whether there is a token.", body = Sharing),
    ))]
async fn get_stats_token(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    State(analytics): State<Analytics>,
    domain: RequestedDomain,
) -> ApiResult<Json<Sharing>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?.id;
    let token = analytics.find_token_of(&domain).await?;
    let enabled = token.is_some();
    let (last4, created_at) = token.unzip();
    Ok(Json(Sharing { enabled, last4, created_at }))
}

/// Makes the public token of a domain's crawl statistics.
///
/// The token opens the four reports of this domain, for reading, on every plan. An earlier token ends.
#[utoipa::path(post, path = "/api/domains/{domain}/stats-token", tag = "Analytics",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(
        SharingRefusals,
        (status = 201, description = "The token.", body = CreatedToken),
    ))]
async fn create_stats_token(
    caller: Caller<ShareStats>,
    State(domains): State<DomainsService>,
    State(analytics): State<Analytics>,
    domain: RequestedDomain,
) -> ApiResult<impl IntoResponse> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?.id;
    let token = analytics.create_token(&domain).await?;
    let body = CreatedToken { token: token.reveal().to_owned(), last4: token.last4().to_owned() };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(body)))
}

/// Stops sharing a domain's crawl statistics. A repeated request changes nothing.
#[utoipa::path(delete, path = "/api/domains/{domain}/stats-token", tag = "Analytics",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(
        SharingRefusals,
        (status = 204, description = "Nothing is shared any more."),
    ))]
async fn delete_stats_token(
    caller: Caller<ShareStats>,
    State(domains): State<DomainsService>,
    State(analytics): State<Analytics>,
    domain: RequestedDomain,
) -> ApiResult<StatusCode> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?.id;
    analytics.revoke_token(&domain).await?;
    Ok(StatusCode::NO_CONTENT)
}
