//! Order in which requests begin: client addresses take turns while this process is behind with its work, and always for requests
//! that came together with another one. Used by the edge and the API. Must never let thousands of requests of a few addresses
//! stand before the one of another.
//! See docs/decisions/0268.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::networks::customer_address;

/// Work that waits longer than this for a processor is behind: more than a busy process takes for a round, and than the
/// system lets another one go before it.
const BEHIND: Duration = Duration::from_millis(5);
/// One of so many requests finds out whether it is: it goes once round behind everything that is ready.
const LOOK_EVERY: usize = 32;
/// Number of waiting connections above which a client does more than save round trips.
const MANY: usize = 512;

/// See the module. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Turns(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    requests: AtomicUsize,
    /// True while all requests take turns, until none of them waits. Otherwise they cost two additions here.
    is_behind: AtomicBool,
    all: Arc<TurnQueue>,
    /// Requests that a client sent together with the one before.
    pipelined: Arc<TurnQueue>,
}

/// Requests that wait for their turn.
#[derive(Debug)]
struct TurnQueue {
    room: Parallelism,
    queue: Mutex<Queue>,
}

/// Number of requests that may begin side by side while few or many wait.
#[derive(Debug, Clone, Copy)]
struct Parallelism {
    few: usize,
    many: usize,
}

/// Requests that wait, by address.
#[derive(Debug, Default)]
struct Queue {
    beginning: usize,
    length: usize,
    addresses: VecDeque<IpAddr>,
    waiting: HashMap<IpAddr, VecDeque<oneshot::Sender<Turn>>>,
}

/// The right to begin a request; the next in line has it when this is dropped.
#[derive(Debug)]
struct Turn(Option<Arc<TurnQueue>>);

impl Default for Turns {
    fn default() -> Turns {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let all = 2 * processors;
        // While few pipelined requests wait, they hardly wait; while many do, half of the processors are left to others.
        let pipelined = Parallelism { few: 16 * processors, many: processors.div_ceil(2) };
        Turns::new(Parallelism { few: all, many: all }, pipelined)
    }
}

impl Turns {
    fn new(all: Parallelism, pipelined: Parallelism) -> Turns {
        Turns(Arc::new(Shared {
            requests: AtomicUsize::new(0),
            is_behind: AtomicBool::new(false),
            all: TurnQueue::new(all),
            pipelined: TurnQueue::new(pipelined),
        }))
    }

    /// Runs a request from when it is its client's turn. The turn lasts until the request first waits for something.
    ///
    /// `request` makes it here: made by the caller, it would be moved once more, and it is large.
    pub async fn begin<F: Future>(
        &self,
        client: IpAddr,
        is_pipelined: bool,
        request: impl FnOnce() -> F,
    ) -> F::Output {
        let mut turns = match is_pipelined {
            true => (self.0.pipelined.wait(client).await, self.wait(client).await),
            false => (None, self.wait(client).await),
        };
        let mut request = pin!(request());
        poll_fn(|context| {
            let polled = request.as_mut().poll(context);
            turns = (None, None);
            polled
        })
        .await
    }

    /// Waits for a turn among all requests; none: they take no turns now.
    async fn wait(&self, client: IpAddr) -> Option<Turn> {
        let shared = &self.0;
        if shared.requests.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOK_EVERY) {
            let start = Instant::now();
            tokio::task::yield_now().await;
            if start.elapsed() >= BEHIND {
                shared.is_behind.store(true, Ordering::Relaxed);
            } else if shared.all.is_empty() {
                shared.is_behind.store(false, Ordering::Relaxed);
            }
        }
        match shared.is_behind.load(Ordering::Relaxed) {
            true => shared.all.wait(client).await,
            false => None,
        }
    }
}

impl TurnQueue {
    fn new(room: Parallelism) -> Arc<TurnQueue> {
        Arc::new(TurnQueue { room, queue: Mutex::default() })
    }

    /// Waits for a turn.
    async fn wait(self: &Arc<TurnQueue>, client: IpAddr) -> Option<Turn> {
        let turn = {
            let mut queue = self.queue();
            if queue.beginning < self.room.beside(queue.length) {
                queue.beginning += 1;
                return Some(Turn(Some(self.clone())));
            }
            queue.push(customer_address(client))
        };
        turn.await.ok()
    }

