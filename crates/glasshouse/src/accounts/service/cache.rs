//! API keys that were looked up in the last two seconds. On the path of every request, so a hit allocates nothing.
//! Must never answer with an older entry while the database is there: a revocation made elsewhere has to take effect.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::accounts::keys::KeyHash;
use crate::accounts::model::{KeyId, KeyIdentity};
use crate::clock::Timestamp;

const LIFETIME: Duration = Duration::from_secs(2);
/// How long an entry answers while the database is away: crawlers keep getting snapshots over its restart.
const LIFETIME_WITHOUT_DATABASE: Duration = Duration::from_secs(60);
const CAPACITY: usize = 10_000;

/// Identities by the hash of their key.
#[derive(Default)]
pub(super) struct KeyCache(RwLock<Entries>);

#[derive(Default)]
struct Entries {
    live: HashMap<KeyHash, Entry>,
    /// Uses of identities that left the cache and are not written down yet.
    uses: HashMap<KeyId, Timestamp>,
}

struct Entry {
    identity: Arc<KeyIdentity>,
    /// Measured by the machine, not by the clock: a stepped clock must not prolong a revoked key's life.
    loaded: Instant,
}

impl KeyCache {
    pub(super) fn find(&self, hash: KeyHash) -> Option<Arc<KeyIdentity>> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.live.get(&hash)?;
        (entry.loaded.elapsed() < LIFETIME).then(|| entry.identity.clone())
    }

    /// The entry at any age that is bearable while nobody can say whether it is still right.
    pub(super) fn find_stale(&self, hash: KeyHash) -> Option<Arc<KeyIdentity>> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.live.get(&hash)?;
        (entry.loaded.elapsed() < LIFETIME_WITHOUT_DATABASE).then(|| entry.identity.clone())
    }

    pub(super) fn insert(&self, hash: KeyHash, identity: KeyIdentity) -> Arc<KeyIdentity> {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if entries.live.len() >= CAPACITY {
            entries.clear();
        }
        let identity = Arc::new(identity);
        let entry = Entry { identity: identity.clone(), loaded: Instant::now() };
        if let Some(old) = entries.live.insert(hash, entry) {
            entries.keep_use(&old);
        }
        identity
    }

    pub(super) fn forget(&self, hash: KeyHash) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = entries.live.remove(&hash) {
            entries.keep_use(&old);
        }
    }

    /// Forgets everything, because something in this process changed an account or a key.
    pub(super) fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Takes the last uses that are not written down yet. Entries too old for anything are dropped on the way.
    pub(super) fn take_uses(&self) -> HashMap<KeyId, Timestamp> {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut uses = std::mem::take(&mut entries.uses);
        for entry in entries.live.values() {
            if let Some(at) = entry.identity.take_use() {
                uses.insert(entry.identity.key.clone(), at);
            }
        }
        entries.live.retain(|_, entry| entry.loaded.elapsed() < LIFETIME_WITHOUT_DATABASE);
        uses
    }
}

impl Entries {
    fn clear(&mut self) {
        for entry in std::mem::take(&mut self.live).into_values() {
            self.keep_use(&entry);
        }
    }

    fn keep_use(&mut self, entry: &Entry) {
        if let Some(at) = entry.identity.take_use() {
            self.uses.insert(entry.identity.key.clone(), at);
        }
    }
}
