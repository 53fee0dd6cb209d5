//! Work of the jobs of cache refresh. Each may be run twice without harm.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use store::DbError;
use url::Url;

use super::allowance::RenderAllowance;
use super::batches::{Batches, HUNGRY};
use super::jobs::{FeedBatch, RefreshSite};
use super::model::PAGES_PER_PART;
use super::origin::Origins;
use super::page_list;
use super::site_pages::SitePages;
use accounts::AccountId;
use domains::{Domain, DomainId, DomainsService, Site};
use platform::Platform;
use platform::jobs::{BatchId, JobError, JobOutcome, JobPriority, JobRun, Jobs, NewJob};
use render::decide::TargetPage;
use render::model::CONFIRM_AFTER;
use render::{RefreshTrouble, Refreshed, RenderService, StalePage};
use webhooks::events::BatchFinished;
use webhooks::{Events, NewEvent};

/// Timeout of a job's reading of a sitemap.
const SITEMAP_TIME: Duration = Duration::from_secs(15 * 60);
/// Maximum number of stale snapshots of one domain that are considered at a time.
const CONSIDERED: i64 = 10_000;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct RefreshWork {
    pub(super) platform: Platform,
    pub(super) domains: DomainsService,
    pub(super) render: RenderService,
    pub(super) jobs: Jobs,
    pub(super) events: Events,
    pub(super) origins: Origins,
    pub(super) pages: SitePages,
    pub(super) batches: Batches,
    pub(super) allowance: RenderAllowance,
}

impl RefreshWork {
    /// Does the work of [`RefreshPage`].
    pub async fn render_again(&self, domain: &DomainId, url: &Url) -> Result<JobOutcome, JobError> {
        let site = self.site(domain).await?;
        match self.render.refresh(&site, url).await {
            Refreshed::Stored => Ok(JobOutcome::Done),
            Refreshed::Elsewhere => Ok(JobOutcome::Later(Duration::from_secs(2))),
            Refreshed::HeldBack => Ok(JobOutcome::Later(CONFIRM_AFTER)),
            Refreshed::OverLimit => Err(JobError::give_up("the account has no renders left this month")),
            Refreshed::Failed { reason, trouble } => match trouble {
                RefreshTrouble::Page => Err(JobError::give_up(reason)),
                RefreshTrouble::Passing => Err(JobError::retry(reason)),
                RefreshTrouble::Origin => {
                    let now = self.platform.clock.now();
                    let after = self.origins.retry_after(&site, url, now).await;
                    Err(JobError::rest_lane(reason, after))
                }
                // Not the page's fault: it keeps its attempts.
                RefreshTrouble::Service => Ok(JobOutcome::Later(Duration::from_secs(5))),
            },
        }
    }

    /// Tells webhooks that a batch is over.
    pub async fn tell_batch(&self, id: &BatchId) -> Result<(), DbError> {
        let Some(batch) = self.jobs.find_batch(id.as_str()).await? else { return Ok(()) };
        let Some(domain) = batch.domain.as_deref().map(DomainId::from) else { return Ok(()) };
        let Some(domain) = self.domains.find_by_id(&domain).await? else { return Ok(()) };
        let data = BatchFinished {
            batch_group_id: id.to_string(),
            total: batch.total,
            done: batch.done,
            failed: batch.failed,
        };
        let event = NewEvent { account: &domain.account_id, domain: Some(&domain.host), data: data.into() };
        let mut tx = self.platform.db.write().await?;
        // A process may die after the commit, before the job is over: the job then runs again.
        self.events.emit_once(&mut tx, id.to_string(), event).await?;
        tx.commit().await?;
        self.events.wake();
        Ok(())
    }

