//! HTTP of webhooks. A webhook of format `standard` has a secret, so it is its owners' to change; the others are editors' too.

mod deliveries;

use std::sync::Arc;

use accounts::callers::{Caller, Credential};
use accounts::people::MemberState;
use accounts::ports::AccountHoldings;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::{StatusCode, header};
use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppPath, ErrorCode, Issue};
use platform::clock::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::events::listable_names;
use crate::model::{MOST_WEBHOOKS, Webhook, WebhookFormat, WebhookId, check_url, email_of};
use crate::service::{NewWebhook, WebhookChange};
use crate::{Webhooks, WebhooksState};

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<WebhooksState> {
    OpenApiRouter::new()
        .routes(routes!(list_webhooks, create_webhook))
        .routes(routes!(change_webhook, delete_webhook))
        .routes(routes!(rotate_webhook_secret))
        .merge(deliveries::routes())
}

own_errors! {
    NotMade: InvalidRequest, AddressNotConfirmed, RoleForbidden, DomainNotOwned, WebhookLimitReached, PayloadTooLarge,
        UnsupportedMediaType;
    NotChanged: InvalidRequest, AddressNotConfirmed, RoleForbidden, DomainNotOwned, NotFound, PayloadTooLarge,
        UnsupportedMediaType;
    NotTouched: RoleForbidden, NotFound;
}

/// Reading webhooks: a session or an account-wide key.
#[derive(Debug)]
struct ReadWebhooks;

impl Access for ReadWebhooks {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// Changing webhooks: a session of an editor, for some an owner's, or an account-wide key.
#[derive(Debug)]
struct ChangeWebhooks;

impl Access for ChangeWebhooks {
    const ROLE: PersonRole = PersonRole::Editor;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// Webhook as its callers see it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Webhook)]
struct WebhookView {
    id: WebhookId,
    /// Address; only its host for those who may not change the webhook.
    #[schema(examples("https://hooks.example/glasshouse"))]
    url: String,
    format: WebhookFormat,
    /// Names of the events that it is told.
    #[schema(examples("audit.completed"))]
    events: Vec<String>,
    /// Only domains whose events it is told; empty: all, and events of the account.
    #[schema(examples("shop.example"))]
    domains: Vec<String>,
    enabled: bool,
    /// Reason why it was switched off; null: it was not.
    #[schema(required = true, examples("The receiver answered 410: it wants no more messages."))]
    problem: Option<String>,
    created_at: Timestamp,
}

/// The webhooks of an account.
#[derive(Serialize, ToSchema)]
struct WebhookList {
    /// Oldest first.
    webhooks: Vec<WebhookView>,
}

/// Lists the account's webhooks.
#[utoipa::path(get, path = "/api/webhooks", tag = "Webhooks", security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadWebhooks>, (status = 200, description = "The webhooks.", body = WebhookList)))]
async fn list_webhooks(
    caller: Caller<ReadWebhooks>,
    State(webhooks): State<Webhooks>,
) -> ApiResult<impl IntoResponse> {
    let mut found = webhooks.list(caller.account()).await?;
    found.retain(|webhook| is_seen(&caller, webhook));
    let webhooks = found.into_iter().map(|webhook| view_of(&caller, webhook)).collect();
    Ok(([(header::CACHE_CONTROL, "private, no-store")], Json(WebhookList { webhooks })))
}

/// A webhook to be made.
#[derive(Deserialize, ToSchema)]
struct NewWebhookRequest {
    /// Address: http or https without user; for `email` `mailto:` and the address of a person of the account.
    #[schema(examples("https://hooks.example/glasshouse"), max_length = 2048)]
    url: String,
    /// `standard` when left out.
    #[serde(default)]
    format: WebhookFormat,
    /// Names of events, at least one.
    #[schema(examples("audit.completed"), min_items = 1)]
    events: Vec<String>,
    /// Only domains whose events it is told; empty or left out: all, and events of the account.
    #[serde(default)]
    #[schema(examples("shop.example"))]
    domains: Vec<String>,
}

/// A webhook that was made.
#[derive(Serialize, ToSchema)]
struct CreatedWebhook {
    #[serde(flatten)]
    webhook: WebhookView,
    /// Secret that signs its messages, of format `standard` only. It is shown here and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"))]
    secret: Option<String>,
}

/// Makes a webhook.
///
/// An account has at most 20. Messages of format `standard` are signed as Standard Webhooks has it, and with `x-service-signature`;
/// those of the other formats are for people: one an hour and domain at most, the first at once.
#[utoipa::path(post, path = "/api/webhooks", tag = "Webhooks", request_body = NewWebhookRequest,
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ChangeWebhooks, NotMade>, (status = 201, description = "The webhook.", body = CreatedWebhook)))]
async fn create_webhook(
    caller: Caller<ChangeWebhooks>,
    State(app): State<WebhooksState>,
    AppJson(wanted): AppJson<NewWebhookRequest>,
) -> ApiResult<impl IntoResponse> {
    check_may_change(&caller, wanted.format)?;
    let events = checked_events(wanted.events)?;
    check_address(&caller, &app, &wanted.url, wanted.format).await?;
    let domains = checked_domains(&caller, &app.holdings, wanted.domains, &[]).await?;
    let new = NewWebhook { url: wanted.url, format: wanted.format, events, domains };
    let made = app.webhooks.create(caller.account(), new).await?;
    let (webhook, secret) = made.ok_or_else(|| {
        ApiError::new(ErrorCode::WebhookLimitReached)
            .with("limit", MOST_WEBHOOKS)
            .with("current", MOST_WEBHOOKS)
    })?;
    let body = CreatedWebhook { webhook: view_of(&caller, webhook), secret };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(body)))
}

