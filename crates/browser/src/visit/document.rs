//! The main document of a visit according to the network, and whether its response is a page. Used by the state machine.
//! Pure. Must never read a body: the response's head decides.

use http::header::{CONTENT_LANGUAGE, CONTENT_LOCATION, LINK};
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::protocol::{Request, Response};

/// The current main document.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub request: Option<String>,
    pub loader: Option<String>,
    /// Address without the fragment.
    pub url: String,
    /// Status of the response, once received.
    pub status: Option<u16>,
    /// Reason why the response is not a page.
    pub rejection: Option<String>,
    /// MIME type of an XML document. Only the script in it can decide, by its root, whether it is a page.
    pub xml: Option<String>,
    /// The document runs no scripts, including the page script.
    pub forbids_scripts: bool,
    /// Target of a `Refresh` header.
    pub refresh: Option<String>,
    /// Headers for crawlers.
    pub headers: HeaderMap,
}

impl Document {
    /// Makes a document that is being requested.
    pub fn requested(request: &Request<'_>) -> Document {
        Document {
            request: Some(request.request_id.to_string()),
            loader: Some(request.loader_id.to_string()),
            url: request.request.url.to_string(),
            ..Document::default()
        }
    }

    /// Sets what the head of the response says.
    pub fn read_head(&mut self, response: &Response<'_>) {
        self.status = Some(page_status(response));
        self.rejection = rejection_of(response);
        self.xml = is_xml(response).then(|| response.mime_type.to_string());
        self.forbids_scripts = forbids_scripts(response);
        self.refresh = refresh_of(response, &self.url);
        self.headers = headers_for_crawlers(response);
    }

    /// Returns true when a loader id is that of this document.
    pub fn is_loader(&self, loader: &str) -> bool {
        self.loader.as_deref() == Some(loader)
    }
}

/// Returns the status of the page.
fn page_status(response: &Response<'_>) -> u16 {
    // The origin confirmed the cached document.
    if response.status == 304 { 200 } else { response.status }
}

/// Maximum bytes of headers for crawlers. Further lines are omitted.
const MAX_HEADER_BYTES: usize = 16 * 1024;

/// Reads the headers that concern crawlers.
fn headers_for_crawlers(response: &Response<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut room = MAX_HEADER_BYTES;
    for name in [HeaderName::from_static("x-robots-tag"), CONTENT_LANGUAGE, CONTENT_LOCATION, LINK] {
        // The browser joins lines of the same name by line breaks.
        for line in response.header(name.as_str()).unwrap_or_default().split('\n').map(str::trim) {
            let Ok(value) = HeaderValue::from_bytes(line.as_bytes()) else { continue };
            if !line.is_empty() && line.len() <= room {
                room -= line.len();
                headers.append(name.clone(), value);
            }
        }
    }
    headers
}

/// Returns true when a policy sandboxes the document without scripts.
fn forbids_scripts(response: &Response<'_>) -> bool {
    let policies = response.header("content-security-policy").unwrap_or_default().to_ascii_lowercase();
    policies.split([',', '\n']).flat_map(|policy| policy.split(';')).any(|directive| {
        let mut words = directive.split_ascii_whitespace();
        words.next() == Some("sandbox") && !words.any(|word| word == "allow-scripts")
    })
}

/// Returns true when a browser window shows the response, whatever its type.
pub(super) fn is_shown(response: &Response<'_>) -> bool {
    let disposition = response.header("content-disposition").unwrap_or_default();
    !matches!(response.status, 204 | 205)
        && !disposition.trim_start().to_ascii_lowercase().starts_with("attachment")
}

/// Returns true when a browser saves the response to a file because of its type.
pub(super) fn is_download(response: &Response<'_>) -> bool {
    let shown = ["text/", "image/", "audio/", "video/", "application/pdf"];
    let of_text = ["json", "xml", "javascript", "ecmascript"];
    let mime_type = &*response.mime_type;
    !mime_type.is_empty()
        && !shown.iter().any(|start| mime_type.starts_with(start))
        && !of_text.iter().any(|end| mime_type.ends_with(end))
}

/// Maximum delay of a refresh that counts as a redirect, as in `page-script/src/redirects.js`.
const REFRESH_SECONDS: f32 = 5.0;

/// Returns the target of a `Refresh` header, if it is another address and the delay is short.
fn refresh_of(response: &Response<'_>, document: &str) -> Option<String> {
    let (seconds, rest) = response.header("refresh")?.split_once([';', ','])?;
    if seconds.trim().parse::<f32>().is_ok_and(|seconds| (0.0..=REFRESH_SECONDS).contains(&seconds)) {
        let rest = rest.trim();
        let is_named = rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"));
        let named = rest.get(3..).filter(|_| is_named).and_then(|rest| rest.trim_start().strip_prefix('='));
        let address = named.unwrap_or(rest).trim().trim_matches(['"', '\'']);
        let document = Url::parse(document).ok()?;
        let target = document.join(address).ok()?;
        let is_other = target[..url::Position::AfterQuery] != document[..url::Position::AfterQuery];
        return (is_other && matches!(target.scheme(), "http" | "https")).then(|| target.into());
    }
    None
}

