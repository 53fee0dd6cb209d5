//! Background job of domains: deletes the data of a removed domain.
//! Must not know the features that build on domains: `app` passes in the deletion of each feature's data.
//! See docs/decisions/0036.

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

/// Time after a domain's removal by which renders that were running have stored their pages.
const STRAGGLERS: Duration = Duration::from_secs(10 * 60);

type Deletion = Arc<dyn Fn(DomainId) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Deletions that [`RemoveDomain`] runs.
#[derive(Clone)]
pub struct Leftovers {
    domains: DomainsService,
    clock: Clock,
    deletions: Vec<(&'static str, Deletion)>,
}

impl Leftovers {
    /// Makes a job that deletes only the record.
    pub fn new(domains: &DomainsService, clock: &Clock) -> Leftovers {
        Leftovers { domains: domains.clone(), clock: clock.clone(), deletions: Vec::new() }
    }

    /// Adds the deletion of one feature's data of a domain. `what` names the data in the error.
    ///
    /// Deletions run in the order they are added, possibly more than once, and also for a domain without data.
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

/// Job that deletes the data of a removed domain: snapshots, jobs, visits, and at last the record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RemoveDomain {
    /// Id of the record, whose name is already free.
    pub domain: DomainId,
}

impl Job for RemoveDomain {
    const KIND: &'static str = "RemoveDomain";
    // Only an operator would notice data that was not deleted, so the job is retried for days.
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
