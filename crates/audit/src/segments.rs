//! The parts of runs in both places: rows while a run is recent, objects once it is archived. The bytes are the same,
//! so answers are the same. Used by the audit service only; unpacked parts are cached, within bounds.
//! See docs/decisions/0205.

use std::collections::HashMap;
use std::sync::Arc;

use audit_engine::engine::PreviousPage;
use bytes::Bytes;
use store::packed::{pack, unpack};
use store::{BlobError, Blobs, Db, DbError};

use super::live::LiveRun;
use super::model::{Run, RunId};
use super::queries;
use super::stored::{History, Index, MAX_PART_BYTES, PartKind};
use platform::clock::Timestamp;

/// Bytes of unpacked parts that a process remembers.
const MEMORY_BYTES: u64 = 64 << 20;
/// Bytes of indexes that a process remembers.
const INDEX_BYTES: u64 = 64 << 20;
/// Bytes of rows of runs in progress that a process remembers.
const LIVE_BYTES: u64 = 64 << 20;
/// Rows that one transaction deletes, few enough that other writers wait only briefly.
const DELETED_AT_ONCE: i64 = 20;

/// Reason why a part cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] DbError),
    /// The object store does not answer.
    #[error("the object store with archived audits cannot be read")]
    Archive(#[from] BlobError),
    /// The part is neither in the database nor in the object store, or it is damaged.
    #[error("part {part} of {kind} of audit {run} is missing or damaged")]
    Missing { run: String, kind: &'static str, part: usize },
}

/// Parts of runs. Cheap to clone.
#[derive(Clone)]
pub struct Segments {
    db: Db,
    blobs: Blobs,
    unpacked: cache::Cache<(&'static str, (&'static str, u64)), Bytes>,
    indexes: cache::Cache<RunId, Index>,
    live: cache::Cache<RunId, LiveRun>,
}

fn object_key(run: &RunId, kind: &str, part: i64) -> String {
    format!("audits/{run}/{kind}/{part}")
}

impl Segments {
    /// Opens the parts in this database and object store.
    pub fn new(db: &Db, blobs: &Blobs) -> Segments {
        Segments {
            db: db.clone(),
            blobs: blobs.clone(),
            unpacked: cache::Cache::builder(MEMORY_BYTES).weigher(|_, bytes: &Bytes| bytes.len()).build(),
            indexes: cache::Cache::builder(INDEX_BYTES).weigher(|_, index: &Index| index.weight()).build(),
            live: cache::Cache::builder(LIVE_BYTES).weigher(|_, live: &LiveRun| live.weight()).build(),
        }
    }

    /// Packs and writes a part, in a transaction of its own.
    pub async fn put(&self, run: &RunId, kind: PartKind, part: usize, bytes: &[u8]) -> Result<(), DbError> {
        let packed = pack(bytes);
        let mut tx = self.db.write().await?;
        queries::segments::put_segment(&mut tx, run, kind, part, &packed).await?;
        tx.commit().await
    }

    /// Returns a part of a finished run, unpacked.
    pub async fn get(&self, run: &Run, kind: PartKind, part: usize) -> Result<Bytes, ReadError> {
        let key = (run.id.as_str(), (kind.as_str(), part as u64));
        if let Some(bytes) = self.unpacked.get(&key) {
            return Ok(Bytes::clone(&bytes));
        }
        let bytes = self.read(run, kind, part).await?;
        self.unpacked.insert(&key, bytes.clone());
        Ok(bytes)
    }

    async fn read(&self, run: &Run, kind: PartKind, part: usize) -> Result<Bytes, ReadError> {
        let mut conn = self.db.read().await?;
        let row = queries::segments::find_segment(&mut conn, &run.id, kind, part).await?;
        drop(conn);
        let packed = match row {
            Some(row) => Some(Bytes::from(row)),
            None => self.blobs.get(&object_key(&run.id, kind.as_str(), part as i64)).await?,
        };
        let missing = || ReadError::Missing { run: run.id.to_string(), kind: kind.as_str(), part };
        let bytes = packed.and_then(|packed| unpack(&packed, MAX_PART_BYTES).ok()).ok_or_else(missing)?;
        Ok(Bytes::from(bytes))
    }

