//! Looks at pages with pictures and fonts, in a browser of its own that is started on demand and ended after a minute without
//! looks. Used by the pool. Must never take a slot, a tab or a browser of a render.
//! See docs/decisions/0452.

pub(crate) mod model;
pub(crate) mod requests;
mod shot;

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
use crate::egress::Pass;
use crate::environment::Environment;
use crate::running::Lease;
use crate::supervisor::Supervisor;
use crate::tab::{Tab, TabOwner, check_url};
use crate::visit::{Captured, End, Visit};
use crate::{BrowserConfig, ConsoleMessage, FailedRequest, RenderError, RenderRequest, Timings, console};
use model::{PageView, ViewRequest, ViewSource, ViewedPage};
use requests::RequestLog;

/// Looks at a time.
const SLOTS: usize = 2;
/// Time after the last look at which the browser is ended.
const IDLE_LIMIT: Duration = Duration::from_secs(60);
const IDLE_CHECK: Duration = Duration::from_secs(5);
/// Time for starting the browser.
const BROWSER_LIMIT: Duration = Duration::from_secs(30);
/// Time for a fresh tab.
const OPEN_LIMIT: Duration = Duration::from_secs(10);
/// Time for pictures, text and the screenshot, beside the page's own time limit.
const SHOT_LIMIT: Duration = Duration::from_secs(25);
/// Time in which a given document loads what belongs to it; later it is drawn as it stands.
const DOCUMENT_LIMIT: Duration = Duration::from_secs(10);
/// Widest window that is a phone's.
const PHONE_WIDTH: u32 = 600;

/// Looks at pages; its browser runs while somebody looks.
pub(crate) struct Viewer {
    config: BrowserConfig,
    environment: OnceLock<Arc<Environment>>,
    slots: Semaphore,
    kept: Arc<Mutex<Kept>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// The keeper of the browser, while there is one.
struct Kept {
    keeper: Option<Supervisor>,
    /// Looks under way.
    active: usize,
    /// End of the last look.
    last_used: Instant,
}

/// Counts a look until it ends.
struct Looking<'a>(&'a Viewer);

impl Drop for Looking<'_> {
    fn drop(&mut self) {
        let mut kept = lock(&self.0.kept);
        kept.active -= 1;
        kept.last_used = Instant::now();
    }
}

/// Ends the browser when it has been idle for a minute.
async fn end_when_idle(kept: Arc<Mutex<Kept>>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = sleep(IDLE_CHECK) => {}
            () = stop.cancelled() => return,
        }
        let mut kept = lock(&kept);
        if kept.active == 0 && kept.last_used.elapsed() >= IDLE_LIMIT {
            if let Some(keeper) = kept.keeper.take() {
                keeper.leave();
            }
            return;
        }
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Viewer {
    /// Makes a viewer. Starts nothing.
    pub fn new(config: &BrowserConfig, stop: CancellationToken, tasks: TaskTracker) -> Viewer {
        Viewer {
            config: BrowserConfig { concurrency: SLOTS, ..config.clone() },
            environment: OnceLock::new(),
            slots: Semaphore::new(SLOTS),
            kept: Arc::new(Mutex::new(Kept { keeper: None, active: 0, last_used: Instant::now() })),
            stop,
            tasks,
        }
    }

    /// Looks at a page.
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
            view = timeout(limit, self.look(&request)) => {
                view.unwrap_or_else(|_| PageView::failed(RenderError::Timeout(request.page.timeout)))
            }
            () = self.stop.cancelled() => PageView::failed(RenderError::ShuttingDown),
        }
    }

    /// Process id of the browser, while there is one.
    pub fn browser_pid(&self) -> Option<u32> {
        let kept = lock(&self.kept);
        kept.keeper.as_ref().and_then(|keeper| keeper.state().usable().map(|browser| browser.pid()))
    }

    /// Removes the browsers' folders.
    pub fn remove_profiles(&self) {
        if let Some(Ok(profiles)) = self.environment.get().map(|environment| environment.profiles()) {
            profiles.remove();
        }
    }

    /// Looks at a page and at those that it leads to.
    async fn look(&self, request: &ViewRequest) -> PageView {
        let _looking = {
            lock(&self.kept).active += 1;
            Looking(self)
        };
        let browser = match self.browser().await {
            Ok(browser) => browser,
            Err(problem) => return PageView::failed(RenderError::NoBrowser(problem)),
        };
        let mut page = request.page.clone();
        for _ in 0..=page.limits.redirects {
            let ViewRequest { width, source, .. } = request;
            match look_once(&browser, &page, *width, source).await {
                Looked::Seen(view) => return *view,
                Looked::Elsewhere(url) => page.url = url,
            }
        }
        PageView::failed(RenderError::NotAPage("too many redirects".to_owned()))
    }

    async fn browser(&self) -> Result<Lease, String> {
        let keeper = lock(&self.kept).keeper.get_or_insert_with(|| self.start()).clone();
        Ok(keeper.browser(BROWSER_LIMIT).await?.lease())
    }

    /// Starts the browser, and what ends it.
    fn start(&self) -> Supervisor {
        self.tasks.spawn(end_when_idle(self.kept.clone(), self.stop.clone()));
        let environment =
            self.environment.get_or_init(|| Arc::new(Environment::for_pictures(self.config.clone())));
        let changes = Arc::new(watch::channel(0).0);
        Supervisor::start(environment.clone(), changes, self.stop.clone(), self.tasks.clone())
    }
}

