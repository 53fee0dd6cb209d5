//! Endpoints of a domain's sitemap. The rate limit of a request depends on whether the request fetches anything.
//! See docs/decisions/0056.

use std::time::Duration;

use axum::Json;
use crawler::sitemap::{Sitemap, SitemapError};
use serde::Deserialize;
use url::Url;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::change_failed;
use crate::DomainsState;
use crate::access::{ChangeDomain, MayFetch};
use crate::model::Domain;
use crate::responses::DomainDetail;
use crate::settings::given;
use crate::site::Site;
use crate::{DomainAccess, RequestedDomain};
use accounts::callers::caller::Uncounted;
use accounts::callers::for_keys_and_sessions::for_keys_and_sessions;
use platform::api::openapi::own_errors;
use platform::api::{ApiError, ApiResult, ErrorCode, Issue, OptionalDomainsJson};

/// Timeout of reading a sitemap with all its files, while a client waits.
const TIME: Duration = Duration::from_secs(30);
/// Time for which a request waits for a slot to read a sitemap.
const TURN_WAIT: Duration = Duration::from_secs(10);

/// Returns the routes of this file.
pub(super) fn routes() -> OpenApiRouter<DomainsState> {
    OpenApiRouter::new().routes(routes!(update_sitemap)).routes(routes!(dashboard_update_sitemap))
}

own_errors! {
    SitemapNotChanged: ValidationError, FetchFailed, ParseFailed, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound,
        PayloadTooLarge, UnsupportedMediaType;
}

/// Change of a domain's sitemap. An empty request reads the stored sitemap again.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SitemapRequest {
    /// New address, read before it is stored; empty removes the sitemap. The stored address has no effect without `refresh`.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, nullable = false, examples("https://shop.example/sitemap.xml"))]
    sitemap_url: Option<String>,
    /// True when the stored address is to be read again.
    #[serde(default)]
    refresh: bool,
}

/// Operation of a request on a domain's sitemap.
enum Work {
    /// No change: the address is already stored.
    Keep,
    /// Remove the sitemap.
    Clear,
    /// Read this address and store it.
    Take(Url),
    /// Store this address without reading it.
    StoreUnread(Url),
    /// Read the stored address again; none: discover the sitemap.
    Renew(Option<Url>),
}

for_keys_and_sessions! {
    /// Sets, clears or reads a domain's sitemap.
    ///
    /// A new address is read before it is stored, with every file of an index, including compressed files, for at most 30
    /// seconds; pages of other hosts are not counted. Without a stored address and without a new one the sitemap is
    /// discovered in `robots.txt`, else at `/sitemap.xml`. When the sitemap cannot be read, nothing changes. Calls that read
    /// a sitemap count towards 6 per minute and key, together with connection checks; other calls count towards 60.
    patch(Uncounted<ChangeDomain>) update_sitemap: "/api/domains/{domain}/sitemap",
        dashboard_update_sitemap: "/api/dashboard/domains/{domain}/sitemap";
    state(DomainsState);
    tag("Domains");
    security(("apiKey" = []), ("bearer" = []));
    errors(SitemapNotChanged);
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"));
    body(content = Option<SitemapRequest>, example = json!({ "sitemapUrl": "https://shop.example/sitemap.xml" }));
    responses((status = 200, description = "The domain, with the number of pages found.", body = DomainDetail));
    update(domain: RequestedDomain, request: ApiResult<OptionalDomainsJson<SitemapRequest>>) -> Json<DomainDetail>
}

