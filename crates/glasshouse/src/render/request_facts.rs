//! The facts about a request that decide what it gets, read from its headers once. Pure; shared by the render endpoint and the edge.

use http::header::HeaderName;
use http::{HeaderMap, Method};

/// What is known of a request, apart from its address.
#[derive(Debug, Clone)]
pub struct RequestFacts<'a> {
    /// Method of the request for the page.
    pub method: &'a Method,
    /// `Accept`; several header lines joined by a comma.
    pub accept: Option<&'a str>,
    /// Whether `Accept-Language` is there.
    pub has_accept_language: bool,
    pub sec_fetch_dest: Option<&'a str>,
    pub sec_fetch_mode: Option<&'a str>,
    pub upgrade_insecure_requests: Option<&'a str>,
    pub user_agent: Option<&'a str>,
    /// Whether the user agent is a known crawler's, or the request carries a valid signature of one or `X-BufferBot`.
    pub is_crawler: bool,
}

/// The headers of a request that the decision looks at.
pub struct DecidingHeaders<'a> {
    accept: Option<std::borrow::Cow<'a, str>>,
    has_accept_language: bool,
    sec_fetch_dest: Option<&'a str>,
    sec_fetch_mode: Option<&'a str>,
    upgrade_insecure_requests: Option<&'a str>,
    pub user_agent: Option<&'a str>,
    is_buffer_bot: bool,
}

impl<'a> DecidingHeaders<'a> {
    /// Reads them. A header that is no text counts as its empty text.
    pub fn of(headers: &'a HeaderMap) -> DecidingHeaders<'a> {
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or(""));
        let mut accept = headers.get_all("accept").iter().map(|value| value.to_str().unwrap_or(""));
        let accept = accept.next().map(|first| match accept.next() {
            None => first.into(),
            Some(second) => [first, second].into_iter().chain(accept).collect::<Vec<_>>().join(",").into(),
        });
        DecidingHeaders {
            accept,
            has_accept_language: headers.contains_key("accept-language"),
            sec_fetch_dest: text("sec-fetch-dest"),
            sec_fetch_mode: text("sec-fetch-mode"),
            upgrade_insecure_requests: text("upgrade-insecure-requests"),
            user_agent: text("user-agent"),
            is_buffer_bot: headers.contains_key("x-bufferbot"),
        }
    }

    /// The facts that they are, together with what is not in them.
    pub fn facts<'s>(&'s self, method: &'s Method, is_crawler: bool) -> RequestFacts<'s> {
        RequestFacts {
            method,
            accept: self.accept.as_deref(),
            has_accept_language: self.has_accept_language,
            sec_fetch_dest: self.sec_fetch_dest,
            sec_fetch_mode: self.sec_fetch_mode,
            upgrade_insecure_requests: self.upgrade_insecure_requests,
            user_agent: self.user_agent,
            is_crawler: is_crawler || self.is_buffer_bot,
        }
    }
}

/// Names of the headers that decide what a request gets, beside its key: the fast path tells requests apart by them.
pub const DECIDING_HEADER_NAMES: [HeaderName; 7] = [
    http::header::USER_AGENT,
    http::header::ACCEPT,
    http::header::ACCEPT_LANGUAGE,
    HeaderName::from_static("sec-fetch-dest"),
    HeaderName::from_static("sec-fetch-mode"),
    http::header::UPGRADE_INSECURE_REQUESTS,
    HeaderName::from_static("x-bufferbot"),
];
