//! HTTP of exports: everything of one kind that a run has, streamed part by part.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{RunNotRead, visible_run};
use crate::api::access::ReadDomain;
use crate::api::openapi::Refusals;
use crate::api::{ApiError, ApiResult, AppPath, AppQuery, Caller, Issue};
use crate::app::AppState;
use crate::audit::service::{AuditExport, AuditExportFormat};

/// The operations of this file.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(export_run))
}

/// What, and in which form.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AuditExportQuery {
    /// `pages`, `findings`, `links`, `redirects`, `images`, `hreflang` or `sitemap`.
    what: String,
    /// `csv`, `ndjson`, or `xml` for a sitemap; `csv` unless given, `xml` for a sitemap.
    format: Option<String>,
}

impl AuditExportQuery {
    fn parse(&self) -> ApiResult<(AuditExport, AuditExportFormat)> {
        let invalid = |path: &str, message: &str| ApiError::invalid_request(vec![Issue::new(path, message)]);
        let what = AuditExport::parse(&self.what).ok_or_else(|| {
            invalid("what", "must be pages, findings, links, redirects, images, hreflang or sitemap")
        })?;
        let usual =
            if what == AuditExport::Sitemap { AuditExportFormat::Xml } else { AuditExportFormat::Csv };
        let format = self.format.as_deref().map_or(Some(usual), AuditExportFormat::parse);
        match format {
            Some(AuditExportFormat::Xml) if what != AuditExport::Sitemap => {
                Err(invalid("format", "is for a sitemap only"))
            }
            Some(format) => Ok((what, format)),
            None => Err(invalid("format", "must be csv, ndjson or xml")),
        }
    }
}

/// Exports a run.
#[utoipa::path(get, path = "/api/seo-spider/runs/{runId}/export", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run."), AuditExportQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, RunNotRead>,
        (status = 200, description = "The export.", content_type = "text/csv", body = String)))]
async fn export_run(
    caller: Caller<ReadDomain>,
    State(app): State<AppState>,
    AppPath(id): AppPath<String>,
    AppQuery(query): AppQuery<AuditExportQuery>,
) -> ApiResult<Response> {
    let (what, format) = query.parse()?;
    let run = visible_run(&caller, &app, &id).await?;
    let mut parts = Box::pin(app.audits.export(&run, what, format).fuse());
    // A store that cannot be read is told before the answer begins.
    let first: Bytes = parts.next().await.transpose()?.unwrap_or_default();
    let (media_type, ending) = match format {
        AuditExportFormat::Csv => ("text/csv; charset=utf-8", "csv"),
        AuditExportFormat::Ndjson => ("application/x-ndjson", "ndjson"),
        AuditExportFormat::Xml => ("application/xml", "xml"),
    };
    let file = format!("attachment; filename=\"{}-{}.{ending}\"", run.host, query.what);
    let body = Body::from_stream(futures::stream::iter([Ok(first)]).chain(parts));
    Ok(([(CONTENT_TYPE, media_type.to_owned()), (CONTENT_DISPOSITION, file)], body).into_response())
}
