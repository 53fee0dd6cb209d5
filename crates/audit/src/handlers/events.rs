//! HTTP of a run while it runs: its progress as events, and stopping it.

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::Stream;
use http::request::Parts;
use serde::Serialize;
use tokio::time::Instant;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{NoRun, visible_run};
use crate::AuditState;
use crate::model::{Run, RunStatus};
use crate::service::{AuditReader, AuditRuns, RunFollower};
use accounts::callers::Caller;
use accounts::callers::caller::Uncounted;
use domains::DomainsService;
use platform::api::access::{ReadDomain, StopWork};
use platform::api::openapi::Refusals;
use platform::api::{ApiError, ApiResult, AppPath, ErrorCode};

/// Time after which key or session, and the domain, are checked again.
const CHECK_EVERY: Duration = Duration::from_secs(30);
/// Longest time without an event; then a comment keeps the connection alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AuditState> {
    OpenApiRouter::new().routes(routes!(follow_run)).routes(routes!(cancel_run))
}

/// Progress of a run.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunProgress {
    run_id: String,
    status: RunStatus,
    /// HTML pages so far.
    pages_crawled: u64,
    /// Addresses that wait.
    waiting: u64,
    /// Pictures, scripts and links to other hosts that are still asked for, for five minutes at most.
    probes_waiting: u64,
    /// Epoch milliseconds; null while it runs.
    completed_at: Option<i64>,
    /// Reason of the end; empty while it runs.
    close_reason: &'static str,
}

impl RunProgress {
    fn of(run: &Run) -> RunProgress {
        RunProgress {
            run_id: run.id.to_string(),
            status: run.status,
            pages_crawled: run.pages_crawled,
            waiting: run.waiting,
            probes_waiting: run.probes_waiting,
            completed_at: run.completed_at.map(platform::clock::Timestamp::as_millis),
            close_reason: run.close_reason.map_or("", crate::model::CloseReason::as_str),
        }
    }

    fn event(&self, is_active: bool) -> Event {
        let name = if is_active { "progress" } else { "end" };
        let text = serde_json::to_string(self).expect("progress is plain data");
        Event::default().event(name).data(text)
    }
}

/// Follows an audit: server-sent events `progress`, whenever it changed, and `end`, which is the last.
///
/// An account has at most ten streams in a process; the next is 429. A stream ends within half a minute when its caller may not
/// read the run any more.
#[utoipa::path(get, path = "/api/seo-spider/runs/{runId}/events", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, NoRun>,
        (status = 200, description = "Events.", content_type = "text/event-stream", body = RunProgress)))]
async fn follow_run(
    caller: Caller<ReadDomain>,
    State(app): State<AuditState>,
    AppPath(id): AppPath<String>,
    parts: Parts,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>> + use<>>> {
    let run = visible_run(&caller, &app.domains, &app.reader, &id).await?;
    let follower = RunFollower::start(&app.reader, run)
        .ok_or_else(|| ApiError::new(ErrorCode::RateLimited).retry_after(CHECK_EVERY))?;
    let stream = RunStream { app, parts, follower, last: None, check_at: Instant::now() + CHECK_EVERY };
    let events = futures::stream::unfold(Some(stream), |stream| async move {
        let mut stream = stream?;
        let progress = stream.next().await?;
        let is_active = progress.completed_at.is_none();
        stream.last = Some(progress.clone());
        Some((Ok(progress.event(is_active)), is_active.then_some(stream)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// Events for one caller.
struct RunStream {
    app: AuditState,
    /// The request, to look again whether its caller may read the run.
    parts: Parts,
    follower: RunFollower,
    last: Option<RunProgress>,
    check_at: Instant,
}

impl RunStream {
    /// Waits until the run is further than it was. None: the service ends, or the caller may not read the run any more.
    async fn next(&mut self) -> Option<RunProgress> {
        loop {
            let run = self.follower.run();
            let progress = RunProgress::of(&run);
            if self.last.as_ref() != Some(&progress) {
                return Some(progress);
            }
            tokio::select! {
                is_followed = self.follower.changed() => if !is_followed { return None },
                () = tokio::time::sleep_until(self.check_at) => {
                    if !self.is_allowed(run.id.as_str()).await {
                        return None;
                    }
                    self.check_at = Instant::now() + CHECK_EVERY;
                }
                () = self.app.shutdown.cancelled() => return None,
            }
        }
    }

    /// Decides whether key or session are still good and may read the run. A part that is away for a moment does not end a stream.
    async fn is_allowed(&self, run: &str) -> bool {
        let checked = async {
            let mut parts = self.parts.clone();
            let caller = Uncounted::<ReadDomain>::from_request_parts(&mut parts, &self.app).await?.admit()?;
            visible_run(&caller, &self.app.domains, &self.app.reader, run).await
        };
        match checked.await {
            Ok(_) => true,
            Err(error) => {
                let status = error.code().status();
                status.is_server_error() || status == http::StatusCode::TOO_MANY_REQUESTS
            }
        }
    }
}

/// Outcome of a cancellation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Cancelled {
    /// True when the run is being stopped; false: it had ended already.
    ok: bool,
    run_id: String,
}

/// Stops an audit. It keeps what it has and ends within seconds, with `closeReason: cancelled`.
#[utoipa::path(post, path = "/api/seo-spider/runs/{runId}/cancel", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<StopWork, NoRun>, (status = 200, description = "It is being stopped.", body = Cancelled)))]
async fn cancel_run(
    caller: Caller<StopWork>,
    State(domains): State<DomainsService>,
    State(reader): State<AuditReader>,
    State(runs): State<AuditRuns>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Json<Cancelled>> {
    let run = visible_run(&caller, &domains, &reader, &id).await?;
    let ok = runs.cancel(&run).await?;
    Ok(Json(Cancelled { ok, run_id: run.id.to_string() }))
}
