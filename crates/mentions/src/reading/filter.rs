//! Filters of statistics, trend, sources, searches and exports: days, provider and prompts. Pure.

use assistants::providers::Provider;
use serde::Serialize;
use utoipa::ToSchema;

use crate::model::{Prompt, PromptIntent, UtcDay};
use analytics::model::date_of;

/// Part of a domain's answers that a question is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingFilter {
    /// First and last day, both included.
    pub days: (UtcDay, UtcDay),
    pub provider: Option<Provider>,
    /// A whole tag that the prompt has.
    pub tag: Option<String>,
    pub intent: Option<PromptIntent>,
    /// The prompt names the own brand, or does not.
    pub branded: Option<bool>,
}

/// Days of an answer, both included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct DayRange {
    #[schema(examples("2026-10-21"))]
    pub from: String,
    #[schema(examples("2026-11-20"))]
    pub to: String,
}

impl DayRange {
    pub fn of((from, to): (UtcDay, UtcDay)) -> DayRange {
        DayRange { from: date_of(from), to: date_of(to) }
    }
}

impl ReadingFilter {
    /// Returns the provider as queries take it: empty for all.
    pub fn provider_text(&self) -> &'static str {
        self.provider.map_or("", Provider::as_str)
    }

    /// Decides whether the filter leaves out some prompts.
    pub fn is_of_some_prompts(&self) -> bool {
        self.tag.is_some() || self.intent.is_some() || self.branded.is_some()
    }

    /// Decides whether answers to a prompt count.
    pub fn includes(&self, prompt: &Prompt) -> bool {
        self.tag.as_ref().is_none_or(|tag| prompt.tags.contains(tag))
            && self.intent.is_none_or(|intent| prompt.intent == intent)
            && self.branded.is_none_or(|branded| prompt.is_branded == branded)
    }
}
