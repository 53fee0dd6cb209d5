//! Whose request begins next while this process is behind with its work: client addresses take turns. Used by the edge and
//! the API. Must never let thousands of requests of a few addresses stand before the one of another.
//! See docs/decisions/0268.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::admission::household;

/// Work that waits longer than this for a processor is behind: more than a busy process takes for a round, and than the
/// system lets another one go before it.
const BEHIND: Duration = Duration::from_millis(5);
/// One of so many requests finds out whether it is: it goes once round behind everything that is ready.
const LOOK_EVERY: usize = 32;

/// See the module. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Turns(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Requests that may begin side by side: enough for every processor.
    at_once: usize,
    seen: AtomicUsize,
    /// Whether requests wait for their turn. Otherwise they cost two additions here.
    in_turns: AtomicBool,
    line: Mutex<Line>,
}

/// Requests that wait, by address.
#[derive(Debug, Default)]
struct Line {
    beginning: usize,
    addresses: VecDeque<IpAddr>,
    waiting: HashMap<IpAddr, VecDeque<oneshot::Sender<Turn>>>,
}

/// The right to begin a request; the next in line has it when this is dropped.
#[derive(Debug)]
struct Turn(Option<Turns>);

impl Default for Turns {
    fn default() -> Turns {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Turns::with_room_for(2 * processors)
    }
}

impl Turns {
    fn with_room_for(at_once: usize) -> Turns {
        Turns(Arc::new(Shared {
            at_once,
            seen: AtomicUsize::new(0),
            in_turns: AtomicBool::new(false),
            line: Mutex::default(),
        }))
    }

    /// Runs a request from when it is its client's turn. The turn lasts until the request first waits for something.
    ///
    /// `request` makes it here: made by the caller, it would be moved once more, and it is large.
    pub async fn begin<F: Future>(&self, client: IpAddr, request: impl FnOnce() -> F) -> F::Output {
        let mut turn = self.wait(client).await;
        let mut request = pin!(request());
        poll_fn(|context| {
            let polled = request.as_mut().poll(context);
            turn = None;
            polled
        })
        .await
    }

    /// Waits for a turn; none: nobody takes turns now.
    async fn wait(&self, client: IpAddr) -> Option<Turn> {
        if self.0.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOK_EVERY) {
            let start = Instant::now();
            tokio::task::yield_now().await;
            if start.elapsed() >= BEHIND {
                self.0.in_turns.store(true, Ordering::Relaxed);
            }
        }
        if !self.0.in_turns.load(Ordering::Relaxed) {
            return None;
        }
        let turn = {
            let mut line = self.line();
            if line.beginning < self.0.at_once {
                line.beginning += 1;
                return Some(Turn(Some(self.clone())));
            }
            line.push(household(client.to_canonical()))
        };
        turn.await.ok()
    }

    /// Gives a turn to the next in line.
    fn give_on(&self) {
        loop {
            let next = {
                let mut line = self.line();
                let Some(next) = line.pop() else {
                    line.beginning -= 1;
                    self.0.in_turns.store(false, Ordering::Relaxed);
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

    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            turns.give_on();
        }
    }
}

impl Line {
    fn push(&mut self, client: IpAddr) -> oneshot::Receiver<Turn> {
        let (sender, turn) = oneshot::channel();
        let own = self.waiting.entry(client).or_default();
        if own.is_empty() {
            self.addresses.push_back(client);
        }
        own.push_back(sender);
        turn
    }

    fn pop(&mut self) -> Option<oneshot::Sender<Turn>> {
        let client = self.addresses.pop_front()?;
        let own = self.waiting.get_mut(&client)?;
        let next = own.pop_front();
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

    /// Turns that are being taken, one at a time.
    fn busy() -> Turns {
        let turns = Turns::with_room_for(1);
        turns.0.seen.store(1, Ordering::Relaxed);
        turns.0.in_turns.store(true, Ordering::Relaxed);
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
            turns.begin(address(client), async || {
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
        let mut hangs = Box::pin(turns.begin(address("192.0.2.1"), std::future::pending::<()>));
        assert!((&mut hangs).now_or_never().is_none());

        let begun = turns.begin(address("192.0.2.1"), async || 1).now_or_never();

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
        assert!(!turns.0.in_turns.load(Ordering::Relaxed), "nobody is left in line");
        assert_eq!(turns.line().beginning, 0);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_turn_is_lost_however_many_come_and_go() {
        let (turns, tracker) = (Turns::with_room_for(2), TaskTracker::new());
        let tasks: Vec<_> = (0..3_000_u32)
            .map(|number| {
                let turns = turns.clone();
                tracker.spawn(async move {
                    turns.0.in_turns.store(true, Ordering::Relaxed);
                    let client = std::net::Ipv4Addr::from_bits(number % 50);
                    turns.begin(client.into(), tokio::task::yield_now).await;
                })
            })
            .collect();
        tasks.iter().step_by(3).for_each(tokio::task::JoinHandle::abort);

        let ended = tokio::time::timeout(Duration::from_secs(60), join_all(tasks)).await;

        assert!(ended.is_ok(), "somebody waits for a turn that nobody has");
        let line = turns.line();
        assert_eq!((line.beginning, line.waiting.len(), line.addresses.len()), (0, 0, 0));
    }

    #[tokio::test]
    async fn nobody_takes_turns_while_work_is_not_behind() {
        let turns = Turns::with_room_for(1);
        turns.0.seen.store(1, Ordering::Relaxed);

        assert!(turns.wait(address("192.0.2.1")).now_or_never().is_some_and(|turn| turn.is_none()));
        assert!(turns.wait(address("192.0.2.1")).now_or_never().is_some_and(|turn| turn.is_none()));
    }

    #[tokio::test]
    async fn a_process_that_is_behind_notices() {
        let turns = Turns::with_room_for(1);
        // Keeps the only thread of this test for longer than work may wait.
        let hog = TaskTracker::new().spawn(async { std::thread::sleep(4 * BEHIND) });

        let turn = turns.wait(address("192.0.2.1")).await;

        assert!(turn.is_some());
        hog.await.unwrap();
    }
}
