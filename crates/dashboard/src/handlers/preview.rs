//! HTTP of pictures in previews of shared links.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::DashboardState;
use accounts::callers::Caller;
use domains::{DomainAccess, RequestedDomain};
use platform::api::access::SharedLimit;
use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppQuery, ErrorCode, untrusted_bytes};

/// Returns the operation of this file.
pub(super) fn routes() -> OpenApiRouter<DashboardState> {
    OpenApiRouter::new().routes(routes!(get_preview_image))
}

own_errors! {
    NoPreviewImage: InvalidRequest, FetchFailed, DomainNotOwned, NotFound;
}

/// Fetching of pictures: a session, 60 a minute.
#[derive(Debug)]
struct SeePictures;

impl Access for SeePictures {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::Sessions;
    const RATE: Rate =
        Rate::Shared(SharedLimit { name: "preview-image", per_minute: 60, per_minute_of_sessions: 60 });
}

/// Domain and picture.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PictureQuery {
    /// Domain of the account.
    #[param(example = "shop.example")]
    domain: String,
    /// Absolute address of the picture.
    #[param(example = "https://shop.example/cover.png")]
    url: String,
}

/// Returns the picture that a page's social tags name.
///
/// Only pictures that a page of the domain's last audit names are fetched: PNG, JPEG, WebP, GIF or AVIF by their first
/// bytes, at most 5 MiB, within 5 s.
#[utoipa::path(get, path = "/api/dashboard/preview-image", tag = "Dashboard", params(PictureQuery),
    security(("session" = [])),
    responses(Refusals::<SeePictures, NoPreviewImage>,
        (status = 200, description = "The picture.", content_type = "image/png", body = String)))]
async fn get_preview_image(
    caller: Caller<SeePictures>,
    State(app): State<DashboardState>,
    AppQuery(query): AppQuery<PictureQuery>,
) -> ApiResult<Response> {
    let url = crawler::url::parse_target(&query.url, app.config.limits.url_bytes)
        .map_err(|error| ApiError::invalid_parameter("url", error.to_string()))?;
    let site = RequestedDomain::named(&query.domain).site(&caller, &app.domains, DomainAccess::Read).await?;
    let audited = app.audits.latest_run(&site.domain.id).await?.ok_or_else(ApiError::not_found)?;
    if !audited.names_social_image(&url).await? {
        return Err(ApiError::not_found());
    }
    let image = app.dashboard.previews.fetch(url).await;
    let image = image.ok_or_else(|| ApiError::new(ErrorCode::FetchFailed))?;
    Ok(untrusted_bytes(image.media_type, image.bytes))
}
