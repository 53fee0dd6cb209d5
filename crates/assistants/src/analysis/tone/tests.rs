//! Rules of which brand praise and blame are about.

use super::*;
use crate::analysis::brand::{BrandProfile, Brands, CompetitorProfile, CompetitorStatus};
use crate::analysis::matcher::{ProseReading, longest};
use crate::analysis::prose;

/// Returns the scores of `Bliss` and `Notchly`.
fn scores(text: &str, language: ToneLanguage) -> (f64, f64) {
    let own = BrandProfile { name: "Bliss".into(), aliases: vec![], domains: vec![] };
    let other = CompetitorProfile {
        name: "Notchly".into(),
        aliases: vec![],
        domains: vec![],
        status: CompetitorStatus::Tracked,
    };
    let brands = Brands::compile(own, vec![other]);
    let prose = prose::read(text);
    let hits = longest(brands.matcher().hits(&ProseReading::of(&prose)));
    let tones = tones(&prose, &hits, language);
    let score = |brand| tones.get(&brand).map_or(0.0, |tone| tone.score);
    (score(0), score(1))
}

fn english(text: &str) -> (f64, f64) {
    scores(text, ToneLanguage::English)
}

#[test]
fn the_name_of_a_brand_is_no_praise() {
    assert_eq!(english("**Bliss** exists since 2019."), (0.0, 0.0));
}

#[test]
fn a_negation_turns_praise_and_not_only_does_not() {
    assert!(english("**Bliss** is reliable.").0 > 0.15);
    assert!(english("**Bliss** is not reliable.").0 < -0.15);
    assert!(english("**Bliss** is not only reliable.").0 > 0.15);
    assert!(scores("**Bliss** ist nicht zuverlässig.", ToneLanguage::German).0 < -0.15);
}

#[test]
fn each_clause_is_about_its_own_brand() {
    let (bliss, notchly) = english("**Bliss** is fast and reliable, but Notchly is slow and buggy.");

    assert!(bliss > 0.15 && notchly < -0.15, "{bliss} {notchly}");
}

#[test]
fn a_comparison_counts_against_what_its_subject_is_compared_with() {
    let (bliss, notchly) = english("**Notchly** is better than **Bliss**.");

    assert!(notchly > 0.15 && bliss < 0.0, "{bliss} {notchly}");
}

#[test]
fn a_question_says_nothing() {
    assert_eq!(english("Is **Bliss** reliable?"), (0.0, 0.0));
}
