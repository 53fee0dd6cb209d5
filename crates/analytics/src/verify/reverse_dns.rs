//! Forward-confirmed reverse DNS: an address has a name, the name is the provider's, and the name has that address.
//! Must never mark a client as an impostor because a resolver fails: the result is then unknown.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crawler::dns;
use hickory_resolver::TokioResolver;
use hickory_resolver::proto::rr::RData;

use crate::model::Verified;

/// Timeout of one DNS query, retries included.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of names of an address that are checked.
const MAX_NAMES: usize = 8;

/// Resolver for reverse DNS. Cheap to clone.
#[derive(Clone)]
pub struct ReverseDns(Option<TokioResolver>);

impl ReverseDns {
    /// Makes a resolver with the given servers; none: the system's.
    pub fn new(servers: &[SocketAddr]) -> ReverseDns {
        let resolver = dns::resolver(servers).and_then(|builder| builder.build());
        if let Err(error) = &resolver {
            tracing::warn!(%error, "no resolver for crawlers' addresses: they are not checked by name");
        }
        ReverseDns(resolver.ok())
    }

    /// Checks whether an address is one of a provider whose names end in `suffixes`.
    pub async fn check(&self, address: IpAddr, suffixes: &[String]) -> Verified {
        let Some(resolver) = &self.0 else { return Verified::Unknown };
        let names = match tokio::time::timeout(TIMEOUT, resolver.reverse_lookup(address)).await {
            Ok(Ok(response)) => response
                .answers()
                .iter()
                .filter_map(|record| match &record.data {
                    RData::PTR(name) => Some(name.to_utf8().trim_end_matches('.').to_ascii_lowercase()),
                    _ => None,
                })
                .take(MAX_NAMES)
                .collect::<Vec<_>>(),
            Ok(Err(error)) if dns::is_absence(&error) => return Verified::No,
            _ => return Verified::Unknown,
        };
        let mut outcome = Verified::No;
        for name in names.iter().filter(|name| has_suffix(name, suffixes)) {
            match tokio::time::timeout(TIMEOUT, resolver.lookup_ip(format!("{name}."))).await {
                Ok(Ok(response))
                    if response.iter().any(|found| found.to_canonical() == address.to_canonical()) =>
                {
                    return Verified::Yes;
                }
                Ok(Ok(_)) => {}
                Ok(Err(error)) if dns::is_absence(&error) => {}
                _ => outcome = Verified::Unknown,
            }
        }
        outcome
    }
}

/// Decides whether a name ends in one of the suffixes at a label's boundary: `evilgooglebot.com` is not `googlebot.com`.
fn has_suffix(name: &str, suffixes: &[String]) -> bool {
    suffixes.iter().any(|suffix| {
        let suffix = suffix.trim_start_matches('.');
        name == suffix || name.strip_suffix(suffix).is_some_and(|rest| rest.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_belongs_to_a_provider_at_a_labels_boundary_only() {
        let suffixes = ["googlebot.com".to_owned(), ".search.msn.com".to_owned()];

        for name in ["crawl-66-249-66-1.googlebot.com", "googlebot.com", "msnbot-1.search.msn.com"] {
            assert!(has_suffix(name, &suffixes), "{name}");
        }
        for name in
            ["evilgooglebot.com", "googlebot.com.evil.example", "search.msn.com.evil.example", "msn.com"]
        {
            assert!(!has_suffix(name, &suffixes), "{name}");
        }
    }
}
