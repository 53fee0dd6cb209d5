//! Runs of this process: their number by account, and requests to stop them. Used by the work of runs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::{Run, RunId};
use accounts::AccountId;

/// Runs of one account that a process works on at a time; the others wait. See docs/decisions/0402.
pub const AT_ONCE_OF_ACCOUNT: usize = 2;

/// Runs of this process. Cheap to clone.
#[derive(Clone, Default)]
pub struct RunningAudits(Arc<Mutex<HashMap<RunId, RunningAudit>>>);

struct RunningAudit {
    account: AccountId,
    cancelled: Arc<AtomicBool>,
}

/// A slot of an account; free again when dropped.
pub struct RunSlot {
    running: RunningAudits,
    id: RunId,
    /// True when the run should stop.
    pub cancelled: Arc<AtomicBool>,
}

impl RunningAudits {
    fn runs(&self) -> MutexGuard<'_, HashMap<RunId, RunningAudit>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acquires a slot for a run. Returns none when all slots of its account are in use.
    pub fn acquire(&self, run: &Run) -> Option<RunSlot> {
        let mut runs = self.runs();
        let of_account = runs.iter().filter(|(id, other)| other.account == run.account_id && **id != run.id);
        if of_account.count() >= AT_ONCE_OF_ACCOUNT {
            return None;
        }
        let cancelled = Arc::new(AtomicBool::new(run.cancel_requested));
        let running = RunningAudit { account: run.account_id.clone(), cancelled: cancelled.clone() };
        runs.insert(run.id.clone(), running);
        Some(RunSlot { running: self.clone(), id: run.id.clone(), cancelled })
    }

    /// Stops a run of this process.
    pub fn cancel(&self, id: &RunId) {
        if let Some(run) = self.runs().get(id) {
            run.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for RunSlot {
    fn drop(&mut self) {
        self.running.runs().remove(&self.id);
    }
}
