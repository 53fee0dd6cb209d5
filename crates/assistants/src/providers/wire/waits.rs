//! Waits that providers advise in headers: after a refusal, and when a limit is nearly used up. Pure.

use std::time::Duration;

use crawler::retry_after::parse_retry_after;
use http::HeaderMap;
use jiff::Timestamp;

/// Longest wait that is believed.
pub const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Headers of a limit: of what is left, and of when it starts again.
const LIMITS: &[Limit] = &[
    Limit::new("x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    Limit::new("x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    Limit::new("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"),
    Limit::new(
        "anthropic-ratelimit-requests-limit",
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ),
    Limit::new(
        "anthropic-ratelimit-tokens-limit",
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ),
    Limit::new(
        "anthropic-ratelimit-input-tokens-limit",
        "anthropic-ratelimit-input-tokens-remaining",
        "anthropic-ratelimit-input-tokens-reset",
    ),
    Limit::new(
        "anthropic-ratelimit-output-tokens-limit",
        "anthropic-ratelimit-output-tokens-remaining",
        "anthropic-ratelimit-output-tokens-reset",
    ),
];

struct Limit {
    limit: &'static str,
    remaining: &'static str,
    reset: &'static str,
}

impl Limit {
    const fn new(limit: &'static str, remaining: &'static str, reset: &'static str) -> Limit {
        Limit { limit, remaining, reset }
    }

    fn reset(&self, headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
        parse_reset(text(headers, self.reset)?, now)
    }
}

/// Reads the wait that a refusal by a limit advises: `retry-after-ms`, `Retry-After`, else the reset of the limits that are
/// used up, else of all: a request may be larger than what is left.
pub fn wait_after_refusal(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let of_all = || LIMITS.iter().filter_map(|limit| limit.reset(headers, now)).max();
    wait_after_trouble(headers, now).or_else(of_all).map(|wait| wait.min(MAX_WAIT))
}

/// Reads the wait that another failure advises: `retry-after-ms`, `Retry-After`, else the reset of a limit that is used up.
pub fn wait_after_trouble(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let exact = text(headers, "retry-after-ms").and_then(|value| value.trim().parse::<f64>().ok());
    let exact = exact.and_then(|ms| Duration::try_from_secs_f64(ms / 1_000.0).ok());
    let plain = || parse_retry_after(text(headers, "retry-after")?, now.as_millisecond());
    let used_up = || {
        let limits = LIMITS.iter().filter(|limit| number(headers, limit.remaining) == Some(0.0));
        limits.filter_map(|limit| limit.reset(headers, now)).max()
    };
    exact.or_else(plain).or_else(used_up).map(|wait| wait.min(MAX_WAIT))
}

/// Reads the pause that an answer advises: the reset of every limit of which less than a twentieth is left.
pub fn advised_pause(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let is_nearly_used_up = |limit: &&Limit| {
        let (all, left) = (number(headers, limit.limit), number(headers, limit.remaining));
        all.zip(left).is_some_and(|(all, left)| left < all / 20.0)
    };
    let resets = LIMITS.iter().filter(is_nearly_used_up).filter_map(|limit| limit.reset(headers, now));
    resets.max().map(|wait| wait.min(MAX_WAIT))
}

/// Reads a time until a reset: `1s`, `6m0s`, `20ms`, seconds, epoch seconds, or a time of RFC 3339.
fn parse_reset(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        // Larger numbers are points in time: a wait of thirty years is none.
        let is_epoch = seconds > 1e9;
        let wait = if is_epoch { seconds - now.as_millisecond() as f64 / 1_000.0 } else { seconds };
        return Duration::try_from_secs_f64(wait.max(0.0)).ok();
    }
    if let Ok(time) = value.parse::<Timestamp>() {
        let wait_ms = time.as_millisecond().saturating_sub(now.as_millisecond());
        return Some(Duration::from_millis(u64::try_from(wait_ms).unwrap_or(0)));
    }
    parse_span(value)
}

