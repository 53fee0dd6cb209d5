//! Service that answers the render endpoint, the edge and jobs from memory, from stored snapshots or with a new render.
//! Must never make a crawler wait for a page that was ever rendered, nor answer with an empty page.
//! See docs/decisions/0034.

use std::sync::Arc;
use std::time::Instant;

use store::DbError;
use tokio::sync::Semaphore;
use url::Url;

use super::cache::{DurablePage, DurableTier, page_id};
use super::decide::{DecidedAnswer, TargetPage, decide, stored_page};
use super::fast_path::FastPath;
use super::markdown_tier::MarkdownTier;
use super::memory::MemoryTier;
use super::model::{
    CONFIRM_AFTER, Freshness, PageFormat, PageResponse, RenderCall, RenderPurpose, RenderResponse, Tier,
    UnverifiedClient, is_gone,
};
use super::outcome::{RenderOrder, RenderOutcome};
use super::parts::RenderParts;
use super::policy::CrawlerPolicies;
use super::queries::PageId;
use super::refreshed::Refreshed;
use super::render_task::RenderTasks;
use super::request_counts::RequestCounts;
use super::retention::Retention;
use super::root_files::RootFileAnswers;
use super::served::{FoundPage, hit, record, record_passed_on};
use super::single_flight::{JoinedRender, SingleFlight};
use super::snapshot_list::SnapshotLists;
use super::stored_pages::StoredPages;
use super::unverified::UnverifiedRenders;
use analytics::Recorder;
use domains::site::SiteRedirect;
use domains::{DomainId, Site};
use platform::Platform;
use platform::limits::KeyedCount;

/// Maximum number of background renders of one domain that wait or run, per render slot. A domain whose pages hang must not
/// block the renders of others.
const BACKGROUND_PER_SLOT: usize = 4;
/// Divisor of the memory for pages that gives the share of documents of stored snapshots.
const DOCUMENTS_SHARE: u64 = 4;
/// Divisor of the memory for pages that gives the share of their Markdown.
const MARKDOWN_SHARE: u64 = 8;
/// Maximum number of held-back renders that wait for a confirmation a minute later.
const MAX_CONFIRMATIONS: usize = 1_000;

/// Service of renders and rendered pages. Cheap to clone.
#[derive(Clone)]
pub struct RenderService(Arc<Inner>);

struct Inner {
    memory: MemoryTier,
    markdown: MarkdownTier,
    durable: DurableTier,
    tasks: RenderTasks,
    in_flight: SingleFlight<RenderOutcome>,
    background: KeyedCount<DomainId>,
    background_per_domain: usize,
    confirmations: Arc<Semaphore>,
    recorder: Recorder,
    platform: Platform,
    fast_path: FastPath,
    stored: StoredPages,
    request_counts: Arc<RequestCounts>,
    retention: Retention,
    unverified: UnverifiedRenders,
    policies: CrawlerPolicies,
    root_files: RootFileAnswers,
}

impl RenderService {
    /// Makes the service. Starts nothing.
    pub fn new(platform: &Platform, left: &RenderParts<'_>) -> RenderService {
        let RenderParts { accounts, domains, index_now, origins, jobs, recorder, analytics } = *left;
        let root_files = RootFileAnswers::new(platform, domains, origins, analytics);
        let memory_bytes = platform.config.render.memory_cache_bytes;
        let durable = DurableTier::new(platform, index_now, memory_bytes / DOCUMENTS_SHARE);
        let markdown_bytes = memory_bytes / MARKDOWN_SHARE;
        let memory = MemoryTier::new(memory_bytes - memory_bytes / DOCUMENTS_SHARE - markdown_bytes);
        let asks = Arc::new(RequestCounts::default());
        let health = super::health::RenderHealth::new(&platform.db, &platform.clock, jobs);
        let retention = Retention::new(platform, memory.clone(), durable.clone(), asks.clone(), &health);
        RenderService(Arc::new(Inner {
            tasks: RenderTasks::new(platform, accounts, domains, jobs, durable.clone(), health),
            durable,
            in_flight: SingleFlight::new(platform.tasks.clone()),
            background: KeyedCount::default(),
            background_per_domain: platform.config.render_concurrency() * BACKGROUND_PER_SLOT,
            confirmations: Arc::new(Semaphore::new(MAX_CONFIRMATIONS)),
            recorder: recorder.clone(),
            platform: platform.clone(),
            fast_path: FastPath::new(platform, &memory, recorder, &asks),
            stored: StoredPages::new(platform, memory.clone()),
            memory,
            markdown: MarkdownTier::new(markdown_bytes),
            request_counts: asks,
            retention,
            unverified: UnverifiedRenders::new(platform, accounts),
            policies: CrawlerPolicies::new(platform, left, root_files.clone()),
            root_files,
        }))
    }

