//! HTTP of sources and searches.

use crate::reading::MentionReading;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{FilterQuery, MentionQuery, MentionQuestion, NotRead, list_part};
use crate::MentionsState;
use crate::access::ReadMentions;
use crate::reading::{ReadingFilter, SearchItem, SourceItem, SourceUnit};
use platform::api::openapi::Refusals;
use platform::api::{ApiError, ApiResult};

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new().routes(routes!(list_sources)).routes(routes!(list_queries))
}

/// Reads `by`: sites unless given.
pub(super) fn unit_of(by: Option<&str>) -> ApiResult<SourceUnit> {
    match by {
        None | Some("domain") => Ok(SourceUnit::Site),
        Some("page") => Ok(SourceUnit::Page),
        Some(_) => Err(ApiError::invalid_parameter("by", "must be domain or page")),
    }
}

/// Declares the parameters of a list: those of every question with those that are given, limit and offset.
macro_rules! list_query {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        // Flattened parameters would all be texts.
        #[derive(Debug, Clone, Deserialize, IntoParams)]
        #[into_params(parameter_in = Query)]
        struct $name {
            /// Name of the domain, or of its `www.` twin.
            #[param(example = "lumadocs.io")]
            domain: String,
            /// First UTC day, `YYYY-MM-DD`; 30 days ago unless given.
            #[param(example = "2026-10-21")]
            from: Option<String>,
            /// Last UTC day; today unless given.
            #[param(example = "2026-11-20")]
            to: Option<String>,
            /// One provider; all unless given.
            #[param(example = "chatgpt")]
            provider: Option<String>,
            /// A tag that prompts have, as a whole.
            tag: Option<String>,
            /// `info`, `trans` or `comm`.
            intent: Option<String>,
            /// `true`: prompts that name the own brand; `false`: those that do not.
            branded: Option<String>,
            /// 1 to 500; 50 unless given.
            limit: Option<u32>,
            /// Entries that are left out at the beginning.
            offset: Option<u32>,
            $($(#[$field_doc])* $field: $kind,)*
        }

        impl $name {
            fn common(&self) -> FilterQuery {
                FilterQuery {
                    domain: self.domain.clone(),
                    from: self.from.clone(),
                    to: self.to.clone(),
                    provider: self.provider.clone(),
                    tag: self.tag.clone(),
                    intent: self.intent.clone(),
                    branded: self.branded.clone(),
                }
            }
        }
    };
}

list_query! {
    /// Parameters of a list of sources.
    SourcesQuery {
        /// `domain` or `page`; `domain` unless given.
        by: Option<String>,
    }
}

list_query! {
    /// Parameters of a list of searches.
    QueriesQuery {}
}

impl MentionQuery for SourcesQuery {
    fn filter(&self) -> FilterQuery {
        self.common()
    }

    fn check(&self, _filter: &ReadingFilter) -> ApiResult<()> {
        unit_of(self.by.as_deref())?;
        list_part(self.limit, self.offset).map(drop)
    }
}

impl MentionQuery for QueriesQuery {
    fn filter(&self) -> FilterQuery {
        self.common()
    }

    fn check(&self, _filter: &ReadingFilter) -> ApiResult<()> {
        list_part(self.limit, self.offset).map(drop)
    }
}

/// Sources of a domain's answers.
#[derive(Debug, Serialize, ToSchema)]
struct SourceList {
    /// Sources in the order of the answers that cite them, most first.
    sources: Vec<SourceItem>,
    /// Number of entries without limit and offset.
    #[schema(examples(188))]
    total: i64,
}

/// Searches that assistants ran for a domain's prompts.
#[derive(Debug, Serialize, ToSchema)]
struct QueryList {
    /// Searches in the order of their answers, most first.
    queries: Vec<SearchItem>,
    /// Number of entries without limit and offset.
    #[schema(examples(312))]
    total: i64,
}

/// Lists the sources of answers.
///
/// Sites, or pages, that answers cite, and those that were only found for them (`citations` 0). Own pages come with
/// the last visit of AI crawlers, their issues in the latest audit, and the people whom assistants sent to them.
#[utoipa::path(get, path = "/api/ai-mentions/sources", tag = "AI mentions", params(SourcesQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, NotRead>, (status = 200, description = "The sources.", body = SourceList)))]
async fn list_sources(
    question: MentionQuestion<SourcesQuery>,
    State(mention_reading): State<MentionReading>,
) -> ApiResult<Json<SourceList>> {
    let query = &question.query;
    let (unit, part) = (unit_of(query.by.as_deref())?, list_part(query.limit, query.offset)?);
    let found = mention_reading.sources(question.domain(), &question.filter, unit, part).await?;
    Ok(Json(SourceList { sources: found.items, total: found.total }))
}

/// Searches of assistants.
///
/// Texts that assistants searched the web for, in lower case, with the number of answers for which they did and of those that
/// name the own brand. Providers that do not tell their searches have none.
#[utoipa::path(get, path = "/api/ai-mentions/queries", tag = "AI mentions", params(QueriesQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, NotRead>, (status = 200, description = "The searches.", body = QueryList)))]
async fn list_queries(
    question: MentionQuestion<QueriesQuery>,
    State(mention_reading): State<MentionReading>,
) -> ApiResult<Json<QueryList>> {
    let part = list_part(question.query.limit, question.query.offset)?;
    let found = mention_reading.searches(&question.domain().id, &question.filter, part).await?;
    Ok(Json(QueryList { queries: found.items, total: found.total }))
}
