//! Checks of robots.txt, line by line and as a whole.

use crawler::robots::LineKind;

use super::ai::{AI_SEARCH_BOTS, AI_TRAINING_BOTS, FROM_OUR_ADDRESS};
use super::{Check, FindingScope, Fires, SITE_ERROR, SITE_NOTICE, SITE_WARNING};
use crate::page::view::GOOGLEBOT;
use crate::site::CrawledSite;

const SPECIFICATION: &str = "https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt";
const R_ERROR: Check = Check { scope: FindingScope::Robots, source: SPECIFICATION, ..SITE_ERROR };
pub(super) const R_WARNING: Check =
    Check { scope: FindingScope::Robots, source: SPECIFICATION, ..SITE_WARNING };
pub(super) const R_NOTICE: Check =
    Check { scope: FindingScope::Robots, source: SPECIFICATION, ..SITE_NOTICE };
/// Bytes of the file that search engines read.
pub const MAX_BYTES: usize = 512_000;

/// Returns true when there is a file whose lines can be checked.
pub(super) fn is_there(site: &CrawledSite) -> bool {
    site.robots.status == 200 && !site.robots.is_html
}

pub(super) fn blocks_all(site: &CrawledSite) -> bool {
    is_there(site) && !site.robots.rules.decide(GOOGLEBOT, "/").is_allowed
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "ROBOTS_TXT_MISSING",
        title: "No robots.txt",
        why: "Crawlers fetch everything, and are told of no sitemap.",
        fix: "Add one that names the sitemap.",
        bad: "GET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow:\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if matches!(site.robots.status, 400..=499) && site.robots.status != 429 {
                found.line(None, site.robots.status.to_string(), None);
            }
        }),
        ..R_NOTICE
    },
    Check {
        id: "ROBOTS_TXT_UNREACHABLE",
        title: "robots.txt does not answer",
        why: "Crawlers then stay away from the whole site.",
        fix: "Let it answer 200 or 404.",
        bad: "GET /robots.txt 503\nGET /\nShoes",
        good: "GET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if site.robots.is_unreachable {
                found.line(None, site.robots.status.to_string(), None);
            }
        }),
        ..R_ERROR
    },
    Check {
        id: "ROBOTS_TXT_REFUSED",
        title: "robots.txt is refused to crawlers",
        why: "People get the file and a crawler an error, which may keep it away from the whole site.",
        fix: "Let the firewall pass requests for /robots.txt, whoever sends them.",
        bad: "GET /robots.txt 503\nPERSON /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if let Some(status) = site.robots.refusal {
                found.line(
                    None,
                    format!("{status} for a crawler, 200 for a browser; {FROM_OUR_ADDRESS}"),
                    None,
                );
            }
        }),
        ..R_WARNING
    },
    Check {
        id: "ROBOTS_TXT_NOT_TEXT",
        title: "robots.txt is an HTML page, or says so",
        why: "Crawlers find no rules in a page, and some do not look into what calls itself one.",
        fix: "Serve a text file, or 404.",
        bad: "GET /robots.txt\n<!doctype html><title>Shop</title>\nGET /\nShoes",
        good: "GET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if site.robots.status == 200 && site.robots.is_html {
                found.line(None, site.robots.content_type.clone(), None);
            }
        }),
        ..R_ERROR
    },
    Check {
        id: "ROBOTS_TXT_TOO_LARGE",
        title: "robots.txt is too large",
        why: "Search engines read the first 500 KiB.",
        fix: "Shorten it with wildcards.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\n{# comment *60000}\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\n{# comment *6}\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if is_there(site) && site.robots.bytes > MAX_BYTES {
                found.line(None, format!("{} bytes", site.robots.bytes), None);
            }
        }),
        ..R_WARNING
    },
    Check {
        id: "ROBOTS_SYNTAX_ERROR",
        title: "Line that is no directive",
        why: "It is ignored.",
        fix: "Write key: value, or begin the line with #.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nthis is no directive\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\n# this is a comment\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for line in site
                .robots
                .rules
                .lines()
                .iter()
                .filter(|line| is_there(site) && line.kind == LineKind::Broken)
            {
                found.line(Some(line.number), &line.text, None);
            }
        }),
        ..R_WARNING
    },
    Check {
        id: "ROBOTS_UNKNOWN_DIRECTIVE",
        title: "Unknown directive",
        why: "It is ignored.",
        fix: "Correct its spelling.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisalow: /a\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for line in site.robots.rules.lines().iter().filter(|_| is_there(site)) {
                if let LineKind::Unknown(_, _, nearest) = &line.kind {
                    found.line(Some(line.number), &line.text, *nearest);
                }
            }
        }),
        ..R_NOTICE
    },
    Check {
        id: "ROBOTS_RULE_WITHOUT_AGENT",
        title: "Rule before any user agent",
        why: "It binds nobody.",
        fix: "Write a User-agent line before it.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nDisallow: /a\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            let lines = site.robots.rules.lines().iter().filter(|_| is_there(site));
            let before = lines.take_while(|line| !matches!(&line.kind, LineKind::Known("user-agent", _)));
            for line in before.filter(|line| matches!(&line.kind, LineKind::Known("allow" | "disallow", _))) {
                found.line(Some(line.number), &line.text, None);
            }
        }),
        ..R_WARNING
    },
    Check {
        id: "ROBOTS_NOINDEX_DIRECTIVE",
        title: "noindex in robots.txt",
        why: "Search engines stopped to read it there in 2019.",
        fix: "Use a robots meta or X-Robots-Tag.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nNoindex: /a\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for line in site.robots.rules.lines().iter().filter(|_| is_there(site)) {
                if matches!(&line.kind, LineKind::Known("noindex" | "nofollow", _)) {
                    found.line(Some(line.number), &line.text, None);
                }
            }
        }),
        ..R_NOTICE
    },
    Check {
        id: "ROBOTS_BLOCKS_ALL",
        run_factor: 0.5,
        title: "robots.txt forbids the whole site",
        why: "Search engines read nothing of it.",
        fix: "Remove Disallow: /.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /a\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if blocks_all(site) {
                found.line(site.robots.rules.decide(GOOGLEBOT, "/").line, "/", None);
            }
        }),
        ..R_ERROR
    },
    Check {
        id: "ROBOTS_BLOCKS_RESOURCES",
        title: "Scripts or style sheets are forbidden",
        why: "Googlebot renders the pages without them.",
        fix: "Allow them in robots.txt.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /js/\nGET /\n<script src=/js/a.js></script>",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow: /b/\nGET /\n<script src=/js/a.js></script>",
        fires: Fires::Whole(|site, found| {
            for key in site.blocked_resources() {
                found.line(site.robots.rules.decide(GOOGLEBOT, key).line, key, None);
            }
        }),
        ..R_WARNING
    },
    Check {
        id: "ROBOTS_NO_SITEMAP",
        title: "robots.txt names no sitemap",
        why: "Most crawlers look for it there.",
        fix: "Add a Sitemap line.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nDisallow:\nGET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nSitemap: https://site.example/sitemap.xml\nGET /sitemap.xml\ncontent-type: text/xml\n\n<urlset><url><loc>https://site.example/</loc></url></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            let is_found = site.sitemaps.iter().any(|file| file.kind.is_some());
            if is_there(site) && is_found && site.sitemaps.iter().all(|file| file.robots_line.is_none()) {
                found.line(None, "no Sitemap line", None);
            }
        }),
        ..R_NOTICE
    },
    Check {
        id: "ROBOTS_SITEMAP_UNREACHABLE",
        title: "Sitemap of robots.txt does not answer",
        why: "Crawlers find no sitemap.",
        fix: "Correct the address.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nSitemap: https://site.example/a.xml\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nSitemap: https://site.example/a.xml\nGET /a.xml\ncontent-type: text/xml\n\n<urlset></urlset>\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for file in site.sitemaps.iter().filter(|file| file.status != 200 && file.robots_line.is_some()) {
                found.line(file.robots_line, file.url.as_str(), None);
            }
        }),
        ..R_ERROR
    },
    Check {
        id: "ROBOTS_SITEMAP_RELATIVE",
        title: "Sitemap line with a relative address",
        why: "The standard wants an absolute one; some crawlers ignore others.",
        fix: "Write the address with https://.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nSitemap: /a.xml\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nSitemap: https://site.example/a.xml\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            for line in site.robots.rules.lines().iter().filter(|_| is_there(site)) {
                if matches!(&line.kind, LineKind::Known("sitemap", value) if url::Url::parse(value).is_err())
                {
                    found.line(Some(line.number), &line.text, None);
                }
            }
        }),
        ..R_WARNING
    },
    Check {
        id: "ROBOTS_CRAWL_DELAY_HIGH",
        title: "Crawl delay over ten seconds",
        why: "Crawlers that obey it read few pages a day.",
        fix: "Lower it, or remove it.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nCrawl-delay: 20\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: *\nCrawl-delay: 1\nGET /\nShoes",
        fires: Fires::Whole(|site, found| {
            let counts = |name: &String| {
                let is_known = |bot: &str| name.eq_ignore_ascii_case(bot);
                name == "*"
                    || name.eq_ignore_ascii_case(GOOGLEBOT)
                    || AI_SEARCH_BOTS.iter().chain(AI_TRAINING_BOTS).any(|bot| is_known(bot))
            };
            for group in site.robots.rules.groups().iter().filter(|_| is_there(site)) {
                if let Some(delay) =
                    group.crawl_delay.filter(|delay| *delay > 10.0 && group.agents.iter().any(counts))
                {
                    found.line(None, format!("{}: {delay} s", group.agents.join(", ")), None);
                }
            }
        }),
        ..R_NOTICE
    },
];
