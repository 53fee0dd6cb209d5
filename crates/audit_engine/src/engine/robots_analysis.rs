//! Analysis of robots.txt, line by line and crawler by crawler, in the form of the API.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crawler::robots::LineKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bots::BOTS;
use super::outcome::SiteResult;
use crate::checks::{FindingScope, MAX_ROBOTS_BYTES, Severity};
use crate::page::view::GOOGLEBOT;
use crate::site::{CrawledSite, UrlId};

const MAX_RULES: usize = 200;
const MAX_PROBLEMS: usize = 50;

/// A robots.txt, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotsAnalysis {
    /// Address of the file.
    pub url: String,
    /// Status; 0: no response.
    pub status: u16,
    /// Time of the request, in epoch milliseconds.
    pub fetched_at: i64,
    pub bytes: usize,
    /// True when the file is longer than search engines read.
    pub truncated: bool,
    /// Media type.
    pub content_type: String,
    /// Redirects on the way.
    pub redirect_hops: usize,
    /// Effect on the audit at `/`: `allow`, `disallow` or `unreachable`.
    pub effective: String,
    /// Seconds that the audit is asked to wait between two requests.
    #[schema(required = true)]
    pub crawl_delay_sec: Option<f64>,
    /// Groups, 200 rules in all.
    pub groups: Vec<RobotsGroup>,
    /// Rules beyond these.
    pub truncated_rules: usize,
    /// Sitemaps that it names.
    pub sitemaps: Vec<NamedSitemap>,
    /// Problems of the file.
    pub problems: Vec<RobotsProblem>,
    /// Access of each crawler.
    pub bots: Vec<BotAccess>,
    /// Rows that it forbids to Googlebot or to the audit.
    pub blocked_crawled_urls: usize,
    pub content_signals: BTreeMap<String, String>,
    /// The site's llms.txt.
    pub llms_txt: LlmsTxt,
}

/// Rules for some crawlers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RobotsGroup {
    /// Crawlers that the rules are for.
    pub agents: Vec<String>,
    /// Line, `allow` or `disallow`, and path of each.
    pub rules: Vec<RobotsRule>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RobotsRule {
    /// Line of the rule, counted from 1.
    pub line: usize,
    /// `allow` or `disallow`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Pattern of the rule.
    pub path: String,
}

/// A sitemap that robots.txt names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NamedSitemap {
    /// The line that names it.
    pub line: usize,
    /// Address of the sitemap.
    pub url: String,
    /// Status; 0: no response.
    pub status: u16,
    /// `index`, `urlset`, `text` or `none`.
    pub kind: String,
    /// Pages that it lists.
    pub urls: usize,
}

/// Something wrong with a line, or with all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RobotsProblem {
    #[schema(examples("ROBOTS_SYNTAX_ERROR"))]
    pub issue_id: Cow<'static, str>,
    pub severity: Severity,
    /// Line of the problem, counted from 1.
    #[schema(required = true)]
    pub line: Option<usize>,
    /// Text of the line; for a check about crawlers, the crawlers.
    pub text: String,
    /// Probable intention.
    #[schema(required = true)]
    pub suggestion: Option<String>,
}

/// Access of a crawler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BotAccess {
    /// Product token.
    pub name: String,
    /// Operator.
    pub vendor: String,
    /// Purpose.
    pub class: String,
    /// `allow`; `partial` when it may not fetch some page that Googlebot may; `block` when it may not fetch `/`.
    pub verdict: String,
    /// Line that decides about `/`.
    #[schema(required = true)]
    pub deciding_line: Option<usize>,
    /// Pages that it may not fetch.
    pub blocked_pages: usize,
    /// Status of the server's response to the crawler; null: not requested.
    #[schema(required = true)]
    pub http_status: Option<u16>,
    /// The server sends it a challenge instead of the page.
    pub challenged: bool,
}

/// The site's llms.txt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LlmsTxt {
    /// Status; 0: no response.
    pub status: u16,
    pub bytes: usize,
    /// True for a text that begins with a title.
    pub valid: bool,
}

