//! Decides whether a prompt may be asked now: its account, plan, domain and provider. What is not allowed is left out
//! quietly, and looked at again. Used by the scheduler and before every call.

use std::collections::{HashMap, HashSet};

use assistants::providers::Provider;
use store::DbError;

use crate::model::{Prompt, PromptId};
use crate::queries::prompts;
use crate::queries::runs::RunTask;
use crate::service::MentionParts;
use ::domains::{DomainId, DomainStatus};
use accounts::{Account, AccountId};

/// Permissions as they were found, for many prompts.
#[derive(Default)]
pub struct FoundPermissions {
    accounts: HashMap<AccountId, Option<AllowedAccount>>,
    domains: HashMap<DomainId, bool>,
}

struct AllowedAccount {
    account: Account,
    /// Active prompts within the plan's monitors; none: all of them.
    monitored: Option<HashSet<PromptId>>,
}

/// Decides whether a run may be asked. One that has begun may, even when its prompt was deleted or paused meanwhile.
pub async fn allow_run(mentions: &MentionParts, task: &RunTask) -> Result<bool, DbError> {
    let prompt = prompts::find_prompt(&mut mentions.db.read().await?, task.prompt.as_str()).await?;
    let mut found = FoundPermissions::default();
    match prompt {
        Some(prompt) if prompt.is_active && prompt.providers.contains(&task.provider) => {
            allow_prompt(mentions, &mut found, &prompt, task.provider).await
        }
        _ if task.calls == 0 => Ok(false),
        _ => allow_provider(mentions, &mut found, (&task.account, &task.domain), task.provider).await,
    }
}

/// Decides whether a prompt may be asked of a provider.
pub async fn allow_prompt(
    mentions: &MentionParts,
    found: &mut FoundPermissions,
    prompt: &Prompt,
    provider: Provider,
) -> Result<bool, DbError> {
    if !allow_provider(mentions, found, (&prompt.account, &prompt.domain), provider).await? {
        return Ok(false);
    }
    let Some(Some(allowed)) = found.accounts.get(&prompt.account) else { return Ok(false) };
    let plan = allowed.account.plan;
    let providers = mentions.connections.allowed(prompt, plan, mentions.config.plan(plan));
    let is_monitored = allowed.monitored.as_ref().is_none_or(|ids| ids.contains(&prompt.id));
    Ok(is_monitored && providers.contains(&provider))
}

async fn allow_provider(
    mentions: &MentionParts,
    found: &mut FoundPermissions,
    (account, domain): (&AccountId, &DomainId),
    provider: Provider,
) -> Result<bool, DbError> {
    if !found.accounts.contains_key(account) {
        let allowed = find_account(mentions, account).await?;
        found.accounts.insert(account.clone(), allowed);
    }
    if !found.domains.contains_key(domain) {
        let record = mentions.domains.find_by_id(domain).await?;
        let is_served = record.is_some_and(|record| record.status != DomainStatus::Suspended);
        found.domains.insert(domain.clone(), is_served);
    }
    let plan = found.accounts.get(account).and_then(|found| Some(found.as_ref()?.account.plan));
    let is_available = plan.is_some_and(|plan| mentions.connections.get(provider).check(plan).is_ok());
    Ok(is_available && found.domains.get(domain).copied().unwrap_or(false))
}

/// Finds an account that may have something asked.
async fn find_account(mentions: &MentionParts, id: &AccountId) -> Result<Option<AllowedAccount>, DbError> {
    let account = mentions.accounts.find_account(id).await?.filter(|account| account.active);
    let Some(account) = account else { return Ok(None) };
    let monitored = match mentions.config.plan(account.plan).monitors.most() {
        None => None,
        Some(most) => {
            let mut conn = mentions.db.read().await?;
            let active = prompts::count_prompts(&mut conn, id).await?.active;
            match active > most {
                true => {
                    let oldest = prompts::list_oldest_active(&mut conn, id, most).await?;
                    Some(oldest.into_iter().collect())
                }
                false => None,
            }
        }
    };
    Ok(Some(AllowedAccount { account, monitored }))
}
