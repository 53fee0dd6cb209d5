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

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Time between two orders for one name, whatever the outcome of the first.
const PER_NAME: Duration = Duration::from_secs(10 * 60);
/// Share of a lifetime that is left at a renewal for which the authority suggests no time.
const LEFT_AT_RENEWAL: f64 = 1.0 / 3.0;
/// Share of a lifetime over which renewals are spread, so that certificates ordered together are not renewed together.
const SPREAD: f64 = 0.05;
/// Longest time between an answer of the authority and the next question, when there was no answer.
const ASK_AFTER_FAILURE: Duration = Duration::from_secs(6 * 60 * 60);

/// Purpose of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderKind {
    /// Certificate for a name without one.
    First,
    /// Certificate for a name whose present one is about to expire.
    Renewal,
    /// Renewal at a time that the authority suggests. Outside of the hourly limits: the authority leaves such orders out of its own.
    Suggested,
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

/// Returns the renewals per hour of all customers together, by the lifetimes of all certificates: each can be renewed within the
/// last third of its life, which is half of the time between two renewals.
pub fn renewals_per_hour(lifetimes: impl Iterator<Item = Duration>) -> u64 {
    let of_one = |life: Duration| HOUR.as_secs_f64() / (life.max(MINUTE).as_secs_f64() * LEFT_AT_RENEWAL);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of renewals"
    )]
    let needed = lifetimes.map(of_one).sum::<f64>().ceil() as u64;
    needed.max(RENEWALS_PER_HOUR)
}

/// Decides whether a customer with `domains` domains may order one more certificate; `renewals` is the hourly limit of all.
pub fn may_order(kind: OrderKind, orders: LastHour, domains: u64, renewals: u64) -> Result<(), Bound> {
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

/// Returns the time until the next order by the number of failures in a row; 0 follows a success. At most a tenth of `life`, the
/// lifetime of the name's certificate.
pub fn wait_after(failures: u64, life: Option<Duration>) -> Duration {
    let wait = match failures {
        0..=2 => PER_NAME,
        3 => HOUR,
        4 => 6 * HOUR,
        _ => DAY,
    };
    life.map_or(wait, |life| wait.min(life / 10))
}

/// Returns the time until a certificate that is due and was not renewed is queued again: a day, less for a short life.
pub fn queued_again_after(life: Duration) -> Duration {
    (life / 48).clamp(MINUTE, DAY)
}

/// Returns the time until the authority is asked again that has answered with `Retry-After`: from a minute to a day.
pub fn ask_again_after(retry_after: Duration) -> Duration {
    retry_after.clamp(MINUTE, DAY)
}

/// Returns the time until the authority is asked again that has not answered: six hours, less for a short life.
pub fn ask_after_failure(life: Duration) -> Duration {
    (life / 10).clamp(MINUTE, ASK_AFTER_FAILURE)
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

/// Validity of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// Start of validity.
    pub from: Timestamp,
    /// End of validity.
    pub until: Timestamp,
}

/// Window in which the authority wants a certificate renewed (RFC 9773).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenewalWindow {
    /// Start of the window; in the past, the certificate is to be renewed at once.
    pub start: Timestamp,
    /// End of the window.
    pub end: Timestamp,
}

impl Validity {
    /// Returns the lifetime.
    pub fn life(self) -> Duration {
        self.until.since(self.from)
    }

    /// Returns the time of renewal without a suggestion of the authority: a third of the lifetime before its end, a little
    /// earlier by chance, from 0 to 1.
    pub fn renew_at(self, chance: f64) -> Timestamp {
        let after = 1.0 - LEFT_AT_RENEWAL - SPREAD * chance.clamp(0.0, 1.0);
        self.from.plus(self.life().mul_f64(after))
    }

