//! The audited site after its crawl: rows, and the questions that checks ask about how rows belong together.
//! Filled by the engine, joined once, then read only. Pure.

mod findings;
mod groups;
mod interner;
mod join;
mod probes;
mod row;
mod verdicts;

use std::collections::{BTreeMap, HashMap};

use crawler::robots::Robots;
use http::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::address::Origin;
use crate::checks::thresholds::{Limit, Thresholds};
use crate::checks::{Evidence, MAX_EXAMPLES};
use crate::page::view::GOOGLEBOT;

use groups::Groups;

pub use findings::{SiteFinding, SiteFindings};
pub use interner::{Interner, UrlId};
pub use probes::{Asset, BotAnswer, Probes};
pub use row::{Alternate, Details, Difference, Failure, Fields, Fingerprints, Kept, Place, Row, RowLink};
pub use verdicts::{AlternateVerdict, CanonicalVerdict, End, LinkVerdict, RedirectVerdict};

/// Everything that is known of a site.
pub struct Site {
    /// Whose addresses are internal.
    pub origin: Origin,
    /// Product token of the audit's user agent.
    pub agent: String,
    /// Every address of the site that was seen.
    pub urls: Interner,
    /// Texts and addresses of other hosts that rows name by number, each kept once.
    pub texts: Interner,
    /// Rows by address.
    pub rows: BTreeMap<UrlId, Box<Row>>,
    /// Its robots.txt.
    pub robots: RobotsFile,
    /// Its sitemaps.
    pub sitemaps: Vec<SitemapFile>,
    /// What was asked for beside pages.
    pub probes: Probes,
    /// What is at addresses beside pages, by text.
    pub assets: HashMap<UrlId, Asset>,
    /// Templates whose addresses lead nowhere new, with how many were cut off.
    pub traps: Vec<(String, u32)>,
    /// What the run before found, by path: the sitemap's date and the text's fingerprint.
    pub previous: HashMap<UrlId, (Option<i64>, String)>,
    /// Follow mode, nothing left out.
    pub is_complete: bool,
    /// Pages are found by following links.
    pub is_follow: bool,
    /// The page limit ended the crawl.
    pub hit_limit: bool,
    /// The first seed, unless pages are found by a sitemap.
    pub seed: Option<UrlId>,
    /// When the crawl ended, in epoch milliseconds.
    pub now_ms: i64,
    /// The numbers by which checks fire.
    pub thresholds: Thresholds,
    joined: Joined,
}

/// A robots.txt with how it was answered.
#[derive(Debug, Default)]
pub struct RobotsFile {
    /// Its rules; empty when it could not be read.
    pub rules: Robots,
    /// Status of the answer; 0: none.
    pub status: u16,
    /// Bytes of it.
    pub bytes: usize,
    /// Media type.
    pub content_type: String,
    /// Redirects on the way.
    pub hops: usize,
    /// It is an HTML page.
    pub is_html: bool,
    /// It forbids everything because it could not be fetched.
    pub is_unreachable: bool,
    /// When it was asked for, in epoch milliseconds.
    pub fetched_at_ms: i64,
}

/// A sitemap file with what it lists.
#[derive(Debug)]
pub struct SitemapFile {
    /// Its address.
    pub url: Url,
    /// Line of robots.txt that names it.
    pub robots_line: Option<usize>,
    /// Status of the answer; 0: none.
    pub status: u16,
    /// What it is; none when it could not be read as a sitemap.
    pub kind: Option<&'static str>,
    /// An index named it.
    pub is_child: bool,
    /// Pages that it lists.
    pub entries: Vec<SitemapEntry>,
    /// What it lists, pages or files.
    pub listed: usize,
    /// It has more than is read.
    pub is_cut: bool,
}

/// A page that a sitemap lists.
#[derive(Debug, Clone)]
pub struct SitemapEntry {
    /// Its address.
    pub url: Url,
    /// Its row, when it is on the site.
    pub id: Option<UrlId>,
    /// When it changed, in epoch milliseconds.
    pub lastmod: Option<i64>,
    /// It has a date that is none.
    pub has_bad_lastmod: bool,
}

/// How pages share something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shared {
    /// The same title in the same language.
    Title,
    /// The same description.
    Description,
    /// The same first heading.
    H1,
    /// The same main text.
    Text,
    /// The same main text with and without a final slash.
    SlashVariant,
    /// The same main text with and without parameters.
    ParameterVariant,
}

