//! HTTP of AI mentions: one file per resource.

use utoipa_axum::router::OpenApiRouter;

use crate::app::AppState;

/// The operations of this feature, one line per file.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
}
