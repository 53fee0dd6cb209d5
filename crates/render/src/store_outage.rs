//! Outages of the object store. Used by the durable tier: during an outage one operation per pause is tried.
//! Must never count a store that answers as down for longer than one pause.
//! See docs/decisions/0146.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crawler::errors::one_line;
use store::BlobError;
use tokio::time::Instant;

/// Time limit of one operation. Shorter than a lease on a page, so that a render still holds the lease after storing the page.
const RESPONSE_TIME: Duration = if cfg!(test) { Duration::from_secs(2) } else { Duration::from_secs(8) };
/// Pause without operations during an outage, after which one operation is tried.
const PAUSE: Duration = Duration::from_secs(5);
/// Interval at which an outage is logged.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// Failure of an operation.
#[derive(Debug, thiserror::Error)]
pub enum Outage {
    /// The store failed.
    #[error("could not reach the object store")]
    Failed(#[from] BlobError),
    /// The store did not answer in time.
    #[error("the object store took too long")]
    TooSlow,
    /// The store did not answer lately, and the pause is not over.
    #[error("the object store is down")]
    Down,
}

/// Circuit breaker of the object store. Cheap to clone.
#[derive(Clone, Default)]
pub struct StoreOutage(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Time of the next attempt during an outage. None: there is no outage.
    asked_again_at: Option<Instant>,
    last_line: Option<Instant>,
}

impl StoreOutage {
    /// Returns true during an outage, as far as is known.
    pub fn is_on(&self) -> bool {
        self.state().asked_again_at.is_some()
    }

    /// Decides whether an operation may be sent to the store now. During an outage only the first caller after each pause may
    /// send one, which shows whether the store works again.
    fn may_ask(&self) -> bool {
        let mut state = self.state();
        match state.asked_again_at {
            None => true,
            Some(at) if Instant::now() < at => false,
            Some(_) => {
                state.asked_again_at = Some(Instant::now() + PAUSE + RESPONSE_TIME);
                true
            }
        }
    }

    /// Runs one operation of the store within a time limit. During an outage the operation fails at once.
    pub async fn watch<T>(&self, work: impl Future<Output = Result<T, BlobError>>) -> Result<T, Outage> {
        match self.may_ask() {
            true => self.watch_now(work).await,
            false => Err(Outage::Down),
        }
    }

    /// Runs one operation even during an outage, for a write whose work is already done and would be lost.
    pub async fn watch_now<T>(&self, work: impl Future<Output = Result<T, BlobError>>) -> Result<T, Outage> {
        let error = match tokio::time::timeout(RESPONSE_TIME, work).await {
            Ok(Ok(done)) => {
                self.state().asked_again_at = None;
                return Ok(done);
            }
            Ok(Err(error)) => Outage::Failed(error),
            Err(_) => Outage::TooSlow,
        };
        self.note(&error);
        Err(error)
    }

    fn note(&self, error: &Outage) {
        let now = Instant::now();
        let mut state = self.state();
        state.asked_again_at = Some(now + PAUSE);
        if state.last_line.is_none_or(|last| now.duration_since(last) >= LINE_EVERY) {
            state.last_line = Some(now);
            drop(state);
            tracing::error!(error = %one_line(error), "the object store does not answer: pages come from memory, else from their origins");
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::{Context, SubscriberExt};

    use super::*;

    /// Counter of the lines of the log.
    #[derive(Clone, Default)]
    struct Lines(Arc<AtomicUsize>);

    impl<S: tracing::Subscriber> Layer<S> for Lines {
        fn on_event(&self, _: &tracing::Event<'_>, _: Context<'_, S>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn hangs() -> Result<(), BlobError> {
        std::future::pending().await
    }

    async fn fails() -> Result<(), BlobError> {
        Err(BlobError::Corrupt)
    }

    async fn works() -> Result<(), BlobError> {
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_is_down_is_asked_by_one_in_five_seconds() {
        let outage = StoreOutage::default();

        let first = outage.watch(hangs()).await;
        let second = outage.watch(works()).await;
        tokio::time::advance(PAUSE).await;
        let probe = outage.may_ask();
        let beside_the_probe = outage.may_ask();

        assert!(matches!(first, Err(Outage::TooSlow)), "{first:?}");
        assert!(matches!(second, Err(Outage::Down)), "{second:?}");
        assert!(probe && !beside_the_probe);
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_answer_ends_an_outage() {
        let outage = StoreOutage::default();
        outage.watch(fails()).await.unwrap_err();
        tokio::time::advance(PAUSE).await;

        outage.watch(works()).await.unwrap();

        assert!(!outage.is_on() && outage.may_ask());
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_was_dropped_is_followed_by_another() {
        let outage = StoreOutage::default();
        outage.watch(fails()).await.unwrap_err();
        tokio::time::advance(PAUSE).await;
        let dropped = tokio::time::timeout(Duration::from_millis(1), outage.watch(hangs())).await;

        tokio::time::advance(PAUSE + RESPONSE_TIME).await;

        assert!(dropped.is_err());
        outage.watch(works()).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_is_a_line_of_the_log_a_minute_however_much_is_asked_for() {
        let lines = Lines::default();
        let _logged = tracing::subscriber::set_default(tracing_subscriber::registry().with(lines.clone()));
        let outage = StoreOutage::default();

        // Three minutes, with one read and one write every five seconds.
        for _ in 0..36 {
            let _ = outage.watch(fails()).await;
            let _ = outage.watch_now(fails()).await;
            tokio::time::advance(PAUSE).await;
        }

        assert_eq!(lines.0.load(Ordering::Relaxed), 3);
    }
}