    /// Returns the index of a run; empty for one without results.
    pub async fn index(&self, run: &Run) -> Result<Arc<Index>, ReadError> {
        if !run.status.has_results() || run.is_forgotten {
            return Ok(Arc::default());
        }
        if let Some(index) = self.indexes.get(&run.id) {
            return Ok(index);
        }
        let bytes = self.read(run, PartKind::Index, 0).await?;
        let missing = || ReadError::Missing { run: run.id.to_string(), kind: "index", part: 0 };
        let index = Arc::new(serde_json::from_slice::<Index>(&bytes).map_err(|_| missing())?);
        self.indexes.insert(&run.id, index.clone());
        Ok(index)
    }

    /// Reads the results so far of a run that is in progress. A reader of a run that ends meanwhile reads on: its process remembers
    /// parts that the database has deleted.
    pub async fn live(&self, run: &Run) -> Result<Arc<LiveRun>, ReadError> {
        let mut conn = self.db.read().await?;
        let parts = queries::segments::count_segments(&mut conn, &run.id, PartKind::Live).await?;
        if let Some(live) = self.live.get(&run.id).filter(|live| live.parts >= parts) {
            return Ok(live);
        }
        let unpacked = |parts: Vec<Vec<u8>>| -> Vec<Bytes> {
            parts.iter().filter_map(|packed| unpack(packed, MAX_PART_BYTES).ok().map(Bytes::from)).collect()
        };
        let pages = queries::segments::list_segments(&mut conn, &run.id, PartKind::Live).await?;
        let details = queries::segments::list_segments(&mut conn, &run.id, PartKind::LiveDetails).await?;
        let live = Arc::new(LiveRun::read(&unpacked(pages), &unpacked(details)));
        self.live.insert(&run.id, live.clone());
        Ok(live)
    }

    /// Returns the index of the visible results of a run: final ones, or those so far.
    pub async fn shown_index(&self, run: &Run) -> Result<Arc<Index>, ReadError> {
        if run.is_active { Ok(self.live(run).await?.index.clone()) } else { self.index(run).await }
    }

    /// Returns past scores as a run left them.
    pub async fn history(&self, run: &Run) -> Result<History, ReadError> {
        let bytes = self.read(run, PartKind::History, 0).await?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Returns dated pages as a run left them.
    pub async fn dates(&self, run: &Run) -> Result<HashMap<String, PreviousPage>, ReadError> {
        let bytes = self.read(run, PartKind::Dates, 0).await?;
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Copies a run's parts to the object store, and deletes the rows once all are there.
    pub async fn archive(&self, run: &RunId, now: Timestamp) -> Result<(), ReadError> {
        let names = queries::segments::list_segment_names(&mut self.db.read().await?, run).await?;
        for (kind, part) in names {
            let row =
                queries::segments::find_segment_named(&mut self.db.read().await?, run, &kind, part).await?;
            let Some(row) = row else { continue };
            self.blobs.put(&object_key(run, &kind, part), Bytes::from(row)).await?;
        }
        let mut tx = self.db.write().await?;
        queries::mark_archived(&mut tx, run, now).await?;
        tx.commit().await?;
        self.delete_rows(run, None).await?;
        Ok(())
    }

    /// Deletes rows, some at a time.
    pub async fn delete_rows(&self, run: &RunId, kind: Option<PartKind>) -> Result<(), DbError> {
        loop {
            let mut tx = self.db.write().await?;
            let deleted = queries::segments::delete_segments(&mut tx, run, kind, DELETED_AT_ONCE).await?;
            tx.commit().await?;
            if deleted == 0 {
                return Ok(());
            }
        }
    }

    /// Deletes the checkpoints of a crawl and the rows of its progress.
    pub async fn forget_work(&self, run: &RunId) -> Result<(), DbError> {
        for kind in [PartKind::Checkpoint, PartKind::Live, PartKind::LiveDetails] {
            self.delete_rows(run, Some(kind)).await?;
        }
        Ok(())
    }

    /// Deletes everything that is stored of a run.
    pub async fn forget(&self, run: &RunId) -> Result<(), ReadError> {
        use futures::TryStreamExt as _;
        self.delete_rows(run, None).await?;
        let objects: Vec<String> =
            self.blobs.list(&format!("audits/{run}"))?.map_ok(|object| object.key).try_collect().await?;
        self.blobs.delete_many(objects.iter().map(String::as_str)).await?;
        self.indexes.remove(run);
        self.live.remove(run);
        Ok(())
    }
}
