//! Order in which requests begin: client addresses take turns while this process is behind with its work, and always for requests
//! that came together with another one. Used by the edge and the API. Must never let thousands of requests of a few addresses
//! delay the one of another.
//! See docs/decisions/0268.

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::limits::{FairPermit, FairSemaphore};
use crate::networks::customer_address;

/// Work that waits longer than this for a processor is behind: more than a busy process takes for a round, and than the
/// system lets another one go before it.
const BEHIND: Duration = Duration::from_millis(5);
/// Interval, in requests, of the check whether the process is behind: that request yields once to everything that is ready.
const LOOK_EVERY: usize = 32;
/// Number of waiting connections above which a client does more than save round trips.
const MANY: usize = 512;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Turns(Arc<Shared>);

struct Shared {
    requests: AtomicUsize,
    /// True while all requests take turns, until none of them waits. Otherwise they cost two additions here.
    is_behind: AtomicBool,
    all: FairSemaphore<IpAddr>,
    /// Requests that a client sent together with the one before.
    pipelined: FairSemaphore<IpAddr>,
}

impl Default for Turns {
    fn default() -> Turns {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let all = turns(2 * processors, 2 * processors);
        // While few pipelined requests wait, they hardly wait; while many do, half of the processors are left to others.
        Turns::new(all, turns(16 * processors, processors.div_ceil(2)))
    }
}

impl Turns {
    fn new(all: FairSemaphore<IpAddr>, pipelined: FairSemaphore<IpAddr>) -> Turns {
        let (requests, is_behind) = (AtomicUsize::new(0), AtomicBool::new(false));
        Turns(Arc::new(Shared { requests, is_behind, all, pipelined }))
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
            true => (Some(self.0.pipelined.acquire(customer_address(client)).await), self.wait(client).await),
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
    async fn wait(&self, client: IpAddr) -> Option<FairPermit<IpAddr>> {
        let shared = &self.0;
        if shared.requests.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOK_EVERY) {
            let start = Instant::now();
            tokio::task::yield_now().await;
            if start.elapsed() >= BEHIND {
                shared.is_behind.store(true, Ordering::Relaxed);
            } else if shared.all.waiting() == 0 {
                shared.is_behind.store(false, Ordering::Relaxed);
            }
        }
        match shared.is_behind.load(Ordering::Relaxed) {
            true => Some(shared.all.acquire(customer_address(client)).await),
            false => None,
        }
    }
}

/// Makes a queue of requests in which `few` may begin side by side, and `many` while more than [`MANY`] wait.
fn turns(few: usize, many: usize) -> FairSemaphore<IpAddr> {
    FairSemaphore::new(usize::MAX, move |waiting| if waiting > MANY { many } else { few })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use futures::FutureExt;
    use futures::future::join_all;
    use tokio_util::task::TaskTracker;

    use super::*;

    /// Turns that are being taken, one at a time.
    fn busy() -> Turns {
        let turns = Turns::new(turns(1, 1), turns(1, 1));
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
    async fn nobody_takes_turns_while_work_is_not_behind() {
        let turns = Turns::new(turns(1, 1), turns(1, 1));
        turns.0.requests.store(1, Ordering::Relaxed);

        assert!(turns.wait(address("192.0.2.1")).now_or_never().is_some_and(|turn| turn.is_none()));
        assert!(turns.wait(address("192.0.2.1")).now_or_never().is_some_and(|turn| turn.is_none()));
    }

    #[tokio::test]
    async fn pipelined_requests_take_turns_at_any_time_and_others_pass_them() {
        let turns = Turns::new(turns(1, 1), turns(1, 1));
        turns.0.requests.store(1, Ordering::Relaxed);
        let first = turns.0.pipelined.acquire(address("192.0.2.1")).await;
        let mut second = Box::pin(turns.begin(address("192.0.2.1"), true, async || 2));

        assert!((&mut second).now_or_never().is_none());
        assert_eq!(turns.begin(address("192.0.2.2"), false, async || 3).now_or_never(), Some(3));

        drop(first);
        assert_eq!(second.await, 2);
    }

    #[tokio::test]
    async fn fewer_begin_side_by_side_while_many_wait() {
        let queue = turns(3, 1);
        let mut turns = join_all((0..3).map(|_| queue.acquire(address("192.0.2.1")))).await;
        let mut waiting: Vec<_> =
            (0..=MANY + 1).map(|_| Box::pin(queue.acquire(address("192.0.2.2")))).collect();
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
        let turns = Turns::new(turns(1, 1), turns(1, 1));
        // Keeps the only thread of this test for longer than work may wait.
        let hog = TaskTracker::new().spawn(async { std::thread::sleep(4 * BEHIND) });

        let turn = turns.wait(address("192.0.2.1")).await;

        assert!(turn.is_some());
        hog.await.unwrap();
    }
}
