//! Rules about the addresses that this service may connect to on behalf of a customer (SSRF guard).
//! Takes an address that was already resolved, and asks the system only for this machine's own addresses. Used by
//! `network` before every connect; must never see a name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, LazyLock};

use ipnet::IpNet;

/// Everything outside the public internet, with the reason of the refusal. The first match counts.
///
/// Source: the IANA special-purpose address registries (IPv4 and IPv6), multicast and reserved space.
const REFUSED: &[(&str, Refusal)] = &[
    ("0.0.0.0/8", Refusal::Unspecified),
    ("127.0.0.0/8", Refusal::Loopback),
    ("10.0.0.0/8", Refusal::Private),
    ("172.16.0.0/12", Refusal::Private),
    ("192.168.0.0/16", Refusal::Private),
    ("100.64.0.0/10", Refusal::Private),
    ("169.254.0.0/16", Refusal::LinkLocal),
    ("192.0.0.0/24", Refusal::Reserved),
    ("192.0.2.0/24", Refusal::Reserved),
    ("192.31.196.0/24", Refusal::Reserved),
    ("192.52.193.0/24", Refusal::Reserved),
    ("192.88.99.0/24", Refusal::Reserved),
    ("192.175.48.0/24", Refusal::Reserved),
    ("198.18.0.0/15", Refusal::Reserved),
    ("198.51.100.0/24", Refusal::Reserved),
    ("203.0.113.0/24", Refusal::Reserved),
    ("224.0.0.0/4", Refusal::Multicast),
    ("240.0.0.0/4", Refusal::Reserved),
    ("::/128", Refusal::Unspecified),
    ("::1/128", Refusal::Loopback),
    // The rest of the deprecated "IPv4-compatible" space.
    ("::/96", Refusal::Reserved),
    // NAT64 with a locally chosen prefix: where the IPv4 address sits in it is not knowable.
    ("64:ff9b:1::/48", Refusal::Reserved),
    ("100::/64", Refusal::Reserved),
    // Protocol assignments; Teredo (2001::/32) is inside.
    ("2001::/23", Refusal::Reserved),
    ("2001:db8::/32", Refusal::Reserved),
    ("3fff::/20", Refusal::Reserved),
    ("5f00::/16", Refusal::Reserved),
    ("fc00::/7", Refusal::Private),
    ("fe80::/10", Refusal::LinkLocal),
    ("fec0::/10", Refusal::Private),
    ("ff00::/8", Refusal::Multicast),
];

/// Addresses at which clouds serve credentials to any client inside.
const METADATA: &[IpAddr] = &[
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    // Azure's wire server lives in public space.
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254)),
];

/// Ports from 1024 up that belong to databases, queues and control planes, never to websites.
const REFUSED_PORTS: &[u16] = &[
    1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4369, 5432, 5672, 5900, 5984, 5985, 5986,
    6000, 6379, 6443, 6667, 7001, 8500, 9042, 9092, 9200, 9300, 10250, 10255, 11211, 15672, 27017, 27018,
];

static REFUSED_NETS: LazyLock<Vec<(IpNet, Refusal)>> = LazyLock::new(|| {
    REFUSED.iter().map(|(net, why)| (net.parse().expect("the table holds valid networks"), *why)).collect()
});

/// Reason why an address may not be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// `0.0.0.0/8` and `::`, which reach this machine.
    #[error("the unspecified address")]
    Unspecified,
    /// This machine.
    #[error("a loopback address")]
    Loopback,
    /// Private networks, carrier-grade NAT and unique local addresses.
    #[error("a private address")]
    Private,
    #[error("a link-local address")]
    LinkLocal,
    /// Many receivers.
    #[error("a multicast address")]
    Multicast,
    /// Reserved, documentation, benchmark and protocol space.
    #[error("a reserved address")]
    Reserved,
    /// A cloud's metadata service.
    #[error("a cloud metadata address")]
    Metadata,
    /// A socket on which this process listens.
    #[error("a listener of this service")]
    OwnListener,
    /// A port on which no website answers.
    #[error("port {0} is not one that websites use")]
    Port(u16),
}

