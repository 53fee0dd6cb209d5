//! Work that runs at the same time and is handed out in the order in which it was given: what an audit finds must not
//! depend on which server thread was faster.

use std::collections::BTreeMap;
use std::task::{Context, Poll, Waker};

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};

/// Pieces of work with their order.
pub struct InOrder<'a, T> {
    running: FuturesUnordered<BoxFuture<'a, (u64, T)>>,
    done: BTreeMap<u64, T>,
    given: u64,
    taken: u64,
}

impl<'a, T: Send + 'a> InOrder<'a, T> {
    /// No work.
    pub fn new() -> InOrder<'a, T> {
        InOrder { running: FuturesUnordered::new(), done: BTreeMap::new(), given: 0, taken: 0 }
    }

    /// Adds a piece of work.
    pub fn push(&mut self, work: impl Future<Output = T> + Send + 'a) {
        let number = self.given;
        self.given += 1;
        let mut work = Box::pin(async move { (number, work.await) });
        // Much needs no waiting after all. What does is polled again, for whoever waits for it.
        match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready((number, result)) => _ = self.done.insert(number, result),
            Poll::Pending => self.running.push(work),
        }
    }

    /// Adds what needs no work.
    pub fn push_done(&mut self, result: T) {
        self.done.insert(self.given, result);
        self.given += 1;
    }

    /// The next result, if it is there.
    pub fn pop(&mut self) -> Option<T> {
        let result = self.done.remove(&self.taken)?;
        self.taken += 1;
        Some(result)
    }

    /// Waits until one more piece is done; for ever when none runs.
    pub async fn wait(&mut self) {
        match self.running.next().await {
            Some((number, result)) => _ = self.done.insert(number, result),
            None => std::future::pending().await,
        }
    }

    /// Pieces that run.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// Pieces that were given and not taken.
    pub fn len(&self) -> usize {
        self.running.len() + self.done.len()
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
}
