//! A site's own server, asked directly: where it is, whether it answers, and what its sitemap lists.
//! Used by the domain settings and by cache refresh. Must never fetch but through the guarded fetcher.
//! See docs/decisions/0073.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use crawler::fetch::{Phase, TimeLimits};
use crawler::robots::Robots;
use crawler::sitemap::{SiteHosts, Sitemap, SitemapError, SitemapLimits, discover_sitemap, fetch_site};
use crawler::url::{OriginHost, PublicAddress};
use crawler::{FetchError, FetchRequest, Fetcher, tls};
use http::HeaderValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Url;

use super::root_files::is_absent;
use super::site::Site;
use accounts::AccountId;
use platform::Platform;
use platform::config::Scheme;

/// Sitemaps that a process holds at once: each takes memory (`SitemapLimits`), and some seconds or, from a server that
/// drips, minutes.
const SITEMAP_READERS: usize = 8;
/// Of these, for the sites of one account: its slow servers do not stop the others.
const SITEMAP_READERS_OF_ACCOUNT: usize = 3;

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
    sitemap_turns: Arc<SitemapTurns>,
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

/// Answer of a site for its `robots.txt`.
#[derive(Debug, Clone)]
pub enum RobotsAnswer {
    /// These are its rules.
    Rules(Robots),
    /// There is none.
    Missing,
    /// It did not say.
    Unreachable,
}

/// Answer of a site's own server for its `robots.txt`.
pub(crate) struct OriginRobots {
    pub answer: RobotsAnswer,
    /// The server has no such file, so that a fallback answers at the edge.
    pub is_absent: bool,
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
            sitemap_limits: limits.of_sitemaps(),
            sitemap_turns: Arc::new(SitemapTurns::new()),
        }
    }

    /// Returns the limits of what is read of sitemaps.
    pub fn sitemap_limits(&self) -> SitemapLimits {
        self.sitemap_limits
    }

    /// Where a page of a site is fetched from: its origin host when it has one, so that our own edge is not asked.
    pub fn address(&self, site: &Site, url: &Url) -> Url {
        let is_own = url.host_str().is_some_and(|host| site.owns_host(host));
        let is_as_written = site.domain.settings.origin_host.is_none() && self.scheme == Scheme::Https;
        if is_as_written || !is_own {
            return url.clone();
        }
        let mut address = site.origin_url(url);
        // Between the two web schemes the change always works.
        let _ = address.set_scheme(self.scheme_name());
        address
    }

    /// Whether an origin host answers at all within `time`; an error of the server itself is no answer.
    pub async fn is_reachable(&self, origin: &OriginHost, time: Duration) -> bool {
        let Ok(root) = Url::parse(&format!("{}://{origin}/", self.scheme_name())) else { return false };
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

    /// Waits for the turn to read a sitemap of a site.
    pub async fn sitemap_turn(&self, site: &Site) -> SitemapTurn {
        self.sitemap_turns.take(&site.domain.account_id).await
    }

    /// Reads a site's sitemap with every file that it refers to, within the limits of the settings. The turn is to be kept
    /// as long as its pages are.
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

    /// Where a site's sitemap seems to be: what its `robots.txt` names, else `/sitemap.xml`, which may not exist.
    pub async fn discover_sitemap(&self, site: &Site) -> Option<Url> {
        let root = Url::parse(&format!("https://{}/", site.domain.host)).ok()?;
        let asked = self.address(site, &root);
        let found = discover_sitemap(&self.fetcher, &asked, self.max_redirects).await;
        // What is named relative to the origin host is the site's own.
        let public = PublicAddress::of(&root, &asked).of_address(found.as_str().as_bytes());
        Some(public.and_then(|public| Url::parse(&public).ok()).unwrap_or(found))
    }

    /// Reads the `robots.txt` of a site's own server, which [`crate::DomainsService::read_robots`] joins with the files that the
    /// edge serves. A server that refuses it has none (RFC 9309, 2.3.1.3).
    pub(crate) async fn read_robots(&self, site: &Site) -> OriginRobots {
        let says = |answer| OriginRobots { answer, is_absent: false };
        let Ok(address) = Url::parse(&format!("https://{}/robots.txt", site.domain.host)) else {
            return says(RobotsAnswer::Unreachable);
        };
        let mut question = self.question(self.address(site, &address), ROBOTS_WAIT);
        question.headers.remove(http::header::ACCEPT);
        question.max_body_bytes = ROBOTS_BYTES;
        let Ok(fetched) = self.fetcher.fetch(question).await else { return says(RobotsAnswer::Unreachable) };
        // Redirects are followed, so that one to the start page shows in the address.
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

/// One of the sitemaps that this process holds.
#[derive(Debug)]
pub struct SitemapTurn {
    _of_account: OwnedSemaphorePermit,
    _of_process: OwnedSemaphorePermit,
}

struct SitemapTurns {
    process: Arc<Semaphore>,
    accounts: Mutex<HashMap<AccountId, Weak<Semaphore>>>,
}

impl SitemapTurns {
    fn new() -> SitemapTurns {
        SitemapTurns { process: Arc::new(Semaphore::new(SITEMAP_READERS)), accounts: Mutex::default() }
    }

    async fn take(&self, account: &AccountId) -> SitemapTurn {
        // The account's first: who waits for it keeps nobody else waiting.
        let own = self.of_account(account);
        let of_account = own.acquire_owned().await.expect("it is never closed");
        let of_process = self.process.clone().acquire_owned().await.expect("it is never closed");
        SitemapTurn { _of_account: of_account, _of_process: of_process }
    }

    fn of_account(&self, account: &AccountId) -> Arc<Semaphore> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = accounts.get(account).and_then(Weak::upgrade) {
            return known;
        }
        // Who has a turn, or waits for one, holds its semaphore.
        accounts.retain(|_, semaphore| semaphore.strong_count() > 0);
        let made = Arc::new(Semaphore::new(SITEMAP_READERS_OF_ACCOUNT));
        accounts.insert(account.clone(), Arc::downgrade(&made));
        made
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn eight_sitemaps_are_held_at_once_and_three_of_an_account() {
        let turns = SitemapTurns::new();
        let accounts: Vec<AccountId> = (0..4).map(|_| AccountId::generate()).collect();
        let mut held = Vec::new();

        for _ in 0..3 {
            held.push(turns.take(&accounts[0]).await);
        }
        let fourth_of_account = turns.take(&accounts[0]).now_or_never();
        for account in [1, 1, 1, 2, 2] {
            held.push(turns.take(&accounts[account]).await);
        }
        let ninth = turns.take(&accounts[3]).now_or_never();
        held.pop();
        let after_one_ended = turns.take(&accounts[3]).now_or_never();

        assert!(fourth_of_account.is_none() && ninth.is_none());
        assert!(after_one_ended.is_some());
    }
}
