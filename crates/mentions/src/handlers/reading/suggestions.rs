//! HTTP of suggestions.

use crate::reading::MentionReading;
use ::domains::DomainsService;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{NotRead, list_part};
use crate::MentionsState;
use crate::access::ReadMentions;
use crate::reading::{MAX_TERMS, SuggestionItem};
use ::domains::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppQuery, Issue};

own_errors! {
    /// Errors of an operation that reads search terms.
    NoTerms: InvalidRequest, PayloadTooLarge, UnsupportedMediaType, ApiKeyDomainScopeMismatch, DomainNotOwned;
}

/// Maximum number of characters of a search term: those of a prompt.
const MAX_TERM_CHARS: usize = 2_000;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new().routes(routes!(list_suggestions, suggest_of_terms))
}

/// Parameters of suggestions.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SuggestionsQuery {
    /// Name of the domain, or of its `www.` twin.
    #[param(example = "lumadocs.io")]
    domain: String,
    /// 1 to 500; 50 unless given.
    limit: Option<u32>,
    /// Entries that are left out at the beginning.
    offset: Option<u32>,
}

/// Search terms that could become prompts.
#[derive(Deserialize, ToSchema)]
struct TermsBody {
    #[schema(examples("lumadocs.io"))]
    domain: String,
    /// Search terms: at most 5,000 of at most 2,000 characters.
    #[schema(max_items = 5000, example = json!(["best documentation tool", "knowledge base with sso"]))]
    terms: Vec<String>,
}

/// Prompts that could be monitored.
#[derive(Debug, Serialize, ToSchema)]
struct SuggestionList {
    /// None of them is a prompt of the domain.
    suggestions: Vec<SuggestionItem>,
    /// Number of entries without limit and offset.
    #[schema(examples(87))]
    total: usize,
}

/// Suggestions of prompts.
///
/// From searches that assistants ran, pages of the latest audit, pages that AI crawlers and people from assistants visit, and
/// the brand profile, by turns. The same data gives the same suggestions; no model is asked.
#[utoipa::path(get, path = "/api/ai-mentions/suggestions", tag = "AI mentions", params(SuggestionsQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, NotRead>,
        (status = 200, description = "The suggestions.", body = SuggestionList)))]
async fn list_suggestions(
    caller: Caller<ReadMentions>,
    State(domains): State<DomainsService>,
    State(mention_reading): State<MentionReading>,
    AppQuery(query): AppQuery<SuggestionsQuery>,
) -> ApiResult<Json<SuggestionList>> {
    let part = list_part(query.limit, query.offset)?;
    let site = RequestedDomain::named(&query.domain).site(&caller, &domains, DomainAccess::Read).await?;
    let all = mention_reading.suggestions(&site.domain).await?;
    let total = all.len();
    let (limit, offset) = (part.limit as usize, part.offset as usize);
    let suggestions = all.into_iter().skip(offset).take(limit).collect();
    Ok(Json(SuggestionList { suggestions, total }))
}

/// Suggests prompts from search terms.
///
/// Answers with the given terms that are no prompt of the domain yet, each once and in order, with a guess of its intent.
/// Addresses and terms without words are left out. Nothing is stored.
#[utoipa::path(post, path = "/api/ai-mentions/suggestions", tag = "AI mentions", request_body = TermsBody,
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, NoTerms>,
        (status = 200, description = "The suggestions.", body = SuggestionList)))]
async fn suggest_of_terms(
    caller: Caller<ReadMentions>,
    State(domains): State<DomainsService>,
    State(mention_reading): State<MentionReading>,
    AppJson(body): AppJson<TermsBody>,
) -> ApiResult<Json<SuggestionList>> {
    check_terms(&body.terms)?;
    let site = RequestedDomain::named(&body.domain).site(&caller, &domains, DomainAccess::Read).await?;
    let suggestions = mention_reading.suggestions_of_terms(&site.domain.id, &body.terms).await?;
    Ok(Json(SuggestionList { total: suggestions.len(), suggestions }))
}

fn check_terms(terms: &[String]) -> ApiResult<()> {
    if terms.len() > MAX_TERMS {
        return Err(ApiError::invalid_parameter("terms", format!("has more than {MAX_TERMS} entries")));
    }
    let is_long = |term: &String| term.chars().count() > MAX_TERM_CHARS;
    let issue =
        |(at, _)| Issue::new(format!("terms.{at}"), format!("is longer than {MAX_TERM_CHARS} characters"));
    let issues: Vec<Issue> =
        terms.iter().enumerate().filter(|(_, term)| is_long(term)).map(issue).take(100).collect();
    if issues.is_empty() { Ok(()) } else { Err(ApiError::invalid_request(issues)) }
}
