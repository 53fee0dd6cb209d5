//! Parameters that models refuse, remembered for a day by all processes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assistants::providers::{ProviderConnection, Quirks};
use store::{Db, DbError};

use crate::queries::providers;
use platform::clock::{Clock, Timestamp};

const KEPT: Duration = Duration::from_secs(24 * 3600);
/// Quirks that other processes learnt are seen after so long.
const READ_EVERY: Duration = Duration::from_secs(60);

/// Quirks of all models. Cheap to clone.
#[derive(Clone)]
pub struct QuirkBook {
    db: Db,
    clock: Clock,
    known: Arc<Mutex<KnownQuirks>>,
}

#[derive(Default)]
struct KnownQuirks {
    read_at: Option<Timestamp>,
    by_model: HashMap<(String, String), Quirks>,
}

impl QuirkBook {
    pub fn new(db: &Db, clock: &Clock) -> QuirkBook {
        QuirkBook { db: db.clone(), clock: clock.clone(), known: Arc::default() }
    }

    /// Returns the quirks of a connection's model. None are known while the database is away.
    pub async fn of(&self, connection: &ProviderConnection) -> Quirks {
        let now = self.clock.now();
        let is_fresh = |read_at: Timestamp| now.since(read_at) < READ_EVERY && read_at <= now;
        if !self.lock().read_at.is_some_and(is_fresh)
            && let Err(error) = self.read(now).await
        {
            tracing::warn!(%error, "the refused parameters of models could not be read");
        }
        self.lock().by_model.get(&key_of(connection)).cloned().unwrap_or_default()
    }

    async fn read(&self, now: Timestamp) -> Result<(), DbError> {
        let rows = providers::list_quirks(&mut self.db.read().await?, now.minus(KEPT)).await?;
        let by_model =
            rows.into_iter().map(|(provider, model, quirks)| ((provider, model), quirks)).collect();
        *self.lock() = KnownQuirks { read_at: Some(now), by_model };
        Ok(())
    }

    /// Remembers quirks that were learnt beside the known ones.
    pub async fn learn(&self, connection: &ProviderConnection, learnt: &Quirks) {
        if learnt.is_empty() {
            return;
        }
        let key = key_of(connection);
        let all = {
            let mut known = self.lock();
            let quirks = known.by_model.entry(key.clone()).or_default();
            quirks.extend(learnt.iter());
            quirks.clone()
        };
        if let Err(error) = self.write(&key, &all).await {
            tracing::warn!(%error, provider = key.0, "the refused parameters of a model could not be kept");
        }
    }

    async fn write(&self, (provider, model): &(String, String), quirks: &Quirks) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        providers::put_quirks(&mut tx, (provider, model), quirks, self.clock.now()).await?;
        tx.commit().await
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, KnownQuirks> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the key: provider, and base address with model. The address is without its query, which may hold a key.
fn key_of(connection: &ProviderConnection) -> (String, String) {
    let mut base = connection.endpoint(&[]);
    base.set_query(None);
    (connection.provider.to_string(), format!("{base} {}", connection.model()))
}
