//! Requests to the render service, and its answers. Pure.
//! See docs/decisions/0033.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LINK, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::decide::{EntryPoint, TargetPage};
use super::markdown_tier::MarkdownPage;
use super::request_facts::RequestFacts;
use super::snapshot_list::SnapshotState;
use analytics::{Crawler, CrawlerRequest, Verified};
use domains::{MarkdownSetting, PolicyAction, Site};
use platform::api::accept::prefers_markdown;
use platform::api::header_names::{INTEGRATION, MARKDOWN_TOKENS, POLICY};
use platform::clock::Timestamp;

/// Maximum refresh interval of a page that is gone (404, 410).
pub const GONE_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// Minimum time after which a second render must agree before a page with less content replaces a good page.
pub const CONFIRM_AFTER: Duration = Duration::from_secs(60);

/// A request for a page, from the render endpoint or the edge.
#[derive(Debug, Clone)]
pub struct RenderCall<'a> {
    /// Site that the address belongs to.
    pub site: &'a Arc<Site>,
    /// Requested address.
    pub target: &'a Url,
    /// Facts of the request apart from its address.
    pub facts: RequestFacts<'a>,
    pub entry: EntryPoint,
    pub freshness: Freshness,
    /// Crawler that the client claims to be, if any.
    pub crawler: Option<&'static Crawler>,
    /// Result of the verification of that claim.
    pub verified: Verified,
    /// Client whose evidence of being a crawler is not verified. None: a verified crawler, a person, or the customer's own
    /// call.
    pub unverified_client: Option<UnverifiedClient>,
    /// True for a request of the service's own audits and checks, which is not a visit.
    pub is_probe: bool,
    /// Time until which the request waits for a render; none: until the render ends. See [`deadline_of`].
    pub deadline: Option<Instant>,
    /// Format that the request names; none: `Accept` and the domain's setting decide.
    pub format: Option<PageFormat>,
}

/// Format of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageFormat {
    Html,
    Markdown,
}

/// Maximum time for which a request through an integration waits for a render. Integrations time out after ten seconds, of
/// which the origin needs some when it answers in place of a render.
const INTEGRATION_PATIENCE: Duration = Duration::from_secs(8);

/// Returns the time until which a new request may wait for a render; none: the request comes through no integration.
pub fn deadline_of(headers: &HeaderMap) -> Option<Instant> {
    headers.contains_key(INTEGRATION).then(|| Instant::now() + INTEGRATION_PATIENCE)
}

impl RenderCall<'_> {
    /// Decides whether this request may start a render. A client that falsely claims to be a crawler never may.
    pub fn may_render(&self) -> bool {
        let is_let_in =
            self.unverified_client.is_none() || !self.site.domain.rendering.verified_crawlers_only;
        self.site.domain.settings.on_demand_render_enabled && !self.is_spoofed() && is_let_in
    }

    /// Decides in which format the page is sent.
    pub fn page_format(&self) -> PageFormat {
        let negotiated = || match self.site.domain.rendering.markdown {
            MarkdownSetting::Accept if prefers_markdown(self.facts.accept) => PageFormat::Markdown,
            MarkdownSetting::Accept | MarkdownSetting::Off => PageFormat::Html,
        };
        self.format.unwrap_or_else(negotiated)
    }

    /// Returns the request as a visit to count. None: a request of a person, or of the service's own audits and checks.
    pub fn crawler_request(&self) -> Option<CrawlerRequest> {
        let crawler = self.crawler.filter(|_| !self.is_probe)?;
        let (domain, path) = (self.site.domain.id.clone(), self.target.path().into());
        Some(CrawlerRequest { domain, path, crawler, verified: self.verified })
    }

    /// Returns true when the client falsely claims to be a crawler.
    pub fn is_spoofed(&self) -> bool {
        self.crawler.is_some() && self.verified == Verified::No
    }
}

/// A client whose evidence of being a crawler is not verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnverifiedClient {
    /// Address of the client. None: an integration relays the request without the client's address.
    pub address: Option<IpAddr>,
}

/// Required freshness of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Freshness {
    /// A stored page, if there is one.
    Stored,
    /// A new render, which replaces the stored page (`cache_invalidate=1`).
    Forced,
}

/// Purpose of a render, which decides which requests may share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RenderPurpose {
    /// A client waits for a page that is not stored.
    OnDemand,
    /// A client demands a new render, and shares only another forced render.
    Forced,
    /// A job renders a page again. An on-demand or background render in flight is not shared: it may have seen the old page.
    Refresh,
    /// A view shows a page that is not stored. An error page is not stored either, since no snapshot of it was requested.
    Look,
    /// A stored page has become stale; no client waits.
    Background,
}

/// Answer to a request.
#[derive(Debug, Clone)]
pub enum RenderResponse {
    /// The preferred host or a redirect rule answers.
    Redirect {
        /// 301 or 307.
        status: u16,
        /// Absolute address.
        location: String,
    },
    /// The origin answers, at this address.
    Passthrough {
        /// Absolute address.
        location: String,
        /// True when the page is to be prerendered, its render failed and nothing is stored.
        render_failed: bool,
    },
    Page(PageResponse),
    /// The domain's crawler policy refuses the crawler.
    Refused(PolicyRefusal),
}

/// Refusal of a crawler by the domain's policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRefusal {
    pub action: PolicyAction,
    /// Body, plain text.
    pub text: String,
    /// Time until a rate-limited crawler is admitted again.
    pub retry_after: Option<Duration>,
}

