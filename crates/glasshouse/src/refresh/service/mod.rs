//! Cache refresh: decides what can be queued, queues it, and does the work when its turn comes.
//! Must never delete a snapshot in the re-render variant: what is stored is served until the new render replaces it.

mod batches;
mod work;

use std::sync::Arc;
use std::time::Duration;

use crawler::sitemap::SitemapError;
use store::DbError;
use url::Url;

use super::jobs::{FeedBatch, RefreshPage, RefreshSite, RefreshStale};
use super::model::{BatchProgress, Cause, PageFailure, PagesReply, Selection, SiteReply};
use super::origin::Origins;
use super::staleness::{LOOK_EVERY, is_updated};
use crate::accounts::{AccountId, Accounts, Metric};
use crate::config::RefreshVariant;
use crate::domains::origin::OriginClient;
use crate::domains::{Domain, DomainId, DomainsService, Site};
use crate::jobs::{Batch, Job, Jobs, Priority, Registry, Schedule};
use crate::platform::Platform;
use crate::render::RenderService;
use crate::render::service::renderable;

pub use batches::QueueError;

/// How long somebody waits for a sitemap; then it is read in the background.
const SITEMAP_WAIT: Duration = Duration::from_secs(5);
/// Whose jobs the service's own are.
const SERVICE: &str = "service";
/// Failures that the progress of a batch names.
const FAILURES_SHOWN: i64 = 20;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct RefreshService(Arc<Inner>);

struct Inner {
    platform: Platform,
    accounts: Accounts,
    domains: DomainsService,
    render: RenderService,
    jobs: Jobs,
    origins: Origins,
}

impl RefreshService {
    /// Makes the service. Starts nothing.
    pub fn new(
        platform: &Platform,
        accounts: &Accounts,
        domains: &DomainsService,
        render: &RenderService,
        jobs: &Jobs,
    ) -> RefreshService {
        RefreshService(Arc::new(Inner {
            origins: Origins::new(OriginClient::new(platform)),
            platform: platform.clone(),
            accounts: accounts.clone(),
            domains: domains.clone(),
            render: render.clone(),
            jobs: jobs.clone(),
        }))
    }

    /// Adds what reads lists of pages to a worker's kinds of jobs.
    pub fn register(&self, registry: Registry) -> Registry {
        registry
            .with::<RefreshSite>(self.clone(), 2)
            .with::<FeedBatch>(self.clone(), 2)
            .with::<RefreshStale>(self.clone(), 1)
    }

    /// Adds what renders pages to the kinds of jobs of a process with browsers.
    pub fn register_renders(&self, registry: Registry) -> Registry {
        // Two more than there are tabs, so that none is ever idle while a job is written down.
        registry.with::<RefreshPage>(self.clone(), self.0.platform.config.render_concurrency() + 2)
    }

