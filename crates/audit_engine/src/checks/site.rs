//! Checks of the site as a whole.

use super::{Check, Fires, SITE_ERROR, SITE_NOTICE};

const SOFT_404: &str =
    "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors";

/// Whether a llms.txt begins with a title.
pub fn is_valid_llms_txt(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().map(str::trim).find(|line| !line.is_empty());
    first.is_some_and(|line| line.starts_with("# "))
}

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
            let answers = &site.probes.not_found;
            if !answers.is_empty() && answers.iter().all(|(status, is_shell)| *status == 200 && !is_shell) {
                found.add("answers 200", []);
            }
        }),
        ..SITE_ERROR
    },
    Check {
        id: "SPA_CATCH_ALL_200",
        title: "Every address answers with the application's shell",
        why: "Search engines cannot tell pages from errors before they render them.",
        fix: "Answer 404, or set <meta name=\"prerender-status-code\" content=\"404\">.",
        source: SOFT_404,
        bad: "GET /\nShoes\nGET *\n<div id=root></div><script src=/a.js></script>",
        good: "GET /\nShoes",
        fires: Fires::Whole(|site, found| {
            let answers = &site.probes.not_found;
            if !answers.is_empty() && answers.iter().all(|(status, is_shell)| *status == 200 && *is_shell) {
                found.add("answers 200 with the shell", []);
            }
        }),
        ..SITE_ERROR
    },
    Check {
        id: "LLMS_TXT_MISSING",
        title: "No llms.txt",
        why: "Assistants find no guide to the site.",
        fix: "Add /llms.txt with a title and links to what matters.",
        source: "https://llmstxt.org/",
        bad: "GET /\nShoes",
        good: "GET /\nShoes\nGET /llms.txt\ncontent-type: text/plain\n\n# Shoes",
        fires: Fires::Whole(|site, found| {
            if site.probes.llms_txt.1.is_none() {
                found.add(format!("status {}", site.probes.llms_txt.0), []);
            }
        }),
        ..SITE_NOTICE
    },
    Check {
        id: "LLMS_TXT_INVALID",
        title: "llms.txt has no title",
        why: "Assistants expect a heading in its first line.",
        fix: "Begin the file with # and the site's name.",
        source: "https://llmstxt.org/",
        bad: "GET /\nShoes\nGET /llms.txt\ncontent-type: text/plain\n\nShoes",
        good: "GET /\nShoes\nGET /llms.txt\ncontent-type: text/plain\n\n# Shoes",
        fires: Fires::Whole(|site, found| {
            let Some(text) = &site.probes.llms_txt.1 else { return };
            if !is_valid_llms_txt(text) {
                found.add("no title", []);
            }
        }),
        ..SITE_NOTICE
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
            if site.probes.favicon != 200 && !site.start().is_some_and(|row| row.has_icon) {
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
];
