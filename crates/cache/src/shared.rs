//! Caches of values that take time to make: one task makes a value while others wait for it.

use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::{Key, Name, Of, Value, typed};

type Making<'a> = Pin<Box<dyn Future<Output = Result<Value, ()>> + Send + 'a>>;

/// Map from keys to values, each of which is made by at most one task at a time. Cheap to clone: clones share their entries.
pub struct SharedCache<K: ?Sized, V> {
    entries: moka::future::Cache<Name, Value>,
    of: Of<K, V>,
}

impl<K: ?Sized, V> Clone for SharedCache<K, V> {
    fn clone(&self) -> SharedCache<K, V> {
        SharedCache { entries: self.entries.clone(), of: PhantomData }
    }
}

impl<K: Key + ?Sized, V: Send + Sync + 'static> SharedCache<K, V> {
    /// Makes a cache with this capacity, in entries, whose entries expire.
    pub fn new(capacity: u64, time_to_live: Duration) -> SharedCache<K, V> {
        let builder = moka::future::Cache::builder().max_capacity(capacity).time_to_live(time_to_live);
        SharedCache { entries: builder.build(), of: PhantomData }
    }

    /// Makes a cache with this capacity, in units of weight. A weight beyond 32 bits counts as the largest of them.
    pub fn weighed(capacity: u64, weigh: impl Fn(&V) -> usize + Send + Sync + 'static) -> SharedCache<K, V> {
        let weigh: Box<dyn Fn(&Value) -> u32 + Send + Sync> = Box::new(move |value| {
            let value = value.downcast_ref().expect("a cache holds values of its type");
            u32::try_from(weigh(value)).unwrap_or(u32::MAX)
        });
        let builder = moka::future::Cache::builder().max_capacity(capacity);
        let builder = builder.weigher(move |_: &Name, value: &Value| weigh(value));
        SharedCache { entries: builder.build(), of: PhantomData }
    }

    /// Returns the value of a key.
    pub async fn get(&self, key: &K) -> Option<Arc<V>> {
        self.entries.get(&owned(key)).await.map(typed)
    }

    /// Returns true when there is a value. Does not count as a use.
    pub fn contains(&self, key: &K) -> bool {
        key.with_bytes(|key| self.entries.contains_key(key))
    }

    /// Returns the value of a key. One caller makes a missing value while the others wait for it.
    pub async fn get_with(&self, key: &K, make: impl Future<Output = V> + Send) -> Arc<V> {
        let made = self.try_get_with(key, async { Ok(make.await) }).await;
        made.expect("what cannot fail was made")
    }

    /// Returns the value of a key, like [`SharedCache::get_with`], when making it may fail. After a failure the
    /// waiting callers get nothing, and the next caller tries again.
    pub async fn try_get_with(
        &self,
        key: &K,
        make: impl Future<Output = Result<V, ()>> + Send,
    ) -> Option<Arc<V>> {
        let making: Making<'_> = Box::pin(async { make.await.map(|value| Arc::new(value) as Value) });
        make_once(&self.entries, owned(key), making).await.map(typed)
    }

    pub async fn remove(&self, key: &K) {
        self.entries.invalidate(&owned(key)).await;
    }
}

fn owned<K: Key + ?Sized>(key: &K) -> Name {
    key.with_bytes(|key| key.into())
}

fn make_once<'a>(
    entries: &'a moka::future::Cache<Name, Value>,
    key: Name,
    making: Making<'a>,
) -> Pin<Box<dyn Future<Output = Option<Value>> + Send + 'a>> {
    Box::pin(async move { entries.try_get_with(key, making).await.ok() })
}
