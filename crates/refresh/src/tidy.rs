//! Keeps the store within bounds: deletes pages that nobody requests, and objects that no row names.
//! Must never delete a page that a sitemap names because the sitemap could not be read.

use std::time::Duration;

use futures::TryStreamExt;
use serde_json::json;

use super::jobs::TidySite;
use super::page_list;
use super::service::SERVICE;
use super::site_pages::{ListedPages, stored_sitemap};
use super::work::RefreshWork;
use domains::{DomainId, Site};
use platform::jobs::{Job, JobError, JobOutcome, JobPriority, JobRun};
use render::ForgetError;

/// Domains between two checkpoints.
const PART: usize = 50;
/// Timeout of reading the sitemap that decides which pages stay.
const SITEMAP_TIME: Duration = Duration::from_secs(15 * 60);
/// Retention of the list of a batch: batches are kept for 30 days.
const LIST_KEPT: Duration = Duration::from_secs(31 * 24 * 3600);
const HOUR_MS: i64 = 3600 * 1000;

impl RefreshWork {
    /// Does the work of [`crate::TidySites`].
    pub async fn tidy_sites(&self, run: &JobRun) -> Result<JobOutcome, JobError> {
        let mut ids: Vec<DomainId> =
            self.domains.list(None).await?.into_iter().map(|found| found.id).collect();
        ids.sort();
        let total = ids.len();
        let done: String = run.checkpoint().unwrap_or_default();
        if done.is_empty() {
            self.trim_accounts(run).await?;
        }
        ids.retain(|id| id.as_str() > done.as_str());
        // By when the job was queued: a run that was cut off goes on with the same hour's domains.
        let hour = run.queued_at.as_millis().div_euclid(HOUR_MS).rem_euclid(24);
        let mut left = ids.len();
        for part in ids.chunks(PART) {
            if run.is_stopping() {
                return Ok(JobOutcome::Later(Duration::ZERO));
            }
            let mut jobs = Vec::new();
            for id in part {
                let trimmed = self.render.retention().trim(id).await?;
                if trimmed > 0 {
                    tracing::info!(
                        domain = id.as_str(),
                        trimmed,
                        "the least asked for snapshots of a domain went"
                    );
                }
                if hour_of(id) == hour {
                    let job = TidySite { domain: id.clone() };
                    let job = job.queued_for(SERVICE).domain(id.as_str()).priority(JobPriority::Background);
                    jobs.push(job.unique(id.as_str()));
                }
            }
            left -= part.len();
            let mut tx = self.platform.db.write().await?;
            let progress = json!({ "domains": total, "done": total - left });
            run.save(&mut tx, &part.last().map(DomainId::as_str), &progress).await?;
            self.jobs.enqueue(&mut tx, jobs).await?;
            tx.commit().await?;
            self.jobs.wake();
        }
        Ok(JobOutcome::Done)
    }

    /// Deletes what accounts have stored beyond `plans.<id>.snapshot_bytes`.
    async fn trim_accounts(&self, run: &JobRun) -> Result<(), ForgetError> {
        for (account, most_bytes) in self.allowance.list_byte_limits().await? {
            if run.is_stopping() {
                return Ok(());
            }
            let trimmed = self.render.retention().trim_account(&account, most_bytes).await?;
            if trimmed > 0 {
                let account = account.as_str();
                tracing::info!(account, trimmed, "the least asked for snapshots of an account went");
            }
        }
        Ok(())
    }

    /// Does the work of [`TidySite`].
    pub async fn tidy_site(&self, domain: &DomainId, run: &JobRun) -> Result<JobOutcome, JobError> {
        let Some(domain) = self.domains.find_by_id(domain).await? else { return Ok(JobOutcome::Done) };
        let site = Site::new(domain);
        // Its sitemap cannot be asked now; it may be let go again.
        if site.is_suspended() {
            return Ok(JobOutcome::Done);
        }
        let mut unwanted = self.render.retention().list_unwanted(&site.domain.id).await?;
        if unwanted.is_empty() {
            return Ok(JobOutcome::Done);
        }
        let Some(named) = self.named_pages(&site).await else { return Ok(JobOutcome::Done) };
        while !unwanted.is_empty() && !run.is_stopping() {
            self.render.retention().forget_unwanted(&site, unwanted, named.urls()).await?;
            unwanted = self.render.retention().list_unwanted(&site.domain.id).await?;
        }
        Ok(JobOutcome::Done)
    }

    /// Returns every page that the sitemap of a site names; none when it has no sitemap, `None` when it cannot be read now.
    async fn named_pages(&self, site: &Site) -> Option<ListedPages> {
        let Some(sitemap) = stored_sitemap(site) else { return Some(ListedPages::from_urls(Vec::new())) };
        match tokio::time::timeout(SITEMAP_TIME, self.pages.read_sitemap(site, &sitemap)).await {
            Ok(Ok(pages)) => Some(pages),
            Ok(Err(error)) => {
                tracing::info!(%error, host = site.domain.host, "pages that nobody asks for stay: the sitemap cannot be read");
                None
            }
            Err(_) => None,
        }
    }

    /// Does the work of [`crate::SweepObjects`].
    pub async fn sweep_objects(&self, run: &JobRun) -> Result<JobOutcome, JobError> {
        let Some(pages) = self.render.retention().sweep_objects(|| run.is_stopping()).await? else {
            return Ok(JobOutcome::Later(Duration::ZERO));
        };
        let lists = self.sweep_page_lists().await?;
        if pages + lists > 0 {
            tracing::info!(pages, lists, "objects that nothing names were deleted");
        }
        Ok(JobOutcome::Done)
    }

    /// Deletes lists of pages whose batch is gone.
    async fn sweep_page_lists(&self) -> Result<u64, ForgetError> {
        let before = self.platform.clock.now().minus(LIST_KEPT).as_millis();
        let listed = page_list::list(&self.platform.blobs)?;
        let mut old =
            std::pin::pin!(listed.try_filter(|(_, modified_ms)| std::future::ready(*modified_ms < before)));
        let mut swept = 0;
        let mut last = None;
        while let Some((batch, _)) = old.try_next().await? {
            // A list has several objects, one after the other.
            if last.replace(batch.clone()).as_ref() == Some(&batch) {
                continue;
            }
            if self.jobs.find_batch(batch.as_str()).await?.is_none() {
                page_list::delete(&self.platform.blobs, &batch).await;
                swept += 1;
            }
        }
        Ok(swept)
    }
}

/// Returns the hour of the day in which a domain's sitemap is read for retention: a 24th of all domains share it.
fn hour_of(domain: &DomainId) -> i64 {
    domain.as_str().bytes().fold(0, |sum: i64, byte| (sum * 31 + i64::from(byte)).rem_euclid(24))
}
