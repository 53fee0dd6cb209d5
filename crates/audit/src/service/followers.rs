//! Followers of running audits: the number of streams of each account, and one reader of the database for all
//! followers of a run. Used by the events of runs. Must never outlive the followers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::Audits;
use crate::model::{Run, RunId};
use accounts::AccountId;

/// Streams that an account has in one process at most.
pub const STREAMS_OF_ACCOUNT: usize = 10;
/// Time between two reads of the progress.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Streams and readers of this process. Cheap to clone.
#[derive(Clone, Default)]
pub struct RunFollowers(Arc<Mutex<FollowedRuns>>);

#[derive(Default)]
struct FollowedRuns {
    streams: HashMap<AccountId, usize>,
    readers: HashMap<RunId, watch::Sender<Arc<Run>>>,
}

/// A stream that follows a run; its place is free again when dropped.
pub struct RunFollower {
    followers: RunFollowers,
    account: AccountId,
    run: watch::Receiver<Arc<Run>>,
}

impl RunFollowers {
    fn runs(&self) -> MutexGuard<'_, FollowedRuns> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the reader of a run without followers.
    fn end_unfollowed(&self, id: &RunId) -> bool {
        let mut runs = self.runs();
        let is_followed = runs.readers.get(id).is_some_and(|reader| reader.receiver_count() > 0);
        if !is_followed {
            runs.readers.remove(id);
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

impl Drop for RunFollower {
    fn drop(&mut self) {
        let mut runs = self.followers.runs();
        if let Some(streams) = runs.streams.get_mut(&self.account) {
            *streams -= 1;
            if *streams == 0 {
                runs.streams.remove(&self.account);
            }
        }
    }
}

impl Audits {
    /// Follows a run. Returns none when the account has as many streams as it may have.
    pub fn follow(&self, run: Run) -> Option<RunFollower> {
        let followers = self.0.followers.clone();
        let (id, account) = (run.id.clone(), run.account_id.clone());
        let mut runs = followers.runs();
        let streams = runs.streams.entry(account.clone()).or_default();
        if *streams >= STREAMS_OF_ACCOUNT {
            return None;
        }
        *streams += 1;
        let receiver = match runs.readers.get(&id) {
            Some(reader) => reader.subscribe(),
            None => {
                let (sender, receiver) = watch::channel(Arc::new(run));
                runs.readers.insert(id.clone(), sender);
                self.0.platform.tasks.spawn(self.clone().read_for_followers(id));
                receiver
            }
        };
        drop(runs);
        Some(RunFollower { followers, account, run: receiver })
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
            if let Some(reader) = followers.runs().readers.get(&id) {
                reader.send_replace(Arc::new(run));
            }
            if is_over {
                break;
            }
        }
        followers.runs().readers.remove(&id);
    }
}
