//! Persistence kit: one handle for SQLite and PostgreSQL, one for a folder and an S3 bucket, compression for what goes
//! into either. Used by the application.
//! Owns no table and no key layout; knows nothing of features.

pub mod blobs;
pub mod db;
pub mod dump;
mod error;
mod migrate;
pub mod packed;
#[cfg(feature = "testing")]
pub mod testing;

pub use blobs::{BlobConfig, BlobError, BlobInfo, Blobs};
pub use db::{
    Conn, Db, DbConfig, Enclosure, Engine, EngineConn, STATEMENT_TIME, Statements, Tx, time_limited,
};
pub use error::DbError;
pub use sqlx::migrate::Migrator;
