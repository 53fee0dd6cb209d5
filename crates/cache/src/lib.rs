//! In-memory caches, bounded by count or bytes. A typed wrapper around moka, which is compiled here once and not
//! again for each of the application's more than twenty pairs of types.
//! See docs/decisions/0285.

mod key;
mod shared;

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

pub use key::Key;
pub use shared::SharedCache;

/// Untyped value of a moka entry.
type Value = Arc<dyn Any + Send + Sync>;
/// Key bytes of a moka entry.
type Name = Box<[u8]>;
/// Marker of the key and value types. A stored key may live longer than the key of a lookup.
type Of<K, V> = PhantomData<(fn() -> Box<K>, fn() -> V)>;
type Weigher = Box<dyn Fn(&[u8], &Value) -> u32 + Send + Sync>;
type Listener = Box<dyn Fn(Value) + Send + Sync>;

/// Map from keys to values of bounded size. The least used entries are evicted when it is full. Cheap to clone:
/// clones share their entries.
pub struct Cache<K: ?Sized, V> {
    entries: moka::sync::Cache<Name, Value>,
    of: Of<K, V>,
}

impl<K: ?Sized, V> Clone for Cache<K, V> {
    fn clone(&self) -> Cache<K, V> {
        Cache { entries: self.entries.clone(), of: PhantomData }
    }
}

impl<K: ?Sized, V> std::fmt::Debug for Cache<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache").field("entries", &self.entries.entry_count()).finish_non_exhaustive()
    }
}

impl<K: Key + ?Sized, V: Send + Sync + 'static> Cache<K, V> {
    /// Makes a cache with this capacity, in entries.
    pub fn new(capacity: u64) -> Cache<K, V> {
        Cache::builder(capacity).build()
    }

    /// Starts a cache with this capacity, in entries or, with a weigher, in units of weight.
    pub fn builder(capacity: u64) -> Builder<K, V> {
        Builder { capacity, ..Builder::default() }
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        key.with_bytes(|key| self.entries.get(key)).map(typed)
    }

    /// Returns true when there is a value. Does not count as a use.
    pub fn contains(&self, key: &K) -> bool {
        key.with_bytes(|key| self.entries.contains_key(key))
    }

    /// Returns the value of a key. One caller makes a missing value while the others wait for it.
    pub fn get_with(&self, key: &K, make: impl FnOnce() -> V) -> Arc<V> {
        let mut make = Some(make);
        let mut make = || -> Value { Arc::new(make.take().expect("moka makes a value once")()) };
        typed(key.with_bytes(|key| get_with(&self.entries, key, &mut make)))
    }

    /// Inserts or replaces a value. A cache of capacity 0 keeps nothing, not even for a moment.
    pub fn insert(&self, key: &K, value: impl Into<Arc<V>>) {
        if self.entries.policy().max_capacity() == Some(0) {
            return;
        }
        let value: Value = value.into();
        key.with_bytes(|key| self.entries.insert(key.into(), value));
    }

    /// Inserts a value when there is none. Returns true when it was inserted: of concurrent callers, one gets true.
    pub fn insert_if_absent(&self, key: &K, value: V) -> bool {
        let value: Value = Arc::new(value);
        key.with_bytes(|key| self.entries.entry(key.into()).or_insert(value).is_fresh())
    }

    /// Replaces the value of a key by the result of `choose`, atomically.
    pub fn upsert(&self, key: &K, choose: impl FnOnce(Option<Arc<V>>) -> Arc<V>) {
        let mut choose = Some(choose);
        let mut choose = |present: Option<Value>| -> Value {
            choose.take().expect("moka chooses once")(present.map(typed))
        };
        key.with_bytes(|key| upsert(&self.entries, key, &mut choose));
    }

    pub fn remove(&self, key: &K) {
        key.with_bytes(|key| self.entries.invalidate(key));
    }

    /// Removes all entries.
    pub fn clear(&self) {
        self.entries.invalidate_all();
    }

    /// Returns all values, in no order.
    pub fn values(&self) -> impl Iterator<Item = Arc<V>> + '_ {
        self.entries.iter().map(|(_, value)| typed(value))
    }

    /// Runs pending maintenance at once: evicts entries above the capacity and calls the listener.
    pub fn settle(&self) {
        self.entries.run_pending_tasks();
    }

    /// Returns the number of entries as of the last `settle`.
    pub fn len(&self) -> u64 {
        self.entries.entry_count()
    }

    /// Returns true for an empty cache, as of the last `settle`.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Settings of a new cache.
