//! Request of one address: repeated after a failure, delayed when the server asks for it, with fewer requests at a
//! time when the server has trouble.

use std::time::Duration;

use crawler::retry_after::parse_retry_after;
use url::Url;

use super::page_row::MAX_FIELD_CHARS;
use crate::address::Origin;
use crate::site::{Failure, Row, UrlId};
use crate::source::{AuditFetch, FetchFailure, PageSource, Response};

/// Tries of an address whose server asks to come back later.
const RATE_LIMITED_TRIES: u32 = 3;
/// Longest that is waited between two tries.
const MAX_WAIT: Duration = Duration::from_secs(120);
const RETRY_WAIT: Duration = Duration::from_millis(500);
/// Redirects between the hosts and schemes of one page that are followed.
const MAX_VARIANTS: usize = 4;
/// Good answers after which one more request may run at the same time.
const GOOD_RESPONSES: usize = 50;
/// Response time below which a site counts as quick and gets `QUICK_FACTOR` times as many requests at once.
const QUICK_MS: u64 = 100;
const QUICK_FACTOR: usize = 4;

/// The last answer for an address.
pub struct FetchResult {
    /// The answer itself.
    pub response: Result<Response, FetchFailure>,
    /// Requests beyond the first.
    pub retries: u32,
}

impl FetchResult {
    /// Returns the row of the response, without the parts of a page.
    pub fn row(&self, id: UrlId) -> Row {
        let mut row = Row { id, retries: self.retries, ..Row::default() };
        match &self.response {
            Ok(response) => {
                row.status = response.status;
                row.is_rate_limited = is_rate_limited(response);
                row.ttfb_ms = u32::try_from(response.ttfb_ms).unwrap_or(u32::MAX);
                let fields = &mut row.details().fields;
                fields.load_time_ms = response.total_ms;
                fields.content_type = response.header("content-type").to_owned();
                fields.last_modified = response.header("last-modified").to_owned();
                fields.html_bytes = response.body.len() as u64;
                row.details().security_headers = response.security_headers(MAX_FIELD_CHARS);
            }
            Err(failure) => {
                row.failure = Some(failure.cause().map_or(Failure::Timeout, Failure::NoResponse));
            }
        }
        row.details().fields.readability = -1.0;
        row
    }

    fn is_quick(&self) -> bool {
        self.response.as_ref().is_ok_and(|response| response.ttfb_ms < QUICK_MS)
    }

    fn is_trouble(&self) -> bool {
        match &self.response {
            Ok(response) => matches!(response.status, 429 | 503),
            Err(failure) => matches!(failure, FetchFailure::Timeout(_)),
        }
    }
}

/// The last answer for an address, and where it was found: a page may be one redirect away on the site's other host.
pub struct FetchedPage {
    pub url: Url,
    pub result: FetchResult,
}

/// Requests an address: twice after an error or no response, three times when the server asks to come back later.
///
/// A page whose first byte took longer than `slow_ms` is requested once more, and the shorter time counts: one slow
/// response in a row of fast ones says nothing about a page, and the first one may have had to connect.
///
/// A redirect to the same page on the site's other host or scheme is followed: both have one row.
pub async fn fetch(source: &dyn PageSource, origin: &Origin, url: Url, slow_ms: f64) -> FetchedPage {
    let mut at = url;
    let mut result = ask(source, &at).await;
    let mut seen = vec![at.clone()];
    while let Ok(response) = &result.response
        && let Some(to) = response.redirect_target(&at)
        && origin.contains(&to)
        && origin.key(&to) == origin.key(&at)
        && !seen.contains(&to)
        && seen.len() <= MAX_VARIANTS
    {
        let next = ask(source, &to).await;
        result = FetchResult { retries: result.retries + next.retries, response: next.response };
        seen.push(to.clone());
        at = to;
    }
    if let Ok(response) = &mut result.response
        && response.is_page()
        && response.ttfb_ms as f64 > slow_ms
        && let Ok(again) = source.fetch(AuditFetch::of(at.clone())).await
        && again.is_page()
    {
        response.ttfb_ms = response.ttfb_ms.min(again.ttfb_ms);
    }
    FetchedPage { url: at, result }
}

/// Requests status and headers of an address: with HEAD, and with GET when HEAD has no good response.
pub async fn fetch_status(source: &dyn PageSource, origin: &Origin, url: Url) -> FetchedPage {
    let head = AuditFetch { is_head: true, max_bytes: 0, ..AuditFetch::of(url.clone()) };
    match source.fetch(head).await {
        Ok(response) if response.status < 400 && !is_variant(origin, &url, &response) => {
            FetchedPage { url, result: FetchResult { response: Ok(response), retries: 0 } }
        }
        // Many servers do not know HEAD, or answer it otherwise.
        _ => fetch(source, origin, url, f64::INFINITY).await,
    }
}

/// Decides whether an answer is a redirect to the same page on the site's other host or scheme.
fn is_variant(origin: &Origin, url: &Url, response: &Response) -> bool {
    let to = response.redirect_target(url);
    to.is_some_and(|to| origin.contains(&to) && origin.key(&to) == origin.key(url))
}

