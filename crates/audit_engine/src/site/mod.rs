//! The audited site after its crawl: rows, and queries of the checks about relations between rows.
//! Filled by the engine, joined once, then read only. Pure.

mod findings;
mod graph;
mod groups;
mod interner;
mod join;
mod named;
mod probes;
mod row;
mod rows;
mod shared;
mod spill_file;
mod verdicts;

use std::collections::{BTreeSet, HashMap};

use crawler::robots::Robots;
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::address::Origin;
use crate::checks::thresholds::Thresholds;
use crate::page::sketch::Sketch;
use crate::page::view::GOOGLEBOT;

use graph::Linking;
use groups::Groups;

pub use findings::{SiteFinding, SiteFindings};
pub use interner::{AddressLimits, Interner, UrlId};
pub use named::{Named, NamedRow, RowAlternate, RowLink, WordSpan, anchor_hash, part_hashes};
pub use probes::{Asset, BotResponse, LlmsFile, Probes, SisterPage};
pub use row::{Details, Difference, Failure, Fingerprints, PageFields, Row, RowDestination};
pub use rows::Rows;
pub use shared::SharedContent;
pub use spill_file::{SpillFile, SpillOffset};
pub use verdicts::{AlternateVerdict, CanonicalVerdict, LinkVerdict, RedirectEnd, RedirectVerdict};

/// Everything that is known of a site.
pub struct CrawledSite {
    /// Site whose addresses are internal.
    pub origin: Origin,
    /// Product token of the audit's user agent.
    pub agent: String,
    /// Every address of the site that was seen.
    pub urls: Interner,
    /// Addresses of other hosts, pictures and scripts, each kept once.
    pub texts: Interner,
    /// Rows by address.
    pub rows: Rows,
    /// The site's robots.txt.
    pub robots: RobotsFile,
    pub sitemaps: Vec<AuditedSitemap>,
    /// A bound left a part of them out.
    pub sitemaps_are_cut: bool,
    /// Addresses of the site that were requested without becoming rows: targets of listed pages, and represented pages.
    pub targets: Rows,
    /// Language versions on other sites of the same owner, by address.
    pub sisters: HashMap<Box<str>, SisterPage>,
    /// Results of the requests beside pages.
    pub probes: Probes,
    /// Resources beside pages, by the number of their address's text.
    pub assets: HashMap<UrlId, Asset>,
    /// Templates whose addresses lead nowhere new, with how many were cut off.
    pub traps: Vec<(String, u32)>,
    /// Results of the previous run, by path: the sitemap's date and the text's fingerprint.
    pub previous: HashMap<UrlId, (Option<i64>, String)>,
    /// Follow mode, nothing left out.
    pub is_complete: bool,
    /// Pages are found by following links.
    pub is_follow: bool,
    /// The page limit ended the crawl.
    pub hit_limit: bool,
    /// The first seed, unless pages are found by a sitemap.
    pub seed: Option<UrlId>,
    /// End of the crawl, in epoch milliseconds.
    pub now_ms: i64,
    /// The numbers by which checks fire.
    pub thresholds: Thresholds,
    /// File of the addresses and texts that pages name.
    spill: SpillFile,
    /// Numbers of addresses now, by those that the file has; empty: the same.
    numbers: Vec<UrlId>,
    /// Links between pages of the site.
    links: usize,
    joined: JoinedSite,
}

/// A robots.txt with how it was answered.
#[derive(Debug, Default)]
pub struct RobotsFile {
    /// The rules that hold for the audit: those of the file, unless the audit ignores or replaces them.
    pub rules: Robots,
    /// The file; empty when it could not be read.
    pub file: Robots,
    /// Status of the answer; 0: none.
    pub status: u16,
    pub bytes: usize,
    /// Media type.
    pub content_type: String,
    /// Redirects on the way.
    pub hops: usize,
    /// True for an HTML page, by content or declared type.
    pub is_html: bool,
    /// Status that a crawler gets; none: that of people, whose file this is.
    pub refusal: Option<u16>,
    /// True when the file could not be fetched.
    pub is_unreachable: bool,
    /// True when everything is forbidden because the file could not be fetched.
    pub forbids_all: bool,
    /// Time of the request, in epoch milliseconds.
    pub fetched_at_ms: i64,
}

impl RobotsFile {
    /// Decides whether a crawler may ask for an address, by its path and query.
    pub fn allows(&self, agent: &str, key: &str) -> bool {
        !self.forbids_all && self.rules.decide(agent, key).is_allowed
    }
}

