//! Databases with all migrations, made once per process and copied for each test: a copy takes a hundredth of the
//! time of the migrations. Used by tests of features.

use std::path::Path;

use sqlx::migrate::Migrator;
use tokio::sync::OnceCell;

use super::{TestDb, create_postgres, on_each, open, open_postgres, sqlite};

/// One database of each engine, with the migrations of a program.
pub struct DbTemplates {
    migrations: &'static Migrator,
    /// The file of SQLite.
    sqlite: OnceCell<Vec<u8>>,
    /// The name on PostgreSQL's server.
    postgres: OnceCell<String>,
}

impl DbTemplates {
    /// Makes an empty set. The first test that asks for a database makes its template.
    pub const fn new(migrations: &'static Migrator) -> DbTemplates {
        DbTemplates { migrations, sqlite: OnceCell::const_new(), postgres: OnceCell::const_new() }
    }

    /// Writes a SQLite database to a path where there is no file.
    pub async fn write_sqlite(&self, path: &Path) {
        let make = async || {
            let template = sqlite().await;
            template.migrate(self.migrations).await.expect("the migrations apply");
            template.close().await;
            let path = template.url().trim_start_matches("sqlite:");
            std::fs::read(path).expect("a closed database is one file")
        };
        let bytes = self.sqlite.get_or_init(make).await;
        std::fs::write(path, bytes).expect("a temporary folder can be written to");
    }

    /// Makes a SQLite database in a temporary folder.
    pub async fn sqlite(&self) -> TestDb {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("test.db");
        self.write_sqlite(&path).await;
        let url = format!("sqlite:{}", path.display());
        let db = open(&url).await;
        TestDb { db, url, _folder: Some(folder) }
    }

    /// Makes a PostgreSQL database with a name of its own on the test server.
    pub async fn postgres(&self) -> TestDb {
        let make = async || {
            let name = create_postgres(None).await;
            let template = open_postgres(&name).await;
            template.migrate(self.migrations).await.expect("the migrations apply");
            // A database that somebody is connected to cannot be copied.
            template.close().await;
            name
        };
        let template = self.postgres.get_or_init(make).await;
        open_postgres(&create_postgres(Some(template)).await).await
    }

    /// Runs a test on each engine. Says which engine it was when it fails.
    pub async fn for_each_engine(&self, test: impl AsyncFn(&TestDb)) {
        on_each(vec![self.sqlite().await, self.postgres().await], test).await;
    }
}
