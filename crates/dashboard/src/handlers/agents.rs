//! HTTP of the answers to AI agents: the form in which each gets a page, and the rule of the crawler policy that it meets.
//! Changes nothing and fetches nothing.

use std::sync::Arc;

use analytics::policy::subject_of;
use analytics::{Class, Crawler, CrawlerIndex, Verified};
use axum::extract::State;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::policy_test::{PolicyTestResult, try_policy};
use super::rules::EdgeReason;
use super::{UseDashboard, no_store};
use crate::DashboardState;
use accounts::callers::Caller;
use domains::model::MarkdownSetting;
use domains::{DomainAccess, DomainStatus, PolicyMode, RequestedDomain, Site};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppQuery};
use render::PagesForViews;
use render::decide::{DecidedAnswer, decide_navigation};

/// Returns the operation of this file.
pub(super) fn routes() -> OpenApiRouter<DashboardState> {
    OpenApiRouter::new().routes(routes!(list_agents))
}

own_errors! {
    NoAgents: InvalidRequest, NotFound;
}

/// Page that agents ask for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AgentsQuery {
    /// Address on the domain or its `www.` twin.
    #[param(example = "https://shop.example/")]
    url: String,
}

/// Answers to AI agents at one address.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AgentAnswers {
    /// False: the domain is not connected or is suspended, so that its own server answers everybody.
    connected: bool,
    #[schema(inline)]
    markdown: MarkdownSetting,
    #[schema(inline)]
    policy_mode: PolicyMode,
    /// True when the policy refuses crawlers that no rule matches where robots.txt disallows the address.
    obey_robots_txt: bool,
    #[schema(inline)]
    reason: EdgeReason,
    /// Size of the stored page; null when none is stored.
    #[schema(required = true)]
    tokens: Option<PageTokens>,
    /// Documented agents that act for a person, those that ask for Markdown first.
    agents: Vec<AgentAnswer>,
}

/// Size of a page in estimated tokens: a quarter of the code points, rounded up.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
struct PageTokens {
    #[schema(examples(5400))]
    html: usize,
    #[schema(examples(620))]
    markdown: usize,
}

/// Answer to one agent.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AgentAnswer {
    /// Id of the crawler.
    #[schema(examples("claude-code"))]
    crawler: String,
    #[schema(examples("anthropic"))]
    provider: String,
    /// Names in robots.txt. The first one that the file has applies.
    #[schema(example = json!(["Claude-User"]))]
    robots: Vec<String>,
    /// True when the agent's requests prefer Markdown.
    asks_for_markdown: bool,
    #[schema(inline)]
    answer: AgentGets,
    /// Rule of the crawler policy that the agent meets. The site's robots.txt is not read.
    #[schema(required = true)]
    policy: Option<PolicyTestResult>,
}

/// Kind of the answer to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum AgentGets {
    /// The page as Markdown.
    Markdown,
    /// The page as finished HTML.
    Html,
    Redirect,
    /// The answer of the site's own server.
    Origin,
    /// The refusal of the crawler policy.
    Refused,
}

/// Lists what AI agents that act for a person get at an address: Markdown, finished HTML, or a refusal of the crawler policy.
///
/// Agents whose requests prefer Markdown are in the list of crawlers by the headers that they are known to send. An agent that
/// names `text/markdown` and no crawler is `markdown-client`. Changes nothing, fetches nothing, counts no visit.
#[utoipa::path(get, path = "/api/dashboard/domains/{domain}/agents", tag = "Dashboard",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example"), AgentsQuery),
    security(("session" = [])),
    responses(Refusals::<UseDashboard, NoAgents>,
        (status = 200, description = "The answers.", body = AgentAnswers)))]
async fn list_agents(
    caller: Caller<UseDashboard>,
    State(app): State<DashboardState>,
    domain: RequestedDomain,
    AppQuery(query): AppQuery<AgentsQuery>,
) -> ApiResult<impl IntoResponse> {
    let url = crawler::url::parse_target(&query.url, app.config.limits.url_bytes)
        .map_err(|error| ApiError::invalid_parameter("url", error.to_string()))?;
    let site = Arc::new(Site::new(domain.record(&caller, &app.domains, DomainAccess::Read).await?));
    if !url.host_str().is_some_and(|host| site.owns_host(host)) {
        return Err(ApiError::invalid_parameter("url", "is on another host than the domain"));
    }
    let stored = PagesForViews::new(&app.render).stored_page(&site, &url).await?;
    let mut answers = answers(&site, &url);
    answers.tokens = stored.and_then(|stored| {
        let html = String::from_utf8_lossy(&stored.page.html).chars().count().div_ceil(4);
        Some(PageTokens { html, markdown: stored.markdown?.tokens })
    });
    Ok(no_store(answers))
}

/// Returns the answers at an address, without the page's size.
fn answers(site: &Site, url: &Url) -> AgentAnswers {
    let connected = matches!(site.domain.status, DomainStatus::Connected | DomainStatus::ViaApi);
    let markdown = site.domain.rendering.markdown;
    let decision = decide_navigation(site, url, true);
    let reason = EdgeReason::of(&decision);
    let index = CrawlerIndex::shared();
    // An agent without a user agent is known by its signature alone, and asks as a browser does.
    let documented = index
        .documented()
        .iter()
        .filter(|crawler| crawler.class == Class::LlmUser && crawler.user_agent().is_some());
    let mut crawlers: Vec<&Crawler> = documented.chain([index.markdown_client(None)]).collect();
    crawlers.sort_by_key(|crawler| !crawler.asks_for_markdown);
    let agents = crawlers.into_iter().map(|crawler| {
        let subject = subject_of(crawler, Verified::Unknown);
        let policy = try_policy(site, url, &subject).filter(|_| connected);
        let answer = match &decision.answer {
            _ if !connected => AgentGets::Origin,
            _ if policy.as_ref().is_some_and(PolicyTestResult::is_refusal) => AgentGets::Refused,
            DecidedAnswer::Redirect(_) => AgentGets::Redirect,
            DecidedAnswer::Origin(_) => AgentGets::Origin,
            DecidedAnswer::Snapshot(_)
                if crawler.asks_for_markdown && markdown == MarkdownSetting::Accept =>
            {
                AgentGets::Markdown
            }
            DecidedAnswer::Snapshot(_) => AgentGets::Html,
        };
        AgentAnswer {
            crawler: crawler.id.clone(),
            provider: crawler.provider.clone(),
            robots: crawler.robots_names().map(str::to_owned).collect(),
            asks_for_markdown: crawler.asks_for_markdown,
            answer,
            policy,
        }
    });
    let policy = &site.domain.settings.crawler_policy;
    AgentAnswers {
        connected,
        markdown,
        policy_mode: policy.mode,
        obey_robots_txt: policy.obey_robots_txt,
        reason,
        tokens: None,
        agents: agents.collect(),
    }
}
