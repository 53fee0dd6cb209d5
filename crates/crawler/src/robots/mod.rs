//! `robots.txt`: the addresses that a crawler may fetch, and the sitemaps. Used by audits, and to find the sitemap of
//! a site that names none. Pure: reads untrusted text, fetches nothing.

mod lines;
mod rules;

use url::Url;

pub use lines::{Line, LineKind};
pub use rules::{Group, Robots, Rule, Verdict};

/// Bytes of a `robots.txt` that are read, as in RFC 9309 and by Google.
pub const MAX_ROBOTS_BYTES: usize = 500 * 1024;

/// Lists the sitemaps that a `robots.txt` names, in order, each once.
///
/// `Sitemap:` lines belong to no group and may be anywhere in the file. Relative addresses, which the standard does
/// not allow but sites use, are resolved against the address of the `robots.txt`.
pub fn sitemaps_in(robots: &[u8], robots_url: &Url) -> Vec<Url> {
    let text = String::from_utf8_lossy(&robots[..robots.len().min(MAX_ROBOTS_BYTES)]);
    let mut sitemaps = Vec::new();
    for line in text.trim_start_matches('\u{feff}').split(['\n', '\r']) {
        let Some((key, value)) = line.split_once(':') else { continue };
        if !key.trim().eq_ignore_ascii_case("sitemap") {
            continue;
        }
        let value = without_comment(value).trim();
        let Ok(url) = robots_url.join(value) else { continue };
        if !value.is_empty() && matches!(url.scheme(), "http" | "https") && !sitemaps.contains(&url) {
            sitemaps.push(url);
        }
    }
    sitemaps
}

/// Removes a comment. A `#` starts one at the beginning or after white space; inside an address it starts a fragment.
fn without_comment(value: &str) -> &str {
    let is_comment = |at: usize| at == 0 || value[..at].ends_with(char::is_whitespace);
    let end = value.match_indices('#').map(|(at, _)| at).find(|at| is_comment(*at));
    &value[..end.unwrap_or(value.len())]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(robots: &str) -> Vec<String> {
        let url = Url::parse("https://shop.example/robots.txt").unwrap();
        sitemaps_in(robots.as_bytes(), &url).into_iter().map(String::from).collect()
    }

    #[test]
    fn sitemaps_are_found_wherever_they_stand() {
        let robots = "\u{feff}SITEMAP: https://shop.example/1.xml\nUser-agent: *\r\nsitemap : https://shop.example/2.xml # main\rDisallow: /x\nSitemap:https://cdn.example/3.xml\nSitemap: https://shop.example/1.xml";

        let sitemaps = found(robots);

        assert_eq!(
            sitemaps,
            ["https://shop.example/1.xml", "https://shop.example/2.xml", "https://cdn.example/3.xml"]
        );
    }

    #[test]
    fn a_relative_address_belongs_to_the_site() {
        assert_eq!(found("Sitemap: /sitemap.xml"), ["https://shop.example/sitemap.xml"]);
    }

    #[test]
    fn other_lines_and_other_schemes_are_ignored() {
        for robots in [
            "",
            "Sitemap",
            "Sitemap:",
            "# Sitemap: https://a.example/",
            "Sitemap: ftp://a.example/",
            "Allow: /sitemap:https://a.example",
        ] {
            assert_eq!(found(robots), Vec::<String>::new(), "{robots}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            sitemaps_in(&bytes, &Url::parse("https://shop.example/robots.txt").unwrap());
        }
    }
}
