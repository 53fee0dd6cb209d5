//! Request and result of a render. Used by all crates that render; independent of Chromium.
//! Must never have a default that weakens isolation: a request names the owner of its tab.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crawler::url::OriginHost;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::milliseconds;

/// Request to render one page.
#[derive(Debug, Clone)]
pub struct RenderRequest {
    /// Absolute `http` or `https` address without userinfo; the location that the page sees.
    pub url: Url,
    /// Owner of the page (the domain record's id). Warm tabs are shared only between renders of equal tenant **and** origin.
    pub tenant: String,
    /// Origin to which requests for the page's own host are sent, when the domain has an origin host.
    pub route: Option<OriginRoute>,
    /// Headers of requests to the page's own hosts.
    pub own_headers: Option<OwnHeaders>,
    /// Time limit from the start in a tab. A page that is not ready by then is returned as `partial`.
    pub timeout: Duration,
    /// CSS selector that must match before the page is ready, in addition to the general rules.
    pub wait_for_selector: Option<String>,
    /// Blocked addresses as Chromium's wildcard patterns (`*` matches any characters), in addition to the built-in list.
    pub blocked_urls: Vec<String>,
    /// Resource limits of the page.
    pub limits: RenderLimits,
    /// Request for [`Rendered::inspection`], for audits.
    pub inspect: bool,
    /// Permit of the caller's own limit. It is dropped when the tab is clean, which is after the response.
    pub slot: Option<RenderSlot>,
}

/// Permit that is released when its last clone is dropped.
pub type RenderSlot = Arc<dyn fmt::Debug + Send + Sync>;

/// Origin of a site's requests. The page keeps its public address, as it does at the edge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OriginRoute {
    /// Public hosts (the domain and its `www.`/apex counterpart) whose requests are sent to the origin, lower case.
    pub hosts: Vec<String>,
    /// Host and optional port of the origin; also the `Host` header and the TLS name.
    pub origin_host: OriginHost,
    /// The origin is requested over TLS.
    pub tls: bool,
}

/// Headers that are sent to some hosts only, such as credentials of a staging site. Redirects do not carry them to other hosts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OwnHeaders {
    /// Hosts that receive the headers, lower case.
    pub hosts: Vec<String>,
    /// The headers. A header that the page sets itself is not replaced.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The headers are also sent over plain `http`.
    pub plain_http: bool,
}

/// Resource limits of one render.
#[derive(Debug, Clone, Copy)]
pub struct RenderLimits {
    /// Maximum bytes of all downloads. Over it the rest is cut off and the render is `partial`.
    pub page_bytes: u64,
    /// Maximum bytes of HTML. Over it the render fails with [`RenderError::TooLarge`].
    pub html_bytes: usize,
    /// Maximum number of redirects of the document.
    pub redirects: u32,
}

/// Result of a render.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// Status of the page: the 3xx of a client-side redirect, else `<meta name="prerender-status-code">`, else the document's.
    pub status: u16,
    /// Absolute target of a redirect of the origin or of a script; `html` is then empty.
    pub location: Option<String>,
    /// Address of the captured document.
    pub final_url: Url,
    /// Status of the first response to the requested address.
    pub first_status: u16,
    /// Server redirects to the captured document, or away from the page; at most 20.
    pub hops: Vec<RedirectHop>,
    /// `X-Robots-Tag`, `Link`, `Content-Language` and `Content-Location` of the captured document; a redirect has none.
    pub headers: HeaderMap,
    /// Complete document without scripts. Byte-equal for an unchanged page.
    pub html: String,
    /// The page was cut off (time, bytes) before it was ready: never cache it as complete.
    pub partial: bool,
    /// Condition that ended the wait.
    pub settled: Settled,
    /// Durations of the phases.
    pub timings: Timings,
    /// Console messages of level error and warning, and uncaught exceptions; at most 100, cut to 1,000 characters each.
    pub console: Vec<ConsoleMessage>,
    /// Requests refused by the address guard or a limit; at most 100.
    pub blocked: Vec<BlockedRequest>,
    /// Scripts, style sheets, XHR and fetch requests that failed or have no response yet; at most 20.
    pub failed: Vec<FailedRequest>,
    /// Measurements for [`RenderRequest::inspect`]. A page that was cut off or redirects has none.
    pub inspection: Option<Inspection>,
}

/// Measurements of a page that need a browser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// Address of the largest picture in the first viewport, if it loads lazily.
    pub lazy_picture: Option<String>,
    /// Words of the main text, without navigation and footer.
    pub words: usize,
    /// Words of the main text before scrolling, if the page was scrolled.
    pub unscrolled_words: Option<usize>,
    /// Elements that navigate by a click handler without being links.
    pub click_links: usize,
    /// Targets of the first of these elements; empty where the handler does not name one.
    pub click_targets: Vec<String>,
    /// Scripts, style sheets, XHR and fetch requests that have a response or have ended; at most 500.
    #[serde(skip)]
    pub loaded: Vec<LoadedRequest>,
}

