//! Addresses as numbers: each path is kept once, in one piece of memory. A million of them take about 80 MB.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// An address of the site, by the order in which it was seen.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct UrlId(u32);

impl UrlId {
    /// Returns the position of the number among all numbers.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Bounds of the known addresses. A site can name addresses without end.
#[derive(Debug, Clone, Copy)]
pub struct AddressLimits {
    /// Addresses.
    pub count: usize,
    /// Bytes of all of them.
    pub bytes: usize,
}

impl AddressLimits {
    /// Returns the bounds of an audit of this many pages: two hundred addresses for each, 2,000,000 at most.
    pub fn for_pages(pages: usize) -> AddressLimits {
        let count = pages.saturating_mul(200).saturating_add(100_000).min(2_000_000);
        AddressLimits { count, bytes: count * 128 }
    }
}

/// Paths and queries with their numbers.
#[derive(Default)]
pub struct Interner {
    limits: Option<AddressLimits>,
    left_out: usize,
    text: String,
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Interner {
    /// Returns the number of a key, a new one if the key is new.
    pub fn intern(&mut self, key: &str) -> UrlId {
        let hash = self.hasher.hash_one(key);
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        if let Some(id) = self.table.find(hash, |id| slice(text, ends, *id) == key) {
            return UrlId(*id);
        }
        let id = u32::try_from(self.ends.len())
            .expect("limits keep the number of addresses below four thousand million");
        self.table.insert_unique(hash, id, |id| hasher.hash_one(slice(text, ends, *id)));
        self.text.push_str(key);
        self.ends.push(self.text.len());
        UrlId(id)
    }

    /// Sets the bounds that [`Interner::admit`] keeps.
    pub fn limit(&mut self, limits: AddressLimits) {
        self.limits = Some(limits);
    }

    /// Returns the number of a key, a new one if it was not seen before; none when the bounds allow no new one.
    pub fn admit(&mut self, key: &str) -> Option<UrlId> {
        let is_full = self.limits.is_some_and(|limits| {
            self.ends.len() >= limits.count || self.text.len() + key.len() > limits.bytes
        });
        if !is_full {
            return Some(self.intern(key));
        }
        let known = self.find(key);
        self.left_out += usize::from(known.is_none());
        known
    }

    /// Returns how often the bounds allowed no new number.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    pub fn find(&self, key: &str) -> Option<UrlId> {
        let hash = self.hasher.hash_one(key);
        self.table.find(hash, |id| slice(&self.text, &self.ends, *id) == key).map(|id| UrlId(*id))
    }

    pub fn key(&self, id: UrlId) -> &str {
        slice(&self.text, &self.ends, id.0)
    }

    /// Returns numbers and keys from the `first` one on, in the order of their first use.
    pub fn from(&self, first: usize) -> impl Iterator<Item = (UrlId, &str)> {
        Interner::keys(&self.text, &self.ends, first)
    }

    fn keys<'a>(text: &'a str, ends: &'a [usize], first: usize) -> impl Iterator<Item = (UrlId, &'a str)> {
        (first..ends.len()).map(move |index| {
            let id = index as u32;
            (UrlId(id), slice(text, ends, id))
        })
    }

    /// Gives keys new numbers, in the order of their texts. Returns the new numbers by the old ones.
    pub fn sort(&mut self) -> Vec<UrlId> {
        // With a million keys each list counts, so none lives longer than it has to.
        self.table = HashTable::new();
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.sort_unstable_by_key(|id| slice(&self.text, &self.ends, *id));
        let (mut text, mut ends) = (String::with_capacity(self.text.len()), Vec::with_capacity(order.len()));
        let mut numbers = vec![UrlId::default(); order.len()];
        for (number, id) in (0..).zip(order) {
            text.push_str(slice(&self.text, &self.ends, id));
            ends.push(text.len());
            numbers[id as usize] = UrlId(number);
        }
        (self.text, self.ends) = (text, ends);
        self.table = HashTable::with_capacity(self.ends.len());
        for (UrlId(id), key) in Interner::keys(&self.text, &self.ends, 0) {
            let hash_of = |id: &u32| self.hasher.hash_one(slice(&self.text, &self.ends, *id));
            self.table.insert_unique(self.hasher.hash_one(key), id, hash_of);
        }
        numbers
    }

    /// Returns the number of addresses.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true when there are no addresses.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], id: u32) -> &'a str {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &text[start..ends[id]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_one_number_and_each_number_its_key() {
        let mut urls = Interner::default();
        let keys: Vec<String> = (0..5000).map(|number| format!("/page/{number}")).collect();

        let ids: Vec<UrlId> = keys.iter().chain(&keys).map(|key| urls.intern(key)).collect();

        assert_eq!(urls.len(), 5000);
        assert_eq!(ids[..5000], ids[5000..]);
        assert!(keys.iter().zip(&ids).all(|(key, id)| urls.key(*id) == key));
        assert_eq!(urls.find("/other"), None);
    }

    #[test]
    fn a_full_list_gives_numbers_to_what_it_knows_only() {
        let mut urls = Interner::default();
        urls.limit(AddressLimits { count: 2, bytes: 100 });

        let ids = ["/a", "/b", "/c", "/a"].map(|key| urls.admit(key).map(UrlId::index));

        assert_eq!(ids, [Some(0), Some(1), None, Some(0)]);
        assert_eq!((urls.left_out(), urls.len()), (1, 2));
    }

    #[test]
    fn sorted_keys_have_the_numbers_of_their_order() {
        let mut urls = Interner::default();
        let old = ["/c", "/a", "/b"].map(|key| urls.intern(key));

        let numbers = urls.sort();

        assert!(urls.from(0).map(|(_, key)| key).eq(["/a", "/b", "/c"]));
        assert!(
            ["/c", "/a", "/b"].iter().zip(old).all(|(key, id)| urls.find(key) == Some(numbers[id.index()]))
        );
    }
}
