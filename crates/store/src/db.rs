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

use std::fs::DirBuilder;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sqlx::Transaction;
use sqlx::pool::PoolConnection;
use sqlx_postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions, Postgres};
use sqlx_sqlite::{
    Sqlite, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};

use crate::DbError;

/// How long a caller waits for a connection before the database counts as unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long SQLite waits for another process (a command line tool) to finish its transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a statement may take, as we see it. The server ends it earlier by itself, when it lives.
pub const STATEMENT_TIME: Duration = Duration::from_secs(20);
/// What every connection to PostgreSQL begins with: a statement ends after 15 s; a process that was stopped or cut off in
/// the middle of a transaction holds its locks for no longer either; and a vanished client is found out within a minute.
const SESSION: &str = "set statement_timeout = '15s'; set lock_timeout = '10s';
    set idle_in_transaction_session_timeout = '15s';
    set tcp_keepalives_idle = 20; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 4";

/// Runs an expression against whichever engine a connection belongs to.
///
/// A `match` with the same body in both arms: one SQL text, checked against both drivers. Statements that really
/// differ write the `match` on [`Conn::engine`] themselves, with a comment. See the module's example. The body may take
/// [`STATEMENT_TIME`] and is cut off then.
#[macro_export]
macro_rules! on_engine {
    ($conn:expr, |$c:ident| $body:expr) => {
        match $conn.raw() {
            $crate::EngineConn::Sqlite($c) => $crate::time_limited(async { $body }).await,
            $crate::EngineConn::Postgres($c) => $crate::time_limited(async { $body }).await,
        }
    };
}

/// Waits for statements for at most [`STATEMENT_TIME`]: a server that neither answers nor closes the connection must
/// not hold its caller for ever.
pub async fn time_limited<T>(
    statements: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    limited_to(STATEMENT_TIME, statements).await
}

async fn limited_to<T>(
    time: Duration,
    statements: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    match tokio::time::timeout(time, statements).await {
        Ok(result) => result,
        Err(_) => Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())),
    }
}

/// Which database answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// A file on this machine.
    Sqlite,
    /// A server that several processes may share.
    Postgres,
}

/// Where the database is.
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
    /// SQLite has one writer at a time: a queue for one connection is fairer than its own retries.
    Sqlite {
        path: PathBuf,
        writer: SqlitePool,
        readers: SqlitePool,
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

    /// Which database this is.
    pub fn engine(&self) -> Engine {
        match &self.0 {
            Pools::Sqlite { .. } => Engine::Sqlite,
            Pools::Postgres(_) => Engine::Postgres,
        }
    }

    /// Takes a connection for reading; every statement stands alone. SQLite refuses to write through it.
    pub async fn read(&self) -> Result<Conn, DbError> {
        Ok(Conn(match &self.0 {
            Pools::Sqlite { readers, .. } => Inner::Sqlite(readers.acquire().await?),
            Pools::Postgres(pool) => Inner::Postgres(pool.acquire().await?),
        }))
    }

    /// Begins a write transaction. It is rolled back when dropped without [`Tx::commit`].
    pub async fn write(&self) -> Result<Tx, DbError> {
        Ok(match &self.0 {
            // A deferred transaction could fail half-way, when its first write meets another process's.
            Pools::Sqlite { path, writer, .. } => {
                let log = log_of(path);
                Tx { conn: Conn(Inner::SqliteTx(begin_immediate(writer).await?)), log: Some(log) }
            }
            Pools::Postgres(pool) => Tx { conn: Conn(Inner::PostgresTx(pool.begin().await?)), log: None },
        })
    }

    /// The same database through one connection that nobody else uses, so that what must be said in time is not queued
    /// behind other work. SQLite has one writer in any case: there it is the same.
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

    /// Closes every connection, after the statements on them. SQLite folds its write-ahead log into the file.
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

async fn open_sqlite(path: &Path, readers: u32) -> Result<Db, DbError> {
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
    Ok(Db(Pools::Sqlite { path: path.to_owned(), writer, readers }))
}

/// Where SQLite writes a transaction first.
fn log_of(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

async fn begin_immediate(writer: &SqlitePool) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
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

async fn open_postgres(url: &str, max_connections: u32) -> Result<Db, DbError> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|_| DbError::BadUrl("it is not a valid postgres:// address".to_owned()))?
        .application_name("glasshouse");
    let pool = PgPoolOptions::new()
        .max_connections(max_connections.max(2))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // A connection that a restart of the server broke is found out here and replaced.
        .test_before_acquire(true)
        .after_connect(|conn, _| Box::pin(async { sqlx::raw_sql(SESSION).execute(conn).await.map(drop) }))
        .connect_with(options)
        .await?;
    Ok(Db(Pools::Postgres(pool)))
}

