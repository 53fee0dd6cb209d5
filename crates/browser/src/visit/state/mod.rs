//! State machine of a visit: takes inputs, returns actions and finally the outcome. Used by the visit's loop.
//! Pure: no I/O and no clock of its own. Must always end: by the page's report, by the network, or by a deadline.

mod action;
mod capture;
mod navigation;

use tokio::time::Instant;
use url::Url;

pub(in crate::visit) use action::Action;

use super::document::Document;
use super::limits::{REACTION_LIMIT, SCRIPT_GRACE};
use super::outcome::VisitEnd;
use super::pending::PendingRequests;
use super::protocol::{Input, LoadEnd, Received, Request};
use super::redirect_chain::RedirectChain;
use super::redirects::{Followed, Navigation, ProbedRedirect, Redirect};
use super::resources::ResourceLog;
use crate::cdp::CdpError;
use crate::egress::{Findings, REFUSED_HEADER};
use crate::frame_scheduler::FrameKind;
use crate::page::{Command, Message, Report, WaitEnd};
use crate::tab::Navigated;
use crate::{RenderError, RenderRequest};

/// Maximum number of reloads by the page itself.
const MAX_RELOADS: u32 = 3;

/// Phase after deadlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The deadline has not passed.
    Running,
    /// The page script was ordered to report.
    CaptureOrdered,
    /// Scripts were terminated, and the order was sent again.
    ScriptsStopped,
}

pub(super) struct State<'a> {
    request: &'a RenderRequest,
    /// Observations of the proxy.
    findings: Findings,
    /// Id of the main frame.
    frame: String,
    document: Document,
    reloads: u32,
    pending: PendingRequests,
    resources: ResourceLog,
    redirects: RedirectChain,
    /// A report that arrived while a script was pending, and the time until which the script is awaited.
    early_report: Option<(Box<Report>, Instant)>,
    phase: Phase,
    deadline: Instant,
    drawing: bool,
    /// Frame to draw after the one that is being drawn.
    frame_wanted: Option<FrameKind>,
    /// Pending navigation of the page.
    navigation: Option<Navigation>,
    /// Redirect whose target is being probed.
    probed: Option<ProbedRedirect>,
    /// Report that arrived during the probe.
    held_report: Option<Box<Report>>,
    /// Reason why the document is not the requested one.
    followed: Option<Followed>,
    /// Redirects that were followed or probed.
    hops: u32,
    /// Time until which an aborted navigation may be explained by the network or a crash.
    aborted: Option<Instant>,
    actions: Vec<Action>,
}

impl<'a> State<'a> {
    /// Starts a visit whose navigation begins now, in the main frame `frame`.
    pub fn new(request: &'a RenderRequest, frame: &str, now: Instant) -> State<'a> {
        State {
            request,
            findings: Findings::default(),
            frame: frame.to_owned(),
            document: Document::default(),
            reloads: 0,
            pending: PendingRequests::default(),
            resources: ResourceLog::default(),
            redirects: RedirectChain::default(),
            early_report: None,
            phase: Phase::Running,
            deadline: now + request.timeout,
            drawing: false,
            frame_wanted: None,
            navigation: None,
            probed: None,
            held_report: None,
            followed: None,
            hops: 0,
            aborted: None,
            actions: Vec::new(),
        }
    }

    /// Returns the time at which [`State::on_timer`] is due.
    pub fn next_deadline(&self) -> Instant {
        let early = self.early_report.as_ref().map(|(_, until)| *until);
        let navigation = self.navigation.as_ref().map(|navigation| navigation.until);
        [early, navigation, self.aborted].into_iter().flatten().fold(self.deadline, Instant::min)
    }

    /// Takes the actions to execute, in order.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Returns host and port of the document.
    pub fn document_address(&self) -> Option<(String, u16)> {
        let url = Url::parse(&self.document.url).unwrap_or_else(|_| self.request.url.clone());
        Some((url.host_str()?.to_owned(), url.port_or_known_default()?))
    }

    /// Sets the observations of the proxy, before an input is handled.
    pub fn set_findings(&mut self, findings: Findings) {
        self.findings = findings;
    }

    /// Handles an input. Returns the outcome when the visit has ended.
    pub fn on_input(&mut self, input: Input<'_>, now: Instant) -> Option<VisitEnd> {
        match input {
            Input::Navigated(response) => return self.on_navigated(response, now),
            Input::Request(request) => return self.on_request(&request, now),
            Input::Response(received) => return self.on_response(&received),
            Input::Message(message) => return self.on_message(message, now),
            Input::Probed(result) => return self.on_probe_result(&result, now),
            Input::Loaded { request_id, end } => {
                self.resources.end(request_id, end);
                return self.on_loaded(request_id, end, now);
            }
            Input::Drawn => self.on_drawn(),
            Input::Shown if self.document.forbids_scripts => self.actions.push(Action::WriteInert),
            Input::Shown => {}
            Input::OverLimit => {
                if self.phase == Phase::Running {
                    self.deadline = self.deadline.min(now + REACTION_LIMIT);
                }
            }
            Input::Crashed => return Some(VisitEnd::TabLost { crashed: true }),
            Input::Disconnected => return Some(VisitEnd::TabLost { crashed: false }),
        }
        None
    }

    /// Handles the deadline of [`State::next_deadline`].
    pub fn on_timer(&mut self, now: Instant) -> Option<VisitEnd> {
        if self.early_report.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.resume_page();
        }
        if self.aborted.is_some_and(|until| until <= now) {
            self.aborted = None;
            if self.document.status.is_none() {
                let reason = "the response has no document".to_owned();
                return Some(VisitEnd::Failed(RenderError::OriginUnreachable(reason)));
            }
        }
        if let Some(end) = self.on_timeout(now) {
            return Some(end);
        }
        if self.deadline <= now { self.on_deadline(now) } else { None }
    }

