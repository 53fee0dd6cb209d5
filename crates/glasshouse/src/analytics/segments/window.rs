//! The visits of some days, closed and open ones alike, summed up by page. Pure.
//! Used by every report that names pages. Everything is ordered here, bytewise.

use std::collections::HashMap;
use std::sync::Arc;

use super::paths::{Numbering, PathTable};
use super::rows::{DayRows, Kind, OTHER_NUMBER};
use crate::analytics::model::{Day, ServedBy, Verified};

/// Visits of an open day that are counted together.
#[derive(Debug, Clone)]
pub struct OpenRow {
    pub day: Day,
    pub path: Arc<str>,
    /// What they have in common.
    pub kind: Kind,
    pub visits: u64,
}

/// Which visits a report is about. Impostors' are in none but those that say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those answered with a snapshot.
    Snapshots,
    /// Those that the origin answered as well.
    WithOrigin,
}

impl Scope {
    /// Whether visits answered this way count.
    pub fn includes(self, served: ServedBy) -> bool {
        self == Scope::WithOrigin || served != ServedBy::Origin
    }

    /// Whether visits of this kind count.
    pub fn counts(self, kind: &Kind) -> bool {
        kind.verified != Verified::No && self.includes(kind.served)
    }
}

/// The visits of a window.
pub struct WindowVisits {
    closed: Vec<(Day, DayRows)>,
    open: Vec<(u32, OpenRow)>,
    pages: WindowPaths,
}

/// The paths behind the numbers of a window.
pub struct WindowPaths {
    table: Arc<PathTable>,
    /// Paths of open days that have no number yet; they are numbered on from the table's end.
    new: Vec<Arc<str>>,
    /// Where they stand in the order of all paths.
    new_places: Vec<u64>,
}

/// Visits of one page that have something in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSum<K> {
    /// Number of the page in this window.
    pub page: u32,
    /// What they have in common.
    pub key: K,
    pub visits: u64,
}

impl WindowPaths {
    fn new(table: Arc<PathTable>, new: Vec<Arc<str>>) -> WindowPaths {
        let mut order: Vec<usize> = (0..new.len()).collect();
        order.sort_unstable_by(|a, b| new[*a].cmp(&new[*b]));
        let mut new_places = vec![0; new.len()];
        for (rank, at) in order.into_iter().enumerate() {
            // Behind all known paths that are smaller, and among the new ones by rank.
            let before = table.find(&new[at]).unwrap_or_else(|before| before);
            new_places[at] = (u64::from(before) << 32) | rank as u64;
        }
        WindowPaths { table, new, new_places }
    }

    /// The path of a page.
    pub fn path(&self, page: u32) -> &Arc<str> {
        let new = || &self.new[(page - self.table.next_number()) as usize];
        self.table.path(page).unwrap_or_else(new)
    }

    /// Grows with the path, bytewise.
    pub fn place(&self, page: u32) -> u64 {
        match self.table.rank(page) {
            // After every new path that belongs before it.
            Some(rank) => (u64::from(rank) << 32) | u64::from(u32::MAX),
            None => self.new_places[(page - self.table.next_number()) as usize],
        }
    }

    /// The number of a path; none: nobody visited it.
    pub fn find(&self, path: &str) -> Option<u32> {
        let in_new = || {
            let at = self.new.iter().position(|new| **new == *path)?;
            Some(self.table.next_number() + at as u32)
        };
        self.table.find(path).ok().or_else(in_new)
    }

    /// For every page whether its path contains a text, in any case: as it stands in an address, or as people read it.
    pub fn containing(&self, text: &str) -> Vec<bool> {
        let text = text.to_lowercase();
        let contains = |path: &str| path.to_lowercase().contains(&text);
        let decoded = |path| percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        let all = self.table.paths().iter().chain(&self.new);
        all.map(|path| contains(path) || (path.contains('%') && contains(&decoded(path)))).collect()
    }
}

