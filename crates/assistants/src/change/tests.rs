//! The change score by its golden values, the slots, and ninety simulated days of each schedule.

use super::*;
use crate::providers::{Provider, Retrieval};
use crate::statistics::{CitationCounts, CountedCompetitor};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

fn answer(brands: &[&str], domains: &[&str], sentiment: f64) -> CountedAnswer {
    let position = brands.iter().position(|brand| *brand == "LumaDocs").map_or(0, |at| at as u32 + 1);
    let competitors = brands.iter().enumerate().filter(|(_, brand)| **brand != "LumaDocs");
    CountedAnswer {
        position,
        sentiment,
        recommended: None,
        competitors: competitors
            .map(|(at, brand)| CountedCompetitor {
                name: (*brand).to_owned(),
                rank: at as u32 + 1,
                occurrences: 1,
                is_cited: false,
                sentiment: None,
            })
            .collect(),
        citations: CitationCounts::default(),
        citation_domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
        retrieval: Retrieval::Used,
        is_absent: false,
    }
}

fn score(before: &CountedAnswer, after: &CountedAnswer) -> f64 {
    (AnswerChange::between(before, after).score * 1_000.0).round() / 1_000.0
}

#[test]
fn change_scores_have_their_golden_values() {
    let r1 = answer(&["Notchly", "LumaDocs", "Quillbase"], &["notchly.com", "g2.com", "reddit.com"], 0.40);
    let r2 = answer(&["Notchly", "Quillbase"], &["notchly.com", "g2.com"], 0.0);
    let r3 = answer(&["LumaDocs", "Notchly"], &["lumadocs.io", "g2.com", "techradar.com"], 0.62);
    let r4 = answer(
        &["Notchly", "LumaDocs", "PaperTrail"],
        &["lumadocs.io", "g2.com", "reddit.com", "notchly.com"],
        0.10,
    );
    let r5 = answer(&["Notchly"], &["notchly.com", "youtube.com"], 0.0);
    let r6 = answer(&[], &["youtube.com"], 0.0);

    assert_eq!([score(&r1, &r2), score(&r3, &r4), score(&r5, &r6)], [0.417, 0.370, 0.300]);
    assert_eq!(score(&r1, &r1), 0.0);
    assert!(AnswerChange::between(&r1, &r2).has_flipped);
    assert!(!AnswerChange::between(&r3, &r4).has_flipped);
}

#[test]
fn a_slot_is_at_least_half_a_period_after_the_last_attempt() {
    for (number, hours) in [(0, 6), (1, 12), (2, 24), (3, 48), (4, 72), (5, 96)] {
        let (level, period) = (Level::new(number), hours * HOUR_MS);
        let phase = phase("01JD", Provider::Claude);

        let first = next_slot(level, phase, None, 1_000_000_000_123);
        let second = next_slot(level, phase, Some(first), first + 5);
        let after_late = next_slot(level, phase, Some(first + period / 2 + 1), first);

        assert!((1_000_000_000_123..1_000_000_000_123 + period).contains(&first));
        assert_eq!(first.rem_euclid(period) / 1_000, (phase % (period as u64 / 1_000)) as i64);
        assert_eq!(second, first + period);
        assert_eq!(after_late, first + 2 * period);
    }
}

#[test]
fn phases_spread_prompts_over_day_and_rotation() {
    let mut hours = [0; 24];
    let mut days = [0; 4];
    for number in 0..500 {
        for provider in Provider::ALL {
            let phase = phase(&format!("prompt-{number}"), provider);
            hours[(phase % 86_400 / 3_600) as usize] += 1;
            days[(phase % 345_600 / 86_400) as usize] += 1;
        }
    }

    let all = 500 * Provider::ALL.len();
    let is_near = |runs: usize, even: usize, part: usize| runs.abs_diff(even) < even / part;
    assert!(hours.iter().all(|runs| is_near(*runs, all / 24, 3)), "{hours:?}");
    assert!(days.iter().all(|runs| is_near(*runs, all / 4, 10)), "{days:?}");
}

#[test]
fn errors_are_tried_again_ever_later_but_within_the_period() {
    let minutes = |errors| retry_delay(errors, WEEKLY).as_secs() / 60;

    assert_eq!([1, 2, 3, 4, 5, 6].map(minutes), [15, 30, 60, 120, 240, 480]);
    assert_eq!(retry_delay(7, WEEKLY), WEEKLY);
    assert_eq!(retry_delay(6, Level::new(0).period()), Level::new(0).period());
}

