//! Results of an audit in their stored form: the index in columns and the rows of each part. Pure.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;

use audit_engine::checks::{CheckId, Severity};
use audit_engine::engine::{Audit, HreflangEntry, ImageEntry, LinkEntry, ResourceEntry, RowResult};
use serde::Serialize;
use serde_json::{Value, json};

use super::stored::{
    History, Index, LinkRow, PART_ROWS, PageFields, PageIssue, PageRow, page_id, show_page_id, tenths,
};

/// Most links to one page that are stored beside it; all of them are stored with their source pages.
pub const MOST_INLINKS: usize = 1000;
/// Links that are in memory at once while they are put in order.
const MOST_LINKS: usize = 250_000;

/// Returns a severity in the words of the API.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    }
}

/// Makes the columns of a run. Rows are sorted by path already.
pub fn index(audit: &Audit) -> Index {
    let mut index = Index::default();
    let mut numbers: BTreeMap<CheckId, u16> = BTreeMap::new();
    for row in audit.rows() {
        index.status.push(row.status);
        index.health.push(tenths(row.health));
        index.preview.push(tenths(row.preview));
        index.load_ms.push(u32::try_from(row.fields.load_time_ms).unwrap_or(u32::MAX));
        index.words.push(u32::try_from(row.words).unwrap_or(u32::MAX));
        index.inlinks.push(row.inlinks);
        index.indexable.push(row.indexable);
        index.depth.push(row.depth);
        if row.missed_render {
            index.missed_render.push(index.paths.len());
        }
        let is_missing = row.status >= 400 || row.status == 0 && !row.is_blocked;
        index.scored.push(row.is_page || is_missing);
        let mut issues = Vec::with_capacity(row.findings.len());
        for finding in &row.findings {
            let next = u16::try_from(index.issue_ids.len()).unwrap_or(u16::MAX);
            let number = *numbers.entry(finding.check).or_insert_with(|| {
                index.issue_ids.push(finding.check.check().id.to_owned());
                next
            });
            issues.push(number);
        }
        index.issues.push(issues);
        index.paths.push(row.path);
    }
    index.site_issues = audit.site_findings.iter().map(|found| found.check.check().id.to_owned()).collect();
    index
}

/// Makes a page's row for lists.
pub fn page_row(row: &RowResult, history: &History) -> PageRow {
    let fields = &row.fields;
    let id = page_id(&row.path);
    let issue = |check: CheckId| PageIssue {
        issue_id: check.check().id.to_owned(),
        severity: severity(check.check().severity).to_owned(),
    };
    PageRow {
        id: show_page_id(id),
        path: row.path.clone(),
        status_code: row.status,
        load_time_ms: fields.load_time_ms,
        health_score: row.health,
        preview_score: row.preview,
        indexable: row.indexable,
        issue_count: row.findings.len(),
        issues: row.findings.iter().map(|finding| issue(finding.check)).collect(),
        trend_points: history.trend(id),
        fields: PageFields {
            title: Some(fields.title.clone()),
            meta_desc: Some(fields.meta_desc.clone()),
            canonical: Some(fields.canonical.clone()),
            meta_robots: Some(fields.meta_robots.clone()),
            h1: Some(fields.h1.clone()),
            content_type: Some(fields.content_type.clone()),
            last_modified: Some(fields.last_modified.clone()),
            html_bytes: Some(fields.html_bytes),
            redirect_count: Some(row.redirects),
            social_tags: Some(fields.social_tags.clone()),
            viewport: Some(fields.viewport.clone()),
            charset: Some(fields.charset.clone()),
            crawled_at: Some(row.crawled_at.clone()),
            word_count: Some(row.words),
            text_ratio: Some(fields.text_ratio),
            readability: Some(fields.readability),
            internal_outlinks: Some(fields.internal_outlinks),
            external_outlinks: Some(fields.external_outlinks),
            nofollow_outlinks: Some(fields.nofollow_outlinks),
            inlink_count: Some(row.inlinks),
            depth: row.depth,
            link_score: Some(row.link_score),
        },
        extracted: Some(row.extracted.clone()),
        searches: Some(row.searches.clone()),
    }
}

/// The parts of a run, one after another: rows of lists, details, and links by their source page.
pub struct RunParts<'a> {
    audit: &'a Audit,
    history: &'a History,
    next: usize,
    links: Peekable<Box<dyn Iterator<Item = LinkEntry<'a>> + Send + 'a>>,
    images: Peekable<Box<dyn Iterator<Item = ImageEntry<'a>> + Send + 'a>>,
    hreflang: Peekable<Box<dyn Iterator<Item = HreflangEntry<'a>> + Send + 'a>>,
}

