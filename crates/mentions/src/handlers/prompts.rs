//! HTTP of prompts: listing them, and creating, changing and deleting one.

use crate::Mentions;
use ::domains::DomainsService;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::refuse_body;
use crate::MentionsState;
use crate::access::{ChangeMentions, ReadMentions};
use crate::model::{MonitorInterval, Prompt, PromptIntent};
use crate::service::prompts::body::{PromptFields, given};
use crate::service::prompts::{self, PromptOwner};
use ::domains::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use platform::api::access::Access;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppQuery, Issue};
use platform::clock::Timestamp;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new().routes(routes!(list_prompts, change_prompt))
}

own_errors! {
    PromptsNotListed: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned;
    PromptNotChanged: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned, DomainSuspended, NotFound, PlanRequired,
        ProviderUnavailable, ProviderLimitReached, PromptLimitReached, MonitorLimitReached, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Prompts that are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PromptQuery {
    /// Domain of the account.
    #[param(example = "shop.example")]
    domain: String,
    /// Only prompts with this tag.
    #[param(example = "docs")]
    tag: Option<String>,
}

/// A question and how it is asked.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PromptView {
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    id: String,
    #[schema(examples("What is the best tool for prerendering a single-page app?"))]
    prompt_text: String,
    intent: PromptIntent,
    /// 1; 0: paused.
    #[schema(examples(1))]
    active: u8,
    #[schema(example = json!(["chatgpt", "gemini"]))]
    ai_providers: Vec<&'static str>,
    /// Separated by commas.
    #[schema(examples("docs,comparison"))]
    tags: String,
    /// JSON; `{}` when nothing is said of the person who asks.
    #[schema(examples("{\"country\":\"DE\"}"))]
    persona_location: String,
    monitor_interval: MonitorInterval,
    /// The text names the own brand.
    branded: bool,
    created_at: Timestamp,
}

impl PromptView {
    fn of(prompt: Prompt) -> PromptView {
        PromptView {
            id: prompt.id.to_string(),
            intent: prompt.intent,
            active: u8::from(prompt.is_active),
            ai_providers: prompt.providers.iter().map(|provider| provider.as_str()).collect(),
            tags: prompt.tags.join(","),
            persona_location: prompt.persona.to_json(),
            monitor_interval: prompt.interval,
            branded: prompt.is_branded,
            created_at: prompt.created_at,
            prompt_text: prompt.text,
        }
    }
}

/// Lists the prompts of a domain, the oldest first.
#[utoipa::path(get, path = "/api/ai-mentions/prompts", tag = "AI mentions", params(PromptQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadMentions, PromptsNotListed>,
        (status = 200, description = "The prompts.", body = Vec<PromptView>)))]
async fn list_prompts(
    caller: Caller<ReadMentions>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    AppQuery(query): AppQuery<PromptQuery>,
) -> ApiResult<Json<Vec<PromptView>>> {
    let site = RequestedDomain::named(&query.domain).site(&caller, &domains, DomainAccess::Read).await?;
    let tag = query.tag.as_deref().filter(|tag| !tag.is_empty());
    let prompts = prompts::list_prompts(&mentions.db, &site.domain.id, tag).await?;
    Ok(Json(prompts.into_iter().map(PromptView::of).collect()))
}

/// Kind of a change.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum PromptAction {
    Create,
    Update,
    Delete,
}

