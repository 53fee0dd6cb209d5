//! HTTP of reading: statistics and trend, sources and searches, suggestions, exports.

mod explore;
mod exports;
mod question;
mod stats;
mod suggestions;

use utoipa_axum::router::OpenApiRouter;

use crate::MentionsState;

/// Returns the operations of this folder.
pub fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new()
        .merge(stats::routes())
        .merge(explore::routes())
        .merge(suggestions::routes())
        .merge(exports::routes())
}
