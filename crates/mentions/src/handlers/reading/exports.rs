//! HTTP of exports: everything of one kind, streamed part by part.

use crate::reading::MentionReading;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::explore::unit_of;
use super::question::{FilterQuery, MentionQuery, MentionQuestion, NotRead};
use crate::MentionsState;
use crate::access::ReadMentions;
use crate::reading::{ExportFormat, ExportKind, ReadingFilter};
use platform::api::openapi::Refusals;
use platform::api::{ApiError, ApiResult};

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new().routes(routes!(export_mentions))
}

/// Content, form and filters of an export.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct MentionExportQuery {
    /// Name of the domain, or of its `www.` twin.
    #[param(example = "lumadocs.io")]
    domain: String,
    /// `prompts`, `runs`, `citations`, `stats`, `sources` or `queries`.
    #[param(example = "runs")]
    what: String,
    /// `csv` or `ndjson`; `csv` unless given.
    format: Option<String>,
    /// Sources only: `domain` or `page`; `domain` unless given.
    by: Option<String>,
    /// First UTC day; 30 days ago unless given. Prompts are exported whatever the days are.
    from: Option<String>,
    /// Last UTC day; today unless given.
    to: Option<String>,
    /// One provider; all unless given.
    provider: Option<String>,
    /// A tag that prompts have, as a whole.
    tag: Option<String>,
    /// `info`, `trans` or `comm`.
    intent: Option<String>,
    /// `true`: prompts that name the own brand; `false`: those that do not.
    branded: Option<String>,
}

impl MentionExportQuery {
    fn parse(&self) -> ApiResult<(ExportKind, ExportFormat)> {
        let unit = unit_of(self.by.as_deref())?;
        let kind = match self.what.as_str() {
            "prompts" => ExportKind::Prompts,
            "runs" => ExportKind::Runs,
            "citations" => ExportKind::Citations,
            "stats" => ExportKind::Stats,
            "sources" => ExportKind::Sources(unit),
            "queries" => ExportKind::Queries,
            _ => {
                return Err(ApiError::invalid_parameter(
                    "what",
                    "must be prompts, runs, citations, stats, sources or queries",
                ));
            }
        };
        match self.format.as_deref() {
            None | Some("csv") => Ok((kind, ExportFormat::Csv)),
            Some("ndjson") => Ok((kind, ExportFormat::Ndjson)),
            Some(_) => Err(ApiError::invalid_parameter("format", "must be csv or ndjson")),
        }
    }
}

impl MentionQuery for MentionExportQuery {
    fn filter(&self) -> FilterQuery {
        let query = self.clone();
        FilterQuery {
            domain: query.domain,
            from: query.from,
            to: query.to,
            provider: query.provider,
            tag: query.tag,
            intent: query.intent,
            branded: query.branded,
        }
    }

    fn check(&self, _filter: &ReadingFilter) -> ApiResult<()> {
        self.parse().map(drop)
    }
}

/// Exports AI mentions.
///
/// Everything of one kind in the window. Exported prompts can be imported again. In CSV a cell that a spreadsheet would
/// compute (it begins with `=`, `+`, `-` or `@`) begins with an apostrophe.
#[utoipa::path(get, path = "/api/ai-mentions/export", tag = "AI mentions", params(MentionExportQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, NotRead>,
        (status = 200, description = "The export; `application/x-ndjson` with `format=ndjson`.",
            content_type = "text/csv", body = String,
            example = "query,answers,namedIn,providers,promptIds,tracked\r\n\"best docs tool\",\"12\",\"4\",\"chatgpt\",\"01\",\"false\"\r\n")))]
async fn export_mentions(
    question: MentionQuestion<MentionExportQuery>,
    State(mention_reading): State<MentionReading>,
) -> ApiResult<Response> {
    let (kind, format) = question.query.parse()?;
    let domain = question.domain().clone();
    let host = domain.host.clone();
    let mut parts = Box::pin(mention_reading.export(domain, question.filter, kind, format).fuse());
    // A database that cannot be read fails the request before the answer begins.
    let first: Bytes = parts.next().await.transpose()?.unwrap_or_default();
    let (media_type, ending) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv"),
        ExportFormat::Ndjson => ("application/x-ndjson", "ndjson"),
    };
    let file = format!("attachment; filename=\"{host}-{}.{ending}\"", question.query.what);
    let body = Body::from_stream(futures::stream::iter([Ok(first)]).chain(parts));
    Ok(([(CONTENT_TYPE, media_type.to_owned()), (CONTENT_DISPOSITION, file)], body).into_response())
}
