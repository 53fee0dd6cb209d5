//! The dashboard's files as HTTP responses: the file of a path, content codings, validators, cache rules and policy headers.
//! Used by the dashboard's handlers, and by `serve` and `doctor`, which report a build without the dashboard.
//! Must never send a file from outside the folder, nor a response without the policy headers.
//! See docs/decisions/0018.

use std::borrow::Cow;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, Method, StatusCode};
use rust_embed::{EmbeddedFile, RustEmbed};

use platform::api::accept::takes_coding;
use platform::api::validators::matches_etag;
use platform::api::{ApiError, ErrorCode};

/// Files of `make web`: inside a release binary; read from the folder by a debug binary.
#[derive(RustEmbed)]
#[folder = "$WEB_DIST"]
#[allow_missing = true]
pub struct WebFiles;

const PAGE: &str = "index.html";
/// Folder of the book: pages that `web/scripts/book.mjs` made of `docs`. See docs/decisions/0018.
const BOOK: &str = "docs";
/// Content codings in the order of preference, and the ending of the file that has them.
const CODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];
/// Names of files in `/assets` contain a hash of their content.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types svelte-trusted-html",
);
const MISSING: &str = include_str!("missing.html");

/// Returns true when the build contains the dashboard.
pub fn is_built<F: RustEmbed>() -> bool {
    F::get(PAGE).is_some()
}

/// Responds to a request for a path that is not an operation of the API: a file, or the application's page.
pub fn respond<F: RustEmbed>(method: &Method, path: &str, headers: &HeaderMap) -> Response {
    let mut response = match *method {
        Method::GET | Method::HEAD => find::<F>(path, headers),
        _ => not_allowed(),
    };
    if *method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    let policies = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex")),
    ];
    response.headers_mut().extend(policies);
    response
}

fn find<F: RustEmbed>(path: &str, headers: &HeaderMap) -> Response {
    let name = path.trim_start_matches('/');
    if name.strip_prefix(BOOK).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        return find_in_book::<F>(name.trim_end_matches('/'), headers);
    }
    if path.starts_with("/assets/") {
        let file = name.strip_prefix("assets/").filter(|file| is_plain_name(file));
        let found = file.and_then(|_| file_response::<F>(name, FOREVER, headers));
        return found.unwrap_or_else(|| ApiError::not_found().into_response());
    }
    let of_root = Some(name).filter(|name| is_plain_name(name));
    of_root
        .and_then(|name| file_response::<F>(name, ASK_AGAIN, headers))
        .or_else(|| file_response::<F>(PAGE, ASK_AGAIN, headers))
        .unwrap_or_else(missing)
}

/// Responds with a file of the book: the one of that name, the page of an address (`docs/settings`), or the page that says there is none.
fn find_in_book<F: RustEmbed>(name: &str, headers: &HeaderMap) -> Response {
    let page = if name == BOOK { format!("{BOOK}/{PAGE}") } else { format!("{name}.html") };
    let found = Some(name).filter(|name| name.split('/').all(is_plain_name)).and_then(|name| {
        file_response::<F>(name, ASK_AGAIN, headers).or_else(|| file_response::<F>(&page, ASK_AGAIN, headers))
    });
    found.unwrap_or_else(|| {
        // Without the client's validator, to which an error is not an answer.
        let mut headers = headers.clone();
        headers.remove(header::IF_NONE_MATCH);
        let mut response =
            file_response::<F>(&format!("{BOOK}/missing.html"), ASK_AGAIN, &headers).unwrap_or_else(missing);
        if response.status() == StatusCode::OK {
            *response.status_mut() = StatusCode::NOT_FOUND;
        }
        response
    })
}

/// Decides whether a name can be that of one of the folder's files: no folders, no hidden and no compressed files.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    name.bytes().all(is_plain)
        && name.starts_with(|first: char| first != '.')
        && !CODINGS.iter().any(|(_, ending)| name.ends_with(ending))
}

fn file_response<F: RustEmbed>(name: &str, cache: HeaderValue, request: &HeaderMap) -> Option<Response> {
    let coded = CODINGS.iter().filter(|(coding, _)| takes_coding(request, coding));
    let coded =
        coded.filter_map(|(coding, ending)| Some((*coding, F::get(&format!("{name}{ending}"))?))).next();
    let (coding, file) = match coded {
        Some((coding, file)) => (Some(coding), file),
        None => (None, F::get(name)?),
    };
    let tag = entity_tag(&file, coding);
    let mut headers = HeaderMap::from_iter([
        (header::CACHE_CONTROL, cache),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
        (header::ETAG, HeaderValue::try_from(&tag).expect("hexadecimal digits in quotes")),
    ]);
    if matches_etag(request, &tag) {
        return Some((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(name)));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(file.data.len()));
    headers.extend(coding.map(|coding| (header::CONTENT_ENCODING, HeaderValue::from_static(coding))));
    let body = match file.data {
        Cow::Borrowed(inside) => Bytes::from_static(inside),
        Cow::Owned(read) => Bytes::from(read),
    };
    Some((headers, body).into_response())
}

/// Returns the entity tag of a file: half of its SHA-256, and its content coding.
fn entity_tag(file: &EmbeddedFile, coding: Option<&str>) -> String {
    let hash = file.metadata.sha256_hash();
    format!("\"{}-{}\"", hex::encode(&hash[..16]), coding.unwrap_or("plain"))
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "md" => "text/markdown; charset=utf-8",
        "txt" | "caddy" | "conf" | "mjs" | "ts" | "yml" => "text/plain; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

fn missing() -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (StatusCode::SERVICE_UNAVAILABLE, headers, MISSING).into_response()
}

fn not_allowed() -> Response {
    let error = ApiError::new(ErrorCode::MethodNotAllowed);
    error.with_header(header::ALLOW, HeaderValue::from_static("GET, HEAD")).into_response()
}

#[cfg(test)]
mod tests;
