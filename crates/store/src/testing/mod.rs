//! Databases and an object store that exist for one test. Used by tests only (cargo feature `testing`).
//! Must never touch a database that it did not make itself, and never skips: a missing server is a failure.

mod s3;
mod schema;
mod server;
mod templates;
mod work;

use std::ops::Deref;

use sqlx::{AssertSqlSafe, Connection};
use sqlx_postgres::PgConnection;
use tempfile::TempDir;
use uuid::Uuid;

pub use s3::{Behaviour, S3Server};
pub use schema::schema_differences;
pub use server::PostgresServer;
pub use templates::DbTemplates;
pub use work::rows_looked_at;

use crate::{Db, DbConfig, Engine};

/// Names the PostgreSQL server on which tests may make databases.
const POSTGRES_URL: &str = "GLASSHOUSE_TEST_POSTGRES";

/// A fresh, empty database that lasts as long as this value.
#[derive(Debug)]
pub struct TestDb {
    db: Db,
    url: String,
    /// Folder of SQLite's file; deleted with this value.
    _folder: Option<TempDir>,
}

impl TestDb {
    /// Returns the address of the database, for a second [`Db`] on it.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Deref for TestDb {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}

/// Makes an empty SQLite database in a temporary folder.
pub async fn sqlite() -> TestDb {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let url = format!("sqlite:{}", folder.path().join("test.db").display());
    let db = open(&url).await;
    TestDb { db, url, _folder: Some(folder) }
}

/// Makes an empty PostgreSQL database with a name of its own on the test server. It stays there: the server is thrown away.
pub async fn postgres() -> TestDb {
    open_postgres(&create_postgres(None).await).await
}

/// Makes a database on the test server, as a copy of another one or empty. Returns its name.
async fn create_postgres(template: Option<&str>) -> String {
    let name = format!("test_{}", Uuid::now_v7().simple());
    let copied = template.map(|template| format!(" template {template}")).unwrap_or_default();
    let mut admin = PgConnection::connect(&postgres_server()).await.expect("the test server answers");
    sqlx::query(AssertSqlSafe(format!("create database {name}{copied}")))
        .execute(&mut admin)
        .await
        .expect("a database can be made on the test server");
    admin.close().await.expect("the connection closes");
    name
}

async fn open_postgres(name: &str) -> TestDb {
    let url = with_database(&postgres_server(), name);
    TestDb { db: open(&url).await, url, _folder: None }
}

/// Makes one empty database of each engine.
pub async fn databases() -> Vec<TestDb> {
    vec![sqlite().await, postgres().await]
}

/// Runs a test on each engine, on an empty database. Says which engine it was when it fails.
///
/// ```text
/// for_each_engine(async |db| {
///     db.migrate(&MIGRATIONS).await.unwrap();
///     …
/// })
/// .await;
/// ```
pub async fn for_each_engine(test: impl AsyncFn(&TestDb)) {
    on_each(databases().await, test).await;
}

async fn on_each(databases: Vec<TestDb>, test: impl AsyncFn(&TestDb)) {
    for db in databases {
        let engine = OnPanic(db.engine());
        test(&db).await;
        std::mem::forget(engine);
        db.close().await;
    }
}

/// Prints which engine a test was on when it unwinds.
struct OnPanic(Engine);

impl Drop for OnPanic {
    #[expect(clippy::print_stderr, reason = "the test runner shows it beside the failure")]
    fn drop(&mut self) {
        eprintln!("this was on {:?}", self.0);
    }
}

async fn open(url: &str) -> Db {
    let config = DbConfig { url: url.to_owned(), max_connections: 4 };
    Db::open(&config).await.expect("a fresh database opens")
}

#[expect(clippy::disallowed_methods, reason = "the test command speaks to tests through the environment")]
fn postgres_server() -> String {
    std::env::var(POSTGRES_URL).unwrap_or_else(|_| {
        panic!("{POSTGRES_URL} is not set: run `make test`, which starts a private PostgreSQL for the tests")
    })
}

/// Replaces the database's name in a `postgres://user@host:port/name?options` address.
fn with_database(server: &str, name: &str) -> String {
    let (address, options) = server.split_once('?').map_or((server, None), |(a, o)| (a, Some(o)));
    let authority_at = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority_at..].find('/').map_or(address.len(), |at| authority_at + at);
    let options = options.map(|options| format!("?{options}")).unwrap_or_default();
    format!("{}/{name}{options}", &address[..end])
}
