//! Which connections of a listener wait for their clients, and which of them end when slots run short: those of the address
//! that has the most, the longest waiting ones first. Used by admission; connections report here.
//! Must never end a connection whose request is being answered to a client that takes the answer, or a tunnel.
//! See docs/decisions/0268.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Context;
use std::time::Duration;

use futures::task::AtomicWaker;
use tokio::time::Instant;

/// A connection that has waited for its client for longer than this may be ended for a new client.
const MOMENT: Duration = Duration::from_secs(2);
/// Stands for a connection that does not wait for its client.
const NEVER: u64 = u64::MAX;

/// The connections of one listener. Cheap to clone.
#[derive(Debug, Clone)]
pub struct OpenConnections(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    start: Instant,
    open: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    states: HashMap<u64, Arc<ConnectionState>>,
}

/// State of one connection.
#[derive(Debug)]
struct ConnectionState {
    client: IpAddr,
    /// Time since which a read waits, in milliseconds since the listener began.
    reading: AtomicU64,
    /// Time since which a write waits, in milliseconds since the listener began.
    writing: AtomicU64,
    is_given_up: AtomicBool,
    task: AtomicWaker,
}

/// Registration of an open connection, until dropped.
#[derive(Debug)]
pub struct OpenConnection {
    all: OpenConnections,
    number: u64,
    state: Arc<ConnectionState>,
}

impl Default for OpenConnections {
    fn default() -> OpenConnections {
        OpenConnections(Arc::new(Shared { start: Instant::now(), open: Mutex::default() }))
    }
}

impl OpenConnections {
    /// Adds a new connection, whose first request is waited for.
    pub fn join(&self, client: IpAddr) -> OpenConnection {
        let state = Arc::new(ConnectionState {
            client,
            reading: AtomicU64::new(self.a_moment_after(Instant::now())),
            writing: AtomicU64::new(NEVER),
            is_given_up: AtomicBool::new(false),
            task: AtomicWaker::new(),
        });
        let mut open = self.open();
        let number = open.next;
        open.next += 1;
        open.states.insert(number, state.clone());
        drop(open);
        OpenConnection { all: self.clone(), number, state }
    }

    /// Gives up connections until `wanted` of them are about to end, as far as there are such. Says how many it gave up.
    pub fn give_up(&self, wanted: usize) -> usize {
        let now = self.millis(Instant::now());
        let open = self.open();
        let mut clients: HashMap<IpAddr, ClientConnections> = HashMap::new();
        let mut ending = 0;
        for state in open.states.values() {
            let connections = clients.entry(state.client).or_default();
            if state.is_given_up.load(Ordering::Relaxed) {
                ending += 1;
                continue;
            }
            connections.count += 1;
            let waited_until = state.waits_until();
            if waited_until <= now {
                connections.waiting.push((waited_until, state));
            }
        }
        for connections in clients.values_mut() {
            connections.waiting.sort_unstable_by_key(|(until, _)| Reverse(*until));
        }
        let ranks = clients.iter().filter_map(|(client, connections)| connections.rank(*client));
        let mut largest: BinaryHeap<_> = ranks.collect();
        let mut given_up = 0;
        while ending + given_up < wanted
            && let Some((.., client)) = largest.pop()
        {
            let Some(connections) = clients.get_mut(&client) else { continue };
            let Some((_, state)) = connections.waiting.pop() else { continue };
            state.give_up();
            given_up += 1;
            connections.count -= 1;
            largest.extend(connections.rank(client));
        }
        given_up
    }

    fn a_moment_after(&self, since: Instant) -> u64 {
        self.millis(since + MOMENT)
    }

    fn millis(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.0.start).as_millis() as u64
    }

    fn open(&self) -> MutexGuard<'_, Table> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true when there is no connection.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.open().states.is_empty()
    }
}

/// The connections of one address.
#[derive(Default)]
struct ClientConnections<'a> {
    count: usize,
    /// The longest waiting one comes last.
    waiting: Vec<(u64, &'a Arc<ConnectionState>)>,
}

impl ClientConnections<'_> {
    /// Ranks a client among those that may lose a connection: first the one with most, then the one that waits longest. None when
    /// it has nothing to lose.
    fn rank(&self, client: IpAddr) -> Option<(usize, Reverse<u64>, IpAddr)> {
        let (longest, _) = self.waiting.last()?;
        Some((self.count, Reverse(*longest), client))
    }
}

impl ConnectionState {
    fn waits_until(&self) -> u64 {
        self.reading.load(Ordering::Relaxed).min(self.writing.load(Ordering::Relaxed))
    }

    fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl OpenConnection {
    /// Sets the time since which the client is expected to send; none while it is not.
    pub fn reads(&self, since: Option<Instant>) {
        let until = since.map_or(NEVER, |since| self.all.a_moment_after(since));
        self.state.reading.store(until, Ordering::Relaxed);
    }

    /// Sets the time since which the client does not take what it is sent; none while it does.
    pub fn writes(&self, since: Option<Instant>) {
        let until = since.map_or(NEVER, |since| self.all.a_moment_after(since));
        self.state.writing.store(until, Ordering::Relaxed);
    }

    /// Records that the client has taken bytes. A wait for its next request begins again: the bytes may have been
    /// the end of a response.
    pub fn moved(&self) {
        if self.state.reading.load(Ordering::Relaxed) != NEVER {
            self.reads(Some(Instant::now()));
        }
    }

    /// Returns true when the connection is to end; wakes the task when it is.
    ///
    /// Not when its client has moved meanwhile: a request that came just before this is answered.
    pub fn is_given_up(&self, context: &Context<'_>) -> bool {
        // Registered before the flag is read: a wake-up between the two would be lost.
        self.state.task.register(context.waker());
        let is_given_up = self.state.is_given_up.load(Ordering::Acquire);
        if is_given_up && self.state.waits_until() == NEVER {
            self.state.is_given_up.store(false, Ordering::Relaxed);
            return false;
        }
        is_given_up
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.all.open().states.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(open: &OpenConnections, client: &str) -> OpenConnection {
        open.join(client.parse().unwrap())
    }

    fn given_up(connections: &[OpenConnection]) -> Vec<bool> {
        connections.iter().map(|connection| connection.state.is_given_up.load(Ordering::Relaxed)).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_not_waited_for_a_moment_or_is_being_answered_is_kept() {
        let open = OpenConnections::default();
        let connections = [join(&open, "192.0.2.1"), join(&open, "192.0.2.1")];
        assert_eq!(open.give_up(2), 0);

        tokio::time::advance(MOMENT).await;
        connections[1].reads(None);

        assert_eq!(open.give_up(2), 1);
        assert_eq!(given_up(&connections), [true, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_whose_request_came_as_it_was_given_up_is_kept() {
        let open = OpenConnections::default();
        let connection = join(&open, "192.0.2.1");
        let context = Context::from_waker(futures::task::noop_waker_ref());
        tokio::time::advance(MOMENT).await;
        assert_eq!(open.give_up(1), 1);
        assert!(connection.is_given_up(&context));

        connection.reads(None);

        assert!(!connection.is_given_up(&context));
        connection.reads(Some(Instant::now()));
        assert!(!connection.is_given_up(&context), "it waits anew");
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_take_its_answer_is_given_up_and_who_takes_some_is_kept() {
        let open = OpenConnections::default();
        let connections = [join(&open, "192.0.2.1"), join(&open, "192.0.2.1")];
        for connection in &connections {
            connection.reads(None);
            connection.writes(Some(Instant::now()));
        }
        tokio::time::advance(MOMENT).await;
        connections[0].writes(Some(Instant::now()));

        assert_eq!(open.give_up(2), 1);
        assert_eq!(given_up(&connections), [false, true]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_address_with_the_most_loses_first_and_of_its_connections_the_longest_waiting() {
        let open = OpenConnections::default();
        let few = [join(&open, "192.0.2.1")];
        tokio::time::advance(MOMENT / 4).await;
        let old = [join(&open, "192.0.2.2")];
        tokio::time::advance(MOMENT / 4).await;
        let many = [join(&open, "192.0.2.2"), join(&open, "192.0.2.2")];
        tokio::time::advance(MOMENT).await;

        assert_eq!(open.give_up(1), 1);
        assert_eq!([given_up(&few), given_up(&old)], [[false], [true]]);
        assert_eq!(open.give_up(2), 1, "one is ending already");
        assert_eq!(given_up(&few), [false]);
        assert_eq!(open.give_up(9), 2);
        assert_eq!([given_up(&few), given_up(&many)].concat(), [true; 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn of_addresses_with_as_many_the_longest_waiting_loses_first() {
        let open = OpenConnections::default();
        let mut connections = Vec::new();
        for client in ["192.0.2.2", "192.0.2.3", "192.0.2.1"] {
            connections.push(join(&open, client));
            tokio::time::advance(MOMENT).await;
        }

        assert_eq!([open.give_up(1), open.give_up(2)], [1, 1]);
        assert_eq!(given_up(&connections), [true, true, false]);
    }

    #[tokio::test]
    async fn who_has_left_takes_no_memory() {
        let open = OpenConnections::default();
        drop(join(&open, "192.0.2.1"));

        assert!(open.is_empty());
    }
}
