//! Views of pages: takes orders, returns stored views, and deletes expired ones. The browser's work is in `work`.
//! Must never return a view of another account, nor one that has expired.

use bytes::Bytes;
use crawler::errors::one_line;
use futures::TryStreamExt;
use store::{BlobError, Blobs, DbError};
use url::{Position, Url};

use super::jobs::{TakeView, TidyViews};
use super::model::{
    CRAWLER_HTML, GIVEN_UP_AFTER, KEPT, MOST_AT_ONCE, MOST_OF_DOMAIN, Pane, View, ViewContents, ViewError,
    ViewId, ViewState,
};
use super::queries::{self, ViewName, ViewRow};
use super::work::ViewWork;
use accounts::{Accounts, UsageMetric, VisibleAccount};
use domains::origin::OriginClient;
use domains::{DomainId, DomainsService, Site};
use platform::Platform;
use platform::clock::Timestamp;
use platform::jobs::{Job, JobPriority, JobRun, Jobs, Registry, Schedule};
use platform::plans::Plan;
use render::{PagesForViews, RenderService};

/// Name of the object that says what was seen.
pub(super) const CONTENTS: &str = "view.json";
const NAMES: [&str; 5] =
    [CONTENTS, CRAWLER_HTML, Pane::Person.file(), Pane::Crawler.file(), Pane::Raw.file()];
const HOUR: std::time::Duration = std::time::Duration::from_secs(3600);
/// Expired views that are deleted in one transaction.
const DELETED_AT_ONCE: i64 = 200;
/// Owner of the service's own jobs.
const SERVICE: &str = "service";

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Views {
    platform: Platform,
    accounts: Accounts,
    domains: DomainsService,
    jobs: Jobs,
    work: ViewWork,
}

/// Reason why no view is taken.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    #[error("the plan allows {limit} renders a month")]
    LimitReached { limit: u64 },
    #[error("the account has too many views in progress")]
    TooMany,
    #[error("could not reach the database")]
    Store(#[from] DbError),
}

