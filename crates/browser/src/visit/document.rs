//! The main document of a visit, as the network tells it, and whether its response is a page. Used by the state machine.
//! Pure. Must never look at a body: what the head says decides.

use super::protocol::{Request, Response};

/// The main document: the one that came last.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub request: Option<String>,
    pub loader: Option<String>,
    /// Without the fragment.
    pub url: String,
    /// Of its response, once that is there.
    pub status: Option<u16>,
    /// Why that is not a page, when it is none.
    pub flaw: Option<String>,
    /// It may not run scripts, the page script included.
    pub forbids_scripts: bool,
}

impl Document {
    /// A document that is being asked for.
    pub fn requested(request: &Request<'_>) -> Document {
        Document {
            request: Some(request.request_id.to_string()),
            loader: Some(request.loader_id.to_string()),
            url: request.request.url.to_string(),
            status: None,
            flaw: None,
            forbids_scripts: false,
        }
    }

    /// Whether a request is this document's own or one of its resources.
    pub fn is_loader(&self, loader: &str) -> bool {
        self.loader.as_deref() == Some(loader)
    }
}

/// The status that the page gets from its document's response.
pub(super) fn page_status(response: &Response<'_>) -> u16 {
    // The origin confirmed what the cache holds.
    if response.status == 304 { 200 } else { response.status }
}

/// Whether a response puts its document into a sandbox without scripts.
pub(super) fn forbids_scripts(response: &Response<'_>) -> bool {
    let policies = response.header("content-security-policy").unwrap_or_default().to_ascii_lowercase();
    policies.split([',', '\n']).flat_map(|policy| policy.split(';')).any(|directive| {
        let mut words = directive.split_ascii_whitespace();
        words.next() == Some("sandbox") && !words.any(|word| word == "allow-scripts")
    })
}

/// Whether a browser window shows something for a response, of whatever type.
pub(super) fn is_shown(response: &Response<'_>) -> bool {
    let disposition = response.header("content-disposition").unwrap_or_default();
    !matches!(response.status, 204 | 205)
        && !disposition.trim_start().to_ascii_lowercase().starts_with("attachment")
}

/// Why a response is not a page, when it is none: nothing that is shown, or another type than HTML.
pub(super) fn why_not_a_page(response: &Response<'_>) -> Option<String> {
    let status = page_status(response);
    if !is_shown(response) {
        return Some(if matches!(status, 204 | 205) {
            format!("status {status}")
        } else {
            "a download".to_owned()
        });
    }
    let is_html = matches!(&*response.mime_type, "text/html" | "application/xhtml+xml");
    // An error without a body has no type either, and is a page all the same.
    let is_bare_error = response.mime_type.is_empty() && status >= 400;
    if is_html || is_bare_error {
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
        Response { status, mime_type: mime_type.into(), headers }
    }

    #[test]
    fn html_is_a_page_whatever_its_status() {
        for status in [200, 404, 410, 500, 503] {
            assert_eq!(why_not_a_page(&response(status, "text/html", &[])), None, "{status}");
        }
    }

    #[test]
    fn an_error_without_a_body_is_a_page_and_a_success_without_one_is_not() {
        let error = why_not_a_page(&response(503, "", &[]));
        let success = why_not_a_page(&response(200, "", &[]));

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

            assert_eq!(why_not_a_page(&download).as_deref(), Some("a download"));
        }
    }

    #[test]
    fn a_confirmed_document_counts_as_the_page_that_the_cache_holds() {
        let confirmed = response(304, "text/html", &[]);

        assert_eq!((page_status(&confirmed), why_not_a_page(&confirmed)), (200, None));
    }
}
