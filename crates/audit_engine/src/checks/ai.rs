//! Checks of what AI crawlers and assistants get.

use super::robots::{R_NOTICE, R_WARNING, blocks_all, is_there};
use super::thresholds::ThresholdId;
use super::{Check, CheckNeed, ERROR, FindingScope, Fires, NOTICE, SITE_NOTICE, WARNING};
use crate::page::structured::{property, types};
use crate::page::view::{CheckedRows, GOOGLEBOT};
use crate::site::{BotResponse, CrawledSite, LinkVerdict, SiteFindings};

const AGENTS: &str =
    "https://developers.google.com/search/docs/crawling-indexing/javascript/dynamic-rendering";

/// Crawlers that answer people's questions. As of 2026-11-20.
pub const AI_SEARCH_BOTS: &[&str] = &[
    "OAI-SearchBot",
    "ChatGPT-User",
    "Claude-SearchBot",
    "Claude-User",
    "PerplexityBot",
    "Perplexity-User",
    "Bingbot",
    "Amazonbot",
    "Applebot",
    "DuckAssistBot",
];
/// Crawlers that gather texts for training. As of 2026-11-20.
pub const AI_TRAINING_BOTS: &[&str] = &[
    "GPTBot",
    "ClaudeBot",
    "Google-Extended",
    "Applebot-Extended",
    "CCBot",
    "Meta-ExternalAgent",
    "Bytespider",
];
/// Limitation of a response to an imitated crawler.
pub const FROM_OUR_ADDRESS: &str =
    "asked from our own address: a firewall that verifies crawlers by address may let the real one pass";
/// Share of the links of a llms.txt that may be broken.
const MAX_BROKEN_LLMS_LINKS: f64 = 0.2;

/// Returns true for a broken link of llms.txt: by the verdict on links of pages where the address has a row.
fn is_broken_link(site: &CrawledSite, (key, is_broken): &(String, bool)) -> bool {
    let row = site.urls.find(key).filter(|id| site.row(*id).is_some());
    row.map_or(*is_broken, |id| site.link_verdict(id) == LinkVerdict::Broken)
}

/// Returns true when a llms.txt begins with a title.
pub fn is_valid_llms_txt(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().map(str::trim).find(|line| !line.is_empty());
    first.is_some_and(|line| line.starts_with("# "))
}