    fn on_deadline(&mut self, now: Instant) -> Option<VisitEnd> {
        match self.phase {
            // Without a response there is no document that could report.
            Phase::Running if self.document.status.is_none() => {
                Some(VisitEnd::Failed(RenderError::Timeout(self.request.timeout)))
            }
            Phase::Running => {
                if let Some(redirect) = self.take_pending_redirect() {
                    return Some(self.redirect(redirect));
                }
                if let Some((mut report, _)) = self.early_report.take() {
                    report.why = WaitEnd::Timeout;
                    return Some(self.finish(*report));
                }
                self.phase = Phase::CaptureOrdered;
                self.deadline = now + REACTION_LIMIT;
                let order = Action::Order(Command::Capture);
                self.actions.push(if self.document.forbids_scripts { Action::WriteInert } else { order });
                None
            }
            Phase::CaptureOrdered => {
                self.phase = Phase::ScriptsStopped;
                self.deadline = now + REACTION_LIMIT;
                self.actions.extend([Action::StopScripts, Action::Order(Command::Capture)]);
                None
            }
            Phase::ScriptsStopped => Some(VisitEnd::Failed(RenderError::Timeout(self.request.timeout))),
        }
    }

    fn on_message(&mut self, message: Message, now: Instant) -> Option<VisitEnd> {
        match message {
            Message::Frame => self.draw(FrameKind::Cheap),
            Message::FullFrame => self.draw(FrameKind::Full),
            Message::Skip if self.pending.is_still(now) => self.actions.push(Action::Order(Command::Skip)),
            Message::Skip => tracing::trace!(pending = ?self.pending, "time is not skipped"),
            Message::AbortOtherSites => self.actions.push(Action::AbortOtherSites),
            Message::Navigation(begun) => {
                self.on_script_navigation(Redirect::by_script(begun.status, begun.location), now);
            }
            Message::Report(report) => return self.on_report(report, now),
            Message::Unreadable => return Some(VisitEnd::not_a_page("a document that cannot be read")),
        }
        None
    }

    /// Draws a frame, after the current one if there is one.
    fn draw(&mut self, kind: FrameKind) {
        if self.drawing {
            self.frame_wanted = self.frame_wanted.max(Some(kind));
        } else {
            self.drawing = true;
            self.actions.push(Action::Draw(kind));
        }
    }

    fn on_drawn(&mut self) {
        self.drawing = false;
        if let Some(kind) = self.frame_wanted.take() {
            self.draw(kind);
        }
    }

    fn on_report(&mut self, report: Box<Report>, now: Instant) -> Option<VisitEnd> {
        // Ignores the blank page before the navigation, and a document that is being reloaded.
        if report.url.starts_with("about:") || self.document.status.is_none() {
            return None;
        }
        // Ignores the document that is being left.
        if self.navigation.is_some() && self.phase == Phase::Running {
            return None;
        }
        if self.probed.is_some() {
            self.held_report = Some(report);
            return None;
        }
        let is_early = self.pending.brings_scripts() && !self.document.forbids_scripts;
        if report.why == WaitEnd::Quiet && report.location.is_none() && is_early {
            self.early_report = Some((report, now + SCRIPT_GRACE));
            return None;
        }
        self.on_accepted_report(*report, now)
    }

