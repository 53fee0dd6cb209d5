//! Cache refresh: decides what can be queued and queues it. The work itself is in `work`.
//! Must never delete a snapshot in the re-render variant: the stored page is served until the new render replaces it.

use std::sync::Arc;
use std::time::Duration;

use crawler::sitemap::SitemapError;
use store::DbError;
use url::Url;

use super::allowance::RenderAllowance;
use super::batches::{Batches, QueueError, selection_of};
use super::jobs::{
    FeedBatch, RefreshPage, RefreshSite, RefreshStale, SweepObjects, TellBatch, TidySite, TidySites,
};
use super::model::{BatchProgress, BatchSummary, NotQueued, PageFailure, PagesReply, Selection, SiteReply};
use super::origin::Origins;
use super::page_list;
use super::site_pages::{ListedPages, SitePages, stored_sitemap};
use super::staleness::LOOK_EVERY;
use super::work::RefreshWork;
use accounts::{AccountId, Accounts};
use domains::origin::OriginClient;
use domains::{Domain, DomainId, DomainsService, Site};
use platform::Platform;
use platform::config::RefreshVariant;
use platform::jobs::{Batch, BatchId, Job, JobPriority, Jobs, Registry, Schedule};
use render::{RenderService, renderable, stored_page};
use webhooks::Events;

/// Longest wait of a request for a sitemap; then it is read in the background.
const SITEMAP_WAIT: Duration = Duration::from_secs(5);
const HOUR: Duration = Duration::from_secs(3600);
/// Account of the service's own jobs.
pub(super) const SERVICE: &str = "service";
/// Batches that a list names.
const BATCHES_SHOWN: i64 = 20;
/// Failures that the progress of a batch names.
const FAILURES_SHOWN: i64 = 20;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct RefreshService(Arc<Inner>);

struct Inner {
    platform: Platform,
    domains: DomainsService,
    render: RenderService,
    jobs: Jobs,
    origins: Origins,
    pages: SitePages,
    batches: Batches,
    allowance: RenderAllowance,
    work: RefreshWork,
}

impl RefreshService {
    /// Makes the service. Starts nothing.
    pub fn new(
        platform: &Platform,
        accounts: &Accounts,
        domains: &DomainsService,
        origins: &OriginClient,
        render: &RenderService,
        jobs: &Jobs,
    ) -> RefreshService {
        jobs.queue_when_batch_ends(TellBatch::job);
        let origins = Origins::new(origins.clone());
        let pages = SitePages::new(&origins, render);
        let allowance = RenderAllowance::new(platform, accounts, jobs);
        let batches = Batches::new(platform, jobs, &origins, &allowance);
        RefreshService(Arc::new(Inner {
            work: RefreshWork {
                platform: platform.clone(),
                domains: domains.clone(),
                render: render.clone(),
                jobs: jobs.clone(),
                events: Events::new(&platform.clock, jobs),
                origins: origins.clone(),
                pages: pages.clone(),
                batches: batches.clone(),
                allowance: allowance.clone(),
            },
            platform: platform.clone(),
            domains: domains.clone(),
            render: render.clone(),
            jobs: jobs.clone(),
            origins,
            pages,
            batches,
            allowance,
        }))
    }

    /// Adds what reads lists of pages to a worker's kinds of jobs.
    pub fn register(&self, registry: Registry) -> Registry {
        registry
            .with::<RefreshSite>(self.work(), 2)
            .with::<FeedBatch>(self.work(), 2)
            .with::<TellBatch>(self.work(), 2)
            .with::<RefreshStale>(self.work(), 1)
            .with::<TidySites>(self.work(), 1)
            .with::<TidySite>(self.work(), 1)
            .with::<SweepObjects>(self.work(), 1)
    }

    /// Adds what renders pages to the kinds of jobs of a process with browsers.
    pub fn register_renders(&self, registry: Registry) -> Registry {
        // Two more than there are tabs, so that none is ever idle while a job is written down.
        registry.with::<RefreshPage>(self.work(), self.0.platform.config.render_concurrency() + 2)
    }

    /// Returns the work of the jobs.
    pub(super) fn work(&self) -> RefreshWork {
        self.0.work.clone()
    }

    /// Returns the schedules for the worker.
    pub fn schedules(&self) -> Vec<Schedule> {
        vec![
            Schedule::every(LOOK_EVERY, "stale pages", || {
                RefreshStale {}.queued_for(SERVICE).priority(JobPriority::Normal)
            }),
            Schedule::every(HOUR, "tidy", || {
                TidySites {}.queued_for(SERVICE).priority(JobPriority::Background)
            }),
            Schedule::every(HOUR * 24 * 7, "orphans", || {
                SweepObjects {}.queued_for(SERVICE).priority(JobPriority::Background)
            }),
        ]
    }

