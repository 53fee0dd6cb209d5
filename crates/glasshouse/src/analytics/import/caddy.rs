//! Caddy's access log in its JSON encoding (`handled request`). Pure.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use serde::Deserialize;

use super::{LogLine, ServedBy, time};

#[derive(Deserialize)]
struct Entry<'a> {
    ts: serde_json::Value,
    #[serde(borrow)]
    request: Request<'a>,
    status: Option<u16>,
    /// Seconds.
    duration: Option<f64>,
    #[serde(borrow, default)]
    resp_headers: Headers<'a>,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uri: Cow<'a, str>,
    /// The client behind trusted proxies; older versions write `remote_ip` only.
    #[serde(borrow)]
    client_ip: Option<Cow<'a, str>>,
    #[serde(borrow)]
    remote_ip: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    headers: Headers<'a>,
}

type Headers<'a> = HashMap<Cow<'a, str>, Vec<String>>;

/// Reads a line.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    let entry: Entry<'_> = serde_json::from_str(line).ok()?;
    let Request { method, uri, client_ip, remote_ip, headers } = entry.request;
    let duration = entry.duration.filter(|seconds| (0.0..86_400.0).contains(seconds)).unwrap_or(0.0);
    Some(LogLine {
        at: time(&entry.ts)?,
        path: uri,
        user_agent: Cow::Owned(first(headers, "User-Agent").unwrap_or_default()),
        method,
        status: entry.status,
        content_type: first(entry.resp_headers, "Content-Type").map(Cow::Owned),
        address: client_ip.or(remote_ip).and_then(|address| address.parse().ok()),
        served: ServedBy::Origin,
        duration: Duration::from_secs_f64(duration),
    })
}

fn first(headers: Headers<'_>, name: &str) -> Option<String> {
    let (_, values) = headers.into_iter().find(|(header, _)| header.eq_ignore_ascii_case(name))?;
    values.into_iter().next()
}
