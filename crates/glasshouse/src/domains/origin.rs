//! A site's own server, asked directly: where it is, whether it answers, and what its sitemap lists.
//! Used by the domain settings and by cache refresh. Must never fetch but through the guarded fetcher.
//! See docs/decisions/0073.

use std::sync::Arc;
use std::time::Duration;

use crawler::fetch::{Phase, TimeLimits};
use crawler::robots::Robots;
use crawler::sitemap::{SiteHosts, Sitemap, SitemapError, SitemapLimits, discover_sitemap, fetch_site};
use crawler::{FetchError, FetchRequest, Fetcher, tls};
use http::HeaderValue;
use tokio::sync::{Semaphore, SemaphorePermit};
use url::Url;

use super::names;
use super::site::Site;
use crate::config::Scheme;
use crate::platform::Platform;

/// Sitemaps that are read at once while somebody waits: a large one takes memory, and some seconds.
const SITEMAP_READERS: usize = 8;
/// How long somebody waits until theirs is begun.
const SITEMAP_TURN_WAIT: Duration = Duration::from_secs(10);

/// How long somebody waits for a `robots.txt`.
const ROBOTS_WAIT: Duration = Duration::from_secs(5);
/// A `robots.txt` that is longer is not read: of what fits the rules are taken from the first 500 KiB.
const ROBOTS_BYTES: u64 = 1 << 20;

/// Asks origins. Cheap to clone.
#[derive(Clone)]
pub struct OriginClient {
    fetcher: Fetcher,
    scheme: Scheme,
    max_redirects: u32,
    sitemap_limits: SitemapLimits,
    sitemap_readers: Arc<Semaphore>,
}

/// How a server took a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginResponse {
    /// It answered, with this status.
    Status(u16),
    /// It is there, and has not answered.
    Slow,
    /// Nobody is there, or nobody that may be asked.
    Nobody,
}

/// What a site's server says about its `robots.txt`.
#[derive(Debug, Clone)]
pub enum RobotsAnswer {
    /// These are its rules.
    Rules(Robots),
    /// There is none.
    Missing,
    /// It did not say.
    Unreachable,
}

impl OriginClient {
    /// Asks through the platform's guard.
    pub fn new(platform: &Platform) -> OriginClient {
        let agent = HeaderValue::from_static(concat!(
            "Mozilla/5.0 (compatible; Glasshouse/",
            env!("CARGO_PKG_VERSION"),
            ")"
        ));
        let limits = &platform.config.limits;
        OriginClient {
            fetcher: Fetcher::new(platform.network.clone(), tls::client_config(), agent),
            scheme: platform.config.edge.origin_scheme,
            max_redirects: limits.redirects,
            sitemap_limits: SitemapLimits {
                file_bytes: limits.sitemap_bytes,
                file_urls: limits.sitemap_urls,
                total_urls: limits.sitemap_total_urls,
            },
            sitemap_readers: Arc::new(Semaphore::new(SITEMAP_READERS)),
        }
    }

    /// Where a page of a site is fetched from: its origin host when it has one, so that our own edge is not asked.
    pub fn address(&self, site: &Site, url: &Url) -> Url {
        let is_own = url.host_str().is_some_and(|host| site.owns_host(host));
        if site.domain.settings.origin_host.is_empty() || !is_own {
            return url.clone();
        }
        let mut address = site.origin_url(url);
        // Between the two web schemes the change always works.
        let _ = address.set_scheme(self.scheme_name());
        address
    }

    /// Whether an origin host answers at all within `time`; an error of the server itself is no answer.
    pub async fn is_reachable(&self, origin_host: &str, time: Duration) -> bool {
        let Some((host, port)) = names::split_origin(origin_host) else { return false };
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        let Ok(root) = Url::parse(&format!("{}://{host}{port}/", self.scheme_name())) else { return false };
        // Where it redirects to is the business of those who ask for pages: often to the domain, not yet connected.
        let request = FetchRequest { max_redirects: 0, ..self.question(root, time) };
        matches!(self.ask(request).await, OriginResponse::Status(status) if status < 500)
    }

