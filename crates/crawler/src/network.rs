//! From a host and a port to a connected socket: static hosts, DNS, the guard, then the dial.
//! Used by the fetcher, the browser's egress proxy and the edge. Must never dial an address that the guard has not seen.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, ResolveHosts, ResolverOpts};
use hickory_resolver::net::NetError;
use ipnet::IpNet;
use tokio::net::TcpStream;
use url::Host;

use crate::dns;
use crate::guard::{Guard, Refusal};

/// Timeout of a connection attempt to one address; then the next address is tried.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of a name's resolution, retries included.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest time that a record is cached, so that a moved origin is not called at its old address for long.
const MAX_POSITIVE_TTL: Duration = Duration::from_secs(60);
/// Longest time that an absent record is cached: a domain goes live seconds after its records do.
const MAX_NEGATIVE_TTL: Duration = Duration::from_secs(5);

/// Names of clouds' metadata services. Refused by name too, since they may resolve to an address that is not listed.
const METADATA_NAMES: &[&str] =
    &["metadata.google.internal", "metadata.goog", "instance-data.ec2.internal", "metadata.azure.internal"];

/// Operator's settings of outgoing connections (`network.*`).
#[derive(Debug, Clone, Default)]
pub struct NetworkConfig {
    /// Private, loopback or link-local networks that may be connected to.
    pub allow_private: Vec<IpNet>,
    /// Static names; they override DNS and permit their private or loopback address.
    pub hosts: BTreeMap<String, HostTarget>,
    /// Resolvers to ask; empty: the system's.
    pub dns_servers: Vec<SocketAddr>,
}

/// Address of a static host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostTarget {
    /// Address to dial.
    pub ip: IpAddr,
    /// Port to dial, with plain HTTP, whatever the URL says; none: the URL's port and scheme.
    pub port: Option<u16>,
}

impl FromStr for HostTarget {
    type Err = BadHostTarget;

    /// Reads `127.0.0.1:9000`, `[::1]:9000`, `127.0.0.1`, `::1` or `[::1]`.
    fn from_str(text: &str) -> Result<HostTarget, BadHostTarget> {
        if let Ok(address) = text.parse::<SocketAddr>() {
            if address.port() == 0 {
                return Err(BadHostTarget(text.to_owned()));
            }
            return Ok(HostTarget { ip: address.ip(), port: Some(address.port()) });
        }
        let ip = unbracketed(text).parse().map_err(|_| BadHostTarget(text.to_owned()))?;
        Ok(HostTarget { ip, port: None })
    }
}

impl fmt::Display for HostTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => SocketAddr::new(self.ip, port).fmt(f),
            None => self.ip.fmt(f),
        }
    }
}

/// The text of a static host is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an IP address with an optional port, such as 127.0.0.1:9000")]
pub struct BadHostTarget(String);

/// Addresses for the requests to a host, all of which passed the guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// Addresses to try, in order.
    pub addresses: Vec<SocketAddr>,
    /// True when the static host names a port: plain HTTP, whatever the URL says.
    pub plain_http: bool,
}

/// Error of connecting to a host.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The name, or one of its addresses, is not on the public internet.
    #[error("{host} is not allowed: {reason}")]
    Refused {
        /// Requested name or address.
        host: String,
        /// Class of the refused address.
        reason: Refusal,
    },
    /// DNS says that the name does not exist or has no address.
    #[error("{0} has no address in DNS")]
    NoSuchHost(String),
    /// DNS did not answer; trying again later may help.
    #[error("DNS did not answer for {host}")]
    Lookup {
        /// Requested name.
        host: String,
        /// Error of the resolver; none: it timed out.
        #[source]
        source: Option<Box<NetError>>,
    },
    /// No address accepted a connection.
    #[error("could not connect to {host}")]
    Connect {
        /// Requested name or address.
        host: String,
        /// The last address's error.
        #[source]
        source: io::Error,
    },
    /// Not a name that can be on the internet: `localhost`, a single label, malformed.
    #[error("{0:?} is not a public host name")]
    BadHost(String),
    /// The resolver could not be set up.
    #[error("could not set up the DNS resolver")]
    Resolver(#[source] Box<NetError>),
}

