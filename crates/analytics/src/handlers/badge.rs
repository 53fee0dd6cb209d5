//! HTTP API of the badge of a domain's crawler visits, which pages anywhere embed as a picture.

use axum::extract::State;
use axum::response::IntoResponse;
use http::{HeaderName, header};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{Question, ReportQuery, Span, days};
use super::reports::ReportNotGiven;
use crate::access::{BADGES, ReadAnalytics};
use crate::badge::Badge;
use crate::{Analytics, AnalyticsState};
use platform::api::ApiResult;
use platform::api::access::Rate;
use platform::api::openapi::Refusals;

/// Returns the operation of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new().routes(routes!(get_badge))
}

/// Domain and days of a badge.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct BadgeQuery {
    /// Domain of the account. A public token carries its own.
    #[param(example = "shop.example")]
    domain: Option<String>,
    /// Days to look back at, today included: 1 to 180, 30 unless given.
    #[param(minimum = 1, maximum = 180, default = 30)]
    days: Option<u32>,
    /// The domain's public token, in place of a key or session.
    token: Option<String>,
}

impl ReportQuery for BadgeQuery {
    const OPEN_TO_TOKENS: bool = true;
    const RATE_OF_TOKENS: Rate = BADGES;

    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Last(self.days)
    }
}

/// Draws a badge with the number of crawlers and of their visits.
///
/// Visits that the site's own server answered count too. With a public token in its address the picture may be embedded by any
/// page and is cached for an hour; a token may ask 600 times a minute.
#[utoipa::path(get, path = "/api/analytics/badge.svg", tag = "Analytics", params(BadgeQuery),
    security(("apiKey" = []), ("session" = []), ("statsToken" = [])),
    responses(Refusals::<ReadAnalytics, ReportNotGiven>,
        (status = 200, description = "The badge.", content_type = "image/svg+xml", body = String)))]
async fn get_badge(
    Question { query, domain, .. }: Question<BadgeQuery>,
    State(analytics): State<Analytics>,
) -> ApiResult<impl IntoResponse> {
    let days = days(query.days)?;
    let overview = analytics.visits_overview(&domain, days).await?;
    let visits = overview.timeline.series.iter().flat_map(|series| &series.counts).sum();
    let badge = Badge { crawlers: overview.crawlers, visits, days };
    let caching = if query.token.is_some() { "public, max-age=3600" } else { "private, no-store" };
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CACHE_CONTROL, caching),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"),
    ];
    Ok((headers, badge.svg()))
}
