//! Addresses in pages, resolved and compared with the site. Pages of a site repeat the same addresses, so those with
//! the same meaning on every page are resolved once. Used by views of pages.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use encoding_rs::{Encoding, UTF_8};
use hashbrown::HashMap;
use url::{Position, Url};

use super::PageFacts;
use crate::address::{Origin, Target};
use crate::site::UrlId;

/// Longest address that is processed: servers refuse longer ones, and each is kept in memory.
const MAX_URL_BYTES: usize = 16 * 1024;
/// Maximum number of cached addresses, and maximum length of each. Menus, which repeat on every page, rarely have longer ones.
const MAX_KNOWN: usize = 4096;
const MAX_KNOWN_BYTES: usize = 256;

/// Base of the relative addresses of a document, with the encoding in which their queries are sent.
#[derive(Debug, Clone)]
pub struct Base {
    url: Url,
    encoding: &'static Encoding,
}

impl Base {
    /// Returns the base of a document that was found at `url` in an encoding.
    pub fn of(facts: &PageFacts, url: &Url, encoding: &'static Encoding) -> Base {
        let own = facts.base.as_deref().and_then(|base| url.join(base.trim()).ok());
        Base { url: own.unwrap_or_else(|| url.clone()), encoding: encoding.output_encoding() }
    }

    /// Resolves an address of the document; none when it is none of the web.
    pub fn resolve(&self, href: &str) -> Option<Url> {
        let is_plain = self.encoding == UTF_8 || href.is_ascii();
        let url = if is_plain { self.url.join(href.trim()) } else { self.join_encoded(href.trim()) };
        url.ok().filter(is_of_the_web)
    }

    fn join_encoded(&self, href: &str) -> Result<Url, url::ParseError> {
        let options = Url::options().base_url(Some(&self.url));
        options.encoding_override(Some(&|query| Cow::Owned(self.encoded(query)))).parse(href)
    }

    fn encoded(&self, query: &str) -> Vec<u8> {
        let (bytes, _, has_unknown) = self.encoding.encode(query);
        if !has_unknown {
            return bytes.into_owned();
        }
        let mut encoded = Vec::new();
        for c in query.chars() {
            match self.encoding.encode(c.encode_utf8(&mut [0; 4])) {
                (bytes, _, false) => encoded.extend_from_slice(&bytes),
                // Characters that the encoding lacks are sent as escaped references.
                _ => encoded.extend_from_slice(format!("%26%23{}%3B", u32::from(c)).as_bytes()),
            }
        }
        encoded
    }
}

impl Deref for Base {
    type Target = Url;

    fn deref(&self) -> &Url {
        &self.url
    }
}

/// An address that was resolved.
#[derive(Debug)]
pub struct Address {
    /// Absolute address, with its fragment.
    pub url: Url,
    /// Address compared with the site.
    pub target: Target,
    /// Number of the address, once it was assigned; none: too many addresses are known.
    pub number: OnceLock<Option<UrlId>>,
}

/// Addresses that were resolved, by how they are written.
#[derive(Debug, Default)]
pub struct Addresses {
    known: HashMap<Box<str>, Arc<Address>>,
}

impl Addresses {
    /// Makes a resolver for the links of a page. Must be used for one site only.
    pub fn on<'a>(&'a mut self, base: &'a Base, origin: &'a Origin) -> OnPage<'a> {
        let root = |url: &'a Url| &url[..Position::BeforePath];
        OnPage { is_usual: root(base) == root(origin.root()), known: &mut self.known, base, origin }
    }
}

/// Addresses as one page means them.
pub struct OnPage<'a> {
    known: &'a mut HashMap<Box<str>, Arc<Address>>,
    base: &'a Base,
    origin: &'a Origin,
    is_usual: bool,
}

