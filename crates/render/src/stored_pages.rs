//! Stored pages of a site: reads their ages and deletes them. Used by cache refresh.
//! Must never leave a row whose object is deleted: rows are deleted first.

use std::collections::HashMap;

use futures::future::BoxFuture;
use store::{BlobError, Blobs, Db, DbError};
use url::Url;

use super::cache::{delete_objects, page_id};
use super::decide::{page_of, renderable, stored_page};
use super::memory::MemoryTier;
use super::queries;
use domains::{DomainId, Site};
use platform::Platform;
use platform::clock::Timestamp;
use platform::jobs::JobError;

/// Maximum number of pages in one statement.
pub(super) const CHUNK: usize = 500;

/// Failure to delete stored pages.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    /// The database failed.
    #[error(transparent)]
    Rows(#[from] DbError),
    /// The object store failed.
    #[error(transparent)]
    Objects(#[from] BlobError),
}

impl From<ForgetError> for JobError {
    fn from(error: ForgetError) -> JobError {
        JobError::retry(error.to_string())
    }
}

/// Stored pages of sites. Cheap to clone.
#[derive(Clone)]
pub struct StoredPages {
    db: Db,
    blobs: Blobs,
    memory: MemoryTier,
}

impl StoredPages {
    /// Makes the access to stored pages. Deleted pages are evicted from `memory` too.
    pub(super) fn new(platform: &Platform, memory: MemoryTier) -> StoredPages {
        StoredPages { db: platform.db.clone(), blobs: platform.blobs.clone(), memory }
    }

    /// Returns the render time of each of these pages; `None` for a page that is not stored.
    pub async fn stored_at(&self, site: &Site, urls: &[Url]) -> Result<Vec<Option<Timestamp>>, DbError> {
        let mut times = Vec::with_capacity(urls.len());
        for chunk in urls.chunks(CHUNK) {
            let hashes = hashes_of(site, chunk);
            let mut conn = self.db.read().await?;
            let found = queries::list_created(&mut conn, &site.domain.id, &hashes).await?;
            let found: HashMap<String, i64> = found.into_iter().collect();
            times.extend(hashes.iter().map(|hash| found.get(hash).copied().map(Timestamp::from_millis)));
        }
        Ok(times)
    }

    /// Lists the failures of a stored page that shows nothing.
    pub async fn problems(&self, site: &Site, url: &Url) -> Result<Vec<String>, DbError> {
        let Some(url) = renderable(site, url) else { return Ok(Vec::new()) };
        let id = page_id(&site.domain.id, &page_of(site, &url).key);
        let row = queries::find_snapshot(&mut self.db.read().await?, &id).await?;
        Ok(row.map(|row| row.problems()).unwrap_or_default())
    }

    /// Deletes the snapshots of these pages. Returns the number of deleted snapshots.
    pub async fn purge(&self, site: &Site, urls: &[Url]) -> Result<u64, DbError> {
        let mut purged = 0;
        for chunk in urls.chunks(CHUNK) {
            let hashes = hashes_of(site, chunk);
            let mut tx = self.db.write().await?;
            let objects = queries::delete_snapshots(&mut tx, &site.domain.id, &hashes).await?;
            tx.commit().await?;
            for url in chunk {
                self.memory.forget(&page_id(&site.domain.id, &stored_page(site, url).key));
            }
            let objects: Vec<String> = objects.into_iter().flatten().collect();
            purged += objects.len() as u64;
            if let Err(error) = self.blobs.delete_many(objects.iter().map(String::as_str)).await {
                // An orphan only costs space.
                tracing::warn!(error = %error, "objects that are no longer used could not be deleted");
            }
        }
        Ok(purged)
    }

    /// Deletes all stored pages of a removed domain, rows first. Pages in memory are no longer requested: a host that is added
    /// again belongs to a record with another id.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), ForgetError> {
        loop {
            let mut tx = self.db.write().await?;
            let deleted = queries::delete_some(&mut tx, domain).await?;
            tx.commit().await?;
            if deleted == 0 {
                break;
            }
        }
        Ok(delete_objects(&self.blobs, domain).await?)
    }

    /// Decides whether any page of a site is stored.
    pub async fn has_any(&self, site: &Site) -> Result<bool, DbError> {
        let mut conn = self.db.read().await?;
        Ok(!queries::list_stored(&mut conn, &site.domain.id, "", 1).await?.is_empty())
    }

    /// Lists the addresses of all stored pages of a site.
    pub async fn list(&self, site: &Site) -> Result<Vec<Url>, DbError> {
        let mut urls = Vec::new();
        let mut after = String::new();
        loop {
            let mut conn = self.db.read().await?;
            let rows = queries::list_stored(&mut conn, &site.domain.id, &after, 1000).await?;
            let Some((last, _)) = rows.last() else { return Ok(urls) };
            after.clone_from(last);
            urls.extend(rows.iter().filter_map(|(_, url)| Url::parse(url).ok()));
        }
    }
}

fn hashes_of(site: &Site, urls: &[Url]) -> Vec<String> {
    urls.iter().map(|url| page_id(&site.domain.id, &stored_page(site, url).key).key_hash).collect()
}

impl analytics::ports::StoredPageList for StoredPages {
    fn list<'a>(&'a self, site: &'a Site) -> BoxFuture<'a, Result<Vec<Url>, DbError>> {
        Box::pin(StoredPages::list(self, site))
    }
}
