//! Networks: lists that providers publish, of their crawlers (`analytics`) and of their proxies (`domains`), and those that
//! strangers are counted by. Pure. Must never let in a list that holds a large part of the internet.

use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

/// A network wider than this would make half the internet one provider's.
const SHORTEST_V4: u8 = 8;
const SHORTEST_V6: u8 = 19;

/// Reads a published list; a single address is a network of one. None: it is empty, or an entry is no network or far
/// too wide.
pub fn parse_list(entries: &[String]) -> Option<Vec<IpNet>> {
    let networks = entries.iter().map(|entry| parse_network(entry)).collect::<Option<Vec<_>>>()?;
    (!networks.is_empty()).then_some(networks)
}

/// Lists the networks that a client is counted by, the smallest first: the /24 of an IPv4 address, the /64 of one customer and
/// the /48 of one site of an IPv6 address.
pub fn client_networks(address: IpAddr) -> Vec<IpNet> {
    let address = address.to_canonical();
    let prefixes: &[u8] = if address.is_ipv4() { &[24] } else { &[64, 48] };
    let network = |prefix: &u8| IpNet::new(address, *prefix).expect("the prefix fits the family").trunc();
    prefixes.iter().map(network).collect()
}

/// Returns the address that a customer of a provider counts as: an IPv4 address, or the first of the /64 network of an IPv6 address.
pub fn customer_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// Decides whether an address is one of the internet, and no proxy's inside a private network.
pub fn is_public(address: IpAddr) -> bool {
    crawler::Guard::default().check((address, 443).into()).is_ok()
}

/// Decides whether an address is one whose last part a log leaves out: it ends in zeros, as no client's does.
pub fn is_masked(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets()[3] == 0,
        IpAddr::V6(address) => address.segments()[7] == 0,
    }
}

fn parse_network(text: &str) -> Option<IpNet> {
    let network: IpNet = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from)).ok()?;
    let shortest = if network.addr().is_ipv4() { SHORTEST_V4 } else { SHORTEST_V6 };
    (network.prefix_len() >= shortest).then_some(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> Option<Vec<String>> {
        let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
        Some(parse_list(&entries)?.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_client_is_counted_by_the_networks_that_one_customer_has() {
        let networks = |text: &str| {
            client_networks(text.parse().unwrap()).iter().map(ToString::to_string).collect::<Vec<_>>()
        };

        assert_eq!(networks("192.0.2.77"), ["192.0.2.0/24"]);
        assert_eq!(networks("::ffff:192.0.2.77"), ["192.0.2.0/24"]);
        assert_eq!(networks("2001:db8:1:2:3::4"), ["2001:db8:1:2::/64", "2001:db8:1::/48"]);
    }

    #[test]
    fn ipv6_neighbours_are_one_customer() {
        let customer = |text: &str| customer_address(text.parse().unwrap());

        assert_eq!(customer("2001:db8:1:2:3::4"), customer("2001:db8:1:2::"));
        assert_ne!(customer("2001:db8:1:3::4"), customer("2001:db8:1:2::"));
        assert_eq!(customer("::ffff:192.0.2.1"), customer("192.0.2.1"));
        assert_ne!(customer("192.0.2.2"), customer("192.0.2.1"));
    }

    #[test]
    fn a_masked_address_ends_in_zeros() {
        for text in
            ["66.249.66.0", "66.249.0.0", "::ffff:66.249.66.0", "2001:db8:1:2::", "2001:db8:1:2:3:4:5:0"]
        {
            assert!(is_masked(text.parse().unwrap()), "{text}");
        }
        for text in ["66.249.66.10", "10.0.0.1", "2001:db8::1", "2001:db8:1:2:0:0:0:100"] {
            assert!(!is_masked(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn an_entry_is_a_network_or_an_address() {
        let found = list(&["192.0.2.0/24", "2001:db8::/32", "192.0.2.7", "2001:db8::7"]);

        let expected = ["192.0.2.0/24", "2001:db8::/32", "192.0.2.7/32", "2001:db8::7/128"];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn a_list_that_would_hold_everybody_or_nobody_is_refused() {
        for entry in ["0.0.0.0/0", "1.0.0.0/7", "::/0", "2000::/16", "2001::/18", "x", ""] {
            assert_eq!(list(&["192.0.2.0/24", entry]), None, "{entry}");
        }
        assert_eq!(list(&[]), None);
        assert!(list(&["1.0.0.0/8", "2001::/19"]).is_some());
    }
}
