//! Packed list of addresses with their dates: a site may have a million pages, and each address begins like the one before.
//! Filled by the reader, and read in order by its callers.

use serde::{Deserialize, Serialize};
use url::Url;

use super::SitemapPage;

/// Size of a block: the list grows by blocks, so that growing never copies entries.
const BLOCK: usize = 64 << 10;
/// Upper bound of the bytes of an entry's three numbers.
const NUMBERS: usize = 32;

/// Addresses in the order they were added. An entry holds the difference from the one before.
#[derive(Debug, Clone, Default)]
pub struct PageList {
    blocks: Vec<Vec<u8>>,
    bytes: usize,
    count: usize,
    last: Entry,
}

/// An entry in a block.
#[derive(Serialize, Deserialize)]
struct PackedEntry<'l> {
    /// Bytes that the address shares with the one before.
    shared: usize,
    /// Remaining bytes of the address.
    rest: &'l str,
    /// Difference of the date from the last one.
    step: Option<i64>,
}

#[derive(Debug, Clone, Default)]
struct Entry {
    address: String,
    lastmod: i64,
}

impl PageList {
    /// Adds a page.
    pub fn push(&mut self, page: &SitemapPage) {
        self.add(page.url.as_str(), page.lastmod);
    }

    /// Adds an address as written.
    pub(super) fn add(&mut self, address: &str, lastmod: Option<i64>) {
        let shared = shared_prefix(&self.last.address, address);
        let rest = &address[shared..];
        let needed = rest.len() + NUMBERS;
        if self.blocks.last().is_none_or(|block| block.capacity() - block.len() < needed) {
            let block = Vec::with_capacity(needed.max(BLOCK));
            self.bytes += block.capacity();
            self.blocks.push(block);
        }
        let block = self.blocks.last_mut().expect("one was just made if there was none");
        let step = lastmod.map(|lastmod| lastmod.wrapping_sub(self.last.lastmod));
        *block = postcard::to_extend(&PackedEntry { shared, rest, step }, std::mem::take(block))
            .expect("plain data becomes bytes in memory");
        self.last.lastmod = lastmod.unwrap_or(self.last.lastmod);
        self.last.address.truncate(shared);
        self.last.address.push_str(rest);
        self.count += 1;
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the bytes of memory that the list holds.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Iterates over the pages, in order.
    pub fn iter(&self) -> Pages<'_> {
        Pages(self.entries())
    }

    pub(super) fn entries(&self) -> Entries<'_> {
        Entries { blocks: self.blocks.iter(), block: &[], at: Entry::default() }
    }
}

impl<'l> IntoIterator for &'l PageList {
    type Item = SitemapPage;
    type IntoIter = Pages<'l>;

    fn into_iter(self) -> Pages<'l> {
        self.iter()
    }
}

impl FromIterator<SitemapPage> for PageList {
    fn from_iter<I: IntoIterator<Item = SitemapPage>>(pages: I) -> PageList {
        let mut list = PageList::default();
        for page in pages {
            list.push(&page);
        }
        list
    }
}

/// Iterator over the pages of a list, which unpacks one at a time.
pub struct Pages<'l>(Entries<'l>);

impl Iterator for Pages<'_> {
    type Item = SitemapPage;

    fn next(&mut self) -> Option<SitemapPage> {
        let (address, lastmod) = self.0.next()?;
        let url = Url::parse(address).expect("only addresses were added");
        Some(SitemapPage { url, lastmod })
    }
}

/// Reader of the entries of a list as written.
pub(super) struct Entries<'l> {
    blocks: std::slice::Iter<'l, Vec<u8>>,
    block: &'l [u8],
    at: Entry,
}

impl Entries<'_> {
    /// Returns the next entry. Not an `Iterator`: the entry is borrowed and overwritten by the next one.
    pub(super) fn next(&mut self) -> Option<(&str, Option<i64>)> {
        if self.block.is_empty() {
            self.block = self.blocks.next()?;
        }
        let (PackedEntry { shared, rest, step }, after) =
            postcard::take_from_bytes(self.block).expect("blocks hold whole entries");
        self.block = after;
        self.at.address.truncate(shared);
        self.at.address.push_str(rest);
        self.at.lastmod = self.at.lastmod.wrapping_add(step.unwrap_or_default());
        Some((&self.at.address, step.map(|_| self.at.lastmod)))
    }
}

/// Counts the bytes that both texts begin with, whole characters only.
fn shared_prefix(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    b.floor_char_boundary(same)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unpacked(list: &PageList) -> Vec<(String, Option<i64>)> {
        let mut entries = list.entries();
        let mut all = Vec::new();
        while let Some((address, lastmod)) = entries.next() {
            all.push((address.to_owned(), lastmod));
        }
        all
    }

    #[test]
    fn a_million_usual_pages_take_less_than_forty_megabytes() {
        let mut list = PageList::default();

        for n in 0..100_000_u64 {
            let word = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let address = format!("https://www.shop.example/products/{word:016x}-leather-shoe-{n}");
            list.add(&address, Some(1_700_000_000_000 + (word >> 30).cast_signed()));
        }

        assert!(list.bytes() < 4_000_000 * 12 / 10, "{}", list.bytes());
        assert_eq!(list.len(), 100_000);
    }

    /// Makes addresses, some of which are longer than a block.
    fn address() -> impl Strategy<Value = String> {
        prop_oneof![20 => "[a-cé🫖]{0,12}", 1 => Just("x".repeat(BLOCK + 1))]
    }

    proptest! {
        #[test]
        fn what_was_added_comes_out_in_order(
            entries in proptest::collection::vec((address(), any::<Option<i64>>()), 0..40),
        ) {
            let mut list = PageList::default();

            for (address, lastmod) in &entries {
                list.add(address, *lastmod);
            }

            prop_assert_eq!(list.len(), entries.len());
            prop_assert_eq!(unpacked(&list), entries);
        }
    }
}
