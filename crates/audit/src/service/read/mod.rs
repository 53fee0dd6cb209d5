//! Reading runs: which there are, and what is stored of each. What is read of a run is a type in a file of its own.

mod compare;
mod export_format;
mod exports;
mod graph;
mod issues;
mod latest;
mod links;
mod page;
mod pages;
mod rows;
mod visits;

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use store::{Db, DbError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::followers::RunFollowers;
use crate::model::{IssueBreakdown, Run};
use crate::ports::CrawlerTraffic;
use crate::queries;
use crate::queries::summaries::{self, RunSummary};
use crate::segments::{ReadError, Segments};
use accounts::AccountId;
use domains::DomainId;
use platform::Platform;
use platform::clock::{Clock, Timestamp};

pub use compare::Comparison;
pub use export_format::AuditExportFormat;
pub use exports::{AuditExport, ExportRequest, count_sitemap_files};
pub use graph::LinkGraph;
pub use issues::RunIssues;
pub use latest::{AuditedTopic, LatestRun, PageWords};
pub use links::{LinkFilter, LinkList};
pub use page::RunPage;
pub use pages::{PageFilter, PageOrder, SelectedPages, page_rows};
pub use visits::WantedFields;

/// Runs that a list has.
const MOST_RUNS: i64 = 50;
/// Number of earlier runs from which known pages are taken.
const RUNS_LOOKED_AT: i64 = 12;

/// Runs and their results. Cheap to clone.
#[derive(Clone)]
pub struct AuditReader(Arc<ReaderParts>);

/// Stores of runs, and the followers of running ones.
pub struct ReaderParts {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) tasks: TaskTracker,
    pub(super) shutdown: CancellationToken,
    pub(super) segments: Segments,
    pub(super) visits: Arc<dyn CrawlerTraffic>,
    pub(super) followers: RunFollowers,
}

impl Deref for AuditReader {
    type Target = ReaderParts;

    fn deref(&self) -> &ReaderParts {
        &self.0
    }
}

impl AuditReader {
    pub(super) fn new(platform: &Platform, visits: Arc<dyn CrawlerTraffic>) -> AuditReader {
        let Platform { db, clock, tasks, shutdown, blobs, .. } = platform;
        AuditReader(Arc::new(ReaderParts {
            db: db.clone(),
            clock: clock.clone(),
            tasks: tasks.clone(),
            shutdown: shutdown.clone(),
            segments: Segments::new(db, blobs),
            visits,
            followers: RunFollowers::default(),
        }))
    }

    /// Lists the newest runs of an account's domains, or of one of them.
    pub async fn list_runs(
        &self,
        account: &AccountId,
        domains: Option<&[DomainId]>,
    ) -> Result<Vec<Run>, DbError> {
        let now = self.clock.now();
        let mut runs = queries::list_runs(&mut self.db.read().await?, account, domains, MOST_RUNS).await?;
        runs.iter_mut().for_each(|run| run.needs_continuation = run.is_cut_off(now));
        Ok(runs)
    }

    pub async fn find_run(&self, id: &str) -> Result<Option<Run>, DbError> {
        let mut run = queries::find_run(&mut self.db.read().await?, id).await?;
        run.iter_mut().for_each(|run| run.needs_continuation = run.is_cut_off(self.clock.now()));
        Ok(run)
    }

    /// Lists the newest runs of a domain that have results and ended before a time.
    pub(super) async fn earlier_runs(
        &self,
        domain: &DomainId,
        before: Timestamp,
    ) -> Result<Vec<Run>, DbError> {
        queries::list_with_results(&mut self.db.read().await?, domain, before, RUNS_LOOKED_AT).await
    }

    /// Finds the newest run of a domain that has results.
    pub async fn latest_run(&self, domain: &DomainId) -> Result<Option<LatestRun>, ReadError> {
        let now = self.clock.now();
        let runs = queries::list_with_results(&mut self.db.read().await?, domain, now, 1).await?;
        let Some(run) = runs.into_iter().next() else { return Ok(None) };
        let index = self.segments.index(&run).await?;
        Ok(Some(LatestRun { run, index, reader: self.clone() }))
    }

    /// Counts the rows with each issue: those so far while the run is in progress.
    pub async fn issue_breakdown(&self, run: &Run) -> Result<IssueBreakdown, ReadError> {
        if !run.is_active {
            return Ok(run.report.issue_breakdown.clone());
        }
        let index = self.segments.live(run).await?.index.clone();
        let mut counts = IssueBreakdown::new();
        for row in 0..index.len() {
            index.issues_of(row).for_each(|id| *counts.entry(id.to_owned().into()).or_default() += 1);
        }
        Ok(counts)
    }

    /// Returns the paths of a domain's earlier runs, with the time of each one's last request; none: there is no earlier run.
    pub(super) async fn known_pages(
        &self,
        domain: &DomainId,
        before: Timestamp,
    ) -> Result<Option<HashMap<String, i64>>, ReadError> {
        let mut known = HashMap::new();
        let runs = self.earlier_runs(domain, before).await?;
        for run in &runs {
            let index = self.segments.index(run).await?;
            for path in &index.paths {
                // The newest run comes first.
                known.entry(path.clone()).or_insert(run.started_at.as_millis());
            }
        }
        Ok((!runs.is_empty()).then_some(known))
    }

    /// Summarises the newest run with results of each domain of an account.
    pub async fn latest_summaries(
        &self,
        account: &AccountId,
    ) -> Result<HashMap<DomainId, RunSummary>, DbError> {
        let runs = summaries::list_latest(&mut self.db.read().await?, account).await?;
        Ok(runs.into_iter().map(|run| (run.domain.clone(), run)).collect())
    }

    /// Summarises the newest runs of a domain that have results, the newest first.
    pub async fn recent_summaries(&self, domain: &DomainId, most: i64) -> Result<Vec<RunSummary>, DbError> {
        summaries::list_of_domain(&mut self.db.read().await?, domain, most).await
    }

    /// Counts the runs with results of an account's domains.
    pub async fn count_runs(&self, account: &AccountId) -> Result<u64, DbError> {
        summaries::count_runs(&mut self.db.read().await?, account).await
    }
}