    /// Returns the time of renewal inside the window, by chance from 0 to 1. At the latest a day before the certificate expires,
    /// or a sixth of its lifetime if that is less. None for a window that ends before it has begun.
    pub fn suggested_renewal(self, window: RenewalWindow, chance: f64) -> Option<Timestamp> {
        if window.end <= window.start {
            return None;
        }
        let point = window.start.plus(window.end.since(window.start).mul_f64(chance.clamp(0.0, 1.0)));
        Some(point.min(self.until.minus(DAY.min(self.life() / 6))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn valid_for(life: Duration) -> Validity {
        Validity { from: START, until: START.plus(life) }
    }

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

        assert_eq!(may_order(OrderKind::Renewal, all_first, 1, 50), Ok(()));
        assert_eq!(may_order(OrderKind::First, all_renewed, 1, 50), Ok(()));
        assert_eq!(may_order(OrderKind::Renewal, all_renewed, 1, 50), Err(Bound::Renewals(50)));
    }

    #[test]
    fn a_renewal_that_the_authority_suggests_has_no_hourly_limit() {
        let orders = LastHour { renewals: 50, account_renewals: 50, all: 50, account: 50 };

        assert_eq!(may_order(OrderKind::Suggested, orders, 1, 50), Ok(()));
    }

    #[test]
    fn however_many_certificates_there_are_all_are_renewed_within_the_last_third_of_their_life() {
        let per_hour =
            |life: Duration, certificates| renewals_per_hour(std::iter::repeat_n(life, certificates));
        for certificates in [1, 100, 18_000, 200_000] {
            for life in [10 * MINUTE, 6 * DAY, 45 * DAY, 90 * DAY] {
                let hours = certificates as u64 / per_hour(life, certificates);

                assert!(
                    HOUR * u32::try_from(hours).unwrap() <= life / 3,
                    "{certificates} of {life:?}: {hours}"
                );
            }
        }
        assert_eq!((per_hour(DAY, 0), per_hour(45 * DAY, 200_000)), (50, 556));
        assert_eq!((per_hour(90 * DAY, 1_000), per_hour(10 * MINUTE, 100)), (50, 1_800));
    }

    #[test]
    fn one_customer_cannot_use_up_the_renewals_of_all() {
        let of_one = |renewals| {
            let orders = LastHour { renewals, account_renewals: renewals, ..LastHour::default() };
            may_order(OrderKind::Renewal, orders, 1, 50)
        };

        assert_eq!((of_one(39), of_one(40)), (Ok(()), Err(Bound::Account(40))));
    }

    #[test]
    fn a_name_that_fails_is_tried_ever_more_seldom() {
        let minutes =
            |life| (0..7).map(|failures| wait_after(failures, life).as_secs() / 60).collect::<Vec<_>>();

        assert_eq!(minutes(None), [10, 10, 10, 60, 360, 1440, 1440]);
        assert_eq!(minutes(Some(90 * DAY)), minutes(None));
        assert_eq!(minutes(Some(10 * MINUTE)), [1; 7]);
    }

    #[test]
    fn a_certificate_without_a_suggestion_is_renewed_when_a_third_of_its_life_is_left_or_a_little_earlier() {
        for life in [10 * MINUTE, 6 * DAY, 45 * DAY, 90 * DAY] {
            let (latest, earliest) = (valid_for(life).renew_at(0.0), valid_for(life).renew_at(1.0));

            assert!(latest.since(START).abs_diff(life * 2 / 3) < Duration::from_millis(2), "{life:?}");
            assert!(earliest < latest && earliest > START.plus(life.mul_f64(0.61)), "{life:?}");
        }
    }

    #[test]
    fn a_renewal_is_inside_the_window_that_the_authority_suggests() {
        let window = RenewalWindow { start: START.plus(60 * DAY), end: START.plus(62 * DAY) };
        let at = |chance| valid_for(90 * DAY).suggested_renewal(window, chance);

        assert_eq!(at(0.0), Some(window.start));
        assert_eq!(at(0.5), Some(START.plus(61 * DAY)));
        assert_eq!(at(1.0), Some(window.end));
    }

    #[test]
    fn a_window_in_the_past_is_a_renewal_at_once() {
        let window = RenewalWindow { start: START.minus(2 * DAY), end: START.minus(DAY) };

        assert!(valid_for(90 * DAY).suggested_renewal(window, 1.0) < Some(START));
    }

    #[test]
    fn a_window_without_an_end_after_its_start_suggests_nothing() {
        let window = RenewalWindow { start: START, end: START };

        assert_eq!(valid_for(90 * DAY).suggested_renewal(window, 0.5), None);
    }

    #[test]
    fn no_window_delays_a_renewal_until_the_certificate_has_expired() {
        let late = RenewalWindow { start: START.plus(100 * DAY), end: START.plus(200 * DAY) };

        assert_eq!(valid_for(90 * DAY).suggested_renewal(late, 0.5), Some(START.plus(89 * DAY)));
        assert_eq!(
            valid_for(10 * MINUTE).suggested_renewal(late, 0.5),
            Some(START.plus(Duration::from_secs(500)))
        );
    }

    #[test]
    fn the_authority_is_asked_again_when_it_says_so_within_bounds() {
        let seconds = [0, 3_600, 1_000_000].map(|wait| ask_again_after(Duration::from_secs(wait)).as_secs());

        assert_eq!(seconds, [60, 3_600, 86_400]);
        assert_eq!(ask_after_failure(90 * DAY), 6 * HOUR);
        assert_eq!(ask_after_failure(10 * MINUTE), MINUTE);
    }
}