async fn update<A: MayFetch>(
    uncounted: &Uncounted<A>,
    app: &DomainsState,
    domain: RequestedDomain,
    request: ApiResult<OptionalDomainsJson<SitemapRequest>>,
) -> ApiResult<Json<DomainDetail>> {
    let planned = plan(uncounted, app, &domain, request).await;
    // The outcome so far is returned only to a caller within its limit.
    let rate = match planned {
        Ok((_, Work::Take(_) | Work::Renew(_))) => A::FETCHING,
        _ => A::RATE,
    };
    uncounted.count(&app.callers, rate).await?;
    let (domain, work) = planned?;
    let changed = match work {
        Work::Keep => domain,
        Work::Clear => store(app, &domain, None, String::new(), 0).await?,
        Work::StoreUnread(url) => store(app, &domain, None, url.into(), 0).await?,
        Work::Take(url) => {
            let (url, count) = read(app, &domain, Some(url)).await?;
            store(app, &domain, None, url.into(), count).await?
        }
        Work::Renew(url) => {
            let (url, count) = read(app, &domain, url).await?;
            store(app, &domain, Some(&domain.settings.sitemap_url), url.into(), count).await?
        }
    };
    Ok(Json(changed.into()))
}

/// Returns the operation to perform, or the first refusal in the documented order.
async fn plan<A: MayFetch>(
    uncounted: &Uncounted<A>,
    app: &DomainsState,
    domain: &RequestedDomain,
    request: ApiResult<OptionalDomainsJson<SitemapRequest>>,
) -> ApiResult<(Domain, Work)> {
    let caller = uncounted.admit()?;
    let OptionalDomainsJson(request) = request?;
    let max_bytes = app.config.limits.url_bytes;
    let sent = match request.sitemap_url.as_deref() {
        None | Some("") => None,
        Some(text) => Some(crawler::url::parse_target(text, max_bytes).map_err(|error| {
            ApiError::validation_error(vec![Issue::new("sitemapUrl", error.to_string())])
        })?),
    };
    let domain = domain.record(&caller, &app.domains, DomainAccess::Use).await?;
    let stored = Url::parse(&domain.settings.sitemap_url).ok();
    let work = match (request.sitemap_url.as_deref(), sent) {
        (Some(""), _) => Work::Clear,
        (_, Some(url)) if Some(&url) == stored.as_ref() && !request.refresh => Work::Keep,
        (_, Some(url)) if caller.is_operator => Work::StoreUnread(url),
        (_, Some(url)) => Work::Take(url),
        (_, None) => Work::Renew(stored),
    };
    Ok((domain, work))
}

/// Reads a sitemap, or the discovered one. Returns its address and the number of its pages.
async fn read(app: &DomainsState, domain: &Domain, url: Option<Url>) -> ApiResult<(Url, u64)> {
    let site = Site::new(domain.clone());
    let origins = &app.origins;
    let turn = tokio::time::timeout(TURN_WAIT, origins.sitemap_turn(&site))
        .await
        .map_err(|_| ApiError::unavailable("too many sitemaps are being read"))?;
    let reading = async {
        let url = match url {
            Some(url) => url,
            None => {
                origins.discover_sitemap(&site).await.ok_or_else(|| ApiError::new(ErrorCode::FetchFailed))?
            }
        };
        let Sitemap { pages, .. } = origins.read_sitemap(&turn, &site, &url).await.map_err(|error| {
            ApiError::new(match error {
                SitemapError::FetchFailed { .. } => ErrorCode::FetchFailed,
                SitemapError::ParseFailed { .. } => ErrorCode::ParseFailed,
            })
        })?;
        Ok((url, pages.len() as u64))
    };
    tokio::time::timeout(TIME, reading).await.unwrap_or_else(|_| Err(ApiError::new(ErrorCode::FetchFailed)))
}

/// Stores an address with its number of pages. With `instead_of`, stores it only while that address is stored, so that
/// reading the old address again does not undo a concurrent change.
async fn store(
    app: &DomainsState,
    domain: &Domain,
    instead_of: Option<&str>,
    url: String,
    count: u64,
) -> ApiResult<Domain> {
    let changed = app.domains.change_settings(&domain.id, |settings| {
        if instead_of.is_none_or(|expected| expected == settings.sitemap_url) {
            settings.sitemap_url = url;
            settings.discovered_url_count = count;
        }
    });
    changed.await.map_err(change_failed)
}
