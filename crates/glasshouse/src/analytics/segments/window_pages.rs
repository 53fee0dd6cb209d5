//! The pages of some days: how many were visited, and how many of them for the first time ever. Pure.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use roaring::RoaringBitmap;

use super::paths::PathTable;
use crate::analytics::model::Day;

/// The pages of a domain, as far as they are kept, for a window of days and one kind of visits.
#[derive(Debug, Default)]
pub struct WindowPages {
    /// Those that closed days of the window have.
    pub visited: RoaringBitmap,
    /// The first day of each page that has a number.
    pub first: Vec<(u32, Day)>,
    /// Pages with rows of their own; one may stand here twice, and among those that have a number.
    pub open: Vec<OpenPage>,
}

/// A page that has rows of its own.
#[derive(Debug)]
pub struct OpenPage {
    pub path: String,
    /// The first day in them.
    pub first: Day,
    /// Whether a row is of the window.
    pub is_visited: bool,
}

/// How many different pages were visited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// In the window.
    pub visited: u64,
    /// Of those that were ever visited, the ones whose first visit was in the window.
    pub new: u64,
}

impl OpenPage {
    /// Reads `FIRST_DAY VISITED PATH`, where visited is 1 or 0.
    pub fn parse(line: &str) -> Option<OpenPage> {
        let (first, rest) = line.split_once(' ')?;
        let (visited, path) = rest.split_once(' ')?;
        Some(OpenPage { path: path.to_owned(), first: first.parse().ok()?, is_visited: visited == "1" })
    }
}

impl WindowPages {
    /// Counts them. The table knows all their numbers.
    pub fn count(&self, table: &PathTable, (from, to): (Day, Day)) -> PageCounts {
        let (mut numbered, mut unnumbered) = (HashMap::<u32, Day>::new(), HashMap::<&str, Day>::new());
        let (mut visited, mut visited_unnumbered) = (self.visited.clone(), BTreeSet::new());
        for OpenPage { path, first, is_visited } in &self.open {
            let number = table.number(path);
            if *is_visited {
                match number {
                    Some(number) => visited.insert(number),
                    None => visited_unnumbered.insert(path.as_str()),
                };
            }
            let known = match number {
                Some(number) => numbered.entry(number).or_insert(*first),
                None => unnumbered.entry(path).or_insert(*first),
            };
            *known = (*first).min(*known);
        }
        let packed = self.first.iter().map(|(number, day)| match numbered.remove(number) {
            Some(open) => open.min(*day),
            None => *day,
        });
        let is_new = |day: &Day| (from..=to).contains(day);
        let mut new = packed.filter(is_new).count();
        new += numbered.values().chain(unnumbered.values()).filter(|day| is_new(day)).count();
        PageCounts { visited: visited.len() + visited_unnumbered.len() as u64, new: new as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &str, first: Day, is_visited: bool) -> OpenPage {
        OpenPage { path: path.to_owned(), first, is_visited }
    }

    #[test]
    fn a_line_is_a_day_whether_it_was_visited_and_the_path() {
        let parsed = |line| OpenPage::parse(line).map(|page| (page.first, page.is_visited, page.path));

        assert_eq!(parsed("20781 1 /a b"), Some((20_781, true, "/a b".to_owned())));
        assert_eq!(parsed("-3 0 /"), Some((-3, false, "/".to_owned())));
        assert_eq!((parsed("/a"), parsed("x 1 /a"), parsed("")), (None, None, None));
    }

    #[test]
    fn a_page_counts_once_wherever_it_is_kept_and_is_new_on_its_earliest_day() {
        // Numbers 1 to 4.
        let table = PathTable::of(["/a", "/b", "/c", "/d"].map(Into::into));
        let pages = WindowPages {
            visited: [1, 2].into_iter().collect(),
            first: vec![(1, 10), (2, 5), (3, 12)],
            open: vec![
                open("/b", 11, true),
                // Packed late: it was there before the window.
                open("/c", 9, true),
                open("/d", 12, true),
                // In rows of an earlier version too.
                open("/e", 12, true),
                open("/e", 3, false),
                open("/f", 10, true),
                open("/g", 4, false),
            ],
        };

        assert_eq!(pages.count(&table, (10, 12)), PageCounts { visited: 6, new: 3 });
        assert_eq!(WindowPages::default().count(&table, (10, 12)), PageCounts::default());
    }
}
