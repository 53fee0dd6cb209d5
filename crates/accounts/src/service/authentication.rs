//! Authentication of API keys: from memory where possible, and without a look-up for texts that cannot be keys. Used
//! by the caller's extractor and the fast path.

use std::sync::Arc;

use store::DbError;

use super::Accounts;
use crate::keys::{KeyHash, KeyKind, is_well_formed};
use crate::model::KeyIdentity;
use crate::queries;

impl Accounts {
    /// Finds whose key this is, from memory alone. `None` says nothing: ask [`Accounts::authenticate`].
    pub fn authenticate_cached(&self, text: &str) -> Option<Arc<KeyIdentity>> {
        if !is_well_formed(KeyKind::Live, text) {
            return None;
        }
        self.cached(KeyHash::of(text))
    }

    /// Returns true when the key may exist, without a look-up. A key that another process made may be unknown for a second.
    pub async fn may_exist(&self, text: &str) -> bool {
        if !is_well_formed(KeyKind::Live, text) {
            return false;
        }
        let hash = KeyHash::of(text);
        // While nothing is known, everything may be.
        let is_known = self.0.follower.current().await.is_ok();
        !is_known || self.0.cache.find(hash).is_some() || self.0.known_keys.contain(hash)
    }

    /// Finds the owner of a key; `None`: the key is unknown, was revoked or has expired. The result may be two seconds old.
    pub async fn authenticate(&self, text: &str) -> Result<Option<Arc<KeyIdentity>>, DbError> {
        if !is_well_formed(KeyKind::Live, text) {
            return Ok(None);
        }
        let hash = KeyHash::of(text);
        if let Some(identity) = self.cached(hash) {
            return Ok(Some(identity));
        }
        let identity = match self.look_up(hash).await {
            Ok(Some(identity)) => self.0.cache.insert(hash, identity),
            Ok(None) => {
                self.0.cache.forget(hash);
                return Ok(None);
            }
            Err(error) if error.is_unavailable() => self.0.cache.find_stale(hash).ok_or(error)?,
            Err(error) => return Err(error),
        };
        let now = self.0.clock.now();
        if !identity.works_at(now) {
            return Ok(None);
        }
        identity.mark_used(now);
        Ok(Some(identity))
    }

    async fn look_up(&self, hash: KeyHash) -> Result<Option<KeyIdentity>, DbError> {
        queries::find_key_identity(&mut self.0.db.read().await?, hash).await
    }

    fn cached(&self, hash: KeyHash) -> Option<Arc<KeyIdentity>> {
        let now = self.0.clock.now();
        let identity = self.0.cache.find(hash).filter(|identity| identity.works_at(now))?;
        identity.mark_used(now);
        Some(identity)
    }
}
