//! Visit of one page in one tab, from navigation to capture: the loop around the state machine. Used by the pool.
//! Must never decide anything: it passes events to the state machine and executes the actions.

mod document;
mod limits;
mod outcome;
mod pending;
mod protocol;
mod redirect_chain;
mod redirects;
mod resources;
mod state;
#[cfg(test)]
mod tests;

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use url::Url;

use crate::browser::Browser;
use crate::cdp::{Call, CdpError, Event, EventKind};
use crate::console;
use crate::egress::{Probed, Traffic};
use crate::frame_scheduler::Drawing;
use crate::page::{self, Message};
use crate::tab::{Navigated, Tab};
use crate::viewer::requests::RequestLog;
use crate::{ConsoleMessage, RenderRequest};

pub(crate) use outcome::{Captured, Responses, VisitEnd};
use protocol::{BindingCalled, Input, LoadEnd, LoadingEnded};
use state::{Action, State};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub(crate) struct Visit<'a> {
    tab: &'a mut Tab,
    state: State<'a>,
    request: &'a RenderRequest,
    traffic: Arc<Traffic>,
    /// Probe of a redirect's target.
    probe: Option<BoxFuture<'static, Probed>>,
    /// Orders in flight.
    orders: JoinSet<()>,
    /// Console messages so far.
    pub console: Vec<ConsoleMessage>,
    /// Log of all requests, for views.
    pub log: Option<RequestLog>,
}

impl<'a> Visit<'a> {
    /// Makes a visit that begins now.
    pub fn new(tab: &'a mut Tab, request: &'a RenderRequest, traffic: Arc<Traffic>) -> Visit<'a> {
        let state = State::new(request, &tab.target, Instant::now());
        Visit {
            tab,
            state,
            request,
            traffic,
            probe: None,
            orders: JoinSet::new(),
            console: Vec::new(),
            log: None,
        }
    }

    /// Navigates to the page and runs until the visit ends.
    pub async fn run(&mut self) -> VisitEnd {
        let mut navigation =
            Some(self.tab.send("Page.navigate", json!({ "url": self.request.url.as_str() })));
        let traffic = self.traffic.clone();
        let mut limit_reached = false;
        loop {
            let end = tokio::select! {
                event = self.tab.events.recv() => match event {
                    Some(event) => self.on_event(&event),
                    None => self.on_input(Input::Disconnected),
                },
                response = response_of(&mut navigation) => {
                    navigation = None;
                    self.on_input(Input::Navigated(read_navigated(response)))
                }
                () = drawn(&mut self.tab.drawing) => {
                    self.tab.drawing = None;
                    self.on_input(Input::Drawn)
                }
                result = result_of(&mut self.probe) => {
                    self.probe = None;
                    self.on_input(Input::Probed(result))
                }
                () = traffic.over_limit(), if !limit_reached => {
                    limit_reached = true;
                    self.on_input(Input::OverLimit)
                }
                () = sleep_until(self.state.next_deadline()) => self.on_timer(),
            };
            if let Some(end) = end {
                return end;
            }
            for action in self.state.take_actions() {
                self.act(action);
            }
        }
    }

    /// Takes the data of the responses so far.
    pub fn take_responses(&mut self) -> Responses {
        self.state.take_responses()
    }

    fn on_input(&mut self, input: Input<'_>) -> Option<VisitEnd> {
        self.state.set_findings(self.traffic.findings(self.state.document_address()));
        self.state.on_input(input, Instant::now())
    }

    fn on_timer(&mut self) -> Option<VisitEnd> {
        self.state.set_findings(self.traffic.findings(self.state.document_address()));
        self.state.on_timer(Instant::now())
    }

    fn on_event(&mut self, event: &Event) -> Option<VisitEnd> {
        if let Some(log) = &mut self.log {
            log.record(event);
        }
        match event.kind {
            EventKind::BindingCalled => {
                let message = read_message(event, &self.tab.nonce)?;
                self.on_input(Input::Message(message))
            }
            EventKind::ContentLoaded | EventKind::LoadFired => self.on_input(Input::Shown),
            EventKind::RequestWillBeSent => self.on_input(Input::Request(event.params()?)),
            EventKind::ResponseReceived => self.on_input(Input::Response(event.params()?)),
            EventKind::LoadingFinished | EventKind::LoadingFailed => {
                let ended: LoadingEnded<'_> = event.params()?;
                let end = match event.kind {
                    _ if ended.canceled => LoadEnd::Cancelled,
                    _ if ended.blocked_reason.is_some() => LoadEnd::Blocked,
                    EventKind::LoadingFailed => LoadEnd::Failed,
                    _ => LoadEnd::Finished,
                };
                self.on_input(Input::Loaded { request_id: &ended.request_id, end })
            }
            EventKind::TargetCrashed => self.on_input(Input::Crashed),
            EventKind::DialogOpening => {
                self.tab.dismiss_dialog(event);
                None
            }
            EventKind::FrameAttached => {
                self.tab.had_frame = true;
                None
            }
            EventKind::ConsoleCalled | EventKind::ExceptionThrown => {
                console::record(&mut self.console, event);
                None
            }
            EventKind::FrameNavigated | EventKind::TargetCreated | EventKind::RequestPaused => None,
        }
    }

    fn order(&mut self, expression: String) {
        let order = self.tab.evaluate_isolated(expression);
        self.orders.spawn(async move {
            if let Err(error) = order.await {
                tracing::debug!(%error, "an order did not reach the page");
            }
        });
    }

    /// Executes an action without waiting. Its result arrives as an event.
    fn act(&mut self, action: Action) {
        match action {
            Action::Order(command) => self.order(page::command(&self.tab.nonce, command)),
            Action::WriteInert => {
                if let Some(script) = self.tab.script_for_inert_document() {
                    self.order(script);
                }
            }
            Action::StopScripts => drop(self.tab.send("Runtime.terminateExecution", json!({}))),
            Action::StopRevalidating => self.tab.stop_revalidating(),
            Action::AbortOtherSites => self.traffic.abort_other_sites(),
            Action::Draw(kind) => self.tab.draw(kind),
            Action::RecordForeignFrame => self.tab.had_foreign_frame = true,
            Action::Probe { url, if_cookies } => {
                let probe = probe(self.tab.browser.clone(), self.traffic.clone(), url);
                let has_cookies = if_cookies.then(|| self.tab.has_cookies());
                self.probe = Some(Box::pin(async move {
                    let is_new = match has_cookies {
                        Some(has_cookies) => !has_cookies.await,
                        None => false,
                    };
                    if is_new { Probed::Page } else { probe.await }
                }));
            }
        }
    }
}

