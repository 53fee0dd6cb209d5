//! Brings the schema up to date, and refuses one that a newer program made. Used at start and by `migrate`.
//! Must be safe when several processes start at once; never goes back.

use std::fs::File;
use std::path::Path;

use sqlx::Connection;
use sqlx::migrate::{MigrateError, Migrator};

use crate::DbError;
use crate::db::{Db, Pools};

impl Db {
    /// Applies the migrations that are missing, from the set that belongs to this engine.
    ///
    /// Several processes may call this at the same moment: one does the work, the others wait for it.
    pub async fn migrate(&self, sqlite: &Migrator, postgres: &Migrator) -> Result<(), DbError> {
        match &self.0 {
            Pools::Sqlite { path, writer, .. } => {
                // SQLite has no lock that spans transactions, so a file beside the database is the lock.
                let _lock = lock_beside(path).await?;
                sqlite.run(writer).await.map_err(|error| explain(error, sqlite))
            }
            Pools::Postgres(pool) => {
                // The lock belongs to the connection and a failed run leaves it locked: the connection must not live on.
                let mut conn = pool.acquire().await?.detach();
                // A large table takes its time, and so does waiting for another process that migrates.
                sqlx::raw_sql("set statement_timeout = 0; set lock_timeout = 0").execute(&mut conn).await?;
                let result = postgres.run(&mut conn).await;
                conn.close().await.ok();
                result.map_err(|error| explain(error, postgres))
            }
        }
    }
}

/// Waits for the lock of this database file; it is free again when the answer is dropped or the process ends.
async fn lock_beside(database: &Path) -> Result<File, DbError> {
    let mut name = database.as_os_str().to_owned();
    name.push(".migrating");
    let path = std::path::PathBuf::from(name);
    let locked = {
        let path = path.clone();
        tokio::task::spawn_blocking(move || {
            let file = File::create(path)?;
            file.lock()?;
            Ok(file)
        })
    };
    locked.await.expect("locking a file does not panic").map_err(|source| DbError::File { path, source })
}

fn explain(error: MigrateError, known: &Migrator) -> DbError {
    let newest = known.iter().map(|migration| migration.version).max().unwrap_or(0);
    match error {
        // What was applied and is not in our set: by a newer program when it is above all of ours.
        MigrateError::VersionMissing(found) if found > newest => {
            DbError::SchemaTooNew { found, known: newest }
        }
        MigrateError::Execute(error) => error.into(),
        error => DbError::Migrate(Box::new(error)),
    }
}

#[cfg(test)]
mod tests {
    use sqlx::SqlSafeStr;
    use sqlx::migrate::{Migration, MigrationType};

    use super::*;
    use crate::testing::{for_each_engine, postgres, schema_differences, sqlite};
    use crate::{DbConfig, on_engine};

    fn migrator(texts: &[&'static str]) -> Migrator {
        let migrations = texts.iter().zip(1..).map(|(text, version)| {
            Migration::new(
                version,
                format!("step {version}").into(),
                MigrationType::Simple,
                text.into_sql_str(),
                false,
            )
        });
        Migrator::with_migrations(migrations.collect())
    }

    async fn migrate(db: &Db, texts: &[&'static str]) -> Result<(), DbError> {
        db.migrate(&migrator(texts), &migrator(texts)).await
    }

    const FIRST: &str = "create table a (id bigint primary key); insert into a values (1);";
    const SECOND: &str = "create table b (id bigint primary key);";

    async fn count_a(db: &Db) -> i64 {
        let mut conn = db.read().await.unwrap();
        on_engine!(conn, |c| sqlx::query_scalar("select count(*) from a").fetch_one(c).await).unwrap()
    }

    #[tokio::test]
    async fn only_the_missing_steps_are_applied() {
        for_each_engine(async |db| {
            migrate(db, &[FIRST]).await.unwrap();
            migrate(db, &[FIRST, SECOND]).await.unwrap();
            migrate(db, &[FIRST, SECOND]).await.unwrap();

            assert_eq!(count_a(db).await, 1);
        })
        .await;
    }

    #[tokio::test]
    async fn a_schema_newer_than_the_program_is_refused_with_both_versions() {
        for_each_engine(async |db| {
            migrate(db, &[FIRST, SECOND]).await.unwrap();

            let refused = migrate(db, &[FIRST]).await.unwrap_err();

            assert!(matches!(refused, DbError::SchemaTooNew { found: 2, known: 1 }), "{refused:?}");
        })
        .await;
    }

    #[tokio::test]
    async fn a_step_that_fails_leaves_nothing_behind_and_can_be_tried_again() {
        for_each_engine(async |db| {
            let failed =
                migrate(db, &[FIRST, "create table b (id bigint); select nothing;"]).await.unwrap_err();
            migrate(db, &[FIRST, SECOND]).await.unwrap();

            assert!(matches!(failed, DbError::Migrate(_)), "{failed:?}");
            assert_eq!(count_a(db).await, 1);
        })
        .await;
    }

    #[tokio::test]
    async fn several_processes_may_start_at_the_same_moment() {
        for_each_engine(async |db| {
            let config = DbConfig { url: db.url().to_owned(), max_connections: 2 };

            let starts = (0..6).map(async |_| {
                let db = Db::open(&config).await?;
                migrate(&db, &[FIRST, SECOND]).await
            });
            let results = futures::future::join_all(starts).await;

            assert!(results.iter().all(Result::is_ok), "{results:?}");
            assert_eq!(count_a(db).await, 1);
        })
        .await;
    }

    #[tokio::test]
    async fn differences_between_the_two_schemas_are_named() {
        let (sqlite, postgres) = (sqlite().await, postgres().await);
        let ours = migrator(&["create table a (id text primary key, n bigint not null, ok boolean, x blob);
            create index a_n on a (n); create table only_here (id text);"]);
        let theirs = migrator(&["create table a (id text primary key, n bigint, ok boolean, x bytea);"]);

        sqlite.migrate(&ours, &theirs).await.unwrap();
        postgres.migrate(&ours, &theirs).await.unwrap();
        let differences = schema_differences(&sqlite, &postgres).await.unwrap();

        assert_eq!(
            differences,
            [
                "a: column n integer not null is only in Sqlite",
                "a: index a_n is only in Sqlite",
                "table only_here is only in Sqlite",
                "a: column n integer null is only in Postgres",
            ]
        );
    }
}