/// End of one look.
enum Looked {
    Seen(Box<PageView>),
    /// The page leads to another one.
    Elsewhere(Url),
}

/// One look, in a tab of its own.
pub(super) struct Look<'a> {
    tab: &'a mut Tab,
    width: u32,
    log: RequestLog,
    console: Vec<ConsoleMessage>,
    failed: Vec<FailedRequest>,
}

async fn look_once(browser: &Lease, page: &RenderRequest, width: u32, source: &ViewSource) -> Looked {
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
        return Looked::Seen(Box::new(PageView::failed(RenderError::NoBrowser("no tab".to_owned()))));
    };
    let prepared = started.elapsed();
    let pass = Arc::new(Pass::of(page));
    tab.gate.admit(pass.clone());
    let mut look =
        Look { tab: &mut tab, width, log: RequestLog::default(), console: Vec::new(), failed: Vec::new() };
    let seen = match source {
        ViewSource::Live => look.live(page, &pass).await,
        ViewSource::Document { html, content_type } => look.document(page, html, content_type).await,
    };
    let seen = match seen {
        Ok(Captured { location: Some(location), .. }) => {
            return match page.url.join(&location) {
                Ok(url) if check_url(&url).is_ok() => Looked::Elsewhere(url),
                _ => {
                    let error = RenderError::NotAPage("a redirect to no page".to_owned());
                    Looked::Seen(Box::new(PageView::failed(error)))
                }
            };
        }
        Ok(captured) => {
            let timings = Timings {
                prepare_ms: milliseconds(prepared),
                load_ms: milliseconds(started.elapsed() - prepared),
                ..Timings::default()
            };
            look.show(captured, timings, started).await
        }
        Err(error) => Err(error),
    };
    let (log, console, failed) = (look.log, look.console, look.failed);
    let mut seen = seen;
    if let Ok(seen) = &mut seen {
        seen.partial |= pass.is_cut();
    }
    let blocked = pass.take_blocked();
    Looked::Seen(Box::new(PageView { page: seen, requests: log.list(&blocked), console, blocked, failed }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: String,
}

impl Look<'_> {
    /// Goes to the live page and waits until it has settled, as a render does.
    async fn live(&mut self, page: &RenderRequest, pass: &Arc<Pass>) -> Result<Captured, RenderError> {
        let mut visit = Visit::new(self.tab, page, pass.clone());
        visit.log = Some(RequestLog::default());
        let end = visit.run().await;
        self.console = std::mem::take(&mut visit.console);
        self.failed = visit.take_answers().failed;
        self.log = visit.log.take().unwrap_or_default();
        match end {
            End::Page(captured) => Ok(*captured),
            End::Failed(error) => Err(error),
            End::Died { .. } => Err(RenderError::PageCrashed),
        }
    }

    /// Draws a given document at the page's address, without scripts.
    async fn document(
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
            let answer = self.hear(call, deadline).await?;
            answer.map_err(|error| RenderError::NoBrowser(error.to_string()))?;
        }
        drop(self.tab.send("Page.navigate", json!({ "url": page.url.as_str() })));
        let mut is_given = false;
        loop {
            let event = tokio::select! {
                event = self.tab.events.recv() => event.ok_or(RenderError::PageCrashed)?,
                // The part that has loaded is drawn.
                () = sleep_until(deadline) => break,
            };
            self.note(&event)?;
            match event.kind {
                EventKind::RequestPaused if !is_given => {
                    let Some(Paused { request_id }) = event.params() else { continue };
                    let answer = json!({ "requestId": request_id, "responseCode": 200, "body": STANDARD.encode(html),
                        "responseHeaders": [{ "name": "content-type", "value": content_type }] });
                    drop(self.tab.send("Fetch.fulfillRequest", answer));
                    // Documents of frames are fetched as usual.
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
        Ok(Captured {
            status: 200,
            location: None,
            final_url: page.url.clone(),
            html: String::new(),
            partial: false,
            settled: crate::Settled::Quiet,
            inspection: None,
        })
    }

    /// Reads text and takes a picture of what stands in the tab.
    async fn show(
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

    /// Evaluates an expression beside the page.
    async fn evaluate(&mut self, expression: &str, deadline: Instant) -> Result<Value, RenderError> {
        let answer = self.tab.evaluate_apart(expression.to_owned());
        self.hear(answer, deadline).await?.map_err(|error| match error {
            CdpError::Closed => RenderError::PageCrashed,
            error => RenderError::NotAPage(error.to_string()),
        })
    }

    /// Waits for something while the page's events are heard.
    async fn hear<T>(
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
            self.note(&event)?;
        }
    }

    fn note(&mut self, event: &crate::cdp::Event) -> Result<(), RenderError> {
        self.log.note(event);
        match event.kind {
            EventKind::TargetCrashed => return Err(RenderError::PageCrashed),
            EventKind::DialogOpening => self.tab.dismiss_dialog(event),
            EventKind::ConsoleCalled | EventKind::ExceptionThrown => console::note(&mut self.console, event),
            _ => {}
        }
        Ok(())
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
