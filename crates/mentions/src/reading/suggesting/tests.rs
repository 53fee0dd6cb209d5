//! Rules of suggestions.

use std::collections::HashMap;

use super::*;
use crate::model::{MonitorInterval, PromptId};
use ::domains::DomainId;
use accounts::AccountId;
use platform::clock::Timestamp;

fn prompt(text: &str) -> Prompt {
    Prompt {
        id: PromptId::from("p1".to_owned()),
        account: AccountId::from("a1".to_owned()),
        domain: DomainId::from("d1".to_owned()),
        number: 1,
        revision: 1,
        text: text.to_owned(),
        intent: PromptIntent::Info,
        is_active: true,
        providers: Vec::new(),
        tags: Vec::new(),
        persona: Default::default(),
        interval: MonitorInterval::Dynamic,
        is_branded: false,
        created_at: Timestamp::from_millis(0),
    }
}

fn page(path: &str, title: &str, h1: Option<&str>) -> AuditedTopic {
    AuditedTopic { path: path.to_owned(), title: Some(title.to_owned()), h1: h1.map(str::to_owned) }
}

fn search(text: &str, answers: i64) -> SearchTotalsRow {
    SearchTotalsRow { query: 1, text: text.to_owned(), answers, named_in: 1 }
}

fn sources() -> SuggestionSources {
    SuggestionSources {
        brand: BrandProfile {
            name: "LumaDocs".to_owned(),
            aliases: Vec::new(),
            domains: vec!["lumadocs.io".to_owned()],
        },
        competitors: vec![CompetitorProfile {
            name: "Notchly".to_owned(),
            aliases: Vec::new(),
            domains: Vec::new(),
            status: CompetitorStatus::Tracked,
        }],
        searches: vec![search("best docs tool", 12), search("site:g2.com docs", 9)],
        topics: vec![
            page("/", "LumaDocs", Some("Home")),
            page("/guides/import", "Import from Notion | LumaDocs", Some("Import")),
            page("/privacy", "Privacy policy of LumaDocs", None),
        ],
        crawls: HashMap::from([(
            "/blog/markdown-or-rich-text".to_owned(),
            AiCrawls { last: 20_000, visits: 40 },
        )]),
        people: HashMap::from([("/guides/import".to_owned(), 9)]),
    }
}

fn texts(items: &[SuggestionItem]) -> Vec<&str> {
    items.iter().map(|item| item.prompt_text.as_str()).collect()
}

#[test]
fn every_source_has_its_turn_and_each_text_stands_once() {
    let items = sources().suggestions(&[]);

    assert_eq!(
        texts(&items),
        [
            "best docs tool",
            "Import from Notion",
            "What are the best alternatives to Notchly?",
            "markdown or rich text",
            "LumaDocs or Notchly: which is better?",
            "What are the best alternatives to LumaDocs?",
            "Is LumaDocs a good choice?",
            "What is LumaDocs?",
            "How much does LumaDocs cost?",
        ]
    );
    let sources: Vec<&str> = items.iter().take(4).map(|item| item.source.as_str()).collect();
    assert_eq!(sources, ["query", "visits", "brand", "visits"]);
    assert_eq!(items[0].evidence, "Assistants searched for it for 12 answers, 1 of which name LumaDocs.");
}

#[test]
fn nothing_that_is_tracked_is_suggested_in_whatever_spelling() {
    let tracked = [prompt("Best docs tool?"), prompt("what is lumadocs"), prompt("import from  Notion!")];

    let items = sources().suggestions(&tracked);

    let texts = texts(&items);
    assert!(
        !texts
            .iter()
            .any(|text| ["best docs tool", "What is LumaDocs?", "Import from Notion"].contains(text))
    );
    assert_eq!(texts.len(), 6);
}

#[test]
fn terms_are_suggested_in_their_order_unless_they_cannot_be_prompts() {
    let terms: Vec<String> =
        ["  best   crm ", "Best CRM", "https://a.example/", "buy crm", "?!", "a\u{0}b", "what is a crm"]
            .map(str::to_owned)
            .to_vec();

    let items = of_terms(&terms, &[prompt("What is a CRM?")]);

    assert_eq!(texts(&items), ["best crm", "buy crm"]);
    assert_eq!((items[0].intent, items[1].intent), (PromptIntent::Comm, PromptIntent::Trans));
    assert!(items.iter().all(|item| item.source == SuggestionSource::Term));
}