/// How a page is linked.
#[derive(Debug, Default)]
pub struct Inlinks {
    /// Pages that link to it, in any way.
    pub pages: u32,
    /// Pages with a link that may be followed.
    pub followed: u32,
    /// Pages with a link that has nofollow.
    pub nofollowed: u32,
    from: Vec<UrlId>,
}

#[derive(Default)]
struct Joined {
    inlinks: hashbrown::HashMap<UrlId, Inlinks>,
    depths: hashbrown::HashMap<UrlId, u32>,
    scores: hashbrown::HashMap<UrlId, f64>,
    low_score: f64,
    groups: Groups<(Shared, u128)>,
    variants: hashbrown::HashSet<UrlId>,
    bands: Groups<u64>,
}

/// A bucket of alike pages is compared up to this many: templates without text would make it quadratic.
const MAX_BUCKET: usize = 200;

impl Site {
    /// A site without rows.
    pub fn new(origin: Origin, agent: &str) -> Site {
        Site {
            origin,
            agent: agent.to_owned(),
            urls: Interner::default(),
            texts: Interner::default(),
            rows: BTreeMap::new(),
            robots: RobotsFile::default(),
            sitemaps: Vec::new(),
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
            joined: Joined::default(),
        }
    }

    /// The row of an address.
    pub fn row(&self, id: UrlId) -> Option<&Row> {
        self.rows.get(&id).map(Box::as_ref)
    }

    /// The address of a path, if it was seen.
    pub fn find(&self, key: &str) -> Option<UrlId> {
        self.urls.find(key)
    }

    /// The absolute address of a row.
    pub fn url(&self, id: UrlId) -> String {
        self.origin.url(self.urls.key(id)).into()
    }

    /// Rows of HTML pages.
    pub fn pages(&self) -> impl Iterator<Item = &Row> {
        self.rows.values().map(Box::as_ref).filter(|row| row.is_page())
    }

    /// The start page's row: the first seed, else `/`, else the first row.
    pub fn start(&self) -> Option<&Row> {
        let seed = self.seed.and_then(|seed| self.row(seed));
        seed.or_else(|| self.row(self.find("/")?)).or_else(|| self.rows.values().next().map(Box::as_ref))
    }

    /// Whether robots.txt forbids a page to Googlebot or to the audit.
    pub fn is_blocked(&self, key: &str) -> bool {
        let agents = [GOOGLEBOT, self.agent.as_str()];
        self.robots.is_unreachable
            || agents.iter().any(|agent| !self.robots.rules.decide(agent, key).is_allowed)
    }

    /// Headers of the start page's answer.
    pub fn start_headers(&self) -> Option<HeaderMap> {
        let headers = &self.start()?.headers;
        let parsed = headers.iter().filter_map(|(name, value)| {
            Some((HeaderName::try_from(name.as_str()).ok()?, HeaderValue::try_from(value.as_str()).ok()?))
        });
        (!headers.is_empty()).then(|| parsed.collect())
    }

    /// Numbers addresses in the order of their paths, so that nothing depends on the order of answers.
    pub fn sort(&mut self) {
        let mut order: Vec<(UrlId, &str)> = self.urls.from(0).collect();
        order.sort_unstable_by_key(|(_, key)| *key);
        let mut urls = Interner::default();
        let mut numbers = vec![UrlId::default(); self.urls.len()];
        for (id, key) in order {
            numbers[id.index()] = urls.intern(key);
        }
        self.urls = urls;
        let number = |id: UrlId| numbers[id.index()];
        self.rows = std::mem::take(&mut self.rows)
            .into_values()
            .map(|mut row| {
                row.renumber(number);
                (row.id, row)
            })
            .collect();
        self.seed = self.seed.map(number);
        self.previous =
            std::mem::take(&mut self.previous).into_iter().map(|(id, page)| (number(id), page)).collect();
        let entries = self.sitemaps.iter_mut().flat_map(|file| &mut file.entries);
        entries.for_each(|entry| entry.id = entry.id.map(number));
    }

    /// How an address is linked.
    pub fn inlinks(&self, id: UrlId) -> &Inlinks {
        static NONE: Inlinks = Inlinks { pages: 0, followed: 0, nofollowed: 0, from: Vec::new() };
        self.joined.inlinks.get(&id).unwrap_or(&NONE)
    }

    /// The first pages that link to an address.
    pub fn linking_pages(&self, id: UrlId) -> impl Iterator<Item = String> {
        self.inlinks(id).from.iter().map(|from| self.url(*from))
    }

