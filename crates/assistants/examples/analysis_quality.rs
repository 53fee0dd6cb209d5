//! Prints how well the analysis agrees with the labelled answers, overall and by language and part.
//! `cargo run --release -p assistants --example analysis_quality [-- --wrong tuning]` also lists what is wrong.
#![allow(clippy::print_stdout)]

#[path = "support/labelled.rs"]
mod labelled;

use assistants::analysis::brand::key;
use labelled::{Agreement, AnswerPart, LANGUAGES, LabelledAnswer, tone_of};

fn main() {
    let wants_wrong = std::env::args().any(|argument| argument == "--wrong");
    let mut overall = [Agreement::default(); 2];
    println!("language part     answers  named  rank   tone   precision  recall");
    for language in LANGUAGES {
        let mut parts = [Agreement::default(); 2];
        for answer in LabelledAnswer::read_all(language) {
            let analysis = answer.analyse();
            let at = usize::from(answer.part == AnswerPart::HeldOut);
            parts[at].add(&answer, &analysis);
            overall[at].add(&answer, &analysis);
            if wants_wrong && answer.part == AnswerPart::Tuning {
                print_wrong(&answer, &analysis);
            }
        }
        print_line(language, "tuning", &parts[0]);
        print_line(language, "held out", &parts[1]);
    }
    print_line("all", "tuning", &overall[0]);
    print_line("all", "held out", &overall[1]);
    print_line("all", "both", &sum(overall[0], overall[1]));
}

fn sum(a: Agreement, b: Agreement) -> Agreement {
    Agreement {
        answers: a.answers + b.answers,
        mentioned_right: a.mentioned_right + b.mentioned_right,
        position_right: a.position_right + b.position_right,
        toned: a.toned + b.toned,
        tone_right: a.tone_right + b.tone_right,
        competitors_labelled: a.competitors_labelled + b.competitors_labelled,
        competitors_found: a.competitors_found + b.competitors_found,
        competitors_right: a.competitors_right + b.competitors_right,
    }
}

fn print_line(language: &str, part: &str, agreement: &Agreement) {
    let share = |right: usize| right as f64 / agreement.answers as f64;
    println!(
        "{language:<8} {part:<8} {:>7}  {:.3}  {:.3}  {:.3}  {:.3}      {:.3}",
        agreement.answers,
        share(agreement.mentioned_right),
        share(agreement.position_right),
        agreement.tone(),
        agreement.precision(),
        agreement.recall(),
    );
}

fn print_wrong(answer: &LabelledAnswer, analysis: &assistants::analysis::AnswerAnalysis) {
    let labels = &answer.labels;
    let found: Vec<&str> = analysis.competitors.iter().map(|competitor| &*competitor.name).collect();
    let is_found = |name: &str| found.iter().any(|other| key(other) == key(name));
    let is_labelled = |name: &str| labels.competitors.iter().any(|other| key(other) == key(name));
    let missing: Vec<&String> = labels.competitors.iter().filter(|name| !is_found(name)).collect();
    let extra: Vec<&&str> = found.iter().filter(|name| !is_labelled(name)).collect();
    let tone = tone_of(analysis);
    if analysis.facts.position != labels.position || !missing.is_empty() || !extra.is_empty() {
        println!(
            "  {} {}: rank {} for {}, missing {missing:?}, extra {extra:?}",
            answer.id, answer.question, analysis.facts.position, labels.position
        );
    }
    if tone != labels.tone {
        println!("  {} {}: {tone} ({}) for {}", answer.id, answer.question, analysis.sentiment, labels.tone);
    }
}
