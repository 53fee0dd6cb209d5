//! Number of things in progress by key, with a limit: connections of an address, orders of an account. A key without
//! anything in progress takes no memory.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Slots in use by key. Cheap to clone: clones count together.
#[derive(Debug)]
pub struct KeyedCount<K>(Arc<Mutex<HashMap<K, usize>>>);

/// A slot of a key, released when dropped.
#[derive(Debug)]
pub struct KeyedSlot<K: Eq + Hash> {
    key: K,
    slots: KeyedCount<K>,
    is_released: bool,
}

impl<K> Clone for KeyedCount<K> {
    fn clone(&self) -> KeyedCount<K> {
        KeyedCount(self.0.clone())
    }
}

impl<K> Default for KeyedCount<K> {
    fn default() -> KeyedCount<K> {
        KeyedCount(Arc::default())
    }
}

impl<K: Eq + Hash + Clone> KeyedCount<K> {
    /// Acquires a slot of a key. Returns none when `limit` of them are in use.
    pub fn acquire(&self, key: K, limit: usize) -> Option<KeyedSlot<K>> {
        let mut in_use = self.lock();
        if in_use.get(&key).copied().unwrap_or_default() >= limit {
            return None;
        }
        *in_use.entry(key.clone()).or_default() += 1;
        drop(in_use);
        Some(KeyedSlot { key, slots: self.clone(), is_released: false })
    }
}

impl<K: Eq + Hash> KeyedCount<K> {
    /// Returns the slots of a key that are in use.
    pub fn in_use<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.lock().get(key).copied().unwrap_or_default()
    }

    /// Returns the number of keys that have a slot in use.
    pub fn keys(&self) -> usize {
        self.lock().len()
    }
}

impl<K> KeyedCount<K> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> KeyedSlot<K> {
    /// Releases the slot for now.
    pub fn release(&mut self) {
        if std::mem::replace(&mut self.is_released, true) {
            return;
        }
        let mut in_use = self.slots.lock();
        if let Some(count) = in_use.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                in_use.remove(&self.key);
            }
        }
    }
}

impl<K: Eq + Hash + Clone> KeyedSlot<K> {
    /// Acquires the slot again, above the limit if need be.
    pub fn reacquire(&mut self) {
        if std::mem::replace(&mut self.is_released, false) {
            *self.slots.lock().entry(self.key.clone()).or_default() += 1;
        }
    }
}

impl<K: Eq + Hash> Drop for KeyedSlot<K> {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_at_its_limit_is_refused_until_one_of_its_slots_is_released() {
        let count = KeyedCount::default();
        let first = count.acquire("a", 1);

        assert!(first.is_some() && count.acquire("a", 1).is_none() && count.acquire("b", 1).is_some());
        drop(first);
        assert!(count.acquire("a", 1).is_some());
        assert_eq!(count.keys(), 0);
    }

    #[test]
    fn a_released_slot_is_free_for_others_and_is_acquired_again_beside_them() {
        let count = KeyedCount::default();
        let mut first = count.acquire("a", 1).unwrap();

        first.release();
        first.release();
        let second = count.acquire("a", 1);
        assert!(second.is_some());
        first.reacquire();
        first.reacquire();
        assert!(count.acquire("a", 2).is_none());

        drop((first, second));
        assert_eq!(count.keys(), 0);
    }

    #[test]
    fn a_key_without_slots_takes_no_memory() {
        let count = KeyedCount::default();
        let first = count.acquire("a", 1);
        assert!(count.acquire("a", 1).is_none() && count.acquire("b", 0).is_none());
        drop(first);

        assert_eq!(count.keys(), 0);
    }
}
