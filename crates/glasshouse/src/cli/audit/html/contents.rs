//! Data of the report from a site's rows, collected in one pass: a large site's rows do not fit in memory.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use audit_engine::engine::{Audit, Finding, ListedIssue, ListedPage, RowResult};

/// Example pages per check.
const MAX_EXAMPLES: usize = 20;
/// Pages in the list of the worst pages.
const WORST_PAGES: usize = 200;

/// Numbers, examples and the worst pages.
#[derive(Default)]
pub struct ReportContents {
    /// Pages by health, in tens.
    pub health: [usize; 10],
    /// The first pages with each issue, and its finding there, by the issue's id.
    pub examples: HashMap<Cow<'static, str>, Vec<(String, Finding)>>,
    /// Pages with findings, the worst first.
    pub worst: Vec<FaultyPage>,
}

/// A page with findings.
#[derive(PartialEq)]
pub struct FaultyPage {
    pub health: f64,
    pub path: String,
    pub status: u16,
    pub issues: Vec<ListedIssue>,
}

impl Eq for FaultyPage {}

/// The best page is the greatest.
impl Ord for FaultyPage {
    fn cmp(&self, other: &FaultyPage) -> Ordering {
        self.health.total_cmp(&other.health).then_with(|| self.path.cmp(&other.path))
    }
}

impl PartialOrd for FaultyPage {
    fn partial_cmp(&self, other: &FaultyPage) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl ReportContents {
    /// Reads all rows once.
    pub fn from(audit: &Audit) -> ReportContents {
        let mut contents = ReportContents::default();
        let mut worst = BinaryHeap::new();
        for RowResult { page, details, .. } in audit.rows() {
            let ListedPage { path, status_code: status, health_score: health, issues, .. } = page;
            if status != 0 && page.redirect_count == 0 {
                contents.health[((health / 10.0) as usize).min(9)] += 1;
            }
            if issues.is_empty() {
                continue;
            }
            for finding in details.findings {
                let pages = contents.examples.entry(finding.issue_id.clone()).or_default();
                if pages.len() < MAX_EXAMPLES {
                    pages.push((path.clone(), finding));
                }
            }
            worst.push(FaultyPage { health, path, status, issues });
            if worst.len() > WORST_PAGES {
                worst.pop();
            }
        }
        contents.worst = worst.into_sorted_vec();
        contents
    }
}