impl WindowVisits {
    /// The visits of these days. The table knows every page of the closed ones.
    pub fn new(closed: Vec<(Day, DayRows)>, open: Vec<OpenRow>, table: Arc<PathTable>) -> WindowVisits {
        let mut numbering = Numbering::after(&table);
        let open = open.into_iter().map(|row| (numbering.number(&row.path), row)).collect();
        let new = numbering.into_new();
        WindowVisits { closed, open, pages: WindowPaths::new(table, new) }
    }

    /// The paths behind the numbers.
    pub fn pages(&self) -> &WindowPaths {
        &self.pages
    }

    /// Sums visits up by page and by what `key` makes of their kind, in the order of both. Pages that are not `wanted` are
    /// left out, and so are kinds without a key.
    pub fn sum<K: Ord + Copy>(
        &self,
        wanted: impl Fn(u32) -> bool,
        mut key: impl FnMut(&Kind) -> Option<K>,
    ) -> Vec<PageSum<K>> {
        // A kind is seen once for each day or page.
        let mut keys: HashMap<&Kind, Option<K>> = HashMap::new();
        let of_days = self.closed.iter().flat_map(|(_, day)| &day.kinds);
        for kind in of_days.chain(self.open.iter().map(|(_, row)| &row.kind)) {
            keys.entry(kind).or_insert_with(|| key(kind));
        }
        let ranks = Ranks::of(keys);
        // Counted first, so that each row goes straight to the others of its page: a busy window has a million to put in order.
        let mut ends = Vec::new();
        self.for_each_ranked(&ranks, &wanted, |page, _, _| {
            let page = page as usize;
            if ends.len() <= page {
                ends.resize(page + 1, 0_usize);
            }
            ends[page] += 1;
        });
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut rows = vec![(0_usize, 0_u64); total];
        self.for_each_ranked(&ranks, &wanted, |page, rank, visits| {
            let end = &mut ends[page as usize];
            rows[*end] = (rank, visits);
            *end += 1;
        });
        let (mut sums, mut start) = (Vec::new(), 0);
        let mut of_page: Vec<Option<u64>> = vec![None; ranks.keys.len()];
        // Most pages have few of the keys.
        let mut present: Vec<usize> = Vec::new();
        for (page, end) in (0_u32..).zip(ends) {
            for (rank, visits) in &rows[start..end] {
                *of_page[*rank].get_or_insert_with(|| {
                    present.push(*rank);
                    0
                }) += visits;
            }
            present.sort_unstable();
            sums.extend(present.drain(..).map(|rank| PageSum {
                page,
                key: ranks.keys[rank],
                visits: of_page[rank].take().unwrap_or_default(),
            }));
            start = end;
        }
        sums
    }

    /// Calls `act` with the page, the rank of the key and the visits of every row that is summed up.
    fn for_each_ranked<K>(
        &self,
        ranks: &Ranks<'_, K>,
        wanted: impl Fn(u32) -> bool,
        mut act: impl FnMut(u32, usize, u64),
    ) {
        for (_, day) in &self.closed {
            let of_kinds: Vec<Option<usize>> = day.kinds.iter().map(|kind| ranks.rank(kind)).collect();
            for row in &day.rows {
                if let Some(rank) = of_kinds[row.kind as usize].filter(|_| wanted(row.page)) {
                    act(row.page, rank, row.visits);
                }
            }
        }
        for (page, row) in &self.open {
            if let Some(rank) = ranks.rank(&row.kind).filter(|_| wanted(*page)) {
                act(*page, rank, row.visits);
            }
        }
    }

    /// Every row: its day, page and kind, and how many visits.
    pub fn rows(&self) -> impl Iterator<Item = (Day, u32, &Kind, u64)> {
        let closed = self.closed.iter().flat_map(|(day, rows)| {
            rows.rows.iter().map(|row| (*day, row.page, &rows.kinds[row.kind as usize], row.visits))
        });
        closed.chain(self.open.iter().map(|(page, row)| (row.day, *page, &row.kind, row.visits)))
    }
}

