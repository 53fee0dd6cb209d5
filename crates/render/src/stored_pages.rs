//! The pages that are stored of a site: how old they are, and to forget them. Used by cache refresh.
//! Must never leave a row whose object is gone: rows go first.

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

/// Pages that one statement names.
pub(super) const CHUNK: usize = 500;

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

impl From<ForgetError> for JobError {
    fn from(error: ForgetError) -> JobError {
        JobError::retry(error.to_string())
    }
}

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct StoredPages {
    db: Db,
    blobs: Blobs,
    memory: MemoryTier,
}

impl StoredPages {
    /// The pages in these stores; what is forgotten leaves this memory too.
    pub(super) fn new(platform: &Platform, memory: MemoryTier) -> StoredPages {
        StoredPages { db: platform.db.clone(), blobs: platform.blobs.clone(), memory }
    }

    /// When each of these pages was stored; `None` for one that is not.
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

    /// Forgets what is stored of these pages; answers of how many something was.
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
            let mut tx = self.db.write().await?;
            let deleted = queries::delete_some(&mut tx, domain).await?;
            tx.commit().await?;
            if deleted == 0 {
                break;
            }
        }
        Ok(delete_objects(&self.blobs, domain).await?)
    }

    /// Whether anything is stored of a site.
    pub async fn has_any(&self, site: &Site) -> Result<bool, DbError> {
        let mut conn = self.db.read().await?;
        Ok(!queries::list_stored(&mut conn, &site.domain.id, "", 1).await?.is_empty())
    }

    /// Addresses of every page that is stored of a site.
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
