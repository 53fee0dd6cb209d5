//! The source of pages. The application fetches through the guarded fetcher and renders in the browser; tests serve a
//! list of responses. The engine never opens a connection itself.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::ready;

use bytes::Bytes;
use encoding_rs::Encoding;
use futures::future::BoxFuture;
use http::HeaderMap;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::page::encoding_of;

/// Bytes of a document that are read and parsed: what search engines read.
pub const MAX_DOCUMENT_BYTES: usize = 2 * 1024 * 1024;

/// Headers that protect visitors.
const SECURITY_HEADERS: &[&str] = &[
    "content-security-policy",
    "permissions-policy",
    "referrer-policy",
    "strict-transport-security",
    "x-content-type-options",
    "x-frame-options",
];

/// One request of an audit.
#[derive(Debug, Clone)]
pub struct AuditFetch {
    /// Requested address.
    pub url: Url,
    /// User agent, when it is another than the audit's own.
    pub user_agent: Option<&'static str>,
    /// Decompressed bytes that are wanted of the body; more are cut off.
    pub max_bytes: usize,
    /// Only status and headers are wanted.
    pub is_head: bool,
}

impl AuditFetch {
    /// Asks for a document as the audit itself.
    pub fn of(url: Url) -> AuditFetch {
        AuditFetch { url, user_agent: None, max_bytes: MAX_DOCUMENT_BYTES, is_head: false }
    }
}

/// Response of a server, redirects not followed.
#[derive(Debug, Clone, Default)]
pub struct Response {
    pub status: u16,
    /// Headers as they were received.
    pub headers: HeaderMap,
    /// Body, decompressed, up to the requested length.
    pub body: Bytes,
    /// The body has more bytes than were wanted.
    pub is_cut: bool,
    /// Time from the request to the first byte of the response, in milliseconds.
    pub ttfb_ms: u64,
    /// Time from the request to the last byte, in milliseconds.
    pub total_ms: u64,
    /// The service serves the file and has made its content: it is judged, and is not a source of addresses.
    pub is_made: bool,
}

impl Response {
    /// Cuts the body off after so many bytes.
    pub fn up_to(mut self, max_bytes: usize) -> Response {
        self.is_cut |= self.body.len() > max_bytes;
        self.body.truncate(max_bytes);
        self
    }
}

/// Reason why there is no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchFailure {
    /// Connected, and the answer did not come in time.
    #[error("{0}")]
    Timeout(String),
    /// No connection, no TLS, or an address that may not be fetched.
    #[error("{1}")]
    NoResponse(NoResponseCause, String),
    /// DNS says that the name does not exist.
    #[error("{0}")]
    NoSuchHost(String),
}

/// Cause of a failure before there was an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoResponseCause {
    /// DNS says that the name does not exist.
    NoSuchHost,
    /// DNS did not say where the host is.
    Dns,
    /// No connection.
    Tcp,
    /// The certificate has expired.
    CertificateExpired,
    /// Another failure of encryption.
    Tls,
    /// The address may not be requested.
    Refused,
    /// The connection ended before the answer was complete.
    Http,
}

impl NoResponseCause {
    /// Returns the cause in a few words.
    pub fn text(self) -> &'static str {
        match self {
            NoResponseCause::NoSuchHost => "DNS: the name does not exist",
            NoResponseCause::Dns => "DNS: no answer for the name",
            NoResponseCause::Tcp => "TCP: no connection",
            NoResponseCause::CertificateExpired => "TLS: the certificate has expired",
            NoResponseCause::Tls => "TLS: no secure connection",
            NoResponseCause::Refused => "the address is not a public one",
            NoResponseCause::Http => "the connection ended before the answer was complete",
        }
    }
}

impl FetchFailure {
    /// Returns the cause of a failure; none: the answer did not come in time.
    pub fn cause(&self) -> Option<NoResponseCause> {
        match self {
            FetchFailure::Timeout(_) => None,
            FetchFailure::NoSuchHost(_) => Some(NoResponseCause::NoSuchHost),
            FetchFailure::NoResponse(cause, _) => Some(*cause),
        }
    }
}

/// Something that a page loaded while it was rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedResource {
    pub url: String,
    /// Status of the answer; 0: none.
    pub status: u16,
    /// The answer came, and came whole.
    pub is_complete: bool,
}

