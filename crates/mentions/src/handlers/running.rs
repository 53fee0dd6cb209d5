//! HTTP of asking a prompt now, and of importing prompts.

use crate::Mentions;
use ::domains::DomainsService;
use assistants::providers::Provider;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::prompts::{QueuedRuns, owner_of};
use super::refuse_body;
use crate::MentionsState;
use crate::access::ChangeMentions;
use crate::service::prompts::body::{PromptFields, read_providers};
use crate::service::prompts::{self, ImportOutcome, RunNowError, RunNowRequest};
use ::domains::RequestedDomain;
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppPath, ErrorCode, Issue, OptionalJson};

/// Maximum number of prompts of one request.
const MAX_IMPORTED: usize = 1_000;
const MAX_SAMPLES: i64 = 5;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new().routes(routes!(run_prompt)).routes(routes!(import_prompts))
}

own_errors! {
    PromptNotRun: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned, DomainSuspended, NotFound, PlanRequired,
        ProviderUnavailable, ProviderLimitReached, PromptPaused, BudgetSpent, PayloadTooLarge, UnsupportedMediaType;
    PromptsNotImported: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned, DomainSuspended, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Answers that are wanted now.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
struct RunRequest {
    /// Assistants of the prompt; all of them unless given.
    #[schema(example = json!(["chatgpt"]))]
    providers: Option<Vec<String>>,
    /// Answers of each assistant; 1 unless given. More of them say how much answers differ by chance.
    #[schema(minimum = 1, maximum = 5, examples(3))]
    samples: Option<i64>,
}

impl RunRequest {
    fn check(self) -> ApiResult<RunNowRequest> {
        let mut issues = Vec::new();
        let samples = self.samples.unwrap_or(1);
        if !(1..=MAX_SAMPLES).contains(&samples) {
            issues.push(("samples".to_owned(), format!("must be from 1 to {MAX_SAMPLES}")));
        }
        let providers = self
            .providers
            .and_then(|names| read_providers(&names, &mut |path, problem| issues.push((path, problem))));
        if issues.is_empty() { Ok(RunNowRequest { providers, samples }) } else { Err(refuse_body(issues)) }
    }
}

impl From<RunNowError> for ApiError {
    fn from(error: RunNowError) -> ApiError {
        match error {
            RunNowError::Paused => ApiError::new(ErrorCode::PromptPaused),
            RunNowError::BudgetSpent(resumes_at) => {
                ApiError::new(ErrorCode::BudgetSpent).with("resumesAt", resumes_at)
            }
            RunNowError::NotOfPrompt(provider) => not_of_prompt(provider),
            RunNowError::Refused(error) => error.into(),
        }
    }
}

fn not_of_prompt(provider: Provider) -> ApiError {
    ApiError::invalid_request(vec![Issue::new(
        "providers",
        format!("{provider} is no assistant of the prompt"),
    )])
}

/// Asks a prompt now.
///
/// An assistant with a run of the prompt that is queued or under way gets no other one. What plan or settings do not allow is
/// left out, unless it is named.
#[utoipa::path(post, path = "/api/ai-mentions/prompts/{promptId}/run", tag = "AI mentions", request_body = RunRequest,
    params(("promptId" = String, Path, description = "The prompt.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ChangeMentions, PromptNotRun>,
        (status = 200, description = "So many runs are queued.", body = QueuedRuns)))]
async fn run_prompt(
    caller: Caller<ChangeMentions>,
    State(mentions): State<Mentions>,
    State(domains): State<DomainsService>,
    AppPath(id): AppPath<String>,
    OptionalJson(request): OptionalJson<RunRequest>,
) -> ApiResult<Json<QueuedRuns>> {
    let request = request.check()?;
    let found = prompts::find_prompt(&mentions.db, &id).await?;
    let prompt =
        found.filter(|prompt| prompt.account == *caller.account()).ok_or_else(ApiError::not_found)?;
    let domain = domains.find_by_id(&prompt.domain).await?;
    let domain = domain.filter(|domain| caller.sees(&domain.host)).ok_or_else(ApiError::not_found)?;
    RequestedDomain::of_host(&domain.host).site_to_use(&caller, &domains).await?;
    let queued = prompts::run_prompt_now(&mentions, owner_of(&caller), &prompt.id, &request).await?;
    Ok(Json(QueuedRuns { queued }))
}

/// Prompts that are to be created.
#[derive(Deserialize, ToSchema)]
struct ImportRequest {
    /// Domain of the account.
    #[schema(examples("shop.example"))]
    domain: String,
    /// Prompts, at most 1,000.
    #[schema(max_items = 1000, value_type = Vec<PromptFields>)]
    prompts: Vec<Value>,
}

/// Creates prompts from a list, in its order, each as by creating it alone.
///
/// A text that the domain has already is skipped: the same list can be sent again.
#[utoipa::path(post, path = "/api/ai-mentions/prompts/import", tag = "AI mentions", request_body = ImportRequest,
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ChangeMentions, PromptsNotImported>,
        (status = 200, description = "The outcome.", body = ImportOutcome)))]
async fn import_prompts(
    caller: Caller<ChangeMentions>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    AppJson(request): AppJson<ImportRequest>,
) -> ApiResult<Json<ImportOutcome>> {
    if request.prompts.len() > MAX_IMPORTED {
        let message = format!("has more than {MAX_IMPORTED} entries");
        return Err(ApiError::invalid_request(vec![Issue::new("prompts", message)]));
    }
    let site = RequestedDomain::named(&request.domain).site_to_use(&caller, &domains).await?;
    let read = |entry: Value| PromptFields::deserialize(entry).ok().and_then(|fields| fields.create().ok());
    let list = request.prompts.into_iter().map(read).collect();
    Ok(Json(prompts::import_prompts(&mentions, owner_of(&caller), &site.domain, list).await?))
}
