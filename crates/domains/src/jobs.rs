//! The background work of domains: deleting what belonged to a removed one.
//! Must know no feature to the right: `app` hands in what each of them has to delete.
//! See docs/decisions/0071.

use std::sync::Arc;
use std::time::Duration;

use crawler::errors::one_line;
use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};
use serde::{Deserialize, Serialize};

use super::model::DomainId;
use super::service::DomainsService;
use platform::clock::Clock;
use platform::jobs::{Job, JobError, JobOutcome, JobRun};

/// A render that was under way when its domain was removed may store its page after all; by now it has.
const STRAGGLERS: Duration = Duration::from_secs(10 * 60);

type Deletion = Arc<dyn Fn(DomainId) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What [`RemoveDomain`] needs.
#[derive(Clone)]
pub struct Leftovers {
    domains: DomainsService,
    clock: Clock,
    deletions: Vec<(&'static str, Deletion)>,
}

impl Leftovers {
    /// Only the record so far.
    pub fn new(domains: &DomainsService, clock: &Clock) -> Leftovers {
        Leftovers { domains: domains.clone(), clock: clock.clone(), deletions: Vec::new() }
    }

    /// Adds how one feature deletes what it keeps of a domain; `what` stands in the error when it fails.
    ///
    /// Carried out in the order they are added, perhaps again, and also for a domain of which nothing is left.
    pub fn with<F, E>(
        mut self,
        what: &'static str,
        delete: impl Fn(DomainId) -> F + Send + Sync + 'static,
    ) -> Leftovers
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError> + 'static,
    {
        let boxed = move |domain| delete(domain).map_err(Into::into).boxed();
        self.deletions.push((what, Arc::new(boxed)));
        self
    }
}

/// Deletes everything that belonged to a removed domain: snapshots, jobs, visits, and at last its record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RemoveDomain {
    /// The record, whose name is free already.
    pub domain: DomainId,
}

impl Job for RemoveDomain {
    const KIND: &'static str = "RemoveDomain";
    // Nobody but an operator would notice what stayed behind, so it is tried for days.
    const MAX_ATTEMPTS: u32 = 100;
    type Services = Leftovers;

    async fn run(&self, leftovers: &Leftovers, run: &JobRun) -> Result<JobOutcome, JobError> {
        for (what, delete) in &leftovers.deletions {
            delete(self.domain.clone())
                .await
                .map_err(|error| JobError::retry(format!("{what}: {}", one_line(error.as_ref()))))?;
        }
        leftovers.domains.delete_removed(&self.domain).await?;
        let age = leftovers.clock.now().since(run.queued_at);
        Ok(if age < STRAGGLERS { JobOutcome::Later(STRAGGLERS - age) } else { JobOutcome::Done })
    }
}
