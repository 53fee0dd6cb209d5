//! Jobs, batches and their states. Pure: no database, no clock.
//! Accounts and domains are opaque texts here: this module is below the features.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::Timestamp;

/// Identifies a job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct JobId(String);

/// Identifies a batch: `batchGroupId` to clients.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BatchId(String);

macro_rules! text_id {
    ($name:ident) => {
        impl $name {
            /// Makes a new id. Ids sort by the time they were made.
            pub fn generate() -> $name {
                $name(uuid::Uuid::now_v7().to_string())
            }

            /// Returns the stored and displayed text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> $name {
                $name(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
text_id!(JobId);
text_id!(BatchId);

/// Priority of a job. Within a priority, accounts take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobPriority {
    /// Work that a client waits for.
    Urgent,
    /// Work that other work depends on: lists to read, schedules to keep.
    Normal,
    /// Large amounts of requested work.
    Bulk,
    /// Work that nobody requested.
    Background,
}

impl JobPriority {
    /// Returns the number in the database; lower goes first.
    pub const fn rank(self) -> i64 {
        match self {
            JobPriority::Urgent => 0,
            JobPriority::Normal => 10,
            JobPriority::Bulk => 20,
            JobPriority::Background => 30,
        }
    }

    /// Reads a stored number.
    pub const fn from_rank(rank: i64) -> JobPriority {
        match rank {
            ..=0 => JobPriority::Urgent,
            1..=10 => JobPriority::Normal,
            11..=20 => JobPriority::Bulk,
            _ => JobPriority::Background,
        }
    }
}

/// State of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// In the queue, or delayed until its time.
    Waiting,
    /// A process works on it.
    Running,
    /// It gave up; an operator may retry or cancel it.
    Dead,
}

impl JobState {
    /// Returns the text in the database and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            JobState::Waiting => "waiting",
            JobState::Running => "running",
            JobState::Dead => "dead",
        }
    }

    pub fn from_stored(text: &str) -> JobState {
        match text {
            "running" => JobState::Running,
            "dead" => JobState::Dead,
            _ => JobState::Waiting,
        }
    }
}

/// A job that is to be queued. Made by [`crate::jobs::Job::queued_for`].
#[derive(Debug, Clone)]
pub struct NewJob {
    pub(super) id: JobId,
    pub(super) kind: Cow<'static, str>,
    pub(super) account: String,
    pub(super) payload: String,
    pub(super) max_attempts: u32,
    pub(super) domain: Option<String>,
    pub(super) batch: Option<BatchId>,
    pub(super) unique_key: Option<String>,
    pub(super) lane: Option<String>,
    pub(super) priority: JobPriority,
    pub(super) run_at: Option<Timestamp>,
    pub(super) feeds: Option<BatchId>,
    pub(super) tells_death: bool,
}

impl NewJob {
    /// Belongs to a domain, and goes with it.
    pub fn domain(mut self, id: &str) -> NewJob {
        self.domain = Some(id.to_owned());
        self
    }

    /// Counts in a batch, whose `total` it must already be part of.
    pub fn batch(mut self, id: &BatchId) -> NewJob {
        self.batch = Some(id.clone());
        self
    }

    /// Queues the jobs of an open batch: when nothing does so any more, the batch is closed.
    pub fn feeding(mut self, id: &BatchId) -> NewJob {
        self.feeds = Some(id.clone());
        self
    }

    /// Is queued at most once at a time: while it waits, another one with this key is the same job; while it runs,
    /// another one makes it run once more.
    pub fn unique(mut self, key: impl AsRef<str>) -> NewJob {
        // A hash: keys are addresses, and an index entry must not be as long as one may be.
        let hash = Sha256::digest(key.as_ref().as_bytes());
        self.unique_key = Some(hex::encode(&hash[..16]));
        self
    }

    /// Runs within the limits of a lane.
    pub fn lane(mut self, lane: impl Into<String>) -> NewJob {
        self.lane = Some(lane.into());
        self
    }

    /// Is urgent, or is not. Without it a job is [`JobPriority::Normal`].
    pub fn priority(mut self, priority: JobPriority) -> NewJob {
        self.priority = priority;
        self
    }

    /// Does not run before this time.
    pub fn not_before(mut self, time: Timestamp) -> NewJob {
        self.run_at = Some(time);
        self
    }

    pub fn id(&self) -> &JobId {
        &self.id
    }
}