    /// Renders these pages again, soon.
    pub async fn refresh_pages(
        &self,
        site: &Arc<Site>,
        pages: Vec<Url>,
        prewarm: Option<bool>,
    ) -> Result<PagesReply, DbError> {
        let is_purge = self.variant() == RefreshVariant::Purge;
        if !prewarm.unwrap_or(!is_purge) {
            return Ok(match is_purge {
                true => PagesReply::queued(0).purged(self.0.render.stored_pages().purge(site, &pages).await?),
                false => PagesReply::queued(0),
            });
        }
        let form = |reply: PagesReply, deleted| if is_purge { reply.purged(deleted) } else { reply };
        if self.0.allowance.left(&site.domain.account_id).await? == 0 {
            return Ok(form(PagesReply::nothing(NotQueued::RenderLimitReached), 0));
        }
        let renderable = distinct(site, pages.iter().filter_map(|page| renderable(site, page)));
        if renderable.is_empty() {
            return Ok(form(PagesReply::nothing(NotQueued::PathNotReachable), 0));
        }
        let reachable = match self.0.origins.reachable_pages(site, renderable).await {
            Ok(reachable) => reachable,
            Err(cause) => return Ok(form(PagesReply::nothing(cause), 0)),
        };
        let deleted = if is_purge { self.0.render.stored_pages().purge(site, &pages).await? } else { 0 };
        let jobs = reachable.into_iter().map(|url| {
            let key = format!("{}:{}", site.domain.id, stored_page(site, &url).key);
            self.0.batches.page_job(site, url, JobPriority::Urgent).unique(key)
        });
        Ok(match self.0.batches.queue_allowed(site, jobs.collect()).await? {
            0 => form(PagesReply::nothing(NotQueued::RenderLimitReached), deleted),
            queued => form(PagesReply::queued(queued), deleted),
        })
    }

    /// Renders the pages of a sitemap again, in the background.
    pub async fn refresh_site(
        &self,
        site: &Arc<Site>,
        sitemap: Option<Url>,
        selection: Selection,
        prewarm: Option<bool>,
    ) -> Result<SiteReply, QueueError> {
        if self.variant() == RefreshVariant::Purge {
            return self.purge_site(site, sitemap, selection, prewarm.unwrap_or(false)).await;
        }
        if !prewarm.unwrap_or(true) {
            return Ok(SiteReply::accepted(""));
        }
        if self.0.allowance.left(&site.domain.account_id).await? == 0 {
            return Ok(SiteReply::nothing(NotQueued::RenderLimitReached));
        }
        let Some(sitemap) = sitemap.or_else(|| stored_sitemap(site)) else {
            return Ok(SiteReply::nothing(NotQueued::NoSitemap));
        };
        let read = tokio::time::timeout(SITEMAP_WAIT, self.0.pages.read_sitemap(site, &sitemap));
        let (trouble, read) = tokio::join!(self.0.pages.trouble_of_origin(site), read);
        if let Some(cause) = trouble {
            return Ok(SiteReply::nothing(cause));
        }
        let pages = match read {
            Ok(Ok(pages)) => self.0.pages.select(site, pages, selection).await?,
            Ok(Err(error)) => return Ok(SiteReply::nothing(cause_of(&error))),
            Err(_) => {
                let batch = self.0.batches.queue_reading(site, sitemap, selection).await?;
                return Ok(SiteReply::accepted(batch.as_str()));
            }
        };
        if pages.is_empty() && selection == Selection::Updated {
            return Ok(SiteReply::nothing(NotQueued::NoUpdatedPaths));
        }
        Ok(match self.0.batches.queue_pages(site, pages, selection, sitemap.as_str()).await? {
            Some(batch) => SiteReply::accepted(batch.as_str()),
            None => SiteReply::nothing(NotQueued::RenderLimitReached),
        })
    }

    /// Purges a site, the older variant: deletes first, and renders again only when asked to.
    async fn purge_site(
        &self,
        site: &Arc<Site>,
        sitemap: Option<Url>,
        selection: Selection,
        prewarm: bool,
    ) -> Result<SiteReply, QueueError> {
        if prewarm && self.0.allowance.left(&site.domain.account_id).await? == 0 {
            return Ok(SiteReply::nothing_purged(NotQueued::RenderLimitReached));
        }
        if prewarm && let Some(cause) = self.0.pages.trouble_of_origin(site).await {
            return Ok(SiteReply::nothing_purged(cause));
        }
        let (source, listed) = match sitemap.or_else(|| stored_sitemap(site)) {
            Some(sitemap) => {
                match tokio::time::timeout(SITEMAP_WAIT, self.0.pages.read_sitemap(site, &sitemap)).await {
                    Ok(Ok(pages)) => ("sitemap", pages),
                    Ok(Err(error)) => return Ok(SiteReply::nothing_purged(cause_of(&error))),
                    Err(_) => return Ok(SiteReply::nothing_purged(NotQueued::FetchFailed)),
                }
            }
            None if selection == Selection::Updated => {
                return Ok(SiteReply::nothing_purged(NotQueued::NoSitemap));
            }
            None => {
                let stored = self.0.render.stored_pages().list(site).await?;
                ("snapshots", ListedPages::from_urls(stored))
            }
        };
        let total = listed.len() as u64;
        let pages = self.0.pages.select(site, listed, selection).await?;
        if pages.is_empty() && selection == Selection::Updated {
            return Ok(SiteReply::nothing_purged(NotQueued::NoUpdatedPaths));
        }
        let mut deleted = 0;
        for part in pages.parts() {
            deleted += self.0.render.stored_pages().purge(site, &part).await?;
        }
        let mut queued = 0;
        if prewarm && let Some(batch) = self.0.batches.queue_pages(site, pages, selection, source).await? {
            queued = self.0.jobs.find_batch(batch.as_str()).await?.map_or(0, |batch| batch.total);
        }
        Ok(SiteReply::purged(deleted, queued, source, total))
    }

