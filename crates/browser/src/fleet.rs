//! All browsers of a pool: as many as the pages at once need, each render in the one that suits it best.
//! Used by the pool. Must never end a browser with renders in it because fewer are needed.

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

/// The browsers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Fleet(Arc<Shared>);

struct Shared {
    environment: Arc<Environment>,
    /// At least one, for as long as the pool lives.
    keepers: Mutex<Vec<Supervisor>>,
    /// Counts changes of any browser's state.
    changes: Arc<watch::Sender<u64>>,
    /// For one render at a time that may be what ended its last browser.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// Keeps the browser of that render, and of the next one if that waits already.
    lone: Mutex<Option<Supervisor>>,
    waiting_alone: AtomicUsize,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// A browser for one render alone, until dropped.
pub(crate) struct Alone {
    fleet: Fleet,
    keeper: Supervisor,
    _turn: OwnedMutexGuard<()>,
}

impl Alone {
    /// Waits for the browser.
    pub async fn browser(&self, limit: Duration) -> Result<Lease, String> {
        Ok(self.keeper.browser(limit).await?.lease())
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        if self.fleet.0.waiting_alone.load(Ordering::Relaxed) == 0
            && let Some(keeper) = self.fleet.lone().take()
        {
            keeper.leave();
        }
    }
}

/// Counts a render that waits to be alone, also when it stops waiting.
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
            keepers: Mutex::default(),
            changes: Arc::new(watch::channel(0).0),
            turn: Arc::default(),
            lone: Mutex::default(),
            waiting_alone: AtomicUsize::new(0),
            stop,
            tasks,
        }));
        fleet.resize(1);
        fleet
    }

    /// Runs as many browsers as `pages` at once need. One more is started at once, one less is let go only when it is
    /// clearly not needed: starting it again costs as much as several renders.
    pub fn resize(&self, pages: usize) {
        let mut keepers = self.keepers();
        if self.0.stop.is_cancelled() {
            return;
        }
        let needed = pages.div_ceil(SLOTS_PER_BROWSER).clamp(1, self.0.environment.config.max_browsers());
        while keepers.len() < needed {
            keepers.push(self.keeper());
        }
        let kept = (pages + SLOTS_PER_BROWSER / 2).div_ceil(SLOTS_PER_BROWSER).max(1);
        while keepers.len() > kept {
            if let Some(keeper) = keepers.pop() {
                keeper.leave();
            }
        }
    }

    /// Waits for a browser that runs, and takes a place for a render of `site` in it; the error says why there is none.
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

    /// `None`: there will be one in a moment.
    fn choose(&self, site: &TabOwner) -> Option<Result<Lease, String>> {
        let keepers = self.keepers();
        let states: Vec<State> = keepers.iter().map(Supervisor::state).collect();
        let best = states.iter().filter_map(State::usable).min_by_key(|browser| {
            let active = browser.active();
            // A warm tab is worth more than an even load, as long as no browser is overloaded.
            (active >= SLOTS_PER_BROWSER, !browser.warm_tabs.has(site), active)
        });
        if let Some(best) = best {
            return Some(Ok(best.lease()));
        }
        if self.0.stop.is_cancelled() {
            return Some(Err("the service is shutting down".to_owned()));
        }
        // One that has died and is not yet missed counts as starting.
        let is_coming = states.iter().any(|state| matches!(state, State::Starting | State::Ready(_)));
        let problem = states.into_iter().find_map(|state| match state {
            State::Failed(problem) => Some(problem),
            _ => None,
        });
        problem.filter(|_| !is_coming).map(Err)
    }

    /// Waits for the turn to have a browser in which no other render is; its end is then nobody else's. `None`: others
    /// that wait for the same take too long.
    pub async fn turn_alone(&self, limit: Duration) -> Option<Alone> {
        self.0.waiting_alone.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(&self.0.waiting_alone);
        let turn = timeout(limit, self.0.turn.clone().lock_owned()).await.ok()?;
        drop(waiting);
        let keeper = self.lone().get_or_insert_with(|| self.keeper()).clone();
        Some(Alone { fleet: self.clone(), keeper, _turn: turn })
    }

    /// The browser of the render that is alone.
    pub fn lone_browser(&self) -> Option<Arc<RunningBrowser>> {
        self.lone().as_ref().and_then(|keeper| keeper.state().usable().cloned())
    }

    /// Browsers that run and are shared.
    pub fn browsers(&self) -> Vec<Arc<RunningBrowser>> {
        self.keepers().iter().filter_map(|keeper| keeper.state().usable().cloned()).collect()
    }

    /// Waits until the first browser has started or failed to, but not long.
    pub async fn settled(&self, limit: Duration) -> State {
        if let Some(browser) = self.browsers().into_iter().next() {
            return State::Ready(browser);
        }
        let first = self.keepers().first().cloned();
        match first {
            Some(keeper) => keeper.settled(limit).await,
            None => State::Stopped,
        }
    }

    fn keeper(&self) -> Supervisor {
        let shared = &self.0;
        Supervisor::start(
            shared.environment.clone(),
            shared.changes.clone(),
            shared.stop.clone(),
            shared.tasks.clone(),
        )
    }

    fn lone(&self) -> MutexGuard<'_, Option<Supervisor>> {
        self.0.lone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keepers(&self) -> MutexGuard<'_, Vec<Supervisor>> {
        self.0.keepers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
