//! Cloudflare Logpush, data set `http_requests`. Pure.
//! Field names: <https://developers.cloudflare.com/logs/reference/log-fields/zone/http_requests/>

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;

use super::{LogLine, ServedBy, time};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Request<'a> {
    edge_start_timestamp: serde_json::Value,
    #[serde(borrow)]
    client_request_host: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "ClientRequestURI")]
    client_request_uri: Option<Cow<'a, str>>,
    #[serde(borrow)]
    client_request_path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    client_request_user_agent: Cow<'a, str>,
    #[serde(borrow)]
    client_request_method: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "ClientIP")]
    client_ip: Option<Cow<'a, str>>,
    edge_response_status: Option<u16>,
    #[serde(borrow)]
    edge_response_content_type: Option<Cow<'a, str>>,
    #[serde(rename = "EdgeTimeToFirstByteMs")]
    edge_time_to_first_byte_ms: Option<u64>,
}

/// Reads a line.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    let request: Request<'_> = serde_json::from_str(line).ok()?;
    Some(LogLine {
        at: time(&request.edge_start_timestamp)?,
        host: request.client_request_host,
        path: request.client_request_path.or(request.client_request_uri)?,
        user_agent: request.client_request_user_agent,
        method: request.client_request_method,
        status: request.edge_response_status,
        content_type: request.edge_response_content_type.filter(|kind| !kind.is_empty()),
        address: request.client_ip.and_then(|address| address.parse().ok()),
        served: ServedBy::Origin,
        duration: Duration::from_millis(request.edge_time_to_first_byte_ms.unwrap_or(0)),
    })
}
