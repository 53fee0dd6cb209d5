//! Checks of addresses.

use std::collections::HashMap;

use super::thresholds::ThresholdId;
use super::{Check, Fires, NOTICE, WARNING};
use crate::page::Page;
use crate::site::SharedContent;

const URL_STRUCTURE: &str = "https://developers.google.com/search/docs/crawling-indexing/url-structure";
const SESSION_KEYS: &[&str] =
    &["sid", "sessionid", "session_id", "phpsessid", "jsessionid", "cfid", "cftoken"];

fn path<'a>(page: &'a Page) -> &'a str {
    page.key.split('?').next().unwrap_or_default()
}

fn query<'a>(page: &'a Page) -> &'a str {
    page.key.split_once('?').map_or("", |(_, query)| query)
}

/// Returns the segments of a path that are not empty.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// Removes the escapes of a path, whose upper-case digits nobody wrote.
fn without_escapes(path: &str) -> String {
    let mut parts = path.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.get(2..).unwrap_or_default())
}

/// Returns true when a segment occurs three times in a path: a sign of endless relative links.
pub fn repeats_a_segment(path: &str) -> bool {
    let mut counts = HashMap::new();
    segments(path).any(|segment| {
        let count = counts.entry(segment).or_insert(0);
        *count += 1;
        *count >= 3
    })
}

