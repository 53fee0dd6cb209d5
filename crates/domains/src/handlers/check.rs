//! Endpoints of the connection check.

use axum::Json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{NotChanged, not_applied};
use crate::DomainsState;
use crate::access::CheckDomain;
use crate::connection::CheckResult;
use crate::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use accounts::callers::for_keys_and_sessions::for_keys_and_sessions;
use platform::api::ApiResult;
use platform::api::access::Access;

/// Returns the routes of this file.
pub(super) fn routes() -> OpenApiRouter<DomainsState> {
    OpenApiRouter::new().routes(routes!(check_domain)).routes(routes!(dashboard_check_domain))
}

for_keys_and_sessions! {
    /// Checks whether a domain is connected.
    ///
    /// Looks up whether the domain's DNS records point at the service, and sends a crawler-style request to the domain to
    /// see whether the service answers it. A pending domain becomes `connected` when the records match, else `via api` when
    /// the service answered the request. A check never demotes a domain. At most 6 calls per minute and key, together with
    /// sitemap updates that fetch.
    post(Caller<CheckDomain>) check_domain: "/api/domains/{domain}/check",
        dashboard_check_domain: "/api/dashboard/domains/{domain}/check";
    state(DomainsState);
    tag("Domains");
    security(("apiKey" = []), ("bearer" = []));
    errors(NotChanged);
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"));
    responses(
        (status = 200, description = "What was found, and the status after it.", body = CheckResult,
            example = json!({
                "dns": { "match": true, "cloudflareProxy": false, "lookupFailed": false },
                "probe": { "ok": true }, "status": "connected", "promoted": true })),
    );
    check(domain: RequestedDomain) -> Json<CheckResult>
}

async fn check<A: Access>(
    caller: &Caller<A>,
    app: &DomainsState,
    domain: RequestedDomain,
) -> ApiResult<Json<CheckResult>> {
    let domain = domain.record(caller, &app.domains, DomainAccess::Use).await?;
    Ok(Json(app.connection.check(&domain).await.map_err(not_applied)?))
}
