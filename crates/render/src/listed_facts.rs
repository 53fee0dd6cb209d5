//! Facts of a rendered page that decide whether search engines may list it, and the pages that it links to. Extracted once for
//! each render. Pure.

use audit_engine::page::{Base, Directives, PageFacts, link_header};
use encoding_rs::UTF_8;
use sha2::{Digest, Sha256};
use url::Url;

use super::cache::page_id;
use super::decide::{TargetPage, stored_page};
use super::model::RenderedPage;
use domains::Site;

/// Length of a link name, in bytes: the first bytes of the target's key hash.
pub const LINK_BYTES: usize = 8;
/// Maximum number of links that are kept of a page.
const MOST_LINKS: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFacts {
    /// Hash of the visible text.
    pub text_hash: String,
    /// True when the page answered 200, may be indexed and is its own canonical.
    pub is_listable: bool,
    /// Link names of the pages of the site that the page links to, except itself.
    pub links: Vec<u8>,
}

/// Returns the link name of a page: the first bytes of the hash of its key.
pub fn link_name(key_hash: &str) -> Option<u64> {
    u64::from_str_radix(key_hash.get(..2 * LINK_BYTES)?, 16).ok()
}

/// Returns the link names in a page's stored links.
pub fn read_links(links: &[u8]) -> impl Iterator<Item = u64> {
    links.chunks_exact(LINK_BYTES).map(|bytes| u64::from_be_bytes(bytes.try_into().expect("eight bytes")))
}

impl ListedFacts {
    /// Extracts the facts of a page that was rendered for a site.
    pub fn of(site: &Site, page: &TargetPage, made: &RenderedPage, facts: &PageFacts) -> ListedFacts {
        let base = Base::of(facts, &page.url, UTF_8);
        ListedFacts {
            text_hash: hex::encode(&Sha256::digest(facts.visible_text.as_bytes())[..16]),
            is_listable: made.status == 200
                && made.location.is_none()
                && !is_kept_out(site, &page.url, made, facts)
                && is_own_canonical(site, page, made, facts, &base),
            links: links(site, page, facts, &base),
        }
    }
}

/// Decides whether a meta tag, a header of the page or a header of the site's settings forbids indexing the page.
fn is_kept_out(site: &Site, url: &Url, made: &RenderedPage, facts: &PageFacts) -> bool {
    let mut headers = made.headers.clone();
    site.apply_headers(url, &mut headers);
    let directives = Directives::of(facts, &headers);
    directives.meta_noindex() || directives.header_noindex()
}

fn is_own_canonical(
    site: &Site,
    page: &TargetPage,
    made: &RenderedPage,
    facts: &PageFacts,
    base: &Base,
) -> bool {
    let mut declared: Vec<Url> = link_header::parse(&made.headers, &page.url).canonicals;
    declared.extend(facts.canonicals.head.iter().flatten().filter_map(|href| base.resolve(href)));
    declared.iter().all(|url| is_of(site, url) && stored_page(site, url).key == page.key)
}

fn links(site: &Site, page: &TargetPage, facts: &PageFacts, base: &Base) -> Vec<u8> {
    let own = link_name(&page_id(&site.domain.id, &page.key).key_hash);
    let mut names = std::collections::BTreeSet::new();
    for href in facts.links.iter().filter_map(|link| link.href.as_deref()) {
        let Some(url) = base.resolve(href).filter(|url| is_of(site, url)) else { continue };
        let name = link_name(&page_id(&site.domain.id, &stored_page(site, &url).key).key_hash);
        names.extend(name.filter(|name| Some(*name) != own));
        if names.len() == MOST_LINKS {
            break;
        }
    }
    names.into_iter().flat_map(u64::to_be_bytes).collect()
}

fn is_of(site: &Site, url: &Url) -> bool {
    url.host_str().is_some_and(|host| site.owns_host(host))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use audit_engine::page::{Provenance, scan};
    use bytes::Bytes;
    use http::HeaderMap;

    use super::*;
    use domains::Settings;
    use domains::testing::site;
    use platform::clock::Timestamp;

    fn facts_of(html: &str, headers: &[(&'static str, &'static str)]) -> ListedFacts {
        let site = Arc::new(site("shop.example", Settings::default()));
        let page = stored_page(&site, &Url::parse("https://shop.example/a?b=1").expect("an address"));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().expect("a value"));
        }
        let made = RenderedPage {
            status: 200,
            location: None,
            html: Bytes::from(html.to_owned()),
            etag: String::new(),
            headers: map,
            problems: Vec::new(),
            partial: false,
            created_at: Timestamp::from_millis(0),
        };
        ListedFacts::of(&site, &page, &made, &scan(html, Provenance::Rendered))
    }

    #[test]
    fn a_page_may_be_listed_that_is_its_own_canonical_and_not_kept_out() {
        let canonical = |href: &str| {
            format!("<html><head><link rel=canonical href=\"{href}\"></head><body>x</body></html>")
        };
        let is_listable = |html: &str| facts_of(html, &[]).is_listable;

        assert!(is_listable("<p>x</p>"));
        for own in ["https://www.shop.example/a?b=1&utm_source=x", "/a?b=1", "http://shop.example/a?b=1"] {
            assert!(is_listable(&canonical(own)), "{own}");
        }
        for other in ["/a", "/", "https://elsewhere.example/a?b=1"] {
            assert!(!is_listable(&canonical(other)), "{other}");
        }
        assert!(!is_listable(
            "<html><head><meta name=robots content=\"NOINDEX, follow\"></head><body>x</body></html>"
        ));
        assert!(!facts_of("<p>x</p>", &[("x-robots-tag", "none")]).is_listable);
        assert!(!facts_of("<p>x</p>", &[("link", "</other>; rel=canonical")]).is_listable);
    }

    #[test]
    fn links_name_other_pages_of_the_site_once() {
        let html = "<a href=\"/b\">b</a><a href=\"https://www.shop.example/b#top\">b</a><a href=\"/a?b=1\">self</a>\
             <a href=\"https://elsewhere.example/c\">c</a><a href=\"mailto:a@b.c\">m</a>";

        let links: Vec<u64> = read_links(&facts_of(html, &[]).links).collect();

        let b = page_id(&"d1".into(), "shop.example/b").key_hash;
        assert_eq!(links, [link_name(&b).expect("a hash")]);
    }

    #[test]
    fn the_hash_of_a_text_is_about_what_is_seen() {
        let hash = |html: &str| facts_of(html, &[]).text_hash;

        assert_eq!(hash("<p>one two</p>"), hash("<p class=x>one  <b>two</b></p><script>1</script>"));
        assert_ne!(hash("<p>one two</p>"), hash("<p>one three</p>"));
    }
}
