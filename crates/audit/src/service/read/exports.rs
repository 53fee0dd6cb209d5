//! Exports: everything of one kind that a run has, as lines for spreadsheets, programs and search engines, part by part.

use audit_engine::engine::{Finding, Hop, LinkEntry, PageDetails, RobotsProblem, SiteIssue, SitemapIssue};
use bytes::Bytes;
use futures::Stream;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use url::Url;

use super::AuditReader;
use super::export_format::{AuditExportFormat, sitemap_index};
use super::pages::{PageFilter, SelectedPages};
use super::rows::RowReader;
use super::visits::WantedFields;
use crate::model::{Run, RunReport};
use crate::ports::LAST_VISIT;
use crate::segments::ReadError;
use crate::stored::{Index, PAGE_FIELDS, PART_ROWS, PartKind, lines};

/// Addresses of one sitemap file (sitemaps.org).
pub const SITEMAP_URLS: usize = 50_000;

/// Subject of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditExport {
    /// Pages as lists show them.
    Pages,
    /// A line per example of a finding; findings about the site as a whole come first, without a path.
    Findings,
    Links,
    /// Links to other hosts.
    External,
    /// Scripts, style sheets, pictures, films and documents.
    Resources,
    /// Redirects with their hops.
    Redirects,
    /// Pictures.
    Images,
    /// Language versions.
    Hreflang,
    /// Addresses that a sitemap should list.
    Sitemap,
}

/// Kind, form and selection of an export.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    pub what: AuditExport,
    pub format: AuditExportFormat,
    /// Selection and order of pages. For findings only the issue counts.
    pub filter: PageFilter,
    /// Fields of pages; none: all.
    pub fields: Option<Vec<String>>,
    /// File of a sitemap that has several, from 1; none: all, or the index of the files.
    pub part: Option<usize>,
}

impl AuditExport {
    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<AuditExport> {
        Some(match text {
            "pages" => AuditExport::Pages,
            "findings" => AuditExport::Findings,
            "links" => AuditExport::Links,
            "external" => AuditExport::External,
            "resources" => AuditExport::Resources,
            "redirects" => AuditExport::Redirects,
            "images" => AuditExport::Images,
            "hreflang" => AuditExport::Hreflang,
            "sitemap" => AuditExport::Sitemap,
            _ => return None,
        })
    }

    /// Returns the names of the columns, in order.
    fn columns(self) -> &'static [&'static str] {
        match self {
            AuditExport::Pages => PAGE_FIELDS,
            AuditExport::Findings => {
                &["path", "statusCode", "issueId", "severity", "count", "url", "text", "detail"]
            }
            AuditExport::Links | AuditExport::External => &["from", "to", "anchor", "rel", "status"],
            AuditExport::Resources => &["url", "type", "status", "bytes"],
            AuditExport::Redirects => &["path", "statusCode", "hops", "target", "targetStatus"],
            AuditExport::Images => &["path", "src", "alt"],
            AuditExport::Hreflang => &["path", "lang", "to", "status"],
            AuditExport::Sitemap => &["loc"],
        }
    }

    /// Returns the parts that its lines are made from; none: the index is enough.
    fn source(self) -> Option<PartKind> {
        match self {
            AuditExport::Pages => Some(PartKind::Pages),
            AuditExport::Links | AuditExport::External => Some(PartKind::Links),
            AuditExport::Resources | AuditExport::Sitemap => None,
            _ => Some(PartKind::Details),
        }
    }
}

/// An export on its way.
struct ExportPlan {
    reader: AuditReader,
    run: Run,
    request: ExportRequest,
    columns: Vec<String>,
    index: std::sync::Arc<Index>,
    wanted: Option<WantedFields>,
    /// Rows, or of resources parts.
    rows: std::vec::IntoIter<usize>,
    is_begun: bool,
    is_over: bool,
}

