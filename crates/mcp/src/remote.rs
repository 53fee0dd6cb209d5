//! Tools of another service, which `glasshouse mcp --url` calls over HTTP.

use std::time::Duration;

use http::StatusCode;
use http::header::{ACCEPT, AUTHORIZATION, RETRY_AFTER};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use crate::operations::Arguments;
use crate::refusal::ToolRefusal;
use platform::api::ErrorCode;

/// Timeout of a call. The service itself waits up to 45 seconds for work in the background.
const CALL_TIMEOUT: Duration = Duration::from_secs(90);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A service by its address, with the key of the caller.
pub struct RemoteService {
    client: reqwest::Client,
    endpoint: String,
    key: String,
}

/// Failure to reach a service.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    #[error("cannot make a client for {0}")]
    Client(String, #[source] reqwest::Error),
    #[error("{0} does not answer")]
    Unreachable(String, #[source] reqwest::Error),
    #[error("{0} refuses the key in GLASSHOUSE_API_KEY")]
    KeyRefused(String),
    #[error("{url} answers {status} instead of as a Glasshouse")]
    NotGlasshouse { url: String, status: StatusCode },
}

impl RemoteService {
    /// Connects to the service at `url` and tries the key.
    pub async fn connect(url: &str, key: String) -> Result<RemoteService, RemoteError> {
        let base = url.trim_end_matches('/').to_owned();
        // The operator chose the address, which is often one of this machine: it does not pass the guard.
        #[expect(clippy::disallowed_methods, reason = "the service is the operator's")]
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(CALL_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build();
        let client = client.map_err(|error| RemoteError::Client(base.clone(), error))?;
        let service = RemoteService { client, endpoint: format!("{base}/api/mcp"), key };
        let tried = service.post("ping", json!({})).await;
        let status = tried.map_err(|error| RemoteError::Unreachable(base.clone(), error))?.status();
        match status {
            StatusCode::UNAUTHORIZED => Err(RemoteError::KeyRefused(base)),
            status if status.is_success() || status == StatusCode::TOO_MANY_REQUESTS => Ok(service),
            status => Err(RemoteError::NotGlasshouse { url: base, status }),
        }
    }

    /// Has a tool called by the service.
    pub async fn call(&self, name: &str, arguments: &Arguments) -> Result<CallToolResult, ToolRefusal> {
        let sent = self.post("tools/call", json!({ "name": name, "arguments": arguments })).await;
        let response = sent.map_err(|_| unreachable())?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await.map_err(|_| unreachable())?;
        if !status.is_success() {
            let mut refusal = ToolRefusal::of_answer(status, &body);
            if let Some(seconds) = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()) {
                refusal.sentence.push_str(&format!(" Try again in {seconds} seconds."));
            }
            return Err(refusal);
        }
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        serde_json::from_value(answer["result"].clone()).map_err(|_| {
            ToolRefusal::new(
                ErrorCode::InternalError,
                "The service answered with something else than a result.",
            )
        })
    }

    async fn post(&self, method: &str, params: Value) -> reqwest::Result<reqwest::Response> {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request = self.client.post(&self.endpoint).json(&message);
        let request = request.header(ACCEPT, "application/json, text/event-stream");
        request.header(AUTHORIZATION, format!("Bearer {}", self.key)).send().await
    }
}

fn unreachable() -> ToolRefusal {
    ToolRefusal::new(ErrorCode::ServiceUnavailable, "The service does not answer; try again later.")
}