    /// Fewest links from a seed; none when no seed leads there.
    pub fn depth(&self, id: UrlId) -> Option<u32> {
        self.joined.depths.get(&id).copied()
    }

    /// Whether a page's link score is in the lowest tenth, among twenty pages at least.
    pub fn has_low_score(&self, id: UrlId) -> bool {
        self.joined.scores.get(&id).is_some_and(|score| *score <= self.joined.low_score)
    }

    /// Adds the pages that share something with a row.
    pub fn shared(&self, shared: Shared, row: &Row, found: &mut Evidence) {
        let is_variant = matches!(shared, Shared::SlashVariant | Shared::ParameterVariant);
        if is_variant {
            self.variant_of(shared, row).into_iter().for_each(|id| found.add(self.url(id), "", ""));
            return;
        }
        let Some(key) = row.share_key(shared) else { return };
        let group = self.joined.groups.get((shared, key));
        if group.binary_search_by_key(&row.id, |(_, id)| *id).is_err() {
            return;
        }
        // A site can have as many pages with one text as it likes: those that are not named are only counted.
        let others = group.iter().map(|(_, id)| *id).filter(|id| *id != row.id);
        others.take(MAX_EXAMPLES).for_each(|id| found.add(self.url(id), "", ""));
        found.count += u32::try_from((group.len() - 1).saturating_sub(MAX_EXAMPLES)).unwrap_or(u32::MAX);
    }

    /// Adds the pages whose text is nearly a row's.
    pub fn near_duplicates(&self, row: &Row, found: &mut Evidence) {
        for (id, likeness) in self.near_pages(row) {
            found.add(self.url(id), "", format!("{:.0} % alike", likeness * 100.0));
        }
    }

    fn near_pages(&self, row: &Row) -> Vec<(UrlId, f64)> {
        let Some(sketch) = row.fingerprints.sketch.as_ref().filter(|_| self.is_comparable(row)) else {
            return Vec::new();
        };
        let least = self.thresholds.number(Limit::NearDuplicatePercent);
        let mut seen = hashbrown::HashSet::new();
        let mut near = Vec::new();
        for band in sketch.bands() {
            for (_, id) in self.joined.bands.get(band).iter().filter(|(_, id)| *id != row.id) {
                if !seen.insert(*id) {
                    continue;
                }
                let Some(other) = self.row(*id) else { continue };
                let likeness = other.fingerprints.sketch.as_ref().map_or(0.0, |other| other.likeness(sketch));
                if likeness * 100.0 >= least && other.fingerprints.text != row.fingerprints.text {
                    near.push((*id, likeness));
                }
            }
        }
        near.sort_unstable_by_key(|(id, _)| *id);
        near
    }

    /// Groups of pages that share something.
    pub fn clusters(&self, shared: Shared) -> usize {
        self.joined.groups.keys().filter(|(kind, _)| *kind == shared).count()
    }

    /// Groups of pages whose texts are nearly one: pages that are alike by way of others are one group.
    pub fn near_clusters(&self) -> usize {
        let mut seen = hashbrown::HashSet::new();
        let mut clusters = 0;
        for row in self.pages() {
            if !seen.contains(&row.id) && !self.near_pages(row).is_empty() {
                clusters += 1;
                let mut next = vec![row.id];
                while let Some(id) = next.pop() {
                    if let Some(row) = self.row(id).filter(|_| seen.insert(id)) {
                        next.extend(self.near_pages(row).into_iter().map(|(id, _)| id));
                    }
                }
            }
        }
        clusters
    }

    fn is_comparable(&self, row: &Row) -> bool {
        row.is_indexable() && row.words >= 50 && !self.joined.variants.contains(&row.id)
    }

    /// The other form of an address, when both are pages with one text.
    fn variant_of(&self, shared: Shared, row: &Row) -> Option<UrlId> {
        let key = self.urls.key(row.id);
        let (path, query) = key.split_once('?').map_or((key, None), |(path, query)| (path, Some(query)));
        let other = match shared {
            Shared::ParameterVariant => query.map(|_| path.to_owned())?,
            _ => {
                let path = path.strip_suffix('/').map_or_else(|| format!("{path}/"), str::to_owned);
                let path = Some(path).filter(|path| !path.is_empty() && path != "/")?;
                query.map_or_else(|| path.clone(), |query| format!("{path}?{query}"))
            }
        };
        let other =
            self.row(self.find(&other)?).filter(|other| other.is_indexable() && row.is_indexable())?;
        (other.fingerprints.text == row.fingerprints.text).then_some(other.id)
    }
}