fn add_blocked_bots(site: &CrawledSite, bots: &[&str], found: &mut SiteFindings) {
    for bot in bots.iter().filter(|_| is_there(site) && !blocks_all(site)) {
        let verdict = site.robots.rules.decide(bot, "/");
        if !verdict.is_allowed {
            found.line(verdict.line, *bot, None);
        }
    }
}

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "AI_CONTENT_NEEDS_JS",
        is_script_change: true,
        title: "AI crawlers see an empty page",
        why: "They run no scripts, and the text appears only after scripts have run.",
        fix: "Send the text with the document, or serve snapshots to AI crawlers.",
        source: AGENTS,
        bad: "GET /\n<div id=root></div><script src=/a.js></script>\nRENDER /\n<p>{word *120}",
        good: "GET /\n<p>{word *120}<script src=/a.js></script>\nRENDER /\n<p>{word *120}",
        fires: Fires::When(|page| {
            page.was_rendered() && page.input.raw.measures.words < 20 && page.words >= 100
        }),
        ..ERROR
    },
    Check {
        id: "AI_TOKEN_HEAVY",
        thresholds: &[ThresholdId::AiPageMaxBytes],
        title: "Very much code for an AI to read",
        why: "Assistants read a limited number of tokens; the text may lie beyond it.",
        fix: "Move scripts, styles and data out of the document.",
        source: AGENTS,
        bad: "<p>{word *100}<script>{x *250000}</script>",
        good: "<p>{word *100}<script>{x *2500}</script>",
        fires: Fires::When(|page| {
            page.exceeds(ThresholdId::AiPageMaxBytes, page.facts.html_bytes) && page.text_ratio() < 15.0
        }),
        ..NOTICE
    },
    Check {
        id: "AI_NOAI_META",
        title: "AI use is forbidden by a directive",
        why: "Crawlers that obey it leave the page out.",
        fix: "Remove noai and noimageai if that is not meant.",
        source: "https://www.deviantart.com/team/journal/UPDATE-All-Deviations-Are-Opted-Out-of-AI-Datasets-934500371",
        bad: "<meta name=robots content=noai>",
        good: "<meta name=robots content=index>",
        fires: Fires::When(|page| page.directives.has("noai") || page.directives.has("noimageai")),
        ..NOTICE
    },
    Check {
        id: "AI_NO_DATE_AUTHOR",
        is_default: false,
        title: "Article without date or author",
        why: "Assistants prefer sources that say who wrote them and when.",
        fix: "Add datePublished and author.",
        source: "https://developers.google.com/search/docs/appearance/structured-data/article",
        bad: "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"a\"}</script>",
        good: "<script type=application/ld+json>{\"@type\":\"Article\",\"datePublished\":\"2026-01-01\",\"author\":\"Jo\"}</script>",
        fires: Fires::When(|page| {
            let is_article =
                |name: &str| matches!(name, "Article" | "NewsArticle" | "BlogPosting" | "TechArticle");
            let articles: Vec<_> =
                page.structured.objects.iter().filter(|object| types(object).any(is_article)).collect();
            let says = |names: &[&str], meta: &str| {
                !page.facts.first_meta(meta).is_empty()
                    || articles.iter().any(|object| names.iter().any(|name| property(object, name).is_some()))
            };
            let is_one = !articles.is_empty() || page.facts.first_meta("og:type") == "article";
            let has_date = says(&["datePublished", "dateModified"], "article:published_time");
            is_one && !(has_date && says(&["author"], "article:author"))
        }),
        ..NOTICE
    },
    Check {
        id: "AI_BOT_HTTP_BLOCKED",
        scope: FindingScope::Site,
        on: CheckedRows::Any,
        weight: 2.0,
        needs: Some(CheckNeed::AiCrawlers),
        title: "The server turns AI crawlers away that robots.txt lets in",
        why: "A firewall decides what robots.txt should: assistants may not be able to read the site.",
        fix: "Look into the firewall's log whether the real crawlers get through; if not, let them, or forbid them in robots.txt.",
        source: "https://platform.openai.com/docs/bots",
        bad: "GET /\nShoes\nBOT GPTBot 403",
        good: "GET /\nShoes\nBOT GPTBot 200",
        fires: Fires::Whole(|site, found| {
            let is_blocked = |response: &&BotResponse| {
                matches!(response.status, 401 | 403 | 429 | 503) || response.is_challenged
            };
            for response in site.probes.bots.iter().filter(is_blocked) {
                let what = if response.is_challenged {
                    "a challenge".to_owned()
                } else {
                    response.status.to_string()
                };
                found.add(format!("{}: {what}, {FROM_OUR_ADDRESS}", response.name), []);
            }
        }),
        ..WARNING
    },
    Check {
        id: "ROBOTS_AI_SEARCH_BLOCKED",
        title: "AI assistants are shut out",
        why: "They cannot name the site in their answers.",
        fix: "Allow them if they are welcome.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: PerplexityBot\nDisallow: /\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: GPTBot\nDisallow: /\nGET /\nShoes",
        fires: Fires::Whole(|site, found| add_blocked_bots(site, AI_SEARCH_BOTS, found)),
        ..R_WARNING
    },
    Check {
        id: "ROBOTS_AI_TRAINING_BLOCKED",
        title: "AI training crawlers are shut out",
        why: "Models will not learn what the site says.",
        fix: "Allow them if they are welcome.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: GPTBot\nDisallow: /\nGET /\nShoes",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: PerplexityBot\nDisallow: /\nGET /\nShoes",
        fires: Fires::Whole(|site, found| add_blocked_bots(site, AI_TRAINING_BOTS, found)),
        ..R_NOTICE
    },
    Check {
        id: "ROBOTS_AI_BOT_PARTIAL",
        title: "AI crawlers may read a part of the site",
        why: "They know less of it than Googlebot does.",
        fix: "Check that this is meant.",
        bad: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: GPTBot\nDisallow: /a\nGET /\n<a href=/a>a</a>\nGET /a\na",
        good: "GET /robots.txt\ncontent-type: text/plain\n\nUser-agent: GPTBot\nDisallow: /b\nGET /\n<a href=/a>a</a>\nGET /a\na",
        fires: Fires::Whole(|site, found| {
            let rules = &site.robots.rules;
            for bot in AI_SEARCH_BOTS
                .iter()
                .chain(AI_TRAINING_BOTS)
                .filter(|bot| is_there(site) && rules.decide(bot, "/").is_allowed)
            {
                let keys = site.pages().map(|row| site.urls.key(row.id));
                let mut blocked = keys
                    .filter(|key| rules.decide(GOOGLEBOT, key).is_allowed)
                    .map(|key| rules.decide(bot, key));
                if let Some(verdict) = blocked.find(|verdict| !verdict.is_allowed) {
                    found.line(verdict.line, *bot, None);
                }
            }
        }),
        ..R_NOTICE
    },
    Check {
        id: "LLMS_TXT_MISSING",
        is_default: false,
        title: "No llms.txt",
        why: "Assistants find no guide to the site.",
        fix: "Add /llms.txt with a title and links to what matters.",
        source: "https://llmstxt.org/",
        bad: "GET /\nShoes",
        good: "GET /\nShoes\nGET /llms.txt\ncontent-type: text/plain\n\n# Shoes",
        fires: Fires::Whole(|site, found| {
            let llms = &site.probes.llms_txt;
            if llms.text.is_none() && !llms.is_forbidden {
                found.add(format!("status {}", llms.status), []);
            }
        }),
        ..SITE_NOTICE
    },
    Check {
        id: "LLMS_TXT_IS_HTML",
        title: "/llms.txt is an HTML page",
        why: "The application answers every address with its own page; assistants take that for the guide.",
        fix: "Serve a text file, or 404.",
        source: "https://llmstxt.org/",
        bad: "GET /\nShoes\nGET /llms.txt\n<!doctype html><title>Shop</title>",
        good: "GET /\nShoes",
        fires: Fires::Whole(|site, found| {
            if site.probes.llms_txt.is_html {
                found.add("HTML", []);
            }
        }),
        ..SITE_NOTICE
    },
    Check {
        id: "LLMS_TXT_INVALID",
        needs: Some(CheckNeed::LlmsLinks),
        title: "llms.txt has no title, or leads nowhere",
        why: "Assistants expect a heading in its first line, and follow its links.",
        fix: "Begin the file with # and the site's name, and link what exists.",
        source: "https://llmstxt.org/",
        bad: "GET /\nShoes\nGET /llms.txt\ncontent-type: text/plain\n\nShoes",
        good: "GET /\nShoes\nGET /llms.txt\ncontent-type: text/plain\n\n# Shoes",
        fires: Fires::Whole(|site, found| {
            let Some(text) = &site.probes.llms_txt.text else { return };
            if !is_valid_llms_txt(text) {
                found.add("no title", []);
            }
            let links = &site.probes.llms_links;
            let broken: Vec<&str> =
                links.iter().filter(|link| is_broken_link(site, link)).map(|(key, _)| key.as_str()).collect();
            if broken.len() as f64 > MAX_BROKEN_LLMS_LINKS * links.len() as f64 {
                let urls = broken.iter().map(|key| site.origin.url(key).to_string());
                found.add(format!("{} of {} links are broken", broken.len(), links.len()), urls);
            }
        }),
        ..SITE_NOTICE
    },
];
