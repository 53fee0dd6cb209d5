//! HTTP of the people of an account, for its owners.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::{StatusCode, header};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::callers::{Caller, Callers, Credential};
use crate::keys::KeyHash;
use crate::model::Email;
use crate::people::{InvitationOrder, InviteError, MOST_PEOPLE, MemberError, MemberId, MemberInfo};
use crate::ports::AccountHoldings;
use crate::{AccountId, AccountsState, People};
use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppPath, ErrorCode, Issue};
use platform::limits::SharedWindow;

/// Mails of invitations that an account may send an hour.
const MAILS_PER_ACCOUNT: u32 = 20;
/// Mails of invitations that an address may get an hour.
const MAILS_PER_ADDRESS: u32 = 1;

/// Returns the operations on people.
pub(super) fn routes() -> OpenApiRouter<AccountsState> {
    OpenApiRouter::new()
        .routes(routes!(list_people, invite_person))
        .routes(routes!(change_person, remove_person))
}

own_errors! {
    NotInvited: InvalidRequest, DomainNotOwned, PeopleLimitReached, PersonExists, PayloadTooLarge, UnsupportedMediaType;
    PersonNotChanged: InvalidRequest, DomainNotOwned, NotFound, LastOwner, PayloadTooLarge, UnsupportedMediaType;
    PersonNotRemoved: NotFound, LastOwner;
}

/// Managing the people of an account: a session of an owner.
#[derive(Debug)]
struct ManagePeople;

impl Access for ManagePeople {
    const CREDENTIALS: Credentials = Credentials::Sessions;
    const ROLE: PersonRole = PersonRole::Owner;
    const RATE: Rate = Rate::Beyond;
}

/// The people of an account.
#[derive(Serialize, ToSchema)]
struct PersonList {
    /// People in the order in which they came, those who were invited among them.
    people: Vec<MemberInfo>,
}

/// Lists the people of the account.
#[utoipa::path(get, path = "/api/people", tag = "People", security(("session" = [])),
    responses(Refusals::<ManagePeople>, (status = 200, description = "The people.", body = PersonList)))]
async fn list_people(
    caller: Caller<ManagePeople>,
    State(people): State<People>,
) -> ApiResult<impl IntoResponse> {
    let list = PersonList { people: people.members.list(caller.account()).await? };
    Ok(([(header::CACHE_CONTROL, "private, no-store")], Json(list)))
}

/// Somebody who is to be invited.
#[derive(Deserialize, ToSchema)]
struct NewPerson {
    #[schema(examples("ada@shop.example"))]
    email: String,
    role: PersonRole,
    /// The only domains that the person sees; null: all. Not for owners.
    #[schema(examples("shop.example"))]
    domains: Option<Vec<String>>,
}

/// An invitation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct InvitedPerson {
    id: MemberId,
    /// Link for the person, which works once and for seven days. It is shown here and never again; null when it was mailed.
    #[schema(
        required = true,
        examples("https://glasshouse.example/invitation#Zk3vQm0aT9xB7yLr2WcN5eHs8UdJ4fGp0XqAbC1dE2f")
    )]
    invite_url: Option<String>,
}

/// Invites a person.
///
/// The link is mailed where a mail server is set: at most 20 an hour for an account, and one an hour for an address. What is not
/// mailed is answered in `inviteUrl`. Inviting an address again makes a new link, and the old one ends. An account has at most 100
/// people.
#[utoipa::path(post, path = "/api/people", tag = "People", request_body = NewPerson, security(("session" = [])),
    responses(Refusals::<ManagePeople, NotInvited>, (status = 201, description = "The invitation.", body = InvitedPerson)))]
async fn invite_person(
    caller: Caller<ManagePeople>,
    State(app): State<AccountsState>,
    AppJson(wanted): AppJson<NewPerson>,
) -> ApiResult<impl IntoResponse> {
    let email: Email = wanted
        .email
        .parse()
        .map_err(|_| ApiError::invalid_request(vec![Issue::new("email", "is not an e-mail address")]))?;
    if wanted.role == PersonRole::Owner && wanted.domains.is_some() {
        return Err(limited_owner());
    }
    let domains = own_domains(caller.account(), &app.holdings, wanted.domains).await?;
    let Credential::Session(session) = &caller.credential else { return Err(ApiError::not_found()) };
    let order = InvitationOrder {
        email,
        role: wanted.role,
        domains,
        inviter: session.email.clone(),
        account_name: session.account_name.clone(),
    };
    let members = &app.people.members;
    let (id, link) = members.invite(caller.account(), &order).await.map_err(|error| match error {
        InviteError::LimitReached => ApiError::new(ErrorCode::PeopleLimitReached)
            .with("limit", MOST_PEOPLE)
            .with("current", MOST_PEOPLE),
        InviteError::Exists => ApiError::new(ErrorCode::PersonExists),
        InviteError::Store(error) => error.into(),
    })?;
    let is_mailed = members.has_mail()
        && may_mail(&app.callers, caller.account(), &order.email).await?
        && members.mail_invitation(&order, &link).await;
    let body = InvitedPerson { id, invite_url: (!is_mailed).then_some(link) };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(body)))
}

