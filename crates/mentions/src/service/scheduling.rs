//! The scheduler: makes runs of targets that are due, in one transaction with their jobs. Money that ends postpones.
//! Must never replay slots that were missed: all of them are one, the latest. See docs/decisions/0362.

use std::collections::{HashMap, HashSet};

use assistants::change::Level;
use assistants::providers::{Provider, Usd};
use store::{DbError, Tx};

use super::MentionParts;
use super::asking::permission::{FoundPermissions, allow_prompt};
use super::money::{Purchase, balances_of, zero_row};
use super::opening::WantedRuns;
use super::writing::after_refusal;
use crate::budgets::{Balances, Budget};
use crate::model::{MonitorInterval, Prompt, PromptId, PromptTarget, RunReason};
use crate::queries::{domains, ledger, prompts, runs, targets};
use crate::schedule;
use ::domains::DomainId;
use platform::clock::Timestamp;
use platform::jobs::{HoldError, JobError, JobRun};

/// Targets of one transaction.
const SOME: i64 = 500;
/// Transactions of one look. What is left is due at the next one, a minute later.
const ROUNDS: usize = 200;

/// A target that is due and may be asked.
struct DueTarget {
    target: PromptTarget,
    reason: RunReason,
    samples: i64,
    price: Usd,
}

/// Queues runs of everything that is due.
pub async fn queue_due(mentions: &MentionParts, job: &JobRun) -> Result<(), JobError> {
    let now = mentions.clock.now();
    let mut tx = mentions.db.write().await?;
    targets::bring_forward(&mut tx, now.plus(schedule::HORIZON), now).await?;
    tx.commit().await?;
    let mut found = FoundPermissions::default();
    for _ in 0..ROUNDS {
        let due = queue_some(mentions, job, &mut found).await?;
        if due < SOME || job.is_stopping() {
            break;
        }
    }
    Ok(())
}

/// Queues runs of some targets that are due. Returns the number of those targets.
async fn queue_some(
    mentions: &MentionParts,
    job: &JobRun,
    found: &mut FoundPermissions,
) -> Result<i64, HoldError> {
    let now = mentions.clock.now();
    let mut tx = mentions.db.write().await?;
    job.hold(&mut tx).await?;
    let due = targets::list_due(&mut tx, now, SOME).await?;
    let count = i64::try_from(due.len()).unwrap_or(SOME);
    if due.is_empty() {
        return Ok(0);
    }
    let prompts = find_prompts(&mut tx, &due).await?;
    let mut planned = Vec::new();
    let mut wanted = Vec::new();
    for target in due {
        match consider(mentions, found, prompts.get(&target.prompt), target, now).await? {
            Considered::Later(target) => planned.push(target),
            Considered::Now(due) => wanted.push(due),
        }
    }
    let (payable, postponed) = divide_by_money(mentions, &mut tx, &prompts, wanted, now).await?;
    planned.extend(postponed);
    targets::put_targets(&mut tx, &planned).await?;
    let runs: Vec<WantedRuns<'_>> = payable
        .iter()
        .filter_map(|due| {
            let prompt = prompts.get(&due.target.prompt)?;
            let (slot, not_before) = schedule::slot_of(&due.target, prompt.interval, now);
            let provider = due.target.provider;
            Some(WantedRuns { prompt, provider, reason: due.reason, samples: due.samples, slot, not_before })
        })
        .collect();
    let opened = mentions.opening.open(&mut tx, &runs).await?;
    tx.commit_durably().await?;
    if !opened.is_empty() {
        mentions.jobs.wake();
    }
    Ok(count)
}

async fn find_prompts(tx: &mut Tx, due: &[PromptTarget]) -> Result<HashMap<PromptId, Prompt>, DbError> {
    let ids: HashSet<String> = due.iter().map(|target| target.prompt.to_string()).collect();
    let ids: Vec<String> = ids.into_iter().collect();
    let found = prompts::list_by_ids(tx, &ids).await?;
    Ok(found.into_iter().map(|prompt| (prompt.id.clone(), prompt)).collect())
}

