//! Starting and stopping runs: the limits of plan and site, one active run per domain, and the job that does the work.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use audit_engine::address::Origin;
use audit_engine::engine::{CrawlMode, last_moment};
use store::DbError;
use url::Url;

use super::notification::tell_end;
use super::read::AuditReader;
use super::running::RunningAudits;
use super::settings::AuditSettings;
use crate::auditing::RobotsTxt;
use crate::jobs::RunAudit;
use crate::model::{AuditRequest, Frequency, Outcome, Run, RunId, RunReport, RunStatus, Trigger};
use crate::ports::Renders;
use crate::queries;
use crate::segments::ReadError;
use accounts::usage::Reservation;
use accounts::{AccountId, Accounts, UsageMetric};
use domains::origin::OriginClient;
use domains::{DomainsService, Site};
use platform::Platform;
use platform::clock::Timestamp;
use platform::jobs::Jobs;
use platform::plans::{PlanLimit, PlanLimits};
use webhooks::Events;

/// Longest wait of a request for a sitemap, when only new pages are wanted.
const SITEMAP_WAIT: Duration = Duration::from_secs(15);
/// Pages of an audit on a plan without a limit.
const MOST_PAGES: u64 = 1_000_000;
/// Maximum number of pages, and requests per second, of an audit of an unproven domain: its server may belong to another owner.
/// See docs/decisions/0402.
const UNPROVEN_PAGES: u64 = 100;
const UNPROVEN_RATE: f64 = 2.0;

/// A run that is to be started.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Addresses at which the crawl begins.
    pub urls: Vec<Url>,
    /// Method of finding pages.
    pub mode: CrawlMode,
    /// Templates with many pages are sampled.
    pub allow_sampling: bool,
    /// Only pages that are new or changed.
    pub new_pages_only: bool,
    /// Overrides the domain's sitemap.
    pub sitemap: Option<Url>,
    /// Trigger of the run.
    pub trigger: Trigger,
    /// The schedule's, if it is started by one.
    pub frequency: Frequency,
}

/// Reason why a run was not started.
#[derive(Debug, thiserror::Error)]
pub enum AuditStartError {
    /// The plan has no audits.
    #[error("the plan has no audits")]
    NoAccess,
    /// The domain has an active run.
    #[error("audit {0} of the domain is active")]
    AlreadyActive(RunId),
    /// The plan allows no more audits this month.
    #[error("the plan allows {limit:?} audits a month")]
    OnDemandLimit {
        /// Limit of the plan.
        limit: PlanLimit,
        /// Current use.
        current: u64,
    },
    /// The plan allows no more pages this month.
    #[error("the plan allows {limit:?} audited pages a month")]
    PagesLimit {
        /// Limit of the plan.
        limit: PlanLimit,
        /// Current use.
        current: u64,
    },
    /// Sitemap mode, and there is none.
    #[error("the domain has no sitemap")]
    NoSitemap,
    /// Nothing is new.
    #[error("the sitemap has no new or changed pages")]
    NoNewPages,
    /// The previous run cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] DbError),
}

/// Runs. Cheap to clone.
#[derive(Clone)]
pub struct AuditRuns(Arc<RunParts>);

/// Services with which runs start and their jobs work.
pub struct RunParts {
    pub(super) platform: Platform,
    pub(super) accounts: Accounts,
    pub(super) domains: DomainsService,
    pub(super) origins: OriginClient,
    pub(super) jobs: Jobs,
    pub(super) events: Events,
    pub(super) renders: Arc<dyn Renders>,
    pub(super) running: RunningAudits,
    pub(super) reader: AuditReader,
    pub(super) settings: AuditSettings,
}

impl Deref for AuditRuns {
    type Target = RunParts;

    fn deref(&self) -> &RunParts {
        &self.0
    }
}

impl AuditRuns {
    pub(super) fn new(parts: RunParts) -> AuditRuns {
        AuditRuns(Arc::new(parts))
    }

