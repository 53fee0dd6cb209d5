//! The numbers of a domain's pages: given once, and the order of the paths behind them. Pure.
//! Closed days name pages by number only. Must never give a number twice, not even that of a path that was given up.
//! See docs/decisions/0423.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::rows::{Damaged, OTHER_NUMBER, compress, decompress, put, take};
use crate::analytics::model::OTHER_PATHS;

/// Paths by number, and their order. Numbers are dense; the first is [`OTHER_NUMBER`].
#[derive(Debug)]
pub struct PathTable {
    paths: Vec<Arc<str>>,
    /// Numbers in the order of their paths, bytewise.
    order: Vec<u32>,
    /// Where in the order each number is.
    ranks: Vec<u32>,
    /// Numbers by path, once somebody looks for one.
    index: OnceLock<PathIndex>,
}

/// Numbers by the hash of their path.
#[derive(Debug, Clone, Default)]
struct PathIndex {
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl PathIndex {
    /// Adds the numbers from one on, of all these paths.
    fn add(&mut self, paths: &[Arc<str>], from: usize) {
        let PathIndex { numbers, hasher } = self;
        let hash = |number: &u32| hasher.hash_one(&*paths[*number as usize]);
        numbers.reserve(paths.len() - from, hash);
        for number in
            (from as u32..paths.len() as u32).filter(|number| !is_given_up(&paths[*number as usize]))
        {
            numbers.insert_unique(hash(&number), number, hash);
        }
    }

    fn find(&self, paths: &[Arc<str>], path: &str) -> Option<u32> {
        let is_path = |number: &u32| *paths[*number as usize] == *path;
        self.numbers.find(self.hasher.hash_one(path), is_path).copied()
    }
}

impl PathTable {
    /// The table of these paths, the first of which has number 1.
    pub fn of(known: impl IntoIterator<Item = Arc<str>>) -> PathTable {
        let paths: Vec<Arc<str>> = std::iter::once(Arc::from(OTHER_PATHS)).chain(known).collect();
        let mut order: Vec<(&str, u32)> = paths.iter().map(|path| &**path).zip(0..).collect();
        // Stable: they come in sorted runs, one for each day, which this merges.
        order.sort_by_key(|(path, _)| *path);
        let order = order.into_iter().map(|(_, number)| number).collect();
        PathTable::in_order(paths, order)
    }

    /// The table with more paths, which get the next numbers.
    pub fn with(&self, new: &[Arc<str>]) -> PathTable {
        let paths = [self.paths.as_slice(), new].concat();
        let mut added: Vec<u32> = (self.next_number()..paths.len() as u32).collect();
        let path = |number: &u32| &paths[*number as usize];
        added.sort_unstable_by(|a, b| path(a).cmp(path(b)));
        let mut order = [self.order.as_slice(), &added].concat();
        // Stable: two sorted runs, which this merges.
        order.sort_by(|a, b| path(a).cmp(path(b)));
        let mut table = PathTable::in_order(paths, order);
        if let Some(mut index) = self.index.get().cloned() {
            index.add(&table.paths, self.paths.len());
            table.index = index.into();
        }
        table
    }

    fn in_order(paths: Vec<Arc<str>>, order: Vec<u32>) -> PathTable {
        let mut ranks = vec![0; paths.len()];
        for (rank, number) in order.iter().enumerate() {
            ranks[*number as usize] = rank as u32;
        }
        PathTable { paths, order, ranks, index: OnceLock::new() }
    }

    /// How many numbers there are; the next one that is given.
    pub fn next_number(&self) -> u32 {
        self.paths.len() as u32
    }

    /// The path with a number.
    pub fn path(&self, number: u32) -> Option<&Arc<str>> {
        self.paths.get(number as usize)
    }

    /// All paths in the order of their numbers.
    pub fn paths(&self) -> &[Arc<str>] {
        &self.paths
    }

    /// The number of a path.
    pub fn number(&self, path: &str) -> Option<u32> {
        let index = self.index.get_or_init(|| {
            let mut index = PathIndex::default();
            index.add(&self.paths, 0);
            index
        });
        index.find(&self.paths, path)
    }

