//! Equality of addresses: the cache key, and the old hash-bang scheme of crawlers. Pure.

use std::collections::HashSet;
use std::sync::LazyLock;

use url::Url;
use url::form_urlencoded;

use super::hostname::www_twin;

/// Query parameter in which crawlers once sent the part of an address after `#!`.
pub const ESCAPED_FRAGMENT: &str = "_escaped_fragment_";

/// Query parameters that name the source of a visit and change nothing on the page.
struct TrackingParams {
    names: HashSet<&'static str>,
    prefixes: Vec<&'static str>,
}

static TRACKING_PARAMS: LazyLock<TrackingParams> = LazyLock::new(|| {
    let lines = include_str!("../../data/tracking_params.txt").lines();
    let (mut names, mut prefixes) = (HashSet::new(), Vec::new());
    for line in lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_suffix('*') {
            Some(prefix) => prefixes.push(prefix),
            None => _ = names.insert(line),
        }
    }
    TrackingParams { names, prefixes }
});

/// Brings the address of a page to the form in which equal pages are equal.
///
/// Host without `www.` (when that is the twin of a domain), other ports than the scheme's own, the path with `//`
/// collapsed, percent-encodings in upper case, the query sorted by name and then value without tracking parameters. No
/// scheme, no fragment. Dot segments are resolved by `Url` already.
pub fn cache_key(url: &Url) -> String {
    let mut key = bare_host(url.host_str().unwrap_or_default());
    if let Some(port) = url.port() {
        key.push_str(&format!(":{port}"));
    }
    key.push_str(&canonical_path(url.path()));
    if let Some(query) = canonical_query(url, None) {
        key.push('?');
        key.push_str(&query);
    }
    key
}

/// Brings the path and query of an address to the form that they have in its [`cache_key`].
///
/// `parameters`: names of the query parameters to keep; `None` keeps all but those of tracking. Scheme, host, port and
/// fragment stay.
pub fn canonical(url: &Url, parameters: Option<&[String]>) -> Url {
    let mut canonical = url.clone();
    // Most addresses are canonical already, and setting a part writes the whole address again.
    if url.path().contains("//") || url.path().contains('%') {
        canonical.set_path(&canonical_path(url.path()));
    }
    if url.query().is_some() {
        canonical.set_query(canonical_query(url, parameters).as_deref());
    }
    canonical
}

/// Returns a host name without `www.`, when that is the twin of a registrable domain.
pub fn bare_host(host: &str) -> String {
    let twin = if host.starts_with("www.") { www_twin(host) } else { None };
    twin.unwrap_or_else(|| host.to_owned())
}

fn canonical_query(url: &Url, parameters: Option<&[String]>) -> Option<String> {
    let is_kept = |pair: &str| match parameters {
        Some(names) => names.contains(&name_of(pair)),
        None => !is_ignored(pair),
    };
    let mut pairs: Vec<(String, Option<String>)> = url
        .query()?
        .split('&')
        .filter(|pair| !pair.is_empty() && is_kept(pair))
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) => (upper_case_escapes(name), Some(upper_case_escapes(value))),
            None => (upper_case_escapes(pair), None),
        })
        .collect();
    pairs.sort();
    let pairs: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => name,
        })
        .collect();
    (!pairs.is_empty()).then(|| pairs.join("&"))
}

/// Turns an address in the old AJAX crawling scheme into the one that people see; none for every other address.
///
/// `?_escaped_fragment_=` is the page without the parameter; with a value, that value, decoded once, comes after `#!`.
pub fn escaped_fragment(url: &Url) -> Option<Url> {
    let query = url.query()?;
    let is_marker = |pair: &&str| name_of(pair) == ESCAPED_FRAGMENT;
    let marker = query.split('&').find(is_marker)?;
    // Percent-decoding only: a plus is a plus here, not a space as in forms.
    let marker = marker.replace('+', "%2B");
    let value = form_urlencoded::parse(marker.as_bytes()).next().map(|(_, value)| value.into_owned());

    let others: Vec<&str> = query.split('&').filter(|pair| !is_marker(pair)).collect();
    let mut pretty = url.clone();
    pretty.set_query(if others.is_empty() { None } else { Some(others.join("&")) }.as_deref());
    let fragment = value.filter(|value| !value.is_empty()).map(|value| format!("!{value}"));
    pretty.set_fragment(fragment.as_deref());
    Some(pretty)
}

