//! HTTP of crawler analytics: the four reports, and the public token that opens them.

mod reports;
mod stats_token;

use utoipa_axum::router::OpenApiRouter;

use crate::app::AppState;

/// The operations of this feature.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().merge(reports::routes()).merge(stats_token::routes())
}

#[cfg(test)]
mod tests;
