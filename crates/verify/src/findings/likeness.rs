//! Checks that crawlers get the page that people get: content, encoding, language, age. Pure.

use std::time::Duration;

use audit_engine::page::text::words_missing;

use super::{Judgement, SiteCheck, answered, fine, found, found_other, last};
use crate::answer::{Observations, SiteAnswer, languages};
use crate::content::ShownContent;
use crate::page::PageContent;

/// Likeness of main texts from which two pages are one.
const SAME_PAGE: f64 = 0.9;
/// Fewer words of a person's page are too few to compare.
const LEAST_COMPARED_WORDS: usize = 40;
/// Seconds of a day.
const DAY: u64 = 24 * 3600;

pub(super) static CHECKS: &[SiteCheck] = &[
    SiteCheck {
        id: "same_content",
        title: "Crawlers get the content that people get.",
        why: "Search engines index a notice or an error in place of the page, and assistants answer from it.",
        remedy: "Render the page (`glasshouse render URL --json`, or the preview in the dashboard), see how the app gets there, and \
                 render it anew when that is repaired.",
        remedy_on: &[],
        judge: same_content,
    },
    SiteCheck {
        id: "encoding",
        title: "Pages are compressed as their headers say.",
        why: "Crawlers get bytes that are no text, and take the page for empty.",
        remedy: "Compress once, in one place. What asks the service and gets a decompressed body (`fetch` of JavaScript does) must not pass on its \
                 `Content-Encoding` and `Content-Length`; what passes the bytes on as they came must pass on `Content-Encoding` too, and must not compress again.",
        remedy_on: &[],
        judge: encoding,
    },
    SiteCheck {
        id: "language",
        title: "Crawlers get the language that people get.",
        why: "Search engines show the page in another language than the one that it is for.",
        remedy: "Let the address decide about the language, not the visitor's country or browser: the service's browser comes from \
                 another place than people. Give each language an address of its own, with `hreflang`.",
        remedy_on: &[],
        judge: language,
    },
    SiteCheck {
        id: "snapshot_age",
        title: "Snapshots are fresh.",
        why: "Search engines and assistants tell people what the page said weeks ago.",
        remedy: "Refresh the page or the site, and see in the dashboard why its renders fail: an old snapshot is served as long as no new one can be made.",
        remedy_on: &[],
        judge: snapshot_age,
    },
];

const NOTICE: &str = "Let the app show the page beneath its notice without an answer, to the service's browser too: its user agent contains `Glasshouse/`. \
     It keeps no cookies and presses no buttons. Or block the notice's script in the domain's settings.";
const REFRESH: &str = "Take the `meta http-equiv=refresh` out of the page that crawlers get, or answer with a redirect (301) where the page has moved. \
     Search engines follow a refresh as a redirect.";
const ERROR_PAGE: &str = "Render the page (`glasshouse render URL --json`, or the preview in the dashboard) and see which requests and scripts fail there. Let \
     the app say so where it fails: `<meta name=\"prerender-status-code\" content=\"500\">` keeps the error page out of the stored snapshots.";

fn same_content(seen: &Observations) -> Judgement {
    let Some((crawler, page)) = last_page(&seen.crawlers) else {
        return fine("Not judged: crawlers get no page.");
    };
    let person = last_page(&seen.people).map(|(_, page)| page);
    let has = |part: fn(&PageContent) -> bool| part(page) && !person.is_some_and(part);
    if let Some(to) =
        page.refresh_to.as_ref().filter(|_| crawler.is_snapshot() || has(|page| page.has_refresh))
    {
        return found_other(
            format!("The page for crawlers sends them on to {to} (`meta http-equiv=refresh`)."),
            REFRESH,
        );
    }
    if has(|page| page.is_wall) {
        let detail = format!(
            "Crawlers get a notice that asks for consent (cookies or age) and no more: {}.",
            crawler.words()
        );
        return found_other(detail, NOTICE);
    }
    if has(|page| page.is_error_page) {
        let title = short(&page.title);
        let detail = format!(
            "Crawlers get an error page with status {}: {title:?}, {}.",
            crawler.status,
            crawler.words()
        );
        return found_other(detail, ERROR_PAGE);
    }
    if is_answer_for_missing(seen, page) && !person.is_some_and(|person| is_answer_for_missing(seen, person))
    {
        let detail =
            format!("Crawlers get the site's page for missing addresses with status {}.", crawler.status);
        return found_other(detail, ERROR_PAGE);
    }
    if languages(&seen.crawlers, &seen.people).is_some() {
        return fine("Not judged: the pages are in two languages (see language).");
    }
    match fewest_missing(seen, page) {
        Some((missing, words)) if 2 * missing >= words => found(format!(
            "Crawlers get {}; {missing} of the {words} words that people get without scripts are not among them.",
            crawler.words()
        )),
        Some(_) => fine("Crawlers get the words that people get."),
        None => fine("The page for people shows nothing without scripts that crawlers lack."),
    }
}

