//! HTTP of runs: listing them, and reading one with everything that was found in its answer.

use crate::Mentions;
use ::domains::DomainsService;
use std::collections::BTreeMap;

use assistants::analysis::{BrandKind, Citation, SourceKind};
use assistants::providers::{Provider, Usd};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, TryStreamExt};
use http::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::read_day;
use crate::MentionsState;
use crate::access::ReadMentions;
use crate::budgets::start_of_day;
use crate::model::UtcDay;
use crate::service::analysing::answer::RunDetails;
use crate::service::history::{self, RunListRow, RunRow, RunSelection};
use ::domains::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppPath, AppQuery};
use platform::clock::Timestamp;

/// Maximum number of runs of one answer, and their number unless fewer are wanted.
const MAX_LIMIT: u32 = 5_000;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new().routes(routes!(list_prompt_runs)).routes(routes!(get_prompt_run))
}

own_errors! {
    PromptRunsNotListed: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned;
    PromptRunNotRead: ApiKeyDomainScopeMismatch, NotFound;
}

/// Runs that are wanted. All filters hold together.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct RunQuery {
    /// Domain of the account.
    #[param(example = "shop.example")]
    domain: String,
    /// Only runs of this prompt, which may be deleted.
    prompt_id: Option<String>,
    /// Only runs of this assistant.
    #[param(example = "chatgpt")]
    provider: Option<String>,
    /// Only runs of this UTC day.
    #[param(example = "2026-11-20")]
    date: Option<String>,
    /// Only runs of this UTC day and later.
    #[param(example = "2026-11-01")]
    from: Option<String>,
    /// Only runs of this UTC day and earlier.
    #[param(example = "2026-11-20")]
    to: Option<String>,
    /// Runs in the answer, 1 to 5,000 (default).
    #[param(minimum = 1, maximum = 5000)]
    limit: Option<u32>,
    /// Runs that are left out.
    offset: Option<u32>,
}

/// Filters that were read.
struct RunFilter {
    provider: &'static str,
    days: (UtcDay, UtcDay),
    part: (i64, i64),
}

impl RunQuery {
    fn check(&self) -> ApiResult<RunFilter> {
        let provider = match self.provider.as_deref() {
            None => "",
            Some(name) => {
                let read = name.parse::<Provider>();
                read.map_err(|error| ApiError::invalid_parameter("provider", error.to_string()))?.as_str()
            }
        };
        let date = read_day("date", self.date.as_deref())?;
        let from = read_day("from", self.from.as_deref())?;
        let to = read_day("to", self.to.as_deref())?;
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(ApiError::invalid_parameter("from", "is after to"));
        }
        let limit = self.limit.unwrap_or(MAX_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(ApiError::invalid_parameter("limit", format!("must be from 1 to {MAX_LIMIT}")));
        }
        let first = from.into_iter().chain(date).max().unwrap_or(UtcDay::MIN);
        let last = to.into_iter().chain(date).min().unwrap_or(UtcDay::MAX);
        let part = (i64::from(limit), i64::from(self.offset.unwrap_or(0)));
        Ok(RunFilter { provider, days: (first, last), part })
    }
}

/// A run: one question to one assistant.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PromptRunView {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    id: String,
    prompt_id: String,
    /// UTC day of its slot.
    #[schema(examples("2026-11-20"))]
    date_utc: String,
    #[schema(examples("chatgpt"))]
    provider: String,
    /// `queued`, `running`, `answered` (its analysis is not complete), `ok` or `error`.
    #[schema(examples("ok"))]
    status: String,
    /// The answer, in Markdown.
    raw_response: String,
    /// Rank of the own brand among the brands of the answer, by first appearance; 0: not named.
    #[schema(examples(2))]
    mention_position: i64,
    /// Sources that the answer cites.
    #[schema(examples(4))]
    citation_count: i64,
    /// Tone towards the own brand, -1 to 1.
    #[schema(examples(0.4))]
    sentiment: f64,
    /// Sentence about the own brand in the answer.
    analysis_text: String,
    /// JSON: competitors in the answer with the number of their mentions.
    #[schema(examples("[{\"name\":\"Notchly\",\"count\":2}]"))]
    competitor_mentions: String,
    /// JSON: domains that the answer cites.
    #[schema(examples("[\"g2.com\"]"))]
    citation_domains: String,
    created_at: Timestamp,
    /// Search of the web: `used`, `not_used`, `off` (by the operator) or `unknown`.
    #[schema(examples("used"))]
    retrieval: String,
    /// `complete`, `truncated`, `absent_overview`, or empty while there is no answer.
    #[schema(examples("complete"))]
    finish: String,
    /// Model that answered, by the provider's own word.
    #[schema(examples("gpt-6-luna"))]
    served_model: String,
    /// Reason of an error: `refused`, `auth`, `config`, `timeout`, `unreadable`, `provider_error`, `lost` or
    /// `provider_unavailable`; empty otherwise.
    error_code: String,
    /// The answer is invented.
    demo: bool,
}

