//! Views of pages with pictures and fonts, in a browser of their own that starts on demand and ends after an idle minute.
//! Used by the pool. Must never use a slot, a tab or a browser of a render.
//! See docs/decisions/0452.

pub(crate) mod model;
pub(crate) mod requests;
mod screenshot;

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use crate::cdp::{CdpError, EventKind};
use crate::egress::Traffic;
use crate::environment::Environment;
use crate::running::Lease;
use crate::supervisor::Supervisor;
use crate::tab::{Tab, TabOwner, check_url};
use crate::visit::{Captured, Visit, VisitEnd};
use crate::{
    BrowserConfig, ConsoleMessage, FailedRequest, RenderError, RenderRequest, Timings, console, milliseconds,
};
use model::{PageView, ViewRequest, ViewSource, ViewedPage};
use requests::RequestLog;

/// Maximum number of concurrent views.
const SLOTS: usize = 2;
/// Idle time after which the browser is ended.
const IDLE_LIMIT: Duration = Duration::from_secs(60);
const IDLE_CHECK: Duration = Duration::from_secs(5);
/// Timeout for starting the browser.
const BROWSER_LIMIT: Duration = Duration::from_secs(30);
/// Timeout for opening and preparing a tab.
const OPEN_LIMIT: Duration = Duration::from_secs(10);
/// Time for pictures, text and the screenshot, in addition to the page's own limit.
const SHOT_LIMIT: Duration = Duration::from_secs(25);
/// Time in which a given document loads its resources. After it, the document is captured as it is.
const DOCUMENT_LIMIT: Duration = Duration::from_secs(10);
/// Maximum width of a phone's window, in CSS pixels.
const PHONE_WIDTH: u32 = 600;

/// Views pages in a browser that runs on demand.
pub(crate) struct Viewer {
    config: BrowserConfig,
    environment: OnceLock<Arc<Environment>>,
    slots: Semaphore,
    state: Arc<Mutex<State>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// Supervisor of the browser, and its use.
struct State {
    supervisor: Option<Supervisor>,
    /// Running views.
    active: usize,
    /// End of the last view.
    last_used: Instant,
}

/// Counter of a running view, until dropped.
struct ActiveView<'a>(&'a Viewer);

impl Drop for ActiveView<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.active -= 1;
        state.last_used = Instant::now();
    }
}

/// Ends the browser after an idle minute.
async fn end_when_idle(state: Arc<Mutex<State>>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = sleep(IDLE_CHECK) => {}
            () = stop.cancelled() => return,
        }
        let mut state = lock(&state);
        if state.active == 0 && state.last_used.elapsed() >= IDLE_LIMIT {
            if let Some(supervisor) = state.supervisor.take() {
                supervisor.drain();
            }
            return;
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Viewer {
    /// Makes a viewer. Starts nothing.
    pub fn new(config: &BrowserConfig, stop: CancellationToken, tasks: TaskTracker) -> Viewer {
        Viewer {
            config: BrowserConfig { concurrency: SLOTS, ..config.clone() },
            environment: OnceLock::new(),
            slots: Semaphore::new(SLOTS),
            state: Arc::new(Mutex::new(State { supervisor: None, active: 0, last_used: Instant::now() })),
            stop,
            tasks,
        }
    }

    /// Views a page.
    pub async fn view(&self, request: ViewRequest) -> PageView {
        if let Err(problem) = check_url(&request.page.url) {
            return PageView::failed(RenderError::BadUrl(problem));
        }
        let slot = tokio::select! {
            slot = self.slots.acquire() => slot,
            () = self.stop.cancelled() => return PageView::failed(RenderError::ShuttingDown),
        };
        let _slot = slot.expect("the semaphore is never closed");
        let limit = request.page.timeout + BROWSER_LIMIT + OPEN_LIMIT + SHOT_LIMIT;
        tokio::select! {
            view = timeout(limit, self.load(&request)) => {
                view.unwrap_or_else(|_| PageView::failed(RenderError::Timeout(request.page.timeout)))
            }
            () = self.stop.cancelled() => PageView::failed(RenderError::ShuttingDown),
        }
    }

    /// Returns the process id of the browser, if it runs.
    pub fn browser_pid(&self) -> Option<u32> {
        let state = lock(&self.state);
        state.supervisor.as_ref()?.state().usable().map(|browser| browser.pid())
    }

    /// Removes the profile folders.
    pub fn remove_profiles(&self) {
        if let Some(Ok(profiles)) = self.environment.get().map(|environment| environment.profiles()) {
            profiles.remove();
        }
    }

    /// Views a page, following its redirects.
    async fn load(&self, request: &ViewRequest) -> PageView {
        let _active = {
            lock(&self.state).active += 1;
            ActiveView(self)
        };
        let browser = match self.browser().await {
            Ok(browser) => browser,
            Err(problem) => return PageView::failed(RenderError::NoBrowser(problem)),
        };
        let mut page = request.page.clone();
        for _ in 0..=page.limits.redirects {
            let ViewRequest { width, source, .. } = request;
            match load_once(&browser, &page, *width, source).await {
                Loaded::View(view) => return *view,
                Loaded::Redirect(url) => page.url = url,
            }
        }
        PageView::failed(RenderError::NotAPage("too many redirects".to_owned()))
    }

    async fn browser(&self) -> Result<Lease, String> {
        let supervisor = lock(&self.state).supervisor.get_or_insert_with(|| self.start()).clone();
        Ok(supervisor.browser(BROWSER_LIMIT).await?.lease())
    }

    /// Starts the browser and the task that ends it.
    fn start(&self) -> Supervisor {
        self.tasks.spawn(end_when_idle(self.state.clone(), self.stop.clone()));
        let environment =
            self.environment.get_or_init(|| Arc::new(Environment::for_pictures(self.config.clone())));
        let changes = Arc::new(watch::channel(0).0);
        Supervisor::start(environment.clone(), changes, self.stop.clone(), self.tasks.clone())
    }
}

/// Result of loading one address.
enum Loaded {
    View(Box<PageView>),
    /// The page redirects.
    Redirect(Url),
}

impl Loaded {
    fn failed(error: RenderError) -> Loaded {
        Loaded::View(Box::new(PageView::failed(error)))
    }
}

/// View of one page in a tab of its own.
pub(super) struct ViewSession<'a> {
    tab: &'a mut Tab,
    width: u32,
    log: RequestLog,
    console: Vec<ConsoleMessage>,
    failed: Vec<FailedRequest>,
}