    /// Deletes the stored page of an address. Returns the number of deleted pages.
    pub async fn delete_page(&self, site: &Site, url: Url) -> Result<u64, DbError> {
        self.0.render.stored_pages().purge(site, &[url]).await
    }

    /// Deletes the stored pages of a site whose addresses match. Returns the number of deleted pages.
    pub async fn delete_pages(&self, site: &Site, matches: impl Fn(&Url) -> bool) -> Result<u64, DbError> {
        let mut pages = self.0.render.stored_pages().list(site).await?;
        pages.retain(matches);
        self.0.render.stored_pages().purge(site, &pages).await
    }

    /// Deletes the lists of pages that batches of a removed domain still have. Its jobs and batches are the queue's.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), DbError> {
        for batch in self.0.jobs.list_batches(domain.as_str()).await? {
            page_list::delete(&self.0.platform.blobs, &batch).await;
        }
        Ok(())
    }

    /// Returns the progress of an account's batch, with the domain it belongs to.
    pub async fn progress(
        &self,
        account: &AccountId,
        batch: &str,
    ) -> Result<Option<(BatchProgress, Option<Domain>)>, DbError> {
        let found = self.0.jobs.find_batch(batch).await?.filter(|batch| batch.account == account.as_str());
        let Some(batch) = found else { return Ok(None) };
        let domain = match &batch.domain {
            Some(id) => self.0.domains.find_by_id(&DomainId::from(id.as_str())).await?,
            None => None,
        };
        let failures = match batch.failed {
            0 => Vec::new(),
            _ => self.0.jobs.list_failures(&batch.id, FAILURES_SHOWN).await?,
        };
        let Batch { total, done, failed, running, started_at, completed_at, error, .. } = batch;
        let failures = failures.into_iter().filter_map(|job| {
            let page: RefreshPage = serde_json::from_value(job.payload).ok()?;
            Some(PageFailure { url: page.url.into(), error: job.error.unwrap_or_default() })
        });
        let failures = failures.collect();
        let progress =
            BatchProgress { total, done, failed, running, started_at, completed_at, error, failures };
        Ok(Some((progress, domain)))
    }

    /// Lists the newest refreshes of a domain.
    pub async fn list_batches(&self, domain: &DomainId) -> Result<Vec<BatchSummary>, DbError> {
        let newest = self.0.jobs.list_newest_batches(domain.as_str(), BATCHES_SHOWN).await?;
        let summary = |batch: Batch| {
            let selection = selection_of(&batch.kind)?;
            let Batch {
                id, total, done, failed, running, created_at, started_at, completed_at, error, ..
            } = batch;
            let batch_group_id = id.to_string();
            Some(BatchSummary {
                batch_group_id,
                selection,
                created_at,
                total,
                done,
                failed,
                running,
                started_at,
                completed_at,
                error,
            })
        };
        Ok(newest.into_iter().filter_map(summary).collect())
    }

    /// Stops a refresh: pages that have not begun are not rendered. Returns false when it was over.
    pub async fn cancel(&self, batch: &BatchId) -> Result<bool, DbError> {
        let is_cancelled = self.0.jobs.cancel_batch(batch).await?;
        if is_cancelled {
            page_list::delete(&self.0.platform.blobs, batch).await;
        }
        Ok(is_cancelled)
    }

    fn variant(&self) -> RefreshVariant {
        self.0.platform.config.refresh.variant
    }
}

fn cause_of(error: &SitemapError) -> NotQueued {
    match error {
        SitemapError::FetchFailed { .. } => NotQueued::FetchFailed,
        SitemapError::ParseFailed { .. } => NotQueued::ParseFailed,
    }
}

/// Returns each page once, in the order given.
fn distinct(site: &Site, pages: impl Iterator<Item = Url>) -> Vec<Url> {
    let mut known = std::collections::HashSet::new();
    pages.filter(|page| known.insert(stored_page(site, page).key)).collect()
}
