//! The database handle: SQLite or PostgreSQL behind one type. Used by the application's queries.
//! Holds no SQL of any feature. SQL text is written once, with `$1` parameters, and compiled for both drivers.
//!
//! ```no_run
//! # async fn example(db: &store::Db) -> Result<(), store::DbError> {
//! use store::{Conn, DbError, on_engine};
//!
//! #[derive(sqlx::FromRow)]
//! struct Note { id: String, body: String }
//!
//! // Takes a plain connection or a transaction: `&mut Tx` coerces to `&mut Conn`.
//! async fn find_note(conn: &mut Conn, id: &str) -> Result<Option<Note>, DbError> {
//!     const SQL: &str = "select id, body from notes where id = $1";
//!     Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?)
//! }
//!
//! // The drivers' results differ in type, so what is needed of them is taken inside.
//! async fn delete_note(conn: &mut Conn, id: &str) -> Result<u64, DbError> {
//!     const SQL: &str = "delete from notes where id = $1";
//!     Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(id).execute(c).await.map(|done| done.rows_affected()))?)
//! }
//!
//! let note = find_note(&mut db.read().await?, "n1").await?;
//!
//! let mut tx = db.write().await?;
//! delete_note(&mut tx, "n1").await?;
//! tx.commit().await?;
//! # Ok(()) }
//! ```
//! See docs/decisions/0002.

mod conn;
mod enclosure;
mod limits;
mod open;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx_postgres::PgPool;
use sqlx_sqlite::SqlitePool;

use self::conn::Inner;
use self::open::{begin_immediate, log_of, open_postgres, open_sqlite};
use crate::{DbError, on_engine};

pub use conn::{Conn, EngineConn, Tx};
pub use enclosure::Enclosure;
pub use limits::{STATEMENT_TIME, Statements, time_limited};

/// Longest wait for a connection before the database counts as unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Session settings for tables that are empty now and hold a million rows a moment later. A cached plan would go on
/// scanning the whole table until statistics are collected, so each statement is planned again. Bitmap scans are off,
/// because they collect all rows first; an index scan in order stops at the statement's limit.
const REPLANNED: &str =
    "begin; set local plan_cache_mode = force_custom_plan; set local enable_bitmapscan = off";

/// Engine of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// A file on this machine.
    Sqlite,
    /// A server that several processes may share.
    Postgres,
}

/// Location of the database.
#[derive(Clone)]
pub struct DbConfig {
    /// `sqlite:PATH` or `postgres://…` (setting `storage.database_url`).
    pub url: String,
    /// Upper bound of connections: to the server, or of readers of the file.
    pub max_connections: u32,
}

/// The database. Cheap to clone; clones share the connections.
#[derive(Debug, Clone)]
pub struct Db(pub(crate) Pools);

#[derive(Debug, Clone)]
pub(crate) enum Pools {
    /// SQLite allows one writer at a time: a queue for one connection is fairer than SQLite's own retries.
    Sqlite {
        path: PathBuf,
        writer: SqlitePool,
        readers: SqlitePool,
        /// True for the handle of an [`Enclosure`], whose writes are parts of its transaction.
        is_enclosed: bool,
    },
    Postgres(PgPool),
}