/// A sitemap file with its entries.
#[derive(Debug)]
pub struct AuditedSitemap {
    /// Address of the file.
    pub url: Url,
    /// Line of robots.txt that names it.
    pub robots_line: Option<usize>,
    /// Status of the answer; 0: none.
    pub status: u16,
    /// Kind of sitemap; none when it could not be read.
    pub kind: Option<&'static str>,
    /// An index named it.
    pub is_child: bool,
    /// Pages that it lists.
    pub entries: Vec<SitemapEntry>,
    /// Number of entries, pages or files.
    pub listed: usize,
    /// True when the file has more entries than are read.
    pub is_cut: bool,
    /// True when the file has more bytes than the protocol allows.
    pub is_too_large: bool,
    /// True when the file has more entries than the protocol allows.
    pub has_too_many: bool,
}

/// A page that a sitemap lists. There can be a million.
#[derive(Debug, Clone, Default)]
pub struct SitemapEntry {
    /// Address as written, when its row's is written differently.
    pub written: Option<Box<str>>,
    /// Number of the row, when the address is on the site.
    pub id: Option<UrlId>,
    /// True when the address is neither on the origin of the file nor on that of the site.
    pub is_elsewhere: bool,
    /// Date of change, in epoch milliseconds.
    pub lastmod: Option<i64>,
    /// True for a date that cannot be read.
    pub has_bad_lastmod: bool,
    /// The priority is 0.8 or more.
    pub is_important: bool,
}

/// Links to a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inlinks {
    /// Pages that link to it, in any way.
    pub pages: u32,
    /// Pages with a link that may be followed.
    pub followed: u32,
    /// Pages with a link that has nofollow.
    pub nofollowed: u32,
    /// Position of the first linking page in the list.
    first: usize,
}

#[derive(Default)]
struct JoinedSite {
    linking: Linking,
    /// Addresses of other hosts that pages link to.
    external: usize,
    /// Pages and the versions of them that they name, sorted.
    alternates: Vec<(UrlId, UrlId)>,
    /// Parts of pages that are linked and not there: page and hash of the part's name, sorted.
    missing_parts: Vec<(UrlId, u64)>,
    blocked_resources: BTreeSet<String>,
    /// Groups by title, description, heading and text.
    groups: [Groups<u64>; 4],
    variants: hashbrown::HashSet<UrlId>,
    /// Pages that sitemaps call important.
    important: hashbrown::HashSet<UrlId>,
    bands: Vec<Groups<u64>>,
    /// Sketches of pages that share a bucket with others.
    sketches: hashbrown::HashMap<UrlId, Box<Sketch>>,
}

impl SitemapEntry {
    /// Returns the address of the entry.
    pub fn url(&self, site: &CrawledSite) -> String {
        match (&self.written, self.id) {
            (Some(written), _) => written.to_string(),
            (None, id) => id.map(|id| site.url(id)).unwrap_or_default(),
        }
    }
}

impl CrawledSite {
    /// Makes a site without rows.
    pub fn new(origin: Origin, agent: &str) -> CrawledSite {
        CrawledSite {
            origin,
            agent: agent.to_owned(),
            urls: Interner::default(),
            texts: Interner::default(),
            rows: Rows::default(),
            robots: RobotsFile::default(),
            sitemaps: Vec::new(),
            sitemaps_are_cut: false,
            targets: Rows::default(),
            sisters: HashMap::new(),
            probes: Probes::default(),
            assets: HashMap::new(),
            traps: Vec::new(),
            previous: HashMap::new(),
            is_complete: false,
            is_follow: false,
            hit_limit: false,
            seed: None,
            now_ms: 0,
            thresholds: Thresholds::default(),
            spill: SpillFile::default(),
            numbers: Vec::new(),
            links: 0,
            joined: JoinedSite::default(),
        }
    }

    /// Finds the row of an address.
    pub fn row(&self, id: UrlId) -> Option<&Row> {
        self.rows.get(id)
    }

    /// Returns the facts of an address: its row, or the result of a request without one.
    pub fn answer(&self, id: UrlId) -> Option<&Row> {
        self.row(id).or_else(|| self.targets.get(id))
    }

    /// Adds what an address answers that has no row.
    pub fn insert_target(&mut self, mut row: Box<Row>) {
        row.details = None;
        row.kept_named = row.named.take().map(|named| self.spill.keep(&named));
        self.targets.insert(row);
    }

    /// Adds a row, and stores the addresses and texts that it names in the file.
    pub fn insert(&mut self, mut row: Box<Row>) {
        if let Some(named) = row.named.take() {
            self.links += named.links.len();
            row.kept_named = Some(self.spill.keep(&named));
        }
        self.rows.insert(row);
    }

    /// Returns the addresses and texts that a row names.
    pub fn named(&self, row: &Row) -> Named {
        let mut named: Named = row.kept_named.map(|kept| self.spill.get(kept)).unwrap_or_default();
        if !self.numbers.is_empty() {
            named.renumber(|id| self.numbers[id.index()]);
        }
        named
    }

    /// Returns the current number of an address, from its number during the crawl.
    pub fn number(&self, id: UrlId) -> UrlId {
        self.numbers.get(id.index()).copied().unwrap_or(id)
    }

