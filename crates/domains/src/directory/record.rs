//! A domain's record as it is held for every domain there is: ids packed, equal settings shared and neither parsed nor
//! compiled. Pure.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use crate::queries::{DomainRow, with_lock};
use crate::{Domain, DomainId, DomainStatus};
use accounts::AccountId;
use platform::clock::Timestamp;

#[derive(Debug, Clone)]
pub struct DomainRecord {
    /// No other record of this process has it, so that what is made of this one is known by it.
    pub stamp: u64,
    /// Id, account and host, one after the other: one allocation instead of three.
    names: Box<[u8]>,
    texts: Arc<StoredSettings>,
    version: i64,
    created_at: i64,
    updated_at: i64,
    id: PackedId,
    account: PackedId,
    /// What it is, the operator's lock included.
    pub status: DomainStatus,
    /// The same without the lock.
    stored: DomainStatus,
}

/// Settings as they are stored.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct StoredSettings {
    settings: Box<str>,
    rendering: Box<str>,
}

/// Texts of which equal ones are one. Lives while records are read.
pub type SharedSettings = HashSet<Arc<StoredSettings>>;

/// How an id stands among the names: its bytes if it is a UUID as we write them, else its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PackedId {
    bytes: u8,
    is_uuid: bool,
}

impl PackedId {
    fn pack(id: &str, names: &mut Vec<u8>) -> Result<PackedId, String> {
        let before = names.len();
        let is_ours = |uuid: &Uuid| uuid.hyphenated().encode_lower(&mut Uuid::encode_buffer()) == id;
        let uuid = Uuid::try_parse(id).ok().filter(is_ours);
        match uuid {
            Some(uuid) => names.extend_from_slice(uuid.as_bytes()),
            None => names.extend_from_slice(id.as_bytes()),
        }
        let bytes = u8::try_from(names.len() - before).map_err(|_| "its id is too long".to_owned())?;
        Ok(PackedId { bytes, is_uuid: uuid.is_some() })
    }

    /// What `f` makes of the id, which stands at the start of these names.
    fn read<R>(self, names: &[u8], f: impl FnOnce(&str) -> R) -> R {
        let bytes = &names[..usize::from(self.bytes)];
        match Uuid::from_slice(bytes) {
            Ok(uuid) if self.is_uuid => f(uuid.hyphenated().encode_lower(&mut Uuid::encode_buffer())),
            _ => f(std::str::from_utf8(bytes).expect("it was a text")),
        }
    }
}

impl DomainRecord {
    /// The record of a row; none when its status is unknown here or its ids are longer than ids can be.
    pub fn of(row: &DomainRow, shared: &mut SharedSettings) -> Result<DomainRecord, String> {
        let mut names = Vec::new();
        let id = PackedId::pack(&row.id, &mut names)?;
        let account = PackedId::pack(&row.account_id, &mut names)?;
        names.extend_from_slice(row.host.as_bytes());
        let stored = row.stored_status()?;
        let texts = StoredSettings { settings: (*row.settings).into(), rendering: (*row.rendering).into() };
        Ok(DomainRecord {
            stamp: next_stamp(),
            names: names.into(),
            texts: one_of(shared, texts),
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
            id,
            account,
            status: with_lock(stored, row.suspended),
            stored,
        })
    }

    /// The same record locked or unlocked.
    pub fn locked(&self, is_locked: bool) -> DomainRecord {
        DomainRecord { stamp: next_stamp(), status: with_lock(self.stored, is_locked), ..self.clone() }
    }

    /// What `f` makes of its id.
    pub fn with_id<R>(&self, f: impl FnOnce(&str) -> R) -> R {
        self.id.read(&self.names, f)
    }

    /// What `f` makes of the id of the account whose it is.
    pub fn with_account<R>(&self, f: impl FnOnce(&str) -> R) -> R {
        self.account.read(&self.names[usize::from(self.id.bytes)..], f)
    }

    /// The name, in A-label form.
    pub fn host(&self) -> &str {
        let start = usize::from(self.id.bytes) + usize::from(self.account.bytes);
        std::str::from_utf8(&self.names[start..]).expect("it was a text")
    }

    /// How it answers at the edge: a served one before a suspended one before one that waits.
    pub fn rank(&self) -> u8 {
        match self.status {
            DomainStatus::Connected | DomainStatus::ViaApi => 0,
            DomainStatus::Suspended => 1,
            DomainStatus::Pending => 2,
        }
    }

    /// Which of several records of one name answers at the edge: the least.
    pub fn precedence(&self) -> (u8, i64, DomainId) {
        (self.rank(), self.created_at, self.with_id(|id| DomainId::from(id)))
    }

    /// Whether both say the same, so that what was made of one holds for the other.
    pub fn says_the_same(&self, other: &DomainRecord) -> bool {
        let contents = |record: &DomainRecord| {
            (record.status, record.stored, record.version, record.created_at, record.updated_at)
        };
        contents(self) == contents(other)
            && (self.id, self.account) == (other.id, other.account)
            && self.names == other.names
            && self.texts == other.texts
    }

    /// Size of its settings; one at least.
    pub fn kilobytes(&self) -> usize {
        1 + (self.texts.settings.len() + self.texts.rendering.len()) / 1024
    }

    /// The record with its settings parsed; an error when a newer version wrote them.
    pub fn parse(&self) -> Result<Domain, String> {
        Ok(Domain {
            id: self.with_id(|id| DomainId::from(id)),
            account_id: self.with_account(|id| AccountId::from(id)),
            host: self.host().to_owned(),
            status: self.status,
            settings: serde_json::from_str(&self.texts.settings)
                .map_err(|error| format!("settings: {error}"))?,
            rendering: serde_json::from_str(&self.texts.rendering)
                .map_err(|error| format!("rendering: {error}"))?,
            version: self.version,
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
        })
    }
}

fn next_stamp() -> u64 {
    static STAMPS: AtomicU64 = AtomicU64::new(0);
    STAMPS.fetch_add(1, Ordering::Relaxed)
}

fn one_of(shared: &mut SharedSettings, texts: StoredSettings) -> Arc<StoredSettings> {
    if let Some(known) = shared.get(&texts) {
        return known.clone();
    }
    let new = Arc::new(texts);
    shared.insert(new.clone());
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_was_written_whatever_it_is() {
        let uuid = "0199c3a4-7d1e-7abc-8def-0123456789ab";
        for (id, bytes) in [(uuid, 16), (&uuid.to_uppercase(), 36), ("sixteen bytes...", 16), ("", 0)] {
            let mut names = Vec::new();

            let packed = PackedId::pack(id, &mut names).unwrap();

            packed.read(&names, |read| assert_eq!((read, names.len()), (id, bytes)));
        }
        assert!(PackedId::pack(&"x".repeat(256), &mut Vec::new()).is_err());
    }
}