/// Reads spans as Go and Google write them: `6m0s`, `1h2m3.5s`, `38s`, `20ms`.
pub fn parse_span(value: &str) -> Option<Duration> {
    let mut total = 0.0;
    let mut rest = value.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        let unit_end =
            rest[end..].find(|letter: char| letter.is_ascii_digit()).map_or(rest.len(), |at| end + at);
        let seconds = match &rest[end..unit_end] {
            "d" => 86_400.0,
            "h" => 3_600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 0.001,
            "us" | "µs" => 0.000_001,
            _ => return None,
        };
        total += number * seconds;
        rest = &rest[unit_end..];
    }
    Duration::try_from_secs_f64(total).ok()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn number(headers: &HeaderMap, name: &str) -> Option<f64> {
    text(headers, name)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    const NOW: &str = "2026-11-25T09:30:00Z";

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        lines.iter().map(pair).collect()
    }

    fn wait(lines: &[(&'static str, &'static str)]) -> Option<f64> {
        wait_after_refusal(&headers(lines), NOW.parse().unwrap()).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn milliseconds_win_over_seconds_and_over_resets() {
        assert_eq!(wait(&[("retry-after-ms", "1500"), ("retry-after", "7")]), Some(1.5));
        assert_eq!(wait(&[("retry-after", "7"), ("x-ratelimit-reset-requests", "6m0s")]), Some(7.0));
        assert_eq!(wait(&[("retry-after", "Wed, 25 Nov 2026 09:31:00 GMT")]), Some(60.0));
        assert_eq!(wait(&[("retry-after-ms", "soon"), ("retry-after", "later")]), None);
    }

    #[test]
    fn the_reset_of_the_limit_that_is_used_up_counts() {
        let lines = [
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "6m0s"),
            ("x-ratelimit-remaining-tokens", "5000"),
            ("x-ratelimit-reset-tokens", "1h0m0s"),
        ];

        assert_eq!(wait(&lines), Some(360.0));
        assert_eq!(wait(&lines[2..]), Some(3_600.0));
        assert_eq!(wait(&[("anthropic-ratelimit-tokens-reset", "2026-11-25T09:30:45Z")]), Some(45.0));
        assert_eq!(wait(&[("x-ratelimit-reset", "1795599060")]), Some(60.0));
    }

    #[test]
    fn trouble_does_not_wait_for_limits_that_are_not_used_up() {
        let lines = [("x-ratelimit-remaining-tokens", "5000"), ("x-ratelimit-reset-tokens", "6m0s")];
        let wait = |lines: &[_]| wait_after_trouble(&headers(lines), NOW.parse().unwrap());

        assert_eq!(wait(&lines), None);
        assert_eq!(wait(&[("retry-after", "7"), lines[0], lines[1]]), Some(Duration::from_secs(7)));
    }

    #[test]
    fn a_wait_is_a_day_at_most() {
        for value in ["99999999999999999999999", "1e300"] {
            let long: HeaderMap = [(HeaderName::from_static("retry-after"), HeaderValue::from_static(value))]
                .into_iter()
                .collect();
            assert!(wait_after_refusal(&long, NOW.parse().unwrap()).is_none_or(|wait| wait == MAX_WAIT));
        }
        assert_eq!(wait(&[("x-ratelimit-reset", "-5")]), Some(0.0));
    }

    #[test]
    fn an_answer_advises_a_pause_when_a_limit_is_nearly_used_up() {
        let pause = |left: &'static str| {
            let lines = [
                ("x-ratelimit-limit-requests", "100"),
                ("x-ratelimit-remaining-requests", left),
                ("x-ratelimit-reset-requests", "20ms"),
            ];
            advised_pause(&headers(&lines), NOW.parse().unwrap())
        };

        assert_eq!(pause("4"), Some(Duration::from_millis(20)));
        assert_eq!(pause("5"), None);
        assert_eq!(pause("many"), None);
    }

    #[test]
    fn a_span_has_units() {
        assert_eq!(parse_span("1h2m3.5s"), Some(Duration::from_secs_f64(3_723.5)));
        for bad in ["", "s", "5", "5x", "1.2.3s", "-5s", "5s6"] {
            assert_eq!(parse_span(bad), None, "{bad}");
        }
    }
}