impl RobotsAnalysis {
    /// Takes the robots.txt of a joined site apart.
    pub(super) fn of(site: &CrawledSite, results: &[SiteResult]) -> RobotsAnalysis {
        let robots = &site.robots;
        let effective = if robots.forbids_all {
            "unreachable"
        } else if robots.rules.decide(&site.agent, "/").is_allowed {
            "allow"
        } else {
            "disallow"
        };
        let (groups, truncated_rules) = groups(site);
        let llms = &site.probes.llms_txt;
        RobotsAnalysis {
            url: format!("{}robots.txt", site.origin.root()),
            status: robots.status,
            fetched_at: robots.fetched_at_ms,
            bytes: robots.bytes,
            truncated: robots.bytes > MAX_ROBOTS_BYTES,
            content_type: robots.content_type.clone(),
            redirect_hops: robots.hops,
            effective: effective.to_owned(),
            crawl_delay_sec: robots.file.crawl_delay(&site.agent),
            groups,
            truncated_rules,
            sitemaps: sitemaps(site),
            problems: problems(results),
            bots: bots(site),
            blocked_crawled_urls: site.rows.iter().filter(|row| row.is_blocked).count(),
            content_signals: content_signals(site),
            llms_txt: LlmsTxt {
                status: llms.status,
                bytes: llms.text.as_ref().map_or(0, String::len),
                valid: llms.text.as_ref().is_some_and(|text| crate::checks::is_valid_llms_txt(text)),
            },
        }
    }
}

fn groups(site: &CrawledSite) -> (Vec<RobotsGroup>, usize) {
    let all: usize = site.robots.file.groups().iter().map(|group| group.rules.len()).sum();
    let mut left = MAX_RULES;
    let mut groups = Vec::new();
    for group in site.robots.file.groups().iter().take(MAX_RULES) {
        let rules: Vec<RobotsRule> = group
            .rules
            .iter()
            .take(left)
            .map(|rule| RobotsRule {
                line: rule.line,
                kind: if rule.allows { "allow" } else { "disallow" }.to_owned(),
                path: rule.path.clone(),
            })
            .collect();
        left -= rules.len();
        groups.push(RobotsGroup { agents: group.agents.clone(), rules });
    }
    (groups, all.saturating_sub(MAX_RULES))
}

fn sitemaps(site: &CrawledSite) -> Vec<NamedSitemap> {
    let named = site.sitemaps.iter().filter_map(|file| Some((file.robots_line?, file)));
    named
        .map(|(line, file)| NamedSitemap {
            line,
            url: file.url.to_string(),
            status: file.status,
            kind: file.kind.unwrap_or("none").to_owned(),
            urls: file.entries.len(),
        })
        .collect()
}

fn problems(results: &[SiteResult]) -> Vec<RobotsProblem> {
    let about_robots = results.iter().filter(|result| result.check.check().scope == FindingScope::Robots);
    about_robots
        .flat_map(|result| {
            result.findings.iter().take(MAX_PROBLEMS).map(|found| RobotsProblem {
                issue_id: result.check.check().id.into(),
                severity: result.check.check().severity,
                line: found.line,
                text: found.detail.clone(),
                suggestion: found.suggestion.clone(),
            })
        })
        .collect()
}

fn bots(site: &CrawledSite) -> Vec<BotAccess> {
    let rules = &site.robots.file;
    let pages: Vec<UrlId> = site.pages().map(|row| row.id).collect();
    let blocked = |bot: &str| -> (usize, bool) {
        let forbidden =
            pages.iter().map(|id| site.urls.key(*id)).filter(|key| !rules.decide(bot, key).is_allowed);
        forbidden.fold((0, false), |(count, is_partial), key| {
            (count + 1, is_partial || rules.decide(GOOGLEBOT, key).is_allowed)
        })
    };
    // Crawlers that no group names are all told the same.
    let is_named = |bot: &str| {
        rules
            .groups()
            .iter()
            .flat_map(|group| &group.agents)
            .any(|agent| agent.get(..bot.len()).is_some_and(|start| start.eq_ignore_ascii_case(bot)))
    };
    let unnamed = blocked("unnamed");
    let access = |bot: &super::bots::Bot| {
        let at_root = rules.decide(bot.name, "/");
        let (blocked_pages, is_partial) = if is_named(bot.name) { blocked(bot.name) } else { unnamed };
        let verdict = match (at_root.is_allowed, is_partial) {
            (false, _) => "block",
            (true, true) => "partial",
            (true, false) => "allow",
        };
        let response = site.probes.bots.iter().find(|response| response.name == bot.name);
        BotAccess {
            name: bot.name.to_owned(),
            vendor: bot.vendor.to_owned(),
            class: bot.class.to_owned(),
            verdict: verdict.to_owned(),
            deciding_line: at_root.line,
            blocked_pages,
            http_status: response.map(|response| response.status),
            challenged: response.is_some_and(|response| response.is_challenged),
        }
    };
    BOTS.iter().map(access).collect()
}

fn content_signals(site: &CrawledSite) -> BTreeMap<String, String> {
    let mut signals = BTreeMap::new();
    for line in site.robots.file.lines() {
        if let LineKind::Known("content-signal" | "content-usage", value) = &line.kind {
            let pairs = value.split(',').filter_map(|pair| pair.split_once('='));
            signals.extend(pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())));
        }
    }
    signals
}
