//! Health of the service: for load balancers and for people, on the API's listener and the metrics listener. No credential
//! needed, nothing about customers told.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use crawler::errors::one_line;
use http::{HeaderValue, Request, StatusCode, header};
use serde::Serialize;
use tokio::sync::Mutex;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use analytics::{Recorder, VisitStore};
use edge::Certificates;
use platform::Platform;
use platform::api::metrics;
use platform::clock::Timestamp;
use platform::follow::Follower;

/// Time within which a part must answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Age up to which a result answers further requests.
const RESULT_KEPT_FOR: Duration = Duration::from_secs(2);
/// Time between two checks of the object store that write. In between it is only read.
const WRITE_EVERY: Duration = Duration::from_secs(60);
/// Seconds after which a balancer may find a process that starts ready.
const ASK_AGAIN_SECONDS: &str = "2";

/// The readiness check and its last result, shared by all who ask. Cheap to clone.
///
/// Anybody may ask as often as they like: a request must never cost a check, let alone a write. See docs/decisions/0418.
#[derive(Clone)]
pub struct ReadinessCheck {
    platform: Platform,
    follower: Follower,
    visits: Arc<dyn VisitStore>,
    recorder: Recorder,
    checked: Arc<Mutex<Checked>>,
}

#[derive(Default)]
struct Checked {
    last: Option<(Timestamp, Readiness)>,
    /// Time of the last write to the object store that worked.
    written_at: Option<Timestamp>,
}

impl ReadinessCheck {
    /// Checks these parts. Nothing is checked before somebody asks.
    pub fn new(
        platform: &Platform,
        follower: &Follower,
        visits: &Arc<dyn VisitStore>,
        recorder: &Recorder,
    ) -> ReadinessCheck {
        ReadinessCheck {
            platform: platform.clone(),
            follower: follower.clone(),
            visits: visits.clone(),
            recorder: recorder.clone(),
            checked: Arc::default(),
        }
    }

    /// Returns the last result, or a new one when it is too old. Requests that come meanwhile wait for the same check.
    async fn result(&self) -> Readiness {
        let mut checked = self.checked.clone().lock_owned().await;
        let now = self.platform.clock.now();
        if let Some((at, readiness)) = &checked.last
            && is_recent(*at, now, RESULT_KEPT_FOR)
        {
            return readiness.clone();
        }
        // A task of its own: a client that goes away must not make the next one check again.
        let parts = self.clone();
        let check = self.platform.tasks.spawn(async move {
            let has_written = checked.written_at.is_some_and(|at| is_recent(at, now, WRITE_EVERY));
            let readiness = parts.check_all(has_written).await;
            let ended = parts.platform.clock.now();
            if !readiness.object_store.ok {
                checked.written_at = None;
            } else if !has_written {
                checked.written_at = Some(ended);
            }
            checked.last = Some((ended, readiness.clone()));
            readiness
        });
        check.await.expect("a check of parts does not panic")
    }
}

/// Usability of one part, without details.
#[derive(Debug, Clone, Copy)]
pub struct PartReadiness {
    pub id: &'static str,
    /// True for a part that can be used.
    pub is_usable: bool,
    /// Something is to be said about it, in the log or to an operator.
    pub has_problem: bool,
}

impl ReadinessCheck {
    /// Returns the usability of each part, of the last check or a new one.
    pub async fn parts(&self) -> [PartReadiness; 4] {
        let readiness = self.result().await;
        let part = |id, part: &PartHealth| PartReadiness {
            id,
            is_usable: part.ok,
            has_problem: part.problem.is_some(),
        };
        [
            part("browser", &readiness.browser),
            part("database", &readiness.database),
            part("object_store", &readiness.object_store),
            part("visit_store", &readiness.visit_store),
        ]
    }

    async fn check_all(&self, has_written: bool) -> Readiness {
        let platform = &self.platform;
        let object_store = async {
            match has_written {
                true => platform.blobs.check_reads().await,
                false => platform.blobs.check().await,
            }
        };
        let (database, object_store, browser, visit_store) = tokio::join!(
            tokio::time::timeout(PATIENCE, platform.db.ping()),
            tokio::time::timeout(PATIENCE, object_store),
            tokio::time::timeout(PATIENCE, platform.renderer.health()),
            tokio::time::timeout(PATIENCE, self.visits.check()),
        );
        let browser = match browser {
            // Incomplete isolation from the machine is reported, but requests can be served.
            Ok(health) if health.usable => PartHealth { ok: true, problem: health.problem },
            Ok(health) => {
                PartHealth { ok: false, problem: health.problem.or(Some("it cannot be used".to_owned())) }
            }
            Err(_) => PartHealth { ok: false, problem: Some("it does not answer".to_owned()) },
        };
        let (database, object_store) = (PartHealth::from(database), PartHealth::from(object_store));
        let visit_store = PartHealth::from(visit_store);
        let visit_store =
            PartHealth { problem: visit_store.problem.or_else(|| self.recorder.problem()), ..visit_store };
        // Pages are served without the visit store: visits wait on the disk, and reports say that they are away.
        let ok = database.ok && object_store.ok && browser.ok;
        Readiness { ok, database, object_store, browser, visit_store }
    }
}

