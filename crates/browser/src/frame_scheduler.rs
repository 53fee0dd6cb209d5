//! Draws frames on demand, one at a time for a whole browser. Used by visits.
//! Must never have two frames under way: their tabs share what draws, and a second one ends the browser's GPU process.

use std::time::Duration;

use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::cdp::Cdp;

/// How long one page's frame may keep the others waiting: a page whose script never ends draws none.
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
    /// Callbacks and layout.
    Cheap,
    /// Everything, to a screen that is not there.
    Full,
}

/// Told when a frame is drawn, or will not be.
pub(crate) type Drawing = oneshot::Receiver<()>;

/// Draws the frames that the tabs of one browser wish for, in the order of the wishes.
pub(crate) struct FrameScheduler(mpsc::UnboundedSender<FrameRequest>);

struct FrameRequest {
    session: String,
    kind: FrameKind,
    drawn: oneshot::Sender<()>,
}

impl FrameScheduler {
    /// Draws for the tabs of one browser until it is dropped.
    pub fn start(cdp: Cdp, tasks: &TaskTracker) -> FrameScheduler {
        let (sender, requests) = mpsc::unbounded_channel();
        tasks.spawn(draw_all(cdp, requests));
        FrameScheduler(sender)
    }

    /// Draws a frame of a tab as soon as it is its turn.
    pub fn draw(&self, session: &str, kind: FrameKind) -> Drawing {
        let (drawn, drawing) = oneshot::channel();
        // Fails only when the browser is gone, and then the tab learns of it at once.
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
        // A refused frame, of a tab that is being closed say, is over too.
        let _ = timeout(FRAME_LIMIT, call).await;
        let _ = drawn.send(());
    }
}
