//! Exports: everything of one kind that a run has, as lines for spreadsheets, programs and search engines, part by part.

use bytes::Bytes;
use futures::Stream;
use serde_json::{Map, Value, json};
use url::Url;

use super::Audits;
use crate::api::csv::cell;
use crate::audit::model::{Run, RunReport};
use crate::audit::segments::ReadError;
use crate::audit::stored::{PAGE_FIELDS, PART_ROWS, PartKind, lines};

/// What is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditExport {
    /// Pages as lists show them.
    Pages,
    /// A line per example of a finding; what is about the site as a whole comes first, without a path.
    Findings,
    Links,
    /// Redirects with their hops.
    Redirects,
    /// Pictures.
    Images,
    /// Language versions.
    Hreflang,
    /// Addresses that a sitemap should list.
    Sitemap,
}

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditExportFormat {
    /// For spreadsheets.
    Csv,
    /// A JSON object per line.
    Ndjson,
    /// A sitemap.
    Xml,
}

impl AuditExport {
    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<AuditExport> {
        Some(match text {
            "pages" => AuditExport::Pages,
            "findings" => AuditExport::Findings,
            "links" => AuditExport::Links,
            "redirects" => AuditExport::Redirects,
            "images" => AuditExport::Images,
            "hreflang" => AuditExport::Hreflang,
            "sitemap" => AuditExport::Sitemap,
            _ => return None,
        })
    }

    /// Names of the columns, in their order.
    fn columns(self) -> &'static [&'static str] {
        match self {
            AuditExport::Pages => PAGE_FIELDS,
            AuditExport::Findings => {
                &["path", "statusCode", "issueId", "severity", "count", "url", "text", "detail"]
            }
            AuditExport::Links => &["from", "to", "anchor", "rel", "status"],
            AuditExport::Redirects => &["path", "statusCode", "hops", "target", "targetStatus"],
            AuditExport::Images => &["path", "src", "alt"],
            AuditExport::Hreflang => &["path", "lang", "to", "status"],
            AuditExport::Sitemap => &["loc"],
        }
    }
}

impl AuditExportFormat {
    /// Reads the word of the API.
    pub fn parse(text: &str) -> Option<AuditExportFormat> {
        Some(match text {
            "csv" => AuditExportFormat::Csv,
            "ndjson" => AuditExportFormat::Ndjson,
            "xml" => AuditExportFormat::Xml,
            _ => return None,
        })
    }

    fn head(self, what: AuditExport) -> String {
        match self {
            AuditExportFormat::Csv => what.columns().join(",") + "\r\n",
            AuditExportFormat::Ndjson => String::new(),
            AuditExportFormat::Xml => "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
                .to_owned(),
        }
    }

    fn tail(self) -> &'static str {
        if self == AuditExportFormat::Xml { "</urlset>\n" } else { "" }
    }

    fn write(self, text: &mut String, what: AuditExport, line: &Map<String, Value>) {
        match self {
            AuditExportFormat::Csv => {
                let cells = what.columns().iter().map(|column| cell(line.get(*column)));
                text.push_str(&cells.collect::<Vec<_>>().join(","));
                text.push_str("\r\n");
            }
            AuditExportFormat::Ndjson => {
                text.push_str(&serde_json::to_string(line).expect("lines are plain data"));
                text.push('\n');
            }
            AuditExportFormat::Xml => {
                let loc = line.get("loc").and_then(Value::as_str).unwrap_or_default();
                text.push_str(&format!("  <url><loc>{}</loc></url>\n", escaped(loc)));
            }
        }
    }
}

