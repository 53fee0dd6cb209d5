//! Addresses of an audit: which are on the site, and which are the same. Used by page facts, the crawl and the joins.
//! Pure. Must never call two addresses the same that a server could answer differently, tracking parameters aside.

use crawler::url::{is_tracking_param, www_twin};
use url::Url;

/// The audited site: its origin, and the hosts that count as it.
#[derive(Debug, Clone)]
pub struct Origin {
    root: Url,
    host: String,
    twin: Option<String>,
    dropped: Vec<String>,
}

/// An address after it was compared with the site.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// On the site: path and query of its key.
    Internal(String),
    /// Somewhere else, without its fragment.
    External(Url),
}

impl Origin {
    /// Makes the site of the page `seed`.
    pub fn of(seed: &Url) -> Origin {
        let mut root = seed.clone();
        root.set_path("/");
        root.set_query(None);
        root.set_fragment(None);
        let host = seed.host_str().unwrap_or_default().to_owned();
        let twin = www_twin(&host);
        Origin { root, host, twin, dropped: Vec::new() }
    }

    /// Returns the site with query parameters that never make another page.
    pub fn without_parameters(mut self, names: &[String]) -> Origin {
        self.dropped = names.to_vec();
        self
    }

    /// Returns the address `/` of the site.
    pub fn root(&self) -> &Url {
        &self.root
    }

    /// Returns the audited host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the `www.` or apex twin of the host, if it can have one.
    pub fn twin(&self) -> Option<&str> {
        self.twin.as_deref()
    }

    /// Returns true for an address on the site: its host or the twin, on the site's own port. The usual ports of both schemes are
    /// one, so that plain and encrypted addresses belong together.
    pub fn contains(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        matches!(url.scheme(), "http" | "https")
            && (host == self.host || self.twin.as_deref() == Some(host))
            && url.port() == self.root.port()
    }

    /// Compares an address with the site.
    pub fn target(&self, url: &Url) -> Target {
        if self.contains(url) {
            return Target::Internal(self.key(url));
        }
        let mut url = url.clone();
        url.set_fragment(None);
        Target::External(url)
    }

    /// Returns the key of an address: path and query in normal form. Two addresses of the site are the same when
    /// their keys are equal.
    pub fn key(&self, url: &Url) -> String {
        let mut key = normal_escapes(url.path());
        let query = url.query().unwrap_or_default();
        let mut kept =
            query.split('&').filter(|pair| !is_tracking_param(pair) && !self.drops(pair)).peekable();
        if !query.is_empty() && kept.peek().is_some() {
            key.push('?');
            key.push_str(&normal_escapes(&kept.collect::<Vec<_>>().join("&")));
        }
        key
    }

    fn drops(&self, pair: &str) -> bool {
        let name = pair.split('=').next().unwrap_or_default();
        self.dropped.iter().any(|dropped| dropped == name)
    }

    /// Returns the absolute address of a key.
    pub fn url(&self, key: &str) -> Url {
        // A key that begins with two slashes would name another host if it were joined.
        let (path, query) = key.split_once('?').map_or((key, None), |(path, query)| (path, Some(query)));
        let mut url = self.root.clone();
        url.set_path(path);
        url.set_query(query);
        url
    }
}

/// Normalizes escapes: upper-case hexadecimal digits, and none where none are needed (RFC 3986, 6.2.2).
fn normal_escapes(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut normal = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        normal.push_str(&rest[..at]);
        rest = &rest[at..];
        let code = rest.get(1..3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        // `from_str_radix` takes a sign too.
        let code = code.filter(|_| rest.as_bytes()[1].is_ascii_hexdigit());
        match code {
            Some(byte) if is_unreserved(byte) && !would_complete_an_escape(&normal) => {
                normal.push(char::from(byte));
                rest = &rest[3..];
            }
            Some(_) => {
                normal.push_str(&rest[..3].to_ascii_uppercase());
                rest = &rest[3..];
            }
            None => {
                normal.push('%');
                rest = &rest[1..];
            }
        }
    }
    normal.push_str(rest);
    normal
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Returns true when the text ends in a stray `%` that one more digit would turn into the beginning of an escape.
fn would_complete_an_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.ends_with(b"%") || bytes.len() >= 2 && bytes[bytes.len() - 2] == b'%'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn origin() -> Origin {
        Origin::of(&Url::parse("https://shop.example/start").unwrap())
    }

    fn key(text: &str) -> String {
        let origin = origin();
        match origin.target(&origin.root().join(text).unwrap()) {
            Target::Internal(key) => key,
            Target::External(url) => panic!("{url} is external"),
        }
    }

    #[test]
    fn addresses_of_one_page_have_one_key() {
        let cases = [
            ("", "/"),
            ("/a#part", "/a"),
            ("http://www.shop.example/a?utm_source=x", "/a"),
            ("https://shop.example:443/a?b=1&gclid=2&c", "/a?b=1&c"),
            ("/caf%c3%a9%7e", "/caf%C3%A9~"),
            ("/a?", "/a"),
            ("/100%", "/100%"),
            ("/%+1", "/%+1"),
        ];

        for (text, expected) in cases {
            assert_eq!(key(text), expected, "{text}");
        }
    }

    #[test]
    fn a_dropped_parameter_makes_no_other_page() {
        let origin = origin().without_parameters(&["sort".to_owned()]);

        let key = origin.key(&origin.root().join("/list?page=2&sort=price&sorted").unwrap());

        assert_eq!(key, "/list?page=2&sorted");
    }

    #[test]
    fn the_order_of_parameters_and_slashes_make_another_page() {
        for (one, other) in [("/a?b&c", "/a?c&b"), ("/a", "/a/"), ("/a//b", "/a/b"), ("/a", "/A")] {
            assert_ne!(key(one), key(other));
        }
    }

    #[test]
    fn other_hosts_ports_and_schemes_are_external() {
        let origin = origin();
        for text in [
            "https://blog.shop.example/",
            "https://shop.example:8443/",
            "ftp://shop.example/",
            "https://evil.example/",
        ] {
            assert!(!origin.contains(&Url::parse(text).unwrap()), "{text}");
        }
    }

    #[test]
    fn another_port_is_another_site_unless_both_are_usual_ones() {
        for (seed, other, is_same) in [
            ("https://shop.example/", "http://www.shop.example:80/", true),
            ("http://shop.example:8080/", "http://www.shop.example:8080/a", true),
            ("http://shop.example:8080/", "http://shop.example/", false),
            ("http://shop.example:8080/", "https://shop.example:443/", false),
            ("http://shop.example/", "http://shop.example:8080/", false),
            ("http://shop.example:8080/", "http://shop.example:9090/", false),
        ] {
            let origin = Origin::of(&Url::parse(seed).unwrap());

            assert_eq!(origin.contains(&Url::parse(other).unwrap()), is_same, "{seed} {other}");
        }
    }

    #[test]
    fn a_key_of_two_slashes_stays_on_the_site() {
        assert_eq!(origin().url("//evil.example/x").host_str(), Some("shop.example"));
    }

    proptest! {
        #[test]
        fn the_key_of_a_key_is_itself(path in "[a-zA-Z0-9/%.~é]{0,30}", query in "[a-z0-9&=%_]{0,30}") {
            let first = key(&format!("https://shop.example/{path}?{query}"));

            prop_assert_eq!(origin().key(&origin().url(&first)), first);
        }
    }
}
