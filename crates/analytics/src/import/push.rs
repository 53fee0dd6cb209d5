//! Logs that other servers push over HTTP: the same lines as in a log that is imported. Must never count a log with an
//! idempotency key twice, nor keep more than one log of each request in memory. See docs/decisions/0190.

use std::io::Read as _;
use std::sync::Arc;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use store::DbError;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::LogFormat;
use super::progress::PUSHED;
use super::requests::CountedRequests;
use super::run::{Import, ImportError, Imported};
use crate::queries::imports;
use crate::stores::{VisitError, VisitStore};
use accounts::AccountId;
use domains::{Domain, DomainId};
use platform::Platform;
use platform::limits::{KeyedCount, KeyedSlot};

/// Maximum bytes of a log, unpacked.
pub const MAX_LOG_BYTES: usize = 10 << 20;
/// Maximum number of logs of one account that a process receives at once.
const MAX_OF_ACCOUNT: usize = 4;
/// Maximum number of logs that a process counts at once; more wait.
const COUNTED_AT_ONCE: usize = 4;

/// Receiver of pushed logs. Cheap to clone.
#[derive(Clone)]
pub struct LogPushes(Arc<Shared>);

struct Shared {
    platform: Platform,
    store: Arc<dyn VisitStore>,
    of_account: KeyedCount<AccountId>,
    counted: Semaphore,
    requests: CountedRequests,
}

/// Log that was pushed.
pub struct PushedLog {
    /// Text of the log, or the same compressed by gzip.
    pub body: Bytes,
    pub format: LogFormat,
    /// Logs of a domain with equal keys count once.
    pub idempotency_key: Option<String>,
}

/// Numbers of lines and visits of a pushed log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushedLines {
    pub lines: u64,
    /// Number of visits that reports count, now or since the same log came before.
    pub visits: u64,
    /// Number of lines that are not of the format.
    pub unreadable: u64,
}

/// Reason why a pushed log was not counted.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The account has reached its limit of concurrent pushes.
    #[error("the account pushes as many logs at once as it may")]
    TooMany,
    /// The log is larger than [`MAX_LOG_BYTES`].
    #[error("the log has more than {MAX_LOG_BYTES} bytes")]
    TooLarge,
    /// The compressed log cannot be unpacked.
    #[error("the log is cut off, or not compressed by gzip")]
    Damaged,
    /// Another log came with the idempotency key.
    #[error("another log came with this idempotency key")]
    KeyOfAnother,
    /// Visits could not be written.
    #[error(transparent)]
    Write(#[from] VisitError),
}

impl From<DbError> for PushError {
    fn from(error: DbError) -> PushError {
        PushError::Write(error.into())
    }
}

impl LogPushes {
    /// Makes the receiver of logs whose visits go to a store.
    pub fn new(platform: &Platform, store: Arc<dyn VisitStore>) -> LogPushes {
        LogPushes(Arc::new(Shared {
            platform: platform.clone(),
            store,
            of_account: KeyedCount::default(),
            counted: Semaphore::new(COUNTED_AT_ONCE),
            requests: CountedRequests::default(),
        }))
    }

    /// Acquires a slot of an account, before its log is read.
    pub fn slot(&self, account: &AccountId) -> Result<KeyedSlot<AccountId>, PushError> {
        self.0.of_account.acquire(account.clone(), MAX_OF_ACCOUNT).ok_or(PushError::TooMany)
    }

    /// Counts the visits of a log.
    pub async fn count(&self, domain: Domain, log: PushedLog) -> Result<PushedLines, PushError> {
        let _slot = self.0.counted.acquire().await.expect("nobody closes the semaphore");
        let (pushes, runtime) = (self.clone(), Handle::current());
        let counted = tokio::task::spawn_blocking(move || runtime.block_on(pushes.count_here(domain, log)));
        let Imported { lines, visits, visits_known, lines_unreadable, .. } =
            counted.await.expect("counting a log does not panic")?;
        Ok(PushedLines { lines, visits: visits + visits_known, unreadable: lines_unreadable })
    }

    /// Counts the visits of a log. Blocks its thread while it reads.
    async fn count_here(&self, domain: Domain, log: PushedLog) -> Result<Imported, PushError> {
        let Shared { platform, store, requests, .. } = &*self.0;
        let text = unpacked(log.body)?;
        let id = match &log.idempotency_key {
            Some(key) => self.id_of(&domain.id, key, &text).await?,
            None => Sha256::digest(uuid::Uuid::new_v4()).into(),
        };
        let number = u64::from_be_bytes(std::array::from_fn(|at| id[at]));
        let import = Import::new(platform, store.clone(), domain, log.format);
        let mut import = import.pushed(id, number, requests.clone());
        let counted = match import.read(&mut &text[..]).await {
            Ok(_) => import.finish().await,
            Err(error) => Err(error),
        };
        counted.map_err(|error| {
            requests.forget(number);
            match error {
                ImportError::Write(error) => PushError::Write(error),
                ImportError::Read(_) | ImportError::OtherFormat { .. } => PushError::Damaged,
            }
        })
    }

    /// Returns the id of the log with an idempotency key. Fails when another log came with the key.
    async fn id_of(&self, domain: &DomainId, key: &str, text: &[u8]) -> Result<[u8; 32], PushError> {
        let of_key: [u8; 32] = Sha256::digest(key).into();
        let of_body = Sha256::new().chain_update(of_key).chain_update(text).finalize();
        let [key, body] = [("key", &of_key[..]), ("body", &of_body[..])]
            .map(|(kind, hash)| format!("{PUSHED}{kind}:{}", hex::encode(hash)));
        let Platform { db, clock, .. } = &self.0.platform;
        let mut tx = db.write().await?;
        let is_first = imports::claim_key(&mut tx, domain, (&key, &body), clock.now()).await?;
        tx.commit().await?;
        if is_first { Ok(of_body.into()) } else { Err(PushError::KeyOfAnother) }
    }
}

/// Unpacks a log that is compressed by gzip.
fn unpacked(body: Bytes) -> Result<Bytes, PushError> {
    if !body.starts_with(&[0x1f, 0x8b]) {
        return if body.len() > MAX_LOG_BYTES { Err(PushError::TooLarge) } else { Ok(body) };
    }
    let mut text = Vec::new();
    let mut log = MultiGzDecoder::new(&body[..]).take(MAX_LOG_BYTES as u64 + 1);
    log.read_to_end(&mut text).map_err(|_| PushError::Damaged)?;
    if text.len() > MAX_LOG_BYTES { Err(PushError::TooLarge) } else { Ok(text.into()) }
}
