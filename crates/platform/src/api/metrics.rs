//! `/metrics` of the metrics listener: Prometheus text. On a listener of its own, so that it is never public by accident.
//! The health of the process is served beside it (`app/health`).

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{Method, Request, header};

use super::error::ApiError;
use super::error_code::ErrorCode;

/// Answers a request of the metrics listener.
pub fn respond<B>(request: &Request<B>) -> Response {
    if request.uri().path() != "/metrics" {
        return ApiError::not_found().into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return wrong_method();
    }
    let text = crate::telemetry::metrics().render();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], Body::from(text)).into_response()
}

/// Answers a method that no path of the metrics listener has.
pub fn wrong_method() -> Response {
    ApiError::new(ErrorCode::MethodNotAllowed)
        .with_header(header::ALLOW, http::HeaderValue::from_static("GET, HEAD"))
        .into_response()
}