impl NetworkError {
    /// Returns true when the same request may succeed a little later.
    pub fn is_transient(&self) -> bool {
        matches!(self, NetworkError::Lookup { .. } | NetworkError::Connect { .. })
    }

    /// Returns true when the guard refused the address, as opposed to a failure of the network.
    pub fn is_refused(&self) -> bool {
        matches!(self, NetworkError::Refused { .. } | NetworkError::BadHost(_))
    }
}

/// Outgoing connections. Cheap to clone; clones share the resolver and its cache.
#[derive(Debug, Clone)]
pub struct Network(Arc<Inner>);

struct Inner {
    guard: Guard,
    hosts: BTreeMap<String, HostTarget>,
    resolver: TokioResolver,
    /// Host that the operator has named for a service of the operator's own.
    named: Option<String>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("guard", &self.guard)
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

impl Network {
    /// Sets the resolver up. Sends nothing yet.
    pub fn new(config: NetworkConfig) -> Result<Network, NetworkError> {
        let resolver =
            build_resolver(&config.dns_servers).map_err(|e| NetworkError::Resolver(Box::new(e)))?;
        let mut hosts = BTreeMap::new();
        for (name, target) in config.hosts {
            hosts.insert(canonical_name(&name).ok_or(NetworkError::BadHost(name))?, target);
        }
        let guard = Guard { allow_private: config.allow_private, ..Guard::default() };
        Ok(Network(Arc::new(Inner { guard, hosts, resolver, named: None })))
    }

    /// Returns a network that also reaches one host in private or loopback space, because the operator has named it: the
    /// address of a model's server. Metadata and link-local addresses stay refused, as does every other private host.
    pub fn with_named_host(&self, host: &str) -> Network {
        let Inner { guard, hosts, resolver, .. } = &*self.0;
        let (guard, hosts, resolver) = (guard.clone(), hosts.clone(), resolver.clone());
        Network(Arc::new(Inner { guard, hosts, resolver, named: canonical_name(host) }))
    }

    /// Returns a network that also refuses these listeners of this process, on every address that leads to them.
    pub fn without(&self, listeners: impl IntoIterator<Item = SocketAddr>) -> Network {
        let Inner { guard, hosts, resolver, named } = &*self.0;
        let own = guard.own_listeners.iter().copied().chain(listeners).collect();
        let guard = Guard { own_listeners: own, ..guard.clone() };
        let (hosts, resolver, named) = (hosts.clone(), resolver.clone(), named.clone());
        Network(Arc::new(Inner { guard, hosts, resolver, named }))
    }

    /// Resolves `host:port`: static hosts first, then IP literals, then DNS.
    ///
    /// One refused address refuses the whole name: a name with a public and a private address is an attack or a mistake.
    pub async fn resolve(&self, host: &str, port: u16) -> Result<Destination, NetworkError> {
        let destination = self.locate(host, port).await?;
        let guard = &self.0.guard;
        let target = self.is_static(host);
        let check = match target.map(|target| target.port) {
            _ if self.is_named(host) => Guard::check_named,
            // A static host is its own permission, for the port that it names.
            Some(Some(_)) => Guard::check_named,
            Some(None) => Guard::check_static,
            None => Guard::check,
        };
        for address in &destination.addresses {
            check(guard, *address).map_err(|reason| {
                tracing::debug!(host, %address, %reason, "address refused");
                NetworkError::Refused { host: host.to_owned(), reason }
            })?;
        }
        Ok(destination)
    }

