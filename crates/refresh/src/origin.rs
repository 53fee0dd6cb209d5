//! Availability of a site's server, checked before anything is queued, and the pause that it asks for.
//! Must never take longer than a person waits, nor fetch but through the guarded fetcher.
//! See docs/decisions/0054.

use std::time::Duration;

use crawler::retry_after::parse_retry_after;
use futures::{StreamExt, stream};
use http::header::RETRY_AFTER;
use url::Url;

use super::model::NotQueued;
use domains::Site;
use domains::origin::{OriginClient, OriginResponse};
use platform::clock::Timestamp;

/// Timeout of all checks of one request together.
const ALL: Duration = Duration::from_secs(5);
/// Timeout of one check, so that there is time for a second one.
const ONE: Duration = Duration::from_millis(3_000);
/// And the second: over before all are, because a page whose answer is still out then is taken on trust.
const SECOND: Duration = Duration::from_millis(1_500);
/// Maximum number of pages of a list that are checked; the others are assumed to be available.
const MOST_ASKED: usize = 20;
const ASKED_AT_ONCE: usize = 4;
/// Longest pause that a server may ask for; after it the server is requested again all the same.
const LONGEST_SPARED: Duration = Duration::from_secs(24 * 3600);

/// Asks whether pages can be rendered. Cheap to clone.
#[derive(Clone)]
pub struct Origins {
    client: OriginClient,
}

impl Origins {
    /// Asks through this client.
    pub fn new(client: OriginClient) -> Origins {
        Origins { client }
    }

    /// Returns the client, for addresses and sitemaps.
    pub fn client(&self) -> &OriginClient {
        &self.client
    }

    /// Returns the reason why no page of a site could be rendered now.
    pub async fn trouble_of_site(&self, site: &Site, url: &Url) -> Option<NotQueued> {
        let root = url.join("/").ok()?;
        match tokio::time::timeout(ALL, self.ask(site, &root, ALL)).await {
            Ok(OriginResponse::Status(status)) if status < 500 => None,
            _ => Some(origin_cause(site)),
        }
    }

    /// Leaves the pages that can be rendered now; or why none can.
    pub async fn reachable_pages(&self, site: &Site, mut pages: Vec<Url>) -> Result<Vec<Url>, NotQueued> {
        let asked: Vec<Url> = pages.iter().take(MOST_ASKED).cloned().collect();
        let questions = stream::iter(asked).map(|url| async move {
            let trouble = self.trouble_of_page(site, &url).await;
            (url, trouble)
        });
        let responses =
            questions.buffered(ASKED_AT_ONCE).take_until(tokio::time::sleep(ALL)).collect::<Vec<_>>().await;
        for (url, trouble) in responses {
            match trouble {
                None => {}
                Some(NotQueued::PathNotReachable) => pages.retain(|page| *page != url),
                Some(cause) => return Err(cause),
            }
        }
        if pages.is_empty() { Err(NotQueued::PathNotReachable) } else { Ok(pages) }
    }

    async fn trouble_of_page(&self, site: &Site, url: &Url) -> Option<NotQueued> {
        match self.ask(site, url, ONE).await {
            OriginResponse::Status(404 | 410) => Some(NotQueued::PathNotReachable),
            OriginResponse::Status(status) if status < 500 => None,
            OriginResponse::Nobody => Some(origin_cause(site)),
            // Is it this page alone?
            OriginResponse::Status(_) | OriginResponse::Slow => {
                let root = url.join("/").ok().filter(|root| root != url);
                let root = match root {
                    Some(root) => self.ask(site, &root, SECOND).await,
                    None => OriginResponse::Nobody,
                };
                match root {
                    OriginResponse::Status(status) if status < 500 => Some(NotQueued::PathNotReachable),
                    _ => Some(origin_cause(site)),
                }
            }
        }
    }

    async fn ask(&self, site: &Site, url: &Url, time: Duration) -> OriginResponse {
        self.client.ask(self.client.question(self.client.address(site, url), time)).await
    }

    /// Returns the pause that the server of an unavailable page asks for, if it does.
    pub async fn retry_after(&self, site: &Site, url: &Url, now: Timestamp) -> Option<Duration> {
        let question = self.client.question(self.client.address(site, url), ONE);
        let fetched = self.client.fetcher().fetch(question).await.ok()?;
        let asks_to_wait = matches!(fetched.status.as_u16(), 429 | 503);
        let value = fetched.headers.get(RETRY_AFTER).filter(|_| asks_to_wait)?;
        let wait = parse_retry_after(value.to_str().ok()?, now.as_millis())?;
        Some(wait.min(LONGEST_SPARED))
    }
}

fn origin_cause(site: &Site) -> NotQueued {
    match site.domain.settings.origin_host {
        None => NotQueued::OriginNotReachable,
        Some(_) => NotQueued::OriginHostNotReachable,
    }
}
