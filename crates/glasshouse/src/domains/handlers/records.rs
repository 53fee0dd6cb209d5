//! HTTP of domain records: listing, adding, reading and removing them.

use axum::Json;
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{OnOneDomain, WithBody, not_applied, owned};
use crate::api::caller::{Access, OwnAccount, ReadDomain};
use crate::api::openapi::{ErrorBody, MoreForbidden, Refusals};
use crate::api::{ApiError, ApiResult, AppPath, Caller, DomainsJson};
use crate::app::AppState;
use crate::domains::access::{AddOrRemoveByKey, AddOrRemoveInDashboard, ListByKey, ReadByKey};
use crate::domains::answers::{AddedDomain, DomainDetail, DomainList, RemovedDomain};
use crate::domains::connection;
use crate::domains::model::{DomainItem, DomainStatus};
use crate::domains::service::{AddError, NewDomain};

/// The operations of this file.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list_domains, add_domain))
        .routes(routes!(get_domain, remove_domain))
        .routes(routes!(dashboard_list_domains, dashboard_add_domain))
        .routes(routes!(dashboard_get_domain, dashboard_remove_domain))
}

type ListRefusals = Refusals<ListByKey>;
type DashboardListRefusals = Refusals<OwnAccount>;
type AddRefusals = Refusals<AddOrRemoveByKey, NotAdded>;
type DashboardAddRefusals = Refusals<AddOrRemoveInDashboard, NotAdded>;
type GetRefusals = Refusals<ReadByKey, OtherDomain>;
type DashboardGetRefusals = Refusals<ReadDomain, OtherDomain>;
type RemoveRefusals = Refusals<AddOrRemoveByKey>;
type DashboardRemoveRefusals = Refusals<AddOrRemoveInDashboard>;

struct NotAdded;

impl MoreForbidden for NotAdded {
    fn bodies() -> Vec<serde_json::Value> {
        vec![
            serde_json::json!({ "error": "domain_suspended" }),
            serde_json::json!({ "error": "domain_limit_reached", "limit": 25, "current": 25 }),
        ]
    }
}

struct OtherDomain;

impl MoreForbidden for OtherDomain {
    fn bodies() -> Vec<serde_json::Value> {
        vec![serde_json::json!({ "error": "api_key_domain_scope_mismatch" })]
    }
}

twins! {
    /// Lists the account's domains.
    get(Caller) list_domains: "/api/domains", ListByKey, ListRefusals;
    dashboard_list_domains: "/api/dashboard/domains", OwnAccount, DashboardListRefusals;
    responses((status = 200, description = "In the order they were added.", body = DomainList,
        example = json!({ "domains": [{
            "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10", "domain": "shop.example", "originHost": "shop.lovable.app",
            "status": "connected", "sitemapUrl": "https://shop.example/sitemap.xml",
            "createdAt": "2026-11-20T12:00:00.000Z", "updatedAt": "2026-11-20T12:00:00.000Z" }] })));
    list() -> Json<DomainList>
}

async fn list<A: Access>(caller: &Caller<A>, app: &AppState) -> ApiResult<Json<DomainList>> {
    let domains = app.domains.list(Some(caller.account())).await?;
    Ok(Json(DomainList { domains: domains.iter().map(DomainItem::from).collect() }))
}

/// A domain to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AddRequest {
    /// A registrable name such as shop.com, or a subdomain of one.
    #[schema(examples("shop.example"))]
    domain: String,
    /// Host that answers for people, when it is another one than the domain. A whole address is cut down to its host.
    #[serde(default)]
    #[schema(examples("shop.lovable.app"))]
    origin_host: Option<String>,
}

twins! {
    /// Adds a domain.
    ///
    /// It is pending until its records are found, or its own server asks the render API. Create the records at the DNS
    /// provider, then call the check. A TXT record is among them when another account has a claim on the name or had it
    /// lately: it proves that the name is yours. A pending domain of another account blocks nobody.
    post(Caller) add_domain: "/api/domains", AddOrRemoveByKey, AddRefusals;
    dashboard_add_domain: "/api/dashboard/domains", AddOrRemoveInDashboard, DashboardAddRefusals;
    body(content = AddRequest);
    responses(
        WithBody,
        (status = 201, description = "It was added. Records of a subdomain are named after its part before the registrable name.",
            body = AddedDomain, example = json!({
                "id": "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10", "domain": "shop.example", "status": "pending",
                "records": [
                    { "type": "A", "name": "@", "value": "203.0.113.10", "ttl": 300 },
                    { "type": "A", "name": "www", "value": "203.0.113.10", "ttl": 300 }],
                "isSubdomain": false })),
        (status = 400, description = "The name or the origin host cannot be used.", body = ErrorBody, examples(
            ("invalid_domain" = (value = json!({ "error": "invalid_domain" }))),
            ("invalid_origin_host" = (value = json!({ "error": "invalid_origin_host" }))),
            ("origin_host_same_as_domain" = (value = json!({ "error": "origin_host_same_as_domain" }))),
            ("origin_host_is_editor_url" = (value = json!({ "error": "origin_host_is_editor_url" }))),
            ("validation_error" = (value = json!({ "error": "validation_error", "issues": [{ "path": "", "message": "missing field `domain`" }] }))))),
        (status = 409, description = "The account has it already, or another account serves it.", body = ErrorBody,
            example = json!({ "error": "domain_already_connected" })),
        (status = 500, description = "It was not added. Try again.", body = ErrorBody, examples(
            ("insert_failed" = (value = json!({ "error": "insert_failed" }))),
            ("internal_error" = (value = json!({ "error": "internal_error" }))))),
    );
    add(request: DomainsJson<AddRequest>) -> (StatusCode, Json<AddedDomain>)
}

