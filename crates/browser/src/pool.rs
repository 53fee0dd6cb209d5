//! The renderer on real Chromium: fair slots, warm tabs, a browser that is watched and replaced.
//!
//! Used by the application and the `render` command. Must never share a tab between sites, and never let a render outlive
//! its time limit by more than a second.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crawler::Network;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::browser::{Abilities, Browser};
use crate::egress::{Identity, Pass};
use crate::profile::Profiles;
use crate::queue::{Slot, Slots};
use crate::supervisor::{State, Supervisor};
use crate::tab::{Site, Tab, check_url};
use crate::visit::{Captured, End, Visit};
use crate::{
    BrowserHealth, ConsoleMessage, RenderError, RenderRequest, Rendered, Renderer, Settled, Timings,
};

/// How long a render waits for a browser that is being started.
const BROWSER_LIMIT: Duration = Duration::from_secs(15);
/// How long a look at the browser's health waits for one that is being started.
const HEALTH_LIMIT: Duration = Duration::from_secs(5);
/// How long a tab may take to get ready for the next page.
const PREPARE_LIMIT: Duration = Duration::from_secs(5);
/// How long the end waits for renders that are being cleaned up after.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);
/// Memory of a browser when nothing else is said.
const MEMORY_LIMIT_BYTES: u64 = 1536 << 20;
/// Tries per render: a browser or tab that dies under the first is not the page's fault yet.
const ATTEMPTS: u32 = 2;
/// Warm tabs are kept even where few pages are rendered at once.
const MIN_IDLE_TABS: usize = 4;

/// How browsers are run.
#[derive(Debug, Clone)]
pub struct BrowserConfig {
    /// The browser's binary; none: found on this machine.
    pub binary: Option<PathBuf>,
    /// Pages at once.
    pub concurrency: usize,
    /// Renders that may wait for a slot; more are refused.
    pub max_waiting: usize,
    /// Refuse to run a browser that cannot be confined to a network namespace of its own.
    pub strict_egress: bool,
    /// The way out for every byte a page fetches.
    pub network: Network,
    /// Memory of one browser, all its processes together. One page may use half of it.
    pub memory_limit_bytes: u64,
    /// Folder for the browsers' profiles; emptied at the end and, after a crash, at the next start.
    pub profile_dir: PathBuf,
}

impl BrowserConfig {
    /// Defaults for everything that has one.
    pub fn new(network: Network, profile_dir: impl Into<PathBuf>) -> BrowserConfig {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        BrowserConfig {
            binary: None,
            concurrency: 2 * cores,
            max_waiting: 1_000,
            strict_egress: false,
            network,
            memory_limit_bytes: MEMORY_LIMIT_BYTES,
            profile_dir: profile_dir.into(),
        }
    }
}

/// What every browser of a pool is started with.
pub(crate) struct Settings {
    pub config: BrowserConfig,
    pub identity: Arc<Identity>,
    pub abilities: Abilities,
    profiles: io::Result<Profiles>,
}

impl Settings {
    /// Folders for browsers, or why there are none.
    pub fn profiles(&self) -> io::Result<&Profiles> {
        self.profiles.as_ref().map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", self.config.profile_dir.display()))
        })
    }
}

/// Renders pages in Chromium.
pub struct ChromiumPool(Arc<Pool>);

struct Pool {
    settings: Arc<Settings>,
    slots: Slots,
    supervisor: Supervisor,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl ChromiumPool {
    /// Starts a browser in the background and keeps one running. Must be called within a Tokio runtime.
    ///
    /// Never fails: without a browser, [`Renderer::health`] says what is missing, and renders say so too.
    pub fn start(config: BrowserConfig) -> ChromiumPool {
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let settings = Arc::new(Settings {
            identity: Arc::new(Identity::generate().expect("making a key needs nothing but randomness")),
            abilities: Abilities::default(),
            profiles: Profiles::open(&config.profile_dir),
            config,
        });
        let supervisor = Supervisor::start(settings.clone(), stop.clone(), tasks.clone());
        let slots = Slots::new(settings.config.concurrency.max(1), settings.config.max_waiting);
        ChromiumPool(Arc::new(Pool { settings, slots, supervisor, stop, tasks }))
    }

    /// Process id of the browser that runs now, for operators and tests.
    pub fn browser_pid(&self) -> Option<u32> {
        match self.0.supervisor.state() {
            State::Ready(browser) => Some(browser.pid()),
            _ => None,
        }
    }
}

impl Drop for ChromiumPool {
    fn drop(&mut self) {
        self.0.stop.cancel();
    }
}

#[async_trait::async_trait]
impl Renderer for ChromiumPool {
    async fn render(&self, request: RenderRequest) -> Result<Rendered, RenderError> {
        check_url(&request.url).map_err(RenderError::BadUrl)?;
        let asked = Instant::now();
        let slot = tokio::select! {
            slot = self.0.slots.take(&request.tenant) => slot.ok_or(RenderError::Overloaded)?,
            () = self.0.stop.cancelled() => return Err(shutting_down()),
        };
        let queued = asked.elapsed();
        let (answer, result) = oneshot::channel();
        // Ends the page when the caller stops waiting; what comes after the answer goes on without it.
        let caller = CancellationToken::new();
        let _gone = caller.clone().drop_guard();
        self.0.tasks.spawn(self.0.clone().work(request, slot, caller, answer));

        let mut rendered = result.await.unwrap_or_else(|_| Err(shutting_down()))?;
        rendered.timings.queued_ms = milliseconds(queued);
        rendered.timings.total_ms = milliseconds(asked.elapsed());
        Ok(rendered)
    }

