//! Stored results of a run: an index in columns, small enough to be kept in memory, and rows as lines of JSON in the
//! very form of responses, so that reading is copying. Pure.
//! See docs/decisions/0205.

use std::collections::HashMap;

use audit_engine::checks::{CheckId, Severity};
use audit_engine::engine::ListedPage;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use xxhash_rust::xxh3::xxh3_64;

/// Pages in one part.
pub const PART_ROWS: usize = 500;
/// Bytes of the largest part, decompressed.
pub const MAX_PART_BYTES: usize = 512 << 20;
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
    /// Dates of pages in sitemaps, with fingerprints of the pages' texts. One part.
    Dates,
    /// Checkpoint of a crawl.
    Checkpoint,
    /// Pages as lists show them while the run is in progress. A part for each batch that the crawl saved.
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

/// A page of a run as lists show it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageRow {
    /// Id of the page, equal in every run for one path.
    #[schema(examples("5f0c8d1b2a7e4c39"))]
    pub id: String,
    #[serde(flatten)]
    pub page: ListedPage,
    /// Health in up to 12 runs that have the page, the oldest first, this one last.
    pub trend_points: Vec<f64>,
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
        let row = PageRow { id: String::new(), page: ListedPage::default(), trend_points: Vec::new() };

        let text = serde_json::to_string(&row).unwrap();

        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(row.len(), PAGE_FIELDS.len());
        assert!(PAGE_FIELDS.iter().all(|field| row.contains_key(*field)));
    }
}