impl ExportRequest {
    /// Starts the export: a head, lines of some hundred rows at a time, a tail.
    pub async fn stream(
        mut self,
        reader: &AuditReader,
        run: &Run,
    ) -> Result<impl Stream<Item = Result<Bytes, ReadError>> + Send + 'static + use<>, ReadError> {
        let index = reader.segments.index(run).await?;
        let wanted = WantedFields::read(reader, run, self.fields.take()).await?;
        let columns = match &wanted {
            Some(wanted) => wanted.names.clone(),
            None => self.what.columns().iter().map(|name| (*name).to_owned()).collect(),
        };
        let rows = match self.what {
            AuditExport::Pages | AuditExport::Findings => {
                SelectedPages::select(reader, run, &self.filter).await?
            }
            AuditExport::Resources => SelectedPages::All(index.resource_parts),
            AuditExport::Sitemap => SelectedPages::Rows(sitemap_rows(&index, self.part)),
            _ => SelectedPages::All(index.len()),
        };
        let plan = ExportPlan {
            reader: reader.clone(),
            run: run.clone(),
            request: self,
            columns,
            index,
            wanted,
            rows: rows.part(0, usize::MAX).into_iter(),
            is_begun: false,
            is_over: false,
        };
        Ok(futures::stream::unfold(plan, |mut plan| async move {
            if plan.is_over {
                return None;
            }
            let text = plan.next().await;
            plan.is_over |= text.is_err();
            Some((text.map(Bytes::from), plan))
        }))
    }
}

/// Counts the files of a run's sitemap.
pub async fn count_sitemap_files(reader: &AuditReader, run: &Run) -> Result<usize, ReadError> {
    let index = reader.segments.index(run).await?;
    Ok(sitemap_rows(&index, None).len().div_ceil(SITEMAP_URLS).max(1))
}

/// Returns the rows that a sitemap lists, or those of one of its files.
fn sitemap_rows(index: &Index, part: Option<usize>) -> Vec<usize> {
    let is_listed = |row: &usize| index.status[*row] == 200 && index.indexable[*row];
    let listed = (0..index.len()).filter(is_listed);
    match part {
        Some(part) => listed.skip(part.saturating_sub(1) * SITEMAP_URLS).take(SITEMAP_URLS).collect(),
        None => listed.collect(),
    }
}

impl ExportPlan {
    /// Returns the next piece of text.
    async fn next(&mut self) -> Result<String, ReadError> {
        let mut text = String::new();
        let format = self.request.format;
        if !self.is_begun {
            self.is_begun = true;
            let files = self.rows.len().div_ceil(SITEMAP_URLS);
            if format == AuditExportFormat::Xml && files > 1 {
                self.is_over = true;
                return Ok(sitemap_index(&self.site(), files));
            }
            text = format.head(&self.columns);
            if self.request.what == AuditExport::Findings {
                let issue = self.request.filter.issue.as_deref();
                let lines = site_wide(&self.run.report).into_iter();
                lines
                    .filter(|line| issue.is_none_or(|issue| line["issueId"] == issue))
                    .for_each(|line| format.write(&mut text, &self.columns, &line));
            }
        }
        let most = if self.request.what == AuditExport::Resources { 1 } else { PART_ROWS };
        let rows: Vec<usize> = self.rows.by_ref().take(most).collect();
        for line in self.lines(&rows).await? {
            format.write(&mut text, &self.columns, &line);
        }
        if self.rows.len() == 0 {
            self.is_over = true;
            text.push_str(format.tail());
        }
        Ok(text)
    }

    /// Returns the root of the audited site.
    fn site(&self) -> String {
        match self.run.report.site_url.as_str() {
            "" => self.run.request.urls[0].join("/").map(String::from).unwrap_or_default(),
            site => site.to_owned(),
        }
    }

    async fn lines(&self, rows: &[usize]) -> Result<Vec<Map<String, Value>>, ReadError> {
        let mut found = Vec::new();
        let Some(kind) = self.request.what.source() else {
            for row in rows {
                found.extend(self.plain_lines(*row).await?);
            }
            return Ok(found);
        };
        let mut reader = RowReader::new(&self.reader, &self.run, kind);
        for row in rows {
            let line = reader.line(*row).await?;
            let page = ExportedPage { path: &self.index.paths[*row], status: self.index.status[*row] };
            let mut lines = page.lines(self.request.what, &line).unwrap_or_default();
            if self.request.what == AuditExport::Findings
                && let Some(issue) = &self.request.filter.issue
            {
                lines.retain(|line| line["issueId"] == issue.as_str());
            }
            if let Some(wanted) = &self.wanted {
                lines.iter_mut().for_each(|line| page.pick(line, wanted));
            }
            found.extend(lines);
        }
        Ok(found)
    }

