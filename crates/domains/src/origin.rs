//! Client of a site's own server: its address, whether it answers, its `robots.txt` and its sitemap.
//! Used by the domain settings and by cache refresh. Must never fetch except through the guarded fetcher.
//! See docs/decisions/0073.

use std::time::Duration;

use crawler::fetch::{Phase, TimeLimits};
use crawler::robots::Robots;
use crawler::sitemap::{SiteHosts, Sitemap, SitemapError, SitemapLimits, discover_sitemap, fetch_site};
use crawler::url::{OriginHost, PublicAddress};
use crawler::{FetchError, FetchRequest, Fetcher, tls};
use http::HeaderValue;
use url::Url;

use super::root_files::is_absent;
use super::site::Site;
use accounts::AccountId;
use platform::Platform;
use platform::config::Scheme;
use platform::limits::{FairPermit, FairSemaphore};

/// Maximum number of sitemaps that a process holds at once. Each takes memory (`SitemapLimits`), and seconds, or minutes
/// from a slow server.
const SITEMAP_READERS: usize = 8;
/// Maximum number of sitemaps of one account, so that its slow servers do not block the sites of other accounts.
const SITEMAP_READERS_OF_ACCOUNT: usize = 3;

/// Timeout of a request for a `robots.txt`.
const ROBOTS_WAIT: Duration = Duration::from_secs(5);
/// Maximum size of a `robots.txt`; a longer file is not read. The rules are taken from the first 500 KiB.
const ROBOTS_BYTES: u64 = 1 << 20;

/// Client of origins. Cheap to clone.
#[derive(Clone)]
pub struct OriginClient {
    fetcher: Fetcher,
    scheme: Scheme,
    max_redirects: u32,
    sitemap_limits: SitemapLimits,
    sitemap_turns: FairSemaphore<AccountId>,
}

/// Outcome of a request to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginResponse {
    /// The server answered, with this status.
    Status(u16),
    /// The server accepted the connection, but did not answer completely.
    Slow,
    /// No connection was possible or allowed.
    Nobody,
}

/// Outcome of reading a site's `robots.txt`.
#[derive(Debug, Clone)]
pub enum RobotsAnswer {
    /// Rules of the file.
    Rules(Robots),
    /// The site has no such file.
    Missing,
    /// The server did not answer, or failed.
    Unreachable,
}

/// Outcome of reading the `robots.txt` of a site's own server.
pub(crate) struct OriginRobots {
    pub answer: RobotsAnswer,
    /// True when the server has no such file, so that a fallback answers at the edge.
    pub is_absent: bool,
}