    /// Returns the sketch of a row's text, by which similar texts are found.
    fn sketch(&self, row: &Row) -> Option<Box<Sketch>> {
        self.spill.get(row.kept_named?)
    }

    /// Finds the address of a path.
    pub fn find(&self, key: &str) -> Option<UrlId> {
        self.urls.find(key)
    }

    /// Returns the absolute address of a row.
    pub fn url(&self, id: UrlId) -> String {
        self.origin.url(self.urls.key(id)).into()
    }

    /// Returns the rows of HTML pages.
    pub fn pages(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.is_page())
    }

    /// Returns the start page's row: the first seed, else `/`, else the first row.
    pub fn start(&self) -> Option<&Row> {
        let seed = self.seed.and_then(|seed| self.row(seed));
        seed.or_else(|| self.row(self.find("/")?)).or_else(|| self.rows.iter().next())
    }

    /// Decides whether the audit may ask for a page.
    pub fn allows(&self, key: &str) -> bool {
        self.robots.allows(&self.agent, key)
    }

    /// Returns true when robots.txt forbids a page to Googlebot or to the audit.
    pub fn is_blocked(&self, key: &str) -> bool {
        let agents = [GOOGLEBOT, self.agent.as_str()];
        self.robots.forbids_all || agents.iter().any(|agent| !self.robots.rules.decide(agent, key).is_allowed)
    }

    /// Returns the headers of the start page's response.
    pub fn start_headers(&self) -> Option<HeaderMap> {
        let headers = &self.start()?.headers;
        let parsed = headers.iter().filter_map(|(name, value)| {
            Some((HeaderName::try_from(name.as_str()).ok()?, HeaderValue::try_from(value.as_str()).ok()?))
        });
        (!headers.is_empty()).then(|| parsed.collect())
    }

    /// Numbers addresses in the order of their paths, so that nothing depends on the order of responses.
    pub fn sort(&mut self) {
        let numbers = self.urls.sort();
        let number = |id: UrlId| numbers[id.index()];
        self.rows.renumber(number);
        self.targets.renumber(number);
        self.seed = self.seed.map(number);
        self.previous =
            std::mem::take(&mut self.previous).into_iter().map(|(id, page)| (number(id), page)).collect();
        let entries = self.sitemaps.iter_mut().flat_map(|file| &mut file.entries);
        entries.for_each(|entry| entry.id = entry.id.map(number));
        self.numbers = numbers;
    }

    /// Returns the links to an address.
    pub fn inlinks(&self, id: UrlId) -> Inlinks {
        let place = self.rows.place(id);
        place.and_then(|place| self.joined.linking.inlinks.get(place)).copied().unwrap_or_default()
    }

    /// Returns the first pages that link to an address.
    pub fn linking_pages(&self, id: UrlId) -> impl Iterator<Item = String> {
        let inlinks = self.inlinks(id);
        let from = &self.joined.linking.from[inlinks.first..inlinks.first + inlinks.named()];
        from.iter().map(|from| self.url(*from))
    }

    /// Returns the fewest links from a seed to an address; none when no seed leads there.
    pub fn depth(&self, id: UrlId) -> Option<u32> {
        self.joined.linking.depths.get(self.rows.place(id)?).copied().flatten()
    }

    /// Returns the link score of a page, 0 to 100: the share of visits of a random surfer, on a logarithmic scale. 0
    /// for pages that are not indexable.
    pub fn link_score(&self, id: UrlId) -> f64 {
        let place = self.rows.place(id);
        place.and_then(|place| self.joined.linking.scores.get(place)).map_or(0.0, |score| f64::from(*score))
    }

    /// Returns true when a page's link score is in the lowest tenth, among at least twenty pages.
    pub fn has_low_score(&self, id: UrlId) -> bool {
        let place = self.rows.place(id);
        place.and_then(|place| self.joined.linking.low_scores.get(place)).is_some_and(|is_low| *is_low)
    }

    /// Decides whether a sitemap calls a page important.
    pub fn is_important(&self, id: UrlId) -> bool {
        self.joined.important.contains(&id)
    }

    /// Returns the number of addresses of other hosts that pages link to.
    pub fn external_links(&self) -> usize {
        self.joined.external
    }

    /// Returns the scripts and style sheets of indexable pages that Googlebot may not fetch.
    pub fn blocked_resources(&self) -> &BTreeSet<String> {
        &self.joined.blocked_resources
    }

    /// Returns true when a page names another one as its language version.
    pub fn names_version(&self, page: UrlId, version: UrlId) -> bool {
        self.joined.alternates.binary_search(&(page, version)).is_ok()
    }

    /// Returns true when an audited page has no element of this name.
    pub fn lacks_part(&self, page: UrlId, name: &str) -> bool {
        self.joined.missing_parts.binary_search(&(page, anchor_hash(name))).is_ok()
    }
}
