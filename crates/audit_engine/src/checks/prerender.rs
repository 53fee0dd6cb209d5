//! Checks of the content that crawlers get instead of the page: snapshots, and the response of firewalls to a renderer.

use super::{Check, CheckNeed, ERROR, Fires, NOTICE, SITE_ERROR, WARNING};
use crate::page::challenge::is_challenge;
use crate::page::text::{sorted_words, words_missing};
use crate::page::view::effective_canonical;
use crate::page::{Directives, Page};
use crate::page::{link_header, not_found};

const RENDERING: &str =
    "https://developers.google.com/search/docs/crawling-indexing/javascript/dynamic-rendering";
/// Share of words that snapshot and page have in common at least.
const SAME_WORDS: f64 = 0.9;

/// Lists the differences between the snapshot and the page as rendered now.
fn differences(page: &Page) -> Vec<&'static str> {
    let Some((sent, stored)) = page.snapshot().filter(|_| page.was_rendered()) else { return Vec::new() };
    let mut found = Vec::new();
    if stored.title() != page.facts.title() {
        found.push("title");
    }
    let header_canonicals = link_header::parse(&sent.headers, &page.base).canonicals;
    if effective_canonical(stored, &page.base, &header_canonicals) != page.canonical {
        found.push("canonical");
    }
    let is_noindex = |directives: &Directives| directives.meta_noindex() || directives.header_noindex();
    if is_noindex(&Directives::of(stored, &sent.headers)) != is_noindex(&page.directives) {
        found.push("noindex");
    }
    let [now, then] = [&page.facts.main_text, &stored.main_text].map(|text| sorted_words(text));
    let common = now.len() - words_missing(&now, &then);
    let longer = now.len().max(then.len());
    if longer > 0 && (common as f64) < SAME_WORDS * longer as f64 {
        found.push("text");
    }
    found
}

fn is_stale(page: &Page) -> bool {
    let Some((stored, _)) = page.snapshot().filter(|_| !page.was_rendered()) else { return false };
    let age = page.input.now_ms - stored.made_at_ms;
    page.input.lastmod.is_some_and(|changed| stored.made_at_ms < changed)
        || age > 2 * stored.refresh_interval_ms
}

/// Decides whether the snapshot shows an error where people get a page.
pub fn is_stored_error(page: &Page) -> bool {
    let Some((stored, facts)) = page.snapshot() else { return false };
    let is_error_now = page.is_soft_404
        || page.is_rendered_soft_404
        || is_challenge(&page.facts.visible_text)
        || is_challenge(&page.input.raw.visible_text);
    !is_error_now && (not_found::holds(facts, page.input.probe) || is_challenge(&stored.html))
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "SNAPSHOT_MISSING",
        needs: Some(CheckNeed::Snapshots),
        title: "No snapshot yet",
        why: "The first crawler waits until the page is rendered.",
        fix: "Refresh the page, or the site.",
        source: RENDERING,
        bad: "GET /\nShoes\nSNAPSHOT /other\na",
        good: "GET /\nShoes\nSNAPSHOT /\nShoes",
        fires: Fires::When(|page| matches!(page.input.snapshot.0, crate::source::SnapshotLookup::Missing)),
        ..NOTICE
    },
    Check {
        id: "SNAPSHOT_STALE",
        needs: Some(CheckNeed::Snapshots),
        title: "Snapshot is old",
        why: "Crawlers see the page as it was.",
        fix: "Refresh the page, or shorten its refresh interval.",
        source: RENDERING,
        bad: "GET /\n<p>{word *30}\nSNAPSHOT /\n:days 3\n\n<p>{word *30}",
        good: "GET /\n<p>{word *30}\nSNAPSHOT /\n:days 1\n\n<p>{word *30}",
        fires: Fires::When(is_stale),
        ..WARNING
    },
    Check {
        id: "SNAPSHOT_DIFFERS",
        needs: Some(CheckNeed::Snapshots),
        title: "Snapshot and page differ",
        why: "Crawlers see something else than people.",
        fix: "Refresh the page.",
        source: RENDERING,
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<title>New</title><p>{word *30}\nSNAPSHOT /\n<title>Old</title><p>{word *30}",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<title>New</title><p>{word *30}\nSNAPSHOT /\n<title>New</title><p>{word *30}",
        fires: Fires::Elements(|page, found| {
            differences(page).into_iter().for_each(|what| found.add("", "", what));
        }),
        ..WARNING
    },
    Check {
        id: "SNAPSHOT_IS_ERROR_PAGE",
        needs: Some(CheckNeed::Snapshots),
        title: "Snapshot shows an error",
        why: "Crawlers see an error page where people see the page.",
        fix: "Refresh the page; let the renderer through the firewall.",
        source: RENDERING,
        bad: "GET /\n<p>{word *30}\nSNAPSHOT /\n<title>Just a moment...</title>",
        good: "GET /\n<p>{word *30}\nSNAPSHOT /\n<p>{word *30}",
        fires: Fires::When(is_stored_error),
        ..ERROR
    },
    Check {
        id: "RENDER_BLOCKED_BY_WAF",
        title: "A firewall turns the renderer away",
        why: "No page can be rendered for crawlers.",
        fix: "Let the renderer's addresses or user agent through.",
        source: RENDERING,
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<title>Just a moment...</title>",
        good: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<p>Shoes",
        fires: Fires::Whole(|site, found| {
            if site.start().is_some_and(|row| row.is_render_challenged) {
                found.add("the start page", [site.origin.root().to_string()]);
            }
        }),
        ..SITE_ERROR
    },
];
