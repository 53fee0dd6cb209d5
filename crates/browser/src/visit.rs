//! One page in one tab, from navigation to the captured HTML: a state machine over the tab's events. Used by the pool.
//! Must always end: by the page's own report, by what the network said, or by the clock.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until};
use url::Url;

use crate::cdp::{Call, CdpError, Event, EventKind};
use crate::console;
use crate::drawer::{Drawing, FrameKind};
use crate::egress::{Pass, REFUSED_HEADER};
use crate::page::{self, Command, Done, Message, Why};
use crate::tab::{Navigated, Tab};
use crate::{ConsoleMessage, RenderError, RenderRequest, Settled};

/// How long a page that was ordered to report may take, before and after its scripts were stopped.
const CAPTURE_LIMIT: Duration = Duration::from_millis(400);
/// What a page whose downloads were cut off may still do with what it has.
const CUT_GRACE: Duration = Duration::from_millis(500);
/// A script of the page's own that is still on its way is waited for this long after the page called itself ready.
const SCRIPT_GRACE: Duration = Duration::from_secs(5);
/// How long the reason of an aborted navigation is waited for.
const ABORT_GRACE: Duration = Duration::from_millis(300);
/// How long the page's own word on a redirect is waited for after the network has seen it go.
const REDIRECT_GRACE: Duration = Duration::from_millis(100);
/// Reloads of itself that a page is granted.
const MAX_RELOADS: u32 = 3;
/// An origin that answers 4xx or 5xx with nothing at all: what browsers make of nothing.
const EMPTY_DOCUMENT: &str = "<!DOCTYPE html><html><head></head><body></body></html>";

/// How a visit ended.
pub(crate) enum End {
    /// With a page or a redirect.
    Page(Box<Captured>),
    /// Without one, for a reason that another try would not change.
    Failed(RenderError),
    /// The tab or the browser died under it; another tab may do better.
    Died { crashed: bool },
}

/// What came out of a visit.
pub(crate) struct Captured {
    pub status: u16,
    pub location: Option<String>,
    pub final_url: Url,
    pub html: String,
    pub partial: bool,
    pub settled: Settled,
}

/// How far the clock has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The page has its time.
    Running,
    /// It was ordered to report as it stands.
    Ordered,
    /// Its scripts were stopped and it was ordered again.
    Stopped,
}

/// The main document, as the network tells it.
#[derive(Default)]
struct Document {
    request: Option<String>,
    loader: Option<String>,
    /// Without the fragment.
    url: String,
    status: Option<u16>,
}

pub(crate) struct Visit<'a> {
    tab: &'a mut Tab,
    request: &'a RenderRequest,
    pass: Arc<Pass>,
    document: Document,
    reloads: u32,
    /// Scripts and style sheets of the main frame on their way: what `import()` loads is not seen inside the page.
    loading: HashSet<String>,
    /// A report that came while something of `loading` was on its way, and until when that counts.
    early: Option<(Box<Done>, Instant)>,
    phase: Phase,
    deadline: Instant,
    frame_wanted: Option<FrameKind>,
    /// Where the page is going, and until when it may say with which status.
    redirect: Option<(String, Instant)>,
    /// The navigation came to nothing; until when the network or a crash may say why.
    aborted: Option<Instant>,
    pub console: Vec<ConsoleMessage>,
}