/// Returns true for a `name=value` pair of a query that only names the source of a visit.
pub fn is_tracking_param(pair: &str) -> bool {
    let name = name_of(pair).to_ascii_lowercase();
    TRACKING_PARAMS.names.contains(name.as_str())
        || TRACKING_PARAMS.prefixes.iter().any(|prefix| name.starts_with(prefix))
}

fn is_ignored(pair: &str) -> bool {
    name_of(pair).eq_ignore_ascii_case(ESCAPED_FRAGMENT) || is_tracking_param(pair)
}

/// Returns the decoded name of one `name=value` pair.
fn name_of(pair: &str) -> String {
    form_urlencoded::parse(pair.as_bytes()).next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}

fn canonical_path(path: &str) -> String {
    let mut canonical = String::with_capacity(path.len());
    for c in upper_case_escapes(path).chars() {
        if !(c == '/' && canonical.ends_with('/')) {
            canonical.push(c);
        }
    }
    canonical
}

fn upper_case_escapes(text: &str) -> String {
    let mut digits_left = 0;
    text.chars()
        .map(|c| {
            if c == '%' {
                digits_left = 2;
                return c;
            }
            if digits_left > 0 && c.is_ascii_hexdigit() {
                digits_left -= 1;
                return c.to_ascii_uppercase();
            }
            digits_left = 0;
            c
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(url: &str) -> String {
        cache_key(&Url::parse(url).unwrap())
    }

    #[test]
    fn addresses_of_one_page_have_one_key() {
        let cases = [
            ("https://shop.test/", "shop.test/"),
            ("http://shop.test", "shop.test/"),
            ("https://WWW.Shop.test/a", "shop.test/a"),
            ("https://blog.shop.test/a", "blog.shop.test/a"),
            ("https://shop.test:443/a", "shop.test/a"),
            ("http://shop.test:80/a", "shop.test/a"),
            ("http://shop.test:8080/a", "shop.test:8080/a"),
            ("https://shop.test/a/./b/../c", "shop.test/a/c"),
            ("https://shop.test/a/%2e%2E/c", "shop.test/c"),
            ("https://shop.test//a///b//", "shop.test/a/b/"),
            ("https://shop.test/caf%c3%a9%2fx", "shop.test/caf%C3%A9%2Fx"),
            ("https://shop.test/café", "shop.test/caf%C3%A9"),
            ("https://shop.test/100%", "shop.test/100%"),
            ("https://shop.test/%abc", "shop.test/%ABc"),
            ("https://shop.test/a#part", "shop.test/a"),
            ("https://shop.test/a?", "shop.test/a"),
            ("https://shop.test/a?&&", "shop.test/a"),
            ("https://shop.test/a?b=2&a=1&b=1&a", "shop.test/a?a&a=1&b=1&b=2"),
            ("https://shop.test/a?q=%c3%bc", "shop.test/a?q=%C3%BC"),
            ("https://shop.test/a?utm_source=x&UTM_Medium=y&id=7&utm%5Fcampaign=z", "shop.test/a?id=7"),
            ("https://shop.test/a?_escaped_fragment_=", "shop.test/a"),
        ];

        for (url, expected) in cases {
            assert_eq!(key(url), expected, "{url}");
        }
    }

    #[test]
    fn what_makes_another_page_stays_in_the_key() {
        let base = key("https://shop.test/a?id=1");

        for other in [
            "https://shop.test/a?id=2",
            "https://shop.test/A?id=1",
            "https://shop.test/a/?id=1",
            "https://shop.test/a?ID=1",
            "https://shop.test/a?id=1&page=2",
            "https://shop.test/a?id=1&id=1",
            "https://other.test/a?id=1",
            "https://shop.test:8443/a?id=1",
        ] {
            assert_ne!(key(other), base, "{other}");
        }
    }

    #[test]
    fn the_well_known_tracking_parameters_are_left_out() {
        for name in [
            "utm_source",
            "utm_anything_new",
            "gclid",
            "fbclid",
            "msclkid",
            "dclid",
            "gbraid",
            "wbraid",
            "yclid",
            "mc_eid",
            "mc_cid",
            "igshid",
            "_hsenc",
            "_hsmi",
            "twclid",
            "ttclid",
            "li_fat_id",
            "hsCtaTracking",
        ] {
            assert_eq!(key(&format!("https://shop.test/a?{name}=x&id=1")), "shop.test/a?id=1", "{name}");
        }
    }

    #[test]
    fn ordinary_parameters_are_not_taken_for_tracking() {
        for name in
            ["q", "id", "page", "lang", "ref", "source", "sort", "category", "cid", "v", "utm", "s", "amp"]
        {
            assert_eq!(key(&format!("https://shop.test/a?{name}=1")), format!("shop.test/a?{name}=1"));
        }
    }

    #[test]
    fn the_canonical_address_says_what_the_key_says() {
        let cases = [
            (
                "http://www.shop.test:8080//a//b?b=2&utm_source=x&a=1#top",
                "http://www.shop.test:8080/a/b?a=1&b=2#top",
            ),
            ("https://shop.test/%c3%bc?", "https://shop.test/%C3%BC"),
            ("https://shop.test/a?gclid=1", "https://shop.test/a"),
        ];

        for (url, expected) in cases {
            assert_eq!(canonical(&Url::parse(url).unwrap(), None).as_str(), expected, "{url}");
        }
    }

    #[test]
    fn named_parameters_alone_are_kept_even_those_of_tracking() {
        let names = ["page".to_owned(), "utm_source".to_owned(), "größe".to_owned()];
        let cases = [
            ("https://shop.test/a?x=1&page=2&Page=3", "https://shop.test/a?page=2"),
            (
                "https://shop.test/a?utm_source=x&gr%C3%B6%C3%9Fe=42",
                "https://shop.test/a?gr%C3%B6%C3%9Fe=42&utm_source=x",
            ),
            ("https://shop.test/a?y", "https://shop.test/a"),
        ];

        for (url, expected) in cases {
            assert_eq!(canonical(&Url::parse(url).unwrap(), Some(&names)).as_str(), expected, "{url}");
        }
        let nothing: [String; 0] = [];
        let url = Url::parse("https://shop.test/a?page=2").unwrap();
        assert_eq!(canonical(&url, Some(&nothing)).as_str(), "https://shop.test/a");
    }

    #[test]
    fn an_escaped_fragment_becomes_the_hash_bang_address() {
        let cases = [
            ("https://shop.test/a?_escaped_fragment_=", "https://shop.test/a"),
            ("https://shop.test/a?_escaped_fragment_", "https://shop.test/a"),
            ("https://shop.test/a?b=1&_escaped_fragment_=&c=%2F", "https://shop.test/a?b=1&c=%2F"),
            ("https://shop.test/?_escaped_fragment_=key%3Dv%26x", "https://shop.test/#!key=v&x"),
            ("https://shop.test/?_escaped_fragment_=a%2525b", "https://shop.test/#!a%25b"),
            ("https://shop.test/?_escaped_fragment_=a+b", "https://shop.test/#!a+b"),
            ("https://shop.test/?_escaped_fragment_=/p/1#old", "https://shop.test/#!/p/1"),
        ];

        for (url, pretty) in cases {
            assert_eq!(escaped_fragment(&Url::parse(url).unwrap()).unwrap().as_str(), pretty, "{url}");
        }
        for url in ["https://shop.test/", "https://shop.test/?a=_escaped_fragment_", "https://shop.test/#!x"]
        {
            assert_eq!(escaped_fragment(&Url::parse(url).unwrap()), None, "{url}");
        }
    }

    proptest! {
        #[test]
        fn the_key_of_a_key_is_itself(path in "[a-zA-Z0-9/%.]{0,30}", query in "[a-z0-9&=%_]{0,30}") {
            let first = key(&format!("https://www.shop.test/{path}?{query}"));

            prop_assert_eq!(key(&format!("https://{first}")), first);
        }

        #[test]
        fn the_canonical_address_has_the_key_of_the_address(path in "[a-zA-Z0-9/%.]{0,30}", query in "[a-z0-9&=%_]{0,30}") {
            let url = Url::parse(&format!("https://www.shop.test/{path}?{query}")).unwrap();
            let canonical = canonical(&url, None);

            prop_assert_eq!(cache_key(&canonical), cache_key(&url));
            prop_assert_eq!(super::canonical(&canonical, None), canonical);
        }

        #[test]
        fn the_order_of_parameters_does_not_matter(mut pairs in prop::collection::vec("[a-c]=[0-3]", 0..6)) {
            let one = key(&format!("https://shop.test/?{}", pairs.join("&")));
            pairs.reverse();

            prop_assert_eq!(key(&format!("https://shop.test/?{}", pairs.join("&"))), one);
        }
    }
}
