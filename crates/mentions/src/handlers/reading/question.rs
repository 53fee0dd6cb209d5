//! Parameters that statistics, trend, sources, searches and exports have in common, refused in one order: who asks, what
//! is asked, and whose domain it is.

use std::sync::Arc;

use assistants::providers::Provider;
use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use crate::MentionsState;
use crate::access::ReadMentions;
use crate::handlers::read_day;
use crate::model::{PromptIntent, UtcDay};
use crate::reading::{ListPart, ReadingFilter};
use ::domains::{Domain, DomainAccess, RequestedDomain, Site};
use accounts::callers::Caller;
use platform::api::openapi::own_errors;
use platform::api::{ApiError, ApiResult, AppQuery};

/// Days before today on which a window begins unless it is told otherwise.
const DEFAULT_DAYS: i64 = 30;
/// Entries of a list unless it is told otherwise.
const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 500;

own_errors! {
    /// Errors of an operation that reads about a domain.
    pub NotRead: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned;
}

/// Domain, days and filters of a question.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FilterQuery {
    /// Name of the domain, or of its `www.` twin.
    #[param(example = "lumadocs.io")]
    pub domain: String,
    /// First UTC day, `YYYY-MM-DD`; 30 days ago unless given.
    #[param(example = "2026-10-21")]
    pub from: Option<String>,
    /// Last UTC day; today unless given.
    #[param(example = "2026-11-20")]
    pub to: Option<String>,
    /// One provider: `chatgpt`, `perplexity`, `gemini`, `claude`, `google_ai_overview` or `google_ai_mode`; all unless given.
    #[param(example = "chatgpt")]
    pub provider: Option<String>,
    /// A tag that prompts have, as a whole.
    #[param(example = "startup")]
    pub tag: Option<String>,
    /// `info`, `trans` or `comm`.
    #[param(example = "comm")]
    pub intent: Option<String>,
    /// `true`: prompts that name the own brand; `false`: those that do not; both unless given.
    #[param(example = "false")]
    pub branded: Option<String>,
}

/// Parameters of an operation that have those of every question among them.
pub trait MentionQuery: DeserializeOwned + Send {
    fn filter(&self) -> FilterQuery;

    /// Refuses what else cannot be answered.
    fn check(&self, _filter: &ReadingFilter) -> ApiResult<()> {
        Ok(())
    }
}

impl MentionQuery for FilterQuery {
    fn filter(&self) -> FilterQuery {
        self.clone()
    }
}

/// A question that may be answered.
pub struct MentionQuestion<Q> {
    pub query: Q,
    pub filter: ReadingFilter,
    pub site: Arc<Site>,
}

impl<Q> MentionQuestion<Q> {
    pub fn domain(&self) -> &Domain {
        &self.site.domain
    }
}

impl<Q: MentionQuery> FromRequestParts<MentionsState> for MentionQuestion<Q> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &MentionsState) -> ApiResult<MentionQuestion<Q>> {
        let caller = Caller::<ReadMentions>::from_request_parts(parts, app).await?;
        let AppQuery(query) = AppQuery::<Q>::from_request_parts(parts, app).await?;
        let common = query.filter();
        let filter = common.read(app.mention_reading.today())?;
        query.check(&filter)?;
        let site =
            RequestedDomain::named(&common.domain).site(&caller, &app.domains, DomainAccess::Read).await?;
        Ok(MentionQuestion { query, filter, site })
    }
}

impl FilterQuery {
    fn read(&self, today: UtcDay) -> ApiResult<ReadingFilter> {
        let provider = self.provider.as_deref().map(|text| {
            text.parse::<Provider>().map_err(|_| {
                ApiError::invalid_parameter(
                    "provider",
                    "must be chatgpt, perplexity, gemini, claude, google_ai_overview or google_ai_mode",
                )
            })
        });
        let intent = self.intent.as_deref().map(|text| {
            PromptIntent::parse(text)
                .ok_or_else(|| ApiError::invalid_parameter("intent", "must be info, trans or comm"))
        });
        let branded = self.branded.as_deref().map(|text| match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(ApiError::invalid_parameter("branded", "must be true or false")),
        });
        Ok(ReadingFilter {
            days: days(self.from.as_deref(), self.to.as_deref(), today)?,
            provider: provider.transpose()?,
            tag: self.tag.clone(),
            intent: intent.transpose()?,
            branded: branded.transpose()?,
        })
    }
}

pub fn list_part(limit: Option<u32>, offset: Option<u32>) -> ApiResult<ListPart> {
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ApiError::invalid_parameter("limit", format!("must be from 1 to {MAX_LIMIT}")));
    }
    Ok(ListPart { limit: limit.into(), offset: offset.unwrap_or(0).into() })
}

/// Returns the days from one to another, both included. Without `from` they begin 30 days before today, or before an earlier
/// `to`.
fn days(from: Option<&str>, to: Option<&str>, today: UtcDay) -> ApiResult<(UtcDay, UtcDay)> {
    let to_day = read_day("to", to)?.unwrap_or(today);
    let first = today - DEFAULT_DAYS;
    let usual = if first > to_day { to_day - DEFAULT_DAYS } else { first };
    let from_day = read_day("from", from)?.unwrap_or(usual);
    if from_day > to_day {
        return Err(ApiError::invalid_parameter("from", "is after to"));
    }
    Ok((from_day, to_day))
}
