//! The renderer on real Chromium: fair slots, warm tabs, a browser that is watched and replaced.
//!
//! Used by the application and the `render` command. Must never share a tab between sites, and never let a render outlive
//! its time limit by more than a second.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::BoxFuture;
use http::HeaderMap;
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::attempts::{Attempts, Isolation, Loss};
use crate::capacity::{Capacity, Sample};
use crate::egress::Pass;
use crate::environment::Environment;
use crate::fleet::{Alone, Fleet};
use crate::machine::{self, ProcessorMeter};
use crate::queue::{Slot, Slots};
use crate::running::{Lease, RunningBrowser};
use crate::supervisor::State;
use crate::tab::{Tab, TabOwner, check_url};
use crate::viewer::Viewer;
use crate::visit::{Answers, Captured, End, Visit};
use crate::{
    BrowserConfig, BrowserHealth, ConsoleMessage, PageView, RenderError, RenderRequest, Rendered, Renderer,
    Settled, Timings, ViewRequest,
};

/// How long a render waits for a browser that is being started.
const BROWSER_LIMIT: Duration = Duration::from_secs(15);
/// How long a look at the browser's health waits for one that is being started.
const HEALTH_LIMIT: Duration = Duration::from_secs(5);
/// How long a tab may take to get ready for the next page.
const PREPARE_LIMIT: Duration = Duration::from_secs(5);
/// How long a fresh one may take; one that takes longer is broken.
const OPEN_LIMIT: Duration = Duration::from_secs(10);
/// What a render may take beside its own time limit, from its slot to its answer: browsers and tabs that it waits for, also again.
const WAITING_LIMIT: Duration = Duration::from_secs(20);
/// How long the end waits for renders that are being cleaned up after.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);
/// How long a render whose browser ended waits for its turn to be alone, before it is repeated among others after all.
const ALONE_LIMIT: Duration = Duration::from_secs(5);
/// How often the number of pages at once is decided.
const SAMPLE_EVERY: Duration = Duration::from_millis(250);
/// Warm tabs are kept even where few pages are rendered at once. More of them would be sent to the blank page, which costs a third of a
/// render, and be closed a moment later where one new site comes after another.
const MIN_WARM_TABS: usize = 5;

/// Renders pages in Chromium.
pub struct ChromiumPool(Arc<Pool>);

struct Pool {
    environment: Arc<Environment>,
    slots: Slots,
    fleet: Fleet,
    viewer: Viewer,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl ChromiumPool {
    /// Starts a browser in the background and keeps as many running as the load needs. Must be called within a Tokio runtime.
    ///
    /// Never fails: without a browser, [`Renderer::health`] says what is missing, and renders say so too.
    pub fn start(config: BrowserConfig) -> ChromiumPool {
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let capacity = Capacity::new(config.concurrency_floor, config.concurrency);
        let slots = Slots::new(capacity.limits(), config.max_waiting);
        let viewer = Viewer::new(&config, stop.clone(), tasks.clone());
        let environment = Arc::new(Environment::new(config));
        let fleet = Fleet::start(environment.clone(), stop.clone(), tasks.clone());
        let pool = Pool { environment, slots, fleet, viewer, stop, tasks };
        pool.tasks.spawn(regulate(capacity, pool.slots.clone(), pool.fleet.clone(), pool.stop.clone()));
        ChromiumPool(Arc::new(pool))
    }

    /// Process ids of the browsers that renders share now, for operators and tests.
    pub fn browser_pids(&self) -> Vec<u32> {
        self.0.fleet.browsers().iter().map(|browser| browser.pid()).collect()
    }

    /// Process id of the browser that one render has for itself, while there is one.
    pub fn lone_browser_pid(&self) -> Option<u32> {
        self.0.fleet.lone_browser().map(|browser| browser.pid())
    }

    /// Process id of the browser that draws pictures, while there is one.
    pub fn viewer_pid(&self) -> Option<u32> {
        self.0.viewer.browser_pid()
    }

    /// Process id of the first browser that renders share.
    pub fn browser_pid(&self) -> Option<u32> {
        self.browser_pids().first().copied()
    }
}

impl Drop for ChromiumPool {
    fn drop(&mut self) {
        self.0.stop.cancel();
    }
}

impl Renderer for ChromiumPool {
    fn render(&self, request: RenderRequest) -> BoxFuture<'_, Result<Rendered, RenderError>> {
        Box::pin(async move {
            check_url(&request.url).map_err(RenderError::BadUrl)?;
            let asked = Instant::now();
            let slot = tokio::select! {
                slot = self.0.slots.take(&request.tenant, request.urgent) => slot.ok_or(RenderError::Overloaded)?,
                () = self.0.stop.cancelled() => return Err(RenderError::ShuttingDown),
            };
            let queued = asked.elapsed();
            let (sender, result) = oneshot::channel();
            // Ends the page when the caller stops waiting; what comes after the answer goes on without it.
            let caller = CancellationToken::new();
            let _gone = caller.clone().drop_guard();
            self.0.tasks.spawn(self.0.clone().work(request, slot, caller, sender));

            let mut rendered = match result.await {
                // Whatever became of a browser that was told to end is not the browser's fault.
                Ok(Err(RenderError::NoBrowser(_))) if self.0.stop.is_cancelled() => {
                    return Err(RenderError::ShuttingDown);
                }
                Ok(result) => result?,
                Err(_) if self.0.stop.is_cancelled() => return Err(RenderError::ShuttingDown),
                Err(_) => return Err(RenderError::Abandoned),
            };
            rendered.timings.queued_ms = milliseconds(queued);
            rendered.timings.total_ms = milliseconds(asked.elapsed());
            Ok(rendered)
        })
    }

