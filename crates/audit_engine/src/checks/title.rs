//! Checks of the title: present, in head, of a useful length, and its own.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::thresholds::{ThresholdId, Thresholds};
use super::{Check, ERROR, Fires, NOTICE, WARNING};
use crate::page::Page;
use crate::page::text::{character_count, fold, is_cjk, pixel_width};
use crate::site::SharedContent;

const TITLE_LINKS: &str = "https://developers.google.com/search/docs/appearance/title-link";

/// Titles that frameworks and editors put in. As of 2026-11-20.
static PLACEHOLDERS: LazyLock<HashSet<String>> =
    LazyLock::new(|| include_str!("../../data/placeholder_titles.txt").lines().map(fold).collect());

/// Returns the first title of head, if it has any text.
fn text<'a>(page: &'a Page) -> Option<&'a str> {
    page.facts.title().filter(|title| !title.is_empty())
}

/// Returns true for a title that says nothing about its page.
pub fn is_placeholder(title: &str) -> bool {
    let folded = fold(title);
    PLACEHOLDERS.contains(folded.trim_end_matches(['.', '…']).trim())
}

/// Returns true for a title of a useful length, in characters.
pub fn has_good_length(title: &str, thresholds: &Thresholds) -> bool {
    !is_too_short(title, thresholds) && !is_too_long(title, thresholds)
}

/// Returns true when a result list shows all of a title.
pub fn fits(title: &str, thresholds: &Thresholds) -> bool {
    pixel_width(title) <= thresholds.number(ThresholdId::TitleMaxPixels)
}

fn is_too_long(title: &str, thresholds: &Thresholds) -> bool {
    thresholds.exceeds(ThresholdId::TitleMaxCharacters, character_count(title))
}

