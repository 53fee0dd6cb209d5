//! Requests of tools to the service's own API, within this process, with the credential of who called the tool.
//! Scopes, plans, limits and refusals are thereby those of the API.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock, OnceLock};

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use crate::operations::{ApiRequest, Arguments};
use crate::refusal::ToolRefusal;
use crate::schema::ToolSchemas;
use accounts::callers::{Credential, ToolRequest};
use platform::api::client::ClientAddress;
use platform::api::extract::BodyLimit;

/// Caller of a tool, by the credential and the address of its request.
#[derive(Clone)]
pub struct ToolCaller {
    /// Accepted credential.
    pub credential: Credential,
    /// Address that the request came from.
    pub address: IpAddr,
    /// Refusal that concerns the whole request: 401 or 429 of the API.
    pub refused: Arc<OnceLock<ApiAnswer>>,
}

impl ToolCaller {
    /// Makes the caller of one request.
    pub fn new(credential: Credential, address: IpAddr) -> ToolCaller {
        ToolCaller { credential, address, refused: Arc::default() }
    }

    /// Makes the parts of a request within this process.
    pub fn parts(&self, method: Method, target: &str) -> Result<Parts, http::Error> {
        let (mut parts, ()) = Request::builder().method(method).uri(target).body(())?.into_parts();
        parts.extensions.insert(ToolRequest(self.credential.clone()));
        parts.extensions.insert(ClientAddress(self.address));
        // The body was within the limit of the request that it came with.
        parts.extensions.insert(BodyLimit(usize::MAX));
        Ok(parts)
    }
}

/// Answer of the API.
#[derive(Debug, Clone)]
pub struct ApiAnswer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: bytes::Bytes,
}

impl IntoResponse for ApiAnswer {
    fn into_response(self) -> Response {
        (self.status, self.headers, self.body).into_response()
    }
}

/// API of this process.
pub struct Api {
    /// Router of all operations that tools call.
    pub router: Router,
    /// Tools and operations, made when they are first asked for.
    pub schemas: LazyLock<ToolSchemas>,
}

impl Api {
    /// Calls an operation and returns its JSON.
    pub async fn json(
        &self,
        caller: &ToolCaller,
        operation: &str,
        arguments: &Arguments,
    ) -> Result<Value, ToolRefusal> {
        let answer = self.call(caller, operation, arguments).await?;
        if !answer.status.is_success() {
            return Err(ToolRefusal::of_answer(answer.status, &answer.body));
        }
        if answer.body.is_empty() {
            return Ok(Value::Object(Arguments::new()));
        }
        serde_json::from_slice(&answer.body).map_err(|_| ToolRefusal::of_answer(answer.status, &[]))
    }

    /// Calls an operation. A refusal of the whole request is left with the caller.
    pub async fn call(
        &self,
        caller: &ToolCaller,
        operation: &str,
        arguments: &Arguments,
    ) -> Result<ApiAnswer, ToolRefusal> {
        let known = self.schemas.operations.get(operation);
        let unknown = || ToolRefusal::of_answer(StatusCode::NOT_FOUND, operation.as_bytes());
        let request = known.ok_or_else(unknown)?.request(arguments);
        let request = request.map_err(|name| ToolRefusal::of_argument(&name, "is missing"))?;
        let answer = self.send(caller, request).await?;
        if matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS) {
            // The first one is answered.
            let _ = caller.refused.set(answer.clone());
        }
        Ok(answer)
    }

    async fn send(&self, caller: &ToolCaller, request: ApiRequest) -> Result<ApiAnswer, ToolRefusal> {
        let ApiRequest { method, target, body } = request;
        let parts = caller.parts(method, &target);
        let mut parts =
            parts.map_err(|error| ToolRefusal::of_argument("", &format!("make no address: {error}")))?;
        let body = match body {
            Some(body) => {
                parts.headers.insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        let response = match self.router.clone().oneshot(Request::from_parts(parts, body)).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let (parts, body) = response.into_parts();
        let broken = |_| ToolRefusal::of_answer(StatusCode::INTERNAL_SERVER_ERROR, &[]);
        let body = body.collect().await.map_err(broken)?.to_bytes();
        Ok(ApiAnswer { status: parts.status, headers: parts.headers, body })
    }
}
