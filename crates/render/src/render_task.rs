//! One render as a task: the lease on the page, the account's usage, the browser, and the release of all three.
//! Used by the render service only. Must never count a failed render.

use std::sync::Arc;
use std::time::{Duration, Instant};

use browser::{OriginRoute, RenderError, RenderLimits, RenderRequest, Rendered, Renderer};
use bytes::Bytes;
use crawler::errors::one_line;
use crawler::url::{OriginHost, without_query};
use store::DbError;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::acceptance::{Acceptance, SnapshotUpdate};
use super::admission::{Applicant, Permit, RenderAdmission, RenderRefusal};
use super::cache::{DurableTier, etag_of};
use super::decide::{TargetPage, page_of};
use super::emptiness::why_empty;
use super::health::RenderHealth;
use super::impossible::ImpossiblePages;
use super::kept_headers::kept_headers;
use super::model::{RenderPurpose, RenderedPage};
use super::not_found::judge;
use super::origin_notes::{is_of_the_page, record_origin, record_origin_elsewhere};
use super::outcome::{RenderOrder, RenderOutcome, RenderTaskError};
use super::public_answer::{public_address, public_status};
use super::queries::PageId;
use super::remote::RemoteRenders;
use accounts::usage::Reservation;
use accounts::{Accounts, UsageMetric};
use domains::not_found::ImpossiblePage;
use domains::{DomainsService, Site};
use platform::Platform;
use platform::clock::Clock;
use platform::config::{Config, Role, Scheme};
use platform::jobs::Jobs;

/// Time for which a process holds the lease on a page after a heartbeat.
const LEASE: Duration = Duration::from_secs(10);
const HEARTBEAT: Duration = Duration::from_secs(3);
/// Polling interval while another process renders the page.
const POLL: Duration = Duration::from_millis(100);
/// Time for which a page that crashed is not rendered again, except by forced renders.
const QUARANTINE: Duration = Duration::from_secs(10 * 60);

/// Runner of renders, one task each. Cheap to share.
pub struct RenderTasks {
    config: Arc<Config>,
    clock: Clock,
    renderer: Arc<dyn Renderer>,
    /// Client for renders by other processes, if this process has no browsers.
    remote: Option<RemoteRenders>,
    accounts: Accounts,
    durable: DurableTier,
    acceptance: Acceptance,
    admission: RenderAdmission,
    /// Pages that crashed lately.
    quarantine: cache::Cache<PageId, ()>,
    impossible: ImpossiblePages,
    health: RenderHealth,
    shutdown: CancellationToken,
}

/// Failure of [`RenderTasks::look`].
pub type LookError = Box<dyn std::error::Error + Send + Sync>;

impl RenderTasks {
    pub fn new(
        platform: &Platform,
        accounts: &Accounts,
        domains: &DomainsService,
        jobs: &Jobs,
        durable: DurableTier,
        health: RenderHealth,
    ) -> RenderTasks {
        let is_remote = !platform.config.has_role(Role::Render);
        RenderTasks {
            config: platform.config.clone(),
            clock: platform.clock.clone(),
            renderer: platform.renderer.clone(),
            remote: is_remote.then(|| RemoteRenders::new(platform, jobs)),
            accounts: accounts.clone(),
            acceptance: Acceptance::new(durable.clone(), platform.clock.clone()),
            durable,
            admission: RenderAdmission::new(
                platform.config.render_concurrency(),
                platform.config.limits.on_demand_renders_per_minute,
                &platform.clock,
            ),
            quarantine: cache::Cache::builder(100_000).time_to_live(QUARANTINE).build(),
            impossible: ImpossiblePages::new(domains, &platform.clock),
            health,
            shutdown: platform.shutdown.clone(),
        }
    }

    /// Adjusts the slots of this process to its browsers, until shutdown.
    pub async fn follow_capacity(&self) {
        self.shutdown.run_until_cancelled(self.admission.follow(&*self.renderer)).await;
    }

    /// Waits for a slot for a background render that is not stored. The error is the reason why there is none.
    pub async fn background_turn(&self, site: &Site) -> Result<Arc<Permit>, RenderRefusal> {
        self.enter(site, &site.domain.host, RenderPurpose::Background, &self.shutdown).await
    }