impl PromptRunView {
    fn of(row: RunListRow) -> PromptRunView {
        PromptRunView {
            id: row.id,
            prompt_id: row.prompt_id,
            date_utc: start_of_day(row.day).day(),
            provider: row.provider,
            status: row.status,
            raw_response: row.answer,
            mention_position: row.mention_position,
            citation_count: row.citation_count,
            sentiment: row.sentiment as f64 / 100.0,
            analysis_text: row.analysis_text,
            competitor_mentions: row.competitor_mentions,
            citation_domains: row.citation_domains,
            created_at: Timestamp::from_millis(row.created_at),
            retrieval: row.retrieval,
            finish: row.finish,
            served_model: row.served_model,
            error_code: row.error_code,
            demo: row.is_demo,
        }
    }
}

/// Numbers of runs that match, whatever part of them is in the answer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PromptRunSummary {
    #[schema(examples(420))]
    total: i64,
    /// Runs by status; a status that no run has is missing.
    #[schema(example = json!({ "ok": 412, "error": 5, "queued": 3 }))]
    by_status: BTreeMap<String, i64>,
}

/// Runs, and the number of all that match.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its description is used")]
struct PromptRunList {
    /// The newest first.
    runs: Vec<PromptRunView>,
    summary: PromptRunSummary,
}

/// Lists runs of a domain's prompts, the newest first; those of deleted prompts too.
#[utoipa::path(get, path = "/api/ai-mentions/runs", tag = "AI mentions", params(RunQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, PromptRunsNotListed>,
        (status = 200, description = "The runs.", body = PromptRunList)))]
async fn list_prompt_runs(
    caller: Caller<ReadMentions>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    AppQuery(query): AppQuery<RunQuery>,
) -> ApiResult<Response> {
    let RunFilter { provider, days, part } = query.check()?;
    let site = RequestedDomain::named(&query.domain).site(&caller, &domains, DomainAccess::Read).await?;
    let domain = site.domain.id.clone();
    let selection = RunSelection { domain, prompt: query.prompt_id, provider, days };
    let mut page = history::list_runs(&mentions.db, &selection, part).await?;
    let by_status: BTreeMap<String, i64> = std::mem::take(&mut page.counts).into_iter().collect();
    let summary = PromptRunSummary { total: by_status.values().sum(), by_status };
    let mut is_continued = false;
    let parts = history::read_runs(&mentions.db, page).map_ok(move |rows| {
        let mut text = Vec::new();
        for row in rows {
            text.push(if std::mem::replace(&mut is_continued, true) { b',' } else { b' ' });
            serde_json::to_writer(&mut text, &PromptRunView::of(row)).expect("runs are plain data");
        }
        Bytes::from(text)
    });
    let mut parts = Box::pin(parts.fuse());
    // A database that cannot be read fails the request before the answer begins.
    let first = parts.next().await.transpose()?.unwrap_or_default();
    let end = serde_json::to_string(&summary).expect("numbers are plain data");
    let whole = futures::stream::iter([Ok(Bytes::from_static(b"{\"runs\":[")), Ok(first)])
        .chain(parts)
        .chain(futures::stream::iter([Ok(Bytes::from(format!("],\"summary\":{end}}}")))]));
    Ok(([(CONTENT_TYPE, "application/json")], Body::from_stream(whole)).into_response())
}

/// A source of an answer.
#[derive(Serialize, ToSchema)]
struct RunSource {
    #[schema(examples("https://g2.com/categories/prerendering"))]
    url: String,
    /// Registrable domain.
    #[schema(examples("g2.com"))]
    domain: String,
    /// Empty when the provider gives none.
    title: String,
    /// `own`, `competitor` or `third_party`.
    #[schema(value_type = String, examples("third_party"))]
    kind: SourceKind,
}