/// Decides whether a target that is due is asked now.
async fn consider(
    mentions: &MentionParts,
    found: &mut FoundPermissions,
    prompt: Option<&Prompt>,
    mut target: PromptTarget,
    now: Timestamp,
) -> Result<Considered, DbError> {
    let Some(prompt) = prompt.filter(|prompt| prompt.is_active) else {
        target.next_due = None;
        return Ok(Considered::Later(target));
    };
    if !allow_prompt(mentions, found, prompt, target.provider).await? {
        target.next_due = Some(now.plus(schedule::LOOK_AGAIN));
        return Ok(Considered::Later(target));
    }
    let floor = Level::floor(mentions.config.mentions.max_runs_per_day);
    target.dynamic.level = target.dynamic.level.max(floor);
    let (reason, samples) =
        target.postponed.map_or((RunReason::Scheduled, 1), |runs| (runs.reason, runs.samples));
    let next = schedule::next_due(&target, prompt.interval, now);
    let is_periodic = prompt.interval != MonitorInterval::Dynamic;
    // A success within the period, by hand for instance, skips the slot.
    if is_periodic && reason == RunReason::Scheduled && target.failures == 0 && next > now {
        target.next_due = Some(next);
        return Ok(Considered::Later(target));
    }
    let price = mentions.opening.expected_price(target.provider, now);
    Ok(Considered::Now(DueTarget { target, reason, samples, price }))
}

/// Divides what is due into that which can be paid, and targets that wait for money.
async fn divide_by_money(
    mentions: &MentionParts,
    tx: &mut Tx,
    prompts: &HashMap<PromptId, Prompt>,
    mut due: Vec<DueTarget>,
    now: Timestamp,
) -> Result<(Vec<DueTarget>, Vec<PromptTarget>), DbError> {
    due.sort_by_key(|due| {
        let interval =
            prompts.get(&due.target.prompt).map_or(MonitorInterval::Dynamic, |prompt| prompt.interval);
        schedule::rank(due.reason, interval, due.target.dynamic.level)
    });
    let mut budgets = Vec::new();
    let mut limits = HashMap::new();
    for due in &due {
        let limit = find_limit(tx, &mut limits, &due.target.domain).await?;
        budgets.push(budgets_of(mentions, due, prompts, limit, now));
    }
    let mut balances = read_balances(mentions, tx, &budgets, now).await?;
    let (mut payable, mut postponed) = (Vec::new(), Vec::new());
    for (due, budgets) in due.into_iter().zip(budgets) {
        let price = due.price.times(due.samples.unsigned_abs());
        match balances.refusal(&budgets, price) {
            None => {
                balances.reserve(&budgets, price);
                payable.push(due);
            }
            Some(spent) => {
                let DueTarget { mut target, reason, samples, .. } = due;
                target.postponed = None;
                let mut target = after_refusal(target, reason, &spent);
                if let Some(runs) = &mut target.postponed {
                    runs.samples = samples;
                }
                postponed.push(target);
            }
        }
    }
    Ok((payable, postponed))
}

async fn find_limit(
    tx: &mut Tx,
    limits: &mut HashMap<DomainId, Option<Usd>>,
    domain: &DomainId,
) -> Result<Option<Usd>, DbError> {
    if let Some(limit) = limits.get(domain) {
        return Ok(*limit);
    }
    let limit = domains::find_domain(tx, domain).await?.and_then(|record| record.budget);
    limits.insert(domain.clone(), limit);
    Ok(limit)
}

fn budgets_of(
    mentions: &MentionParts,
    due: &DueTarget,
    prompts: &HashMap<PromptId, Prompt>,
    domain_limit: Option<Usd>,
    now: Timestamp,
) -> Vec<Budget> {
    let Some(prompt) = prompts.get(&due.target.prompt) else { return Vec::new() };
    let purchase = Purchase {
        account: prompt.account.as_str(),
        domain: &prompt.domain,
        domain_limit,
        provider: due.target.provider.as_str(),
        price: due.price,
    };
    mentions.money.budgets_of(purchase, now)
}

/// Reads the budgets, with the expected prices of everything that is queued already counted as reserved.
async fn read_balances(
    mentions: &MentionParts,
    tx: &mut Tx,
    budgets: &[Vec<Budget>],
    now: Timestamp,
) -> Result<Balances, DbError> {
    let mut keys: Vec<_> = budgets.iter().flatten().map(|budget| budget.key.clone()).collect();
    keys.sort();
    keys.dedup();
    if keys.is_empty() {
        return Ok(Balances::default());
    }
    let zeros: Vec<_> = keys.iter().map(zero_row).collect();
    let mut balances = balances_of(ledger::find_budgets(tx, &zeros).await?);
    for queued in runs::list_expected(tx).await? {
        let Ok(provider) = queued.provider.parse::<Provider>() else { continue };
        let domain = DomainId::from(queued.domain_id);
        let purchase = Purchase {
            account: &queued.account_id,
            domain: &domain,
            domain_limit: None,
            provider: provider.as_str(),
            price: Usd::from_nanos(queued.nanos),
        };
        balances.reserve(&mentions.money.budgets_of(purchase, now), purchase.price);
    }
    Ok(balances)
}

/// Decision on a target that is due.
enum Considered {
    /// It is looked at again at its new slot.
    Later(PromptTarget),
    Now(DueTarget),
}
