//! Actions that the state machine of a visit requests. Used by the visit's loop. Plain data.

use url::Url;

use crate::frame_scheduler::FrameKind;
use crate::page::Command;

/// Action of the visit's loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::visit) enum Action {
    /// Send an order to the page script.
    Order(Command),
    /// Write the document from the isolated world, since it forbids scripts.
    WriteInert,
    /// Terminate the running script and the rest of its task.
    StopScripts,
    /// Let requests after the document use the cache.
    StopRevalidating,
    /// Abort requests for scripts and style sheets of other sites that have no response yet.
    AbortOtherSites,
    /// Draw a frame. Its end is an input.
    Draw(FrameKind),
    /// Record that a document of another origin was in the tab.
    RecordForeignFrame,
    /// Request an address as a new visitor. With `if_cookies`, only when the tab has a cookie: otherwise this render is a new
    /// visitor.
    Probe { url: Url, if_cookies: bool },
}
