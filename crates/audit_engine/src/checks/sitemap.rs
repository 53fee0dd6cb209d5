//! Checks of sitemaps. Each listed address gets at most one verdict.

use std::collections::{BTreeMap, HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::{Check, CheckNeed, FindingScope, Fires, SITE_ERROR, SITE_NOTICE, SITE_WARNING};
use crate::site::{AuditedSitemap, CrawledSite, Row, SiteFindings, SitemapEntry};

const SITEMAPS: &str = "https://www.sitemaps.org/protocol.html";
const S_ERROR: Check = Check { scope: FindingScope::Sitemap, source: SITEMAPS, ..SITE_ERROR };
const S_WARNING: Check = Check { scope: FindingScope::Sitemap, source: SITEMAPS, ..SITE_WARNING };
const S_NOTICE: Check = Check { scope: FindingScope::Sitemap, source: SITEMAPS, ..SITE_NOTICE };
const DAY_MS: i64 = 86_400_000;

/// Problem of a listed address; the first that applies.
#[derive(PartialEq, Eq)]
enum EntryVerdict {
    Fine,
    OtherHost,
    Blocked,
    ClientError,
    ServerError,
    Redirect,
    Noindex,
    NonCanonical,
}

fn verdict(site: &CrawledSite, entry: &SitemapEntry) -> EntryVerdict {
    if entry.is_elsewhere {
        return EntryVerdict::OtherHost;
    }
    let Some(row) = entry.id.and_then(|id| site.answer(id)) else { return EntryVerdict::Fine };
    match row {
        Row { is_blocked: true, .. } => EntryVerdict::Blocked,
        Row { status: 400..=428 | 430..=499, .. } => EntryVerdict::ClientError,
        row if row.is_error() => EntryVerdict::ServerError,
        row if row.redirect.is_some() => EntryVerdict::Redirect,
        row if row.is_noindex => EntryVerdict::Noindex,
        row if row.is_canonicalised() => EntryVerdict::NonCanonical,
        _ => EntryVerdict::Fine,
    }
}

fn add_entries(site: &CrawledSite, wanted: &EntryVerdict, found: &mut SiteFindings) {
    for file in &site.sitemaps {
        for entry in file.entries.iter().filter(|entry| verdict(site, entry) == *wanted) {
            let status = entry.id.and_then(|id| site.answer(id)).map_or(0, |row| row.status);
            found.entry(Some(file.url.as_str()), entry.url(site), status.to_string());
        }
    }
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "SITEMAP_MISSING",
        title: "No sitemap",
        why: "Search engines find new pages by links only.",
        fix: "Add one and name it in robots.txt.",
        bad: "GET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if site.sitemaps.is_empty() && !site.probes.may_have_sitemap {
                found.entry(None, "", "none found");
            }
        }),
        ..S_WARNING
    },
    Check {
        id: "SITEMAP_FETCH_FAILED",
        title: "Sitemap does not answer",
        why: "What it lists is not known.",
        fix: "Correct its address in the index.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<sitemapindex><sitemap><loc>https://site.example/a.xml</loc></sitemap></sitemapindex>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<sitemapindex><sitemap><loc>https://site.example/a.xml</loc></sitemap></sitemapindex>\nGET /a.xml\ncontent-type: text/xml\n\n<urlset></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for file in site.sitemaps.iter().filter(|file| file.status != 200 && file.robots_line.is_none()) {
                found.entry(Some(file.url.as_str()), "", file.status.to_string());
            }
        }),
        ..S_ERROR
    },
    Check {
        id: "SITEMAP_PARSE_ERROR",
        title: "Sitemap cannot be read",
        why: "What it lists is not known.",
        fix: "Write well-formed XML with a urlset or sitemapindex.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for file in site.sitemaps.iter().filter(|file| file.status == 200 && file.kind.is_none()) {
                found.entry(Some(file.url.as_str()), "", "not a sitemap");
            }
        }),
        ..S_ERROR
    },
    Check {
        id: "SITEMAP_IS_HTML",
        title: "/sitemap.xml is an HTML page",
        why: "The application answers every address with its own page; crawlers find no sitemap there.",
        fix: "Serve the sitemap itself, or 404.",
        bad: "GET /sitemap.xml\n<!doctype html><title>Shop</title>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if let Some(url) = &site.probes.html_sitemap {
                found.entry(Some(url), "", "HTML");
            }
        }),
        ..S_WARNING
    },
    Check {
        id: "SITEMAP_TOO_LARGE",
        title: "Sitemap is too large",
        why: "Search engines read 50 MiB of a file, decompressed.",
        fix: "Divide it and list the parts in an index.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url>{<!-- a comment that is written again and again until the file is much too large for any search engine -->*530000}</urlset>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for file in site.sitemaps.iter().filter(|file| file.is_too_large) {
                found.entry(Some(file.url.as_str()), "", "more than 50 MiB");
            }
        }),
        ..S_ERROR
    },
    Check {
        id: "SITEMAP_TOO_MANY_URLS",
        title: "Sitemap lists too many pages",
        why: "Search engines read 50,000 entries of a file.",
        fix: "Divide it and list the parts in an index.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset>{<url><loc>https://o.example/#</loc></url>*50001}</urlset>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset>{<url><loc>https://o.example/#</loc></url>*5}</urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for file in site.sitemaps.iter().filter(|file| file.has_too_many) {
                found.entry(Some(file.url.as_str()), "", "more than 50,000");
            }
        }),
        ..S_ERROR
    },
    Check {
        id: "SITEMAP_LASTMOD_DRIFT",
        needs: Some(CheckNeed::PreviousRun),
        title: "Dates in the sitemap and changes of the pages disagree",
        why: "Search engines stop to believe the dates.",
        fix: "Write the day on which the text of a page changed.",
        bad: "PREVIOUS /a 1769817600000\nGET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/a</loc><lastmod>2026-01-31</lastmod></url></urlset>\nGET /\nShoes\nGET /a\na",
        good: "PREVIOUS /a 1769817600000\nGET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/a</loc><lastmod>2026-02-28</lastmod></url></urlset>\nGET /\nShoes\nGET /a\na",
        fires: Fires::Whole(|site, found| {
            for entry in site.sitemaps.iter().flat_map(|file| &file.entries) {
                let row = entry.id.and_then(|id| site.row(id)).filter(|row| row.is_page());
                let (Some(row), Some(date)) = (row, entry.lastmod) else { continue };
                let Some((Some(before), hash)) = site.previous.get(&row.id) else { continue };
                let is_same = format!("{:032x}", row.fingerprints.text) == *hash;
                match (date > *before, is_same) {
                    (true, true) => found.entry(None, entry.url(site), "a later date, the same text"),
                    (false, false) => found.entry(None, entry.url(site), "another text, no later date"),
                    _ => {}
                }
            }
        }),
        ..S_NOTICE
    },
    Check {
        id: "SITEMAP_NESTED_INDEX",
        title: "Index inside an index",
        why: "Search engines read one level.",
        fix: "List all sitemaps in one index.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<sitemapindex><sitemap><loc>https://site.example/a.xml</loc></sitemap></sitemapindex>\nGET /a.xml\ncontent-type: text/xml\n\n<sitemapindex></sitemapindex>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<sitemapindex><sitemap><loc>https://site.example/a.xml</loc></sitemap></sitemapindex>\nGET /a.xml\ncontent-type: text/xml\n\n<urlset></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for file in site.sitemaps.iter().filter(|file| file.is_child && file.kind == Some("index")) {
                found.entry(Some(file.url.as_str()), "", "index");
            }
        }),
        ..S_WARNING
    },
    Check {
        id: "SITEMAP_URL_4XX",
        title: "Sitemap lists pages that do not exist",
        why: "Crawlers waste their time, and trust the sitemap less.",
        fix: "Remove them.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/a</loc></url></urlset>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| add_entries(site, &EntryVerdict::ClientError, found)),
        ..S_ERROR
    },
    Check {
        id: "SITEMAP_URL_5XX",
        title: "Sitemap lists pages that fail",
        why: "Crawlers slow down.",
        fix: "Repair them.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/a</loc></url></urlset>\nGET /\nShoes\nGET /a 500",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| add_entries(site, &EntryVerdict::ServerError, found)),
        ..S_ERROR
    },
    Check {
        id: "SITEMAP_URL_REDIRECT",
        title: "Sitemap lists redirects",
        why: "It should name the pages themselves.",
        fix: "List the addresses that they lead to.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/a</loc></url></urlset>\nGET /\nShoes\nGET /a 301\nlocation: /",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| add_entries(site, &EntryVerdict::Redirect, found)),
        ..S_WARNING
    },
    Check {
        id: "SITEMAP_URL_NOINDEX",
        title: "Sitemap lists pages that are noindex",
        why: "One says to show the page, the other not to.",
        fix: "Remove noindex, or the entry.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nx-robots-tag: noindex\n\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| add_entries(site, &EntryVerdict::Noindex, found)),
        ..S_WARNING
    },
    Check {
        id: "SITEMAP_URL_NON_CANONICAL",
        title: "Sitemap lists pages with another canonical",
        why: "It should name the pages that are to be shown.",
        fix: "List the canonical pages.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\n<link rel=canonical href=https://site.example/a>\nGET /a\na",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| add_entries(site, &EntryVerdict::NonCanonical, found)),
        ..S_WARNING
    },
    Check {
        id: "SITEMAP_URL_BLOCKED",
        title: "Sitemap lists pages that robots.txt forbids",
        why: "Crawlers may not read them.",
        fix: "Allow them, or remove the entries.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/a</loc></url></urlset>\nGET /\n<a href=/a>a</a>",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            // A forbidden page has no row unless something links to it, so the rules are asked.
            for file in &site.sitemaps {
                for entry in file.entries.iter().filter(|entry| !entry.is_elsewhere) {
                    if entry.id.is_some_and(|id| site.is_blocked(site.urls.key(id))) {
                        found.entry(Some(file.url.as_str()), entry.url(site), "robots.txt");
                    }
                }
            }
        }),
        ..S_WARNING
    },
    Check {
        id: "SITEMAP_URL_OTHER_HOST",
        title: "Sitemap lists another host's pages",
        why: "Search engines ignore the entries.",
        fix: "List the pages in a sitemap of their own host.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://other.example/</loc></url></urlset>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| add_entries(site, &EntryVerdict::OtherHost, found)),
        ..S_ERROR
    },
    Check {
        id: "SITEMAP_URL_DUPLICATE",
        title: "Sitemap lists a page twice",
        why: "Two dates for one page cannot both be right.",
        fix: "List each page once.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url><url><loc>https://site.example/#a</loc></url></urlset>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            // By hash: there can be a million.
            let mut counts: HashMap<u64, usize> = HashMap::new();
            for entry in site.sitemaps.iter().flat_map(|file| &file.entries) {
                let url = entry.url(site);
                let page = url.split('#').next().unwrap_or_default();
                let count = counts.entry(xxh3_64(page.as_bytes())).or_default();
                *count += 1;
                if *count == 2 {
                    found.entry(None, url, "");
                }
            }
        }),
        ..S_NOTICE
    },
    Check {
        id: "SITEMAP_LASTMOD_INVALID",
        title: "Date in a sitemap is none",
        why: "It is ignored.",
        fix: "Write it as 2026-01-31.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc><lastmod>yesterday</lastmod></url></urlset>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc><lastmod>2026-01-31</lastmod></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for file in &site.sitemaps {
                for entry in file.entries.iter().filter(|entry| entry.has_bad_lastmod) {
                    found.entry(Some(file.url.as_str()), entry.url(site), "lastmod");
                }
            }
        }),
        ..S_NOTICE
    },
    Check {
        id: "SITEMAP_LASTMOD_FUTURE",
        title: "Date in a sitemap lies in the future",
        why: "Search engines stop to believe the dates.",
        fix: "Write the day on which the page changed.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc><lastmod>2090-01-31</lastmod></url></urlset>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc><lastmod>2026-01-31</lastmod></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for file in &site.sitemaps {
                let is_future =
                    |entry: &&SitemapEntry| entry.lastmod.is_some_and(|date| date > site.now_ms + DAY_MS);
                for entry in file.entries.iter().filter(is_future) {
                    found.entry(Some(file.url.as_str()), entry.url(site), "lastmod");
                }
            }
        }),
        ..S_NOTICE
    },
    Check {
        id: "SITEMAP_EMPTY",
        title: "Sitemap lists nothing",
        why: "It helps nobody.",
        fix: "List the pages, or remove the file.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset></urlset>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            let is_empty = |file: &&AuditedSitemap| {
                file.entries.is_empty() && !matches!(file.kind, None | Some("index"))
            };
            site.sitemaps
                .iter()
                .filter(is_empty)
                .for_each(|file| found.entry(Some(file.url.as_str()), "", "empty"));
        }),
        ..S_WARNING
    },
    Check {
        id: "SITEMAP_LASTMOD_CHURN",
        title: "All pages changed on the same days",
        why: "Dates that say when the file was made are soon ignored.",
        fix: "Write the day on which each page changed.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset>{<url><loc>https://site.example/#</loc><lastmod>2026-01-31</lastmod></url>*20}</urlset>\nGET /\nShoes",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset>{<url><loc>https://site.example/#</loc><lastmod>2026-01-31</lastmod></url>*5}</urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            let mut days: BTreeMap<i64, usize> = BTreeMap::new();
            for date in site.sitemaps.iter().flat_map(|file| &file.entries).filter_map(|entry| entry.lastmod)
            {
                *days.entry(date.div_euclid(DAY_MS)).or_default() += 1;
            }
            if days.len() <= 2 && days.values().sum::<usize>() >= 20 {
                found.entry(None, "", format!("{} days", days.len()));
            }
        }),
        ..S_WARNING
    },
    Check {
        id: "SITEMAP_PAGE_MISSING",
        title: "Pages that no sitemap lists",
        why: "Search engines learn of their changes late.",
        fix: "List every page that is to be found.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\n<a href=/a>a</a>\nGET /a\na",
        good: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            let listed: HashSet<_> =
                site.sitemaps.iter().flat_map(|file| &file.entries).filter_map(|entry| entry.id).collect();
            // Of a sitemap that was not read whole nobody knows what it lists.
            if site.is_follow && site.has_whole_sitemaps() && !listed.is_empty() {
                let missing = site.pages().filter(|row| row.is_indexable() && !listed.contains(&row.id));
                missing.for_each(|row| found.entry(None, site.url(row.id), ""));
            }
        }),
        ..S_NOTICE
    },
];