    /// Returns true when no request waits for a turn.
    fn is_empty(&self) -> bool {
        self.queue().addresses.is_empty()
    }

    /// Gives a turn to the next in line.
    fn give_on(self: &Arc<TurnQueue>) {
        loop {
            let next = {
                let mut queue = self.queue();
                let next = match queue.beginning > self.room.beside(queue.length) {
                    true => None,
                    false => queue.pop(),
                };
                let Some(next) = next else {
                    queue.beginning -= 1;
                    return;
                };
                next
            };
            match next.send(Turn(Some(self.clone()))) {
                Ok(()) => return,
                // Nobody waits there any more. Not dropped as a turn: that would come back here recursively.
                Err(mut turn) => turn.0 = None,
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(line) = self.0.take() {
            line.give_on();
        }
    }
}

impl Parallelism {
    fn beside(self, waiting: usize) -> usize {
        if waiting > MANY { self.many } else { self.few }
    }
}

impl Queue {
    fn push(&mut self, client: IpAddr) -> oneshot::Receiver<Turn> {
        let (sender, turn) = oneshot::channel();
        let own = self.waiting.entry(client).or_default();
        if own.is_empty() {
            self.addresses.push_back(client);
        }
        own.push_back(sender);
        self.length += 1;
        turn
    }

    fn pop(&mut self) -> Option<oneshot::Sender<Turn>> {
        let client = self.addresses.pop_front()?;
        let own = self.waiting.get_mut(&client)?;
        let next = own.pop_front();
        self.length -= usize::from(next.is_some());
        if own.is_empty() {
            self.waiting.remove(&client);
        } else {
            self.addresses.push_back(client);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::future::join_all;
    use tokio_util::task::TaskTracker;

    use super::*;

    const ONE: Parallelism = Parallelism { few: 1, many: 1 };

    /// Turns that are being taken, one at a time.
    fn busy() -> Turns {
        let turns = Turns::new(ONE, ONE);
        turns.0.requests.store(1, Ordering::Relaxed);
        turns.0.is_behind.store(true, Ordering::Relaxed);
        turns
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    /// Has these clients wait behind a turn that somebody has, and says in which order they begin.
    async fn order_of(clients: &[&'static str]) -> Vec<&'static str> {
        let (turns, order) = (busy(), Mutex::new(Vec::new()));
        let first = turns.wait(address("192.0.2.99")).await;
        let requests = clients.iter().map(|client| {
            turns.begin(address(client), false, async || {
                order.lock().unwrap().push(*client);
            })
        });
        let release = async {
            tokio::task::yield_now().await;
            drop(first);
        };

        futures::join!(join_all(requests), release);
        order.into_inner().unwrap()
    }

    #[tokio::test]
    async fn an_address_with_many_requests_stands_before_none_with_one() {
        let order = order_of(&["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]).await;

        assert_eq!(order[..2], ["192.0.2.1", "192.0.2.2"]);
        assert_eq!(order.len(), 4);
    }

    #[tokio::test]
    async fn the_addresses_of_one_household_take_turns_as_one() {
        let order = order_of(&["2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.2"]).await;

        assert_eq!(order[1], "192.0.2.2");
    }

    #[tokio::test]
    async fn a_request_that_waits_for_something_lets_the_next_one_begin() {
        let turns = busy();
        let mut hangs = Box::pin(turns.begin(address("192.0.2.1"), false, std::future::pending::<()>));
        assert!((&mut hangs).now_or_never().is_none());

        let begun = turns.begin(address("192.0.2.1"), false, async || 1).now_or_never();

        assert_eq!(begun, Some(1));
    }

    #[tokio::test]
    async fn whoever_stops_waiting_keeps_nobody_from_beginning() {
        let turns = busy();
        let first = turns.wait(address("192.0.2.1")).await;
        let mut gone: Vec<_> = (0..3).map(|_| Box::pin(turns.wait(address("192.0.2.2")))).collect();
        assert!(gone.iter_mut().all(|waits| waits.now_or_never().is_none()));
        let mut next = Box::pin(turns.wait(address("192.0.2.3")));
        assert!((&mut next).now_or_never().is_none());

        drop(gone);
        drop(first);

        assert!(next.await.is_some());
        assert!(turns.0.all.is_empty(), "nobody is left in line");
        assert_eq!(turns.0.all.queue().beginning, 0);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_turn_is_lost_however_many_come_and_go() {
        let (turns, tracker) = (
            Turns::new(Parallelism { few: 4, many: 2 }, Parallelism { few: 4, many: 1 }),
            TaskTracker::new(),
        );
        let tasks: Vec<_> = (0..3_000_u32)
            .map(|number| {
                let turns = turns.clone();
                tracker.spawn(async move {
                    turns.0.is_behind.store(true, Ordering::Relaxed);
                    let client = std::net::Ipv4Addr::from_bits(number % 50);
                    turns.begin(client.into(), number % 2 == 0, tokio::task::yield_now).await;
                })
            })
            .collect();
        tasks.iter().step_by(3).for_each(tokio::task::JoinHandle::abort);

        let ended = tokio::time::timeout(Duration::from_secs(60), join_all(tasks)).await;

        assert!(ended.is_ok(), "somebody waits for a turn that nobody has");
        for line in [&turns.0.all, &turns.0.pipelined] {
            let queue = line.queue();
            assert_eq!((queue.beginning, queue.waiting.len(), queue.addresses.len()), (0, 0, 0));
        }
    }

    #[tokio::test]
    async fn nobody_takes_turns_while_work_is_not_behind() {
        let turns = Turns::new(ONE, ONE);
        turns.0.requests.store(1, Ordering::Relaxed);

        assert!(turns.wait(address("192.0.2.1")).now_or_never().is_some_and(|turn| turn.is_none()));
        assert!(turns.wait(address("192.0.2.1")).now_or_never().is_some_and(|turn| turn.is_none()));
    }

    #[tokio::test]
    async fn pipelined_requests_take_turns_at_any_time_and_others_pass_them() {
        let turns = Turns::new(ONE, ONE);
        turns.0.requests.store(1, Ordering::Relaxed);
        let first = turns.0.pipelined.wait(address("192.0.2.1")).await;
        let mut second = Box::pin(turns.begin(address("192.0.2.1"), true, async || 2));

        assert!((&mut second).now_or_never().is_none());
        assert_eq!(turns.begin(address("192.0.2.2"), false, async || 3).now_or_never(), Some(3));

        drop(first);
        assert_eq!(second.await, 2);
    }

    #[tokio::test]
    async fn fewer_begin_side_by_side_while_many_wait() {
        let line = TurnQueue::new(Parallelism { few: 3, many: 1 });
        let mut turns = vec![line.wait(address("192.0.2.1")).await, line.wait(address("192.0.2.1")).await];
        turns.push(line.wait(address("192.0.2.1")).await);
        let mut waiting: Vec<_> = (0..=MANY + 1).map(|_| Box::pin(line.wait(address("192.0.2.2")))).collect();
        assert!(waiting.iter_mut().all(|waits| waits.now_or_never().is_none()));

        turns.truncate(1);
        assert!(waiting.iter_mut().all(|waits| waits.now_or_never().is_none()), "two turns ended for nobody");
        drop(turns);
        assert!(waiting.remove(0).now_or_never().is_some());
    }

    #[tokio::test]
    async fn turns_end_when_work_is_no_longer_behind_and_nobody_waits() {
        let turns = busy();
        turns.0.requests.store(0, Ordering::Relaxed);

        turns.begin(address("192.0.2.1"), false, async || ()).await;

        assert!(!turns.0.is_behind.load(Ordering::Relaxed));
    }

    #[tokio::test]
    async fn a_process_that_is_behind_notices() {
        let turns = Turns::new(ONE, ONE);
        // Keeps the only thread of this test for longer than work may wait.
        let hog = TaskTracker::new().spawn(async { std::thread::sleep(4 * BEHIND) });

        let turn = turns.wait(address("192.0.2.1")).await;

        assert!(turn.is_some());
        hog.await.unwrap();
    }
}
