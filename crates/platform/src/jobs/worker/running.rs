//! The jobs that run in this process, a task each. Used by the worker. Touches no database.
//! Must never return the result of a run whose lease was lost.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::claim::Claimed;
use super::results::EndedRun;
use crate::jobs::failure::JobError;
use crate::jobs::job::{JobOutcome, Registry};
use crate::jobs::queries::Candidate;
use crate::jobs::run::JobRun;

/// Running jobs.
#[derive(Default)]
pub(super) struct RunningJobs {
    tasks: JoinSet<RunEnd>,
    jobs: HashMap<Id, Running>,
}

/// A task that is over.
pub(super) type Over = Result<(Id, RunEnd), JoinError>;

/// End of a task.
pub(super) enum RunEnd {
    /// The job's own result.
    Result(Result<JobOutcome, JobError>),
    /// It was stopped, because others may have taken the job over.
    LeaseLost,
}

/// Follow-up of a finished task.
pub(super) enum Taken {
    /// A result to write down.
    Ended(Box<EndedRun>),
    /// Nothing but to find out what became of the job.
    LeaseLost,
    /// Nothing.
    Stopped,
}

struct Running {
    job: Candidate,
    rest_id: Option<String>,
    since: Instant,
    /// Asks it to stop.
    stop: CancellationToken,
    /// Since when an operator does not want it any more.
    cancelled_since: Option<Instant>,
    abort: AbortHandle,
}

impl RunningJobs {
    /// Returns true when nothing runs.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.jobs.values().map(|running| running.job.id.as_str())
    }

    /// Returns the kinds with free slots in this process, and their number.
    pub fn free_slots(&self, registry: &Registry) -> BTreeMap<&'static str, usize> {
        let mut free: BTreeMap<&'static str, usize> =
            registry.0.iter().map(|(name, kind)| (*name, kind.at_once)).collect();
        for running in self.jobs.values() {
            if let Some(free) = free.get_mut(running.job.kind.as_str()) {
                *free = free.saturating_sub(1);
            }
        }
        free.retain(|_, free| *free > 0);
        free
    }

    /// Begins a job under a lease's term.
    pub fn spawn(&mut self, claimed: Claimed, registry: &Registry, worker: &str, term: CancellationToken) {
        let Claimed { job, rest_id } = claimed;
        let Some(kind) = registry.0.get(job.kind.as_str()) else { return };
        let stop = CancellationToken::new();
        let work = (kind.runner)(job.payload.clone(), JobRun::new(&job, worker, stop.clone()));
        let abort = self.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = term.cancelled() => RunEnd::LeaseLost,
                result = work => RunEnd::Result(result),
            }
        });
        let running = Running { job, rest_id, since: Instant::now(), stop, cancelled_since: None, abort };
        self.jobs.insert(running.abort.id(), running);
    }

    /// Waits for the next task that is over; `None` when nothing runs.
    pub async fn join_next(&mut self) -> Option<Over> {
        self.tasks.join_next_with_id().await
    }

    /// Returns a finished task, if there is one.
    pub fn try_join_next(&mut self) -> Option<Over> {
        self.tasks.try_join_next_with_id()
    }

    /// Takes a task that is over out of the table.
    pub fn take(&mut self, over: Over) -> Taken {
        let (id, result) = match over {
            Ok((id, RunEnd::Result(result))) => (id, result),
            Ok((id, RunEnd::LeaseLost)) => {
                self.jobs.remove(&id);
                return Taken::LeaseLost;
            }
            Err(error) if error.is_panic() => (error.id(), Err(JobError::retry("it panicked"))),
            Err(error) => {
                self.jobs.remove(&error.id());
                return Taken::Stopped;
            }
        };
        let Some(running) = self.jobs.remove(&id) else { return Taken::Stopped };
        metrics::histogram!("glasshouse_job_duration_seconds", "kind" => running.job.kind.clone())
            .record(running.since.elapsed());
        let Running { job, rest_id, cancelled_since, .. } = running;
        let result = match result {
            Ok(JobOutcome::Done) => Ok(JobOutcome::Done),
            _ if cancelled_since.is_some() => Err(JobError::cancelled()),
            other => other,
        };
        Taken::Ended(Box::new(EndedRun { job, rest_id, result }))
    }

    /// Applies the database's state of each job (its id, and whether it is cancelled): keeps it, asks it to stop, or
    /// ends it. Returns the cancelled jobs that did not stop in time.
    pub fn obey(&mut self, ours: &HashMap<String, bool>, registry: &Registry) -> Vec<EndedRun> {
        for running in self.jobs.values_mut() {
            match ours.get(&running.job.id) {
                Some(false) => {}
                Some(true) => {
                    running.stop.cancel();
                    running.cancelled_since.get_or_insert_with(Instant::now);
                }
                // Removed, or taken away because we were silent for too long: the result would be refused.
                None => running.abort.abort(),
            }
        }
        let overdue = self.jobs.extract_if(|_, running| {
            let drain = drain_of(&running.job, registry);
            running.cancelled_since.is_some_and(|since| since.elapsed() >= drain)
        });
        let overdue = overdue.map(|(_, running)| {
            running.abort.abort();
            EndedRun { job: running.job, rest_id: running.rest_id, result: Err(JobError::cancelled()) }
        });
        overdue.collect()
    }

    /// Tells every job that this process ends.
    pub fn ask_all_to_stop(&self) {
        self.jobs.values().for_each(|running| running.stop.cancel());
    }

    /// Returns the longest drain time of the running jobs.
    pub fn longest_drain(&self, registry: &Registry) -> Duration {
        self.jobs.values().map(|running| drain_of(&running.job, registry)).max().unwrap_or_default()
    }
}

fn drain_of(job: &Candidate, registry: &Registry) -> Duration {
    registry.0.get(job.kind.as_str()).map_or(Duration::ZERO, |kind| kind.drain)
}
