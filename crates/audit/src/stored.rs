//! Stored results of a run: an index in columns, small enough to be kept in memory, and rows as lines of JSON in the
//! very form of responses, so that reading is copying. Pure.
//! See docs/decisions/0205.

use std::collections::{BTreeMap, HashMap};

use audit_engine::checks::{CheckId, Severity};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use xxhash_rust::xxh3::xxh3_64;

/// Pages in one part.
pub const PART_ROWS: usize = 500;
/// Points of a page's trend.
pub const TREND_POINTS: usize = 12;

/// Content of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// The columns of all pages. One part.
    Index,
    /// Pages as lists show them.
    Pages,
    /// Further details of each page.
    Details,
    /// Links by their source page: a line is the list of a page.
    Links,
    /// Links by their target page.
    Inlinks,
    /// Past scores of pages. One part.
    History,
    /// Dates that sitemaps give pages, with fingerprints of their texts. One part.
    Dates,
    /// Checkpoint of a crawl.
    Checkpoint,
    /// Pages as lists show them while the run is under way. A part for each batch that the crawl saved.
    Live,
    /// Details of each of these.
    LiveDetails,
    /// Files that pages load or link to.
    Resources,
}

impl PartKind {
    /// Returns the text in the database and in the names of objects.
    pub const fn as_str(self) -> &'static str {
        match self {
            PartKind::Index => "index",
            PartKind::Pages => "pages",
            PartKind::Details => "details",
            PartKind::Links => "links",
            PartKind::Inlinks => "inlinks",
            PartKind::History => "history",
            PartKind::Dates => "dates",
            PartKind::Checkpoint => "checkpoint",
            PartKind::Live => "live",
            PartKind::LiveDetails => "live_details",
            PartKind::Resources => "resources",
        }
    }
}

/// Returns a page's id: the same for one path in every run.
pub fn page_id(path: &str) -> u64 {
    xxh3_64(path.as_bytes())
}

/// Formats a page's id for clients.
pub fn show_page_id(id: u64) -> String {
    format!("{id:016x}")
}

/// Reads a page's id.
pub fn parse_page_id(text: &str) -> Option<u64> {
    (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok())?
}

/// The pages of a run in columns: what lists are filtered and sorted by, and what runs are compared by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// Paths with queries, sorted.
    pub paths: Vec<String>,
    /// Status codes.
    pub status: Vec<u16>,
    /// Health, in tenths.
    pub health: Vec<u16>,
    /// Previews, in tenths.
    pub preview: Vec<u16>,
    /// Milliseconds.
    pub load_ms: Vec<u32>,
    pub words: Vec<u32>,
    /// Pages that link to it.
    pub inlinks: Vec<u32>,
    /// Search engines may list it.
    pub indexable: Vec<bool>,
    /// Flags of the pages that count in the run's health.
    pub scored: Vec<bool>,
    /// Ids of the issues of this run.
    pub issue_ids: Vec<String>,
    /// For each page, positions in that list.
    pub issues: Vec<Vec<u16>>,
    /// Issues of the site, its robots.txt and its sitemaps.
    pub site_issues: Vec<String>,
    /// Clicks from the start; empty while the run goes on.
    pub depth: Vec<Option<u32>>,
    /// Rows whose render was due and did not take place: what scripts do to them is not known.
    pub missed_render: Vec<usize>,
    /// Number of parts that files of the run's pages take.
    pub resource_parts: usize,
}

impl Index {
    /// Returns the number of pages.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Returns the approximate bytes in memory.
    pub fn weight(&self) -> usize {
        let paths: usize = self.paths.iter().map(|path| path.len() + 24).sum();
        let issues: usize = self.issues.iter().map(|issues| issues.len() * 2 + 24).sum();
        paths + issues + self.len() * 28
    }

    /// Finds the row of a page.
    pub fn find(&self, id: u64) -> Option<usize> {
        self.paths.iter().position(|path| page_id(path) == id)
    }

    /// Finds the row of a path.
    pub fn find_path(&self, path: &str) -> Option<usize> {
        self.paths.binary_search_by(|other| other.as_str().cmp(path)).ok()
    }

    /// Finds the position of an issue in this run's list. Returns `None` when no page has it.
    pub fn issue(&self, id: &str) -> Option<u16> {
        let at = self.issue_ids.iter().position(|other| other == id)?;
        u16::try_from(at).ok()
    }

    /// Returns the ids of a page's issues.
    pub fn issues_of(&self, row: usize) -> impl Iterator<Item = &str> {
        self.issues[row].iter().filter_map(|at| self.issue_ids.get(usize::from(*at)).map(String::as_str))
    }