/// A small generator of numbers from 0 to 1, so that a simulation is the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Runs a dynamic prompt for ninety days and returns the instants of its runs.
fn simulate(
    max_runs_per_day: u32,
    prompt: usize,
    next_answer: impl Fn(&mut Dice, bool) -> (CountedAnswer, bool),
) -> Vec<i64> {
    let mut dice = Dice(prompt as u64 + 1);
    let phase = phase(&format!("prompt-{prompt}"), Provider::Gemini);
    let mut state = DynamicState::default();
    let mut last: Option<CountedAnswer> = None;
    let mut runs = Vec::new();
    let mut was_named = true;
    let mut due = next_slot(state.level, phase, None, 0);
    while due < 90 * DAY_MS {
        let (answer, is_named) = next_answer(&mut dice, was_named);
        was_named = is_named;
        let change = last.as_ref().map(|last| AnswerChange::between(last, &answer));
        state = state.after_answer(change, max_runs_per_day);
        last = Some(answer);
        runs.push(due);
        due = next_slot(state.level, phase, Some(due), due);
    }
    runs
}

/// Returns runs a week, averaged over forty prompts, and checks that no day has more than allowed.
fn runs_a_week(max_runs_per_day: u32, next_answer: impl Fn(&mut Dice, bool) -> (CountedAnswer, bool)) -> f64 {
    let mut total = 0;
    for prompt in 0..40 {
        let runs = simulate(max_runs_per_day, prompt, &next_answer);
        for day in 0..90 {
            let today = runs.iter().filter(|run| **run / DAY_MS == day).count();
            assert!(today <= max_runs_per_day as usize, "{today} runs on day {day}");
        }
        total += runs.len();
    }
    total as f64 / 40.0 / 90.0 * 7.0
}

/// Makes an answer in which brands and tone vary as they do between equal questions: two brands are always there, two
/// more in a fifth of the answers each, and the own brand, when it is named, is second or third or first.
fn noisy(dice: &mut Dice, is_named: bool) -> CountedAnswer {
    let mut brands = vec!["Notchly", "PaperTrail"];
    if is_named {
        let at = [0, 1, 1, 1, 2][(dice.roll() * 5.0) as usize];
        brands.insert(at, "LumaDocs");
    }
    brands.extend(["Quillbase", "Foliant"].iter().filter(|_| dice.roll() < 0.2));
    answer(&brands, &some_sources(dice), 0.33 + 0.34 * dice.roll())
}

/// Picks about half of twelve sources, so that two answers share about a third of theirs.
fn some_sources(dice: &mut Dice) -> Vec<&'static str> {
    SOURCES.iter().filter(|_| dice.roll() < 0.5).copied().collect()
}

const SOURCES: [&str; 12] = [
    "a.example",
    "b.example",
    "c.example",
    "d.example",
    "e.example",
    "f.example",
    "g.example",
    "h.example",
    "i.example",
    "j.example",
    "k.example",
    "l.example",
];

#[test]
fn calm_prompts_are_asked_twice_a_week_and_restless_ones_often() {
    let frozen = |_: &mut Dice, _: bool| (answer(&["LumaDocs", "Notchly"], &SOURCES[..6], 0.5), true);
    let churning = |dice: &mut Dice, _: bool| (noisy(dice, true), true);
    // The mention comes or goes in a quarter of the runs.
    let flipping = |dice: &mut Dice, was_named: bool| {
        let is_named = was_named != (dice.roll() < 0.25);
        (noisy(dice, is_named), is_named)
    };
    let coin = |dice: &mut Dice, _: bool| {
        let is_named = dice.roll() < 0.5;
        (noisy(dice, is_named), is_named)
    };

    let weekly = [runs_a_week(2, frozen), runs_a_week(2, churning), runs_a_week(2, flipping)];
    let tossed = [1, 2, 4].map(|most| runs_a_week(most, coin));

    let about = |value: f64, wanted: f64| (value - wanted).abs() <= 0.15 * wanted;
    assert!(about(weekly[0], 2.1) && about(weekly[1], 2.5) && about(weekly[2], 9.2), "{weekly:?}");
    assert!(about(tossed[0], 7.0) && about(tossed[1], 13.5) && tossed[2] > tossed[1], "{tossed:?}");
}

#[test]
fn weekly_and_monthly_prompts_are_answered_once_a_period() {
    for (period, days) in [(WEEKLY, 7), (MONTHLY, 30)] {
        let mut dice = Dice(7);
        let (mut last_ok, mut errors, mut oks) = (None, 0, Vec::new());
        let mut due = next_after_answer(period, last_ok, 12_345);
        while due < 90 * DAY_MS {
            if dice.roll() < 0.6 {
                errors += 1;
                due += retry_delay(errors, period).as_millis() as i64;
            } else {
                errors = 0;
                last_ok = Some(due);
                oks.push(due);
                due = next_after_answer(period, last_ok, due);
            }
        }

        assert!(oks.windows(2).all(|pair| pair[1] - pair[0] >= days * DAY_MS), "{oks:?}");
        assert!(oks.len() as i64 >= 90 / days - 1, "{oks:?}");
    }
}
