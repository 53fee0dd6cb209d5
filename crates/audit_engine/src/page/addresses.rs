//! Addresses that pages name, resolved and compared with the site. Pages of a site name the same ones again and again,
//! so those that mean the same on every page are resolved once. Used by views of pages.

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;
use url::{Position, Url};

use crate::address::{Origin, Target};
use crate::site::UrlId;

/// Longest address that is looked at: servers refuse longer ones, and each is kept.
const MAX_URL_BYTES: usize = 16 * 1024;
/// Addresses that are remembered, and the longest of them: one that is longer is seldom in a menu.
const MAX_KNOWN: usize = 4096;
const MAX_KNOWN_BYTES: usize = 256;

/// An address that was resolved.
#[derive(Debug)]
pub struct Address {
    /// It, absolute, with its fragment.
    pub url: Url,
    /// The same compared with the site.
    pub target: Target,
    /// Number of the address, once that was asked for; none: too many addresses are known to give it one.
    pub number: OnceLock<Option<UrlId>>,
}

/// Addresses that were resolved, by how they are written.
#[derive(Debug, Default)]
pub struct Addresses {
    known: HashMap<Box<str>, Arc<Address>>,
}

impl Addresses {
    /// Resolves what the links of a page name. Must be asked about one site only.
    pub fn on<'a>(&'a mut self, base: &'a Url, origin: &'a Origin) -> OnPage<'a> {
        let root = |url: &'a Url| &url[..Position::BeforePath];
        OnPage { is_usual: root(base) == root(origin.root()), known: &mut self.known, base, origin }
    }
}

/// Addresses as one page means them.
pub struct OnPage<'a> {
    known: &'a mut HashMap<Box<str>, Arc<Address>>,
    base: &'a Url,
    origin: &'a Origin,
    is_usual: bool,
}

impl OnPage<'_> {
    /// What an address leads to; none when it is none of the web.
    pub fn resolve(&mut self, href: &str) -> Option<Arc<Address>> {
        let means_the_same = self.is_usual && href.starts_with('/')
            || href.starts_with("http://")
            || href.starts_with("https://");
        if !means_the_same || href.len() > MAX_KNOWN_BYTES {
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
        let url = join(self.base, href)?;
        let target = self.origin.target(&url);
        Some(Address { url, target, number: OnceLock::new() })
    }
}

/// Whether a reference surely has the scheme and the host of the base, whichever that is. Cheaper than resolving it.
pub fn is_on_host_of_base(href: &str) -> bool {
    // A scheme needs a colon, and another host two slashes, which readers also see in backslashes and around a tab.
    let is_doubtful = |byte: u8| matches!(byte, b':' | b'\\' | b'\t' | b'\n' | b'\r');
    let names_nothing = !href.bytes().fold(false, |is_any, byte| is_any | is_doubtful(byte));
    names_nothing && !href.trim_start_matches(|c: char| c <= ' ' || c.is_whitespace()).starts_with("//")
}

/// An address of a document, made absolute; none when it is none of the web.
pub fn join(base: &Url, href: &str) -> Option<Url> {
    let url = base.join(href.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_URL_BYTES).then_some(url)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_reference_that_names_no_host_stays_on_that_of_the_base(
            href in "[ \t\n\r\u{1}\u{a0}\u{2003}]{0,2}[a-z/\\\\:.?#@\t\n]{0,12}",
        ) {
            for base in ["https://shop.example/a/b", "http://shop.example/"] {
                let base = Url::parse(base).unwrap();
                let elsewhere = join(&base, &href)
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
                let base = Url::parse(base).unwrap();
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
