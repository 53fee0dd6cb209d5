//! HTTP of statistics: of prompts, and of days.

use crate::reading::MentionReading;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{FilterQuery, MentionQuery, MentionQuestion, NotRead};
use crate::MentionsState;
use crate::access::ReadMentions;
use crate::reading::{DayRange, PromptStats, ReadingFilter, StatsSummary, TrendEntry};
use platform::api::openapi::Refusals;
use platform::api::{ApiError, ApiResult};

/// Maximum number of days of a trend, which has an entry for each: ten years.
const MAX_TREND_DAYS: i64 = 3_660;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new().routes(routes!(list_prompt_stats)).routes(routes!(list_trend))
}

/// Statistics of a domain's prompts.
#[derive(Debug, Serialize, ToSchema)]
struct PromptStatsList {
    /// The oldest prompt first, paused ones too.
    prompts: Vec<PromptStats>,
    /// All of these prompts together.
    summary: StatsSummary,
}

/// Lists the statistics of prompts.
///
/// Every prompt of the domain with its numbers in the window, and all of them together. Only analysed answers count; a prompt
/// without one has zeros and the difficulty −1. The formulas are in the documentation, "AI mentions: numbers".
#[utoipa::path(get, path = "/api/ai-mentions/prompt-stats", tag = "AI mentions", params(FilterQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, NotRead>,
        (status = 200, description = "The statistics.", body = PromptStatsList)))]
async fn list_prompt_stats(
    question: MentionQuestion<FilterQuery>,
    State(mention_reading): State<MentionReading>,
) -> ApiResult<Json<PromptStatsList>> {
    let found = mention_reading.prompt_stats(&question.domain().id, &question.filter).await?;
    let (prompts, summary) = found;
    Ok(Json(PromptStatsList { prompts, summary }))
}

/// Parameters of a trend.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct TrendQuery(FilterQuery);

impl MentionQuery for TrendQuery {
    fn filter(&self) -> FilterQuery {
        self.0.clone()
    }

    fn check(&self, filter: &ReadingFilter) -> ApiResult<()> {
        let (from, to) = filter.days;
        if to - from >= MAX_TREND_DAYS {
            return Err(ApiError::invalid_parameter(
                "from",
                format!("is more than {MAX_TREND_DAYS} days before to"),
            ));
        }
        Ok(())
    }
}

/// Numbers of a domain by day.
#[derive(Debug, Serialize, ToSchema)]
struct Trend {
    /// Every day of the window, the oldest first; a day without answers has null in place of rates.
    trend: Vec<TrendEntry>,
    range: DayRange,
}

/// Numbers by day.
///
/// An entry for every day of the window, at most ten years. Without `tag`, `intent` and `branded` all prompts count.
#[utoipa::path(get, path = "/api/ai-mentions/trend", tag = "AI mentions", params(FilterQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, NotRead>, (status = 200, description = "The trend.", body = Trend)))]
async fn list_trend(
    question: MentionQuestion<TrendQuery>,
    State(mention_reading): State<MentionReading>,
) -> ApiResult<Json<Trend>> {
    let trend = mention_reading.trend(&question.domain().id, &question.filter).await?;
    Ok(Json(Trend { trend, range: DayRange::of(question.filter.days) }))
}
