//! Compares pages as served to other crawlers with the version for a person, after the crawl. See docs/decisions/0161.

use std::collections::HashSet;

use url::Url;

use super::bots::{BOTS, BROWSER, GOOGLEBOT};
use super::crawl::Crawl;
use super::template::template;
use crate::address::{Origin, Target};
use crate::checks::{CheckNeed, FROM_OUR_ADDRESS};
use crate::page::challenge::is_challenge;
use crate::page::directives::Directives;
use crate::page::link_header;
use crate::page::text::{sorted_words, words_missing};
use crate::page::view::effective_canonical;
use crate::page::{Base, PageFacts, Provenance, scan};
use crate::site::{BotResponse, UrlId};
use crate::source::{AuditFetch, PageSource, Response};

/// Templates of which one page is requested as Googlebot and as a person.
const COMPARED_TEMPLATES: usize = 20;
/// Share of words that two answers for one page have in common at least.
const SAME_WORDS: f64 = 0.6;

impl Crawl<'_> {
    /// Asks for the start page as crawlers of AI companies do.
    pub(super) async fn probe_bots(&mut self, source: &dyn PageSource) {
        let Some(start) = self.site.start().filter(|row| row.status == 200).map(|row| row.id) else { return };
        if !self.options.needs(CheckNeed::AiCrawlers) {
            return;
        }
        let url = self.site.origin.url(self.site.urls.key(start));
        match as_agent(source, &url, BROWSER).await {
            Some(response) if response.status == 200 && !is_challenge(&response.text()) => {}
            _ => return,
        }
        for bot in BOTS.iter().filter(|bot| !bot.user_agent.is_empty()) {
            if !self.site.robots.rules.decide(bot.name, self.site.urls.key(start)).is_allowed {
                continue;
            }
            if let Some(response) = as_agent(source, &url, bot.user_agent).await {
                let is_challenged =
                    is_challenge(&response.text()) || response.headers.contains_key("cf-mitigated");
                self.site.probes.bots.push(BotResponse {
                    name: bot.name,
                    status: response.status,
                    is_challenged,
                });
            }
        }
    }

    /// Asks for one page of each template as Googlebot and as a person.
    pub(super) async fn compare_agents(&mut self, source: &dyn PageSource) {
        if !self.options.needs(CheckNeed::UserAgents) {
            return;
        }
        let mut templates = HashSet::new();
        let pages: Vec<UrlId> = self
            .site
            .pages()
            .filter(|row| row.is_indexable() && templates.insert(template(self.site.urls.key(row.id))))
            .map(|row| row.id)
            .take(COMPARED_TEMPLATES)
            .collect();
        for id in pages {
            let url = self.site.origin.url(self.site.urls.key(id));
            let (Some(crawler), Some(person)) =
                (as_agent(source, &url, GOOGLEBOT).await, as_agent(source, &url, BROWSER).await)
            else {
                return;
            };
            let mut found = difference(&self.site.origin, &url, &crawler, &AgentVersion::of(&person));
            // What people see is what scripts make of their answer.
            if found.is_some() && self.site.row(id).is_some_and(|row| row.is_rendered) {
                let Some(seen) = source.render(&url).await else { continue };
                found = difference(
                    &self.site.origin,
                    &url,
                    &crawler,
                    &AgentVersion::rendered(&person, &seen.html),
                );
            }
            if let Some(row) = self.site.rows.get_mut(id) {
                row.agent_difference = found.map(Box::from);
            }
        }
    }
}

async fn as_agent(source: &dyn PageSource, url: &Url, agent: &'static str) -> Option<Response> {
    let request = AuditFetch { user_agent: Some(agent), ..AuditFetch::of(url.clone()) };
    source.probe(request).await?.ok()
}

/// One page as served to one user agent.
struct AgentVersion<'r> {
    response: &'r Response,
    facts: PageFacts,
}

impl<'r> AgentVersion<'r> {
    fn of(response: &'r Response) -> AgentVersion<'r> {
        AgentVersion { response, facts: scan(&response.text(), Provenance::Raw) }
    }

    fn rendered(response: &'r Response, html: &str) -> AgentVersion<'r> {
        AgentVersion { response, facts: scan(html, Provenance::Rendered) }
    }

    /// Returns true when metas or headers keep the page out of the index.
    fn is_noindex(&self) -> bool {
        let directives = Directives::of(&self.facts, &self.response.headers);
        directives.meta_noindex() || directives.header_noindex()
    }

    /// Returns the target of the canonical; the page itself when there is none.
    fn canonical(&self, origin: &Origin, url: &Url) -> Target {
        let base = Base::of(&self.facts, url, self.response.encoding());
        let of_header = link_header::parse(&self.response.headers, url).canonicals;
        let canonical = effective_canonical(&self.facts, &base, &of_header);
        origin.target(canonical.as_ref().unwrap_or(url))
    }
}

/// Describes the difference between Googlebot's response for a page and a person's, if they cannot be of one page.
fn difference(origin: &Origin, url: &Url, crawler: &Response, person: &AgentVersion) -> Option<String> {
    let (status, other) = (crawler.status, person.response.status);
    // A firewall that knows Googlebot by its addresses refuses everybody else who calls himself so: that is no deceit.
    if matches!(status, 401 | 403 | 429) {
        return None;
    }
    if status / 100 != other / 100 {
        let reason = if status == 503 { format!("; {FROM_OUR_ADDRESS}") } else { String::new() };
        return Some(format!("status {status} for Googlebot, {other} for a person{reason}"));
    }
    let crawler = AgentVersion::of(crawler);
    if crawler.facts.title() != person.facts.title() {
        return Some("another title for Googlebot".to_owned());
    }
    if crawler.canonical(origin, url) != person.canonical(origin, url) {
        return Some("another canonical for Googlebot".to_owned());
    }
    if crawler.is_noindex() != person.is_noindex() {
        return Some("noindex for one of them only".to_owned());
    }
    let [one, other] = [&crawler.facts, &person.facts].map(|facts| sorted_words(&facts.main_text));
    let longer = one.len().max(other.len());
    let common = one.len() - words_missing(&one, &other);
    let is_other = longer > 0 && (common as f64) < SAME_WORDS * longer as f64;
    is_other.then(|| "another text for Googlebot".to_owned())
}
