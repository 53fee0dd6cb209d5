//! One page for the checks: its facts, and values that follow from them once they are resolved against the site.
//! Built once per page and dropped after its checks ran. Pure.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Arc;

use crawler::robots::Robots;
use crawler::url::is_same_site;
use url::Url;

use super::addresses::{Address, Addresses, Base, OnPage};
use super::caps::AddressRoom;
use super::not_found::NotFoundProbe;
use super::structured::StructuredData;
use super::text::sorted_words;
use super::{Directives, PageFacts, Readability, Reading, not_found};
use crate::address::{Origin, Target};
use crate::checks::thresholds::{ThresholdId, Thresholds};
use crate::source::{RenderedDocument, Response, SnapshotLookup, StoredPage};

/// The crawler whose rules decide what a search engine may see.
pub const GOOGLEBOT: &str = "Googlebot";

/// Input of a page's view.
#[derive(Clone, Copy)]
pub struct PageInput<'a> {
    /// The site.
    pub origin: &'a Origin,
    /// Rules of the site's robots.txt.
    pub robots: &'a Robots,
    /// Requested address.
    pub url: &'a Url,
    /// Response of the origin.
    pub response: &'a Response,
    /// Facts of the document that crawlers get: the answer, or the snapshot that is served in its place.
    pub raw: &'a PageFacts,
    /// Rendered document, with its facts.
    pub rendered: Option<(&'a RenderedDocument, &'a PageFacts)>,
    /// The numbers by which checks fire.
    pub thresholds: &'a Thresholds,
    /// The site's response for addresses that do not exist.
    pub probe: &'a NotFoundProbe,
    /// Hreflang entries that the sitemap has for it.
    pub sitemap_alternates: &'a [(String, Url)],
    /// Snapshot for crawlers, with its facts when there is one.
    pub snapshot: (&'a SnapshotLookup, Option<&'a PageFacts>),
    /// Date of change from the sitemap, in epoch milliseconds.
    pub lastmod: Option<i64>,
    /// Time of the fetch, in epoch milliseconds.
    pub now_ms: i64,
}

/// A page with everything that follows from its facts.
pub struct Page<'a> {
    pub input: PageInput<'a>,
    /// Path and query of its key.
    pub key: String,
    /// The rendered document's facts where there are any, else those of the answer.
    pub facts: &'a PageFacts,
    /// Base of relative addresses.
    pub base: Base,
    /// Resolved links, in the order of `facts.links`.
    pub links: Vec<ResolvedLink>,
    /// Directives of robots metas and headers.
    pub directives: Directives,
    /// Directives of the response alone.
    pub raw_directives: Directives,
    /// `rel=canonical` of the Link header.
    pub header_canonicals: Vec<Url>,
    /// Canonical address; none when the page declares none.
    pub canonical: Option<Url>,
    /// Hreflang entries of head, header and sitemap; an address that does not parse is none.
    pub alternates: Vec<(String, Option<Url>)>,
    /// Language versions of header and sitemap, which exist whatever scripts do.
    pub sent_alternates: Vec<(String, Url)>,
    /// Structured data.
    pub structured: StructuredData,
    /// Words of the main text.
    pub words: usize,
    /// Language of the main text, and how sure that is.
    pub text_language: Option<(&'static str, f64)>,
    /// Reading ease of the main text.
    pub readability: Readability,
    /// Googlebot may not fetch it.
    pub is_blocked: bool,
    /// The answer reads like an error page.
    pub is_soft_404: bool,
    /// Only the rendered page reads like one.
    pub is_rendered_soft_404: bool,
    /// Room for the addresses that its row keeps.
    room: AddressRoom,
}

/// A link with where it leads.
#[derive(Debug, Clone)]
pub struct ResolvedLink {
    /// Index in `facts.links`.
    pub index: usize,
    /// Target.
    pub address: Arc<Address>,
    /// True for a link to a fragment of the page itself, which does not count as a link.
    pub is_fragment: bool,
}

impl Deref for ResolvedLink {
    type Target = Address;

    fn deref(&self) -> &Address {
        &self.address
    }
}

/// Rows that a check looks at; each kind is part of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum CheckedRows {
    /// Every row.
    Any,
    /// Rows that redirect.
    Redirect,
    /// Pages: HTML that answered 200.
    Html,
    /// Pages that are neither noindex nor forbidden to Googlebot.
    Candidate,
    /// Candidates that a search engine would index under their own address.
    Indexable,
}