/// Rules that decide whether an address may be connected to.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// Networks that are let through although they are private, loopback or link-local.
    pub allow_private: Vec<IpNet>,
    /// Sockets on which this process listens. Nothing opens them.
    pub own_listeners: Arc<[SocketAddr]>,
}

impl Guard {
    /// Checks one resolved address, with the IPv4 addresses that are hidden in it.
    ///
    /// `allow_private` opens private, loopback and link-local space only, on any port; the unspecified, reserved and
    /// multicast addresses stay refused whatever it says, and a metadata address needs an entry for it alone.
    pub fn check(&self, address: SocketAddr) -> Result<(), Refusal> {
        let ip = address.ip().to_canonical();
        if self.is_own_listener(ip, address.port()) {
            return Err(Refusal::OwnListener);
        }
        let mut opened = self.check_ip(ip)?;
        if let Some(inner) = embedded_ipv4(ip) {
            opened |= self.check_ip(IpAddr::V4(inner))?;
        }
        if opened { Ok(()) } else { check_port(address.port()) }
    }

    /// Checks the address of a static host without a port: private and loopback addresses pass, on ports of websites.
    pub fn check_static(&self, address: SocketAddr) -> Result<(), Refusal> {
        match self.check(address) {
            Err(Refusal::Loopback | Refusal::Private) => check_port(address.port()),
            result => result,
        }
    }

    /// Checks an address of a host that the operator has named: private and loopback addresses pass, on any port.
    ///
    /// Metadata, link-local, reserved, multicast and unspecified addresses stay refused, and so do our own listeners.
    pub fn check_named(&self, address: SocketAddr) -> Result<(), Refusal> {
        match self.check(address) {
            Err(Refusal::Loopback | Refusal::Private | Refusal::Port(_)) => Ok(()),
            result => result,
        }
    }

    /// Returns true when a connection to this address would reach a listener of this process.
    fn is_own_listener(&self, ip: IpAddr, port: u16) -> bool {
        let reached = [Some(ip), embedded_ipv4(ip).map(IpAddr::V4)];
        let is_reached = |own: IpAddr| {
            // A listener on `::` takes IPv4 too.
            let is_taken =
                |ip: &IpAddr| own == *ip || own.is_unspecified() && (own.is_ipv6() || ip.is_ipv4());
            reached.iter().flatten().filter(|ip| is_taken(ip)).any(|ip| own == *ip || is_of_this_machine(*ip))
        };
        let mut of_port = self.own_listeners.iter().filter(|own| own.port() == port);
        of_port.any(|own| is_reached(own.ip().to_canonical()))
    }

    /// Checks an IP address. Returns true when `allow_private` was needed to let it through.
    fn check_ip(&self, ip: IpAddr) -> Result<bool, Refusal> {
        if METADATA.contains(&ip) {
            let named_alone = self.allow_private.iter().any(|net| *net == IpNet::from(ip));
            let openable = refusal(ip).is_some_and(is_openable);
            return if named_alone && openable { Ok(true) } else { Err(Refusal::Metadata) };
        }

        match refusal(ip) {
            None => Ok(false),
            Some(why) if is_openable(why) && self.allow_private.iter().any(|net| net.contains(&ip)) => {
                Ok(true)
            }
            Some(why) => Err(why),
        }
    }
}

fn check_port(port: u16) -> Result<(), Refusal> {
    match port {
        80 | 443 => Ok(()),
        port if port < 1024 || REFUSED_PORTS.contains(&port) => Err(Refusal::Port(port)),
        _ => Ok(()),
    }
}

/// Returns true for an address of this machine: loopback, or one of its interfaces'.
///
/// The system takes an interface's own address as the source of packets to it. No packet is sent.
fn is_of_this_machine(ip: IpAddr) -> bool {
    let any: IpAddr = if ip.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let source = || {
        let socket = UdpSocket::bind((any, 0))?;
        socket.connect((ip, 9))?;
        socket.local_addr()
    };
    ip.is_loopback() || ip.is_unspecified() || source().is_ok_and(|source| source.ip() == ip)
}

