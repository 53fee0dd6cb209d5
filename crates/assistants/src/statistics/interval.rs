//! Confidence interval of a rate. Used wherever a rate is shown or compared. Pure.

use serde::{Deserialize, Serialize};

/// Standard deviations of a 95 % interval.
const Z: f64 = 1.96;

/// Wilson interval of a rate at 95 % confidence, in percent with one decimal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateInterval {
    pub low: f64,
    pub high: f64,
}

impl RateInterval {
    /// Computes the interval of `hits` out of `count`. None of nothing.
    pub fn wilson(hits: u64, count: u64) -> Option<RateInterval> {
        if count == 0 {
            return None;
        }
        let n = count as f64;
        let rate = hits.min(count) as f64 / n;
        let scale = 1.0 + Z * Z / n;
        let centre = rate + Z * Z / (2.0 * n);
        let margin = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
        let percent = |value: f64| (value / scale * 1_000.0).round().clamp(0.0, 1_000.0) / 10.0;
        Some(RateInterval { low: percent(centre - margin), high: percent(centre + margin) })
    }

    /// Decides whether a change between two rates is significant: their intervals do not overlap.
    pub fn differs_from(self, other: RateInterval) -> bool {
        self.low > other.high || other.low > self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_narrows_as_answers_are_added() {
        let few = RateInterval::wilson(3, 6).unwrap();
        let many = RateInterval::wilson(300, 600).unwrap();

        assert_eq!((few.low, few.high), (18.8, 81.2));
        assert!(many.high - many.low < 9.0);
        assert_eq!(RateInterval::wilson(0, 0), None);
    }

    #[test]
    fn a_rate_of_all_or_nothing_stays_within_a_hundred_percent() {
        let (none, all) = (RateInterval::wilson(0, 3).unwrap(), RateInterval::wilson(3, 3).unwrap());

        assert_eq!((none.low, all.low, all.high), (0.0, 43.8, 100.0));
    }

    #[test]
    fn a_change_is_significant_when_the_intervals_are_apart() {
        let of = |hits, count| RateInterval::wilson(hits, count).unwrap();

        assert!(of(1, 50).differs_from(of(40, 50)));
        assert!(of(40, 50).differs_from(of(1, 50)));
        assert!(!of(1, 3).differs_from(of(3, 3)));
    }
}
