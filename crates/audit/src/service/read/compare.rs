//! Two runs of a domain side by side: findings that are new, fixed and still there, pages that came and went, and
//! changes of the other pages.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::AuditReader;
use super::rows::RowReader;
use crate::model::Run;
use crate::segments::ReadError;
use crate::stored::{Index, PartKind};

/// Entries that each list has at most; the totals count all.
const MOST_ENTRIES: usize = 1000;

/// Changes between two runs.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Findings that the earlier run did not have.
    pub new_findings: ComparedFindings,
    /// Findings that the later run does not have any more, on pages that both have.
    pub fixed_findings: ComparedFindings,
    /// Findings that both have.
    pub remaining_findings: ComparedFindings,
    /// Pages that only the later run has.
    pub added_pages: ComparedPages,
    /// Pages that only the earlier run has, and that the later one would have found.
    pub removed_pages: ComparedPages,
    /// Pages that only the earlier run has, when the later one did not look everywhere: a limit ended it, it was sampled, or
    /// only new pages were wanted.
    pub not_visited_pages: ComparedPages,
    /// Pages on which something changed.
    pub changed_pages: Changes,
    /// Findings by issue.
    pub by_issue: Vec<IssueComparison>,
    #[serde(skip)]
    counts: BTreeMap<String, IssueComparison>,
}

/// Findings of one issue.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueComparison {
    #[schema(examples("META_DESC_MISSING"))]
    pub issue_id: String,
    /// Findings that the earlier run did not have.
    pub new: usize,
    /// Findings that the later run does not have any more.
    pub fixed: usize,
    /// Findings that both have.
    pub remaining: usize,
}

/// Findings, and how many there are.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Findings)]
pub struct ComparedFindings {
    pub total: usize,
    /// The first 1,000.
    pub items: Vec<ComparedFinding>,
}

/// A finding on a page; the path is empty for one about the site.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedFinding {
    /// The page.
    pub path: String,
    pub issue_id: String,
}

/// Pages, and how many there are.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Pages)]
pub struct ComparedPages {
    pub total: usize,
    /// Paths of the first 1,000.
    pub items: Vec<String>,
}

/// Changes, and on how many pages.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Changes {
    pub total: usize,
    /// The first 1,000.
    pub items: Vec<ChangedPage>,
}

/// Changes on a page.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedPage {
    /// The page.
    pub path: String,
    /// Each field that changed.
    pub changes: Vec<FieldChange>,
}

