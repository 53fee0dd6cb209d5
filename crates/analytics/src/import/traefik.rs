//! Traefik's access log in both forms: the common log format with four more fields
//! (`… "USER-AGENT" COUNT "ROUTER" "SERVER" DURATIONms`), and JSON. Pure. Only JSON names the host. Both have user agents only when
//! `accesslog.fields.headers` keeps them.
//! Field names: <https://doc.traefik.io/traefik/observability/access-logs/>

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;

use super::combined::{parse_before, quoted};
use super::{LogLine, address_of, time};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry<'a> {
    #[serde(rename = "StartUTC")]
    start: Option<serde_json::Value>,
    #[serde(rename = "time")]
    logged: Option<serde_json::Value>,
    client_host: Option<Cow<'a, str>>,
    client_addr: Option<Cow<'a, str>>,
    /// Host without the port.
    request_host: Option<Cow<'a, str>>,
    request_addr: Option<Cow<'a, str>>,
    request_method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    request_path: Cow<'a, str>,
    downstream_status: Option<u16>,
    /// Status of the origin. Version 1 writes no other one.
    origin_status: Option<u16>,
    /// Duration in nanoseconds.
    duration: Option<u64>,
    #[serde(rename = "request_User-Agent", default)]
    user_agent: Cow<'a, str>,
    #[serde(rename = "downstream_Content-Type")]
    content_type: Option<Cow<'a, str>>,
}

/// Parses a line. None when the line is not of this format.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    match line.starts_with('{') {
        true => parse_json(line),
        false => parse_common(line),
    }
}

fn parse_json(line: &str) -> Option<LogLine<'_>> {
    let entry: Entry<'_> = serde_json::from_str(line).ok()?;
    let address = entry.client_host.as_deref().and_then(address_of);
    Some(LogLine {
        host: entry.request_host.or(entry.request_addr),
        path: entry.request_path,
        user_agent: entry.user_agent,
        method: entry.request_method,
        status: entry.downstream_status.or(entry.origin_status),
        content_type: entry.content_type.filter(|kind| !kind.is_empty()),
        address: address.or_else(|| address_of(entry.client_addr.as_deref()?)),
        duration: Duration::from_nanos(entry.duration.unwrap_or(0)),
        ..LogLine::at(time(&entry.start.or(entry.logged)?)?)
    })
}

fn parse_common(line: &str) -> Option<LogLine<'_>> {
    let (line, rest) = parse_before(line)?;
    let (count, rest) = rest.trim_start().split_once(' ')?;
    count.parse::<u64>().ok().filter(|_| rest.starts_with('"'))?;
    let (_router, rest) = quoted(rest)?;
    let (_server, rest) = quoted(rest.trim_start())?;
    let millis = rest.trim().strip_suffix("ms")?.parse().ok()?;
    Some(LogLine { duration: Duration::from_millis(millis), ..line })
}
