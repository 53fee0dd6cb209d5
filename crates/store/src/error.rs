//! Errors of the database, in the classes that callers treat differently. Used by everything that runs SQL.
//! Must never print a connection string: it may carry a password.

use std::io;
use std::path::PathBuf;

use sqlx::migrate::MigrateError;

/// A database operation that failed.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The database cannot be reached, is starting or stopping, or has no room: trying again later may help.
    #[error("the database is not available")]
    Unavailable(#[source] sqlx::Error),
    /// Another transaction was in the way: trying the whole transaction again helps.
    #[error("the database was busy with a conflicting change")]
    Conflict(#[source] sqlx::Error),
    /// The database refused the statement, or its answer was not what the code expects.
    #[error("the database refused a statement")]
    Query(#[source] sqlx::Error),
    /// The address in the settings cannot be used.
    #[error("storage.database_url is not usable: {0}")]
    BadUrl(String),
    /// The folder of the database file could not be used.
    #[error("could not use {path}")]
    File {
        /// Folder or file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The schema was made by a newer version of this program.
    #[error(
        "the database has schema version {found}, this program knows {known}: \
         start the newer version, or restore a backup made before the upgrade"
    )]
    SchemaTooNew {
        /// Newest migration that was applied.
        found: i64,
        /// Newest migration in this program.
        known: i64,
    },
    /// The schema was made by a version of this program that was never released.
    #[error("this database was made by an unreleased version: start with an empty one")]
    SchemaUnreleased,
    /// The schema could not be brought up to date.
    #[error("could not migrate the database")]
    Migrate(#[source] Box<MigrateError>),
}

impl DbError {
    /// Returns true when a row with the same unique key exists.
    pub fn is_unique_violation(&self) -> bool {
        self.database_error().is_some_and(|error| error.is_unique_violation())
    }

    /// Returns true when a row refers to one that does not exist, or is still referred to.
    pub fn is_foreign_key_violation(&self) -> bool {
        self.database_error().is_some_and(|error| error.is_foreign_key_violation())
    }

    /// Returns true when the database as a whole cannot be used at the moment.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, DbError::Unavailable(_))
    }

    /// Returns true when the same transaction may succeed at an immediate retry.
    pub fn is_conflict(&self) -> bool {
        matches!(self, DbError::Conflict(_))
    }

    /// Returns true when the statement itself was refused, so that a retry fails too.
    pub fn is_about_the_statement(&self) -> bool {
        matches!(self, DbError::Query(_))
    }

    fn database_error(&self) -> Option<&dyn sqlx::error::DatabaseError> {
        match self {
            DbError::Unavailable(error) | DbError::Conflict(error) | DbError::Query(error) => {
                error.as_database_error()
            }
            _ => None,
        }
    }
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> DbError {
        match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::BeginFailed => DbError::Unavailable(error),
            sqlx::Error::Database(reported) => match reported.code().as_deref().map(class_of) {
                Some(ErrorClass::Unavailable) => DbError::Unavailable(error),
                Some(ErrorClass::Conflict) => DbError::Conflict(error),
                Some(ErrorClass::Statement) | None => DbError::Query(error),
            },
            _ => DbError::Query(error),
        }
    }
}

enum ErrorClass {
    Unavailable,
    Conflict,
    Statement,
}

/// Reads an SQLSTATE (five characters) or an SQLite extended result code (a number).
fn class_of(code: &str) -> ErrorClass {
    if code.len() == 5 {
        return match code {
            // Serialization failure, deadlock, lock not available.
            "40001" | "40P01" | "55P03" => ErrorClass::Conflict,
            // The database was dropped under the connection, or asks for a password we do not have.
            "57P01" | "57P02" | "57P03" | "57P04" | "3D000" | "28P01" | "28000" => ErrorClass::Unavailable,
            // Connection exceptions, resources (disk, memory, connections), system errors.
            _ if code.starts_with("08") || code.starts_with("53") || code.starts_with("58") => {
                ErrorClass::Unavailable
            }
            // Read-only: a standby that was promoted elsewhere.
            "25006" => ErrorClass::Unavailable,
            _ => ErrorClass::Statement,
        };
    }
    // The low byte is the primary code.
    match code.parse::<i32>().map(|extended| extended & 0xff) {
        // BUSY, LOCKED.
        Ok(5 | 6) => ErrorClass::Conflict,
        // READONLY, IOERR, FULL, CANTOPEN.
        Ok(8 | 10 | 13 | 14) => ErrorClass::Unavailable,
        _ => ErrorClass::Statement,
    }
}
