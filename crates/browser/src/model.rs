//! What a render is asked for and what comes back. Used by everyone who renders; knows nothing of Chromium.
//! Must never hold a default that weakens isolation: a request says whose tab it may use.

use std::time::Duration;

use crawler::url::OriginHost;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use url::Url;

/// One page to render.
#[derive(Debug, Clone)]
pub struct RenderRequest {
    /// Absolute `http` or `https` address, without userinfo. The page sees exactly this as its location.
    pub url: Url,
    /// Whose page this is (the domain record's id). Warm tabs are shared only between renders of equal tenant **and** origin.
    pub tenant: String,
    /// Where requests for the page's own host are really sent, when the domain has an origin host of its own.
    pub route: Option<OriginRoute>,
    /// Headers that requests for the page's own hosts carry.
    pub own_headers: Option<OwnHeaders>,
    /// Hard limit, from the moment a tab starts on the page. A page that never settles comes back as it stands, `partial`.
    pub timeout: Duration,
    /// CSS selector that must match before the page counts as ready, in addition to the ordinary rules.
    pub wait_for_selector: Option<String>,
    /// Addresses that are not fetched, as Chromium's wildcard patterns (`*` any run of characters), beside the built-in list.
    pub blocked_urls: Vec<String>,
    /// What the page may cost.
    pub limits: RenderLimits,
    /// Also report what only a browser knows of the page ([`Rendered::inspection`]), for audits.
    pub inspect: bool,
    /// A client waits for it: it goes before the others, and they make room while it is rendered.
    pub urgent: bool,
}

/// Sends requests for one host somewhere else, as the edge does for people: the page keeps its public address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OriginRoute {
    /// Public hosts (the domain and its `www.`/apex twin) whose requests are re-routed, lower case.
    pub hosts: Vec<String>,
    /// Host, and optional port, that answers for them; also the `Host` header and the TLS name.
    pub origin_host: OriginHost,
    /// Whether the origin is reached over TLS.
    pub tls: bool,
}

/// Headers that only some hosts get to see: what a staging site asks for. Other hosts never do, whoever leads there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OwnHeaders {
    /// Hosts that get to see them, lower case.
    pub hosts: Vec<String>,
    /// The headers. One that the page sets itself stays as the page set it.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// They are sent over plain `http` too.
    pub plain_http: bool,
}

/// Upper bounds of one render.
#[derive(Debug, Clone, Copy)]
pub struct RenderLimits {
    /// Bytes the page may download in all; over it the rest is cut off and the render is `partial`.
    pub page_bytes: u64,
    /// Bytes of HTML that may come out; over it the render fails with [`RenderError::TooLarge`].
    pub html_bytes: usize,
    /// Redirects of the document that are looked at before giving up.
    pub redirects: u32,
}

/// What a page turned into.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The page's own status: a client-side redirect's 3xx, else `<meta name="prerender-status-code">`, else the document's.
    pub status: u16,
    /// Target of a redirect (the origin's or a client-side one) as an absolute address; `html` is then empty.
    pub location: Option<String>,
    /// Address of the document that was captured.
    pub final_url: Url,
    /// Status of the first answer to the address that was asked for.
    pub first_status: u16,
    /// Redirects of servers on the way to the captured document, or away from the page; at most 20.
    pub hops: Vec<RedirectHop>,
    /// `X-Robots-Tag`, `Link`, `Content-Language` and `Content-Location` of the captured document; a redirect has none.
    pub headers: HeaderMap,
    /// Complete document without scripts, see `product.md` Render 8. Byte-equal for an unchanged page.
    pub html: String,
    /// The page was cut off (time, bytes) before it settled: never cache it as complete.
    pub partial: bool,
    /// Why the page was taken to be ready.
    pub settled: Settled,
    /// Where the time went.
    pub timings: Timings,
    /// Console messages of level error and warning, and uncaught exceptions; at most 100, cut to 1,000 characters each.
    pub console: Vec<ConsoleMessage>,
    /// Requests that were refused by the address guard or a limit; at most 100.
    pub blocked: Vec<BlockedRequest>,
    /// Scripts, style sheets, XHR and fetch requests that failed or were not answered so far; at most 20.
    pub failed: Vec<FailedRequest>,
    /// What was asked for with [`RenderRequest::inspect`]. A page that was cut off or went elsewhere has none.
    pub inspection: Option<Inspection>,
}

/// What only a browser knows of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// Address of the largest picture of the first window, when that loads lazily.
    pub lazy_picture: Option<String>,
    /// Words of the page's own text.
    pub words: usize,
    /// Those that were there before it was scrolled, when it was.
    pub unscrolled_words: Option<usize>,
    /// Elements that lead somewhere by a handler for clicks alone.
    pub click_links: usize,
    /// Where the first of them lead; empty where their handlers do not say.
    pub click_targets: Vec<String>,
    /// Scripts, style sheets, XHR and fetch requests of the page that were answered or have ended; at most 500.
    #[serde(skip)]
    pub loaded: Vec<LoadedRequest>,
}

