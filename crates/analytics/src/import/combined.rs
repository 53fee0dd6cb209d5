//! The combined log format: `ADDRESS - USER [TIME] "METHOD PATH HTTP/1.1" STATUS BYTES "REFERER" "USER-AGENT"`. Pure.
//! Quotes inside a field are written `\"` (Apache) or `\x22` (nginx). Text after the user agent is ignored.

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::Duration;

use super::{LogLine, ServedBy, Timestamp, text_of};

/// Parses a line. None when the line is not of this format.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    let (client, rest) = line.split_once('[')?;
    let (address, _) = client.split_once(' ').filter(|_| !begins_with_host(client))?;
    let (time, rest) = rest.split_once("] ")?;
    let (request, rest) = quoted(rest)?;
    let mut numbers = rest.trim_start().splitn(3, ' ');
    let status = numbers.next()?.parse().ok()?;
    let (_bytes, rest) = (numbers.next()?, numbers.next()?);
    let (_referer, rest) = quoted(rest)?;
    let (user_agent, _) = quoted(rest.trim_start())?;
    let (method, path) = request_line(&request)?;
    Some(LogLine {
        is_of_visitor: true,
        at: Timestamp::from_millis(
            jiff::fmt::strtime::parse("%d/%b/%Y:%H:%M:%S %z", time)
                .ok()?
                .to_timestamp()
                .ok()?
                .as_millisecond(),
        ),
        host: None,
        path: Cow::Owned(path),
        user_agent,
        method: Some(Cow::Owned(method)),
        status: Some(status),
        content_type: None,
        address: address.parse().ok(),
        served: ServedBy::Origin,
        duration: Duration::ZERO,
    })
}

/// Returns true for a line of `vhost_combined`, and of other formats that have a field before the client's address.
pub(super) fn is_with_host(line: &str) -> bool {
    let after = line.split_once(' ').map(|(_, rest)| rest).filter(|rest| parse(rest).is_some());
    after.is_some() && line.split_once('[').is_some_and(|(client, _)| begins_with_host(client))
}

/// Returns true when another field precedes `ADDRESS IDENT USER`: the second field is then the address, and not the identity,
/// which is `-` in practice.
fn begins_with_host(client: &str) -> bool {
    let mut fields = client.split_ascii_whitespace().skip(1);
    let second = fields.next().unwrap_or_default();
    second.parse::<IpAddr>().is_ok() || (second != "-" && fields.count() >= 2)
}

fn request_line(request: &str) -> Option<(String, String)> {
    let mut words = request.split(' ');
    Some((words.next()?.to_owned(), words.next()?.to_owned()))
}

/// Splits a quoted text from the text after it, and undoes its escapes.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })?;
    Some((unescape(&inside[..end]), &inside[end + 1..]))
}

fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        let hexadecimal = after.strip_prefix(b"x").and_then(|digits| digits.get(..2));
        let escaped = hexadecimal.and_then(|digits| hex::decode(digits).ok());
        rest = match (byte, escaped, after.first()) {
            (b'\\', Some(decoded), _) => {
                bytes.extend(decoded);
                &after[3..]
            }
            (b'\\', None, Some(&next)) => {
                bytes.push(next);
                &after[1..]
            }
            _ => {
                bytes.push(byte);
                after
            }
        };
    }
    Cow::Owned(text_of(&bytes).into_owned())
}
