//! HTTP of AI mentions: one file per resource.

mod reports;

use utoipa_axum::router::OpenApiRouter;

use crate::app::AppState;

/// The operations of this feature, one line per file.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().merge(reports::routes())
}
