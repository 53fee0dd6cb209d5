//! Suggestions of prompts: from searches that assistants ran, audited pages, visits, the brand profile and search terms.
//! Pure and deterministic. Suggests nothing that is tracked, and each text once.
//! See docs/decisions/0366.

mod intent;
mod topics;

use std::collections::{HashMap, HashSet};

use assistants::analysis::{BrandProfile, CompetitorProfile, CompetitorStatus};
use serde::Serialize;
use utoipa::ToSchema;

use crate::model::{Prompt, PromptIntent, text_enum};
use crate::queries::reading::sources::SearchTotalsRow;
use crate::words::counted;
use analytics::AiCrawls;
use audit::service::AuditedTopic;

use intent::intent_of;
use topics::{slug_topic, text_topic};

/// Maximum number of search terms of a request.
pub const MAX_TERMS: usize = 5_000;
/// Maximum number of suggestions of one source, search terms excepted.
const MAX_OF_SOURCE: usize = 100;
/// Competitors that prompts are suggested for.
const MAX_COMPETITORS: usize = 10;
/// Days of visits and searches that are looked at.
pub const VISIT_DAYS: u32 = 30;

text_enum! {
    /// Origin of a suggestion.
    SuggestionSource {
        /// An assistant searched for it.
        Query = "query",
        /// A page of the latest audit is about it.
        Page = "page",
        /// AI crawlers, or people whom assistants sent, visit a page about it.
        Visits = "visits",
        /// The brand profile.
        Brand = "brand",
        /// A search term of the request.
        Term = "term",
    }
}

/// A prompt that could be monitored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestionItem {
    #[schema(examples("best documentation tool for startups"))]
    pub prompt_text: String,
    pub intent: PromptIntent,
    pub source: SuggestionSource,
    /// Sentence that says where it comes from.
    #[schema(examples("Assistants searched for it for 12 answers, 4 of which name LumaDocs."))]
    pub evidence: String,
}

/// Everything that suggestions are made of.
#[derive(Debug, Default)]
pub struct SuggestionSources {
    pub brand: BrandProfile,
    pub competitors: Vec<CompetitorProfile>,
    /// Observed searches, most answers first.
    pub searches: Vec<SearchTotalsRow>,
    /// Topics of audited pages, most inlinks first.
    pub topics: Vec<AuditedTopic>,
    /// Visits of AI crawlers, by path.
    pub crawls: HashMap<String, AiCrawls>,
    /// People whom assistants sent, by path.
    pub people: HashMap<String, u64>,
}

impl SuggestionSources {
    /// Lists all suggestions: the best of each source first, by turns.
    pub fn suggestions(&self, prompts: &[Prompt]) -> Vec<SuggestionItem> {
        let lists = [self.of_searches(), self.of_visits(), self.of_pages(), self.of_brand()];
        let mut taken = tracked_keys(prompts);
        let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
        let by_turns = (0..longest).flat_map(|at| lists.iter().filter_map(move |list| list.get(at)));
        by_turns.filter(|item| is_new(&item.prompt_text, &mut taken)).cloned().collect()
    }

    fn of_searches(&self) -> Vec<SuggestionItem> {
        let brand = &self.brand.name;
        let item = |search: &SearchTotalsRow| SuggestionItem {
            evidence: format!(
                "Assistants searched for it for {}, {} of which name {brand}.",
                counted(search.answers, "answer", "answers"),
                search.named_in
            ),
            ..suggestion(&search.text, SuggestionSource::Query)
        };
        self.searches.iter().filter(|search| is_prompt(&search.text)).map(item).take(MAX_OF_SOURCE).collect()
    }

    fn of_pages(&self) -> Vec<SuggestionItem> {
        let item = |page: &AuditedTopic| {
            let topic = text_topic(page, &self.brand)?;
            let evidence = format!("The page {} is about it.", page.path);
            Some(SuggestionItem { evidence, ..suggestion(&topic, SuggestionSource::Page) })
        };
        self.topics.iter().filter_map(item).take(MAX_OF_SOURCE).collect()
    }

