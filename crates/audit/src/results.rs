//! Results of an audit in their stored form: the index in columns and the rows of each part. Pure.

use std::collections::HashMap;
use std::ops::Range;

use audit_engine::engine::{
    Audit, HreflangEntry, ImageEntry, LinkEntry, ListedPage, PageDetails, PageNames, ResourceEntry, RowResult,
};
use serde::Serialize;

use super::stored::{History, Index, PART_ROWS, PageRow, page_id, show_page_id, tenths};

/// Maximum number of links to one page that are stored beside it; all of them are stored with their source pages.
pub const MOST_INLINKS: usize = 1000;
/// Links that are in memory at once while they are put in order.
const MOST_LINKS: usize = 250_000;

/// Makes the columns of a run. Rows are sorted by path already.
pub fn index(audit: &Audit) -> Index {
    let mut index = Index::default();
    let mut numbers: HashMap<&str, u16> = HashMap::new();
    for RowResult { page, details, is_page, is_blocked, .. } in audit.rows() {
        index.status.push(page.status_code);
        index.health.push(tenths(page.health_score));
        index.preview.push(tenths(page.preview_score));
        index.load_ms.push(u32::try_from(page.fields.load_time_ms).unwrap_or(u32::MAX));
        index.words.push(u32::try_from(page.word_count).unwrap_or(u32::MAX));
        index.inlinks.push(page.inlink_count);
        index.indexable.push(page.indexable);
        index.depth.push(page.depth);
        if details.missed_render {
            index.missed_render.push(index.paths.len());
        }
        let is_missing = page.status_code >= 400 || page.status_code == 0 && !is_blocked;
        index.scored.push(is_page || is_missing);
        let mut issues = Vec::with_capacity(page.issues.len());
        for issue in page.issues {
            let next = u16::try_from(index.issue_ids.len()).unwrap_or(u16::MAX);
            let number = *numbers.entry(issue.issue_id).or_insert_with_key(|id| {
                index.issue_ids.push((*id).to_owned());
                next
            });
            issues.push(number);
        }
        index.issues.push(issues);
        index.paths.push(page.path);
    }
    index.site_issues = audit.site_findings.iter().map(|found| found.check.check().id.to_owned()).collect();
    index
}

/// The parts of a run, one after another: rows of lists, details, and links by their source page.
pub struct RunParts<'a> {
    audit: &'a Audit,
    history: &'a History,
    next: usize,
}

/// One part, as lines of JSON.
#[derive(Default)]
pub struct RunPart {
    /// Rows as lists show them.
    pub pages: Vec<u8>,
    /// Further details of each page.
    pub details: Vec<u8>,
    pub links: Vec<u8>,
}

/// Details of a page as they are stored.
#[derive(Serialize)]
struct StoredDetails<'a> {
    #[serde(flatten)]
    details: PageDetails,
    images: Vec<ImageEntry<'a>>,
    hreflang: Vec<HreflangEntry<'a>>,
}

impl RunPart {
    fn add(&mut self, row: RowResult, names: PageNames<'_>, history: &History) {
        let RowResult { page, details, .. } = row;
        let PageNames { links, images, hreflang } = names;
        write_line(&mut self.pages, &page_row(page, history));
        write_line(&mut self.details, &StoredDetails { details, images, hreflang });
        write_line(&mut self.links, &links);
    }
}

fn page_row(page: ListedPage, history: &History) -> PageRow {
    let id = page_id(&page.path);
    PageRow { id: show_page_id(id), page, trend_points: history.trend(id) }
}

impl<'a> RunParts<'a> {
    pub fn of(audit: &'a Audit, history: &'a History) -> RunParts<'a> {
        RunParts { audit, history, next: 0 }
    }
}

impl Iterator for RunParts<'_> {
    type Item = RunPart;

    fn next(&mut self) -> Option<RunPart> {
        let rows = self.audit.rows_from(self.next).zip(self.audit.names_from(self.next));
        self.next += PART_ROWS;
        let mut rows = rows.take(PART_ROWS).peekable();
        rows.peek()?;
        let mut part = RunPart::default();
        rows.for_each(|(row, names)| part.add(row, names, self.history));
        Some(part)
    }
}

/// Makes the rows of a running audit, as far as they are known.
pub fn live_part(rows: Vec<RowResult>) -> RunPart {
    let mut part = RunPart::default();
    rows.into_iter().for_each(|row| part.add(row, PageNames::default(), &History::default()));
    part
}

/// Lists the files that pages load or link to, by address, in parts of lines.
pub fn resource_parts(audit: &Audit) -> Vec<Vec<u8>> {
    let part = |resources: &[ResourceEntry<'_>]| {
        let mut lines = Vec::new();
        resources.iter().for_each(|resource| write_line(&mut lines, resource));
        lines
    };
    audit.resources().chunks(PART_ROWS).map(part).collect()
}

/// Lists links by their target page, at most [`MOST_INLINKS`] each, in parts of lines.
///
/// All links of a large site do not fit in memory, so they are read again for every few parts.
pub fn inlink_parts<'a>(audit: &'a Audit, index: &Index) -> impl Iterator<Item = Vec<u8>> + 'a {
    windows(&index.inlinks).into_iter().flat_map(|rows| inlinks_of(audit, rows))
}

/// Divides rows into windows of whole parts whose links fit in memory together; at least one part each.
fn windows(inlinks: &[u32]) -> Vec<Range<usize>> {
    let mut windows: Vec<(Range<usize>, usize)> = Vec::new();
    for first in (0..inlinks.len()).step_by(PART_ROWS) {
        let rows = first..inlinks.len().min(first + PART_ROWS);
        let counts = inlinks[rows.clone()].iter();
        let count = counts.map(|count| (*count as usize).min(MOST_INLINKS)).sum::<usize>();
        match windows.last_mut() {
            Some((window, links)) if *links + count <= MOST_LINKS => {
                (window.end, *links) = (rows.end, *links + count);
            }
            _ => windows.push((rows, count)),
        }
    }
    windows.into_iter().map(|(rows, _)| rows).collect()
}

fn inlinks_of(audit: &Audit, rows: Range<usize>) -> Vec<Vec<u8>> {
    let mut inlinks: Vec<Vec<LinkEntry<'_>>> = Vec::new();
    inlinks.resize_with(rows.len(), Vec::new);
    for (row, link) in audit.links_to(rows.clone()) {
        let inlinks = &mut inlinks[row - rows.start];
        if inlinks.len() < MOST_INLINKS {
            inlinks.push(link);
        }
    }
    let part = |pages: &[Vec<LinkEntry<'_>>]| {
        let mut lines = Vec::new();
        pages.iter().for_each(|links| write_line(&mut lines, links));
        lines
    };
    inlinks.chunks(PART_ROWS).map(part).collect()
}

fn write_line(lines: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(&mut *lines, value).expect("rows are plain data");
    lines.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_gone_through_once_if_they_fit_in_memory_and_else_for_whole_parts() {
        assert_eq!(windows(&[40; 1200]), vec![0..1200]);
        assert_eq!(windows(&[300; 1200]), [0..500, 500..1200]);
        // What a page has beyond the most that is kept takes no room.
        assert_eq!(windows(&[u32::MAX; 600]), [0..500, 500..600]);
        assert!(windows(&[]).is_empty());
    }
}
