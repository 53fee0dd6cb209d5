//! Renders in flight: equal requests share one, whoever asked first. Used by the render service only.
//! A render runs in a task of its own, so that a client who goes away takes nobody else's page with it.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use super::queries::PageId;

/// Why a render is made, which decides who may share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A client waits for a page that is not stored.
    OnDemand,
    /// A client wants a new render: one that was started before will not do.
    Forced,
    /// A job renders a page again: one that was started before may have seen the old page.
    Refresh,
    /// A stored page has become stale; nobody waits.
    Background,
}

/// The renders of this process that have not ended.
pub struct Flights<T> {
    open: Arc<Mutex<HashMap<PageId, Flight<T>>>>,
    tasks: TaskTracker,
}

struct Flight<T> {
    number: u64,
    purpose: Purpose,
    result: watch::Receiver<Option<T>>,
}

impl<T: Clone + Send + Sync + 'static> Flights<T> {
    /// No renders yet.
    pub fn new(tasks: TaskTracker) -> Flights<T> {
        Flights { open: Arc::default(), tasks }
    }

    /// Joins the render of a page that is in flight, or starts `make`. The receiver gets the result, or is closed when
    /// the render panicked.
    pub fn join<F>(&self, page: &PageId, purpose: Purpose, make: impl FnOnce() -> F) -> Joined<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = open.get(page).filter(|flight| match purpose {
            Purpose::Forced => flight.purpose == Purpose::Forced,
            Purpose::Refresh => matches!(flight.purpose, Purpose::Forced | Purpose::Refresh),
            Purpose::OnDemand | Purpose::Background => true,
        });
        if let Some(flight) = shared {
            return Joined { result: flight.result.clone() };
        }
        let (sender, result) = watch::channel(None);
        let number = open.get(page).map_or(0, |flight| flight.number + 1);
        open.insert(page.clone(), Flight { number, purpose, result: result.clone() });
        drop(open);

        let landing = Landing { open: self.open.clone(), page: page.clone(), number };
        let render = make();
        self.tasks.spawn(async move {
            let made = render.await;
            // First out of the table, then the news: whoever comes now finds the result in the cache.
            drop(landing);
            let _ = sender.send(Some(made));
        });
        Joined { result }
    }

    /// Whether a render of a page is in flight.
    pub fn is_open(&self, page: &PageId) -> bool {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).contains_key(page)
    }
}

/// A render that somebody waits for.
pub struct Joined<T> {
    result: watch::Receiver<Option<T>>,
}

impl<T: Clone> Joined<T> {
    /// Waits for the result; `None`: the render panicked.
    pub async fn wait(mut self) -> Option<T> {
        let result = self.result.wait_for(Option::is_some).await.ok()?;
        result.clone()
    }
}

/// Takes a flight out of the table when its render has ended, by a panic too.
struct Landing<T> {
    open: Arc<Mutex<HashMap<PageId, Flight<T>>>>,
    page: PageId,
    number: u64,
}

impl<T> Drop for Landing<T> {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // A forced render may have taken the place of an older one.
        if open.get(&self.page).is_some_and(|flight| flight.number == self.number) {
            open.remove(&self.page);
        }
    }
}