impl OriginClient {
    /// Makes a client that connects through the platform's network guard.
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
            sitemap_limits: limits.of_sitemaps(),
            sitemap_turns: sitemap_turns(),
        }
    }

    /// Returns the limits of reading sitemaps.
    pub fn sitemap_limits(&self) -> SitemapLimits {
        self.sitemap_limits
    }

    /// Returns the address from which a page of a site is fetched: at its origin host when it has one, to bypass our own edge.
    pub fn address(&self, site: &Site, url: &Url) -> Url {
        let is_own = url.host_str().is_some_and(|host| site.owns_host(host));
        let is_as_written = site.domain.settings.origin_host.is_none() && self.scheme == Scheme::Https;
        if is_as_written || !is_own {
            return url.clone();
        }
        let mut address = site.origin_url(url);
        // A change between http and https cannot fail.
        let _ = address.set_scheme(self.scheme_name());
        address
    }

    /// Decides whether an origin host answers within `time` with a status below 500.
    pub async fn is_reachable(&self, origin: &OriginHost, time: Duration) -> bool {
        let Ok(root) = Url::parse(&format!("{}://{origin}/", self.scheme_name())) else { return false };
        // Redirects are not followed: they often lead to the domain, which is not connected yet.
        let request = FetchRequest { max_redirects: 0, ..self.question(root, time) };
        matches!(self.ask(request).await, OriginResponse::Status(status) if status < 500)
    }

    /// Sends a request.
    pub async fn ask(&self, question: FetchRequest) -> OriginResponse {
        match self.fetcher.fetch(question).await {
            Ok(fetched) => OriginResponse::Status(fetched.status.as_u16()),
            Err(FetchError::Connect(_) | FetchError::Timeout(Phase::Connect)) => OriginResponse::Nobody,
            Err(FetchError::Timeout(_) | FetchError::Broken(_)) => OriginResponse::Slow,
            // The server answered in an unusual way; the browser will handle the answer.
            Err(_) => OriginResponse::Status(200),
        }
    }

    /// Makes a crawler-style request for a page, with `time` as its timeout.
    pub fn question(&self, address: Url, time: Duration) -> FetchRequest {
        let mut request = FetchRequest::get(address);
        request.headers.insert(http::header::ACCEPT, HeaderValue::from_static("text/html,*/*;q=0.1"));
        request.max_redirects = self.max_redirects;
        request.time_limits = TimeLimits { connect: time, headers: time, total: time };
        request
    }

    /// Returns the fetcher, for other kinds of requests.
    pub fn fetcher(&self) -> &Fetcher {
        &self.fetcher
    }

    /// Waits for a slot to read a sitemap of a site.
    pub async fn sitemap_turn(&self, site: &Site) -> SitemapTurn {
        self.sitemap_turns.acquire(site.domain.account_id.clone()).await
    }

    /// Reads a site's sitemap with every file that it refers to, within the configured limits. The slot must be kept as long
    /// as the pages.
    pub async fn read_sitemap(
        &self,
        _turn: &SitemapTurn,
        site: &Site,
        sitemap: &Url,
    ) -> Result<Sitemap, SitemapError> {
        let hosts = SiteHosts::of(&site.domain.host);
        let hosts = match &site.domain.settings.origin_host {
            Some(origin) => hosts.with_origin(origin.host(), origin.port()),
            None => hosts,
        };
        let route = |url: &Url| self.address(site, url);
        fetch_site(&self.fetcher, sitemap, route, &hosts, self.sitemap_limits, self.max_redirects).await
    }

    /// Finds the address of a site's sitemap: the one in its `robots.txt`, else `/sitemap.xml`, which may not exist.
    pub async fn discover_sitemap(&self, site: &Site) -> Option<Url> {
        let root = Url::parse(&format!("https://{}/", site.domain.host)).ok()?;
        let asked = self.address(site, &root);
        let found = discover_sitemap(&self.fetcher, &asked, self.max_redirects).await;
        // An address relative to the origin host is converted to the site's public address.
        let public = PublicAddress::of(&root, &asked).of_address(found.as_str().as_bytes());
        Some(public.and_then(|public| Url::parse(&public).ok()).unwrap_or(found))
    }

    /// Reads the `robots.txt` of a site's own server. [`crate::DomainsService::read_robots`] combines the file with those that
    /// the edge serves. A server that refuses the request has no such file (RFC 9309, 2.3.1.3).
    pub(crate) async fn read_robots(&self, site: &Site) -> OriginRobots {
        let says = |answer| OriginRobots { answer, is_absent: false };
        let Ok(address) = Url::parse(&format!("https://{}/robots.txt", site.domain.host)) else {
            return says(RobotsAnswer::Unreachable);
        };
        let mut question = self.question(self.address(site, &address), ROBOTS_WAIT);
        question.headers.remove(http::header::ACCEPT);
        question.max_body_bytes = ROBOTS_BYTES;
        let Ok(fetched) = self.fetcher.fetch(question).await else { return says(RobotsAnswer::Unreachable) };
        // Redirects were followed, so that a redirect to the start page is visible in the final address.
        let is_absent =
            fetched.url.path() == "/" || is_absent(site, &address, fetched.status, &fetched.headers);
        let answer = match fetched.status {
            status if status.is_success() => match fetched.body.bytes().await {
                Ok(bytes) => RobotsAnswer::Rules(Robots::parse(&bytes)),
                Err(_) => RobotsAnswer::Unreachable,
            },
            status if status.is_client_error() => RobotsAnswer::Missing,
            _ => RobotsAnswer::Unreachable,
        };
        OriginRobots { answer, is_absent }
    }

    fn scheme_name(&self) -> &'static str {
        match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }
}

/// Slot for one sitemap that this process holds.
pub type SitemapTurn = FairPermit<AccountId>;

fn sitemap_turns() -> FairSemaphore<AccountId> {
    FairSemaphore::new(SITEMAP_READERS_OF_ACCOUNT, |_| SITEMAP_READERS)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn eight_sitemaps_are_held_at_once_and_three_of_an_account() {
        let turns = sitemap_turns();
        let accounts: Vec<AccountId> = (0..4).map(|_| AccountId::generate()).collect();
        let mut held = Vec::new();

        for _ in 0..3 {
            held.push(turns.acquire(accounts[0].clone()).await);
        }
        let fourth_of_account = turns.acquire(accounts[0].clone()).now_or_never();
        for account in [1, 1, 1, 2, 2] {
            held.push(turns.acquire(accounts[account].clone()).await);
        }
        let ninth = turns.acquire(accounts[3].clone()).now_or_never();
        held.pop();
        let after_one_ended = turns.acquire(accounts[3].clone()).now_or_never();

        assert!(fourth_of_account.is_none() && ninth.is_none());
        assert!(after_one_ended.is_some());
    }
}
