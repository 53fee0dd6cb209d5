//! Answers of a site to the probes, read into what the checks compare. Pure.

use std::time::Duration;

use audit_engine::page::challenge::is_challenge;
use audit_engine::page::text::word_count;
use audit_engine::page::{PageFacts, Provenance, ResourceKind, scan};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use url::Url;

use super::content::ShownContent;
use super::model::{ImitatedCrawler, SnapshotExpectation};
use crate::api::header_names::RENDER_CACHE;
use crate::domains::names;

/// Header in which our integrations say how they answered a crawler.
const INTEGRATION: &str = "x-service-integration";
/// A page with so many words is none of a firewall, whatever scripts of a firewall it carries.
const MOST_CHALLENGE_WORDS: usize = 150;
/// Headers by which firewalls mark a challenge.
const CHALLENGE_HEADERS: &[(&str, &str)] =
    &[("cf-mitigated", "challenge"), ("x-vercel-mitigated", "challenge"), ("x-amzn-waf-action", "")];

/// Everything that a site answered, with what was known of it.
#[derive(Debug)]
pub struct Observations {
    /// Address that was asked.
    pub url: Url,
    pub crawler: ImitatedCrawler,
    pub expects: SnapshotExpectation,
    /// Time after which an answer is slow.
    pub slow_after: SlowAfter,
    /// The page for the crawler, asked before and after `people`.
    pub crawlers: [SiteProbeReply; 2],
    /// The page for a person, asked after each of `crawlers`.
    pub people: [SiteProbeReply; 2],
    /// The page for a person at a query that nobody has asked before, asked when a snapshot reached somebody who is no crawler.
    pub fresh_person: Option<SiteProbeReply>,
    /// The page for the service's own browser.
    pub service: SiteProbeReply,
    /// The page with a query that nobody has asked before; none: the domain ignores all queries.
    pub query: Option<QueryAnswer>,
    /// An address that does not exist, for the crawler.
    pub missing: SiteProbeReply,
    /// A script or style sheet of the page, for the crawler; none: the page has none of its own host.
    pub asset: Option<SiteProbeReply>,
    /// HEAD of the page, for the crawler.
    pub head: SiteProbeReply,
}

/// Times after which an answer to a crawler is slow.
#[derive(Debug, Clone, Copy)]
pub struct SlowAfter {
    /// The first answer, which may be a render.
    pub first: Duration,
    /// Of the second answer, which should come from memory.
    pub second: Duration,
}

/// Answer to the question with a query.
#[derive(Debug)]
pub struct QueryAnswer {
    /// `name=value` as it was sent.
    pub sent: String,
    pub answer: SiteProbeReply,
}

/// An answer, or why there is none.
pub type SiteProbeReply = Result<SiteAnswer, NoAnswer>;

/// A question that was not answered.
#[derive(Debug, Clone)]
pub struct NoAnswer {
    /// One clause, for people.
    pub reason: String,
    pub is_timeout: bool,
}

/// The answer at the end of the redirects on the site.
#[derive(Debug)]
pub struct SiteAnswer {
    /// Address that answered.
    pub url: Url,
    pub status: u16,
    pub headers: HeaderMap,
    /// Redirects that were followed, in order.
    pub redirects: Vec<Url>,
    /// Address of another site that the answer redirects to.
    pub leaves_to: Option<Url>,
    /// The redirects come back to an address that has answered already, or do not end.
    pub is_looping: bool,
    /// Content of an HTML answer.
    pub page: Option<PageContent>,
    /// Time from the request to the last byte, redirects included.
    pub took: Duration,
}

/// Parts of a page that the checks compare.
#[derive(Debug, Default)]
pub struct PageContent {
    /// Words that are visible without scripts.
    pub words: usize,
    /// Content that is visible without scripts.
    pub shown: ShownContent,
    /// The document sends its reader on by itself (`meta http-equiv=refresh`).
    pub has_refresh: bool,
    /// A firewall's page in place of the site's.
    pub is_challenge: bool,
    /// Addresses by which the page names itself: canonical link and `og:url`.
    pub own_addresses: Vec<Url>,
    /// First script or style sheet of the page's own host.
    pub asset: Option<Url>,
}

impl SiteAnswer {
    /// Returns the tier that the page came from, as the service states it; none: no page of the service.
    pub fn tier(&self) -> Option<&str> {
        self.headers.get(RENDER_CACHE)?.to_str().ok()
    }

