//! The API reference: the OpenAPI document, and a viewer for it from files inside the binary.
//! Must never load anything from another host: installations may have no way out, and keys are typed into this page.
//! See docs/decisions/0018.

use std::io::Read;
use std::sync::OnceLock;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use utoipa::openapi::OpenApi;

use super::accept::takes_gzip;

/// The page may run its own scripts and speak to its own host, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE: &[u8] = include_bytes!("../../assets/api-docs/index.html");
const SCRIPT: &[u8] = include_bytes!("../../assets/api-docs/page.js");
const STYLE: &[u8] = include_bytes!("../../assets/api-docs/page.css");
static VIEWER_SCRIPT: Packed = Packed::new(
    "text/javascript; charset=utf-8",
    include_bytes!("../../assets/api-docs/swagger-ui-bundle.js.gz"),
);
static VIEWER_STYLE: Packed =
    Packed::new("text/css; charset=utf-8", include_bytes!("../../assets/api-docs/swagger-ui.css.gz"));

/// Serves `/api/openapi.json` and `/api/docs`.
pub fn routes<S: Clone + Send + Sync + 'static>(document: &OpenApi) -> Router<S> {
    let json = Bytes::from(document.to_json().expect("the document is plain data"));
    Router::new()
        .route("/api/openapi.json", get(async move || plain("application/json", json)))
        .route("/api/docs", get(async || page()))
        .route("/api/docs/page.js", get(async || plain("text/javascript; charset=utf-8", SCRIPT)))
        .route("/api/docs/page.css", get(async || plain("text/css; charset=utf-8", STYLE)))
        .route("/api/docs/swagger-ui.js", get(async |headers: HeaderMap| VIEWER_SCRIPT.response(&headers)))
        .route("/api/docs/swagger-ui.css", get(async |headers: HeaderMap| VIEWER_STYLE.response(&headers)))
}

fn page() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, PAGE).into_response()
}

fn plain(content_type: &'static str, body: impl Into<Bytes>) -> Response {
    let headers = [(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "no-cache")];
    (headers, body.into()).into_response()
}

/// A compressed file. Clients that cannot unpack it get one shared unpacked copy: an unpacked copy for each of them would
/// let anybody fill the memory.
struct Packed {
    content_type: &'static str,
    packed: &'static [u8],
    unpacked: OnceLock<Bytes>,
}

impl Packed {
    const fn new(content_type: &'static str, packed: &'static [u8]) -> Packed {
        Packed { content_type, packed, unpacked: OnceLock::new() }
    }

    fn response(&self, request: &HeaderMap) -> Response {
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(self.content_type)),
            (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600")),
            (header::VARY, HeaderValue::from_static("accept-encoding")),
        ];
        if takes_gzip(request) {
            let body = Bytes::from_static(self.packed);
            return (headers, [(header::CONTENT_ENCODING, "gzip")], body).into_response();
        }
        (headers, self.unpacked()).into_response()
    }

    fn unpacked(&self) -> Bytes {
        let unpack = || {
            let mut bytes = Vec::new();
            let read = flate2::read::GzDecoder::new(self.packed).read_to_end(&mut bytes);
            read.expect("the file was packed when the program was built");
            Bytes::from(bytes)
        };
        self.unpacked.get_or_init(unpack).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unpacked_is_unpacked_once() {
        let first = VIEWER_SCRIPT.unpacked();

        assert_eq!(first.as_ptr(), VIEWER_SCRIPT.unpacked().as_ptr());
    }
}
