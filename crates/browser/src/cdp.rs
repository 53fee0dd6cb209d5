//! Thin DevTools client over a pipe: NUL-terminated JSON, flat sessions, pipelined commands.
//!
//! Used by the browser and its tabs. Decodes only the envelope; parameters stay raw text until a known type is requested, so an
//! unknown message cannot break a render. Every waiter is woken when the pipe closes. See docs/decisions/0004.

use std::borrow::Cow;
use std::collections::HashMap;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::{Buf, BytesMut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Maximum size of a message. The connection is closed when the browser sends a larger one.
const MAX_MESSAGE_BYTES: usize = 512 << 20;

/// Maximum number of queued events of a session. A page can cause any number, and those of a warm tab have no reader.
const MAX_WAITING_EVENTS: usize = 4096;

/// Maximum size of the queued events of a session. A single event may be larger.
const MAX_WAITING_BYTES: usize = 128 << 20;
/// Part of that maximum for console messages, so that there is always room for the page's report.
const MAX_CONSOLE_BYTES: usize = 16 << 20;

/// Kinds of events with a reader. Others are dropped before they cost an allocation, since a page decides how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    TargetCrashed,
    LoadingFailed,
    LoadingFinished,
    RequestWillBeSent,
    ResponseReceived,
    FrameAttached,
    FrameNavigated,
    ContentLoaded,
    LoadFired,
    DialogOpening,
    BindingCalled,
    ConsoleCalled,
    ExceptionThrown,
    TargetCreated,
    RequestPaused,
}

impl EventKind {
    /// Returns true for events whose loss does not affect a render.
    fn is_droppable(self) -> bool {
        matches!(self, EventKind::ConsoleCalled | EventKind::ExceptionThrown)
    }

    fn of(method: &str) -> Option<EventKind> {
        Some(match method {
            "Inspector.targetCrashed" => EventKind::TargetCrashed,
            "Network.loadingFailed" => EventKind::LoadingFailed,
            "Network.loadingFinished" => EventKind::LoadingFinished,
            "Network.requestWillBeSent" => EventKind::RequestWillBeSent,
            "Network.responseReceived" => EventKind::ResponseReceived,
            "Page.frameAttached" => EventKind::FrameAttached,
            "Page.frameNavigated" => EventKind::FrameNavigated,
            "Page.domContentEventFired" => EventKind::ContentLoaded,
            "Page.loadEventFired" => EventKind::LoadFired,
            "Page.javascriptDialogOpening" => EventKind::DialogOpening,
            "Runtime.bindingCalled" => EventKind::BindingCalled,
            "Runtime.consoleAPICalled" => EventKind::ConsoleCalled,
            "Runtime.exceptionThrown" => EventKind::ExceptionThrown,
            "Target.targetCreated" => EventKind::TargetCreated,
            "Fetch.requestPaused" => EventKind::RequestPaused,
            _ => return None,
        })
    }
}

