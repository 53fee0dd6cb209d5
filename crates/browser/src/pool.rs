//! The Chromium implementation of [`Renderer`]: warm tabs, retries, supervised browsers.
//!
//! Used by the application and the `render` command. Must never share a tab between sites, nor let a render run without a
//! deadline.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use http::HeaderMap;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::attempts::{Attempts, Isolation, Loss};
use crate::capacity::{Capacity, RenderCapacity, RenderLoad, Sample};
use crate::egress::Traffic;
use crate::environment::Environment;
use crate::fleet::{ExclusiveBrowser, Fleet};
use crate::running::{Lease, RunningBrowser};
use crate::supervisor::State;
use crate::system::{self, CpuMeter};
use crate::tab::{Tab, TabOwner, check_url};
use crate::viewer::Viewer;
use crate::visit::{Captured, Responses, Visit, VisitEnd};
use crate::{
    BrowserConfig, BrowserHealth, ConsoleMessage, PageView, RenderError, RenderRequest, Rendered, Renderer,
    Settled, Timings, ViewRequest, milliseconds,
};

/// Wait of a render for a browser that is starting.
const BROWSER_LIMIT: Duration = Duration::from_secs(15);
/// Wait of a health check for a browser that is starting.
const HEALTH_LIMIT: Duration = Duration::from_secs(5);
/// Timeout for preparing a warm tab.
const PREPARE_LIMIT: Duration = Duration::from_secs(5);
/// Timeout for opening and preparing a new tab.
const OPEN_LIMIT: Duration = Duration::from_secs(10);
/// Time of a render beside its own limit: waits for browsers and tabs, retries included.
const WAITING_LIMIT: Duration = Duration::from_secs(20);
/// Wait of the shutdown for tasks that clean up.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(10);
/// Wait for the exclusive browser; after it the render is retried in a shared one.
const EXCLUSIVE_LIMIT: Duration = Duration::from_secs(5);
/// Minimum number of warm tabs of a browser. With a lower one, alternating sites would have their tabs blanked and closed each
/// time, and blanking costs a third of a render.
const MIN_WARM_TABS: usize = 5;

/// Renderer on a pool of Chromium browsers.
pub struct ChromiumPool(Arc<Pool>);

