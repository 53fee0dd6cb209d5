//! `Retry-After`: how long a server wants to be left alone. Pure.

use std::time::{Duration, UNIX_EPOCH};

/// Reads the header's value: seconds, or a date, which is compared with `now_ms` in epoch milliseconds. One that is past
/// is no time at all.
pub fn parse_retry_after(value: &str, now_ms: i64) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More than a u64 is for ever.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    let now = Duration::from_millis(u64::try_from(now_ms).unwrap_or(0));
    Some(date.duration_since(UNIX_EPOCH).ok()?.saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_seconds_or_a_date() {
        let wait = |value| parse_retry_after(value, 1_795_253_400_000).map(|wait| wait.as_secs());

        assert_eq!(wait(" 120 "), Some(120));
        assert_eq!(wait("Sat, 21 Nov 2026 09:31:00 GMT"), Some(60));
        assert_eq!(wait("Saturday, 21-Nov-26 09:31:00 GMT"), Some(60));
        assert_eq!(wait("Sat, 21 Nov 2020 09:31:00 GMT"), Some(0));
        assert_eq!(wait("99999999999999999999999"), Some(u64::MAX));
    }

    #[test]
    fn anything_else_says_nothing() {
        for value in ["", "soon", "-1", "+1", "1.5", "2026-11-21T09:31:00Z"] {
            assert_eq!(parse_retry_after(value, 0), None, "{value}");
        }
    }
}
