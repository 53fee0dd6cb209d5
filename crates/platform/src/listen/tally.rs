//! Counts what is in progress per key, with a limit: connections of an address, requests of a domain. Keys of which nothing
//! is in progress take no memory.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The counts. Cheap to clone; clones count together.
#[derive(Debug)]
pub struct Tally<K>(Arc<Mutex<HashMap<K, usize>>>);

/// One thing in progress; over when dropped.
#[derive(Debug)]
pub struct Counted<K: Eq + Hash> {
    key: K,
    tally: Tally<K>,
    is_resting: bool,
}

impl<K> Clone for Tally<K> {
    fn clone(&self) -> Tally<K> {
        Tally(self.0.clone())
    }
}

impl<K> Default for Tally<K> {
    fn default() -> Tally<K> {
        Tally(Arc::default())
    }
}

impl<K: Eq + Hash + Clone> Tally<K> {
    /// Counts one more; none when there are `limit` of the key already.
    pub fn count(&self, key: K, limit: usize) -> Option<Counted<K>> {
        let mut counts = self.counts();
        let count = counts.entry(key.clone()).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(Counted { key, tally: self.clone(), is_resting: false })
    }

    /// How many of a key are in progress.
    pub fn number_of<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> usize
    where
        K: std::borrow::Borrow<Q>,
    {
        self.counts().get(key).copied().unwrap_or_default()
    }

    /// Whether nothing is in progress.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.counts().is_empty()
    }
}

impl<K> Tally<K> {
    fn counts(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Counted<K> {
    /// Does not count for now.
    pub fn rest(&mut self) {
        if std::mem::replace(&mut self.is_resting, true) {
            return;
        }
        let mut counts = self.tally.counts();
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

impl<K: Eq + Hash + Clone> Counted<K> {
    /// Counts again, however many there are by now.
    pub fn resume(&mut self) {
        if std::mem::replace(&mut self.is_resting, false) {
            *self.tally.counts().entry(self.key.clone()).or_default() += 1;
        }
    }
}

impl<K: Eq + Hash> Drop for Counted<K> {
    fn drop(&mut self) {
        self.rest();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_at_its_limit_is_refused_until_one_of_its_things_ends() {
        let tally = Tally::default();
        let first = tally.count("a", 1);

        assert!(first.is_some() && tally.count("a", 1).is_none() && tally.count("b", 1).is_some());
        drop(first);
        assert!(tally.count("a", 1).is_some());
        assert!(tally.is_empty());
    }

    #[test]
    fn what_rests_leaves_its_place_to_others_and_counts_again_beside_them() {
        let tally = Tally::default();
        let mut first = tally.count("a", 1).unwrap();

        first.rest();
        first.rest();
        let second = tally.count("a", 1);
        assert!(second.is_some());
        first.resume();
        first.resume();
        assert!(tally.count("a", 2).is_none());

        drop((first, second));
        assert!(tally.is_empty());
    }

    #[test]
    fn a_limit_of_nothing_leaves_nothing_in_memory() {
        let tally = Tally::default();
        let first = tally.count("a", 1);
        assert!(tally.count("a", 1).is_none());
        drop(first);

        assert!(tally.is_empty());
    }
}