    /// The number of a path; else how many paths come before it.
    pub fn find(&self, path: &str) -> Result<u32, u32> {
        let place = self.order.binary_search_by(|number| (*self.paths[*number as usize]).cmp(path));
        place.map(|at| self.order[at]).map_err(|at| at as u32)
    }

    /// Where in the order of paths a number is.
    pub fn rank(&self, number: u32) -> Option<u32> {
        self.ranks.get(number as usize).copied()
    }

    /// Roughly how much memory it takes.
    pub fn bytes(&self) -> usize {
        self.paths.iter().map(|path| path.len() + 56).sum()
    }
}

/// The text of a path that was given up.
pub const GIVEN_UP: &str = "";

/// Decides whether this is the text of a path that was given up. Its number stays, and nothing has it any more.
pub fn is_given_up(path: &str) -> bool {
    path == GIVEN_UP
}

/// Room for the numbered paths of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathRoom {
    /// Most paths. Further ones are counted together.
    pub paths: usize,
    /// Most bytes of their text.
    pub bytes: usize,
}

impl PathRoom {
    /// Room of every domain.
    pub const OF_DOMAIN: PathRoom = PathRoom { paths: 1_000_000, bytes: 128 << 20 };

    /// Returns what is left beside the paths of a table.
    fn beside(self, table: &PathTable) -> PathRoom {
        // The first number is that of no path.
        let known = table.paths[1..].iter().filter(|path| !is_given_up(path));
        let (paths, bytes) = known.fold((0, 0), |(paths, bytes), path| (paths + 1, bytes + path.len()));
        PathRoom { paths: self.paths.saturating_sub(paths), bytes: self.bytes.saturating_sub(bytes) }
    }

    /// Decides whether a table has used nine tenths of it.
    pub fn is_nearly_used_up(self, table: &PathTable) -> bool {
        let left = self.beside(table);
        left.paths <= self.paths / 10 || left.bytes <= self.bytes / 10
    }
}

/// Gives numbers to paths that have none.
#[derive(Debug)]
pub struct Numbering<'a> {
    table: &'a PathTable,
    new: Vec<Arc<str>>,
    by_path: HashMap<Arc<str>, u32>,
    /// For paths that may still get numbers.
    room: PathRoom,
}

