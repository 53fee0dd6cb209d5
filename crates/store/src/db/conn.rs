//! Connections and write transactions of either engine.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;

use sqlx::Transaction;
use sqlx::pool::PoolConnection;
use sqlx_postgres::{PgConnection, Postgres};
use sqlx_sqlite::{Sqlite, SqliteConnection};

use super::Engine;
use super::limits::time_limited;
use crate::DbError;

/// A connection of either engine. Goes back to its pool when dropped.
#[derive(Debug)]
pub struct Conn(pub(super) Inner);

#[derive(Debug)]
pub(super) enum Inner {
    Sqlite(PoolConnection<Sqlite>),
    SqliteTx(Transaction<'static, Sqlite>),
    Postgres(PoolConnection<Postgres>),
    PostgresTx(Transaction<'static, Postgres>),
}

/// The driver's own connection, as [`on_engine!`](crate::on_engine) hands it to its body.
#[derive(Debug)]
pub enum EngineConn<'c> {
    /// SQLite's.
    Sqlite(&'c mut SqliteConnection),
    /// PostgreSQL's.
    Postgres(&'c mut PgConnection),
}

impl Conn {
    /// Returns the engine, for the few statements that must differ.
    pub fn engine(&self) -> Engine {
        match &self.0 {
            Inner::Sqlite(_) | Inner::SqliteTx(_) => Engine::Sqlite,
            Inner::Postgres(_) | Inner::PostgresTx(_) => Engine::Postgres,
        }
    }

    /// Returns the driver's own connection.
    pub fn raw(&mut self) -> EngineConn<'_> {
        match &mut self.0 {
            Inner::Sqlite(conn) => EngineConn::Sqlite(conn),
            Inner::SqliteTx(conn) => EngineConn::Sqlite(conn),
            Inner::Postgres(conn) => EngineConn::Postgres(conn),
            Inner::PostgresTx(conn) => EngineConn::Postgres(conn),
        }
    }
}

/// A write transaction: a [`Conn`] whose changes become visible together, at [`commit`](Tx::commit), or never.
#[derive(Debug)]
pub struct Tx {
    conn: Conn,
    /// SQLite's write-ahead log.
    log: Option<PathBuf>,
}

impl Tx {
    /// Wraps a transaction. `log` is SQLite's write-ahead log.
    pub(super) fn new(transaction: Inner, log: Option<PathBuf>) -> Tx {
        Tx { conn: Conn(transaction), log }
    }

    /// Makes the changes visible, and durable: on PostgreSQL at once; on SQLite they survive the end of the process at once,
    /// and a power cut a little later. Use [`Tx::commit_durably`] for a change that is acknowledged to a client.
    pub async fn commit(self) -> Result<(), DbError> {
        match self.conn.0 {
            Inner::SqliteTx(tx) => time_limited(tx.commit()).await?,
            Inner::PostgresTx(tx) => time_limited(tx.commit()).await?,
            Inner::Sqlite(_) | Inner::Postgres(_) => {
                unreachable!("only Db::write makes a Tx, around a transaction")
            }
        }
        Ok(())
    }

    /// Makes the changes visible and waits until a power cut cannot undo them. Other writers do not wait meanwhile.
    /// See docs/decisions/0002.
    pub async fn commit_durably(mut self) -> Result<(), DbError> {
        let log = self.log.take();
        self.commit().await?;
        match log {
            Some(log) => sync_log(log).await,
            None => Ok(()),
        }
    }
}

/// Waits until SQLite's write-ahead log is on the disk.
pub(super) async fn sync_log(log: PathBuf) -> Result<(), DbError> {
    let written = tokio::task::spawn_blocking(move || match std::fs::File::open(&log) {
        Ok(file) => file.sync_data().map_err(|source| DbError::File { path: log, source }),
        // Folded into the database meanwhile, which is synced before the log goes.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(DbError::File { path: log, source }),
    });
    written.await.expect("syncing a file does not panic")
}

impl Deref for Tx {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.conn
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.conn
    }
}
