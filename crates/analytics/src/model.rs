//! Visits of crawlers, and the keys by which visits are counted together. Pure.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use hashbrown::Equivalent;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::crawlers::Crawler;
use domains::DomainId;
use platform::clock::Timestamp;

/// Longest path that is kept, in bytes.
pub const MAX_PATH_BYTES: usize = 1024;

/// Path under which visits are counted when a domain has too many paths. No path begins like this.
pub const OTHER_PATHS: &str = "(other)";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A UTC day, counted from 1970.
pub type Day = i64;

/// Source of the answer to a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ServedBy {
    /// Stored snapshot, from memory or from the object store.
    Cache,
    /// Page rendered for the visit.
    Render,
    /// Answer of the site's own server.
    Origin,
}

impl ServedBy {
    /// Returns the text that clients and the database see.
    pub const fn as_str(self) -> &'static str {
        match self {
            ServedBy::Cache => "cache",
            ServedBy::Render => "render",
            ServedBy::Origin => "origin",
        }
    }

    /// Parses the text that clients and the database see.
    pub fn parse(text: &str) -> Option<ServedBy> {
        [ServedBy::Cache, ServedBy::Render, ServedBy::Origin]
            .into_iter()
            .find(|served| served.as_str() == text)
    }
}

/// Result of the check of a crawler's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verified {
    /// The address or signature is the provider's.
    Yes,
    /// The address is not one that the provider publishes.
    No,
    /// The address is hidden, or the provider publishes none.
    Unknown,
}

impl Verified {
    /// Returns the text in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verified::Yes => "yes",
            Verified::No => "no",
            Verified::Unknown => "unknown",
        }
    }

    /// Parses the text in the database.
    pub fn parse(text: &str) -> Option<Verified> {
        [Verified::Yes, Verified::No, Verified::Unknown]
            .into_iter()
            .find(|verified| verified.as_str() == text)
    }
}

/// Request of a crawler for a page.
#[derive(Debug, Clone)]
pub struct CrawlerRequest {
    /// Domain record under which the request is counted.
    pub domain: DomainId,
    /// Path without the query, as in an address.
    pub path: Arc<str>,
    /// Crawler that the client claims to be.
    pub crawler: &'static Crawler,
    /// Result of the check of the claim.
    pub verified: Verified,
}

/// One visit of a crawler.
#[derive(Debug, Clone)]
pub struct Visit {
    /// Domain record under which the visit is counted.
    pub domain: DomainId,
    /// Path without the query, as in an address.
    pub path: Arc<str>,
    /// Crawler that the client claims to be.
    pub crawler: &'static Crawler,
    /// Result of the check of the claim.
    pub verified: Verified,
    /// Source of the answer.
    pub served: ServedBy,
    /// Status of the answer.
    pub status: u16,
    /// Time of the answer.
    pub at: Timestamp,
    /// Duration of the answer.
    pub duration: Duration,
}

/// Visits of one page that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VisitKey {
    /// Domain record.
    pub domain: DomainId,
    pub day: Day,
    /// Path, cut to [`MAX_PATH_BYTES`].
    pub path: Arc<str>,
    /// Id of the crawler.
    pub crawler: Cow<'static, str>,
    /// Result of the check of the crawler's identity.
    pub verified: Verified,
    /// Source of the answer.
    pub served: ServedBy,
    /// Status of the answer.
    pub status: u16,
}

/// Visits of one day that are counted together, of any page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct DayKey {
    /// Domain record.
    pub domain: DomainId,
    pub day: Day,
    /// Id of the crawler.
    pub crawler: Cow<'static, str>,
    /// Result of the check of the crawler's identity.
    pub verified: Verified,
    /// Source of the answer.
    pub served: ServedBy,
    /// Status of the answer.
    pub status: u16,
}

/// Answers of one day with about the same duration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TimeKey {
    /// Domain record.
    pub domain: DomainId,
    pub day: Day,
    /// Source of the answer.
    pub served: ServedBy,
    pub bucket: i64,
}

/// Borrowed [`VisitKey`] for lookups. It has the same hash and copies nothing.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct VisitKeyRef<'v> {
    domain: &'v DomainId,
    day: Day,
    path: &'v str,
    crawler: &'v str,
    verified: Verified,
    served: ServedBy,
    status: u16,
}