impl Audits {
    /// An export, part by part: a head, the parts of the run, a tail.
    pub fn export(
        &self,
        run: &Run,
        what: AuditExport,
        format: AuditExportFormat,
    ) -> impl Stream<Item = Result<Bytes, ReadError>> + Send + 'static + use<> {
        let (audits, run) = (self.clone(), run.clone());
        futures::stream::unfold(Some(0), move |part: Option<usize>| {
            let (audits, run) = (audits.clone(), run.clone());
            async move {
                let part = part?;
                match audits.export_part(&run, what, format, part).await {
                    Ok((text, next)) => Some((Ok(Bytes::from(text)), next)),
                    Err(error) => Some((Err(error), None)),
                }
            }
        })
    }

    async fn export_part(
        &self,
        run: &Run,
        what: AuditExport,
        format: AuditExportFormat,
        part: usize,
    ) -> Result<(String, Option<usize>), ReadError> {
        let index = self.0.segments.index(run).await?;
        let mut text = if part == 0 { format.head(what) } else { String::new() };
        if part == 0 && what == AuditExport::Findings {
            site_wide(&run.report).iter().for_each(|line| format.write(&mut text, what, line));
        }
        let first = part * PART_ROWS;
        if first < index.len() {
            let kind = match what {
                AuditExport::Pages | AuditExport::Sitemap => PartKind::Pages,
                AuditExport::Links => PartKind::Links,
                _ => PartKind::Details,
            };
            let bytes = self.0.segments.get(run, kind, part).await?;
            for (at, line) in lines(&bytes).enumerate() {
                let row = first + at;
                let (Some(path), Some(status)) = (index.paths.get(row), index.status.get(row)) else { break };
                let value: Value = serde_json::from_slice(line).unwrap_or_default();
                let page = ExportedPage { run, path, status: *status, is_listed: index.indexable[row] };
                page.lines(what, value).iter().for_each(|line| format.write(&mut text, what, line));
            }
        }
        let is_last = first + PART_ROWS >= index.len();
        if is_last {
            text.push_str(format.tail());
        }
        Ok((text, (!is_last).then_some(part + 1)))
    }
}

/// The page that a stored line is about.
struct ExportedPage<'a> {
    run: &'a Run,
    path: &'a str,
    status: u16,
    /// Search engines may list it.
    is_listed: bool,
}

impl ExportedPage<'_> {
    fn lines(&self, what: AuditExport, mut value: Value) -> Vec<Map<String, Value>> {
        match what {
            AuditExport::Pages => value.as_object().cloned().into_iter().collect(),
            AuditExport::Links => objects(value),
            AuditExport::Findings => {
                objects(value["findings"].take()).iter().flat_map(|f| self.examples(f)).collect()
            }
            AuditExport::Images => self.with_path(value["images"].take()),
            AuditExport::Hreflang => self.with_path(value["hreflang"].take()),
            AuditExport::Redirects => self.redirect(value["hops"].take()),
            AuditExport::Sitemap if self.status == 200 && self.is_listed => {
                let address = self.run.request.urls.first().and_then(|seed: &Url| seed.join(self.path).ok());
                let loc = Value::from(address.map(String::from).unwrap_or_default());
                vec![Map::from_iter([("loc".to_owned(), loc)])]
            }
            AuditExport::Sitemap => Vec::new(),
        }
    }

    fn with_path(&self, entries: Value) -> Vec<Map<String, Value>> {
        let mut entries = objects(entries);
        entries.iter_mut().for_each(|entry| _ = entry.insert("path".to_owned(), self.path.into()));
        entries
    }

    fn redirect(&self, hops: Value) -> Vec<Map<String, Value>> {
        let steps = objects(hops);
        let Some(last) = steps.last() else { return Vec::new() };
        let line = [
            ("path", Value::from(self.path)),
            ("statusCode", self.status.into()),
            ("hops", steps.len().into()),
            ("target", last.get("url").cloned().unwrap_or_default()),
            ("targetStatus", last.get("status").cloned().unwrap_or_default()),
        ];
        vec![line.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()]
    }

    /// A finding with each of its examples; one line when it has none.
    fn examples(&self, finding: &Map<String, Value>) -> Vec<Map<String, Value>> {
        let mut base = finding.clone();
        let examples = base.remove("examples").map(objects).unwrap_or_default();
        base.insert("path".to_owned(), self.path.into());
        base.insert("statusCode".to_owned(), self.status.into());
        if examples.is_empty() {
            return vec![base];
        }
        examples.into_iter().map(|example| base.clone().into_iter().chain(example).collect()).collect()
    }
}

