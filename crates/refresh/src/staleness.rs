//! Selection of the pages to render again: the rule of updated paths, and the order in the background. Pure.

use std::time::Duration;

use platform::clock::Timestamp;

/// Time between two looks for stale pages.
pub const LOOK_EVERY: Duration = Duration::from_secs(10 * 60);
/// Maximum number of pages of an account that one look queues, whatever its plan allows: more than a million a day.
const MOST_PER_LOOK: u64 = 7_500;

/// Returns true when a page of a sitemap has to be rendered again. Spec: Cache refresh, rule 5.
pub fn is_updated(lastmod: Option<i64>, stored_at: Option<Timestamp>) -> bool {
    match (lastmod, stored_at) {
        (_, None) => true,
        (None, Some(_)) => true,
        (Some(lastmod), Some(stored_at)) => lastmod > stored_at.as_millis(),
    }
}

/// Returns the number of stale pages of an account that may be rendered until the next look, out of the remaining
/// renders of the month.
///
/// Half of the remaining renders, spread evenly over the rest of the month: the other half is for requests of
/// crawlers. At least one while more than a tenth of the plan is left. `None`: the plan has no limit.
pub fn background_budget(limit: Option<u64>, used: u64, now: Timestamp) -> u64 {
    let Some(limit) = limit else { return MOST_PER_LOOK };
    let left = limit.saturating_sub(used);
    let looks = now.start_of_next_month().since(now).as_millis() / LOOK_EVERY.as_millis();
    let share = left / 2 / u64::try_from(looks).unwrap_or(u64::MAX).max(1);
    let least = u64::from(left > limit / 10);
    share.max(least).min(MOST_PER_LOOK).min(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: i64) -> Option<Timestamp> {
        Some(Timestamp::from_millis(millis))
    }

    #[test]
    fn a_page_is_updated_when_it_changed_after_its_snapshot() {
        assert!(is_updated(Some(1001), at(1000)));
        assert!(!is_updated(Some(1000), at(1000)));
        assert!(!is_updated(Some(999), at(1000)));
    }

    #[test]
    fn a_page_that_was_never_stored_is_updated_whatever_its_date() {
        assert!(is_updated(Some(0), None));
        assert!(is_updated(None, None));
    }

    #[test]
    fn a_page_without_a_date_is_always_updated() {
        assert!(is_updated(None, at(i64::MAX)));
    }

    #[test]
    fn the_background_spreads_half_of_what_is_left_over_the_month() {
        let first = Timestamp::from_millis(1_793_491_200_000);
        assert_eq!(first.to_string(), "2026-11-01T00:00:00.000Z");

        assert_eq!(background_budget(Some(86_400), 0, first), 10);
        assert_eq!(background_budget(Some(86_400), 43_200, first), 5);
        assert_eq!(background_budget(Some(1_000), 0, first), 1);
        assert_eq!(background_budget(Some(1_000), 901, first), 0);
        assert_eq!(background_budget(Some(1_000), 2_000, first), 0);
        assert_eq!(background_budget(None, 1_000_000, first), 7_500);
    }

    #[test]
    fn the_last_minutes_of_a_month_use_no_more_than_half_of_what_is_left() {
        let end = Timestamp::from_millis(1_796_083_200_000 - 1);

        assert_eq!(background_budget(Some(1_000), 0, end), 500);
        assert_eq!(background_budget(Some(1_000), 800, end), 100);
    }
}
