//! Checks of the document itself: language, encoding, head, size.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use url::Url;

use super::thresholds::ThresholdId;
use super::{Check, ERROR, Fires, NOTICE, WARNING};

const VALID_HEAD: &str = "https://developers.google.com/search/docs/crawling-indexing/valid-page-metadata";
const ENCODING: &str = "https://www.w3.org/International/questions/qa-html-encoding-declarations";
const DOM_SIZE: &str = "https://developer.chrome.com/docs/lighthouse/performance/dom-size";

/// Language, script and region of a tag in the form of RFC 5646, private use left out.
static LANGUAGE_TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^([a-z]{2,3})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[a-wyz0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$")
        .expect("the expression is constant and its test runs it")
});

fn is_language_tag(tag: &str) -> bool {
    if matches!(tag.as_bytes(), [one, two] if one.is_ascii_lowercase() && two.is_ascii_lowercase()) {
        return super::hreflang::is_language(tag);
    }
    let Some(parts) = LANGUAGE_TAG.captures(tag.trim()) else { return false };
    let language = parts[1].to_ascii_lowercase();
    let region = parts.get(4).map(|region| region.as_str().to_ascii_uppercase());
    let is_region = |region: &String| region.len() == 3 || super::hreflang::is_region(region);
    let is_language = if language.len() == 2 { super::hreflang::is_language(&language) } else { true };
    is_language && region.as_ref().is_none_or(is_region)
}