    /// Returns the lines of a part of resources, or the line of a page in a sitemap.
    async fn plain_lines(&self, number: usize) -> Result<Vec<Map<String, Value>>, ReadError> {
        if self.request.what == AuditExport::Resources {
            let part = self.reader.segments.get(&self.run, PartKind::Resources, number).await?;
            return Ok(lines(&part).filter_map(|line| serde_json::from_slice(line).ok()).collect());
        }
        let address = Url::parse(&self.site()).and_then(|site| site.join(&self.index.paths[number]));
        let loc = Value::from(address.map(String::from).unwrap_or_default());
        Ok(vec![Map::from_iter([("loc".to_owned(), loc)])])
    }
}

/// The page that a stored line is about.
struct ExportedPage<'a> {
    path: &'a str,
    status: u16,
}

/// Lists in the details of a page that stand in exports only.
#[derive(Deserialize)]
struct PageLists {
    images: Vec<Map<String, Value>>,
    hreflang: Vec<Map<String, Value>>,
}

impl ExportedPage<'_> {
    fn lines(&self, what: AuditExport, line: &[u8]) -> serde_json::Result<Vec<Map<String, Value>>> {
        Ok(match what {
            AuditExport::Pages => vec![serde_json::from_slice(line)?],
            AuditExport::Links => serde_json::from_slice(line)?,
            AuditExport::External => {
                let links: Vec<LinkEntry<'static>> = serde_json::from_slice(line)?;
                links.iter().filter(|link| link.is_external()).map(object).collect()
            }
            AuditExport::Findings => {
                let details: PageDetails = serde_json::from_slice(line)?;
                details.findings.iter().flat_map(|finding| self.examples(finding)).collect()
            }
            AuditExport::Images => self.with_path(serde_json::from_slice::<PageLists>(line)?.images),
            AuditExport::Hreflang => self.with_path(serde_json::from_slice::<PageLists>(line)?.hreflang),
            AuditExport::Redirects => self.redirect(&serde_json::from_slice::<PageDetails>(line)?.hops),
            AuditExport::Resources | AuditExport::Sitemap => Vec::new(),
        })
    }

    /// Leaves the wanted fields of a page, in their order.
    fn pick(&self, line: &mut Map<String, Value>, wanted: &WantedFields) {
        let field = |name: &String| {
            let value = match name.as_str() {
                LAST_VISIT => serde_json::to_value(wanted.visits.of(self.path)).unwrap_or_default(),
                name => line.get(name).cloned().unwrap_or_default(),
            };
            (name.clone(), value)
        };
        *line = wanted.names.iter().map(field).collect();
    }

    fn with_path(&self, mut entries: Vec<Map<String, Value>>) -> Vec<Map<String, Value>> {
        entries.iter_mut().for_each(|entry| _ = entry.insert("path".to_owned(), self.path.into()));
        entries
    }

    fn redirect(&self, hops: &[Hop]) -> Vec<Map<String, Value>> {
        let line = |last: &Hop| {
            object(json!({
                "path": self.path, "statusCode": self.status, "hops": hops.len(), "target": last.url,
                "targetStatus": last.status,
            }))
        };
        hops.last().map(line).into_iter().collect()
    }

    /// Returns one line per example of a finding; one line when the finding has no example.
    fn examples(&self, finding: &Finding) -> Vec<Map<String, Value>> {
        let Finding { issue_id, severity, count, points, examples } = finding;
        let line = object(json!({
            "path": self.path, "statusCode": self.status, "issueId": issue_id, "severity": severity, "count": count,
            "points": points,
        }));
        with_examples(line, examples.iter().map(object))
    }
}

/// Returns the findings about the site, its robots.txt and its sitemaps, in the form of findings without a path.
fn site_wide(report: &RunReport) -> Vec<Map<String, Value>> {
    let mut lines = Vec::new();
    for SiteIssue { issue_id, severity, detail, examples } in &report.crawl_stats.site_issues {
        let line =
            json!({ "path": "", "issueId": issue_id, "severity": severity, "count": 1, "detail": detail });
        lines.extend(with_examples(known(line), examples.iter().map(|url| known(json!({ "url": url })))));
    }
    for RobotsProblem { issue_id, severity, line, text, suggestion } in &report.robots_analysis.problems {
        lines.push(known(json!({
            "path": "", "issueId": issue_id, "severity": severity, "count": 1, "text": text, "detail": suggestion,
            "line": line,
        })));
    }
    for SitemapIssue { issue_id, severity, sitemap, count, examples } in &report.sitemap_issues {
        let line = json!({
            "path": "", "issueId": issue_id, "severity": severity, "count": count, "url": sitemap, "sitemap": sitemap,
        });
        // An example that is the file itself names no address of its own.
        lines.extend(with_examples(known(line), examples.iter().map(known)));
    }
    lines
}