    /// Returns the fast path, which answers without the router.
    pub(super) fn fast_path(&self) -> &FastPath {
        &self.0.fast_path
    }

    /// Adjusts the render slots of this process to its browsers, until shutdown.
    pub async fn follow_capacity(self) {
        self.0.tasks.follow_capacity().await;
    }

    /// Returns the runner of this process's renders.
    pub(super) fn tasks(&self) -> &RenderTasks {
        &self.0.tasks
    }

    /// Returns the stored snapshots, without the memory tier of pages that crawlers request.
    pub(super) fn durable(&self) -> &DurableTier {
        &self.0.durable
    }

    /// Returns the stored pages, for reading their ages and for deletion.
    pub fn stored_pages(&self) -> &StoredPages {
        &self.0.stored
    }

    /// Returns the lists of stored snapshots.
    pub fn snapshot_lists(&self) -> SnapshotLists {
        SnapshotLists::new(&self.0.platform)
    }

    /// Returns the retention of snapshots.
    pub fn retention(&self) -> &Retention {
        &self.0.retention
    }

    /// Returns the crawler policies. [`RenderService::serve`] applies them; other code that answers must apply them before.
    pub fn policies(&self) -> &CrawlerPolicies {
        &self.0.policies
    }

    /// Returns the Markdown of pages that agents request.
    pub(super) fn markdown(&self) -> &MarkdownTier {
        &self.0.markdown
    }

    /// Returns the root files of sites.
    pub fn root_files(&self) -> &RootFileAnswers {
        &self.0.root_files
    }

    /// Answers a request, and records the visit if a crawler got a page.
    pub async fn serve(&self, call: &RenderCall<'_>) -> Result<RenderResponse, DbError> {
        let start = Instant::now();
        if let Some(refusal) = self.0.policies.refuse(call).await {
            return Ok(RenderResponse::Refused(refusal));
        }
        let decision = decide(call.site, call.target, &call.facts, call.entry);
        let page = match decision.answer {
            DecidedAnswer::Redirect(SiteRedirect { status, location, .. }) => {
                return Ok(RenderResponse::Redirect { status, location: location.into() });
            }
            DecidedAnswer::Origin(location) => {
                record_passed_on(&self.0.recorder, call, decision.reason);
                return Ok(RenderResponse::Passthrough { location: location.into(), render_failed: false });
            }
            DecidedAnswer::Snapshot(page) => page,
        };
        let id = page_id(&call.site.domain.id, &page.key);
        let found = match call.freshness {
            // Forces a new render, whatever is stored and whether or not pages are rendered on demand.
            Freshness::Forced if !call.is_spoofed() => {
                Box::pin(self.render_now(call, &page, &id, RenderPurpose::Forced, None)).await?
            }
            _ => match self.0.memory.find(&id, self.0.platform.clock.now()) {
                Some(entry) => Some(PageResponse::of(Tier::EdgeHit, entry.page.clone(), None, &page)).into(),
                // Boxed, so that the future of an answer from memory stays small.
                None => Box::pin(self.find_or_render(call, &page, &id)).await?,
            },
        };
        let render_failed = matches!(found, FoundPage::Failed);
        let FoundPage::Page(mut response) = found else {
            record_passed_on(&self.0.recorder, call, decision.reason);
            let location = call.site.origin_url(call.target).into();
            return Ok(RenderResponse::Passthrough { location, render_failed });
        };
        if call.page_format() == PageFormat::Markdown {
            response.markdown = Box::pin(self.0.markdown.of(&page, &response.page)).await;
        }
        self.0.request_counts.add(&id, 1);
        record(&self.0.recorder, call, &response, start.elapsed());
        Ok(RenderResponse::Page(response))
    }

