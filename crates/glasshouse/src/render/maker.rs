//! Making one render: the lease on the page, the account's allowance, the browser, and what is done with the result.
//! Used by the render service only. Must never let a render that was started earlier replace a later one's result, nor
//! count a render that failed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use browser::{OriginRoute, RenderError, RenderLimits, RenderRequest, Rendered, Renderer};
use bytes::Bytes;
use store::DbError;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::cache::{DurableTier, etag_of};
use super::decide::Page;
use super::flight::Purpose;
use super::model::RenderedPage;
use super::queries::{PageId, SnapshotRow, Stored};
use super::service::describe_unstored;
use super::text::count_visible_chars;
use crate::accounts::usage::Reservation;
use crate::accounts::{Accounts, Metric};
use crate::clock::Clock;
use crate::config::{Config, Scheme};
use crate::domains::{Site, names};
use crate::platform::Platform;

/// How long a process holds a page without saying so again.
const LEASE: Duration = Duration::from_secs(10);
/// How often it says so.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// How often a process looks whether another one has finished.
const POLL: Duration = Duration::from_millis(100);
/// How much later a second render must agree that most of a page's text is gone.
pub const CONFIRM_AFTER: Duration = Duration::from_secs(60);
/// After how long an earlier suspicion no longer counts as the first of two renders.
const SUSPICION_KEPT: Duration = Duration::from_secs(24 * 3600);
/// Pause after the first failed re-render; doubled with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
/// Longest pause between failing re-renders.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// What is kept of an error's text.
const MAX_ERROR_CHARS: usize = 500;

/// What came of a render; shared by everybody who waited for it.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// A page came out.
    Made {
        /// The page.
        page: Arc<RenderedPage>,
        /// Whether it is the snapshot now.
        stored: bool,
    },
    /// Another process has stored the page.
    Elsewhere,
    /// Most of the text is gone: not stored until a second render agrees.
    HeldBack,
    /// The account's renders of this month are used up, or the account is inactive.
    OverLimit,
    /// Nothing came out.
    Failed(Arc<MakeError>),
}

/// Why nothing came out.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The browser's reason.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The database failed.
    #[error("could not reach the database")]
    Store(#[from] DbError),
}

/// Makes renders.
pub struct Maker {
    config: Arc<Config>,
    clock: Clock,
    renderer: Arc<dyn Renderer>,
    accounts: Accounts,
    durable: DurableTier,
    shutdown: CancellationToken,
}

impl Maker {
    /// Makes the maker.
    pub fn new(platform: &Platform, accounts: &Accounts, durable: DurableTier) -> Maker {
        Maker {
            config: platform.config.clone(),
            clock: platform.clock.clone(),
            renderer: platform.renderer.clone(),
            accounts: accounts.clone(),
            durable,
            shutdown: platform.shutdown.clone(),
        }
    }

    /// Renders a page and stores it when it may be.
    ///
    /// `seen` is the generation of what was stored when the render was found to be needed: when another process has
    /// stored a later one meanwhile, nothing is rendered. `None`: rendered whatever is stored.
    pub async fn make(
        &self,
        site: &Site,
        page: &Page,
        id: &PageId,
        purpose: Purpose,
        seen: Option<i64>,
    ) -> Outcome {
        match self.try_make(site, page, id, purpose, seen).await {
            Ok(outcome) => outcome,
            Err(error) => {
                tracing::warn!(error = %crate::api::error::chain(&error), domain = %site.domain.host, url = %page.url, "render failed");
                Outcome::Failed(Arc::new(error))
            }
        }
    }

    async fn try_make(
        &self,
        site: &Site,
        page: &Page,
        id: &PageId,
        purpose: Purpose,
        seen: Option<i64>,
    ) -> Result<Outcome, MakeError> {
        let token = uuid::Uuid::now_v7().to_string();
        let begun = self.begin(page, id, &token, purpose, seen).await?;
        let Some(generation) = begun else { return Ok(Outcome::Elsewhere) };
        let Some(reservation) = self.reserve(site).await? else {
            self.durable.end(id, &token).await?;
            return Ok(Outcome::OverLimit);
        };
        let start = Instant::now();
        let rendered = self.render_on_lease(site, page, id, &token).await;
        let render_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        metrics::histogram!("glasshouse_render_seconds").record(start.elapsed().as_secs_f64());
        match rendered {
            Ok(rendered) => {
                let made = self.page_of(site, rendered);
                self.keep(page, id, (generation, &token), purpose, made, render_ms).await
            }
            Err(error) => {
                metrics::counter!("glasshouse_renders_failed_total").increment(1);
                self.accounts.refund(&reservation).await?;
                self.note_failure(id, &error.to_string()).await?;
                self.durable.end(id, &token).await?;
                Err(error.into())
            }
        }
    }

