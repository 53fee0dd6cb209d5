//! Brings the schema up to date, and refuses one that a newer or an unreleased program made. Used at start and by `migrate`.
//! Must be safe when several processes start at once; never goes back.
//!
//! A migration is written once for both engines. Statements that differ are marked by lines of their own:
//!
//! ```text
//! -- sqlite:
//! create trigger …
//! -- postgres:
//! create constraint trigger …
//! -- end
//! ```
//!
//! Two spellings of SQLite need no mark: on PostgreSQL `blob` is `bytea`, and `without rowid` is left out.

use std::fs::File;
use std::path::Path;

use sqlx::migrate::{MigrateError, Migration, Migrator};
use sqlx::{AssertSqlSafe, Connection, SqlSafeStr};

use crate::db::{Db, Pools};
use crate::{DbError, Engine};

impl Db {
    /// Applies the migrations that are missing.
    ///
    /// Several processes may call this at the same moment: one does the work, the others wait for it.
    pub async fn migrate(&self, migrations: &Migrator) -> Result<(), DbError> {
        let migrations = for_engine(migrations, self.engine());
        let result = match &self.0 {
            Pools::Sqlite { path, writer, .. } => {
                // SQLite has no lock that spans transactions, so a file beside the database is the lock.
                let _lock = lock_beside(path).await?;
                migrations.run(writer).await
            }
            Pools::Postgres(pool) => {
                // The lock belongs to the connection and a failed run leaves it locked: the connection must not live on.
                let mut conn = pool.acquire().await?.detach();
                // A large table takes its time, and so does waiting for another process that migrates.
                sqlx::raw_sql("set statement_timeout = 0; set lock_timeout = 0").execute(&mut conn).await?;
                let result = migrations.run(&mut conn).await;
                conn.close().await.ok();
                result
            }
        };
        result.map_err(|error| explain(error, &migrations))
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

/// Returns the migrations with the statements of one engine.
fn for_engine(migrations: &Migrator, engine: Engine) -> Migrator {
    let of_engine = |migration: &Migration| {
        let sql = AssertSqlSafe(statements_of(engine, migration.sql.as_str())).into_sql_str();
        let Migration { version, description, migration_type, no_tx, .. } = migration.clone();
        Migration::new(version, description, migration_type, sql, no_tx)
    };
    Migrator::with_migrations(migrations.iter().map(of_engine).collect())
}

/// Leaves out the statements that are marked for the other engine.
fn statements_of(engine: Engine, text: &str) -> String {
    let mut statements = String::new();
    let mut is_wanted = true;
    for line in text.lines() {
        match line {
            "-- sqlite:" => is_wanted = engine == Engine::Sqlite,
            "-- postgres:" => is_wanted = engine == Engine::Postgres,
            "-- end" => is_wanted = true,
            line if is_wanted => statements.extend([line, "\n"]),
            _ => {}
        }
    }
    match engine {
        Engine::Sqlite => statements,
        Engine::Postgres => statements.replace(") without rowid;", ");").replace(" blob", " bytea"),
    }
}

fn explain(error: MigrateError, known: &Migrator) -> DbError {
    let newest = known.iter().map(|migration| migration.version).max().unwrap_or(0);
    match error {
        // A newer program's migrations are above all of ours. Any other difference to ours is that of a version that was
        // never released: released migrations stay as they are.
        MigrateError::VersionMissing(found) if found > newest => {
            DbError::SchemaTooNew { found, known: newest }
        }
        MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_) => DbError::SchemaUnreleased,
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
        db.migrate(&migrator(texts)).await
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
    async fn a_schema_of_an_unreleased_version_is_refused_and_left_as_it_is() {
        for_each_engine(async |db| {
            migrate(db, &["create table a (id bigint primary key)"]).await.unwrap();

            let refused = migrate(db, &[FIRST, SECOND]).await.unwrap_err();

            assert!(matches!(refused, DbError::SchemaUnreleased), "{refused:?}");
            assert_eq!(count_a(db).await, 0);
        })
        .await;
    }

    #[tokio::test]
    async fn statements_of_one_engine_are_left_out_on_the_other() {
        const MARKED: &str = "create table a (id bigint primary key);
-- sqlite:
insert or ignore into a values (1);
-- postgres:
insert into a values (1::bigint);
-- end
insert into a values (2);
";
        for_each_engine(async |db| {
            migrate(db, &[MARKED]).await.unwrap();

            assert_eq!(count_a(db).await, 2);
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
        const MARKED: &str = "-- sqlite:
create table a (id text primary key, n bigint not null, ok boolean, x blob) without rowid;
create index a_n on a (n);
create table only_here (id text);
-- postgres:
create table a (id text primary key, n bigint, ok boolean, x blob) without rowid;
";

        migrate(&sqlite, &[MARKED]).await.unwrap();
        migrate(&postgres, &[MARKED]).await.unwrap();
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
