//! HTTP API of the export: every row of a domain's visits as a file, one day at a time. For sessions and keys.

use axum::body::Body;
use axum::extract::State;
use axum::response::IntoResponse;
use bytes::Bytes;
use futures::stream::{self, StreamExt};
use http::header;
use parquet::errors::ParquetError;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::question::{NotAnswered, Question, ReportQuery, Span};
use crate::AnalyticsState;
use crate::access::ReadAnalytics;
use crate::export::ExportFile;
use crate::model::{Day, date_of};
use crate::service::Analytics;
use crate::stores::VisitError;
use domains::DomainId;
use platform::api::openapi::Refusals;
use platform::api::{ApiError, ApiResult};

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new().routes(routes!(export_visits))
}

/// Domain, days and format of an export.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportQuery {
    /// Domain of the account.
    #[param(required, example = "shop.example")]
    domain: Option<String>,
    /// First day, `yyyy-mm-dd`; 30 days ago unless given.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Last day, `yyyy-mm-dd`; today unless given.
    #[param(example = "2026-11-20")]
    to: Option<String>,
    /// Format of the file; `csv` unless given.
    #[param(inline)]
    #[serde(default)]
    format: ExportFormat,
}

/// Format of an exported file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ExportFormat {
    /// Comma-separated, with a header line.
    #[default]
    Csv,
    /// Apache Parquet.
    Parquet,
}

impl ReportQuery for ExportQuery {
    fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    fn span(&self) -> Span<'_> {
        Span::Dates(self.from.as_deref(), self.to.as_deref())
    }
}

/// Exports visits: one row per day, page, crawler, verification, source of the answer and status.
///
/// The columns are `day`, `path`, `crawler`, `provider`, `verified` (`yes`, `no`: an impostor, or `unknown`), `servedBy`,
/// `status` and `visits`. The file is streamed day by day; a response that breaks off is not complete.
#[utoipa::path(get, path = "/api/analytics/export", tag = "Analytics", params(ExportQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadAnalytics, NotAnswered>,
        (status = 200, description = "The file.", content(
            (String = "text/csv", example = "day,path,crawler,provider,verified,servedBy,status,visits\n2026-11-20,/pricing,gptbot,openai,yes,cache,200,3\n"),
            (Vec<u8> = "application/vnd.apache.parquet")))))]
async fn export_visits(
    Question { query, window, domain, name, .. }: Question<ExportQuery>,
    State(app): State<AnalyticsState>,
) -> ApiResult<impl IntoResponse> {
    let (kind, ending, file) = match query.format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv", ExportFile::Csv),
        ExportFormat::Parquet => {
            let file = ExportFile::parquet().map_err(ExportError::File)?;
            ("application/vnd.apache.parquet", "parquet", file)
        }
    };
    let file_name = format!("visits-{name}-{}-{}.{ending}", date_of(window.0), date_of(window.1));
    let (first, last) = app.analytics.kept_days(window);
    let export = Export { analytics: app.analytics.clone(), domain, file, next: Next::Head(first), last };
    // The first piece with rows is made before the response starts, so that an error until then has its own status.
    let (head, export) = export.piece().await?;
    let (second, export) = export.piece().await?;
    let rest = stream::try_unfold(export, |export| async move {
        match export.next {
            Next::Nothing => Ok(None),
            _ => export.piece().await.map(Some),
        }
    });
    let begun = stream::iter([Ok::<_, ExportError>(head), Ok(second)]);
    let pieces = begun.chain(rest).filter(|piece| {
        let is_empty = piece.as_ref().is_ok_and(Bytes::is_empty);
        async move { !is_empty }
    });
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{file_name}\"")),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    Ok((headers, Body::from_stream(pieces)))
}

/// Export that is being streamed.
struct Export {
    analytics: Analytics,
    domain: DomainId,
    file: ExportFile,
    next: Next,
    last: Day,
}

/// Reason why an export breaks off.
#[derive(Debug, thiserror::Error)]
enum ExportError {
    #[error("visits could not be read")]
    Read(#[from] VisitError),
    #[error("the file could not be written")]
    File(#[from] ParquetError),
}

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> ApiError {
        match error {
            ExportError::Read(error) => error.into(),
            ExportError::File(error) => ApiError::internal(error.to_string()),
        }
    }
}

/// Next piece of a file.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// Head of the file, before the first day.
    Head(Day),
    Day(Day),
    Nothing,
}

impl Export {
    /// Makes the next piece; it may be empty.
    async fn piece(mut self) -> Result<(Bytes, Export), ExportError> {
        let (bytes, next) = match self.next {
            Next::Head(first) => (self.file.head(), Next::Day(first)),
            Next::Day(day) if day <= self.last => {
                let rows = self.analytics.export_day(&self.domain, day).await?;
                (self.file.add(&rows), Next::Day(day + 1))
            }
            Next::Day(_) | Next::Nothing => (self.file.end(), Next::Nothing),
        };
        self.next = next;
        Ok((bytes?.into(), self))
    }
}
