//! Pages of the edge for requests without another answer: one design, one message each.
//! Must never repeat anything of the request, nor say who owns the site or why an operator locked it.

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};

use super::body::{self, EdgeBody};

const TEMPLATE: &str = include_str!("page.html");

/// Message of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticePage {
    /// The domain was added, but its records were not seen yet.
    Pending,
    /// The operator locked the domain.
    Suspended,
    /// The service itself cannot answer right now.
    Unavailable,
    /// The origin cannot be reached.
    OriginDown,
    /// The origin took too long.
    OriginSlow,
    /// Too many requests wait for the origin.
    OriginBusy,
    /// The origin's address leads back here.
    Loop,
    /// The host belongs to no domain.
    UnknownHost,
    /// The request is malformed.
    BadRequest,
    /// The client stopped sending its request.
    ClientStopped,
    /// The method is not supported.
    Method,
}

impl NoticePage {
    pub const fn status(self) -> StatusCode {
        match self {
            NoticePage::Pending
            | NoticePage::Suspended
            | NoticePage::Unavailable
            | NoticePage::OriginBusy => StatusCode::SERVICE_UNAVAILABLE,
            NoticePage::OriginDown => StatusCode::BAD_GATEWAY,
            NoticePage::OriginSlow => StatusCode::GATEWAY_TIMEOUT,
            NoticePage::Loop => StatusCode::LOOP_DETECTED,
            NoticePage::UnknownHost => StatusCode::MISDIRECTED_REQUEST,
            NoticePage::BadRequest => StatusCode::BAD_REQUEST,
            NoticePage::ClientStopped => StatusCode::REQUEST_TIMEOUT,
            NoticePage::Method => StatusCode::METHOD_NOT_ALLOWED,
        }
    }

    /// Returns the response with the page.
    pub fn response(self) -> Response<EdgeBody> {
        let (content_type, text) = match self.words() {
            NoticeText::Line(line) => ("text/plain; charset=utf-8", format!("{line}\n")),
            NoticeText::Page { title, text, drawing } => {
                ("text/html; charset=utf-8", self.html(title, text, drawing))
            }
        };
        let mut response = Response::new(body::full(text));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        if let Some(seconds) = self.retry_after() {
            headers.insert(RETRY_AFTER, HeaderValue::from_static(seconds));
        }
        response
    }

    const fn retry_after(self) -> Option<&'static str> {
        match self {
            NoticePage::Pending | NoticePage::Unavailable | NoticePage::OriginBusy => Some("10"),
            _ => None,
        }
    }

    fn html(self, title: &str, text: &str, drawing: &str) -> String {
        let status = self.status();
        let status = format!("{} {}", status.as_str(), status.canonical_reason().unwrap_or_default());
        let filled = TEMPLATE.replace("{title}", title).replace("{text}", text);
        filled.replace("{drawing}", drawing).replace("{status}", &status)
    }

    const fn words(self) -> NoticeText {
        match self {
            NoticePage::Pending => NoticeText::Page {
                title: "This site is being connected",
                text: "<p>Its address already leads here, and the last checks are running. This usually takes a few seconds; \
                       reload the page in a moment.</p>",
                drawing: CLOCK,
            },
            NoticePage::Suspended => NoticeText::Page {
                title: "This site is not available",
                text: "<p>Please try again later.</p>",
                drawing: PANE,
            },
            NoticePage::Unavailable => NoticeText::Page {
                title: "We cannot answer right now",
                text: "<p>This is a short disturbance on our side. Please reload the page in a moment.</p>",
                drawing: CLOCK,
            },
            NoticePage::OriginDown => NoticeText::Page {
                title: "The site\u{2019}s server does not answer",
                text: "<p>We could not reach the server behind this address. It may be restarting; please try again in a few \
                       minutes.</p><p>If this is your site: check that the server is running and that its address is the one in \
                       the domain\u{2019}s settings.</p>",
                drawing: BROKEN,
            },
            NoticePage::OriginSlow => NoticeText::Page {
                title: "The site\u{2019}s server takes too long",
                text: "<p>The server behind this address accepted the request but did not answer in time. Please try again in a \
                       few minutes.</p>",
                drawing: CLOCK,
            },
            NoticePage::OriginBusy => NoticeText::Page {
                title: "The site\u{2019}s server is very busy",
                text: "<p>More requests wait for the server behind this address than it answers. Please reload the page in a \
                       moment.</p>",
                drawing: CLOCK,
            },
            NoticePage::Loop => NoticeText::Page {
                title: "This address leads back to itself",
                text: "<p>The server that should answer for this site is set to this very address, so a request would go round in \
                       circles.</p><p>If this is your site: set the origin host to the address where your site is really hosted.</p>",
                drawing: CIRCLE,
            },
            NoticePage::UnknownHost => NoticeText::Line("This host is not served here."),
            NoticePage::BadRequest => NoticeText::Line("The request is malformed."),
            NoticePage::ClientStopped => NoticeText::Line("The request was not completed in time."),
            NoticePage::Method => NoticeText::Line("This method is not served here."),
        }
    }
}