    /// Starts a run; answers its id.
    pub async fn start(
        &self,
        site: &Arc<Site>,
        limits: &PlanLimits,
        new: NewRun,
    ) -> Result<RunId, AuditStartError> {
        if !limits.seo_audit {
            return Err(AuditStartError::NoAccess);
        }
        let domain = &site.domain;
        if let Some(active) = queries::find_active(&mut self.platform.db.read().await?, &domain.id).await? {
            return Err(AuditStartError::AlreadyActive(active));
        }
        let left = self.pages_left(&domain.account_id, limits, new.trigger).await?;
        let mut auditing = self.settings.get(&domain.id).await?.0;
        let mut wanted = auditing.max_pages.unwrap_or(MOST_PAGES);
        if !domain.is_proven() {
            wanted = wanted.min(UNPROVEN_PAGES);
            let rate = auditing.requests_per_second.unwrap_or(UNPROVEN_RATE);
            auditing.requests_per_second = Some(rate.min(UNPROVEN_RATE));
            auditing.robots_txt = RobotsTxt::Obey;
        }
        let max_pages = wanted.min(limits.pages_per_audit.most().unwrap_or(MOST_PAGES)).min(left);
        let sitemap = new.sitemap.or_else(|| Url::parse(&domain.settings.sitemap_url).ok());
        let sitemap = sitemap.filter(|_| new.mode != CrawlMode::Selected);
        if new.mode == CrawlMode::Sitemap && sitemap.is_none() {
            return Err(AuditStartError::NoSitemap);
        }
        let request = AuditRequest {
            urls: new.urls,
            mode: new.mode,
            allow_sampling: new.allow_sampling && new.mode != CrawlMode::Selected,
            new_pages_only: new.new_pages_only && new.mode == CrawlMode::Sitemap,
            sitemap,
            max_pages,
            auditing,
            crawlers_are_served: domain.is_proven(),
        };
        if request.new_pages_only && !self.has_new_pages(site, &request).await? {
            return Err(AuditStartError::NoNewPages);
        }
        let reserved = self.reserve_audit(&domain.account_id, limits, new.trigger).await?;
        let run = self.new_run(site, request, new.trigger, new.frequency);
        match self.insert(&run).await {
            Ok(()) => Ok(run.id),
            Err(error) => {
                if let Some(reserved) = reserved {
                    self.accounts.refund(&reserved).await?;
                }
                let active = queries::find_active(&mut self.platform.db.read().await?, &domain.id).await?;
                match (error.is_unique_violation(), active) {
                    (true, Some(active)) => Err(AuditStartError::AlreadyActive(active)),
                    _ => Err(error.into()),
                }
            }
        }
    }

    fn new_run(&self, site: &Site, request: AuditRequest, trigger: Trigger, frequency: Frequency) -> Run {
        Run {
            id: RunId::generate(),
            account_id: site.domain.account_id.clone(),
            domain_id: site.domain.id.clone(),
            host: site.domain.host.clone(),
            started_at: self.platform.clock.now(),
            completed_at: None,
            // A caller is told that its run is running even while it waits in the queue. A scheduled run shows that it waits.
            status: if trigger == Trigger::Scheduled { RunStatus::Queued } else { RunStatus::Running },
            is_active: true,
            trigger,
            frequency,
            run_count: 0,
            pages_crawled: 0,
            waiting: 0,
            probes_waiting: 0,
            pages_counted: 0,
            continuations: 0,
            health_score: 0.0,
            issue_count: 0,
            delta_issues: 0,
            delta_health: 0.0,
            close_reason: None,
            needs_continuation: false,
            begun_at: None,
            open_attempts: 0,
            working_until: Timestamp::from_millis(0),
            hit_url_limit: false,
            cancel_requested: false,
            error_message: None,
            report: RunReport::empty(request.mode),
            archived_at: None,
            is_forgotten: false,
            request,
        }
    }

