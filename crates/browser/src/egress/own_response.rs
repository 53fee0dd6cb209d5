//! Responses of the proxy itself, for requests that are refused or have no response. Used by the proxy.
//! Must never be taken for a response of the origin.

use bytes::Bytes;
use http::header::{HeaderValue, LOCATION};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full};

use super::forward::Body;

/// Marker of the proxy's own responses, so that a refused document is not taken for a page.
pub(crate) const REFUSED_HEADER: &str = "x-glasshouse-refused";

/// Makes an empty response with a status.
pub(super) fn own_response(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::new()).map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = status;
    response.headers_mut().insert(REFUSED_HEADER, HeaderValue::from_static("1"));
    response
}

/// Makes a response that the browser treats as a network error, because of two different `Location` headers.
/// The page gets an error instead of a status that no server has sent.
pub(super) fn broken_response() -> Response<Body> {
    let mut response = own_response(StatusCode::BAD_GATEWAY);
    response.headers_mut().append(LOCATION, HeaderValue::from_static("/1"));
    response.headers_mut().append(LOCATION, HeaderValue::from_static("/2"));
    response
}
