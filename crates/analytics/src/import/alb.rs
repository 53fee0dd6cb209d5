//! Access log of AWS Application Load Balancers: fields separated by spaces, some of them quoted. Pure.
//! Field names: <https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html>

use std::borrow::Cow;
use std::time::Duration;

use url::Url;

use super::combined::{quoted, request_line};
use super::{LogLine, address_of, iso_time, status};

/// Types of requests: the first field of each line.
const TYPES: [&str; 6] = ["http", "https", "h2", "grpcs", "ws", "wss"];

/// Parses a line. None when the line is not of this format.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    let mut fields = line.splitn(13, ' ');
    fields.next().filter(|kind| TYPES.contains(kind))?;
    let [time, _balancer, client, _target] = [fields.next()?, fields.next()?, fields.next()?, fields.next()?];
    let durations = [fields.next()?, fields.next()?, fields.next()?];
    let status = status(fields.next()?)?;
    let [_target_status, _received, _sent] = [fields.next()?, fields.next()?, fields.next()?];
    let (request, rest) = quoted(fields.next()?)?;
    let (user_agent, _) = quoted(rest.trim_start())?;
    let (method, target) = request_line(&request)?;
    // A request that could not be read has `-` for its parts.
    let url = Url::parse(&target).ok();
    let path = url.as_ref().map_or_else(|| target.clone(), |url| url.path().to_owned());
    // Each is -1 when the balancer or the target closed the connection.
    let seconds: Option<f64> =
        durations.iter().map(|text| text.parse::<f64>().ok().filter(|it| *it >= 0.0)).sum();
    Some(LogLine {
        host: url.as_ref().and_then(Url::host_str).map(|host| Cow::Owned(host.to_owned())),
        path: Cow::Owned(path),
        user_agent,
        method: Some(Cow::Owned(method)),
        status: Some(status),
        // Always with a port, which an IPv6 address without brackets does not show by itself.
        address: client.rsplit_once(':').and_then(|(address, _)| address_of(address)),
        duration: seconds.filter(|it| *it < 86_400.0).map(Duration::from_secs_f64).unwrap_or_default(),
        ..LogLine::at(iso_time(time)?)
    })
}