impl Db {
    /// Opens the database, making the file and its folder when missing. Fails when it cannot be reached within 5 s.
    pub async fn open(config: &DbConfig) -> Result<Db, DbError> {
        if let Some(path) = config.url.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return open_sqlite(Path::new(path), config.max_connections).await;
        }
        if config.url.starts_with("postgres://") || config.url.starts_with("postgresql://") {
            return open_postgres(&config.url, config.max_connections).await;
        }
        Err(DbError::BadUrl("it must start with sqlite: or postgres://".to_owned()))
    }

    /// Returns the engine of this database.
    pub fn engine(&self) -> Engine {
        match &self.0 {
            Pools::Sqlite { .. } => Engine::Sqlite,
            Pools::Postgres(_) => Engine::Postgres,
        }
    }

    /// Opens a connection for reading, each statement in a transaction of its own. SQLite refuses to write through it.
    pub async fn read(&self) -> Result<Conn, DbError> {
        Ok(Conn(match &self.0 {
            Pools::Sqlite { readers, .. } => Inner::Sqlite(readers.acquire().await?),
            Pools::Postgres(pool) => Inner::Postgres(pool.acquire().await?),
        }))
    }

    /// Begins a write transaction. It is rolled back when dropped without [`Tx::commit`].
    pub async fn write(&self) -> Result<Tx, DbError> {
        Ok(match &self.0 {
            // Durable with the whole transaction.
            Pools::Sqlite { writer, is_enclosed: true, .. } => {
                Tx::new(Inner::SqliteTx(time_limited(writer.begin()).await?), None)
            }
            // A deferred transaction could fail half-way, when its first write meets another process's.
            Pools::Sqlite { path, writer, .. } => {
                let log = log_of(path);
                Tx::new(Inner::SqliteTx(begin_immediate(writer).await?), Some(log))
            }
            Pools::Postgres(pool) => Tx::new(Inner::PostgresTx(time_limited(pool.begin()).await?), None),
        })
    }

    /// Begins a write transaction for tables that are empty now and hold a million rows a moment later: PostgreSQL
    /// plans each statement without cached plans.
    pub async fn write_replanned(&self) -> Result<Tx, DbError> {
        match &self.0 {
            // SQLite plans a statement once for any size of its tables.
            Pools::Sqlite { .. } => self.write().await,
            Pools::Postgres(pool) => {
                Ok(Tx::new(Inner::PostgresTx(time_limited(pool.begin_with(REPLANNED)).await?), None))
            }
        }
    }

    /// Opens a connection for reading, with the plans of [`Db::write_replanned`].
    pub async fn read_replanned(&self) -> Result<Conn, DbError> {
        match &self.0 {
            Pools::Sqlite { .. } => self.read().await,
            Pools::Postgres(pool) => {
                Ok(Conn(Inner::PostgresTx(time_limited(pool.begin_with(REPLANNED)).await?)))
            }
        }
    }

    /// Begins a read-only transaction that sees the database as of its first statement.
    pub(crate) async fn begin_snapshot(&self) -> Result<Conn, DbError> {
        const BEGIN: &str = "begin isolation level repeatable read read only";
        Ok(Conn(match &self.0 {
            Pools::Sqlite { readers, .. } => Inner::SqliteTx(readers.begin().await?),
            Pools::Postgres(pool) => Inner::PostgresTx(time_limited(pool.begin_with(BEGIN)).await?),
        }))
    }

    /// Returns the same database through one dedicated connection, so that urgent statements are not queued behind
    /// other work. SQLite has one writer in any case and returns itself.
    pub fn dedicated(&self) -> Db {
        match &self.0 {
            Pools::Sqlite { .. } => self.clone(),
            Pools::Postgres(pool) => {
                let options = pool.options().clone().max_connections(1).min_connections(0);
                Db(Pools::Postgres(options.connect_lazy_with(pool.connect_options().as_ref().clone())))
            }
        }
    }

    /// Checks that the database answers.
    pub async fn ping(&self) -> Result<(), DbError> {
        let mut conn = self.read().await?;
        let question = async { on_engine!(conn, |c| sqlx::query("select 1").execute(c).await.map(drop)) };
        match tokio::time::timeout(ACQUIRE_TIMEOUT, question).await {
            Ok(result) => Ok(result?),
            Err(_) => Err(DbError::Unavailable(sqlx::Error::PoolTimedOut)),
        }
    }

    /// Closes every connection after its current statement. SQLite then merges its write-ahead log into the file.
    pub async fn close(&self) {
        match &self.0 {
            Pools::Sqlite { writer, readers, .. } => {
                readers.close().await;
                writer.close().await;
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}
