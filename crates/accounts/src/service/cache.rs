//! API keys that were looked up lately. On the path of every request, so a hit allocates nothing.
//! Must never answer with an entry older than two seconds while the database is there: a revocation made elsewhere has to
//! take effect.
//! See docs/decisions/0015.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cache::Cache;

use crate::keys::KeyHash;
use crate::model::{KeyId, KeyIdentity};
use platform::clock::Timestamp;

const LIFETIME: Duration = Duration::from_secs(2);
/// Lifetime of an entry while the database is away: crawlers keep getting snapshots over its restart.
const LIFETIME_WITHOUT_DATABASE: Duration = Duration::from_secs(60);
const CAPACITY: u64 = 10_000;

/// Uses of keys that are not written down yet, of identities that left the cache.
type Uses = Arc<Mutex<HashMap<KeyId, Timestamp>>>;

/// Identities by the hash of their key.
pub(super) struct KeyCache {
    entries: Cache<KeyHash, Entry>,
    uses: Uses,
}

struct Entry {
    identity: Arc<KeyIdentity>,
    /// Measured by the machine, not by the clock: a stepped clock must not prolong a revoked key's life.
    loaded: Instant,
}

impl Default for KeyCache {
    fn default() -> KeyCache {
        let uses = Uses::default();
        let kept = uses.clone();
        let entries = Cache::builder(CAPACITY)
            .time_to_live(LIFETIME_WITHOUT_DATABASE)
            .on_leave(move |entry: Arc<Entry>| keep_use(&kept, &entry.identity))
            .build();
        KeyCache { entries, uses }
    }
}

impl KeyCache {
    pub(super) fn find(&self, hash: KeyHash) -> Option<Arc<KeyIdentity>> {
        self.find_within(hash, LIFETIME)
    }

    /// Returns an entry that may be outdated, for use while the database is away.
    pub(super) fn find_stale(&self, hash: KeyHash) -> Option<Arc<KeyIdentity>> {
        self.find_within(hash, LIFETIME_WITHOUT_DATABASE)
    }

    pub(super) fn insert(&self, hash: KeyHash, identity: KeyIdentity) -> Arc<KeyIdentity> {
        let identity = Arc::new(identity);
        self.entries.insert(&hash, Entry { identity: identity.clone(), loaded: Instant::now() });
        identity
    }

    pub(super) fn forget(&self, hash: KeyHash) {
        self.entries.remove(&hash);
    }

    /// Forgets everything, because something in this process changed an account or a key.
    pub(super) fn clear(&self) {
        self.entries.clear();
    }

    /// Takes the last uses that are not written down yet.
    pub(super) fn take_uses(&self) -> HashMap<KeyId, Timestamp> {
        self.entries.settle();
        let mut uses = std::mem::take(&mut *self.uses.lock().unwrap_or_else(PoisonError::into_inner));
        for entry in self.entries.values() {
            if let Some(at) = entry.identity.take_use() {
                uses.insert(entry.identity.key.clone(), at);
            }
        }
        uses
    }

    fn find_within(&self, hash: KeyHash, lifetime: Duration) -> Option<Arc<KeyIdentity>> {
        let entry = self.entries.get(&hash)?;
        (entry.loaded.elapsed() < lifetime).then(|| entry.identity.clone())
    }
}

fn keep_use(uses: &Uses, identity: &KeyIdentity) {
    if let Some(at) = identity.take_use() {
        uses.lock().unwrap_or_else(PoisonError::into_inner).insert(identity.key.clone(), at);
    }
}