impl From<Citation> for RunSource {
    fn from(citation: Citation) -> RunSource {
        RunSource { url: citation.url, domain: citation.domain, title: citation.title, kind: citation.kind }
    }
}

/// An occurrence of a brand in an answer, in Unicode code points of `rawResponse`.
#[derive(Serialize, ToSchema)]
struct RunSpan {
    #[schema(examples("Notchly"))]
    name: String,
    /// `own` or `competitor`.
    #[schema(value_type = String, examples("competitor"))]
    kind: BrandKind,
    #[schema(examples(17))]
    start: usize,
    /// First code point after it.
    #[schema(examples(24))]
    end: usize,
}

/// A run with its question and everything that was found in its answer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptRunDetails {
    #[serde(flatten)]
    run: PromptRunView,
    /// Text that was asked.
    prompt_text: String,
    /// JSON, as it was asked.
    persona_location: String,
    /// `create`, `changed`, `activated`, `scheduled` or `manual`.
    #[schema(examples("scheduled"))]
    reason: String,
    /// Sources that the answer cites, in their order.
    citations: Vec<RunSource>,
    /// Sources that were found for the answer and not cited.
    retrieved: Vec<RunSource>,
    /// Searches that the assistant ran.
    queries: Vec<String>,
    /// Form in which the provider was told the place: `parameters`, `text` or `none`.
    #[schema(examples("parameters"))]
    location: String,
    /// The question was too long for a search and was cut.
    query_cut: bool,
    /// Rank of the own brand in the answer's first list of brands; null: there is none, or not with it.
    list_rank: Option<i64>,
    /// The answer recommends the own brand; null: it does not say.
    recommended: Option<bool>,
    spans: Vec<RunSpan>,
    /// Requests to the provider, but those that a rate limit refused.
    calls: i64,
    #[schema(value_type = f64, examples(0.0182))]
    cost_usd: Usd,
    /// The provider has not stated the whole cost.
    cost_estimated: bool,
    /// Sentence about the error.
    error_detail: String,
    /// `model`, `builtin`, or empty while it was not analysed.
    #[schema(examples("builtin"))]
    analysis_mode: String,
    /// Version of the brand profile that it was analysed with; 0: it was not.
    analysis_version: i64,
}

impl PromptRunDetails {
    /// Shows a run.
    pub fn of(row: RunRow) -> PromptRunDetails {
        // Details that a newer version wrote count as none.
        let details: RunDetails = serde_json::from_str(&row.details).unwrap_or_default();
        let spans = details.spans.into_iter().map(|span| RunSpan {
            name: span.name,
            kind: span.kind,
            start: span.start,
            end: span.end,
        });
        PromptRunDetails {
            run: PromptRunView::of(row.listed),
            prompt_text: row.prompt_text,
            persona_location: row.persona,
            reason: row.reason,
            citations: details.citations.into_iter().map(RunSource::from).collect(),
            retrieved: details.retrieved.into_iter().map(RunSource::from).collect(),
            queries: details.queries,
            location: row.location,
            query_cut: row.is_query_cut,
            list_rank: row.list_rank,
            recommended: row.recommended,
            spans: spans.collect(),
            calls: row.calls,
            cost_usd: Usd::from_nanos(row.cost_nanos),
            cost_estimated: row.is_cost_estimated,
            error_detail: row.error_detail,
            analysis_mode: row.analysis_mode,
            analysis_version: row.analysis_version,
        }
    }
}

/// Reads a run with its question and everything that was found in its answer.
#[utoipa::path(get, path = "/api/ai-mentions/runs/{runId}", tag = "AI mentions",
    params(("runId" = String, Path, description = "The run.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, PromptRunNotRead>,
        (status = 200, description = "The run.", body = PromptRunDetails)))]
async fn get_prompt_run(
    caller: Caller<ReadMentions>,
    State(mentions): State<Mentions>,
    State(domains): State<DomainsService>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Json<PromptRunDetails>> {
    let found = history::find_run(&mentions.db, &id).await?;
    let row =
        found.filter(|row| row.account_id == caller.account().as_str()).ok_or_else(ApiError::not_found)?;
    let domain = domains.find_by_id(&row.domain_id.as_str().into()).await?;
    let domain = domain.filter(|domain| caller.sees(&domain.host)).ok_or_else(ApiError::not_found)?;
    caller.check_scope(&domain.host)?;
    Ok(Json(PromptRunDetails::of(row)))
}
