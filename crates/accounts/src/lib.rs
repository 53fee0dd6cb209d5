//! Accounts: who may use the service, as which people and with which keys, on which plan, and how much they have used.
//! The leftmost feature: it knows no domains, renders or audits.

pub mod callers;
pub mod handlers;
pub mod keys;
pub mod model;
mod passwords;
pub mod people;
pub mod ports;
mod queries;
mod service;
pub mod sessions;
mod state;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod usage;

pub use model::{Account, AccountId, KeyId, KeyIdentity, VisibleAccount};
pub use people::People;
pub use queries::lock_account;
pub use service::{AccountError, Accounts, SignInError};
pub use state::AccountsState;
pub use usage::UsageMetric;
