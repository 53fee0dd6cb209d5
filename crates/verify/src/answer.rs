//! Answers of a site to the probes, read into what the checks compare. Pure.

use std::time::Duration;

use audit_engine::page::link_header;
use crawler::robots::Robots;
use http::HeaderMap;
use http::header::{AGE, CONTENT_TYPE, DATE, LAST_MODIFIED};
use url::Url;

use super::content::ShownContent;
use super::model::{ImitatedCrawler, SnapshotExpectation};
use super::page::PageContent;
use domains::names::is_same_domain;
use platform::api::header_names::RENDER_CACHE;

/// Header in which our integrations say how they answered a crawler.
const INTEGRATION: &str = "x-service-integration";
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
    /// Age up to which a snapshot is fresh.
    pub fresh_for: Duration,
    /// The page for the crawler, asked before and after `people`.
    pub crawlers: [SiteProbeReply; 2],
    /// The page for a person, asked after each of `crawlers`.
    pub people: [SiteProbeReply; 2],
    /// The page for a person at a query that nobody has asked before, asked when a person got what is for crawlers.
    pub fresh_person: Option<SiteProbeReply>,
    /// The page for a person who states no language, asked when crawlers get another language than people.
    pub any_language: Option<SiteProbeReply>,
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
    /// robots.txt, for the crawler.
    pub robots: SiteProbeReply,
    /// Another page of the site, which the page links to, for the crawler; none: the page links to none.
    pub other_page: Option<SiteProbeReply>,
}

/// Times after which an answer to a crawler is slow.
#[derive(Debug, Clone, Copy)]
pub struct SlowAfter {
    /// The first answer, which may be a render.
    pub first: Duration,
    /// Time of the second answer, which should come from memory.
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
    /// The answer came, compressed in a way that was not asked for.
    pub is_encoding: bool,
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
    /// Reason for which the body cannot be read, in a clause for people: it is not compressed as its headers say.
    pub unreadable: Option<&'static str>,
    /// Meta or header that keeps the page out of the crawler's index.
    pub noindex: Option<&'static str>,
    /// Rules of a robots.txt.
    pub robots: Option<Robots>,
    /// Time from the request to the last byte, redirects included.
    pub took: Duration,
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

    /// Returns the canonical addresses that the page and its headers name, each once.
    pub fn canonicals(&self) -> Vec<Url> {
        let named = self.page.iter().flat_map(|page| page.canonicals.iter().cloned());
        let mut named: Vec<Url> =
            named.chain(link_header::parse(&self.headers, &self.url).canonicals).collect();
        named.iter_mut().for_each(|url| url.set_fragment(None));
        named.dedup();
        named
    }

    /// Returns the language that the page declares.
    pub fn language(&self) -> Option<String> {
        let of_header = || {
            let value = self.headers.get("content-language")?.to_str().ok()?;
            let tag = value.split([',', '-', '_']).next()?.trim();
            (!tag.is_empty()).then(|| tag.to_ascii_lowercase())
        };
        self.page.as_ref()?.language.clone().or_else(of_header)
    }

    /// Returns the age of the answer as its headers tell it: `Age`, or the time from `Last-Modified` to `Date`.
    pub fn age(&self) -> Option<Duration> {
        let text = |name| self.headers.get(name)?.to_str().ok();
        let date = |name| httpdate::parse_http_date(text(name)?).ok();
        let since_change = || date(DATE)?.duration_since(date(LAST_MODIFIED)?).ok();
        let kept = text(AGE).and_then(|age| age.trim().parse().ok()).map(Duration::from_secs);
        kept.max(since_change())
    }

    /// Returns true for a page that shows next to nothing without scripts.
    pub fn is_shell(&self) -> bool {
        !self.is_snapshot() && self.is_empty()
    }

    /// Returns true for an HTML answer that shows next to nothing, a snapshot too.
    pub fn is_empty(&self) -> bool {
        self.is_html()
            && self.unreadable.is_none()
            && self.page.as_ref().is_none_or(|page| page.shown == ShownContent::Nothing)
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

pub fn says_html(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media_type == "text/html" || media_type == "application/xhtml+xml"
}

/// Returns true when a person got the app first and, after a crawler had asked, the page for crawlers.
pub fn has_turned(people: &[SiteProbeReply; 2], crawlers: &[SiteProbeReply; 2]) -> bool {
    let [Ok(first), Ok(second)] = people else { return false };
    let mut pages = crawlers.iter().flatten();
    first.is_shell()
        && !second.is_shell()
        && pages.any(|page| page.word_count() == second.word_count() && page.is_success())
}

/// Returns the language of the crawler's page and that of the person's, where they differ. None also where the person's page
/// shows nothing without scripts: its declaration is then that of an app that has not begun.
pub fn languages(crawlers: &[SiteProbeReply], people: &[SiteProbeReply]) -> Option<(String, String)> {
    let last = |asked: &[SiteProbeReply]| -> Option<(Option<String>, Option<&'static str>)> {
        let answer = asked.iter().rev().find_map(|asked| asked.as_ref().ok())?;
        let page = answer.page.as_ref().filter(|page| page.shown == ShownContent::Page)?;
        answer.is_success().then(|| (answer.language(), page.spoken))
    };
    let ((declared, spoken), (of_person, spoken_to_person)) = (last(crawlers)?, last(people)?);
    let pair = match (spoken, spoken_to_person) {
        (Some(one), Some(other)) => (one.to_owned(), other.to_owned()),
        _ => (declared?, of_person?),
    };
    (pair.0 != pair.1).then_some(pair)
}

/// Returns true when two addresses are on one domain or its `www.` twin, with the same port unless the scheme differs.
pub fn are_on_one_domain(one: &Url, other: &Url) -> bool {
    let is_domain =
        one.host_str().zip(other.host_str()).is_some_and(|(one, other)| is_same_domain(one, other));
    is_domain && (one.port() == other.port() || one.scheme() != other.scheme())
}