/// A connection of either engine. Goes back to its pool when dropped.
#[derive(Debug)]
pub struct Conn(Inner);

#[derive(Debug)]
enum Inner {
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
    /// Which database this is, for the few statements that must differ.
    pub fn engine(&self) -> Engine {
        match &self.0 {
            Inner::Sqlite(_) | Inner::SqliteTx(_) => Engine::Sqlite,
            Inner::Postgres(_) | Inner::PostgresTx(_) => Engine::Postgres,
        }
    }

    /// The driver's own connection.
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
    /// Makes the changes visible, and durable: on PostgreSQL at once; on SQLite they survive the end of the process at
    /// once, and a power cut a little later. What somebody is told to be done is committed with [`Tx::commit_durably`].
    pub async fn commit(self) -> Result<(), DbError> {
        match self.conn.0 {
            Inner::SqliteTx(tx) => tx.commit().await?,
            Inner::PostgresTx(tx) => tx.commit().await?,
            Inner::Sqlite(_) | Inner::Postgres(_) => {
                unreachable!("only Db::write makes a Tx, around a transaction")
            }
        }
        Ok(())
    }

    /// Makes the changes visible and waits until a power cut cannot undo them. Other writers do not wait meanwhile.
    /// See docs/decisions/0227.
    pub async fn commit_durably(mut self) -> Result<(), DbError> {
        let log = self.log.take();
        self.commit().await?;
        let Some(log) = log else { return Ok(()) };
        let written = tokio::task::spawn_blocking(move || match std::fs::File::open(&log) {
            Ok(file) => file.sync_data().map_err(|source| DbError::File { path: log, source }),
            // Folded into the database meanwhile, which is synced before the log goes.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(DbError::File { path: log, source }),
        });
        written.await.expect("syncing a file does not panic")
    }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::{PostgresServer, for_each_engine, postgres, sqlite};

    #[derive(Debug, PartialEq, sqlx::FromRow)]
    struct Note {
        id: String,
        body: Option<String>,
        size: i64,
        pinned: bool,
        score: f64,
    }

    fn note(id: &str) -> Note {
        Note { id: id.to_owned(), body: Some("Grüße".to_owned()), size: i64::MAX, pinned: true, score: 0.5 }
    }

    async fn create_tables(db: &Db) {
        let mut tx = db.write().await.unwrap();
        const NOTES: &str = "create table notes (id text primary key, body text, size bigint not null,
            pinned boolean not null, score double precision not null)";
        const TAGS: &str = "create table tags (note_id text not null references notes (id))";
        on_engine!(tx, |c| sqlx::query(NOTES).execute(c).await.map(drop)).unwrap();
        on_engine!(tx, |c| sqlx::query(TAGS).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
    }

    async fn insert(conn: &mut Conn, note: &Note) -> Result<u64, DbError> {
        const SQL: &str = "insert into notes (id, body, size, pinned, score) values ($1, $2, $3, $4, $5)";
        Ok(on_engine!(conn, |c| sqlx::query(SQL)
            .bind(&note.id)
            .bind(&note.body)
            .bind(note.size)
            .bind(note.pinned)
            .bind(note.score)
            .execute(c)
            .await
            .map(|done| done.rows_affected()))?)
    }

    async fn list(conn: &mut Conn) -> Result<Vec<Note>, DbError> {
        const SQL: &str = "select id, body, size, pinned, score from notes order by id";
        Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
    }

