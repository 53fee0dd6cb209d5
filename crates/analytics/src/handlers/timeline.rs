//! HTTP API of crawler visits over time. For sessions and keys; a public token does not open it.

use crate::Analytics;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{NotAnswered, Question, ReportQuery, Span, days, private};
use crate::AnalyticsState;
use crate::access::ReadAnalytics;
use crate::timeline::{Timeline, TimelineBy};
use platform::api::ApiResult;
use platform::api::openapi::Refusals;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new().routes(routes!(get_timeline))
}

/// Domain, days and grouping of a report.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct TimelineQuery {
    /// Domain of the account.
    #[param(required, example = "shop.example")]
    domain: Option<String>,
    /// Days to look back at, today included: 1 to 180, 30 unless given.
    #[param(minimum = 1, maximum = 180, default = 30)]
    days: Option<u32>,
    /// Property by which visits are grouped; `kind` unless given.
    #[param(inline, example = "kind")]
    by: Option<TimelineBy>,
}

impl ReportQuery for TimelineQuery {
    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Last(self.days)
    }
}

/// Reports crawler visits of each of the last days, grouped by kind, provider, answer or crawler.
#[utoipa::path(get, path = "/api/analytics/timeline", tag = "Analytics", params(TimelineQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadAnalytics, NotAnswered>, (status = 200, description = "The visits.", body = Timeline)))]
async fn get_timeline(
    Question { query, domain, .. }: Question<TimelineQuery>,
    State(analytics): State<Analytics>,
) -> ApiResult<impl IntoResponse> {
    let by = query.by.unwrap_or_default();
    Ok(private(analytics.timeline(&domain, days(query.days)?, by).await?))
}
