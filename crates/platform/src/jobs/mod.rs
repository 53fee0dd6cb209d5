//! Work that outlives a request: a queue in the database, with priorities, fair shares between accounts, leases, retries
//! and schedules. Used by every feature that has a `jobs.rs`; knows none of them. See docs/jobs.md.

mod failure;
mod job;
mod model;
mod queries;
mod queue;
mod recurrence;
mod run;
mod schedule;
mod schedules;
mod worker;

pub use failure::JobError;
pub use job::{Job, JobOutcome, Registry};
pub use model::{
    Batch, BatchId, JobChangeError, JobId, JobInfo, JobPriority, JobState, LaneTrouble, NewBatch, NewJob,
    backoff,
};
pub use queue::Jobs;
pub use recurrence::{Days, Recurrence, RecurrenceError};
pub use run::{HoldError, JobRun};
pub use schedule::Schedule;
pub use worker::{LaneLimits, NamedLane, NamedLanes, Worker, WorkerSettings};
