//! Messages to customers' servers: one POST through the guard, signed so that the server can tell who sent it, and the times at
//! which a message is tried again. Used by webhooks; IndexNow posts the same way, unsigned.
//! Follows no redirect and reads at most 1 KiB of a response.

use std::time::{Duration, Instant};

use bytes::Bytes;
use crawler::connector::Connector;
use crawler::retry_after::parse_retry_after;
use crawler::tls;
use http::{HeaderName, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use ring::hmac;

use crate::Platform;
use crate::clock::Timestamp;

/// Name of the sender.
const USER_AGENT: &str =
    concat!("Glasshouse/", env!("CARGO_PKG_VERSION"), " (+https://github.com/glasshouse)");
/// Time that the customer's server may take.
const RESPONSE_TIME: Duration = Duration::from_secs(10);
/// Time for reading the body of a response.
const BODY_TIME: Duration = Duration::from_secs(1);
/// Number of bytes that are read of a response.
const BODY_BYTES: usize = 1024;
/// Time after its first attempt at which a message is given up.
pub const TRIED_FOR: Duration = Duration::from_secs(3 * 24 * 3600);
/// Longest wait that a server may ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(24 * 3600);

/// Reason why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The address cannot be asked.
    #[error("the address cannot be asked")]
    BadAddress(#[from] http::Error),
    /// Refused by the guard, or nobody there.
    #[error("the server could not be reached")]
    Unreachable(#[source] hyper_util::client::legacy::Error),
    /// No response in time.
    #[error("the server took longer than {RESPONSE_TIME:?}")]
    Timeout,
    /// Another status than 2xx.
    #[error("the server answered {0}")]
    Refused(StatusCode),
}

/// Message to a server.
#[derive(Debug, Clone)]
pub struct WebhookMessage {
    pub url: String,
    pub content_type: &'static str,
    pub headers: Vec<(HeaderName, String)>,
    pub body: String,
}

/// Outcome of one attempt at sending a message.
#[derive(Debug)]
pub struct WebhookAttempt {
    /// Status of the response; none: there was no response.
    pub status: Option<u16>,
    pub duration: Duration,
    /// None: the message was taken.
    pub error: Option<WebhookError>,
    /// Wait that the server asked for, with 429 and 503.
    retry_after: Option<Duration>,
}

/// Consequence of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookVerdict {
    /// The message was taken.
    Taken,
    /// The message is sent again after this time.
    Again(Duration),
    /// The receiver wants no more messages: 410.
    Gone,
}

impl WebhookVerdict {
    /// Decides that a message is sent again after its failed attempt of this number, the first being 1.
    pub fn again(attempt: u32) -> WebhookVerdict {
        WebhookVerdict::Again(wait_after(attempt))
    }
}

impl WebhookAttempt {
    /// Decides how it goes on after a message's attempt of this number, the first being 1.
    pub fn verdict(&self, attempt: u32) -> WebhookVerdict {
        match (self.status, &self.error) {
            (_, None) => WebhookVerdict::Taken,
            (Some(410), _) => WebhookVerdict::Gone,
            _ => WebhookVerdict::Again(self.retry_after.unwrap_or_else(|| wait_after(attempt))),
        }
    }
}

/// Returns the wait after a failed attempt of this number, the first being 1.
fn wait_after(attempt: u32) -> Duration {
    Duration::from_secs(match attempt {
        0 | 1 => 5,
        2 => 30,
        3 => 120,
        4 => 600,
        _ => 3600,
    })
}

/// Sends a message once.
pub async fn send(platform: &Platform, message: WebhookMessage) -> WebhookAttempt {
    let since = Instant::now();
    let WebhookMessage { url, content_type, headers, body } = message;
    let response = match post(platform, (&url, content_type), &headers, body).await {
        Ok(response) => response,
        Err(error) => {
            return WebhookAttempt {
                status: None,
                duration: since.elapsed(),
                error: Some(error),
                retry_after: None,
            };
        }
    };
    let (status, duration) = (response.status(), since.elapsed());
    let asked = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    let now = platform.clock.now().as_millis();
    let may_ask = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    let retry_after = asked.filter(|_| may_ask).and_then(|value| parse_retry_after(value, now));
    read_some(response.into_body()).await;
    WebhookAttempt {
        status: Some(status.as_u16()),
        duration,
        error: (!status.is_success()).then_some(WebhookError::Refused(status)),
        retry_after: retry_after.map(|wait| wait.clamp(Duration::from_secs(1), LONGEST_ASKED)),
    }
}

/// Reads the beginning of a response, so that a server that sends a short one sees the connection end well.
async fn read_some(mut body: Incoming) {
    let reading = async {
        let mut bytes = 0;
        while bytes < BODY_BYTES
            && let Some(Ok(frame)) = body.frame().await
        {
            bytes += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    // The status counts, whatever follows.
    let _ = tokio::time::timeout(BODY_TIME, reading).await;
}

/// Posts a JSON text through the guard, with further headers. The body of the response is unread.
pub async fn post_json(
    platform: &Platform,
    url: &str,
    headers: &[(HeaderName, String)],
    body: String,
) -> Result<Response<Incoming>, WebhookError> {
    post(platform, (url, "application/json"), headers, body).await
}

async fn post(
    platform: &Platform,
    (url, content_type): (&str, &str),
    headers: &[(HeaderName, String)],
    body: String,
) -> Result<Response<Incoming>, WebhookError> {
    let request = Request::builder()
        .method(Method::POST)
        .uri(url)
        .header(header::CONTENT_TYPE, content_type)
        .header(header::USER_AGENT, USER_AGENT);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
    let request = request.body(Full::new(Bytes::from(body)))?;
    let connector = Connector::new(platform.network.clone(), tls::client_config());
    let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
    match tokio::time::timeout(RESPONSE_TIME, client.request(request)).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => Err(WebhookError::Unreachable(error)),
        Err(_) => Err(WebhookError::Timeout),
    }
}

/// Signs a message. The signature covers the time, so that an old message cannot be sent again as a new one.
pub fn sign(secret: &str, now: Timestamp, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let text = format!("{}.{body}", now.as_millis());
    format!("sha256={}", hex::encode(hmac::sign(&key, text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_of_one_secret_one_time_and_one_body() {
        let at = Timestamp::from_millis(1_795_176_000_000);

        let proof = sign("secret", at, "{}");

        assert_eq!(proof.len(), "sha256=".len() + 64);
        assert_ne!(proof, sign("other", at, "{}"));
        assert_ne!(proof, sign("secret", at.plus(Duration::from_millis(1)), "{}"));
        assert_ne!(proof, sign("secret", at, "[]"));
    }

    #[test]
    fn a_message_is_tried_again_after_longer_and_longer_waits_and_a_server_may_ask_for_others() {
        let failed = |status: u16, retry_after: Option<u64>| WebhookAttempt {
            status: Some(status),
            duration: Duration::ZERO,
            error: Some(WebhookError::Timeout),
            retry_after: retry_after.map(Duration::from_secs),
        };
        let waits = [1, 2, 3, 4, 5, 70].map(|attempt| failed(500, None).verdict(attempt));

        let seconds = [5, 30, 120, 600, 3600, 3600];
        assert_eq!(waits, seconds.map(|seconds| WebhookVerdict::Again(Duration::from_secs(seconds))));
        assert_eq!(failed(429, Some(7)).verdict(1), WebhookVerdict::Again(Duration::from_secs(7)));
        assert_eq!(failed(410, None).verdict(1), WebhookVerdict::Gone);
    }
}