pub struct Builder<K: ?Sized, V> {
    capacity: u64,
    weigher: Option<Weigher>,
    listener: Option<Listener>,
    time_to_live: Option<Duration>,
    time_to_idle: Option<Duration>,
    keeps_newest: bool,
    of: Of<K, V>,
}

impl<K: ?Sized, V> Default for Builder<K, V> {
    fn default() -> Builder<K, V> {
        Builder {
            capacity: 0,
            weigher: None,
            listener: None,
            time_to_live: None,
            time_to_idle: None,
            keeps_newest: false,
            of: PhantomData,
        }
    }
}

impl<K: Key + ?Sized, V: Send + Sync + 'static> Builder<K, V> {
    /// Sets the function that weighs an entry, in units of the capacity. A weight beyond 32 bits counts as the
    /// largest of them.
    pub fn weigher(mut self, weigh: impl Fn(&[u8], &V) -> usize + Send + Sync + 'static) -> Builder<K, V> {
        self.weigher = Some(Box::new(move |key, value| {
            let value = value.downcast_ref().expect("a cache holds values of its type");
            u32::try_from(weigh(key, value)).unwrap_or(u32::MAX)
        }));
        self
    }

    /// Sets the listener that is called with each value that leaves the cache, for whatever reason.
    pub fn on_leave(mut self, told: impl Fn(Arc<V>) + Send + Sync + 'static) -> Builder<K, V> {
        self.listener = Some(Box::new(move |value| told(typed(value))));
        self
    }

    /// Limits the age of an entry.
    pub fn time_to_live(mut self, time: Duration) -> Builder<K, V> {
        self.time_to_live = Some(time);
        self
    }

    /// Limits the time since the last use of an entry.
    pub fn time_to_idle(mut self, time: Duration) -> Builder<K, V> {
        self.time_to_idle = Some(time);
        self
    }

    /// Sets the eviction policy to LRU: a new entry is always taken, and the longest unused one is evicted.
    pub fn keeps_newest(mut self) -> Builder<K, V> {
        self.keeps_newest = true;
        self
    }

    /// Builds the empty cache.
    pub fn build(self) -> Cache<K, V> {
        let mut builder = moka::sync::Cache::builder().max_capacity(self.capacity);
        if let Some(weigh) = self.weigher {
            builder = builder.weigher(move |key: &Name, value: &Value| weigh(key, value));
        }
        if let Some(told) = self.listener {
            builder = builder.eviction_listener(move |_, value, _| told(value));
        }
        if let Some(time) = self.time_to_live {
            builder = builder.time_to_live(time);
        }
        if let Some(time) = self.time_to_idle {
            builder = builder.time_to_idle(time);
        }
        if self.keeps_newest {
            builder = builder.eviction_policy(moka::policy::EvictionPolicy::lru());
        }
        Cache { entries: builder.build(), of: PhantomData }
    }
}

fn typed<V: Send + Sync + 'static>(value: Value) -> Arc<V> {
    value.downcast().expect("a cache holds values of its type")
}

fn get_with(entries: &moka::sync::Cache<Name, Value>, key: &[u8], make: &mut dyn FnMut() -> Value) -> Value {
    entries.get(key).unwrap_or_else(|| entries.get_with(key.into(), make))
}

fn upsert(
    entries: &moka::sync::Cache<Name, Value>,
    key: &[u8],
    choose: &mut dyn FnMut(Option<Value>) -> Value,
) {
    entries.entry(key.into()).and_upsert_with(|present| choose(present.map(moka::Entry::into_value)));
}

#[cfg(test)]
mod tests;