impl Equivalent<VisitKey> for VisitKeyRef<'_> {
    fn equivalent(&self, key: &VisitKey) -> bool {
        let VisitKey { domain, day, path, crawler, verified, served, status } = key;
        let (day, verified, served, status) = (*day, *verified, *served, *status);
        *self == VisitKeyRef { domain, day, path, crawler, verified, served, status }
    }
}

/// Borrowed [`TimeKey`] for lookups.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct TimeKeyRef<'v> {
    domain: &'v DomainId,
    day: Day,
    served: ServedBy,
    bucket: i64,
}

impl Equivalent<TimeKey> for TimeKeyRef<'_> {
    fn equivalent(&self, key: &TimeKey) -> bool {
        let TimeKey { domain, day, served, bucket } = key;
        *self == TimeKeyRef { domain, day: *day, served: *served, bucket: *bucket }
    }
}

/// Returns the path under which visits of a path are counted: encoded as in an address, and cut to [`MAX_PATH_BYTES`].
///
/// A text that does not begin with a slash is no path and is only cut.
pub fn counted_path(path: &str) -> Cow<'_, str> {
    static SITE: LazyLock<Url> = LazyLock::new(|| Url::parse("http://site.test").expect("an address"));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_~.".contains(&byte);
    if !path.starts_with('/') || (path.bytes().all(is_plain) && !path.contains("/.")) {
        return Cow::Borrowed(kept(path));
    }
    // Addresses drop tabs and line breaks, so these are encoded before.
    let path = percent_encoding::utf8_percent_encode(path, percent_encoding::CONTROLS).to_string();
    let mut address = SITE.clone();
    address.set_path(&path);
    Cow::Owned(kept(address.path()).to_owned())
}

/// Cuts a path to [`MAX_PATH_BYTES`].
fn kept(path: &str) -> &str {
    &path[..path.floor_char_boundary(MAX_PATH_BYTES)]
}

impl Visit {
    /// Returns the path of the visit, cut to [`MAX_PATH_BYTES`].
    fn kept_path(&self) -> &str {
        kept(&self.path)
    }

    /// Returns the borrowed key of the row that the visit is counted in.
    pub fn key_ref(&self) -> VisitKeyRef<'_> {
        VisitKeyRef {
            domain: &self.domain,
            day: day_of(self.at),
            path: self.kept_path(),
            crawler: &self.crawler.id,
            verified: self.verified,
            served: self.served,
            status: self.status,
        }
    }

    /// Returns the key of the row that the visit is counted in.
    pub fn key(&self) -> VisitKey {
        let kept = self.kept_path();
        VisitKey {
            domain: self.domain.clone(),
            day: day_of(self.at),
            path: if kept.len() == self.path.len() { self.path.clone() } else { kept.into() },
            crawler: Cow::Borrowed(&self.crawler.id),
            verified: self.verified,
            served: self.served,
            status: self.status,
        }
    }

    /// Returns the borrowed key of the row that the answer's duration is counted in.
    pub fn time_key_ref(&self) -> TimeKeyRef<'_> {
        let (day, bucket) = (day_of(self.at), bucket_of(self.duration));
        TimeKeyRef { domain: &self.domain, day, served: self.served, bucket }
    }

    /// Returns the key of the row that the answer's duration is counted in.
    pub fn time_key(&self) -> TimeKey {
        TimeKey {
            domain: self.domain.clone(),
            day: day_of(self.at),
            served: self.served,
            bucket: bucket_of(self.duration),
        }
    }
}

/// Returns the UTC day of a point in time.
pub const fn day_of(at: Timestamp) -> Day {
    at.as_millis().div_euclid(DAY_MS)
}

/// Returns the first moment of a day.
pub const fn start_of(day: Day) -> Timestamp {
    Timestamp::from_millis(day * DAY_MS)
}

/// Returns the date of a day, `YYYY-MM-DD`: also of the last days of 9999, which are beyond a timestamp.
pub fn date_of(day: Day) -> String {
    let hours = jiff::SignedDuration::from_hours(24 * day);
    jiff::civil::date(1970, 1, 1).saturating_add(hours).to_string()
}

/// Parses a day in exactly the form `YYYY-MM-DD`.
pub fn parse_day(text: &str) -> Option<Day> {
    let is_plain = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let date: jiff::civil::Date = text.parse().ok().filter(|_| is_plain)?;
    // Not by its midnight: a timestamp cannot hold the last days of 9999, which stand for "no end".
    Some(date.duration_since(jiff::civil::date(1970, 1, 1)).as_hours() / 24)
}

