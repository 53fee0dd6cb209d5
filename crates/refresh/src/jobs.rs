//! The background work of cache refresh. Each job says what to do; `work` knows how.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use store::DbError;
use url::Url;

use super::model::Selection;
use super::service::SERVICE;
use super::work::RefreshWork;
use domains::DomainId;
use platform::jobs::{BatchId, Job, JobError, JobOutcome, JobRun, NewJob};

/// Renders one page again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RefreshPage {
    pub domain: DomainId,
    /// Address of the page.
    pub url: Url,
}

impl Job for RefreshPage {
    const KIND: &'static str = "RefreshPage";
    const MAX_ATTEMPTS: u32 = 4;
    const FIRST_WAIT: Duration = Duration::from_secs(10);
    type Services = RefreshWork;

    async fn run(&self, work: &RefreshWork, _: &JobRun) -> Result<JobOutcome, JobError> {
        work.render_again(&self.domain, &self.url).await
    }
}

/// A job that reads a sitemap that took too long while a client waited, and queues its pages.
///
/// Names its batch in its own data: a job that the queue counts in a batch would count as one of its pages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RefreshSite {
    /// The batch that the pages will belong to.
    pub batch: BatchId,
    pub domain: DomainId,
    pub sitemap: Url,
    /// Selection of its pages.
    pub selection: Selection,
}

impl Job for RefreshSite {
    const KIND: &'static str = "RefreshSite";
    const MAX_ATTEMPTS: u32 = 3;
    const TELLS_DEATH: bool = true;
    type Services = RefreshWork;

    async fn died(&self, work: &RefreshWork, reason: &str) -> Result<(), DbError> {
        work.batches.close(&self.batch, reason).await
    }

    async fn run(&self, work: &RefreshWork, run: &JobRun) -> Result<JobOutcome, JobError> {
        work.read_for_batch(self, run).await
    }
}

/// A job that makes jobs of the next part of a large batch's list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FeedBatch {
    pub batch: BatchId,
    pub domain: DomainId,
    /// First entry of the part.
    pub from: usize,
}

impl Job for FeedBatch {
    const KIND: &'static str = "FeedBatch";
    const MAX_ATTEMPTS: u32 = 10;
    const TELLS_DEATH: bool = true;
    type Services = RefreshWork;

    async fn died(&self, work: &RefreshWork, reason: &str) -> Result<(), DbError> {
        work.batches.close(&self.batch, reason).await
    }

    async fn run(&self, work: &RefreshWork, run: &JobRun) -> Result<JobOutcome, JobError> {
        work.feed_batch(self, run).await
    }
}

/// A job that tells webhooks that a batch is over. Queued in the transaction that ends the batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TellBatch {
    pub batch: BatchId,
}

impl TellBatch {
    /// Makes the job of a batch.
    pub fn job(batch: &BatchId) -> NewJob {
        TellBatch { batch: batch.clone() }.queued_for(SERVICE)
    }
}

impl Job for TellBatch {
    const KIND: &'static str = "TellBatch";
    type Services = RefreshWork;

    async fn run(&self, work: &RefreshWork, _: &JobRun) -> Result<JobOutcome, JobError> {
        work.tell_batch(&self.batch).await?;
        Ok(JobOutcome::Done)
    }
}

/// Queues the pages that are stale, those that crawlers ask for first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RefreshStale {}

impl Job for RefreshStale {
    const KIND: &'static str = "RefreshStale";
    const MOST_AT_ONCE: Option<usize> = Some(1);
    // The next one comes in some minutes.
    const MAX_ATTEMPTS: u32 = 1;
    type Services = RefreshWork;

    async fn run(&self, work: &RefreshWork, _: &JobRun) -> Result<JobOutcome, JobError> {
        work.queue_stale().await?;
        Ok(JobOutcome::Done)
    }
}

/// A job that deletes snapshots beyond `plans.<id>.snapshot_bytes` of an account and
/// `limits.snapshots_per_domain` of a domain, and queues [`TidySite`] for a part of the domains: for each once a day.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TidySites {}

impl Job for TidySites {
    const KIND: &'static str = "TidySites";
    const MOST_AT_ONCE: Option<usize> = Some(1);
    // To the end of a statement, so that the checkpoint is written.
    const DRAIN: Duration = Duration::from_secs(5);
    type Services = RefreshWork;

    async fn run(&self, work: &RefreshWork, run: &JobRun) -> Result<JobOutcome, JobError> {
        work.tidy_sites(run).await
    }
}

/// A job that deletes the pages of a domain that nobody requested within `render.keep_days` and that its sitemap does
/// not name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TidySite {
    pub domain: DomainId,
}

impl Job for TidySite {
    const KIND: &'static str = "TidySite";
    // Each may hold a large sitemap.
    const MOST_AT_ONCE: Option<usize> = Some(4);
    const MAX_ATTEMPTS: u32 = 3;
    type Services = RefreshWork;

    async fn run(&self, work: &RefreshWork, run: &JobRun) -> Result<JobOutcome, JobError> {
        work.tidy_site(&self.domain, run).await
    }
}

/// A job that deletes objects that no row names.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SweepObjects {}

impl Job for SweepObjects {
    const KIND: &'static str = "SweepObjects";
    const MOST_AT_ONCE: Option<usize> = Some(1);
    type Services = RefreshWork;

    async fn run(&self, work: &RefreshWork, run: &JobRun) -> Result<JobOutcome, JobError> {
        work.sweep_objects(run).await
    }
}