    /// Renders a page again for a job, and waits for the outcome. The stored page is served meanwhile.
    pub async fn refresh(&self, site: &Arc<Site>, target: &Url) -> Refreshed {
        let page = stored_page(site, target);
        let id = page_id(&site.domain.id, &page.key);
        Refreshed::from_outcome(self.start(site, &page, &id, RenderPurpose::Refresh, None).wait().await)
    }

    /// Finds the stored page, or renders the page now, or falls back to an older snapshot.
    async fn find_or_render(
        &self,
        call: &RenderCall<'_>,
        page: &TargetPage,
        id: &PageId,
    ) -> Result<FoundPage, DbError> {
        let now = self.0.platform.clock.now();
        let found = match self.0.durable.find(id).await {
            Ok(found) if found.is_store_down => return Ok(self.last_known(page, id).into()),
            Err(error) if error.is_unavailable() => {
                return self.last_known(page, id).map(FoundPage::Page).ok_or(error);
            }
            found => found?,
        };
        let mut gone = None;
        if let Some(stored) = found.page {
            let is_stale = stored.is_stale(page.refresh_interval, now);
            // A page that was gone ten minutes ago may exist again: only a new render can tell.
            let is_usable = !is_stale || !is_gone(stored.page.status) || !call.may_render();
            if is_usable {
                if !is_stale {
                    self.0.memory.insert(id.clone(), stored.page.clone(), page.refresh_interval, now);
                } else if call.may_render() {
                    self.refresh_in_background(call, page, id, &stored);
                }
                return Ok(FoundPage::Page(hit(stored, page)));
            }
            gone = Some(hit(stored, page));
        }
        if !call.may_render() || !self.is_within_budget(call.site, call.unverified_client, id).await? {
            return Ok(gone.into());
        }
        self.render_now(call, page, id, RenderPurpose::OnDemand, Some(found.generation)).await
    }

    /// Decides whether a client's request may start a render, or joins one in flight.
    async fn is_within_budget(
        &self,
        site: &Site,
        unverified_client: Option<UnverifiedClient>,
        id: &PageId,
    ) -> Result<bool, DbError> {
        match unverified_client {
            Some(client) if !self.0.in_flight.is_open(id) => self.0.unverified.take(site, client).await,
            _ => Ok(true),
        }
    }

    /// Returns the last known page in memory, while a store is down. Nothing is rendered then, since a store that does not
    /// answer may have the page.
    fn last_known(&self, page: &TargetPage, id: &PageId) -> Option<PageResponse> {
        let entry = self.0.memory.last_known(id)?;
        Some(PageResponse::of(Tier::Hit, entry.page.clone(), None, page))
    }

    async fn render_now(
        &self,
        call: &RenderCall<'_>,
        page: &TargetPage,
        id: &PageId,
        purpose: RenderPurpose,
        known_generation: Option<i64>,
    ) -> Result<FoundPage, DbError> {
        let render = self.start(call.site, page, id, purpose, known_generation);
        let outcome = match call.deadline {
            None => render.wait().await,
            Some(deadline) => render.wait_until(deadline).await.unwrap_or_else(|unfinished| {
                // The render continues, so that the next visit finds the page.
                self.0.platform.tasks.spawn(unfinished.wait());
                None
            }),
        };
        Ok(match outcome {
            Some(RenderOutcome::Made { page: rendered, .. }) => {
                FoundPage::Page(PageResponse::of(Tier::Miss, rendered, None, page))
            }
            // The stored page, however old.
            outcome => FoundPage::in_place_of(outcome, self.0.durable.find(id).await?.page, page),
        })
    }