/// Returns the first day of a day's month.
pub fn month_of(day: Day) -> Day {
    let date = start_of(day).day();
    let of_month: Day = date.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(1);
    day - of_month + 1
}

/// Returns the bucket of a duration. Each bucket begins 2 % above the one before; the first is below a millisecond.
pub fn bucket_of(duration: Duration) -> i64 {
    let ms = duration.as_secs_f64() * 1000.0;
    if ms < 1.0 { 0 } else { 1 + (ms.ln() / 1.02f64.ln()).floor() as i64 }
}

/// Returns the middle of a bucket, in milliseconds.
pub fn bucket_ms(bucket: i64) -> f64 {
    if bucket <= 0 { 0.5 } else { 1.02f64.powf(bucket as f64 - 0.5) }
}

/// Sums up counts of pages by day, sorted: two transactions that add to the same rows must not wait for each other.
pub fn days_among(rows: &[(VisitKey, u64)]) -> Vec<(DayKey, u64)> {
    let mut days: BTreeMap<DayKey, u64> = BTreeMap::new();
    for (key, visits) in rows {
        let day = DayKey {
            domain: key.domain.clone(),
            day: key.day,
            crawler: key.crawler.clone(),
            verified: key.verified,
            served: key.served,
            status: key.status,
        };
        *days.entry(day).or_default() += visits;
    }
    days.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_one_form() {
        assert_eq!(parse_day("1970-01-02"), Some(1));
        assert_eq!(parse_day("2024-02-29"), Some(19_782));
        assert_eq!((parse_day("1969-12-31"), parse_day("9999-12-31")), (Some(-1), Some(2_932_896)));
        for text in
            ["", "2026-1-1", "20261120", "2026-02-30", "2026-11-20T00:00", "+026-11-20", "２026-11-20"]
        {
            assert_eq!(parse_day(text), None, "{text}");
        }
    }

    #[test]
    fn a_path_is_counted_as_it_stands_in_an_address() {
        let cases = [
            ("/plain-1/a.html", "/plain-1/a.html"),
            ("/\u{fc}", "/%C3%BC"),
            ("/%C3%BC", "/%C3%BC"),
            ("/a \"b\" <c>", "/a%20%22b%22%20%3Cc%3E"),
            ("/a/../b/./c", "/b/c"),
            ("/a/%2e%2e/b", "/b"),
            ("//a\\b", "//a/b"),
            ("/a\u{0}b\n", "/a%00b%0A"),
            ("/what?", "/what%3F"),
            (OTHER_PATHS, OTHER_PATHS),
        ];

        for (path, counted) in cases {
            assert_eq!(counted_path(path), counted, "{path}");
        }
        assert_eq!(counted_path(&format!("/{}", "\u{fc}".repeat(500))).len(), MAX_PATH_BYTES);
    }

    proptest::proptest! {
        #[test]
        fn a_path_of_an_address_is_counted_as_it_is(path in "[ -\"$->@-~\u{e4}\u{df}]{0,60}") {
            let address = Url::parse(&format!("https://shop.example/{path}#")).unwrap();
            let path = format!("/{path}");

            proptest::prop_assert_eq!(counted_path(&path), address.path());
            proptest::prop_assert_eq!(counted_path(address.path()), address.path());
        }
    }

    #[test]
    fn a_bucket_is_within_two_percent_of_its_times() {
        for ms in [1, 2, 7, 33, 250, 1_700, 15_000, 600_000] {
            let middle = bucket_ms(bucket_of(Duration::from_millis(ms)));

            assert!((middle / ms as f64 - 1.0).abs() < 0.0201, "{ms}: {middle}");
        }
        assert_eq!(bucket_of(Duration::from_micros(300)), 0);
    }

    #[test]
    fn a_day_begins_at_midnight_before_1970_too() {
        assert_eq!(day_of(Timestamp::from_millis(-1)), -1);
        assert_eq!(day_of(start_of(20_000)), 20_000);
        assert_eq!(day_of(Timestamp::from_millis(start_of(20_001).as_millis() - 1)), 20_000);
    }

    #[test]
    fn a_day_has_its_date_to_the_end_of_9999() {
        assert_eq!([-1, 0, 2_932_896].map(date_of), ["1969-12-31", "1970-01-01", "9999-12-31"]);
    }

    #[test]
    fn a_month_begins_on_its_first_day() {
        assert_eq!([0, 30, 31, 58, 59].map(month_of), [0, 0, 31, 31, 59]);
    }
}
