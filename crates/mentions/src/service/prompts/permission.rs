//! Permission of an account to have prompts and to have them asked: plan, settings and limits.

use std::sync::Arc;

use assistants::providers::Provider;
use store::{Conn, DbError};

use super::PromptError;
use crate::connections::{Connections, Unavailable, least_plan};
use crate::model::Prompt;
use crate::queries::prompts::{self, PromptCounts};
use accounts::AccountId;
use platform::config::Config;
use platform::plans::{Plan, PlanLimits};

/// Account on whose behalf a prompt is changed.
#[derive(Debug, Clone, Copy)]
pub struct PromptOwner<'a> {
    pub account: &'a AccountId,
    pub plan: Plan,
}

/// Limits of plans and settings. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PromptPermission {
    config: Arc<Config>,
    connections: Arc<Connections>,
}

impl PromptPermission {
    pub fn new(config: &Arc<Config>, connections: &Arc<Connections>) -> PromptPermission {
        PromptPermission { config: config.clone(), connections: connections.clone() }
    }

    fn limits(&self, owner: PromptOwner<'_>) -> &PlanLimits {
        self.config.plan(owner.plan)
    }

    /// Checks assistants that somebody named: plan, then availability, then number.
    pub fn check_named(&self, owner: PromptOwner<'_>, named: &[Provider]) -> Result<(), PromptError> {
        let check = |provider: &Provider| self.connections.get(*provider).check(owner.plan);
        let above_plan = named.iter().find(|provider| check(provider) == Err(Unavailable::Plan));
        if let Some(provider) = above_plan {
            return Err(PromptError::PlanRequired(least_plan(*provider)));
        }
        if named.iter().any(|provider| check(provider).is_err()) {
            return Err(PromptError::ProviderUnavailable);
        }
        let (limit, current) = (self.limits(owner).providers_per_prompt, named.len() as u64);
        if limit.allows(current) { Ok(()) } else { Err(PromptError::ProviderLimit { limit, current }) }
    }

    /// Checks that assistants answer a question: stand-ins of the demo answer the demo's questions only.
    pub fn check_question(&self, assistants: &[Provider], question: &str) -> Result<(), PromptError> {
        let is_refused = |provider: &Provider| !self.connections.answers(*provider, question);
        if assistants.iter().any(is_refused) { Err(PromptError::ProviderUnavailable) } else { Ok(()) }
    }

    /// Returns the assistants of a new prompt: those that were named, else those that plan and settings allow.
    pub fn assistants_of_new(
        &self,
        owner: PromptOwner<'_>,
        named: Option<&[Provider]>,
        question: &str,
    ) -> Result<Vec<Provider>, PromptError> {
        if let Some(named) = named {
            self.check_named(owner, named)?;
            self.check_question(named, question)?;
            return Ok(named.to_vec());
        }
        let defaults = self.connections.defaults(owner.plan, self.limits(owner), question);
        if defaults.is_empty() { Err(PromptError::ProviderUnavailable) } else { Ok(defaults) }
    }

    /// Checks that the account may have one more prompt, active or paused.
    pub fn check_one_more(
        &self,
        owner: PromptOwner<'_>,
        counts: PromptCounts,
        is_active: bool,
    ) -> Result<(), PromptError> {
        let (limit, current) = (self.limits(owner).prompts, counts.prompts);
        if !limit.allows(current + 1) {
            return Err(PromptError::PromptLimit { limit, current });
        }
        if is_active { self.check_one_more_active(owner, counts) } else { Ok(()) }
    }

    /// Checks that the account may have one more active prompt.
    pub fn check_one_more_active(
        &self,
        owner: PromptOwner<'_>,
        counts: PromptCounts,
    ) -> Result<(), PromptError> {
        let (limit, current) = (self.limits(owner).monitors, counts.active);
        if limit.allows(current + 1) { Ok(()) } else { Err(PromptError::MonitorLimit { limit, current }) }
    }

    /// Returns those of a prompt's assistants that may be asked now. None of them, when a downgrade has left the account
    /// with fewer active prompts than it has and older ones take them all.
    pub async fn askable(
        &self,
        conn: &mut Conn,
        owner: PromptOwner<'_>,
        prompt: &Prompt,
    ) -> Result<Vec<Provider>, DbError> {
        if let Some(most) = self.limits(owner).monitors.most() {
            let oldest = prompts::list_oldest_active(conn, owner.account, most).await?;
            if !oldest.contains(&prompt.id) {
                return Ok(Vec::new());
            }
        }
        Ok(self.connections.allowed(prompt, owner.plan, self.limits(owner)))
    }
}
