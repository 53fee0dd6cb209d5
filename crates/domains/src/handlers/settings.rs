//! Endpoints of a domain's settings.

use std::time::Duration;

use axum::Json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::change_failed;
use crate::DomainsState;
use crate::access::ChangeDomain;
use crate::names::OriginProblem;
use crate::responses::UpdatedDomain;
use crate::settings::{SettingsChange, SettingsError};
use crate::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use accounts::callers::for_keys_and_sessions::for_keys_and_sessions;
use platform::api::access::Access;
use platform::api::openapi::own_errors;
use platform::api::{ApiError, ApiResult, DomainsJson, ErrorCode};

/// Timeout of the request to a new origin host.
const REACHABILITY_WAIT: Duration = Duration::from_secs(5);

/// Returns the routes of this file.
pub(super) fn routes() -> OpenApiRouter<DomainsState> {
    OpenApiRouter::new().routes(routes!(update_settings)).routes(routes!(dashboard_update_settings))
}

own_errors! {
    SettingsNotChanged: ValidationError, InvalidOriginHost, OriginHostSameAsDomain, OriginHostIsEditorUrl,
        RedirectLimitReached, InvalidCustomHeaders, UpgradeRequiredForCustomHeaders, ApiKeyDomainScopeMismatch,
        DomainSuspended, NotFound, PayloadTooLarge, UnsupportedMediaType;
}

for_keys_and_sessions! {
    /// Changes a domain's settings.
    ///
    /// Fields that are left out keep their values; lists are replaced as a whole. Each field is saved or rejected by itself:
    /// `invalidFields` lists the rejected ones. Errors of status 400 and 403 save nothing. The front page of a new
    /// `originHost` is requested, for at most 5 seconds; a host that does not answer is listed in `invalidFields`, but is
    /// saved. Changes apply to requests within two seconds.
    patch(Caller<ChangeDomain>) update_settings: "/api/domains/{domain}/settings",
        dashboard_update_settings: "/api/dashboard/domains/{domain}/settings";
    state(DomainsState);
    tag("Domains");
    security(("apiKey" = []), ("bearer" = []));
    errors(SettingsNotChanged);
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"));
    body(content = SettingsChange, example = json!({
        "originHost": "shop.lovable.app", "preferredHost": "apex",
        "redirectRules": [{ "source": "/blog/*", "destination": "/articles/$1" }] }));
    responses((status = 200, description = "The domain as it is stored now, and what of the request was left out.",
        body = UpdatedDomain));
    update(domain: RequestedDomain, change: DomainsJson<SettingsChange>) -> Json<UpdatedDomain>
}

async fn update<A: Access>(
    caller: &Caller<A>,
    app: &DomainsState,
    domain: RequestedDomain,
    DomainsJson(mut change): DomainsJson<SettingsChange>,
) -> ApiResult<Json<UpdatedDomain>> {
    let removes_origin = caller.is_operator && change.take_removal_of_origin();
    let domain = domain.record(caller, &app.domains, DomainAccess::Use).await?;
    let (host, limits) = (domain.host.clone(), caller.limits().clone());
    // Finding loops among thousands of redirects takes too long for a thread that serves other requests.
    let checking = tokio::task::spawn_blocking(move || change.check(&host, &limits));
    let mut checked = checking.await.map_err(ApiError::internal)?.map_err(not_changed)?;
    if let Some(origin) = &checked.origin_host
        && !caller.is_operator
        && !app.origins.is_reachable(origin, REACHABILITY_WAIT).await
    {
        checked.invalid_fields.insert(0, "originHost".to_owned());
    }
    let invalid_fields = std::mem::take(&mut checked.invalid_fields);
    let changed = app.domains.change_settings(&domain.id, |settings| {
        checked.apply_to(settings);
        if removes_origin {
            settings.origin_host = None;
        }
    });
    let changed = changed.await;
    Ok(Json(UpdatedDomain { domain: changed.map_err(change_failed)?.into(), invalid_fields }))
}

fn not_changed(error: SettingsError) -> ApiError {
    let code = match &error {
        SettingsError::UpgradeRequired => ErrorCode::UpgradeRequiredForCustomHeaders,
        SettingsError::Origin(problem) => origin_error(*problem),
        SettingsError::RedirectLimit { .. } => ErrorCode::RedirectLimitReached,
        SettingsError::InvalidHeaders(_) => ErrorCode::InvalidCustomHeaders,
    };
    let refusal = ApiError::new(code);
    match error {
        SettingsError::RedirectLimit { limit, current } => {
            refusal.with("limit", limit).with("current", current)
        }
        SettingsError::InvalidHeaders(details) => refusal.with("details", details),
        SettingsError::UpgradeRequired | SettingsError::Origin(_) => refusal,
    }
}

/// Returns the error code of an origin host that cannot be used.
pub(super) fn origin_error(problem: OriginProblem) -> ErrorCode {
    match problem {
        OriginProblem::Invalid => ErrorCode::InvalidOriginHost,
        OriginProblem::SameAsDomain => ErrorCode::OriginHostSameAsDomain,
        OriginProblem::EditorUrl => ErrorCode::OriginHostIsEditorUrl,
    }
}
