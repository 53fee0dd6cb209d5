//! HTTP API of crawler analytics: the four reports, further reports, and the public token that opens the four and the badge.

mod badge;
mod crawling;
mod export;
mod live;
mod logs;
mod pages;
mod policy;
mod question;
mod reports;
mod stats_token;
mod timeline;

use utoipa_axum::router::OpenApiRouter;

use crate::AnalyticsState;

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new()
        .merge(reports::routes())
        .merge(badge::routes())
        .merge(crawling::routes())
        .merge(timeline::routes())
        .merge(pages::routes())
        .merge(policy::routes())
        .merge(live::routes())
        .merge(logs::routes())
        .merge(export::routes())
        .merge(stats_token::routes())
}

#[cfg(test)]
mod tests;