impl<'a> Page<'a> {
    /// Works out what follows from a page's facts.
    pub fn read(input: PageInput<'a>, addresses: &mut Addresses) -> Page<'a> {
        // A page that leaves is judged by what the origin sent.
        let rendered =
            input.rendered.filter(|(page, _)| page.redirected_to.is_none()).map(|(_, facts)| facts);
        let facts = rendered.unwrap_or(input.raw);
        let key = input.origin.key(input.url);
        let base = Base::of(facts, input.url, input.response.encoding());
        let headers = &input.response.headers;
        let header_links = super::link_header::parse(headers, input.url);
        let header_canonicals: Vec<Url> = header_links.canonicals;
        let canonical = effective_canonical(facts, &base, &header_canonicals);
        let mut sent_alternates = header_links.alternates;
        sent_alternates.extend_from_slice(input.sitemap_alternates);
        let mut alternates: Vec<(String, Option<Url>)> = facts
            .alternates
            .head
            .iter()
            .map(|entry| (entry.lang.clone(), base.resolve(&entry.href)))
            .chain(sent_alternates.iter().map(|(lang, url)| (lang.clone(), Some(url.clone()))))
            .collect();
        let mut seen = HashSet::new();
        alternates.retain(|(lang, url)| seen.insert((lang.to_ascii_lowercase(), url.clone())));
        let is_soft_404 = not_found::holds(input.raw, input.probe);
        let status_meta = facts.first_meta("prerender-status-code").parse::<u16>().unwrap_or_default();
        let is_rendered_soft_404 =
            rendered.is_some() && !is_soft_404 && status_meta < 400 && not_found::holds(facts, input.probe);
        let reading = facts.reading.unwrap_or_else(|| Reading::of(facts));
        let room = AddressRoom::default();
        let links = resolve_links(facts, &key, &mut addresses.on(&base, input.origin), &room);
        Page {
            is_blocked: !input.robots.decide(GOOGLEBOT, &key).is_allowed,
            directives: Directives::of(facts, headers),
            raw_directives: Directives::of(input.raw, headers),
            structured: StructuredData::of(facts),
            words: facts.measures.words,
            readability: reading.ease,
            text_language: reading.language,
            input,
            key,
            facts,
            base,
            links,
            header_canonicals,
            canonical,
            alternates,
            sent_alternates,
            is_soft_404,
            is_rendered_soft_404,
            room,
        }
    }

    /// Returns true when search engines are told to leave the page out. A meta counts raw or rendered.
    pub fn is_noindex(&self) -> bool {
        self.has_meta_noindex() || self.directives.header_noindex()
    }

    /// Returns true when a meta of the response or of the rendered page says noindex.
    pub fn has_meta_noindex(&self) -> bool {
        self.directives.meta_noindex() || self.raw_directives.meta_noindex()
    }

    /// Returns the effective canonical compared with the site, when it is another page.
    pub fn other_canonical(&self) -> Option<Target> {
        let target = self.input.origin.target(self.canonical.as_ref()?);
        (target != Target::Internal(self.key.clone())).then_some(target)
    }

    /// Returns the address to which a script redirected the visitor, when it is another page.
    pub fn script_redirect(&self) -> Option<&Url> {
        let to = self.input.rendered?.0.redirected_to.as_ref()?;
        (self.input.origin.target(to) != Target::Internal(self.key.clone())).then_some(to)
    }

    /// Returns the narrowest kind of row that the page belongs to.
    pub fn rows(&self) -> CheckedRows {
        let status_meta = self.facts.first_meta("prerender-status-code").parse::<u16>().unwrap_or_default();
        if self.is_noindex() || self.is_blocked {
            CheckedRows::Html
        } else if self.other_canonical().is_some()
            || self.is_soft_404
            || self.is_rendered_soft_404
            || self.script_redirect().is_some()
            || self.was_rendered() && status_meta >= 400
        {
            CheckedRows::Candidate
        } else {
            CheckedRows::Indexable
        }
    }

    /// Returns true when a count of the page is above a threshold.
    pub fn exceeds(&self, limit: ThresholdId, count: usize) -> bool {
        self.input.thresholds.exceeds(limit, count)
    }

    /// Returns true when a count of the page is below a threshold.
    pub fn undercuts(&self, limit: ThresholdId, count: usize) -> bool {
        self.input.thresholds.undercuts(limit, count)
    }

    /// Returns true when the facts are those of a rendered document.
    pub fn was_rendered(&self) -> bool {
        !std::ptr::eq(self.facts, self.input.raw)
    }

    /// Returns the share of visible text in the document, in percent with one decimal.
    pub fn text_ratio(&self) -> f64 {
        text_ratio(self.facts)
    }

    /// Returns the links to pages of the site, references within the page left out.
    pub fn internal_links(&self) -> impl Iterator<Item = (&ResolvedLink, &super::Link)> {
        self.links
            .iter()
            .filter(|link| !link.is_fragment && matches!(link.target, Target::Internal(_)))
            .map(|link| (link, &self.facts.links[link.index]))
    }

    /// Returns the links that leave the site.
    pub fn external_links(&self) -> impl Iterator<Item = (&ResolvedLink, &super::Link)> {
        self.links
            .iter()
            .filter(|link| matches!(link.target, Target::External(_)))
            .map(|link| (link, &self.facts.links[link.index]))
    }

    /// Resolves an address of the document.
    pub fn resolve(&self, href: &str) -> Option<Url> {
        self.base.resolve(href)
    }

    /// Resolves an address of the document, if the page may keep another one. Every address of a row goes through this
    /// function.
    pub fn resolve_within_room(&self, href: &str) -> Option<Url> {
        self.resolve(href).filter(|url| self.room.take(url.as_str().len()))
    }

    /// Returns the number of elements and addresses beyond the bounds.
    pub fn left_out(&self) -> usize {
        self.facts.left_out + self.room.left_out()
    }

    /// Returns true for an address on the site's registrable domain.
    pub fn is_same_domain(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        is_same_site(host, self.input.origin.host())
    }

    /// Returns the primary subtag of `html lang`, lower case.
    pub fn language(&self) -> Option<String> {
        self.facts.language()
    }

    /// Returns true for a further page of a list.
    pub fn is_pagination(&self) -> bool {
        let is_later = |number: &str| number.parse::<u32>().is_ok_and(|number| number > 1);
        let (path, query) = self.key.split_once('?').unwrap_or((&self.key, ""));
        let segments: Vec<&str> = path.split('/').collect();
        let in_path =
            segments.windows(2).any(|pair| matches!(pair[0], "page" | "seite") && is_later(pair[1]));
        let in_query = query.split('&').filter_map(|pair| pair.split_once('='));
        let in_head = self.facts.pagination.iter().any(|(step, _)| *step == super::PageStep::Previous);
        in_path
            || in_head
            || in_query
                .into_iter()
                .any(|(name, value)| matches!(name, "page" | "p" | "paged" | "pg") && is_later(value))
    }

    pub fn snapshot(&self) -> Option<(&StoredPage, &PageFacts)> {
        match self.input.snapshot {
            (SnapshotLookup::Found(stored), Some(facts)) => Some((stored, facts)),
            _ => None,
        }
    }

    /// Counts the words of the rendered main text that the response's lacks, and all words of the rendered one.
    pub fn words_only_rendered(&self) -> (usize, usize) {
        let rendered = sorted_words(&self.facts.main_text);
        let raw = sorted_words(&self.input.raw.main_text);
        (super::text::words_missing(&rendered, &raw), rendered.len())
    }
}

/// Returns the share of visible text in a document, in percent with one decimal.
pub fn text_ratio(facts: &PageFacts) -> f64 {
    if facts.html_bytes == 0 {
        return 0.0;
    }
    (facts.visible_text.len() as f64 / facts.html_bytes as f64 * 1000.0).round() / 10.0
}

/// Returns the first canonical of head that parses, else that of the header.
pub fn effective_canonical(facts: &PageFacts, base: &Base, header: &[Url]) -> Option<Url> {
    let in_head = facts.canonicals.head.iter().flatten().filter(|href| !href.trim().is_empty());
    in_head.filter_map(|href| base.resolve(href)).next().or_else(|| header.first().cloned())
}

fn resolve_links(
    facts: &PageFacts,
    key: &str,
    addresses: &mut OnPage,
    room: &AddressRoom,
) -> Vec<ResolvedLink> {
    let mut links = Vec::with_capacity(facts.links.len());
    for (index, link) in facts.links.iter().enumerate() {
        let Some(address) = link.href.as_deref().and_then(|href| addresses.resolve(href)) else { continue };
        if !room.take(address.url.as_str().len()) {
            continue;
        }
        let is_own = matches!(&address.target, Target::Internal(target) if target == key);
        links.push(ResolvedLink { index, is_fragment: is_own && address.url.fragment().is_some(), address });
    }
    links
}
