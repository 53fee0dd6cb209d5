//! Sums of visits as the stores give them to the reports: by page, by day, by time. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::{Day, DayKey, OTHER_PATHS, ServedBy, Verified};
use domains::DomainId;

/// Common properties of visits of a page that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    /// Id of the crawler.
    pub crawler: String,
    /// Result of the check of the crawler's identity.
    pub verified: Verified,
    /// Source of the answer: cache, render or origin.
    pub served: ServedBy,
    /// Status of the answer.
    pub status: u16,
}

/// Visits that a report counts. Visits of impostors count in no scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Visits that were answered with a snapshot.
    Snapshots,
    /// Visits that the origin answered as well.
    WithOrigin,
}

impl Scope {
    /// Returns true for a kind whose visits count.
    pub fn counts(self, kind: &Kind) -> bool {
        kind.verified != Verified::No && (self == Scope::WithOrigin || kind.served != ServedBy::Origin)
    }
}

/// Visits of a window to one page. No path comes twice.
#[derive(Debug, Clone)]
pub struct PageVisits {
    /// Path, or the name of all paths beyond the limit.
    pub path: Arc<str>,
    /// Visits by kind; a kind may come twice.
    pub sums: Vec<VisitSum>,
}

/// Visits of one page and kind.
#[derive(Debug, Clone)]
pub struct VisitSum {
    pub kind: Arc<Kind>,
    /// Day of the last visit.
    pub last: Day,
    pub visits: u64,
}

/// Visits of one day and kind.
#[derive(Debug, Clone)]
pub struct DayTotal {
    pub day: Day,
    pub kind: Arc<Kind>,
    pub visits: u64,
}

impl DayTotal {
    /// Returns the counts of the day as they are stored for a domain.
    pub fn counted_for(&self, domain: &DomainId) -> (DayKey, u64) {
        let Kind { crawler, verified, served, status } = &*self.kind;
        let (verified, served, status) = (*verified, *served, *status);
        let (domain, crawler) = (domain.clone(), crawler.clone().into());
        (DayKey { domain, day: self.day, crawler, verified, served, status }, self.visits)
    }
}

/// Numbers of answers by source and bucket of their duration.
pub type TimeCounts = BTreeMap<(ServedBy, i64), u64>;

impl PageVisits {
    /// Decides whether this is one page, and not all those beyond the limit.
    pub fn is_page(&self) -> bool {
        *self.path != *OTHER_PATHS
    }

    /// Decides whether the path contains a text in lower case, in any case: encoded as in an address, or decoded.
    pub fn contains(&self, text: &str) -> bool {
        let contains = |path: &str| path.to_lowercase().contains(text);
        let decoded = || percent_encoding::percent_decode_str(&self.path).decode_utf8_lossy();
        contains(&self.path) || (self.path.contains('%') && contains(&decoded()))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Groups sums by their path.
    pub fn pages_of(sums: impl IntoIterator<Item = (&'static str, VisitSum)>) -> Vec<PageVisits> {
        let mut pages: BTreeMap<&str, Vec<VisitSum>> = BTreeMap::new();
        sums.into_iter().for_each(|(path, sum)| pages.entry(path).or_default().push(sum));
        pages.into_iter().map(|(path, sums)| PageVisits { path: path.into(), sums }).collect()
    }

    fn found(paths: &[&'static str], text: &str) -> Vec<String> {
        let pages = paths.iter().map(|path| PageVisits { path: (*path).into(), sums: Vec::new() });
        pages.filter(|page| page.contains(text)).map(|page| page.path.to_string()).collect()
    }

    #[test]
    fn a_search_ignores_case_beyond_ascii() {
        assert_eq!(found(&["/ÜBER", "/über/uns", "/uber"], "über"), ["/ÜBER", "/über/uns"]);
    }

    #[test]
    fn a_search_reads_a_path_encoded_and_decoded() {
        let paths = ["/%C3%9Cber-uns", "/50%", "/a%FFb", "/%e4%bd%a0"];
        for (text, path) in [
            ("über-u", Some("/%C3%9Cber-uns")),
            ("%c3%9c", Some("/%C3%9Cber-uns")),
            ("你", Some("/%e4%bd%a0")),
            ("50%", Some("/50%")),
            ("%ffb", Some("/a%FFb")),
            ("ß", None),
        ] {
            assert_eq!(found(&paths, text), path.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }
}
