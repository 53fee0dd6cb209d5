//! Renders in flight: requests for the same page share one render. Used by the render service only.
//! A render runs in its own task, so that a client that disconnects does not end the render for others. A token is cancelled
//! when no caller waits any more, and the render decides itself whether to stop.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::watch;
use tokio::time::timeout_at;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::model::RenderPurpose;
use super::queries::PageId;

/// Renders of this process that have not ended.
pub struct SingleFlight<T> {
    open: Arc<Mutex<HashMap<PageId, InFlight<T>>>>,
    tasks: TaskTracker,
}

struct InFlight<T> {
    number: u64,
    purpose: RenderPurpose,
    result: watch::Receiver<Option<T>>,
    waiters: Arc<Waiters>,
}

/// Callers that wait for a render. The token is cancelled when the last one leaves.
#[derive(Default)]
struct Waiters {
    count: Mutex<usize>,
    abandoned: CancellationToken,
}

impl Waiters {
    /// Adds a caller; `None` when the render is already abandoned.
    fn join(self: &Arc<Waiters>) -> Option<WaitingCaller> {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        if self.abandoned.is_cancelled() {
            return None;
        }
        *count += 1;
        Some(WaitingCaller(self.clone()))
    }
}

/// A caller that waits, until this value is dropped.
struct WaitingCaller(Arc<Waiters>);

impl Drop for WaitingCaller {
    fn drop(&mut self) {
        let mut count = self.0.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count -= 1;
        if *count == 0 {
            self.0.abandoned.cancel();
        }
    }
}

impl<T: Clone + Send + Sync + 'static> SingleFlight<T> {
    /// Makes an empty table of renders.
    pub fn new(tasks: TaskTracker) -> SingleFlight<T> {
        SingleFlight { open: Arc::default(), tasks }
    }

    /// Joins the render of a page in flight, or starts `make`, whose token is cancelled when no caller waits any more. The
    /// receiver gets the result, or is closed when the render panicked.
    pub fn join<F>(
        &self,
        page: &PageId,
        purpose: RenderPurpose,
        make: impl FnOnce(CancellationToken) -> F,
    ) -> JoinedRender<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = open.get(page).filter(|render| match purpose {
            RenderPurpose::Forced => render.purpose == RenderPurpose::Forced,
            RenderPurpose::Refresh | RenderPurpose::Look => {
                matches!(render.purpose, RenderPurpose::Forced | RenderPurpose::Refresh)
            }
            RenderPurpose::OnDemand => render.purpose != RenderPurpose::Background,
            RenderPurpose::Background => true,
        });
        if let Some((render, waiting)) = shared.and_then(|render| Some((render, render.waiters.join()?))) {
            return JoinedRender { result: render.result.clone(), _waiting: waiting };
        }
        let (sender, result) = watch::channel(None);
        let number = open.get(page).map_or(0, |render| render.number + 1);
        let waiters = Arc::new(Waiters::default());
        let waiting = waiters.join().expect("nobody has left yet");
        let abandoned = waiters.abandoned.clone();
        open.insert(page.clone(), InFlight { number, purpose, result: result.clone(), waiters });
        drop(open);

        let removal = RemoveWhenEnded { open: self.open.clone(), page: page.clone(), number };
        let render = make(abandoned);
        self.tasks.spawn(async move {
            let made = render.await;
            // Removed from the table before the result is sent: a later request finds the result in the cache.
            drop(removal);
            let _ = sender.send(Some(made));
        });
        JoinedRender { result, _waiting: waiting }
    }

    /// Decides whether a render of a page is in flight.
    pub fn is_open(&self, page: &PageId) -> bool {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).contains_key(page)
    }
}

/// A render with a caller that waits, until this value is dropped.
pub struct JoinedRender<T> {
    result: watch::Receiver<Option<T>>,
    _waiting: WaitingCaller,
}

impl<T: Clone> JoinedRender<T> {
    /// Waits for the result until `deadline`. The error is this value, which keeps the render from being abandoned.
    pub async fn wait_until(mut self, deadline: Instant) -> Result<Option<T>, JoinedRender<T>> {
        let waited = timeout_at(deadline.into(), self.result.wait_for(Option::is_some)).await;
        let result = waited.map(|result| result.ok().and_then(|result| result.clone()));
        result.map_err(|_| self)
    }

    /// Waits for the result; `None`: the render panicked.
    pub async fn wait(mut self) -> Option<T> {
        let result = self.result.wait_for(Option::is_some).await.ok()?;
        result.clone()
    }
}

/// Guard that removes a render from the table when the render ends, also by a panic.
struct RemoveWhenEnded<T> {
    open: Arc<Mutex<HashMap<PageId, InFlight<T>>>>,
    page: PageId,
    number: u64,
}

impl<T> Drop for RemoveWhenEnded<T> {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // A forced render may have replaced this render in the table.
        if open.get(&self.page).is_some_and(|render| render.number == self.number) {
            open.remove(&self.page);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domains::DomainId;

    fn page() -> PageId {
        PageId { domain: DomainId::from("d"), key_hash: "k".to_owned() }
    }

    #[tokio::test]
    async fn a_render_is_abandoned_when_the_last_of_those_who_wait_leaves() {
        let renders: SingleFlight<bool> = SingleFlight::new(TaskTracker::new());
        let start = |abandoned: CancellationToken| async move {
            abandoned.cancelled().await;
            true
        };

        let first = renders.join(&page(), RenderPurpose::OnDemand, start);
        let second = renders.join(&page(), RenderPurpose::OnDemand, start);
        drop(first);
        let still_open = renders.is_open(&page());
        let result = second.result.clone();
        drop(second);

        assert!(still_open);
        let mut result = result;
        assert_eq!(*result.wait_for(Option::is_some).await.unwrap(), Some(true));
    }

    #[tokio::test]
    async fn nobody_joins_a_render_that_was_abandoned() {
        let renders: SingleFlight<u32> = SingleFlight::new(TaskTracker::new());
        let never = |_: CancellationToken| std::future::pending::<u32>();
        drop(renders.join(&page(), RenderPurpose::OnDemand, never));

        let second = renders.join(&page(), RenderPurpose::OnDemand, |_| std::future::ready(2));

        assert_eq!(second.wait().await, Some(2));
    }

    #[tokio::test]
    async fn a_client_does_not_wait_behind_a_render_that_nobody_asked_for() {
        let renders: SingleFlight<u32> = SingleFlight::new(TaskTracker::new());
        let _background = renders.join(&page(), RenderPurpose::Background, |_| std::future::pending::<u32>());

        let client = renders.join(&page(), RenderPurpose::OnDemand, |_| std::future::ready(2));

        assert_eq!(client.wait().await, Some(2));
    }
}
