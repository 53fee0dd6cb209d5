//! Health of providers over all processes: failures in a row, the breaker, the model that answered last.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assistants::providers::Provider;
use assistants::providers::wire::{FailureClass, ProviderFailure};
use store::{Db, DbError};

use super::failure::code_of;
use crate::connections::lane_of;
use crate::queries::providers;
use platform::clock::{Clock, Timestamp};
use platform::jobs::Jobs;

/// Refusals of the key in a row that open the breaker, and failures of any kind.
const AUTH_FAILURES: i64 = 3;
const FAILURES: i64 = 10;
/// Time for which the breaker opens: doubled with every opening up to the longest.
const FIRST_OPENING: Duration = Duration::from_secs(60);
const LONGEST_OPENING: Duration = Duration::from_secs(30 * 60);
/// An answer after an answer is noted so rarely: failures of other processes in between are seen then.
const NOTE_EVERY: Duration = Duration::from_secs(10);

/// Health of all providers. Cheap to clone.
#[derive(Clone)]
pub struct ProviderHealth {
    db: Db,
    clock: Clock,
    jobs: Jobs,
    /// Last noted answer of each provider: its time and its model.
    noted: Arc<Mutex<HashMap<Provider, (Timestamp, String)>>>,
}

impl ProviderHealth {
    pub fn new(db: &Db, clock: &Clock, jobs: &Jobs) -> ProviderHealth {
        ProviderHealth { db: db.clone(), clock: clock.clone(), jobs: jobs.clone(), noted: Arc::default() }
    }

    /// Records an answer: the provider works.
    pub async fn record_answer(&self, provider: Provider, served_model: &str) {
        let now = self.clock.now();
        {
            let mut noted = self.lock();
            let is_known = |(at, model): &(Timestamp, String)| {
                *at <= now && now.since(*at) < NOTE_EVERY && model == served_model
            };
            if noted.get(&provider).is_some_and(is_known) {
                return;
            }
            noted.insert(provider, (now, served_model.to_owned()));
        }
        match self.write_answer(provider, served_model, now).await {
            Ok(Some(before)) => {
                tracing::info!(%provider, before, served_model, "another model answers than before");
            }
            Ok(None) => {}
            Err(error) => {
                self.lock().remove(&provider);
                tracing::warn!(%error, %provider, "the health of a provider could not be written");
            }
        }
    }

    async fn write_answer(
        &self,
        provider: Provider,
        served_model: &str,
        now: Timestamp,
    ) -> Result<Option<String>, DbError> {
        let mut tx = self.db.write().await?;
        let before = providers::record_answer(&mut tx, provider.as_str(), served_model, now).await?;
        tx.commit().await?;
        Ok(before)
    }

    /// Records a failed call, and opens the breaker after too many in a row. What the provider only declines to answer, and
    /// what its limits hold back, is not a failure.
    pub async fn record_failure(&self, provider: Provider, failure: &ProviderFailure) {
        if matches!(failure.class, FailureClass::Refused | FailureClass::Throttle | FailureClass::Quota) {
            return;
        }
        self.lock().remove(&provider);
        if let Err(error) = self.write_failure(provider, failure).await {
            tracing::warn!(%error, %provider, "the health of a provider could not be written");
        }
    }

    async fn write_failure(&self, provider: Provider, failure: &ProviderFailure) -> Result<(), DbError> {
        let now = self.clock.now();
        let is_auth = failure.class == FailureClass::Auth;
        let mut tx = self.db.write().await?;
        let code = code_of(failure).as_str();
        let state =
            providers::record_failure(&mut tx, provider.as_str(), (is_auth, code, &failure.detail), now)
                .await?;
        let is_broken = state.auth_failures >= AUTH_FAILURES || state.failures >= FAILURES;
        // Calls that were in progress when it opened fail too.
        if is_broken && state.open_until <= now.as_millis() {
            let doubled =
                FIRST_OPENING * 2u32.saturating_pow(u32::try_from(state.openings).unwrap_or(6).min(6));
            let rest = doubled.min(LONGEST_OPENING);
            providers::record_opening(&mut tx, provider.as_str(), now.plus(rest)).await?;
            self.jobs.rest_lane(&mut tx, &lane_of(provider.as_str()), rest).await?;
            metrics::counter!("glasshouse_mention_breaker_openings_total", "provider" => provider.as_str())
                .increment(1);
            tracing::warn!(%provider, code, detail = failure.detail, rest_s = rest.as_secs(),
                "a provider fails and is left alone");
        }
        tx.commit().await
    }

    /// Leaves a provider alone for a time, because it says that a limit is nearly used up.
    pub async fn rest(&self, provider: Provider, pause: Duration) {
        let rest = async {
            let mut tx = self.db.write().await?;
            self.jobs.rest_lane(&mut tx, &lane_of(provider.as_str()), pause).await?;
            tx.commit().await
        };
        if let Err(error) = rest.await {
            tracing::warn!(%error, %provider, "the pause of a provider could not be written");
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Provider, (Timestamp, String)>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
