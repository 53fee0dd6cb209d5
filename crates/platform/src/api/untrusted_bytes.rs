//! Answers with bytes from untrusted pages: pictures and documents. Used by views and previews. Must never let a
//! browser run, or take for another type, what it gets.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};

/// Makes such an answer, for the reader's own cache and for an hour.
pub fn untrusted_bytes(media_type: &'static str, bytes: Bytes) -> Response {
    let headers = [
        (CONTENT_TYPE, media_type),
        (CACHE_CONTROL, "private, max-age=3600"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Body::from(bytes)).into_response()
}
