//! What the state machine of a visit says is to be done. Used by the visit's loop. Plain data.

use url::Url;

use crate::frame_scheduler::FrameKind;
use crate::page::Command;

/// What the loop is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::visit) enum Action {
    /// Give the script in the page an order.
    Order(Command),
    /// Write the document out from beside it: it runs no scripts.
    WriteInert,
    /// Stop the script that runs, and whatever it still wanted to do in this turn.
    StopScripts,
    /// Let what follows the document come from the cache.
    StopRevalidating,
    /// End what other sites' scripts and style sheets have not begun to answer.
    AbortOtherSites,
    /// Draw a frame, and say so when it is drawn.
    Draw(FrameKind),
    /// Remember that another origin's document was in the tab.
    NoteForeignFrame,
    /// Find out what a visitor without a past gets at an address. `if_cookies`: without a cookie in the tab there is nothing
    /// to find out, that is what this render gets.
    Probe { url: Url, if_cookies: bool },
}