    fn of_visits(&self) -> Vec<SuggestionItem> {
        let known: HashMap<&str, &AuditedTopic> =
            self.topics.iter().map(|topic| (topic.path.as_str(), topic)).collect();
        let mut paths: Vec<(u64, u64, &String)> = Vec::new();
        for path in self.crawls.keys().chain(self.people.keys()).collect::<HashSet<_>>() {
            let people = self.people.get(path).copied().unwrap_or(0);
            let visits = self.crawls.get(path).map_or(0, |crawls| crawls.visits);
            paths.push((people, visits, path));
        }
        // A person is worth more than a crawler's visit, and says the same.
        paths.sort_by(|a, b| (b.0, b.1, a.2).cmp(&(a.0, a.1, b.2)));
        let item = |(people, visits, path): (u64, u64, &String)| {
            let topic = known.get(path.as_str()).and_then(|page| text_topic(page, &self.brand));
            let topic = topic.or_else(|| slug_topic(path))?;
            let evidence = format!(
                "Assistants sent {} to {path} in {VISIT_DAYS} days, AI crawlers came {}.",
                counted(people, "person", "people"),
                counted(visits, "time", "times")
            );
            Some(SuggestionItem { evidence, ..suggestion(&topic, SuggestionSource::Visits) })
        };
        paths.into_iter().filter_map(item).take(MAX_OF_SOURCE).collect()
    }

    fn of_brand(&self) -> Vec<SuggestionItem> {
        let brand = &self.brand.name;
        if brand.is_empty() {
            return Vec::new();
        }
        let about_brand = [
            (format!("What are the best alternatives to {brand}?"), PromptIntent::Comm),
            (format!("Is {brand} a good choice?"), PromptIntent::Comm),
            (format!("What is {brand}?"), PromptIntent::Info),
            (format!("How much does {brand} cost?"), PromptIntent::Trans),
        ];
        let item = |text: String, intent, evidence: String| SuggestionItem {
            prompt_text: text,
            intent,
            source: SuggestionSource::Brand,
            evidence,
        };
        let mut items: Vec<SuggestionItem> = Vec::new();
        let counted = self.competitors.iter().filter(|rival| rival.status != CompetitorStatus::Ignored);
        for rival in counted.take(MAX_COMPETITORS) {
            let evidence = format!("{} is a competitor of {brand}.", rival.name);
            let alternatives = format!("What are the best alternatives to {}?", rival.name);
            items.push(item(alternatives, PromptIntent::Comm, evidence.clone()));
            let which = format!("{brand} or {}: which is better?", rival.name);
            items.push(item(which, PromptIntent::Comm, evidence));
        }
        let evidence = format!("People ask for {brand} by name.");
        items.extend(about_brand.into_iter().map(|(text, intent)| item(text, intent, evidence.clone())));
        items
    }
}

/// Lists the search terms that are not tracked, in their order, each once.
pub fn of_terms(terms: &[String], prompts: &[Prompt]) -> Vec<SuggestionItem> {
    let mut taken = tracked_keys(prompts);
    let texts = terms.iter().map(|term| one_line(term));
    let new = texts.filter(|text| is_prompt(text) && is_new(text, &mut taken));
    new.map(|text| SuggestionItem {
        evidence: "A search term of your list.".to_owned(),
        ..suggestion(&text, SuggestionSource::Term)
    })
    .collect()
}

fn suggestion(text: &str, source: SuggestionSource) -> SuggestionItem {
    SuggestionItem { prompt_text: text.to_owned(), intent: intent_of(text), source, evidence: String::new() }
}

/// Returns a text with one space between its words.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Decides whether a text can be a prompt: words and not an address or an operator of a search engine.
fn is_prompt(text: &str) -> bool {
    let is_operator =
        ["site:", "inurl:", "intitle:", "http://", "https://"].iter().any(|op| text.contains(op));
    text.chars().filter(|c| c.is_alphabetic()).count() >= 2
        && !is_operator
        && text.chars().count() <= 2_000
        && !text.chars().any(char::is_control)
}

/// Returns the form in which two texts are equal: lower case, words only.
pub(super) fn text_key(text: &str) -> String {
    let words = text.to_lowercase();
    let words: Vec<&str> =
        words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Returns the texts of prompts in that form.
pub(super) fn tracked_keys(prompts: &[Prompt]) -> HashSet<String> {
    prompts.iter().map(|prompt| text_key(&prompt.text)).collect()
}

fn is_new(text: &str, taken: &mut HashSet<String>) -> bool {
    taken.insert(text_key(text))
}

#[cfg(test)]
mod tests;
