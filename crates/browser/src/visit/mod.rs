//! One page in one tab, from navigation to the captured HTML: the loop around the state machine. Used by the pool.
//! Must never decide anything itself: it reads events, tells the state machine, and does what that says.

mod document;
mod limits;
mod loads;
mod outcome;
mod protocol;
mod redirects;
mod state;
#[cfg(test)]
mod tests;
mod traffic;
mod trail;

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
use crate::egress::{Pass, Standing};
use crate::frame_scheduler::Drawing;
use crate::page::{self, Message};
use crate::tab::{Navigated, Tab};
use crate::viewer::requests::RequestLog;
use crate::{ConsoleMessage, RenderRequest};

pub(crate) use outcome::{Answers, Captured, End};
use protocol::{BindingCalled, Input, LoadingEnded};
use state::{Action, State};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub(crate) struct Visit<'a> {
    tab: &'a mut Tab,
    state: State<'a>,
    request: &'a RenderRequest,
    pass: Arc<Pass>,
    /// A redirect's target that is being asked about.
    probe: Option<BoxFuture<'static, Standing>>,
    /// Orders on their way.
    orders: JoinSet<()>,
    /// What the page has written to its console so far.
    pub console: Vec<ConsoleMessage>,
    /// All requests of the page, for those who want them.
    pub log: Option<RequestLog>,
}

impl<'a> Visit<'a> {
    /// A visit that begins now.
    pub fn new(tab: &'a mut Tab, request: &'a RenderRequest, pass: Arc<Pass>) -> Visit<'a> {
        let state = State::new(request, &tab.target, Instant::now());
        Visit {
            tab,
            state,
            request,
            pass,
            probe: None,
            orders: JoinSet::new(),
            console: Vec::new(),
            log: None,
        }
    }

    /// Goes to the page and waits for its end.
    pub async fn run(&mut self) -> End {
        let mut navigation =
            Some(self.tab.send("Page.navigate", json!({ "url": self.request.url.as_str() })));
        let pass = self.pass.clone();
        let mut was_cut = false;
        loop {
            let end = tokio::select! {
                event = self.tab.events.recv() => match event {
                    Some(event) => self.on_event(&event),
                    None => self.tell(Input::Disconnected),
                },
                response = response_of(&mut navigation) => {
                    navigation = None;
                    self.tell(Input::Navigated(read_navigated(response)))
                }
                () = drawn(&mut self.tab.drawing) => {
                    self.tab.drawing = None;
                    self.tell(Input::Drawn)
                }
                standing = standing_of(&mut self.probe) => {
                    self.probe = None;
                    self.tell(Input::Standing(standing))
                }
                () = pass.cut(), if !was_cut => {
                    was_cut = true;
                    self.tell(Input::Cut)
                }
                () = sleep_until(self.state.alarm()) => self.tell_of_alarm(),
            };
            if let Some(end) = end {
                return end;
            }
            for action in self.state.take_actions() {
                self.act(action);
            }
        }
    }

    /// Takes what servers have answered so far.
    pub fn take_answers(&mut self) -> Answers {
        self.state.take_answers()
    }

    fn tell(&mut self, input: Input<'_>) -> Option<End> {
        self.state.learn(self.pass.findings(self.state.document_address()));
        self.state.on(input, Instant::now())
    }

    fn tell_of_alarm(&mut self) -> Option<End> {
        self.state.learn(self.pass.findings(self.state.document_address()));
        self.state.on_alarm(Instant::now())
    }

    fn on_event(&mut self, event: &Event) -> Option<End> {
        if let Some(log) = &mut self.log {
            log.note(event);
        }
        match event.kind {
            EventKind::BindingCalled => {
                let message = read_message(event, &self.tab.nonce)?;
                self.tell(Input::Message(message))
            }
            EventKind::ContentLoaded | EventKind::LoadFired => self.tell(Input::Shown),
            EventKind::RequestWillBeSent => self.tell(Input::Request(event.params()?)),
            EventKind::ResponseReceived => self.tell(Input::Response(event.params()?)),
            EventKind::LoadingFinished | EventKind::LoadingFailed => {
                let ended: LoadingEnded<'_> = event.params()?;
                let broken = event.kind == EventKind::LoadingFailed && !ended.canceled;
                let given_up = ended.canceled || ended.blocked_reason.is_some();
                self.tell(Input::Loaded { request_id: &ended.request_id, broken, given_up })
            }
            EventKind::TargetCrashed => self.tell(Input::Crashed),
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
            EventKind::FrameNavigated | EventKind::TargetCreated | EventKind::RequestPaused => None,
        }
    }

    fn order(&mut self, expression: String) {
        let order = self.tab.evaluate_apart(expression);
        self.orders.spawn(async move {
            if let Err(error) = order.await {
                tracing::debug!(%error, "an order did not reach the page");
            }
        });
    }

    /// Does what the state machine says. Nothing is waited for: what it leads to comes back as an event.
    fn act(&mut self, action: Action) {
        match action {
            Action::Order(command) => self.order(page::command(&self.tab.nonce, command)),
            Action::Write => {
                if let Some(script) = self.tab.script_for_inert_document() {
                    self.order(script);
                }
            }
            Action::StopScripts => drop(self.tab.send("Runtime.terminateExecution", json!({}))),
            Action::StopRevalidating => self.tab.stop_revalidating(),
            Action::GiveUpOthers => self.pass.give_up_others(),
            Action::Draw(kind) => self.tab.draw(kind),
            Action::NoteForeignFrame => self.tab.had_foreign_frame = true,
            Action::Probe { url, if_cookies } => {
                let probe = probe(self.tab.browser.clone(), self.pass.clone(), url);
                let has_cookies = if_cookies.then(|| self.tab.has_cookies());
                self.probe = Some(Box::pin(async move {
                    let is_new = match has_cookies {
                        Some(has_cookies) => !has_cookies.await,
                        None => false,
                    };
                    if is_new { Standing::Page } else { probe.await }
                }));
            }
        }
    }
}

/// Reads what came through the binding, if it is from the page script.
fn read_message(event: &Event, nonce: &str) -> Option<Message> {
    let call: Option<BindingCalled<'_>> = event.params();
    let message = match call {
        Some(call) if call.name == page::BINDING => page::parse(&call.payload, nonce)?,
        None if event.mentions(nonce) => Message::Unreadable,
        _ => return None,
    };
    if message == Message::Unreadable {
        tracing::warn!("what the page script reports cannot be read");
    }
    Some(message)
}

fn read_navigated(response: Result<Box<RawValue>, CdpError>) -> Result<Navigated, CdpError> {
    serde_json::from_str(response?.get())
        .map_err(|error| CdpError::Unexpected { method: "Page.navigate", message: error.to_string() })
}

/// Waits for the response to a command; for ever when there is none.
async fn response_of(call: &mut Option<Call>) -> Result<Box<RawValue>, CdpError> {
    match call {
        Some(call) => call.await,
        None => pending().await,
    }
}

/// Asks what a visitor without a past gets.
async fn probe(browser: Arc<Browser>, pass: Arc<Pass>, url: Url) -> Standing {
    browser.egress.probe(&pass, &url, &browser.version.user_agent()).await
}

/// Waits for what is being found out; for ever when nothing is.
async fn standing_of(probe: &mut Option<BoxFuture<'static, Standing>>) -> Standing {
    match probe {
        Some(probe) => probe.await,
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