/// Returns true for a type that can be a page or data.
fn is_xml(response: &Response<'_>) -> bool {
    matches!(&*response.mime_type, "application/xml" | "text/xml")
}

/// Returns the reason why a response is not a page: not shown, or a type other than HTML.
fn rejection_of(response: &Response<'_>) -> Option<String> {
    let status = page_status(response);
    if !is_shown(response) {
        return Some(if matches!(status, 204 | 205) {
            format!("status {status}")
        } else {
            "a download".to_owned()
        });
    }
    let is_html = matches!(&*response.mime_type, "text/html" | "application/xhtml+xml");
    // An error without a body has no type, but is a page.
    let is_bare_error = response.mime_type.is_empty() && status >= 400;
    if is_html || is_bare_error || is_xml(response) {
        return None;
    }
    Some(if response.mime_type.is_empty() { "nothing".to_owned() } else { response.mime_type.to_string() })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn response(
        status: u16,
        mime_type: &'static str,
        headers: &[(&'static str, &'static str)],
    ) -> Response<'static> {
        let headers: HashMap<_, _> =
            headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Response { url: "".into(), status, mime_type: mime_type.into(), headers }
    }

    #[test]
    fn html_is_a_page_whatever_its_status() {
        for status in [200, 404, 410, 500, 503] {
            assert_eq!(rejection_of(&response(status, "text/html", &[])), None, "{status}");
        }
    }

    #[test]
    fn an_empty_response_is_a_page_only_with_an_error_status() {
        let error = rejection_of(&response(503, "", &[]));
        let success = rejection_of(&response(200, "", &[]));

        assert_eq!((error, success.as_deref()), (None, Some("nothing")));
    }

    #[test]
    fn a_sandbox_forbids_scripts_unless_it_allows_them() {
        let forbidden =
            |policy| forbids_scripts(&response(200, "text/html", &[("Content-Security-Policy", policy)]));

        for policy in
            ["sandbox", "default-src 'self'; SANDBOX allow-forms", "img-src *, sandbox", "img-src *\nsandbox"]
        {
            assert!(forbidden(policy), "{policy}");
        }
        for policy in ["", "script-src 'none'", "sandbox allow-forms allow-scripts", "report-uri /sandbox"] {
            assert!(!forbidden(policy), "{policy}");
        }
    }

    #[test]
    fn a_download_is_not_a_page_however_its_header_is_written() {
        for name in ["content-disposition", "Content-Disposition"] {
            let download = response(200, "text/html", &[(name, " Attachment; filename=x.html")]);

            assert_eq!(rejection_of(&download).as_deref(), Some("a download"));
        }
    }

    #[test]
    fn types_that_no_window_shows_are_downloads() {
        let saves = |mime_type| is_download(&response(200, mime_type, &[]));

        for shown in ["", "text/html", "image/png", "application/pdf", "application/ld+json", "image/svg+xml"]
        {
            assert!(!saves(shown), "{shown}");
        }
        for saved in ["application/zip", "application/octet-stream", "font/woff2"] {
            assert!(saves(saved), "{saved}");
        }
    }

    #[test]
    fn a_refresh_header_redirects_to_another_address_within_seconds() {
        let refresh =
            |value| refresh_of(&response(200, "text/html", &[("Refresh", value)]), "https://shop.test/a/b");

        for value in ["2; url=/new", "0;URL='/new'", "0, /new", "5 ; Url = \"/new\""] {
            assert_eq!(refresh(value).as_deref(), Some("https://shop.test/new"), "{value}");
        }
        for value in ["5", "9; url=/new", "0; url=/a/b", "0; url=", "0; url=javascript:1", "soon; url=/new"] {
            assert_eq!(refresh(value), None, "{value}");
        }
    }

    #[test]
    fn status_304_counts_as_the_cached_page() {
        let confirmed = response(304, "text/html", &[]);

        assert_eq!((page_status(&confirmed), rejection_of(&confirmed)), (200, None));
    }

    #[test]
    fn headers_for_crawlers_are_read_line_by_line_up_to_a_bound() {
        let huge = "x".repeat(MAX_HEADER_BYTES);
        let read = |name, value: &str| {
            let value: &'static str = value.to_owned().leak();
            headers_for_crawlers(&response(200, "text/html", &[(name, value), ("Server", "x")]))
        };
        let lines = |headers: &HeaderMap| {
            headers
                .values()
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
                .collect::<Vec<_>>()
        };

        assert_eq!(
            lines(&read("X-Robots-Tag", "googlebot: noindex\n noarchive \n")),
            ["googlebot: noindex", "noarchive"]
        );
        assert_eq!(lines(&read("content-location", "/caf\u{e9}\nno\u{1}body")), ["/café"]);
        assert_eq!(lines(&read("Link", &format!("<a>; rel=canonical\n{huge}\n<b>; rel=next"))).len(), 2);
        assert!(read("Refresh", "1").is_empty());
    }
}
