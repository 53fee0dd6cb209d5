//! HTTP of a domain's settings.

use std::time::Duration;

use axum::Json;
use http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{OnOneDomain, WithBody, change_failed, changeable};
use crate::api::caller::{Access, WriteDomain};
use crate::api::openapi::{ErrorBody, MoreForbidden, Refusals};
use crate::api::{ApiError, ApiResult, AppPath, Caller, DomainsJson};
use crate::app::AppState;
use crate::domains::access::ChangeByKey;
use crate::domains::answers::UpdatedDomain;
use crate::domains::names::OriginProblem;
use crate::domains::settings::{SettingsChange, SettingsError};

/// How long a new origin host may take to answer.
const REACHABILITY_WAIT: Duration = Duration::from_secs(5);

/// The operations of this file.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(update_settings)).routes(routes!(dashboard_update_settings))
}

type SettingsRefusals = Refusals<ChangeByKey, SettingsNotChanged>;
type DashboardSettingsRefusals = Refusals<WriteDomain, SettingsNotChanged>;

/// Why an operation that changes one domain is forbidden.
pub(super) struct NotChanged;

impl MoreForbidden for NotChanged {
    fn bodies() -> Vec<serde_json::Value> {
        let codes = ["api_key_domain_scope_mismatch", "domain_suspended"];
        codes.map(|code| serde_json::json!({ "error": code })).to_vec()
    }
}

struct SettingsNotChanged;

impl MoreForbidden for SettingsNotChanged {
    fn bodies() -> Vec<serde_json::Value> {
        let mut bodies = NotChanged::bodies();
        bodies.push(serde_json::json!({ "error": "upgrade_required_for_custom_headers" }));
        bodies
    }
}

twins! {
    /// Changes a domain's settings.
    ///
    /// Fields that are left out stay as they are; lists are replaced as a whole. Every field is saved or left out by itself:
    /// look at `invalidFields`. Errors of status 400 and 403 save nothing. A new `originHost` is asked for its front page, for
    /// at most 5 seconds; one that does not answer is named in `invalidFields` and saved all the same. What was answered holds
    /// for requests within two seconds.
    patch(Caller) update_settings: "/api/domains/{domain}/settings", ChangeByKey, SettingsRefusals;
    dashboard_update_settings: "/api/dashboard/domains/{domain}/settings", WriteDomain, DashboardSettingsRefusals;
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"));
    body(content = SettingsChange, example = json!({
        "originHost": "shop.lovable.app", "preferredHost": "apex",
        "redirectRules": [{ "source": "/blog/*", "destination": "/articles/$1" }] }));
    responses(
        OnOneDomain,
        WithBody,
        (status = 200, description = "The domain as it is stored now, and what of the request was left out.", body = UpdatedDomain),
        (status = 400, description = "The body, or a value in it, refuses the whole request; nothing was saved.", body = ErrorBody, examples(
            ("validation_error" = (value = json!({ "error": "validation_error", "issues": [{ "path": "redirectRules.0.status", "message": "invalid type: string \"x\", expected a number" }] }))),
            ("invalid_origin_host" = (value = json!({ "error": "invalid_origin_host" }))),
            ("origin_host_same_as_domain" = (value = json!({ "error": "origin_host_same_as_domain" }))),
            ("origin_host_is_editor_url" = (value = json!({ "error": "origin_host_is_editor_url" }))),
            ("redirect_limit_reached" = (value = json!({ "error": "redirect_limit_reached", "limit": 500, "current": 501 }))),
            ("invalid_custom_headers" = (value = json!({ "error": "invalid_custom_headers", "details": [{ "rule": 0, "header": "Set-Cookie", "reason": "this header is set by the service or by the protocol" }] }))))),
    );
    update(domain: AppPath<String>, change: DomainsJson<SettingsChange>) -> Json<UpdatedDomain>
}

async fn update<A: Access>(
    caller: &Caller<A>,
    app: &AppState,
    AppPath(domain): AppPath<String>,
    DomainsJson(change): DomainsJson<SettingsChange>,
) -> ApiResult<Json<UpdatedDomain>> {
    let domain = changeable(caller, app, &domain).await?;
    let (host, limits) = (domain.host.clone(), caller.limits().clone());
    // Looking for loops among thousands of redirects takes longer than other requests should wait.
    let checking = tokio::task::spawn_blocking(move || change.check(&host, &limits));
    let mut checked = checking.await.map_err(ApiError::internal)?.map_err(not_changed)?;
    if let Some(origin) = &checked.origin_host
        && !app.origins.is_reachable(origin, REACHABILITY_WAIT).await
    {
        checked.invalid_fields.insert(0, "originHost".to_owned());
    }
    let invalid_fields = std::mem::take(&mut checked.invalid_fields);
    let changed = app.domains.change_settings(&domain.id, |settings| checked.apply_to(settings)).await;
    Ok(Json(UpdatedDomain { domain: changed.map_err(change_failed)?.into(), invalid_fields }))
}

fn not_changed(error: SettingsError) -> ApiError {
    let bad = |code| ApiError::new(StatusCode::BAD_REQUEST, code);
    match error {
        SettingsError::UpgradeRequired => ApiError::forbidden("upgrade_required_for_custom_headers"),
        SettingsError::Origin(OriginProblem::Invalid) => bad("invalid_origin_host"),
        SettingsError::Origin(OriginProblem::SameAsDomain) => bad("origin_host_same_as_domain"),
        SettingsError::Origin(OriginProblem::EditorUrl) => bad("origin_host_is_editor_url"),
        SettingsError::RedirectLimit { limit, current } => {
            bad("redirect_limit_reached").with("limit", limit).with("current", current)
        }
        SettingsError::InvalidHeaders(details) => bad("invalid_custom_headers").with("details", details),
    }
}
