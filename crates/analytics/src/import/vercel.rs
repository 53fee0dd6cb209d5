//! Vercel's log drains: one JSON object a line, or a JSON array. A request may have many: those of its functions, and what they
//! print. Lines without `proxy`, such as those of builds, belong to no request. Pure.
//! Field names: <https://vercel.com/docs/drains/reference/logs>

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::{LogLine, address_of, time};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    timestamp: Option<Value>,
    source: Option<Cow<'a, str>>,
    request_id: Option<String>,
    status_code: Option<i32>,
    #[serde(borrow)]
    proxy: Option<Proxy<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Proxy<'a> {
    timestamp: Option<Value>,
    method: Option<Cow<'a, str>>,
    host: Option<Cow<'a, str>>,
    #[serde(borrow)]
    path: Cow<'a, str>,
    user_agent: Option<UserAgents>,
    status_code: Option<i32>,
    client_ip: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum UserAgents {
    One(String),
    All(Vec<String>),
}

/// Parses a line. None when the line is not of this format.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    let entry: Entry<'_> = serde_json::from_str(line).ok()?;
    let Some(proxy) = entry.proxy else {
        entry.source?;
        return Some(LogLine { is_of_visitor: false, ..LogLine::at(time(&entry.timestamp?)?) });
    };
    // -1: there was no answer, or the page was only generated again in the background.
    let status = proxy.status_code.or(entry.status_code).map(|status| u16::try_from(status).unwrap_or(0));
    Some(LogLine {
        request_id: entry.request_id.filter(|id| !id.is_empty()),
        host: proxy.host,
        path: proxy.path,
        user_agent: match proxy.user_agent {
            None => Cow::Borrowed(""),
            Some(UserAgents::One(text)) => Cow::Owned(text),
            Some(UserAgents::All(texts)) => Cow::Owned(texts.join(" ")),
        },
        method: proxy.method,
        status,
        address: proxy.client_ip.as_deref().and_then(address_of),
        ..LogLine::at(time(&proxy.timestamp.or(entry.timestamp)?)?)
    })
}