    /// Opens a TCP connection to `host:port`, trying the addresses in order, each for at most 5 s.
    ///
    /// The address that is dialled is the one that was checked, so a name that changes its answer gains nothing.
    pub async fn connect(&self, host: &str, port: u16) -> Result<(TcpStream, Destination), NetworkError> {
        let destination = self.resolve(host, port).await?;

        let mut last_error = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in &destination.addresses {
            match dial(*address).await {
                Ok(stream) => return Ok((stream, destination)),
                Err(error) => last_error = error,
            }
        }
        Err(NetworkError::Connect { host: host.to_owned(), source: last_error })
    }

    /// Finds the static entry of a host, if it has one.
    pub fn is_static(&self, host: &str) -> Option<&HostTarget> {
        self.0.hosts.get(&canonical_name(host)?)
    }

    pub fn guard(&self) -> &Guard {
        &self.0.guard
    }

    async fn locate(&self, host: &str, port: u16) -> Result<Destination, NetworkError> {
        let name = canonical_name(host).ok_or_else(|| NetworkError::BadHost(host.to_owned()))?;
        if let Some(target) = self.0.hosts.get(&name) {
            return Ok(Destination {
                addresses: vec![SocketAddr::new(target.ip, target.port.unwrap_or(port))],
                plain_http: target.port.is_some(),
            });
        }
        if let Ok(ip) = name.parse() {
            return Ok(Destination { addresses: vec![SocketAddr::new(ip, port)], plain_http: false });
        }
        if METADATA_NAMES.contains(&name.as_str()) {
            return Err(NetworkError::Refused { host: name, reason: Refusal::Metadata });
        }
        if self.is_named(&name) {
            if name == "localhost" {
                let addresses = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
                let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
                return Ok(Destination { addresses, plain_http: false });
            }
        } else if !is_public_name(&name) {
            return Err(NetworkError::BadHost(host.to_owned()));
        }
        self.look_up(name, port).await
    }

    fn is_named(&self, host: &str) -> bool {
        self.0.named.is_some() && self.0.named == canonical_name(host)
    }

    async fn look_up(&self, name: String, port: u16) -> Result<Destination, NetworkError> {
        // The final dot keeps the system's search list out of it.
        let question = self.0.resolver.lookup_ip(format!("{name}."));
        let response = match tokio::time::timeout(LOOKUP_TIMEOUT, question).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if dns::is_absence(&error) => return Err(NetworkError::NoSuchHost(name)),
            Ok(Err(error)) => return Err(NetworkError::Lookup { host: name, source: Some(Box::new(error)) }),
            Err(_) => return Err(NetworkError::Lookup { host: name, source: None }),
        };
        let addresses: Vec<SocketAddr> = response.iter().map(|ip| SocketAddr::new(ip, port)).collect();
        if addresses.is_empty() {
            return Err(NetworkError::NoSuchHost(name));
        }
        Ok(Destination { addresses, plain_http: false })
    }
}

async fn dial(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address))
        .await
        .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    let peer = stream.peer_addr()?;
    if (peer.ip(), peer.port()) != (address.ip(), address.port()) {
        return Err(io::Error::new(
            io::ErrorKind::ConnectionAborted,
            "connected to another address than was checked",
        ));
    }
    // Requests are written in one piece; waiting to fill a packet only delays them.
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn build_resolver(servers: &[SocketAddr]) -> Result<TokioResolver, NetError> {
    let mut builder = match servers {
        [] => TokioResolver::builder_tokio().unwrap_or_else(|error| {
            // What resolv.conf(5) promises when the file is missing.
            tracing::warn!(%error, "no system resolver configuration, asking the one on this machine");
            dns::builder_for(&[(Ipv4Addr::LOCALHOST, 53).into()])
        }),
        servers => {
            let mut builder = dns::builder_for(servers);
            // Whoever names the resolver wants its answers, not this machine's file.
            builder.options_mut().use_hosts_file = ResolveHosts::Never;
            builder
        }
    };
    let options: &mut ResolverOpts = builder.options_mut();
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.timeout = Duration::from_secs(2);
    options.attempts = 2;
    options.positive_max_ttl = Some(MAX_POSITIVE_TTL);
    options.negative_max_ttl = Some(MAX_NEGATIVE_TTL);
    builder.build()
}