/// A rendered page.
#[derive(Debug, Clone, Default)]
pub struct RenderedDocument {
    /// The document when the page was ready.
    pub html: String,
    /// Address to which a script redirected the visitor.
    pub redirected_to: Option<Url>,
    /// Console messages of level error.
    pub errors: Vec<String>,
    /// Uncaught exceptions and rejections.
    pub exceptions: Vec<String>,
    /// Not ready within the time limit.
    pub timed_out: bool,
    /// Time from navigation to readiness, in milliseconds.
    pub ready_ms: u64,
    /// Status that the browser got; 0: not known.
    pub status: u16,
    /// Address of the largest picture of the first window, when that loads lazily.
    pub lazy_picture: Option<String>,
    /// Words of the main text before and after it was scrolled, when it was.
    pub scrolled_words: Option<(usize, usize)>,
    /// Scripts, style sheets, XHR and fetch requests of the page; none: they were not recorded.
    pub loaded: Option<Vec<LoadedResource>>,
    /// Elements that lead somewhere by a handler for clicks alone.
    pub click_links: usize,
    /// Targets of the first of them; empty where their handlers do not contain any.
    pub click_targets: Vec<String>,
}

/// Result of looking a page up in the store of snapshots.
#[derive(Debug, Clone, Default)]
pub enum SnapshotLookup {
    /// Nobody knows: there is no store, or it serves no snapshots of this site.
    #[default]
    Unknown,
    /// The site has snapshots, but none of this page.
    Missing,
    Found(StoredPage),
}

/// A snapshot.
#[derive(Debug, Clone)]
pub struct StoredPage {
    /// Status with which crawlers get it.
    pub status: u16,
    /// Document of the snapshot; "" of a redirect.
    pub html: String,
    /// Lines of `X-Robots-Tag` and `Link` that are sent with it.
    pub headers: HeaderMap,
    /// Time at which it was made, in epoch milliseconds.
    pub made_at_ms: i64,
    /// Longest age at which it is served, in milliseconds.
    pub refresh_interval_ms: i64,
}

/// Source of responses for the engine's requests.
pub trait PageSource: Send + Sync {
    /// Fetches one address. Follows no redirect and holds no more of the body than was wanted.
    fn fetch(&self, request: AuditFetch) -> BoxFuture<'_, Result<Response, FetchFailure>>;

    /// Renders one page; none when there is no browser or it failed.
    fn render<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<RenderedDocument>>;

    /// Fetches a resource beside the pages: a picture, another host, a page as another crawler. Follows no redirect.
    /// Returns `None` when such requests are not made; checks that depend on them are then silent.
    fn probe(&self, request: AuditFetch) -> BoxFuture<'_, Option<Result<Response, FetchFailure>>> {
        let _ = request;
        Box::pin(ready(None))
    }

    /// Looks up the snapshot that crawlers get of a page.
    fn snapshot<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, SnapshotLookup> {
        let _ = url;
        Box::pin(ready(SnapshotLookup::Unknown))
    }

    /// Returns the expiry of a host's certificate, in epoch milliseconds; none when it is unknown.
    fn certificate_end_ms<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Option<i64>> {
        let _ = host;
        Box::pin(ready(None))
    }

    /// Returns the time of day, in epoch milliseconds.
    fn now_ms(&self) -> i64;
}

impl Response {
    /// Returns a header's text; "" when it is missing or no text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns every header that is text.
    pub fn header_texts(&self) -> Box<[(String, String)]> {
        let text = |value: &http::HeaderValue| value.to_str().map(str::to_owned).ok();
        self.headers.iter().filter_map(|(name, value)| Some((name.to_string(), text(value)?))).collect()
    }

    /// Returns the headers that protect visitors, by name, each cut to `most` characters.
    pub fn security_headers(&self, most: usize) -> BTreeMap<String, String> {
        let present = SECURITY_HEADERS.iter().filter(|name| self.headers.contains_key(**name));
        present.map(|name| ((*name).to_owned(), self.header(name).chars().take(most).collect())).collect()
    }

