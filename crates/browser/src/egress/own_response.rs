//! Answers of the proxy's own, to what it does not send on or what nobody has answered. Used by the proxy.
//! Must never be taken for an answer of the origin.

use bytes::Bytes;
use http::header::{HeaderValue, LOCATION};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full};

use super::forward::Body;

/// Marks answers that are the proxy's own, so that a refused document is not taken for a page.
pub(crate) const REFUSED_HEADER: &str = "x-glasshouse-refused";

/// An answer of the proxy's own.
pub(super) fn own_response(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::new()).map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(REFUSED_HEADER, HeaderValue::from_static("1"));
    response
}

/// What is no answer to a browser, as a connection that breaks is none: one that leads to two places.
/// A page that asks hears of a failure, and not of a status that nobody sent.
pub(super) fn broken_response() -> Response<Body> {
    let mut response = own_response(StatusCode::BAD_GATEWAY);
    response.headers_mut().append(LOCATION, HeaderValue::from_static("/1"));
    response.headers_mut().append(LOCATION, HeaderValue::from_static("/2"));
    response
}
