//! HTTP of reports: the list of a domain with the state of today's, and one report in the form that is asked for.

use crate::reporting::MentionReports;
use ::domains::DomainsService;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::MentionsState;
use crate::access::ReadMentions;
use crate::report::payload::VisibilityReport;
use crate::report::{date_text, formats};
use crate::reporting::ReportRow;
use ::domains::{DomainAccess, DomainId, RequestedDomain};
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppPath, AppQuery};
use platform::clock::Timestamp;

const DEFAULT_LIMIT: u32 = 30;
const MAX_LIMIT: u32 = 100;
/// Content security policy of a page with untrusted text: no script runs, and nothing is fetched.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox",
);

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new().routes(routes!(list_reports)).routes(routes!(get_report))
}

own_errors! {
    /// Refusals of the list.
    NotListed: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned;
    /// Refusals of an operation about one report, by its id.
    NoReport: InvalidRequest, ApiKeyDomainScopeMismatch, NotFound;
}

/// Domain and number of reports.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ReportsQuery {
    /// Domain of the account.
    #[param(example = "lumadocs.io")]
    domain: String,
    /// Most reports of the answer.
    #[param(minimum = 1, maximum = 100, default = 30)]
    limit: Option<u32>,
}

/// Form of a report.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ReportQuery {
    /// `json`, `markdown` or `html`; `json` unless given. HTML is one file that prints, without scripts and links.
    #[param(example = "json")]
    format: Option<String>,
}

/// A visibility report as it is stored.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReportItem {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    id: String,
    /// Last day of the seven that the report covers, `YYYY-MM-DD`.
    #[schema(examples("2026-11-17"))]
    date_utc: String,
    /// Always `auto`.
    #[schema(examples("auto"))]
    report_type: String,
    /// First day of the seven.
    #[schema(examples("2026-11-11"))]
    week_start_utc: String,
    /// JSON in its canonical form. Fields: schema `VisibilityReport`, version `v3`.
    #[schema(examples("{\"analysisVersion\":1,\"domain\":\"lumadocs.io\",\"version\":\"v3\"}"))]
    report_json: String,
    /// Always empty: `format=markdown` writes the text of a report.
    #[schema(examples(""))]
    report_markdown: &'static str,
    created_at: Timestamp,
}

/// State of the report of the seven days that end today, UTC.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TodayStatus {
    /// The report has been built.
    has_report: bool,
    /// No run of these days is queued, running or answered.
    runs_complete: bool,
    /// Null: there is none yet.
    report_id: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReportList {
    /// Newest first.
    reports: Vec<ReportItem>,
    today_status: TodayStatus,
}

impl From<ReportRow> for ReportItem {
    fn from(row: ReportRow) -> ReportItem {
        ReportItem {
            id: row.id,
            date_utc: date_text(row.day),
            report_type: row.report_type,
            week_start_utc: date_text(row.week_start),
            report_json: row.payload,
            report_markdown: "",
            created_at: Timestamp::from_millis(row.created_at),
        }
    }
}

/// Lists the visibility reports of a domain.
///
/// A day has one report, of the seven days up to it. Today's is built within a minute after the last open run of these
/// days has ended, at most every ten minutes; yesterday's for the last time after midnight, UTC.
#[utoipa::path(get, path = "/api/ai-mentions/reports", tag = "AI mentions", params(ReportsQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, NotListed>, (status = 200, description = "The reports.", body = ReportList)))]
async fn list_reports(
    caller: Caller<ReadMentions>,
    State(domains): State<DomainsService>,
    State(mention_reports): State<MentionReports>,
    AppQuery(query): AppQuery<ReportsQuery>,
) -> ApiResult<Json<ReportList>> {
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ApiError::invalid_parameter("limit", format!("must be from 1 to {MAX_LIMIT}")));
    }
    let requested = RequestedDomain::named(&query.domain);
    let site = requested.site(&caller, &domains, DomainAccess::Read).await?;
    let found = mention_reports.list(&site.domain.id, limit).await?;
    let today = mention_reports.today(&site.domain.id).await?;
    Ok(Json(ReportList {
        reports: found.into_iter().map(ReportItem::from).collect(),
        today_status: TodayStatus {
            has_report: today.id.is_some(),
            runs_complete: today.runs_complete,
            report_id: today.id,
        },
    }))
}

/// Form in which a report is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportFormat {
    Json,
    Markdown,
    Html,
}

/// Returns one visibility report.
///
/// Names, questions and quotes in it are other people's words: Markdown and HTML have them as plain text.
#[utoipa::path(get, path = "/api/ai-mentions/reports/{reportId}", tag = "AI mentions",
    params(("reportId" = String, Path, description = "The report."), ReportQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, NoReport>,
        (status = 200, description = "The report.", content(
            (VisibilityReport = "application/json"), (String = "text/markdown"), (String = "text/html")))))]
async fn get_report(
    caller: Caller<ReadMentions>,
    State(mention_reports): State<MentionReports>,
    State(domains): State<DomainsService>,
    AppPath(id): AppPath<String>,
    AppQuery(query): AppQuery<ReportQuery>,
) -> ApiResult<Response> {
    let format = match query.format.as_deref() {
        None | Some("json") => ReportFormat::Json,
        Some("markdown") => ReportFormat::Markdown,
        Some("html") => ReportFormat::Html,
        Some(_) => return Err(ApiError::invalid_parameter("format", "must be json, markdown or html")),
    };
    let row = mention_reports.find(&id).await?.ok_or_else(ApiError::not_found)?;
    let domain = domains.find_by_id(&DomainId::from(row.domain_id.as_str())).await?;
    let domain = domain.filter(|domain| caller.seen_account().has(&domain.account_id, &domain.host));
    let domain = domain.ok_or_else(ApiError::not_found)?;
    caller.check_scope(&domain.host)?;
    let (media_type, body) = written(row, format).map_err(ApiError::internal)?;
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (CONTENT_SECURITY_POLICY, PAGE_POLICY),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
    ];
    Ok((headers, body).into_response())
}

/// Writes a report. Fails for one that another version wrote, whose fields are not known.
fn written(row: ReportRow, format: ReportFormat) -> serde_json::Result<(&'static str, String)> {
    let report = || serde_json::from_str::<VisibilityReport>(&row.payload);
    Ok(match format {
        ReportFormat::Markdown => ("text/markdown; charset=utf-8", formats::markdown(&report()?)),
        ReportFormat::Html => ("text/html; charset=utf-8", formats::html(&report()?)),
        ReportFormat::Json => ("application/json", row.payload),
    })
}
