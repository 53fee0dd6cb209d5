//! Deleting a prompt: its schedule, its queued runs and its sums go; runs that ended and those in progress stay in the list of
//! runs.

use assistants::providers::Provider;
use store::{DbError, Tx};

use crate::model::{Prompt, PromptId};
use crate::queries::sums::PromptDays;
use crate::queries::{domains, prompts, sums, targets};
use crate::service::MentionParts;
use crate::sums::{SumChanges, SumKey};
use ::domains::DomainId;
use platform::clock::Timestamp;

/// Deletes a prompt of a domain. One that the domain does not have is deleted already.
pub async fn delete_prompt(mentions: &MentionParts, domain: &DomainId, id: &str) -> Result<(), DbError> {
    // PostgreSQL keeps no NUL in a text: no id has one.
    if id.contains('\0') {
        return Ok(());
    }
    let mut tx = mentions.db.write().await?;
    let found = prompts::find_for_change(&mut tx, &PromptId::from(id)).await?;
    let Some(prompt) = found.filter(|prompt| prompt.domain == *domain) else { return Ok(()) };
    mentions.opening.withdraw(&mut tx, &prompt.id, None).await?;
    targets::delete_targets(&mut tx, &prompt.id, None).await?;
    delete_sums(&mut tx, &prompt, mentions.clock.now()).await?;
    prompts::delete_prompt(&mut tx, &prompt.id).await?;
    tx.commit().await
}

/// Deletes the sums of a prompt, and takes them off those of its domain.
async fn delete_sums(tx: &mut Tx, prompt: &Prompt, now: Timestamp) -> Result<(), DbError> {
    let Some(record) = domains::find_domain(tx, &prompt.domain).await? else { return Ok(()) };
    // A day more at each end: the clock may have been set.
    let days = prompt.created_at.day_number() - 1..=now.day_number() + 1;
    let of = PromptDays { domain: record.number, prompt: prompt.number, provider: "", days: days.collect() };
    let (answers, competitors) = sums::list_of_prompt(tx, &of).await?;
    let place = |day, provider: &str| {
        let provider: Provider = provider.parse().ok()?;
        Some(SumKey { domain: record.number, day, prompt: Some(prompt.number), provider })
    };
    let mut changes = SumChanges::default();
    for row in &answers {
        if let Some(place) = place(row.day, &row.provider) {
            changes.add_stored(place, &row.sums, -1);
        }
    }
    for row in &competitors {
        if let Some(place) = place(row.day, &row.provider) {
            changes.add_stored_competitor(place, &row.competitor, &row.sums, -1);
        }
    }
    changes.keep_domains_only();
    sums::delete_of_prompt(tx, &of).await?;
    sums::write(tx, changes).await
}