    #[tokio::test]
    async fn one_text_writes_and_reads_every_common_type() {
        for_each_engine(async |db| {
            create_tables(db).await;
            let empty = Note { id: "b".to_owned(), body: None, size: -1, pinned: false, score: -1e300 };

            let mut tx = db.write().await.unwrap();
            let written = insert(&mut tx, &note("a")).await.unwrap() + insert(&mut tx, &empty).await.unwrap();
            tx.commit().await.unwrap();

            assert_eq!(written, 2);
            assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap(), [note("a"), empty]);
        })
        .await;
    }

    #[tokio::test]
    async fn a_transaction_that_is_dropped_changes_nothing() {
        for_each_engine(async |db| {
            create_tables(db).await;

            let mut tx = db.write().await.unwrap();
            insert(&mut tx, &note("a")).await.unwrap();
            drop(tx);

            assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap(), []);
        })
        .await;
    }

    #[tokio::test]
    async fn nobody_sees_a_change_before_it_is_committed() {
        for_each_engine(async |db| {
            create_tables(db).await;
            let mut tx = db.write().await.unwrap();
            insert(&mut tx, &note("a")).await.unwrap();

            let before = list(&mut db.read().await.unwrap()).await.unwrap();
            tx.commit().await.unwrap();
            let after = list(&mut db.read().await.unwrap()).await.unwrap();

            assert_eq!((before.len(), after.len()), (0, 1));
        })
        .await;
    }

    #[tokio::test]
    async fn violations_are_told_apart() {
        for_each_engine(async |db| {
            create_tables(db).await;
            let mut tx = db.write().await.unwrap();
            insert(&mut tx, &note("a")).await.unwrap();
            tx.commit().await.unwrap();

            let twice = insert(&mut db.write().await.unwrap(), &note("a")).await.unwrap_err();
            let mut tx = db.write().await.unwrap();
            let dangling: DbError =
                on_engine!(tx, |c| sqlx::query("insert into tags values ('x')").execute(c).await.map(drop))
                    .unwrap_err()
                    .into();
            drop(tx);
            let mut conn = db.read().await.unwrap();
            let wrong: DbError =
                on_engine!(conn, |c| sqlx::query("select nothing").execute(c).await.map(drop))
                    .unwrap_err()
                    .into();

            assert!(twice.is_unique_violation() && !twice.is_foreign_key_violation(), "{twice:?}");
            assert!(dangling.is_foreign_key_violation() && !dangling.is_unique_violation(), "{dangling:?}");
            assert!(matches!(wrong, DbError::Query(_)) && !wrong.is_unavailable(), "{wrong:?}");
        })
        .await;
    }

    #[tokio::test]
    async fn writers_queue_up_and_each_gets_its_turn() {
        for_each_engine(async |db| {
            create_tables(db).await;
            let ids: Vec<String> = (0..40).map(|n| format!("n{n:02}")).collect();

            let writers = ids.iter().map(async |id| {
                let mut tx = db.write().await?;
                insert(&mut tx, &note(id)).await?;
                tx.commit().await
            });
            let results = futures::future::join_all(writers).await;

            assert!(results.iter().all(Result::is_ok), "{results:?}");
            assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap().len(), 40);
        })
        .await;
    }

    #[tokio::test]
    async fn what_is_committed_durably_is_there_for_everybody() {
        for_each_engine(async |db| {
            create_tables(db).await;
            let mut tx = db.write().await.unwrap();
            insert(&mut tx, &note("a")).await.unwrap();

            tx.commit_durably().await.unwrap();

            assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap().len(), 1);
        })
        .await;
    }

    #[tokio::test]
    async fn every_connection_to_a_server_has_limits_and_finds_out_that_the_other_end_is_gone() {
        let db = postgres().await;
        let mut held = Vec::new();
        for pool in [db.clone(), db.clone(), db.dedicated()] {
            let mut conn = pool.read().await.unwrap();
            let mut shown = Vec::new();
            for setting in [
                "show statement_timeout",
                "show lock_timeout",
                "show idle_in_transaction_session_timeout",
                "show tcp_keepalives_idle",
                "show tcp_keepalives_count",
            ] {
                let value: String =
                    on_engine!(conn, |c| sqlx::query_scalar(setting).fetch_one(c).await).unwrap();
                shown.push(value);
            }
            assert_eq!(shown[..3], ["15s", "10s", "15s"]);
            // A socket of the file system has no keepalive, and says 0.
            assert!(shown[3..] == ["20", "4"] || shown[3..] == ["0", "0"], "{shown:?}");
            held.push(conn);
        }
    }

    #[tokio::test]
    async fn a_statement_that_hangs_is_ended_by_the_server_before_we_give_up_on_it() {
        let db = postgres().await;
        let mut conn = db.read().await.unwrap();
        on_engine!(conn, |c| sqlx::query("set statement_timeout = '50ms'").execute(c).await.map(drop))
            .unwrap();

        let hangs: DbError =
            on_engine!(conn, |c| sqlx::query("select pg_sleep(60)").execute(c).await.map(drop))
                .unwrap_err()
                .into();

        assert!(hangs.to_string().contains("database"), "{hangs:?}");
        assert!(on_engine!(conn, |c| sqlx::query("select 1").execute(c).await.map(drop)).is_ok());
    }

    #[tokio::test]
    async fn a_server_that_neither_answers_nor_hangs_up_holds_nobody() {
        let silence = std::future::pending::<Result<(), sqlx::Error>>();

        let given_up: DbError =
            limited_to(Duration::from_millis(20), silence).await.expect_err("nobody answers").into();

        assert!(given_up.is_unavailable());
        assert!(STATEMENT_TIME > Duration::from_secs(15), "the server ends a statement first, when it lives");
    }

    #[tokio::test]
    async fn sqlite_can_be_written_again_after_it_was_full() {
        let db = sqlite().await;
        create_tables(&db).await;
        let limit = async |pages: i64| {
            let mut tx = db.write().await.unwrap();
            let sql = sqlx::AssertSqlSafe(format!("pragma max_page_count = {pages}"));
            on_engine!(tx, |c| sqlx::query(sql).execute(c).await.map(drop)).unwrap();
            tx.commit().await.unwrap();
        };
        limit(1).await;
        let large = Note { body: Some("x".repeat(1 << 20)), ..note("large") };

        let mut tx = db.write().await.unwrap();
        let full = insert(&mut tx, &large).await.unwrap_err();
        drop(tx);
        let mut tx = db.write().await.unwrap();
        insert(&mut tx, &large).await.unwrap();
        tx.commit().await.unwrap();

        assert!(full.is_unavailable(), "{full:?}");
        assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap(), [large]);
    }

    #[tokio::test]
    async fn sqlite_refuses_to_write_through_a_reading_connection() {
        let db = sqlite().await;
        create_tables(&db).await;

        let refused = insert(&mut db.read().await.unwrap(), &note("a")).await;

        assert!(refused.is_err());
    }

    #[tokio::test]
    async fn sqlite_makes_its_folder_and_writes_ahead() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/glasshouse.db");
        let config = DbConfig { url: format!("sqlite:{}", path.display()), max_connections: 2 };

        let db = Db::open(&config).await.unwrap();
        let mut tx = db.write().await.unwrap();
        let mode: String =
            on_engine!(tx, |c| sqlx::query_scalar("select journal_mode from pragma_journal_mode")
                .fetch_one(c)
                .await)
            .unwrap();

        assert_eq!((db.engine(), mode.as_str(), path.exists()), (Engine::Sqlite, "wal", true));
    }

    #[tokio::test]
    async fn an_address_that_cannot_be_used_says_why_without_repeating_it() {
        for url in [
            "mysql://root:secret@db/x",
            "sqlite:",
            "sqlite::memory:",
            "postgres://user:secret@host:notaport/x",
        ] {
            let error = Db::open(&DbConfig { url: url.to_owned(), max_connections: 2 }).await.unwrap_err();

            assert!(matches!(error, DbError::BadUrl(_)), "{url}: {error:?}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_unavailable_within_seconds() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = DbConfig { url: format!("postgres://x@127.0.0.1:{port}/x"), max_connections: 2 };

        let opened = tokio::time::timeout(Duration::from_secs(8), Db::open(&config)).await.unwrap();

        assert!(opened.unwrap_err().is_unavailable());
    }

    #[tokio::test]
    async fn the_database_is_usable_again_after_its_server_crashed() {
        let mut server = PostgresServer::start().await;
        let db = Db::open(&DbConfig { url: server.url(), max_connections: 4 }).await.unwrap();
        create_tables(&db).await;
        let mut broken = db.write().await.unwrap();
        insert(&mut broken, &note("lost")).await.unwrap();

        server.crash();
        let cut_off = broken.commit().await.unwrap_err();
        let meanwhile = db.ping().await.unwrap_err();
        server.start_again().await;
        let mut tx = db.write().await.unwrap();
        insert(&mut tx, &note("a")).await.unwrap();
        tx.commit().await.unwrap();

        assert!(cut_off.is_unavailable(), "{cut_off:?}");
        assert!(meanwhile.is_unavailable(), "{meanwhile:?}");
        assert_eq!(list(&mut db.read().await.unwrap()).await.unwrap(), [note("a")]);
    }
}
