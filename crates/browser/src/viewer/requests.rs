//! Log of the requests of a viewed page, from the browser's events. Used by the viewer.
//! Must never exceed its bounds: a page can send requests without end.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use super::model::{RequestOutcome, ViewedRequest};
use crate::BlockedRequest;
use crate::cdp::{Event, EventKind};
use crate::egress::REFUSED_HEADER;

/// Maximum number of requests.
const MOST: usize = 200;
/// Maximum characters of an address.
const MOST_CHARACTERS: usize = 2_000;

/// Requests of one page.
#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    requests: Vec<ViewedRequest>,
    /// Indexes of open requests, by the browser's id.
    open: HashMap<String, usize>,
    /// Time of the first request, in seconds of the browser's clock.
    first: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent<'a> {
    #[serde(borrow)]
    request_id: Cow<'a, str>,
    timestamp: f64,
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    request: Target<'a>,
    #[serde(borrow)]
    redirect_response: Option<Head<'a>>,
}

#[derive(Deserialize)]
struct Target<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    status: u16,
    #[serde(borrow)]
    headers: HashMap<Cow<'a, str>, Cow<'a, str>>,
    #[serde(default)]
    encoded_data_length: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answered<'a> {
    #[serde(borrow)]
    request_id: Cow<'a, str>,
    #[serde(borrow)]
    response: Head<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ended<'a> {
    #[serde(borrow)]
    request_id: Cow<'a, str>,
    timestamp: f64,
    #[serde(default)]
    encoded_data_length: f64,
    #[serde(borrow, default)]
    blocked_reason: Option<Cow<'a, str>>,
}

impl RequestLog {
    /// Records an event of a request.
    pub fn record(&mut self, event: &Event) {
        match event.kind {
            EventKind::RequestWillBeSent => self.sent(event.params()),
            EventKind::ResponseReceived => self.answered(event.params()),
            EventKind::LoadingFinished => self.ended(event.params(), RequestOutcome::Ok),
            EventKind::LoadingFailed => self.ended(event.params(), RequestOutcome::Failed),
            _ => {}
        }
    }

    /// Lists the requests and marks those in `blocked`.
    pub fn list(mut self, blocked: &[BlockedRequest]) -> Vec<ViewedRequest> {
        for request in &mut self.requests {
            if blocked.iter().any(|refused| refused.url == request.url) {
                request.outcome = RequestOutcome::Blocked;
            }
        }
        self.requests
    }

    fn sent(&mut self, sent: Option<Sent<'_>>) {
        let Some(sent) = sent.filter(|sent| sent.request.url.starts_with("http")) else { return };
        let first = *self.first.get_or_insert(sent.timestamp);
        if let Some(head) = &sent.redirect_response
            && let Some(at) = self.open.remove(&*sent.request_id)
        {
            self.take_head(at, head);
            self.end(at, sent.timestamp, head.encoded_data_length, RequestOutcome::Ok);
        }
        if self.requests.len() >= MOST {
            return;
        }
        self.open.insert(sent.request_id.into_owned(), self.requests.len());
        self.requests.push(ViewedRequest {
            url: sent.request.url.chars().take(MOST_CHARACTERS).collect(),
            kind: sent.kind.as_deref().unwrap_or("other").to_ascii_lowercase(),
            status: 0,
            start_ms: milliseconds(sent.timestamp - first),
            duration_ms: 0,
            bytes: 0,
            // Until a response arrives.
            outcome: RequestOutcome::Failed,
        });
    }

    fn answered(&mut self, answered: Option<Answered<'_>>) {
        let Some(answered) = answered else { return };
        if let Some(at) = self.open.get(&*answered.request_id).copied() {
            self.take_head(at, &answered.response);
        }
    }

    fn ended(&mut self, ended: Option<Ended<'_>>, outcome: RequestOutcome) {
        let Some(ended) = ended else { return };
        let Some(at) = self.open.remove(&*ended.request_id) else { return };
        let outcome = if ended.blocked_reason.is_some() { RequestOutcome::Blocked } else { outcome };
        self.end(at, ended.timestamp, ended.encoded_data_length, outcome);
    }

    fn take_head(&mut self, at: usize, head: &Head<'_>) {
        let request = &mut self.requests[at];
        let is_refused = head.headers.keys().any(|name| name.eq_ignore_ascii_case(REFUSED_HEADER));
        if is_refused {
            request.outcome = RequestOutcome::Blocked;
        } else {
            request.status = head.status;
        }
    }

    fn end(&mut self, at: usize, timestamp: f64, bytes: f64, outcome: RequestOutcome) {
        let started_ms = self.requests[at].start_ms;
        let ended_ms = milliseconds(timestamp - self.first.unwrap_or(timestamp));
        let request = &mut self.requests[at];
        request.duration_ms = ended_ms.saturating_sub(started_ms);
        request.bytes = bytes.max(0.0) as u64;
        if request.outcome != RequestOutcome::Blocked {
            request.outcome = outcome;
        }
    }
}

fn milliseconds(seconds: f64) -> u64 {
    (seconds.max(0.0) * 1000.0).round() as u64
}
