//! All browsers of a pool: their number follows the number of pages, and each render gets the most suitable one.
//! Used by the pool. Must never end a browser that has running renders because fewer browsers are needed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedMutexGuard, watch};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::SLOTS_PER_BROWSER;
use crate::environment::Environment;
use crate::running::{Lease, RunningBrowser};
use crate::supervisor::{State, Supervisor};
use crate::tab::TabOwner;

/// The browsers of a pool. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Fleet(Arc<Shared>);

struct Shared {
    environment: Arc<Environment>,
    /// Supervisors of the shared browsers, at least one until shutdown.
    supervisors: Mutex<Vec<Supervisor>>,
    /// Counter of the state changes of all browsers.
    changes: Arc<watch::Sender<u64>>,
    /// Lock of the one render at a time that has a browser to itself.
    exclusive_lock: Arc<tokio::sync::Mutex<()>>,
    /// Supervisor of the exclusive browser. Reused when the next render already waits for it.
    exclusive: Mutex<Option<Supervisor>>,
    exclusive_waiting: AtomicUsize,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// A browser that runs one render only, until dropped.
pub(crate) struct ExclusiveBrowser {
    fleet: Fleet,
    supervisor: Supervisor,
    _lock: OwnedMutexGuard<()>,
}

impl ExclusiveBrowser {
    /// Waits for the browser to run.
    pub async fn lease(&self, limit: Duration) -> Result<Lease, String> {
        Ok(self.supervisor.browser(limit).await?.lease())
    }
}

impl Drop for ExclusiveBrowser {
    fn drop(&mut self) {
        if self.fleet.0.exclusive_waiting.load(Ordering::Relaxed) == 0
            && let Some(supervisor) = self.fleet.exclusive().take()
        {
            supervisor.drain();
        }
    }
}

/// Counter of a render that waits for the exclusive browser, until it stops waiting.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Fleet {
    /// Starts the first browser in the background.
    pub fn start(environment: Arc<Environment>, stop: CancellationToken, tasks: TaskTracker) -> Fleet {
        let fleet = Fleet(Arc::new(Shared {
            environment,
            supervisors: Mutex::default(),
            changes: Arc::new(watch::channel(0).0),
            exclusive_lock: Arc::default(),
            exclusive: Mutex::default(),
            exclusive_waiting: AtomicUsize::new(0),
            stop,
            tasks,
        }));
        fleet.resize(1);
        fleet
    }

    /// Adjusts the number of browsers to the number of pages. A browser is added at once and removed only when clearly
    /// unneeded, since a start costs as much as several renders.
    pub fn resize(&self, pages: usize) {
        let mut supervisors = self.supervisors();
        if self.0.stop.is_cancelled() {
            return;
        }
        let needed = pages.div_ceil(SLOTS_PER_BROWSER).clamp(1, self.0.environment.config.max_browsers());
        while supervisors.len() < needed {
            supervisors.push(self.start_supervisor());
        }
        let kept = (pages + SLOTS_PER_BROWSER / 2).div_ceil(SLOTS_PER_BROWSER).max(1);
        while supervisors.len() > kept {
            if let Some(supervisor) = supervisors.pop() {
                supervisor.drain();
            }
        }
    }

    /// Waits for a running browser and leases it for a render. The error says why there is none.
    pub async fn browser(&self, site: &TabOwner, limit: Duration) -> Result<Lease, String> {
        let mut changes = self.0.changes.subscribe();
        let deadline = Instant::now() + limit;
        loop {
            changes.mark_unchanged();
            if let Some(found) = self.choose(site) {
                return found;
            }
            if !matches!(timeout_at(deadline, changes.changed()).await, Ok(Ok(()))) {
                return Err(format!("it did not start within {limit:?}"));
            }
        }
    }

    /// Chooses a browser. Returns `None` when one is starting.
    fn choose(&self, site: &TabOwner) -> Option<Result<Lease, String>> {
        let supervisors = self.supervisors();
        let states: Vec<State> = supervisors.iter().map(Supervisor::state).collect();
        let best = states.iter().filter_map(State::usable).min_by_key(|browser| {
            let active = browser.active();
            // A warm tab outweighs an even load, as long as the browser is not full.
            (active >= SLOTS_PER_BROWSER, !browser.warm_tabs.has(site), active)
        });
        if let Some(best) = best {
            return Some(Ok(best.lease()));
        }
        if self.0.stop.is_cancelled() {
            return Some(Err("the service is shutting down".to_owned()));
        }
        // A browser that has ended but was not yet reported counts as starting.
        let is_starting = states.iter().any(|state| matches!(state, State::Starting | State::Ready(_)));
        let problem = states.into_iter().find_map(|state| match state {
            State::Failed(problem) => Some(problem),
            _ => None,
        });
        problem.filter(|_| !is_starting).map(Err)
    }

    /// Waits for a browser without other renders. Returns `None` when other renders occupy it for longer than the limit.
    pub async fn acquire_exclusive(&self, limit: Duration) -> Option<ExclusiveBrowser> {
        self.0.exclusive_waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(&self.0.exclusive_waiting);
        let exclusive_lock = timeout(limit, self.0.exclusive_lock.clone().lock_owned()).await.ok()?;
        drop(waiting);
        let supervisor = self.exclusive().get_or_insert_with(|| self.start_supervisor()).clone();
        Some(ExclusiveBrowser { fleet: self.clone(), supervisor, _lock: exclusive_lock })
    }

    /// Returns the browser that runs one render only.
    pub fn exclusive_browser(&self) -> Option<Arc<RunningBrowser>> {
        self.exclusive().as_ref().and_then(|supervisor| supervisor.state().usable().cloned())
    }

    /// Returns the running shared browsers.
    pub fn browsers(&self) -> Vec<Arc<RunningBrowser>> {
        self.supervisors().iter().filter_map(|supervisor| supervisor.state().usable().cloned()).collect()
    }

    /// Waits until the first browser has started or failed to start, at most for the limit.
    pub async fn started(&self, limit: Duration) -> State {
        if let Some(browser) = self.browsers().into_iter().next() {
            return State::Ready(browser);
        }
        let first = self.supervisors().first().cloned();
        match first {
            Some(supervisor) => supervisor.started(limit).await,
            None => State::Stopped,
        }
    }

    fn start_supervisor(&self) -> Supervisor {
        let shared = &self.0;
        Supervisor::start(
            shared.environment.clone(),
            shared.changes.clone(),
            shared.stop.clone(),
            shared.tasks.clone(),
        )
    }

    fn exclusive(&self) -> MutexGuard<'_, Option<Supervisor>> {
        self.0.exclusive.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn supervisors(&self) -> MutexGuard<'_, Vec<Supervisor>> {
        self.0.supervisors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
