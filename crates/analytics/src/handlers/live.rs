//! HTTP API of the live tail: visits as they are recorded, as server-sent events. For sessions and keys.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{FromRequestParts, State};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use http::header;
use http::request::Parts;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{NotAnswered, Question, ReportQuery, Span};
use crate::AnalyticsState;
use crate::Visit;
use crate::access::ReadAnalytics;
use crate::live::{LiveVisits, Seen, WatchError};
use crate::model::{ServedBy, Verified};
use accounts::AccountId;
use accounts::callers::caller::Uncounted;
use domains::{DomainAccess, DomainId, RequestedDomain};
use platform::api::openapi::Refusals;
use platform::api::{ApiError, ApiResult, ErrorCode};
use platform::clock::Timestamp;

/// Interval of comments on an idle stream, so that no proxy closes the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Interval of checks whether the watcher may still watch the domain.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(12);

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new().routes(routes!(watch_visits))
}

/// Domain of the stream.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct LiveQuery {
    /// Domain of the account.
    #[param(required, example = "shop.example")]
    domain: Option<String>,
}

impl ReportQuery for LiveQuery {
    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Last(Some(1))
    }
}

/// Recorded visit. The data of an event `visit`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LiveVisit<'a> {
    /// Time of the answer.
    at: Timestamp,
    /// Path without query.
    #[schema(examples("/pricing"))]
    path: &'a str,
    /// Id of the crawler.
    #[schema(examples("gptbot"))]
    crawler: &'a str,
    /// Id of the company that runs the crawler.
    #[schema(examples("openai"))]
    provider: &'a str,
    /// Result of the check of the crawler's identity.
    verified: Verified,
    /// Source of the answer.
    served_by: ServedBy,
    /// Status of the answer.
    status: u16,
    /// Duration of the answer, in milliseconds.
    duration_ms: f64,
}

/// Streams the visits of crawlers as they are recorded.
///
/// Events are `visit` with one visit, and `missed` with the number of visits that came faster than they could be sent. A stream
/// has only visits that its process records: with several processes, each shows its own. An account may have ten streams per
/// process (429 beyond). A stream ends when the service stops, and seconds after the key, the session or the domain is gone.
#[utoipa::path(get, path = "/api/analytics/live", tag = "Analytics", params(LiveQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadAnalytics, NotAnswered>,
        (status = 200, description = "The visits, until one side ends it.", content_type = "text/event-stream", body = LiveVisit)))]
async fn watch_visits(
    Question { domain, name, .. }: Question<LiveQuery>,
    mut request: Parts,
    State(app): State<AnalyticsState>,
) -> ApiResult<impl IntoResponse> {
    let account = watcher(&mut request, &app, &name, &domain).await?;
    let visits = app.recorder.watch(&account, &domain)?;
    let shutdown = app.shutdown.clone();
    let stream = events(visits).take_until(async move {
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = refused(request, app, name, domain) => {}
        }
    });
    let headers = [(header::CACHE_CONTROL, "private, no-store")];
    Ok((headers, Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))))
}

/// Returns the account of the request when it may watch the domain.
async fn watcher(
    request: &mut Parts,
    app: &AnalyticsState,
    name: &str,
    domain: &DomainId,
) -> ApiResult<AccountId> {
    let caller = Uncounted::<ReadAnalytics>::from_request_parts(request, app).await?.admit()?;
    let site = RequestedDomain::named(name).site(&caller, &app.domains, DomainAccess::Read).await?;
    match site.domain.id == *domain {
        true => Ok(caller.account().clone()),
        // The domain was removed and added again.
        false => Err(ApiError::new(ErrorCode::DomainNotOwned)),
    }
}

/// Waits until the domain may not be watched any more. Checks again after an error of the database.
async fn refused(mut request: Parts, app: AnalyticsState, name: String, domain: DomainId) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let watcher = watcher(&mut request, &app, &name, &domain).await;
        if watcher.is_err_and(|error| error.status().is_client_error()) {
            return;
        }
    }
}

impl From<WatchError> for ApiError {
    fn from(error: WatchError) -> ApiError {
        match error {
            WatchError::TooManyOfAccount => {
                ApiError::new(ErrorCode::RateLimited).retry_after(Duration::from_secs(60))
            }
            WatchError::TooMany => ApiError::unavailable(error),
        }
    }
}

fn events(visits: LiveVisits) -> BoxStream<'static, Result<Event, Infallible>> {
    let next = |mut visits: LiveVisits| async move {
        let event = match visits.next().await {
            Seen::Visit(visit) => event_of(&visit),
            Seen::Missed(count) => Event::default().event("missed").data(count.to_string()),
        };
        Some((Ok(event), visits))
    };
    stream::unfold(visits, next).boxed()
}

fn event_of(visit: &Visit) -> Event {
    let live = LiveVisit {
        at: visit.at,
        path: &visit.path,
        crawler: &visit.crawler.id,
        provider: &visit.crawler.provider,
        verified: visit.verified,
        served_by: visit.served,
        status: visit.status,
        duration_ms: (visit.duration.as_secs_f64() * 1e4).round() / 10.0,
    };
    Event::default().event("visit").data(serde_json::to_string(&live).expect("plain data"))
}