fn refusal(ip: IpAddr) -> Option<Refusal> {
    REFUSED_NETS.iter().find(|(net, _)| net.contains(&ip)).map(|(_, why)| *why)
}

fn is_openable(why: Refusal) -> bool {
    matches!(why, Refusal::Loopback | Refusal::Private | Refusal::LinkLocal)
}

/// Finds the IPv4 address that a translating network would send packets for this IPv6 address to.
///
/// Mapped addresses are not here: `to_canonical` has already turned them into plain IPv4.
fn embedded_ipv4(ip: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(ip) = ip else { return None };
    let from = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };

    match ip.segments() {
        // NAT64, RFC 6052.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(from(high, low)),
        // IPv4-translated, RFC 2765.
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(from(high, low)),
        // 6to4, RFC 3056.
        [0x2002, high, low, ..] => Some(from(high, low)),
        // ISATAP, RFC 5214, with and without the universal bit.
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some(from(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn guard(allowed: &[&str]) -> Guard {
        let allow_private = allowed.iter().map(|net| net.parse().unwrap()).collect();
        Guard { allow_private, ..Guard::default() }
    }

    fn check(guard: &Guard, ip: &str, port: u16) -> Result<(), Refusal> {
        guard.check(SocketAddr::new(ip.parse().unwrap(), port))
    }

    #[test]
    fn everything_that_is_not_the_public_internet_is_refused() {
        let cases = [
            ("0.0.0.0", Refusal::Unspecified),
            ("0.1.2.3", Refusal::Unspecified),
            ("127.0.0.1", Refusal::Loopback),
            ("127.255.255.255", Refusal::Loopback),
            ("10.0.0.1", Refusal::Private),
            ("172.16.0.1", Refusal::Private),
            ("172.31.255.255", Refusal::Private),
            ("192.168.1.1", Refusal::Private),
            ("100.64.0.1", Refusal::Private),
            ("100.127.255.255", Refusal::Private),
            ("169.254.1.1", Refusal::LinkLocal),
            ("169.254.169.254", Refusal::Metadata),
            ("169.254.170.2", Refusal::Metadata),
            ("100.100.100.200", Refusal::Metadata),
            ("168.63.129.16", Refusal::Metadata),
            ("192.0.0.8", Refusal::Reserved),
            ("192.0.2.1", Refusal::Reserved),
            ("192.31.196.1", Refusal::Reserved),
            ("192.52.193.1", Refusal::Reserved),
            ("192.88.99.1", Refusal::Reserved),
            ("192.175.48.1", Refusal::Reserved),
            ("198.18.0.1", Refusal::Reserved),
            ("198.19.255.255", Refusal::Reserved),
            ("198.51.100.1", Refusal::Reserved),
            ("203.0.113.1", Refusal::Reserved),
            ("224.0.0.1", Refusal::Multicast),
            ("240.0.0.1", Refusal::Reserved),
            ("255.255.255.255", Refusal::Reserved),
            ("::", Refusal::Unspecified),
            ("::1", Refusal::Loopback),
            ("::7f00:1", Refusal::Reserved),
            ("100::1", Refusal::Reserved),
            ("2001:db8::1", Refusal::Reserved),
            ("2001:2::1", Refusal::Reserved),
            ("3fff::1", Refusal::Reserved),
            ("5f00::1", Refusal::Reserved),
            ("fc00::1", Refusal::Private),
            ("fd12:3456::1", Refusal::Private),
            ("fd00:ec2::254", Refusal::Metadata),
            ("fe80::1", Refusal::LinkLocal),
            ("fec0::1", Refusal::Private),
            ("ff02::1", Refusal::Multicast),
        ];

        for (ip, why) in cases {
            assert_eq!(check(&Guard::default(), ip, 443), Err(why), "{ip}");
        }
    }

    #[test]
    fn an_ipv4_address_hidden_in_an_ipv6_one_is_judged_like_itself() {
        let cases = [
            ("::ffff:127.0.0.1", Refusal::Loopback),
            ("::ffff:0.0.0.0", Refusal::Unspecified),
            ("::ffff:169.254.169.254", Refusal::Metadata),
            ("::ffff:0:10.0.0.1", Refusal::Private),
            ("64:ff9b::10.0.0.1", Refusal::Private),
            ("64:ff9b::169.254.169.254", Refusal::Metadata),
            ("64:ff9b:1::1", Refusal::Reserved),
            ("2002:7f00:1::", Refusal::Loopback),
            ("2002:a9fe:a9fe::1", Refusal::Metadata),
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", Refusal::Reserved),
            ("2606:4700::5efe:192.168.0.1", Refusal::Private),
            ("2606:4700::200:5efe:10.1.1.1", Refusal::Private),
        ];

        for (ip, why) in cases {
            assert_eq!(check(&Guard::default(), ip, 443), Err(why), "{ip}");
        }
    }

    #[test]
    fn public_addresses_pass() {
        for ip in [
            "1.1.1.1",
            "93.184.215.14",
            "172.32.0.1",
            "192.0.1.1",
            "2606:4700:4700::1111",
            "64:ff9b::1.1.1.1",
        ] {
            assert_eq!(check(&Guard::default(), ip, 443), Ok(()), "{ip}");
        }
    }

    #[test]
    fn only_ports_that_websites_use_pass() {
        let guard = Guard::default();

        for port in [80, 443, 1024, 3000, 8080, 8443, 65535] {
            assert_eq!(check(&guard, "1.1.1.1", port), Ok(()), "{port}");
        }
        for port in [0, 1, 22, 25, 53, 81, 444, 1023, 2375, 3306, 5432, 6379, 9200, 11211, 27017] {
            assert_eq!(check(&guard, "1.1.1.1", port), Err(Refusal::Port(port)), "{port}");
        }
    }

    #[test]
    fn an_allowed_network_opens_its_addresses_on_every_port_and_nothing_else() {
        let guard = guard(&["127.0.0.0/8", "fd12::/16"]);

        assert_eq!(check(&guard, "127.0.0.1", 22), Ok(()));
        assert_eq!(check(&guard, "::ffff:127.0.0.1", 5432), Ok(()));
        assert_eq!(check(&guard, "fd12::5", 6379), Ok(()));
        assert_eq!(check(&guard, "::1", 80), Err(Refusal::Loopback));
        assert_eq!(check(&guard, "10.0.0.1", 80), Err(Refusal::Private));
        assert_eq!(check(&guard, "1.1.1.1", 22), Err(Refusal::Port(22)));
    }

    #[test]
    fn allowing_everything_opens_private_space_only() {
        let guard = guard(&["0.0.0.0/0", "::/0"]);

        for ip in ["127.0.0.1", "10.0.0.1", "169.254.1.1", "::1", "fd00::1", "fe80::1"] {
            assert_eq!(check(&guard, ip, 80), Ok(()), "{ip}");
        }
        for ip in
            ["0.0.0.0", "::", "::ffff:0.0.0.0", "64:ff9b::0.0.0.0", "224.0.0.1", "192.0.2.1", "2001:db8::1"]
        {
            assert!(check(&guard, ip, 80).is_err(), "{ip}");
        }
        assert_eq!(check(&guard, "1.1.1.1", 22), Err(Refusal::Port(22)));
    }

    #[test]
    fn a_host_that_the_operator_has_named_may_be_private_on_any_port() {
        let check = |ip: &str| Guard::default().check_named(SocketAddr::new(ip.parse().unwrap(), 6379));

        for ip in ["127.0.0.1", "::1", "10.0.0.1", "fd12::5", "::ffff:192.168.0.1", "1.1.1.1"] {
            assert_eq!(check(ip), Ok(()), "{ip}");
        }
        for ip in [
            "169.254.169.254",
            "169.254.1.1",
            "fe80::1",
            "fd00:ec2::254",
            "100.100.100.200",
            "0.0.0.0",
            "::",
            "224.0.0.1",
        ] {
            assert!(check(ip).is_err(), "{ip}");
        }
    }

    #[test]
    fn no_address_of_this_machine_leads_to_a_listener_of_ours() {
        // A connected UDP socket's source is an address of an interface, if the machine has one.
        let interface = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
            socket.connect("192.0.2.1:9")?;
            socket.local_addr()
        });
        let listening = ["127.0.0.1:9100", "0.0.0.0:3000", "[::]:8080"].map(|own| own.parse().unwrap());
        let guard =
            Guard { own_listeners: listening.into(), ..guard(&["127.0.0.0/8", "::1/128", "0.0.0.0/0"]) };

        for (ip, port) in [
            ("127.0.0.1", 9100),
            ("::ffff:127.0.0.1", 9100),
            ("127.0.0.9", 3000),
            ("127.0.0.1", 8080),
            ("::1", 8080),
            ("::ffff:127.0.0.5", 8080),
        ] {
            assert_eq!(check(&guard, ip, port), Err(Refusal::OwnListener), "{ip}:{port}");
        }
        if let Ok(interface) = interface {
            let refused = guard.check(SocketAddr::new(interface.ip(), 3000));
            assert_eq!(refused, Err(Refusal::OwnListener), "{interface}");
            assert!(guard.check_named(SocketAddr::new(interface.ip(), 8080)).is_err());
        }
        for (ip, port) in [("127.0.0.2", 9100), ("127.0.0.1", 9101), ("1.1.1.1", 3000), ("10.99.99.99", 3000)]
        {
            assert_eq!(check(&guard, ip, port), Ok(()), "{ip}:{port}");
        }
    }

    #[test]
    fn a_static_host_without_a_port_is_asked_on_ports_of_websites_only() {
        let check =
            |ip: &str, port| Guard::default().check_static(SocketAddr::new(ip.parse().unwrap(), port));

        assert_eq!(check("127.0.0.1", 443), Ok(()));
        assert_eq!(check("10.0.0.5", 8081), Ok(()));
        assert_eq!(check("10.0.0.5", 6379), Err(Refusal::Port(6379)));
        assert_eq!(check("169.254.1.1", 443), Err(Refusal::LinkLocal));
    }

    #[test]
    fn a_metadata_address_needs_an_entry_for_it_alone() {
        assert_eq!(check(&guard(&["169.254.0.0/16"]), "169.254.169.254", 80), Err(Refusal::Metadata));
        assert_eq!(check(&guard(&["169.254.169.254/32"]), "169.254.169.254", 80), Ok(()));
        assert_eq!(check(&guard(&["168.63.129.16/32"]), "168.63.129.16", 80), Err(Refusal::Metadata));
    }

    proptest! {
        #[test]
        fn no_form_of_a_refused_ipv4_address_passes(bits: u32) {
            let inner = Ipv4Addr::from(bits);
            let [a, b, c, d] = inner.octets();
            let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            let plain = Guard::default().check((inner, 443).into());

            let forms = [
                inner.to_ipv6_mapped(),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
                Ipv6Addr::new(0x2606, 0x4700, 0, 0, 0, 0x5efe, high, low),
            ];

            for form in forms {
                prop_assert_eq!(Guard::default().check((form, 443).into()), plain, "{}", form);
            }
        }

        #[test]
        fn an_allow_list_never_opens_more_than_it_names(bits: u32, port: u16, prefix in 0u8..=32) {
            let net = ipnet::Ipv4Net::new(Ipv4Addr::from(bits), prefix).unwrap().trunc();
            let outside = Ipv4Addr::from(u32::from(net.broadcast()).wrapping_add(1));
            let guard = Guard { allow_private: vec![net.into()], ..Guard::default() };
            prop_assume!(!net.contains(&outside));

            let with = guard.check((outside, port).into());

            prop_assert_eq!(with, Guard::default().check((outside, port).into()));
        }
    }
}
