//! What the render service is asked and what it answers. Pure.
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

/// How long a page that is gone (404, 410) is taken to be gone.
pub const GONE_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// How much later a second render must agree before less replaces a good page.
pub const CONFIRM_AFTER: Duration = Duration::from_secs(60);

/// A request for a page, from the render endpoint or the edge.
#[derive(Debug, Clone)]
pub struct RenderCall<'a> {
    /// The domain that the address belongs to.
    pub site: &'a Arc<Site>,
    /// The address.
    pub target: &'a Url,
    /// The rest of the request.
    pub facts: RequestFacts<'a>,
    /// Where it came in.
    pub entry: EntryPoint,
    /// Whether a stored page will do.
    pub freshness: Freshness,
    /// Who the client claims to be, when it is a crawler.
    pub crawler: Option<&'static Crawler>,
    /// Whether that is true.
    pub verified: Verified,
    /// Client that may be anybody: its evidence of being a crawler is not verified. None: a verified crawler, a person, or
    /// the customer's own call.
    pub unverified_client: Option<UnverifiedClient>,
    /// The request is one of our own audits or checks, and no visit.
    pub is_probe: bool,
    /// Time until which a render is waited for; none: to its end. See [`deadline_of`].
    pub deadline: Option<Instant>,
    /// Form that is asked for by name; none: `Accept` and the domain's setting decide.
    pub format: Option<PageFormat>,
}

/// Form of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageFormat {
    Html,
    Markdown,
}

/// Time after which a request through an integration is answered with what there is. Integrations give up after ten seconds, of
/// which an origin that answers instead of a render needs some.
const INTEGRATION_PATIENCE: Duration = Duration::from_secs(8);

/// Returns the time until which a request that just came in may wait for a render; none: it comes through no integration.
pub fn deadline_of(headers: &HeaderMap) -> Option<Instant> {
    headers.contains_key(INTEGRATION).then(|| Instant::now() + INTEGRATION_PATIENCE)
}

impl RenderCall<'_> {
    /// Whether this request may start a render. One that claims to be a crawler and is not never does.
    pub fn may_render(&self) -> bool {
        let is_let_in =
            self.unverified_client.is_none() || !self.site.domain.rendering.verified_crawlers_only;
        self.site.domain.settings.on_demand_render_enabled && !self.is_spoofed() && is_let_in
    }

    /// Decides in which form the page is sent.
    pub fn page_format(&self) -> PageFormat {
        let negotiated = || match self.site.domain.rendering.markdown {
            MarkdownSetting::Accept if prefers_markdown(self.facts.accept) => PageFormat::Markdown,
            MarkdownSetting::Accept | MarkdownSetting::Off => PageFormat::Html,
        };
        self.format.unwrap_or_else(negotiated)
    }

    /// Returns the request as visits are counted. None: a person's, or one of our own audits or checks.
    pub fn crawler_request(&self) -> Option<CrawlerRequest> {
        let crawler = self.crawler.filter(|_| !self.is_probe)?;
        let (domain, path) = (self.site.domain.id.clone(), self.target.path().into());
        Some(CrawlerRequest { domain, path, crawler, verified: self.verified })
    }

    /// Whether the client claims to be a crawler and is not.
    pub fn is_spoofed(&self) -> bool {
        self.crawler.is_some() && self.verified == Verified::No
    }
}

/// A client whose evidence of being a crawler is not verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnverifiedClient {
    /// None: an integration asks for the client and does not state its address.
    pub address: Option<IpAddr>,
}

/// Whether a stored page will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Freshness {
    /// Whatever is stored.
    Stored,
    /// A new render, which replaces what is stored (`cache_invalidate=1`).
    Forced,
}

/// Why a render is made, which decides who may share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RenderPurpose {
    /// A client waits for a page that is not stored.
    OnDemand,
    /// A client wants a new render: one that was started before will not do.
    Forced,
    /// A job renders a page again: one that was started before may have seen the old page.
    Refresh,
    /// A view of a page that is not stored. An error page is not stored: nobody asked for a snapshot of it.
    Look,
    /// A stored page has become stale; nobody waits.
    Background,
}

/// What a request gets.
#[derive(Debug, Clone)]
pub enum RenderResponse {
    /// The preferred host or a redirect rule.
    Redirect {
        /// 301 or 307.
        status: u16,
        /// Absolute address.
        location: String,
    },
    /// The origin's own answer: this is the address to ask.
    Passthrough {
        /// Absolute address.
        location: String,
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
    /// Time until a limited crawler is let in again.
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
            // A client that comes back within the last second would be refused again.
            headers.insert(RETRY_AFTER, HeaderValue::from(time.as_millis().div_ceil(1000).max(1) as u64));
        }
        headers
    }

    /// Returns the status of the answer.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.action.status()).expect("actions have statuses")
    }
}

