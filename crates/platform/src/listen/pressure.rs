//! Bytes that all connections of the process keep waiting for clients that do not read, and the time such clients get.
//! Used by every listener. Must never let many slow readers take the memory of everybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Bytes that may wait to be written, over all connections.
const MAX_WAITING_BYTES: usize = 256 << 20;
/// Time that a client may read nothing once more than that waits.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// The bytes that wait to be written. Cheap to clone; clones share the count.
#[derive(Debug, Clone)]
pub struct Pressure(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    waiting: AtomicUsize,
    limit: usize,
}

impl Default for Pressure {
    fn default() -> Pressure {
        Pressure::with_limit(MAX_WAITING_BYTES)
    }
}

impl Pressure {
    /// Creates a count with another limit.
    pub fn with_limit(bytes: usize) -> Pressure {
        Pressure(Arc::new(Shared { waiting: AtomicUsize::new(0), limit: bytes }))
    }

    /// Returns the time that a client may read nothing at present; `usual`: that time while little waits.
    pub fn patience(&self, usual: Duration) -> Duration {
        let is_high = self.0.waiting.load(Ordering::Relaxed) > self.0.limit;
        if is_high { usual.min(SHORT_PATIENCE) } else { usual }
    }

    /// Creates the count of one connection or stream, at zero.
    pub fn share(&self) -> WaitingBytes {
        WaitingBytes { pressure: self.clone(), bytes: 0 }
    }
}

/// Bytes that wait on one connection or stream; no longer counted when dropped.
#[derive(Debug)]
pub struct WaitingBytes {
    pressure: Pressure,
    bytes: usize,
}

impl WaitingBytes {
    /// Sets the number of bytes that wait.
    pub fn set(&mut self, bytes: usize) {
        if bytes != self.bytes {
            let waiting = &self.pressure.0.waiting;
            waiting.fetch_add(bytes, Ordering::Relaxed);
            waiting.fetch_sub(self.bytes, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }

    /// Returns the count over all connections.
    pub fn pressure(&self) -> &Pressure {
        &self.pressure
    }
}

impl Drop for WaitingBytes {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Duration = Duration::from_secs(30);

    #[test]
    fn patience_is_short_while_too_much_waits_over_all_connections() {
        let pressure = Pressure::with_limit(100);
        let (mut one, mut other) = (pressure.share(), pressure.share());

        one.set(60);
        assert_eq!(pressure.patience(USUAL), USUAL);
        other.set(60);
        assert_eq!(pressure.patience(USUAL), SHORT_PATIENCE);
        drop(one);
        assert_eq!(pressure.patience(USUAL), USUAL);
        other.set(101);
        assert_eq!(pressure.patience(USUAL), SHORT_PATIENCE);
    }
}