/// Returns true for pages of hosts that are made to be embedded. As of 2026-11-20.
fn is_embed(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let mut hosts = include_str!("../../data/embed_hosts.txt").lines();
    hosts.any(|known| host == known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.')))
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "LANG_MISSING",
        title: "Language is not declared",
        why: "Screen readers and translators have to guess.",
        fix: "Write lang on the html element.",
        source: "https://www.w3.org/International/questions/qa-html-language-declarations",
        bad: "<html><p>Shoes",
        good: "<html lang=en><p>Shoes",
        fires: Fires::When(|page| page.facts.lang.as_deref().is_none_or(|lang| lang.trim().is_empty())),
        ..WARNING
    },
    Check {
        id: "LANG_INVALID",
        title: "Declared language does not exist",
        why: "It is ignored.",
        fix: "Use a tag such as en or pt-BR.",
        source: "https://www.rfc-editor.org/rfc/rfc5646",
        bad: "<html lang=en_US><p>Shoes",
        good: "<html lang=en-US><p>Shoes",
        fires: Fires::When(|page| {
            page.facts.lang.as_deref().is_some_and(|lang| !lang.trim().is_empty() && !is_language_tag(lang))
        }),
        ..WARNING
    },
    Check {
        id: "CHARSET_MISSING",
        title: "Encoding is not declared",
        why: "Browsers have to guess, and letters turn into garbage.",
        fix: "Send charset=utf-8 with the content type or begin the head with <meta charset=\"utf-8\">.",
        source: ENCODING,
        bad: "GET /\ncontent-type: text/html\n\n<p>Shoes",
        good: "GET /\ncontent-type: text/html\n\n<meta charset=utf-8><p>Shoes",
        fires: Fires::When(|page| {
            let response = page.input.response;
            response.header_charset().is_none()
                && response.bom_charset().is_none()
                && page.input.raw.meta_charset.is_none()
        }),
        ..NOTICE
    },
    Check {
        id: "CHARSET_LATE",
        title: "Encoding is declared late",
        why: "Browsers look at the first 1024 bytes and then read the page again.",
        fix: "Put the declaration first in the head.",
        source: ENCODING,
        bad: "GET /\ncontent-type: text/html\n\n<title>{Shoes *300}</title><meta charset=utf-8>",
        good: "GET /\ncontent-type: text/html\n\n<meta charset=utf-8><title>{Shoes *300}</title>",
        fires: Fires::When(|page| {
            let response = page.input.response;
            response.header_charset().is_none()
                && response.bom_charset().is_none()
                && page.input.raw.charset_is_late
        }),
        ..NOTICE
    },
    Check {
        id: "DOCTYPE_MISSING",
        title: "Doctype is missing",
        why: "Browsers then lay the page out as thirty years ago.",
        fix: "Begin the document with <!doctype html>.",
        source: "https://developer.mozilla.org/docs/Glossary/Doctype",
        bad: "<html><p>Shoes",
        good: "<!DOCTYPE html><html><p>Shoes",
        fires: Fires::When(|page| !page.input.raw.has_doctype),
        ..NOTICE
    },
    Check {
        id: "HEAD_INVALID_ELEMENT",
        title: "An element ends the head early",
        why: "What follows it is in the body: titles, descriptions and canonicals there are ignored.",
        fix: "Move the element into the body.",
        source: VALID_HEAD,
        bad: "<head><div></div><title>Shoes</title></head><body>",
        good: "<head><title>Shoes</title></head><body><div></div>",
        fires: Fires::Elements(|page, found| {
            page.input.raw.invalid_in_head.iter().for_each(|what| found.add("", what, "in head"));
        }),
        ..ERROR
    },
    Check {
        id: "META_IN_BODY",
        title: "Metadata stands in the body",
        why: "Search engines and previews may ignore it there.",
        fix: "Move it into the head.",
        source: VALID_HEAD,
        bad: "<body><meta property=og:title content=Shoes>",
        good: "<head><meta property=og:title content=Shoes></head><body>",
        fires: Fires::Elements(|page, found| {
            let raw = page.input.raw;
            let has_head = |name: &str| raw.meta(name).any(|meta| meta.in_head);
            for meta in raw.metas.iter().filter(|meta| !meta.in_head) {
                let name = meta.name.as_str();
                let counts = matches!(name, "robots" | "googlebot")
                    || name.starts_with("og:")
                    || name.starts_with("twitter:");
                if counts || name == "description" && has_head(name) {
                    found.add("", name, "meta");
                }
            }
            raw.alternates.body.iter().for_each(|entry| found.add(&entry.href, &entry.lang, "hreflang"));
            if !raw.canonicals.head.is_empty() {
                raw.canonicals.body.iter().flatten().for_each(|href| found.add(href, "", "canonical"));
            }
        }),
        ..WARNING
    },
    Check {
        id: "DUPLICATE_ID",
        title: "One id on several elements",
        why: "Links, labels and scripts find the first only.",
        fix: "Give each element an id of its own.",
        source: "https://developer.mozilla.org/docs/Web/HTML/Reference/Global_attributes/id",
        bad: "<p id=a><p id=a>",
        good: "<p id=a><p id=A>",
        fires: Fires::Elements(|page, found| {
            let mut counts: HashMap<&str, usize> = HashMap::new();
            for id in &page.facts.ids {
                let count = counts.entry(id).or_default();
                *count += 1;
                if *count == 2 {
                    found.add("", id, "");
                }
            }
        }),
        ..NOTICE
    },
    Check {
        id: "DOM_TOO_LARGE",
        thresholds: &[ThresholdId::DomMaxElements],
        title: "Very many elements",
        why: "Large documents are slow on phones.",
        fix: "Render less at once.",
        source: DOM_SIZE,
        bad: "{<i></i>*1600}",
        good: "{<i></i>*100}",
        fires: Fires::When(|page| page.exceeds(ThresholdId::DomMaxElements, page.facts.elements)),
        ..NOTICE
    },
    Check {
        id: "DOM_TOO_DEEP",
        thresholds: &[ThresholdId::DomMaxDepth],
        title: "Elements nested very deeply",
        why: "Deep documents are slow to lay out.",
        fix: "Remove wrappers.",
        source: DOM_SIZE,
        bad: "{<div>*40}",
        good: "{<div>*10}",
        fires: Fires::When(|page| page.exceeds(ThresholdId::DomMaxDepth, page.facts.depth)),
        ..NOTICE
    },
    Check {
        id: "IFRAME_MAIN_CONTENT",
        thresholds: &[ThresholdId::ThinWords],
        title: "The content is another page in a frame",
        why: "Search engines give the text to the other page.",
        fix: "Put the text into the page.",
        source: "https://developers.google.com/search/docs/crawling-indexing/iframes-indexing",
        bad: "<main><iframe src=/inner></iframe></main>",
        good: "<main><iframe src=https://www.youtube.com/embed/x></iframe></main>",
        fires: Fires::Elements(|page, found| {
            for (src, in_main) in
                page.facts.frames.iter().filter(|_| page.undercuts(ThresholdId::ThinWords, page.words))
            {
                let url = page.resolve(src).filter(|url| *in_main && !is_embed(url));
                url.into_iter().for_each(|url| found.add(url, "", "iframe"));
            }
        }),
        ..NOTICE
    },
    Check {
        id: "STATE_BLOB_LARGE",
        thresholds: &[ThresholdId::StateMaxBytes],
        title: "Large application state in the document",
        why: "The data is sent twice, as text and as state.",
        fix: "Send only the state that the page needs.",
        source: "https://web.dev/articles/rendering-on-the-web",
        bad: "<script type=application/json>{\"x\",*40000}</script>",
        good: "<script type=application/json>{\"x\",*10}</script>",
        fires: Fires::When(|page| {
            let (state, all) = (page.input.raw.state_bytes, page.input.raw.html_bytes);
            page.exceeds(ThresholdId::StateMaxBytes, state) || state > 20_480 && state * 2 > all
        }),
        ..NOTICE
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_tags_are_those_of_the_registry() {
        for tag in ["en", "pt-BR", "zh-Hant-TW", "es-419", "de-DE-1996", "en-x-twain", "haw"] {
            assert!(is_language_tag(tag), "{tag}");
        }
        for tag in ["english", "en_US", "en-UK", "xx", "e", "", "en-"] {
            assert!(!is_language_tag(tag), "{tag}");
        }
    }
}
