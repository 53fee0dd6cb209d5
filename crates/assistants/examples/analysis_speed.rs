//! Prints how long the analysis takes beside its goals: `cargo run --release -p assistants --example analysis_speed`.
//! The times are of this thread's wall clock; run it on an idle machine.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a measuring tool")]

use std::collections::HashSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assistants::analysis::{
    AnswerInput, BrandProfile, Brands, CompetitorProfile, CompetitorStatus, SecondStage, complete, facts,
};
use assistants::providers::{Provider, Source};

const PARAGRAPH: &str = "2. **LumaDocs** – Probably the cleanest editor of the group. Setup takes minutes, versioning is built \
in, and support answers quickly.\n3. **Quillbase** – Cheap, but the feature set is thin. Compared with Brand 3, the export is slow.\n\n\
If you just want to publish a help centre this week, LumaDocs or Brand 7 will serve you well.\n\n";

fn main() {
    let sources: Vec<Source> = (0..12)
        .map(|at| Source { url: format!("https://site{at}.example/page?utm_source=x"), title: String::new() })
        .collect();
    let twenty = brands(20, 0);
    let (short, long) = (answer(3_000), answer(200_000));

    let both = fastest(200, || both_stages(&short, &sources, &twenty));
    line("3 KB, 12 citations, 20 brands, both stages", both, Duration::from_millis(1));
    let first = fastest(20, || {
        black_box(facts(&input(&long, &sources), &twenty));
    });
    line("200 KB, first stage", first, Duration::from_millis(20));
    line(
        "200 KB, both stages",
        fastest(20, || both_stages(&long, &sources, &twenty)),
        Duration::from_millis(20),
    );
    let (few, many) = (brands(1, 10), brands(1, 1_000));
    let ten = fastest(500, || {
        black_box(facts(&input(&short, &sources), &few));
    });
    let thousand = fastest(500, || {
        black_box(facts(&input(&short, &sources), &many));
    });
    line("3 KB, 1,000 aliases (goal: twice that of 10)", thousand, ten * 2);
}

fn both_stages(text: &str, sources: &[Source], brands: &Brands) {
    let stage = SecondStage { reply: None, seen_before: &HashSet::new() };
    black_box(complete(&input(text, sources), brands, stage));
}

fn input<'a>(text: &'a str, citations: &'a [Source]) -> AnswerInput<'a> {
    AnswerInput {
        question: "What is the best documentation tool?",
        text,
        citations,
        retrieved: &[],
        provider: Provider::Perplexity,
    }
}

fn answer(bytes: usize) -> String {
    let mut text = PARAGRAPH.repeat(bytes / PARAGRAPH.len() + 1);
    text.truncate(text.floor_char_boundary(bytes));
    text
}

fn brands(count: usize, aliases: usize) -> Arc<Brands> {
    let own = BrandProfile {
        name: "LumaDocs".into(),
        aliases: (0..aliases).map(|at| format!("Alias{at} Name")).collect(),
        domains: vec!["lumadocs.io".into()],
    };
    let competitor = |at| CompetitorProfile {
        name: format!("Brand {at}"),
        aliases: vec![],
        domains: vec![format!("site{at}.example")],
        status: CompetitorStatus::Tracked,
    };
    Brands::compile(own, (1..count).map(competitor).collect())
}

/// Returns the fastest of some runs, which other processes disturb least.
fn fastest(runs: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..runs).map(|_| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    });
    times.min().unwrap_or_default()
}

fn line(name: &str, time: Duration, goal: Duration) {
    let verdict = if time <= goal { "holds" } else { "MISSED" };
    println!(
        "{name:<48} {:>8.3} ms, goal {:>7.3} ms: {verdict}",
        time.as_secs_f64() * 1e3,
        goal.as_secs_f64() * 1e3
    );
}
