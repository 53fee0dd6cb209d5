//! The PROXY protocol, versions 1 and 2: the client's address, which a balancer states before the first byte of a connection.
//! Used by every listener that the settings say stands behind such a balancer. Must never believe anybody else, and never take
//! a byte that belongs to the client.
//! Source: "The PROXY protocol", sections 2.1 and 2.2 (haproxy.org/download/3.0/doc/proxy-protocol.txt).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

/// Time in which the whole header must have come.
pub const HEADER_TIME: Duration = Duration::from_secs(5);

const SIGNATURE: [u8; 12] = *b"\r\n\r\n\0\r\nQUIT\n";
/// Longest line of version 1, with its end.
const MAX_LINE_BYTES: usize = 107;
/// Longest header of version 2 after its first 16 bytes: addresses and what balancers add about TLS.
const MAX_V2_BYTES: usize = 16 * 1024;

/// Reads the header of a connection whose other end is `peer`, and returns the client that it names.
///
/// The peer itself, where the header names nobody: the balancer's own checks (LOCAL, UNKNOWN) and other kinds of address. Slow
/// and malformed headers are errors.
pub async fn read_client(stream: impl AsyncRead + Unpin, peer: SocketAddr) -> io::Result<SocketAddr> {
    let client = timeout(HEADER_TIME, read(stream)).await.map_err(|_| io::ErrorKind::TimedOut)??;
    Ok(client.unwrap_or(peer))
}

async fn read(mut stream: impl AsyncRead + Unpin) -> io::Result<Option<SocketAddr>> {
    let mut start = [0; SIGNATURE.len()];
    stream.read_exact(&mut start).await?;
    if start == SIGNATURE {
        return read_v2(stream).await;
    }
    let mut line = start.to_vec();
    // Byte by byte: what follows the line is the client's.
    while !line.ends_with(b"\n") && line.len() < MAX_LINE_BYTES {
        line.push(stream.read_u8().await?);
    }
    let text = std::str::from_utf8(&line).ok().and_then(|line| line.strip_suffix("\r\n"));
    text.and_then(parse_line).ok_or_else(malformed)
}

/// Reads a line of version 1. The outer none: it is malformed; the inner one: it names nobody.
fn parse_line(line: &str) -> Option<Option<SocketAddr>> {
    let mut words = line.strip_prefix("PROXY ")?.split(' ');
    let client = match words.next()? {
        "UNKNOWN" => return Some(None),
        "TCP4" => client_of::<Ipv4Addr>(&mut words)?,
        "TCP6" => client_of::<Ipv6Addr>(&mut words)?,
        _ => return None,
    };
    words.next().is_none().then_some(Some(client))
}

fn client_of<'a, A: FromStr + Into<IpAddr>>(words: &mut impl Iterator<Item = &'a str>) -> Option<SocketAddr> {
    let [client, _] = [words.next()?.parse::<A>().ok()?, words.next()?.parse::<A>().ok()?];
    let [port, _] = [port_of(words.next()?)?, port_of(words.next()?)?];
    Some(SocketAddr::new(client.into(), port))
}

fn port_of(word: &str) -> Option<u16> {
    // `parse` would take a sign.
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok()).flatten()
}

