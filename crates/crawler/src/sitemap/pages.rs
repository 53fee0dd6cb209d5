//! Packed list of addresses with their dates: a site may have a million pages, and each address begins like the one before.
//! Filled by the reader, and read in order by its callers.

use url::Url;

use super::SitemapPage;

/// Size of a block: the list grows by blocks, so that growing never copies entries.
const BLOCK: usize = 64 << 10;
/// Upper bound of the bytes of an entry's three numbers.
const NUMBERS: usize = 32;

/// Addresses in the order they were added. An entry holds the difference from the one before: number of shared bytes,
/// the remaining bytes, and the difference of the dates.
#[derive(Debug, Clone, Default)]
pub struct PageList {
    blocks: Vec<Vec<u8>>,
    bytes: usize,
    count: usize,
    last: Entry,
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
        put_number(block, shared as u64);
        put_number(block, (rest.len() as u64) << 1 | u64::from(lastmod.is_some()));
        block.extend_from_slice(rest.as_bytes());
        if let Some(lastmod) = lastmod {
            let step = lastmod.wrapping_sub(self.last.lastmod);
            // Small steps in either direction become small numbers.
            put_number(block, (step << 1 ^ step >> 63).cast_unsigned());
            self.last.lastmod = lastmod;
        }
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
        let shared = usize::try_from(self.number()?).ok()?;
        let length = self.number()?;
        let (rest, after) = self.block.split_at_checked(usize::try_from(length >> 1).ok()?)?;
        self.block = after;
        self.at.address.truncate(shared);
        self.at.address.push_str(std::str::from_utf8(rest).expect("addresses are cut between characters"));
        let lastmod = match length & 1 {
            0 => None,
            _ => {
                let number = self.number()?.cast_signed();
                let step = (number.cast_unsigned() >> 1).cast_signed() ^ -(number & 1);
                self.at.lastmod = self.at.lastmod.wrapping_add(step);
                Some(self.at.lastmod)
            }
        };
        Some((&self.at.address, lastmod))
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, after) = self.block.split_first()?;
            self.block = after;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
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
