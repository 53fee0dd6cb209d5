//! How many connections a listener has open, in all and per client address. Used by every listener; a connection holds its
//! place until the last byte of its tunnel. Must never let one address take the places of everybody.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::tally::{Counted, Tally};

/// The places of one listener. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Admission {
    places: Arc<Semaphore>,
    per_address: usize,
    /// The operator's own proxies, through which everybody comes.
    excepted: Arc<[IpNet]>,
    open: Tally<IpAddr>,
}

/// The place of one connection; free again when dropped.
#[derive(Debug)]
pub struct Place {
    _permit: OwnedSemaphorePermit,
    _counted: Option<Counted<IpAddr>>,
}

impl Admission {
    /// So many places, of which one address may have `per_address`.
    pub fn new(places: usize, per_address: usize, excepted: &[IpNet]) -> Admission {
        let places = Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS)));
        Admission { places, per_address, excepted: excepted.into(), open: Tally::default() }
    }

    /// Waits for a free place: until then connections stay in the system's queue.
    pub async fn wait(&self) -> OwnedSemaphorePermit {
        self.places.clone().acquire_owned().await.expect("the semaphore is never closed")
    }

    /// Gives the place to a client; none when its address has enough of them.
    pub fn take(&self, permit: OwnedSemaphorePermit, client: IpAddr) -> Option<Place> {
        let client = client.to_canonical();
        if self.excepted.iter().any(|network| network.contains(&client)) {
            return Some(Place { _permit: permit, _counted: None });
        }
        let counted = self.open.count(household(client), self.per_address)?;
        Some(Place { _permit: permit, _counted: Some(counted) })
    }
}

/// What one customer of a provider has: an address, or with IPv6 the network of 64 bits that it can choose from.
pub(super) fn household(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V4(_) => client,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn take(admission: &Admission, client: &str) -> Option<Place> {
        let permit = admission.wait().await;
        admission.take(permit, client.parse().unwrap())
    }

    #[tokio::test]
    async fn an_address_with_enough_connections_gets_no_further_one_until_one_ends() {
        let admission = Admission::new(10, 2, &[]);
        let first = take(&admission, "192.0.2.1").await;
        let second = take(&admission, "::ffff:192.0.2.1").await;

        assert!(first.is_some() && second.is_some());
        assert!(take(&admission, "192.0.2.1").await.is_none());
        assert!(take(&admission, "192.0.2.2").await.is_some());
        drop(first);
        assert!(take(&admission, "192.0.2.1").await.is_some());
    }

    #[tokio::test]
    async fn addresses_of_one_ipv6_network_count_together() {
        let admission = Admission::new(10, 1, &[]);
        let _place = take(&admission, "2001:db8::1").await;

        assert!(take(&admission, "2001:db8::ffff:2").await.is_none());
        assert!(take(&admission, "2001:db8:0:1::1").await.is_some());
    }

    #[tokio::test]
    async fn a_trusted_proxy_brings_everybody() {
        let admission = Admission::new(10, 1, &["10.0.0.0/8".parse().unwrap()]);

        let places = [take(&admission, "10.0.0.1").await, take(&admission, "10.0.0.1").await];

        assert!(places.iter().all(Option::is_some));
    }

    #[tokio::test]
    async fn a_refused_connection_leaves_its_place_and_nothing_in_memory() {
        let admission = Admission::new(2, 1, &[]);
        let place = take(&admission, "192.0.2.1").await;
        assert!(take(&admission, "192.0.2.1").await.is_none());

        assert_eq!(admission.places.available_permits(), 1);
        drop(place);
        assert!(admission.open.is_empty());
    }
}
