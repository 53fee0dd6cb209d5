//! Proxy endpoint of one tab, and the traffic of the render that runs in it: limits, counters and refused requests.
//! Used by the proxy and the tab. Pure bookkeeping. Must never do I/O.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crawler::NetworkError;
use crawler::url::is_same_site;
use http::StatusCode;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::trackers::tracker_of;
use crate::{BlockedRequest, OriginRoute, OwnHeaders, RenderError, RenderRequest};

/// Maximum number of refused requests that are recorded.
const MAX_BLOCKED: usize = 100;

/// Proxy address of one tab.
pub(crate) struct Endpoint {
    address: SocketAddr,
    traffic: Mutex<Option<Arc<Traffic>>>,
    closed: CancellationToken,
}

impl Endpoint {
    pub(super) fn new(address: SocketAddr) -> Endpoint {
        Endpoint { address, traffic: Mutex::default(), closed: CancellationToken::new() }
    }

    /// Returns the address of the proxy for the tab's browser context.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Allows requests for a render, until [`Endpoint::detach`].
    pub fn attach(&self, traffic: Arc<Traffic>) {
        *self.slot() = Some(traffic);
    }

    /// Refuses all requests until the next [`Endpoint::attach`]: a page must not load anything after its render.
    pub fn detach(&self) {
        *self.slot() = None;
    }

    /// Returns the traffic of the running render, if there is one.
    pub fn traffic(&self) -> Option<Arc<Traffic>> {
        self.slot().clone()
    }

    /// Returns the token that is cancelled when the tab is closed.
    pub fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Adds received bytes to the running render. Returns false when no more are allowed.
    pub fn charge(&self, bytes: usize) -> bool {
        self.traffic().is_some_and(|traffic| traffic.charge(bytes))
    }

    pub(super) fn close(&self) {
        self.detach();
        self.closed.cancel();
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<Traffic>>> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Traffic of one render: what is allowed, and what has happened.
pub(crate) struct Traffic {
    /// Host of the page.
    host: String,
    pub route: Option<OriginRoute>,
    pub own_headers: Option<OwnHeaders>,
    left: AtomicI64,
    limit: u64,
    over_limit: AtomicBool,
    limit_reached: Notify,
    aborts_other_sites: Notify,
    sets_cookies: AtomicBool,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    blocked: Vec<BlockedRequest>,
    /// Hosts and ports that could not be reached.
    refused: HashMap<(String, u16), Refused>,
}

/// Observations of the proxy about a render, as plain values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    /// The download limit is reached.
    pub is_over_limit: bool,
    /// A response has set a cookie.
    pub sets_cookies: bool,
    /// Failure to reach the document's host.
    pub refusal: Option<Refused>,
}

/// Failure to reach a host.
#[derive(Debug, Clone)]
pub(crate) enum Refused {
    /// The guard refused the address.
    Forbidden(String),
    /// The network failed.
    Unreachable(String),
}

impl Refused {
    /// Returns the error of a render whose document is on this host.
    pub fn into_error(self, host: &str) -> RenderError {
        match self {
            Refused::Forbidden(reason) => RenderError::Forbidden { host: host.to_owned(), reason },
            Refused::Unreachable(reason) => RenderError::OriginUnreachable(reason),
        }
    }

    /// Returns the status of the proxy's response.
    pub(super) fn status(&self) -> StatusCode {
        if matches!(self, Refused::Forbidden(_)) { StatusCode::FORBIDDEN } else { StatusCode::BAD_GATEWAY }
    }
}

impl From<&NetworkError> for Refused {
    fn from(error: &NetworkError) -> Refused {
        match error {
            NetworkError::Refused { reason, .. } => Refused::Forbidden(reason.to_string()),
            NetworkError::BadHost(_) => Refused::Forbidden("not a public host name".to_owned()),
            NetworkError::Connect { host, source } => Refused::Unreachable(format!("{host}: {source}")),
            other => Refused::Unreachable(other.to_string()),
        }
    }
}

impl Traffic {
    /// Makes the traffic of a requested render.
    pub fn of(request: &RenderRequest) -> Traffic {
        let host = request.url.host_str().unwrap_or_default();
        Traffic {
            route: request.route.clone(),
            own_headers: request.own_headers.clone(),
            ..Traffic::new(host, request.limits.page_bytes)
        }
    }

    /// Makes the traffic of a page of `host` with a download limit of `limit` bytes.
    pub fn new(host: &str, limit: u64) -> Traffic {
        Traffic {
            host: host.to_owned(),
            route: None,
            own_headers: None,
            left: AtomicI64::new(i64::try_from(limit).unwrap_or(i64::MAX)),
            limit,
            over_limit: AtomicBool::new(false),
            limit_reached: Notify::new(),
            aborts_other_sites: Notify::new(),
            sets_cookies: AtomicBool::new(false),
            log: Mutex::default(),
        }
    }

    /// Returns the tracker that a host belongs to. A tracker's own pages have none.
    pub(super) fn tracker(&self, host: &str) -> Option<&'static str> {
        tracker_of(host).filter(|tracker| tracker_of(&self.host) != Some(tracker))
    }

