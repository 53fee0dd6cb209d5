//! Recurrence: daily, weekly or monthly, at a time of day in the owner's time zone. Pure.
//! Must find a next time for every rule, also across changes of daylight saving time.

use std::time::Duration;

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Days {
    /// Every day.
    Daily,
    /// One day of each week: 1 is Monday, 7 is Sunday.
    Weekly(u8),
    /// One day of each month, 1 to 31; the last day of a month that is shorter.
    Monthly(u8),
}

/// Days and a time of day in a time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recurrence {
    days: Days,
    minute: u16,
    zone: String,
    jitter_s: u64,
}

/// Reason why a recurrence is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecurrenceError {
    /// No such time zone.
    #[error("there is no time zone {0:?}: it is a name such as Europe/Berlin")]
    UnknownZone(String),
    /// No such day.
    #[error("a day of the week is 1 to 7, one of the month 1 to 31")]
    BadDay,
    /// No such time of day.
    #[error("a time of day is less than 1440 minutes after midnight")]
    BadTime,
}

impl Recurrence {
    /// Makes a recurrence on these days at midnight UTC.
    pub fn on(days: Days) -> Result<Recurrence, RecurrenceError> {
        let is_a_day = match days {
            Days::Daily => true,
            Days::Weekly(day) => (1..=7).contains(&day),
            Days::Monthly(day) => (1..=31).contains(&day),
        };
        match is_a_day {
            true => Ok(Recurrence { days, minute: 0, zone: "UTC".to_owned(), jitter_s: 0 }),
            false => Err(RecurrenceError::BadDay),
        }
    }

    /// Sets the time of day: minutes after midnight in a time zone of the IANA list.
    pub fn at(self, minute: u16, zone: &str) -> Result<Recurrence, RecurrenceError> {
        if minute >= 24 * 60 {
            return Err(RecurrenceError::BadTime);
        }
        TimeZone::get(zone).map_err(|_| RecurrenceError::UnknownZone(zone.to_owned()))?;
        Ok(Recurrence { minute, zone: zone.to_owned(), ..self })
    }

    /// Delays each occurrence by up to `most`, by the same time for one owner, so that recurrences of many owners are spread.
    pub fn spread(self, most: Duration) -> Recurrence {
        Recurrence { jitter_s: most.as_secs(), ..self }
    }