fn last_page(asked: &[super::SiteProbeReply; 2]) -> Option<(&SiteAnswer, &PageContent)> {
    let answer = last(asked).filter(|answer| answer.is_success() && !answer.is_challenge())?;
    Some((answer, answer.page.as_ref()?))
}

/// Returns true for the text that the site answers with 404.
fn is_answer_for_missing(seen: &Observations, page: &PageContent) -> bool {
    let missing = seen.missing.as_ref().ok().filter(|answer| matches!(answer.status, 404 | 410));
    let sketch = missing.and_then(|answer| answer.page.as_ref()?.sketch.as_deref());
    sketch.zip(page.sketch.as_deref()).is_some_and(|(missing, own)| missing.likeness(own) >= SAME_PAGE)
}

/// Returns how many words of a person's page crawlers lack, and how many there are. Of the two answers that a person got the one
/// that is more like the crawler's counts: some pages change with each answer.
fn fewest_missing(seen: &Observations, page: &PageContent) -> Option<(usize, usize)> {
    let pages =
        answered(&seen.people).filter(|answer| answer.is_success()).filter_map(|answer| answer.page.as_ref());
    let pages = pages
        .filter(|page| page.shown == ShownContent::Page && page.word_hashes.len() >= LEAST_COMPARED_WORDS);
    let missing =
        pages.map(|person| (words_missing(&person.word_hashes, &page.word_hashes), person.word_hashes.len()));
    missing.min()
}

fn encoding(seen: &Observations) -> Judgement {
    let reads = |none: &crate::answer::NoAnswer| none.is_encoding;
    if let Some(none) = seen.crawlers.iter().filter_map(|asked| asked.as_ref().err()).find(|none| reads(none))
    {
        return found(format!("The page for crawlers cannot be read: {}.", none.reason));
    }
    match answered(&seen.crawlers).find_map(|answer| answer.unreadable) {
        Some(fault) => found(format!("The body of the page for crawlers is no text: {fault}.")),
        None if answered(&seen.crawlers).next().is_none() => fine("Not judged: crawlers get no answer."),
        None => fine("The page for crawlers is text."),
    }
}

fn language(seen: &Observations) -> Judgement {
    let Some((of_crawlers, of_people)) = languages(&seen.crawlers, &seen.people) else {
        return fine("Crawlers get no other language than people.");
    };
    let by_header = seen.any_language.as_ref().and_then(|asked| {
        let answer = std::slice::from_ref(asked);
        Some(languages(&seen.crawlers, answer).is_none() && answer[0].as_ref().ok()?.is_success())
    });
    match by_header {
        Some(true) => fine(format!(
            "The browser's `Accept-Language` decides: without one, as crawlers ask, everybody gets {of_crawlers}, people here {of_people}."
        )),
        _ => found(format!("Crawlers get the page in the language {of_crawlers}, people in {of_people}.")),
    }
}

fn snapshot_age(seen: &Observations) -> Judgement {
    let Some(crawler) = last(&seen.crawlers).filter(|answer| answer.is_success()) else {
        return fine("Not judged: crawlers get no page.");
    };
    let Some(age) = crawler.age() else { return fine("Not judged: the answer does not tell its age.") };
    let of_person = last(&seen.people).and_then(SiteAnswer::age);
    let is_old = |age: Duration| age > seen.fresh_for;
    let days = age.as_secs() / DAY;
    let is_only_theirs = of_person.is_some_and(|person| is_old(age.saturating_sub(person)));
    match is_old(age) && (crawler.is_snapshot() || is_only_theirs) {
        true => found(format!("The page that crawlers get is {days} days old.")),
        false => fine(format!("The page that crawlers get is {days} days old at most.")),
    }
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}
