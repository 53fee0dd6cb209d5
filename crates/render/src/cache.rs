//! Snapshots: objects in the object store, each with a row in the database.
//! Used by the render service only. A reader never sees a partial snapshot nor a gap: the object is written first, then
//! the row in one transaction, then the replaced object is deleted. A row whose object is missing counts as absent.
//! See docs/decisions/0146.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use crawler::errors::one_line;
use futures::TryStreamExt;
use http::HeaderMap;
use sha2::{Digest, Sha256};
use store::packed::{pack, unpack};
use store::{BlobError, Blobs, Db, DbError};
use url::Url;

use super::kept_headers::{from_stored, to_stored};
use super::listed_facts::ListedFacts;
use super::model::{RenderedPage, keeps};
use super::queries::{self, NewSnapshot, PageId, SnapshotRow, Stored};
use super::store_outage::{Outage, StoreOutage};
use super::text::count_visible_chars;
use domains::{DomainId, IndexNow, Site};
use platform::Platform;
use platform::clock::{Clock, Timestamp};

/// Time for which a row is cached, and maximum number of cached rows.
const ROW_INTERVAL: Duration = Duration::from_secs(60);
const ROWS_REMEMBERED: u64 = 50_000;
/// Key of an object that does not exist. A store that reports it as missing works.
const PROBE: &str = "check/absent";
/// Memory of a cache entry beside its document, in bytes.
pub(super) const ENTRY_OVERHEAD_BYTES: usize = 512;

/// Returns the id of a page: its domain, and a hash of its key.
pub fn page_id(domain: &DomainId, page_key: &str) -> PageId {
    PageId { domain: domain.clone(), key_hash: hex::encode(&Sha256::digest(page_key.as_bytes())[..16]) }
}

/// Returns the weak etag of a document and its kept header lines. The etag of a redirect covers its target too.
pub fn etag_of(html: &[u8], location: Option<&str>, headers: &HeaderMap) -> String {
    let mut hash = Sha256::new();
    hash.update(html);
    hash.update(location.unwrap_or(""));
    for (name, value) in headers {
        hash.update(name.as_str());
        hash.update(value.as_bytes());
    }
    format!("W/\"{}\"", URL_SAFE_NO_PAD.encode(&hash.finalize()[..16]))
}

