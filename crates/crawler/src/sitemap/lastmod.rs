//! Dates of change in sitemaps: every W3C form of a date, and the form of RSS.
//! Pure; used by the sitemap reader. Must never guess: a text that is not a date gives none.
//! See docs/decisions/0056.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

/// Reads a `lastmod` as epoch milliseconds; `None` when it is not a date.
///
/// W3C forms: `YYYY`, `YYYY-MM`, `YYYY-MM-DD` and a day with a time, with or without seconds, fraction and offset.
/// A form without a time means the first moment of that year, month or day, and one without an offset means UTC:
/// a page must not count as changed because its sitemap is vague. Also RFC 2822, which RSS uses.
pub fn parse_lastmod(text: &str) -> Option<i64> {
    let text = text.trim();
    let may_be_named =
        text.starts_with(|c: char| c.is_ascii_alphabetic()) || text.contains(' ') && text.contains(':');
    if may_be_named
        && let Ok(zoned) = jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_zoned(text)
    {
        return Some(zoned.timestamp().as_millisecond());
    }
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time.trim_start())),
        None => (text, None),
    };
    let date = parse_date(date, time.is_some())?;
    let (time, offset) = match time {
        Some(time) => parse_time(time)?,
        None => (Time::midnight(), Offset::UTC),
    };
    let instant = offset.to_timestamp(DateTime::from_parts(date, time)).ok()?;
    Some(instant.as_millisecond())
}

fn parse_date(text: &str, needs_day: bool) -> Option<Date> {
    let mut parts = text.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map(|part| digits(part, 2));
    let day = parts.next().map(|part| digits(part, 2));
    if parts.next().is_some() || (needs_day && day.is_none()) {
        return None;
    }
    let month = month.map_or(Some(1), |month| month)?;
    let day = day.map_or(Some(1), |day| day)?;
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// Reads `hh:mm[:ss[.fraction]][Z|±hh:mm|±hhmm|±hh]`.
fn parse_time(text: &str) -> Option<(Time, Offset)> {
    let zone_at = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone_at);
    let mut parts = clock.trim_end().split(':');
    let hour = digits(parts.next()?, 2)?;
    let minute = digits(parts.next()?, 2)?;
    let (second, nanosecond) = parts.next().map_or(Some((0, 0)), parse_seconds)?;
    if parts.next().is_some() {
        return None;
    }
    let small = |number: u32| i8::try_from(number).ok();
    // A leap second is the last second of its minute.
    let time = Time::new(small(hour)?, small(minute)?, small(second.min(59))?, nanosecond).ok()?;
    (second <= 60).then_some(())?;
    Some((time, parse_zone(zone)?))
}

fn parse_seconds(text: &str) -> Option<(u32, i32)> {
    let Some((whole, fraction)) = text.split_once(['.', ',']) else { return Some((digits(text, 2)?, 0)) };
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanos: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    Some((digits(whole, 2)?, nanos.parse().ok()?))
}

fn parse_zone(text: &str) -> Option<Offset> {
    let Some(sign) = text.chars().next() else { return Some(Offset::UTC) };
    if matches!(sign, 'Z' | 'z') {
        return (text.len() == 1).then_some(Offset::UTC);
    }
    let (hours, minutes) = match &text[1..] {
        rest if rest.len() == 2 => (rest, "00"),
        rest if rest.len() == 4 && rest.is_ascii() => rest.split_at(2),
        rest => rest.split_once(':')?,
    };
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours <= 23 && minutes <= 59).then_some(())?;
    let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
    Offset::from_seconds(if sign == '-' { -seconds } else { seconds }).ok()
}

/// Reads exactly `count` decimal digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<String> {
        let millis = parse_lastmod(text)?;
        Some(jiff::Timestamp::from_millisecond(millis).unwrap().to_string())
    }

    #[test]
    fn every_w3c_form_is_read() {
        let cases = [
            ("2026", "2026-01-01T00:00:00Z"),
            ("2026-11", "2026-11-01T00:00:00Z"),
            ("2026-11-21", "2026-11-21T00:00:00Z"),
            ("2026-11-21T09:30Z", "2026-11-21T09:30:00Z"),
            ("2026-11-21T09:30+02:00", "2026-11-21T07:30:00Z"),
            ("2026-11-21T09:30:15Z", "2026-11-21T09:30:15Z"),
            ("2026-11-21T09:30:15-05:30", "2026-11-21T15:00:15Z"),
            ("2026-11-21T09:30:15.5+00:00", "2026-11-21T09:30:15.5Z"),
            ("2026-11-21T09:30:15.123456789Z", "2026-11-21T09:30:15.123Z"),
            ("  2026-11-21\n", "2026-11-21T00:00:00Z"),
        ];

        for (text, expected) in cases {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_generators_write_beside_the_standard_is_read_too() {
        let cases = [
            ("2026-11-21 09:30:15", "2026-11-21T09:30:15Z"),
            ("2026-11-21T09:30:15", "2026-11-21T09:30:15Z"),
            ("2026-11-21T09:30:15+0200", "2026-11-21T07:30:15Z"),
            ("2026-11-21T09:30:15+02", "2026-11-21T07:30:15Z"),
            ("2026-11-21t09:30:15z", "2026-11-21T09:30:15Z"),
            ("2026-12-31T23:59:60Z", "2026-12-31T23:59:59Z"),
            ("Sat, 21 Nov 2026 09:30:15 +0200", "2026-11-21T07:30:15Z"),
            ("21 Nov 2026 09:30:15 GMT", "2026-11-21T09:30:15Z"),
        ];

        for (text, expected) in cases {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn junk_is_no_date() {
        for text in [
            "",
            "yesterday",
            "0",
            "20261121",
            "2026-13",
            "2026-02-30",
            "2026-11-21T",
            "2026-11-21T25:00Z",
            "2026-11-21T09",
            "2026-11T09:30Z",
            "2026-11-21T09:30:61Z",
            "2026-11-21T09:30:15.Z",
            "2026-11-21T09:30Zulu",
            "2026-11-21T09:30+2:00",
            "2026/11/21",
            "21.11.2026",
            "-2026-11-21",
            "2026-11-21-05",
            "١٢٣٤",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}") {
            parse_lastmod(&text);
        }

        #[test]
        fn no_text_that_looks_like_a_date_makes_it_panic(text in "[0-9TZ:.+é -]{0,32}") {
            parse_lastmod(&text);
        }
    }
}