/// Change of a webhook. What is left out stays.
#[derive(Deserialize, ToSchema)]
struct WebhookChangeRequest {
    /// Waiting deliveries go to the new address.
    #[schema(examples("https://hooks.example/other"), max_length = 2048)]
    url: Option<String>,
    #[schema(examples("audit.completed"), min_items = 1)]
    events: Option<Vec<String>>,
    #[schema(examples("shop.example"))]
    domains: Option<Vec<String>>,
    /// True: also clears `problem`.
    enabled: Option<bool>,
}

/// Changes a webhook.
#[utoipa::path(patch, path = "/api/webhooks/{id}", tag = "Webhooks", request_body = WebhookChangeRequest,
    params(("id" = WebhookId, Path, description = "Id of the webhook.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ChangeWebhooks, NotChanged>, (status = 200, description = "The webhook.", body = WebhookView)))]
async fn change_webhook(
    caller: Caller<ChangeWebhooks>,
    State(app): State<WebhooksState>,
    AppPath(id): AppPath<String>,
    AppJson(wanted): AppJson<WebhookChangeRequest>,
) -> ApiResult<Json<WebhookView>> {
    let webhook = to_change(&caller, &app.webhooks, &id).await?;
    if let Some(url) = &wanted.url {
        check_address(&caller, &app, url, webhook.format).await?;
    }
    let events = wanted.events.map(checked_events).transpose()?;
    let domains = match wanted.domains {
        Some(domains) => Some(checked_domains(&caller, &app.holdings, domains, &webhook.domains).await?),
        None => None,
    };
    let change = WebhookChange { url: wanted.url, events, domains, enabled: wanted.enabled };
    let changed = app.webhooks.change(&webhook.id, change).await?.ok_or_else(ApiError::not_found)?;
    Ok(Json(view_of(&caller, changed)))
}

/// Deletes a webhook with its deliveries.
#[utoipa::path(delete, path = "/api/webhooks/{id}", tag = "Webhooks",
    params(("id" = WebhookId, Path, description = "Id of the webhook.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ChangeWebhooks, NotTouched>, (status = 204, description = "Deleted.")))]
async fn delete_webhook(
    caller: Caller<ChangeWebhooks>,
    State(webhooks): State<Webhooks>,
    AppPath(id): AppPath<String>,
) -> ApiResult<StatusCode> {
    let webhook = to_change(&caller, &webhooks, &id).await?;
    webhooks.delete(&webhook.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A secret that was made.
#[derive(Serialize, ToSchema)]
struct RotatedSecret {
    /// The new secret. It is shown here and never again.
    #[schema(examples("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"))]
    secret: String,
}

/// Makes another secret for a webhook of format `standard`.
///
/// For a day messages are signed with the secret before too: `webhook-signature` and `x-service-signature` have a signature of each.
#[utoipa::path(post, path = "/api/webhooks/{id}/rotate", tag = "Webhooks",
    params(("id" = WebhookId, Path, description = "Id of the webhook.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ChangeWebhooks, NotTouched>, (status = 200, description = "The secret.", body = RotatedSecret)))]
async fn rotate_webhook_secret(
    caller: Caller<ChangeWebhooks>,
    State(webhooks): State<Webhooks>,
    AppPath(id): AppPath<String>,
) -> ApiResult<impl IntoResponse> {
    let webhook = to_change(&caller, &webhooks, &id).await?;
    let secret = webhooks.rotate(&webhook.id).await?.ok_or_else(ApiError::not_found)?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(RotatedSecret { secret })))
}

/// Decides whether the caller sees a webhook: one who sees only some domains sees those of these domains.
fn is_seen<A: Access>(caller: &Caller<A>, webhook: &Webhook) -> bool {
    let sees_all = caller.seen_account().domains.is_none();
    sees_all || (!webhook.domains.is_empty() && webhook.domains.iter().all(|domain| caller.sees(domain)))
}

/// Finds a webhook that the caller sees: 404.
async fn seen<A: Access>(caller: &Caller<A>, webhooks: &Webhooks, id: &str) -> ApiResult<Webhook> {
    let found = webhooks.find(caller.account(), &WebhookId::from(id)).await?;
    found.filter(|webhook| is_seen(caller, webhook)).ok_or_else(ApiError::not_found)
}

/// Finds a webhook that the caller may change: 404 and 403.
async fn to_change<A: Access>(caller: &Caller<A>, webhooks: &Webhooks, id: &str) -> ApiResult<Webhook> {
    let webhook = seen(caller, webhooks, id).await?;
    check_may_change(caller, webhook.format)?;
    Ok(webhook)
}

/// Returns the lowest role that may change webhooks of a format.
fn role_for(format: WebhookFormat) -> PersonRole {
    if format.is_for_people() { PersonRole::Editor } else { PersonRole::Owner }
}

fn may_change<A: Access>(caller: &Caller<A>, format: WebhookFormat) -> bool {
    match &caller.credential {
        Credential::Session(session) => session.role >= role_for(format),
        Credential::Key(_) => caller.check_writes().is_ok(),
    }
}

fn check_may_change<A: Access>(caller: &Caller<A>, format: WebhookFormat) -> ApiResult<()> {
    match may_change(caller, format) {
        true => Ok(()),
        false => Err(role_forbidden(role_for(format))),
    }
}

fn role_forbidden(role: PersonRole) -> ApiError {
    ApiError::new(ErrorCode::RoleForbidden).with("requiredRole", role)
}

fn view_of<A: Access>(caller: &Caller<A>, webhook: Webhook) -> WebhookView {
    let url = match may_change(caller, webhook.format) {
        true => webhook.url,
        false => webhook.host(),
    };
    let Webhook { id, format, events, domains, enabled, problem, created_at, .. } = webhook;
    WebhookView { id, url, format, events, domains, enabled, problem, created_at }
}

fn checked_events(wanted: Vec<String>) -> ApiResult<Vec<String>> {
    let refused =
        |path: String, message: String| Err(ApiError::invalid_request(vec![Issue::new(path, message)]));
    if wanted.is_empty() {
        return refused("events".into(), "must name at least one event".into());
    }
    let mut events: Vec<String> = Vec::new();
    for (at, name) in wanted.into_iter().enumerate() {
        if !listable_names().any(|known| known == name) {
            let names: Vec<_> = listable_names().collect();
            return refused(format!("events.{at}"), format!("is none of {}", names.join(", ")));
        }
        if !events.contains(&name) {
            events.push(name);
        }
    }
    Ok(events)
}

/// Checks an address for a format. Mail goes to people of the account only.
async fn check_address<A: Access>(
    caller: &Caller<A>,
    app: &WebhooksState,
    url: &str,
    format: WebhookFormat,
) -> ApiResult<()> {
    if format != WebhookFormat::Email {
        return check_url(url, format).map_err(|message| ApiError::invalid_parameter("url", message));
    }
    let members = &app.people.members;
    let is_confirmed = match email_of(url).filter(|_| members.has_mail()) {
        Some(address) => members
            .list(caller.account())
            .await?
            .iter()
            .any(|member| member.state == MemberState::Active && member.email == address),
        None => false,
    };
    if is_confirmed { Ok(()) } else { Err(ApiError::new(ErrorCode::AddressNotConfirmed)) }
}

/// Finds the canonical names of domains. Names that are listed already stay, whether their domains are still there or not.
async fn checked_domains<A: Access>(
    caller: &Caller<A>,
    holdings: &Arc<dyn AccountHoldings>,
    wanted: Vec<String>,
    listed: &[String],
) -> ApiResult<Vec<String>> {
    if wanted.is_empty() && caller.seen_account().domains.is_some() {
        return Err(role_forbidden(PersonRole::Owner));
    }
    let mut domains: Vec<String> = Vec::new();
    for typed in wanted {
        let domain = match listed.contains(&typed) {
            true => Some(typed),
            false => holdings.find_domain(caller.account(), &typed).await?,
        };
        let domain = domain.filter(|domain| caller.sees(domain));
        let domain = domain.ok_or_else(|| ApiError::new(ErrorCode::DomainNotOwned))?;
        if !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    Ok(domains)
}