/// Normalizes a host to the form of static hosts: lower-case A-labels without the final dot, or an IP address.
fn canonical_name(host: &str) -> Option<String> {
    if let Ok(ip) = unbracketed(host).parse::<IpAddr>() {
        return Some(ip.to_string());
    }
    match Host::parse(host).ok()? {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            (!name.is_empty()).then(|| name.to_owned())
        }
        // `Host::parse` has read forms such as 0x7f.1 the way browsers do.
        Host::Ipv4(ip) => Some(ip.to_string()),
        Host::Ipv6(ip) => Some(ip.to_string()),
    }
}

/// Returns true for a name that may be asked of DNS. Underscores are allowed: pages load from such hosts.
fn is_public_name(name: &str) -> bool {
    let label_is_fine = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    let is_local = name == "localhost" || name.ends_with(".localhost");
    name.len() <= 253 && name.contains('.') && name.split('.').all(label_is_fine) && !is_local
}

fn unbracketed(host: &str) -> &str {
    host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::testing::{DnsServer, Trouble};

    fn network(dns: &DnsServer, allow: &[&str], hosts: &[(&str, &str)]) -> Network {
        Network::new(NetworkConfig {
            allow_private: allow.iter().map(|net| net.parse().unwrap()).collect(),
            hosts: hosts.iter().map(|(name, target)| (name.to_string(), target.parse().unwrap())).collect(),
            dns_servers: vec![dns.address()],
        })
        .unwrap()
    }

    async fn addresses(network: &Network, host: &str, port: u16) -> Vec<String> {
        network.resolve(host, port).await.unwrap().addresses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_static_target_is_an_address_with_or_without_a_port() {
        let parse = |text: &str| text.parse::<HostTarget>().map(|target| target.to_string());

        for text in ["127.0.0.1:9000", "[::1]:9000", "127.0.0.1", "::1"] {
            assert_eq!(parse(text), Ok(text.to_owned()));
        }
        assert_eq!(parse("[::1]"), Ok("::1".to_owned()));
        for text in
            ["", "shop.test", "localhost:80", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:99999", "::1:9000x"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_goes_where_dns_says_ipv4_first() {
        let dns = DnsServer::start().await;
        dns.leads_to("shop.example", &["2606:4700::1", "93.184.215.14", "93.184.215.15"]);

        let found = addresses(&network(&dns, &[], &[]), "Shop.Example.", 443).await;

        assert_eq!(found[2], "[2606:4700::1]:443");
        assert!(found[..2].contains(&"93.184.215.14:443".to_owned()), "{found:?}");
    }

    #[tokio::test]
    async fn a_static_host_wins_over_dns_and_its_port_means_plain_http() {
        let dns = DnsServer::start().await;
        dns.leads_to("shop.example", &["93.184.215.14"]);
        let hosts =
            [("Shop.Example", "127.0.0.1:9000"), ("bare.test", "127.0.0.2"), ("bücher.example", "127.0.0.3")];
        let network = network(&dns, &["127.0.0.0/8"], &hosts);

        let with_port = network.resolve("shop.example", 443).await.unwrap();
        let without = network.resolve("bare.test", 443).await.unwrap();
        let idn = network.resolve("xn--bcher-kva.example", 443).await.unwrap();

        assert_eq!(
            with_port,
            Destination { addresses: vec!["127.0.0.1:9000".parse().unwrap()], plain_http: true }
        );
        assert_eq!(
            without,
            Destination { addresses: vec!["127.0.0.2:443".parse().unwrap()], plain_http: false }
        );
        assert_eq!(idn.addresses, ["127.0.0.3:443".parse().unwrap()]);
        assert!(network.is_static("SHOP.example").is_some() && network.is_static("other.example").is_none());
    }

    #[tokio::test]
    async fn a_static_host_is_its_own_permission_and_nothing_elses() {
        let dns = DnsServer::start().await;
        dns.leads_to("other.example", &["127.0.0.1"]);
        let hosts = [("a.test", "127.0.0.1:900"), ("b.test", "10.1.2.3"), ("c.test", "[::1]:9000")];
        let network = network(&dns, &[], &hosts);

        assert_eq!(addresses(&network, "a.test", 443).await, ["127.0.0.1:900"]);
        assert_eq!(addresses(&network, "B.test.", 443).await, ["10.1.2.3:443"]);
        assert_eq!(addresses(&network, "c.test", 80).await, ["[::1]:9000"]);
        for (host, port) in [("b.test", 22), ("127.0.0.1", 900), ("other.example", 900), ("10.1.2.3", 443)] {
            assert!(network.resolve(host, port).await.unwrap_err().is_refused(), "{host}:{port}");
        }
    }

    #[tokio::test]
    async fn a_static_host_is_no_way_to_metadata_or_to_ourselves() {
        let dns = DnsServer::start().await;
        let hosts = [
            ("b.test", "0.0.0.0:9000"),
            ("c.test", "169.254.169.254"),
            ("d.test", "169.254.1.1:80"),
            ("own.test", "127.0.0.1:9100"),
        ];
        let network = network(&dns, &["127.0.0.0/8", "0.0.0.0/32"], &hosts);
        let network = network.without(["127.0.0.1:9100".parse().unwrap()]);

        for host in ["b.test", "c.test", "d.test", "own.test"] {
            assert!(network.resolve(host, 80).await.unwrap_err().is_refused(), "{host}");
        }
        assert!(network.resolve("127.0.0.1", 9100).await.unwrap_err().is_refused());
        assert!(network.with_named_host("127.0.0.1").resolve("127.0.0.1", 9100).await.is_err());
        assert!(network.resolve("127.0.0.1", 9101).await.is_ok());
    }

    #[tokio::test]
    async fn only_the_host_that_the_operator_has_named_may_be_private() {
        let dns = DnsServer::start().await;
        dns.leads_to("ai.example", &["10.0.0.5"]);
        dns.leads_to("ollama", &["172.17.0.2"]);
        dns.leads_to("cloud.example", &["169.254.169.254"]);
        let network = network(&dns, &[], &[]);
        let named = |host| network.with_named_host(host);

        assert_eq!(addresses(&named("AI.example"), "ai.example", 6379).await, ["10.0.0.5:6379"]);
        assert_eq!(addresses(&named("ollama"), "ollama", 11434).await, ["172.17.0.2:11434"]);
        assert_eq!(addresses(&named("127.0.0.1"), "127.0.0.1", 22).await, ["127.0.0.1:22"]);
        assert_eq!(addresses(&named("localhost"), "localhost", 1).await, ["127.0.0.1:1", "[::1]:1"]);
        assert!(named("ai.example").resolve("127.0.0.1", 80).await.unwrap_err().is_refused());
        assert!(named("ai.example").resolve("ollama", 80).await.unwrap_err().is_refused());
        for metadata in ["cloud.example", "metadata.google.internal", "169.254.169.254"] {
            assert!(named(metadata).resolve(metadata, 80).await.unwrap_err().is_refused(), "{metadata}");
        }
    }

    #[tokio::test]
    async fn every_spelling_of_a_private_address_is_refused() {
        let dns = DnsServer::start().await;
        let network = network(&dns, &[], &[]);

        for host in [
            "127.0.0.1",
            "127.1",
            "0",
            "0x7f.1",
            "0x7f000001",
            "2130706433",
            "017700000001",
            "①②⑦.⓪.⓪.①",
            "[::1]",
            "::1",
            "[::ffff:10.0.0.1]",
            "[::]",
            "0.0.0.0",
            "169.254.169.254",
            "127.0.0.1.",
            "[fd00:ec2::254]",
            "metadata.google.internal",
            "Metadata.Google.Internal.",
        ] {
            let refused = network.resolve(host, 80).await;

            assert!(matches!(refused, Err(NetworkError::Refused { .. })), "{host}: {refused:?}");
        }
    }

    #[tokio::test]
    async fn names_that_cannot_be_public_are_never_asked_of_dns() {
        let dns = DnsServer::start().await;
        let network = network(&dns, &[], &[]);
        let long = "a".repeat(64) + ".example";

        for host in [
            "localhost",
            "LOCALHOST.",
            "db.localhost",
            "intranet",
            "",
            ".",
            "a..b",
            "a b.example",
            "x/y",
            &long,
        ] {
            let refused = network.resolve(host, 80).await;

            assert!(matches!(refused, Err(NetworkError::BadHost(_))), "{host}: {refused:?}");
        }
    }

    #[tokio::test]
    async fn one_private_address_refuses_the_whole_name() {
        let dns = DnsServer::start().await;
        dns.leads_to("mixed.example", &["93.184.215.14", "10.0.0.1"]);
        dns.leads_to("hidden.example", &["93.184.215.14", "64:ff9b::7f00:1"]);
        let network = network(&dns, &[], &[]);

        for host in ["mixed.example", "hidden.example"] {
            assert!(matches!(network.resolve(host, 80).await, Err(NetworkError::Refused { .. })), "{host}");
        }
    }

    #[tokio::test]
    async fn a_name_that_does_not_exist_and_a_resolver_that_fails_are_told_apart() {
        let dns = DnsServer::start().await;
        dns.leads_to("empty.example", &[]);
        dns.troubles("broken.example", Trouble::ServFail);
        dns.troubles("silent.example", Trouble::Silence);
        let network = network(&dns, &[], &[]);

        for host in ["nowhere.example", "empty.example"] {
            let error = network.resolve(host, 80).await.unwrap_err();
            assert!(
                matches!(error, NetworkError::NoSuchHost(_)) && !error.is_transient(),
                "{host}: {error:?}"
            );
        }
        for host in ["broken.example", "silent.example"] {
            let error = network.resolve(host, 80).await.unwrap_err();
            assert!(
                matches!(error, NetworkError::Lookup { .. }) && error.is_transient(),
                "{host}: {error:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_name_that_changes_to_a_private_address_is_never_connected_to() {
        let victim = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = victim.local_addr().unwrap().port();
        let dns = DnsServer::start().await;
        dns.leads_to_one_after_another("rebind.example", &[&["93.184.215.14"], &["127.0.0.1"]]);
        let network = network(&dns, &[], &[]);

        let first = addresses(&network, "rebind.example", port).await;
        let second = network.connect("rebind.example", port).await.unwrap_err();

        assert_eq!(first, [format!("93.184.215.14:{port}")]);
        assert!(matches!(second, NetworkError::Refused { reason: Refusal::Loopback, .. }), "{second:?}");
        let called = tokio::time::timeout(Duration::from_millis(50), victim.accept()).await;
        assert!(called.is_err(), "somebody called the victim");
    }

    #[tokio::test]
    async fn the_next_address_is_tried_when_one_does_not_answer() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        let dns = DnsServer::start().await;
        dns.leads_to("two.example", &["127.0.0.9", "127.0.0.1"]);
        let network = network(&dns, &["127.0.0.0/8"], &[]);

        let (stream, destination) = network.connect("two.example", port).await.unwrap();

        assert_eq!(stream.peer_addr().unwrap(), server.local_addr().unwrap());
        assert_eq!(destination.addresses.len(), 2);
    }

    #[tokio::test]
    async fn a_closed_port_is_a_transient_error() {
        let dns = DnsServer::start().await;
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();

        let error = network(&dns, &["127.0.0.0/8"], &[]).connect("127.0.0.1", port).await.unwrap_err();

        assert!(matches!(error, NetworkError::Connect { .. }) && error.is_transient(), "{error:?}");
    }
}
