//! Visits from the access logs of other web servers: `glasshouse analytics import`. Each format has a file.
//! Must never count a line twice, however often a file is read, nor keep more of it in memory than one part.

mod caddy;
mod cloudflare;
mod combined;
mod ndjson;
mod progress;
mod run;

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::Duration;

use super::crawlers::CrawlerIndex;
use super::model::{Day, ServedBy, Verified, Visit, counted_path, day_of};
use super::verify::ranges::RangeTable;
use domains::DomainId;
use domains::names::is_same_domain;
use platform::clock::Timestamp;
use platform::networks::is_masked;

pub use progress::{Checkpoint, LineChain};
pub use run::{Import, ImportError, Imported, ImportedVisits, LogPart};

/// Format of an access log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// The combined format of Apache and nginx
    Combined,
    /// Cloudflare Logpush, HTTP requests, one JSON object a line
    Cloudflare,
    /// Caddy's access log, one JSON object a line
    Caddy,
    /// Our own: {"ts", "path", "userAgent", "servedBy", "status", "durationMs", "ip"} a line
    Ndjson,
}

/// Request in a log. Fields that the format does not have are none.
#[derive(Debug, PartialEq)]
struct LogLine<'a> {
    at: Timestamp,
    /// False for a request that was made in order to answer another one, which has its own line.
    is_of_visitor: bool,
    /// Name of the site, with or without a port.
    host: Option<Cow<'a, str>>,
    /// Path, with or without a query.
    path: Cow<'a, str>,
    user_agent: Cow<'a, str>,
    method: Option<Cow<'a, str>>,
    /// Status, 100 to 599; zero: there was no answer.
    status: Option<u16>,
    content_type: Option<Cow<'a, str>>,
    address: Option<IpAddr>,
    served: ServedBy,
    duration: Duration,
}

impl LogFormat {
    /// Parses a line. None when the line is not of this format.
    fn parse(self, line: &str) -> Option<LogLine<'_>> {
        let parsed = match self {
            LogFormat::Combined => combined::parse(line),
            LogFormat::Cloudflare => cloudflare::parse(line),
            LogFormat::Caddy => caddy::parse(line),
            LogFormat::Ndjson => ndjson::parse(line),
        };
        parsed.filter(|line| line.status.is_none_or(|status| matches!(status, 0 | 100..=599)))
    }

    /// Returns the format of a line, for people; none: the format is unknown.
    fn form_of(line: &str) -> Option<&'static str> {
        let known = [
            (LogFormat::Combined, "`combined`"),
            (LogFormat::Cloudflare, "`cloudflare`"),
            (LogFormat::Caddy, "`caddy`"),
            (LogFormat::Ndjson, "`ndjson`"),
        ];
        let form = known.into_iter().find(|(format, _)| format.parse(line).is_some()).map(|(_, name)| name);
        let has_host =
            || combined::is_with_host(line).then_some("vhost_combined, with a host before the address");
        let is_json = || line.starts_with(['{', '[']).then_some("JSON with other fields");
        form.or_else(has_host).or_else(is_json).or_else(|| line.starts_with('#').then_some("W3C extended"))
    }
}

/// Greatest age of a line at which an address outside of the published ranges proves an impostor.
const RANGES_SPEAK_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// Context in which the lines of a log are counted.
struct Counting<'a> {
    domain: &'a DomainId,
    /// First day of which visits are kept.
    first_day: Day,
    /// Name of the domain.
    host: &'a str,
    ranges: &'a RangeTable,
    now: Timestamp,
}

impl Counting<'_> {
    /// Decides whether a line is of the domain or its `www.`/apex twin. A line without a host is.
    fn is_own(&self, line: &LogLine<'_>) -> bool {
        let Some(host) = line.host.as_deref().filter(|host| !host.is_empty()) else { return true };
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        let is_own = |name: &str| is_same_domain(self.host, name);
        is_own(name) || crawler::url::host_name(name).is_some_and(|name| is_own(&name))
    }

    /// Returns true for a visit of a day that reports show: the day is kept, and not after today.
    fn is_shown(&self, visit: &Visit) -> bool {
        (self.first_day..=day_of(self.now)).contains(&day_of(visit.at))
    }

    /// Returns the visit of a line. None for people, redirects, assets, methods other than GET and HEAD, and unanswered requests.
    fn visit(&self, line: &LogLine<'_>) -> Option<Visit> {
        let path = line.path.split(['?', '#']).next().unwrap_or_default();
        let is_read = line.method.as_deref().is_none_or(|method| matches!(method, "GET" | "HEAD"));
        let is_answered = line.status.is_none_or(|status| matches!(status, 200..=299 | 400..=599));
        let is_page = match &line.content_type {
            Some(kind) => is_html(kind),
            None => !crawler::url::is_static_asset(path),
        };
        if !line.is_of_visitor || !is_read || !is_answered || !is_page || !path.starts_with('/') {
            return None;
        }
        let crawler = CrawlerIndex::shared().identify(&line.user_agent)?;
        let address = line.address.filter(|address| !is_masked(*address));
        let verified = match address.map(|address| self.ranges.verify(crawler, address, self.now)) {
            Some(Some(Verified::No)) if self.now.since(line.at) > RANGES_SPEAK_FOR => Verified::Unknown,
            Some(Some(verified)) => verified,
            // The address is masked, or only reverse DNS could tell: an import of millions of lines sends no DNS queries.
            Some(None) | None => Verified::Unknown,
        };
        Some(Visit {
            domain: self.domain.clone(),
            path: counted_path(path).into(),
            crawler,
            verified,
            served: line.served,
            status: line.status.unwrap_or(200),
            at: line.at,
            duration: line.duration,
        })
    }
}

/// Decodes bytes of a log. Bytes that are not UTF-8 are percent-encoded, as in the address that they come from.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| percent_encoding::percent_encode_byte(*byte)));
    }
    Cow::Owned(text)
}

fn is_html(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    kind.is_empty()
        || kind.eq_ignore_ascii_case("text/html")
        || kind.eq_ignore_ascii_case("application/xhtml+xml")
}

/// Parses a point in time of a log: ISO 8601, or seconds, milliseconds, microseconds or nanoseconds since 1970.
fn time(value: &serde_json::Value) -> Option<Timestamp> {
    let millis = match value {
        serde_json::Value::String(text) => match text.parse::<f64>() {
            Ok(number) => millis_since_1970(number),
            Err(_) => text.parse::<jiff::Timestamp>().ok()?.as_millisecond(),
        },
        serde_json::Value::Number(number) => millis_since_1970(number.as_f64()?),
        _ => return None,
    };
    time_of_request(millis)
}

/// Makes the time of a request. None outside of the years 1970 to 9999.
fn time_of_request(millis: i64) -> Option<Timestamp> {
    (0..253_402_300_800_000).contains(&millis).then(|| Timestamp::from_millis(millis))
}

/// Converts a number since 1970 to milliseconds. The unit follows from the size: seconds until the year 5138, and each finer
/// unit a thousand times that.
fn millis_since_1970(number: f64) -> i64 {
    let millis = match number.abs() {
        seconds if seconds < 1e11 => number * 1e3,
        millis if millis < 1e14 => number,
        micros if micros < 1e17 => number / 1e3,
        _ => number / 1e6,
    };
    millis.floor() as i64
}

#[cfg(test)]
mod tests;
