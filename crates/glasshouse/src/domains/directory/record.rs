//! A domain's record as it is held for every domain there is: texts as they are stored, equal ones shared, settings neither
//! parsed nor compiled. Pure.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::accounts::AccountId;
use crate::clock::Timestamp;
use crate::domains::queries::Row;
use crate::domains::{Domain, DomainId, DomainStatus};

/// See the module.
#[derive(Debug)]
pub struct Record {
    /// No other record of this process has it, so that what is made of this one is known by it.
    pub stamp: u64,
    /// Id, account and host, one after the other: one allocation instead of three.
    names: Box<str>,
    id_ends: u16,
    account_ends: u16,
    /// What it is, the operator's lock included.
    pub status: DomainStatus,
    settings: Arc<str>,
    rendering: Arc<str>,
    version: i64,
    created_at: i64,
    updated_at: i64,
}

/// Texts of which equal ones are one. Lives while records are read.
pub type Shared = HashSet<Arc<str>>;

impl Record {
    /// The record of a row; none when its status is unknown here or its names are longer than names can be.
    pub fn of(row: &Row, shared: &mut Shared) -> Result<Record, String> {
        static STAMPS: AtomicU64 = AtomicU64::new(0);
        let end = |length: usize| u16::try_from(length).map_err(|_| "its id is too long".to_owned());
        Ok(Record {
            stamp: STAMPS.fetch_add(1, Ordering::Relaxed),
            id_ends: end(row.id.len())?,
            account_ends: end(row.id.len() + row.account_id.len())?,
            names: [row.id.as_str(), &row.account_id, &row.host].concat().into(),
            status: row.status()?,
            settings: one_of(shared, &row.settings),
            rendering: one_of(shared, &row.rendering),
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.names[..usize::from(self.id_ends)]
    }

    /// Whose it is.
    pub fn account(&self) -> &str {
        &self.names[usize::from(self.id_ends)..usize::from(self.account_ends)]
    }

    /// The name, in A-label form.
    pub fn host(&self) -> &str {
        &self.names[usize::from(self.account_ends)..]
    }

    /// Which of several records of one name answers at the edge: the least.
    pub fn precedence(&self) -> (u8, i64, &str) {
        let by_status = match self.status {
            DomainStatus::Connected | DomainStatus::ViaApi => 0,
            DomainStatus::Suspended => 1,
            DomainStatus::Pending => 2,
        };
        (by_status, self.created_at, self.id())
    }

    /// Whether both say the same, so that what was made of one holds for the other.
    pub fn says_the_same(&self, other: &Record) -> bool {
        let contents =
            |record: &Record| (record.status, record.version, record.created_at, record.updated_at);
        contents(self) == contents(other)
            && self.names == other.names
            && self.settings == other.settings
            && self.rendering == other.rendering
    }

    /// Size of its settings; one at least.
    pub fn kilobytes(&self) -> usize {
        1 + (self.settings.len() + self.rendering.len()) / 1024
    }

    /// The record with its settings parsed; an error when a newer version wrote them.
    pub fn parse(&self) -> Result<Domain, String> {
        Ok(Domain {
            id: DomainId::from(self.id()),
            account_id: AccountId::from(self.account()),
            host: self.host().to_owned(),
            status: self.status,
            settings: serde_json::from_str(&self.settings).map_err(|error| format!("settings: {error}"))?,
            rendering: serde_json::from_str(&self.rendering)
                .map_err(|error| format!("rendering: {error}"))?,
            version: self.version,
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
        })
    }
}

fn one_of(shared: &mut Shared, text: &str) -> Arc<str> {
    if let Some(known) = shared.get(text) {
        return known.clone();
    }
    let new: Arc<str> = text.into();
    shared.insert(new.clone());
    new
}
