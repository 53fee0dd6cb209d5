//! The facts about a request that decide what it gets, read from its headers once. Pure; shared by the render endpoint and the edge.

use http::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderName, UPGRADE_INSECURE_REQUESTS, USER_AGENT};
use http::{HeaderMap, Method};

use crate::api::header_names::{BUFFER_BOT, SEC_FETCH_DEST, SEC_FETCH_MODE};

/// The headers that decide what a request gets, beside its key: the fast path tells requests apart by them.
pub const DECIDING_HEADER_NAMES: [HeaderName; 7] = [
    USER_AGENT,
    ACCEPT,
    ACCEPT_LANGUAGE,
    SEC_FETCH_DEST,
    SEC_FETCH_MODE,
    UPGRADE_INSECURE_REQUESTS,
    BUFFER_BOT,
];

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

/// What is in [`DECIDING_HEADER_NAMES`] of one request.
pub struct DecidingHeaders<'a> {
    accept: Option<std::borrow::Cow<'a, str>>,
    has_accept_language: bool,
    sec_fetch_dest: Option<&'a str>,
    sec_fetch_mode: Option<&'a str>,
    upgrade_insecure_requests: Option<&'a str>,
    /// Bytes that are no UTF-8 are replaced: they say nothing of which client it is.
    pub user_agent: Option<std::borrow::Cow<'a, str>>,
    is_buffer_bot: bool,
}

impl<'a> DecidingHeaders<'a> {
    /// Reads them. A header that is no text counts as its empty text.
    pub fn of(headers: &'a HeaderMap) -> DecidingHeaders<'a> {
        let text = |name: HeaderName| {
            debug_assert!(DECIDING_HEADER_NAMES.contains(&name), "{name} decides and is not in the list");
            headers.get(name).map(|value| value.to_str().unwrap_or(""))
        };
        let mut accept = headers.get_all(ACCEPT).iter().map(|value| value.to_str().unwrap_or(""));
        let accept = accept.next().map(|first| match accept.next() {
            None => first.into(),
            Some(second) => [first, second].into_iter().chain(accept).collect::<Vec<_>>().join(",").into(),
        });
        DecidingHeaders {
            accept,
            has_accept_language: headers.contains_key(ACCEPT_LANGUAGE),
            sec_fetch_dest: text(SEC_FETCH_DEST),
            sec_fetch_mode: text(SEC_FETCH_MODE),
            upgrade_insecure_requests: text(UPGRADE_INSECURE_REQUESTS),
            user_agent: headers.get(USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes())),
            is_buffer_bot: headers.contains_key(BUFFER_BOT),
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
            user_agent: self.user_agent.as_deref(),
            is_crawler: is_crawler || self.is_buffer_bot,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_user_agent_is_read_whatever_its_bytes() {
        for (agent, name) in [
            (&b"Googlebot/2.1 caf\xe9"[..], "Googlebot/2.1 caf\u{fffd}"),
            (b"Googlebot/2.1 caf\xc3\xa9", "Googlebot/2.1 caf\u{e9}"),
            (b"curl/8", "curl/8"),
        ] {
            let headers = HeaderMap::from_iter([(USER_AGENT, HeaderValue::from_bytes(agent).unwrap())]);

            assert_eq!(DecidingHeaders::of(&headers).user_agent.as_deref(), Some(name));
        }
    }
}
