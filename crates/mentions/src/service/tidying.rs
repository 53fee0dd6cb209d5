//! Deletes what is older than the settings keep it: providers' responses, then answers. Sums, reports and the ledger stay.

use std::time::Duration;

use store::DbError;

use super::MentionParts;
use crate::queries::{answers, domains, ledger, prompts};
use ::domains::DomainId;
use platform::jobs::{JobError, JobRun};

/// Rows of one transaction.
const SOME: i64 = 500;
/// Days of providers' budgets that are kept.
const BUDGET_DAYS: u32 = 3;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Deletes everything that is too old, some rows at a time so that nobody waits long for the writer.
pub async fn tidy(mentions: &MentionParts, job: &JobRun) -> Result<(), JobError> {
    let today = mentions.clock.now().day_number();
    let before = |days: u64| today.saturating_sub(i64::try_from(days).unwrap_or(i64::MAX));
    let section = &mentions.config.mentions;
    while !job.is_stopping() {
        let mut tx = mentions.db.write().await?;
        let deleted =
            answers::delete_old_responses(&mut tx, before(section.keep_raw_days.into()), SOME).await?;
        tx.commit().await?;
        if deleted == 0 {
            break;
        }
    }
    let mut after = String::new();
    while !job.is_stopping() {
        let domains = domains::list_ids(&mut mentions.db.read().await?, &after, SOME).await?;
        let Some(last) = domains.last() else { break };
        after = last.to_string();
        for domain in &domains {
            delete_runs(mentions, domain, before(section.keep_answers_days.into()), job).await?;
        }
    }
    delete_rest(mentions, job).await
}

async fn delete_runs(
    mentions: &MentionParts,
    domain: &DomainId,
    before: i64,
    job: &JobRun,
) -> Result<(), DbError> {
    while !job.is_stopping() {
        let mut tx = mentions.db.write().await?;
        let deleted = answers::delete_old_runs(&mut tx, domain, before, SOME).await?;
        tx.commit().await?;
        if deleted == 0 {
            break;
        }
    }
    Ok(())
}

async fn delete_rest(mentions: &MentionParts, job: &JobRun) -> Result<(), JobError> {
    while !job.is_stopping() {
        let mut tx = mentions.db.write().await?;
        let deleted = prompts::delete_unused_questions(&mut tx, SOME).await?;
        tx.commit().await?;
        if deleted == 0 {
            break;
        }
    }
    let day = mentions.clock.now().minus(DAY * BUDGET_DAYS).day();
    let mut tx = mentions.db.write().await?;
    ledger::delete_old_days(&mut tx, &day).await?;
    Ok(tx.commit().await?)
}
