//! Checks of what AI crawlers and assistants get.

use super::thresholds::Limit;
use super::{Check, ERROR, Fires, NOTICE, Scope};
use crate::page::structured::{property, types};
use crate::page::view::Rows;
use crate::site::BotAnswer;

const AGENTS: &str =
    "https://developers.google.com/search/docs/crawling-indexing/javascript/dynamic-rendering";

pub(super) static CHECKS: &[Check] = &[
    Check {
        id: "AI_CONTENT_NEEDS_JS",
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
        title: "Very much code for an AI to read",
        why: "Assistants read a limited number of tokens; the text may lie beyond it.",
        fix: "Move scripts, styles and data out of the document.",
        source: AGENTS,
        bad: "<p>{word *100}<script>{x *250000}</script>",
        good: "<p>{word *100}<script>{x *2500}</script>",
        fires: Fires::When(|page| {
            page.exceeds(Limit::AiPageMaxBytes, page.facts.html_bytes) && page.text_ratio() < 15.0
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
        scope: Scope::Site,
        on: Rows::Any,
        weight: 4.0,
        title: "The server turns AI crawlers away that robots.txt lets in",
        why: "A firewall decides what robots.txt should: assistants cannot read the site.",
        fix: "Let them through, or forbid them in robots.txt.",
        source: "https://platform.openai.com/docs/bots",
        bad: "GET /\nShoes\nBOT GPTBot 403",
        good: "GET /\nShoes\nBOT GPTBot 200",
        fires: Fires::Whole(|site, found| {
            let is_blocked =
                |answer: &&BotAnswer| matches!(answer.status, 401 | 403 | 429) || answer.is_challenged;
            for answer in site.probes.bots.iter().filter(is_blocked) {
                let what =
                    if answer.is_challenged { "a challenge".to_owned() } else { answer.status.to_string() };
                found.add(format!("{}: {what}", answer.name), []);
            }
        }),
        ..ERROR
    },
];
