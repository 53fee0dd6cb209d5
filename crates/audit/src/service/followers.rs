//! Followers of running audits: the number of streams of each account, and one reader of the database for all
//! followers of a run. Used by the events of runs. Must never outlive the followers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::Audits;
use crate::model::{Run, RunId};
use accounts::AccountId;
use platform::limits::{KeyedCount, KeyedSlot};

/// Streams that an account has in one process at most.
pub const STREAMS_OF_ACCOUNT: usize = 10;
/// Time between two reads of the progress.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Streams and readers of this process. Cheap to clone.
#[derive(Clone, Default)]
pub struct RunFollowers {
    streams: KeyedCount<AccountId>,
    readers: Arc<Mutex<HashMap<RunId, watch::Sender<Arc<Run>>>>>,
}

/// A stream that follows a run.
pub struct RunFollower {
    _stream: KeyedSlot<AccountId>,
    run: watch::Receiver<Arc<Run>>,
}

impl RunFollowers {
    fn readers(&self) -> MutexGuard<'_, HashMap<RunId, watch::Sender<Arc<Run>>>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the reader of a run without followers.
    fn end_unfollowed(&self, id: &RunId) -> bool {
        let mut readers = self.readers();
        let is_followed = readers.get(id).is_some_and(|reader| reader.receiver_count() > 0);
        if !is_followed {
            readers.remove(id);
        }
        !is_followed
    }
}

impl RunFollower {
    /// Returns the last known state of the run.
    pub fn run(&mut self) -> Arc<Run> {
        self.run.borrow_and_update().clone()
    }

    /// Waits until the run was read again. Returns false when the reader has ended.
    pub async fn changed(&mut self) -> bool {
        self.run.changed().await.is_ok()
    }
}

impl Audits {
    /// Follows a run. Returns none when the account has as many streams as it may have.
    pub fn follow(&self, run: Run) -> Option<RunFollower> {
        let followers = &self.0.followers;
        let stream = followers.streams.acquire(run.account_id.clone(), STREAMS_OF_ACCOUNT)?;
        let id = run.id.clone();
        let mut readers = followers.readers();
        let receiver = match readers.get(&id) {
            Some(reader) => reader.subscribe(),
            None => {
                let (sender, receiver) = watch::channel(Arc::new(run));
                readers.insert(id.clone(), sender);
                self.0.platform.tasks.spawn(self.clone().read_for_followers(id));
                receiver
            }
        };
        Some(RunFollower { _stream: stream, run: receiver })
    }

    /// Reads a run repeatedly, until it is over or has no followers.
    async fn read_for_followers(self, id: RunId) {
        let followers = &self.0.followers;
        loop {
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = self.0.platform.shutdown.cancelled() => break,
            }
            if followers.end_unfollowed(&id) {
                return;
            }
            // A database that is away for a moment is asked again.
            let Ok(found) = self.find_run(id.as_str()).await else { continue };
            let Some(run) = found else { break };
            let is_over = !run.is_active;
            if let Some(reader) = followers.readers().get(&id) {
                reader.send_replace(Arc::new(run));
            }
            if is_over {
                break;
            }
        }
        followers.readers().remove(&id);
    }
}
