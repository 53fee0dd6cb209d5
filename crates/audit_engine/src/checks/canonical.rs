//! Checks of canonical addresses. At most one verdict is given on where a canonical leads.

use super::{Check, ERROR, Evidence, Fires, NOTICE, SITE_ERROR, WARNING};
use crate::address::Target;
use crate::page::view::CheckedRows;
use crate::site::{CanonicalVerdict, CrawledSite, Row};

const CANONICALS: &str =
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls";
const CANDIDATE: Check = Check { on: CheckedRows::Candidate, source: CANONICALS, ..ERROR };
const CANDIDATE_WARNING: Check = Check { on: CheckedRows::Candidate, source: CANONICALS, ..WARNING };
const CANDIDATE_NOTICE: Check = Check { on: CheckedRows::Candidate, source: CANONICALS, ..NOTICE };

fn verdict_is(site: &CrawledSite, row: &Row, verdict: CanonicalVerdict, found: &mut Evidence) {
    if site.canonical_verdict(row) == verdict {
        found.add(site.canonical_url(row), "", "canonical");
    }
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "CANONICAL_MISSING",
        title: "Canonical is missing",
        why: "Without one, search engines choose among the page's addresses.",
        fix: "Add <link rel=\"canonical\"> with the page's own absolute address.",
        source: CANONICALS,
        bad: "<title>Shoes</title>",
        good: "<link rel=canonical href=https://site.example/>",
        fires: Fires::When(|page| page.facts.canonicals.is_empty() && page.header_canonicals.is_empty()),
        ..WARNING
    },
    Check {
        id: "CANONICAL_EMPTY",
        title: "Canonical is empty or invalid",
        why: "It is ignored.",
        fix: "Write the page's absolute address.",
        bad: "<link rel=canonical href=''>",
        good: "<link rel=canonical href=https://site.example/>",
        fires: Fires::When(|page| {
            page.facts.canonicals.head.iter().any(|href| {
                let href = href.as_deref().map(str::trim).filter(|href| !href.is_empty());
                href.is_none_or(|href| page.base.join(href).is_err())
            })
        }),
        ..CANDIDATE_WARNING
    },
    Check {
        id: "CANONICAL_MULTIPLE_CONFLICTING",
        title: "Canonicals contradict each other",
        why: "All of them are ignored.",
        fix: "Keep one.",
        bad: "<link rel=canonical href=https://site.example/><link rel=canonical href=https://site.example/a>",
        good: "<link rel=canonical href=https://site.example/><link rel=canonical href=https://site.example/#a>",
        fires: Fires::Elements(|page, found| {
            let head: Vec<_> =
                page.facts.canonicals.head.iter().flatten().filter_map(|href| page.resolve(href)).collect();
            for urls in [&head, &page.header_canonicals] {
                let mut targets: Vec<Target> = urls.iter().map(|url| page.input.origin.target(url)).collect();
                targets.dedup();
                if targets.len() > 1 {
                    urls.iter().for_each(|url| found.add(url.clone(), "", ""));
                }
            }
        }),
        ..CANDIDATE
    },
    Check {
        id: "CANONICAL_RELATIVE",
        title: "Canonical is relative",
        why: "On a copy of the site it names the copy.",
        fix: "Write the absolute address.",
        bad: "<link rel=canonical href=/>",
        good: "<link rel=canonical href=HTTPS://site.example/>",
        fires: Fires::Elements(|page, found| {
            for href in page
                .facts
                .canonicals
                .head
                .iter()
                .flatten()
                .map(|href| href.trim())
                .filter(|href| !href.is_empty())
            {
                let lower = href.to_ascii_lowercase();
                if !lower.starts_with("http://")
                    && !lower.starts_with("https://")
                    && page.base.join(href).is_ok()
                {
                    found.add("", href, "relative");
                }
            }
        }),
        ..CANDIDATE_WARNING
    },
    Check {
        id: "CANONICAL_OUTSIDE_HEAD",
        title: "Canonical stands in the body",
        why: "It is ignored there.",
        fix: "Move it into the head, before anything that a head may not hold.",
        bad: "<body><link rel=canonical href=https://site.example/>",
        good: "<head><link rel=canonical href=https://site.example/></head><body>",
        fires: Fires::When(|page| {
            let raw = &page.input.raw.canonicals;
            raw.head.is_empty() && !raw.body.is_empty() && page.facts.canonicals.head.is_empty()
        }),
        ..CANDIDATE
    },
    Check {
        id: "CANONICAL_HEADER_MISMATCH",
        title: "Header and tag name different canonicals",
        why: "Both are ignored.",
        fix: "Keep one of them.",
        bad: "GET /\nlink: <https://site.example/a>; rel=canonical\n\n<link rel=canonical href=https://site.example/>",
        good: "GET /\nlink: <https://site.example/>; rel=canonical\n\n<link rel=canonical href=https://site.example/>",
        fires: Fires::When(|page| {
            let tag = page.facts.canonicals.head.iter().flatten().find_map(|href| page.resolve(href));
            let Some((tag, header)) = tag.zip(page.header_canonicals.first()) else { return false };
            page.input.origin.target(&tag) != page.input.origin.target(header)
        }),
        ..CANDIDATE
    },
    Check {
        id: "CANONICAL_TO_ERROR",
        title: "Canonical leads to an error",
        why: "The page is counted for one that does not exist.",
        fix: "Name a page that exists.",
        bad: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a 404",
        good: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, CanonicalVerdict::Error, found)),
        ..CANDIDATE
    },
    Check {
        id: "CANONICAL_TO_REDIRECT",
        title: "Canonical leads to a redirect",
        why: "The signal is weakened on the way.",
        fix: "Name the address that the redirect leads to.",
        bad: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a 301\nlocation: /b\nGET /b\nb",
        good: "GET /\n<link rel=canonical href=https://site.example/b>\nGET /b\nb",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, CanonicalVerdict::Redirect, found)),
        ..CANDIDATE
    },
    Check {
        id: "CANONICAL_TO_NOINDEX",
        title: "Canonical leads to a page that is noindex",
        why: "Neither page is shown.",
        fix: "Remove noindex from the target, or name another one.",
        bad: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a\nx-robots-tag: noindex\n\na",
        good: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, CanonicalVerdict::Noindex, found)),
        ..CANDIDATE
    },
    Check {
        id: "CANONICAL_TO_BLOCKED",
        title: "Canonical leads to a page that robots.txt forbids",
        why: "Search engines cannot read the page that they are to show.",
        fix: "Allow the target in robots.txt.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /\n<link rel=canonical href=https://site.example/a>",
        good: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, CanonicalVerdict::Blocked, found)),
        ..CANDIDATE_WARNING
    },
    Check {
        id: "CANONICAL_CHAIN",
        title: "Canonical leads to a page with another canonical",
        why: "Search engines may stop on the way.",
        fix: "Name the last page of the chain.",
        bad: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a\n<link rel=canonical href=https://site.example/b>\nGET /b\nb",
        good: "GET /\n<link rel=canonical href=https://site.example/b>\nGET /b\nb",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, CanonicalVerdict::Chain, found)),
        ..CANDIDATE_WARNING
    },
    Check {
        id: "CANONICAL_LOOP",
        title: "Canonicals go in a circle",
        why: "None of the pages is the one to show.",
        fix: "Choose one of them.",
        bad: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a\n<link rel=canonical href=https://site.example/>",
        good: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| verdict_is(site, row, CanonicalVerdict::Loop, found)),
        ..CANDIDATE
    },
    Check {
        id: "CANONICAL_CROSS_DOMAIN",
        title: "Canonical leads to another domain",
        why: "The page gives its place in results to the other domain.",
        fix: "Check that this is meant.",
        bad: "<link rel=canonical href=https://other.example/>",
        good: "<link rel=canonical href=https://site.example/>",
        fires: Fires::Elements(|page, found| {
            let elsewhere = page.canonical.as_ref().filter(|url| !page.is_same_domain(url));
            elsewhere.into_iter().for_each(|url| found.add(url.clone(), "", "canonical"));
        }),
        ..CANDIDATE_NOTICE
    },
    Check {
        id: "CANONICAL_PROTOCOL_MISMATCH",
        title: "Canonical has another scheme than the page",
        why: "http and https are two addresses.",
        fix: "Name the https address on every page.",
        bad: "<link rel=canonical href=http://site.example/>",
        good: "<link rel=canonical href=https://site.example/>",
        fires: Fires::When(|page| {
            let own = page.canonical.as_ref().filter(|url| page.input.origin.contains(url));
            own.is_some_and(|url| url.scheme() != page.input.url.scheme())
        }),
        ..CANDIDATE_WARNING
    },
    Check {
        id: "CANONICAL_FRAGMENT",
        title: "Canonical has a fragment",
        why: "Search engines drop it.",
        fix: "Remove what follows #.",
        bad: "<link rel=canonical href=https://site.example/#a>",
        good: "<link rel=canonical href=https://site.example/#>",
        fires: Fires::When(|page| {
            let hrefs = page.facts.canonicals.head.iter().flatten();
            hrefs
                .into_iter()
                .any(|href| href.trim().split_once('#').is_some_and(|(_, fragment)| !fragment.is_empty()))
        }),
        ..CANDIDATE_NOTICE
    },
    Check {
        id: "CANONICAL_TO_HOMEPAGE_MASS",
        title: "Many pages name the start page as canonical",
        why: "They all leave the index: usually a mistake in the template.",
        fix: "Let each page name itself.",
        source: CANONICALS,
        bad: "GET /\n{<a href=/#>a</a>*6}\nGET /1\n<link rel=canonical href=https://site.example/>\nGET /2\n<link rel=canonical href=https://site.example/>\nGET /3\n<link rel=canonical href=https://site.example/>\nGET /4\n<link rel=canonical href=https://site.example/>\nGET /5\n<link rel=canonical href=https://site.example/>\nGET /0\na",
        good: "GET /\n<a href=/1>a</a>\nGET /1\n<link rel=canonical href=https://site.example/>",
        fires: Fires::Whole(|site, found| {
            let start = site.find("/");
            let to_start: Vec<String> = site
                .pages()
                .filter(|row| Some(row.id) != start && start.is_some() && row.canonical_id() == start)
                .map(|row| site.url(row.id))
                .collect();
            let pages = site.pages().count();
            if to_start.len() >= 5 && to_start.len() * 10 > pages {
                found.add(format!("{} of {pages} pages", to_start.len()), to_start);
            }
        }),
        ..SITE_ERROR
    },
    Check {
        id: "CANONICALISED",
        title: "Another page is the canonical",
        why: "This page is not shown; the other one is.",
        fix: "Nothing, if that is meant.",
        bad: "GET /\n<link rel=canonical href=https://site.example/a>\nGET /a\na",
        good: "<link rel=canonical href=https://site.example/>",
        fires: Fires::Joined(|site, row, found| {
            verdict_is(site, row, CanonicalVerdict::Canonicalised, found)
        }),
        ..CANDIDATE_NOTICE
    },
];
