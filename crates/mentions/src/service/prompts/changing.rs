//! Changing prompts: what is saved, and which runs follow from it.

use assistants::analysis::Brands;
use assistants::providers::Provider;
use store::{DbError, Tx};

use super::body::PromptChange;
use super::{PromptError, PromptOwner};
use crate::model::{Prompt, PromptId, RunReason, UtcDay};
use crate::queries::{self, domains, prompts, runs, targets};
use crate::service::MentionParts;
use crate::service::opening::WantedRuns;
use ::domains::DomainId;

/// Runs of a prompt and provider on a day, of any kind, after which a change asks nothing more before the next slot.
const MOST_ASKED_A_DAY: i64 = 4;

/// Changes a prompt of a domain, and queues the runs that follow.
pub async fn change_prompt(
    mentions: &MentionParts,
    owner: PromptOwner<'_>,
    domain: &DomainId,
    id: &str,
    change: PromptChange,
) -> Result<(), PromptError> {
    if id.contains('\0') {
        return Err(PromptError::NotFound);
    }
    let mut tx = mentions.db.write().await?;
    queries::lock_account(&mut tx, owner.account.as_str()).await?;
    let found = prompts::find_for_change(&mut tx, &PromptId::from(id)).await?;
    let before = found.filter(|prompt| prompt.domain == *domain).ok_or(PromptError::NotFound)?;
    if let Some(named) = &change.providers {
        mentions.permission.check_named(owner, named)?;
    }
    if change.is_active == Some(true) && !before.is_active {
        let counts = prompts::count_prompts(&mut tx, owner.account).await?;
        mentions.permission.check_one_more_active(owner, counts)?;
    }
    let after = changed(&mut tx, &before, change).await?;
    if after == before {
        return Ok(());
    }
    if after.text != before.text {
        mentions.permission.check_question(&after.providers, &after.text)?;
    }
    prompts::update_prompt(&mut tx, &after, mentions.clock.now()).await?;
    plan(mentions, &mut tx, owner, &before, &after).await?;
    tx.commit().await?;
    mentions.jobs.wake();
    Ok(())
}

async fn changed(tx: &mut Tx, before: &Prompt, change: PromptChange) -> Result<Prompt, DbError> {
    let mut after = Prompt {
        text: change.text.unwrap_or_else(|| before.text.clone()),
        intent: change.intent.unwrap_or(before.intent),
        is_active: change.is_active.unwrap_or(before.is_active),
        providers: change.providers.unwrap_or_else(|| before.providers.clone()),
        tags: change.tags.unwrap_or_else(|| before.tags.clone()),
        persona: change.persona.unwrap_or_else(|| before.persona.clone()),
        interval: change.interval.unwrap_or(before.interval),
        ..before.clone()
    };
    if asks_something_else(before, &after) {
        after.revision += 1;
    }
    if after.text != before.text
        && let Some(record) = domains::find_domain(tx, &after.domain).await?
    {
        after.is_branded = Brands::compile(record.brand, Vec::new()).branded(&after.text);
    }
    Ok(after)
}

/// Makes runs and schedule follow a change.
async fn plan(
    mentions: &MentionParts,
    tx: &mut Tx,
    owner: PromptOwner<'_>,
    before: &Prompt,
    after: &Prompt,
) -> Result<(), DbError> {
    let removed = without(&before.providers, &after.providers);
    if !removed.is_empty() {
        mentions.opening.withdraw(tx, &after.id, Some(&removed)).await?;
        let names: Vec<String> = removed.iter().map(Provider::to_string).collect();
        targets::delete_targets(tx, &after.id, Some(&names)).await?;
    }
    if !after.is_active {
        return if before.is_active { mentions.opening.pause(tx, &after.id).await } else { Ok(()) };
    }
    let now = mentions.clock.now();
    let askable = mentions.permission.askable(tx, owner, after).await?;
    let (mut wanted, reason) = if asks_something_else(before, after) {
        // Nobody waits for answers to the old question.
        mentions.opening.withdraw(tx, &after.id, None).await?;
        (askable, RunReason::Changed)
    } else if !before.is_active {
        let asked = list_asked_today(tx, after, now.day_number()).await?;
        (without(&askable, &asked), RunReason::Activated)
    } else {
        (without(&askable, &before.providers), RunReason::Create)
    };
    let asked = runs::count_by_provider(tx, &after.id, now.day_number()).await?;
    let is_asked_enough = |provider: &Provider| {
        asked.iter().any(|(name, runs)| name == provider.as_str() && *runs >= MOST_ASKED_A_DAY)
    };
    let put_off: Vec<Provider> = wanted.extract_if(.., |provider| is_asked_enough(provider)).collect();
    let runs: Vec<WantedRuns<'_>> =
        wanted.iter().map(|provider| WantedRuns::now(after, *provider, reason, now)).collect();
    mentions.opening.open(tx, &runs).await?;
    if !before.is_active || before.interval != after.interval {
        mentions.opening.replan(tx, after, &without(&after.providers, &wanted)).await?;
    } else {
        mentions.opening.replan(tx, after, &put_off).await?;
    }
    Ok(())
}

/// Lists the assistants with a run of today that is queued, in progress or `ok`.
async fn list_asked_today(tx: &mut Tx, prompt: &Prompt, today: UtcDay) -> Result<Vec<Provider>, DbError> {
    let mut names = runs::list_answered_on(tx, &prompt.id, today).await?;
    let open = runs::list_open_of_prompt(tx, &prompt.id).await?;
    names.extend(open.into_iter().filter(|run| run.day == today).map(|run| run.provider));
    Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
}

fn asks_something_else(before: &Prompt, after: &Prompt) -> bool {
    before.text != after.text || before.persona != after.persona
}

/// Returns the assistants of a list that are not in another.
fn without(list: &[Provider], others: &[Provider]) -> Vec<Provider> {
    list.iter().copied().filter(|provider| !others.contains(provider)).collect()
}