    /// Decides whether a page was to be rendered and was not: its findings cannot be compared with those of another run.
    pub fn missed_render(&self, row: usize) -> bool {
        self.missed_render.binary_search(&row).is_ok()
    }

    /// Returns true when a page has a finding of severity error.
    pub fn has_error(&self, row: usize) -> bool {
        self.issues_of(row).filter_map(CheckId::find).any(|check| check.check().severity == Severity::Error)
    }
}

/// An issue of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageIssue {
    /// Id in the catalogue.
    #[schema(examples("META_DESC_MISSING"))]
    pub issue_id: String,
    /// Severity of the issue.
    #[schema(examples("warning"))]
    pub severity: String,
}

/// A page as lists show it. In runs that are older than a field the field is null.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageRow {
    /// Id of the page, equal in every run for one path.
    #[schema(examples("5f0c8d1b2a7e4c39"))]
    pub id: String,
    /// Path with query.
    #[schema(examples("/pricing"))]
    pub path: String,
    /// Status of the page; 0: no response, or robots.txt forbids it.
    pub status_code: u16,
    /// The plain fetch, from the request to the last byte.
    pub load_time_ms: u64,
    /// Health, 0 to 100, one decimal: 100 less the weight of each finding, up to twice that when many elements share
    /// it, each category at most its cap; 0 with a finding that makes the page worthless.
    pub health_score: f64,
    /// Preview score, 0 to 100: quality of a search result and a shared link.
    pub preview_score: f64,
    /// A search engine would list it under its own address.
    pub indexable: bool,
    /// Number of different issues.
    pub issue_count: usize,
    pub issues: Vec<PageIssue>,
    /// Health in up to 12 runs that have the page, the oldest first, this one last.
    pub trend_points: Vec<f64>,
    /// Everything that is read from the page itself.
    #[serde(flatten)]
    pub fields: PageFields,
    /// Pieces of it, by the name of the extraction; those that found nothing are left out.
    pub extracted: Option<BTreeMap<String, Vec<String>>>,
    /// Names of the searches that found it.
    pub searches: Option<Vec<String>>,
}

/// Facts of the page itself.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageFields {
    /// Title; "" when there is none.
    pub title: Option<String>,
    /// Description; "" when there is none.
    pub meta_desc: Option<String>,
    /// Effective canonical, absolute; "" when there is none.
    pub canonical: Option<String>,
    /// Contents of all robots metas, joined with ", ".
    pub meta_robots: Option<String>,
    /// First heading; "" when there is none.
    pub h1: Option<String>,
    /// Content type as it was sent.
    pub content_type: Option<String>,
    /// `Last-Modified` as it was sent.
    pub last_modified: Option<String>,
    /// Bytes of the plain fetch, decompressed, as far as they were read.
    pub html_bytes: Option<u64>,
    /// Hops of its redirect.
    pub redirect_count: Option<usize>,
    /// The first `og:*` and `twitter:*` of each name.
    pub social_tags: Option<BTreeMap<String, String>>,
    /// Viewport; "" when there is none.
    pub viewport: Option<String>,
    /// Encoding, lower case; "" when nothing names one.
    pub charset: Option<String>,
    /// `YYYY-MM-DD HH:MM:SS` in UTC.
    #[schema(examples("2026-11-20 12:00:00"))]
    pub crawled_at: Option<String>,
    /// Words of the main text.
    pub word_count: Option<usize>,
    /// Visible text in hundredths of the document, one decimal.
    pub text_ratio: Option<f64>,
    /// Flesch reading ease of the main text, 0 to 100; -1 when the language has no formula or there is no text.
    pub readability: Option<f64>,
    /// Links to the site.
    pub internal_outlinks: Option<usize>,
    /// Links to other hosts.
    pub external_outlinks: Option<usize>,
    /// Links with nofollow.
    pub nofollow_outlinks: Option<usize>,
    /// Pages of the site that link to it.
    pub inlink_count: Option<u32>,
    /// Clicks from the start; null: nothing leads to it.
    pub depth: Option<u32>,
    /// 0 to 100, one decimal: the share of visits of somebody who follows links at random, on a logarithmic scale.
    pub link_score: Option<f64>,
}

/// Names of the fields of a page, in their order: what `sort` and `fields` take.
pub const PAGE_FIELDS: &[&str] = &[
    "id",
    "path",
    "statusCode",
    "loadTimeMs",
    "healthScore",
    "previewScore",
    "indexable",
    "issueCount",
    "issues",
    "trendPoints",
    "title",
    "metaDesc",
    "canonical",
    "metaRobots",
    "h1",
    "contentType",
    "lastModified",
    "htmlBytes",
    "redirectCount",
    "socialTags",
    "viewport",
    "charset",
    "crawledAt",
    "wordCount",
    "textRatio",
    "readability",
    "internalOutlinks",
    "externalOutlinks",
    "nofollowOutlinks",
    "inlinkCount",
    "depth",
    "linkScore",
    "extracted",
    "searches",
];

