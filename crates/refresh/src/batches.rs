//! From pages to jobs: single ones, batches, and large batches that are fed part by part.
//! Must never make a page of a batch a job twice: how far a list has come moves in the transaction that queues its pages.
//! See docs/decisions/0054.

use store::{Blobs, Db, DbError};
use url::Url;

use super::allowance::RenderAllowance;
use super::jobs::{FeedBatch, RefreshPage, RefreshSite};
use super::model::{PAGES_PER_PART, Selection};
use super::origin::Origins;
use super::page_list;
use super::site_pages::ListedPages;
use accounts::AccountId;
use domains::Site;
use platform::Platform;
use platform::jobs::{BatchId, Job, JobError, JobOutcome, JobPriority, Jobs, NewBatch, NewJob};

/// Largest batch that becomes jobs at once. Tests do not render thousands of pages to see a large one.
const AT_ONCE: usize = PAGES_PER_PART * 5;
/// Maximum number of batches of a domain that are not complete.
const MAX_OPEN_BATCHES: usize = 10;
/// A batch is fed again when so few of its jobs wait.
pub const HUNGRY: u64 = PAGES_PER_PART as u64 / 4;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Batches {
    db: Db,
    blobs: Blobs,
    jobs: Jobs,
    origins: Origins,
    allowance: RenderAllowance,
}

impl Batches {
    /// Batches of this queue, with their lists among the objects.
    pub fn new(platform: &Platform, jobs: &Jobs, origins: &Origins, allowance: &RenderAllowance) -> Batches {
        Batches {
            db: platform.db.clone(),
            blobs: platform.blobs.clone(),
            jobs: jobs.clone(),
            origins: origins.clone(),
            allowance: allowance.clone(),
        }
    }

    /// Makes a job that renders a page again, in the lane of its origin.
    pub fn page_job(&self, site: &Site, url: Url, priority: JobPriority) -> NewJob {
        let origin = self.origins.client().address(site, &url);
        let lane = format!("origin:{}", origin.host_str().unwrap_or_default());
        let job = RefreshPage { domain: site.domain.id.clone(), url };
        job.queued_for(site.domain.account_id.as_str())
            .domain(site.domain.id.as_str())
            .lane(lane)
            .priority(priority)
    }

    /// Makes a job that feeds a batch from its list.
    pub fn feeding(&self, site: &Site, batch: &BatchId, from: usize) -> NewJob {
        let job = FeedBatch { batch: batch.clone(), domain: site.domain.id.clone(), from };
        job.queued_for(site.domain.account_id.as_str()).domain(site.domain.id.as_str()).feeding(batch)
    }

    /// Returns how many more renders an account may have in the queue.
    pub async fn room_of(&self, account: &AccountId) -> Result<u64, DbError> {
        let left = self.allowance.left(account).await?;
        if left == 0 {
            return Ok(0);
        }
        let mut tx = self.db.write().await?;
        self.allowance.room(&mut tx, account, left).await
    }

    /// Queues jobs; answers how many were not queued already.
    pub async fn queue(&self, jobs: Vec<NewJob>) -> Result<u64, DbError> {
        let mut tx = self.db.write().await?;
        let queued = self.jobs.enqueue(&mut tx, jobs).await?;
        tx.commit_durably().await?;
        self.jobs.wake();
        Ok(queued)
    }

    /// Queues as many of these jobs of a site as its account may have in the queue. Returns how many.
    pub async fn queue_allowed(&self, site: &Site, mut jobs: Vec<NewJob>) -> Result<u64, DbError> {
        let left = self.allowance.left(&site.domain.account_id).await?;
        let allowed = self.allowance.take_unproven(site, left.min(jobs.len() as u64)).await?;
        let mut tx = self.db.write().await?;
        let allowed = self.allowance.room(&mut tx, &site.domain.account_id, left).await?.min(allowed);
        jobs.truncate(usize::try_from(allowed).unwrap_or(usize::MAX));
        let queued = jobs.len() as u64;
        self.jobs.enqueue(&mut tx, jobs).await?;
        tx.commit_durably().await?;
        self.jobs.wake();
        Ok(queued)
    }

