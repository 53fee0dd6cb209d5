//! Rules of when a certificate may be ordered and when it is renewed. Pure: no clock, network or database.
//! Must never let one customer, one name or a broken set-up use up the limits that the certificate authority sets for all of us.
//! See docs/decisions/0062.

use std::time::Duration;

use platform::clock::Timestamp;

/// First orders per hour of all customers together. With as many renewals they stay within the authority's limits.
pub const PER_HOUR: u64 = 50;
/// First orders per hour that are reserved for customers without an order in that hour.
const KEPT_PER_HOUR: u64 = 10;
/// Least hourly budget of renewals, apart from first orders: new customers must never prevent the renewal of an old certificate.
const RENEWALS_PER_HOUR: u64 = 50;
/// Certificates per renewal in an hour, above the least budget: all are renewed within 15 days, half of the time between two
/// renewals of a certificate that is valid for 45 days.
const HELD_PER_RENEWAL: u64 = 15 * 24;
/// First orders per hour of one customer with few domains.
pub const PER_ACCOUNT_HOUR: u64 = 20;
/// Concurrent orders of this process, of each kind.
pub const AT_ONCE: usize = 10;
/// Concurrent first orders of one customer, from the check of the name's records on.
pub const AT_ONCE_PER_ACCOUNT: usize = 3;

/// Most first orders per hour of one customer, whatever its number of domains; the others keep a fifth.
const MOST_PER_ACCOUNT_HOUR: u64 = PER_HOUR * 4 / 5;
/// Domains per first order in an hour: domains with one name each are ordered within two days, if the common budget allows.
const DOMAINS_PER_ORDER: u64 = 48;

const HOUR: Duration = Duration::from_secs(60 * 60);
/// Time between two orders for one name, whatever the outcome of the first.
const PER_NAME: Duration = Duration::from_secs(10 * 60);
/// Share of a lifetime over which renewals are spread, so that certificates ordered together are not renewed together.
const SPREAD: f64 = 0.05;

/// Purpose of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderKind {
    /// Certificate for a name without one.
    First,
    /// Certificate for a name whose present one is about to expire.
    Renewal,
}

/// Number of orders in the last hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LastHour {
    /// First orders of all customers.
    pub all: u64,
    /// First orders of the customer.
    pub account: u64,
    /// Renewals of all customers.
    pub renewals: u64,
    /// Renewals of the customer.
    pub account_renewals: u64,
}

/// Limit that forbids an order for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Bound {
    /// The customer has reached its limit for this hour.
    #[error("the customer has ordered {0} certificates in an hour")]
    Account(u64),
    /// All customers together have reached the limit of first orders for this hour.
    #[error("{PER_HOUR} certificates were ordered in an hour")]
    All,
    /// All customers together have reached the limit of renewals for this hour.
    #[error("{0} certificates were renewed in an hour")]
    Renewals(u64),
}

/// Returns the renewals per hour of all customers together, by the number of certificates.
pub fn renewals_per_hour(certificates: u64) -> u64 {
    (certificates / HELD_PER_RENEWAL).max(RENEWALS_PER_HOUR)
}

/// Decides whether a customer with `domains` domains may order one more certificate; `certificates` is the number of all.
pub fn may_order(kind: OrderKind, orders: LastHour, domains: u64, certificates: u64) -> Result<(), Bound> {
    let renewals = renewals_per_hour(certificates);
    // A customer with most of the domains leaves a fifth to the others.
    let renewals_per_account = renewals * 4 / 5;
    let per_account = (domains / DOMAINS_PER_ORDER).clamp(PER_ACCOUNT_HOUR, MOST_PER_ACCOUNT_HOUR);
    match kind {
        OrderKind::Renewal if orders.account_renewals >= renewals_per_account => {
            Err(Bound::Account(renewals_per_account))
        }
        OrderKind::Renewal if orders.renewals >= renewals => Err(Bound::Renewals(renewals)),
        OrderKind::First if orders.account >= per_account => Err(Bound::Account(per_account)),
        OrderKind::First if orders.all >= PER_HOUR => Err(Bound::All),
        // The last orders of the hour are reserved for customers without one.
        OrderKind::First if orders.account > 0 && orders.all >= PER_HOUR - KEPT_PER_HOUR => Err(Bound::All),
        _ => Ok(()),
    }
}

/// Returns the time until the next order by the number of failures in a row; 0 follows a success.
pub fn wait_after(failures: u64) -> Duration {
    match failures {
        0..=2 => PER_NAME,
        3 => HOUR,
        4 => 6 * HOUR,
        _ => 24 * HOUR,
    }
}

/// Outcome of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderOutcome {
    /// A certificate was issued.
    Issued,
    /// Another process orders it.
    Elsewhere,
    /// No certificate was issued, and none will be soon.
    None,
}

/// Returns the time of a certificate's renewal: after two thirds of its lifetime, a little earlier by chance.
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
        let first = |all, account, domains| {
            may_order(OrderKind::First, LastHour { all, account, ..LastHour::default() }, domains, 0)
        };

        assert_eq!(first(0, 19, 1), Ok(()));
        assert_eq!(first(20, 20, 1), Err(Bound::Account(20)));
        assert_eq!(first(49, 0, 1), Ok(()));
        assert_eq!(first(50, 0, 1), Err(Bound::All));
        assert_eq!(first(40, 40, 1_000_000), Err(Bound::Account(40)));
    }

    #[test]
    fn the_last_orders_of_an_hour_are_for_customers_that_had_none_in_it() {
        let first = |all, account| {
            may_order(OrderKind::First, LastHour { all, account, ..LastHour::default() }, 1, 0)
        };

        assert_eq!((first(39, 1), first(40, 1)), (Ok(()), Err(Bound::All)));
        assert_eq!((first(40, 0), first(49, 0)), (Ok(()), Ok(())));
    }

    #[test]
    fn a_customer_with_many_domains_may_order_more() {
        let orders = LastHour { all: 30, account: 30, ..LastHour::default() };

        assert_eq!(may_order(OrderKind::First, orders, 100, 0), Err(Bound::Account(20)));
        assert_eq!(may_order(OrderKind::First, orders, 1_600, 0), Ok(()));
    }

    #[test]
    fn renewals_and_first_orders_do_not_take_each_others_budget() {
        let all_first = LastHour { all: 50, account: 50, ..LastHour::default() };
        let all_renewed = LastHour { renewals: 50, ..LastHour::default() };

        assert_eq!(may_order(OrderKind::Renewal, all_first, 1, 0), Ok(()));
        assert_eq!(may_order(OrderKind::First, all_renewed, 1, 0), Ok(()));
        assert_eq!(may_order(OrderKind::Renewal, all_renewed, 1, 0), Err(Bound::Renewals(50)));
    }

    #[test]
    fn however_many_certificates_there_are_all_are_renewed_within_15_days() {
        for certificates in [1, 18_000, 200_000, 5_000_000] {
            let hours = certificates / renewals_per_hour(certificates);

            assert!(hours <= 15 * 24, "{certificates}: {hours}");
        }
        assert_eq!((renewals_per_hour(0), renewals_per_hour(200_000)), (50, 555));
    }

    #[test]
    fn one_customer_cannot_use_up_the_renewals_of_all() {
        let of_one = |renewals| {
            let orders = LastHour { renewals, account_renewals: renewals, ..LastHour::default() };
            may_order(OrderKind::Renewal, orders, 1, 0)
        };

        assert_eq!((of_one(39), of_one(40)), (Ok(()), Err(Bound::Account(40))));
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
