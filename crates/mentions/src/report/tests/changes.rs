//! Changes between answers, and when they are confirmed.

use assistants::providers::{Provider, Retrieval};

use super::super::payload::ChangeKind;
use super::{LAST, Sample, report_of, sample};

const GPT: Provider = Provider::Chatgpt;

/// Answers of one prompt on the days before the last one, oldest first.
fn series(brands: &[&[&'static str]]) -> Vec<Sample> {
    let first = LAST - brands.len() as i64 + 1;
    brands.iter().zip(first..).map(|(brands, day)| sample("A", GPT, day, brands)).collect()
}

fn changes(samples: &[Sample]) -> Vec<(ChangeKind, bool)> {
    report_of(samples).changes.into_iter().map(|change| (change.kind, change.confirmed)).collect()
}

#[test]
fn a_change_is_confirmed_when_the_next_answer_agrees() {
    let lost = series(&[&["LumaDocs"], &[], &[]]);
    let back = series(&[&["LumaDocs"], &[], &["LumaDocs"]]);
    let open = series(&[&["LumaDocs"], &[]]);

    assert_eq!(changes(&lost), [(ChangeKind::Lost, true)]);
    assert_eq!(changes(&back), [(ChangeKind::Lost, false), (ChangeKind::Gained, false)]);
    assert_eq!(changes(&open), [(ChangeKind::Lost, false)]);
}

#[test]
fn a_rank_counts_from_two_places_on() {
    let one = series(&[&["LumaDocs", "B"], &["B", "LumaDocs"]]);
    let two = series(&[&["LumaDocs", "B", "C"], &["B", "C", "LumaDocs"], &["B", "C", "LumaDocs"]]);
    let up = series(&[&["B", "C", "LumaDocs"], &["LumaDocs"], &["B", "LumaDocs"]]);

    assert_eq!(changes(&one), []);
    assert_eq!(changes(&two), [(ChangeKind::RankDown, true)]);
    assert_eq!(changes(&up), [(ChangeKind::RankUp, false)]);
}

#[test]
fn a_day_in_doubt_changes_and_confirms_nothing() {
    let mut failing = series(&[&["LumaDocs"], &[], &["LumaDocs"]]);
    failing.push(Sample { is_error: true, ..sample("A", GPT, LAST - 1, &[]) });
    let mut blind = series(&[&["LumaDocs"], &[], &["LumaDocs"]]);
    blind[1].retrieval = Retrieval::NotUsed;

    assert_eq!(changes(&failing), []);
    assert_eq!(changes(&blind), []);
}

#[test]
fn a_fifth_of_failures_is_still_sound() {
    let mut samples = series(&[&["LumaDocs"], &[], &[]]);
    samples.extend((0..3).map(|_| sample("B", GPT, LAST - 1, &[])));
    samples.push(Sample { is_error: true, ..sample("B", GPT, LAST - 1, &[]) });

    assert_eq!(changes(&samples), [(ChangeKind::Lost, true)]);
}

#[test]
fn answers_to_another_text_are_not_compared() {
    let mut samples = series(&[&["LumaDocs"], &[], &[]]);
    samples[1].revision = 2;
    samples[2].revision = 2;

    assert_eq!(changes(&samples), []);
}

#[test]
fn another_model_is_a_change_of_its_own() {
    let mut samples = series(&[&["LumaDocs"], &[], &[]]);
    samples[1].model = "model-2";
    samples[2].model = "model-2";

    let report = report_of(&samples);

    assert_eq!(changes(&samples), [(ChangeKind::ModelChanged, true)]);
    assert_eq!((&report.changes[0].from, &report.changes[0].to), (&"model-1".into(), &"model-2".into()));
}

#[test]
fn an_answer_of_the_week_before_is_what_the_first_one_is_compared_with() {
    let samples = [
        sample("A", GPT, LAST - 9, &["LumaDocs"]),
        sample("A", GPT, LAST - 2, &[]),
        sample("A", GPT, LAST - 1, &[]),
    ];

    assert_eq!(changes(&samples), [(ChangeKind::Lost, true)]);
}

#[test]
fn a_competitor_is_new_when_the_week_before_did_not_name_it() {
    let before = |count: i64| (0..count).map(|at| sample("A", GPT, LAST - 8 - at, &["LumaDocs", "Notchly"]));
    let now = [
        sample("A", GPT, LAST - 1, &["LumaDocs", "Newcomer"]),
        sample("A", GPT, LAST, &["LumaDocs", "Newcomer", "Notchly"]),
    ];
    let with = |count| before(count).chain(now.clone()).collect::<Vec<_>>();

    let report = report_of(&with(5));

    assert_eq!(changes(&with(5)), [(ChangeKind::NewCompetitor, true)]);
    assert_eq!(report.changes[0].to, "Newcomer");
    assert_eq!(report.competitor_landscape.new_entrants, ["Newcomer"]);
    assert_eq!(changes(&with(4)), []);
}
