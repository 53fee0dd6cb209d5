//! Refusals about accounts and keys, in words for people. Returned by [`Accounts`](super::Accounts).

use store::DbError;

/// Refusal of an operation on an account.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The e-mail address belongs to an account already.
    #[error("there is an account {0} already")]
    EmailTaken(String),
    /// No account has this e-mail address.
    #[error("there is no account {0}; `glasshouse account list` shows them all")]
    UnknownAccount(String),
    /// A password without a character.
    #[error("the password is empty")]
    EmptyPassword,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}

/// Refusal of making a key.
#[derive(Debug, thiserror::Error)]
pub enum CreateKeyError {
    /// The account has as many as it may have.
    #[error("the account has {limit} keys already (limits.keys_per_account); revoke one that is not used")]
    LimitReached {
        /// Most keys that an account may have.
        limit: u64,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}

/// Refusal of a sign-in, apart from a wrong password.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// Too many passwords wait to be checked.
    #[error("too many passwords wait to be checked")]
    Busy,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}