    /// Returns true when the download limit is reached.
    pub fn is_over_limit(&self) -> bool {
        self.over_limit.load(Ordering::Relaxed)
    }

    /// Waits until the download limit is reached.
    pub async fn over_limit(&self) {
        let reached = self.limit_reached.notified();
        tokio::pin!(reached);
        reached.as_mut().enable();
        if !self.is_over_limit() {
            reached.await;
        }
    }

    /// Aborts requests for scripts and style sheets of other sites that have no response yet. See docs/decisions/0273.
    pub fn abort_other_sites(&self) {
        self.aborts_other_sites.notify_waiters();
    }

    /// Waits for [`Traffic::abort_other_sites`], from the first poll on.
    pub(super) async fn other_sites_aborted(&self) {
        self.aborts_other_sites.notified().await;
    }

    /// Records that a response has set a cookie.
    pub fn record_cookie(&self) {
        self.sets_cookies.store(true, Ordering::Relaxed);
    }

    /// Returns the observations so far, for a document at this host and port.
    pub fn findings(&self, document: Option<(String, u16)>) -> Findings {
        Findings {
            is_over_limit: self.is_over_limit(),
            sets_cookies: self.sets_cookies.load(Ordering::Relaxed),
            refusal: document.and_then(|(host, port)| self.refusal(&host, port)),
        }
    }

    /// Returns true when a host belongs to another site than the page.
    pub(super) fn is_other_site(&self, host: &str) -> bool {
        !is_same_site(&self.host, host)
    }

    /// Takes the records of refused requests.
    pub fn take_blocked(&self) -> Vec<BlockedRequest> {
        std::mem::take(&mut self.log().blocked)
    }

    fn refusal(&self, host: &str, port: u16) -> Option<Refused> {
        self.log().refused.get(&(host.to_ascii_lowercase(), port)).cloned()
    }

    /// Records a request that got no connection.
    pub(super) fn refuse(&self, url: &str, host: &str, port: u16, refused: Refused) {
        if let Refused::Forbidden(reason) = &refused {
            self.block(url, reason);
        }
        self.log().refused.insert((host.to_ascii_lowercase(), port), refused);
    }

    /// Records a request that was aborted without a response.
    pub(super) fn block_unanswered(&self, url: &str) {
        self.block(url, "it did not respond and blocked the document");
    }

    /// Records a request that was refused because of the download limit.
    pub(super) fn block_over_limit(&self, url: &str) {
        self.block(url, &format!("the download limit of {} bytes is reached", self.limit));
    }

    fn charge(&self, bytes: usize) -> bool {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        if self.left.fetch_sub(bytes, Ordering::Relaxed) >= bytes {
            return true;
        }
        // Stays negative, however much a page requests afterwards.
        self.left.store(-1, Ordering::Relaxed);
        if !self.over_limit.swap(true, Ordering::Relaxed) {
            self.limit_reached.notify_waiters();
        }
        false
    }

    fn block(&self, url: &str, reason: &str) {
        let mut log = self.log();
        if log.blocked.len() < MAX_BLOCKED {
            let url = url.chars().take(2000).collect();
            log.blocked.push(BlockedRequest { url, reason: reason.to_owned() });
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_render_is_cut_off_at_its_download_limit() {
        let traffic = Traffic::new("shop.test", 100);

        assert!(traffic.charge(60) && traffic.charge(40));
        assert!(!traffic.charge(1) && !traffic.charge(0));

        traffic.over_limit().await;
        assert!(traffic.is_over_limit());
    }

    #[test]
    fn an_endpoint_without_a_render_refuses_everything() {
        let endpoint = Endpoint::new("127.0.0.2:3128".parse().unwrap());
        assert!(!endpoint.charge(1));

        endpoint.attach(Arc::new(Traffic::new("shop.test", 10)));
        assert!(endpoint.charge(1));

        endpoint.detach();
        assert!(!endpoint.charge(1));
    }

    #[test]
    fn a_tracker_is_not_blocked_on_its_own_pages() {
        let shop = Traffic::new("shop.test", 10);
        let tracker = Traffic::new("www.hotjar.com", 10);

        assert_eq!(shop.tracker("static.hotjar.com"), Some("hotjar.com"));
        assert_eq!(tracker.tracker("static.hotjar.com"), None);
        assert_eq!(tracker.tracker("www.google-analytics.com"), Some("google-analytics.com"));
    }

    #[test]
    fn subdomains_belong_to_the_site_of_their_domain() {
        let traffic = Traffic::new("www.shop.test", 10);

        assert!(!traffic.is_other_site("cdn.SHOP.test") && !traffic.is_other_site("shop.test"));
        assert!(traffic.is_other_site("shop.example") && traffic.is_other_site("127.0.0.1"));
    }

    #[test]
    fn the_record_of_refused_requests_is_bounded() {
        let traffic = Traffic::new("shop.test", 10);

        for n in 0..500 {
            traffic.refuse(&format!("http://10.0.0.{n}/"), "h", 80, Refused::Forbidden("private".into()));
        }

        assert_eq!(traffic.take_blocked().len(), MAX_BLOCKED);
        assert!(matches!(traffic.refusal("H", 80), Some(Refused::Forbidden(_))));
    }
}