/// Failure of a command.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum CdpError {
    /// The browser has ended or its pipe is broken.
    #[error("the connection to the browser is closed")]
    Closed,
    /// The browser refused the command.
    #[error("{method}: {message}")]
    Refused { method: &'static str, message: String },
    /// The response does not conform to the protocol.
    #[error("{method}: unexpected response: {message}")]
    Unexpected { method: &'static str, message: String },
}

/// Event of a session.
#[derive(Debug)]
pub(crate) struct Event {
    pub kind: EventKind,
    params: Box<RawValue>,
    /// Size that is counted while the event is queued.
    _queued: QueuedBytes,
}

/// Bytes of a queued event, subtracted from the counter when dropped.
#[derive(Debug)]
struct QueuedBytes {
    counter: Arc<AtomicUsize>,
    bytes: usize,
}

impl Drop for QueuedBytes {
    fn drop(&mut self) {
        self.counter.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Queue of the events of one session.
struct Listener {
    sender: mpsc::Sender<Event>,
    waiting_bytes: Arc<AtomicUsize>,
}

impl Listener {
    /// Queues an event. Returns false when the queue is full. Events without a reader are dropped.
    fn send(&self, kind: EventKind, params: &RawValue) -> bool {
        let bytes = params.get().len();
        let bound = if kind.is_droppable() { MAX_CONSOLE_BYTES } else { MAX_WAITING_BYTES };
        let waiting = self.waiting_bytes.load(Ordering::Relaxed);
        if waiting > 0 && waiting + bytes > bound {
            return false;
        }
        self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        let queued = QueuedBytes { counter: self.waiting_bytes.clone(), bytes };
        let event = Event { kind, params: params.to_owned(), _queued: queued };
        !matches!(self.sender.try_send(event), Err(TrySendError::Full(_)))
    }
}

impl Event {
    /// Returns true when the parameters contain a text, whether or not they can be parsed.
    pub fn contains_text(&self, text: &str) -> bool {
        self.params.get().contains(text)
    }

    /// Parses the parameters. Returns `None` when they do not have the expected shape.
    pub fn params<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        serde_json::from_str(self.params.get())
            .inspect_err(|error| tracing::debug!(kind = ?self.kind, %error, "unreadable event"))
            .ok()
    }
}

/// Connection to a browser. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Cdp(Arc<Shared>);

struct Shared {
    last_id: AtomicU64,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    tables: Mutex<Tables>,
    closed: CancellationToken,
}

#[derive(Default)]
struct Tables {
    pending: HashMap<u64, Pending>,
    listeners: HashMap<String, Listener>,
    closed: bool,
}

struct Pending {
    method: &'static str,
    response: oneshot::Sender<Result<Box<RawValue>, CdpError>>,
}

#[derive(Serialize)]
struct Command<'a, P> {
    id: u64,
    method: &'a str,
    params: P,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "sessionId")]
    session: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<ErrorBody>,
}

#[derive(Deserialize)]
struct ErrorBody {
    message: String,
}

impl Cdp {
    /// Starts reading and writing on `stream`, until either side closes it.
    pub fn start(stream: UnixStream, tasks: &TaskTracker) -> Cdp {
        let (reader, writer) = stream.into_split();
        let (outgoing, queue) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            last_id: AtomicU64::new(0),
            outgoing,
            tables: Mutex::default(),
            closed: CancellationToken::new(),
        });
        tasks.spawn(write_all(writer, queue, shared.closed.clone()));
        tasks.spawn(read_all(reader, shared.clone()));
        Cdp(shared)
    }

    /// Sends a command to the browser itself.
    pub fn browser(&self, method: &'static str, params: impl Serialize) -> Call {
        self.send(None, method, params)
    }

    /// Sends a command. Awaiting the call returns the response; dropping the call ignores it.
    pub fn send(&self, session: Option<&str>, method: &'static str, params: impl Serialize) -> Call {
        let id = self.0.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let command = Command { id, method, params, session };
        let mut frame = serde_json::to_vec(&command).expect("commands are plain data with text keys");
        frame.push(0);

        let (response, receiver) = oneshot::channel();
        let mut tables = self.0.tables();
        if !tables.closed {
            tables.pending.insert(id, Pending { method, response });
            // Fails only when the writer has ended, and then the reader clears the table.
            let _ = self.0.outgoing.send(frame);
        }
        Call { method, receiver }
    }

    /// Returns the events of a session; the empty name is the browser itself. A second receiver replaces the first.
    ///
    /// The queue is bounded: console messages over the bound are dropped, and other events over it remove the receiver.
    pub fn listen(&self, session: &str) -> mpsc::Receiver<Event> {
        let (sender, receiver) = mpsc::channel(MAX_WAITING_EVENTS);
        let mut tables = self.0.tables();
        if !tables.closed {
            let waiting_bytes = Arc::default();
            tables.listeners.insert(session.to_owned(), Listener { sender, waiting_bytes });
        }
        receiver
    }

    /// Removes the receiver of a session.
    pub fn stop_listening(&self, session: &str) {
        self.0.tables().listeners.remove(session);
    }

    /// Returns the token that is cancelled when the connection closes.
    pub fn closed(&self) -> &CancellationToken {
        &self.0.closed
    }
}

/// Command that has been sent.
pub(crate) struct Call {
    method: &'static str,
    receiver: oneshot::Receiver<Result<Box<RawValue>, CdpError>>,
}

