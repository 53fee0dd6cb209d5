//! Requester that a request is counted for. Used by the limits of this process and by those that all processes share. Pure.

use cache::Key;

use crate::{AccountId, KeyId};

/// Factor between the limit of one key and that of all keys of an account together.
pub const KEYS_WORTH: u32 = 10;

/// Requester that a request is counted for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Requester {
    /// A key, and its account: all its keys share a budget.
    Key { key: KeyId, account: AccountId },
    /// A public token, by its hash: what is counted is stored.
    PublicToken { hash: String },
    /// The sessions of an account.
    Session { account: AccountId },
}

impl Key for Requester {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Requester::Key { key, account } => ("key", (key.as_str(), account.as_str())).with_bytes(f),
            Requester::PublicToken { hash } => ("token", hash.as_str()).with_bytes(f),
            Requester::Session { account } => ("session", account.as_str()).with_bytes(f),
        }
    }
}
