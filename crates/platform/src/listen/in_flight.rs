//! Requests of one connection that are being answered, and what the connection and its answers tell each other meanwhile. Used by
//! every listener.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::interim::InterimResponses;

/// Requests of one connection that are being answered: while there is one, the client may be silent.
#[derive(Debug, Clone, Default)]
pub struct RequestsInFlight(Arc<InFlightCounts>);

#[derive(Debug, Default)]
struct InFlightCounts {
    now: AtomicUsize,
    ever: AtomicUsize,
    /// Notified of the first request.
    first: Notify,
    /// The client has sent something since a request last began.
    has_arrived: AtomicBool,
    /// A request was answered for good before its body was read.
    leaves_unread: AtomicBool,
    interim: InterimResponses,
}

/// A request that is being answered, until the last clone is dropped.
#[derive(Debug)]
pub struct RequestInFlight {
    counts: Arc<InFlightCounts>,
    is_pipelined: bool,
}

impl RequestsInFlight {
    /// Counts a request until the result is dropped.
    pub fn begin(&self) -> RequestInFlight {
        if self.0.ever.fetch_add(1, Ordering::Relaxed) == 0 {
            self.0.first.notify_one();
        }
        self.0.now.fetch_add(1, Ordering::Relaxed);
        let is_pipelined = !self.0.has_arrived.swap(false, Ordering::Relaxed);
        RequestInFlight { counts: self.0.clone(), is_pipelined }
    }

    /// Waits for the connection's first request to begin. At most one caller may wait.
    pub async fn first(&self) {
        if self.ever() == 0 {
            self.0.first.notified().await;
        }
    }

    /// Returns the interim responses that the connection has to write.
    pub(super) fn interim(&self) -> &InterimResponses {
        &self.0.interim
    }

    /// Returns true when the connection ends with a body that was not read.
    pub(super) fn leaves_unread(&self) -> bool {
        self.0.leaves_unread.load(Ordering::Relaxed)
    }

    /// Records that the client has sent something.
    pub(super) fn arrived(&self) {
        self.0.has_arrived.store(true, Ordering::Relaxed);
    }

    /// Returns true when no request is being answered.
    pub(super) fn is_none(&self) -> bool {
        self.0.now.load(Ordering::Relaxed) == 0
    }

    /// Returns the number of requests so far.
    pub(super) fn ever(&self) -> usize {
        self.0.ever.load(Ordering::Relaxed)
    }
}

impl RequestInFlight {
    /// Records that the connection ends with a body that was not read.
    pub fn leave_unread(&self) {
        self.counts.leaves_unread.store(true, Ordering::Relaxed);
    }

    /// Returns the interim responses of the request's connection, which must be of HTTP/1.1.
    pub fn interim(&self) -> InterimResponses {
        self.counts.interim.clone()
    }

    /// Returns true when the request came together with the one before it.
    pub fn is_pipelined(&self) -> bool {
        self.is_pipelined
    }
}

impl Clone for RequestInFlight {
    fn clone(&self) -> RequestInFlight {
        self.counts.now.fetch_add(1, Ordering::Relaxed);
        RequestInFlight { counts: self.counts.clone(), is_pipelined: self.is_pipelined }
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.counts.now.fetch_sub(1, Ordering::Relaxed);
    }
}
