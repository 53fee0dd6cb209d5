//! The address of the client that a request came from, through proxies that the operator trusts. Pure.
//! Must never believe a header of anybody else: addresses are what limits are counted by.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::request::Parts;
use ipnet::IpNet;

use super::header_names::{CLIENT_ADDRESS, X_FORWARDED_FOR};

/// Walks back from the connection's peer through `x-forwarded-for` for as long as the addresses are trusted proxies.
pub fn resolve_client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(&address));
    let mut client = peer.to_canonical();
    if !is_trusted(client) {
        return client;
    }
    let forwarded = headers.get_all(X_FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    for hop in hops.into_iter().rev() {
        // What a trusted proxy wrote is an address; anything else was sent by the client and ends the walk.
        let Some(address) = parse_hop(hop) else { return client };
        client = address.to_canonical();
        if !is_trusted(client) {
            return client;
        }
    }
    client
}

/// Returns the visitor's address that an integration states in `x-service-client-address`. None: absent, repeated or malformed.
/// Only for verifying crawlers: anybody with a key can write anything there.
pub fn stated_client(headers: &HeaderMap) -> Option<IpAddr> {
    let mut values = headers.get_all(CLIENT_ADDRESS).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    parse_hop(value.to_str().ok()?.trim()).map(|address| address.to_canonical())
}

/// Reads an address, with or without a port: `192.0.2.1`, `192.0.2.1:1234`, `2001:db8::1`, `[2001:db8::1]:1234`.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    bare.parse().ok().or_else(|| hop.parse::<std::net::SocketAddr>().ok().map(|address| address.ip()))
}

/// The address that a request came from. The envelope puts it there, with trusted proxies taken into account.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(ClientAddress(client_address(parts)))
    }
}

/// Address of the other end of a request's connection, whatever headers say.
#[derive(Debug, Clone, Copy)]
pub struct PeerAddress(pub IpAddr);

/// Returns the address of the other end of a request's connection.
pub fn peer_address(parts: &Parts) -> IpAddr {
    parts.extensions.get::<PeerAddress>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0)
}

/// Returns the address that a request came from.
pub fn client_address(parts: &Parts) -> IpAddr {
    // Without a connection (a test) everybody is the same unknown client.
    parts.extensions.get::<ClientAddress>().map_or(IpAddr::from([0, 0, 0, 0]), |address| address.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(peer: &str, forwarded: &[&'static str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        resolve_client(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn the_header_of_a_stranger_is_not_believed() {
        assert_eq!(resolve("192.0.2.9", &["198.51.100.1"], &[]), "192.0.2.9");
        assert_eq!(resolve("192.0.2.9", &["198.51.100.1"], &["10.0.0.0/8"]), "192.0.2.9");
    }

    #[test]
    fn the_nearest_untrusted_hop_is_the_client() {
        let trusted = ["10.0.0.0/8"];

        assert_eq!(resolve("10.0.0.1", &["198.51.100.1"], &trusted), "198.51.100.1");
        assert_eq!(resolve("10.0.0.1", &["203.0.113.7, 198.51.100.1, 10.0.0.2"], &trusted), "198.51.100.1");
        assert_eq!(resolve("10.0.0.1", &["203.0.113.7", "198.51.100.1"], &trusted), "198.51.100.1");
        assert_eq!(resolve("::ffff:10.0.0.1", &["[2001:db8::1]:4000"], &trusted), "2001:db8::1");
    }

    #[test]
    fn a_stated_client_is_one_address_or_none() {
        let stated = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CLIENT_ADDRESS, value.parse().unwrap());
            }
            stated_client(&headers).map(|address| address.to_string())
        };

        assert_eq!(stated(&[" 198.51.100.7 "]).as_deref(), Some("198.51.100.7"));
        assert_eq!(stated(&["::ffff:198.51.100.7"]).as_deref(), Some("198.51.100.7"));
        assert_eq!(stated(&["[2001:db8::1]:443"]).as_deref(), Some("2001:db8::1"));
        for malformed in
            [&[][..], &[""], &["198.51.100.7, 192.0.2.1"], &["crawler"], &["192.0.2.1", "192.0.2.1"]]
        {
            assert_eq!(stated(malformed), None, "{malformed:?}");
        }
    }

    #[test]
    fn nonsense_in_the_header_ends_at_the_proxy() {
        assert_eq!(resolve("10.0.0.1", &["unknown"], &["10.0.0.0/8"]), "10.0.0.1");
        assert_eq!(resolve("10.0.0.1", &[], &["10.0.0.0/8"]), "10.0.0.1");
        assert_eq!(resolve("10.0.0.1", &["10.0.0.3, 10.0.0.2"], &["10.0.0.0/8"]), "10.0.0.3");
    }
}