/// A page, from whichever tier.
#[derive(Debug, Clone)]
pub struct PageResponse {
    /// Where it came from.
    pub tier: Tier,
    pub page: Arc<RenderedPage>,
    /// Markdown of the page, where that is sent in place of its HTML.
    pub markdown: Option<Arc<MarkdownPage>>,
    /// Its object key, when it came from the durable tier.
    pub snapshot_key: Option<String>,
    /// How long it may be kept by others: the refresh interval of its path.
    pub max_age: Duration,
}

impl PageResponse {
    /// Makes the response with a rendered page of a target.
    pub(super) fn of(
        tier: Tier,
        page: Arc<RenderedPage>,
        snapshot_key: Option<String>,
        target: &TargetPage,
    ) -> PageResponse {
        let max_age = keeps(page.status, target.refresh_interval);
        PageResponse { tier, page, markdown: None, snapshot_key, max_age }
    }

    /// Returns the document in the form that is sent.
    pub fn body(&self) -> &Bytes {
        self.markdown.as_ref().map_or(&self.page.html, |markdown| &markdown.text)
    }

    /// Returns the weak etag of that form.
    pub fn etag(&self) -> &str {
        self.markdown.as_ref().map_or(&self.page.etag, |markdown| &markdown.etag)
    }

    /// Inserts the headers that say which form it is.
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

/// Where a page came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// This process's memory.
    EdgeHit,
    /// The stored snapshot.
    Hit,
    /// Rendered for this request.
    Miss,
}

impl Tier {
    /// Value of `x-service-render-cache`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Tier::EdgeHit => "edge-hit",
            Tier::Hit => "hit",
            Tier::Miss => "miss",
        }
    }
}

/// A rendered page as every tier knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPage {
    /// The page's own status.
    pub status: u16,
    /// Where a redirecting page leads.
    pub location: Option<String>,
    /// The document; empty for a redirect.
    pub html: Bytes,
    /// Weak etag of the document and of `headers`.
    pub etag: String,
    /// Lines of the page's own answer that crawlers act on.
    pub headers: HeaderMap,
    /// Failures of a page that shows nothing, in words.
    pub problems: Vec<String>,
    /// Cut off before it was complete.
    pub partial: bool,
    /// When it was rendered.
    pub created_at: Timestamp,
}

impl RenderedPage {
    /// Whether it may be stored: complete, and the page's own doing rather than a failure of its server.
    ///
    /// 401, 403, 429 and their like are what a site's guard tells a visitor for a moment, not what the page is.
    pub fn is_storable(&self) -> bool {
        !self.partial && matches!(self.status, 200..=399 | 404 | 410)
    }

    /// Why it may not be stored, for people.
    pub fn describe_unstored(&self) -> String {
        match self.partial {
            true => "the page was cut off before it was complete".to_owned(),
            false => format!("the page answered {}", self.status),
        }
    }
}

/// How long a page with this status keeps, when its path's interval is `interval`.
pub fn keeps(status: u16, interval: Duration) -> Duration {
    if is_gone(status) { interval.min(GONE_INTERVAL) } else { interval }
}

/// Whether a status says that the page is gone.
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
    /// Its path and query.
    #[schema(examples("/shoes"))]
    pub path: String,
    /// The page's own status.
    #[schema(examples(200))]
    pub status: u16,
    /// Where a redirecting page leads.
    pub location: Option<String>,
    /// Key of the object that holds the HTML.
    pub snapshot_key: String,
    /// Weak etag of the HTML.
    pub etag: String,
    #[schema(examples(48213))]
    pub html_bytes: u64,
    /// How long the render took.
    #[schema(examples(180))]
    pub render_ms: u64,
    /// When it was rendered.
    pub created_at: Timestamp,
    /// Seconds since then.
    #[schema(examples(3600))]
    pub age_seconds: u64,
    /// Whether it is older than its refresh interval.
    pub stale: bool,
    /// `failing`, when its last render failed; else by its age.
    pub state: SnapshotState,
    /// Seconds for which it counts as fresh.
    #[schema(examples(86400))]
    pub interval_seconds: u64,
    /// What went wrong when it was last rendered again.
    pub last_error: Option<String>,
    /// When that was.
    pub last_error_at: Option<Timestamp>,
}
