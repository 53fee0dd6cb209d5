//! Prompts: listed, created, changed, deleted, imported and asked now, within what the account's plan allows. Used by the API
//! and by commands. Every change is one transaction with the runs that it causes.

pub mod body;
mod changing;
mod creating;
mod error;
pub mod file;
mod importing;
mod permission;
mod removing;
mod running;

pub use changing::PromptChanges;
pub use creating::PromptCreation;
pub use error::PromptError;
pub use importing::{ImportOutcome, PromptImport, RefusedPrompt};
pub use permission::{PromptOwner, PromptPermission};
pub use removing::PromptRemoval;
pub use running::{PromptRunning, RunNowError, RunNowRequest};

use store::{Db, DbError};

use crate::model::Prompt;
use crate::queries::prompts::{self, PromptCounts};
use ::domains::DomainId;
use accounts::AccountId;
use accounts::usage::Holdings;

/// Prompts as they stand. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PromptList {
    db: Db,
}

impl PromptList {
    pub fn new(db: &Db) -> PromptList {
        PromptList { db: db.clone() }
    }

    /// Lists the prompts of a domain, the oldest first; those with a tag when one is given.
    pub async fn list(&self, domain: &DomainId, tag: Option<&str>) -> Result<Vec<Prompt>, DbError> {
        let mut found = prompts::list_prompts(&mut self.db.read().await?, domain).await?;
        if let Some(tag) = tag {
            found.retain(|prompt| prompt.tags.iter().any(|own| own == tag));
        }
        Ok(found)
    }

    pub async fn find(&self, id: &str) -> Result<Option<Prompt>, DbError> {
        // PostgreSQL keeps no NUL in a text: no id has one.
        if id.contains('\0') {
            return Ok(None);
        }
        prompts::find_prompt(&mut self.db.read().await?, id).await
    }

    /// Adds the account's prompts and active prompts to what it has.
    pub async fn count(&self, account: &AccountId, holdings: Holdings) -> Result<Holdings, DbError> {
        let PromptCounts { prompts, active } =
            prompts::count_prompts(&mut self.db.read().await?, account).await?;
        Ok(Holdings { prompts, monitors: active, ..holdings })
    }
}