async fn read_v2(mut stream: impl AsyncRead + Unpin) -> io::Result<Option<SocketAddr>> {
    let [version_and_command, family_and_protocol] = [stream.read_u8().await?, stream.read_u8().await?];
    let length = usize::from(stream.read_u16().await?);
    let is_local = match version_and_command {
        0x20 => true,
        0x21 => false,
        _ => return Err(malformed()),
    };
    let (family, protocol) = (family_and_protocol >> 4, family_and_protocol & 0xf);
    // Unspecified, IPv4, IPv6, Unix: two addresses, and two ports but for the last.
    let address_bytes = *[0, 12, 36, 216].get(usize::from(family)).ok_or_else(malformed)?;
    if protocol > 2 || length > MAX_V2_BYTES || (!is_local && length < address_bytes) {
        return Err(malformed());
    }
    let mut rest = vec![0; length];
    stream.read_exact(&mut rest).await?;
    let port_at = |at: usize| u16::from_be_bytes([rest[at], rest[at + 1]]);
    Ok(match (is_local, family) {
        (false, 1) => {
            let ip: [u8; 4] = rest[..4].try_into().expect("the length was checked");
            Some(SocketAddr::new(ip.into(), port_at(8)))
        }
        (false, 2) => {
            let ip: [u8; 16] = rest[..16].try_into().expect("the length was checked");
            Some(SocketAddr::new(ip.into(), port_at(32)))
        }
        _ => None,
    })
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no PROXY header")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: &str = "10.0.0.1:1000";

    /// Returns the client that a header names, and what is left of the stream after it.
    async fn read_all(mut sent: &[u8]) -> Option<(String, Vec<u8>)> {
        let client = read_client(&mut sent, PEER.parse().unwrap()).await.ok()?;
        Some((client.to_string(), sent.to_vec()))
    }

    async fn client(sent: &[u8]) -> Option<String> {
        read_all(sent).await.map(|(client, _)| client)
    }

    fn v2(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let length = u16::try_from(rest.len()).unwrap().to_be_bytes();
        [&SIGNATURE, &[command, family][..], &length, rest].concat()
    }

    const IPV4: [u8; 12] = [192, 0, 2, 7, 10, 0, 0, 1, 0x1f, 0x90, 0, 80];

    #[tokio::test]
    async fn version_1_names_the_client_and_leaves_the_rest_to_it() {
        let sent = b"PROXY TCP4 192.0.2.7 10.0.0.1 8080 443\r\nGET / HTTP/1.1\r\n\r\n";

        let (named, rest) = read_all(sent).await.unwrap();

        assert_eq!((named.as_str(), &*rest), ("192.0.2.7:8080", &b"GET / HTTP/1.1\r\n\r\n"[..]));
        let ipv6 = client(b"PROXY TCP6 2001:db8::7 2001:db8::1 65535 0\r\n").await;
        assert_eq!(ipv6.as_deref(), Some("[2001:db8::7]:65535"));
    }

    #[tokio::test]
    async fn version_2_names_the_client_whatever_follows_the_addresses() {
        let with_tlv = [&IPV4[..], &[0x20, 0, 3, b'a', b'b', b'c']].concat();
        let sent = [v2(0x21, 0x11, &with_tlv), b"GET /".to_vec()].concat();
        let mut ipv6 = [0; 36];
        (ipv6[0], ipv6[1], ipv6[15], ipv6[33]) = (0x20, 1, 9, 80);

        let (named, rest) = read_all(&sent).await.unwrap();

        assert_eq!((named.as_str(), &*rest), ("192.0.2.7:8080", &b"GET /"[..]));
        assert_eq!(client(&v2(0x21, 0x21, &ipv6)).await.as_deref(), Some("[2001::9]:80"));
    }

    #[tokio::test]
    async fn a_header_that_names_nobody_leaves_the_balancer() {
        for sent in [
            b"PROXY UNKNOWN\r\n".to_vec(),
            b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n".to_vec(),
            v2(0x20, 0x00, &[]),
            v2(0x20, 0x11, &IPV4),
            v2(0x21, 0x00, &[]),
            v2(0x21, 0x00, &[1, 2, 3]),
            v2(0x21, 0x31, &[0; 216]),
        ] {
            assert_eq!(client(&sent).await.as_deref(), Some(PEER), "{sent:?}");
        }
    }

    #[tokio::test]
    async fn what_is_no_header_is_an_error() {
        let long = format!("PROXY UNKNOWN {}\r\n", "x".repeat(100));
        for sent in [
            b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(),
            b"PROXY TCP4 192.0.2.7 10.0.0.1 8080\r\n".to_vec(),
            b"PROXY TCP4 192.0.2.7 10.0.0.1 8080 443 1\r\n".to_vec(),
            b"PROXY TCP4 192.0.2.7 10.0.0.1 8080 443\n".to_vec(),
            b"PROXY TCP4 192.0.2.7 10.0.0.1 +80 443\r\n".to_vec(),
            b"PROXY TCP4 192.0.2.7 10.0.0.1 80 65536\r\n".to_vec(),
            b"PROXY TCP4 2001:db8::7 2001:db8::1 80 443\r\n".to_vec(),
            b"PROXY TCP6 192.0.2.7 10.0.0.1 80 443\r\n".to_vec(),
            b"PROXY  TCP4 192.0.2.7 10.0.0.1 80 443\r\n".to_vec(),
            b"proxy TCP4 192.0.2.7 10.0.0.1 80 443\r\n".to_vec(),
            b"PROXY UDP4 192.0.2.7 10.0.0.1 80 443\r\n".to_vec(),
            b"PROXY".to_vec(),
            long.into_bytes(),
            v2(0x11, 0x11, &IPV4),
            v2(0x22, 0x11, &IPV4),
            v2(0x21, 0x41, &IPV4),
            v2(0x21, 0x13, &IPV4),
            v2(0x21, 0x11, &IPV4[..11]),
            v2(0x21, 0x21, &IPV4),
            v2(0x21, 0x11, &[0; MAX_V2_BYTES + 1]),
            v2(0x21, 0x11, &IPV4)[..20].to_vec(),
            Vec::new(),
        ] {
            assert_eq!(client(&sent).await, None, "{sent:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_header_that_takes_longer_than_five_seconds_is_not_waited_for() {
        let (_client, server) = tokio::io::duplex(64);

        let given_up = read_client(server, PEER.parse().unwrap()).await.unwrap_err();

        assert_eq!(given_up.kind(), io::ErrorKind::TimedOut);
    }
}
