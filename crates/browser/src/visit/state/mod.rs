//! The state machine of a visit: what happened goes in, what to do about it comes out. Used by the visit's loop.
//! Pure: no I/O and no clock of its own. Must always end: by the page's report, by what the network said, or by the clock.

mod action;
mod capture;
mod navigation;

use tokio::time::Instant;
use url::Url;

pub(in crate::visit) use action::Action;

use super::document::Document;
use super::limits::{REACTION_LIMIT, SCRIPT_GRACE};
use super::outcome::Outcome;
use super::pending::PendingRequests;
use super::protocol::{Input, LoadEnd, Received, Request};
use super::redirect_chain::RedirectChain;
use super::redirects::{Followed, PendingNavigation, ProbedRedirect, Redirect};
use super::resources::ResourceLog;
use crate::cdp::CdpError;
use crate::egress::{Findings, REFUSED_HEADER};
use crate::frame_scheduler::FrameKind;
use crate::page::{CaptureReason, Command, Message, Report};
use crate::tab::Navigated;
use crate::{RenderError, RenderRequest};

/// Reloads of itself that a page is granted.
const MAX_RELOADS: u32 = 3;

/// How far the clock has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The page has its time.
    Running,
    /// It was ordered to report as it stands.
    CaptureOrdered,
    /// Its scripts were stopped and it was ordered again.
    ScriptsStopped,
}

pub(super) struct State<'a> {
    request: &'a RenderRequest,
    /// What the proxy has seen so far.
    findings: Findings,
    /// Name of the main frame.
    frame: String,
    document: Document,
    reloads: u32,
    pending: PendingRequests,
    resources: ResourceLog,
    redirects: RedirectChain,
    /// A report that came while a script was on its way, and until when that counts.
    early_report: Option<(Box<Report>, Instant)>,
    phase: Phase,
    deadline: Instant,
    drawing: bool,
    /// The frame to draw after the one that is being drawn.
    frame_wanted: Option<FrameKind>,
    /// A navigation of the page's own that is under way.
    navigation: Option<PendingNavigation>,
    /// A redirect that is being looked into.
    probed: Option<ProbedRedirect>,
    /// The report that has come meanwhile.
    held_report: Option<Box<Report>>,
    /// Why the document is not the one that was asked for first.
    followed: Option<Followed>,
    /// Redirects that were looked into.
    hops: u32,
    /// The navigation came to nothing; until when the network or a crash may say why.
    aborted: Option<Instant>,
    actions: Vec<Action>,
}

impl<'a> State<'a> {
    /// A visit whose navigation begins now, in the main frame `frame`.
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

    /// When [`State::on_timer`] is due.
    pub fn next_deadline(&self) -> Instant {
        let early = self.early_report.as_ref().map(|(_, until)| *until);
        let navigation = self.navigation.as_ref().map(|navigation| navigation.until);
        [early, navigation, self.aborted].into_iter().flatten().fold(self.deadline, Instant::min)
    }

    /// Takes what is to be done now, in order.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Host and port of the document.
    pub fn document_address(&self) -> Option<(String, u16)> {
        let url = Url::parse(&self.document.url).unwrap_or_else(|_| self.request.url.clone());
        Some((url.host_str()?.to_owned(), url.port_or_known_default()?))
    }

    /// Takes what the proxy has seen: before anything is decided.
    pub fn set_findings(&mut self, findings: Findings) {
        self.findings = findings;
    }

    /// Something has happened. The visit is over when this says how.
    pub fn on_input(&mut self, input: Input<'_>, now: Instant) -> Option<Outcome> {
        match input {
            Input::Navigated(response) => return self.on_navigated(response, now),
            Input::Request(request) => return self.on_request(&request, now),
            Input::Response(received) => return self.on_response(&received),
            Input::Message(message) => return self.on_message(message, now),
            Input::ProbeResult(result) => return self.on_probe_result(&result, now),
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
            Input::Crashed => return Some(Outcome::TabLost { crashed: true }),
            Input::Disconnected => return Some(Outcome::TabLost { crashed: false }),
        }
        None
    }