/// The keys of a window's kinds, and where each kind's stands among them.
struct Ranks<'a, K> {
    /// In order, each once.
    keys: Vec<K>,
    of_kinds: HashMap<&'a Kind, usize>,
}

impl<'a, K: Ord + Copy> Ranks<'a, K> {
    fn of(kinds: HashMap<&'a Kind, Option<K>>) -> Ranks<'a, K> {
        let mut keys: Vec<K> = kinds.values().filter_map(|key| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        let rank = |key: K| keys.binary_search(&key).expect("every key is among them");
        let of_kinds = kinds.into_iter().filter_map(|(kind, key)| Some((kind, rank(key?)))).collect();
        Ranks { keys, of_kinds }
    }
}

impl<K> Ranks<'_, K> {
    fn rank(&self, kind: &Kind) -> Option<usize> {
        self.of_kinds.get(kind).copied()
    }
}

impl<K> PageSum<K> {
    /// Whether the page is one, and not all those that were too many.
    pub fn is_page(&self) -> bool {
        self.page != OTHER_NUMBER
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn kind(crawler: &str, served: ServedBy) -> Kind {
        Kind { crawler: crawler.to_owned(), verified: Verified::Yes, served, status: 200 }
    }

    fn open(path: &str, crawler: &str, visits: u64) -> OpenRow {
        OpenRow { day: 2, path: path.into(), kind: kind(crawler, ServedBy::Cache), visits }
    }

    fn window() -> WindowVisits {
        let table = Arc::new(PathTable::of(["/m", "/B"].map(Arc::from)));
        let counts =
            [((1, kind("googlebot", ServedBy::Cache)), 3), ((2, kind("gptbot", ServedBy::Cache)), 5)];
        let day = DayRows::of(BTreeMap::from(counts));
        let open = vec![open("/z", "googlebot", 1), open("/m", "googlebot", 2), open("/a", "googlebot", 1)];
        WindowVisits::new(vec![(1, day)], open, table)
    }

    #[test]
    fn closed_and_open_days_are_one_sum() {
        let window = window();

        let sums = window.sum(|_| true, |kind| (kind.crawler == "googlebot").then_some(()));

        let named: Vec<_> = sums.iter().map(|sum| (&**window.pages().path(sum.page), sum.visits)).collect();
        assert_eq!(named, [("/m", 5), ("/z", 1), ("/a", 1)]);
        assert_eq!(window.rows().map(|(_, _, _, visits)| visits).sum::<u64>(), 12);
    }

    #[test]
    fn new_paths_stand_between_known_ones() {
        let window = window();
        let pages = window.pages();

        let mut all = ["/z", "/m", "/B", "/a"].map(|path| pages.find(path).unwrap());
        all.sort_by_key(|page| pages.place(*page));

        assert_eq!(all.map(|page| pages.path(page).to_string()), ["/B", "/a", "/m", "/z"]);
        assert_eq!(pages.find("/nowhere"), None);
    }

    #[test]
    fn a_search_ignores_case_beyond_ascii() {
        let table = Arc::new(PathTable::of(["/ÜBER".into()]));

        let window = WindowVisits::new(Vec::new(), vec![open("/über/uns", "googlebot", 1)], table);

        assert_eq!(window.pages().containing("über"), [false, true, true]);
    }

    #[test]
    fn a_search_reads_a_path_encoded_and_decoded() {
        let table =
            Arc::new(PathTable::of(["/%C3%9Cber-uns", "/50%", "/a%FFb", "/%e4%bd%a0"].map(Arc::from)));
        let window = WindowVisits::new(Vec::new(), Vec::new(), table);
        let found = |text| {
            let found = window.pages().containing(text);
            (1..5).filter(|page| found[*page as usize]).collect::<Vec<_>>()
        };

        assert_eq!((found("über-U"), found("%c3%9c"), found("你")), (vec![1], vec![1], vec![4]));
        assert_eq!((found("50%"), found("%FFb"), found("ß")), (vec![2], vec![3], vec![]));
    }
}