    /// What the worker has to queue again and again.
    pub fn schedules(&self) -> Vec<Schedule> {
        vec![Schedule::every(LOOK_EVERY, "stale pages", || {
            RefreshStale {}.queued_for(SERVICE).priority(Priority::Normal)
        })]
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
                true => PagesReply::queued(0).purged(self.0.render.purge(site, &pages).await?),
                false => PagesReply::queued(0),
            });
        }
        let form = |reply: PagesReply, deleted| if is_purge { reply.purged(deleted) } else { reply };
        if self.is_over_limit(&site.domain.account_id).await? {
            return Ok(form(PagesReply::nothing(Cause::RenderLimitReached), 0));
        }
        let renderable = distinct(pages.iter().filter_map(|page| renderable(site, page)));
        if renderable.is_empty() {
            return Ok(form(PagesReply::nothing(Cause::PathNotReachable), 0));
        }
        let reachable = match self.0.origins.reachable_pages(site, renderable).await {
            Ok(reachable) => reachable,
            Err(cause) => return Ok(form(PagesReply::nothing(cause), 0)),
        };
        let deleted = if is_purge { self.0.render.purge(site, &pages).await? } else { 0 };
        let queued = reachable.len() as u64;
        let jobs = reachable.into_iter().map(|url| {
            let key = format!("{}:{}", site.domain.id, crawler::url::cache_key(&url));
            self.page_job(site, url, Priority::Urgent).unique(key)
        });
        self.queue(jobs.collect()).await?;
        Ok(form(PagesReply::queued(queued), deleted))
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
        if self.is_over_limit(&site.domain.account_id).await? {
            return Ok(SiteReply::nothing(Cause::RenderLimitReached));
        }
        let Some(sitemap) = sitemap.or_else(|| stored_sitemap(site)) else {
            return Ok(SiteReply::nothing(Cause::NoSitemap));
        };
        let read = tokio::time::timeout(SITEMAP_WAIT, self.read_sitemap(site, &sitemap));
        let (trouble, read) = tokio::join!(self.trouble_of_origin(site), read);
        if let Some(cause) = trouble {
            return Ok(SiteReply::nothing(cause));
        }
        let pages = match read {
            Ok(Ok(pages)) => self.select(site, pages, selection).await?,
            Ok(Err(error)) => return Ok(SiteReply::nothing(cause_of(&error))),
            Err(_) => {
                let batch = self.queue_reading(site, sitemap, selection).await?;
                return Ok(SiteReply::accepted(batch.as_str()));
            }
        };
        if pages.is_empty() && selection == Selection::Updated {
            return Ok(SiteReply::nothing(Cause::NoUpdatedPaths));
        }
        let batch = self.queue_batch(site, pages, selection, sitemap.as_str()).await?;
        Ok(SiteReply::accepted(batch.as_str()))
    }

    /// The older variant: deletes first, and renders again only when asked to.
    async fn purge_site(
        &self,
        site: &Arc<Site>,
        sitemap: Option<Url>,
        selection: Selection,
        prewarm: bool,
    ) -> Result<SiteReply, QueueError> {
        if prewarm && self.is_over_limit(&site.domain.account_id).await? {
            return Ok(SiteReply::nothing_purged(Cause::RenderLimitReached));
        }
        if prewarm && let Some(cause) = self.trouble_of_origin(site).await {
            return Ok(SiteReply::nothing_purged(cause));
        }
        let (source, listed) = match sitemap.or_else(|| stored_sitemap(site)) {
            Some(sitemap) => {
                match tokio::time::timeout(SITEMAP_WAIT, self.read_sitemap(site, &sitemap)).await {
                    Ok(Ok(pages)) => ("sitemap", pages),
                    Ok(Err(error)) => return Ok(SiteReply::nothing_purged(cause_of(&error))),
                    Err(_) => return Ok(SiteReply::nothing_purged(Cause::FetchFailed)),
                }
            }
            None if selection == Selection::Updated => {
                return Ok(SiteReply::nothing_purged(Cause::NoSitemap));
            }
            None => {
                let stored = self.0.render.list_stored(site).await?;
                ("snapshots", stored.into_iter().map(|url| (url, None)).collect())
            }
        };
        let total = listed.len() as u64;
        let pages = self.select(site, listed, selection).await?;
        if pages.is_empty() && selection == Selection::Updated {
            return Ok(SiteReply::nothing_purged(Cause::NoUpdatedPaths));
        }
        let deleted = self.0.render.purge(site, &pages).await?;
        let mut queued = 0;
        if prewarm {
            queued = pages.len() as u64;
            self.queue_batch(site, pages, selection, source).await?;
        }
        Ok(SiteReply::purged(deleted, queued, source, total))
    }

    /// Deletes the lists of pages that batches of a removed domain still have. Its jobs and batches are the queue's.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), DbError> {
        for batch in self.0.jobs.list_batches(domain.as_str()).await? {
            crate::refresh::page_list::delete(&self.0.platform.blobs, &batch).await;
        }
        Ok(())
    }

    /// How far a batch of an account has come, with the domain it belongs to.
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

    fn variant(&self) -> RefreshVariant {
        self.0.platform.config.refresh.variant
    }

    async fn renders_used(&self, account: &AccountId) -> Result<u64, DbError> {
        let (_, _, used) = self.0.accounts.usage(account).await?;
        Ok(used.into_iter().find(|(metric, _)| *metric == Metric::Renders).map_or(0, |(_, used)| used))
    }

    async fn is_over_limit(&self, account: &AccountId) -> Result<bool, DbError> {
        let Some(found) = self.0.accounts.find_account(account).await? else { return Ok(true) };
        let limit = self.0.platform.config.plan(found.plan).renders_per_month;
        Ok(!limit.allows(self.renders_used(account).await? + 1))
    }

    async fn trouble_of_origin(&self, site: &Site) -> Option<Cause> {
        let root = Url::parse(&format!("https://{}/", site.domain.host)).ok()?;
        let root = renderable(site, &root).unwrap_or(root);
        self.0.origins.trouble_of_site(site, &root).await
    }

    /// Every page of a sitemap that can be rendered, with the time of its last change.
    async fn read_sitemap(
        &self,
        site: &Site,
        sitemap: &Url,
    ) -> Result<Vec<(Url, Option<i64>)>, SitemapError> {
        let read = self.0.origins.client().read_sitemap(site, sitemap).await?;
        Ok(read
            .pages
            .into_iter()
            .filter_map(|page| Some((renderable(site, &page.url)?, page.lastmod)))
            .collect())
    }

    async fn select(
        &self,
        site: &Site,
        listed: Vec<(Url, Option<i64>)>,
        selection: Selection,
    ) -> Result<Vec<Url>, DbError> {
        let (urls, changed): (Vec<Url>, Vec<Option<i64>>) = listed.into_iter().unzip();
        if selection == Selection::Every {
            return Ok(urls);
        }
        let stored = self.0.render.stored_at(site, &urls).await?;
        let pages = urls.into_iter().zip(changed).zip(stored);
        Ok(pages
            .filter(|((_, lastmod), stored)| is_updated(*lastmod, *stored))
            .map(|((url, _), _)| url)
            .collect())
    }
}

fn stored_sitemap(site: &Site) -> Option<Url> {
    Url::parse(&site.domain.settings.sitemap_url).ok()
}

fn cause_of(error: &SitemapError) -> Cause {
    match error {
        SitemapError::FetchFailed { .. } => Cause::FetchFailed,
        SitemapError::ParseFailed { .. } => Cause::ParseFailed,
    }
}

/// Each page once, in the order given.
fn distinct(pages: impl Iterator<Item = Url>) -> Vec<Url> {
    let mut known = std::collections::HashSet::new();
    pages.filter(|page| known.insert(crawler::url::cache_key(page))).collect()
}