impl PolicyRefusal {
    /// Returns the headers of the answer, which no cache may keep.
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(4);
        headers.insert(POLICY, HeaderValue::from_static(self.action.as_str()));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(time) = self.retry_after {
            // Rounded up: a client that retries within the last second would be refused again.
            headers.insert(RETRY_AFTER, HeaderValue::from(time.as_millis().div_ceil(1000).max(1) as u64));
        }
        headers
    }

    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.action.status()).expect("actions have statuses")
    }
}

/// Answer with a page, from any tier.
#[derive(Debug, Clone)]
pub struct PageResponse {
    pub tier: Tier,
    pub page: Arc<RenderedPage>,
    /// Markdown that is sent in place of the HTML, if any.
    pub markdown: Option<Arc<MarkdownPage>>,
    /// Object key of the snapshot, if the page came from the durable tier.
    pub snapshot_key: Option<String>,
    /// Time for which caches may keep the page: the refresh interval of its path, or less for a page that is gone.
    pub max_age: Duration,
}

impl PageResponse {
    /// Makes the response with the rendered page of a target.
    pub(super) fn of(
        tier: Tier,
        page: Arc<RenderedPage>,
        snapshot_key: Option<String>,
        target: &TargetPage,
    ) -> PageResponse {
        let max_age = keeps(page.status, target.refresh_interval);
        PageResponse { tier, page, markdown: None, snapshot_key, max_age }
    }

    /// Returns the document in the format that is sent.
    pub fn body(&self) -> &Bytes {
        self.markdown.as_ref().map_or(&self.page.html, |markdown| &markdown.text)
    }

    /// Returns the weak etag of the document in the format that is sent.
    pub fn etag(&self) -> &str {
        self.markdown.as_ref().map_or(&self.page.etag, |markdown| &markdown.etag)
    }

    /// Inserts the headers that depend on the format.
    pub fn insert_format(&self, headers: &mut HeaderMap) {
        let Some(markdown) = &self.markdown else {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
            return;
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"));
        headers.insert(MARKDOWN_TOKENS, HeaderValue::from(markdown.tokens));
        headers.insert(LINK, markdown.link.clone());
    }
}

/// Tier that served a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Memory of this process.
    EdgeHit,
    /// The stored snapshot.
    Hit,
    /// Rendered for this request.
    Miss,
}

impl Tier {
    /// Returns the value of `x-service-render-cache`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Tier::EdgeHit => "edge-hit",
            Tier::Hit => "hit",
            Tier::Miss => "miss",
        }
    }
}

/// A rendered page, as all tiers hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPage {
    /// The page's own status.
    pub status: u16,
    /// Target of a redirecting page.
    pub location: Option<String>,
    /// The document; empty for a redirect.
    pub html: Bytes,
    /// Weak etag of the document and of `headers`.
    pub etag: String,
    /// Header lines of the page's response that crawlers act on.
    pub headers: HeaderMap,
    /// Failures of a page that shows nothing, as text.
    pub problems: Vec<String>,
    /// True when the page was cut off before it was complete.
    pub partial: bool,
    /// Time of the render.
    pub created_at: Timestamp,
}

impl RenderedPage {
    /// Decides whether the page may be stored: the page is complete, and its status is not a failure of its server.
    ///
    /// 401, 403, 429 and similar statuses are temporary answers of a site's access control, and say nothing about the page.
    pub fn is_storable(&self) -> bool {
        !self.partial && matches!(self.status, 200..=399 | 404 | 410)
    }

    /// Returns the reason why the page may not be stored, for people.
    pub fn describe_unstored(&self) -> String {
        match self.partial {
            true => "the page was cut off before it was complete".to_owned(),
            false => format!("the page answered {}", self.status),
        }
    }
}

/// Returns the time for which a page with this status is fresh, given the refresh interval of its path.
pub fn keeps(status: u16, interval: Duration) -> Duration {
    if is_gone(status) { interval.min(GONE_INTERVAL) } else { interval }
}

/// Decides whether a status says that the page is gone.
pub fn is_gone(status: u16) -> bool {
    matches!(status, 404 | 410)
}

/// A stored snapshot, as `GET /api/prerender/snapshots` lists it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// The address that was rendered.
    #[schema(examples("https://shop.example/shoes"))]
    pub url: String,
    /// Path and query of the address.
    #[schema(examples("/shoes"))]
    pub path: String,
    /// The page's own status.
    #[schema(examples(200))]
    pub status: u16,
    /// Target of a redirecting page.
    pub location: Option<String>,
    /// Key of the object that holds the HTML.
    pub snapshot_key: String,
    /// Weak etag of the HTML.
    pub etag: String,
    #[schema(examples(48213))]
    pub html_bytes: u64,
    /// Duration of the render, in milliseconds.
    #[schema(examples(180))]
    pub render_ms: u64,
    /// Time of the render.
    pub created_at: Timestamp,
    /// Time since the render, in seconds.
    #[schema(examples(3600))]
    pub age_seconds: u64,
    /// True when the snapshot is older than its refresh interval.
    pub stale: bool,
    /// State of the snapshot: `failing` when its last render failed, else `fresh` or `stale` by its age.
    pub state: SnapshotState,
    /// Time for which the snapshot counts as fresh, in seconds.
    #[schema(examples(86400))]
    pub interval_seconds: u64,
    /// Error of the last failed attempt to render the page again.
    pub last_error: Option<String>,
    /// Time of the last failed attempt to render the page again.
    pub last_error_at: Option<Timestamp>,
}
