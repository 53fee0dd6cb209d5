//! One address, asked for politely: again after a failure, later when the server says so.

use std::time::Duration;

use tokio::time::Instant;
use url::Url;

use crate::site::{Failure, Row, UrlId};
use crate::source::{FetchFailure, PageRequest, PageSource, Response};

/// Tries of an address whose server asks to come back later.
const RATE_LIMITED_TRIES: usize = 3;
/// Longest that is waited between two tries.
const MAX_WAIT: Duration = Duration::from_secs(120);
const RETRY_WAIT: Duration = Duration::from_millis(500);

/// The last answer for an address.
pub struct Answer {
    /// The answer itself.
    pub response: Result<Response, FetchFailure>,
}

impl Answer {
    /// The row that the answer makes, as far as it is no page.
    pub fn row(&self, id: UrlId) -> Row {
        let mut row = Row { id, ..Row::default() };
        match &self.response {
            Ok(response) => {
                row.status = response.status;
                row.is_rate_limited = is_rate_limited(response);
                row.fields.load_time_ms = response.total_ms;
                row.fields.content_type = response.header("content-type").to_owned();
            }
            Err(FetchFailure::Timeout(_)) => row.failure = Some(Failure::Timeout),
            Err(FetchFailure::NoResponse(_)) => row.failure = Some(Failure::NoResponse),
        }
        row.fields.readability = -1.0;
        row
    }
}

/// Asks for an address: twice after an error or no answer, three times when the server asks to come back later.
pub async fn fetch(source: &dyn PageSource, url: &Url) -> Answer {
    let mut tries = 1;
    loop {
        let response = source.fetch(PageRequest::of(url.clone())).await;
        let wait = match &response {
            Ok(answer) if is_rate_limited(answer) && tries < RATE_LIMITED_TRIES => retry_after(answer),
            Ok(answer) if answer.status >= 500 && !is_rate_limited(answer) && tries < 2 => RETRY_WAIT,
            Err(_) if tries < 2 => RETRY_WAIT,
            _ => return Answer { response },
        };
        tries += 1;
        tokio::time::sleep(wait).await;
    }
}

fn is_rate_limited(response: &Response) -> bool {
    response.status == 429 || response.status == 503 && response.headers.contains_key("retry-after")
}

fn retry_after(response: &Response) -> Duration {
    let seconds = response.header("retry-after").trim().parse().ok();
    seconds.map_or(RETRY_WAIT, Duration::from_secs).min(MAX_WAIT)
}

/// The content type that a body belies: HTML under another name, or something else under the name of HTML.
pub fn mismatched_type(response: &Response) -> Option<Box<str>> {
    let media_type = response.media_type();
    let says_html = matches!(media_type.as_str(), "text/html" | "application/xhtml+xml");
    let is_mismatch = if says_html { response.has_binary_signature() } else { response.sniffs_as_html() };
    is_mismatch.then(|| media_type.into())
}

/// Spreads requests over time.
pub struct Pace {
    gap: Duration,
    next: Instant,
}

impl Pace {
    /// So many requests per second; none: no waiting.
    pub fn new(requests_per_second: Option<f64>) -> Pace {
        let gap =
            requests_per_second.filter(|rate| *rate > 0.0).map(|rate| Duration::from_secs_f64(1.0 / rate));
        Pace { gap: gap.unwrap_or_default(), next: Instant::now() }
    }

    /// When the next request may start.
    pub fn next_start(&mut self) -> Instant {
        let start = self.next.max(Instant::now());
        self.next = start + self.gap;
        start
    }
}