impl OnPage<'_> {
    /// Resolves an address. Returns `None` for one that is not of the web.
    pub fn resolve(&mut self, href: &str) -> Option<Arc<Address>> {
        let means_the_same = self.is_usual && href.starts_with('/')
            || href.starts_with("http://")
            || href.starts_with("https://");
        let is_in_any_encoding = href.is_ascii() || self.base.encoding == UTF_8;
        if !means_the_same || !is_in_any_encoding || href.len() > MAX_KNOWN_BYTES {
            return self.read(href).map(Arc::new);
        }
        if let Some(address) = self.known.get(href) {
            return Some(address.clone());
        }
        let address = Arc::new(self.read(href)?);
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(href.into(), address.clone());
        Some(address)
    }

    fn read(&self, href: &str) -> Option<Address> {
        let url = self.base.resolve(href)?;
        let target = self.origin.target(&url);
        Some(Address { url, target, number: OnceLock::new() })
    }
}

/// Returns true when a reference certainly has the scheme and the host of the base, whatever the base is. Cheaper
/// than resolving it.
pub fn is_on_host_of_base(href: &str) -> bool {
    // A scheme needs a colon, and another host two slashes, which readers also see in backslashes and around a tab.
    let is_doubtful = |byte: u8| matches!(byte, b':' | b'\\' | b'\t' | b'\n' | b'\r');
    let names_nothing = !href.bytes().fold(false, |is_any, byte| is_any | is_doubtful(byte));
    names_nothing && !href.trim_start_matches(|c: char| c <= ' ' || c.is_whitespace()).starts_with("//")
}

/// Resolves an address that is written in UTF-8; none when it is none of the web.
pub fn join(base: &Url, href: &str) -> Option<Url> {
    base.join(href.trim()).ok().filter(is_of_the_web)
}

fn is_of_the_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_URL_BYTES
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn base_at(url: &str) -> Base {
        Base::of(&PageFacts::default(), &Url::parse(url).unwrap(), UTF_8)
    }

    #[test]
    fn a_query_is_sent_in_the_encoding_of_its_page_and_a_path_is_not() {
        let url = Url::parse("https://shop.example/").unwrap();
        for (encoding, href, expected) in [
            (encoding_rs::WINDOWS_1252, "/caf\u{e9}?q=caf\u{e9}", "/caf%C3%A9?q=caf%E9"),
            (encoding_rs::SHIFT_JIS, "/?q=\u{65e5}", "/?q=%93%FA"),
            (encoding_rs::WINDOWS_1251, "/?q=\u{44f}\u{4e00}", "/?q=%FF%26%2319968%3B"),
            (encoding_rs::UTF_16LE, "/?q=\u{e9}", "/?q=%C3%A9"),
            (UTF_8, "/?q=\u{e9}", "/?q=%C3%A9"),
        ] {
            let mut addresses = Addresses::default();
            let (origin, base) = (Origin::of(&url), Base::of(&PageFacts::default(), &url, encoding));

            let found = addresses.on(&base, &origin).resolve(href).unwrap();

            assert_eq!(&found.url[Position::BeforePath..], expected, "{}", encoding.name());
        }
    }

    proptest! {
        #[test]
        fn a_reference_that_names_no_host_stays_on_that_of_the_base(
            href in "[ \t\n\r\u{1}\u{a0}\u{2003}]{0,2}[a-z/\\\\:.?#@\t\n]{0,12}",
        ) {
            for base in ["https://shop.example/a/b", "http://shop.example/"] {
                let base = base_at(base);
                let elsewhere = base.resolve(&href)
                    .is_some_and(|url| url.scheme() != base.scheme() || url.host() != base.host());

                prop_assert!(!elsewhere || !is_on_host_of_base(&href), "{href:?}");
            }
        }
    }

    #[test]
    fn one_text_leads_elsewhere_from_a_page_with_another_base() {
        let origin = Origin::of(&Url::parse("https://shop.example/").unwrap());
        let bases = [
            "https://shop.example/a/b",
            "https://cdn.example/",
            "http://shop.example/",
            "https://shop.example/c/",
        ];
        let mut addresses = Addresses::default();
        let mut all = |href: &str| {
            let resolve = |base: &str| {
                let base = base_at(base);
                addresses.on(&base, &origin).resolve(href).unwrap().url.to_string()
            };
            bases.map(resolve)
        };

        let expected =
            |href: &str| bases.map(|base| Url::parse(base).unwrap().join(href).unwrap().to_string());

        for href in ["/x", "//other.example/x", "x", "http:x", "https://shop.example/x", "/x"] {
            assert_eq!(all(href), expected(href), "{href}");
        }
    }
}
