//! Cloudflare Logpush, data set `http_requests`. Pure.
//! Field names: <https://developers.cloudflare.com/logs/reference/log-fields/zone/http_requests/>

use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use serde::Deserialize;

use super::{LogLine, address_of, time};

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
    worker_subrequest: Option<bool>,
    #[serde(borrow, rename = "ParentRayID")]
    parent_ray_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    client_request_source: Option<Cow<'a, str>>,
}

/// Address from which Workers send requests to other zones.
const WORKERS: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2a06, 0x98c0, 0x3600, 0, 0, 0, 0, 0x103));

impl Request<'_> {
    /// Returns true for a request that a Worker made for its visitor's request, which has a line of its own.
    fn is_of_worker(&self, address: Option<IpAddr>) -> bool {
        // "00": there is no parent.
        let is_ray = |id: &Cow<'_, str>| id.bytes().any(|byte| byte != b'0');
        self.worker_subrequest == Some(true)
            || self.parent_ray_id.as_ref().is_some_and(is_ray)
            || self.client_request_source.as_ref().is_some_and(|source| source.starts_with("edgeWorker"))
            || address == Some(WORKERS)
    }
}

/// Parses a line. None when the line is not of this format.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    let request: Request<'_> = serde_json::from_str(line).ok()?;
    let address = request.client_ip.as_deref().and_then(address_of);
    let is_of_visitor = !request.is_of_worker(address);
    Some(LogLine {
        is_of_visitor,
        host: request.client_request_host,
        path: request.client_request_path.or(request.client_request_uri)?,
        user_agent: request.client_request_user_agent,
        method: request.client_request_method,
        status: request.edge_response_status,
        content_type: request.edge_response_content_type.filter(|kind| !kind.is_empty()),
        address,
        duration: Duration::from_millis(request.edge_time_to_first_byte_ms.unwrap_or(0)),
        ..LogLine::at(time(&request.edge_start_timestamp)?)
    })
}
