//! Audits by themselves: runs that a domain's frequency begins, old runs that move to the object store, abandoned runs that
//! continue, and results that are deleted with their domain. Used by the scheduled jobs and by the removal of a domain.
//! See docs/decisions/0036.

use std::sync::Arc;
use std::time::Duration;

use audit_engine::engine::CrawlMode;
use store::DbError;
use url::Url;

use super::runs::{AuditRuns, AuditStartError, NewRun};
use super::settings::set_frequency;
use crate::jobs::RunAudit;
use crate::model::{Frequency, RunId, Trigger};
use crate::queries;
use crate::segments::ReadError;
use domains::{DomainId, Site};
use platform::jobs::{JobError, JobRun};

/// Time between two rounds.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(5 * 60);
/// Age at which a run is archived.
const ARCHIVED_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);
/// Runs of a domain that stay in the database whatever else was audited since.
const KEPT_NEAR: i64 = 3;
/// Runs that are archived, or queued again, at one look.
const LOOKED_AT_ONCE: i64 = 50;
/// An active run that says nothing for so long has lost its job.
const SILENT: Duration = Duration::from_secs(10 * 60);
/// Time for which runs of a removed domain are distinguished from runs that never existed.
const REMEMBERED: Duration = Duration::from_secs(90 * 24 * 3600);

/// Audits that nobody asks for. Cheap to clone.
#[derive(Clone)]
pub struct AuditSchedule {
    pub(super) runs: AuditRuns,
}

impl AuditSchedule {
    /// Starts a run because the schedule says so. What the plan or the domain's state does not allow is left out this time.
    pub async fn start_scheduled(&self, id: &DomainId) -> Result<(), JobError> {
        let Some(domain) = self.runs.domains.find_by_id(id).await? else { return Ok(()) };
        let account = self.runs.accounts.find_account(&domain.account_id).await?;
        let Some(account) = account.filter(|account| account.active) else { return Ok(()) };
        let site = Arc::new(Site::new(domain));
        let auditing = self.runs.settings.get(id).await?.0;
        let root = Url::parse(&format!("https://{}/", site.domain.host));
        let (Ok(root), false) = (root, site.is_suspended()) else { return Ok(()) };
        let has_sitemap = !site.domain.settings.sitemap_url.is_empty();
        let new = NewRun {
            urls: vec![root],
            mode: if has_sitemap { auditing.mode } else { CrawlMode::Follow },
            allow_sampling: true,
            new_pages_only: false,
            sitemap: None,
            trigger: Trigger::Scheduled,
            frequency: auditing.frequency,
        };
        let limits = self.runs.platform.config.plan(account.plan);
        match self.runs.start(&site, limits, new).await {
            Ok(_) => Ok(()),
            Err(AuditStartError::Store(error)) => Err(error.into()),
            Err(reason) => {
                tracing::info!(domain = %site.domain.host, %reason, "a scheduled audit was left out");
                Ok(())
            }
        }
    }

    /// Runs one round.
    pub async fn keep(&self, run: &JobRun) -> Result<(), JobError> {
        let now = self.runs.platform.clock.now();
        self.requeue_silent().await?;
        let mut tx = self.runs.platform.db.write().await?;
        queries::delete_forgotten(&mut tx, now.minus(REMEMBERED)).await?;
        tx.commit().await?;
        let old = now.minus(ARCHIVED_AFTER);
        let due = queries::list_archivable(
            &mut self.runs.platform.db.read().await?,
            old,
            KEPT_NEAR,
            LOOKED_AT_ONCE,
        )
        .await?;
        for id in due {
            if run.is_stopping() {
                break;
            }
            self.archive(&id).await.map_err(|error| JobError::retry(error.to_string()))?;
        }
        Ok(())
    }

    /// Requeues active runs that no process works on: an operator removed their job, or a process lost it.
    pub async fn requeue_silent(&self) -> Result<(), DbError> {
        let since = self.runs.platform.clock.now().minus(SILENT);
        let silent =
            queries::list_silent(&mut self.runs.platform.db.read().await?, since, LOOKED_AT_ONCE).await?;
        if !silent.is_empty() {
            let mut tx = self.runs.platform.db.write().await?;
            // Enqueuing a job that is still in the queue changes nothing.
            self.runs.jobs.enqueue(&mut tx, silent.iter().map(RunAudit::job).collect()).await?;
            tx.commit().await?;
            self.runs.jobs.wake();
        }
        Ok(())
    }

    /// Moves the results of a run to the object store. Answers stay the same.
    pub async fn archive(&self, id: &RunId) -> Result<(), ReadError> {
        self.runs.reader.segments.archive(id, self.runs.platform.clock.now()).await
    }

    /// Deletes the results of a removed domain's runs; the runs themselves are remembered for a while.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), ReadError> {
        let mut tx = self.runs.platform.db.write().await?;
        let runs = queries::forget_runs(&mut tx, domain, self.runs.platform.clock.now()).await?;
        queries::summaries::delete_summaries(&mut tx, domain).await?;
        set_frequency(&self.runs.jobs, &mut tx, domain, Frequency::Manual).await?;
        tx.commit().await?;
        for run in runs {
            self.runs.reader.segments.forget(&run).await?;
        }
        Ok(())
    }
}