    /// Returns the first occurrence after `now` for this owner.
    pub fn next_after(&self, now: Timestamp, owner: &str) -> Timestamp {
        let delay = self.delay_of(owner);
        let zone = TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC);
        let from = now.minus(delay);
        let today = from.in_zone(&zone).date();
        // Two months hold every day that a rule can name.
        let days = today.series(jiff::Span::new().days(1)).take(63);
        let times = days.filter(|date| self.falls_on(*date)).filter_map(|date| self.time_on(date, &zone));
        let next = times.into_iter().find(|time| *time > from);
        next.map_or_else(|| now.plus(Duration::from_secs(24 * 3600)), |time| time.plus(delay))
    }

    fn falls_on(&self, date: Date) -> bool {
        match self.days {
            Days::Daily => true,
            Days::Weekly(day) => Weekday::to_monday_one_offset(date.weekday()) == day.cast_signed(),
            Days::Monthly(day) => date.day() == day.cast_signed().min(date.days_in_month()),
        }
    }

    fn time_on(&self, date: Date, zone: &TimeZone) -> Option<Timestamp> {
        let (hour, minute) = (self.minute / 60, self.minute % 60);
        let time = date.at(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0);
        // A time that clocks skip is the same moment an hour later on them; of one that they show twice, the first.
        let zoned = zone.to_ambiguous_zoned(time).compatible().ok()?;
        Some(Timestamp::from_millis(zoned.timestamp().as_millisecond()))
    }

    fn delay_of(&self, owner: &str) -> Duration {
        if self.jitter_s == 0 {
            return Duration::ZERO;
        }
        let hash = Sha256::digest(owner.as_bytes());
        let number = hash.iter().take(8).fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
        Duration::from_secs(number % self.jitter_s)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Timestamp {
        serde_json::from_str(&format!("\"{text}\"")).unwrap()
    }

    fn daily(minute: u16, zone: &str) -> Recurrence {
        Recurrence::on(Days::Daily).unwrap().at(minute, zone).unwrap()
    }

    #[test]
    fn a_time_of_day_is_the_owners_own() {
        let nine = daily(9 * 60, "Europe/Berlin");

        assert_eq!(nine.next_after(at("2026-11-22T07:59:59Z"), "a"), at("2026-11-22T08:00:00Z"));
        assert_eq!(nine.next_after(at("2026-11-22T08:00:00Z"), "a"), at("2026-11-23T08:00:00Z"));
        assert_eq!(nine.next_after(at("2026-07-01T08:00:00Z"), "a"), at("2026-07-02T07:00:00Z"));
    }

    #[test]
    fn a_day_on_which_clocks_change_has_one_time_too() {
        let half_past_two = daily(150, "Europe/Berlin");

        let skipped = half_past_two.next_after(at("2026-03-28T12:00:00Z"), "a");
        let doubled = half_past_two.next_after(at("2026-10-24T12:00:00Z"), "a");

        assert_eq!(skipped, at("2026-03-29T01:30:00Z"));
        assert_eq!(doubled, at("2026-10-25T00:30:00Z"));
        assert_eq!(half_past_two.next_after(doubled, "a"), at("2026-10-26T01:30:00Z"));
    }

    #[test]
    fn a_week_and_a_month_have_one_day_each() {
        let now = at("2026-11-22T12:00:00Z");
        let next = |days| Recurrence::on(days).unwrap().next_after(now, "a");

        assert_eq!(next(Days::Weekly(1)), at("2026-11-23T00:00:00Z"));
        assert_eq!(next(Days::Weekly(7)), at("2026-11-29T00:00:00Z"));
        assert_eq!(next(Days::Monthly(22)), at("2026-12-22T00:00:00Z"));
        assert_eq!(next(Days::Monthly(31)), at("2026-11-30T00:00:00Z"));
    }

    #[test]
    fn owners_are_spread_and_each_keeps_its_place() {
        let spread = daily(0, "UTC").spread(Duration::from_secs(3600));
        let now = at("2026-11-22T12:00:00Z");

        let first: Vec<Timestamp> = ["a", "b", "c"].map(|owner| spread.next_after(now, owner)).into();
        let second = spread.next_after(first[0], "a");

        assert!(
            first.iter().all(|time| (at("2026-11-23T00:00:00Z")..at("2026-11-23T01:00:00Z")).contains(time))
        );
        assert!(first[0] != first[1] || first[1] != first[2]);
        assert_eq!(second, first[0].plus(Duration::from_secs(24 * 3600)));
    }

    #[test]
    fn what_is_no_day_no_time_and_no_zone_is_refused() {
        for days in [Days::Weekly(0), Days::Weekly(8), Days::Monthly(0), Days::Monthly(32)] {
            assert_eq!(Recurrence::on(days), Err(RecurrenceError::BadDay));
        }
        let daily = Recurrence::on(Days::Daily).unwrap();
        assert_eq!(daily.clone().at(1440, "UTC"), Err(RecurrenceError::BadTime));
        assert!(matches!(daily.at(0, "Mars/Olympus"), Err(RecurrenceError::UnknownZone(_))));
    }

    proptest! {
        #[test]
        fn the_next_time_is_later_and_never_far(
            millis in -62_135_596_800_000i64..253_402_300_799_000,
            days in prop_oneof![
                Just(Days::Daily), (1u8..=7).prop_map(Days::Weekly), (1u8..=31).prop_map(Days::Monthly)],
            minute in 0u16..1440,
            jitter in 0u64..86_400,
        ) {
            let zone = ["UTC", "America/St_Johns", "Pacific/Apia", "Africa/Cairo"][usize::from(minute % 4)];
            let rule = Recurrence::on(days).unwrap().at(minute, zone).unwrap();
            let now = Timestamp::from_millis(millis);

            let next = rule.spread(Duration::from_secs(jitter)).next_after(now, "a");

            prop_assert!(next > now && next.since(now) <= Duration::from_secs(34 * 24 * 3600));
        }
    }
}
