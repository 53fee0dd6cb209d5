//! Endpoints of a domain's rendering settings.

use crate::DomainsService;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{NotRead, change_failed};
use crate::DomainsState;
use crate::access::{ChangeBeyond, ReadBeyond};
use crate::model::{Domain, MIN_INTERVAL_S, MarkdownSetting, NotFoundRules, RefreshRule, Rendering};
use crate::settings::given;
use crate::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, DomainsJson};

/// Returns the routes of this file.
pub(super) fn routes() -> OpenApiRouter<DomainsState> {
    OpenApiRouter::new().routes(routes!(get_rendering, update_rendering))
}

own_errors! {
    RenderingNotChanged: ValidationError, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Returns the rendering settings of a domain.
#[utoipa::path(get, path = "/api/domains/{domain}/rendering", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, NotRead>, (status = 200, description = "How it is rendered.", body = RenderingState)))]
async fn get_rendering(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    domain: RequestedDomain,
) -> ApiResult<Json<RenderingState>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(RenderingState::of(domain, &domains).await?))
}

/// Rendering settings of a domain, and the problem of its comparison of pages.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RenderingState {
    #[serde(flatten)]
    rendering: Rendering,
    /// Reason why pages cannot be compared with an address that cannot exist; null when there is no such reason, or when pages
    /// are not to be compared.
    not_found_problem: Option<String>,
}

impl RenderingState {
    async fn of(domain: Domain, domains: &DomainsService) -> ApiResult<RenderingState> {
        let record = match domain.rendering.not_found.compare {
            true => domains.find_impossible_page(&domain.id).await?,
            false => None,
        };
        let not_found_problem = record.and_then(|record| record.problem);
        Ok(RenderingState { rendering: domain.rendering, not_found_problem })
    }
}

/// Changes to a domain's rendering settings. Fields that are left out keep their values.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
struct RenderingChange {
    /// Age at which a snapshot is rendered again: 60 s to 365 days.
    #[schema(examples(86400), minimum = 60, maximum = 31_536_000)]
    refresh_interval_seconds: Option<u64>,
    /// Refresh rules that replace all existing rules; at most 50.
    #[schema(max_items = 50)]
    refresh_rules: Option<Vec<RefreshRule>>,
    /// CSS selector that must match before a page counts as ready; null: none.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>, examples("#main article"))]
    wait_for_selector: Option<Option<String>>,
    /// Address patterns that pages may not fetch, in place of all existing patterns; at most 100.
    #[schema(max_items = 100)]
    blocked_urls: Option<Vec<String>>,
    /// True when only verified crawlers start renders at the edge.
    verified_crawlers_only: Option<bool>,
    /// Names of the query parameters that are a part of a page's address, at most 50; null: all except tracking parameters.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<Vec<String>>, max_items = 50, example = json!(["page", "color"]))]
    query_parameters: Option<Option<Vec<String>>>,
    /// `off` sends HTML even to clients that request Markdown.
    #[schema(inline)]
    markdown: Option<MarkdownSetting>,
    /// Signs of missing pages with status 200. Crawlers get 404 for these pages from the next render on. `/` is never treated
    /// as missing. Fields that are left out keep their values.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<NotFoundChange>, nullable = false)]
    not_found: Option<NotFoundChange>,
}

/// Changes to the signs of a missing page.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
struct NotFoundChange {
    /// CSS selector of an element that only a missing page has; null: none.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>, examples(".not-found"))]
    selector: Option<Option<String>>,
    /// Text that only a missing page shows, case-sensitive; null: none.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>, examples("This page does not exist"))]
    text: Option<Option<String>>,
    /// True when a page counts as missing if it shows nearly the same text as an address that cannot exist.
    compare: Option<bool>,
}

impl RenderingChange {
    fn apply_to(self, rendering: &mut Rendering) {
        if let Some(seconds) = self.refresh_interval_seconds {
            rendering.refresh_interval_seconds = seconds;
        }
        if let Some(rules) = self.refresh_rules {
            rendering.refresh_rules = rules;
        }
        if let Some(selector) = self.wait_for_selector {
            rendering.wait_for_selector = selector;
        }
        if let Some(urls) = self.blocked_urls {
            rendering.blocked_urls = urls;
        }
        if let Some(only) = self.verified_crawlers_only {
            rendering.verified_crawlers_only = only;
        }
        if let Some(parameters) = self.query_parameters {
            rendering.query_parameters = parameters;
        }
        if let Some(markdown) = self.markdown {
            rendering.markdown = markdown;
        }
        if let Some(change) = self.not_found {
            let NotFoundRules { selector, text, compare } = &mut rendering.not_found;
            *selector = change.selector.unwrap_or(selector.take());
            *text = change.text.unwrap_or(text.take());
            *compare = change.compare.unwrap_or(*compare);
        }
    }
}

/// Changes the rendering settings of a domain.
///
/// Changes apply to requests within two seconds. The interval of the most specific matching rule overrides the domain's.
#[utoipa::path(patch, path = "/api/domains/{domain}/rendering", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    request_body = RenderingChange,
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ChangeBeyond, RenderingNotChanged>,
        (status = 200, description = "How it is rendered from now on.", body = RenderingState)))]
async fn update_rendering(
    caller: Caller<ChangeBeyond>,
    State(domains): State<DomainsService>,
    domain: RequestedDomain,
    DomainsJson(change): DomainsJson<RenderingChange>,
) -> ApiResult<Json<RenderingState>> {
    // The request is validated before the domain is looked up, and without the stored values, which can predate the rules.
    let mut sent = Rendering::new(MIN_INTERVAL_S);
    change.clone().apply_to(&mut sent);
    let issues = sent.issues();
    if !issues.is_empty() {
        return Err(ApiError::validation_error(issues));
    }
    let domain = domain.record(&caller, &domains, DomainAccess::Use).await?;
    let changed = domains.change_rendering(&domain.id, |rendering| change.apply_to(rendering)).await;
    let changed = changed.map_err(change_failed)?;
    if !changed.rendering.not_found.compare {
        domains.forget_impossible_page(&changed.id).await?;
    }
    Ok(Json(RenderingState::of(changed, &domains).await?))
}

#[cfg(test)]
mod tests;
