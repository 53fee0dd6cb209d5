//! Access to crawl statistics: a session, an API key of the Pro plan and above, or the public token of a domain.
//! Used by the four endpoints of the specification and by the badge. A token of the request decides alone; other credentials are ignored.

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::service::TokenState;
use crate::AnalyticsState;
use accounts::callers::Caller;
use accounts::callers::caller::unknown_caller;
use accounts::callers::requester::Requester;
use accounts::keys::KeyHash;
use domains::{DomainAccess, DomainId, RequestedDomain, names};
use platform::api::access::SharedLimit;
use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::api::client::client_address;
use platform::api::header_names::STATS_TOKEN;
use platform::api::rate_limit_state::RateLimitSlot;
use platform::api::{ApiError, ApiResult, ErrorCode, Issue};
use platform::plans::Plan;

/// Query parameter that carries a public token.
const TOKEN_PARAMETER: &str = "token";
const LIMIT: SharedLimit = SharedLimit { name: "analytics", per_minute: 60, per_minute_of_sessions: 600 };

/// Reading statistics with a session or an API key.
#[derive(Debug)]
pub struct ReadAnalytics;

impl Access for ReadAnalytics {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const KEY_PLAN: Option<Plan> = Some(Plan::Agency);
    const RATE: Rate = Rate::Shared(LIMIT);
}

/// Pushing access logs with a session or an API key.
#[derive(Debug)]
pub struct PushLogs;

impl Access for PushLogs {
    const ROLE: PersonRole = PersonRole::Editor;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const ACTIVE: bool = true;
    const KEY_PLAN: Option<Plan> = Some(Plan::Agency);
    const RATE: Rate = Rate::Beyond;
}

/// Reader of statistics.
pub enum StatsReader {
    /// Session or API key, which reads the domains of its account.
    Account(Caller<ReadAnalytics>),
    /// Public token, which reads one domain.
    Token {
        /// The domain record.
        id: DomainId,
        /// Name of the domain.
        host: String,
    },
}

/// Limit of badges, which the visitors of public pages load.
pub const BADGES: Rate =
    Rate::Shared(SharedLimit { name: "badge", per_minute: 600, per_minute_of_sessions: 600 });

impl StatsReader {
    /// Finds the reader of a request. Fails with 401 for an unknown one, 404 for an ended token, and 429 for a token over its rate.
    pub async fn find(
        parts: &mut Parts,
        app: &AnalyticsState,
        rate_of_tokens: Rate,
    ) -> Result<StatsReader, ApiError> {
        let Some(token) = shown_token(parts) else {
            return Ok(StatsReader::Account(Caller::from_request_parts(parts, app).await?));
        };
        let state = match &token {
            Some(token) if app.callers.rate_limits.may_look_up(client_address(parts), token) => {
                app.analytics.open_token(token).await?
            }
            _ => TokenState::Unknown,
        };
        let (TokenState::Opens(id) | TokenState::Ended(id)) = &state else {
            return Err(unknown_caller(parts, &app.callers));
        };
        // The tokens of a removed domain are deleted a moment later. Until then they count as unknown.
        let Some(domain) = app.domains.find_by_id(id).await? else {
            return Err(unknown_caller(parts, &app.callers));
        };
        let token = token.unwrap_or_default();
        app.callers.rate_limits.record_right(&token);
        count(&token, rate_of_tokens, parts, app).await?;
        match state {
            TokenState::Opens(id) => Ok(StatsReader::Token { id, host: domain.host }),
            TokenState::Ended(_) | TokenState::Unknown => Err(ApiError::not_found()),
        }
    }
}

/// Returns the public token of a request. `Some(None)`: the request has two different tokens, or one that is not text.
fn shown_token(parts: &Parts) -> Option<Option<String>> {
    let headers = parts.headers.get_all(STATS_TOKEN).iter();
    let headers = headers.map(|value| value.to_str().ok().map(str::to_owned));
    let query = url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let query = query.filter(|(name, _)| name == TOKEN_PARAMETER).map(|(_, value)| Some(value.into_owned()));
    let mut shown = headers.chain(query);
    let first = shown.next()?;
    Some(if shown.all(|other| other == first) { first } else { None })
}

/// Counts a request with a token towards the rate limit. Fails with 429 over the limit.
async fn count(token: &str, rate: Rate, parts: &Parts, app: &AnalyticsState) -> Result<(), ApiError> {
    let requester = Requester::PublicToken { hash: KeyHash::of(token).to_hex() };
    let Some(standing) = app.callers.rate_limits.take(rate, &requester).await? else {
        return Ok(());
    };
    if let Some(slot) = parts.extensions.get::<RateLimitSlot>() {
        // The response reports the first limit that was checked.
        let _ = slot.0.set(standing);
    }
    standing.refusal().map_or(Ok(()), Err)
}

impl StatsReader {
    /// Returns the canonical name of the requested domain; `None`: the parameter is not a name.
    ///
    /// Fails with 400 when nothing names a domain.
    pub fn name(&self, domain: Option<&str>) -> ApiResult<Option<String>> {
        match (self, domain.filter(|domain| !domain.is_empty())) {
            (StatsReader::Token { host, .. }, None) => Ok(Some(host.clone())),
            (_, Some(domain)) => Ok(names::parse_domain(domain)),
            (StatsReader::Account(_), None) => {
                Err(ApiError::invalid_request(vec![Issue::new("domain", "is missing")]))
            }
        }
    }

    /// Returns the name of the token's domain, the only domain of such a reader; none for accounts.
    pub fn own_host(&self) -> Option<&str> {
        match self {
            StatsReader::Token { host, .. } => Some(host),
            StatsReader::Account(_) => None,
        }
    }

    /// Returns the domain with this name and the name of its record. Fails with 403 when the reader may not read the domain.
    pub async fn domain(&self, app: &AnalyticsState, name: Option<&str>) -> ApiResult<(DomainId, String)> {
        let name = name.unwrap_or_default();
        match self {
            StatsReader::Token { id, host } if names::is_same_domain(host, name) => {
                Ok((id.clone(), host.clone()))
            }
            StatsReader::Token { .. } => Err(ApiError::new(ErrorCode::DomainNotOwned)),
            StatsReader::Account(caller) => {
                let site =
                    RequestedDomain::named(name).site(caller, &app.domains, DomainAccess::Read).await?;
                Ok((site.domain.id.clone(), site.domain.host.clone()))
            }
        }
    }
}
