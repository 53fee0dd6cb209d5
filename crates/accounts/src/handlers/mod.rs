//! HTTP of accounts: keys, use of the plan; below it sessions and people.

mod attempt;
mod links;
mod people;
mod second_factor;
mod session;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::model::{ApiKeyInfo, KeyAccess, KeyId, KeyOrder};
use super::service::CreateKeyError;
use super::usage::{UsageReport, entries};
use crate::callers::{Caller, Credential};
use crate::ports::AccountHoldings;
use crate::{Accounts, AccountsState};
use platform::api::access::{ManageKeys, OwnAccount};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppPath, ErrorCode, Issue};
use platform::clock::{Clock, Timestamp};

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<AccountsState> {
    OpenApiRouter::new()
        .merge(session::routes())
        .merge(links::routes())
        .merge(second_factor::routes())
        .merge(people::routes())
        .routes(routes!(list_keys, create_key))
        .routes(routes!(revoke_key))
        .routes(routes!(get_usage))
}

own_errors! {
    NoKeyMade: InvalidRequest, DomainNotOwned, KeyLimitReached, PayloadTooLarge, UnsupportedMediaType;
    NoSuchKey: NotFound;
}

/// The API keys of an account.
#[derive(Serialize, ToSchema)]
struct KeyList {
    /// Oldest first; revoked keys stay listed.
    keys: Vec<ApiKeyInfo>,
}

/// Lists the account's API keys.
#[utoipa::path(get, path = "/api/keys", tag = "Account", security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ManageKeys>, (status = 200, description = "The keys.", body = KeyList)))]
async fn list_keys(caller: Caller<ManageKeys>, State(accounts): State<Accounts>) -> ApiResult<Json<KeyList>> {
    Ok(Json(KeyList { keys: accounts.list_keys(caller.account()).await? }))
}

/// A key to be made.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewKeyRequest {
    /// Name of the key; at most 100 characters.
    #[schema(examples("Build server"), max_length = 100)]
    name: Option<String>,
    /// Restricts the key to one of the account's domains.
    #[schema(examples("shop.example"))]
    domain: Option<String>,
    /// Time in the future at which the key stops working; null: never. A key makes none that outlives itself.
    expires_at: Option<Timestamp>,
    /// Extent of the key's use; `write` unless given.
    #[serde(default)]
    access: KeyAccess,
}

/// A key that was made.
#[derive(Serialize, ToSchema)]
struct CreatedKey {
    /// The key itself. It is shown here and never again.
    #[schema(examples("gh_live_Zk3vQm0aT9xB7yLr2WcN5eHs8UdJ4fGp0XqAbC"))]
    key: String,
    /// The key as in lists.
    #[serde(flatten)]
    info: ApiKeyInfo,
}

/// Makes an API key.
///
/// An account has at most 100 that work (`limits.keys_per_account`).
#[utoipa::path(post, path = "/api/keys", tag = "Account", request_body = NewKeyRequest,
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ManageKeys, NoKeyMade>, (status = 201, description = "The key.", body = CreatedKey)))]
async fn create_key(
    caller: Caller<ManageKeys>,
    State(holdings): State<Arc<dyn AccountHoldings>>,
    State(accounts): State<Accounts>,
    State(clock): State<Clock>,
    AppJson(wanted): AppJson<NewKeyRequest>,
) -> ApiResult<impl IntoResponse> {
    let name = wanted.name.unwrap_or_default().trim().to_owned();
    if name.chars().count() > 100 {
        return Err(ApiError::invalid_request(vec![Issue::new("name", "is longer than 100 characters")]));
    }
    if name.chars().any(char::is_control) {
        // Names stand in tables of terminals, and PostgreSQL keeps no NUL.
        return Err(ApiError::invalid_request(vec![Issue::new(
            "name",
            "must not contain control characters",
        )]));
    }
    check_end(&caller.credential, wanted.expires_at, clock.now())?;
    let domain = match wanted.domain {
        Some(domain) => {
            let owned = holdings.find_domain(caller.account(), &domain).await?;
            Some(owned.ok_or_else(|| ApiError::new(ErrorCode::DomainNotOwned))?)
        }
        None => None,
    };
    let (expires_at, access) = (wanted.expires_at, wanted.access);
    let created_by = caller.credential.person().map(str::to_owned);
    let order = KeyOrder { name, domain, expires_at, access, created_by };
    let made = accounts.create_key(caller.account(), order).await;
    let (key, info) = made.map_err(|error| match error {
        CreateKeyError::LimitReached { limit } => {
            ApiError::new(ErrorCode::KeyLimitReached).with("limit", limit).with("current", limit)
        }
        CreateKeyError::Store(error) => error.into(),
    })?;
    let body = CreatedKey { key: key.reveal().to_owned(), info };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(body)))
}

/// Refuses an end of a key in the past, and one after the end of the key that makes it.
fn check_end(maker: &Credential, end: Option<Timestamp>, now: Timestamp) -> ApiResult<()> {
    let refuse = |message: &str| Err(ApiError::invalid_request(vec![Issue::new("expiresAt", message)]));
    if end.is_some_and(|end| end <= now) {
        return refuse("is not in the future");
    }
    match maker {
        Credential::Key(key) if key.expires_at.is_some_and(|most| end.is_none_or(|end| end > most)) => {
            refuse("is after the end of the key that makes it")
        }
        _ => Ok(()),
    }
}

/// Revokes an API key.
///
/// It stops working within two seconds and stays listed. Revoking it again changes nothing.
#[utoipa::path(delete, path = "/api/keys/{id}", tag = "Account", params(("id" = KeyId, Path, description = "Id of the key.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ManageKeys, NoSuchKey>, (status = 204, description = "Revoked.")))]
async fn revoke_key(
    caller: Caller<ManageKeys>,
    State(accounts): State<Accounts>,
    AppPath(id): AppPath<String>,
) -> ApiResult<StatusCode> {
    let found = accounts.revoke_key(Some(caller.account()), &KeyId::from(id)).await?;
    if found { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::not_found()) }
}

/// Says how much of the plan is used this month.
#[utoipa::path(get, path = "/api/usage", tag = "Account", security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<OwnAccount>, (status = 200, description = "Use against each limit of the plan.", body = UsageReport)))]
async fn get_usage(
    caller: Caller<OwnAccount>,
    State(app): State<AccountsState>,
) -> ApiResult<Json<UsageReport>> {
    let holdings = app.holdings.count(caller.account()).await?;
    let (month, resets_at, counts) = app.accounts.usage(caller.account()).await?;
    let used = |metric| counts.iter().find(|(counted, _)| *counted == metric).map_or(0, |(_, used)| *used);
    let limits = entries(caller.limits(), used, holdings);
    Ok(Json(UsageReport { plan: caller.plan(), active: caller.is_active(), month, resets_at, limits }))
}

#[cfg(test)]
mod tests;