/// Parses a message from the binding, if it is from the page script.
fn read_message(event: &Event, nonce: &str) -> Option<Message> {
    let call: Option<BindingCalled<'_>> = event.params();
    let message = match call {
        Some(call) if call.name == page::BINDING => page::parse(&call.payload, nonce)?,
        None if event.contains_text(nonce) => Message::Unreadable,
        _ => return None,
    };
    if message == Message::Unreadable {
        tracing::warn!("unreadable message of the page script");
    }
    Some(message)
}

fn read_navigated(response: Result<Box<RawValue>, CdpError>) -> Result<Navigated, CdpError> {
    serde_json::from_str(response?.get())
        .map_err(|error| CdpError::Unexpected { method: "Page.navigate", message: error.to_string() })
}

/// Waits for the response to a command; never completes without one.
async fn response_of(call: &mut Option<Call>) -> Result<Box<RawValue>, CdpError> {
    match call {
        Some(call) => call.await,
        None => pending().await,
    }
}

/// Requests the address as a new visitor.
async fn probe(browser: Arc<Browser>, traffic: Arc<Traffic>, url: Url) -> Probed {
    browser.egress.probe(&traffic, &url, &browser.version.user_agent()).await
}

/// Waits for the result of a probe; never completes without one.
async fn result_of(probe: &mut Option<BoxFuture<'static, Probed>>) -> Probed {
    match probe {
        Some(probe) => probe.await,
        None => pending().await,
    }
}

/// Waits for a frame; never completes when none is being drawn.
async fn drawn(drawing: &mut Option<Drawing>) {
    match drawing {
        Some(drawing) => drop(drawing.await),
        None => pending().await,
    }
}
