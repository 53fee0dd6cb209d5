//! Checks of the links of a page, by the page alone.

use std::sync::LazyLock;

use crawler::url::is_tracking_param;
use hashbrown::{HashMap, HashSet};
use url::{Host, Url};

use super::thresholds::ThresholdId;
use super::{Check, ERROR, Evidence, Fires, NOTICE, WARNING};
use crate::address::Target;
use crate::page::addresses::is_on_host_of_base;
use crate::page::text::fold;
use crate::page::view::CheckedRows;
use crate::page::{Link, Page, ResourceKind};

const CRAWLABLE: &str = "https://developers.google.com/search/docs/crawling-indexing/links-crawlable";

/// Texts that say nothing about where a link leads, by language. As of 2026-11-20.
static VAGUE: LazyLock<HashMap<&'static str, HashSet<String>>> = LazyLock::new(|| {
    let lines = include_str!("../../data/vague_anchors.tsv").lines().filter_map(|line| line.split_once('\t'));
    let mut texts: HashMap<&str, HashSet<String>> = HashMap::new();
    lines.for_each(|(language, text)| _ = texts.entry(language).or_default().insert(fold(text)));
    texts
});

/// Bytes of the longest text of a link that is compared with them: none of them has half as many.
const MAX_VAGUE_BYTES: usize = 80;

fn is_vague(text: &str, language: Option<&str>) -> bool {
    if text.len() > MAX_VAGUE_BYTES {
        return false;
    }
    let is_edge = |c: char| !c.is_alphanumeric();
    let text = fold(text);
    let text = text.trim_matches(is_edge);
    !text.is_empty()
        && ["en"]
            .into_iter()
            .chain(language)
            .any(|tag| VAGUE.get(tag).is_some_and(|texts| texts.contains(text)))
}

/// Returns true for a host that exists only on the writer's own machine or network.
pub(super) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            name == "localhost" || [".localhost", ".local", ".internal"].iter().any(|end| name.ends_with(end))
        }
        Some(Host::Ipv4(ip)) => {
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        Some(Host::Ipv6(ip)) => {
            ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
        None => false,
    }
}

fn add_if_local(page: &Page, href: &str, what: &str, found: &mut Evidence) {
    if page.base.host_str() == Some(page.input.origin.host()) && is_on_host_of_base(href) {
        return;
    }
    let url =
        page.resolve(href).filter(|url| is_local(url) && url.host_str() != Some(page.input.origin.host()));
    url.into_iter().for_each(|url| found.add(url, "", what));
}