/// One part, as lines of JSON.
pub struct RunPart {
    /// Rows as lists show them.
    pub pages: Vec<u8>,
    /// Further details of each page.
    pub details: Vec<u8>,
    pub links: Vec<u8>,
}

impl<'a> RunParts<'a> {
    pub fn of(audit: &'a Audit, history: &'a History) -> RunParts<'a> {
        let links: Box<dyn Iterator<Item = LinkEntry<'a>> + Send + 'a> = Box::new(audit.links());
        let images: Box<dyn Iterator<Item = ImageEntry<'a>> + Send + 'a> = Box::new(audit.images());
        let hreflang: Box<dyn Iterator<Item = HreflangEntry<'a>> + Send + 'a> = Box::new(audit.hreflang());
        RunParts {
            audit,
            history,
            next: 0,
            links: links.peekable(),
            images: images.peekable(),
            hreflang: hreflang.peekable(),
        }
    }

    fn details(&mut self, row: &RowResult) -> Value {
        let path = row.path.as_str();
        let mut images = Vec::new();
        while let Some(image) = self.images.next_if(|image| image.page <= path) {
            images.push(json!({ "src": image.src, "alt": image.alt }));
        }
        let mut hreflang = Vec::new();
        while let Some(entry) = self.hreflang.next_if(|entry| entry.page <= path) {
            hreflang.push(json!({ "lang": entry.lang, "to": entry.to, "status": entry.status }));
        }
        row_details(row, &images, &hreflang)
    }

    fn links_of(&mut self, path: &str) -> Vec<LinkRow> {
        let mut links = Vec::new();
        while let Some(link) = self.links.next_if(|link| link.from <= path) {
            links.push(link_row(&link));
        }
        links
    }
}

impl Iterator for RunParts<'_> {
    type Item = RunPart;

    fn next(&mut self) -> Option<RunPart> {
        let audit = self.audit;
        let mut rows = audit.rows_from(self.next).take(PART_ROWS).peekable();
        rows.peek()?;
        self.next += PART_ROWS;
        let mut part = RunPart { pages: Vec::new(), details: Vec::new(), links: Vec::new() };
        for row in rows {
            write_line(&mut part.pages, &page_row(&row, self.history));
            let details = self.details(&row);
            write_line(&mut part.details, &details);
            let links = self.links_of(&row.path);
            write_line(&mut part.links, &links);
        }
        Some(part)
    }
}

/// Writes the details of a page beside its row in lists.
fn row_details(row: &RowResult, images: &[Value], hreflang: &[Value]) -> Value {
    let facts = facts(row);
    let mut raw = facts.clone();
    for difference in &row.differences {
        raw.insert(difference.field.clone(), Value::from(difference.raw.clone()));
    }
    let mut rendered = row.is_rendered.then_some(facts);
    for difference in &row.differences {
        if let Some(rendered) = &mut rendered {
            rendered.insert(difference.field.clone(), Value::from(difference.rendered.clone()));
        }
    }
    json!({
        "findings": row.findings, "solved": row.solved, "originHealthScore": row.origin_health, "penalties": row.penalties, "hops": row.hops, "raw": raw,
        "rendered": rendered, "missedRender": row.missed_render, "images": images, "hreflang": hreflang,
        "isBlocked": row.is_blocked, "securityHeaders": row.fields.security_headers,
    })
}

/// Makes the rows of a running audit, as far as they are known.
pub fn live_part(rows: &[RowResult]) -> RunPart {
    let mut part = RunPart { pages: Vec::new(), details: Vec::new(), links: Vec::new() };
    for row in rows {
        write_line(&mut part.pages, &page_row(row, &History::default()));
        write_line(&mut part.details, &row_details(row, &[], &[]));
    }
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
        for links in pages {
            let links: Vec<LinkRow> = links.iter().map(link_row).collect();
            write_line(&mut lines, &links);
        }
        lines
    };
    inlinks.chunks(PART_ROWS).map(part).collect()
}

fn link_row(link: &LinkEntry<'_>) -> LinkRow {
    LinkRow {
        from: link.from.to_owned(),
        to: link.to.to_owned(),
        anchor: link.anchor.clone(),
        rel: link.rel.to_owned(),
        status: link.status,
    }
}

fn facts(row: &RowResult) -> serde_json::Map<String, Value> {
    let fields = &row.fields;
    let facts = [
        ("title", &fields.title),
        ("metaDesc", &fields.meta_desc),
        ("canonical", &fields.canonical),
        ("metaRobots", &fields.meta_robots),
        ("h1", &fields.h1),
    ];
    facts.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value.clone()))).collect()
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
