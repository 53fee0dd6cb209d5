//! Fuzzes answers of AI assistants: any markdown is analysed, and its numbers stay in their range.
#![no_main]

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use assistants::analysis::{AnswerInput, BrandProfile, Brands, SecondStage, complete};
use assistants::providers::Provider;
use libfuzzer_sys::fuzz_target;

static BRANDS: LazyLock<Arc<Brands>> = LazyLock::new(|| {
    let own = BrandProfile {
        name: "LumaDocs".into(),
        aliases: vec!["ルマ".into(), "LD".into()],
        domains: vec!["lumadocs.io".into()],
    };
    Brands::compile(own, Vec::new())
});

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let input =
        AnswerInput { question: &text, text: &text, citations: &[], retrieved: &[], provider: Provider::Gemini };

    let analysis = complete(&input, &BRANDS, SecondStage { reply: None, seen_before: &HashSet::new() });

    let facts = &analysis.facts;
    assert!((-1.0..=1.0).contains(&analysis.sentiment));
    assert!(facts.position as usize <= facts.brands.len());
    let length = text.chars().count();
    assert!(facts.spans.iter().all(|span| span.start < span.end && span.end <= length));
});