    /// Renders a page for another process or for a view. `None`: the render ended unexpectedly.
    pub(super) async fn render_for_other(
        &self,
        site: &Arc<Site>,
        page: &TargetPage,
        id: &PageId,
        purpose: RenderPurpose,
        known_generation: Option<i64>,
    ) -> Option<RenderOutcome> {
        self.start(site, page, id, purpose, known_generation).wait().await
    }

    /// Joins the render of a page in flight, or starts one.
    fn start(
        &self,
        site: &Arc<Site>,
        page: &TargetPage,
        id: &PageId,
        purpose: RenderPurpose,
        known_generation: Option<i64>,
    ) -> JoinedRender<RenderOutcome> {
        self.0.in_flight.join(id, purpose, |abandoned| {
            let (service, site, page, id) = (self.clone(), site.clone(), page.clone(), id.clone());
            async move {
                if purpose == RenderPurpose::OnDemand
                    && let Some(entry) = service.0.memory.find(&id, service.0.platform.clock.now())
                {
                    // The page was rendered after this request had read the tiers.
                    return RenderOutcome::Made { page: entry.page.clone(), stored: true };
                }
                let outcome = {
                    let order = RenderOrder { site: &site, page: &page, id: &id, purpose, known_generation };
                    service.0.tasks.run(&order, &abandoned).await
                };
                service.note(&site, &page, &id, purpose, &outcome);
                outcome
            }
        })
    }

    fn note(
        &self,
        site: &Arc<Site>,
        page: &TargetPage,
        id: &PageId,
        purpose: RenderPurpose,
        outcome: &RenderOutcome,
    ) {
        let now = self.0.platform.clock.now();
        match outcome {
            // A page that could not be stored during an outage is not rendered again for each request meanwhile.
            RenderOutcome::Made { page: rendered, stored }
                if *stored || (rendered.is_storable() && self.0.durable.is_store_down()) =>
            {
                self.0.memory.insert(id.clone(), rendered.clone(), page.refresh_interval, now);
            }
            // The page that another process stored is newer than the cached one.
            RenderOutcome::Elsewhere => {
                self.0.memory.forget(id);
                self.0.durable.forget(id);
            }
            // A job confirms its render itself, and survives this process.
            RenderOutcome::HeldBack if purpose != RenderPurpose::Refresh => {
                self.confirm_later(site, page, id)
            }
            _ => {}
        }
    }

    /// Starts a background render of a stale page, unless one is in flight, too many are, or the retry pause is not over.
    fn refresh_in_background(
        &self,
        call: &RenderCall<'_>,
        page: &TargetPage,
        id: &PageId,
        stored: &DurablePage,
    ) {
        if stored.row.retry_at > self.0.platform.clock.now().as_millis() || self.0.in_flight.is_open(id) {
            return;
        }
        let (domain, most) = (call.site.domain.id.clone(), self.0.background_per_domain);
        let Some(place) = self.0.background.acquire(domain, most) else {
            metrics::counter!("glasshouse_background_renders_skipped_total").increment(1);
            return;
        };
        let (generation, client) = (Some(stored.row.stored_generation), call.unverified_client);
        let (service, site, page, id) = (self.clone(), call.site.clone(), page.clone(), id.clone());
        self.0.platform.tasks.spawn(async move {
            // Beyond the budget of an unverified client, the next refresh of stale pages renders the page.
            if matches!(service.is_within_budget(&site, client, &id).await, Ok(true)) {
                service.start(&site, &page, &id, RenderPurpose::Background, generation).wait().await;
            }
            drop(place);
        });
    }

    /// Renders a page again in a minute, after a render with less content was held back.
    fn confirm_later(&self, site: &Arc<Site>, page: &TargetPage, id: &PageId) {
        let Ok(slot) = self.0.confirmations.clone().try_acquire_owned() else { return };
        let (service, site, page, id) = (self.clone(), site.clone(), page.clone(), id.clone());
        self.0.platform.tasks.spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(CONFIRM_AFTER) => {}
                () = service.0.platform.shutdown.cancelled() => return,
            }
            service.start(&site, &page, &id, RenderPurpose::Background, None).wait().await;
            drop(slot);
        });
    }
}
