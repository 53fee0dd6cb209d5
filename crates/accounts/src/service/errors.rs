//! Refusals about accounts and keys, in words for people. Returned by [`Accounts`](super::Accounts).

use store::DbError;

/// Refusal of an operation on an account.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The e-mail address belongs to an account or a person already.
    #[error("{0} has an account already, or is a person of one")]
    EmailTaken(String),
    /// No account has this e-mail address.
    #[error("there is no account {0}; `glasshouse account list` shows them all")]
    UnknownAccount(String),
    /// No person has this e-mail address.
    #[error("there is no person {0} who signs in")]
    UnknownPerson(String),
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
        /// Maximum number of keys that an account may have.
        limit: u64,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}

/// Refusal of a sign-in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The address is unknown or the password is wrong.
    #[error("the address is unknown or the password is wrong")]
    WrongCredentials,
    /// The person has a second factor, and no code was sent.
    #[error("a code of the second factor is missing")]
    CodeRequired,
    /// The code is wrong or was used.
    #[error("the code is wrong or was used")]
    WrongCode,
    /// Too many passwords wait to be checked.
    #[error("too many passwords wait to be checked")]
    Busy,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
}