    fn view(&self, request: ViewRequest) -> BoxFuture<'_, PageView> {
        Box::pin(self.0.viewer.view(request))
    }

    fn health(&self) -> BoxFuture<'_, BrowserHealth> {
        Box::pin(async move {
            let (active, waiting) = self.0.slots.counts();
            let (browser, problem) = match self.0.fleet.settled(HEALTH_LIMIT).await {
                State::Ready(browser) => (Some(browser), None),
                State::Failed(problem) => (None, Some(problem)),
                State::Starting => (None, Some("the browser is being started".to_owned())),
                State::Stopped => (None, Some("the browser is stopped".to_owned())),
            };
            let bounds = browser.as_ref().map(|browser| browser.bounds);
            BrowserHealth {
                usable: browser.is_some(),
                version: browser.as_ref().map(|browser| browser.version.product.clone()),
                confined: bounds.is_some_and(|bounds| bounds.confined),
                sandboxed: bounds.is_some_and(|bounds| bounds.sandboxed),
                frames_on_demand: browser.as_ref().is_some_and(|browser| browser.frames_on_demand),
                cgroup: browser.as_ref().is_some_and(|browser| browser.in_cgroup),
                problem: problem.or_else(|| bounds?.lack()),
                active,
                waiting,
            }
        })
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.stop.cancel();
            self.0.tasks.close();
            if timeout(SHUTDOWN_LIMIT, self.0.tasks.wait()).await.is_err() {
                tracing::warn!("the browser's tasks did not end in time");
            }
            if let Ok(profiles) = self.0.environment.profiles() {
                profiles.remove();
            }
            self.0.viewer.remove_profiles();
        })
    }
}

/// A render that has ended, and the tab to clean up after it.
struct Ended {
    result: Result<Rendered, RenderError>,
    kept: Option<(Tab, Stay)>,
}

impl Ended {
    fn failed(error: RenderError) -> Ended {
        Ended { result: Err(error), kept: None }
    }
}

/// A render's place in a browser, and the right to be alone there if it has one.
struct Stay {
    lease: Lease,
    alone: Option<Alone>,
}

impl Stay {
    fn browser_lost(&self) -> Loss {
        Loss::Browser(if self.alone.is_some() { Isolation::Alone } else { Isolation::Shared })
    }
}

impl Pool {
    /// Renders, answers, and only then cleans up; the slot is taken until everything is clean.
    async fn work(
        self: Arc<Self>,
        request: RenderRequest,
        slot: Slot,
        caller: CancellationToken,
        sender: oneshot::Sender<Result<Rendered, RenderError>>,
    ) {
        let ended = tokio::select! {
            ended = self.render_in_time(&request) => ended,
            // Dropping the render closes its tab.
            () = caller.cancelled() => return,
        };
        let Some((tab, stay)) = ended.kept else {
            // The caller may have gone in this very moment.
            let _ = sender.send(ended.result);
            return;
        };
        let browser = Arc::clone(&stay.lease);
        let _coming = browser.warm_tabs.announce(tab.site().clone());
        let page = ended.result.as_ref().ok().filter(|page| page.settled != Settled::Redirect);
        let page = page.map(|page| page.final_url.clone());
        let _ = sender.send(ended.result);
        if let Some(tab) = tab.clean(page).await {
            // A browser for one render alone is not kept.
            if stay.alone.is_none() {
                browser.keep(tab, browser.active().max(MIN_WARM_TABS));
            }
        }
        drop(stay);
        drop(slot);
    }

    /// Renders within one deadline for everything that belongs to it.
    async fn render_in_time(&self, request: &RenderRequest) -> Ended {
        let mut attempts = Attempts::default();
        let limit = request.timeout + WAITING_LIMIT;
        match timeout(limit, self.render(request, &mut attempts)).await {
            Ok(ended) => ended,
            // Dropping the render has closed its tab.
            Err(_) => Ended::failed(attempts.overdue(request.timeout)),
        }
    }

