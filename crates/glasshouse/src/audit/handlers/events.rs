//! HTTP of a run while it runs: its progress as events, and stopping it.

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::Stream;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{NoRun, visible_run};
use crate::api::access::ReadDomain;
use crate::api::openapi::Refusals;
use crate::api::{ApiResult, AppPath, Caller};
use crate::app::AppState;
use crate::audit::model::{Run, RunStatus};

/// How often progress is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often something is sent while there is nothing to say.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The operations of this file.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(follow_run)).routes(routes!(cancel_run))
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunProgress {
    run_id: String,
    status: RunStatus,
    /// HTML pages so far.
    pages_crawled: u64,
    /// Addresses that wait.
    waiting: u64,
    /// Epoch milliseconds; null while it runs.
    completed_at: Option<i64>,
    /// Why it ended; empty while it runs.
    close_reason: &'static str,
}

impl RunProgress {
    fn of(run: &Run) -> RunProgress {
        RunProgress {
            run_id: run.id.to_string(),
            status: run.status,
            pages_crawled: run.pages_crawled,
            waiting: run.waiting,
            completed_at: run.completed_at.map(crate::clock::Timestamp::as_millis),
            close_reason: run.close_reason.map_or("", crate::audit::model::CloseReason::as_str),
        }
    }

    fn event(&self, is_active: bool) -> Event {
        let name = if is_active { "progress" } else { "end" };
        let text = serde_json::to_string(self).expect("progress is plain data");
        Event::default().event(name).data(text)
    }
}

/// Follows an audit: server-sent events `progress`, whenever it changed, and `end`, which is the last.
#[utoipa::path(get, path = "/api/seo-spider/runs/{runId}/events", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, NoRun>,
        (status = 200, description = "Events.", content_type = "text/event-stream", body = RunProgress)))]
async fn follow_run(
    caller: Caller<ReadDomain>,
    State(app): State<AppState>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>> + use<>>> {
    let run = visible_run(&caller, &app, &id).await?;
    let start = Some((app, run, None));
    let events = futures::stream::unfold(start, |state| async move {
        let (app, run, last) = state?;
        let (run, progress) = changed(&app, run, last).await?;
        let event = progress.event(run.is_active);
        let next = run.is_active.then_some((app, run, Some(progress)));
        Some((Ok(event), next))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// Waits until a run is further than it was; none: the service ends.
async fn changed(app: &AppState, mut run: Run, last: Option<RunProgress>) -> Option<(Run, RunProgress)> {
    loop {
        let progress = RunProgress::of(&run);
        if last.as_ref() != Some(&progress) {
            return Some((run, progress));
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = app.platform.shutdown.cancelled() => return None,
        }
        // A database that is away for a moment is asked again.
        if let Ok(found) = app.audits.find_run(run.id.as_str()).await {
            run = found?;
        }
    }
}

/// What became of a wish to stop.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Cancelled {
    /// Whether it is being stopped; false: it had ended already.
    ok: bool,
    run_id: String,
}

/// Stops an audit. It keeps what it has and ends within seconds, with `closeReason: cancelled`.
#[utoipa::path(post, path = "/api/seo-spider/runs/{runId}/cancel", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, NoRun>, (status = 200, description = "It is being stopped.", body = Cancelled)))]
async fn cancel_run(
    caller: Caller<ReadDomain>,
    State(app): State<AppState>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Json<Cancelled>> {
    let run = visible_run(&caller, &app, &id).await?;
    let ok = app.audits.cancel(&run).await?;
    Ok(Json(Cancelled { ok, run_id: run.id.to_string() }))
}