impl<'a> Visit<'a> {
    /// A visit that has not begun.
    pub fn new(tab: &'a mut Tab, request: &'a RenderRequest, pass: Arc<Pass>) -> Visit<'a> {
        Visit {
            tab,
            request,
            pass,
            document: Document::default(),
            reloads: 0,
            loading: HashSet::new(),
            early: None,
            phase: Phase::Running,
            deadline: Instant::now() + request.timeout,
            frame_wanted: None,
            redirect: None,
            aborted: None,
            console: Vec::new(),
        }
    }

    /// Goes to the page and waits for its end.
    pub async fn run(&mut self) -> End {
        let mut navigation =
            Some(self.tab.send("Page.navigate", json!({ "url": self.request.url.as_str() })));
        let pass = self.pass.clone();
        let mut was_cut = false;
        loop {
            let early_until = self.early.as_ref().map(|(_, until)| *until);
            let redirect_at = self.redirect.as_ref().map(|(_, at)| *at);
            tokio::select! {
                event = self.tab.events.recv() => match event {
                    Some(event) => if let Some(end) = self.on_event(&event) { return end },
                    None => return End::Died { crashed: false },
                },
                answer = answer_of(&mut navigation) => {
                    navigation = None;
                    if let Some(end) = self.on_navigated(answer) { return end }
                }
                () = drawn(&mut self.tab.drawing) => {
                    self.tab.drawing = None;
                    if let Some(kind) = self.frame_wanted.take() { self.draw(kind) }
                }
                () = sleep_until(self.deadline) => if let Some(end) = self.on_deadline() { return end },
                () = pass.cut(), if !was_cut => {
                    was_cut = true;
                    if self.phase == Phase::Running {
                        self.deadline = self.deadline.min(Instant::now() + CUT_GRACE);
                    }
                }
                () = sleep_until(early_until.unwrap_or(self.deadline)), if early_until.is_some() => self.ask_again(),
                () = sleep_until(self.aborted.unwrap_or(self.deadline)), if self.aborted.is_some() => {
                    self.aborted = None;
                    if self.document.status.is_none() {
                        return End::Failed(RenderError::OriginUnreachable("an answer without a document".to_owned()));
                    }
                }
                () = sleep_until(redirect_at.unwrap_or(self.deadline)), if redirect_at.is_some() => {
                    if let Some((location, _)) = self.redirect.take() { return self.client_redirect(302, location) }
                }
            }
        }
    }

    fn on_event(&mut self, event: &Event) -> Option<End> {
        match event.kind {
            EventKind::BindingCalled => self.on_message(&event.params::<BindingCalled<'_>>()?),
            EventKind::RequestWillBeSent => self.on_request(&event.params()?),
            EventKind::ResponseReceived => self.on_response(&event.params()?),
            EventKind::LoadingFinished | EventKind::LoadingFailed => {
                self.on_loaded(&event.params::<LoadingEnded<'_>>()?.request_id);
                None
            }
            EventKind::DialogOpening => {
                self.tab.dismiss_dialog(event);
                None
            }
            EventKind::FrameAttached => {
                self.tab.had_frame = true;
                None
            }
            EventKind::ConsoleCalled | EventKind::ExceptionThrown => {
                console::note(&mut self.console, event);
                None
            }
            EventKind::TargetCrashed => Some(End::Died { crashed: true }),
            EventKind::FrameNavigated | EventKind::TargetCreated => None,
        }
    }

    fn on_message(&mut self, call: &BindingCalled<'_>) -> Option<End> {
        if call.name != page::BINDING {
            return None;
        }
        match page::parse(&call.payload, &self.tab.nonce)? {
            Message::Frame => {
                self.draw(FrameKind::Cheap);
                None
            }
            Message::FullFrame => {
                self.draw(FrameKind::Full);
                None
            }
            Message::Redirect(redirect) => Some(self.client_redirect(redirect.status, redirect.location)),
            Message::Done(done) => self.on_done(done),
        }
    }

    fn on_done(&mut self, done: Box<Done>) -> Option<End> {
        // The blank page before the navigation has nothing to report, nor has a document that is being reloaded.
        if done.url.starts_with("about:") || self.document.status.is_none() {
            return None;
        }
        // The page has left: this is the report of the document that it went to.
        if let Some((location, _)) = self.redirect.take() {
            return Some(self.client_redirect(302, location));
        }
        if done.why == Why::Quiet && done.location.is_none() && !self.loading.is_empty() {
            self.early = Some((done, Instant::now() + SCRIPT_GRACE));
            return None;
        }
        Some(self.finish(*done))
    }

    fn finish(&self, done: Done) -> End {
        let limit = self.request.limits.html_bytes;
        let bytes = done.too_large.unwrap_or(done.html.len());
        if done.too_large.is_some() || bytes > limit {
            return End::Failed(RenderError::TooLarge { bytes, limit });
        }
        let final_url = Url::parse(&done.url).unwrap_or_else(|_| self.request.url.clone());
        if let Some(location) = done.location {
            let status = if (300..400).contains(&done.status) { done.status } else { 302 };
            return redirect(status, location, final_url);
        }
        if done.html.is_empty() {
            return End::Failed(RenderError::NotAPage("an empty document".to_owned()));
        }
        let own = self.document.status.unwrap_or(200);
        let status = if (100..600).contains(&done.status) { done.status } else { own };
        let (partial, settled) = match done.why {
            _ if self.pass.is_cut() => (true, Settled::Bytes),
            Why::Flag => (false, Settled::Flag),
            Why::Quiet => (false, Settled::Quiet),
            Why::Still => (false, Settled::Still),
            Why::Timeout | Why::Forced => (true, Settled::Timeout),
        };
        End::Page(Box::new(Captured { status, location: None, final_url, html: done.html, partial, settled }))
    }

    /// Draws a frame. One that is asked for while another is drawn comes after it.
    fn draw(&mut self, kind: FrameKind) {
        match self.tab.drawing {
            Some(_) => self.frame_wanted = self.frame_wanted.max(Some(kind)),
            None => self.tab.draw(kind),
        }
    }

    fn on_request(&mut self, request: &RequestWillBeSent<'_>) -> Option<End> {
        let is_main = request.frame_id.as_deref() == Some(self.tab.target.as_str());
        match (request.kind.as_deref(), is_main) {
            (Some("Document"), true) => self.on_document_request(request),
            (Some("Document"), false) => {
                self.note_frame(&request.request.url);
                None
            }
            // A worker's own script belongs to no document, and its end is not reported.
            (Some("Script" | "Stylesheet"), true)
                if self.document.loader.as_deref() == Some(&*request.loader_id) =>
            {
                self.loading.insert(request.request_id.to_string());
                None
            }
            _ => None,
        }
    }

    fn on_document_request(&mut self, request: &RequestWillBeSent<'_>) -> Option<End> {
        if let Some(answered) = &request.redirect_response {
            if answered.is_internal() {
                // The browser redirects on its own, by something that an earlier render left behind.
                return Some(End::Died { crashed: false });
            }
            let location = with_fragment(&request.request);
            return Some(redirect(answered.status, location, self.request.url.clone()));
        }
        let url = request.request.url.as_ref();
        if self.document.loader.is_some() && self.document.loader.as_deref() != Some(&*request.loader_id) {
            if request.request.method == "GET" && url != self.document.url {
                // The page's own word carries the status it wants; it is on its way or will not come.
                let location = with_fragment(&request.request);
                self.redirect.get_or_insert((location, Instant::now() + REDIRECT_GRACE));
                return None;
            }
            self.reloads += 1;
            if self.reloads > MAX_RELOADS {
                drop(self.tab.send("Page.stopLoading", json!({})));
                return None;
            }
        }
        self.tab.stop_revalidating();
        self.loading.clear();
        self.early = None;
        self.document = Document {
            request: Some(request.request_id.to_string()),
            loader: Some(request.loader_id.to_string()),
            url: url.to_owned(),
            status: None,
        };
        None
    }

    fn on_response(&mut self, received: &ResponseReceived<'_>) -> Option<End> {
        if self.document.request.as_deref() != Some(&*received.request_id) {
            return None;
        }
        let response = &received.response;
        if response.header(REFUSED_HEADER).is_some()
            && let Some(error) = self.refusal()
        {
            return Some(End::Failed(error));
        }
        // The origin confirmed what the cache holds.
        let status = if response.status == 304 { 200 } else { response.status };
        self.document.status = Some(status);
        if matches!(status, 204 | 205) {
            return Some(End::Failed(RenderError::NotAPage(format!("status {status}"))));
        }
        let disposition = response.header("content-disposition").unwrap_or_default();
        if disposition.trim_start().to_ascii_lowercase().starts_with("attachment") {
            return Some(End::Failed(RenderError::NotAPage("a download".to_owned())));
        }
        let is_html = matches!(&*response.mime_type, "text/html" | "application/xhtml+xml");
        // An error without a body has no type either, and is a page all the same.
        let is_bare_error = response.mime_type.is_empty() && status >= 400;
        if !is_html && !is_bare_error {
            let kind = if response.mime_type.is_empty() { "nothing" } else { &response.mime_type };
            return Some(End::Failed(RenderError::NotAPage(kind.to_owned())));
        }
        None
    }

    fn on_loaded(&mut self, request: &str) {
        if self.loading.remove(request) && self.loading.is_empty() && self.early.is_some() {
            self.ask_again();
        }
    }

    /// Lets the page go on after a report that came too early.
    fn ask_again(&mut self) {
        self.early = None;
        self.loading.clear();
        self.order(Command::Again);
    }

    fn on_navigated(&mut self, answer: Result<Box<RawValue>, CdpError>) -> Option<End> {
        let navigated: Navigated = match answer.map(|text| serde_json::from_str(text.get())) {
            Ok(Ok(navigated)) => navigated,
            refused => {
                tracing::debug!(?refused, "navigation refused");
                return Some(End::Died { crashed: false });
            }
        };
        if navigated.is_download {
            return Some(End::Failed(RenderError::NotAPage("a download".to_owned())));
        }
        match navigated.error_text.as_deref() {
            None => None,
            // The page went on by itself, or there was nothing to show.
            Some("net::ERR_ABORTED") => {
                if self.document.status.is_none() {
                    self.aborted = Some(Instant::now() + ABORT_GRACE);
                }
                None
            }
            Some("net::ERR_HTTP_RESPONSE_CODE_FAILURE") => Some(End::Page(Box::new(Captured {
                status: self.document.status.unwrap_or(502),
                location: None,
                final_url: self.request.url.clone(),
                html: EMPTY_DOCUMENT.to_owned(),
                partial: false,
                settled: Settled::Quiet,
            }))),
            Some(text) => Some(End::Failed(self.refusal().unwrap_or_else(|| {
                RenderError::OriginUnreachable(text.trim_start_matches("net::").to_owned())
            }))),
        }
    }

    /// Why the proxy could not reach the document's host, if it could not.
    fn refusal(&self) -> Option<RenderError> {
        let url = Url::parse(&self.document.url).unwrap_or_else(|_| self.request.url.clone());
        let host = url.host_str()?;
        let refused = self.pass.refusal(host, url.port_or_known_default()?)?;
        Some(refused.into_error(host))
    }

    fn on_deadline(&mut self) -> Option<End> {
        match self.phase {
            // Without an answer there is no document that could report.
            Phase::Running if self.document.status.is_none() => {
                Some(End::Failed(RenderError::Timeout(self.request.timeout)))
            }
            Phase::Running => {
                if let Some((done, _)) = self.early.take() {
                    let mut done = *done;
                    done.why = Why::Timeout;
                    return Some(self.finish(done));
                }
                self.phase = Phase::Ordered;
                self.deadline = Instant::now() + CAPTURE_LIMIT;
                self.order(Command::Capture);
                None
            }
            Phase::Ordered => {
                self.phase = Phase::Stopped;
                self.deadline = Instant::now() + CAPTURE_LIMIT;
                drop(self.tab.send("Runtime.terminateExecution", json!({})));
                self.order(Command::Capture);
                None
            }
            Phase::Stopped => Some(End::Failed(RenderError::Timeout(self.request.timeout))),
        }
    }

    fn order(&self, command: Command) {
        let expression = page::command(&self.tab.nonce, command);
        drop(self.tab.send("Runtime.evaluate", json!({ "expression": expression, "silent": true })));
    }

    fn client_redirect(&self, status: u16, location: String) -> End {
        let status = if (300..400).contains(&status) { status } else { 302 };
        redirect(status, location, self.request.url.clone())
    }

    fn note_frame(&mut self, url: &str) {
        let Ok(url) = Url::parse(url) else { return };
        if matches!(url.scheme(), "http" | "https") && url.origin() != self.request.url.origin() {
            self.tab.had_foreign_frame = true;
        }
    }
}

/// Waits for a command; for ever when there is none.
async fn answer_of(call: &mut Option<Call>) -> Result<Box<RawValue>, CdpError> {
    match call {
        Some(call) => call.await,
        None => pending().await,
    }
}

/// Waits for a frame; for ever when none is being drawn.
async fn drawn(drawing: &mut Option<Drawing>) {
    match drawing {
        Some(drawing) => drop(drawing.await),
        None => pending().await,
    }
}

fn redirect(status: u16, location: String, final_url: Url) -> End {
    End::Page(Box::new(Captured {
        status,
        location: Some(location),
        final_url,
        html: String::new(),
        partial: false,
        settled: Settled::Redirect,
    }))
}

fn with_fragment(request: &Request<'_>) -> String {
    format!("{}{}", request.url, request.url_fragment.as_deref().unwrap_or_default())
}

#[derive(Deserialize)]
struct BindingCalled<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    payload: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestWillBeSent<'a> {
    #[serde(borrow)]
    request_id: Cow<'a, str>,
    #[serde(borrow)]
    loader_id: Cow<'a, str>,
    #[serde(borrow)]
    request: Request<'a>,
    #[serde(borrow)]
    redirect_response: Option<Response<'a>>,
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    frame_id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
    #[serde(borrow)]
    url_fragment: Option<Cow<'a, str>>,
    #[serde(borrow)]
    method: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseReceived<'a> {
    #[serde(borrow)]
    request_id: Cow<'a, str>,
    #[serde(borrow)]
    response: Response<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    status: u16,
    #[serde(borrow)]
    mime_type: Cow<'a, str>,
    #[serde(borrow)]
    headers: HashMap<Cow<'a, str>, Cow<'a, str>>,
}

impl Response<'_> {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// Whether the browser made this answer up, because it remembers that the host wants https.
    fn is_internal(&self) -> bool {
        self.header("non-authoritative-reason").is_some()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LoadingEnded<'a> {
    #[serde(borrow)]
    request_id: Cow<'a, str>,
}