async fn add<A: Access>(
    caller: &Caller<A>,
    app: &AppState,
    DomainsJson(request): DomainsJson<AddRequest>,
) -> ApiResult<(StatusCode, Json<AddedDomain>)> {
    let new = NewDomain {
        domain: request.domain,
        origin_host: request.origin_host,
        sitemap_url: None,
        status: DomainStatus::Pending,
    };
    let added = app.domains.add(caller.account(), caller.limits().domains, new).await.map_err(not_added)?;
    let ownership = app.connection.ownership(&added).await?;
    let edge = &app.platform.config.edge;
    let reply = AddedDomain {
        records: connection::records(&added.host, edge, ownership.as_deref()),
        is_subdomain: connection::is_subdomain(&added.host),
        id: added.id,
        domain: added.host,
        status: added.status,
    };
    Ok((StatusCode::CREATED, Json(reply)))
}

fn not_added(error: AddError) -> ApiError {
    let bad = |code| ApiError::new(StatusCode::BAD_REQUEST, code);
    match error {
        AddError::InvalidDomain => bad("invalid_domain"),
        AddError::InvalidOriginHost => bad("invalid_origin_host"),
        AddError::OriginHostSameAsDomain => bad("origin_host_same_as_domain"),
        AddError::OriginHostIsEditorUrl => bad("origin_host_is_editor_url"),
        // Nobody sends one here; the command line does.
        AddError::InvalidSitemapUrl => bad("validation_error"),
        AddError::Suspended => ApiError::forbidden("domain_suspended"),
        AddError::AlreadyConnected => ApiError::new(StatusCode::CONFLICT, "domain_already_connected"),
        AddError::LimitReached { limit, current } => {
            ApiError::forbidden("domain_limit_reached").with("limit", limit).with("current", current)
        }
        AddError::Store(error) if error.is_unavailable() || error.is_conflict() => not_applied(error),
        AddError::Store(error) => {
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "insert_failed").caused_by(error)
        }
    }
}

twins! {
    /// Returns a domain with its settings.
    get(Caller) get_domain: "/api/domains/{domain}", ReadByKey, GetRefusals;
    dashboard_get_domain: "/api/dashboard/domains/{domain}", ReadDomain, DashboardGetRefusals;
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"));
    responses(
        OnOneDomain,
        (status = 200, description = "The domain.", body = DomainDetail),
    );
    get(domain: AppPath<String>) -> Json<DomainDetail>
}

async fn get<A: Access>(
    caller: &Caller<A>,
    app: &AppState,
    AppPath(domain): AppPath<String>,
) -> ApiResult<Json<DomainDetail>> {
    Ok(Json(owned(caller, app, &domain).await?.into()))
}

twins! {
    /// Removes a domain.
    ///
    /// Its name is free at once, and requests for it are answered no more within two seconds. What was stored for it
    /// (snapshots, queued work, visits) is deleted in the background. A key that is restricted to it stays, and works
    /// again when the account adds the name again.
    delete(Caller) remove_domain: "/api/domains/{domain}", AddOrRemoveByKey, RemoveRefusals;
    dashboard_remove_domain: "/api/dashboard/domains/{domain}", AddOrRemoveInDashboard, DashboardRemoveRefusals;
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"));
    responses(
        OnOneDomain,
        (status = 200, description = "It is removed.", body = RemovedDomain),
    );
    remove(domain: AppPath<String>) -> Json<RemovedDomain>
}

async fn remove<A: Access>(
    caller: &Caller<A>,
    app: &AppState,
    AppPath(domain): AppPath<String>,
) -> ApiResult<Json<RemovedDomain>> {
    let domain = owned(caller, app, &domain).await?;
    let is_removed = app.domains.remove(&domain).await.map_err(not_applied)?;
    if is_removed { Ok(Json(RemovedDomain { deleted: true })) } else { Err(ApiError::not_found()) }
}
