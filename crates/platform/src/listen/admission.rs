//! Limits of the open connections of a listener, in all and per client address. Used by every listener; a connection holds its
//! slot until the last byte of its tunnel. Must never let one address take all slots, or connections that
//! do nothing keep a new client waiting.
//! See docs/decisions/0268.

use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::open_connections::{OpenConnection, OpenConnections};
use crate::limits::{KeyedCount, KeyedSlot};
use crate::networks::customer_address;

/// Divisor of the number of slots: that share is kept free for new clients, by ending connections that wait for their clients.
const SPARE: usize = 8;
/// Time between two looks at the number of free slots. By the next look another connection may have waited for long
/// enough to be ended.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The slots of one listener. Cheap to clone.
#[derive(Clone)]
pub struct ConnectionAdmission {
    places: Arc<Semaphore>,
    /// Number of slots to keep free.
    spare: usize,
    per_address: usize,
    /// The operator's own proxies, through which everybody comes.
    excepted: Arc<[IpNet]>,
    reads_proxy_header: bool,
    /// Number of open connections.
    gauge: metrics::Gauge,
    open: KeyedCount<IpAddr>,
    open_connections: OpenConnections,
}

/// The slot of one connection; free again when dropped.
pub struct ConnectionSlot {
    // Declared before the permit and so dropped before it: a slot that is free counts for no address any more.
    counted: Option<(KeyedSlot<IpAddr>, OpenConnection)>,
    _measured: Measured,
    _permit: OwnedSemaphorePermit,
}

/// Increment of a gauge, until dropped.
struct Measured(metrics::Gauge);

