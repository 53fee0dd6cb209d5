//! Runs of this process: their number by account, requests to stop them, and errors of an attempt. Used by the work of runs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use audit_engine::engine::JournalError;
use store::DbError;

use crate::model::{Run, RunId};
use crate::segments::ReadError;
use accounts::AccountId;
use platform::jobs::HoldError;
use platform::limits::{KeyedCount, KeyedSlot};

/// Runs of one account that a process works on at a time; the others wait. See docs/decisions/0402.
pub const AT_ONCE_OF_ACCOUNT: usize = 2;

/// Runs of this process. Cheap to clone.
#[derive(Clone, Default)]
pub struct RunningAudits {
    of_account: KeyedCount<AccountId>,
    /// Requests to stop, by run.
    cancelled: Arc<Mutex<HashMap<RunId, Arc<AtomicBool>>>>,
}

/// A slot of an account; free again when dropped.
pub struct RunSlot {
    running: RunningAudits,
    id: RunId,
    _of_account: KeyedSlot<AccountId>,
    /// True when the run should stop.
    pub cancelled: Arc<AtomicBool>,
}

impl RunningAudits {
    fn cancelled(&self) -> MutexGuard<'_, HashMap<RunId, Arc<AtomicBool>>> {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acquires a slot for a run. Returns none when all slots of its account are in use.
    pub fn acquire(&self, run: &Run) -> Option<RunSlot> {
        let of_account = self.of_account.acquire(run.account_id.clone(), AT_ONCE_OF_ACCOUNT)?;
        let cancelled = Arc::new(AtomicBool::new(run.cancel_requested));
        self.cancelled().insert(run.id.clone(), cancelled.clone());
        Some(RunSlot { running: self.clone(), id: run.id.clone(), _of_account: of_account, cancelled })
    }

    /// Stops a run of this process.
    pub fn cancel(&self, id: &RunId) {
        if let Some(cancelled) = self.cancelled().get(id) {
            cancelled.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for RunSlot {
    fn drop(&mut self) {
        self.running.cancelled().remove(&self.id);
    }
}

/// Reason why an attempt ended without a result.
#[derive(Debug, thiserror::Error)]
pub(super) enum WorkError {
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] DbError),
    /// An earlier run cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Another process has taken the job over.
    #[error(transparent)]
    Hold(#[from] HoldError),
    /// The journal of the crawl could not be written or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