async fn ask(source: &dyn PageSource, url: &Url) -> FetchResult {
    let mut retries = 0;
    loop {
        let response = source.fetch(AuditFetch::of(url.clone())).await;
        let wait = match &response {
            Ok(response) if is_rate_limited(response) && retries + 1 < RATE_LIMITED_TRIES => {
                retry_after(response, source.now_ms())
            }
            Ok(response) if response.status >= 500 && !is_rate_limited(response) && retries == 0 => {
                RETRY_WAIT
            }
            Err(_) if retries == 0 => RETRY_WAIT,
            _ => return FetchResult { response, retries },
        };
        retries += 1;
        tokio::time::sleep(wait).await;
    }
}

fn is_rate_limited(response: &Response) -> bool {
    response.status == 429 || response.status == 503 && response.headers.contains_key("retry-after")
}

fn retry_after(response: &Response, now_ms: i64) -> Duration {
    parse_retry_after(response.header("retry-after"), now_ms).unwrap_or(RETRY_WAIT).min(MAX_WAIT)
}

/// Returns the content type when the body contradicts it: HTML under another type or none, or something else labelled HTML.
pub fn mismatched_type(response: &Response) -> Option<Box<str>> {
    let media_type = response.media_type();
    let says_html = matches!(media_type.as_str(), "text/html" | "application/xhtml+xml");
    let is_mismatch = if says_html { response.has_binary_signature() } else { response.sniffs_as_html() };
    is_mismatch.then(|| media_type.into())
}

/// Limit of concurrent requests: halved after trouble, then slowly raised, and above the requested number only while
/// the site answers quickly.
pub struct Pace {
    most: usize,
    limit: usize,
    good: usize,
    backoffs: usize,
}

impl Pace {
    /// Makes a limit that begins at this concurrency.
    pub fn new(concurrency: usize) -> Pace {
        let most = concurrency.max(1);
        Pace { most, limit: most, good: 0, backoffs: 0 }
    }

    /// Returns the number of requests that may run at once.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the number of requests that may run at once on a quick site.
    pub fn most(&self) -> usize {
        self.most * QUICK_FACTOR
    }

    /// Returns the number of times that the limit was lowered.
    pub fn backoffs(&self) -> usize {
        self.backoffs
    }

    /// Learns from an answer.
    pub fn learn(&mut self, result: &FetchResult) {
        self.learn_of(result.is_trouble(), result.is_quick());
    }

    /// Learns whether an answer shows that the site is in trouble, or that it is quick.
    pub fn learn_of(&mut self, is_trouble: bool, is_quick: bool) {
        if is_trouble {
            self.backoffs += usize::from(self.limit > 1);
            self.limit = (self.limit / 2).max(1);
            self.good = 0;
            return;
        }
        let most = if is_quick { self.most() } else { self.most };
        if self.limit > most {
            self.limit -= 1;
            self.good = 0;
            return;
        }
        self.good += 1;
        if self.good >= GOOD_RESPONSES && self.limit < most {
            self.limit += 1;
            self.good = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::future::BoxFuture;
    use http::HeaderMap;

    use super::*;
    use crate::source::RenderedDocument;

    /// Source of a page with one time to the first byte per request, in order.
    struct Times(std::sync::Mutex<Vec<u64>>);

    impl PageSource for Times {
        fn fetch(&self, _: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>> {
            let ttfb_ms = self.0.lock().unwrap().remove(0);
            let mut headers = HeaderMap::new();
            headers.insert("content-type", "text/html".parse().unwrap());
            Box::pin(async move { Ok(Response { status: 200, headers, ttfb_ms, ..Response::default() }) })
        }

        fn render<'a>(&'a self, _: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>> {
            Box::pin(async { None })
        }

        fn now_ms(&self) -> i64 {
            0
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_page_is_measured_again_once_and_keeps_the_shorter_time() {
        let url = Url::parse("https://shop.example/").unwrap();
        for (times, expected) in [(vec![800], 800), (vec![2000, 90], 90), (vec![900, 2500], 900)] {
            let source = Times(std::sync::Mutex::new(times));

            let FetchedPage { result, .. } = fetch(&source, &Origin::of(&url), url.clone(), 800.0).await;

            assert_eq!((result.response.unwrap().ttfb_ms, result.retries), (expected, 0));
            assert!(source.0.lock().unwrap().is_empty(), "every answer was asked for");
        }
    }

    fn result(status: u16) -> FetchResult {
        FetchResult { response: Ok(Response { status, ..Response::default() }), retries: 0 }
    }

    #[tokio::test(start_paused = true)]
    async fn trouble_halves_requests_and_good_answers_bring_them_back_one_by_one() {
        let mut pace = Pace::new(8);

        pace.learn(&result(503));
        pace.learn(&result(429));
        let after_trouble = pace.limit();
        (0..GOOD_RESPONSES).for_each(|_| pace.learn(&result(200)));

        assert_eq!((after_trouble, pace.limit(), pace.backoffs()), (2, 3, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_site_gets_more_requests_at_once_while_it_answers_quickly() {
        let in_ms = |ttfb_ms| FetchResult {
            response: Ok(Response { status: 200, ttfb_ms, ..Response::default() }),
            retries: 0,
        };
        let mut pace = Pace::new(8);

        (0..GOOD_RESPONSES).for_each(|_| pace.learn(&in_ms(QUICK_MS)));
        let slow = pace.limit();
        (0..100 * GOOD_RESPONSES).for_each(|_| pace.learn(&in_ms(QUICK_MS - 1)));
        let quick = pace.limit();
        (0..10).for_each(|_| pace.learn(&in_ms(QUICK_MS)));

        assert_eq!((slow, quick, pace.limit()), (8, 32, 22));
    }
}