    /// Makes a batch of as many of these pages as the account may have in the queue. `None`: of none.
    pub async fn queue_pages(
        &self,
        site: &Site,
        pages: ListedPages,
        selection: Selection,
        source: &str,
    ) -> Result<Option<BatchId>, QueueError> {
        let found = pages.len();
        let left = self.allowance.left(&site.domain.account_id).await?;
        let allowed = self.allowance.take_unproven(site, left.min(found as u64)).await?;
        let mut tx = self.db.write().await?;
        if let Some(running) = self.admit(&mut tx, site, selection, source).await? {
            return Ok(Some(running));
        }
        let allowed = self.allowance.room(&mut tx, &site.domain.account_id, left).await?.min(allowed);
        if allowed == 0 && found > 0 {
            return Ok(None);
        }
        let pages = pages.first(allowed);
        let is_large = pages.len() > AT_ONCE;
        let batch = new_batch(site, selection, source, pages.len() as u64, true);
        let batch = self.jobs.create_batch(&mut tx, &batch).await?;
        self.record_left_out(&mut tx, &batch, found - pages.len()).await?;
        if is_large {
            // The list needs the batch's name, and its first feeding needs the list.
            tx.commit().await?;
        } else {
            self.add_all(&mut tx, site, &batch, &pages).await?;
            tx.commit_durably().await?;
            self.jobs.wake();
            return Ok(Some(batch));
        }
        self.feed_from_list(site, &batch, &pages).await?;
        Ok(Some(batch))
    }

    /// Gives an open batch its pages, as many as the account may have in the queue.
    pub async fn fill(&self, site: &Site, batch: &BatchId, pages: ListedPages) -> Result<(), DbError> {
        let found = pages.len();
        let left = self.allowance.left(&site.domain.account_id).await?;
        let allowed = self.allowance.take_unproven(site, left.min(found as u64)).await?;
        let mut tx = self.db.write().await?;
        let allowed = self.allowance.room(&mut tx, &site.domain.account_id, left).await?.min(allowed);
        let pages = pages.first(allowed);
        self.record_left_out(&mut tx, batch, found - pages.len()).await?;
        if pages.len() > AT_ONCE {
            tx.commit().await?;
            return self.feed_from_list(site, batch, &pages).await;
        }
        self.jobs.set_batch_total(&mut tx, batch, pages.len() as u64).await?;
        self.add_all(&mut tx, site, batch, &pages).await?;
        tx.commit().await?;
        self.jobs.wake();
        Ok(())
    }

    /// Says in a batch how many pages were left out.
    async fn record_left_out(
        &self,
        tx: &mut store::Tx,
        batch: &BatchId,
        pages: usize,
    ) -> Result<(), DbError> {
        if pages == 0 {
            return Ok(());
        }
        let text = format!("{pages} pages were left out: the account may have no more renders in the queue");
        self.jobs.set_batch_note(tx, batch, &text).await
    }

    async fn add_all(
        &self,
        tx: &mut store::Tx,
        site: &Site,
        batch: &BatchId,
        pages: &ListedPages,
    ) -> Result<(), DbError> {
        // A reading that was repeated finds the batch filled.
        if !pages.is_empty() && !self.jobs.advance_batch(tx, batch, 0, pages.len() as u64).await? {
            return Ok(());
        }
        let jobs = pages.urls().map(|url| self.page_job(site, url, JobPriority::Bulk).batch(batch)).collect();
        self.jobs.enqueue(tx, jobs).await?;
        self.jobs.close_batch(tx, batch, None).await
    }