    /// Asks a question.
    pub async fn ask(&self, question: FetchRequest) -> OriginResponse {
        match self.fetcher.fetch(question).await {
            Ok(fetched) => OriginResponse::Status(fetched.status.as_u16()),
            Err(FetchError::Connect(_) | FetchError::Timeout(Phase::Connect)) => OriginResponse::Nobody,
            Err(FetchError::Timeout(_) | FetchError::Broken(_)) => OriginResponse::Slow,
            // It answered something odd: the browser will see what it is.
            Err(_) => OriginResponse::Status(200),
        }
    }

    /// A request for a page as a crawler asks, that takes no longer than `time`.
    pub fn question(&self, address: Url, time: Duration) -> FetchRequest {
        let mut request = FetchRequest::get(address);
        request.headers.insert(http::header::ACCEPT, HeaderValue::from_static("text/html,*/*;q=0.1"));
        request.max_redirects = self.max_redirects;
        request.time_limits = TimeLimits { connect: time, headers: time, total: time };
        request
    }

    /// The fetcher, for questions of another kind.
    pub fn fetcher(&self) -> &Fetcher {
        &self.fetcher
    }

    /// Waits for its turn to read a sitemap while somebody waits; none: too many are being read.
    pub async fn sitemap_turn(&self) -> Option<SemaphorePermit<'_>> {
        let turn = tokio::time::timeout(SITEMAP_TURN_WAIT, self.sitemap_readers.acquire());
        turn.await.ok()?.ok()
    }

    /// Reads a site's sitemap with every file that it refers to, within the limits of the settings.
    pub async fn read_sitemap(&self, site: &Site, sitemap: &Url) -> Result<Sitemap, SitemapError> {
        let hosts = SiteHosts::of(&site.domain.host);
        let route = |url: &Url| self.address(site, url);
        fetch_site(&self.fetcher, sitemap, route, &hosts, self.sitemap_limits, self.max_redirects).await
    }

    /// Where a site's sitemap seems to be: what its `robots.txt` names, else `/sitemap.xml`, which may not exist.
    pub async fn discover_sitemap(&self, site: &Site) -> Option<Url> {
        let root = Url::parse(&format!("https://{}/", site.domain.host)).ok()?;
        let asked = self.address(site, &root);
        let mut found = discover_sitemap(&self.fetcher, &asked, self.max_redirects).await;
        // What is named relative to the origin host is the site's own.
        if found.origin() == asked.origin() {
            found.set_host(root.host_str()).ok()?;
            let _ = found.set_port(None);
            let _ = found.set_scheme(root.scheme());
        }
        Some(found)
    }

    /// Reads a site's `robots.txt`. A server that refuses it has none (RFC 9309, 2.3.1.3).
    pub async fn read_robots(&self, site: &Site) -> RobotsAnswer {
        let Ok(address) = Url::parse(&format!("https://{}/robots.txt", site.domain.host)) else {
            return RobotsAnswer::Unreachable;
        };
        let mut question = self.question(self.address(site, &address), ROBOTS_WAIT);
        question.headers.remove(http::header::ACCEPT);
        question.max_body_bytes = ROBOTS_BYTES;
        match self.fetcher.fetch(question).await {
            Ok(fetched) if fetched.status.is_success() => match fetched.body.bytes().await {
                Ok(bytes) => RobotsAnswer::Rules(Robots::parse(&bytes)),
                Err(_) => RobotsAnswer::Unreachable,
            },
            Ok(fetched) if fetched.status.is_client_error() => RobotsAnswer::Missing,
            _ => RobotsAnswer::Unreachable,
        }
    }

    fn scheme_name(&self) -> &'static str {
        match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }
}
