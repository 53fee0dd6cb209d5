//! The journal of an audit, so that an interrupted audit continues.
//!
//! A batch is a version and a head, with the addresses and texts that are new since the batch before, followed by
//! records. It is not compressed, which is left to the store of batches. Addresses and texts are identified by number in the order of their first use, so a continued
//! run assigns the same numbers.
//! See docs/decisions/0205.

use std::collections::HashMap;
use std::time::Duration;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::AuditProgress;
use super::outcome::RowResult;
use crate::site::{CrawledSite, Row, SpillFile, SpillOffset, UrlId};

/// First byte of a batch. Another one is of a program that keeps rows differently.
const VERSION: u8 = 6;
/// Rows after which a batch is written.
const MAX_ROWS: usize = 500;
/// Time after which a batch is written, if there is anything in it.
const MAX_AGE: Duration = Duration::from_secs(2);

/// Batches of earlier runs, in order. Read one by one: together they do not fit in memory.
pub type PastBatches<'b> = &'b mut (dyn Iterator<Item = Vec<u8>> + Send);

/// Store of batches, which also knows whether the audit is still wanted.
pub trait Journal: Send {
    /// Stores a batch for [`super::resume`]. Batches are stored in order, each whole or not at all. `rows` are the
    /// rows of the batch, as far as they are known before the end of the crawl, for display while it runs.
    fn save(
        &mut self,
        batch: Vec<u8>,
        rows: Vec<RowResult>,
        progress: AuditProgress,
    ) -> BoxFuture<'_, Result<(), JournalError>>;

    /// Stores progress when there is no batch to store.
    fn note(&mut self, progress: AuditProgress) -> BoxFuture<'_, ()> {
        let _ = progress;
        Box::pin(std::future::ready(()))
    }

    /// Returns true when the audit should end with the results that it has. Called at least twice a second.
    fn is_cancelled(&self) -> bool;
}

/// Error of writing or reading a journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A batch could not be kept.
    #[error("could not keep a part of the audit")]
    Save(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A batch is damaged, or of another version.
    #[error("could not read a part of the audit: {0}")]
    Unreadable(String),
}

/// Outcome of one address.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum JournalRecord {
    /// The address has a row.
    Row(Box<Row>),
    /// The response is not a page, and has no row.
    File(FileRecord),
}

/// A picture, a document, an archive: something that is not a page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FileRecord {
    pub id: UrlId,
    pub content_type: String,
    pub bytes: u64,
    pub ttfb_ms: u64,
}

#[derive(Serialize, Deserialize)]
struct Head {
    session: u32,
    elapsed_ms: u64,
    urls: Vec<String>,
    texts: Vec<String>,
}

/// Records of earlier batches.
#[derive(Default)]
pub(super) struct EarlierRecords {
    /// Position of each address's record until the crawl reaches the address.
    records: HashMap<UrlId, SpillOffset>,
    spill: SpillFile,
    /// Runs before this one.
    pub sessions: u32,
    pub elapsed: Duration,
}

impl EarlierRecords {
    /// Reads batches in order, and gives their addresses and texts to the site.
    pub fn read(batches: PastBatches<'_>, site: &mut CrawledSite) -> Result<EarlierRecords, JournalError> {
        let mut past = EarlierRecords::default();
        for batch in batches {
            past.read_batch(&batch, site)?;
        }
        Ok(past)
    }

    fn read_batch(&mut self, batch: &[u8], site: &mut CrawledSite) -> Result<(), JournalError> {
        let bytes = match batch {
            [VERSION, bytes @ ..] => bytes,
            _ => return Err(JournalError::Unreadable("it is of another version".to_owned())),
        };
        let unreadable = |error: &dyn std::fmt::Display| JournalError::Unreadable(error.to_string());
        let (head, mut rest): (Head, _) =
            postcard::take_from_bytes(bytes).map_err(|error| unreadable(&error))?;
        head.urls.iter().for_each(|url| _ = site.urls.intern(url));
        head.texts.iter().for_each(|text| _ = site.texts.intern(text));
        self.sessions = self.sessions.max(head.session + 1);
        self.elapsed = self.elapsed.max(Duration::from_millis(head.elapsed_ms));
        while !rest.is_empty() {
            let (record, after): (JournalRecord, _) =
                postcard::take_from_bytes(rest).map_err(|error| unreadable(&error))?;
            let kept = self.spill.keep_bytes(&rest[..rest.len() - after.len()]);
            self.records.insert(record.id(), kept);
            rest = after;
        }
        Ok(())
    }

    /// Removes and returns the record of an address.
    pub fn take(&mut self, id: UrlId) -> Option<JournalRecord> {
        self.records.remove(&id).map(|kept| self.spill.get(kept))
    }
}

impl JournalRecord {
    pub fn id(&self) -> UrlId {
        match self {
            JournalRecord::Row(row) => row.id,
            JournalRecord::File(file) => file.id,
        }
    }
}

/// Collector of records into batches.
pub(super) struct RecordBatches {
    session: u32,
    records: Vec<u8>,
    rows: usize,
    urls: usize,
    texts: usize,
    last: Instant,
}

impl RecordBatches {
    /// Makes a collector that continues after the earlier batches.
    pub fn new(past: &EarlierRecords, site: &CrawledSite) -> RecordBatches {
        RecordBatches {
            session: past.sessions,
            records: Vec::new(),
            rows: 0,
            urls: site.urls.len(),
            texts: site.texts.len(),
            last: Instant::now(),
        }
    }

    pub fn add(&mut self, record: &JournalRecord) -> Result<(), JournalError> {
        let records = std::mem::take(&mut self.records);
        self.records =
            postcard::to_extend(record, records).map_err(|error| JournalError::Save(error.into()))?;
        self.rows += 1;
        Ok(())
    }

    pub fn is_due(&self) -> bool {
        self.rows >= MAX_ROWS || self.rows > 0 && self.last.elapsed() >= MAX_AGE
    }

    /// Returns the records since the last batch as a batch. Returns `None` when there are none.
    pub fn take(&mut self, site: &CrawledSite, elapsed: Duration) -> Result<Option<Vec<u8>>, JournalError> {
        self.last = Instant::now();
        if self.rows == 0 {
            return Ok(None);
        }
        let new = |names: &crate::site::Interner, first: usize| -> Vec<String> {
            names.from(first).map(|(_, name)| name.to_owned()).collect()
        };
        let head = Head {
            session: self.session,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            urls: new(&site.urls, self.urls),
            texts: new(&site.texts, self.texts),
        };
        (self.urls, self.texts, self.rows) = (site.urls.len(), site.texts.len(), 0);
        let batch = postcard::to_extend(&head, vec![VERSION]);
        let mut batch = batch.map_err(|error| JournalError::Save(error.into()))?;
        batch.append(&mut self.records);
        Ok(Some(batch))
    }
}
