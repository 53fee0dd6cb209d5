//! Fastly's log streaming, with a format of JSON: `timestamp`, `client_ip`, `host`, `url`, `status` and `request_user_agent`, and
//! the names that Fastly's own examples give to some of them. Pure.
//! Examples: <https://www.fastly.com/documentation/guides/integrations/logging-endpoints/log-streaming-https/>

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{LogLine, address_of, status, time};

#[derive(Deserialize)]
struct Entry<'a> {
    timestamp: Value,
    client_ip: Option<Cow<'a, str>>,
    host: Option<Cow<'a, str>>,
    /// Path with its query, or the whole address.
    #[serde(borrow)]
    url: Cow<'a, str>,
    /// Number, or the same as a text.
    status: Option<Value>,
    response_status: Option<Value>,
    request_method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    request_user_agent: Cow<'a, str>,
    response_content_type: Option<Cow<'a, str>>,
}

/// Parses a line. None when the line is not of this format.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    // Endpoints of the message type "classic" write a syslog header before the message.
    let line = if line.starts_with('<') { &line[line.find('{')?..] } else { line };
    let entry: Entry<'_> = serde_json::from_str(line).ok()?;
    let whole = Url::parse(&entry.url).ok().filter(Url::has_host);
    let status = match entry.status.or(entry.response_status) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(status(&text)?),
        Some(number) => Some(u16::try_from(number.as_u64()?).ok()?),
    };
    let host_of_url = || whole.as_ref()?.host_str().map(|host| Cow::Owned(host.to_owned()));
    Some(LogLine {
        host: entry.host.filter(|host| !host.is_empty()).or_else(host_of_url),
        path: whole.as_ref().map_or(entry.url, |url| Cow::Owned(url.path().to_owned())),
        user_agent: entry.request_user_agent,
        method: entry.request_method.filter(|method| !method.is_empty()),
        status,
        content_type: entry.response_content_type.filter(|kind| !matches!(&**kind, "" | "(null)")),
        address: entry.client_ip.as_deref().and_then(address_of),
        ..LogLine::at(time(&entry.timestamp)?)
    })
}
