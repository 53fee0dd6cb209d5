//! Formulas that turn counted answers into numbers: rates, shares, intervals, strength and difficulty. Pure.
//! Used by statistics, reports and `glasshouse ask`, so that every surface computes a number in one way.
//! A percentage has one decimal, a position and a tone two, a score none; halves are rounded away from zero.

mod formulas;
mod interval;
mod sums;

pub use formulas::{DifficultyParts, TopCompetitor, difficulty, difficulty_parts, strength, top_competitors};
pub use interval::RateInterval;
pub use sums::{AnswerSums, CitationCounts, CompetitorSums, CountedAnswer, CountedCompetitor, PairSums};

/// Tone from which on an answer counts as positive; below its negative as negative.
pub const TONE_THRESHOLD: f64 = 0.15;

/// Class of a tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToneClass {
    Positive,
    Neutral,
    Negative,
}

impl ToneClass {
    /// Classifies a tone from −1 to 1.
    pub fn of(tone: f64) -> ToneClass {
        match tone {
            tone if tone > TONE_THRESHOLD => ToneClass::Positive,
            tone if tone < -TONE_THRESHOLD => ToneClass::Negative,
            _ => ToneClass::Neutral,
        }
    }
}

/// Returns a share in percent with one decimal; 0 of nothing.
pub fn percent(part: u64, whole: u64) -> f64 {
    ratio(part as f64 * 1_000.0, whole).round() / 10.0
}

/// Returns a mean with two decimals; 0 of nothing.
pub(crate) fn mean_of_hundredths(sum: i64, count: u64) -> f64 {
    // The quotient of two integers is exact where it is a half, so that halves round alike everywhere.
    ratio(sum as f64, count).round() / 100.0
}

/// Returns a quotient; 0 of nothing.
pub(crate) fn ratio(part: f64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}

/// Returns the Jaccard distance of two sets: 0 for equal ones and for two empty ones, 1 for sets that share nothing.
pub fn jaccard_distance<'a>(
    left: impl IntoIterator<Item = &'a str>,
    right: impl IntoIterator<Item = &'a str>,
) -> f64 {
    let left: std::collections::BTreeSet<&str> = left.into_iter().collect();
    let right: std::collections::BTreeSet<&str> = right.into_iter().collect();
    let union = left.union(&right).count();
    if union == 0 { 0.0 } else { 1.0 - left.intersection(&right).count() as f64 / union as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!(percent(1, 16), 6.3);
        assert_eq!(percent(2, 3), 66.7);
        assert_eq!(mean_of_hundredths(-37, 2), -0.19);
        assert_eq!(mean_of_hundredths(37, 2), 0.19);
        assert_eq!(percent(1, 0), 0.0);
    }

    #[test]
    fn a_tone_at_the_threshold_is_neutral() {
        let classes = [0.16, 0.15, -0.15, -0.16].map(ToneClass::of);

        assert_eq!(
            classes,
            [ToneClass::Positive, ToneClass::Neutral, ToneClass::Neutral, ToneClass::Negative]
        );
    }

    #[test]
    fn sets_are_as_far_apart_as_what_they_do_not_share() {
        assert_eq!(jaccard_distance([], []), 0.0);
        assert_eq!(jaccard_distance(["a"], []), 1.0);
        assert_eq!(jaccard_distance(["a", "b"], ["b", "c", "b"]), 1.0 - 1.0 / 3.0);
    }
}
