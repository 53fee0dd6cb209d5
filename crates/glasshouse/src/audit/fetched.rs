//! What the guarded fetcher and the browser bring, as the audit engine takes it. Used by the sources of runs and of the command.

use std::time::{Duration, Instant};

use audit_engine::source::{FetchFailure, PageRequest, RenderedPage, Response};
use browser::{Rendered, Settled};
use bytes::BytesMut;
use crawler::connector::ConnectError;
use crawler::fetch::{FetchError, Phase, TimeLimits};
use crawler::{FetchRequest, Fetcher, NetworkError};
use http::HeaderMap;
use url::Url;

/// How long one response may take in all.
const RESPONSE_TIME: Duration = Duration::from_secs(40);

/// A request of an audit to where its address leads.
pub fn request_for(request: &PageRequest, address: Url, headers: HeaderMap) -> FetchRequest {
    let plain = FetchRequest::get(address);
    FetchRequest {
        headers,
        // One hop at a time: each is a row of the audit.
        stay_on: Some(Vec::new()),
        max_body_bytes: request.max_bytes as u64,
        time_limits: TimeLimits { total: RESPONSE_TIME, ..plain.time_limits },
        ..plain
    }
}

/// Fetches one response with its body, cut off where that is longer than the request allows.
pub async fn fetch(fetcher: &Fetcher, request: FetchRequest) -> Result<Response, FetchFailure> {
    let started = Instant::now();
    let fetched = fetcher.fetch(request).await.map_err(failure)?;
    let mut response = Response {
        status: fetched.status.as_u16(),
        headers: fetched.headers,
        ttfb_ms: millis(started),
        ..Response::default()
    };
    let mut body = fetched.body;
    let mut bytes = BytesMut::new();
    loop {
        match body.chunk().await {
            Ok(Some(piece)) => bytes.extend_from_slice(&piece),
            Ok(None) => break,
            Err(FetchError::TooLarge { .. }) => {
                response.is_cut = true;
                break;
            }
            Err(error) => return Err(failure(error)),
        }
    }
    response.body = bytes.freeze();
    response.total_ms = millis(started);
    Ok(response)
}

/// What the browser made of a page.
pub fn rendered_page(url: &Url, rendered: Rendered) -> RenderedPage {
    let texts = |level: &str| -> Vec<String> {
        let of_level = rendered.console.iter().filter(|message| message.level == level);
        of_level.map(|message| message.text.clone()).collect()
    };
    RenderedPage {
        redirected_to: rendered.location.as_deref().and_then(|location| url.join(location).ok()),
        errors: texts("error"),
        exceptions: texts("exception"),
        timed_out: rendered.settled == Settled::Timeout,
        ready_ms: rendered.timings.load_ms,
        status: rendered.status,
        html: rendered.html,
    }
}

fn failure(error: FetchError) -> FetchFailure {
    match error {
        FetchError::Connect(ref cause)
            if matches!(&**cause, ConnectError::Network(NetworkError::NoSuchHost(_))) =>
        {
            FetchFailure::NoSuchHost(error.to_string())
        }
        FetchError::Timeout(Phase::Headers | Phase::Total) => FetchFailure::Timeout(error.to_string()),
        other => FetchFailure::NoResponse(other.to_string()),
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