/// Reason why a view could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ViewReadError {
    #[error("could not reach the database")]
    Store(#[from] DbError),
    #[error("could not reach the object store")]
    Blobs(#[from] BlobError),
}

impl Views {
    /// Makes the service. Starts nothing.
    pub fn new(
        platform: &Platform,
        accounts: &Accounts,
        domains: &DomainsService,
        origins: &OriginClient,
        render: &RenderService,
        jobs: &Jobs,
    ) -> Views {
        let work = ViewWork {
            platform: platform.clone(),
            accounts: accounts.clone(),
            domains: domains.clone(),
            origins: origins.clone(),
            pages: PagesForViews::new(render),
        };
        let (accounts, domains, jobs) = (accounts.clone(), domains.clone(), jobs.clone());
        Views { platform: platform.clone(), accounts, domains, jobs, work }
    }

    /// Adds the maintenance to a worker's kinds of jobs.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<TidyViews>(self.clone(), 1)
    }

    /// Adds what needs a browser to the kinds of jobs of a process that has browsers.
    pub fn register_views(&self, registry: Registry) -> Registry {
        registry.with::<TakeView>(self.clone(), 2)
    }

    /// Returns what the worker has to queue again and again.
    pub fn schedules(&self) -> Vec<Schedule> {
        let tidy = || TidyViews {}.queued_for(SERVICE).priority(JobPriority::Background);
        vec![Schedule::every(HOUR, "expired views", tidy)]
    }

    /// Returns what the jobs do.
    pub(super) fn work(&self) -> &ViewWork {
        &self.work
    }

    /// Has a view of a page taken, in the background. Counts as one render.
    pub async fn take(&self, site: &Site, plan: Plan, (url, width): (Url, u32)) -> Result<ViewId, TakeError> {
        let domain = &site.domain;
        let (id, now) = (ViewId::generate(), self.platform.clock.now());
        let limit = self.platform.config.plan(plan).renders_per_month;
        let mut tx = self.platform.db.write().await?;
        // Locks the account's count, so that two requests do not both find the last place.
        let reserved =
            self.accounts.reserve_in(&mut tx, &domain.account_id, UsageMetric::Renders, 1, limit).await?;
        let Some(reserved) = reserved else {
            return Err(TakeError::LimitReached { limit: limit.most().unwrap_or_default() });
        };
        let running = queries::count_running(&mut tx, &domain.account_id, now.minus(GIVEN_UP_AFTER)).await?;
        if running >= MOST_AT_ONCE {
            return Err(TakeError::TooMany);
        }
        let row = ViewRow {
            id: id.to_string(),
            account_id: domain.account_id.to_string(),
            domain_id: domain.id.to_string(),
            path: url[Position::BeforePath..Position::AfterQuery].to_owned(),
            url: url.into(),
            width: i64::from(width),
            state: ViewState::Running.as_str().to_owned(),
            error: None,
            month: reserved.month,
            created_at: now.as_millis(),
            expires_at: now.plus(KEPT).as_millis(),
        };
        queries::insert_view(&mut tx, &row).await?;
        let old = queries::delete_oldest(&mut tx, &domain.id, MOST_OF_DOMAIN).await?;
        let job = TakeView { view: id.clone() };
        let job = job.queued_for(domain.account_id.as_str()).domain(domain.id.as_str());
        self.jobs.enqueue(&mut tx, vec![job.priority(JobPriority::Normal)]).await?;
        tx.commit().await?;
        self.jobs.wake();
        delete_objects(&self.platform.blobs, &old).await;
        Ok(id)
    }

    pub async fn find(&self, seen: &VisibleAccount<'_>, id: &ViewId) -> Result<Option<View>, ViewReadError> {
        let Some((row, host)) = self.find_row(seen, id).await? else { return Ok(None) };
        self.read(row, host).await
    }

    /// Returns the newest view of a page.
    pub async fn find_newest(&self, site: &Site, url: &Url) -> Result<Option<View>, ViewReadError> {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let now = self.platform.clock.now();
        let mut conn = self.platform.db.read().await?;
        let Some(row) = queries::find_newest(&mut conn, &site.domain.id, path, now).await? else {
            return Ok(None);
        };
        drop(conn);
        self.read(row, site.domain.host.clone()).await
    }

    pub async fn picture(
        &self,
        seen: &VisibleAccount<'_>,
        id: &ViewId,
        pane: Pane,
    ) -> Result<Option<Bytes>, ViewReadError> {
        self.object(seen, id, pane.file()).await
    }

    /// Returns the whole HTML that a crawler gets.
    pub async fn crawler_html(
        &self,
        seen: &VisibleAccount<'_>,
        id: &ViewId,
    ) -> Result<Option<Bytes>, ViewReadError> {
        self.object(seen, id, CRAWLER_HTML).await
    }

    async fn object(
        &self,
        seen: &VisibleAccount<'_>,
        id: &ViewId,
        name: &str,
    ) -> Result<Option<Bytes>, ViewReadError> {
        let Some((row, _)) = self.find_row(seen, id).await? else { return Ok(None) };
        if ViewState::from_stored(&row.state) == ViewState::Running {
            return Ok(None);
        }
        Ok(self.platform.blobs.get(&object_key(&row.domain_id, &row.id, name)).await?)
    }

    /// Finds a view that has not expired, with its domain's name.
    async fn find_row(
        &self,
        seen: &VisibleAccount<'_>,
        id: &ViewId,
    ) -> Result<Option<(ViewRow, String)>, DbError> {
        let row = queries::find_view(&mut self.platform.db.read().await?, id).await?;
        let now = self.platform.clock.now().as_millis();
        let is_theirs = |row: &ViewRow| row.account_id == seen.account.as_str() && row.expires_at > now;
        let Some(row) = row.filter(is_theirs) else { return Ok(None) };
        let domain = self.domains.find_by_id(&DomainId::from(row.domain_id.as_str())).await?;
        let domain = domain.filter(|domain| seen.has(&domain.account_id, &domain.host));
        Ok(domain.map(|domain| (row, domain.host)))
    }

    async fn read(&self, row: ViewRow, domain: String) -> Result<Option<View>, ViewReadError> {
        let mut state = ViewState::from_stored(&row.state);
        let mut error = row.error.as_deref().map(ViewError::from_stored);
        let created_at = Timestamp::from_millis(row.created_at);
        if state == ViewState::Running && self.platform.clock.now().since(created_at) >= GIVEN_UP_AFTER {
            (state, error) = (ViewState::Failed, Some(ViewError::NoBrowser));
        }
        let contents = match state {
            ViewState::Running => None,
            ViewState::Done | ViewState::Failed => {
                self.platform.blobs.get(&object_key(&row.domain_id, &row.id, CONTENTS)).await?
            }
        };
        if state == ViewState::Done && contents.is_none() {
            tracing::warn!(view = row.id, "the object of a view is missing");
            return Ok(None);
        }
        // Contents that another version wrote count as none.
        let contents: ViewContents =
            contents.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let ViewContents { person, crawler, raw, requests, console, blocked, problems, timings } = contents;
        Ok(Some(View {
            id: ViewId::from(row.id),
            domain,
            path: row.path,
            url: row.url,
            width: u32::try_from(row.width).unwrap_or_default(),
            state,
            error,
            created_at,
            expires_at: Timestamp::from_millis(row.expires_at),
            person,
            crawler,
            raw,
            requests,
            console,
            blocked,
            problems,
            timings,
        }))
    }

    /// Deletes views that have expired.
    pub async fn tidy(&self, run: &JobRun) -> Result<(), DbError> {
        let now = self.platform.clock.now();
        while !run.is_stopping() {
            let mut tx = self.platform.db.write().await?;
            let expired = queries::delete_expired(&mut tx, now, DELETED_AT_ONCE).await?;
            tx.commit().await?;
            if expired.is_empty() {
                break;
            }
            delete_objects(&self.platform.blobs, &expired).await;
        }
        Ok(())
    }

    /// Deletes everything of a removed domain.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), ViewReadError> {
        let listed: Vec<_> = self.platform.blobs.list(&format!("views/{domain}/"))?.try_collect().await?;
        self.platform.blobs.delete_many(listed.iter().map(|blob| blob.key.as_str())).await?;
        let mut tx = self.platform.db.write().await?;
        queries::delete_of_domain(&mut tx, domain).await?;
        Ok(tx.commit().await?)
    }
}

pub(super) fn object_key(domain: &str, view: &str, name: &str) -> String {
    format!("views/{domain}/{view}/{name}")
}

/// Deletes the objects of views. What stays behind costs space and nothing else, and goes with its domain.
pub(super) async fn delete_objects(blobs: &Blobs, views: &[ViewName]) {
    let keys: Vec<String> =
        views.iter().flat_map(|view| NAMES.map(|name| object_key(&view.domain_id, &view.id, name))).collect();
    if let Err(error) = blobs.delete_many(keys.iter().map(String::as_str)).await {
        tracing::warn!(error = one_line(&error), "objects of views could not be deleted");
    }
}
