//! Message to a customer's server: one POST through the guard, signed so that the server can tell who sent it.
//! Used by audits and by reports of AI mentions; IndexNow posts the same way, unsigned. Follows no redirect.

use std::time::Duration;

use bytes::Bytes;
use crawler::connector::Connector;
use crawler::tls;
use http::{HeaderName, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use ring::hmac;

use crate::Platform;
use crate::api::header_names::{WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP};
use crate::clock::Timestamp;

/// Name of the sender.
const USER_AGENT: &str =
    concat!("Glasshouse/", env!("CARGO_PKG_VERSION"), " (+https://github.com/glasshouse)");
/// Time that the customer's server may take.
const RESPONSE_TIME: Duration = Duration::from_secs(10);

/// Reason why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The address cannot be asked.
    #[error("the webhook's address is none that may be asked")]
    BadAddress(#[from] http::Error),
    /// Refused by the guard, or nobody there.
    #[error("the webhook's server could not be reached")]
    Unreachable(#[source] hyper_util::client::legacy::Error),
    /// It did not answer in time.
    #[error("the webhook's server took longer than {RESPONSE_TIME:?}")]
    Timeout,
    /// It said no.
    #[error("the webhook's server answered {0}")]
    Refused(StatusCode),
}

/// Sends a message, signed with a secret.
pub async fn send(
    platform: &Platform,
    url: &str,
    secret: &str,
    body: String,
    now: Timestamp,
) -> Result<(), WebhookError> {
    let headers =
        [(WEBHOOK_TIMESTAMP, now.as_millis().to_string()), (WEBHOOK_SIGNATURE, sign(secret, now, &body))];
    let response = post_json(platform, url, &headers, body).await?;
    match response.status().is_success() {
        true => Ok(()),
        false => Err(WebhookError::Refused(response.status())),
    }
}

/// Posts a JSON text through the guard, with further headers. The body of the response is unread.
pub async fn post_json(
    platform: &Platform,
    url: &str,
    headers: &[(HeaderName, String)],
    body: String,
) -> Result<Response<Incoming>, WebhookError> {
    let request = Request::builder()
        .method(Method::POST)
        .uri(url)
        .header(header::CONTENT_TYPE, "application/json")
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
}