    /// Returns the media type without parameters, lower case.
    pub fn media_type(&self) -> String {
        self.header("content-type").split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Returns the charset of the content type, lower case. Returns `None` for a label that does not exist.
    pub fn header_charset(&self) -> Option<String> {
        let parameters = self.header("content-type").split(';').skip(1);
        let charset = parameters.filter_map(|parameter| parameter.split_once('='));
        charset
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
            .map(|(_, value)| value.trim().trim_matches('"').to_ascii_lowercase())
            .next()
            .filter(|label| Encoding::for_label(label.as_bytes()).is_some())
    }

    /// Returns the encoding of a byte order mark.
    pub fn bom_charset(&self) -> Option<&'static str> {
        Encoding::for_bom(&self.body).map(|(encoding, _)| encoding.name())
    }

    /// Decides the encoding of the body.
    pub fn encoding(&self) -> &'static Encoding {
        encoding_of(self.header_charset().as_deref(), &self.body, self.is_cut)
    }

    /// Returns the body as text.
    pub fn text(&self) -> Cow<'_, str> {
        self.encoding().decode(&self.body).0
    }

    /// Returns true when the body begins like an HTML document, after a byte order mark, white space and comments.
    pub fn sniffs_as_html(&self) -> bool {
        const BEGINNINGS: &[&str] = &["<!doctype html", "<html", "<head", "<body", "<title", "<meta"];
        let start = String::from_utf8_lossy(&self.body[..self.body.len().min(4096)]);
        let mut rest = start.trim_start_matches('\u{feff}').trim_start();
        while let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest).trim_start();
        }
        BEGINNINGS
            .iter()
            .any(|start| rest.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start)))
    }

    /// Returns true for an HTML document with status 200: a page of the audit.
    pub fn is_page(&self) -> bool {
        let media_type = self.media_type();
        let is_html = matches!(media_type.as_str(), "text/html" | "application/xhtml+xml");
        self.status == 200
            && (is_html && !self.has_binary_signature() || media_type.is_empty() && self.sniffs_as_html())
    }

    /// Returns true when the body is a picture, a PDF or an archive by its first bytes.
    pub fn has_binary_signature(&self) -> bool {
        const SIGNATURES: &[&[u8]] = &[b"%PDF-", b"\x89PNG", b"GIF8", b"\xFF\xD8\xFF", b"PK\x03\x04"];
        let is_webp = self.body.starts_with(b"RIFF") && self.body.get(8..12) == Some(b"WEBP");
        is_webp || SIGNATURES.iter().any(|signature| self.body.starts_with(signature))
    }

    /// Returns the target of a redirect. Returns `None` for other responses.
    pub fn redirect_target(&self, from: &Url) -> Option<Url> {
        if !matches!(self.status, 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        crawler::url::join_location(from, self.headers.get(http::header::LOCATION)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(content_type: &str, body: &[u8]) -> Response {
        let mut headers = HeaderMap::new();
        if !content_type.is_empty() {
            headers.insert("content-type", content_type.parse().unwrap());
        }
        Response { status: 200, headers, body: Bytes::copy_from_slice(body), ..Response::default() }
    }

    #[test]
    fn a_document_without_a_type_is_recognised_by_its_beginning() {
        assert!(response("", b"\xEF\xBB\xBF <!-- a --><!DOCTYPE html>").is_page());
        assert!(!response("", b"plain text").is_page());
        assert!(!response("text/html", b"%PDF-1.7").is_page());
        assert!(response("text/html; charset=utf-8", b"").is_page());
    }

    #[test]
    fn text_is_decoded_as_it_is_declared() {
        assert_eq!(response("text/html; charset=\"ISO-8859-1\"", b"caf\xE9").text(), "café");
        assert_eq!(
            response("text/html", b"<meta charset='windows-1252'>caf\xE9").text(),
            "<meta charset='windows-1252'>café"
        );
        assert_eq!(response("text/html", "café".as_bytes()).text(), "café");
        assert_eq!(response("text/html", b"caf\xE9").text(), "café");
    }

    #[test]
    fn a_redirect_needs_a_status_and_a_location_that_parses() {
        let from = Url::parse("https://shop.example/a/b").unwrap();
        let mut redirect = response("", b"");
        redirect.headers.insert("location", "../c".parse().unwrap());
        assert_eq!(redirect.redirect_target(&from), None);

        redirect.status = 308;

        assert_eq!(redirect.redirect_target(&from).unwrap().as_str(), "https://shop.example/c");
    }
}
