//! Request and result of a view: text, screenshot and requests of a page.
//! Used by all crates that request views; plain data.

use bytes::Bytes;
use serde::Serialize;
use url::Url;

use crate::{BlockedRequest, ConsoleMessage, FailedRequest, RenderError, RenderRequest, Timings};

/// Request to view one page with its pictures and fonts.
#[derive(Debug, Clone)]
pub struct ViewRequest {
    /// Address, owner, route and limits.
    pub page: RenderRequest,
    /// Width of the window in CSS pixels. Up to 600 the window is a phone's.
    pub width: u32,
    pub source: ViewSource,
}

/// Source of the document.
#[derive(Debug, Clone)]
pub enum ViewSource {
    /// The live page, whose scripts run.
    Live,
    /// This document, without scripts, at the page's address.
    Document { html: Bytes, content_type: String },
}

/// Result of a view.
#[derive(Debug, Clone)]
pub struct PageView {
    pub page: Result<ViewedPage, RenderError>,
    /// Requests of the page in the order in which they were sent; at most 200.
    pub requests: Vec<ViewedRequest>,
    /// Console messages; see [`crate::Rendered::console`].
    pub console: Vec<ConsoleMessage>,
    /// Refused requests; see [`crate::Rendered::blocked`].
    pub blocked: Vec<BlockedRequest>,
    /// Failed requests; see [`crate::Rendered::failed`].
    pub failed: Vec<FailedRequest>,
}

impl PageView {
    /// Makes the result of a view that failed.
    pub fn failed(error: RenderError) -> PageView {
        PageView {
            page: Err(error),
            requests: Vec::new(),
            console: Vec::new(),
            blocked: Vec::new(),
            failed: Vec::new(),
        }
    }
}

/// A loaded page.
#[derive(Debug, Clone)]
pub struct ViewedPage {
    /// Status of the page; 200 for a given document.
    pub status: u16,
    pub final_url: Url,
    /// The page was cut off (time, bytes) before it was ready.
    pub partial: bool,
    pub timings: Timings,
    /// Words of the visible text.
    pub words: usize,
    /// Visible text, at most 256 KiB.
    pub text: String,
    /// Screenshot; `None`: it could not be taken.
    pub picture: Option<PagePicture>,
}

/// Screenshot of a whole page.
#[derive(Debug, Clone)]
pub struct PagePicture {
    /// WebP, at most 4 MiB.
    pub webp: Bytes,
    /// CSS pixels.
    pub width: u32,
    /// CSS pixels, at most 8,000.
    pub height: u32,
    /// The page is longer than the picture.
    pub cut: bool,
}

/// A request of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ViewedRequest {
    pub url: String,
    /// Type of the resource in lower case, such as `script`.
    pub kind: String,
    /// Status of the response; 0: no response.
    pub status: u16,
    /// Milliseconds after the first request.
    pub start_ms: u64,
    pub duration_ms: u64,
    /// Received bytes, as transferred.
    pub bytes: u64,
    pub outcome: RequestOutcome,
}

/// End of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestOutcome {
    Ok,
    Failed,
    /// Refused by the guard, a limit or the list of blocked addresses.
    Blocked,
}
