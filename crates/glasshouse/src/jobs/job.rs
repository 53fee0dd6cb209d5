//! What a feature writes to have background work: a type that implements [`Job`], and a line in `app.rs` that registers it.
//! Must know nothing of tables: the worker does.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::model::{BatchId, JobId, NewJob, Priority};
use crate::clock::Timestamp;

/// Work that outlives the request that caused it. The value itself is what is stored, as JSON.
///
/// A job may be run more than once (its process may die at any moment), so its effects must bear that.
#[async_trait]
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Its name in the database; a verb. Must never change while jobs of it may be queued.
    const KIND: &'static str;
    /// How often it is tried before it gives up.
    const MAX_ATTEMPTS: u32 = 5;
    /// How long it waits after its first failure; doubles with every further one, up to [`Job::LONGEST_WAIT`].
    const FIRST_WAIT: Duration = Duration::from_secs(10);
    /// Longest wait between two attempts.
    const LONGEST_WAIT: Duration = Duration::from_secs(3600);

    /// What it needs to run: usually its feature's service.
    type Services: Clone + Send + Sync + 'static;

    /// Does the work.
    async fn run(&self, services: &Self::Services, run: &Run) -> Result<Outcome, JobError>;

    /// The job as something that can be queued with `jobs::enqueue`, in the transaction of what caused it.
    fn queued_for(&self, account: &str) -> NewJob {
        NewJob {
            id: JobId::generate(),
            kind: Self::KIND,
            account: account.to_owned(),
            payload: serde_json::to_string(self).expect("jobs are plain data"),
            max_attempts: Self::MAX_ATTEMPTS,
            domain: None,
            batch: None,
            unique_key: None,
            lane: None,
            priority: Priority::Normal,
            run_at: None,
        }
    }
}

/// The circumstances under which a job runs.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its id.
    pub id: JobId,
    /// Whose it is.
    pub account: String,
    /// For which domain.
    pub domain: Option<String>,
    /// Of which batch.
    pub batch: Option<BatchId>,
    /// 1 at the first attempt.
    pub attempt: u32,
    /// Whether a failure is final.
    pub is_last_attempt: bool,
    /// When it was queued.
    pub queued_at: Timestamp,
}

/// How a run ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The work is done; the job is over.
    Done,
    /// There is nothing to do yet; the job runs again after this time and the run does not count as an attempt.
    Later(Duration),
}

/// How a run failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobError {
    pub(super) reason: String,
    pub(super) next: Next,
}

/// What follows a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// Another attempt, after this time or the job's own wait.
    Retry(Option<Duration>),
    /// The same, and the job's lane rests: after this time, or longer with every failure in a row.
    Rest(Option<Duration>),
    /// None: the same would happen again.
    GiveUp,
}

impl JobError {
    /// It may work later.
    pub fn retry(reason: impl Into<String>) -> JobError {
        JobError { reason: reason.into(), next: Next::Retry(None) }
    }

    /// It may work after this time, for instance what a `Retry-After` said.
    pub fn retry_after(reason: impl Into<String>, after: Duration) -> JobError {
        JobError { reason: reason.into(), next: Next::Retry(Some(after)) }
    }

    /// What the lane stands for is in trouble: none of its jobs runs for a while.
    pub fn rest_lane(reason: impl Into<String>, after: Option<Duration>) -> JobError {
        JobError { reason: reason.into(), next: Next::Rest(after) }
    }

    /// It can never work.
    pub fn give_up(reason: impl Into<String>) -> JobError {
        JobError { reason: reason.into(), next: Next::GiveUp }
    }
}

impl From<store::DbError> for JobError {
    fn from(error: store::DbError) -> JobError {
        JobError::retry(error.to_string())
    }
}

/// Runs one kind of job from its stored form.
pub(super) type Runner =
    Arc<dyn Fn(String, Run) -> BoxFuture<'static, Result<Outcome, JobError>> + Send + Sync>;

/// What is known of a kind.
#[derive(Clone)]
pub(super) struct Kind {
    pub(super) runner: Runner,
    /// How many of them this process runs at a time.
    pub(super) at_once: usize,
    pub(super) first_wait: Duration,
    pub(super) longest_wait: Duration,
}

/// Every kind of job that this process can run. Written down once, in `app.rs`.
#[derive(Clone, Default)]
pub struct Registry(pub(super) BTreeMap<&'static str, Kind>);

impl Registry {
    /// Adds a kind, of which at most `at_once` run at a time in this process.
    pub fn with<J: Job>(mut self, services: J::Services, at_once: usize) -> Registry {
        let runner: Runner = Arc::new(move |payload: String, run: Run| {
            let services = services.clone();
            async move {
                // Written by another version of this program; a later one may read it again.
                let job: J = serde_json::from_str(&payload)
                    .map_err(|error| JobError::give_up(format!("its payload cannot be read: {error}")))?;
                job.run(&services, &run).await
            }
            .boxed()
        });
        let kind = Kind {
            runner,
            at_once: at_once.max(1),
            first_wait: J::FIRST_WAIT,
            longest_wait: J::LONGEST_WAIT,
        };
        let twin = self.0.insert(J::KIND, kind);
        assert!(twin.is_none(), "two jobs are called {}", J::KIND);
        self
    }
}
