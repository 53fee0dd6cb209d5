//! Caddy's access log in its JSON encoding (`handled request`). Pure.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

use super::{LogLine, Timestamp, address_of, time, time_of_request};

#[derive(Deserialize)]
struct Entry<'a> {
    ts: Value,
    #[serde(borrow)]
    request: Request<'a>,
    status: Option<u16>,
    /// Duration in seconds, or a text such as `12.5ms`.
    duration: Option<Value>,
    #[serde(borrow, default)]
    resp_headers: Headers<'a>,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    host: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uri: Cow<'a, str>,
    /// Address of the client behind trusted proxies; older versions write `remote_ip` only.
    #[serde(borrow)]
    client_ip: Option<Cow<'a, str>>,
    #[serde(borrow)]
    remote_ip: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    headers: Headers<'a>,
}

type Headers<'a> = HashMap<Cow<'a, str>, Vec<String>>;

/// Parses a line. None when the line is not of this format.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    let entry: Entry<'_> = serde_json::from_str(line).ok()?;
    let Request { method, host, uri, client_ip, remote_ip, headers } = entry.request;
    Some(LogLine {
        host,
        path: uri,
        user_agent: Cow::Owned(first(headers, "User-Agent").unwrap_or_default()),
        method,
        status: entry.status,
        content_type: first(entry.resp_headers, "Content-Type").map(Cow::Owned),
        address: client_ip.or(remote_ip).as_deref().and_then(address_of),
        duration: entry.duration.as_ref().and_then(duration).unwrap_or_default(),
        ..LogLine::at(time(&entry.ts).or_else(|| wall_time(entry.ts.as_str()?))?)
    })
}

/// Parses the time formats `wall` and `common_log`. The first has no zone; Caddy writes it in UTC by default.
fn wall_time(text: &str) -> Option<Timestamp> {
    let wall = DateTime::strptime("%Y/%m/%d %H:%M:%S%.f", text).ok();
    let time = match wall.and_then(|wall| wall.to_zoned(TimeZone::UTC).ok()) {
        Some(time) => time.timestamp(),
        None => strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).ok()?.to_timestamp().ok()?,
    };
    time_of_request(time.as_millisecond())
}

/// Parses a duration. None for a day and more, since the number has another unit.
fn duration(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::String(text) => text.parse::<jiff::SignedDuration>().ok()?.as_secs_f64(),
        number => number.as_f64()?,
    };
    (0.0..86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

fn first(headers: Headers<'_>, name: &str) -> Option<String> {
    let (_, values) = headers.into_iter().find(|(header, _)| header.eq_ignore_ascii_case(name))?;
    values.into_iter().next()
}
