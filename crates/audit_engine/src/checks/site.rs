//! Checks of the site as a whole.

use super::{Check, Fires, SITE_ERROR, SITE_NOTICE, SITE_WARNING};

const CONSOLIDATE: &str =
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls";
const CRAWL_BUDGET: &str =
    "https://developers.google.com/search/docs/crawling-indexing/large-site-managing-crawl-budget";
const SOFT_404: &str =
    "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors";

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "SOFT_404_PROBE",
        title: "Addresses that do not exist answer 200",
        why: "Every mistyped link makes another page.",
        fix: "Answer 404.",
        source: SOFT_404,
        bad: "GET /\nShoes\nGET *\n<p>{word *30}",
        good: "GET /\nShoes",
        fires: Fires::Whole(|site, found| {
            let responses = &site.probes.not_found;
            if !responses.is_empty() && responses.iter().all(|(status, is_shell)| *status == 200 && !is_shell)
            {
                found.add("answers 200", []);
            }
        }),
        ..SITE_ERROR
    },
    Check {
        id: "FAVICON_MISSING",
        title: "No icon",
        why: "Results and tabs show a blank sheet.",
        fix: "Add <link rel=\"icon\"> or /favicon.ico.",
        source: "https://developers.google.com/search/docs/appearance/favicon-in-search",
        bad: "GET /\nShoes",
        good: "GET /\n<link rel=icon href=/icon.svg>",
        fires: Fires::Whole(|site, found| {
            if site.probes.favicon.is_some_and(|status| status != 200)
                && !site.start().is_some_and(|row| row.has_icon)
            {
                found.add("no link and no /favicon.ico", []);
            }
        }),
        ..SITE_NOTICE
    },
    Check {
        id: "CRAWL_LIMIT_REACHED",
        title: "The page limit ended the audit",
        why: "What lies beyond it was not looked at.",
        fix: "Raise the limit.",
        source: "https://developers.google.com/search/docs/crawling-indexing/large-site-managing-crawl-budget",
        bad: "LIMIT 1\nGET /\n<a href=/a>a</a>\nGET /a\na",
        good: "GET /\n<a href=/a>a</a>\nGET /a\na",
        fires: Fires::Whole(|site, found| {
            if site.hit_limit {
                found.add(format!("{} pages", site.pages().count()), []);
            }
        }),
        ..SITE_NOTICE
    },
    Check {
        id: "HOST_DUPLICATE_WWW",
        title: "The site answers under a second host",
        why: "Search engines see every page twice, with and without www.",
        fix: "Redirect one host to the other with 301.",
        source: CONSOLIDATE,
        bad: "GET /\nShoes\nGET https://www.site.example/\nShoes",
        good: "GET /\nShoes\nGET https://www.site.example/ 301\nlocation: https://site.example/",
        fires: Fires::Whole(|site, found| {
            if site.probes.is_twin_copy {
                found.add(site.origin.twin().unwrap_or_default(), []);
            }
        }),
        ..SITE_ERROR
    },
    Check {
        id: "HOST_HTTP_NOT_REDIRECTED",
        title: "Plain http serves the site too",
        why: "Visitors stay unencrypted, and search engines see every page twice.",
        fix: "Redirect http to https with 301.",
        source: CONSOLIDATE,
        bad: "GET /\nShoes\nGET http://site.example/ \nShoes",
        good: "GET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if site.probes.is_http_served {
                found.add(format!("http://{}/ answers 200", site.origin.host()), []);
            }
        }),
        ..SITE_ERROR
    },
    Check {
        id: "CRAWL_TRAP",
        title: "Addresses without end",
        why: "Crawlers spend their time on pages that show nothing new.",
        fix: "Do not link to endless calendars, filters and relative paths, or forbid them in robots.txt.",
        source: CRAWL_BUDGET,
        bad: "GET /\n{<a href=/calendar/20#-05>a</a>*99}\nGET *\nShoes",
        good: "GET /\n{<a href=/calendar/#>a</a>*99}\nGET *\nShoes",
        fires: Fires::Whole(|site, found| {
            for (pattern, count) in &site.traps {
                found.add(format!("{pattern}: {count} addresses left out"), []);
            }
        }),
        ..SITE_WARNING
    },
    Check {
        id: "SITE_TRAILING_SLASH_MIXED",
        is_default: false,
        title: "Links with and without a final slash",
        why: "Sooner or later both forms of a page are linked.",
        fix: "Choose one form for all addresses.",
        source: CONSOLIDATE,
        bad: "GET /\n<a href=/a>a</a><a href=/b/>b</a>\nGET *\nShoes",
        good: "GET /\n<a href=/a/>a</a><a href=/b/>b</a>\nGET *\nShoes",
        fires: Fires::Whole(|site, found| {
            let links = site.pages().flat_map(|row| site.named(row).links);
            let targets = links.map(|link| site.urls.key(link.to));
            let paths = targets.map(|key| key.split('?').next().unwrap_or_default());
            let is_folder_like = |path: &&str| {
                *path != "/"
                    && !path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().contains('.')
            };
            let (with, without): (Vec<&str>, Vec<&str>) =
                paths.filter(is_folder_like).partition(|path| path.ends_with('/'));
            let rarer = if with.len() < without.len() { &with } else { &without };
            if rarer.len() * 20 > with.len() + without.len() {
                let examples = rarer.iter().map(|path| site.origin.url(path).to_string());
                let examples: std::collections::BTreeSet<String> = examples.collect();
                found.add(format!("{} with, {} without", with.len(), without.len()), examples);
            }
        }),
        ..SITE_NOTICE
    },
];
