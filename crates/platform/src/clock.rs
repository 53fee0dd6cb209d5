//! The time of day. Everything that stores or compares a point in time takes it from a [`Clock`], so that tests can set it.
//! Must never be used for measuring how long something took: that is `std::time::Instant`.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time: milliseconds since 1970-01-01 UTC. Written to JSON as ISO 8601, stored as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Makes a timestamp from epoch milliseconds, as the database stores them.
    pub const fn from_millis(millis: i64) -> Timestamp {
        Timestamp(millis)
    }

    /// Returns epoch milliseconds.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the time since `earlier`; zero when `earlier` is later, which a stepped clock can cause.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Returns a later time.
    pub fn plus(self, by: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(millis(by)))
    }

    /// Returns an earlier time.
    pub fn minus(self, by: Duration) -> Timestamp {
        Timestamp(self.0.saturating_sub(millis(by)))
    }

    /// Returns the UTC month, `YYYY-MM`, in which plan usage is counted.
    pub fn month(self) -> String {
        self.date().strftime("%Y-%m").to_string()
    }

    /// Returns the UTC day, `YYYY-MM-DD`.
    pub fn day(self) -> String {
        self.date().strftime("%Y-%m-%d").to_string()
    }

    /// Returns the number of days since 1970-01-01 UTC.
    pub const fn day_number(self) -> i64 {
        self.0.div_euclid(24 * 3600 * 1000)
    }

    /// Returns the first moment of the next UTC month, when usage starts again at zero.
    pub fn start_of_next_month(self) -> Timestamp {
        let first = self.date().first_of_month();
        let next = first.saturating_add(jiff::Span::new().months(1));
        let zoned = next.to_zoned(jiff::tz::TimeZone::UTC).expect("midnight exists in UTC on every day");
        Timestamp(zoned.timestamp().as_millisecond())
    }

    /// Returns the time as headers have it: `Sun, 06 Nov 1994 08:49:37 GMT`.
    pub fn http_date(self) -> String {
        let seconds = u64::try_from(self.0 / 1000).unwrap_or(0);
        httpdate::fmt_http_date(std::time::UNIX_EPOCH + Duration::from_secs(seconds))
    }

    /// Returns the time as clocks of a time zone show it.
    pub fn in_zone(self, zone: &jiff::tz::TimeZone) -> jiff::Zoned {
        self.to_jiff().to_zoned(zone.clone())
    }

    /// Returns the UTC date.
    pub fn date(self) -> jiff::civil::Date {
        self.in_zone(&jiff::tz::TimeZone::UTC).date()
    }

    /// Converts to the type of jiff.
    pub fn to_jiff(self) -> jiff::Timestamp {
        // Outside the years -9999 to 9999 there is no ISO 8601 date: the nearest one is shown. By whole seconds, for jiff
        // takes no milliseconds that its bounds have beyond them.
        let [first, last] =
            [jiff::Timestamp::MIN, jiff::Timestamp::MAX].map(|bound| bound.as_second() * 1000);
        let bounded = self.0.clamp(first, last);
        jiff::Timestamp::from_millisecond(bounded).expect("clamped to the range that jiff represents")
    }
}

/// `2026-11-20T09:30:00.000Z`, always with milliseconds so that texts sort like times.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.to_jiff())
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let time: jiff::Timestamp = text.parse().map_err(serde::de::Error::custom)?;
        Ok(Timestamp(time.as_millisecond()))
    }
}

impl utoipa::PartialSchema for Timestamp {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(utoipa::openapi::KnownFormat::DateTime)))
            .examples(["2026-11-20T09:30:00.000Z"])
            .into()
    }
}

impl utoipa::ToSchema for Timestamp {}

/// Source of the time. Cheap to clone; clones of a test clock move together.
#[derive(Clone, Debug)]
pub struct Clock(TimeSource);

#[derive(Clone, Debug)]
enum TimeSource {
    System,
    Set(Arc<AtomicI64>),
}

impl Clock {
    /// Creates the machine's clock.
    pub fn system() -> Clock {
        Clock(TimeSource::System)
    }

    /// Creates a clock that stands still at `start` until it is told to move. For tests.
    pub fn fixed(start: Timestamp) -> Clock {
        Clock(TimeSource::Set(Arc::new(AtomicI64::new(start.0))))
    }

    /// Returns the present time.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            TimeSource::Set(millis) => Timestamp(millis.load(Ordering::Relaxed)),
            TimeSource::System => {
                let since_epoch =
                    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
                Timestamp(millis(since_epoch))
            }
        }
    }

    /// Sets a fixed clock. Does nothing to the machine's clock.
    pub fn set(&self, to: Timestamp) {
        if let TimeSource::Set(millis) = &self.0 {
            millis.store(to.0, Ordering::Relaxed);
        }
    }

    /// Moves a fixed clock forward. Does nothing to the machine's clock.
    pub fn advance(&self, by: Duration) {
        self.set(self.now().plus(by));
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_written_as_iso_8601_with_milliseconds() {
        let time = Timestamp::from_millis(1_795_253_400_007);

        let text = serde_json::to_string(&time).unwrap();

        assert_eq!(text, "\"2026-11-21T09:30:00.007Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>(&text).unwrap(), time);
    }

    #[test]
    fn whole_seconds_keep_their_milliseconds() {
        let time = Timestamp::from_millis(1_795_253_400_000);

        assert_eq!(time.to_string(), "2026-11-21T09:30:00.000Z");
    }

    #[test]
    fn usage_of_december_starts_again_in_january() {
        let new_years_eve: Timestamp = serde_json::from_str("\"2026-12-31T23:59:59.999Z\"").unwrap();

        assert_eq!(new_years_eve.month(), "2026-12");
        assert_eq!(new_years_eve.start_of_next_month().to_string(), "2027-01-01T00:00:00.000Z");
    }

    #[test]
    fn times_that_have_no_date_are_shown_as_the_nearest_that_has_one() {
        let shown = [i64::MIN, i64::MAX].map(|millis| Timestamp::from_millis(millis).day());

        assert_eq!(shown, ["-9999-01-02", "9999-12-30"]);
    }

    #[test]
    fn a_fixed_clock_moves_only_when_told() {
        let clock = Clock::fixed(Timestamp::from_millis(5_000));
        let clone = clock.clone();

        clock.advance(Duration::from_secs(2));

        assert_eq!(clone.now(), Timestamp::from_millis(7_000));
        assert_eq!(clone.now().since(Timestamp::from_millis(9_000)), Duration::ZERO);
    }
}
