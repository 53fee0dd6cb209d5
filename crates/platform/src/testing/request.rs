//! Requests of tests, and what came back.

use std::future::IntoFuture;
use std::net::IpAddr;
use std::pin::Pin;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::api::envelope::Envelope;

/// A signed-in session.
#[derive(Debug, Clone)]
pub struct TestSession {
    /// The `cookie` header.
    pub cookie: String,
    /// The `x-csrf-token` header.
    pub csrf_token: String,
}

/// A request that is sent when it is awaited.
#[must_use = "a request is sent when it is awaited"]
pub struct TestRequest {
    envelope: Envelope,
    builder: http::request::Builder,
    body: Body,
    peer: IpAddr,
}

impl TestRequest {
    pub(super) fn new(envelope: Envelope, method: Method, path: &str) -> TestRequest {
        let builder = http::Request::builder().method(method).uri(path);
        TestRequest { envelope, builder, body: Body::empty(), peer: IpAddr::from([192, 0, 2, 1]) }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> TestRequest {
        self.builder = self.builder.header(name, value);
        self
    }

    /// Shows an API key.
    pub fn key(self, key: &str) -> TestRequest {
        self.header("x-service-api-key", key)
    }

    /// Shows a session's cookie and its CSRF token.
    pub fn session(self, session: &TestSession) -> TestRequest {
        self.header("cookie", &session.cookie).header("x-csrf-token", &session.csrf_token)
    }

    /// Sends JSON.
    pub fn json(mut self, body: impl Serialize) -> TestRequest {
        let bytes = serde_json::to_vec(&body).expect("test bodies are plain data");
        self.body = Body::from(bytes);
        self.header("content-type", "application/json")
    }

    /// Sends these bytes, without a content type.
    pub fn body(mut self, body: impl Into<Body>) -> TestRequest {
        self.body = body.into();
        self
    }

    /// Comes from this address.
    pub fn from_address(mut self, address: &str) -> TestRequest {
        self.peer = address.parse().expect("an IP address");
        self
    }
}

impl IntoFuture for TestRequest {
    type Output = Reply;
    type IntoFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let request = self.builder.body(self.body).expect("a well-formed request");
            let (parts, body) = self.envelope.respond(request, self.peer).await.into_parts();
            let body = axum::body::to_bytes(body, usize::MAX).await.expect("bodies are in memory");
            Reply { status: parts.status, headers: parts.headers, body }
        })
    }
}

/// Answer to a request.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Reply {
    /// Asserts status and JSON body. Fields that the expectation does not name may be there too.
    #[track_caller]
    pub fn assert(&self, status: u16, expected: Value) {
        let body = self.json();
        assert_eq!(self.status.as_u16(), status, "body: {body}");
        assert!(contains(&body, &expected), "expected {expected:#}\nin {body:#}");
    }

    /// Asserts the status and an error code.
    #[track_caller]
    pub fn assert_error(&self, status: u16, code: &str) {
        self.assert(status, serde_json::json!({ "error": code }));
    }

    /// Asserts the status alone.
    #[track_caller]
    pub fn assert_status(&self, status: u16) {
        assert_eq!(self.status.as_u16(), status, "body: {}", self.text());
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{} is not JSON: {:?}", self.status, self.text()))
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns a header's text; empty when it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a text"))
    }
}

/// Returns true when every field of `expected` is in `body`, at any depth; lists must be of equal length.
fn contains(body: &Value, expected: &Value) -> bool {
    match (body, expected) {
        (Value::Object(body), Value::Object(expected)) => {
            expected.iter().all(|(name, value)| body.get(name).is_some_and(|found| contains(found, value)))
        }
        (Value::Array(body), Value::Array(expected)) => {
            body.len() == expected.len()
                && body.iter().zip(expected).all(|(body, expected)| contains(body, expected))
        }
        (body, expected) => body == expected,
    }
}
