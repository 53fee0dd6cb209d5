//! Counts of open tunnels: per client network, per domain and in all. Used by forwarding. A new tunnel is never refused:
//! beyond a limit the oldest tunnel of the largest holder ends. Must never let one client or one domain take the connections of
//! all others, or keep out those that hold few.
//! See docs/decisions/0268.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ipnet::IpNet;
use tokio_util::sync::CancellationToken;

use platform::networks::client_networks;

/// Limits of the open tunnels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TunnelLimits {
    /// Most tunnels of a domain.
    pub per_domain: usize,
    /// Most tunnels of all domains together.
    pub all: usize,
}

impl TunnelLimits {
    /// Derives the limits from the connections that a listener has: half of them for tunnels, a quarter for a domain.
    pub const fn of(connections: usize) -> TunnelLimits {
        const fn at_least_one(tunnels: usize) -> usize {
            if tunnels == 0 { 1 } else { tunnels }
        }
        TunnelLimits { per_domain: at_least_one(connections / 4), all: at_least_one(connections / 2) }
    }
}

/// The open tunnels. Cheap to clone.
#[derive(Debug, Clone)]
pub struct OpenTunnels {
    limits: TunnelLimits,
    /// Open tunnels by number, that is, by age.
    open: Arc<Mutex<BTreeMap<u64, TunnelHolder>>>,
    /// Number of the next tunnel. An evicted tunnel leaves the map before it ends, so its number must not be used again.
    next: Arc<AtomicU64>,
}

#[derive(Debug)]
struct TunnelHolder {
    domain: String,
    network: IpNet,
    end: CancellationToken,
}

/// A tunnel that counts until this value is dropped.
#[derive(Debug)]
pub struct OpenTunnel {
    number: u64,
    end: CancellationToken,
    tunnels: OpenTunnels,
}

impl OpenTunnel {
    /// Waits until the tunnel is evicted in favour of another one.
    pub async fn ended(&self) {
        self.end.cancelled().await;
    }
}

impl Drop for OpenTunnel {
    fn drop(&mut self) {
        self.tunnels.lock().remove(&self.number);
    }
}

impl OpenTunnels {
    /// Returns an empty set with these limits.
    pub fn new(limits: TunnelLimits) -> OpenTunnels {
        OpenTunnels { limits, open: Arc::default(), next: Arc::default() }
    }