enum NoticeText {
    /// Plain text for programs.
    Line(&'static str),
    /// HTML page for people.
    Page { title: &'static str, text: &'static str, drawing: &'static str },
}

const PANE: &str = r#"<rect x="6" y="6" width="28" height="28" rx="3"/><path d="M20 6v28M6 20h28"/>"#;
const CLOCK: &str = r#"<circle cx="20" cy="20" r="14"/><path d="M20 12v8l5 4"/>"#;
const BROKEN: &str = r#"<path d="M18 34H9a3 3 0 0 1-3-3V9a3 3 0 0 1 3-3h22a3 3 0 0 1 3 3v6"/><path d="m22 6-4 9 6 4-5 8"/><path d="m27 27 7 7m0-7-7 7"/>"#;
const CIRCLE: &str =
    r#"<path d="M33 15a14 14 0 0 0-26 2M7 25a14 14 0 0 0 26-2"/><path d="M33 7v8h-8M7 33v-8h8"/>"#;

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    const ALL: [NoticePage; 11] = [
        NoticePage::Pending,
        NoticePage::Suspended,
        NoticePage::Unavailable,
        NoticePage::OriginDown,
        NoticePage::OriginSlow,
        NoticePage::OriginBusy,
        NoticePage::Loop,
        NoticePage::UnknownHost,
        NoticePage::BadRequest,
        NoticePage::ClientStopped,
        NoticePage::Method,
    ];

    async fn text(page: NoticePage) -> String {
        let bytes = page.response().into_body().collect().await.expect("a body of its own").to_bytes();
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    #[tokio::test]
    async fn every_page_has_its_status_and_is_never_cached() {
        let statuses: Vec<u16> = ALL.iter().map(|page| page.response().status().as_u16()).collect();

        assert_eq!(statuses, [503, 503, 503, 502, 504, 503, 508, 421, 400, 408, 405]);
        for page in ALL {
            assert_eq!(page.response().headers()[CACHE_CONTROL], "no-store", "{page:?}");
            assert!(!text(page).await.contains('{') || text(page).await.contains("<style>"), "{page:?}");
        }
    }

    #[tokio::test]
    async fn a_page_for_people_is_a_whole_document_without_gaps() {
        for page in [
            NoticePage::Pending,
            NoticePage::Suspended,
            NoticePage::OriginDown,
            NoticePage::OriginSlow,
            NoticePage::OriginBusy,
            NoticePage::Loop,
        ] {
            let html = text(page).await;

            assert!(
                html.starts_with("<!doctype html>") && html.contains("<h1>") && html.contains("</html>"),
                "{page:?}"
            );
            for gap in ["{title}", "{text}", "{drawing}", "{status}"] {
                assert!(!html.contains(gap), "{page:?} {gap}");
            }
        }
    }

    #[tokio::test]
    async fn a_pending_domain_says_when_to_come_back() {
        assert_eq!(NoticePage::Pending.response().headers()[RETRY_AFTER], "10");
        assert!(!NoticePage::Suspended.response().headers().contains_key(RETRY_AFTER));
    }

    #[tokio::test]
    async fn a_suspended_domain_says_no_more_than_that() {
        let page = text(NoticePage::Suspended).await.to_lowercase();
        let (_, html) = page.split_once("</style>").expect("a style");

        for word in ["suspend", "lock", "operator", "account", "glasshouse"] {
            assert!(!html.contains(word), "{word}");
        }
    }

    #[tokio::test]
    async fn an_unknown_host_gets_one_plain_line() {
        let line = text(NoticePage::UnknownHost).await;

        assert_eq!(line.lines().count(), 1);
        assert_eq!(NoticePage::UnknownHost.response().headers()[CONTENT_TYPE], "text/plain; charset=utf-8");
    }
}