    /// The clock has reached [`State::next_deadline`].
    pub fn on_timer(&mut self, now: Instant) -> Option<Outcome> {
        if self.early_report.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.resume_page();
        }
        if self.aborted.is_some_and(|until| until <= now) {
            self.aborted = None;
            if self.document.status.is_none() {
                let reason = "an answer without a document".to_owned();
                return Some(Outcome::Failed(RenderError::OriginUnreachable(reason)));
            }
        }
        if let Some(end) = self.on_navigation_timeout(now) {
            return Some(end);
        }
        if self.deadline <= now { self.on_deadline(now) } else { None }
    }

    fn on_deadline(&mut self, now: Instant) -> Option<Outcome> {
        match self.phase {
            // Without a response there is no document that could report.
            Phase::Running if self.document.status.is_none() => {
                Some(Outcome::Failed(RenderError::Timeout(self.request.timeout)))
            }
            Phase::Running => {
                if let Some(redirect) = self.take_pending_redirect() {
                    return Some(self.redirect(redirect));
                }
                if let Some((report, _)) = self.early_report.take() {
                    let mut report = *report;
                    report.why = CaptureReason::Timeout;
                    return Some(self.finish(report));
                }
                self.phase = Phase::CaptureOrdered;
                self.deadline = now + REACTION_LIMIT;
                let is_inert = self.document.forbids_scripts;
                self.actions.push(if is_inert {
                    Action::WriteInert
                } else {
                    Action::Order(Command::Capture)
                });
                None
            }
            Phase::CaptureOrdered => {
                self.phase = Phase::ScriptsStopped;
                self.deadline = now + REACTION_LIMIT;
                self.actions.extend([Action::StopScripts, Action::Order(Command::Capture)]);
                None
            }
            Phase::ScriptsStopped => Some(Outcome::Failed(RenderError::Timeout(self.request.timeout))),
        }
    }

    fn on_message(&mut self, message: Message, now: Instant) -> Option<Outcome> {
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
            Message::Unreadable => return Some(Outcome::not_a_page("a document that cannot be read")),
        }
        None
    }

    /// Draws a frame. One that is asked for while another is drawn comes after it.
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

    fn on_report(&mut self, report: Box<Report>, now: Instant) -> Option<Outcome> {
        // The blank page before the navigation has nothing to report, nor has a document that is being reloaded.
        if report.url.starts_with("about:") || self.document.status.is_none() {
            return None;
        }
        // The document that is being left has nothing more to say.
        if self.navigation.is_some() && self.phase == Phase::Running {
            return None;
        }
        if self.probed.is_some() {
            self.held_report = Some(report);
            return None;
        }
        let is_early = self.pending.brings_scripts() && !self.document.forbids_scripts;
        if report.why == CaptureReason::Quiet && report.location.is_none() && is_early {
            self.early_report = Some((report, now + SCRIPT_GRACE));
            return None;
        }
        self.on_accepted_report(*report, now)
    }

    fn on_request(&mut self, request: &Request<'_>, now: Instant) -> Option<Outcome> {
        let is_main = request.frame_id.as_deref() == Some(self.frame.as_str());
        match (request.kind.as_deref(), is_main) {
            (Some("Document"), true) => return self.on_document_request(request, now),
            (Some("Document"), false) if request.is_elsewhere(&self.request.url) => {
                self.actions.push(Action::NoteForeignFrame);
            }
            _ if request.is_in_advance(&self.request.url) => return None,
            _ => {}
        }
        // A worker's own script belongs to no document, and its end is not reported.
        if is_main && self.document.is_loader(&request.loader_id) {
            self.pending.begin_own(request);
            self.resources.begin(request);
        } else {
            self.pending.begin(request);
        }
        None
    }

    fn on_document_request(&mut self, request: &Request<'_>, now: Instant) -> Option<Outcome> {
        if let Some(response) = &request.redirect_response {
            if response.is_internal() {
                // The browser redirects on its own, by something that an earlier render left behind.
                return Some(Outcome::TabLost { crashed: false });
            }
            self.redirects.record(request);
            return self.on_server_redirect(request, response.status, now);
        }
        if self.document.loader.is_some() && !self.document.is_loader(&request.loader_id) {
            if request.request.method == "GET" && request.request.url != self.document.url {
                self.on_navigation_request(request, now);
                return None;
            }
            self.reloads += 1;
            if self.reloads > MAX_RELOADS {
                return Some(Outcome::not_a_page("it reloads itself for ever"));
            }
        }
        self.actions.push(Action::StopRevalidating);
        self.set_document(Document::requested(request));
        None
    }

    /// Another document is the main one from now on.
    fn set_document(&mut self, document: Document) {
        self.pending = PendingRequests::default();
        self.resources = ResourceLog::default();
        self.early_report = None;
        self.document = document;
    }

    fn on_response(&mut self, received: &Received<'_>) -> Option<Outcome> {
        self.resources.answered(received);
        if let Some(navigation) = self.take_navigation(&received.request_id) {
            return self.on_navigation_response(navigation, received);
        }
        if self.document.request.as_deref() != Some(&*received.request_id) {
            return None;
        }
        let response = &received.response;
        if response.header(REFUSED_HEADER).is_some()
            && let Some(error) = self.refusal()
        {
            return Some(Outcome::Failed(error));
        }
        self.document.read_head(response);
        self.redirects.first_status = self.redirects.first_status.or(self.document.status);
        // Until the redirect that led here has been looked into, this need not be what the page is.
        if self.probed.is_some() { None } else { self.document.rejection.take().map(Outcome::not_a_page) }
    }

    fn on_loaded(&mut self, request: &str, end: LoadEnd, now: Instant) -> Option<Outcome> {
        if let Some(navigation) = self.take_navigation(request) {
            return self.on_navigation_failed(navigation, end);
        }
        if end.is_broken()
            && self.document.request.as_deref() == Some(request)
            && self.document.status.is_some()
        {
            // The browser shows what came and says nothing of it to the page, which would wait for the rest for ever.
            self.actions.push(Action::Order(Command::BrokenOff));
        }
        if self.pending.end(request, now) && self.early_report.is_some() {
            self.resume_page();
        }
        None
    }

    /// Lets the page go on after a report that came too early.
    fn resume_page(&mut self) {
        self.early_report = None;
        self.pending.give_up_scripts();
        self.actions.push(Action::Order(Command::Resume));
    }

    fn on_navigated(&mut self, response: Result<Navigated, CdpError>, now: Instant) -> Option<Outcome> {
        let navigated = match response {
            Ok(navigated) => navigated,
            Err(error) => {
                tracing::debug!(%error, "navigation refused");
                return Some(Outcome::TabLost { crashed: false });
            }
        };
        if navigated.is_download {
            return Some(Outcome::not_a_page("a download"));
        }
        match navigated.error_text.as_deref() {
            None => None,
            // The page went on by itself, or there was nothing to show.
            Some("net::ERR_ABORTED") => {
                if self.document.status.is_none() {
                    self.aborted = Some(now + REACTION_LIMIT);
                }
                None
            }
            Some("net::ERR_HTTP_RESPONSE_CODE_FAILURE") => {
                Some(Outcome::empty_page(self.document.status.unwrap_or(502), self.request.url.clone()))
            }
            Some(text) => Some(Outcome::Failed(self.refusal().unwrap_or_else(|| {
                RenderError::OriginUnreachable(text.trim_start_matches("net::").to_owned())
            }))),
        }
    }

    /// Why the proxy could not reach the document's host, if it could not.
    fn refusal(&self) -> Option<RenderError> {
        let (host, _) = self.document_address()?;
        Some(self.findings.refusal.clone()?.into_error(&host))
    }
}
