//! Visits from the access logs of other web servers: `glasshouse analytics import` and `POST /api/analytics/logs`. Each format has a
//! file. Must never count a line twice, however often a file is read, nor keep more of it in memory than one part.

mod alb;
mod caddy;
mod cloudflare;
mod combined;
mod fastly;
mod ndjson;
mod progress;
pub mod push;
mod reader;
mod records;
mod requests;
mod run;
mod traefik;
mod vercel;
mod w3c;

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use clap::ValueEnum;

use super::crawlers::CrawlerIndex;
use super::model::{Day, ServedBy, Verified, Visit, counted_path, day_of};
use super::verify::ranges::RangeTable;
use domains::DomainId;
use domains::names::is_same_domain;
use platform::clock::Timestamp;
use platform::networks::is_masked;
use w3c::Columns;

pub use progress::{Checkpoint, LineChain, PUSHED};
pub use push::{LogPushes, PushError, PushedLines, PushedLog};
pub use run::{Import, ImportError, Imported, ImportedVisits, LogPart};

/// Format of an access log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// The format that most of the first 100 lines are of
    Auto,
    /// The combined format of Apache and nginx
    Combined,
    /// The combined format after a host, as Apache's vhost_combined
    VhostCombined,
    /// Traefik's access log, in the common log format or as JSON
    Traefik,
    /// Caddy's access log, one JSON object a line
    Caddy,
    /// Cloudflare Logpush, HTTP requests, one JSON object a line
    Cloudflare,
    /// Standard logs of CloudFront, with their #Fields
    Cloudfront,
    /// Access log of AWS Application Load Balancers
    Alb,
    /// W3C extended log of IIS, with its #Fields
    Iis,
    /// Fastly's log streaming, one JSON object a line
    Fastly,
    /// Vercel's log drains, JSON objects as lines or as an array
    Vercel,
    /// Our own: {"ts", "path", "userAgent", "servedBy", "status", "durationMs", "ip"} a line
    Ndjson,
}

/// Request in a log. Fields that the format does not have are none.
#[derive(Debug, PartialEq)]
struct LogLine<'a> {
    at: Timestamp,
    /// False for a line of no request, and for a request that was made in order to answer another one, which has its own line.
    is_of_visitor: bool,
    /// Id of the request, where a request may have several lines.
    request_id: Option<String>,
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

impl LogLine<'_> {
    /// Makes a visitor's request that the origin answered at a point in time, and of which nothing else is known.
    fn at(at: Timestamp) -> LogLine<'static> {
        LogLine {
            at,
            is_of_visitor: true,
            request_id: None,
            host: None,
            path: Cow::Borrowed(""),
            user_agent: Cow::Borrowed(""),
            method: None,
            status: None,
            content_type: None,
            address: None,
            served: ServedBy::Origin,
            duration: Duration::ZERO,
        }
    }

    /// Returns the host that the line names.
    fn named_host(&self) -> Option<&str> {
        self.host.as_deref().filter(|host| !matches!(*host, "" | "-"))
    }
}

impl LogFormat {
    /// Formats of lines. Lines of Traefik are also of the combined format, so Traefik comes first.
    const KNOWN: [LogFormat; 11] = [
        LogFormat::Traefik,
        LogFormat::Combined,
        LogFormat::VhostCombined,
        LogFormat::Caddy,
        LogFormat::Cloudflare,
        LogFormat::Cloudfront,
        LogFormat::Alb,
        LogFormat::Iis,
        LogFormat::Fastly,
        LogFormat::Vercel,
        LogFormat::Ndjson,
    ];

    /// Returns the name of the format in commands and requests.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Returns the format of this name. Fails with the names that there are.
    pub fn named(name: &str) -> Result<LogFormat, String> {
        LogFormat::from_str(name, false).map_err(|_| {
            let names: Vec<String> = LogFormat::value_variants().iter().map(|format| format.name()).collect();
            format!("must be one of {}", names.join(", "))
        })
    }

    /// Parses a line, with the columns that the log has named before. None when the line is not of this format.
    fn parse<'a>(self, line: &'a str, columns: &Columns) -> Option<LogLine<'a>> {
        let parsed = match self {
            LogFormat::Auto => None,
            LogFormat::Combined => combined::parse(line),
            LogFormat::VhostCombined => combined::parse_with_host(line),
            LogFormat::Traefik => traefik::parse(line),
            LogFormat::Caddy => caddy::parse(line),
            LogFormat::Cloudflare => cloudflare::parse(line),
            LogFormat::Cloudfront => columns.cloudfront(line),
            LogFormat::Alb => alb::parse(line),
            LogFormat::Iis => columns.iis(line),
            LogFormat::Fastly => fastly::parse(line),
            LogFormat::Vercel => vercel::parse(line),
            LogFormat::Ndjson => ndjson::parse(line),
        };
        parsed.filter(|line| line.status.is_none_or(|status| matches!(status, 0 | 100..=599)))
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
        let Some(host) = line.named_host() else { return true };
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

/// Parses the status of a text. `-` is zero: there was no answer.
fn status(text: &str) -> Option<u16> {
    if text == "-" { Some(0) } else { text.parse().ok() }
}

/// Parses an address, with or without a port. None for a name and for a list of addresses.
fn address_of(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    text.parse().ok().or_else(with_port).or_else(in_brackets)
}

/// Parses a point in time as ISO 8601.
fn iso_time(text: &str) -> Option<Timestamp> {
    time_of_request(text.parse::<jiff::Timestamp>().ok()?.as_millisecond())
}

/// Parses a point in time of a log: ISO 8601, or seconds, milliseconds, microseconds or nanoseconds since 1970.
fn time(value: &serde_json::Value) -> Option<Timestamp> {
    let millis = match value {
        serde_json::Value::String(text) => match text.parse::<f64>() {
            Ok(number) => millis_since_1970(number),
            Err(_) => return iso_time(text),
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