    async fn health(&self) -> BrowserHealth {
        let (active, waiting) = self.0.slots.counts();
        let (browser, problem) = match self.0.supervisor.settled(HEALTH_LIMIT).await {
            State::Ready(browser) => (Some(browser), None),
            State::Failed(problem) => (None, Some(problem)),
            State::Starting => (None, Some("the browser is being started".to_owned())),
            State::Stopped => (None, Some("the browser is stopped".to_owned())),
        };
        let confined = browser.as_ref().is_some_and(|browser| browser.confined);
        let unconfined = "the browser is not confined to a network namespace of its own: run as root or allow user namespaces";
        BrowserHealth {
            usable: browser.is_some(),
            version: browser.as_ref().map(|browser| browser.version.product.clone()),
            confined,
            frames_on_demand: browser.as_ref().is_some_and(|browser| browser.frames_on_demand),
            cgroup: browser.as_ref().is_some_and(|browser| browser.in_cgroup),
            problem: problem.or_else(|| (!confined).then(|| unconfined.to_owned())),
            active,
            waiting,
        }
    }

    async fn shutdown(&self) {
        self.0.stop.cancel();
        self.0.tasks.close();
        if timeout(SHUTDOWN_LIMIT, self.0.tasks.wait()).await.is_err() {
            tracing::warn!("the browser's tasks did not end in time");
        }
        if let Ok(profiles) = self.0.settings.profiles() {
            profiles.remove();
        }
    }
}

/// A render that has ended, and the tab to clean up after it.
struct Ended {
    result: Result<Rendered, RenderError>,
    tab: Option<Tab>,
}

impl Pool {
    /// Renders, answers, and only then cleans up; the slot is taken until everything is clean.
    async fn work(
        self: Arc<Self>,
        request: RenderRequest,
        slot: Slot,
        caller: CancellationToken,
        answer: oneshot::Sender<Result<Rendered, RenderError>>,
    ) {
        let ended = tokio::select! {
            ended = self.render(&request) => ended,
            // Dropping the render closes its tab.
            () = caller.cancelled() => return,
        };
        let Some(tab) = ended.tab else {
            // The caller may have gone in this very moment.
            let _ = answer.send(ended.result);
            return;
        };
        let browser = tab.browser.clone();
        let _coming = browser.idle.announce(tab.site().clone());
        let page = ended.result.as_ref().ok().filter(|page| page.settled != Settled::Redirect);
        let page = page.map(|page| page.final_url.clone());
        let _ = answer.send(ended.result);
        if let Some(tab) = tab.clean(page).await {
            browser.keep(tab, self.settings.config.concurrency.max(MIN_IDLE_TABS));
        }
        drop(slot);
    }

    async fn render(&self, request: &RenderRequest) -> Ended {
        let mut crashed = false;
        for attempt in 1..=ATTEMPTS {
            let browser = match self.supervisor.browser(BROWSER_LIMIT).await {
                Ok(browser) => browser,
                Err(problem) => return Ended { result: Err(RenderError::NoBrowser(problem)), tab: None },
            };
            let started = Instant::now();
            let Some(mut tab) = self.ready_tab(&browser, request, attempt).await else { continue };
            let prepared = started.elapsed();
            browser.renders.fetch_add(1, Ordering::Relaxed);

            let pass = Arc::new(Pass::new(request.route.clone(), request.limits.page_bytes));
            tab.gate.admit(pass.clone());
            let mut visit = Visit::new(&mut tab, request, pass.clone());
            let end = visit.run().await;
            let console = std::mem::take(&mut visit.console);
            match end {
                End::Page(captured) => {
                    let timings = Timings {
                        prepare_ms: milliseconds(prepared),
                        load_ms: milliseconds(started.elapsed() - prepared),
                        ..Timings::default()
                    };
                    let keep = !captured.partial;
                    let result = Ok(answer(*captured, console, &pass, timings));
                    return Ended { result, tab: keep.then_some(tab) };
                }
                End::Failed(error) => return Ended { result: Err(error), tab: None },
                End::Died { crashed: by_page } => {
                    crashed = by_page;
                    tracing::info!(url = %request.url, attempt, crashed, "a tab died under a render");
                }
            }
        }
        let error = if crashed {
            RenderError::PageCrashed
        } else {
            RenderError::NoBrowser("it ended under this page, twice".to_owned())
        };
        Ended { result: Err(error), tab: None }
    }

    /// A tab of the request's site, warm at the first attempt if there is one, ready to navigate.
    async fn ready_tab(&self, browser: &Arc<Browser>, request: &RenderRequest, attempt: u32) -> Option<Tab> {
        let site = Site::of(request);
        let warm = if attempt == 1 { browser.idle.take(&site).await } else { None };
        if let Some(mut tab) = warm {
            match timeout(PREPARE_LIMIT, tab.prepare(request)).await {
                Ok(Ok(())) => return Some(tab),
                broken => tracing::debug!(?broken, "a warm tab is broken"),
            }
        }
        let opened = async {
            let mut tab = Tab::open(browser, site).await?;
            tab.prepare(request).await?;
            Ok::<_, crate::cdp::CdpError>(tab)
        };
        opened.await.inspect_err(|error| tracing::debug!(%error, attempt, "no tab")).ok()
    }
}

fn answer(captured: Captured, console: Vec<ConsoleMessage>, pass: &Pass, timings: Timings) -> Rendered {
    let cut = pass.is_cut();
    Rendered {
        status: captured.status,
        location: captured.location,
        final_url: captured.final_url,
        html: captured.html,
        partial: captured.partial || (cut && captured.settled != Settled::Redirect),
        settled: captured.settled,
        timings,
        console,
        blocked: pass.take_blocked(),
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn shutting_down() -> RenderError {
    RenderError::NoBrowser("the service is shutting down".to_owned())
}