    async fn feed_from_list(&self, site: &Site, batch: &BatchId, pages: &ListedPages) -> Result<(), DbError> {
        let written = page_list::write(&self.blobs, batch, pages.urls()).await;
        let mut tx = self.db.write().await?;
        match written {
            Ok(()) => {
                self.jobs.set_batch_total(&mut tx, batch, pages.len() as u64).await?;
                let first = self.feeding(site, batch, 0).unique(format!("{batch}:0"));
                self.jobs.enqueue(&mut tx, vec![first]).await?;
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "a batch's list could not be written"
                );
                self.jobs.set_batch_total(&mut tx, batch, 0).await?;
                self.jobs.close_batch(&mut tx, batch, Some(&error.to_string())).await?;
            }
        }
        tx.commit_durably().await?;
        self.jobs.wake();
        Ok(())
    }

    /// Makes a batch whose pages a job reads from a sitemap.
    pub async fn queue_reading(
        &self,
        site: &Site,
        sitemap: Url,
        selection: Selection,
    ) -> Result<BatchId, QueueError> {
        let mut tx = self.db.write().await?;
        if let Some(running) = self.admit(&mut tx, site, selection, sitemap.as_str()).await? {
            return Ok(running);
        }
        let batch = new_batch(site, selection, sitemap.as_str(), 0, true);
        let batch = self.jobs.create_batch(&mut tx, &batch).await?;
        let job = RefreshSite { batch: batch.clone(), domain: site.domain.id.clone(), sitemap, selection };
        let job =
            job.queued_for(site.domain.account_id.as_str()).domain(site.domain.id.as_str()).feeding(&batch);
        self.jobs.enqueue(&mut tx, vec![job]).await?;
        tx.commit_durably().await?;
        self.jobs.wake();
        Ok(batch)
    }

    /// Ends a batch together with the job that should have fed it.
    pub async fn close_failed(
        &self,
        batch: &BatchId,
        reason: &str,
        error: JobError,
    ) -> Result<JobOutcome, JobError> {
        self.close(batch, reason).await?;
        Err(error)
    }

    /// Ends the feeding of a batch that cannot continue. Pages that have not become jobs count as failed.
    pub async fn close(&self, batch: &BatchId, reason: &str) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        self.jobs.close_batch(&mut tx, batch, Some(reason)).await?;
        tx.commit().await
    }

    /// Finds out whether a domain may have one more batch, and which one a refresh of its whole site joins.
    async fn admit(
        &self,
        tx: &mut store::Tx,
        site: &Site,
        selection: Selection,
        source: &str,
    ) -> Result<Option<BatchId>, QueueError> {
        let open = self.jobs.list_incomplete_batches(tx, site.domain.id.as_str()).await?;
        if selection == Selection::Every {
            let kind = kind_of(selection);
            let same = open.iter().find(|(_, other, from)| other == kind && from.as_deref() == Some(source));
            if let Some((batch, _, _)) = same {
                return Ok(Some(batch.clone()));
            }
        }
        if open.len() >= MAX_OPEN_BATCHES {
            return Err(QueueError::TooManyBatches);
        }
        Ok(None)
    }
}

/// Reason why pages could not be queued.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The domain has as many batches in progress as it may.
    #[error("the domain has {MAX_OPEN_BATCHES} refreshes in progress")]
    TooManyBatches,
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] DbError),
}

/// Kinds of the batches of this feature.
pub(super) const BATCH_KINDS: [&str; 2] = ["RefreshSite", "RefreshUpdated"];

fn kind_of(selection: Selection) -> &'static str {
    match selection {
        Selection::Every => BATCH_KINDS[0],
        Selection::Updated => BATCH_KINDS[1],
    }
}

/// Returns the selection of a batch's kind. None: the batch is of another feature.
pub(super) fn selection_of(kind: &str) -> Option<Selection> {
    [Selection::Every, Selection::Updated].into_iter().find(|selection| kind_of(*selection) == kind)
}

fn new_batch(site: &Site, selection: Selection, source: &str, total: u64, is_open: bool) -> NewBatch {
    NewBatch {
        kind: kind_of(selection),
        account: site.domain.account_id.to_string(),
        domain: Some(site.domain.id.to_string()),
        total,
        is_open,
        source: Some(source.to_owned()),
    }
}
