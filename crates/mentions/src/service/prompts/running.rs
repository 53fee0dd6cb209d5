//! Asking a prompt now, because somebody wants to.

use assistants::providers::Provider;
use store::{Conn, DbError};

use super::{PromptError, PromptOwner};
use crate::model::{Prompt, PromptId, RunReason};
use crate::queries::{self, domains, prompts, runs};
use crate::service::MentionParts;
use crate::service::money::Purchase;
use crate::service::opening::WantedRuns;
use platform::clock::Timestamp;

/// Assistants and number of answers that somebody wants.
#[derive(Debug, Clone)]
pub struct RunNowRequest {
    /// Assistants of the prompt. None: all that may be asked.
    pub providers: Option<Vec<Provider>>,
    pub samples: i64,
}

/// Reason why a prompt was not asked.
#[derive(Debug, thiserror::Error)]
pub enum RunNowError {
    #[error("the prompt is paused")]
    Paused,
    #[error("no budget can pay a question before {0}")]
    BudgetSpent(Timestamp),
    #[error("{0} is no assistant of the prompt")]
    NotOfPrompt(Provider),
    #[error(transparent)]
    Refused(#[from] PromptError),
}

impl From<DbError> for RunNowError {
    fn from(error: DbError) -> RunNowError {
        RunNowError::Refused(error.into())
    }
}

/// Queues runs of a prompt. Returns their number; an assistant with a run of the prompt that is not over gets none.
pub async fn run_prompt_now(
    mentions: &MentionParts,
    owner: PromptOwner<'_>,
    id: &PromptId,
    request: &RunNowRequest,
) -> Result<usize, RunNowError> {
    let mut tx = mentions.db.write().await?;
    queries::lock_account(&mut tx, owner.account.as_str()).await?;
    let prompt = prompts::find_for_change(&mut tx, id).await?.ok_or(PromptError::NotFound)?;
    if let Some(named) = &request.providers {
        if let Some(other) = named.iter().find(|provider| !prompt.providers.contains(provider)) {
            return Err(RunNowError::NotOfPrompt(*other));
        }
        mentions.permission.check_named(owner, named)?;
        mentions.permission.check_question(named, &prompt.text)?;
    }
    if !prompt.is_active {
        return Err(RunNowError::Paused);
    }
    let mut wanted = mentions.permission.askable(&mut tx, owner, &prompt).await?;
    if let Some(named) = &request.providers {
        wanted.retain(|provider| named.contains(provider));
    }
    let open = runs::list_open_of_prompt(&mut tx, &prompt.id).await?;
    wanted.retain(|provider| open.iter().all(|run| run.provider != provider.as_str()));
    if let Some(resumes_at) = find_refusal(mentions, &mut tx, &prompt, &wanted).await? {
        return Err(RunNowError::BudgetSpent(resumes_at));
    }
    let now = mentions.clock.now();
    let runs: Vec<WantedRuns<'_>> = wanted
        .iter()
        .map(|provider| WantedRuns {
            samples: request.samples,
            ..WantedRuns::now(&prompt, *provider, RunReason::Manual, now)
        })
        .collect();
    let queued = mentions.opening.open(&mut tx, &runs).await?.len();
    tx.commit().await?;
    mentions.jobs.wake();
    Ok(queued)
}

/// Returns the time at which the first of some assistants can be paid again. None: one of them can be now.
async fn find_refusal(
    mentions: &MentionParts,
    conn: &mut Conn,
    prompt: &Prompt,
    wanted: &[Provider],
) -> Result<Option<Timestamp>, DbError> {
    let now = mentions.clock.now();
    let record = domains::find_domain(conn, &prompt.domain).await?;
    let mut first = None;
    for provider in wanted {
        let purchase = Purchase {
            account: prompt.account.as_str(),
            domain: &prompt.domain,
            domain_limit: record.as_ref().and_then(|record| record.budget),
            provider: provider.as_str(),
            price: mentions.opening.expected_price(*provider, now),
        };
        let Some(spent) = mentions.money.find_refusal(conn, purchase, now).await? else { return Ok(None) };
        first = Some(first.map_or(spent.resumes_at, |first: Timestamp| first.min(spent.resumes_at)));
    }
    Ok(first)
}
