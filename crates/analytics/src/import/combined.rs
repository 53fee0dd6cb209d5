//! The combined log format: `ADDRESS - USER [TIME] "METHOD PATH HTTP/1.1" STATUS BYTES "REFERER" "USER-AGENT"`, and the same
//! after a host (`vhost-combined`). Pure. Quotes inside a field are written `\"` (Apache) or `\x22` (nginx). Text after the user
//! agent is ignored. A list of addresses, as in `X-Forwarded-For`, may be made up by the client, so none of them is taken.

use std::borrow::Cow;
use std::net::IpAddr;

use super::{LogLine, Timestamp, address_of, status, text_of};

/// Parses a line. None when the line is not of this format.
pub(super) fn parse(line: &str) -> Option<LogLine<'_>> {
    parse_before(line).map(|(line, _)| line)
}

/// Parses a line with a host before the address: `HOST:PORT ADDRESS - USER [TIME] …`. None when the line is not of this format.
pub(super) fn parse_with_host(line: &str) -> Option<LogLine<'_>> {
    let (host, rest) = line.split_once(' ')?;
    let (client, _) = rest.split_once('[')?;
    let mut fields = client.split_ascii_whitespace();
    // Without a host, the second field is the identity, which is `-` in practice.
    let has_client = fields.next().is_some_and(|address| address != "-") && fields.count() >= 2;
    let is_host = has_client && !host.ends_with(',');
    let (line, _) = parse_before(rest).filter(|_| is_host)?;
    Some(LogLine { host: Some(Cow::Borrowed(host)), ..line })
}

/// Parses the beginning of a line. Returns the text after the user agent too.
pub(super) fn parse_before(line: &str) -> Option<(LogLine<'_>, &str)> {
    let (mut client, rest) = line.split_once('[')?;
    let mut is_list = false;
    while let Some((_, after)) =
        client.split_once(", ").filter(|(address, _)| address.parse::<IpAddr>().is_ok())
    {
        (client, is_list) = (after, true);
    }
    let (address, _) = client.split_once(' ').filter(|_| !begins_with_host(client))?;
    let (time, rest) = rest.split_once("] ")?;
    let (request, rest) = quoted(rest)?;
    let mut numbers = rest.trim_start().splitn(3, ' ');
    let status = status(numbers.next()?)?;
    let (_bytes, rest) = (numbers.next()?, numbers.next()?);
    let (_referer, rest) = quoted(rest)?;
    let (user_agent, rest) = quoted(rest.trim_start())?;
    let (method, path) = request_line(&request)?;
    let line = LogLine {
        host: None,
        path: Cow::Owned(path),
        user_agent,
        method: Some(Cow::Owned(method)),
        status: Some(status),
        address: address_of(address).filter(|_| !is_list),
        ..LogLine::at(Timestamp::from_millis(
            jiff::fmt::strtime::parse("%d/%b/%Y:%H:%M:%S %z", time)
                .ok()?
                .to_timestamp()
                .ok()?
                .as_millisecond(),
        ))
    };
    Some((line, rest))
}

/// Returns true when another field precedes `ADDRESS IDENT USER`: the second field is then the address, and not the identity,
/// which is `-` in practice.
fn begins_with_host(client: &str) -> bool {
    let mut fields = client.split_ascii_whitespace().skip(1);
    let second = fields.next().unwrap_or_default();
    second.parse::<IpAddr>().is_ok() || (second != "-" && fields.count() >= 2)
}

/// Splits a request line into its method and its target.
pub(super) fn request_line(request: &str) -> Option<(String, String)> {
    let mut words = request.split(' ');
    Some((words.next()?.to_owned(), words.next()?.to_owned()))
}

/// Splits a quoted text from the text after it, and undoes its escapes.
pub(super) fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
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