/// A field that changed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Change)]
pub struct FieldChange {
    /// `statusCode`, `title`, `metaDesc`, `h1`, `canonical` or `indexable`.
    pub field: &'static str,
    #[schema(value_type = String)]
    pub before: serde_json::Value,
    #[schema(value_type = String)]
    pub after: serde_json::Value,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compared {
    status_code: serde_json::Value,
    title: serde_json::Value,
    meta_desc: serde_json::Value,
    h1: serde_json::Value,
    canonical: serde_json::Value,
    indexable: serde_json::Value,
}

impl ComparedFindings {
    fn add(&mut self, path: &str, issue: &str) {
        self.total += 1;
        if self.items.len() < MOST_ENTRIES {
            self.items.push(ComparedFinding { path: path.to_owned(), issue_id: issue.to_owned() });
        }
    }
}

impl ComparedPages {
    fn add(&mut self, path: &str) {
        self.total += 1;
        if self.items.len() < MOST_ENTRIES {
            self.items.push(path.to_owned());
        }
    }
}

impl Comparison {
    /// Compares an earlier run with a later one.
    pub async fn read(reader: &AuditReader, earlier: &Run, later: &Run) -> Result<Comparison, ReadError> {
        let (before, after) = (reader.segments.index(earlier).await?, reader.segments.index(later).await?);
        let looked_everywhere = later.looked_everywhere();
        let mut found = Comparison::default();
        found.compare_issues("", &site_issues(&before), &site_issues(&after));
        let mut old_rows = RowReader::new(reader, earlier, PartKind::Pages);
        let mut new_rows = RowReader::new(reader, later, PartKind::Pages);
        // Both are sorted by path.
        let (mut old, mut new) = (0, 0);
        while old < before.len() || new < after.len() {
            let order = match (before.paths.get(old), after.paths.get(new)) {
                (Some(one), Some(other)) => one.cmp(other),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            match order {
                Ordering::Less => {
                    let gone = match looked_everywhere {
                        true => &mut found.removed_pages,
                        false => &mut found.not_visited_pages,
                    };
                    gone.add(&before.paths[old]);
                    old += 1;
                }
                Ordering::Greater => {
                    let path = &after.paths[new];
                    found.added_pages.add(path);
                    found.compare_issues(path, &BTreeSet::new(), &after.issues_of(new).collect());
                    new += 1;
                }
                Ordering::Equal => {
                    let path = &after.paths[new];
                    let issues = (before.issues_of(old).collect(), after.issues_of(new).collect());
                    // Of a page that was not rendered this time nobody knows what scripts do to it.
                    let is_known = !before.missed_render(old) && !after.missed_render(new);
                    match is_known {
                        true => found.compare_issues(path, &issues.0, &issues.1),
                        false => found.remain(path, &issues.0, &issues.1),
                    }
                    let changes = changes(&old_rows.line(old).await?, &new_rows.line(new).await?, is_known);
                    if !changes.is_empty() {
                        found.changed_pages.total += 1;
                        if found.changed_pages.items.len() < MOST_ENTRIES {
                            found.changed_pages.items.push(ChangedPage { path: path.clone(), changes });
                        }
                    }
                    (old, new) = (old + 1, new + 1);
                }
            }
        }
        found.by_issue = std::mem::take(&mut found.counts).into_values().collect();
        Ok(found)
    }

    fn compare_issues(&mut self, path: &str, before: &BTreeSet<&str>, after: &BTreeSet<&str>) {
        for issue in after.difference(before) {
            self.new_findings.add(path, issue);
            self.of_issue(issue).new += 1;
        }
        for issue in before.difference(after) {
            self.fixed_findings.add(path, issue);
            self.of_issue(issue).fixed += 1;
        }
        self.remain(path, before, after);
    }

    /// Counts findings that both runs have.
    fn remain(&mut self, path: &str, before: &BTreeSet<&str>, after: &BTreeSet<&str>) {
        for issue in before.intersection(after) {
            self.remaining_findings.add(path, issue);
            self.of_issue(issue).remaining += 1;
        }
    }

    fn of_issue(&mut self, issue: &str) -> &mut IssueComparison {
        let new = || IssueComparison { issue_id: issue.to_owned(), ..IssueComparison::default() };
        self.counts.entry(issue.to_owned()).or_insert_with(new)
    }
}

fn site_issues(index: &Index) -> BTreeSet<&str> {
    index.site_issues.iter().map(String::as_str).collect()
}

/// Returns the fields that changed; for a page whose scripts did not run in both runs only those that the server
/// alone decides.
fn changes(before: &[u8], after: &[u8], is_known: bool) -> Vec<FieldChange> {
    let read = |line: &[u8]| serde_json::from_slice::<Compared>(line).unwrap_or_default();
    let (before, after) = (read(before), read(after));
    let fields = [
        ("statusCode", before.status_code, after.status_code),
        ("title", before.title, after.title),
        ("metaDesc", before.meta_desc, after.meta_desc),
        ("h1", before.h1, after.h1),
        ("canonical", before.canonical, after.canonical),
        ("indexable", before.indexable, after.indexable),
    ];
    let counted = fields.into_iter().filter(|(field, ..)| is_known || *field == "statusCode");
    let changed = counted.filter(|(_, before, after)| before != after);
    changed.map(|(field, before, after)| FieldChange { field, before, after }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_missed_its_render_changed_only_in_its_status() {
        let page = |status: u16, text: &str| {
            let page = serde_json::json!({
                "statusCode": status, "title": text, "metaDesc": "", "h1": text, "canonical": "", "indexable": true,
            });
            page.to_string().into_bytes()
        };
        let fields = |is_known: bool| -> Vec<&'static str> {
            let changes = changes(&page(200, "Shoes"), &page(404, ""), is_known);
            changes.iter().map(|change| change.field).collect()
        };

        assert_eq!(fields(true), ["statusCode", "title", "h1"]);
        assert_eq!(fields(false), ["statusCode"]);
    }
}
