//! Opens the database and configures every connection.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sqlx::{Connection, Transaction};
use sqlx_postgres::{PgConnectOptions, PgPoolOptions};
use sqlx_sqlite::{
    Sqlite, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use super::limits::limited_to;
use super::{ACQUIRE_TIMEOUT, Db, Pools};
use crate::DbError;

/// Longest time that SQLite waits for the transaction of another process (a command line tool).
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Settings of every connection to PostgreSQL: a statement ends after 15 s; a process that was stopped or cut off in
/// the middle of a transaction holds its locks for no longer; a vanished client is detected within a minute.
/// JIT is off: for large tables the planner would spend a second on compiling statements of milliseconds.
const SESSION: &str = "set statement_timeout = '15s'; set lock_timeout = '10s';
    set idle_in_transaction_session_timeout = '15s'; set jit = off;
    set tcp_keepalives_idle = 20; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 4";

pub(super) async fn open_sqlite(path: &Path, readers: u32) -> Result<Db, DbError> {
    if path.as_os_str().is_empty() || path == Path::new(":memory:") {
        return Err(DbError::BadUrl("sqlite: needs the path of a file".to_owned()));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        // Password hashes and keys are inside: nobody else on the machine needs to read them.
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|source| DbError::File { path: folder.to_owned(), source })?;
    }

    let options = SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .synchronous(SqliteSynchronous::Normal);
    let writing = options
        .clone()
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // A long reader lets the log grow; it shrinks to 64 MiB again afterwards.
        .pragma("journal_size_limit", "67108864");
    // The writer comes first: it makes the file and switches it to WAL, which then holds for every connection.
    let writer = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(writing)
        .await?;
    let readers = SqlitePoolOptions::new()
        .max_connections(readers.max(1))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(options.pragma("query_only", "on"))
        .await?;
    Ok(Db(Pools::Sqlite { path: path.to_owned(), writer, readers, is_enclosed: false }))
}

/// Returns the path of SQLite's write-ahead log.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

pub(super) async fn begin_immediate(
    writer: &SqlitePool,
) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
    const BEGIN: &str = "begin immediate";
    match writer.begin_with(BEGIN).await {
        // On a full disk SQLite ends the transaction by itself, and the driver takes the connection to be inside it for
        // ever. There is only this one: a new one takes its place.
        Err(sqlx::Error::InvalidSavePointStatement) => {
            writer.acquire().await?.close_on_drop();
            writer.begin_with(BEGIN).await
        }
        begun => begun,
    }
}

pub(super) async fn open_postgres(url: &str, max_connections: u32) -> Result<Db, DbError> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|_| DbError::BadUrl("it is not a valid postgres:// address".to_owned()))?
        .application_name("glasshouse");
    let pool = PgPoolOptions::new()
        .max_connections(max_connections.max(2))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // A connection that a restart of the server broke is found out here and replaced.
        .test_before_acquire(true)
        .after_connect(|conn, _| Box::pin(async { sqlx::raw_sql(SESSION).execute(conn).await.map(drop) }))
        // The pool itself would wait for ever for a connection whose answer was lost on the way, and have one less.
        .after_release(|conn, _| {
            Box::pin(limited_to(ACQUIRE_TIMEOUT, async { conn.ping().await.map(|()| true) }))
        })
        .connect_with(options)
        .await?;
    Ok(Db(Pools::Postgres(pool)))
}