/// A link of the site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkRow {
    /// Path of the page it stands on.
    #[schema(examples("/"))]
    pub from: String,
    /// Path on the site, or absolute address elsewhere.
    #[schema(examples("/pricing"))]
    pub to: String,
    /// Text of the link.
    pub anchor: String,
    pub rel: String,
    /// Status of its target, on another host as the audit's probe saw it; 0: no answer; null: not known.
    pub status: Option<u16>,
}

impl LinkRow {
    /// Decides whether it leads to another host.
    pub fn is_external(&self) -> bool {
        !self.to.starts_with('/')
    }
}

/// Past scores of pages, in tenths, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History(pub HashMap<u64, PageHistory>);

/// Past scores of one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageHistory {
    /// Scores in tenths, the oldest first.
    pub scores: Vec<u16>,
    /// Runs since the last of them.
    pub missed: u8,
}

impl History {
    /// Adds the scores of a run. Pages that no run of a whole trend had are forgotten.
    pub fn add(&mut self, scores: impl Iterator<Item = (u64, u16)>) {
        self.0.values_mut().for_each(|past| past.missed = past.missed.saturating_add(1));
        for (page, score) in scores {
            let past = self.0.entry(page).or_default();
            past.missed = 0;
            past.scores.push(score);
            let surplus = past.scores.len().saturating_sub(TREND_POINTS);
            past.scores.drain(..surplus);
        }
        self.0.retain(|_, past| usize::from(past.missed) < TREND_POINTS);
    }

    /// Returns the trend of a page, its last run included.
    pub fn trend(&self, page: u64) -> Vec<f64> {
        let scores = self.0.get(&page).map(|past| past.scores.as_slice()).unwrap_or_default();
        scores.iter().map(|score| f64::from(*score) / 10.0).collect()
    }
}

/// Converts a score to its stored form.
pub fn tenths(score: f64) -> u16 {
    (score.clamp(0.0, 100.0) * 10.0).round() as u16
}

/// Packs a part.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    // Level 3 is what a large run can afford; its parts are read far more often than written.
    zstd::bulk::compress(bytes, 3).expect("compressing into memory does not fail")
}

/// Unpacks a part; none: it is damaged.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    zstd::stream::decode_all(packed).ok()
}

/// Returns the lines of a part: one per row.
pub fn lines(part: &[u8]) -> impl Iterator<Item = &[u8]> {
    part.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_has_the_last_twelve_scores() {
        let mut history = History::default();

        (0..15).for_each(|run| history.add([(7, run * 10)].into_iter()));

        let trend = history.trend(7);
        assert_eq!((trend.len(), trend[0], trend[11]), (12, 3.0, 14.0));
    }

    #[test]
    fn a_page_that_comes_back_keeps_its_trend_and_one_that_is_gone_is_forgotten() {
        let mut history = History::default();
        history.add([(1, 500), (2, 600)].into_iter());

        history.add([(2, 700)].into_iter());
        history.add([(1, 550)].into_iter());
        (0..12).for_each(|_| history.add([(1, 550)].into_iter()));

        assert_eq!(history.trend(1).len(), 12);
        assert_eq!(history.0.len(), 1);
    }

    #[test]
    fn a_page_id_is_sixteen_digits_and_comes_back() {
        let id = page_id("/pricing?a=1");

        assert_eq!(parse_page_id(&show_page_id(id)), Some(id));
        assert_eq!(parse_page_id("x"), None);
        assert_eq!(parse_page_id(""), None);
    }

    #[test]
    fn the_listed_fields_are_those_of_a_page() {
        let row = PageRow {
            id: String::new(),
            path: String::new(),
            status_code: 200,
            load_time_ms: 0,
            health_score: 0.0,
            preview_score: 0.0,
            indexable: true,
            issue_count: 0,
            issues: Vec::new(),
            trend_points: Vec::new(),
            fields: PageFields::default(),
            extracted: None,
            searches: None,
        };

        let text = serde_json::to_string(&row).unwrap();

        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(row.len(), PAGE_FIELDS.len());
        assert!(PAGE_FIELDS.iter().all(|field| row.contains_key(*field)));
    }

    #[test]
    fn a_damaged_part_is_noticed() {
        let packed = pack(b"{}\n");

        assert_eq!(unpack(&packed).as_deref(), Some(&b"{}\n"[..]));
        assert_eq!(unpack(&packed[..packed.len() - 1]), None);
        assert_eq!(unpack(b"junk"), None);
    }
}
