//! The state machine of a visit: what happened goes in, what to do about it comes out. Used by the visit's loop.
//! Pure: no I/O and no clock of its own. Must always end: by the page's report, by what the network said, or by the clock.

mod action;
mod ending;
mod leaving;

use tokio::time::Instant;
use url::Url;

pub(in crate::visit) use action::Action;

use super::document::Document;
use super::limits::{REACTION_LIMIT, SCRIPT_GRACE};
use super::loads::Loads;
use super::outcome::End;
use super::protocol::{Input, Received, Request};
use super::redirects::{Departure, Followed, Question, Redirect};
use super::traffic::Traffic;
use super::trail::Trail;
use crate::cdp::CdpError;
use crate::egress::{Findings, REFUSED_HEADER};
use crate::frame_scheduler::FrameKind;
use crate::page::{Command, Done, Message, Why};
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
    Ordered,
    /// Its scripts were stopped and it was ordered again.
    Stopped,
}

pub(super) struct State<'a> {
    request: &'a RenderRequest,
    /// What the proxy has seen so far.
    findings: Findings,
    /// Name of the main frame.
    frame: String,
    document: Document,
    reloads: u32,
    traffic: Traffic,
    loads: Loads,
    trail: Trail,
    /// A report that came while a script was on its way, and until when that counts.
    early: Option<(Box<Done>, Instant)>,
    phase: Phase,
    deadline: Instant,
    drawing: bool,
    /// The frame to draw after the one that is being drawn.
    frame_wanted: Option<FrameKind>,
    /// A navigation of the page's own that is under way.
    departure: Option<Departure>,
    /// A redirect that is being looked into.
    question: Option<Question>,
    /// The report that has come meanwhile.
    held: Option<Box<Done>>,
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
            traffic: Traffic::default(),
            loads: Loads::default(),
            trail: Trail::default(),
            early: None,
            phase: Phase::Running,
            deadline: now + request.timeout,
            drawing: false,
            frame_wanted: None,
            departure: None,
            question: None,
            held: None,
            followed: None,
            hops: 0,
            aborted: None,
            actions: Vec::new(),
        }
    }

    /// When [`State::on_alarm`] is due.
    pub fn alarm(&self) -> Instant {
        let early = self.early.as_ref().map(|(_, until)| *until);
        let departure = self.departure.as_ref().map(|departure| departure.until);
        [early, departure, self.aborted].into_iter().flatten().fold(self.deadline, Instant::min)
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
    pub fn learn(&mut self, findings: Findings) {
        self.findings = findings;
    }

    /// Something has happened. The visit is over when this says how.
    pub fn on(&mut self, input: Input<'_>, now: Instant) -> Option<End> {
        match input {
            Input::Navigated(response) => return self.on_navigated(response, now),
            Input::Request(request) => return self.on_request(&request, now),
            Input::Response(received) => return self.on_response(&received),
            Input::Message(message) => return self.on_message(message, now),
            Input::Standing(standing) => return self.on_standing(&standing, now),
            Input::Loaded { request_id, broken, given_up } => {
                self.loads.end(request_id, broken, given_up);
                return self.on_loaded(request_id, broken, now);
            }
            Input::Drawn => self.on_drawn(),
            Input::Shown if self.document.forbids_scripts => self.actions.push(Action::Write),
            Input::Shown => {}
            Input::Cut => {
                if self.phase == Phase::Running {
                    self.deadline = self.deadline.min(now + REACTION_LIMIT);
                }
            }
            Input::Crashed => return Some(End::Died { crashed: true }),
            Input::Disconnected => return Some(End::Died { crashed: false }),
        }
        None
    }

    /// The clock has reached [`State::alarm`].
    pub fn on_alarm(&mut self, now: Instant) -> Option<End> {
        if self.early.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.ask_again();
        }
        if self.aborted.is_some_and(|until| until <= now) {
            self.aborted = None;
            if self.document.status.is_none() {
                let reason = "an answer without a document".to_owned();
                return Some(End::Failed(RenderError::OriginUnreachable(reason)));
            }
        }
        if let Some(end) = self.on_late_departure(now) {
            return Some(end);
        }
        if self.deadline <= now { self.on_deadline(now) } else { None }
    }

    fn on_deadline(&mut self, now: Instant) -> Option<End> {
        match self.phase {
            // Without a response there is no document that could report.
            Phase::Running if self.document.status.is_none() => {
                Some(End::Failed(RenderError::Timeout(self.request.timeout)))
            }
            Phase::Running => {
                if let Some(redirect) = self.take_redirect_under_way() {
                    return Some(self.redirect(redirect));
                }
                if let Some((done, _)) = self.early.take() {
                    let mut done = *done;
                    done.why = Why::Timeout;
                    return Some(self.finish(done));
                }
                self.phase = Phase::Ordered;
                self.deadline = now + REACTION_LIMIT;
                let is_inert = self.document.forbids_scripts;
                self.actions.push(if is_inert { Action::Write } else { Action::Order(Command::Capture) });
                None
            }
            Phase::Ordered => {
                self.phase = Phase::Stopped;
                self.deadline = now + REACTION_LIMIT;
                self.actions.extend([Action::StopScripts, Action::Order(Command::Capture)]);
                None
            }
            Phase::Stopped => Some(End::Failed(RenderError::Timeout(self.request.timeout))),
        }
    }

    fn on_message(&mut self, message: Message, now: Instant) -> Option<End> {
        match message {
            Message::Frame => self.draw(FrameKind::Cheap),
            Message::FullFrame => self.draw(FrameKind::Full),
            Message::Skip if self.traffic.is_still(now) => self.actions.push(Action::Order(Command::Skip)),
            Message::Skip => tracing::trace!(traffic = ?self.traffic, "time is not skipped"),
            Message::GoPastOthers => self.actions.push(Action::GiveUpOthers),
            Message::Navigation(begun) => {
                self.on_leaving(Redirect::by_script(begun.status, begun.location), now);
            }
            Message::Done(done) => return self.on_done(done, now),
            Message::Unreadable => return Some(End::not_a_page("a document that cannot be read")),
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

    fn on_done(&mut self, done: Box<Done>, now: Instant) -> Option<End> {
        // The blank page before the navigation has nothing to report, nor has a document that is being reloaded.
        if done.url.starts_with("about:") || self.document.status.is_none() {
            return None;
        }
        // The document that is being left has nothing more to say.
        if self.departure.is_some() && self.phase == Phase::Running {
            return None;
        }
        if self.question.is_some() {
            self.held = Some(done);
            return None;
        }
        let is_early = self.traffic.brings_scripts() && !self.document.forbids_scripts;
        if done.why == Why::Quiet && done.location.is_none() && is_early {
            self.early = Some((done, now + SCRIPT_GRACE));
            return None;
        }
        self.on_report(*done, now)
    }

    fn on_request(&mut self, request: &Request<'_>, now: Instant) -> Option<End> {
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
        let is_own = is_main && self.document.is_loader(&request.loader_id);
        self.traffic.begin(request, is_own);
        self.loads.begin(request, is_own);
        None
    }

    fn on_document_request(&mut self, request: &Request<'_>, now: Instant) -> Option<End> {
        if let Some(response) = &request.redirect_response {
            if response.is_internal() {
                // The browser redirects on its own, by something that an earlier render left behind.
                return Some(End::Died { crashed: false });
            }
            self.trail.note(request);
            return self.on_hop(request, response.status, now);
        }
        if self.document.loader.is_some() && !self.document.is_loader(&request.loader_id) {
            if request.request.method == "GET" && request.request.url != self.document.url {
                self.on_departing(request, now);
                return None;
            }
            self.reloads += 1;
            if self.reloads > MAX_RELOADS {
                return Some(End::not_a_page("it reloads itself for ever"));
            }
        }
        self.actions.push(Action::StopRevalidating);
        self.arrive(Document::requested(request));
        None
    }

    /// Another document is the main one from now on.
    fn arrive(&mut self, document: Document) {
        self.traffic = Traffic::default();
        self.loads = Loads::default();
        self.early = None;
        self.document = document;
    }

    fn on_response(&mut self, received: &Received<'_>) -> Option<End> {
        self.loads.answered(received);
        if let Some(departure) = self.take_departure(&received.request_id) {
            return self.on_departed(departure, received);
        }
        if self.document.request.as_deref() != Some(&*received.request_id) {
            return None;
        }
        let response = &received.response;
        if response.header(REFUSED_HEADER).is_some()
            && let Some(error) = self.refusal()
        {
            return Some(End::Failed(error));
        }
        self.document.read_head(response);
        self.trail.first_status = self.trail.first_status.or(self.document.status);
        // Until the redirect that led here has been looked into, this need not be what the page is.
        if self.question.is_some() { None } else { self.document.flaw.take().map(End::not_a_page) }
    }

    fn on_loaded(&mut self, request: &str, broken: bool, now: Instant) -> Option<End> {
        if let Some(departure) = self.take_departure(request) {
            return self.on_departure_failed(departure, broken);
        }
        if broken && self.document.request.as_deref() == Some(request) && self.document.status.is_some() {
            // The browser shows what came and says nothing of it to the page, which would wait for the rest for ever.
            self.actions.push(Action::Order(Command::BrokenOff));
        }
        if self.traffic.end(request, now) && self.early.is_some() {
            self.ask_again();
        }
        None
    }

    /// Lets the page go on after a report that came too early.
    fn ask_again(&mut self) {
        self.early = None;
        self.traffic.give_up_scripts();
        self.actions.push(Action::Order(Command::Again));
    }

    fn on_navigated(&mut self, response: Result<Navigated, CdpError>, now: Instant) -> Option<End> {
        let navigated = match response {
            Ok(navigated) => navigated,
            Err(error) => {
                tracing::debug!(%error, "navigation refused");
                return Some(End::Died { crashed: false });
            }
        };
        if navigated.is_download {
            return Some(End::not_a_page("a download"));
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
                Some(End::empty_page(self.document.status.unwrap_or(502), self.request.url.clone()))
            }
            Some(text) => Some(End::Failed(self.refusal().unwrap_or_else(|| {
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
