//! `If-None-Match`: the comparison of a client's entity tags with that of a response. Pure.
//! Used by the edge and by the dashboard's files.

use http::{HeaderMap, header};

/// Returns true when `If-None-Match` names `etag` or everything, by weak comparison. A malformed list names nothing.
pub fn matches_etag(headers: &HeaderMap, etag: &str) -> bool {
    let opaque = etag.strip_prefix("W/").unwrap_or(etag);
    let lines = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    lines.map(str::trim).any(|line| {
        line == "*"
            || line.split(',').map(str::trim).any(|tag| tag.strip_prefix("W/").unwrap_or(tag) == opaque)
    })
}
