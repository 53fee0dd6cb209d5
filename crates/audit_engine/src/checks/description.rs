//! Checks of the meta description.

use super::thresholds::{ThresholdId, Thresholds};
use super::{Check, Fires, NOTICE, WARNING};
use crate::page::Page;
use crate::page::text::{character_count, is_cjk};
use crate::site::SharedContent;

const SNIPPETS: &str = "https://developers.google.com/search/docs/appearance/snippet";

fn text<'a>(page: &'a Page) -> Option<&'a str> {
    page.facts.description().filter(|text| !text.is_empty())
}

/// Returns true for a description of a useful length.
pub fn has_good_length(text: &str, thresholds: &Thresholds) -> bool {
    !is_too_short(text, thresholds) && !is_too_long(text, thresholds)
}

fn is_too_long(text: &str, thresholds: &Thresholds) -> bool {
    thresholds.exceeds(ThresholdId::DescriptionMaxCharacters, character_count(text))
}

fn is_too_short(text: &str, thresholds: &Thresholds) -> bool {
    // A Chinese or Japanese character is about as wide, and says about as much, as two Latin ones.
    let weight = if is_cjk(text) { 2 } else { 1 };
    thresholds.undercuts(ThresholdId::DescriptionMinCharacters, character_count(text) * weight)
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "META_DESC_MISSING",
        weight: 3.0,
        title: "Meta description is missing",
        why: "Search engines then write the snippet themselves.",
        fix: "Add <meta name=\"description\"> with 70 to 160 characters that sum the page up.",
        source: SNIPPETS,
        bad: "<title>Shoes</title>",
        good: "<meta name=description content='Hand-made shoes from Porto'>",
        fires: Fires::When(|page| page.facts.meta("description").next().is_none()),
        ..WARNING
    },
    Check {
        id: "META_DESC_EMPTY",
        title: "Meta description is empty",
        why: "Search engines then write the snippet themselves.",
        fix: "Write 70 to 160 characters that sum the page up.",
        source: SNIPPETS,
        bad: "<meta name=description content=''>",
        good: "<meta name=description content='Hand-made shoes from Porto'>",
        fires: Fires::When(|page| page.facts.description().is_some_and(str::is_empty)),
        ..WARNING
    },
    Check {
        id: "META_DESC_MULTIPLE",
        title: "More than one meta description",
        why: "Which of them is shown is left to chance.",
        fix: "Keep one.",
        source: SNIPPETS,
        bad: "<meta name=description content=a><meta name=description content=b>",
        good: "<meta name=description content=a>",
        fires: Fires::Elements(|page, found| {
            let all: Vec<_> = page.facts.meta("description").filter(|meta| meta.in_head).collect();
            if all.len() > 1 {
                all.iter().for_each(|meta| found.add("", &meta.content, ""));
            }
        }),
        ..WARNING
    },
    Check {
        id: "META_DESC_TOO_LONG",
        thresholds: &[ThresholdId::DescriptionMaxCharacters],
        title: "Meta description is too long",
        why: "Snippets are cut after about 160 characters.",
        fix: "Put what matters first and stay within 160 characters.",
        source: SNIPPETS,
        bad: "<meta name=description content='{Hand-made shoes. *10}'>",
        good: "<meta name=description content='{Hand-made shoes. *6}'>",
        fires: Fires::When(|page| text(page).is_some_and(|text| is_too_long(text, page.input.thresholds))),
        ..NOTICE
    },
    Check {
        id: "META_DESC_TOO_SHORT",
        thresholds: &[ThresholdId::DescriptionMinCharacters],
        title: "Meta description is too short",
        why: "A short description is often replaced by a piece of the page.",
        fix: "Write at least 70 characters.",
        source: SNIPPETS,
        bad: "<meta name=description content='Hand-made shoes.'>",
        good: "<meta name=description content='{Hand-made shoes. *6}'>",
        fires: Fires::When(|page| text(page).is_some_and(|text| is_too_short(text, page.input.thresholds))),
        ..NOTICE
    },
    Check {
        id: "META_DESC_DUPLICATE",
        title: "Meta description is used by several pages",
        why: "Equal snippets make results look alike.",
        fix: "Describe each page in its own words.",
        source: SNIPPETS,
        bad: "GET /\n<meta name=description content=Shoes><a href=/b>b</a>\nGET /b\n<meta name=description content=shoes>",
        good: "GET /\n<meta name=description content=Shoes><a href=/b>b</a>\nGET /b\n<meta name=description content=Boots>",
        fires: Fires::Joined(|site, row, found| site.shared(SharedContent::Description, row, found)),
        ..WARNING
    },
    Check {
        id: "META_DESC_OUTSIDE_HEAD",
        title: "Meta description stands in the body",
        why: "Search engines may not read it there.",
        fix: "Move it into the head, before anything that a head may not hold.",
        source: SNIPPETS,
        bad: "<body><meta name=description content=Shoes>",
        good: "<head><meta name=description content=Shoes></head><body>",
        fires: Fires::When(|page| {
            let metas = || page.input.raw.meta("description");
            metas().next().is_some()
                && metas().all(|meta| !meta.in_head)
                && page.facts.description().is_none()
        }),
        ..NOTICE
    },
];
