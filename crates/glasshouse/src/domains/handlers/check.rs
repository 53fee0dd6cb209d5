//! HTTP of the connection check.

use axum::Json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::settings::NotChanged;
use super::{OnOneDomain, changeable, not_applied};
use crate::api::caller::{Access, WriteDomain};
use crate::api::openapi::Refusals;
use crate::api::{ApiResult, AppPath, Caller};
use crate::app::AppState;
use crate::domains::access::CheckByKey;
use crate::domains::connection::CheckResult;

/// The operations of this file.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(check_domain)).routes(routes!(dashboard_check_domain))
}

type CheckRefusals = Refusals<CheckByKey, NotChanged>;
type DashboardCheckRefusals = Refusals<WriteDomain, NotChanged>;

twins! {
    /// Checks whether a domain is connected.
    ///
    /// Asks DNS whether the domain's records point here, and the domain itself, as a crawler would, whether the answer
    /// comes from here. A pending domain becomes `connected` when the records match, else `via api` when the answer came
    /// from here. A check never takes a status away. At most 6 per minute and key, together with sitemap updates that
    /// fetch.
    post(Caller) check_domain: "/api/domains/{domain}/check", CheckByKey, CheckRefusals;
    dashboard_check_domain: "/api/dashboard/domains/{domain}/check", WriteDomain, DashboardCheckRefusals;
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"));
    responses(
        OnOneDomain,
        (status = 200, description = "What was found, and the status after it.", body = CheckResult,
            example = json!({
                "dns": { "match": true, "cloudflareProxy": false, "lookupFailed": false },
                "probe": { "ok": true }, "status": "connected", "promoted": true })),
    );
    check(domain: AppPath<String>) -> Json<CheckResult>
}

async fn check<A: Access>(
    caller: &Caller<A>,
    app: &AppState,
    AppPath(domain): AppPath<String>,
) -> ApiResult<Json<CheckResult>> {
    let domain = changeable(caller, app, &domain).await?;
    Ok(Json(app.connection.check(&domain).await.map_err(not_applied)?))
}