fn runs_script(link: &Link) -> bool {
    let href = link.href.as_deref().map(str::trim);
    let is_script = href
        .is_some_and(|href| href.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:")));
    !link.is_button && (is_script || link.has_onclick && matches!(href, None | Some("" | "#")))
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "LINK_NOFOLLOW_INTERNAL",
        on: CheckedRows::Html,
        title: "Internal links with nofollow",
        why: "The site tells crawlers not to trust its own pages.",
        fix: "Remove nofollow from internal links.",
        source: "https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links",
        bad: "<a href=/a rel=nofollow>Shoes</a>",
        good: "<a href=/a>Shoes</a><a href=https://other.example/ rel=nofollow>Ad</a>",
        fires: Fires::Elements(|page, found| {
            let links = page.internal_links().filter(|(_, link)| link.is_nofollow);
            links.for_each(|(to, link)| found.add(to.url.clone(), &link.text, "rel=nofollow"));
        }),
        ..NOTICE
    },
    Check {
        id: "LINK_EMPTY_ANCHOR",
        on: CheckedRows::Html,
        title: "Links without text",
        why: "Nobody can tell where the link leads: not readers, not screen readers, not search engines.",
        fix: "Write a text into the link, or give its picture an alt text.",
        source: CRAWLABLE,
        bad: "<a href=/a></a>",
        good: "<a href=/a><img src=/a.png alt=Shoes></a><a href=/b title=Boots></a>",
        fires: Fires::Elements(|page, found| {
            for (to, link) in page.internal_links().chain(page.external_links()) {
                if link.text.is_empty() && !link.has_label {
                    found.add(to.url.clone(), "", "no text");
                }
            }
        }),
        ..WARNING
    },
    Check {
        id: "LINK_NON_DESCRIPTIVE_ANCHOR",
        on: CheckedRows::Html,
        title: "Links that do not say where they lead",
        why: "The text of a link tells search engines what the target is about.",
        fix: "Name the target in the text.",
        source: CRAWLABLE,
        bad: "<a href=/a>Read more »</a>",
        good: "<a href=/a>Read more about shoes</a>",
        fires: Fires::Elements(|page, found| {
            let language = page.language();
            let links = page.internal_links().filter(|(_, link)| is_vague(&link.text, language.as_deref()));
            links.for_each(|(to, link)| found.add(to.url.clone(), &link.text, ""));
        }),
        ..NOTICE
    },
    Check {
        id: "LINK_JS_ONLY",
        on: CheckedRows::Html,
        title: "Links that only a script can follow",
        why: "Crawlers follow addresses, not scripts.",
        fix: "Give the link an href, or make it a button.",
        source: CRAWLABLE,
        bad: "<a href='javascript:open()'>Shoes</a>",
        good: "<a href=/a onclick=track()>Shoes</a><a href=# role=button onclick=open()>Menu</a>",
        fires: Fires::Elements(|page, found| {
            let links = page.facts.links.iter().filter(|link| runs_script(link));
            links.for_each(|link| found.add("", &link.text, link.href.as_deref().unwrap_or_default()));
        }),
        ..WARNING
    },
    Check {
        id: "LINK_INVALID_HREF",
        on: CheckedRows::Html,
        title: "Links with an invalid address",
        why: "They lead nowhere.",
        fix: "Correct the address.",
        source: "https://url.spec.whatwg.org/",
        bad: "<a href='http://'>Shoes</a>",
        good: "<a href='http://shop.example/'>Shoes</a>",
        fires: Fires::Elements(|page, found| {
            let mut resolved = page.links.iter().map(|link| link.index).peekable();
            for (index, link) in page.facts.links.iter().enumerate() {
                if resolved.next_if_eq(&index).is_some() {
                    continue;
                }
                if let Some(href) = link.href.as_deref().filter(|href| page.base.join(href.trim()).is_err()) {
                    found.add("", &link.text, href);
                }
            }
        }),
        ..WARNING
    },
    Check {
        id: "LINK_WHITESPACE_HREF",
        on: CheckedRows::Html,
        title: "Links with white space around the address",
        why: "Some crawlers take it for a part of the address.",
        fix: "Remove it.",
        source: "https://url.spec.whatwg.org/",
        bad: "<a href=' /a '>Shoes</a>",
        good: "<a href='/a'>Shoes</a>",
        fires: Fires::Elements(|page, found| {
            for link in &page.facts.links {
                let href = link.href.as_deref().unwrap_or_default();
                if href != href.trim() || href.contains(['\t', '\n', '\r']) {
                    found.add("", &link.text, format!("{href:?}"));
                }
            }
        }),
        ..NOTICE
    },
    Check {
        id: "LINK_LOCALHOST",
        on: CheckedRows::Html,
        title: "Addresses of a local machine",
        why: "They work where the page was written and nowhere else.",
        fix: "Replace them by public addresses.",
        source: CRAWLABLE,
        bad: "<a href=http://localhost:3000/a>Shoes</a>",
        good: "<a href=/a>Shoes</a>",
        fires: Fires::Elements(|page, found| {
            let facts = page.facts;
            facts
                .links
                .iter()
                .filter_map(|link| link.href.as_deref())
                .for_each(|href| add_if_local(page, href, "link", found));
            facts.images.iter().for_each(|image| add_if_local(page, &image.src, "picture", found));
            let resources =
                facts.resources.iter().filter(|resource| resource.kind != ResourceKind::Candidate);
            resources.for_each(|resource| add_if_local(page, &resource.url, "resource", found));
            facts.frames.iter().for_each(|(src, _)| add_if_local(page, src, "iframe", found));
            facts.form_actions.iter().for_each(|action| add_if_local(page, action, "form", found));
            ["og:url", "og:image"]
                .iter()
                .for_each(|name| add_if_local(page, facts.first_meta(name), name, found));
        }),
        ..ERROR
    },
    Check {
        id: "LINK_TRACKING_PARAMS",
        on: CheckedRows::Html,
        title: "Internal links with tracking parameters",
        why: "They make duplicates, and overwrite where the visitor really came from.",
        fix: "Link to the bare address.",
        source: CRAWLABLE,
        bad: "<a href='/a?utm_source=home'>Shoes</a>",
        good: "<a href='/a?id=1'>Shoes</a>",
        fires: Fires::Elements(|page, found| {
            for (to, link) in page.internal_links() {
                if to.url.query().is_some_and(|query| query.split('&').any(is_tracking_param)) {
                    found.add(to.url.clone(), &link.text, "");
                }
            }
        }),
        ..NOTICE
    },
    Check {
        id: "LINK_HTTP_ON_HTTPS",
        on: CheckedRows::Html,
        title: "Internal links to plain http",
        why: "Each click goes through a redirect, unprotected.",
        fix: "Link to https.",
        source: "https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",
        bad: "<a href=http://site.example/a>Shoes</a>",
        good: "<a href=https://site.example/a>Shoes</a>",
        fires: Fires::Elements(|page, found| {
            let is_https = page.input.url.scheme() == "https";
            let links = page.internal_links().filter(|(to, _)| is_https && to.url.scheme() == "http");
            links.for_each(|(to, link)| found.add(to.url.clone(), &link.text, ""));
        }),
        ..WARNING
    },
    Check {
        id: "LINKS_TOO_MANY",
        on: CheckedRows::Html,
        thresholds: &[ThresholdId::InternalLinksMax],
        title: "Very many internal links",
        why: "Each of them counts for little.",
        fix: "Divide the list over several pages.",
        source: CRAWLABLE,
        bad: "{<a href=/a>Shoes</a>*1001}",
        good: "{<a href=/a>Shoes</a>*100}",
        fires: Fires::When(|page| page.exceeds(ThresholdId::InternalLinksMax, page.internal_links().count())),
        ..NOTICE
    },
    Check {
        id: "EXTERNAL_LINKS_TOO_MANY",
        on: CheckedRows::Html,
        is_default: false,
        thresholds: &[ThresholdId::ExternalLinksMax],
        title: "Very many external links",
        why: "The page sends its visitors away.",
        fix: "Keep those that help.",
        source: CRAWLABLE,
        bad: "{<a href=https://other.example/>Shoes</a>*101}",
        good: "{<a href=https://other.example/>Shoes</a>*10}",
        fires: Fires::When(|page| page.exceeds(ThresholdId::ExternalLinksMax, page.external_links().count())),
        ..NOTICE
    },
    Check {
        id: "DEAD_END_PAGE",
        title: "No link leads on",
        why: "Visitors and crawlers can only go back.",
        fix: "Link to related pages.",
        source: CRAWLABLE,
        bad: "<p>Shoes</p><a href=#top>Top</a>",
        good: "<p>Shoes</p><a href=/a>Boots</a>",
        fires: Fires::When(|page| {
            page.internal_links().next().is_none() && page.external_links().next().is_none()
        }),
        ..WARNING
    },
    Check {
        id: "PAGINATION_LINK_MISSING",
        title: "Next or previous page is not linked",
        why: "Search engines follow links, not rel=next in the head.",
        fix: "Add an ordinary link to it.",
        source: "https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading",
        bad: "<link rel=next href=/list/2><body><p>List",
        good: "<link rel=next href=/list/2><body><a href=/list/2>Next</a>",
        fires: Fires::Elements(|page, found| {
            if page.facts.pagination.is_empty() {
                return;
            }
            let linked: HashSet<&Target> = page.links.iter().map(|link| &link.target).collect();
            for (_, href) in &page.facts.pagination {
                let url = page.resolve(href).filter(|url| page.input.origin.contains(url));
                let missing = url.filter(|url| !linked.contains(&page.input.origin.target(url)));
                missing.into_iter().for_each(|url| found.add(url, "", "not linked"));
            }
        }),
        ..NOTICE
    },
];
