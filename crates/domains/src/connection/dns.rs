//! DNS lookups of a domain: the addresses of its names, and its ownership record. Used by the connection check. Results are
//! not cached, so that a check sees the current records. Must never take a failing resolver for "no record".
//! See docs/decisions/0073.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crawler::{HostTarget, Network, dns};
use hickory_resolver::TokioResolver;
use hickory_resolver::config::ServerOrderingStrategy;
use hickory_resolver::net::NetError;
use hickory_resolver::proto::rr::{RData, Record, RecordType};
use serde::{Deserialize, Serialize};

use super::dns_records::checked_names;
use platform::config::Config;

/// Timeout of one query, retries included.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of one attempt at one server.
const TRY_TIMEOUT: Duration = Duration::from_secs(2);

/// Result of the lookup of a name's addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DnsLookup {
    /// A and AAAA addresses at the end of the name's aliases.
    Addresses(Vec<IpAddr>),
    /// The name does not exist, or has no address.
    Nothing,
    /// DNS did not answer.
    Failed,
}

/// Name that was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DnsName {
    /// Full name.
    pub name: String,
    /// Result of the lookup.
    pub found: DnsLookup,
}

/// Result of the lookup of a TXT record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Txt {
    There,
    /// The record does not exist, or has another value.
    Missing,
    /// DNS did not answer.
    Failed,
}

/// Texts of a name's TXT records; none when DNS did not answer.
#[derive(Debug)]
pub struct TxtRecords(Option<Vec<Vec<u8>>>);

impl TxtRecords {
    /// Looks for a record with exactly this text.
    pub fn say(&self, text: &str) -> Txt {
        match &self.0 {
            None => Txt::Failed,
            Some(texts) if texts.iter().any(|found| found == text.as_bytes()) => Txt::There,
            Some(_) => Txt::Missing,
        }
    }
}

/// Client of DNS. Cheap to clone.
#[derive(Clone)]
pub struct Dns {
    /// None when the resolver could not be set up; every query fails then.
    resolver: Option<TokioResolver>,
    network: Network,
    ours: Ours,
}

/// Addresses that records must point at.
#[derive(Debug, Clone)]
pub struct Ours {
    addresses: Vec<IpAddr>,
    /// Ports of the edge, for static hosts that name one.
    ports: Vec<u16>,
}

impl Ours {
    /// Reads the addresses and ports from the configuration.
    pub fn new(config: &Config) -> Ours {
        let edge = &config.edge;
        let v4 = edge.public_ipv4.iter().map(|ip| IpAddr::from(*ip));
        let v6 = edge.public_ipv6.iter().map(|ip| IpAddr::from(*ip));
        let listening = [edge.http_listen, edge.https_listen].into_iter().flatten();
        Ours {
            addresses: v4.chain(v6).collect(),
            ports: listening.map(|address| address.port()).chain([80, 443]).collect(),
        }
    }

    /// Returns true when there are no addresses, so that no record can match.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// Decides whether an address is the service's.
    pub fn contain(&self, address: IpAddr) -> bool {
        self.addresses.contains(&address.to_canonical())
    }

    fn are_at(&self, target: &HostTarget) -> bool {
        self.contain(target.ip) && target.port.is_none_or(|port| self.ports.contains(&port))
    }
}

impl Dns {
    /// Makes a client of the servers of `network.dns_servers`, or of the system's servers if none. Sends nothing yet.
    pub fn new(config: &Config, network: &Network) -> Dns {
        let resolver = build(&config.network.dns_servers);
        if let Err(error) = &resolver {
            tracing::warn!(%error, "no DNS resolver: no domain's records can be checked");
        }
        Dns { resolver: resolver.ok(), network: network.clone(), ours: Ours::new(config) }
    }

    /// Returns the addresses that records must point at.
    pub fn ours(&self) -> &Ours {
        &self.ours
    }

    /// Looks up the addresses of a domain's names: the domain itself first, then `www.` of an apex.
    pub async fn look_up(&self, host: &str) -> Vec<DnsName> {
        let names = checked_names(host);
        if self.static_address(host).is_some() {
            // An apex without DNS has no DNS for its `www.` either.
            let known = names.into_iter().filter_map(|name| {
                let found = DnsLookup::Addresses(vec![self.static_address(&name)?]);
                Some(DnsName { name, found })
            });
            return known.collect();
        }
        let looked_up = names.into_iter().map(async |name| {
            let found = match self.static_address(&name) {
                Some(address) => DnsLookup::Addresses(vec![address]),
                None => self.addresses_of(&name).await,
            };
            DnsName { name, found }
        });
        futures::future::join_all(looked_up).await
    }

    /// Looks up the texts of a name's TXT records.
    pub async fn texts_of(&self, name: &str) -> TxtRecords {
        match self.ask(name, RecordType::TXT).await {
            DnsResponse::Records(records) => {
                let text = |record: &Record| match &record.data {
                    RData::TXT(txt) => Some(txt.txt_data.concat()),
                    _ => None,
                };
                TxtRecords(Some(records.iter().filter_map(text).collect()))
            }
            DnsResponse::Nothing => TxtRecords(Some(Vec::new())),
            DnsResponse::Failed => TxtRecords(None),
        }
    }

    /// Returns the address of a static host (`network.hosts`) at this service's own edge, which counts as a record. Another
    /// static host only tells how the service reaches the origin, and nothing about public DNS.
    fn static_address(&self, name: &str) -> Option<IpAddr> {
        let target = self.network.is_static(name)?;
        self.ours.are_at(target).then_some(target.ip)
    }

    async fn addresses_of(&self, name: &str) -> DnsLookup {
        let responses =
            futures::future::join(self.ask(name, RecordType::A), self.ask(name, RecordType::AAAA)).await;
        let mut addresses = Vec::new();
        for response in [responses.0, responses.1] {
            match response {
                DnsResponse::Records(records) => addresses.extend(records.iter().filter_map(address)),
                DnsResponse::Nothing => {}
                // A partial answer counts as none: the missing record could point elsewhere.
                DnsResponse::Failed => return DnsLookup::Failed,
            }
        }
        if addresses.is_empty() { DnsLookup::Nothing } else { DnsLookup::Addresses(addresses) }
    }

    async fn ask(&self, name: &str, kind: RecordType) -> DnsResponse {
        let Some(resolver) = &self.resolver else { return DnsResponse::Failed };
        // The final dot disables the system's search list.
        match tokio::time::timeout(TIMEOUT, resolver.lookup(format!("{name}."), kind)).await {
            Ok(Ok(found)) => DnsResponse::Records(found.answers().to_vec()),
            Ok(Err(error)) if dns::is_absence(&error) => DnsResponse::Nothing,
            Ok(Err(error)) => {
                tracing::debug!(name, %kind, %error, "DNS did not answer");
                DnsResponse::Failed
            }
            Err(_) => DnsResponse::Failed,
        }
    }
}

enum DnsResponse {
    Records(Vec<Record>),
    Nothing,
    Failed,
}

fn address(record: &Record) -> Option<IpAddr> {
    match &record.data {
        RData::A(address) => Some(address.0.into()),
        RData::AAAA(address) => Some(IpAddr::from(address.0).to_canonical()),
        _ => None,
    }
}

fn build(servers: &[SocketAddr]) -> Result<TokioResolver, NetError> {
    let mut builder = dns::resolver(servers)?;
    let options = builder.options_mut();
    options.cache_size = 0;
    options.timeout = TRY_TIMEOUT;
    options.attempts = 2;
    options.server_ordering_strategy = ServerOrderingStrategy::UserProvidedOrder;
    builder.build()
}