/// Returns a line with each example of its finding, and the line alone when there is none.
fn with_examples(
    line: Map<String, Value>,
    examples: impl Iterator<Item = Map<String, Value>>,
) -> Vec<Map<String, Value>> {
    let mut lines: Vec<Map<String, Value>> =
        examples.map(|example| line.clone().into_iter().chain(example).collect()).collect();
    if lines.is_empty() {
        lines.push(line);
    }
    lines
}

fn object(fields: impl Serialize) -> Map<String, Value> {
    let value = serde_json::to_value(fields).unwrap_or_default();
    if let Value::Object(map) = value { map } else { Map::new() }
}

/// Returns the non-empty fields, and the path even when it is empty.
fn known(fields: impl Serialize) -> Map<String, Value> {
    let mut fields = object(fields);
    fields.retain(|name, value| !value.is_null() && (name == "path" || value != ""));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn findings_about_the_site_have_a_line_for_each_example() {
        let mut report = RunReport::default();
        report.crawl_stats.site_issues = read(json!([
            { "issueId": "HSTS_MISSING", "severity": "notice", "detail": "no header", "examples": [] },
            { "issueId": "URL_TRAP", "severity": "warning", "detail": "calendar", "examples": ["https://a.example/1", "https://a.example/2"] },
        ]));
        report.robots_analysis.problems = read(json!([
            { "issueId": "ROBOTS_UNKNOWN", "severity": "notice", "line": 3, "text": "Disalow: /", "suggestion": "Disallow" },
        ]));
        report.sitemap_issues = read(json!([
            { "issueId": "SITEMAP_DEAD", "severity": "error", "sitemap": "https://a.example/s.xml", "count": 9,
              "examples": [{ "url": "https://a.example/gone", "detail": "404" }, { "url": "", "detail": "cut" }] },
        ]));

        let lines = site_wide(&report);

        let cell = |at: usize, name: &str| lines[at].get(name).cloned().unwrap_or_default();
        assert_eq!(lines.len(), 6);
        assert!(lines.iter().all(|line| line["path"] == "" && !line.contains_key("statusCode")));
        assert_eq!((cell(0, "issueId"), cell(0, "detail")), (json!("HSTS_MISSING"), json!("no header")));
        assert_eq!((cell(2, "url"), cell(2, "count")), (json!("https://a.example/2"), json!(1)));
        assert_eq!((cell(3, "text"), cell(3, "line")), (json!("Disalow: /"), json!(3)));
        assert_eq!((cell(4, "url"), cell(4, "count")), (json!("https://a.example/gone"), json!(9)));
        assert_eq!((cell(5, "url"), cell(5, "detail")), (json!("https://a.example/s.xml"), json!("cut")));
    }

    #[test]
    fn a_sitemap_has_fifty_thousand_addresses_in_each_file() {
        let pages = SITEMAP_URLS + 2;
        let index = Index {
            paths: vec![String::new(); pages],
            // The first page is an error.
            status: (0..pages).map(|row| if row == 0 { 404 } else { 200 }).collect(),
            indexable: vec![true; pages],
            ..Index::default()
        };

        let files = [1, 2, 3].map(|part| sitemap_rows(&index, Some(part)));

        assert_eq!(files.each_ref().map(Vec::len), [SITEMAP_URLS, 1, 0]);
        assert_eq!((files[0][0], files[1][0]), (1, pages - 1));
        assert_eq!(sitemap_rows(&index, None).len(), pages - 1);
    }

    #[test]
    fn a_word_that_is_no_export_is_none() {
        assert_eq!(AuditExport::parse("hreflang"), Some(AuditExport::Hreflang));
        assert_eq!(AuditExport::parse("everything"), None);
        assert_eq!(AuditExportFormat::parse("pdf"), None);
    }
}
