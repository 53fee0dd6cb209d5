//! What cache refresh asks of the render service: which addresses are pages, how old their snapshots are, and to forget them.
//! Must never leave a row whose object is gone: rows go first.

use std::collections::HashMap;
use std::sync::Arc;

use browser::RenderError;
use http::Method;
use store::{BlobError, DbError};
use url::Url;

use super::RenderService;
use crate::clock::Timestamp;
use crate::domains::{DomainId, Site};
use crate::render::admission::Refusal;
use crate::render::cache::{delete_objects, page_id};
use crate::render::decide::{Decision, Place, decide, page_of};
use crate::render::model::{Purpose, RenderedPage, keeps};
use crate::render::queries;
use crate::render::render_task::{RenderOutcome, RenderTaskError};
use crate::render::request_facts::RequestFacts;

/// Pages that one statement names.
const CHUNK: usize = 500;

/// What became of a refresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refreshed {
    /// The page was rendered and is the snapshot now.
    Stored,
    /// Another process did it.
    Elsewhere,
    /// It was held back until a second render a minute later agrees: it is less than what is stored.
    HeldBack,
    /// The account has used its renders of this month, or is inactive.
    OverLimit,
    /// It could not be rendered, or came out as something that is not stored; what was stored before still is.
    Failed {
        /// Why, for people.
        reason: String,
        /// Who is in trouble.
        trouble: Trouble,
    },
}

/// Who is in trouble when a refresh failed, which decides when to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// This page, and it will be the next time.
    Page,
    /// This page, perhaps only this time.
    Passing,
    /// Its server: it does not answer, or asks to be spared.
    Origin,
    /// This service: no browser, no database.
    Service,
}