impl Call {
    /// Waits for the response and parses it.
    pub async fn read<T: DeserializeOwned>(self) -> Result<T, CdpError> {
        let method = self.method;
        let response = self.await?;
        serde_json::from_str(response.get())
            .map_err(|error| CdpError::Unexpected { method, message: error.to_string() })
    }
}

impl Future for Call {
    type Output = Result<Box<RawValue>, CdpError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receiver).poll(context).map(|response| response.unwrap_or(Err(CdpError::Closed)))
    }
}

/// Waits for the responses of several commands. Returns the first error.
pub(crate) async fn wait_all<const N: usize>(calls: [Call; N]) -> Result<(), CdpError> {
    for call in calls {
        call.into_future().await?;
    }
    Ok(())
}

impl Shared {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let (pending, listeners) = {
            let mut tables = self.tables();
            tables.closed = true;
            (std::mem::take(&mut tables.pending), std::mem::take(&mut tables.listeners))
        };
        self.closed.cancel();
        // Dropping the senders wakes all waiters.
        drop((pending, listeners));
    }

    fn dispatch(&self, message: &[u8]) {
        let envelope: Envelope<'_> = match serde_json::from_slice(message) {
            Ok(envelope) => envelope,
            Err(error) => return tracing::debug!(%error, "unreadable message from the browser"),
        };
        if let Some(id) = envelope.id {
            let Some(pending) = self.tables().pending.remove(&id) else { return };
            let method = pending.method;
            let response = match (envelope.error, envelope.result) {
                (Some(error), _) => Err(CdpError::Refused { method, message: error.message }),
                (None, Some(result)) => Ok(result.to_owned()),
                (None, None) => Err(CdpError::Unexpected { method, message: "no result".to_owned() }),
            };
            let _ = pending.response.send(response);
            return;
        }
        let (Some(method), Some(params)) = (envelope.method, envelope.params) else { return };
        let Some(kind) = EventKind::of(&method) else { return };
        let session = envelope.session.as_deref().unwrap_or_default();
        let mut tables = self.tables();
        let Some(listener) = tables.listeners.get(session) else { return };
        if listener.send(kind, params) {
            return;
        }
        // Events without a session concern the whole browser: a tab must not be able to remove that receiver.
        if !kind.is_droppable() && !session.is_empty() {
            tracing::debug!(?kind, "too many events of a session");
            tables.listeners.remove(session);
        }
    }
}

async fn write_all(
    mut writer: OwnedWriteHalf,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
    closed: CancellationToken,
) {
    loop {
        let mut batch = tokio::select! {
            frame = queue.recv() => match frame { Some(frame) => frame, None => return },
            () = closed.cancelled() => return,
        };
        // Queued commands are written together: one wake-up of the browser instead of several.
        while let Ok(frame) = queue.try_recv() {
            batch.extend_from_slice(&frame);
        }
        tokio::select! {
            written = writer.write_all(&batch) => if written.is_err() { return },
            () = closed.cancelled() => return,
        }
    }
}

