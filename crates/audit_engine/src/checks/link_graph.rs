//! Checks of links that depend on their targets, and of the links to a page.

use std::collections::HashSet;

use super::thresholds::ThresholdId;
use super::{Check, CheckNeed, ERROR, Evidence, Fires, NOTICE, WARNING};
use crate::page::view::CheckedRows;
use crate::site::{CrawledSite, LinkVerdict, NamedRow};

const LINKS: &str = "https://developers.google.com/search/docs/crawling-indexing/links-crawlable";
const L_ERROR: Check = Check { on: CheckedRows::Html, source: LINKS, ..ERROR };
const L_NOTICE: Check = Check { on: CheckedRows::Html, source: LINKS, ..NOTICE };
const TARGET_WARNING: Check = Check { source: LINKS, ..WARNING };
const TARGET_NOTICE: Check = Check { source: LINKS, ..NOTICE };
/// Id of the check of pages without links to them, whose findings the crawl's numbers count.
pub const ORPHAN: &str = "ORPHAN_PAGE";

fn add_links(site: &CrawledSite, row: &NamedRow, verdict: LinkVerdict, found: &mut Evidence) {
    for link in row.named.links.iter().filter(|link| site.link_verdict(link.to) == verdict) {
        let end = site.end_of(link.to);
        found.add(site.url(link.to), "", format!("{} {}", end.status, end.url));
    }
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "LINK_BROKEN_INTERNAL",
        title: "Broken internal links",
        why: "Visitors and crawlers end at an error.",
        fix: "Correct or remove the links.",
        bad: "GET /\n<a href=/a>a</a>\nGET /a 404",
        good: "GET /\n<a href=/a>a</a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| add_links(site, row, LinkVerdict::Broken, found)),
        ..L_ERROR
    },
    Check {
        id: "LINK_TO_REDIRECT",
        title: "Internal links to redirects",
        why: "Each click takes longer, and crawlers need two requests.",
        fix: "Link to the last address.",
        bad: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b\nb",
        good: "GET /\n<a href=/b>a</a>\nGET /b\nb",
        fires: Fires::Joined(|site, row, found| add_links(site, row, LinkVerdict::Redirect, found)),
        ..L_NOTICE
    },
    Check {
        id: "LINK_TO_REDIRECT_LOOP",
        title: "Internal links to redirects without end",
        why: "Nobody arrives.",
        fix: "Repair the redirects.",
        bad: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b 301\nlocation: /a",
        good: "GET /\n<a href=/a>a</a>\nGET /a 301\nlocation: /b\nGET /b\nb",
        fires: Fires::Joined(|site, row, found| add_links(site, row, LinkVerdict::Loop, found)),
        ..L_ERROR
    },
    Check {
        id: "LINK_TO_NON_CANONICAL",
        title: "Most links lead to pages with another canonical",
        why: "The site itself prefers the copies.",
        fix: "Link to the canonical pages.",
        bad: "GET /\n{<a href=/#>a</a>*5}\nGET /0\n<link rel=canonical href=https://site.example/c>\nGET /1\n<link rel=canonical href=https://site.example/c>\nGET /2\n<link rel=canonical href=https://site.example/c>\nGET /3\na\nGET /4\na\nGET /c\nc",
        good: "GET /\n<a href=/a>a</a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| {
            let targets: HashSet<_> = row.named.links.iter().map(|link| link.to).collect();
            let is_moved = |id: &_| site.row(*id).is_some_and(|row| row.is_canonicalised());
            let mut moved: Vec<_> =
                targets.iter().filter(|id| is_moved(id)).map(|id| site.url(*id)).collect();
            if targets.len() >= 5 && moved.len() * 2 > targets.len() {
                moved.sort_unstable();
                moved.into_iter().for_each(|url| found.add(url, "", "canonicalised"));
            }
        }),
        ..L_NOTICE
    },
    Check {
        id: "LINK_BROKEN_FRAGMENT",
        title: "Links to a part of a page that is not there",
        why: "Visitors land at the top instead.",
        fix: "Correct the fragment, or give the part its id.",
        bad: "<a href=#nowhere>a</a>",
        good: "<a href=#here>a</a><a href=#top>b</a><p id=here>",
        fires: Fires::Joined(|site, row, found| {
            for (to, fragment) in row.named.fragments.iter().filter(|(to, name)| site.lacks_part(*to, name)) {
                found.add(format!("{}#{fragment}", site.url(*to)), "", "no such id");
            }
        }),
        ..L_NOTICE
    },
    Check {
        id: "INLINKS_MIXED_FOLLOW",
        title: "Linked with and without nofollow",
        why: "The site contradicts itself.",
        fix: "Remove nofollow from internal links.",
        bad: "GET /\n<a href=/a>a</a><a href=/b>b</a>\nGET /a\na\nGET /b\n<a href=/a rel=nofollow>a</a>",
        good: "GET /\n<a href=/a>a</a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| {
            let inlinks = site.inlinks(row.id);
            if inlinks.followed > 0 && inlinks.nofollowed > 0 {
                site.linking_pages(row.id).for_each(|from| found.add(from, "", ""));
            }
        }),
        ..TARGET_NOTICE
    },
    Check {
        id: "INLINKS_NOFOLLOW_ONLY",
        title: "Linked with nofollow only",
        why: "Crawlers are told not to go there.",
        fix: "Remove nofollow from internal links.",
        bad: "GET /\n<a href=/a rel=nofollow>a</a>\nGET /a\na",
        good: "GET /\n<a href=/a>a</a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| {
            let inlinks = site.inlinks(row.id);
            if site.is_complete && inlinks.pages > 0 && inlinks.followed == 0 {
                site.linking_pages(row.id).for_each(|from| found.add(from, "", "nofollow"));
            }
        }),
        ..TARGET_WARNING
    },
    Check {
        id: "INLINK_SINGLE",
        title: "Linked from one page only",
        why: "If that page goes, this one is lost.",
        fix: "Link to it from related pages.",
        bad: "GET /\n<a href=/a>a</a>\nGET /a\na",
        good: "GET /\n<a href=/a>a</a><a href=/b>b</a>\nGET /a\n<a href=/b>b</a>\nGET /b\n<a href=/a>a</a>",
        fires: Fires::Joined(|site, row, found| {
            if site.is_complete && !row.is_seed && site.inlinks(row.id).followed == 1 {
                site.linking_pages(row.id).for_each(|from| found.add(from, "", ""));
            }
        }),
        ..TARGET_NOTICE
    },
    Check {
        id: ORPHAN,
        title: "No page links to it",
        why: "Visitors cannot find it, and search engines give it little weight.",
        fix: "Link to it, or remove it from the sitemap.",
        bad: "GET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/a</loc></url></urlset>\nGET /\na\nGET /a\na",
        good: "GET /\n<a href=/a>a</a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| {
            if site.is_complete && !row.is_seed && site.inlinks(row.id).pages == 0 {
                found.add("", "", "no inlinks");
            }
        }),
        ..TARGET_WARNING
    },
    Check {
        id: "CRAWL_DEPTH_HIGH",
        thresholds: &[ThresholdId::CrawlDepthMax],
        title: "Many clicks from the start",
        why: "What is far from the start is crawled seldom.",
        fix: "Link to it from pages that are nearer.",
        bad: "GET /\n<a href=/1>a</a>\nGET /1\n<a href=/2>a</a>\nGET /2\n<a href=/3>a</a>\nGET /3\n<a href=/4>a</a>\nGET /4\n<a href=/5>a</a>\nGET /5\na",
        good: "GET /\n<a href=/1>a</a>\nGET /1\na",
        fires: Fires::Joined(|site, row, found| {
            if let Some(depth) = site
                .depth(row.id)
                .filter(|depth| site.thresholds.exceeds(ThresholdId::CrawlDepthMax, *depth as usize))
            {
                found.add("", "", format!("{depth} clicks"));
            }
        }),
        ..TARGET_NOTICE
    },
    Check {
        id: "LINK_BROKEN_EXTERNAL",
        needs: Some(CheckNeed::ExternalLinks),
        title: "Broken links to other sites",
        why: "Visitors end at an error.",
        fix: "Correct or remove the links.",
        bad: "GET /\n<a href=https://other.example/gone>a</a>\nGET https://other.example/gone 410",
        good: "GET /\n<a href=https://other.example/gone>a</a>\nGET https://other.example/gone 403",
        fires: Fires::Joined(|site, row, found| {
            for link in &row.named.external_links {
                let Some(asset) = site.assets.get(&link.to) else { continue };
                let is_gone = matches!(asset.status, 404 | 410 | 500..=599);
                if is_gone || asset.has_no_host {
                    let detail = if is_gone { asset.status.to_string() } else { "no such host".to_owned() };
                    found.add(site.texts.key(link.to), row.named.said(link.text), detail);
                }
            }
        }),
        on: CheckedRows::Html,
        ..TARGET_WARNING
    },
    Check {
        id: "LINK_SCORE_LOW",
        is_default: false,
        title: "Near the start, yet hardly linked",
        why: "Search engines take a page for as important as the links to it.",
        fix: "Link to it from pages that many others link to.",
        bad: "GET /\n<a href=/low>l</a>{<a href=/#>a</a>*20}\nGET /low\nl\nGET /0\n{<a href=/#>a</a>*20}\nGET /1\n{<a href=/#>a</a>*20}\nGET /2\n{<a href=/#>a</a>*20}\nGET /3\na\nGET /4\na\nGET /5\na\nGET /6\na\nGET /7\na\nGET /8\na\nGET /9\na\nGET /10\na\nGET /11\na\nGET /12\na\nGET /13\na\nGET /14\na\nGET /15\na\nGET /16\na\nGET /17\na\nGET /18\na\nGET /19\na",
        good: "GET /\n<a href=/a>a</a>\nGET /a\na",
        fires: Fires::Joined(|site, row, found| {
            let is_close = site.depth(row.id).is_some_and(|depth| depth <= 2);
            let is_near = (is_close || site.is_important(row.id)) && !row.is_seed;
            if is_near && site.has_low_score(row.id) {
                site.linking_pages(row.id).for_each(|from| found.add(from, "", ""));
            }
        }),
        ..TARGET_NOTICE
    },
];
