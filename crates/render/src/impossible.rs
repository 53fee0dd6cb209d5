//! Page that a site shows at an address that cannot exist, rendered once a day for a domain whose pages are compared with it.
//! The render is not a visit, does not count in the account's renders and is not stored as a snapshot. Used by the render task.

use std::hash::{BuildHasher, RandomState};

use audit_engine::page::{Provenance, scan};
use browser::Rendered;
use crawler::errors::one_line;
use sha2::{Digest, Sha256};
use store::DbError;
use tokio::sync::Mutex;
use url::Url;

use super::model::is_gone;
use super::not_found::{LEAST_WORDS, count_words, is_same, texts_of};
use super::render_task::{LookError, RenderTasks};
use domains::not_found::{IMPOSSIBLE_PAGE_KEPT, ImpossiblePage, ImpossiblePageRecord};
use domains::{DomainId, DomainsService, Site};
use platform::clock::{Clock, Timestamp};

/// Number of locks. Domains that share a lock wait for each other, once a day.
const LOCKS: usize = 64;
/// Maximum number of cached records.
const REMEMBERED: u64 = 10_000;

const REDIRECTS: &str = "An address that cannot exist redirects, so that nothing can be compared with it.";
const SHOWS_START: &str =
    "An address that cannot exist shows what the start page shows, so that nothing can be compared with it.";
const TOO_SHORT: &str =
    "An address that cannot exist shows fewer than 20 words, so that nothing can be compared with it.";

pub struct ImpossiblePages {
    domains: DomainsService,
    clock: Clock,
    known: cache::Cache<DomainId, ImpossiblePageRecord>,
    locks: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl ImpossiblePages {
    pub fn new(domains: &DomainsService, clock: &Clock) -> ImpossiblePages {
        ImpossiblePages {
            domains: domains.clone(),
            clock: clock.clone(),
            known: cache::Cache::new(REMEMBERED),
            locks: (0..LOCKS).map(|_| Mutex::new(())).collect(),
            hasher: RandomState::new(),
        }
    }

    /// Returns the page that a site shows at an address that cannot exist, and renders it if no process has within a day. None:
    /// pages cannot be compared with it. A failure is logged, and a page is served without the comparison.
    pub async fn page_of(&self, tasks: &RenderTasks, site: &Site) -> Option<ImpossiblePage> {
        let id = &site.domain.id;
        if let Some(record) = self.known.get(id).filter(|record| self.is_fresh(record)) {
            return record.page.clone();
        }
        let lock = usize::try_from(self.hasher.hash_one(id.as_str()) % LOCKS as u64).unwrap_or(0);
        let _turn = self.locks[lock].lock().await;
        let found = self.find_or_ask(tasks, site).await;
        let record = found
            .inspect_err(|error| tracing::warn!(error = %one_line(error), domain = %site.domain.host, "pages are not compared"))
            .ok()??;
        let page = record.page.clone();
        // A record without a result is not cached: another process is rendering the page.
        if page.is_some() || record.problem.is_some() {
            self.known.insert(id, record);
        }
        page
    }

    fn is_fresh(&self, record: &ImpossiblePageRecord) -> bool {
        self.clock.now().since(record.asked_at) < IMPOSSIBLE_PAGE_KEPT
    }

    async fn find_or_ask(
        &self,
        tasks: &RenderTasks,
        site: &Site,
    ) -> Result<Option<ImpossiblePageRecord>, DbError> {
        let id = &site.domain.id;
        let stored = self.domains.find_impossible_page(id).await?;
        if stored.as_ref().is_some_and(|record| self.is_fresh(record)) {
            return Ok(stored);
        }
        if self.domains.claim_impossible_page(id).await? {
            match self.ask(tasks, site).await {
                Ok(Ok(page)) => self.domains.keep_impossible_page(id, Ok(&page)).await?,
                Ok(Err(problem)) => self.domains.keep_impossible_page(id, Err(problem)).await?,
                Err(failure) => self.domains.retry_impossible_page(id, &failure).await?,
            }
        }
        self.domains.find_impossible_page(id).await
    }

    /// Renders the address, and the start page to compare it with. The outer error is a failure, the inner one the reason why
    /// pages cannot be compared with the answer.
    async fn ask(
        &self,
        tasks: &RenderTasks,
        site: &Site,
    ) -> Result<Result<ImpossiblePage, &'static str>, String> {
        let failed = |error: LookError| {
            format!("An address that cannot exist could not be rendered: {}.", one_line(error.as_ref()))
        };
        let root = Url::parse(&format!("https://{}/", site.preferred_name()))
            .map_err(|error| failed(error.into()))?;
        let impossible = root
            .join(&impossible_path(&site.domain.id, self.clock.now()))
            .map_err(|error| failed(error.into()))?;
        let shown = tasks.look(site, &impossible).await.map_err(failed)?;
        if shown.location.is_some() || shown.final_url.path() != impossible.path() {
            return Ok(Err(REDIRECTS));
        }
        if shown.partial || !(shown.status < 300 || is_gone(shown.status)) {
            return Err(format!("An address that cannot exist answered {}.", shown.status));
        }
        let page = texts_of_rendered(&impossible, &shown);
        if count_words(&page.text) < LEAST_WORDS {
            return Ok(Err(TOO_SHORT));
        }
        let start = tasks.look(site, &root).await.map_err(failed)?;
        Ok(if is_same(&texts_of_rendered(&root, &start), &page) { Err(SHOWS_START) } else { Ok(page) })
    }
}

/// Returns a path that cannot exist on a domain, another one each day, without the leading slash.
pub fn impossible_path(id: &DomainId, now: Timestamp) -> String {
    hex::encode(&Sha256::digest(format!("{id} {}", now.day()).as_bytes())[..12])
}

/// Extracts the texts of a rendered page.
fn texts_of_rendered(url: &Url, rendered: &Rendered) -> ImpossiblePage {
    texts_of(url, &scan(&rendered.html, Provenance::Rendered))
}