fn has_non_ascii(path: &str) -> bool {
    let escapes = path.split('%').skip(1).filter_map(|part| u8::from_str_radix(part.get(..2)?, 16).ok());
    escapes.into_iter().any(|byte| byte >= 0x80)
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "URL_TOO_LONG",
        thresholds: &[ThresholdId::UrlMaxCharacters],
        title: "Address is long",
        why: "Long addresses are cut in results and break in mails.",
        fix: "Shorten the path to the words that matter.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href=/{very-long-*12}>a</a>\nGET /{very-long-*12}\n<p>a",
        good: "GET /\n<a href=/short>a</a>\nGET /short\n<p>a",
        fires: Fires::When(|page| {
            page.exceeds(ThresholdId::UrlMaxCharacters, page.input.origin.url(&page.key).as_str().len())
        }),
        ..NOTICE
    },
    Check {
        id: "URL_UPPERCASE",
        title: "Capitals in the address",
        why: "Servers tell capitals from small letters; links with the wrong one break or make duplicates.",
        fix: "Use small letters and redirect the rest.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href=/Shoes>a</a>\nGET /Shoes\n<p>a",
        good: "GET /\n<a href=/sho%C3%A9s>a</a>\nGET /sho%C3%A9s\n<p>a",
        fires: Fires::When(|page| without_escapes(path(page)).bytes().any(|b| b.is_ascii_uppercase())),
        ..NOTICE
    },
    Check {
        id: "URL_UNDERSCORE",
        title: "Underscores in the address",
        why: "Search engines read words joined by underscores as one word.",
        fix: "Separate words by hyphens.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href=/a_b>a</a>\nGET /a_b\n<p>a",
        good: "GET /\n<a href=/a-b>a</a>\nGET /a-b\n<p>a",
        fires: Fires::When(|page| path(page).contains('_')),
        ..NOTICE
    },
    Check {
        id: "URL_NON_ASCII",
        title: "Characters outside ASCII in the address",
        why: "They are escaped wherever the address is copied to.",
        fix: "Spell the address in plain letters.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href=/caf%C3%A9>a</a>\nGET /caf%C3%A9\n<p>a",
        good: "GET /\n<a href=/cafe>a</a>\nGET /cafe\n<p>a",
        fires: Fires::When(|page| has_non_ascii(path(page))),
        ..NOTICE
    },
    Check {
        id: "URL_SPACE",
        title: "Spaces in the address",
        why: "An address with a space is cut where it is pasted.",
        fix: "Separate words by hyphens.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href='/a b'>a</a>\nGET /a%20b\n<p>a",
        good: "GET /\n<a href='/a-b'>a</a>\nGET /a-b\n<p>a",
        fires: Fires::When(|page| path(page).contains("%20") || path(page).contains('+')),
        ..WARNING
    },
    Check {
        id: "URL_DOUBLE_SLASH",
        title: "Two slashes in a row",
        why: "The same page usually answers with one slash too.",
        fix: "Link with one slash, and redirect.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href=/a//b>a</a>\nGET /a//b\n<p>a",
        good: "GET /\n<a href=/a/b>a</a>\nGET /a/b\n<p>a",
        fires: Fires::When(|page| path(page).contains("//")),
        ..WARNING
    },
    Check {
        id: "URL_PARAMS_TOO_MANY",
        thresholds: &[ThresholdId::UrlMaxParameters],
        title: "Many parameters",
        why: "Combinations of parameters multiply pages.",
        fix: "Move what makes a page its own into the path.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href='/a?b=1&c=2&d=3&e=4'>a</a>\nGET /a?b=1&c=2&d=3&e=4\n<p>a",
        good: "GET /\n<a href='/a?b=1&c=2'>a</a>\nGET /a?b=1&c=2\n<p>a",
        fires: Fires::When(|page| {
            let parameters = query(page).split('&').filter(|part| !part.is_empty());
            page.exceeds(ThresholdId::UrlMaxParameters, parameters.count())
        }),
        ..NOTICE
    },
    Check {
        id: "URL_SESSION_ID",
        title: "Session in the address",
        why: "Every visit makes another address of the same page.",
        fix: "Keep the session in a cookie.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href='/a?PHPSESSID=1'>a</a>\nGET /a?PHPSESSID=1\n<p>a",
        good: "GET /\n<a href='/a?id=1'>a</a>\nGET /a?id=1\n<p>a",
        fires: Fires::When(|page| {
            let keys = query(page).split('&').map(|pair| pair.split('=').next().unwrap_or_default());
            let in_query =
                keys.into_iter().any(|key| SESSION_KEYS.iter().any(|known| key.eq_ignore_ascii_case(known)));
            in_query || path(page).to_ascii_lowercase().contains(";jsessionid=")
        }),
        ..WARNING
    },
    Check {
        id: "URL_REPEATED_SEGMENT",
        title: "A segment of the path repeats",
        why: "Relative links that go wrong make endless paths.",
        fix: "Begin links with a slash.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href=/a/b/a/b/a>a</a>\nGET /a/b/a/b/a\n<p>a",
        good: "GET /\n<a href=/a/b/a>a</a>\nGET /a/b/a\n<p>a",
        fires: Fires::When(|page| repeats_a_segment(path(page))),
        ..WARNING
    },
    Check {
        id: "URL_TOO_DEEP",
        thresholds: &[ThresholdId::UrlMaxSegments],
        title: "Deep path",
        why: "A long chain of folders hides the page from readers.",
        fix: "Use at most six folders.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href=/a/b/c/d/e/f/g>a</a>\nGET /a/b/c/d/e/f/g\n<p>a",
        good: "GET /\n<a href=/a/b/c>a</a>\nGET /a/b/c\n<p>a",
        fires: Fires::When(|page| page.exceeds(ThresholdId::UrlMaxSegments, segments(path(page)).count())),
        ..NOTICE
    },
    Check {
        id: "URL_SLASH_DUPLICATE",
        title: "Same page with and without a final slash",
        why: "Two addresses of one page share its links and visitors.",
        fix: "Redirect one form to the other.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href=/a>a</a><a href=/a/>b</a>\nGET /a\n<p>text\nGET /a/\n<p>text",
        good: "GET /\n<a href=/a>a</a><a href=/a/>b</a>\nGET /a\n<p>text\nGET /a/\n<p>more",
        fires: Fires::Joined(|site, row, found| site.shared(SharedContent::SlashVariant, row, found)),
        ..WARNING
    },
    Check {
        id: "URL_PARAM_DUPLICATE",
        title: "Same page with and without parameters",
        why: "The parameters change nothing and make another address.",
        fix: "Name the bare address as canonical, or leave the parameters out of links.",
        source: URL_STRUCTURE,
        bad: "GET /\n<a href=/a>a</a><a href=/a?b=1>b</a>\nGET /a\n<p>text\nGET /a?b=1\n<p>text",
        good: "GET /\n<a href=/a>a</a><a href=/a?b=1>b</a>\nGET /a\n<p>text\nGET /a?b=1\n<p>more",
        fires: Fires::Joined(|site, row, found| site.shared(SharedContent::ParameterVariant, row, found)),
        ..WARNING
    },
];
