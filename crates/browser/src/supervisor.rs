//! Keeps one browser running: starts, pings and replaces it, and bounds its memory.
//! Used by the fleet. Must never leave renders waiting for a browser that will not start.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::browser::{Browser, StartError};
use crate::environment::Environment;
use crate::memory::{self, Remedy};
use crate::process::kill_process;
use crate::running::RunningBrowser;

/// Interval of the checks. Memory is measured while there are tabs.
const TICK: Duration = Duration::from_millis(500);
/// Ticks between pings. A browser that misses two in a row is replaced.
const PING_EVERY: u32 = 4;
/// Ticks between removals of unused tabs.
const SWEEP_EVERY: u32 = 20;
const IDLE_LIMIT: Duration = Duration::from_secs(60);
/// Idle time after which a tab is sent to the blank page.
const BLANK_AFTER: Duration = Duration::from_millis(500);
/// Age and number of renders at which a browser is replaced, after its successor has started.
const MAX_AGE: Duration = Duration::from_secs(3600);
const MAX_RENDERS: u64 = 5_000;
/// Wait for the renders of a replaced browser.
const RETIRE_LIMIT: Duration = Duration::from_secs(60);
/// Age below which the end of a browser counts as a failed start.
const MIN_UPTIME: Duration = Duration::from_secs(2);
const MIN_BACK_OFF: Duration = Duration::from_millis(250);
const MAX_BACK_OFF: Duration = Duration::from_secs(30);

/// State of the browser.
#[derive(Clone)]
pub(crate) enum State {
    /// Starting or restarting.
    Starting,
    Ready(Arc<RunningBrowser>),
    /// The last start failed; another attempt follows.
    Failed(String),
    Stopped,
}

impl State {
    /// Returns the browser while it can be used.
    pub fn usable(&self) -> Option<&Arc<RunningBrowser>> {
        match self {
            State::Ready(browser) if !browser.is_gone() => Some(browser),
            _ => None,
        }
    }
}

/// Reason for the end of supervision.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Gone,
    Hung,
    Old,
    /// The load needs fewer browsers.
    Unneeded,
    Stop,
}

