//! Endpoints of domain records: list, add, read and remove.

use axum::Json;
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::settings::origin_error;
use super::{NotRead, not_applied};
use crate::DomainsState;
use crate::access::{AddOrRemove, ListDomains, ReadDomainRecord};
use crate::connection;
use crate::model::{DomainItem, DomainStatus};
use crate::responses::{AddedDomain, DomainDetail, DomainList, RemovedDomain};
use crate::service::{AddError, NewDomain};
use crate::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use accounts::callers::for_keys_and_sessions::for_keys_and_sessions;
use platform::api::access::Access;
use platform::api::openapi::{NoMore, own_errors};
use platform::api::{ApiError, ApiResult, DomainsJson, ErrorCode};

/// Returns the routes of this file.
pub(super) fn routes() -> OpenApiRouter<DomainsState> {
    OpenApiRouter::new()
        .routes(routes!(list_domains, add_domain))
        .routes(routes!(get_domain, remove_domain))
        .routes(routes!(dashboard_list_domains, dashboard_add_domain))
        .routes(routes!(dashboard_get_domain, dashboard_remove_domain))
}

own_errors! {
    NotAdded: ValidationError, InvalidDomain, InvalidOriginHost, OriginHostSameAsDomain, OriginHostIsEditorUrl,
        DomainSuspended, DomainLimitReached, DomainAlreadyConnected, PayloadTooLarge, UnsupportedMediaType, InsertFailed;
    NotRemoved: NotFound;
}

for_keys_and_sessions! {
    /// Lists the account's domains.
    get(Caller<ListDomains>) list_domains: "/api/domains", dashboard_list_domains: "/api/dashboard/domains";
    state(DomainsState);
    tag("Domains");
    security(("apiKey" = []), ("bearer" = []));
    errors(NoMore);
    responses((status = 200, description = "In the order they were added.", body = DomainList,
        example = json!({ "domains": [{
            "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10", "domain": "shop.example", "originHost": "shop.lovable.app",
            "status": "connected", "sitemapUrl": "https://shop.example/sitemap.xml",
            "createdAt": "2026-11-20T12:00:00.000Z", "updatedAt": "2026-11-20T12:00:00.000Z" }] })));
    list() -> Json<DomainList>
}

async fn list<A: Access>(caller: &Caller<A>, app: &DomainsState) -> ApiResult<Json<DomainList>> {
    let domains = app.domains.list_seen(&caller.seen_account()).await?;
    Ok(Json(DomainList { domains: domains.iter().map(DomainItem::from).collect() }))
}

/// Domain to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AddRequest {
    /// Registrable name such as shop.com, or a subdomain of one.
    #[schema(examples("shop.example"))]
    domain: String,
    /// Host that serves the site to people, when it is not the domain itself. A whole URL is reduced to its host.
    #[schema(examples("shop.lovable.app"))]
    origin_host: Option<String>,
}

for_keys_and_sessions! {
    /// Adds a domain.
    ///
    /// The domain is pending until its records are found, or its own server calls the render API. Create the records at the
    /// DNS provider, then call the check. The records include a TXT record when another account has a claim on the same site
    /// (the registrable name and all names below it), or had one of its names connected within the last 400 days: the TXT
    /// record proves that the name is yours. A pending domain of another account does not block the name.
    post(Caller<AddOrRemove>) add_domain: "/api/domains", dashboard_add_domain: "/api/dashboard/domains";
    state(DomainsState);
    tag("Domains");
    security(("apiKey" = []), ("bearer" = []));
    errors(NotAdded);
    body(content = AddRequest);
    responses(
        (status = 201, description = "It was added. Records of a subdomain are named after its part before the registrable name.",
            body = AddedDomain, example = json!({
                "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10", "domain": "shop.example", "status": "pending",
                "records": [
                    { "type": "A", "name": "@", "value": "203.0.113.10", "ttl": 300 },
                    { "type": "A", "name": "www", "value": "203.0.113.10", "ttl": 300 }],
                "isSubdomain": false })),
    );
    add(request: DomainsJson<AddRequest>) -> (StatusCode, Json<AddedDomain>)
}

