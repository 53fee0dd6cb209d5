//! Actions of a report: detectors, each with its condition and its impact. Pure.
//! An id is made of the detector and what it is about, so that the same finding has the same id in every report.

mod brand;
mod prompts;

use assistants::statistics::AnswerSums;
use serde_json::{Map, Value};

use super::ReportInput;
use super::payload::{
    ActionKind, ActionSeverity, CitationOpportunity, PromptInsight, ProviderInsight, ReportAction,
    ReportChange,
};

/// Impact from which an action is urgent, and from which it is not minor.
const HIGH: u32 = 50;
const MEDIUM: u32 = 30;

/// Everything that detectors look at.
pub(super) struct ActionFacts<'a> {
    pub input: &'a ReportInput,
    pub window: &'a AnswerSums,
    pub before: &'a AnswerSums,
    pub prompts: &'a [PromptInsight],
    pub providers: &'a [ProviderInsight],
    pub changes: &'a [ReportChange],
    pub opportunities: &'a [CitationOpportunity],
}

/// Lists what can be done, largest impact first.
pub(super) fn find(facts: &ActionFacts<'_>) -> Vec<ReportAction> {
    let detectors: [fn(&ActionFacts<'_>) -> Vec<ReportAction>; 13] = [
        prompts::provider_gaps,
        prompts::dead_prompts,
        prompts::uninformative_prompts,
        prompts::confirmed_changes,
        brand::single_provider,
        brand::cited_not_named,
        brand::named_not_cited,
        brand::negative_tone,
        brand::rising_competitors,
        brand::source_opportunity,
        brand::unvisited_pages,
        brand::measurement,
        brand::changed_models,
    ];
    let mut actions: Vec<ReportAction> = detectors.iter().flat_map(|detector| detector(facts)).collect();
    actions.sort_by(|a, b| b.impact.cmp(&a.impact).then_with(|| a.id.cmp(&b.id)));
    actions
}

/// Begins an action. `about` tells findings of one detector apart.
fn action(kind: ActionKind, about: &[&str], impact: u32, (title, detail): (String, String)) -> ReportAction {
    let mut id = kind.as_str().to_owned();
    for part in about {
        id.push(':');
        id.push_str(part);
    }
    let severity = match impact {
        impact if impact >= HIGH => ActionSeverity::High,
        impact if impact >= MEDIUM => ActionSeverity::Medium,
        _ => ActionSeverity::Low,
    };
    ReportAction {
        id,
        kind,
        severity,
        impact: impact.min(100),
        title,
        detail,
        evidence: Map::new(),
        prompt_ids: Vec::new(),
        providers: Vec::new(),
        domains: Vec::new(),
    }
}

impl ReportAction {
    fn with_evidence<const N: usize>(mut self, evidence: [(&str, Value); N]) -> ReportAction {
        self.evidence.extend(evidence.map(|(name, value)| (name.to_owned(), value)));
        self
    }

    fn with_prompt(mut self, id: &str) -> ReportAction {
        self.prompt_ids.push(id.to_owned());
        self
    }

    fn with_provider(mut self, provider: &str) -> ReportAction {
        self.providers.push(provider.to_owned());
        self
    }
}

/// Returns the name of an assistant as people know it.
pub(super) fn title_of(provider: &str) -> &str {
    provider.parse::<assistants::providers::Provider>().map_or(provider, |provider| provider.title())
}

/// Shortens a text for a title.
fn short(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Returns the text of a prompt, shortened.
fn prompt_text(facts: &ActionFacts<'_>, id: &str) -> String {
    let found = facts.input.prompts.iter().find(|prompt| prompt.id == id);
    short(found.map_or(id, |prompt| &prompt.text))
}