impl<'a> Numbering<'a> {
    /// Goes on where a table ends.
    pub fn after(table: &'a PathTable) -> Numbering<'a> {
        Numbering::within(table, PathRoom::OF_DOMAIN)
    }

    /// Goes on where a table ends, as far as there is room.
    fn within(table: &'a PathTable, room: PathRoom) -> Numbering<'a> {
        Numbering { table, new: Vec::new(), by_path: HashMap::new(), room: room.beside(table) }
    }

    /// The number of a path, if it has one.
    pub fn find(&self, path: &str) -> Option<u32> {
        self.table.number(path).or_else(|| self.by_path.get(path).copied())
    }

    /// Returns the number of a path; that of all other paths together when there is no room for a new one.
    pub fn number(&mut self, path: &Arc<str>) -> u32 {
        if **path == *OTHER_PATHS {
            return OTHER_NUMBER;
        }
        if let Some(known) = self.find(path) {
            return known;
        }
        let PathRoom { paths, bytes } = self.room;
        let (Some(paths), Some(bytes)) = (paths.checked_sub(1), bytes.checked_sub(path.len())) else {
            metrics::counter!("glasshouse_visits_folded_total").increment(1);
            return OTHER_NUMBER;
        };
        self.room = PathRoom { paths, bytes };
        let next = self.table.next_number() + self.new.len() as u32;
        self.new.push(path.clone());
        self.by_path.insert(path.clone(), next);
        next
    }

    /// The paths that were numbered, in that order.
    pub fn into_new(self) -> Vec<Arc<str>> {
        self.new
    }
}

/// A list of paths as bytes.
pub fn pack_paths(paths: &[Arc<str>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in paths {
        put(&mut bytes, path.len() as u64);
        bytes.extend(path.as_bytes());
    }
    compress(&bytes)
}

/// Reads what [`pack_paths`] wrote.
pub fn unpack_paths(packed: &[u8]) -> Result<Vec<Arc<str>>, Damaged> {
    let bytes = decompress(packed)?;
    let (mut rest, mut paths) = (bytes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let length = usize::try_from(take(&mut rest)?).map_err(|_| Damaged)?;
        let (path, after) = rest.split_at_checked(length).ok_or(Damaged)?;
        rest = after;
        paths.push(Arc::from(std::str::from_utf8(path).map_err(|_| Damaged)?));
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> PathTable {
        PathTable::of(["/b", "/", "/ü", "/Z"].map(Arc::from))
    }

    #[test]
    fn a_path_is_found_by_its_number_and_the_other_way() {
        let table = table();

        for (number, path) in [(0, "(other)"), (1, "/b"), (2, "/"), (3, "/ü"), (4, "/Z")] {
            assert_eq!((table.find(path), table.number(path)), (Ok(number), Some(number)));
            assert_eq!(table.path(number).map(|path| &**path), Some(path));
        }
        assert_eq!((table.find("/a"), table.find(""), table.path(5)), (Err(3), Err(0), None));
        assert_eq!(table.number("/a"), None);
        assert_eq!([0, 2, 4, 1, 3].map(|number| table.rank(number)), [0, 1, 2, 3, 4].map(Some));
    }

    #[test]
    fn a_table_with_more_paths_is_the_table_of_all_of_them() {
        let (table, new) = (table(), ["/a", "/zz", "!", "/A"].map(Arc::<str>::from));
        let all = PathTable::of(table.paths[1..].iter().chain(&new).cloned());

        // Whether a path was looked for before or not.
        for _ in 0..2 {
            let more = table.with(&new);
            assert_eq!(more.next_number(), 9);
            assert_eq!((&more.paths, &more.ranks), (&all.paths, &all.ranks));
            assert_eq!(
                ["/b", "/a", "/A", "/x"].map(|path| more.number(path)),
                [Some(1), Some(5), Some(8), None]
            );
            assert_eq!(table.number("/a"), None);
        }
        assert_eq!(table.with(&[]).order, table.order);
    }

    #[test]
    fn a_new_path_gets_the_next_number_once() {
        let table = table();
        let mut numbering = Numbering::after(&table);

        let numbers = ["/new", "/b", "/newer", "/new", "(other)"].map(|path| numbering.number(&path.into()));

        assert_eq!(numbers, [5, 1, 6, 5, 0]);
        assert_eq!(numbering.into_new(), ["/new", "/newer"].map(Arc::from));
    }

    #[test]
    fn paths_beyond_the_bound_of_a_domain_are_counted_together_and_known_ones_stay() {
        let table = table();
        let numbers = |(paths, bytes): (usize, usize)| {
            let mut numbering = Numbering::within(&table, PathRoom { paths, bytes });
            ["/new", "/b", "/newer", "/new"].map(|path| numbering.number(&path.into()))
        };

        assert_eq!(numbers((5, 1_000)), [5, 1, 0, 5]);
        assert_eq!(numbers((4, 1_000)), [0, 1, 0, 0]);
        // "/b", "/", "/ü" and "/Z" have eight bytes.
        assert_eq!(numbers((1_000, 8 + 6)), [5, 1, 0, 5]);
    }

    #[test]
    fn a_path_that_was_given_up_leaves_its_room_and_keeps_its_number() {
        let table = PathTable::of(["/b", GIVEN_UP, "/ü", GIVEN_UP].map(Arc::from));
        let mut numbering = Numbering::within(&table, PathRoom { paths: 3, bytes: 1_000 });

        let numbers = ["/new", "/b", "/newer"].map(|path| numbering.number(&path.into()));

        assert_eq!((table.number(GIVEN_UP), numbers), (None, [5, 1, 0]));
        assert!(PathRoom { paths: 2, bytes: 1_000 }.is_nearly_used_up(&table));
        assert!(!PathRoom { paths: 4, bytes: 1_000 }.is_nearly_used_up(&table));
    }

    #[test]
    fn a_list_of_paths_comes_back_as_it_was() {
        let paths = ["", "/ü", "/a\n"].map(Arc::<str>::from);

        assert_eq!(unpack_paths(&pack_paths(&paths)), Ok(paths.to_vec()));
        assert_eq!(unpack_paths(&compress(b"\x05/a")), Err(Damaged));
    }
}
