//! Facts about a request that decide its answer, read from its headers once. Pure; shared by the render endpoint and the edge.

use std::borrow::Cow;

use http::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderName, UPGRADE_INSECURE_REQUESTS, USER_AGENT};
use http::{HeaderMap, Method};
use url::Url;

use analytics::crawlers::cut;
use analytics::{Crawler, CrawlerIndex};
use platform::api::accept::{names_markdown, prefers_markdown};
use platform::api::header_names::{BUFFER_BOT, SEC_CH_UA, SEC_FETCH_DEST, SEC_FETCH_MODE};

/// Headers that decide the answer to a request, beside its API key. The fast path distinguishes requests by these headers.
pub const DECIDING_HEADER_NAMES: [HeaderName; 8] = [
    USER_AGENT,
    ACCEPT,
    ACCEPT_LANGUAGE,
    SEC_FETCH_DEST,
    SEC_FETCH_MODE,
    SEC_CH_UA,
    UPGRADE_INSECURE_REQUESTS,
    BUFFER_BOT,
];

/// Facts about a request, apart from its address.
#[derive(Debug, Clone)]
pub struct RequestFacts<'a> {
    /// Method of the request for the page.
    pub method: &'a Method,
    /// `Accept`; several header lines joined by a comma.
    pub accept: Option<&'a str>,
    pub sec_fetch_dest: Option<&'a str>,
    /// True when the headers are those of a browser's navigation.
    pub is_navigation: bool,
    /// True with evidence of a crawler, which outweighs a navigation: see [`DecidingHeaders::crawler`], a valid signature, or
    /// `X-BufferBot`.
    pub is_crawler: bool,
    /// True when the client is signed in or upgrades its connection, so that the answer is not a page for everybody.
    pub is_private: bool,
}

/// Values of [`DECIDING_HEADER_NAMES`] in one request.
pub struct DecidingHeaders<'a> {
    accept: Option<Cow<'a, str>>,
    sec_fetch_dest: Option<&'a str>,
    user_agent: Option<Cow<'a, str>>,
    is_navigation: bool,
    is_buffer_bot: bool,
}

impl<'a> DecidingHeaders<'a> {
    /// Reads the headers. A value that is not text counts as empty.
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
        let user_agent = headers.get(USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()));
        let is_of_browser = || {
            user_agent.as_deref().is_some_and(is_browser)
                && headers.contains_key(ACCEPT_LANGUAGE)
                && (text(UPGRADE_INSECURE_REQUESTS).is_some_and(|value| value.trim() == "1")
                    || headers.contains_key(SEC_CH_UA)
                    || accept.as_deref().is_some_and(wants_xhtml))
        };
        let is_navigation =
            text(SEC_FETCH_MODE).is_some_and(|mode| mode.trim() == "navigate") || is_of_browser();
        DecidingHeaders {
            is_navigation,
            accept,
            sec_fetch_dest: text(SEC_FETCH_DEST),
            user_agent,
            is_buffer_bot: headers.contains_key(BUFFER_BOT),
        }
    }

    /// Returns the crawler that a request for `target` claims to be from, if any.
    ///
    /// A documented crawler counts as a crawler whatever other headers say, as does a request that only crawlers and agents send.
    /// The general list and words such as `bot` also match people's phones, so a browser's navigation outweighs them.
    pub fn crawler(&self, target: &Url) -> Option<&'static Crawler> {
        let index = CrawlerIndex::shared();
        let named = self.user_agent.as_deref().and_then(|user_agent| index.identify(user_agent));
        if named.is_some_and(Crawler::is_documented) {
            return named;
        }
        if names_markdown(self.accept.as_deref()) {
            return Some(index.markdown_client(named));
        }
        let is_crawlers = || self.is_buffer_bot || crawler::url::escaped_fragment(target).is_some();
        named.filter(|_| !self.is_navigation || is_crawlers())
    }

    /// Returns the crawler of a request that a site's middleware has decided to be a crawler's: the one that the user agent
    /// names, else the unknown one.
    pub fn middlewares_crawler(&self, target: &Url) -> &'static Crawler {
        let index = CrawlerIndex::shared();
        let named = || self.user_agent.as_deref().and_then(|user_agent| index.identify(user_agent));
        self.crawler(target).or_else(named).unwrap_or_else(|| index.unknown())
    }

    /// Returns the facts of a request that a site's middleware has decided to be a crawler's for a page. Of the headers only an
    /// `Accept` that prefers Markdown is left.
    pub fn middlewares_facts(&self) -> RequestFacts<'_> {
        RequestFacts {
            method: &Method::GET,
            accept: self.accept.as_deref().filter(|accept| prefers_markdown(Some(accept))),
            sec_fetch_dest: None,
            is_navigation: false,
            is_crawler: true,
            is_private: false,
        }
    }

    /// Returns the facts about the request, including the method and whether it is a crawler's.
    pub fn facts<'s>(&'s self, method: &'s Method, is_crawler: bool) -> RequestFacts<'s> {
        RequestFacts {
            method,
            accept: self.accept.as_deref(),
            sec_fetch_dest: self.sec_fetch_dest,
            is_navigation: self.is_navigation,
            is_crawler: is_crawler || self.is_buffer_bot,
            is_private: false,
        }
    }
}