/// Failure to read or write a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The database failed.
    #[error("could not reach the database")]
    Store(#[from] DbError),
    /// The object store does not answer.
    #[error(transparent)]
    Blobs(#[from] Outage),
    /// The content of the object is not what was written.
    #[error("the stored snapshot is damaged")]
    Damaged(#[source] std::io::Error),
}

/// Snapshots that outlive the process.
#[derive(Clone)]
pub struct DurableTier {
    db: Db,
    blobs: Blobs,
    clock: Clock,
    /// Rows that were read lately. An outdated row names a deleted object, or leads to a render that detects the newer row.
    rows: cache::Cache<PageId, SnapshotRow>,
    /// Documents that were read lately, by object key. The bytes of an object never change.
    documents: cache::Cache<str, Bytes>,
    outage: StoreOutage,
    index_now: IndexNow,
}

/// Result of a lookup in the durable tier.
#[derive(Debug)]
pub struct StoredLookup {
    /// The snapshot, if there is one that can be read.
    pub page: Option<DurablePage>,
    /// Generation of the stored snapshot, readable or not; 0 without a snapshot.
    pub generation: i64,
    /// True when the object store did not answer. It is then unknown what is stored, and the page must not be rendered.
    pub is_store_down: bool,
}

/// Result of reading a snapshot's object.
enum Loaded {
    Page(Box<DurablePage>),
    /// The object is missing or damaged.
    Absent,
    /// The object store does not answer.
    StoreDown,
}

/// A snapshot with its document.
#[derive(Debug)]
pub struct DurablePage {
    pub row: SnapshotRow,
    pub page: Arc<RenderedPage>,
}

impl DurablePage {
    /// Decides whether the snapshot is stale, given the refresh interval of its path.
    pub fn is_stale(&self, interval: Duration, now: Timestamp) -> bool {
        now.since(self.page.created_at) >= keeps(self.page.status, interval)
    }
}

impl DurableTier {
    /// Makes the tier, with a cache of documents of at most `documents_bytes`.
    pub fn new(platform: &Platform, index_now: &IndexNow, documents_bytes: u64) -> DurableTier {
        let (db, blobs, clock) = (platform.db.clone(), platform.blobs.clone(), platform.clock.clone());
        let index_now = index_now.clone();
        let rows = cache::Cache::builder(ROWS_REMEMBERED).time_to_live(ROW_INTERVAL).build();
        let documents = cache::Cache::builder(documents_bytes)
            .weigher(|_, html: &Bytes| html.len() + ENTRY_OVERHEAD_BYTES)
            .time_to_live(ROW_INTERVAL)
            .build();
        DurableTier { db, blobs, clock, rows, documents, outage: StoreOutage::default(), index_now }
    }

    /// Finds the snapshot of a page. A snapshot whose object is missing or damaged counts as absent, so that the page is
    /// rendered again. A snapshot does not count as absent when the object store does not answer.
    pub async fn find(&self, page: &PageId) -> Result<StoredLookup, DbError> {
        if let Some(row) = self.rows.get(page)
            && let Loaded::Page(found) = self.load_or_log(&row).await
        {
            return Ok(lookup(Loaded::Page(found), row.stored_generation));
        }
        self.forget(page);
        let Some(row) = self.find_row(page).await? else {
            // While the store is down a render could not be stored, and each request would render the page again.
            let is_usable = self.is_store_usable().await;
            return Ok(lookup(if is_usable { Loaded::Absent } else { Loaded::StoreDown }, 0));
        };
        let generation = row.stored_generation;
        match self.load_or_log(&row).await {
            Loaded::Absent => {}
            found => {
                self.rows.insert(page, row);
                return Ok(lookup(found, generation));
            }
        }
        // The object was replaced between the two reads, or is missing.
        let newer = self.find_row(page).await?.filter(|newer| newer.object_key != row.object_key);
        let found = match newer {
            Some(newer) => self.load_or_log(&newer).await,
            None => Loaded::Absent,
        };
        Ok(lookup(found, generation))
    }

    /// Evicts the cached row of a page that has changed, in this process or another one.
    pub fn forget(&self, page: &PageId) {
        self.rows.remove(page);
    }

    async fn load_or_log(&self, row: &SnapshotRow) -> Loaded {
        match self.load(row.clone()).await {
            Ok(Some(page)) => Loaded::Page(Box::new(page)),
            Ok(None) => {
                tracing::warn!(key = %row.object_key, "a snapshot's object is missing");
                Loaded::Absent
            }
            Err(CacheError::Blobs(_)) => Loaded::StoreDown,
            Err(error) => {
                tracing::error!(error = %one_line(&error), key = %row.object_key, "a snapshot could not be read");
                Loaded::Absent
            }
        }
    }

    /// Returns true when the object store is down, as far as this process knows.
    pub fn is_store_down(&self) -> bool {
        self.outage.is_on()
    }

    /// Decides whether a render could be stored now. During an outage one caller per pause sends a probe to the store.
    pub async fn is_store_usable(&self) -> bool {
        !self.outage.is_on() || Box::pin(self.outage.watch(self.blobs.get(PROBE))).await.is_ok()
    }

    /// Finds the row of a page's snapshot, without the document.
    pub async fn find_row(&self, page: &PageId) -> Result<Option<SnapshotRow>, DbError> {
        queries::find_snapshot(&mut self.db.read().await?, page).await
    }

    /// Reads the document of a snapshot without caching it.
    pub(super) async fn read_object(&self, row: &SnapshotRow) -> Result<Option<Bytes>, CacheError> {
        let reading = self.outage.watch(self.blobs.get(&row.object_key));
        let Some(packed) = Box::pin(reading).await? else { return Ok(None) };
        let size = usize::try_from(row.html_bytes).unwrap_or(0);
        unpack(&packed, size).map(|html| Some(html.into())).map_err(CacheError::Damaged)
    }

    async fn load(&self, row: SnapshotRow) -> Result<Option<DurablePage>, CacheError> {
        let html = match self.documents.get(&row.object_key) {
            Some(html) => Bytes::clone(&html),
            None => {
                let Some(html) = self.read_object(&row).await? else { return Ok(None) };
                self.documents.insert(&row.object_key, html.clone());
                html
            }
        };
        let page = Arc::new(RenderedPage {
            status: u16::try_from(row.status).unwrap_or(200),
            location: row.location.clone(),
            html,
            etag: row.etag.clone(),
            headers: from_stored(row.headers.as_deref()),
            problems: row.problems(),
            partial: false,
            created_at: Timestamp::from_millis(row.created_at),
        });
        Ok(Some(DurablePage { row, page }))
    }

    /// Acquires the lease on a page for a render; see [`queries::begin_render`].
    pub async fn begin(
        &self,
        page: &PageId,
        names: (&str, &str),
        token: &str,
        lease: Duration,
        takes_over: bool,
    ) -> Result<Option<(i64, i64)>, DbError> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        let begun =
            queries::begin_render(&mut tx, page, names, token, (now, now.plus(lease)), takes_over).await?;
        tx.commit().await?;
        Ok(begun)
    }

    /// Extends the lease on a page. Returns false when the lease is no longer held.
    pub async fn extend(&self, page: &PageId, token: &str, lease: Duration) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        let extended = queries::extend_lease(&mut tx, page, token, self.clock.now().plus(lease)).await?;
        tx.commit().await?;
        Ok(extended)
    }

    /// Releases the lease on a page after a render that was not stored.
    pub async fn end(&self, page: &PageId, token: &str) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        queries::end_render(&mut tx, page, token).await?;
        tx.commit().await
    }

    /// Stores a render as the snapshot of its page, unless a later render is stored. Releases the lease in both cases.
    pub async fn store(
        &self,
        page: &PageId,
        (generation, token): (i64, &str),
        url: &str,
        (rendered, due_at): (&RenderedPage, Option<Timestamp>),
        (site, facts, render_ms): (&Site, &ListedFacts, u64),
    ) -> Result<Stored, CacheError> {
        let object_key = object_key(page, &rendered.html, rendered.location.as_deref());
        let packed = pack(&rendered.html);
        Box::pin(self.outage.watch_now(self.blobs.put(&object_key, packed.into()))).await?;
        let new = NewSnapshot {
            object_key: &object_key,
            url,
            status: rendered.status,
            location: rendered.location.as_deref(),
            etag: &rendered.etag,
            headers: to_stored(&rendered.headers),
            problems: &rendered.problems,
            html_bytes: rendered.html.len(),
            text_chars: count_visible_chars(&String::from_utf8_lossy(&rendered.html)),
            render_ms,
            created_at: rendered.created_at,
            due_at,
            facts,
        };
        let mut tx = self.db.write().await?;
        let stored = queries::store_snapshot(&mut tx, page, generation, token, &new).await?;
        let is_news = matches!(stored, Stored::Yes { is_news: true, .. });
        if let Some(url) = Url::parse(url).ok().filter(|_| is_news) {
            self.index_now.record_changed(&mut tx, site, &url).await?;
        }
        tx.commit().await?;
        if is_news {
            self.index_now.wake();
        }
        self.forget(page);
        self.delete_unused(page, &object_key, &stored).await;
        Ok(stored)
    }

    /// Deletes the replaced object, or the new object of an outdated render. A failure leaves an orphan, which does no harm.
    async fn delete_unused(&self, page: &PageId, written: &str, stored: &Stored) {
        let unused = match stored {
            Stored::Yes { replaced, .. } => replaced.clone().filter(|old| old != written),
            Stored::Outdated => match self.find_row(page).await {
                Ok(row) => row.is_none_or(|row| row.object_key != written).then(|| written.to_owned()),
                Err(_) => None,
            },
        };
        let Some(key) = unused else { return };
        if let Err(error) = self.outage.watch(self.blobs.delete(&key)).await {
            tracing::warn!(error = %error, key, "an object that is no longer used could not be deleted");
        }
    }

    /// Records a failed re-render of a page that has a snapshot.
    pub async fn record_failure(
        &self,
        page: &PageId,
        error: &str,
        failures: i64,
        retry_at: Timestamp,
    ) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        queries::record_failure(&mut tx, page, error, (failures, self.clock.now(), retry_at)).await?;
        tx.commit().await?;
        self.forget(page);
        Ok(())
    }

    /// Records a re-render that was held back.
    pub async fn record_suspect(
        &self,
        page: &PageId,
        at: Timestamp,
        retry_at: Timestamp,
    ) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        queries::record_suspect(&mut tx, page, at, retry_at).await?;
        tx.commit().await?;
        self.forget(page);
        Ok(())
    }
}

fn lookup(loaded: Loaded, generation: i64) -> StoredLookup {
    let is_store_down = matches!(loaded, Loaded::StoreDown);
    let page = if let Loaded::Page(page) = loaded { Some(*page) } else { None };
    StoredLookup { page, generation, is_store_down }
}

/// Deletes all snapshot objects of a removed domain record.
pub async fn delete_objects(blobs: &Blobs, domain: &DomainId) -> Result<(), BlobError> {
    let listed: Vec<_> = blobs.list(&format!("snapshots/{domain}/"))?.try_collect().await?;
    blobs.delete_many(listed.iter().map(|blob| blob.key.as_str())).await
}

/// Returns the key of an object. New content gets a new key, so that readers of the old object are not disturbed.
fn object_key(page: &PageId, html: &[u8], location: Option<&str>) -> String {
    let mut hash = Sha256::new();
    hash.update(html);
    hash.update(location.unwrap_or(""));
    format!("snapshots/{}/{}/{}.html.zst", page.domain, page.key_hash, hex::encode(&hash.finalize()[..16]))
}