/// A change of the prompts of a domain.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PromptRequest {
    action: PromptAction,
    /// Domain of the account.
    #[schema(examples("shop.example"))]
    domain: String,
    /// The prompt; required for update and delete.
    id: Option<String>,
    /// The question, as it is asked; required for create.
    #[schema(max_length = 2000, examples("What is the best tool for prerendering a single-page app?"))]
    prompt_text: Option<String>,
    /// Required for create.
    intent: Option<PromptIntent>,
    /// Assistants that are asked; a new prompt has those that plan and settings allow unless given.
    #[schema(example = json!(["chatgpt", "gemini"]))]
    providers: Option<Vec<String>>,
    /// `dynamic`: daily at first, then from several times a day to every fourth day, by how much answers change; `weekly`,
    /// `monthly`. A new prompt has `dynamic` unless given.
    monitor_interval: Option<MonitorInterval>,
    /// Tags, at most 10, separated by commas: lower-case letters, digits and hyphens, 64 characters each.
    #[schema(examples("docs,comparison"))]
    tags: Option<String>,
    /// 1: asked by the schedule, which takes a monitor slot of the plan; 0: paused. A new prompt has 1 unless given.
    #[schema(minimum = 0, maximum = 1)]
    active: Option<u8>,
    /// Place, language and role of the person who asks: an object with any of `country`, `region`, `city`, `timezone`,
    /// `language`, `lat`, `lng`, `persona`, or its JSON; null: none. A new prompt has the domain's default unless given.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Object>)]
    persona_location: Option<Option<Value>>,
}

/// Runs that were queued.
#[derive(Serialize, ToSchema)]
pub(super) struct QueuedRuns {
    /// Number of runs, those included that wait for a budget.
    #[schema(examples(3))]
    pub queued: usize,
}

impl PromptRequest {
    /// Splits the body into domain, id and fields.
    fn split(self) -> (PromptAction, String, Option<String>, PromptFields) {
        let fields = PromptFields {
            prompt_text: self.prompt_text,
            intent: self.intent,
            providers: self.providers,
            monitor_interval: self.monitor_interval,
            tags: self.tags,
            active: self.active,
            persona_location: self.persona_location,
        };
        (self.action, self.domain, self.id, fields)
    }
}

fn required_id(id: Option<String>) -> ApiResult<String> {
    id.ok_or_else(|| ApiError::invalid_request(vec![Issue::new("id", "is missing")]))
}

/// Returns the account on whose behalf a caller changes prompts.
pub(super) fn owner_of<A: Access>(caller: &Caller<A>) -> PromptOwner<'_> {
    PromptOwner { account: caller.account(), plan: caller.plan() }
}

/// Creates, changes or deletes a prompt.
///
/// A new active prompt is asked at once. So is one whose text or `personaLocation` changes, and an assistant that is added to
/// one. At activation, those assistants are asked that were not asked today. Pausing, deleting and removing an assistant
/// take back what is queued; what has begun ends and counts. Assistants that plan or settings do not allow any more are left
/// out. Deleting what is not there is fine.
#[utoipa::path(post, path = "/api/ai-mentions/prompts", tag = "AI mentions", request_body = PromptRequest,
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ChangeMentions, PromptNotChanged>,
        (status = 200, description = "It was created; so many runs are queued.", body = QueuedRuns),
        (status = 204, description = "It was changed or deleted.")))]
async fn change_prompt(
    caller: Caller<ChangeMentions>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    AppJson(request): AppJson<PromptRequest>,
) -> ApiResult<Response> {
    let (action, domain, id, fields) = request.split();
    let owner = owner_of(&caller);
    let site_of = async |name: &str| RequestedDomain::named(name).site_to_use(&caller, &domains).await;
    match action {
        PromptAction::Create => {
            let new = fields.create().map_err(refuse_body)?;
            let site = site_of(&domain).await?;
            let queued = prompts::create_prompt(&mentions, owner, &site.domain, new).await?;
            Ok(Json(QueuedRuns { queued }).into_response())
        }
        PromptAction::Update => {
            let (id, change) = (required_id(id)?, fields.change().map_err(refuse_body)?);
            let site = site_of(&domain).await?;
            prompts::change_prompt(&mentions, owner, &site.domain.id, &id, change).await?;
            Ok(StatusCode::NO_CONTENT.into_response())
        }
        PromptAction::Delete => {
            let id = required_id(id)?;
            let site = site_of(&domain).await?;
            prompts::delete_prompt(&mentions, &site.domain.id, &id).await?;
            Ok(StatusCode::NO_CONTENT.into_response())
        }
    }
}
