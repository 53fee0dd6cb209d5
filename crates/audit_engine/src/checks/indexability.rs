//! Checks of what keeps pages out of the index.

use super::{Check, Fires, NOTICE, SITE_ERROR, WARNING};
use crate::page::view::CheckedRows;

const ROBOTS_META: &str = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag";
const ROBOTS_TXT: &str = "https://developers.google.com/search/docs/crawling-indexing/robots/intro";

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "NOINDEX",
        on: CheckedRows::Html,
        title: "Kept out of the index by a meta",
        why: "Search engines do not show the page.",
        fix: "Remove noindex if the page is to be found.",
        source: ROBOTS_META,
        bad: "<meta name=robots content=noindex>",
        good: "<meta name=robots content=index>",
        fires: Fires::When(|page| page.has_meta_noindex()),
        ..WARNING
    },
    Check {
        id: "NOINDEX_HEADER",
        on: CheckedRows::Html,
        title: "Kept out of the index by a header",
        why: "Search engines do not show the page.",
        fix: "Remove X-Robots-Tag if the page is to be found.",
        source: ROBOTS_META,
        bad: "GET /\nx-robots-tag: noindex\n\nShoes",
        good: "GET /\nx-robots-tag: otherbot: noindex\n\nShoes",
        fires: Fires::When(|page| page.directives.header_noindex()),
        ..WARNING
    },
    Check {
        id: "NOINDEX_HOMEPAGE",
        run_factor: 0.5,
        title: "Start page is kept out of the index",
        why: "Nobody finds the site by its name.",
        fix: "Remove noindex from the start page.",
        source: ROBOTS_META,
        bad: "<meta name=robots content=noindex>",
        good: "<meta name=robots content=index>",
        fires: Fires::Whole(|site, found| {
            if let Some(row) = site.start().filter(|row| row.is_noindex) {
                found.add("start page is noindex", [site.url(row.id)]);
            }
        }),
        ..SITE_ERROR
    },
    Check {
        id: "NOINDEX_MOST_PAGES",
        run_factor: 0.7,
        title: "Most pages are kept out of the index",
        why: "That is seldom meant: often a test setting went live.",
        fix: "Look where noindex comes from.",
        source: ROBOTS_META,
        bad: "GET /\n<meta name=robots content=noindex>{<a href=/#>a</a>*12}\nGET /1\nx-robots-tag: none\n\na\nGET /2\nx-robots-tag: none\n\na\nGET /3\nx-robots-tag: none\n\na\nGET /4\nx-robots-tag: none\n\na\nGET /5\nx-robots-tag: none\n\na\nGET /6\nx-robots-tag: none\n\na\nGET /7\na\nGET /8\na\nGET /9\na\nGET /10\na",
        good: "GET /\n<a href=/1>a</a>\nGET /1\nx-robots-tag: none\n\na",
        fires: Fires::Whole(|site, found| {
            let (pages, noindex) = (site.pages().count(), site.pages().filter(|row| row.is_noindex).count());
            if pages >= 10 && noindex * 2 > pages {
                let examples = site.pages().filter(|row| row.is_noindex).map(|row| site.url(row.id));
                found.add(format!("{noindex} of {pages} pages"), examples);
            }
        }),
        ..SITE_ERROR
    },
    Check {
        id: "NOFOLLOW_META",
        on: CheckedRows::Html,
        title: "Links of the page are not to be followed",
        why: "What only this page links to is not found.",
        fix: "Remove nofollow from the robots meta.",
        source: ROBOTS_META,
        bad: "<meta name=robots content=nofollow>",
        good: "<meta name=robots content=follow>",
        fires: Fires::When(|page| page.directives.nofollow()),
        ..WARNING
    },
    Check {
        id: "NOSNIPPET",
        title: "No snippet is allowed",
        why: "The result shows a title and nothing else.",
        fix: "Remove nosnippet or max-snippet:0.",
        source: ROBOTS_META,
        bad: "<meta name=robots content=max-snippet:0>",
        good: "<meta name=robots content=max-snippet:50>",
        fires: Fires::When(|page| page.directives.nosnippet()),
        ..NOTICE
    },
    Check {
        id: "NOIMAGEINDEX",
        title: "Pictures are kept out of picture search",
        why: "The page's pictures bring no visitors.",
        fix: "Remove noimageindex.",
        source: ROBOTS_META,
        bad: "<meta name=robots content=noimageindex>",
        good: "<meta name=robots content=max-image-preview:large>",
        fires: Fires::When(|page| page.directives.has("noimageindex")),
        ..NOTICE
    },
    Check {
        id: "UNAVAILABLE_AFTER_PAST",
        title: "Set to leave the index on a day that has passed",
        why: "Search engines do not show the page any more.",
        fix: "Remove unavailable_after or change its date.",
        source: ROBOTS_META,
        bad: "<meta name=robots content='unavailable_after: 2020-01-01'>",
        good: "<meta name=robots content='unavailable_after: 2090-01-01'>",
        fires: Fires::When(|page| {
            page.directives.unavailable_after().is_some_and(|date| date < page.input.now_ms)
        }),
        ..WARNING
    },
    Check {
        id: "ROBOTS_META_CONFLICT",
        on: CheckedRows::Html,
        title: "Directives contradict each other",
        why: "The stricter one is taken, which may not be what was meant.",
        fix: "Keep one of them.",
        source: ROBOTS_META,
        bad: "<meta name=robots content='index, noindex'>",
        good: "<meta name=robots content='index, nofollow'>",
        fires: Fires::When(|page| page.directives.contradict()),
        ..WARNING
    },
    Check {
        id: "ROBOTS_META_UNKNOWN",
        on: CheckedRows::Html,
        title: "Unknown directive",
        why: "It is ignored.",
        fix: "Correct its spelling or value.",
        source: ROBOTS_META,
        bad: "<meta name=robots content=no-index>",
        good: "<meta name=robots content='noindex, max-image-preview:large'>",
        fires: Fires::Elements(|page, found| {
            page.directives.unknown().for_each(|one| found.add("", one, ""))
        }),
        ..NOTICE
    },
    Check {
        id: "NOINDEX_CANONICAL_CONFLICT",
        on: CheckedRows::Html,
        title: "Noindex, and a canonical to another page",
        why: "One says to forget the page, the other to count it for another.",
        fix: "Keep the canonical and remove noindex, or the other way round.",
        source: ROBOTS_META,
        bad: "<meta name=robots content=noindex><link rel=canonical href=https://site.example/a>",
        good: "<meta name=robots content=noindex><link rel=canonical href=https://site.example/>",
        fires: Fires::When(|page| page.is_noindex() && page.other_canonical().is_some()),
        ..WARNING
    },
    Check {
        id: "NOINDEX_BLOCKED_BY_ROBOTS",
        on: CheckedRows::Html,
        title: "Noindex that Googlebot may not read",
        why: "robots.txt keeps Googlebot from the page, so the address may be shown all the same.",
        fix: "Allow the page in robots.txt until it has left the index.",
        source: ROBOTS_TXT,
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: Googlebot\nDisallow: /a\nGET /\n<a href=/a>a</a>\nGET /a\nx-robots-tag: noindex\n\na",
        good: "GET /\n<a href=/a>a</a>\nGET /a\nx-robots-tag: noindex\n\na",
        fires: Fires::When(|page| page.is_noindex() && page.is_blocked),
        ..WARNING
    },
    Check {
        id: "ROBOTS_BLOCKED_LINKED",
        on: CheckedRows::Any,
        title: "Linked page is forbidden by robots.txt",
        why: "Search engines may show its address without reading it.",
        fix: "Allow it in robots.txt, or remove the links.",
        source: ROBOTS_TXT,
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /\n<a href=/a>a</a>",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /b\nGET /\n<a href=/a>a</a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| {
            if row.is_blocked {
                site.linking_pages(row.id).for_each(|from| found.add(from, "", "links to it"));
            }
        }),
        ..WARNING
    },
];
