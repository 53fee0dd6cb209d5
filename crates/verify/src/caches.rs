//! Traces of shared caches in response headers: an answer that a cache kept, and one that a cache may keep. Pure.

use http::HeaderMap;

/// Headers in which caches say how they answered.
const STATUS_HEADERS: &[&str] = &[
    "cf-cache-status",
    "x-vercel-cache",
    "cache-status",
    "x-cache",
    "cdn-cache",
    "x-cache-status",
    "x-proxy-cache",
    "x-nginx-cache",
    "x-litespeed-cache",
    "x-drupal-cache",
];
/// Words in them that mean a kept answer. `RefreshHit` is CloudFront's.
const KEPT: &[&str] = &["hit", "stale", "updating", "revalidated", "refreshhit"];

/// Returns the header, with its value, by which a shared cache says that it had kept the answer.
pub fn kept_by(headers: &HeaderMap) -> Option<String> {
    let stated = STATUS_HEADERS.iter().find_map(|name| {
        let value = text(headers, name)?;
        says_kept(value).then(|| shown(name, value))
    });
    stated.or_else(|| {
        let age = text(headers, "age")?;
        age.trim().parse::<u64>().is_ok_and(|seconds| seconds > 0).then(|| shown("age", age))
    })
}

/// Returns true for a value such as `HIT`, `TCP_MEM_HIT from a1` or `"Netlify Edge"; hit`. Names of servers may contain the words.
fn says_kept(value: &str) -> bool {
    let mut words = value.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.');
    words.any(|word| KEPT.iter().any(|kept| kept.eq_ignore_ascii_case(word)))
}

/// Returns the header, with its value, that allows shared caches to keep the answer.
pub fn may_be_kept(headers: &HeaderMap) -> Option<String> {
    for name in ["surrogate-control", "cdn-cache-control"] {
        if let Some(value) = text(headers, name) {
            // The headers for caches win over the one for all.
            return lives(value).then(|| shown(name, value));
        }
    }
    let value = text(headers, "cache-control")?;
    let shared = positive(value, "s-maxage") || has(value, "public") && positive(value, "max-age");
    (shared && !is_forbidden(value)).then(|| shown("cache-control", value))
}

/// Returns true when no shared cache may keep the answer.
pub fn is_private(headers: &HeaderMap) -> bool {
    text(headers, "cache-control").is_some_and(|value| has(value, "no-store") || has(value, "private"))
}

fn lives(value: &str) -> bool {
    (positive(value, "max-age") || positive(value, "s-maxage")) && !is_forbidden(value)
}

fn is_forbidden(value: &str) -> bool {
    ["no-store", "no-cache", "private"].iter().any(|directive| has(value, directive))
}

fn directives(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim)
}

fn has(value: &str, directive: &str) -> bool {
    directives(value).any(|given| given.eq_ignore_ascii_case(directive))
}

fn positive(value: &str, directive: &str) -> bool {
    let seconds = directives(value).filter_map(|given| given.split_once('='));
    seconds
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case(directive))
        .any(|(_, seconds)| seconds.trim().trim_matches('"').parse::<u64>().is_ok_and(|seconds| seconds > 0))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn shown(name: &str, value: &str) -> String {
    let value: String = value.chars().take(100).collect();
    format!("{name}: {value}")
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn of(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static(value))])
    }

    #[test]
    fn an_answer_that_a_cache_kept_is_known_by_the_header_that_says_so() {
        for (name, value) in [
            ("age", "12"),
            ("cf-cache-status", "HIT"),
            ("x-vercel-cache", "STALE"),
            ("cache-status", "\"Netlify Edge\"; hit"),
            ("x-cache", "Hit from cloudfront"),
            ("x-cache", "MISS, HIT"),
            ("x-cache", "TCP_MEM_HIT from a23-1.deploy.test (AkamaiGHost/22)"),
            ("x-cache", "RefreshHit from cloudfront"),
        ] {
            assert_eq!(kept_by(&of(name, value)), Some(format!("{name}: {value}")));
        }
        for (name, value) in [
            ("age", "0"),
            ("cf-cache-status", "DYNAMIC"),
            ("x-cache", "MISS"),
            ("x-cache", "MISS from proxy-hit.whitney.test"),
            ("cache-status", "a; fwd=miss"),
        ] {
            assert_eq!(kept_by(&of(name, value)), None, "{name}: {value}");
        }
    }

    #[test]
    fn an_answer_may_be_kept_when_a_header_for_shared_caches_says_so() {
        for (name, value) in [
            ("cache-control", "s-maxage=60"),
            ("cache-control", "public, max-age=600"),
            ("surrogate-control", "max-age=600"),
            ("cdn-cache-control", "max-age=600"),
        ] {
            assert_eq!(may_be_kept(&of(name, value)), Some(format!("{name}: {value}")));
        }
        for (name, value) in [
            ("cache-control", "no-cache"),
            ("cache-control", "max-age=600"),
            ("cache-control", "public, max-age=0"),
            ("cache-control", "private, s-maxage=60"),
            ("cdn-cache-control", "no-store"),
        ] {
            assert_eq!(may_be_kept(&of(name, value)), None, "{name}: {value}");
        }
    }
}