/// Decides whether a user agent has the form of a browser's.
fn is_browser(user_agent: &str) -> bool {
    let user_agent = cut(user_agent);
    const ENGINES: [&str; 6] = ["AppleWebKit/", "Gecko/", "Chrome/", "Safari/", "Trident/", "Presto/"];
    user_agent.starts_with("Mozilla/5.0") && ENGINES.iter().any(|engine| user_agent.contains(engine))
}

fn wants_xhtml(accept: &str) -> bool {
    accept.to_ascii_lowercase().contains("application/xhtml+xml")
}

#[cfg(test)]
mod tests {
    use super::*;
    use analytics::Class;

    const CHROME: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
    const XBOT: &str = "Mozilla/5.0 (Linux; Android 12; XBot 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";
    const GOOGLEBOT: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/142.0.0.0 Safari/537.36";
    const XHTML: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    type Fields<'a> = &'a [(HeaderName, &'a str)];

    fn read<T>(fields: Fields<'_>, look: impl FnOnce(DecidingHeaders<'_>) -> T) -> T {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(name, value.parse().expect("a value"));
        }
        look(DecidingHeaders::of(&headers))
    }

    fn crawler_of(target: &str, fields: Fields<'_>) -> Option<&'static str> {
        let target = Url::parse(target).expect("an address");
        read(fields, |deciding| deciding.crawler(&target)).map(|crawler| crawler.id.as_str())
    }

    #[test]
    fn a_browser_that_goes_to_an_address_is_known_by_any_of_its_headers() {
        let language = (ACCEPT_LANGUAGE, "en");
        let navigations: [Fields<'_>; 5] = [
            &[(SEC_FETCH_MODE, "navigate")],
            &[(SEC_FETCH_MODE, " navigate "), (USER_AGENT, "curl/8.4.0")],
            &[(USER_AGENT, CHROME), language.clone(), (UPGRADE_INSECURE_REQUESTS, "1")],
            &[(USER_AGENT, CHROME), language.clone(), (SEC_CH_UA, "\"Chromium\";v=\"142\"")],
            &[(USER_AGENT, CHROME), language.clone(), (ACCEPT, XHTML)],
        ];
        let others: [Fields<'_>; 5] = [
            &[(USER_AGENT, CHROME), (UPGRADE_INSECURE_REQUESTS, "1"), (ACCEPT, XHTML)],
            &[(USER_AGENT, CHROME), language.clone(), (ACCEPT, "text/html")],
            &[(USER_AGENT, CHROME), language.clone(), (UPGRADE_INSECURE_REQUESTS, "0")],
            &[(USER_AGENT, "MyFetcher/1.0"), language, (ACCEPT, XHTML)],
            &[(SEC_FETCH_MODE, "cors")],
        ];

        for fields in navigations {
            assert!(read(fields, |deciding| deciding.is_navigation), "{fields:?}");
        }
        for fields in others {
            assert!(!read(fields, |deciding| deciding.is_navigation), "{fields:?}");
        }
    }

    #[test]
    fn a_phone_named_bot_is_a_persons_when_it_navigates() {
        let agent = (USER_AGENT, XBOT);
        let navigation: Fields<'_> = &[agent.clone(), (ACCEPT_LANGUAGE, "en"), (ACCEPT, XHTML)];

        assert_eq!(crawler_of("https://shop.example/", navigation), None);
        assert_eq!(crawler_of("https://shop.example/", &[agent.clone(), (SEC_FETCH_MODE, "navigate")]), None);
        assert_eq!(crawler_of("https://shop.example/", &[agent]), Some("unknown"));
    }

    #[test]
    fn a_documented_crawler_is_one_even_with_the_headers_of_a_browser() {
        let fields: Fields<'_> = &[
            (USER_AGENT, GOOGLEBOT),
            (ACCEPT_LANGUAGE, "en"),
            (ACCEPT, XHTML),
            (SEC_FETCH_MODE, "navigate"),
        ];

        assert_eq!(crawler_of("https://shop.example/", fields), Some("googlebot"));
    }