fn is_too_short(title: &str, thresholds: &Thresholds) -> bool {
    // A Chinese or Japanese character is about as wide, and says about as much, as two Latin ones.
    let weight = if is_cjk(title) { 2 } else { 1 };
    thresholds.undercuts(ThresholdId::TitleMinCharacters, character_count(title) * weight)
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "TITLE_MISSING",
        title: "Title is missing",
        why: "The title is the headline of a search result; without one the search engine makes it up.",
        fix: "Add a <title> to the head that names what the page is about.",
        source: TITLE_LINKS,
        bad: "<head></head><body><h1>Shoes</h1>",
        good: "<head><title>Hand-made shoes from Porto</title></head><body>",
        fires: Fires::When(|page| page.facts.titles.is_empty()),
        ..ERROR
    },
    Check {
        id: "TITLE_EMPTY",
        title: "Title is empty",
        why: "An empty title is no headline: the search engine makes one up.",
        fix: "Write a title of 30 to 60 characters.",
        source: TITLE_LINKS,
        bad: "<title> </title>",
        good: "<title>Hand-made shoes from Porto</title>",
        fires: Fires::When(|page| page.facts.title().is_some_and(str::is_empty)),
        ..ERROR
    },
    Check {
        id: "TITLE_MULTIPLE",
        title: "More than one title",
        why: "Which of them is shown is left to chance.",
        fix: "Keep one <title> in the head.",
        source: TITLE_LINKS,
        bad: "<title>Shoes</title><title>Boots</title>",
        good: "<title>Shoes</title>",
        fires: Fires::Elements(|page, found| {
            if page.facts.titles.head.len() > 1 {
                page.facts.titles.head.iter().for_each(|title| found.add("", title, ""));
            }
        }),
        ..WARNING
    },
    Check {
        id: "TITLE_OUTSIDE_HEAD",
        title: "Title stands in the body",
        why: "Search engines read the title in the head only.",
        fix: "Move the <title> into the head, before anything that a head may not hold.",
        source: TITLE_LINKS,
        bad: "<head></head><body><title>Shoes</title>",
        good: "<head><title>Shoes</title></head><body>",
        fires: Fires::When(|page| {
            let titles = &page.input.raw.titles;
            titles.head.is_empty() && !titles.body.is_empty() && page.facts.titles.head.is_empty()
        }),
        ..ERROR
    },
    Check {
        id: "TITLE_TOO_LONG",
        thresholds: &[ThresholdId::TitleMaxCharacters],
        title: "Title is too long",
        why: "Result lists cut a title after about 60 characters.",
        fix: "Put what matters first and stay within 60 characters.",
        source: TITLE_LINKS,
        bad: "<title>Hand-made shoes from Porto for every season, every weather and every walk of life</title>",
        good: "<title>Hand-made shoes from Porto for every season</title>",
        fires: Fires::When(|page| text(page).is_some_and(|title| is_too_long(title, page.input.thresholds))),
        ..WARNING
    },
    Check {
        id: "TITLE_TOO_WIDE",
        thresholds: &[ThresholdId::TitleMaxCharacters, ThresholdId::TitleMaxPixels],
        title: "Title is too wide",
        why: "Result lists cut a title after about 561 pixels, whatever its number of characters.",
        fix: "Use fewer capitals and wide letters, or shorten the title.",
        source: TITLE_LINKS,
        bad: "<title>WARM WOMEN'S WINTER WOOL WEAR AND MORE WARM WONDERS</title>",
        good: "<title>Warm women's winter wool wear and more</title>",
        fires: Fires::When(|page| {
            let thresholds = page.input.thresholds;
            text(page).is_some_and(|title| !is_too_long(title, thresholds) && !fits(title, thresholds))
        }),
        ..NOTICE
    },
    Check {
        id: "TITLE_TOO_SHORT",
        thresholds: &[ThresholdId::TitleMinCharacters],
        title: "Title is too short",
        why: "A short title wastes the place where a result says what it offers.",
        fix: "Write at least 30 characters.",
        source: TITLE_LINKS,
        bad: "<title>Shoes</title>",
        good: "<title>Hand-made shoes from Porto, Portugal</title>",
        fires: Fires::When(|page| {
            text(page)
                .is_some_and(|title| is_too_short(title, page.input.thresholds) && !is_placeholder(title))
        }),
        ..WARNING
    },
    Check {
        id: "TITLE_DUPLICATE",
        title: "Title is used by several pages",
        why: "Equal headlines make results look alike, and pages compete with each other.",
        fix: "Give each page a title of its own.",
        source: TITLE_LINKS,
        bad: "GET /\n<title>Hand-made shoes from Porto</title><a href=/b>b</a>\nGET /b\n<title>Hand-made shoes from Porto</title>",
        good: "GET /\n<title>Hand-made shoes from Porto</title><a href=/b>b</a>\nGET /b\n<title>Hand-made boots from Porto</title>",
        fires: Fires::Joined(|site, row, found| site.shared(SharedContent::Title, row, found)),
        ..WARNING
    },
    Check {
        id: "TITLE_SAME_AS_H1",
        title: "Title repeats the first heading",
        why: "Two texts could say two things about the page.",
        fix: "Let the title sell the page and the heading open it.",
        source: TITLE_LINKS,
        bad: "<title>Hand-made shoes</title><h1>Hand-Made Shoes</h1>",
        good: "<title>Hand-made shoes from Porto</title><h1>Our shoes</h1>",
        fires: Fires::When(|page| {
            let Some((title, h1)) = text(page).zip(page.facts.h1()) else { return false };
            fold(title) == fold(h1) && !is_placeholder(title)
        }),
        ..NOTICE
    },
    Check {
        id: "TITLE_PLACEHOLDER",
        title: "Title is a placeholder",
        why: "A framework's default says nothing about the page.",
        fix: "Replace it by a title that names what the page is about.",
        source: TITLE_LINKS,
        bad: "<title>React App</title>",
        good: "<title>Hand-made shoes from Porto</title>",
        fires: Fires::When(|page| text(page).is_some_and(is_placeholder)),
        ..ERROR
    },
];
