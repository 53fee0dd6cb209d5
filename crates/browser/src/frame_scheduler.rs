//! Draws frames on demand, one at a time per browser. Used by visits.
//! Must never draw two frames concurrently: the tabs share the GPU process, which ends when a second frame begins.

use std::time::Duration;

use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::cdp::Cdp;

/// Timeout of a frame. The frame of a page whose script never ends is not drawn and must not block the others.
const FRAME_LIMIT: Duration = Duration::from_secs(1);

/// Clock of the frames of a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameMode {
    /// A frame is drawn when the client asks for one (begin-frame control).
    OnDemand,
    /// The browser draws frames by its own clock.
    Continuous,
}

/// Extent of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FrameKind {
    /// Callbacks and layout only.
    Cheap,
    /// All stages, up to the (absent) screen.
    Full,
}

/// Receiver that completes when the frame is drawn or given up.
pub(crate) type Drawing = oneshot::Receiver<()>;

/// Queue of the frames that the tabs of a browser request, first in, first out.
pub(crate) struct FrameScheduler(mpsc::UnboundedSender<FrameRequest>);

struct FrameRequest {
    session: String,
    kind: FrameKind,
    drawn: oneshot::Sender<()>,
}

impl FrameScheduler {
    /// Starts drawing for the tabs of a browser, until dropped.
    pub fn start(cdp: Cdp, tasks: &TaskTracker) -> FrameScheduler {
        let (sender, requests) = mpsc::unbounded_channel();
        tasks.spawn(draw_all(cdp, requests));
        FrameScheduler(sender)
    }

    /// Queues a frame of a tab.
    pub fn draw(&self, session: &str, kind: FrameKind) -> Drawing {
        let (drawn, drawing) = oneshot::channel();
        // Fails only when the browser has ended, and then the tab fails at once.
        let _ = self.0.send(FrameRequest { session: session.to_owned(), kind, drawn });
        drawing
    }
}

async fn draw_all(cdp: Cdp, mut requests: mpsc::UnboundedReceiver<FrameRequest>) {
    while let Some(FrameRequest { session, kind, drawn }) = requests.recv().await {
        if drawn.is_closed() {
            continue;
        }
        let frame = json!({ "noDisplayUpdates": kind == FrameKind::Cheap, "interval": 16 });
        let call = cdp.send(Some(&session), "HeadlessExperimental.beginFrame", frame);
        // A refused frame, for instance of a tab that is being closed, counts as drawn.
        let _ = timeout(FRAME_LIMIT, call).await;
        let _ = drawn.send(());
    }
}