    /// Takes the page for this process. `None`: another process has rendered it, or is at it and nobody waits.
    async fn begin(
        &self,
        page: &Page,
        id: &PageId,
        token: &str,
        purpose: Purpose,
        seen: Option<i64>,
    ) -> Result<Option<i64>, DbError> {
        let is_news = |stored: i64| seen.is_some_and(|seen| stored > seen);
        loop {
            let names = (page.key.as_str(), page.url.as_str());
            let begun = self.durable.begin(id, names, token, LEASE, purpose == Purpose::Forced).await?;
            if let Some((generation, stored)) = begun {
                if !is_news(stored) {
                    return Ok(Some(generation));
                }
                self.durable.end(id, token).await?;
                return Ok(None);
            }
            if purpose == Purpose::Background {
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
        self.accounts.reserve(&account.id, Metric::Renders, 1, limit).await
    }

    /// Renders, and says meanwhile that this process is still at it.
    async fn render_on_lease(
        &self,
        site: &Site,
        page: &Page,
        id: &PageId,
        token: &str,
    ) -> Result<Rendered, RenderError> {
        let render = self.renderer.render(self.request(site, page));
        tokio::pin!(render);
        loop {
            tokio::select! {
                rendered = &mut render => return rendered,
                // Requests were answered before this fires: nobody waits for the page any more.
                () = self.shutdown.cancelled() => {
                    return Err(RenderError::NoBrowser("the service is shutting down".to_owned()));
                }
                () = tokio::time::sleep(HEARTBEAT) => {
                    // Losing the page to a forced render is no reason to stop: somebody waits for this one.
                    if let Err(error) = self.durable.extend(id, token, LEASE).await {
                        tracing::warn!(error = %error, "could not keep the lease on a page");
                    }
                }
            }
        }
    }

    fn request(&self, site: &Site, page: &Page) -> RenderRequest {
        let settings = &site.domain.settings;
        let route = (!settings.origin_host.is_empty()).then(|| OriginRoute {
            hosts: site.hosts(),
            origin_host: settings.origin_host.clone(),
            tls: self.config.edge.origin_scheme == Scheme::Https,
        });
        let limits = &self.config.limits;
        RenderRequest {
            url: page.url.clone(),
            tenant: site.domain.id.to_string(),
            route,
            timeout: self.config.render_timeout(),
            wait_for_selector: site.domain.rendering.wait_for_selector.clone(),
            blocked_urls: site.domain.rendering.blocked_urls.clone(),
            limits: RenderLimits {
                page_bytes: limits.page_bytes,
                html_bytes: limits.html_bytes,
                redirects: limits.redirects,
            },
        }
    }

    fn page_of(&self, site: &Site, rendered: Rendered) -> Arc<RenderedPage> {
        let location = rendered.location.map(|location| public_location(site, location, &rendered.final_url));
        let html = Bytes::from(rendered.html);
        Arc::new(RenderedPage {
            status: answerable(rendered.status, location.is_some()),
            etag: etag_of(&html, location.as_deref()),
            location,
            html,
            partial: rendered.partial,
            created_at: self.clock.now(),
        })
    }

    /// Stores a page, or says why not. Storing is for later requests: failing at it does not take the page from this one.
    async fn keep(
        &self,
        page: &Page,
        id: &PageId,
        (generation, token): (i64, &str),
        purpose: Purpose,
        made: Arc<RenderedPage>,
        render_ms: u64,
    ) -> Result<Outcome, MakeError> {
        if !made.is_storable() {
            self.note_failure(id, &describe_unstored(&made)).await?;
            self.durable.end(id, token).await?;
            return Ok(Outcome::Made { page: made, stored: false });
        }
        if matches!(purpose, Purpose::Background | Purpose::Refresh) && self.is_suspicious(id, &made).await? {
            self.durable.end(id, token).await?;
            return Ok(Outcome::HeldBack);
        }
        match self.durable.store(id, (generation, token), page.url.as_str(), &made, render_ms).await {
            Ok(Stored::Yes { .. }) => Ok(Outcome::Made { page: made, stored: true }),
            // This one's client asked before the later render began, and gets what it asked for.
            Ok(Stored::Outdated) => Ok(Outcome::Made { page: made, stored: false }),
            Err(error) => {
                tracing::error!(error = %crate::api::error::chain(&error), url = %page.url, "a render could not be stored");
                // The lease runs out by itself when the database is what failed.
                let _ = self.durable.end(id, token).await;
                Ok(Outcome::Made { page: made, stored: false })
            }
        }
    }

    /// Whether more than nine tenths of a good page's text are gone, and no render a minute ago said so too.
    async fn is_suspicious(&self, id: &PageId, made: &RenderedPage) -> Result<bool, DbError> {
        let Some(stored) = self.durable.find_row(id).await? else { return Ok(false) };
        if !has_shrunk(&stored, made) {
            return Ok(false);
        }
        let now = self.clock.now();
        let suspected = stored.suspect_at.map(crate::clock::Timestamp::from_millis);
        let suspected = suspected.filter(|at| now.since(*at) < SUSPICION_KEPT);
        if suspected.is_some_and(|at| now.since(at) >= CONFIRM_AFTER) {
            return Ok(false);
        }
        let since = suspected.unwrap_or(now);
        self.durable.note_suspect(id, since, since.plus(CONFIRM_AFTER)).await?;
        Ok(true)
    }

    /// Notes the failure beside the snapshot, if there is one, with a growing pause before the next attempt.
    async fn note_failure(&self, id: &PageId, error: &str) -> Result<(), DbError> {
        let Some(row) = self.durable.find_row(id).await? else { return Ok(()) };
        let error: String = error.chars().take(MAX_ERROR_CHARS).collect();
        let failures = row.failures.saturating_add(1);
        let retry_at = self.clock.now().plus(pause_after(failures));
        self.durable.note_failure(id, &error, failures, retry_at).await
    }
}

/// The status that is answered for a page: every success is 200, and so is what no page can mean.
fn answerable(status: u16, has_location: bool) -> u16 {
    match status {
        300..=399 if has_location && status != 304 => status,
        400..=599 => status,
        _ => 200,
    }
}

fn has_shrunk(stored: &SnapshotRow, made: &RenderedPage) -> bool {
    let before = stored.text_chars.unsigned_abs();
    let is_good = stored.status == 200 && made.status == 200;
    is_good && count_visible_chars(&String::from_utf8_lossy(&made.html)).saturating_mul(10) < before
}

fn pause_after(failures: i64) -> Duration {
    let doublings = u32::try_from(failures.saturating_sub(1)).unwrap_or(0).min(16);
    FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
}

/// A redirect to the origin host is one to the public name: the origin does not know under which name it was asked.
fn public_location(site: &Site, location: String, page: &Url) -> String {
    let Some((origin, _)) = names::split_origin(&site.domain.settings.origin_host) else { return location };
    let Ok(mut url) = Url::parse(&location) else { return location };
    let public = page.host_str().filter(|host| site.owns_host(host)).unwrap_or(&site.domain.host);
    if url.host_str() != Some(origin) || url.set_host(Some(public)).is_err() {
        return location;
    }
    let _ = url.set_port(page.port());
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::Settings;
    use crate::domains::site::tests::site;

    #[test]
    fn every_success_is_200_and_so_is_a_status_that_no_page_can_have() {
        for status in [200, 201, 204, 206, 0, 100, 304, 700] {
            assert_eq!(answerable(status, true), 200, "{status}");
        }
        assert_eq!(answerable(302, false), 200);
        for status in [301, 302, 307, 308, 404, 410, 429, 503] {
            assert_eq!(answerable(status, true), status);
        }
    }

    #[test]
    fn the_pause_between_failing_renders_grows_to_an_hour() {
        let minutes = |failures| pause_after(failures).as_secs() / 60;

        assert_eq!([1, 2, 3, 6, 7, 1000].map(minutes), [1, 2, 4, 32, 60, 60]);
    }

    #[test]
    fn a_redirect_of_the_origin_to_itself_is_told_under_the_public_name() {
        let site =
            site("shop.example", Settings { origin_host: "app.host.test".into(), ..Settings::default() });
        let page = Url::parse("https://www.shop.example/a").expect("an address");
        let told = |location: &str| public_location(&site, location.to_owned(), &page);

        assert_eq!(told("https://app.host.test/b?c=d"), "https://www.shop.example/b?c=d");
        assert_eq!(told("https://elsewhere.test/b"), "https://elsewhere.test/b");
    }
}
