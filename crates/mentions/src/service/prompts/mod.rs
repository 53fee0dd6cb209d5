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

pub use changing::change_prompt;
pub use creating::create_prompt;
pub use error::PromptError;
pub use importing::{ImportOutcome, RefusedPrompt, import_prompts};
pub use permission::{PromptOwner, PromptPermission};
pub use removing::delete_prompt;
pub use running::{RunNowError, RunNowRequest, run_prompt_now};

use store::{Db, DbError};

use crate::model::Prompt;
use crate::queries::prompts::{self, PromptCounts};
use ::domains::DomainId;
use accounts::AccountId;
use accounts::usage::Holdings;

/// Lists the prompts of a domain, the oldest first; those with a tag when one is given.
pub async fn list_prompts(db: &Db, domain: &DomainId, tag: Option<&str>) -> Result<Vec<Prompt>, DbError> {
    let mut found = prompts::list_prompts(&mut db.read().await?, domain).await?;
    if let Some(tag) = tag {
        found.retain(|prompt| prompt.tags.iter().any(|own| own == tag));
    }
    Ok(found)
}

pub async fn find_prompt(db: &Db, id: &str) -> Result<Option<Prompt>, DbError> {
    // PostgreSQL keeps no NUL in a text: no id has one.
    if id.contains('\0') {
        return Ok(None);
    }
    prompts::find_prompt(&mut db.read().await?, id).await
}

/// Adds the account's prompts and active prompts to what it has.
pub async fn count_prompts(db: &Db, account: &AccountId, holdings: Holdings) -> Result<Holdings, DbError> {
    let PromptCounts { prompts, active } = prompts::count_prompts(&mut db.read().await?, account).await?;
    Ok(Holdings { prompts, monitors: active, ..holdings })
}