/// Supervisor of one browser. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Supervisor {
    environment: Arc<Environment>,
    state: Arc<watch::Sender<State>>,
    /// Counter that is incremented at every change of the state.
    changes: Arc<watch::Sender<u64>>,
    /// Cancelled when the browser is not needed any more.
    drain: CancellationToken,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Supervisor {
    /// Starts a browser in the background.
    pub fn start(
        environment: Arc<Environment>,
        changes: Arc<watch::Sender<u64>>,
        stop: CancellationToken,
        tasks: TaskTracker,
    ) -> Supervisor {
        let state = Arc::new(watch::channel(State::Starting).0);
        let drain = stop.child_token();
        let supervisor = Supervisor { environment, state, changes, drain, stop, tasks };
        let task = supervisor.clone();
        supervisor.tasks.spawn(async move { task.run().await });
        supervisor
    }

    /// Ends the browser once its renders have ended, and starts no other.
    pub fn drain(&self) {
        self.drain.cancel();
    }

    /// Returns the current state.
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Waits for a running browser. The error says why there is none.
    pub async fn browser(&self, limit: Duration) -> Result<Arc<RunningBrowser>, String> {
        let mut states = self.state.subscribe();
        let ready = states.wait_for(|state| match state {
            State::Starting => false,
            // It has ended, and the supervisor has not handled that yet.
            State::Ready(browser) => !browser.is_gone(),
            State::Failed(_) | State::Stopped => true,
        });
        match timeout(limit, ready).await.map(|state| state.map(|state| state.clone())) {
            Ok(Ok(State::Ready(browser))) => Ok(browser),
            Ok(Ok(State::Failed(problem))) => Err(problem),
            Ok(Ok(State::Stopped) | Err(_)) => Err("the service is shutting down".to_owned()),
            Ok(Ok(State::Starting)) | Err(_) => Err(format!("it did not start within {limit:?}")),
        }
    }

    /// Waits until a start has succeeded or failed, at most for the limit. Returns the state.
    pub async fn started(&self, limit: Duration) -> State {
        let mut states = self.state.subscribe();
        let _ = timeout(limit, states.wait_for(|state| !matches!(state, State::Starting))).await;
        self.state()
    }

    fn publish(&self, state: State) {
        self.state.send_replace(state);
        self.changes.send_modify(|number| *number += 1);
    }

    async fn run(&self) {
        let mut failures = 0;
        while !self.drain.is_cancelled() {
            let started = tokio::select! {
                started = Browser::start(&self.environment, &self.tasks) => started,
                () = self.drain.cancelled() => break,
            };
            match started {
                Ok(browser) => {
                    let browser = Arc::new(RunningBrowser::new(browser));
                    let guard = EndOnDrop(browser.clone());
                    tracing::info!(
                        version = browser.version.product,
                        pid = browser.pid(),
                        confined = browser.confinement.confined,
                        sandboxed = browser.confinement.sandboxed,
                        frames_on_demand = browser.frames_on_demand,
                        cgroup = browser.in_cgroup,
                        "browser started"
                    );
                    self.publish(State::Ready(browser.clone()));
                    let verdict = self.watch(&browser).await;
                    failures = if browser.started.elapsed() < MIN_UPTIME { failures + 1 } else { 0 };
                    self.end_watch(browser, guard, verdict).await;
                }
                Err(error) => {
                    failures += 1;
                    self.report(&error, failures);
                }
            }
            if failures > 1 {
                self.pause(failures).await;
            }
        }
        self.publish(State::Stopped);
    }

    async fn end_watch(&self, browser: Arc<RunningBrowser>, guard: EndOnDrop, verdict: Verdict) {
        match verdict {
            Verdict::Gone | Verdict::Hung => {
                tracing::warn!(pid = browser.pid(), ?verdict, "browser lost, starting another");
                self.publish(State::Starting);
                browser.kill();
                self.tasks.spawn(async move {
                    browser.end().await;
                    drop(guard);
                });
            }
            Verdict::Old => {
                tracing::info!(
                    pid = browser.pid(),
                    renders = browser.renders.load(Ordering::Relaxed),
                    "browser is replaced"
                );
                self.tasks.spawn(retire(browser, guard, self.state.subscribe(), self.stop.clone()));
            }
            Verdict::Unneeded => {
                tracing::info!(pid = browser.pid(), "browser is not needed any more");
                self.publish(State::Stopped);
                self.tasks.spawn(retire(browser, guard, self.state.subscribe(), self.stop.clone()));
            }
            Verdict::Stop => {
                self.publish(State::Stopped);
                browser.end().await;
                drop(guard);
            }
        }
    }

    fn report(&self, error: &StartError, failures: u32) {
        let problem = error.to_string();
        if failures == 1 {
            tracing::error!(problem, "no browser");
        } else {
            tracing::debug!(problem, failures, "still no browser");
        }
        // While a browser is being replaced, the old one stays in use.
        self.state.send_if_modified(|state| {
            let replaces = !matches!(state, State::Ready(browser) if !browser.is_gone());
            if replaces {
                *state = State::Failed(problem);
            }
            replaces
        });
        self.changes.send_modify(|number| *number += 1);
    }

    async fn pause(&self, failures: u32) {
        let back_off = MIN_BACK_OFF.saturating_mul(1 << failures.min(10)).min(MAX_BACK_OFF);
        tokio::select! {
            () = sleep(back_off) => {}
            () = self.drain.cancelled() => {}
        }
    }

    async fn watch(&self, browser: &Arc<RunningBrowser>) -> Verdict {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut number = 0u32;
        loop {
            tokio::select! {
                // Shutdown cancels `drain` too, but must not wait for renders.
                biased;
                () = self.stop.cancelled() => return Verdict::Stop,
                () = browser.gone() => return Verdict::Gone,
                _ = ticks.tick() => {}
                () = self.drain.cancelled() => return Verdict::Unneeded,
            }
            number = number.wrapping_add(1);
            if number.is_multiple_of(PING_EVERY) && !browser.ping().await && !browser.ping().await {
                return Verdict::Hung;
            }
            let idle = browser.clone();
            self.tasks.spawn(async move { idle.warm_tabs.blank_idle(BLANK_AFTER).await });
            if number.is_multiple_of(SWEEP_EVERY) {
                browser.warm_tabs.close_unused(IDLE_LIMIT);
            }
            let is_full = browser.tabs.load(Ordering::Relaxed) > 0 && self.bound_memory(browser).await;
            let renders = browser.renders.load(Ordering::Relaxed);
            if is_full || browser.started.elapsed() > MAX_AGE || renders > MAX_RENDERS {
                return Verdict::Old;
            }
        }
    }

    /// Applies the memory limits. Returns true when the browser has to be replaced.
    async fn bound_memory(&self, browser: &Arc<RunningBrowser>) -> bool {
        let group = browser.pid();
        // Reading /proc blocks, longer with more processes.
        let Ok(members) = tokio::task::spawn_blocking(move || memory::members(group)).await else {
            return false;
        };
        let config = &self.environment.config;
        match memory::remedy(&members, config.browser_memory_bytes(), config.page_memory_bytes()) {
            Remedy::Nothing => false,
            Remedy::KillPage(page) => {
                let mebibytes = page.private_bytes >> 20;
                tracing::warn!(pid = page.pid, mebibytes, "a page that uses too much memory is ended");
                kill_process(page.pid);
                false
            }
            Remedy::CloseIdleTabs => {
                browser.warm_tabs.clear();
                false
            }
            Remedy::Replace => {
                tracing::warn!(pid = browser.pid(), "the browser itself uses too much memory");
                true
            }
        }
    }
}

/// Ends a replaced browser once its renders have ended.
async fn retire(
    browser: Arc<RunningBrowser>,
    guard: EndOnDrop,
    mut states: watch::Receiver<State>,
    stop: CancellationToken,
) {
    // The old browser stays in use until the new one has started.
    let replaced =
        states.wait_for(|state| !matches!(state, State::Ready(current) if Arc::ptr_eq(current, &browser)));
    let _ = timeout(RETIRE_LIMIT, replaced).await;
    browser.retire();
    let deadline = Instant::now() + RETIRE_LIMIT;
    while browser.tabs.load(Ordering::Relaxed) > 0 && Instant::now() < deadline && !stop.is_cancelled() {
        sleep(Duration::from_millis(100)).await;
        browser.warm_tabs.clear();
    }
    browser.end().await;
    drop(guard);
}

/// Kills the browser when dropped, also when the runtime drops the task.
struct EndOnDrop(Arc<RunningBrowser>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.kill();
        // Each warm tab holds a reference to the browser.
        self.0.retire();
    }
}
