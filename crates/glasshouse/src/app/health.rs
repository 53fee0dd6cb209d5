//! How the service itself is: for load balancers and for people. No credential needed, nothing about customers told.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use crawler::errors::one_line;
use http::{StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::AppState;

/// How long a part may take to answer before it counts as away.
const PATIENCE: Duration = Duration::from_secs(5);

/// The operations of this file.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(get_health)).routes(routes!(get_readiness))
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
    responses((status = 200, description = "The process is up.", body = Health)))]
async fn get_health() -> impl IntoResponse {
    no_store(Json(Health { ok: true, version: env!("CARGO_PKG_VERSION") }))
}

/// Whether each part that requests need is usable.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Readiness {
    /// All parts are usable.
    ok: bool,
    database: PartHealth,
    /// The store of snapshots.
    object_store: PartHealth,
    browser: PartHealth,
    /// Where visits of crawlers are kept.
    visit_store: PartHealth,
}

/// How one part is.
#[derive(Serialize, ToSchema)]
#[schema(as = Part)]
struct PartHealth {
    /// It can be used.
    ok: bool,
    /// What is wrong, when something is.
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
#[utoipa::path(get, path = "/readyz", tag = "Service", security(()), responses(
    (status = 200, description = "Everything is usable.", body = Readiness),
    (status = 503, description = "Something is not.", body = Readiness),
))]
async fn get_readiness(State(app): State<AppState>) -> impl IntoResponse {
    let platform = &app.platform;
    let (database, object_store, browser, visit_store) = tokio::join!(
        tokio::time::timeout(PATIENCE, platform.db.ping()),
        tokio::time::timeout(PATIENCE, platform.blobs.check()),
        tokio::time::timeout(PATIENCE, platform.renderer.health()),
        tokio::time::timeout(PATIENCE, app.visits.check()),
    );
    let browser = match browser {
        // Its isolation from the machine may be incomplete. That is reported, but requests can be served.
        Ok(health) if health.usable => PartHealth { ok: true, problem: health.problem },
        Ok(health) => {
            PartHealth { ok: false, problem: health.problem.or(Some("it cannot be used".to_owned())) }
        }
        Err(_) => PartHealth { ok: false, problem: Some("it does not answer".to_owned()) },
    };
    let (database, object_store) = (PartHealth::from(database), PartHealth::from(object_store));
    let visit_store = PartHealth::from(visit_store);
    let visit_store =
        PartHealth { problem: visit_store.problem.or_else(|| app.recorder.problem()), ..visit_store };
    // Pages are served without the visit store: visits wait on the disk, and reports say that they are away.
    let ok = database.ok && object_store.ok && browser.ok;
    let status = if ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, no_store(Json(Readiness { ok, database, object_store, browser, visit_store })))
}

fn no_store(body: impl IntoResponse) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "no-store")], body)
}