/// A batch that is to be made.
#[derive(Debug, Clone)]
pub struct NewBatch {
    /// Kind of its jobs.
    pub kind: &'static str,
    pub account: String,
    pub domain: Option<String>,
    /// Number of its jobs so far.
    pub total: u64,
    /// True while jobs may still be added.
    pub is_open: bool,
    /// Source of its list.
    pub source: Option<String>,
}

/// A batch with its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    pub id: BatchId,
    /// Kind of the work, as [`NewBatch`] said it.
    pub kind: String,
    pub account: String,
    pub domain: Option<String>,
    /// Jobs in all.
    pub total: u64,
    /// Jobs that ended well.
    pub done: u64,
    /// Jobs that gave up or were cancelled.
    pub failed: u64,
    /// Jobs that a process works on now.
    pub running: u64,
    /// True while jobs are being added.
    pub is_open: bool,
    /// Entries of its list that have become jobs.
    pub fed: u64,
    /// Error of its list.
    pub error: Option<String>,
    /// Time at which it was made.
    pub created_at: Timestamp,
    /// Start of its first job.
    pub started_at: Option<Timestamp>,
    /// End of its last job.
    pub completed_at: Option<Timestamp>,
}

/// A job as listings show it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JobInfo {
    pub id: JobId,
    /// Kind of the job.
    pub kind: String,
    pub state: JobState,
    pub account_id: String,
    pub domain_id: Option<String>,
    pub batch_group_id: Option<BatchId>,
    /// Stored form of the job.
    pub payload: serde_json::Value,
    /// Attempts so far.
    pub attempts: u64,
    /// Maximum number of attempts.
    pub max_attempts: u64,
    /// Earliest start, if the job was delayed.
    pub not_before: Option<Timestamp>,
    /// Time at which it was queued.
    pub created_at: Timestamp,
    /// Start of the last attempt.
    pub started_at: Option<Timestamp>,
    /// Reason of the last failure.
    pub error: Option<String>,
    /// Progress of a long job.
    pub progress: Option<serde_json::Value>,
}

/// A lane that failed and has not worked since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneTrouble {
    pub lane: String,
    /// Failures in a row.
    pub failures: u32,
    /// End of the lane's cooldown; past when one job at a time tries the lane.
    pub rest_until: Timestamp,
    /// Time of the first failure.
    pub since: Timestamp,
}

/// Refusal of an operator's change: the job does not exist or is in the wrong state.
#[derive(Debug, thiserror::Error)]
pub enum JobChangeError {
    /// No such job.
    #[error("there is no job {0}: it may have ended; see `glasshouse jobs list`")]
    NotFound(String),
    /// It waits or runs already.
    #[error("job {0} has not given up, so there is nothing to retry")]
    NotDead(String),
    /// Equal work is queued already.
    #[error("the work of job {0} is queued again already")]
    QueuedAgain(String),
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] store::DbError),
}

/// Longest delay of a job and longest cooldown of a lane: a later time was written by a wrong clock.
pub const HORIZON: Duration = Duration::from_secs(25 * 3600);

/// Computes the wait before a retry: doubling from `base` up to `most`, with full jitter, so that jobs that failed
/// together are not retried together. `random` is from 0 to 1.
pub fn backoff(attempt: u32, base: Duration, most: Duration, random: f64) -> Duration {
    let doubled = base.saturating_mul(1 << attempt.saturating_sub(1).min(20)).min(most);
    doubled.mul_f64(random.clamp(0.0, 1.0)).max(Duration::from_millis(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn urgent_work_goes_first_and_background_work_last() {
        let ranks = [JobPriority::Urgent, JobPriority::Normal, JobPriority::Bulk, JobPriority::Background]
            .map(JobPriority::rank);

        assert!(ranks.is_sorted());
        assert_eq!(ranks.map(JobPriority::from_rank).map(JobPriority::rank), ranks);
    }

    #[test]
    fn a_state_is_read_back_as_it_was_written() {
        for state in [JobState::Waiting, JobState::Running, JobState::Dead] {
            assert_eq!(JobState::from_stored(state.as_str()), state);
        }
    }

    proptest! {
        #[test]
        fn the_wait_doubles_up_to_its_limit(attempt in 0u32..200, random in 0.0f64..=1.0) {
            let (base, most) = (Duration::from_secs(2), Duration::from_secs(3600));

            let wait = backoff(attempt, base, most, random);

            prop_assert!(wait <= most && wait <= base * 2u32.saturating_pow(attempt.min(20)));
        }
    }
}