/// A request of a page that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedRequest {
    /// Absolute address, without the fragment.
    pub url: String,
    /// Status of the answer; 0: none.
    pub status: u16,
    /// The answer came whole.
    pub is_complete: bool,
}

/// A redirect that a server answered with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedirectHop {
    /// Address that was asked for.
    pub url: String,
    pub status: u16,
    /// Absolute address that it leads to.
    pub location: String,
}

/// A request of a page that was answered with an error, in part, or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedRequest {
    pub method: String,
    /// Absolute address, without the fragment.
    pub url: String,
    /// Status of the answer; 0: none, below 400: it broke off.
    pub status: u16,
}

/// Why a page was taken to be ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// `window.prerenderReady` (or `htmlSnapshot`) turned true.
    Flag,
    /// Nothing that could change the page was pending and the DOM was quiet.
    Quiet,
    /// Something stayed pending for ever (a poll, a hanging request) but the DOM had long been still.
    Still,
    /// The document or a script sent the visitor elsewhere.
    Redirect,
    /// The time limit.
    Timeout,
    /// The download limit.
    Bytes,
}

/// Milliseconds spent per phase of one render.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timings {
    /// Waiting for a free slot.
    pub queued_ms: u64,
    /// Opening or cleaning the tab.
    pub prepare_ms: u64,
    /// From navigation to the captured HTML.
    pub load_ms: u64,
    /// Whole render as the caller saw it.
    pub total_ms: u64,
}

/// A message the page wrote to its console.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConsoleMessage {
    /// `error`, `warning` or `exception`.
    pub level: String,
    /// The text, cut to 1,000 characters.
    pub text: String,
}

/// A request that the page made and that was not let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockedRequest {
    /// Address as far as it is known (`host:port` for an encrypted one).
    pub url: String,
    /// Why, in words an operator understands.
    pub reason: String,
}

/// Why there is no HTML. Only [`RenderError::PageCrashed`] says that a page is dangerous; what concerns the service itself
/// (`NoBrowser`, `Overloaded`, `ShuttingDown`, `Abandoned`) says nothing about the page.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RenderError {
    /// Not an address that may be rendered (scheme, userinfo).
    #[error("{0}")]
    BadUrl(String),
    /// The document's address is private or otherwise refused by the guard.
    #[error("{host} resolves to an address that may not be fetched ({reason})")]
    Forbidden {
        /// Host that was asked for.
        host: String,
        /// Range or rule that refused it.
        reason: String,
    },
    /// The document could not be fetched: name, connection, TLS or an empty answer.
    #[error("the origin could not be reached: {0}")]
    OriginUnreachable(String),
    /// The document is a download or another type than HTML.
    #[error("the address does not answer with a page ({0})")]
    NotAPage(String),
    /// HTML larger than `html_bytes`.
    #[error("the page has {bytes} bytes of HTML, more than the limit of {limit}")]
    TooLarge {
        /// Size that came out, at least.
        bytes: usize,
        limit: usize,
    },
    /// Nothing to show at the time limit.
    #[error("the page showed nothing within {0:?}")]
    Timeout(Duration),
    /// The page killed its tab or its browser (memory, crash), twice.
    #[error("the page crashed its tab")]
    PageCrashed,
    /// No browser: it is missing, keeps failing, or may not be started unconfined.
    #[error("no browser: {0}")]
    NoBrowser(String),
    /// No slot: too many renders are waiting already.
    #[error("too many renders are waiting")]
    Overloaded,
    /// It ended without an answer, through no fault of the page.
    #[error("the render was given up")]
    Abandoned,
    /// The service ends; another one, or a later try, may do better.
    #[error("the service is shutting down")]
    ShuttingDown,
}

/// State of the browser, for `/readyz` and `doctor`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BrowserHealth {
    /// A browser runs and answers, or one can be started.
    pub usable: bool,
    /// Product and version, as the browser says.
    pub version: Option<String>,
    /// Confined to a network namespace whose only way out is the filtering proxy.
    pub confined: bool,
    /// Chromium's own sandbox is on; a service that runs as root starts its browsers as another user.
    pub sandboxed: bool,
    /// Frames are drawn on demand (begin-frame control); `false`: ordinary frames, slower.
    pub frames_on_demand: bool,
    /// Memory of a browser is bounded by a cgroup (`true`) or by the watchdog (`false`).
    pub cgroup: bool,
    /// What is wrong, with the remedy, when something is.
    pub problem: Option<String>,
    /// Renders in a tab now.
    pub active: usize,
    /// Renders waiting for a slot.
    pub waiting: usize,
}
