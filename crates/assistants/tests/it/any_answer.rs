//! Properties of the analysis of any answer: it never panics, and its numbers stay in their range.

use std::collections::HashSet;

use assistants::analysis::{
    AnswerInput, BrandProfile, Brands, CompetitorProfile, CompetitorStatus, SecondStage, complete, prose,
};
use assistants::providers::{Finish, Provider, Retrieval, Source};
use proptest::prelude::*;

/// Pieces of answers, whole and broken.
const PIECES: &[&str] = &[
    "LumaDocs",
    "Luma Docs",
    "**Notchly**",
    "lumadocs.io",
    "[PaperTrail](https://papertrail.app)",
    "1. ",
    "- ",
    "> ",
    "| A | B |\n|---|---|\n",
    "| Quillbase | 3 |\n",
    "\n",
    "\n\n",
    "# ",
    "```\n",
    "*",
    "**",
    "`",
    "[",
    "](",
    ")",
    "<b>",
    "<!--",
    "&amp;",
    "【1†a】",
    "[^1]",
    " is not good",
    " is better than ",
    ", but ",
    ": ",
    " and ",
    ". ",
    "。",
    "は",
    "ルマドックス",
    "루마독스는",
    "é",
    "\u{200d}",
    "\u{202e}",
    "😀",
    "\0",
    "\t",
    "Best value:",
    " recommended ",
    "avoid ",
];

fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_answer_is_analysed_and_its_numbers_stay_in_their_range(
        text in markdown(),
        question in markdown(),
        urls in prop::collection::vec("(https?://)?[a-z]{0,8}\\.(com|io|co\\.uk|github\\.io)(/[a-z?=&#]{0,6})?", 0..6),
    ) {
        let own = BrandProfile {
            name: "LumaDocs".into(),
            aliases: vec!["ルマドックス".into(), "루마독스".into(), "LD".into()],
            domains: vec!["lumadocs.io".into()],
        };
        let competitor = CompetitorProfile {
            name: "Notchly".into(),
            aliases: vec![],
            domains: vec![],
            status: CompetitorStatus::Tracked,
        };
        let brands = Brands::compile(own, vec![competitor]);
        let citations: Vec<Source> =
            urls.into_iter().map(|url| Source { url, title: String::new() }).collect();
        let input = AnswerInput {
            question: &question,
            text: &text,
            citations: &citations,
            retrieved: &citations,
            provider: Provider::Chatgpt,
        };

        let analysis = complete(&input, &brands, SecondStage { reply: None, seen_before: &HashSet::new() });

        let facts = &analysis.facts;
        prop_assert!((-1.0..=1.0).contains(&analysis.sentiment));
        prop_assert!(facts.position as usize <= facts.brands.len());
        prop_assert_eq!(facts.position > 0, facts.mentioned);
        prop_assert!(facts.brands.iter().enumerate().all(|(at, brand)| brand.rank as usize == at + 1));
        prop_assert!(facts.list_rank.is_none_or(|rank| rank > 0 || facts.mentioned));
        let occurrences: u32 = facts.brands.iter().map(|brand| brand.count).sum();
        prop_assert_eq!(occurrences as usize, facts.spans.len());
        let length = text.chars().count();
        prop_assert!(facts.spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
        prop_assert!(facts.spans.iter().all(|span| span.start < span.end && span.end <= length));
        let distinct: HashSet<&str> = facts.citations.iter().map(|citation| &*citation.url).collect();
        prop_assert_eq!(distinct.len(), facts.citations.len());
        prop_assert!(facts.citations.iter().all(|citation| citation.url.starts_with("http")));
        let counted = analysis.counted(Retrieval::Used, Finish::Complete);
        prop_assert_eq!(counted.position, facts.position);
    }

    #[test]
    fn prose_keeps_the_way_back_to_every_byte(text in markdown()) {
        let prose = prose::read(&text);

        for block in &prose.blocks {
            let source = prose.source_range(block.range.clone());
            prop_assert!(text.get(source).is_some());
        }
    }
}
