//! Creating prompts, one or many in one transaction, with their first runs.
//! Must never create one that the plan does not allow: prompts of an account are counted and created one after the other.

use std::collections::HashSet;

use assistants::analysis::Brands;
use assistants::providers::Provider;
use store::{DbError, Tx};

use super::body::NewPrompt;
use super::{PromptError, PromptOwner};
use crate::model::{Prompt, PromptId, RunReason};
use crate::queries::domains::{self, MonitoredDomain};
use crate::queries::prompts::PromptCounts;
use crate::queries::{self, prompts};
use crate::service::MentionParts;
use crate::service::opening::WantedRuns;
use ::domains::Domain;

/// Outcome for each of some prompts, in their order, and the number of runs that were made.
pub(super) struct Created {
    pub outcomes: Vec<Result<(), PromptError>>,
    pub queued: usize,
}

/// Creates a prompt. Returns the number of runs that were queued for it.
pub async fn create_prompt(
    mentions: &MentionParts,
    owner: PromptOwner<'_>,
    domain: &Domain,
    new: NewPrompt,
) -> Result<usize, PromptError> {
    let created = create_each(mentions, owner, domain, vec![new], |_, _| false).await?;
    created.outcomes.into_iter().collect::<Result<(), PromptError>>()?;
    Ok(created.queued)
}

/// Creates prompts in their order; one that is refused leaves the others alone. `is_skipped` is asked with the texts of
/// the domain's prompts.
pub(super) async fn create_each(
    mentions: &MentionParts,
    owner: PromptOwner<'_>,
    domain: &Domain,
    wanted: Vec<NewPrompt>,
    mut is_skipped: impl FnMut(&HashSet<String>, &NewPrompt) -> bool + Send,
) -> Result<Created, PromptError> {
    let profile = mentions.records.first_profile(domain).await?;
    let mut tx = mentions.db.write().await?;
    queries::lock_account(&mut tx, owner.account.as_str()).await?;
    let record = mentions.records.get_for_change(&mut tx, domain, &profile).await?;
    let record = record.ok_or(PromptError::DomainGone)?;
    let known = prompts::list_prompts(&mut tx, &domain.id).await?;
    let known: HashSet<String> = known.into_iter().map(|prompt| prompt.text).collect();
    let mut counts = prompts::count_prompts(&mut tx, owner.account).await?;
    let (mut outcomes, mut accepted) = (Vec::new(), Vec::new());
    for new in wanted {
        if is_skipped(&known, &new) {
            outcomes.push(Ok(()));
            continue;
        }
        outcomes.push(check(mentions, owner, &new, counts).map(|assistants| {
            counts.prompts += 1;
            counts.active += u64::from(new.is_active);
            accepted.push(NewPrompt { providers: Some(assistants), ..new });
        }));
    }
    if accepted.is_empty() {
        return Ok(Created { outcomes, queued: 0 });
    }
    let queued = insert(mentions, &mut tx, &record, accepted).await?;
    tx.commit().await?;
    mentions.jobs.wake();
    Ok(Created { outcomes, queued })
}

/// Returns the assistants of a new prompt, unless plan or settings do not allow it.
fn check(
    mentions: &MentionParts,
    owner: PromptOwner<'_>,
    new: &NewPrompt,
    counts: PromptCounts,
) -> Result<Vec<Provider>, PromptError> {
    let assistants = mentions.permission.assistants_of_new(owner, new.providers.as_deref(), &new.text)?;
    mentions.permission.check_one_more(owner, counts, new.is_active)?;
    Ok(assistants)
}

async fn insert(
    mentions: &MentionParts,
    tx: &mut Tx,
    record: &MonitoredDomain,
    accepted: Vec<NewPrompt>,
) -> Result<usize, DbError> {
    let now = mentions.clock.now();
    let count = i64::try_from(accepted.len()).unwrap_or(i64::MAX);
    let first = domains::take_prompt_numbers(tx, &record.domain, count).await?;
    let brands = Brands::compile(record.brand.clone(), Vec::new());
    let mut made = Vec::new();
    for (new, number) in accepted.into_iter().zip(first..) {
        let prompt = Prompt {
            id: PromptId::generate(),
            account: record.account.clone(),
            domain: record.domain.clone(),
            number,
            revision: 1,
            is_branded: brands.branded(&new.text),
            text: new.text,
            intent: new.intent,
            is_active: new.is_active,
            providers: new.providers.unwrap_or_default(),
            tags: new.tags,
            persona: new.persona.unwrap_or_else(|| record.persona.clone()),
            interval: new.interval,
            created_at: now,
        };
        prompts::insert_prompt(tx, &prompt).await?;
        made.push(prompt);
    }
    let wanted: Vec<WantedRuns<'_>> = made
        .iter()
        .filter(|prompt| prompt.is_active)
        .flat_map(|prompt| {
            prompt
                .providers
                .iter()
                .map(move |provider| WantedRuns::now(prompt, *provider, RunReason::Create, now))
        })
        .collect();
    Ok(mentions.opening.open(tx, &wanted).await?.len())
}