/// A request of a page that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedRequest {
    /// Absolute address, without the fragment.
    pub url: String,
    /// Status of the response; 0: no response.
    pub status: u16,
    /// The response is complete.
    pub is_complete: bool,
}

/// A redirect by a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedirectHop {
    /// Requested address.
    pub url: String,
    pub status: u16,
    /// Absolute target.
    pub location: String,
}

/// A request of a page whose response is an error, incomplete or missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedRequest {
    pub method: String,
    /// Absolute address, without the fragment.
    pub url: String,
    /// Status of the response; 0: no response, below 400: incomplete.
    pub status: u16,
}

/// Condition that ended the wait for a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// `window.prerenderReady` (or `htmlSnapshot`) became true.
    Flag,
    /// Nothing that could change the page was pending and the DOM was quiet.
    Quiet,
    /// Something was pending endlessly (a poll, a hanging request), but the DOM had not changed for long.
    Still,
    /// A redirect by the document or a script.
    Redirect,
    /// The time limit.
    Timeout,
    /// The download limit.
    Bytes,
}

/// Durations of the phases of one render, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timings {
    /// Time for opening or preparing the tab.
    pub prepare_ms: u64,
    /// Time between navigation and capture.
    pub load_ms: u64,
    /// Total time of the render for its caller.
    pub total_ms: u64,
}

impl Timings {
    /// Makes the timings of a render that was prepared and loaded in these times.
    pub(crate) fn of_phases(prepared: Duration, loaded: Duration) -> Timings {
        let (prepare_ms, load_ms) = (milliseconds(prepared), milliseconds(loaded));
        Timings { prepare_ms, load_ms, ..Timings::default() }
    }
}

/// Console message of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConsoleMessage {
    /// `error`, `warning` or `exception`.
    pub level: String,
    /// Text, cut to 1,000 characters.
    pub text: String,
}

/// A request of a page that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockedRequest {
    /// Address as far as known (`host:port` for an encrypted request).
    pub url: String,
    /// Reason, written for an operator.
    pub reason: String,
}

/// Failure of a render. Only [`RenderError::PageCrashed`] blames the page; `NoBrowser`, `ShuttingDown` and `Abandoned`
/// concern the service itself.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RenderError {
    /// Address that may not be rendered (scheme, userinfo).
    #[error("{0}")]
    BadUrl(String),
    /// The document's address is private, or the guard refuses it otherwise.
    #[error("{host} resolves to a forbidden address ({reason})")]
    Forbidden {
        /// Requested host.
        host: String,
        /// Range or rule that refuses it.
        reason: String,
    },
    /// Failure to fetch the document: name, connection, TLS or an empty response.
    #[error("the origin could not be reached: {0}")]
    OriginUnreachable(String),
    /// The document is a download or not HTML.
    #[error("the response is not a page ({0})")]
    NotAPage(String),
    /// HTML larger than `html_bytes`.
    #[error("the page has {bytes} bytes of HTML, more than the limit of {limit}")]
    TooLarge {
        /// Size, at least.
        bytes: usize,
        limit: usize,
    },
    /// No document at the time limit.
    #[error("the page showed nothing within {0:?}")]
    Timeout(Duration),
    /// The page crashed its tab or its browser (memory, crash) twice.
    #[error("the page crashed its tab")]
    PageCrashed,
    /// The browser is missing, fails repeatedly, or cannot be started confined.
    #[error("no browser: {0}")]
    NoBrowser(String),
    /// The render ended without a result, not because of the page.
    #[error("the render ended without a result")]
    Abandoned,
    /// The service shuts down; a later attempt or another node can succeed.
    #[error("the service is shutting down")]
    ShuttingDown,
}

/// State of the browser, for `/readyz` and `doctor`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BrowserHealth {
    /// A browser runs and responds, or can be started.
    pub usable: bool,
    /// Product and version of the browser.
    pub version: Option<String>,
    /// Confined to a network namespace whose only connection is the filtering proxy.
    pub confined: bool,
    /// Chromium's sandbox is on; a service that runs as root starts its browsers as another user.
    pub sandboxed: bool,
    /// Frames are drawn on demand (begin-frame control); `false`: continuously, slower.
    pub frames_on_demand: bool,
    /// A cgroup bounds the memory of each browser; `false`: the supervisor does.
    pub cgroup: bool,
    /// Problem and its remedy, if there is one.
    pub problem: Option<String>,
    /// Renders in a tab.
    pub active: usize,
}