struct Pool {
    environment: Arc<Environment>,
    capacity: Mutex<(Capacity, CpuMeter)>,
    fleet: Fleet,
    viewer: Viewer,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl ChromiumPool {
    /// Starts a browser in the background and adds others as the load requires. Must be called within a Tokio runtime.
    ///
    /// Never fails: without a browser, [`Renderer::health`] and renders report the reason.
    pub fn start(config: BrowserConfig) -> ChromiumPool {
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let capacity = Capacity::new(config.concurrency_floor, config.concurrency);
        let viewer = Viewer::new(&config, stop.clone(), tasks.clone());
        let environment = Arc::new(Environment::new(config));
        let fleet = Fleet::start(environment.clone(), stop.clone(), tasks.clone());
        fleet.resize(capacity.limits().all);
        let capacity = Mutex::new((capacity, CpuMeter::start()));
        ChromiumPool(Arc::new(Pool { environment, capacity, fleet, viewer, stop, tasks }))
    }

    /// Returns the process ids of the shared browsers, for operators and tests.
    pub fn browser_pids(&self) -> Vec<u32> {
        self.0.fleet.browsers().iter().map(|browser| browser.pid()).collect()
    }

    /// Returns the process id of the exclusive browser, if it runs.
    pub fn exclusive_browser_pid(&self) -> Option<u32> {
        self.0.fleet.exclusive_browser().map(|browser| browser.pid())
    }

    /// Returns the process id of the browser of views, if it runs.
    pub fn viewer_pid(&self) -> Option<u32> {
        self.0.viewer.browser_pid()
    }

    /// Returns the process id of the first shared browser.
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
            if self.0.stop.is_cancelled() {
                return Err(RenderError::ShuttingDown);
            }
            let (sender, result) = oneshot::channel();
            // Closes the page when the caller drops the future. Cleaning up after the response goes on.
            let caller = CancellationToken::new();
            let _gone = caller.clone().drop_guard();
            self.0.tasks.spawn(self.0.clone().run_render(request, caller, sender));

            let mut rendered = match result.await {
                // During shutdown, a browser that ends is not a failure of the browser.
                Ok(Err(RenderError::NoBrowser(_))) if self.0.stop.is_cancelled() => {
                    return Err(RenderError::ShuttingDown);
                }
                Ok(result) => result?,
                Err(_) if self.0.stop.is_cancelled() => return Err(RenderError::ShuttingDown),
                Err(_) => return Err(RenderError::Abandoned),
            };
            rendered.timings.total_ms = milliseconds(asked.elapsed());
            Ok(rendered)
        })
    }

    fn capacity(&self, load: &RenderLoad) -> RenderCapacity {
        let mut capacity = self.0.capacity.lock().unwrap_or_else(PoisonError::into_inner);
        let (capacity, processor) = &mut *capacity;
        let sample = Sample { busy: processor.busy(), memory_free: system::memory_free(), load: *load };
        let before = capacity.limits();
        let limits = capacity.observe(&sample);
        if limits != before {
            tracing::debug!(?limits, ?sample, "capacity changed");
        }
        self.0.fleet.resize(limits.all);
        limits
    }

    fn view(&self, request: ViewRequest) -> BoxFuture<'_, PageView> {
        Box::pin(self.0.viewer.view(request))
    }

    fn health(&self) -> BoxFuture<'_, BrowserHealth> {
        Box::pin(async move {
            let (browser, problem) = match self.0.fleet.started(HEALTH_LIMIT).await {
                State::Ready(browser) => (Some(browser), None),
                State::Failed(problem) => (None, Some(problem)),
                State::Starting => (None, Some("the browser is being started".to_owned())),
                State::Stopped => (None, Some("the browser is stopped".to_owned())),
            };
            let confinement = browser.as_ref().map(|browser| browser.confinement);
            BrowserHealth {
                usable: browser.is_some(),
                version: browser.as_ref().map(|browser| browser.version.product.clone()),
                confined: confinement.is_some_and(|confinement| confinement.confined),
                sandboxed: confinement.is_some_and(|confinement| confinement.sandboxed),
                frames_on_demand: browser.as_ref().is_some_and(|browser| browser.frames_on_demand),
                cgroup: browser.as_ref().is_some_and(|browser| browser.in_cgroup),
                problem: problem.or_else(|| confinement?.missing()),
                active: self.0.fleet.browsers().iter().map(|browser| browser.active()).sum(),
            }
        })
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.stop.cancel();
            self.0.tasks.close();
            if timeout(SHUTDOWN_LIMIT, self.0.tasks.wait()).await.is_err() {
                tracing::warn!("tasks of the browsers did not end in time");
            }
            if let Ok(profiles) = self.0.environment.profiles() {
                profiles.remove();
            }
            self.0.viewer.remove_profiles();
        })
    }
}

/// A finished render, and the tab to clean up.
struct Ended {
    result: Result<Rendered, RenderError>,
    kept: Option<(Tab, Placement)>,
}

impl Ended {
    fn failed(error: RenderError) -> Ended {
        Ended { result: Err(error), kept: None }
    }
}

/// Lease of a browser for a render, with the exclusive lock where it is needed.
struct Placement {
    lease: Lease,
    exclusive: Option<ExclusiveBrowser>,
}

impl Placement {
    fn browser_lost(&self) -> Loss {
        Loss::Browser(if self.exclusive.is_some() { Isolation::Exclusive } else { Isolation::Shared })
    }
}

impl Pool {
    /// Renders, responds, then cleans up. The request's slot is released after that.
    async fn run_render(
        self: Arc<Self>,
        request: RenderRequest,
        caller: CancellationToken,
        sender: oneshot::Sender<Result<Rendered, RenderError>>,
    ) {
        let ended = tokio::select! {
            ended = self.render_in_time(&request) => ended,
            // Dropping the render closes its tab.
            () = caller.cancelled() => return,
        };
        let Some((tab, placement)) = ended.kept else {
            // The caller may have dropped the receiver.
            let _ = sender.send(ended.result);
            return;
        };
        let browser = Arc::clone(&placement.lease);
        let _cleaning = browser.warm_tabs.mark_cleaning(tab.owner().clone());
        let page = ended.result.as_ref().ok().filter(|page| page.settled != Settled::Redirect);
        let page = page.map(|page| page.final_url.clone());
        let _ = sender.send(ended.result);
        if let Some(tab) = tab.clean(page).await {
            // An exclusive browser keeps no tabs.
            if placement.exclusive.is_none() {
                browser.keep(tab, browser.active().max(MIN_WARM_TABS));
            }
        }
        drop(placement);
    }

    /// Renders within one deadline for all attempts.
    async fn render_in_time(&self, request: &RenderRequest) -> Ended {
        let mut attempts = Attempts::default();
        let limit = request.timeout + WAITING_LIMIT;
        match timeout(limit, self.render(request, &mut attempts)).await {
            Ok(ended) => ended,
            // Dropping the render has closed its tab.
            Err(_) => Ended::failed(attempts.deadline_error(request.timeout)),
        }
    }

