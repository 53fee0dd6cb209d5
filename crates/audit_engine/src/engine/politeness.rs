//! Pacing of an audit's requests: those to the site by crawl delay and requests per second, those to another host one
//! a second. Wraps the caller's source, so that no request can avoid it.
//! See docs/decisions/0402.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::Instant;
use url::Url;

use crate::address::Origin;
use crate::source::{AuditFetch, FetchFailure, PageSource, RenderedDocument, Response, SnapshotLookup};

/// Longest crawl delay that is obeyed: a longer one would keep an audit from ever ending.
const MAX_CRAWL_DELAY: Duration = Duration::from_secs(10);
/// Least time between two requests of another host.
const FOREIGN_GAP: Duration = Duration::from_secs(1);

/// A source that paces its requests.
pub(super) struct PoliteSource<'s> {
    inner: &'s dyn PageSource,
    turns: Mutex<Turns>,
}

struct Turns {
    origin: Origin,
    /// Least time between two requests of the site.
    gap: Duration,
    /// Earliest start of the site's next request.
    next: Instant,
    /// Earliest time of the next request to each other host.
    foreign: HashMap<String, Instant>,
}

impl<'s> PoliteSource<'s> {
    /// Wraps a source, with the most requests a second to the site of the seed; none: as many as it answers.
    pub fn new(inner: &'s dyn PageSource, seed: &Url, requests_per_second: Option<f64>) -> PoliteSource<'s> {
        let rate = requests_per_second.filter(|rate| *rate > 0.0);
        let gap = rate.map(|rate| Duration::from_secs_f64(1.0 / rate)).unwrap_or_default();
        let turns = Turns { origin: Origin::of(seed), gap, next: Instant::now(), foreign: HashMap::new() };
        PoliteSource { inner, turns: Mutex::new(turns) }
    }

    /// Says where the site is.
    pub fn set_origin(&self, origin: &Origin) {
        self.turns().origin = origin.clone();
    }

    /// Obeys the crawl delay of robots.txt, in seconds, up to ten.
    pub fn set_crawl_delay(&self, seconds: Option<f64>) {
        let seconds = seconds.unwrap_or_default().clamp(0.0, MAX_CRAWL_DELAY.as_secs_f64());
        let mut turns = self.turns();
        turns.gap = turns.gap.max(Duration::from_secs_f64(seconds));
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until an address may be requested.
    async fn wait(&self, url: &Url) {
        let start = self.turns().take(url);
        // Most sites are asked as fast as they answer.
        if let Some(start) = start {
            tokio::time::sleep_until(start).await;
        }
    }
}

impl Turns {
    /// Reserves the next start time of an address's host. Returns `None` when the host has no pacing.
    fn take(&mut self, url: &Url) -> Option<Instant> {
        let (next, gap) = if self.origin.contains(url) {
            (&mut self.next, self.gap)
        } else {
            let host = url.host_str().unwrap_or_default();
            if !self.foreign.contains_key(host) {
                self.foreign.insert(host.to_owned(), Instant::now());
            }
            let next = self.foreign.get_mut(host).expect("it was just inserted if it was missing");
            (next, FOREIGN_GAP)
        };
        if gap.is_zero() {
            return None;
        }
        let start = (*next).max(Instant::now());
        *next = start + gap;
        Some(start)
    }
}

impl PageSource for PoliteSource<'_> {
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
        Box::pin(async move {
            self.wait(&request.url).await;
            self.inner.fetch(request).await
        })
    }

    fn render<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
        Box::pin(async move {
            self.wait(url).await;
            self.inner.render(url).await
        })
    }

    fn probe(&self, request: AuditFetch) -> BoxFuture<'_, Option<Result<Response, FetchFailure>>> {
        Box::pin(async move {
            self.wait(&request.url).await;
            self.inner.probe(request).await
        })
    }

    fn snapshot<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, SnapshotLookup> {
        self.inner.snapshot(url)
    }

    fn certificate_end_ms<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Option<i64>> {
        self.inner.certificate_end_ms(host)
    }

    fn now_ms(&self) -> i64 {
        self.inner.now_ms()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Listing;

    async fn times(source: &PoliteSource<'_>, url: &str, requests: usize) -> Vec<f32> {
        let begun = Instant::now();
        let mut times = Vec::new();
        for _ in 0..requests {
            _ = source.fetch(AuditFetch::of(Url::parse(url).unwrap())).await;
            times.push(begun.elapsed().as_secs_f32());
        }
        times
    }

    #[tokio::test(start_paused = true)]
    async fn requests_of_the_site_keep_the_longer_of_rate_and_crawl_delay() {
        let listing = Listing::read("GET /\na");
        for (rate, delay, expected) in [
            (None, None, 0.0),
            (Some(4.0), None, 0.25),
            (Some(4.0), Some(2.0), 2.0),
            (None, Some(3600.0), 10.0),
        ] {
            let source = PoliteSource::new(&listing, listing.seed(), rate);
            source.set_crawl_delay(delay);

            let times = times(&source, "https://www.site.example/a", 3).await;

            assert_eq!(times, [0.0, expected, 2.0 * expected], "{rate:?} {delay:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn another_host_is_asked_once_a_second_and_each_host_by_itself() {
        let listing = Listing::read("GET /\na");
        let source = PoliteSource::new(&listing, listing.seed(), None);

        let one = times(&source, "https://one.example/", 3).await;
        let other = times(&source, "https://other.example/", 2).await;

        assert_eq!((one, other), (vec![0.0, 1.0, 2.0], vec![0.0, 1.0]));
    }

    #[tokio::test(start_paused = true)]
    async fn pages_renders_and_probes_share_the_turns_of_the_site() {
        let listing = Listing::read("GET /\na");
        let source = PoliteSource::new(&listing, listing.seed(), Some(1.0));
        let begun = Instant::now();

        _ = source.fetch(AuditFetch::of(listing.seed().clone())).await;
        _ = source.render(listing.seed()).await;
        _ = source.probe(AuditFetch::of(listing.seed().clone())).await;

        assert_eq!(begun.elapsed(), Duration::from_secs(2));
    }
}
