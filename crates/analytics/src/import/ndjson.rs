//! Log lines of the service's own format:
//! `{"ts": ISO 8601, "path": "/x", "userAgent": "…", "servedBy": "cache"|"render"|"origin", "status": 200, "durationMs": 12, "ip": "…"}`. Pure.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;

use super::{LogLine, ServedBy, address_of, time};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    ts: serde_json::Value,
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow)]
    user_agent: Cow<'a, str>,
    #[serde(borrow)]
    served_by: Option<Cow<'a, str>>,
    status: Option<u16>,
    duration_ms: Option<f64>,
    #[serde(borrow)]
    ip: Option<Cow<'a, str>>,
}

/// Parses a line. None when the line is not of this format.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    let line: Line<'_> = serde_json::from_str(line).ok()?;
    let duration_ms = line.duration_ms.filter(|ms| (0.0..86_400_000.0).contains(ms)).unwrap_or(0.0);
    Some(LogLine {
        path: line.path,
        user_agent: line.user_agent,
        status: line.status,
        address: line.ip.as_deref().and_then(address_of),
        served: match line.served_by.as_deref() {
            None => ServedBy::Origin,
            Some(word) => ServedBy::parse(word)?,
        },
        duration: Duration::from_secs_f64(duration_ms / 1000.0),
        ..LogLine::at(time(&line.ts)?)
    })
}