impl Measured {
    fn new(gauge: &metrics::Gauge) -> Measured {
        gauge.increment(1.0);
        Measured(gauge.clone())
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

impl ConnectionAdmission {
    /// Creates the limits of a number of slots, of which one address may have `per_address`.
    pub fn new(places: usize, per_address: usize, excepted: &[IpNet]) -> ConnectionAdmission {
        let places = places.min(Semaphore::MAX_PERMITS);
        ConnectionAdmission {
            places: Arc::new(Semaphore::new(places)),
            spare: (places / SPARE).max(1),
            per_address,
            excepted: excepted.into(),
            reads_proxy_header: false,
            gauge: metrics::Gauge::noop(),
            open: KeyedCount::default(),
            open_connections: OpenConnections::default(),
        }
    }

    /// Shows the number of open connections in a gauge.
    pub fn measured(self, gauge: metrics::Gauge) -> ConnectionAdmission {
        ConnectionAdmission { gauge, ..self }
    }

    /// Has every connection begin with a PROXY header of one of the operator's own proxies.
    pub fn with_proxy_header(self) -> ConnectionAdmission {
        ConnectionAdmission { reads_proxy_header: true, ..self }
    }

    /// Returns true when every connection begins with a PROXY header.
    pub fn reads_proxy_header(&self) -> bool {
        self.reads_proxy_header
    }

    /// Returns true for an address of the operator's own proxies.
    pub fn is_trusted(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.excepted.iter().any(|network| network.contains(&peer))
    }

    /// Keeps slots free for as long as the listener lives: ends connections that do nothing.
    pub async fn keep_places_free(&self) {
        loop {
            tokio::time::sleep(LOOK_AGAIN).await;
            let free = self.places.available_permits();
            if free < self.spare {
                let ended = self.open_connections.give_up(self.spare - free);
                if ended > 0 {
                    tracing::debug!(
                        ended,
                        "places run short: ended connections that waited for their clients"
                    );
                }
            }
        }
    }

    /// Waits for a free slot: until then connections stay in the system's queue.
    pub async fn wait(&self) -> OwnedSemaphorePermit {
        self.places.clone().acquire_owned().await.expect("the semaphore is never closed")
    }

    /// Gives the slot to a client. Returns `None` when the client's address has its maximum, or as many slots as are free.
    pub fn take(&self, permit: OwnedSemaphorePermit, client: IpAddr) -> Option<ConnectionSlot> {
        if self.is_trusted(client) {
            let measured = Measured::new(&self.gauge);
            return Some(ConnectionSlot { counted: None, _measured: measured, _permit: permit });
        }
        let client = customer_address(client);
        let free = self.places.available_permits() + 1;
        let counted = self.open.acquire(client, self.per_address.min(free))?;
        Some(ConnectionSlot {
            counted: Some((counted, self.open_connections.join(client))),
            _measured: Measured::new(&self.gauge),
            _permit: permit,
        })
    }
}

impl ConnectionSlot {
    /// Sets the time since which the client is expected to send; none while it is not.
    pub fn reads(&self, since: Option<Instant>) {
        self.with_connection(|connection| connection.reads(since));
    }

    /// Sets the time since which the client does not take what it is sent; none while it does.
    pub fn writes(&self, since: Option<Instant>) {
        self.with_connection(|connection| connection.writes(since));
    }

    /// Records that the client has taken bytes.
    pub fn moved(&self) {
        self.with_connection(OpenConnection::moved);
    }

    /// Returns true when a new client gets the slot; wakes the task when that is so.
    pub fn is_given_up(&self, context: &Context<'_>) -> bool {
        self.counted.as_ref().is_some_and(|(_, connection)| connection.is_given_up(context))
    }

    /// Waits until a new client is to have the slot.
    pub async fn given_up(&self) {
        poll_fn(|context| if self.is_given_up(context) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn with_connection(&self, act: impl FnOnce(&OpenConnection)) {
        if let Some((_, connection)) = &self.counted {
            act(connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn take(admission: &ConnectionAdmission, client: &str) -> Option<ConnectionSlot> {
        let permit = admission.wait().await;
        admission.take(permit, client.parse().unwrap())
    }

    #[tokio::test]
    async fn an_address_with_enough_connections_gets_no_further_one_until_one_ends() {
        let admission = ConnectionAdmission::new(10, 2, &[]);
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
        let admission = ConnectionAdmission::new(10, 1, &[]);
        let _place = take(&admission, "2001:db8::1").await;

        assert!(take(&admission, "2001:db8::ffff:2").await.is_none());
        assert!(take(&admission, "2001:db8:0:1::1").await.is_some());
    }

    #[tokio::test]
    async fn a_trusted_proxy_brings_everybody() {
        let admission = ConnectionAdmission::new(10, 1, &["10.0.0.0/8".parse().unwrap()]);

        let places = [take(&admission, "10.0.0.1").await, take(&admission, "10.0.0.1").await];

        assert!(places.iter().all(Option::is_some));
    }

    #[tokio::test]
    async fn a_refused_connection_leaves_its_place_and_nothing_in_memory() {
        let admission = ConnectionAdmission::new(2, 1, &[]);
        let place = take(&admission, "192.0.2.1").await;
        assert!(take(&admission, "192.0.2.1").await.is_none());

        assert_eq!(admission.places.available_permits(), 1);
        drop(place);
        assert!(admission.open.keys() == 0 && admission.open_connections.is_empty());
    }

    #[tokio::test]
    async fn an_address_has_at_most_as_many_places_as_are_left_for_the_others() {
        let admission = ConnectionAdmission::new(12, 100, &[]);
        let mut places = Vec::new();

        for client in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
            let before = places.len();
            while let Some(place) = take(&admission, client).await {
                places.push(place);
            }
            assert!(places.len() > before, "{client}");
        }

        assert_eq!([places.len(), admission.places.available_permits()], [11, 1]);
        assert!(take(&admission, "192.0.2.4").await.is_some(), "somebody new gets in");
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_listener_lets_go_of_who_does_nothing_and_never_of_who_is_answered_or_a_proxy() {
        let admission = ConnectionAdmission::new(4, 4, &["10.0.0.0/8".parse().unwrap()]);
        let [proxy, responded] = [take(&admission, "10.0.0.1").await, take(&admission, "192.0.2.1").await];
        responded.as_ref().unwrap().reads(None);
        let mut idle = Vec::new();
        for client in ["192.0.2.2", "192.0.2.3"] {
            idle.push(take(&admission, client).await.unwrap());
        }

        let first = async {
            tokio::select! {
                () = idle[0].given_up() => 0,
                () = idle[1].given_up() => 1,
            }
        };
        let ended = tokio::select! {
            ended = first => ended,
            () = admission.keep_places_free() => unreachable!("it never ends"),
        };
        idle.remove(ended);
        let spared = tokio::time::timeout(Duration::from_secs(60), async {
            tokio::select! {
                () = proxy.as_ref().unwrap().given_up() => {}
                () = responded.as_ref().unwrap().given_up() => {}
                () = idle[0].given_up() => {}
                () = admission.keep_places_free() => {}
            }
        });

        assert!(spared.await.is_err(), "one free place is enough");
        assert!(take(&admission, "192.0.2.4").await.is_some());
    }
}