    #[test]
    fn a_request_that_only_crawlers_send_outweighs_a_navigation() {
        let navigation = [(USER_AGENT, XBOT), (SEC_FETCH_MODE, "navigate")];
        let [agent, mode] = navigation.clone();

        assert_eq!(crawler_of("https://shop.example/?_escaped_fragment_=a", &navigation), Some("unknown"));
        assert_eq!(crawler_of("https://shop.example/", &[agent, mode, (BUFFER_BOT, "1")]), Some("unknown"));
    }

    #[test]
    fn an_accept_that_names_markdown_is_an_agents() {
        let with = |agent, accept| {
            let fields = [(USER_AGENT, agent), (ACCEPT, accept), (SEC_FETCH_MODE, "navigate")];
            crawler_of("https://shop.example/", &fields)
        };

        let cursor = "text/markdown, text/plain;q=0.9, */*;q=0.8";
        for agent in [CHROME, XBOT, "axios/1.6.0", "node"] {
            assert_eq!(with(agent, cursor), Some("markdown-client"), "{agent}");
        }
        assert_eq!(with("Claude-User (claude-code/2.1.92)", cursor), Some("claude-code"));
        assert_eq!(with(CHROME, "text/markdown;q=0, */*"), None);
        let client = CrawlerIndex::shared().find("markdown-client").expect("a crawler");
        assert_eq!((client.name.as_str(), client.provider.as_str()), ("Markdown client", "other"));
        assert_eq!(client.class, Class::LlmUser);
    }

    #[test]
    fn several_lines_of_accept_are_one() {
        let fields: Fields<'_> =
            &[(USER_AGENT, CHROME), (ACCEPT, "text/plain"), (ACCEPT, "text/markdown;q=0.5")];

        assert_eq!(crawler_of("https://shop.example/", fields), Some("markdown-client"));
    }

    #[test]
    fn a_user_agent_is_read_whatever_its_bytes() {
        for (agent, name) in [
            (&b"Googlebot/2.1 caf\xe9"[..], "Googlebot/2.1 caf\u{fffd}"),
            (b"Googlebot/2.1 caf\xc3\xa9", "Googlebot/2.1 caf\u{e9}"),
            (b"curl/8", "curl/8"),
        ] {
            let headers = HeaderMap::from_iter([(USER_AGENT, http::HeaderValue::from_bytes(agent).unwrap())]);

            assert_eq!(DecidingHeaders::of(&headers).user_agent.as_deref(), Some(name));
        }
    }
}