async fn load_once(browser: &Lease, page: &RenderRequest, width: u32, source: &ViewSource) -> Loaded {
    let started = Instant::now();
    let opened = timeout(OPEN_LIMIT, async {
        let mut tab = Tab::open(browser, TabOwner::of(page)).await?;
        tab.prepare(page).await?;
        let screen = json!({ "width": width, "height": if width <= PHONE_WIDTH { 844 } else { 1024 },
            "deviceScaleFactor": 1, "mobile": width <= PHONE_WIDTH });
        tab.send("Emulation.setDeviceMetricsOverride", screen).await?;
        Ok::<_, CdpError>(tab)
    });
    let Ok(Ok(mut tab)) = opened.await else {
        return Loaded::failed(RenderError::NoBrowser("no tab could be opened".to_owned()));
    };
    let prepared = started.elapsed();
    let traffic = Arc::new(Traffic::of(page));
    tab.endpoint.attach(traffic.clone());
    let (log, console, failed) = Default::default();
    let mut session = ViewSession { tab: &mut tab, width, log, console, failed };
    let seen = match source {
        ViewSource::Live => session.load_live(page, traffic.clone()).await,
        ViewSource::Document { html, content_type } => session.load_document(page, html, content_type).await,
    };
    let seen = match seen {
        Ok(Captured { location: Some(location), .. }) => {
            return match page.url.join(&location) {
                Ok(url) if check_url(&url).is_ok() => Loaded::Redirect(url),
                _ => Loaded::failed(RenderError::NotAPage("the redirect does not lead to a page".to_owned())),
            };
        }
        Ok(captured) => {
            let timings = Timings::of_phases(prepared, started.elapsed() - prepared);
            session.capture(captured, timings, started).await
        }
        Err(error) => Err(error),
    };
    let ViewSession { log, console, failed, .. } = session;
    let page = seen.map(|seen| ViewedPage { partial: seen.partial || traffic.is_over_limit(), ..seen });
    let blocked = traffic.take_blocked();
    Loaded::View(Box::new(PageView { page, requests: log.list(&blocked), console, blocked, failed }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
}

impl ViewSession<'_> {
    /// Navigates to the live page and waits until it is ready, as a render does.
    async fn load_live(
        &mut self,
        page: &RenderRequest,
        traffic: Arc<Traffic>,
    ) -> Result<Captured, RenderError> {
        let mut visit = Visit::new(self.tab, page, traffic);
        visit.log = Some(RequestLog::default());
        let end = visit.run().await;
        self.console = std::mem::take(&mut visit.console);
        self.failed = visit.take_responses().failed;
        self.log = visit.log.take().unwrap_or_default();
        match end {
            VisitEnd::Page(captured) => Ok(*captured),
            VisitEnd::Failed(error) => Err(error),
            VisitEnd::TabLost { .. } => Err(RenderError::PageCrashed),
        }
    }

    /// Loads a given document at the page's address, without scripts.
    async fn load_document(
        &mut self,
        page: &RenderRequest,
        html: &[u8],
        content_type: &str,
    ) -> Result<Captured, RenderError> {
        let deadline = Instant::now() + DOCUMENT_LIMIT.min(page.timeout);
        let patterns = json!({ "patterns": [{ "urlPattern": "*", "resourceType": "Document", "requestStage": "Request" }] });
        for call in [
            self.tab.send("Emulation.setScriptExecutionDisabled", json!({ "value": true })),
            self.tab.send("Fetch.enable", patterns),
        ] {
            let answer = self.wait_for(call, deadline).await?;
            answer.map_err(|error| RenderError::NoBrowser(error.to_string()))?;
        }
        drop(self.tab.send("Page.navigate", json!({ "url": page.url.as_str() })));
        let mut is_given = false;
        loop {
            let event = tokio::select! {
                event = self.tab.events.recv() => event.ok_or(RenderError::PageCrashed)?,
                // The loaded part is captured.
                () = sleep_until(deadline) => break,
            };
            self.on_event(&event)?;
            match event.kind {
                EventKind::RequestPaused if !is_given => {
                    let Some(Paused { request_id }) = event.params() else { continue };
                    let answer = json!({ "requestId": request_id, "responseCode": 200, "body": STANDARD.encode(html),
                        "responseHeaders": [{ "name": "content-type", "value": content_type }] });
                    drop(self.tab.send("Fetch.fulfillRequest", answer));
                    // Documents of frames are fetched from the network.
                    drop(self.tab.send("Fetch.disable", json!({})));
                    is_given = true;
                }
                EventKind::LoadFired if is_given => break,
                _ => {}
            }
        }
        if !is_given {
            return Err(RenderError::Timeout(DOCUMENT_LIMIT));
        }
        Ok(Captured::page(200, page.url.clone(), String::new()))
    }

    /// Reads the text and takes a screenshot.
    async fn capture(
        &mut self,
        captured: Captured,
        timings: Timings,
        started: Instant,
    ) -> Result<ViewedPage, RenderError> {
        let deadline = Instant::now() + SHOT_LIMIT;
        self.load_pictures(deadline).await?;
        let text = self.text(deadline).await?;
        let picture = self.picture(deadline).await?;
        Ok(ViewedPage {
            status: captured.status,
            final_url: captured.final_url,
            partial: captured.partial,
            timings: Timings { total_ms: milliseconds(started.elapsed()), ..timings },
            words: text.words,
            text: text.text,
            picture,
        })
    }

    /// Evaluates an expression in the isolated world.
    async fn evaluate(&mut self, expression: &str, deadline: Instant) -> Result<Value, RenderError> {
        let answer = self.tab.evaluate_isolated(expression.to_owned());
        self.wait_for(answer, deadline).await?.map_err(|error| match error {
            CdpError::Closed => RenderError::PageCrashed,
            error => RenderError::NotAPage(error.to_string()),
        })
    }

    /// Waits for a future while handling the page's events.
    async fn wait_for<T>(
        &mut self,
        wanted: impl Future<Output = T>,
        deadline: Instant,
    ) -> Result<T, RenderError> {
        tokio::pin!(wanted);
        loop {
            let event = tokio::select! {
                biased;
                answer = &mut wanted => return Ok(answer),
                event = self.tab.events.recv() => event.ok_or(RenderError::PageCrashed)?,
                () = sleep_until(deadline) => return Err(RenderError::Timeout(SHOT_LIMIT)),
            };
            self.on_event(&event)?;
        }
    }

    fn on_event(&mut self, event: &crate::cdp::Event) -> Result<(), RenderError> {
        self.log.record(event);
        match event.kind {
            EventKind::TargetCrashed => return Err(RenderError::PageCrashed),
            EventKind::DialogOpening => self.tab.dismiss_dialog(event),
            EventKind::ConsoleCalled | EventKind::ExceptionThrown => {
                console::record(&mut self.console, event)
            }
            _ => {}
        }
        Ok(())
    }
}
