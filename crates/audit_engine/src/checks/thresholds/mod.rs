//! Thresholds of checks that customers may change. Checks read them from the page or the site; only the table in this
//! folder knows the defaults.

mod table;

use std::collections::BTreeMap;

pub use table::{THRESHOLDS, Threshold, ThresholdId};

/// Pairs of which the first must not be above the second.
const ORDERED: &[(ThresholdId, ThresholdId)] = &[
    (ThresholdId::TtfbSlowMs, ThresholdId::TtfbVerySlowMs),
    (ThresholdId::TitleMinCharacters, ThresholdId::TitleMaxCharacters),
    (ThresholdId::DescriptionMinCharacters, ThresholdId::DescriptionMaxCharacters),
    (ThresholdId::EmptyWords, ThresholdId::ThinWords),
    (ThresholdId::ReadabilityVeryDifficult, ThresholdId::ReadabilityDifficult),
];

/// Reason why a threshold is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadThreshold {
    /// Nothing has this name.
    #[error("there is no threshold {0:?}")]
    Unknown(String),
    /// It is too small, too large or no number.
    #[error("{name} takes a number from {min} to {max}")]
    OutOfRange {
        name: &'static str,
        /// The least that it may be.
        min: f64,
        /// The most that it may be.
        max: f64,
    },
    /// Two of them contradict each other.
    #[error("{0} must not be above {1}")]
    Contradiction(&'static str, &'static str),
}

/// Values of all thresholds in one audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds(Vec<f64>);

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds(THRESHOLDS.iter().map(|threshold| threshold.default).collect())
    }
}

impl Thresholds {
    /// Returns the defaults with some values replaced.
    pub fn with(wanted: &BTreeMap<String, f64>) -> Result<Thresholds, BadThreshold> {
        let mut thresholds = Thresholds::default();
        for (name, value) in wanted {
            let known = THRESHOLDS.iter().find(|known| known.name == name);
            let known = known.ok_or_else(|| BadThreshold::Unknown(name.clone()))?;
            if !(known.min..=known.max).contains(value) {
                return Err(BadThreshold::OutOfRange { name: known.name, min: known.min, max: known.max });
            }
            thresholds.0[known.limit as usize] = *value;
        }
        let contradiction =
            ORDERED.iter().find(|(less, more)| thresholds.number(*less) > thresholds.number(*more));
        match contradiction {
            Some((less, more)) => {
                let [less, more] = [less, more].map(|limit| THRESHOLDS[*limit as usize].name);
                Err(BadThreshold::Contradiction(less, more))
            }
            None => Ok(thresholds),
        }
    }

    pub fn number(&self, limit: ThresholdId) -> f64 {
        self.0[limit as usize]
    }

    /// Returns true when a count is above a threshold.
    pub fn exceeds(&self, limit: ThresholdId, count: usize) -> bool {
        count as f64 > self.number(limit)
    }

    /// Returns true when a count is below a threshold.
    pub fn undercuts(&self, limit: ThresholdId, count: usize) -> bool {
        (count as f64) < self.number(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::CheckId;
    use crate::engine::AuditOptions;
    use crate::testing::audit_with;

    fn wanted(pairs: &[(&str, f64)]) -> BTreeMap<String, f64> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn the_table_stands_in_the_order_of_its_names_and_names_checks_that_exist() {
        for (number, threshold) in THRESHOLDS.iter().enumerate() {
            assert_eq!(threshold.limit as usize, number, "{}", threshold.name);
            assert!((threshold.min..=threshold.max).contains(&threshold.default), "{}", threshold.name);
            assert!(threshold.checks.iter().all(|id| CheckId::find(id).is_some()), "{}", threshold.name);
        }
        assert_eq!(Thresholds::with(&BTreeMap::new()), Ok(Thresholds::default()));
    }

    #[test]
    fn what_is_unknown_out_of_range_or_contradictory_is_refused() {
        for (pairs, message) in [
            (vec![("titelMax", 3.0)], "there is no threshold \"titelMax\""),
            (vec![("titleMaxCharacters", 9.0)], "titleMaxCharacters takes a number from 10 to 500"),
            (vec![("titleMaxCharacters", f64::NAN)], "titleMaxCharacters takes a number from 10 to 500"),
            (vec![("titleMaxCharacters", 29.0)], "titleMinCharacters must not be above titleMaxCharacters"),
        ] {
            assert_eq!(Thresholds::with(&wanted(&pairs)).unwrap_err().to_string(), message);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn checks_fire_by_the_numbers_of_the_audit() {
        let page = "<title>Hand-made shoes from Porto</title><p>{word *150}";
        let numbers = [("titleMaxCharacters", 20.0), ("titleMinCharacters", 5.0), ("thinWords", 100.0)];
        let ids = ["TITLE_TOO_LONG", "TITLE_TOO_SHORT", "THIN_CONTENT"];

        let usual = audit_with(page, |_| {}).await;
        let other = audit_with(page, |options: &mut AuditOptions| {
            options.thresholds = Thresholds::with(&wanted(&numbers)).unwrap();
        })
        .await;

        assert_eq!(ids.map(|id| usual.issue_breakdown.contains_key(id)), [false, true, true]);
        assert_eq!(ids.map(|id| other.issue_breakdown.contains_key(id)), [true, false, false]);
    }
}
