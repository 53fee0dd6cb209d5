//! Checks of the text: enough of it, its own, readable, intact.

use std::sync::LazyLock;

use regex::Regex;

use super::thresholds::ThresholdId;
use super::{Check, ERROR, Fires, NOTICE, SITE_NOTICE, WARNING};
use crate::page::Page;
use crate::page::text::{han_and_kana_count, is_cjk};
use crate::site::SharedContent;

const HELPFUL: &str = "https://developers.google.com/search/docs/fundamentals/creating-helpful-content";
const DUPLICATES: &str =
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls";

fn is_thin(page: &Page) -> bool {
    let text = &page.facts.main_text;
    let is_short = if is_cjk(text) {
        page.undercuts(ThresholdId::ThinCjkCharacters, han_and_kana_count(text))
    } else {
        page.undercuts(ThresholdId::ThinWords, page.words)
    };
    is_short && !page.is_pagination()
}

static LOREM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("(?i-u)lorem ipsum dolor").expect("the expression is constant and its test runs it")
});

fn reads_below(page: &Page, limit: ThresholdId) -> bool {
    page.readability.is_measurable && page.readability.score < page.input.thresholds.number(limit)
}

/// Counts U+FFFD and the pairs that UTF-8 read as windows-1252 leaves behind.
fn mojibake_count(text: &str) -> usize {
    if !['Ã', 'Â', 'â', '\u{FFFD}'].into_iter().any(|sign| text.contains(sign)) {
        return 0;
    }
    let is_high = |c: char| matches!(u32::from(c), 0x80..=0xBF) || "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ".contains(c);
    let pairs = text.chars().zip(text.chars().skip(1));
    let doubled =
        pairs.filter(|(a, b)| matches!(a, 'Ã' | 'Â') && is_high(*b) || *a == 'â' && *b == '€').count();
    doubled + text.matches('\u{FFFD}').count()
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "THIN_CONTENT",
        thresholds: &[ThresholdId::ThinWords, ThresholdId::ThinCjkCharacters],
        title: "Little text of its own",
        why: "A page without substance rarely ranks.",
        fix: "Say more, or join it with a page on the same subject.",
        source: HELPFUL,
        bad: "<p>{word *150}</p>",
        good: "<nav>{menu *50}</nav><p>{word *250}</p>",
        fires: Fires::When(is_thin),
        ..WARNING
    },
    Check {
        id: "CONTENT_EMPTY",
        thresholds: &[ThresholdId::EmptyWords],
        title: "No text at all",
        why: "There is nothing that could be found.",
        fix: "Make sure that the text is in the page, not only in pictures or behind a click.",
        source: HELPFUL,
        bad: "<p>Welcome</p>",
        good: "<p>{word *50}</p>",
        fires: Fires::When(|page| page.undercuts(ThresholdId::EmptyWords, page.words)),
        ..ERROR
    },
    Check {
        id: "LOW_TEXT_RATIO",
        thresholds: &[ThresholdId::EmptyWords, ThresholdId::TextRatioPercent],
        title: "Much code, little text",
        why: "The document is mostly markup and data; it loads slowly for what it says.",
        fix: "Move scripts, styles and data out of the document.",
        source: HELPFUL,
        bad: "<p>{word *30}</p><script>{x *3000}</script>",
        good: "<p>{word *300}</p>",
        fires: Fires::When(|page| {
            !page.undercuts(ThresholdId::EmptyWords, page.words)
                && page.text_ratio() < page.input.thresholds.number(ThresholdId::TextRatioPercent)
        }),
        ..NOTICE
    },
    Check {
        id: "DUPLICATE_CONTENT",
        title: "Same text as another page",
        why: "Search engines show one of the copies, and choose it themselves.",
        fix: "Keep one page; redirect the others to it or name it as their canonical.",
        source: DUPLICATES,
        bad: "GET /\n<nav><a href=/b>b</a></nav><p>{word *60}\nGET /b\n<p>{word *60}",
        good: "GET /\n<nav><a href=/b>b</a></nav><p>{word *60}\nGET /b\n<p>{other *60}",
        fires: Fires::Joined(|site, row, found| site.shared(SharedContent::Text, row, found)),
        ..ERROR
    },
    Check {
        id: "NEAR_DUPLICATE_CONTENT",
        thresholds: &[ThresholdId::NearDuplicatePercent],
        title: "Nearly the same text as another page",
        why: "Pages that differ in a few words compete with each other.",
        fix: "Join them, or write what makes each its own.",
        source: DUPLICATES,
        bad: "GET /\n<nav><a href=/b>b</a></nav><p>{n# *400}\nGET /b\n<p>{n# *400} end",
        good: "GET /\n<nav><a href=/b>b</a></nav><p>{n# *400}\nGET /b\n<p>{m# *400}",
        fires: Fires::Joined(|site, row, found| site.near_duplicates(row, found)),
        ..WARNING
    },
    Check {
        id: "LOREM_IPSUM",
        title: "Filler text",
        why: "The page was published before it was written.",
        fix: "Replace the filler by text.",
        source: HELPFUL,
        bad: "<p>Lorem ipsum  dolor sit amet",
        good: "<p>What lorem ipsum means",
        fires: Fires::When(|page| LOREM.is_match(&page.facts.visible_text)),
        ..WARNING
    },
    Check {
        id: "READABILITY_DIFFICULT",
        thresholds: &[ThresholdId::ReadabilityDifficult, ThresholdId::ReadabilityVeryDifficult],
        title: "Text is difficult to read",
        why: "Long sentences and long words lose readers.",
        fix: "Write shorter sentences and use common words.",
        source: "https://en.wikipedia.org/wiki/Flesch%E2%80%93Kincaid_readability_tests",
        bad: "<p>{The modern garden offers several hidden corners where many people sit and read a paper every morning. *12}",
        good: "<p>{The man and the dog went to the old house by the sea. *12}",
        fires: Fires::When(|page| {
            reads_below(page, ThresholdId::ReadabilityDifficult)
                && !reads_below(page, ThresholdId::ReadabilityVeryDifficult)
        }),
        ..NOTICE
    },
    Check {
        id: "READABILITY_VERY_DIFFICULT",
        thresholds: &[ThresholdId::ReadabilityVeryDifficult],
        title: "Text is very difficult to read",
        why: "Hardly anybody reads on.",
        fix: "Write shorter sentences and use common words.",
        source: "https://en.wikipedia.org/wiki/Flesch%E2%80%93Kincaid_readability_tests",
        bad: "<p>{Institutional characteristics disproportionately complicate the international responsibilities of telecommunications. *12}",
        good: "<p>{The man and the dog went to the old house by the sea. *12}",
        fires: Fires::When(|page| reads_below(page, ThresholdId::ReadabilityVeryDifficult)),
        ..NOTICE
    },
    Check {
        id: "MOJIBAKE",
        title: "Garbled characters",
        why: "The text was read in another encoding than it was written in.",
        fix: "Serve and store it as UTF-8 throughout.",
        source: "https://www.w3.org/International/questions/qa-what-is-encoding",
        bad: "<meta charset=utf-8><p>CafÃ© zurÃ¼ck grÃ¶ÃŸer",
        good: "<meta charset=utf-8><p>Café zurück größer",
        fires: Fires::When(|page| mojibake_count(&page.facts.visible_text) >= 3),
        ..WARNING
    },
    Check {
        id: "LANGUAGE_MISMATCH",
        title: "Text is in another language than declared",
        why: "Search engines and screen readers trust the wrong language.",
        fix: "Set lang on the html element to the language of the text.",
        source: "https://www.w3.org/International/questions/qa-html-language-declarations",
        bad: "<html lang=de><p>{The quick brown fox jumps over the lazy dog and then the fox sleeps in the sun. *12}",
        good: "<html lang=en><p>{The quick brown fox jumps over the lazy dog and then the fox sleeps in the sun. *12}",
        fires: Fires::When(|page| {
            let Some(declared) = page.language().filter(|tag| matches!(tag.len(), 2 | 3)) else {
                return false;
            };
            page.words >= 100
                && page.text_language.is_some_and(|(found, sure)| sure >= 0.9 && found != declared)
        }),
        ..NOTICE
    },
    Check {
        id: "STALE_COPYRIGHT_YEAR",
        is_default: false,
        title: "Copyright of a year long gone",
        why: "The site looks abandoned.",
        fix: "Write the current year, or none.",
        source: HELPFUL,
        bad: "GET /\n<p>© 2019 Shoes",
        good: "GET /\n<p>© 2026 Shoes",
        fires: Fires::Whole(|site, found| {
            let now = jiff::Timestamp::from_millisecond(site.now_ms).unwrap_or_default();
            let last_year = now.to_zoned(jiff::tz::TimeZone::UTC).year() - 1;
            let year = site.start().and_then(|row| row.copyright_year);
            if let Some(year) = year.filter(|year| i32::from(*year) < i32::from(last_year)) {
                found.add(year.to_string(), []);
            }
        }),
        ..SITE_NOTICE
    },
];
