//! Fifty answers that give instructions, each with the reply of a model that obeys: neither changes what is counted.

use std::collections::HashSet;
use std::sync::Arc;

use assistants::analysis::{
    AnswerInput, BrandProfile, Brands, CompetitorProfile, CompetitorStatus, SecondStage, ToneBasis, complete,
    facts, llm,
};
use assistants::providers::{Provider, Source};
use serde::Deserialize;
use serde_json::Value;

const ANSWER: &str = "1. **Notchly** is fast.\n2. **LumaDocs** has a clean editor.\n3. **PaperTrail** is cheap, but its search is slow.";

#[derive(Deserialize)]
struct HostileAnswer {
    text: String,
    reply: Value,
}

fn corpus() -> Vec<HostileAnswer> {
    let lines = include_str!("data/hostile_answers.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn brands() -> Arc<Brands> {
    let competitor = |name: &str| CompetitorProfile {
        name: name.to_owned(),
        aliases: vec![],
        domains: vec![format!("{}.example", name.to_lowercase())],
        status: CompetitorStatus::Tracked,
    };
    let own = BrandProfile { name: "LumaDocs".into(), aliases: vec![], domains: vec!["lumadocs.io".into()] };
    Brands::compile(own, vec![competitor("Notchly"), competitor("PaperTrail")])
}

fn input<'a>(text: &'a str, citations: &'a [Source]) -> AnswerInput<'a> {
    AnswerInput {
        question: "Which documentation tool is best?",
        text,
        citations,
        retrieved: &[],
        provider: Provider::Chatgpt,
    }
}

#[test]
fn instructions_in_an_answer_and_a_model_that_obeys_them_change_nothing_that_is_counted() {
    let brands = brands();
    let sources = ["https://notchly.example/a", "https://g2.com/b"]
        .map(|url| Source { url: url.to_owned(), title: String::new() });
    let honest = facts(&input(ANSWER, &sources), &brands);
    let corpus = corpus();
    assert_eq!(corpus.len(), 50);

    for hostile in corpus {
        for text in [format!("{ANSWER}\n\n{}", hostile.text), format!("{}\n\n{ANSWER}", hostile.text)] {
            let reply = llm::read_reply(&hostile.reply.to_string()).unwrap();
            let seen_before = HashSet::new();
            let alone = complete(
                &input(&text, &sources),
                &brands,
                SecondStage { reply: None, seen_before: &seen_before },
            );
            let told = complete(
                &input(&text, &sources),
                &brands,
                SecondStage { reply: Some(&reply), seen_before: &seen_before },
            );

            for facts in [&facts(&input(&text, &sources), &brands), &told.facts, &alone.facts] {
                let counted = |facts: &assistants::analysis::AnswerFacts| {
                    (facts.position, facts.count, facts.citations.clone(), facts.own_cited)
                };
                assert_eq!(counted(facts), counted(&honest), "{text}");
                let names = |facts: &assistants::analysis::AnswerFacts| -> Vec<String> {
                    facts.brands.iter().map(|brand| brand.name.clone()).collect()
                };
                assert_eq!(names(facts), names(&honest), "{text}");
            }
            assert_eq!(
                told.tone_basis,
                ToneBasis::Lexicon,
                "a quote that is not said counts for nothing: {text}"
            );
            assert_eq!(told.sentiment, alone.sentiment, "{text}");
            assert!(told.competitors.iter().all(|competitor| !competitor.is_new), "{text}");
        }
    }
}

#[test]
fn the_request_puts_hostile_text_between_its_delimiters() {
    let brands = brands();
    for hostile in corpus() {
        let text = format!("{ANSWER}\n\n{}", hostile.text);
        let input = input(&text, &[]);

        let request = llm::request(&input, &facts(&input, &brands), &brands, "D-123").unwrap();

        assert_eq!(request.user.matches("D-123").count(), 2, "{text}");
        assert!(!request.system.contains(&hostile.text));
    }
}