async fn add<A: Access>(
    caller: &Caller<A>,
    app: &DomainsState,
    DomainsJson(request): DomainsJson<AddRequest>,
) -> ApiResult<(StatusCode, Json<AddedDomain>)> {
    let new = NewDomain {
        domain: request.domain,
        origin_host: request.origin_host,
        sitemap_url: None,
        status: DomainStatus::Pending,
    };
    let added = app.domains.add(caller.account(), caller.limits().domains, new).await.map_err(not_added)?;
    // Nothing below can fail, so that a domain that was added is always returned.
    let required = app.connection.records_of_new(&added);
    let domain = added.domain;
    let reply = AddedDomain {
        records: required.records,
        is_subdomain: connection::is_subdomain(&domain.host),
        id: domain.id,
        domain: domain.host,
        status: domain.status,
    };
    Ok((StatusCode::CREATED, Json(reply)))
}

fn not_added(error: AddError) -> ApiError {
    match error {
        AddError::InvalidDomain | AddError::OwnHost => ApiError::new(ErrorCode::InvalidDomain),
        AddError::Origin(problem) => ApiError::new(origin_error(problem)),
        // Only the command line passes a sitemap.
        AddError::InvalidSitemapUrl => ApiError::new(ErrorCode::ValidationError),
        AddError::Suspended => ApiError::new(ErrorCode::DomainSuspended),
        AddError::AlreadyConnected => ApiError::new(ErrorCode::DomainAlreadyConnected),
        AddError::LimitReached { limit, current } => {
            ApiError::new(ErrorCode::DomainLimitReached).with("limit", limit).with("current", current)
        }
        AddError::Store(error) if error.is_unavailable() || error.is_conflict() => not_applied(error),
        AddError::Store(error) => ApiError::new(ErrorCode::InsertFailed).caused_by(error),
    }
}

for_keys_and_sessions! {
    /// Returns a domain with its settings.
    get(Caller<ReadDomainRecord>) get_domain: "/api/domains/{domain}", dashboard_get_domain: "/api/dashboard/domains/{domain}";
    state(DomainsState);
    tag("Domains");
    security(("apiKey" = []), ("bearer" = []));
    errors(NotRead);
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"));
    responses((status = 200, description = "The domain.", body = DomainDetail));
    get(domain: RequestedDomain) -> Json<DomainDetail>
}

async fn get<A: Access>(
    caller: &Caller<A>,
    app: &DomainsState,
    domain: RequestedDomain,
) -> ApiResult<Json<DomainDetail>> {
    Ok(Json(domain.record(caller, &app.domains, DomainAccess::Read).await?.into()))
}

for_keys_and_sessions! {
    /// Removes a domain.
    ///
    /// The name is free at once, and requests for it are no longer served after two seconds. The domain's data (snapshots,
    /// queued jobs, visits) is deleted in the background. A key that is restricted to the domain is kept, and works again
    /// when the account adds the name again.
    delete(Caller<AddOrRemove>) remove_domain: "/api/domains/{domain}",
        dashboard_remove_domain: "/api/dashboard/domains/{domain}";
    state(DomainsState);
    tag("Domains");
    security(("apiKey" = []), ("bearer" = []));
    errors(NotRemoved);
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"));
    responses((status = 200, description = "It is removed.", body = RemovedDomain));
    remove(domain: RequestedDomain) -> Json<RemovedDomain>
}

async fn remove<A: Access>(
    caller: &Caller<A>,
    app: &DomainsState,
    domain: RequestedDomain,
) -> ApiResult<Json<RemovedDomain>> {
    let domain = domain.record(caller, &app.domains, DomainAccess::Read).await?;
    let is_removed = app.domains.remove(&domain).await.map_err(not_applied)?;
    if is_removed { Ok(Json(RemovedDomain { deleted: true })) } else { Err(ApiError::not_found()) }
}
