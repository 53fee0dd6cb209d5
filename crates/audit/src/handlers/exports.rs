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

use super::runs::PagesQuery;
use super::{RunNotRead, visible_run};
use crate::AuditState;
use crate::service::{AuditExport, AuditExportFormat, ExportRequest, count_sitemap_files};
use accounts::callers::Caller;
use platform::api::access::ReadDomain;
use platform::api::openapi::Refusals;
use platform::api::{ApiError, ApiResult, AppPath, AppQuery};

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AuditState> {
    OpenApiRouter::new().routes(routes!(export_run))
}

/// Kind and form of the export.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct AuditExportQuery {
    /// `pages`, `findings`, `links`, `external` (links to other hosts), `resources` (scripts, style sheets, pictures, films and
    /// documents), `redirects`, `images`, `hreflang` or `sitemap`.
    #[param(example = "pages")]
    what: String,
    /// `csv`, `ndjson`, or `xml` for a sitemap; `csv` unless given, `xml` for a sitemap.
    format: Option<String>,
    /// Pages only: text in their path, in any case.
    #[param(max_length = 500)]
    search: Option<String>,
    /// Pages and findings only: id of an issue.
    #[param(example = "META_DESC_MISSING")]
    issue_id: Option<String>,
    /// Pages only: field to sort by, or `lastCrawlerVisit`; `path` unless given.
    sort: Option<String>,
    /// Pages only: `asc` or `desc`.
    order: Option<String>,
    /// Pages only: fields, separated by commas, or `lastCrawlerVisit`; all unless given.
    #[param(example = "path,healthScore")]
    fields: Option<String>,
    /// Sitemaps with more than 50,000 addresses only: number of the file, from 1. Without it the answer is then the
    /// index of the files, `sitemap-1.xml` and so on at the root of the site.
    #[param(minimum = 1)]
    part: Option<usize>,
}

impl AuditExportQuery {
    fn parse(self) -> ApiResult<ExportRequest> {
        let invalid = ApiError::invalid_parameter;
        let what = AuditExport::parse(&self.what).ok_or_else(|| {
            invalid(
                "what",
                "must be pages, findings, links, external, resources, redirects, images, hreflang or sitemap",
            )
        })?;
        let usual =
            if what == AuditExport::Sitemap { AuditExportFormat::Xml } else { AuditExportFormat::Csv };
        let format = self.format.as_deref().map_or(Some(usual), AuditExportFormat::parse);
        let format = format.ok_or_else(|| invalid("format", "must be csv, ndjson or xml"))?;
        if format == AuditExportFormat::Xml && what != AuditExport::Sitemap {
            return Err(invalid("format", "is for a sitemap only"));
        }
        let of_pages = [
            ("search", self.search.is_some()),
            ("sort", self.sort.is_some()),
            ("order", self.order.is_some()),
            ("fields", self.fields.is_some()),
        ];
        let misplaced = of_pages.iter().find(|(_, is_given)| *is_given && what != AuditExport::Pages);
        if let Some((name, _)) = misplaced {
            return Err(invalid(name, "is for pages only"));
        }
        if self.issue_id.is_some() && !matches!(what, AuditExport::Pages | AuditExport::Findings) {
            return Err(invalid("issueId", "is for pages and findings only"));
        }
        if self.part.is_some() && what != AuditExport::Sitemap {
            return Err(invalid("part", "is for a sitemap only"));
        }
        let part = self.part;
        let pages = PagesQuery::of_export(self.search, self.issue_id, self.sort, self.order, self.fields);
        pages.check()?;
        Ok(ExportRequest { what, format, filter: pages.filter(), fields: pages.field_names(), part })
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
    State(app): State<AuditState>,
    AppPath(id): AppPath<String>,
    AppQuery(query): AppQuery<AuditExportQuery>,
) -> ApiResult<Response> {
    let mut name = query.what.clone();
    let request = query.parse()?;
    let run = visible_run(&caller, &app.domains, &app.reader, &id).await?;
    if let Some(part) = request.part {
        if !(1..=count_sitemap_files(&app.reader, &run).await?).contains(&part) {
            return Err(ApiError::invalid_parameter("part", "is no file of the sitemap"));
        }
        name = format!("{name}-{part}");
    }
    let format = request.format;
    let call = match request.filter.order {
        Some(_) => Some(app.callers.rate_limits.long_calls.wait(caller.account()).await?),
        None => None,
    };
    let mut parts = Box::pin(request.stream(&app.reader, &run).await?.fuse());
    drop(call);
    // A store that cannot be read fails the request before the answer begins.
    let first: Bytes = parts.next().await.transpose()?.unwrap_or_default();
    let (media_type, ending) = match format {
        AuditExportFormat::Csv => ("text/csv; charset=utf-8", "csv"),
        AuditExportFormat::Ndjson => ("application/x-ndjson", "ndjson"),
        AuditExportFormat::Xml => ("application/xml", "xml"),
    };
    let file = format!("attachment; filename=\"{}-{}.{ending}\"", run.host, name);
    let body = Body::from_stream(futures::stream::iter([Ok(first)]).chain(parts));
    Ok(([(CONTENT_TYPE, media_type.to_owned()), (CONTENT_DISPOSITION, file)], body).into_response())
}