    /// Renders with a slot, which is released when the tab is clean and the caller has dropped the permit.
    pub async fn render(
        &self,
        request: RenderRequest,
        permit: &Arc<Permit>,
    ) -> Result<Rendered, RenderError> {
        self.renderer.render(RenderRequest { slot: Some(permit.clone()), ..request }).await
    }

    /// Renders an address of a site, bypassing every tier and the account's usage.
    pub async fn look(&self, site: &Site, url: &Url) -> Result<Rendered, LookError> {
        let permit = self.background_turn(site).await?;
        let rendered = self.render(self.request(site, url), &permit).await;
        record_origin(&permit, &rendered);
        Ok(rendered?)
    }

    /// Renders a page, and stores it if it may be stored. `abandoned` is cancelled when no caller waits any more.
    pub async fn run(&self, order: &RenderOrder<'_>, abandoned: &CancellationToken) -> RenderOutcome {
        // Before a slot is acquired: refusing an account that has used up its renders costs nothing.
        let Some(left) = self.accounts.renders_left(&order.site.domain.account_id) else {
            return RenderOutcome::OverLimit;
        };
        match self.try_run(order, abandoned).await {
            Ok(RenderOutcome::OverLimit) => {
                left.none();
                RenderOutcome::OverLimit
            }
            Ok(outcome) => outcome,
            Err(error) => {
                let RenderOrder { site, page, .. } = order;
                tracing::warn!(error = %one_line(&error), domain = %site.domain.host, url = without_query(&page.url), "render failed");
                RenderOutcome::Failed(Arc::new(error))
            }
        }
    }

    async fn try_run(
        &self,
        order: &RenderOrder<'_>,
        abandoned: &CancellationToken,
    ) -> Result<RenderOutcome, RenderTaskError> {
        let RenderOrder { site, page, id, purpose, .. } = *order;
        if purpose != RenderPurpose::Forced && self.quarantine.contains(id) {
            return Err(RenderError::PageCrashed.into());
        }
        let is_for_store = !matches!(purpose, RenderPurpose::OnDemand | RenderPurpose::Forced);
        if is_for_store && !self.durable.is_store_usable().await {
            return Ok(RenderOutcome::Refused(RenderRefusal::StoreDown));
        }
        // Before this render has a slot, since the render of the impossible page needs one too.
        let impossible = self.impossible_page(site).await;
        // Before anything is written: refusing costs nothing.
        let host = page.url.host_str().unwrap_or_default();
        let permit = match self.enter(site, host, purpose, abandoned).await {
            Ok(permit) => permit,
            Err(refusal) => return Ok(RenderOutcome::Refused(refusal)),
        };
        if let Some(remote) = &self.remote {
            let outcome = remote.run(order, &self.durable, abandoned).await;
            record_origin_elsewhere(&permit, &outcome);
            return outcome;
        }
        let token = uuid::Uuid::now_v7().to_string();
        let begun = self.begin(page, id, &token, purpose, order.known_generation).await?;
        let Some(generation) = begun else { return Ok(RenderOutcome::Elsewhere) };
        let Some(reservation) = self.reserve(site).await? else {
            self.durable.end(id, &token).await?;
            return Ok(RenderOutcome::OverLimit);
        };
        let start = Instant::now();
        let mut rendered = self.render_on_lease(order, &permit, &token, abandoned).await;
        let twin = rendered.as_ref().ok().and_then(|rendered| self.twin_of(site, page, rendered));
        if let Some(twin) = &twin {
            // A redirect to the other host of the site would be stored under the key of its own target.
            let order = RenderOrder { page: twin, ..*order };
            rendered = self.render_on_lease(&order, &permit, &token, abandoned).await;
        }
        let page = twin.as_ref().unwrap_or(page);
        let render_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        metrics::histogram!("glasshouse_render_seconds").record(start.elapsed().as_secs_f64());
        record_origin(&permit, &rendered);
        drop(permit);
        if rendered.as_ref().err().is_none_or(is_of_the_page) {
            self.health.note(&site.domain, rendered.is_ok());
        }
        match rendered {
            Ok(rendered) => {
                let mut made = self.page_of(site, rendered);
                let facts = judge(site, page, &mut made, impossible.as_ref());
                let lease = (generation, token.as_str());
                let order = RenderOrder { page, ..*order };
                let kept = match leads_to_itself(site, page, &made) {
                    false => self.acceptance.keep(&order, lease, &made, &facts, render_ms).await?,
                    true => self.acceptance.refuse(id, &token, "the page redirects to itself").await?,
                };
                let is_lost = made.is_storable() && kept == SnapshotUpdate::No;
                if is_lost && is_for_store {
                    // The page was neither sent to a client nor stored.
                    self.accounts.refund(&reservation).await?;
                }
                Ok(match kept {
                    SnapshotUpdate::HeldBack => RenderOutcome::HeldBack,
                    SnapshotUpdate::Yes | SnapshotUpdate::No => {
                        RenderOutcome::Made { page: made, stored: kept == SnapshotUpdate::Yes }
                    }
                })
            }
            Err(error) => {
                metrics::counter!("glasshouse_renders_failed_total").increment(1);
                self.accounts.refund(&reservation).await?;
                self.record_failure(id, &error).await?;
                self.durable.end(id, &token).await?;
                Err(error.into())
            }
        }
    }