    /// Counts a new tunnel. Evicts another one when a limit is reached.
    pub fn open(&self, domain: &str, client: IpAddr) -> OpenTunnel {
        let network = *client_networks(client).last().expect("every address is in a network");
        let end = CancellationToken::new();
        let holder = TunnelHolder { domain: domain.to_owned(), network, end: end.clone() };
        let mut open = self.lock();
        if let Some(number) = self.find_surplus(&open, &holder)
            && let Some(ended) = open.remove(&number)
        {
            ended.end.cancel();
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        open.insert(number, holder);
        drop(open);
        OpenTunnel { number, end, tunnels: self.clone() }
    }

    /// Finds the tunnel to evict before `new` is counted.
    fn find_surplus(&self, open: &BTreeMap<u64, TunnelHolder>, new: &TunnelHolder) -> Option<u64> {
        let TunnelLimits { per_domain, all } = self.limits;
        let of_domain: Vec<_> = open.iter().filter(|(_, holder)| holder.domain == new.domain).collect();
        if of_domain.len() >= per_domain {
            return oldest(&of_largest(of_domain, |holder| &holder.network));
        }
        if open.len() >= all {
            let of_domain = of_largest(open.iter().collect(), |holder| &holder.domain);
            return oldest(&of_largest(of_domain, |holder| &holder.network));
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, TunnelHolder>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Numbered<'a> = (&'a u64, &'a TunnelHolder);

fn oldest(tunnels: &[Numbered<'_>]) -> Option<u64> {
    tunnels.first().map(|(number, _)| **number)
}

/// Returns the tunnels of the largest holder, by age. Among equally large holders the one with the oldest tunnel counts.
fn of_largest<'a, K: Eq + Hash + 'a>(
    tunnels: Vec<Numbered<'a>>,
    key: impl Fn(&'a TunnelHolder) -> &'a K,
) -> Vec<Numbered<'a>> {
    let mut counts: HashMap<&K, usize> = HashMap::new();
    for (_, holder) in &tunnels {
        *counts.entry(key(holder)).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or_default();
    let largest = tunnels.iter().map(|(_, holder)| key(holder)).find(|holder| counts[*holder] == most);
    tunnels.into_iter().filter(|(_, holder)| Some(key(holder)) == largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: TunnelLimits = TunnelLimits { per_domain: 4, all: 6 };

    /// Opens tunnels of domains for addresses, one after the other. Returns the indexes of those that are still open.
    fn still_open(opened: &[(&str, &str)]) -> Vec<usize> {
        let tunnels = OpenTunnels::new(LIMITS);
        let open = opened.iter().map(|(domain, client)| tunnels.open(domain, client.parse().unwrap()));
        let open: Vec<OpenTunnel> = open.collect();
        (0..open.len()).filter(|number| !open[*number].end.is_cancelled()).collect()
    }

    #[test]
    fn a_network_may_hold_all_that_its_domain_may_and_makes_way_for_others() {
        let opened = [("a", "192.0.2.1"), ("a", "192.0.2.2"), ("a", "192.0.2.3"), ("a", "192.0.2.4")];

        assert_eq!(still_open(&opened), [0, 1, 2, 3]);
        assert_eq!(
            still_open(&[&opened[..], &[("a", "198.51.100.1"), ("a", "192.0.2.5")]].concat()),
            [2, 3, 4, 5]
        );
        let ipv6 = [("a", "2001:db8:1:1::1"), ("a", "2001:db8:1:2::1"), ("a", "2001:db8:1:3::1")];
        let crowd = [&ipv6[..], &[("a", "2001:db8:2::1"), ("a", "2001:db8:3::1")]].concat();
        assert_eq!(still_open(&crowd), [1, 2, 3, 4]);
    }

    #[test]
    fn a_domain_beyond_its_limit_ends_the_oldest_tunnel_of_its_largest_network() {
        let opened = [
            ("a", "192.0.2.1"),
            ("a", "198.51.100.1"),
            ("a", "203.0.113.1"),
            ("a", "203.0.113.2"),
            ("a", "9.9.9.9"),
        ];

        assert_eq!(still_open(&opened), [0, 1, 3, 4]);
    }

    #[test]
    fn beyond_the_limit_of_all_the_largest_domain_makes_room() {
        let opened = [
            ("small", "192.0.2.1"),
            ("large", "192.0.2.1"),
            ("large", "198.51.100.1"),
            ("large", "198.51.100.2"),
            ("large", "203.0.113.1"),
            ("other", "192.0.2.1"),
            ("new", "192.0.2.1"),
        ];

        assert_eq!(still_open(&opened), [0, 1, 3, 4, 5, 6]);
    }

    #[test]
    fn tunnels_that_have_ended_do_not_count() {
        let tunnels = OpenTunnels::new(LIMITS);
        for _ in 0..10 {
            let open = tunnels.open("a", "192.0.2.1".parse().unwrap());
            assert!(!open.end.is_cancelled());
        }

        assert!(tunnels.lock().is_empty());
    }

    #[test]
    fn a_tunnel_that_made_room_takes_nobody_along_when_it_ends() {
        let tunnels = OpenTunnels::new(TunnelLimits { per_domain: 1, all: 6 });
        let client = "192.0.2.1".parse().unwrap();
        let first = tunnels.open("a", client);
        let second = tunnels.open("a", client);

        drop(first);
        let _third = tunnels.open("a", client);

        assert!(second.end.is_cancelled(), "it still counted");
    }
}
