//! Checks of the index: pages that crawlers are told to leave out of it, and the address that they are told to keep. Pure.

use url::Url;

use super::{Judgement, SiteCheck, answered, fine, found, found_other, last};
use crate::answer::{Observations, SiteAnswer, are_on_one_domain};
use crate::page::{is_same_page, is_start_page};

pub(super) static CHECKS: &[SiteCheck] = &[
    SiteCheck {
        id: "indexable",
        title: "Crawlers may index the page.",
        why: "A page with noindex leaves the index, and with it the answers of assistants that search there.",
        remedy: "Take noindex out of what crawlers get: a rule of the server or CDN for crawlers, a custom response header of the domain, a \
                 setting for staging where the service's browser gets the app. If a script adds it, see what the app takes for missing there.",
        remedy_on: &[],
        judge: indexable,
    },
    SiteCheck {
        id: "robots_txt",
        title: "robots.txt allows the page.",
        why: "A crawler that is forbidden an address never asks for it, whatever is served there.",
        remedy: "Take the rule out of robots.txt, or add an `Allow` for the page, if this crawler is to read it.",
        remedy_on: &[],
        judge: robots_txt,
    },
    SiteCheck {
        id: "canonical",
        title: "The page names itself as canonical.",
        why: "Search engines index the canonical address in place of the page: with one for all pages, the whole site is one page.",
        remedy: "Let the app write the canonical link of each page from its own address, and take a fixed one out of the \
                 document that the server sends (index.html).",
        remedy_on: &[],
        judge: canonical,
    },
];

fn indexable(seen: &Observations) -> Judgement {
    let said = |asked| answered(asked).filter(|answer| answer.is_success()).find_map(|answer| answer.noindex);
    let Some(by) = said(&seen.crawlers) else { return fine("The page for crawlers has no noindex.") };
    let Some(_) = last(&seen.people).filter(|person| person.is_success() && !person.is_challenge()) else {
        return fine(format!("Not judged: crawlers get noindex by {by}, and people get no page to compare."));
    };
    match said(&seen.people) {
        Some(_) => fine(format!("Everybody gets noindex by {by}: the site keeps the page out of the index.")),
        None => found(format!("Crawlers get noindex by {by}, and people do not.")),
    }
}

const ROBOTS_FAIL: &str = "Let /robots.txt answer with its rules, or with 404 where there are none: while it fails, crawlers take the whole site for forbidden.";

fn robots_txt(seen: &Observations) -> Judgement {
    let Some(page) = last(&seen.crawlers).filter(|answer| answer.is_success()) else {
        return fine("Not judged: crawlers get no page.");
    };
    let answer = match &seen.robots {
        Ok(answer) => answer,
        Err(none) => return fine(format!("Not judged: robots.txt got no answer ({}).", none.reason)),
    };
    if answer.status >= 500 || answer.status == 429 {
        return found_other(format!("robots.txt gets status {}.", answer.status), ROBOTS_FAIL);
    }
    let Some(robots) = answer.robots.as_ref().filter(|_| answer.is_success()) else {
        return fine(format!("There is no robots.txt (status {}).", answer.status));
    };
    let Some(name) = seen.crawler.entry.name_in(robots) else {
        return fine(format!("robots.txt has no rule for {}.", seen.crawler.name));
    };
    for url in [&seen.url, &page.url] {
        let verdict = robots.decide(name, &url[url::Position::BeforePath..url::Position::AfterQuery]);
        if !verdict.is_allowed {
            let line = verdict.line.map(|line| format!(" (line {line})")).unwrap_or_default();
            return found(format!("robots.txt forbids {} the address {url}{line}.", seen.crawler.name));
        }
    }
    fine(format!("robots.txt allows {} the page.", seen.crawler.name))
}

const SEVERAL: &str = "Leave one canonical link in the page: the app must replace the one of the document that the server sends, not add another.";

fn canonical(seen: &Observations) -> Judgement {
    let page = last(&seen.crawlers).filter(|answer| answer.is_success() && answer.page.is_some());
    let Some(crawler) = page else { return fine("Not judged: crawlers get no page.") };
    let named = crawler.canonicals();
    let own = match named.as_slice() {
        [] => return fine("The page for crawlers names no canonical address."),
        [own] => own,
        [first, second, ..] => {
            let detail =
                format!("The page for crawlers names more than one canonical address: {first} and {second}.");
            return found_other(detail, SEVERAL);
        }
    };
    let other =
        seen.other_page.as_ref().and_then(|asked| asked.as_ref().ok()).filter(|answer| answer.is_success());
    if let Some(other) =
        other.filter(|other| other.canonicals().contains(own) && !is_same_page(&other.url, &crawler.url))
    {
        return found(format!(
            "{} and {} both name {own} as their canonical address.",
            crawler.url, other.url
        ));
    }
    if same_path(own, &crawler.url)
        || same_path(own, &seen.url)
        || is_start_page(own.path()) && is_start_page(crawler.url.path())
    {
        return fine(format!("The page for crawlers names {own} as its canonical address."));
    }
    if own.path() == "/" {
        return found(format!("{} names the start page, {own}, as its canonical address.", crawler.url));
    }
    let person = last(&seen.people).map(SiteAnswer::canonicals).unwrap_or_default();
    match person.first() {
        Some(of_people) if of_people != own && are_on_one_domain(of_people, &crawler.url) => found(format!(
            "The page for crawlers names {own} as its canonical address, the page for people {of_people}."
        )),
        _ => fine(format!(
            "The page for crawlers names {own} as its canonical address: search engines index that one in its place."
        )),
    }
}

fn same_path(one: &Url, other: &Url) -> bool {
    one.path().trim_end_matches('/') == other.path().trim_end_matches('/')
}