    /// Returns the page that a site's pages are compared with, if the site compares them.
    async fn impossible_page(&self, site: &Site) -> Option<ImpossiblePage> {
        let is_compared = site.domain.rendering.not_found.compare && self.remote.is_none();
        if is_compared { Box::pin(self.impossible.page_of(self, site)).await } else { None }
    }

    async fn enter(
        &self,
        site: &Site,
        host: &str,
        purpose: RenderPurpose,
        abandoned: &CancellationToken,
    ) -> Result<Arc<Permit>, RenderRefusal> {
        let origin = origin_name(site, host);
        let applicant = Applicant { purpose, domain: site.domain.id.to_string(), origin };
        Ok(Arc::new(self.admission.enter(applicant, abandoned).await?))
    }

    /// Records the failed render of a page.
    async fn record_failure(&self, id: &PageId, error: &RenderError) -> Result<(), RenderTaskError> {
        if matches!(error, RenderError::PageCrashed) {
            self.quarantine.insert(id, ());
        }
        if is_of_the_page(error) {
            self.acceptance.record_failure(id, &error.to_string()).await?;
        }
        Ok(())
    }

    /// Acquires the lease on a page. `None`: another process has rendered the page meanwhile, or is rendering the page and this
    /// is a background render.
    async fn begin(
        &self,
        page: &TargetPage,
        id: &PageId,
        token: &str,
        purpose: RenderPurpose,
        known_generation: Option<i64>,
    ) -> Result<Option<i64>, DbError> {
        let is_news = |stored: i64| known_generation.is_some_and(|known| stored > known);
        loop {
            let names = (page.key.as_str(), page.url.as_str());
            let begun = self.durable.begin(id, names, token, LEASE, purpose == RenderPurpose::Forced).await?;
            if let Some((generation, stored)) = begun {
                if !is_news(stored) {
                    return Ok(Some(generation));
                }
                self.durable.end(id, token).await?;
                return Ok(None);
            }
            if purpose == RenderPurpose::Background {
                return Ok(None);
            }
            tokio::time::sleep(POLL).await;
            if self.durable.find_row(id).await?.is_some_and(|row| is_news(row.stored_generation)) {
                return Ok(None);
            }
        }
    }

    async fn reserve(&self, site: &Site) -> Result<Option<Reservation>, DbError> {
        let account = self.accounts.find_account(&site.domain.account_id).await?;
        let Some(account) = account.filter(|account| account.active) else { return Ok(None) };
        let limit = self.config.plan(account.plan).renders_per_month;
        self.accounts.reserve(&account.id, UsageMetric::Renders, 1, limit).await
    }