    /// Returns true for a snapshot of the service.
    pub fn is_snapshot(&self) -> bool {
        self.tier().is_some() || self.integration().is_some_and(|said| said.starts_with("snapshot"))
    }

    /// Returns how an integration says that it answered.
    pub fn integration(&self) -> Option<&str> {
        self.headers.get(INTEGRATION)?.to_str().ok()
    }

    /// Returns the reason for which an integration gave the app.
    pub fn reason(&self) -> Option<&str> {
        Some(self.integration()?.split_once("reason=")?.1.trim())
    }

    /// Returns true when an integration gave the app after it had asked the service, which it does for crawlers only.
    pub fn is_app_after_asking(&self) -> bool {
        let asked = ["declined", "unreachable", "timeout", "broken", "paused", "edge", "unavailable"];
        self.reason().is_some_and(|reason| asked.contains(&reason) || reason.starts_with("status-"))
    }

    /// Returns true when more than one service rendered the answer, or one did twice.
    pub fn is_rendered_twice(&self) -> bool {
        let tiers = self.headers.get_all(RENDER_CACHE).iter();
        tiers.map(|value| value.as_bytes().split(|byte| *byte == b',').count()).sum::<usize>() > 1
    }

    /// Returns true for a page of a firewall.
    pub fn is_challenge(&self) -> bool {
        let is_marked = CHALLENGE_HEADERS.iter().any(|(name, text)| {
            self.headers
                .get(*name)
                .is_some_and(|value| value.to_str().is_ok_and(|value| value.contains(text)))
        });
        is_marked || self.page.as_ref().is_some_and(|page| page.is_challenge)
    }

    /// Returns true for a 2xx status.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns true for an answer that says to be HTML.
    pub fn is_html(&self) -> bool {
        says_html(&self.headers)
    }

    /// Returns true for a page that shows next to nothing without scripts.
    pub fn is_shell(&self) -> bool {
        !self.is_snapshot() && self.is_empty()
    }

    /// Returns true for an HTML answer that shows next to nothing, a snapshot too.
    pub fn is_empty(&self) -> bool {
        self.is_html() && self.page.as_ref().is_none_or(|page| page.shown == ShownContent::Nothing)
    }

    /// Returns the number of words that are visible without scripts, for people.
    pub fn words(&self) -> String {
        match self.word_count() {
            1 => "1 word".to_owned(),
            words => format!("{words} words"),
        }
    }

    /// Returns the number of words that are visible without scripts.
    pub fn word_count(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.words)
    }
}

/// Returns true for headers of an HTML answer.
pub fn says_html(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media_type == "text/html" || media_type == "application/xhtml+xml"
}

/// Reads what the checks compare of a document.
pub fn read_page(html: &str, url: &Url) -> PageContent {
    let facts = scan(html, Provenance::Raw);
    let base = facts.base.as_deref().and_then(|base| url.join(base).ok()).unwrap_or_else(|| url.clone());
    let words = word_count(&facts.visible_text);
    PageContent {
        words,
        shown: ShownContent::of(&facts),
        has_refresh: facts.has_refresh,
        is_challenge: words < MOST_CHALLENGE_WORDS && is_challenge(html),
        own_addresses: own_addresses(&facts, &base),
        asset: asset(&facts, &base),
    }
}

fn own_addresses(facts: &PageFacts, base: &Url) -> Vec<Url> {
    let canonicals = facts.canonicals.head.iter().flatten().map(String::as_str);
    let named = canonicals.chain(facts.meta("og:url").map(|meta| meta.content.as_str()));
    named.filter(|text| !text.trim().is_empty()).filter_map(|text| base.join(text.trim()).ok()).collect()
}

fn asset(facts: &PageFacts, base: &Url) -> Option<Url> {
    let kinds = [ResourceKind::Script, ResourceKind::Stylesheet];
    let wanted = facts.resources.iter().filter(|resource| kinds.contains(&resource.kind));
    let mut addresses = wanted.filter_map(|resource| base.join(resource.url.trim()).ok());
    addresses.find(|url| url.origin() == base.origin() && crawler::url::is_static_asset(url.path()))
}

/// Returns true when two addresses belong to one site: the same host, or its `www.` twin, with the same port unless the
/// scheme differs.
pub fn is_same_site(one: &Url, other: &Url) -> bool {
    let (Some(a), Some(b)) = (one.host_str(), other.host_str()) else { return false };
    let is_host = a == b || names::twin(a).is_some_and(|twin| twin == b);
    is_host && (one.port() == other.port() || one.scheme() != other.scheme())
}
