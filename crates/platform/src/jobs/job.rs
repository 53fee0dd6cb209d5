//! The interface of background work for features: a type that implements [`Job`], and a line in `app` that registers it.
//! Functions are not generic: see docs/decisions/0285.
//! Must know nothing of tables: the worker does.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::DbError;

use super::failure::JobError;
use super::model::{JobId, JobPriority, NewJob};
use super::run::JobRun;

/// Work that outlives the request that caused it. The value itself is stored, as JSON.
///
/// A job may be run more than once (its process may die at any moment), so its effects must be idempotent.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Name in the database; a verb. Must never change while jobs of the kind may be queued.
    const KIND: &'static str;
    /// Attempts before the job gives up.
    const MAX_ATTEMPTS: u32 = 5;
    /// Wait after the first failure; doubles with every further one, up to [`Job::LONGEST_WAIT`].
    const FIRST_WAIT: Duration = Duration::from_secs(10);
    /// Longest wait between two attempts.
    const LONGEST_WAIT: Duration = Duration::from_secs(3600);

    /// Maximum number of jobs of the kind that run at a time in all processes together; `None`: as many as the processes can.
    const MOST_AT_ONCE: Option<usize> = None;
    /// Longest trouble of its lane before its waiting jobs give up, except those that a client waits for.
    const LANE_PATIENCE: Duration = Duration::from_secs(6 * 3600);
    /// Time that a run has to end when it is told to stop, because it was cancelled or the process ends.
    const DRAIN: Duration = Duration::from_secs(1);
    /// True when [`Job::died`] has something to do.
    const TELLS_DEATH: bool = false;

    /// Services that the job needs: usually its feature's.
    type Services: Clone + Send + Sync + 'static;

    /// Does the work.
    fn run(
        &self,
        services: &Self::Services,
        run: &JobRun,
    ) -> impl Future<Output = Result<JobOutcome, JobError>> + Send;

    /// Cleans up after a job that gave up, for whatever reason, in some process that knows its kind. May be called more
    /// than once. Needs [`Job::TELLS_DEATH`].
    fn died(&self, _: &Self::Services, _reason: &str) -> impl Future<Output = Result<(), DbError>> + Send {
        async { Ok(()) }
    }

    /// Makes a job that can be queued with `jobs::enqueue`, in the transaction of its cause.
    fn queued_for(&self, account: &str) -> NewJob {
        NewJob {
            id: JobId::generate(),
            kind: Self::KIND.into(),
            account: account.to_owned(),
            payload: serde_json::to_string(self).expect("jobs are plain data"),
            max_attempts: Self::MAX_ATTEMPTS,
            domain: None,
            batch: None,
            unique_key: None,
            lane: None,
            priority: JobPriority::Normal,
            run_at: None,
            feeds: None,
            tells_death: Self::TELLS_DEATH,
        }
    }
}

/// Outcome of a run that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    /// The work is done; the job is over.
    Done,
    /// Nothing to do yet; the job runs again after this time, and the run does not count as an attempt.
    Later(Duration),
}

/// Runs one kind of job from its stored form.
pub(super) type Runner =
    Arc<dyn Fn(String, JobRun) -> BoxFuture<'static, Result<JobOutcome, JobError>> + Send + Sync>;

/// Hook of one kind of job that is called with a dead job in its stored form and the reason.
pub(super) type DeathHook =
    Arc<dyn Fn(String, String) -> BoxFuture<'static, Result<(), DbError>> + Send + Sync>;

/// Properties of a kind.
#[derive(Clone)]
pub(super) struct JobKind {
    pub(super) runner: Runner,
    /// Maximum number of jobs of the kind that this process runs at a time.
    pub(super) at_once: usize,
    /// Maximum number of jobs of the kind that run at a time in all processes.
    pub(super) most_at_once: Option<usize>,
    pub(super) first_wait: Duration,
    pub(super) longest_wait: Duration,
    pub(super) patience: Duration,
    pub(super) drain: Duration,
    /// Hook that is called when a job gives up.
    pub(super) died: Option<DeathHook>,
}

/// Every kind of job that this process can run. Written down once, in `app`.
#[derive(Clone, Default)]
pub struct Registry(pub(super) BTreeMap<&'static str, JobKind>);

impl Registry {
    /// Names of its kinds.
    pub fn kinds(&self) -> Vec<&'static str> {
        self.0.keys().copied().collect()
    }

    /// Adds a kind, of which at most `at_once` run at a time in this process.
    pub fn with<J: Job>(mut self, services: J::Services, at_once: usize) -> Registry {
        let survivors = services.clone();
        let died: DeathHook = Arc::new(move |payload: String, reason: String| {
            let services = survivors.clone();
            async move {
                // One that cannot be read never ran, so it has left nothing behind.
                let Ok(job) = serde_json::from_str::<J>(&payload) else { return Ok(()) };
                job.died(&services, &reason).await
            }
            .boxed()
        });
        let runner: Runner = Arc::new(move |payload: String, run: JobRun| {
            let services = services.clone();
            async move {
                // Written by another version of this program; a later one may read it again.
                let job: J = serde_json::from_str(&payload)
                    .map_err(|error| JobError::give_up(format!("its payload cannot be read: {error}")))?;
                job.run(&services, &run).await
            }
            .boxed()
        });
        let kind = JobKind {
            runner,
            at_once: at_once.max(1),
            most_at_once: J::MOST_AT_ONCE,
            first_wait: J::FIRST_WAIT,
            longest_wait: J::LONGEST_WAIT,
            patience: J::LANE_PATIENCE,
            drain: J::DRAIN,
            died: J::TELLS_DEATH.then_some(died),
        };
        let twin = self.0.insert(J::KIND, kind);
        assert!(twin.is_none(), "two jobs are called {}", J::KIND);
        self
    }

    /// Returns the kinds that are limited over all processes.
    pub(super) fn limits(&self) -> BTreeMap<&'static str, usize> {
        self.0.iter().filter_map(|(name, kind)| Some((*name, kind.most_at_once?))).collect()
    }
}