    async fn insert(&self, run: &Run) -> Result<(), DbError> {
        let mut tx = self.platform.db.write().await?;
        queries::insert_run(&mut tx, run).await?;
        self.jobs.enqueue(&mut tx, vec![RunAudit::job(run)]).await?;
        tx.commit().await?;
        self.jobs.wake();
        Ok(())
    }

    /// Returns the remaining pages of the month. Fails when there are none, or no audits on demand.
    async fn pages_left(
        &self,
        account: &AccountId,
        limits: &PlanLimits,
        trigger: Trigger,
    ) -> Result<u64, AuditStartError> {
        let (_, _, used) = self.accounts.usage(account).await?;
        let used: HashMap<UsageMetric, u64> = used.into_iter().collect();
        let used = |metric| used.get(&metric).copied().unwrap_or(0);
        let (limit, current) = (limits.audits_per_month, used(UsageMetric::Audits));
        if trigger != Trigger::Scheduled && !limit.allows(current + 1) {
            return Err(AuditStartError::OnDemandLimit { limit, current });
        }
        let (limit, current) = (limits.audited_pages_per_month, used(UsageMetric::AuditedPages));
        if !limit.allows(current + 1) {
            return Err(AuditStartError::PagesLimit { limit, current });
        }
        Ok(limit.most().map_or(MOST_PAGES, |most| most - current))
    }

    /// Counts an audit on demand; scheduled ones cost their pages only.
    async fn reserve_audit(
        &self,
        account: &AccountId,
        limits: &PlanLimits,
        trigger: Trigger,
    ) -> Result<Option<Reservation>, AuditStartError> {
        if trigger == Trigger::Scheduled {
            return Ok(None);
        }
        let limit = limits.audits_per_month;
        let reserved = self.accounts.reserve(account, UsageMetric::Audits, 1, limit).await?;
        let current = limit.most().unwrap_or(0);
        reserved.map(Some).ok_or(AuditStartError::OnDemandLimit { limit, current })
    }

    /// Returns true when the sitemap lists a page that the last completed run did not have, or that changed since.
    ///
    /// A sitemap that cannot be read in time counts as changed: the run will report its problem.
    async fn has_new_pages(&self, site: &Arc<Site>, request: &AuditRequest) -> Result<bool, AuditStartError> {
        let Some(known) = self.reader.known_pages(&site.domain.id, self.platform.clock.now()).await? else {
            return Ok(true);
        };
        let Some(sitemap) = &request.sitemap else { return Ok(true) };
        let origins = &self.origins;
        let read = async {
            let turn = origins.sitemap_turn(site).await;
            origins.read_sitemap(&turn, site, sitemap).await.map(|read| (turn, read))
        };
        let Ok(Ok((_turn, read))) = tokio::time::timeout(SITEMAP_WAIT, read).await else { return Ok(true) };
        // The audit's own form of an address.
        let origin = Origin::of(&request.urls[0]).without_parameters(&request.auditing.drop_parameters);
        let is_new = |page: crawler::sitemap::SitemapPage| {
            let seen = known.get(&origin.key(&page.url));
            let changed = page.lastmod.map(last_moment);
            seen.is_none_or(|seen| changed.is_some_and(|changed| changed > *seen))
        };
        Ok(read.pages.iter().any(is_new))
    }

    /// Asks a run to stop; its results so far are kept. Returns false when it is over already.
    pub async fn cancel(&self, run: &Run) -> Result<bool, DbError> {
        if !run.is_active {
            return Ok(false);
        }
        let waiting = Outcome::stopped(run, "it was stopped while it waited");
        let mut tx = self.platform.db.write().await?;
        if run.begun_at.is_none()
            && queries::end_waiting(&mut tx, &run.id, &waiting, self.platform.clock.now()).await?
        {
            tell_end(self, &mut tx, run, &waiting).await?;
            tx.commit().await?;
            return Ok(true);
        }
        queries::request_cancel(&mut tx, &run.id).await?;
        tx.commit().await?;
        self.running.cancel(&run.id);
        Ok(true)
    }
}
