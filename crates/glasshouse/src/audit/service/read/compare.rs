//! Two runs of a domain side by side: findings that are new, fixed and still there, pages that came and went, and what
//! changed on those that stayed.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Audits, RowReader};
use crate::audit::model::Run;
use crate::audit::segments::ReadError;
use crate::audit::stored::{Index, PartKind};

/// Entries that each list has at most; the totals count all.
const MOST_ENTRIES: usize = 1000;

/// What changed between two runs.
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
    /// Pages that only the earlier run has.
    pub removed_pages: ComparedPages,
    /// Pages on which something changed.
    pub changed_pages: Changes,
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

/// What changed on a page.
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
    fn compare_issues(&mut self, path: &str, before: &BTreeSet<&str>, after: &BTreeSet<&str>) {
        after.difference(before).for_each(|issue| self.new_findings.add(path, issue));
        before.difference(after).for_each(|issue| self.fixed_findings.add(path, issue));
        before.intersection(after).for_each(|issue| self.remaining_findings.add(path, issue));
    }
}

impl Audits {
    /// Compares an earlier run with a later one.
    pub async fn compare(&self, earlier: &Run, later: &Run) -> Result<Comparison, ReadError> {
        let (before, after) = (self.0.segments.index(earlier).await?, self.0.segments.index(later).await?);
        let mut found = Comparison::default();
        found.compare_issues("", &site_issues(&before), &site_issues(&after));
        let mut old_rows = RowReader::new(self, earlier, PartKind::Pages);
        let mut new_rows = RowReader::new(self, later, PartKind::Pages);
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
                    found.removed_pages.add(&before.paths[old]);
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
                    found.compare_issues(path, &issues.0, &issues.1);
                    let changes = changes(&old_rows.line(old).await?, &new_rows.line(new).await?);
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
        Ok(found)
    }
}

fn site_issues(index: &Index) -> BTreeSet<&str> {
    index.site_issues.iter().map(String::as_str).collect()
}

fn changes(before: &[u8], after: &[u8]) -> Vec<FieldChange> {
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
    let changed = fields.into_iter().filter(|(_, before, after)| before != after);
    changed.map(|(field, before, after)| FieldChange { field, before, after }).collect()
}
