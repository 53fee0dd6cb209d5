//! Data of the report from a site's rows, collected in one pass: a large site's rows do not fit in memory.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use audit_engine::checks::{CheckId, Evidence};
use audit_engine::engine::Audit;

use crate::cli::audit::report::MAX_EXAMPLES;

/// Pages that are listed one by one, the worst first.
const WORST_PAGES: usize = 200;

/// Numbers, examples and the worst pages.
#[derive(Default)]
pub struct Gathered {
    /// Pages by health, in tens.
    pub health: [usize; 10],
    /// The first pages that each check found something on, with what it rests on.
    pub examples: BTreeMap<CheckId, Vec<(String, Evidence)>>,
    /// Pages with findings, the worst first.
    pub worst: Vec<FaultyPage>,
}

/// A page with findings.
#[derive(PartialEq)]
pub struct FaultyPage {
    pub health: f64,
    pub path: String,
    pub status: u16,
    pub checks: Vec<CheckId>,
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

impl Gathered {
    /// Reads all rows once.
    pub fn from(audit: &Audit) -> Gathered {
        let mut gathered = Gathered::default();
        let mut worst = BinaryHeap::new();
        for row in audit.rows() {
            if row.status != 0 && row.redirects == 0 {
                gathered.health[((row.health / 10.0) as usize).min(9)] += 1;
            }
            if row.findings.is_empty() {
                continue;
            }
            let checks = row.findings.iter().map(|found| found.check).collect();
            worst.push(FaultyPage { health: row.health, path: row.path.clone(), status: row.status, checks });
            if worst.len() > WORST_PAGES {
                worst.pop();
            }
            for found in row.findings {
                let pages = gathered.examples.entry(found.check).or_default();
                if pages.len() < MAX_EXAMPLES {
                    pages.push((row.path.clone(), found.evidence));
                }
            }
        }
        gathered.worst = worst.into_sorted_vec();
        gathered
    }
}