    /// Does the work of [`RefreshSite`].
    pub async fn read_for_batch(&self, job: &RefreshSite, run: &JobRun) -> Result<JobOutcome, JobError> {
        let RefreshSite { batch, domain, sitemap, selection } = job;
        // Filled before a crash; the sitemap may say something else now.
        if self.jobs.find_batch(batch.as_str()).await?.is_none_or(|batch| batch.total > 0 || !batch.is_open) {
            return Ok(JobOutcome::Done);
        }
        let site = match self.site(domain).await {
            Ok(site) => site,
            Err(error) => {
                return self.batches.close_failed(batch, "the domain cannot be rendered", error).await;
            }
        };
        let read = tokio::time::timeout(SITEMAP_TIME, self.pages.read_sitemap(&site, sitemap)).await;
        let error = match read {
            Ok(Ok(pages)) => {
                let pages = self.pages.select(&site, pages, *selection).await?;
                self.batches.fill(&site, batch, pages).await?;
                return Ok(JobOutcome::Done);
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("{sitemap} could not be read within {} minutes", SITEMAP_TIME.as_secs() / 60),
        };
        match run.is_last_attempt {
            true => self.batches.close_failed(batch, &error, JobError::give_up(error.clone())).await,
            false => Err(JobError::retry(error)),
        }
    }

    /// Does the work of [`FeedBatch`].
    pub async fn feed_batch(&self, job: &FeedBatch, run: &JobRun) -> Result<JobOutcome, JobError> {
        let FeedBatch { batch, domain, from } = job;
        let from = *from;
        // One that was cancelled is no longer open.
        let open = self.jobs.find_batch(batch.as_str()).await?.filter(|batch| batch.is_open);
        let Some(total) = open.map(|batch| batch.total) else {
            return Ok(JobOutcome::Done);
        };
        let total = usize::try_from(total).unwrap_or(usize::MAX);
        if self.jobs.count_waiting(batch).await? > HUNGRY {
            return Ok(JobOutcome::Later(Duration::from_secs(1)));
        }
        let site = match self.site(domain).await {
            Ok(site) => site,
            Err(error) => {
                return self.batches.close_failed(batch, "the domain cannot be rendered", error).await;
            }
        };
        let blobs = &self.platform.blobs;
        let pages = match page_list::read(blobs, batch, from).await {
            Ok(part) => part,
            Err(error) if run.is_last_attempt => {
                return self
                    .batches
                    .close_failed(batch, &error.to_string(), JobError::give_up(error.to_string()))
                    .await;
            }
            Err(error) => return Err(JobError::retry(error.to_string())),
        };
        let to = (from + PAGES_PER_PART).min(total);
        let mut tx = self.platform.db.write().await?;
        run.hold(&mut tx).await?;
        // Somebody else, or we ourselves before a crash, made jobs of this part already.
        if !self.jobs.advance_batch(&mut tx, batch, from as u64, to as u64).await? {
            return Ok(JobOutcome::Done);
        }
        let mut jobs: Vec<NewJob> = pages
            .into_iter()
            .map(|url| self.batches.page_job(&site, url, JobPriority::Bulk).batch(batch))
            .collect();
        if to < total {
            jobs.push(self.batches.feeding(&site, batch, to));
        } else {
            self.jobs.close_batch(&mut tx, batch, None).await?;
        }
        self.jobs.enqueue(&mut tx, jobs).await?;
        tx.commit().await?;
        self.jobs.wake();
        if to == total {
            page_list::delete(blobs, batch).await;
        }
        Ok(JobOutcome::Done)
    }

    /// Does the work of [`RefreshStale`]: per account the pages that are asked for most, then the oldest.
    pub async fn queue_stale(&self) -> Result<u64, DbError> {
        let now = self.platform.clock.now();
        let mut by_account: HashMap<AccountId, Vec<Domain>> = HashMap::new();
        for domain in self.domains.list(None).await? {
            by_account.entry(domain.account_id.clone()).or_default().push(domain);
        }
        let plans = self.render.retention().list_plans().await?;
        let mut queued = 0;
        for (account, domains) in by_account {
            let budget = self.allowance.in_background(&account, now).await?;
            let budget = budget.min(self.batches.room_of(&account).await?);
            if budget == 0 {
                continue;
            }
            let mut stale = Vec::new();
            for domain in domains {
                let plan = plans.get(domain.id.as_str());
                stale.extend(self.stale_pages(Site::new(domain), plan).await?);
            }
            stale.sort_by_key(|(page, _)| (std::cmp::Reverse(page.asks), page.created_at));
            let jobs =
                stale.into_iter().map(|(_, job)| job).take(usize::try_from(budget).unwrap_or(usize::MAX));
            queued += self.batches.queue(jobs.collect()).await?;
        }
        Ok(queued)
    }

    async fn stale_pages(
        &self,
        site: Site,
        plan: Option<&String>,
    ) -> Result<Vec<(StalePage, NewJob)>, DbError> {
        if site.is_suspended() || !site.domain.settings.on_demand_render_enabled {
            return Ok(Vec::new());
        }
        let retention = self.render.retention();
        if plan.is_none_or(|plan| *plan != site.refresh_plan()) {
            retention.plan_renewals(&site).await?;
        }
        let stale = retention.list_stale(&site, CONSIDERED).await?;
        let jobs = stale.into_iter().map(|page| {
            let TargetPage { key, url, .. } = &page.page;
            let key = format!("stale:{}:{key}", site.domain.id);
            let job = self.batches.page_job(&site, url.clone(), JobPriority::Background).unique(key);
            (page, job)
        });
        Ok(jobs.collect())
    }

    /// Finds the domain of a job, if it may be rendered.
    async fn site(&self, domain: &DomainId) -> Result<Arc<Site>, JobError> {
        let found = self.domains.find_by_id(domain).await?;
        let domain = found.ok_or_else(|| JobError::give_up("the domain was removed"))?;
        let site = Site::new(domain);
        if site.is_suspended() {
            return Err(JobError::give_up("the domain is suspended"));
        }
        Ok(Arc::new(site))
    }
}