/// Why not everything of a domain was deleted.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    /// The database failed.
    #[error(transparent)]
    Rows(#[from] DbError),
    /// The object store failed.
    #[error(transparent)]
    Objects(#[from] BlobError),
}

/// A snapshot that is due for a new render.
#[derive(Debug, Clone)]
pub struct StalePage {
    /// The address that was rendered.
    pub url: Url,
    /// When.
    pub created_at: Timestamp,
}

/// The address under which a page of a site is rendered, if it is a page at all: not redirected by a rule, not ignored,
/// not an asset. The preferred host is applied: otherwise the snapshot would be a redirect to it.
pub fn renderable(site: &Site, target: &Url) -> Option<Url> {
    // A crawler with nothing else to say.
    let facts = RequestFacts {
        method: &Method::GET,
        accept: None,
        has_accept_language: false,
        sec_fetch_dest: None,
        sec_fetch_mode: None,
        upgrade_insecure_requests: None,
        user_agent: None,
        is_crawler: true,
    };
    let mut target = target.clone();
    target.set_fragment(None);
    match decide(site, &target, &facts, Place::Api) {
        Decision::Serve(_) => Some(target),
        Decision::Passthrough { .. } => None,
        Decision::Redirect { location, .. } => {
            let preferred = Url::parse(&location).ok()?;
            let is_same_page = preferred[url::Position::BeforePath..] == target[url::Position::BeforePath..]
                && preferred.host_str().is_some_and(|host| site.owns_host(host));
            let is_page =
                is_same_page && matches!(decide(site, &preferred, &facts, Place::Api), Decision::Serve(_));
            is_page.then_some(preferred)
        }
    }
}

impl RenderService {
    /// Renders a page again and waits for the outcome: for jobs. What is stored keeps being served meanwhile.
    pub async fn refresh(&self, site: &Arc<Site>, target: &Url) -> Refreshed {
        let page = page_of(site, target);
        let id = page_id(&site.domain.id, &page.key);
        let failed = |reason: String, trouble| Refreshed::Failed { reason, trouble };
        match self.start(site, &page, &id, Purpose::Refresh, None).wait().await {
            Some(RenderOutcome::Made { stored: true, .. }) => Refreshed::Stored,
            Some(RenderOutcome::Made { page, .. }) if page.is_storable() => {
                failed("the render could not be stored".to_owned(), Trouble::Passing)
            }
            Some(RenderOutcome::Made { page, .. }) => failed(page.describe_unstored(), trouble_of(&page)),
            Some(RenderOutcome::Elsewhere) => Refreshed::Elsewhere,
            Some(RenderOutcome::HeldBack) => Refreshed::HeldBack,
            Some(RenderOutcome::OverLimit) => Refreshed::OverLimit,
            Some(RenderOutcome::Refused(Refusal::OriginDown)) => {
                failed(Refusal::OriginDown.to_string(), Trouble::Origin)
            }
            Some(RenderOutcome::Refused(refusal)) => failed(refusal.to_string(), Trouble::Service),
            Some(RenderOutcome::Failed(error)) => failed(error.to_string(), trouble_behind(&error)),
            None => failed("the render ended unexpectedly".to_owned(), Trouble::Passing),
        }
    }

    /// When each of these pages was stored; `None` for one that is not.
    pub async fn stored_at(&self, site: &Site, urls: &[Url]) -> Result<Vec<Option<Timestamp>>, DbError> {
        let mut times = Vec::with_capacity(urls.len());
        for chunk in urls.chunks(CHUNK) {
            let hashes = hashes_of(site, chunk);
            let mut conn = self.0.platform.db.read().await?;
            let found = queries::list_created(&mut conn, &site.domain.id, &hashes).await?;
            let found: HashMap<String, i64> = found.into_iter().collect();
            times.extend(hashes.iter().map(|hash| found.get(hash).copied().map(Timestamp::from_millis)));
        }
        Ok(times)
    }

    /// Forgets what is stored of these pages; answers of how many something was.
    pub async fn purge(&self, site: &Site, urls: &[Url]) -> Result<u64, DbError> {
        let mut purged = 0;
        for chunk in urls.chunks(CHUNK) {
            let hashes = hashes_of(site, chunk);
            let mut tx = self.0.platform.db.write().await?;
            let objects = queries::delete_snapshots(&mut tx, &site.domain.id, &hashes).await?;
            tx.commit().await?;
            for url in chunk {
                self.0.memory.forget(&page_id(&site.domain.id, &page_of(site, url).key));
            }
            let objects: Vec<String> = objects.into_iter().flatten().collect();
            purged += objects.len() as u64;
            if let Err(error) = self.0.platform.blobs.delete_many(objects.iter().map(String::as_str)).await {
                // An orphan costs space and nothing else.
                tracing::warn!(error = %error, "objects that are no longer used could not be deleted");
            }
        }
        Ok(purged)
    }

    /// Deletes everything that is stored of a removed domain, rows first. What is in memory is asked for no more: the
    /// name, if somebody adds it again, belongs to a record with another id.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), ForgetError> {
        loop {
            let mut tx = self.0.platform.db.write().await?;
            let deleted = queries::delete_some(&mut tx, domain).await?;
            tx.commit().await?;
            if deleted == 0 {
                break;
            }
        }
        Ok(delete_objects(&self.0.platform.blobs, domain).await?)
    }

    /// Addresses of every page that is stored of a site.
    pub async fn list_stored(&self, site: &Site) -> Result<Vec<Url>, DbError> {
        let mut urls = Vec::new();
        let mut after = String::new();
        loop {
            let mut conn = self.0.platform.db.read().await?;
            let rows = queries::list_stored(&mut conn, &site.domain.id, &after, 1000).await?;
            let Some((last, _)) = rows.last() else { return Ok(urls) };
            after.clone_from(last);
            urls.extend(rows.iter().filter_map(|(_, url)| Url::parse(url).ok()));
        }
    }

    /// Pages of a site whose snapshots are stale, the oldest first; looks at no more than `most` snapshots.
    pub async fn list_stale(&self, site: &Arc<Site>, most: i64) -> Result<Vec<StalePage>, DbError> {
        let now = self.0.clock.now();
        let shortest = site.shortest_refresh_interval();
        let mut conn = self.0.platform.db.read().await?;
        let rows = queries::list_aged(&mut conn, &site.domain.id, now.minus(shortest), now, most).await?;
        let stale = rows.into_iter().filter_map(|row| {
            let url = Url::parse(&row.url).ok()?;
            let status = u16::try_from(row.status).unwrap_or(200);
            let created_at = Timestamp::from_millis(row.created_at);
            (now.since(created_at) >= keeps(status, site.refresh_interval(&url)))
                .then_some(StalePage { url, created_at })
        });
        Ok(stale.collect())
    }
}

/// Who is in trouble when a page came out that is not stored.
fn trouble_of(page: &RenderedPage) -> Trouble {
    match page.status {
        429 | 500..=599 => Trouble::Origin,
        _ if page.partial => Trouble::Passing,
        _ => Trouble::Page,
    }
}

fn trouble_behind(error: &RenderTaskError) -> Trouble {
    match error {
        RenderTaskError::Store(_) | RenderTaskError::Remote(_) => Trouble::Service,
        RenderTaskError::Render(error) => match error {
            RenderError::OriginUnreachable(_) => Trouble::Origin,
            RenderError::NoBrowser(_) | RenderError::Overloaded | RenderError::ShuttingDown => {
                Trouble::Service
            }
            RenderError::Timeout(_) => Trouble::Passing,
            RenderError::BadUrl(_)
            | RenderError::Forbidden { .. }
            | RenderError::NotAPage(_)
            | RenderError::PageCrashed
            | RenderError::TooLarge { .. } => Trouble::Page,
        },
    }
}

fn hashes_of(site: &Site, urls: &[Url]) -> Vec<String> {
    urls.iter().map(|url| page_id(&site.domain.id, &page_of(site, url).key).key_hash).collect()
}
