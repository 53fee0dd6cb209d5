//! Endpoint of the DNS records that connect a domain.

use crate::DomainsService;
use crate::connection::Connection;
use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::NotRead;
use crate::DomainsState;
use crate::access::ReadBeyond;
use crate::connection::ConnectionRecords;
use crate::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use platform::api::ApiResult;
use platform::api::openapi::Refusals;

/// Returns the routes of this file.
pub(super) fn routes() -> OpenApiRouter<DomainsState> {
    OpenApiRouter::new().routes(routes!(get_required_records))
}

/// Returns the DNS records that a domain needs now.
///
/// The records are those that were returned when the domain was added, unless another account has claimed the site since.
/// The domain is then contested, and a TXT record is needed to prove its ownership. Each record comes with the findings of
/// the domain's last check, whatever started the check. The request does not query DNS.
#[utoipa::path(get, path = "/api/domains/{domain}/records", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, NotRead>,
        (status = 200, description = "What must stand in the DNS.", body = ConnectionRecords, example = json!({
            "records": [
                { "type": "A", "name": "@", "value": "203.0.113.10", "ttl": 300,
                    "found": ["203.0.113.10"], "state": "found" },
                { "type": "A", "name": "www", "value": "203.0.113.10", "ttl": 300, "found": [], "state": "missing" }],
            "contested": false, "reason": null, "checkedAt": "2026-11-20T09:30:00.000Z", "probe": "edge", "problems": [] }))))]
async fn get_required_records(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    State(connection): State<Connection>,
    domain: RequestedDomain,
) -> ApiResult<Json<ConnectionRecords>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(connection.checked_records(&domain).await?))
}