    async fn render(&self, request: &RenderRequest, attempts: &mut Attempts) -> Ended {
        loop {
            let stay = match self.find_place(attempts, request).await {
                Ok(stay) => stay,
                Err(problem) => return Ended::failed(RenderError::NoBrowser(problem)),
            };
            let loss = match self.attempt(request, attempts, stay).await {
                Ok(ended) => return ended,
                Err(loss) => loss,
            };
            tracing::info!(url = crawler::url::without_query(&request.url), ?loss, "a render lost its place");
            if let Err(error) = attempts.lost(loss) {
                return Ended::failed(error);
            }
        }
    }

    async fn find_place(&self, attempts: &Attempts, request: &RenderRequest) -> Result<Stay, String> {
        if attempts.isolation() == Isolation::Alone
            && let Some(alone) = self.fleet.turn_alone(ALONE_LIMIT).await
        {
            return Ok(Stay { lease: alone.browser(BROWSER_LIMIT).await?, alone: Some(alone) });
        }
        let lease = self.fleet.browser(&TabOwner::of(request), BROWSER_LIMIT).await?;
        Ok(Stay { lease, alone: None })
    }

    /// Renders once.
    async fn attempt(
        &self,
        request: &RenderRequest,
        attempts: &mut Attempts,
        stay: Stay,
    ) -> Result<Ended, Loss> {
        let started = Instant::now();
        let browser = &stay.lease;
        let Some(mut tab) = self.ready_tab(browser, request, attempts.is_first()).await else {
            return Err(if browser.is_gone() { stay.browser_lost() } else { Loss::NoTab });
        };
        let prepared = started.elapsed();
        browser.renders.fetch_add(1, Ordering::Relaxed);
        attempts.visit();

        let pass = Arc::new(Pass::of(request));
        tab.gate.admit(pass.clone());
        let mut visit = Visit::new(&mut tab, request, pass.clone());
        let end = visit.run().await;
        let (console, answers) = (std::mem::take(&mut visit.console), visit.take_answers());
        match end {
            End::Page(captured) => {
                let timings = Timings {
                    prepare_ms: milliseconds(prepared),
                    load_ms: milliseconds(started.elapsed() - prepared),
                    ..Timings::default()
                };
                let keep = !captured.partial;
                let result = Ok(rendered_page(*captured, (console, answers), &pass, timings));
                Ok(Ended { result, kept: keep.then_some((tab, stay)) })
            }
            End::Failed(error) => Ok(Ended::failed(error)),
            // A page that floods its connection loses that, with its browser still there.
            End::Died { crashed } if crashed || !stay.lease.is_gone() => Err(Loss::Tab),
            End::Died { .. } => Err(stay.browser_lost()),
        }
    }

    /// A tab of the request's site, warm at the first attempt if there is one, ready to navigate.
    async fn ready_tab(&self, browser: &RunningBrowser, request: &RenderRequest, warm: bool) -> Option<Tab> {
        let site = TabOwner::of(request);
        let warm = if warm { browser.warm_tabs.take(&site).await } else { None };
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
        match timeout(OPEN_LIMIT, opened).await {
            Ok(opened) => opened.inspect_err(|error| tracing::debug!(%error, "no tab")).ok(),
            Err(_) => None,
        }
    }
}

fn rendered_page(
    captured: Captured,
    (console, answers): (Vec<ConsoleMessage>, Answers),
    pass: &Pass,
    timings: Timings,
) -> Rendered {
    let cut = pass.is_cut();
    Rendered {
        status: captured.status,
        headers: if captured.location.is_none() { answers.headers } else { HeaderMap::new() },
        location: captured.location,
        final_url: captured.final_url,
        first_status: answers.first_status,
        hops: answers.hops,
        html: captured.html,
        partial: captured.partial || (cut && captured.settled != Settled::Redirect),
        settled: captured.settled,
        timings,
        console,
        blocked: pass.take_blocked(),
        failed: answers.failed,
        inspection: captured.inspection,
    }
}

/// Follows the load with the number of pages at once, and with the browsers that they need.
async fn regulate(mut capacity: Capacity, slots: Slots, fleet: Fleet, stop: CancellationToken) {
    let mut processor = ProcessorMeter::start();
    let mut ticks = interval(SAMPLE_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = stop.cancelled() => return,
        }
        let (active, waiting) = slots.counts();
        let beside_urgent = slots.is_beside_urgent();
        let (busy, memory_free) = (processor.busy(), machine::memory_free());
        let before = capacity.limits();
        let limits = capacity.observe(&Sample { busy, memory_free, active, beside_urgent, waiting });
        if limits != before {
            tracing::debug!(?limits, busy, memory_free, active, waiting, "pages at once");
            slots.set_limits(limits);
        }
        slots.admit();
        fleet.resize(limits.all);
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