    async fn render(&self, request: &RenderRequest, attempts: &mut Attempts) -> Ended {
        loop {
            let placement = match self.place(attempts, request).await {
                Ok(placement) => placement,
                Err(problem) => return Ended::failed(RenderError::NoBrowser(problem)),
            };
            let loss = match self.attempt(request, attempts, placement).await {
                Ok(ended) => return ended,
                Err(loss) => loss,
            };
            tracing::info!(url = crawler::url::without_query(&request.url), ?loss, "lost a tab or browser");
            if let Err(error) = attempts.record_loss(loss) {
                return Ended::failed(error);
            }
        }
    }

    async fn place(&self, attempts: &Attempts, request: &RenderRequest) -> Result<Placement, String> {
        if attempts.isolation() == Isolation::Exclusive
            && let Some(browser) = self.fleet.acquire_exclusive(EXCLUSIVE_LIMIT).await
        {
            return Ok(Placement { lease: browser.lease(BROWSER_LIMIT).await?, exclusive: Some(browser) });
        }
        let lease = self.fleet.browser(&TabOwner::of(request), BROWSER_LIMIT).await?;
        Ok(Placement { lease, exclusive: None })
    }

    /// Makes one attempt.
    async fn attempt(
        &self,
        request: &RenderRequest,
        attempts: &mut Attempts,
        placement: Placement,
    ) -> Result<Ended, Loss> {
        let started = Instant::now();
        let browser = &placement.lease;
        let Some(mut tab) = self.acquire_tab(browser, request, attempts).await else {
            return Err(if browser.is_gone() { placement.browser_lost() } else { Loss::NoTab });
        };
        let prepared = started.elapsed();
        browser.renders.fetch_add(1, Ordering::Relaxed);
        attempts.record_visit();

        let traffic = Arc::new(Traffic::of(request));
        tab.endpoint.attach(traffic.clone());
        let mut visit = Visit::new(&mut tab, request, traffic.clone());
        let end = visit.run().await;
        let (console, responses) = (std::mem::take(&mut visit.console), visit.take_responses());
        match end {
            VisitEnd::Page(captured) => {
                let timings = Timings::of_phases(prepared, started.elapsed() - prepared);
                let keep = !captured.partial;
                let result = Ok(rendered_page(*captured, (console, responses), &traffic, timings));
                Ok(Ended { result, kept: keep.then_some((tab, placement)) })
            }
            VisitEnd::Failed(error) => Ok(Ended::failed(error)),
            // A page that floods the connection with events loses its receiver while the browser runs on.
            VisitEnd::TabLost { crashed } if crashed || !placement.lease.is_gone() => Err(Loss::Tab),
            VisitEnd::TabLost { .. } => Err(placement.browser_lost()),
        }
    }

    /// Returns a prepared tab of the request's owner: at the first attempt a warm one, if there is one.
    async fn acquire_tab(
        &self,
        browser: &RunningBrowser,
        request: &RenderRequest,
        attempts: &Attempts,
    ) -> Option<Tab> {
        let owner = TabOwner::of(request);
        let warm = if attempts.is_first() { browser.warm_tabs.take(&owner).await } else { None };
        if let Some(mut tab) = warm {
            match timeout(PREPARE_LIMIT, tab.prepare(request)).await {
                Ok(Ok(())) => return Some(tab),
                broken => tracing::debug!(?broken, "a warm tab is broken"),
            }
        }
        let opened = async {
            let mut tab = Tab::open(browser, owner).await?;
            tab.prepare(request).await?;
            Ok::<_, crate::cdp::CdpError>(tab)
        };
        match timeout(OPEN_LIMIT, opened).await {
            Ok(opened) => opened.inspect_err(|error| tracing::debug!(%error, "no tab could be opened")).ok(),
            Err(_) => None,
        }
    }
}

fn rendered_page(
    captured: Captured,
    (console, responses): (Vec<ConsoleMessage>, Responses),
    traffic: &Traffic,
    timings: Timings,
) -> Rendered {
    let over_limit = traffic.is_over_limit();
    Rendered {
        status: captured.status,
        headers: if captured.location.is_none() { responses.headers } else { HeaderMap::new() },
        location: captured.location,
        final_url: captured.final_url,
        first_status: responses.first_status,
        hops: responses.hops,
        html: captured.html,
        partial: captured.partial || (over_limit && captured.settled != Settled::Redirect),
        settled: captured.settled,
        timings,
        console,
        blocked: traffic.take_blocked(),
        failed: responses.failed,
        inspection: captured.inspection,
    }
}
