//! HTTP of the dashboard: its files on every path that is not an operation, and what only the dashboard asks.

mod agents;
mod policy_test;
mod preview;
mod rules;
mod sites;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, Uri, header};
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;

use super::assets::{self, WebFiles};
use crate::DashboardState;
use platform::api::ApiError;
use platform::api::access::{Access, Credentials, PersonRole, Rate};

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<DashboardState> {
    OpenApiRouter::new()
        .merge(sites::routes())
        .merge(rules::routes())
        .merge(agents::routes())
        .merge(preview::routes())
}

/// Operations of the dashboard alone: a session of any account, 600 a minute.
#[derive(Debug)]
pub(super) struct UseDashboard;

impl Access for UseDashboard {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::Sessions;
    const RATE: Rate = Rate::Beyond;
}

/// Hiding and showing of entries, for everybody of the account.
#[derive(Debug)]
pub(super) struct ChangeDashboard;

impl Access for ChangeDashboard {
    const ROLE: PersonRole = PersonRole::Editor;
    const CREDENTIALS: Credentials = Credentials::Sessions;
    const RATE: Rate = Rate::Beyond;
}

/// Makes an answer that no cache keeps.
fn no_store(body: impl Serialize) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "private, no-store")], Json(body))
}

/// Responds on every path that has no operation: 404 below those of the API and the probes and where middlewares of
/// Prerender ask, else the dashboard.
pub async fn answer_other_path(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    let is_below =
        |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if ["/api", "/healthz", "/readyz"].into_iter().any(is_below) || is_of_prerender(path) {
        return ApiError::not_found().into_response();
    }
    assets::respond::<WebFiles>(&method, path, &headers)
}

/// Decides whether a path is one of Prerender's interface: an address, or an operation. A middleware that got the
/// dashboard there would hand it to crawlers.
fn is_of_prerender(path: &str) -> bool {
    let name = path.trim_matches('/');
    let start: Vec<u8> = percent_encoding::percent_decode_str(name).take(7).collect();
    let is_address =
        |scheme: &[u8]| start.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
    matches!(name, "render" | "recache" | "sitemap" | "cache-clear")
        || is_address(b"http:/")
        || is_address(b"https:/")
}
