//! HTTP of AI mentions: one file per resource.

mod prompt_runs;
mod prompts;
mod providers;
mod reading;
mod reports;
mod running;
mod settings;

pub use prompt_runs::PromptRunDetails;
use utoipa_axum::router::OpenApiRouter;

use crate::MentionsState;
use crate::model::UtcDay;
use analytics::model::parse_day;
use platform::api::{ApiError, ApiResult};

/// Returns the operations of this feature, one line per file.
pub fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new()
        .merge(prompts::routes())
        .merge(running::routes())
        .merge(prompt_runs::routes())
        .merge(providers::routes())
        .merge(settings::routes())
        .merge(reading::routes())
        .merge(reports::routes())
}

/// Returns 400 `invalid_request` with every problem of a body.
fn refuse_body(issues: Vec<(String, String)>) -> ApiError {
    ApiError::invalid_request(issues)
}

/// Reads an optional day of a query.
fn read_day(name: &str, text: Option<&str>) -> ApiResult<Option<UtcDay>> {
    let read = |text| {
        parse_day(text).ok_or_else(|| ApiError::invalid_parameter(name, "must be a day such as 2026-11-20"))
    };
    text.map(read).transpose()
}
