//! Amounts of US dollars. Used by the price table, the calls and whoever keeps budgets. Pure.
//! Must never be a floating-point number inside: sums of many small prices would drift.
//! See docs/decisions/0362.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const NANOS_PER_DOLLAR: i64 = 1_000_000_000;

/// An amount of US dollars in whole nano-dollars. Sums saturate. In JSON a decimal number of dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Usd(i64);

impl Usd {
    pub const ZERO: Usd = Usd(0);

    /// Makes an amount of nano-dollars, as databases keep it.
    pub const fn from_nanos(nanos: i64) -> Usd {
        Usd(nanos)
    }

    /// Returns the amount in nano-dollars.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// Rounds a number of dollars to the nearest nano-dollar. Infinity and NaN are not amounts.
    pub fn from_dollars(dollars: f64) -> Option<Usd> {
        // A cast from a float to an integer saturates.
        dollars.is_finite().then(|| Usd((dollars * NANOS_PER_DOLLAR as f64).round() as i64))
    }

    /// Multiplies the amount.
    pub fn times(self, count: u64) -> Usd {
        Usd(saturated(i128::from(self.0) * i128::from(count)))
    }

    /// Returns the price of `count` units when the amount is the price of a million, rounded up.
    pub fn per_million(self, count: u64) -> Usd {
        let millionths = i128::from(self.0) * i128::from(count);
        Usd(saturated(millionths.div_euclid(1_000_000) + i128::from(millionths.rem_euclid(1_000_000) > 0)))
    }
}

fn saturated(nanos: i128) -> i64 {
    i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX })
}

impl Add for Usd {
    type Output = Usd;

    fn add(self, other: Usd) -> Usd {
        Usd(self.0.saturating_add(other.0))
    }
}

impl Sub for Usd {
    type Output = Usd;

    fn sub(self, other: Usd) -> Usd {
        Usd(self.0.saturating_sub(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Usd) {
        *self = *self + other;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Usd>>(amounts: I) -> Usd {
        amounts.fold(Usd::ZERO, Add::add)
    }
}

impl fmt::Display for Usd {
    /// Writes the exact number of dollars without a currency: `0.00485`, `12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.unsigned_abs();
        let (whole, part) = (nanos / NANOS_PER_DOLLAR as u64, nanos % NANOS_PER_DOLLAR as u64);
        let sign = if self.0 < 0 { "-" } else { "" };
        if part == 0 {
            return f.pad(&format!("{sign}{whole}"));
        }
        f.pad(format!("{sign}{whole}.{part:09}").trim_end_matches('0'))
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / NANOS_PER_DOLLAR as f64)
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Usd, D::Error> {
        let dollars = f64::deserialize(deserializer)?;
        Usd::from_dollars(dollars).ok_or_else(|| de::Error::custom("not an amount of dollars"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_amount_is_written_without_rounding() {
        let written =
            [0, 1, 4_850_000, 12_000_000_000, -500_000_000, i64::MAX].map(|nanos| Usd(nanos).to_string());

        assert_eq!(written, ["0", "0.000000001", "0.00485", "12", "-0.5", "9223372036.854775807"]);
    }

    #[test]
    fn tokens_are_priced_per_million_and_rounded_up() {
        let price = Usd::from_dollars(0.10).unwrap();

        assert_eq!(price.per_million(8_731), Usd(873_100));
        assert_eq!(Usd(1).per_million(1), Usd(1));
        assert_eq!(Usd(1).per_million(0), Usd::ZERO);
        assert_eq!(Usd(i64::MAX).per_million(u64::MAX), Usd(i64::MAX));
    }

    #[test]
    fn sums_stop_at_the_largest_amount() {
        let sum: Usd = [Usd(i64::MAX), Usd(1)].into_iter().sum();

        assert_eq!(sum, Usd(i64::MAX));
        assert_eq!(Usd(i64::MIN) - Usd(1), Usd(i64::MIN));
        assert_eq!(Usd(2).times(u64::MAX), Usd(i64::MAX));
    }

    #[test]
    fn what_is_no_number_is_no_amount() {
        assert_eq!(Usd::from_dollars(f64::NAN), None);
        assert_eq!(Usd::from_dollars(f64::INFINITY), None);
        assert!(serde_json::from_str::<Usd>("\"1\"").is_err());
    }

    proptest! {
        #[test]
        fn an_amount_of_up_to_a_million_survives_json(nanos in -1_000_000_000_000_000i64..1_000_000_000_000_000) {
            let text = serde_json::to_string(&Usd(nanos)).unwrap();

            prop_assert_eq!(serde_json::from_str::<Usd>(&text).unwrap(), Usd(nanos));
        }
    }
}
