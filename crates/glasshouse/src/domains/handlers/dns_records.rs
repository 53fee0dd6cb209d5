//! HTTP of the DNS records that connect a domain.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::NotRead;
use crate::api::openapi::Refusals;
use crate::api::{ApiResult, Caller};
use crate::app::AppState;
use crate::domains::access::ReadBeyond;
use crate::domains::connection::RequiredRecords;
use crate::domains::{DomainAccess, RequestedDomain};

/// The operations of this file.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(get_required_records))
}

/// Says which DNS records a domain needs now.
///
/// The same that adding it answered, unless another account has claimed the site since: then the domain is contested, and
/// there is a TXT record among them that proves whose it is.
#[utoipa::path(get, path = "/api/domains/{domain}/records", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, NotRead>,
        (status = 200, description = "What must stand in the DNS.", body = RequiredRecords, example = json!({
            "records": [
                { "type": "A", "name": "@", "value": "203.0.113.10", "ttl": 300 },
                { "type": "A", "name": "www", "value": "203.0.113.10", "ttl": 300 }],
            "contested": false, "reason": null }))))]
async fn get_required_records(
    caller: Caller<ReadBeyond>,
    State(app): State<AppState>,
    domain: RequestedDomain,
) -> ApiResult<Json<RequiredRecords>> {
    let domain = domain.record(&caller, &app, DomainAccess::Read).await?;
    Ok(Json(app.connection.required_records(&domain).await?))
}