/// Counts a mail. Returns false over the limits of the account or the address.
async fn may_mail(callers: &Callers, account: &AccountId, to: &Email) -> ApiResult<bool> {
    // Counts are stored: no e-mail address in the clear.
    let address = KeyHash::of(to.as_str()).to_hex();
    let windows = [
        SharedWindow::per_hour(&format!("invitations:{account}"), MAILS_PER_ACCOUNT),
        SharedWindow::per_hour(&format!("invitations-to:{address}"), MAILS_PER_ADDRESS),
    ];
    Ok(callers.rate_limits.shared.take(&windows).await?.allowed)
}

/// Role and domains that a person gets.
#[derive(Deserialize, ToSchema)]
struct PersonChange {
    role: Option<PersonRole>,
    /// The only domains that the person sees; null: all. What is not sent stays.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Vec<String>>, examples("shop.example"))]
    domains: Option<Option<Vec<String>>>,
}

/// Reads a field that was sent, null included.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<Vec<String>>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Changes what a person may in the account.
///
/// It holds at once for every session of the person. The account keeps an owner who has accepted the invitation.
#[utoipa::path(patch, path = "/api/people/{id}", tag = "People", request_body = PersonChange, security(("session" = [])),
    params(("id" = MemberId, Path, description = "Id of the person in the account.")),
    responses(Refusals::<ManagePeople, PersonNotChanged>, (status = 200, description = "The person.", body = MemberInfo)))]
async fn change_person(
    caller: Caller<ManagePeople>,
    State(people): State<People>,
    State(holdings): State<Arc<dyn AccountHoldings>>,
    AppPath(id): AppPath<String>,
    AppJson(change): AppJson<PersonChange>,
) -> ApiResult<Json<MemberInfo>> {
    let domains = match change.domains {
        Some(domains) => Some(own_domains(caller.account(), &holdings, domains).await?),
        None => None,
    };
    let changed = people.members.change(caller.account(), &MemberId::from(id), change.role, domains).await;
    Ok(Json(changed.map_err(refusal)?))
}

/// Keys that somebody left behind.
#[derive(Serialize, ToSchema)]
struct LeftKeys {
    /// Number of keys that the person made and that go on working.
    #[schema(examples(2))]
    keys: u64,
}

/// Removes a person from the account, or takes an invitation back.
///
/// Keys that the person made go on working; their number is answered. A person who is in no other account is forgotten.
#[utoipa::path(delete, path = "/api/people/{id}", tag = "People", security(("session" = [])),
    params(("id" = MemberId, Path, description = "Id of the person in the account.")),
    responses(Refusals::<ManagePeople, PersonNotRemoved>, (status = 200, description = "Removed.", body = LeftKeys)))]
async fn remove_person(
    caller: Caller<ManagePeople>,
    State(people): State<People>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Json<LeftKeys>> {
    let removed = people.members.remove(caller.account(), &MemberId::from(id)).await;
    Ok(Json(LeftKeys { keys: removed.map_err(refusal)? }))
}

fn refusal(error: MemberError) -> ApiError {
    match error {
        MemberError::Unknown => ApiError::not_found(),
        MemberError::LastOwner => ApiError::new(ErrorCode::LastOwner),
        MemberError::LimitedOwner => limited_owner(),
        MemberError::Store(error) => error.into(),
    }
}

fn limited_owner() -> ApiError {
    ApiError::invalid_request(vec![Issue::new("domains", "must be null for an owner, who sees all")])
}

/// Finds the canonical names of an account's domains; null stays null. 403 for one that is not the account's.
async fn own_domains(
    account: &AccountId,
    holdings: &Arc<dyn AccountHoldings>,
    wanted: Option<Vec<String>>,
) -> ApiResult<Option<Vec<String>>> {
    let Some(wanted) = wanted else { return Ok(None) };
    if wanted.is_empty() {
        let message = "must name a domain, or be null for all";
        return Err(ApiError::invalid_request(vec![Issue::new("domains", message)]));
    }
    let mut domains = Vec::new();
    for typed in wanted {
        let found = holdings.find_domain(account, &typed).await?;
        let domain = found.ok_or_else(|| ApiError::new(ErrorCode::DomainNotOwned))?;
        if !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    Ok(Some(domains))
}