/// What was found about the site, its robots.txt and its sitemaps, in the form of findings without a path.
fn site_wide(report: &RunReport) -> Vec<Map<String, Value>> {
    let mut lines = Vec::new();
    for issue in entries(&report.crawl_stats["siteIssues"]) {
        let line = json!({ "count": 1, "detail": issue["detail"] });
        let examples = entries(&issue["examples"]).iter().map(|url| json!({ "url": url }));
        lines.extend(with_examples(issue, &line, examples));
    }
    for problem in entries(&report.robots_analysis["problems"]) {
        let line = json!({ "count": 1, "text": problem["text"], "detail": problem["suggestion"] });
        lines.extend(with_examples(problem, &line, std::iter::once(json!({ "line": problem["line"] }))));
    }
    for issue in entries(&report.sitemap_issues) {
        let line = json!({ "count": issue["count"], "url": issue["sitemap"], "sitemap": issue["sitemap"] });
        lines.extend(with_examples(issue, &line, entries(&issue["examples"]).iter().cloned()));
    }
    lines
}

/// A line for each example of a finding about the site, one when there is none.
fn with_examples(
    issue: &Value,
    line: &Value,
    examples: impl Iterator<Item = Value>,
) -> Vec<Map<String, Value>> {
    let of_issue = json!({ "path": "", "issueId": issue["issueId"], "severity": issue["severity"] });
    let base: Map<String, Value> = known(line).chain(known(&of_issue)).collect();
    // An example that is the file itself names no address of its own.
    let mut lines: Vec<Map<String, Value>> =
        examples.map(|example| base.clone().into_iter().chain(known(&example)).collect()).collect();
    if lines.is_empty() {
        lines.push(base);
    }
    lines
}

/// The fields of an object that say something; an empty path does.
fn known(object: &Value) -> impl Iterator<Item = (String, Value)> {
    let fields = object.as_object().cloned().unwrap_or_default().into_iter();
    fields.filter(|(name, value)| !value.is_null() && (name == "path" || value != ""))
}

fn entries(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn objects(list: Value) -> Vec<Map<String, Value>> {
    let Value::Array(list) = list else { return Vec::new() };
    let object = |value| if let Value::Object(map) = value { Some(map) } else { None };
    list.into_iter().filter_map(object).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_about_the_site_have_a_line_for_each_example() {
        let mut report = RunReport::empty(crate::audit::model::Mode::Follow);
        report.crawl_stats["siteIssues"] = json!([
            { "issueId": "HSTS_MISSING", "severity": "notice", "detail": "no header", "examples": [] },
            { "issueId": "URL_TRAP", "severity": "warning", "detail": "calendar", "examples": ["https://a.example/1", "https://a.example/2"] },
        ]);
        report.robots_analysis["problems"] = json!([
            { "issueId": "ROBOTS_UNKNOWN", "severity": "notice", "line": 3, "text": "Disalow: /", "suggestion": "Disallow" },
        ]);
        report.sitemap_issues = json!([
            { "issueId": "SITEMAP_DEAD", "severity": "error", "sitemap": "https://a.example/s.xml", "count": 9,
              "examples": [{ "url": "https://a.example/gone", "detail": "404" }, { "url": "", "detail": "cut" }] },
        ]);

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
    fn a_word_that_is_no_export_is_none() {
        assert_eq!(AuditExport::parse("hreflang"), Some(AuditExport::Hreflang));
        assert_eq!(AuditExport::parse("everything"), None);
        assert_eq!(AuditExportFormat::parse("pdf"), None);
    }
}