    /// Renders a page, and extends the lease meanwhile.
    async fn render_on_lease(
        &self,
        order: &RenderOrder<'_>,
        permit: &Arc<Permit>,
        token: &str,
        abandoned: &CancellationToken,
    ) -> Result<Rendered, RenderError> {
        let RenderOrder { site, page, id, purpose, .. } = *order;
        let render = self.render(self.request(site, &page.url), permit);
        tokio::pin!(render);
        loop {
            tokio::select! {
                rendered = &mut render => return rendered,
                // Requests were answered before this token is cancelled: no client waits for the page any more.
                () = self.shutdown.cancelled() => return Err(RenderError::ShuttingDown),
                // A job that lost its lease or was cancelled ends its render. A client's render continues for the next request.
                () = abandoned.cancelled(), if matches!(purpose, RenderPurpose::Refresh | RenderPurpose::Look) => {
                    return Err(RenderError::Abandoned);
                }
                () = tokio::time::sleep(HEARTBEAT) => {
                    // This render continues after a forced render took over the lease, since a caller waits.
                    if let Err(error) = self.durable.extend(id, token, LEASE).await {
                        tracing::warn!(error = %error, "could not keep the lease on a page");
                    }
                }
            }
        }
    }

    /// Returns the page under the site's other host, if a render is only a redirect to that host.
    fn twin_of(&self, site: &Site, page: &TargetPage, rendered: &Rendered) -> Option<TargetPage> {
        let location = rendered.location.as_deref()?;
        let location = Url::parse(&public_address(site, &rendered.final_url, location)).ok()?;
        let is_twin = location.host_str() != page.url.host_str()
            && location.host_str().is_some_and(|host| site.owns_host(host));
        let twin = is_twin.then(|| page_of(site, &location))?;
        (twin.key == page.key && twin.url != page.url).then_some(twin)
    }

    /// Makes the browser's request for an address of a site.
    pub fn request(&self, site: &Site, url: &Url) -> RenderRequest {
        let tls = self.config.edge.origin_scheme == Scheme::Https;
        let origin_host = match &site.domain.settings.origin_host {
            // Pages are rendered under https addresses, even if the origin is requested without TLS.
            None if !tls => url.host_str().and_then(|host| host.parse().ok()),
            origin_host => origin_host.clone(),
        };
        let route = origin_host.map(|origin_host| OriginRoute { hosts: site.hosts(), origin_host, tls });
        let limits = &self.config.limits;
        RenderRequest {
            url: url.clone(),
            tenant: site.domain.id.to_string(),
            route,
            own_headers: None,
            timeout: self.config.render_timeout(),
            wait_for_selector: site.domain.rendering.wait_for_selector.clone(),
            blocked_urls: site.domain.rendering.blocked_urls.clone(),
            limits: RenderLimits {
                page_bytes: limits.page_bytes,
                html_bytes: limits.html_bytes,
                redirects: limits.redirects,
            },
            inspect: false,
            slot: None,
        }
    }

    fn page_of(&self, site: &Site, rendered: Rendered) -> Arc<RenderedPage> {
        let public = |address: &str| public_address(site, &rendered.final_url, address);
        let location = rendered.location.as_deref().map(public);
        let headers = kept_headers(&rendered.headers, public);
        let problems = match location {
            None => why_empty(&rendered.final_url, &rendered.html, &rendered.failed, &rendered.console),
            Some(_) => Vec::new(),
        };
        let html = Bytes::from(rendered.html);
        Arc::new(RenderedPage {
            status: public_status(rendered.status, location.is_some()),
            etag: etag_of(&html, location.as_deref(), &headers),
            location,
            html,
            headers,
            problems,
            partial: rendered.partial,
            created_at: self.clock.now(),
        })
    }
}

/// Returns the name of a site's server in the admission of renders: the origin host, else the requested host.
fn origin_name(site: &Site, asked: &str) -> String {
    site.domain.settings.origin_host.as_ref().map_or_else(|| asked.to_owned(), OriginHost::to_string)
}

/// Decides whether a page redirects to an address with the key of the page itself.
fn leads_to_itself(site: &Site, page: &TargetPage, made: &RenderedPage) -> bool {
    let location = made.location.as_deref().and_then(|location| Url::parse(location).ok());
    location.is_some_and(|location| {
        location.host_str().is_some_and(|host| site.owns_host(host))
            && page_of(site, &location).key == page.key
    })
}
