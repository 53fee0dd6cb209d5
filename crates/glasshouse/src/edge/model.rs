//! When a certificate may be ordered and when it is renewed. Pure: no clock, network or database.
//! Must never let one customer, one name or a broken set-up use up what the certificate authority allows all of us.

use std::time::Duration;

use crate::clock::Timestamp;

/// Orders per hour of all customers together. The authority's own limit is 300 in three hours.
pub const PER_HOUR: u64 = 100;
/// Orders per hour of one customer.
pub const PER_ACCOUNT_HOUR: u64 = 20;
/// Orders of this process at once.
pub const AT_ONCE: usize = 10;

const HOUR: Duration = Duration::from_secs(60 * 60);
/// Between two orders for one name, whatever came of the first.
const PER_NAME: Duration = Duration::from_secs(10 * 60);
/// Share of a lifetime in which renewals are spread, so that what was ordered together is not renewed together.
const SPREAD: f64 = 0.05;

/// Orders of the last hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LastHour {
    /// Of everybody.
    pub all: u64,
    /// Of the customer.
    pub account: u64,
}

/// Why a certificate is not ordered now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Bound {
    /// This customer has ordered enough for this hour.
    #[error("the customer has ordered {PER_ACCOUNT_HOUR} certificates in an hour")]
    Account,
    /// All customers have ordered enough for this hour.
    #[error("{PER_HOUR} certificates were ordered in an hour")]
    All,
}

/// Whether one more certificate may be ordered.
pub fn may_order(orders: LastHour) -> Result<(), Bound> {
    match orders {
        LastHour { account: PER_ACCOUNT_HOUR.., .. } => Err(Bound::Account),
        LastHour { all: PER_HOUR.., .. } => Err(Bound::All),
        _ => Ok(()),
    }
}

/// How long to wait after so many failures in a row; 0: after a success.
pub fn wait_after(failures: u64) -> Duration {
    match failures {
        0..=2 => PER_NAME,
        3 => HOUR,
        4 => 6 * HOUR,
        _ => 24 * HOUR,
    }
}

/// When a certificate is renewed: at two thirds of its lifetime, a little earlier by chance.
///
/// `chance` is from 0 to 1. Relative, because lifetimes shrink: 90 days in 2025, 45 days from 2028.
pub fn renew_at(not_before: Timestamp, not_after: Timestamp, chance: f64) -> Timestamp {
    let lifetime = not_after.since(not_before).as_secs_f64();
    let after = lifetime * (2.0 / 3.0 - SPREAD * chance.clamp(0.0, 1.0));
    not_before.plus(Duration::from_secs_f64(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    #[test]
    fn one_customer_cannot_use_up_the_orders_of_all() {
        assert_eq!(may_order(LastHour { all: 0, account: 19 }), Ok(()));
        assert_eq!(may_order(LastHour { all: 20, account: 20 }), Err(Bound::Account));
        assert_eq!(may_order(LastHour { all: 99, account: 0 }), Ok(()));
        assert_eq!(may_order(LastHour { all: 100, account: 0 }), Err(Bound::All));
    }

    #[test]
    fn a_name_that_fails_is_tried_ever_more_seldom() {
        let minutes: Vec<u64> = (0..7).map(|failures| wait_after(failures).as_secs() / 60).collect();

        assert_eq!(minutes, [10, 10, 10, 60, 360, 1440, 1440]);
    }

    #[test]
    fn a_certificate_is_renewed_at_two_thirds_of_its_life_or_a_little_earlier() {
        let start = Timestamp::from_millis(1_800_000_000_000);
        let end = start.plus(90 * DAY);

        assert_eq!(renew_at(start, end, 0.0), start.plus(60 * DAY));
        let earliest = renew_at(start, end, 1.0);
        assert!(earliest > start.plus(55 * DAY) && earliest < start.plus(56 * DAY));
        assert_eq!(renew_at(start, start.plus(45 * DAY), 0.0), start.plus(30 * DAY));
    }
}