    fn on_request(&mut self, request: &Request<'_>, now: Instant) -> Option<VisitEnd> {
        let is_main = request.frame_id.as_deref() == Some(self.frame.as_str());
        match (request.kind.as_deref(), is_main) {
            (Some("Document"), true) => return self.on_document_request(request, now),
            (Some("Document"), false) if request.is_elsewhere(&self.request.url) => {
                self.actions.push(Action::RecordForeignFrame);
            }
            _ if request.is_in_advance(&self.request.url) => return None,
            _ => {}
        }
        // The script of a worker has no frame, and its end is not reported.
        if is_main && self.document.is_loader(&request.loader_id) {
            self.pending.begin_own(request);
            self.resources.begin(request);
        } else {
            self.pending.begin(request);
        }
        None
    }

    fn on_document_request(&mut self, request: &Request<'_>, now: Instant) -> Option<VisitEnd> {
        if let Some(response) = &request.redirect_response {
            if response.is_internal() {
                // The browser redirects by itself, because of state from an earlier render.
                return Some(VisitEnd::TabLost { crashed: false });
            }
            self.redirects.record(request);
            return self.on_server_redirect(request, response.status, now);
        }
        if self.document.loader.is_some() && !self.document.is_loader(&request.loader_id) {
            if request.request.method == "GET" && request.request.url != self.document.url {
                self.on_departure(request, now);
                return None;
            }
            self.reloads += 1;
            if self.reloads > MAX_RELOADS {
                return Some(VisitEnd::not_a_page("it reloads itself endlessly"));
            }
        }
        self.actions.push(Action::StopRevalidating);
        self.set_document(Document::requested(request));
        None
    }

    /// Replaces the main document.
    fn set_document(&mut self, document: Document) {
        self.pending = PendingRequests::default();
        self.resources = ResourceLog::default();
        self.early_report = None;
        self.document = document;
    }

    fn on_response(&mut self, received: &Received<'_>) -> Option<VisitEnd> {
        self.resources.answered(received);
        if let Some(navigation) = self.take_navigation(&received.request_id) {
            return self.on_arrival(navigation, received);
        }
        if self.document.request.as_deref() != Some(&*received.request_id) {
            return None;
        }
        let response = &received.response;
        if response.header(REFUSED_HEADER).is_some()
            && let Some(error) = self.refusal()
        {
            return Some(VisitEnd::Failed(error));
        }
        self.document.read_head(response);
        self.redirects.first_status = self.redirects.first_status.or(self.document.status);
        // While the redirect that led here is being probed, the rejection does not count.
        if self.probed.is_some() { None } else { self.document.rejection.take().map(VisitEnd::not_a_page) }
    }

    fn on_loaded(&mut self, request: &str, end: LoadEnd, now: Instant) -> Option<VisitEnd> {
        if let Some(navigation) = self.take_navigation(request) {
            return self.on_failure(navigation, end);
        }
        if end.is_broken()
            && self.document.request.as_deref() == Some(request)
            && self.document.status.is_some()
        {
            // The browser shows the received part and does not notify the page, which would wait for the rest forever.
            self.actions.push(Action::Order(Command::BrokenOff));
        }
        if self.pending.end(request, now) && self.early_report.is_some() {
            self.resume_page();
        }
        None
    }

    /// Lets the page continue after a premature report.
    fn resume_page(&mut self) {
        self.early_report = None;
        self.pending.give_up_scripts();
        self.actions.push(Action::Order(Command::Resume));
    }

    fn on_navigated(&mut self, response: Result<Navigated, CdpError>, now: Instant) -> Option<VisitEnd> {
        let navigated = match response {
            Ok(navigated) => navigated,
            Err(error) => {
                tracing::debug!(%error, "navigation refused");
                return Some(VisitEnd::TabLost { crashed: false });
            }
        };
        if navigated.is_download {
            return Some(VisitEnd::not_a_page("a download"));
        }
        match navigated.error_text.as_deref() {
            None => None,
            // The page continued by itself, or there was nothing to show.
            Some("net::ERR_ABORTED") => {
                if self.document.status.is_none() {
                    self.aborted = Some(now + REACTION_LIMIT);
                }
                None
            }
            Some("net::ERR_HTTP_RESPONSE_CODE_FAILURE") => {
                Some(VisitEnd::empty_page(self.document.status.unwrap_or(502), self.request.url.clone()))
            }
            Some(text) => Some(VisitEnd::Failed(self.refusal().unwrap_or_else(|| {
                RenderError::OriginUnreachable(text.trim_start_matches("net::").to_owned())
            }))),
        }
    }

    /// Returns the error of the proxy for the document's host, if there is one.
    fn refusal(&self) -> Option<RenderError> {
        let (host, _) = self.document_address()?;
        Some(self.findings.refusal.clone()?.into_error(&host))
    }
}
