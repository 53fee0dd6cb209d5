//! Importing prompts: a list, each as by creating it, in its order. A text that the domain has is skipped, so that the same
//! list can be sent again.

use std::collections::HashSet;

use serde::Serialize;
use utoipa::ToSchema;

use super::body::NewPrompt;
use super::creating::create_each;
use super::{PromptError, PromptOwner};
use crate::service::MentionParts;
use ::domains::Domain;
use platform::api::ErrorCode;

/// Prompts that are created in one transaction, so that nobody waits long for the writer.
const AT_ONCE: usize = 100;

/// Outcome of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ImportOutcome {
    /// Prompts that are new.
    #[schema(examples(12))]
    pub created: usize,
    /// Runs that were queued for them.
    #[schema(examples(36))]
    pub queued: usize,
    /// Prompts whose text the domain has already, or that stand in the list twice.
    #[schema(examples(3))]
    pub skipped: usize,
    pub refused: Vec<RefusedPrompt>,
}

/// A prompt of a list that was not created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RefusedPrompt {
    /// Position in the list, from 0.
    #[schema(examples(4))]
    pub index: usize,
    /// Error code, as by creating it alone.
    #[schema(examples("prompt_limit_reached"))]
    pub error: &'static str,
}

/// Creates the prompts of a list. None stands for one that is malformed.
pub async fn import_prompts(
    mentions: &MentionParts,
    owner: PromptOwner<'_>,
    domain: &Domain,
    list: Vec<Option<NewPrompt>>,
) -> Result<ImportOutcome, PromptError> {
    let mut outcome = ImportOutcome::default();
    let mut seen: HashSet<String> = HashSet::new();
    let mut wanted: Vec<(usize, NewPrompt)> = Vec::new();
    for (index, new) in list.into_iter().enumerate() {
        match new {
            None => outcome.refuse(index, ErrorCode::InvalidRequest),
            Some(new) => wanted.push((index, new)),
        }
    }
    let mut wanted = wanted.into_iter();
    loop {
        let part: Vec<(usize, NewPrompt)> = wanted.by_ref().take(AT_ONCE).collect();
        if part.is_empty() {
            break;
        }
        let (indexes, part): (Vec<usize>, Vec<NewPrompt>) = part.into_iter().unzip();
        let mut skipped: Vec<bool> = Vec::new();
        let created = create_each(mentions, owner, domain, part, |known, new| {
            let is_known = known.contains(&new.text) || !seen.insert(new.text.clone());
            skipped.push(is_known);
            is_known
        })
        .await?;
        outcome.queued += created.queued;
        for ((index, result), is_skipped) in indexes.into_iter().zip(created.outcomes).zip(skipped) {
            match result {
                Ok(()) if is_skipped => outcome.skipped += 1,
                Ok(()) => outcome.created += 1,
                Err(error) => match error.code() {
                    Some(code) => outcome.refuse(index, code),
                    None => return Err(error),
                },
            }
        }
    }
    outcome.refused.sort_by_key(|refused| refused.index);
    Ok(outcome)
}

impl ImportOutcome {
    fn refuse(&mut self, index: usize, code: ErrorCode) {
        self.refused.push(RefusedPrompt { index, error: code.as_str() });
    }
}
