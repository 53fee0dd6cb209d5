//! Checks of headings.

use super::thresholds::ThresholdId;
use super::{Check, Fires, NOTICE, WARNING};
use crate::page::text::character_count;
use crate::site::SharedContent;

const HEADINGS: &str = "https://developer.mozilla.org/docs/Web/HTML/Reference/Elements/Heading_Elements";

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "H1_MISSING",
        title: "First-level heading is missing",
        why: "The h1 tells readers and search engines what the page is about.",
        fix: "Add one <h1>.",
        source: HEADINGS,
        bad: "<h2>Shoes</h2>",
        good: "<h1>Shoes</h1>",
        fires: Fires::When(|page| page.facts.headings.iter().all(|heading| heading.level != 1)),
        ..WARNING
    },
    Check {
        id: "H1_EMPTY",
        title: "First-level heading is empty",
        why: "An empty h1 says nothing.",
        fix: "Write a text into it, or give its picture an alt text.",
        source: HEADINGS,
        bad: "<h1> </h1>",
        good: "<h1><img src=/logo.svg alt=Shoes></h1>",
        fires: Fires::When(|page| {
            page.facts.headings.iter().any(|heading| heading.level == 1) && page.facts.h1().is_none()
        }),
        ..WARNING
    },
    Check {
        id: "H1_MULTIPLE",
        title: "More than one first-level heading",
        why: "Several h1 blur what the page is about.",
        fix: "Keep one <h1> and make the others <h2>.",
        source: HEADINGS,
        bad: "<h1>Shoes</h1><h1>Boots</h1>",
        good: "<h1>Shoes</h1><h1></h1><h2>Boots</h2>",
        fires: Fires::Elements(|page, found| {
            let all: Vec<_> =
                page.facts.headings.iter().filter(|h| h.level == 1 && !h.text.is_empty()).collect();
            if all.len() > 1 {
                all.iter().for_each(|heading| found.add("", &heading.text, ""));
            }
        }),
        ..NOTICE
    },
    Check {
        id: "H1_DUPLICATE",
        title: "First-level heading is used by several pages",
        why: "Pages with one heading look like copies.",
        fix: "Give each page a heading of its own.",
        source: HEADINGS,
        bad: "GET /\n<h1>Shoes</h1><a href=/b>b</a>\nGET /b\n<h1>SHOES</h1>",
        good: "GET /\n<h1>Shoes</h1><a href=/b>b</a>\nGET /b\n<h1>Boots</h1>",
        fires: Fires::Joined(|site, row, found| site.shared(SharedContent::H1, row, found)),
        ..NOTICE
    },
    Check {
        id: "H1_TOO_LONG",
        thresholds: &[ThresholdId::H1MaxCharacters],
        title: "First-level heading is too long",
        why: "A heading is a headline, not a paragraph.",
        fix: "Stay within 70 characters.",
        source: HEADINGS,
        bad: "<h1>{Hand-made shoes *6}</h1>",
        good: "<h1>Hand-made shoes</h1>",
        fires: Fires::When(|page| {
            page.facts.h1().is_some_and(|h1| page.exceeds(ThresholdId::H1MaxCharacters, character_count(h1)))
        }),
        ..NOTICE
    },
    Check {
        id: "H2_MISSING",
        is_default: false,
        thresholds: &[ThresholdId::SubheadingWords],
        title: "Long text without subheadings",
        why: "Readers scan headings before they read.",
        fix: "Divide the text with <h2>.",
        source: HEADINGS,
        bad: "<h1>Shoes</h1><p>{word *300}</p>",
        good: "<h1>Shoes</h1><h2>Leather</h2><p>{word *300}</p>",
        fires: Fires::When(|page| {
            !page.undercuts(ThresholdId::SubheadingWords, page.words)
                && page.facts.headings.iter().all(|heading| heading.level != 2)
        }),
        ..NOTICE
    },
    Check {
        id: "HEADING_ORDER_SKIPPED",
        title: "Heading level is skipped",
        why: "A missing level breaks the outline that screen readers show.",
        fix: "Go down one level at a time.",
        source: HEADINGS,
        bad: "<h1>Shoes</h1><h3>Leather</h3>",
        good: "<h3>Shop</h3><h1>Shoes</h1><h2>Leather</h2>",
        fires: Fires::Elements(|page, found| {
            for pair in page.facts.headings.windows(2).filter(|pair| pair[1].level > pair[0].level + 1) {
                found.add("", &pair[1].text, format!("h{} after h{}", pair[1].level, pair[0].level));
            }
        }),
        ..NOTICE
    },
];
