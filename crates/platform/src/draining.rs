//! Drain state of the process: begun by the first signal to end, while connections are still taken for `server.drain_s`.
//! Set by `serve`; read by listeners, the worker and the health of the process. Must never end anything by itself.
//! See docs/decisions/0418.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

/// Drain state of one process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Draining(Arc<DrainState>);

#[derive(Debug, Default)]
struct DrainState {
    /// Read at every request, which a token's lock is too expensive for.
    has_begun: AtomicBool,
    begun: CancellationToken,
}

impl Draining {
    /// Begins the drain. It has no end but that of the process.
    pub fn begin(&self) {
        self.0.has_begun.store(true, Ordering::Release);
        self.0.begun.cancel();
    }

    /// Returns true once the drain has begun.
    pub fn has_begun(&self) -> bool {
        self.0.has_begun.load(Ordering::Acquire)
    }

    /// Returns a token that fires when the drain begins. Each waiting connection takes a token of its own, so that
    /// wake-ups share no lock.
    pub fn token(&self) -> CancellationToken {
        self.0.begun.child_token()
    }
}
