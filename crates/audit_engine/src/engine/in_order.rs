//! Concurrent work whose results are returned in the order of submission: the findings of an audit must not depend on
//! the speed of server threads. Work that hangs loses its position, so that it does not delay the work behind it.

use std::collections::{BTreeMap, HashSet};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::time::Instant;

/// Pieces of work with their order.
pub struct InOrder<'a, T> {
    running: FuturesUnordered<BoxFuture<'a, (u64, T)>>,
    done: BTreeMap<u64, T>,
    given: u64,
    taken: u64,
    patience: Option<Patience>,
}

/// For how long work keeps its place in the order.
struct Patience {
    time: Duration,
    /// Maximum number of pieces that may be late at once.
    most: usize,
    /// Start times of running pieces.
    begun: BTreeMap<u64, Instant>,
    /// Pieces that were skipped, so that later pieces did not have to wait for them.
    late: HashSet<u64>,
}

impl<'a, T: Send + 'a> InOrder<'a, T> {
    /// Makes an empty queue.
    pub fn new() -> InOrder<'a, T> {
        InOrder {
            running: FuturesUnordered::new(),
            done: BTreeMap::new(),
            given: 0,
            taken: 0,
            patience: None,
        }
    }

    /// Makes an empty queue in which a piece that takes longer than `time` loses its position, as long as at most
    /// `most` have.
    pub fn with_patience(time: Duration, most: usize) -> InOrder<'a, T> {
        let patience = Patience { time, most, begun: BTreeMap::new(), late: HashSet::new() };
        InOrder { patience: Some(patience), ..InOrder::new() }
    }

    /// Adds a piece of work.
    pub fn push(&mut self, work: impl Future<Output = T> + Send + 'a) {
        let number = self.given;
        self.given += 1;
        let mut work = Box::pin(async move { (number, work.await) });
        // Much needs no waiting after all. What does is polled again, for whoever waits for it.
        match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready((number, result)) => _ = self.done.insert(number, result),
            Poll::Pending => {
                self.running.push(work);
                self.patience
                    .iter_mut()
                    .for_each(|patience| _ = patience.begun.insert(self.given - 1, Instant::now()));
            }
        }
    }

    /// Adds what needs no work.
    pub fn push_done(&mut self, result: T) {
        self.done.insert(self.given, result);
        self.given += 1;
    }

    /// Returns the next result, if it has come.
    pub fn pop(&mut self) -> Option<T> {
        if let Some(patience) = &mut self.patience {
            let is_done = |number: &&u64| self.done.contains_key(number);
            if let Some(late) = patience.late.iter().filter(is_done).min().copied() {
                patience.late.remove(&late);
                return self.done.remove(&late);
            }
            while patience.lets_go(self.taken) || patience.late.contains(&self.taken) {
                self.taken += 1;
            }
        }
        let result = self.done.remove(&self.taken)?;
        self.taken += 1;
        Some(result)
    }

    /// Waits until one more piece is done; for ever when none runs.
    pub async fn wait(&mut self) {
        match self.running.next().await {
            Some((number, result)) => {
                self.patience.iter_mut().for_each(|patience| _ = patience.begun.remove(&number));
                self.done.insert(number, result);
            }
            None => std::future::pending().await,
        }
    }

    /// Counts the running pieces that have kept their position.
    pub fn running(&self) -> usize {
        self.running.len() - self.late()
    }

    /// Counts the running pieces that have lost their position.
    pub fn late(&self) -> usize {
        let late = self.patience.iter().flat_map(|patience| &patience.late);
        late.filter(|number| !self.done.contains_key(number)).count()
    }

    /// Counts the pieces that were submitted and whose results were not taken.
    pub fn len(&self) -> usize {
        self.running.len() + self.done.len()
    }
}

impl Patience {
    /// Takes its place from a piece that runs for too long. Returns whether it did.
    fn lets_go(&mut self, number: u64) -> bool {
        let hangs = self.begun.get(&number).is_some_and(|begun| begun.elapsed() >= self.time);
        hangs && self.late.len() < self.most && self.late.insert(number)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn results_come_in_the_order_in_which_work_was_given() {
        let mut work = InOrder::new();
        for (name, seconds) in [("slow", 3), ("quick", 1)] {
            work.push(async move {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                name
            });
        }
        work.push_done("done");

        work.wait().await;
        let early = work.pop();
        work.wait().await;
        let results: Vec<&str> = std::iter::from_fn(|| work.pop()).collect();

        assert_eq!(early, None);
        assert_eq!(results, ["slow", "quick", "done"]);
        assert_eq!(work.len(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_hangs_gives_up_its_place() {
        let mut work = InOrder::with_patience(Duration::from_secs(5), 1);
        for (name, seconds) in [("hangs", 60), ("hangs too", 60), ("quick", 1)] {
            work.push(async move {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                name
            });
        }

        work.wait().await;
        let early = work.pop();
        tokio::time::sleep(Duration::from_secs(5)).await;
        let later = work.pop();
        let running = (work.running(), work.late(), work.len());
        work.wait().await;
        work.wait().await;
        let results: Vec<&str> = std::iter::from_fn(|| work.pop()).collect();

        assert_eq!((early, later), (None, None), "one at most is late");
        assert_eq!(running, (1, 1, 3));
        assert_eq!(results, ["hangs", "hangs too", "quick"]);
    }
}