async fn read_all(mut reader: OwnedReadHalf, shared: Arc<Shared>) {
    let mut buffer = BytesMut::with_capacity(64 << 10);
    let mut scanned = 0;
    while buffer.len() <= MAX_MESSAGE_BYTES && !shared.closed.is_cancelled() {
        let read = tokio::select! {
            read = reader.read_buf(&mut buffer) => read,
            () = shared.closed.cancelled() => break,
        };
        if !matches!(read, Ok(1..)) {
            break;
        }
        while let Some(end) = buffer[scanned..].iter().position(|byte| *byte == 0) {
            let message = buffer.split_to(scanned + end);
            buffer.advance(1);
            scanned = 0;
            shared.dispatch(&message);
        }
        scanned = buffer.len();
    }
    shared.close();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn connected() -> (Cdp, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Cdp::start(ours, &TaskTracker::new()), theirs)
    }

    #[tokio::test]
    async fn responses_are_matched_to_commands_in_any_order() {
        let (cdp, mut browser) = connected();
        let first = cdp.browser("A.one", json!({}));
        let second = cdp.send(Some("s"), "A.two", json!({}));

        browser
            .write_all(b"{\"id\":2,\"result\":{\"n\":2}}\0{\"id\":1,\"result\":{\"n\":1}}\0")
            .await
            .unwrap();

        let (first, second) = (first.await.unwrap(), second.await.unwrap());
        assert_eq!((first.get(), second.get()), ("{\"n\":1}", "{\"n\":2}"));
    }

    #[tokio::test]
    async fn every_waiter_is_woken_when_the_pipe_closes() {
        let (cdp, browser) = connected();
        let waiting = cdp.browser("A.one", json!({}));
        let mut events = cdp.listen("s");

        drop(browser);

        assert!(matches!(waiting.await, Err(CdpError::Closed)));
        assert!(events.recv().await.is_none());
        assert!(matches!(cdp.browser("A.later", json!({})).await, Err(CdpError::Closed)));
    }

    #[tokio::test]
    async fn an_unknown_or_broken_message_is_skipped() {
        let (cdp, mut browser) = connected();
        let mut events = cdp.listen("s");

        browser
            .write_all(b"not json\0{\"method\":\"New.thing\",\"sessionId\":\"s\",\"params\":{}}\0")
            .await
            .unwrap();
        browser
            .write_all(b"{\"method\":\"Inspector.targetCrashed\",\"sessionId\":\"s\",\"params\":{}}\0")
            .await
            .unwrap();

        assert_eq!(events.recv().await.unwrap().kind, EventKind::TargetCrashed);
    }

    async fn flood(method: &str) -> mpsc::Receiver<Event> {
        flood_with(method, "", MAX_WAITING_EVENTS + 10).await
    }

    async fn flood_with(method: &str, text: &str, count: usize) -> mpsc::Receiver<Event> {
        let (cdp, mut browser) = connected();
        let events = cdp.listen("s");
        let message =
            format!("{{\"method\":\"{method}\",\"sessionId\":\"s\",\"params\":{{\"t\":\"{text}\"}}}}\0");
        browser.write_all(message.repeat(count).as_bytes()).await.unwrap();
        let response = cdp.browser("A.one", json!({}));
        browser.write_all(b"{\"id\":1,\"result\":{}}\0").await.unwrap();
        response.await.unwrap();
        events
    }

    #[tokio::test]
    async fn a_session_with_too_many_events_loses_its_receiver() {
        let mut events = flood("Page.frameAttached").await;

        let mut received = 0;
        while events.recv().await.is_some() {
            received += 1;
        }

        assert_eq!(received, MAX_WAITING_EVENTS);
    }

    #[tokio::test]
    async fn console_messages_over_the_bound_are_dropped_and_the_receiver_stays() {
        let mut events = flood("Runtime.consoleAPICalled").await;

        for _ in 0..MAX_WAITING_EVENTS {
            assert!(events.try_recv().is_ok());
        }
        assert!(events.try_recv().is_err());
    }

    #[tokio::test]
    async fn queued_console_messages_are_bounded_by_bytes_until_they_are_received() {
        let text = "x".repeat(4 << 20);
        let mut events = flood_with("Runtime.consoleAPICalled", &text, 20).await;

        let counter = events.recv().await.unwrap()._queued.counter.clone();
        let mut received = 1;
        while events.try_recv().is_ok() {
            received += 1;
        }

        assert_eq!((received, counter.load(Ordering::Relaxed)), (3, 0));
    }

    #[tokio::test]
    async fn a_single_event_may_exceed_the_byte_limit() {
        let text = "x".repeat(MAX_WAITING_BYTES + 1);

        let mut events = flood_with("Runtime.bindingCalled", &text, 1).await;

        assert!(events.recv().await.is_some());
    }

    #[tokio::test]
    async fn a_message_may_arrive_in_pieces() {
        let (cdp, mut browser) = connected();
        let waiting = cdp.browser("A.one", json!({}));

        browser.write_all(b"{\"id\":1,\"res").await.unwrap();
        tokio::task::yield_now().await;
        browser.write_all(b"ult\":{}}\0").await.unwrap();

        assert!(waiting.await.is_ok());
    }
}
