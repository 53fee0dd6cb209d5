//! Decides whether a prompt may be asked now: its account, plan, domain and provider. What is not allowed is left out
//! quietly, and looked at again. Used by the scheduler and before every call.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use assistants::providers::Provider;
use store::{Db, DbError};

use crate::connections::Connections;
use crate::model::{Prompt, PromptId};
use crate::queries::prompts;
use crate::queries::runs::RunTask;
use ::domains::{DomainId, DomainStatus, DomainsService};
use accounts::{Account, AccountId, Accounts};
use platform::config::Config;

/// Permission check of questions. Cheap to clone.
#[derive(Clone)]
pub struct Permissions {
    db: Db,
    config: Arc<Config>,
    accounts: Accounts,
    domains: DomainsService,
    connections: Arc<Connections>,
}

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

impl Permissions {
    pub fn new(
        db: &Db,
        config: &Arc<Config>,
        (accounts, domains): (&Accounts, &DomainsService),
        connections: &Arc<Connections>,
    ) -> Permissions {
        Permissions {
            db: db.clone(),
            config: config.clone(),
            accounts: accounts.clone(),
            domains: domains.clone(),
            connections: connections.clone(),
        }
    }

    /// Decides whether a run may be asked. One that has begun may, even when its prompt was deleted or paused meanwhile.
    pub async fn allow(&self, task: &RunTask) -> Result<bool, DbError> {
        let prompt = prompts::find_prompt(&mut self.db.read().await?, task.prompt.as_str()).await?;
        let mut found = FoundPermissions::default();
        match prompt {
            Some(prompt) if prompt.is_active && prompt.providers.contains(&task.provider) => {
                self.allow_prompt(&mut found, &prompt, task.provider).await
            }
            _ if task.calls == 0 => Ok(false),
            _ => self.allow_provider(&mut found, (&task.account, &task.domain), task.provider).await,
        }
    }

    /// Decides whether a prompt may be asked of a provider.
    pub async fn allow_prompt(
        &self,
        found: &mut FoundPermissions,
        prompt: &Prompt,
        provider: Provider,
    ) -> Result<bool, DbError> {
        if !self.allow_provider(found, (&prompt.account, &prompt.domain), provider).await? {
            return Ok(false);
        }
        let Some(Some(allowed)) = found.accounts.get(&prompt.account) else { return Ok(false) };
        let plan = allowed.account.plan;
        let providers = self.connections.allowed(prompt, plan, self.config.plan(plan));
        let is_monitored = allowed.monitored.as_ref().is_none_or(|ids| ids.contains(&prompt.id));
        Ok(is_monitored && providers.contains(&provider))
    }

    async fn allow_provider(
        &self,
        found: &mut FoundPermissions,
        (account, domain): (&AccountId, &DomainId),
        provider: Provider,
    ) -> Result<bool, DbError> {
        if !found.accounts.contains_key(account) {
            let allowed = self.find_account(account).await?;
            found.accounts.insert(account.clone(), allowed);
        }
        if !found.domains.contains_key(domain) {
            let record = self.domains.find_by_id(domain).await?;
            let is_served = record.is_some_and(|record| record.status != DomainStatus::Suspended);
            found.domains.insert(domain.clone(), is_served);
        }
        let plan = found.accounts.get(account).and_then(|found| Some(found.as_ref()?.account.plan));
        let is_available = plan.is_some_and(|plan| self.connections.get(provider).check(plan).is_ok());
        Ok(is_available && found.domains.get(domain).copied().unwrap_or(false))
    }

    /// Finds an account that may have something asked.
    async fn find_account(&self, id: &AccountId) -> Result<Option<AllowedAccount>, DbError> {
        let account = self.accounts.find_account(id).await?.filter(|account| account.active);
        let Some(account) = account else { return Ok(None) };
        let monitored = match self.config.plan(account.plan).monitors.most() {
            None => None,
            Some(most) => {
                let mut conn = self.db.read().await?;
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
}