/// Decides whether something is no older than `age`. A clock that was set back makes nothing recent for longer.
fn is_recent(at: Timestamp, now: Timestamp, age: Duration) -> bool {
    now >= at && now.since(at) < age
}

/// Returns the operations of this file.
pub fn routes() -> OpenApiRouter<ReadinessCheck> {
    OpenApiRouter::new()
        .routes(routes!(get_health))
        .routes(routes!(get_readiness))
        .routes(routes!(get_traffic_readiness))
}

/// Makes what the metrics listener serves: the health of this process beside its metrics, whatever its roles.
pub fn metrics_routes(readiness: ReadinessCheck, certificates: Option<Certificates>) -> Router {
    let (router, _) = routes().split_for_parts();
    let respond = move |request: Request<axum::body::Body>| async move {
        platform::telemetry::process::publish();
        if let Some(certificates) = certificates {
            certificates.publish_expiry();
        }
        metrics::respond(&request)
    };
    router
        .fallback(respond)
        .method_not_allowed_fallback(|| async { metrics::wrong_method() })
        .with_state(readiness)
}

/// The process is up.
#[derive(Serialize, ToSchema)]
struct Health {
    /// Always true: who answers is up.
    ok: bool,
    /// Version of the program.
    #[schema(examples("0.1.0"))]
    version: &'static str,
}

/// Says that the process is up.
#[utoipa::path(get, path = "/healthz", tag = "Service", security(()),
    responses((status = 200, description = "The process is up.", body = Health),
        (status = "4XX", description = "The head of the request cannot be read.")))]
async fn get_health() -> impl IntoResponse {
    no_store(Json(Health { ok: true, version: env!("CARGO_PKG_VERSION") }))
}

/// Usability of each part that requests need.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Readiness {
    /// All parts are usable.
    ok: bool,
    database: PartHealth,
    /// The store of snapshots.
    object_store: PartHealth,
    browser: PartHealth,
    /// The store of crawler visits.
    visit_store: PartHealth,
}

/// Health of one part.
#[derive(Clone, Serialize, ToSchema)]
#[schema(as = Part)]
struct PartHealth {
    /// True for a part that can be used.
    ok: bool,
    /// Problem of the part, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl PartHealth {
    fn from<E: std::error::Error + 'static>(
        result: Result<Result<(), E>, tokio::time::error::Elapsed>,
    ) -> PartHealth {
        let problem = match result {
            Ok(Ok(())) => None,
            // The details are in the log: this page is public, and errors name addresses and paths.
            Ok(Err(error)) => {
                tracing::warn!(error = %one_line(&error), "a part of the service is not usable");
                Some(error.to_string())
            }
            Err(_) => Some("it does not answer".to_owned()),
        };
        PartHealth { ok: problem.is_none(), problem }
    }
}

/// Says whether requests can be served: database, object store and browser, each for itself.
///
/// The result is at most 2 seconds old.
#[utoipa::path(get, path = "/readyz", tag = "Service", security(()), responses(
    (status = 200, description = "Everything is usable.", body = Readiness),
    (status = "4XX", description = "The head of the request cannot be read."),
    (status = 503, description = "Something is not.", body = Readiness),
))]
async fn get_readiness(State(readiness): State<ReadinessCheck>) -> impl IntoResponse {
    let readiness = readiness.result().await;
    let status = if readiness.ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, no_store(Json(readiness)))
}

/// Readiness of this process alone.
#[derive(Serialize, ToSchema)]
struct TrafficReadiness {
    /// This process can serve visitors.
    ok: bool,
    /// Reason, when it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<NoTraffic>,
}

/// Reason for which a process serves no visitors.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum NoTraffic {
    /// It has not read the domains yet.
    Starting,
    /// It is about to end.
    Draining,
}

/// Says whether this process can serve visitors, for load balancers.
///
/// Database, object store and browser play no part: every process shares them, and without them a process still serves what it
/// holds. A process that was asked to end answers 503 from then on, and takes connections for `server.drain_s`.
#[utoipa::path(get, path = "/readyz/traffic", tag = "Service", security(()), responses(
    (status = 200, description = "This process can serve visitors.", body = TrafficReadiness),
    (status = "4XX", description = "The head of the request cannot be read."),
    (status = 503, description = "It has not read the domains yet, or is about to end. `Retry-After` says when to ask again.",
        body = TrafficReadiness),
))]
async fn get_traffic_readiness(State(readiness): State<ReadinessCheck>) -> Response {
    let reason = match (readiness.platform.draining.has_begun(), readiness.follower.has_read()) {
        (true, _) => Some(NoTraffic::Draining),
        (false, false) => Some(NoTraffic::Starting),
        (false, true) => None,
    };
    let mut response = no_store(Json(TrafficReadiness { ok: reason.is_none(), reason })).into_response();
    if reason.is_some() {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(ASK_AGAIN_SECONDS));
    }
    response
}

fn no_store(body: impl IntoResponse) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "no-store")], body)
}
