//! All rows of a database as JSON that either engine can read back: for backups, and for moving from one to the other.
//! Knows no table by name. Must never show rows of two different moments.

use std::collections::BTreeSet;

use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use sqlx::AssertSqlSafe;

use crate::{Conn, Db, DbError, Engine, EngineConn, Tx, on_engine};

/// Table of the migrations themselves.
const OWN_TABLE: &str = "_sqlx_migrations";

/// A table, as both engines have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub name: String,
    /// Columns of the table, by name.
    pub columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    /// Conversion of its values to JSON.
    pub kind: ColumnKind,
}

/// Conversion of a column's values to JSON and back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Unchanged: texts and whole numbers.
    Plain,
    /// SQLite stores a boolean as a number.
    Bool,
    /// SQLite would round it.
    Float,
    /// Written as PostgreSQL writes it: `\x` and hexadecimal digits.
    Bytes,
}

impl ColumnKind {
    fn of(declared: &str) -> ColumnKind {
        match declared.to_ascii_lowercase().as_str() {
            "boolean" => ColumnKind::Bool,
            "double precision" | "real" => ColumnKind::Float,
            "blob" | "bytea" => ColumnKind::Bytes,
            _ => ColumnKind::Plain,
        }
    }
}

impl Db {
    /// Opens a snapshot of the database as it is now, unaffected by later writes. Holds one connection while it lives.
    pub async fn snapshot(&self) -> Result<DatabaseSnapshot, DbError> {
        let mut conn = self.begin_snapshot().await?;
        // The moment is that of the first look, and a long copy is not a fault.
        match conn.raw() {
            EngineConn::Sqlite(c) => {
                sqlx::query("select count(*) from sqlite_master").execute(c).await?;
            }
            EngineConn::Postgres(c) => {
                const PATIENT: &str = "set local statement_timeout = 0;
                    set local idle_in_transaction_session_timeout = 0; select 1";
                sqlx::raw_sql(PATIENT).execute(c).await?;
            }
        }
        Ok(DatabaseSnapshot(conn))
    }
}

/// A database at one moment.
pub struct DatabaseSnapshot(Conn);

impl DatabaseSnapshot {
    /// Returns the newest migration that was applied.
    pub async fn schema_version(&mut self) -> Result<i64, DbError> {
        schema_version(&mut self.0).await
    }

    /// Lists the tables, each after the tables that it refers to.
    pub async fn tables(&mut self) -> Result<Vec<Table>, DbError> {
        list_tables(&mut self.0).await
    }

    /// Returns the rows of a table, one JSON object per row.
    pub fn rows<'s>(&'s mut self, table: &Table) -> BoxStream<'s, Result<String, DbError>> {
        match self.0.raw() {
            EngineConn::Sqlite(c) => {
                let values: Vec<String> = table.columns.iter().map(sqlite_value).collect();
                let sql = format!("select json_object({}) from {}", values.join(", "), quoted(&table.name));
                sqlx::query_scalar(AssertSqlSafe(sql)).fetch(c).map_err(DbError::from).boxed()
            }
            EngineConn::Postgres(c) => {
                let sql = format!("select row_to_json(t)::text from {} t", quoted(&table.name));
                sqlx::query_scalar(AssertSqlSafe(sql)).fetch(c).map_err(DbError::from).boxed()
            }
        }
    }
}

impl Tx {
    /// Returns the newest migration that was applied.
    pub async fn schema_version(&mut self) -> Result<i64, DbError> {
        schema_version(self).await
    }

    /// Lists the tables, each after the tables that it refers to.
    pub async fn tables(&mut self) -> Result<Vec<Table>, DbError> {
        list_tables(self).await
    }

    /// Returns true when a table has no row.
    pub async fn is_empty(&mut self, table: &Table) -> Result<bool, DbError> {
        let sql = format!("select 1 from {} limit 1", quoted(&table.name));
        Ok(on_engine!(self, |c| sqlx::query(AssertSqlSafe(sql))
            .fetch_optional(c)
            .await
            .map(|row| row.is_none()))?)
    }

    /// Deletes every row of a table.
    pub async fn clear(&mut self, table: &Table) -> Result<(), DbError> {
        let sql = format!("delete from {}", quoted(&table.name));
        Ok(on_engine!(self, |c| sqlx::query(AssertSqlSafe(sql)).execute(c).await.map(drop))?)
    }

    /// Writes the rows of a JSON array, as [`DatabaseSnapshot::rows`] returned them, on either engine.
    pub async fn load(&mut self, table: &Table, rows: &str) -> Result<(), DbError> {
        let names: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        let names = names.join(", ");
        let name = quoted(&table.name);
        let sql = match self.engine() {
            Engine::Sqlite => {
                let values: Vec<String> = table.columns.iter().map(from_json).collect();
                format!("insert into {name} ({names}) select {} from json_each($1)", values.join(", "))
            }
            Engine::Postgres => format!(
                "insert into {name} ({names}) select {names} from json_populate_recordset(null::{name}, $1::json)"
            ),
        };
        Ok(on_engine!(self, |c| sqlx::query(AssertSqlSafe(sql)).bind(rows).execute(c).await.map(drop))?)
    }
}

async fn schema_version(conn: &mut Conn) -> Result<i64, DbError> {
    const SQL: &str = "select coalesce(max(version), 0) from _sqlx_migrations";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).fetch_one(c).await)?)
}

async fn list_tables(conn: &mut Conn) -> Result<Vec<Table>, DbError> {
    // The catalogues have nothing in common, so each engine has its own text here.
    let (columns_sql, references_sql) = match conn.engine() {
        Engine::Sqlite => (
            "select m.name, c.name, c.type from sqlite_master m join pragma_table_info(m.name) c
             where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.name",
            "select m.name, f.\"table\" from sqlite_master m join pragma_foreign_key_list(m.name) f
             where m.type = 'table'",
        ),
        Engine::Postgres => (
            "select c.table_name::text, c.column_name::text, c.data_type::text
             from information_schema.columns c
             join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
             where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
             order by c.table_name::text collate \"C\", c.column_name::text collate \"C\"",
            "select a.relname::text, b.relname::text from pg_constraint k
             join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
             where k.contype = 'f' and k.connamespace = current_schema()::regnamespace",
        ),
    };
    let columns: Vec<(String, String, String)> =
        on_engine!(conn, |c| sqlx::query_as(columns_sql).fetch_all(c).await)?;
    let references: Vec<(String, String)> =
        on_engine!(conn, |c| sqlx::query_as(references_sql).fetch_all(c).await)?;

    let mut tables: Vec<Table> = Vec::new();
    for (table, column, kind) in columns.into_iter().filter(|(table, ..)| table != OWN_TABLE) {
        if tables.last().is_none_or(|last| last.name != table) {
            tables.push(Table { name: table, columns: Vec::new() });
        }
        if let Some(table) = tables.last_mut() {
            table.columns.push(Column { name: column, kind: ColumnKind::of(&kind) });
        }
    }
    Ok(in_order(tables, &references))
}

/// Sorts tables so that each follows the tables that it refers to. Tables that refer to each other keep their order.
fn in_order(mut tables: Vec<Table>, references: &[(String, String)]) -> Vec<Table> {
    let mut ordered: Vec<Table> = Vec::new();
    let mut placed: BTreeSet<String> = BTreeSet::new();
    while !tables.is_empty() {
        let is_ready = |table: &Table| {
            let mut needed = references.iter().filter(|(from, to)| *from == table.name && to != from);
            needed.all(|(_, to)| placed.contains(to))
        };
        let at = tables.iter().position(is_ready).unwrap_or(0);
        let table = tables.remove(at);
        placed.insert(table.name.clone());
        ordered.push(table);
    }
    ordered
}

/// Returns name and value of a column for SQLite's `json_object`.
fn sqlite_value(column: &Column) -> String {
    let name = quoted(&column.name);
    let value = match column.kind {
        ColumnKind::Plain => name.clone(),
        ColumnKind::Bool => format!("json(iif({name} is null, 'null', iif({name}, 'true', 'false')))"),
        ColumnKind::Float => format!("json(iif({name} is null, 'null', printf('%!.17g', {name})))"),
        ColumnKind::Bytes => format!("iif({name} is null, null, '\\x' || lower(hex({name})))"),
    };
    format!("'{}', {value}", column.name.replace('\'', "''"))
}

/// Returns the expression for a column's value in a row of SQLite's `json_each`.
fn from_json(column: &Column) -> String {
    let value = format!("value ->> '$.\"{}\"'", column.name.replace('\'', "''"));
    match column.kind {
        ColumnKind::Bytes => format!("unhex(substr({value}, 3))"),
        ColumnKind::Plain | ColumnKind::Bool | ColumnKind::Float => value,
    }
}

/// Quotes an identifier. Names come from the catalogue of our own schema; they are quoted all the same.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestDb, postgres, sqlite};

    const TABLES: [&str; 4] = [
        "create table a_child (id text primary key, parent text references parent (id), note text)",
        "create table parent (id text primary key, big bigint not null, flag boolean, ratio double precision)",
        "create table pieces (id text primary key, data BYTES)",
        "create table _sqlx_migrations (version bigint)",
    ];
    const ROWS: [&str; 4] = [
        "insert into parent values ('p1', 9223372036854775807, true, 0.5), ('p2', -1, false, -0.25), ('p3', 0, null, null)",
        "insert into a_child values ('c1', 'p1', 'Grüße \"quoted\" {\"json\": 1}'), ('c2', null, '007'), ('c3', 'p2', null)",
        "insert into pieces values ('x', BYTES'00ff10'), ('none', null)",
        "insert into _sqlx_migrations values (7)",
    ];

    async fn execute(db: &TestDb, sql: &str) {
        let sql = match db.engine() {
            Engine::Sqlite => sql.replace("BYTES'", "x'").replace("BYTES", "blob"),
            Engine::Postgres => sql.replace("BYTES'", "'\\x").replace("BYTES", "bytea"),
        };
        let mut tx = db.write().await.unwrap();
        on_engine!(tx, |c| sqlx::query(AssertSqlSafe(sql)).execute(c).await.map(drop)).unwrap();
        tx.commit().await.unwrap();
    }

    async fn with_tables(db: TestDb) -> TestDb {
        for at in [1, 0, 2, 3] {
            execute(&db, TABLES[at]).await;
        }
        db
    }

    async fn all(db: &TestDb) -> Vec<(String, Vec<serde_json::Value>)> {
        let mut snapshot = db.snapshot().await.unwrap();
        let mut all = Vec::new();
        for table in snapshot.tables().await.unwrap() {
            let rows: Vec<String> = snapshot.rows(&table).try_collect().await.unwrap();
            let mut rows: Vec<serde_json::Value> =
                rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
            rows.sort_by_key(|row| row["id"].to_string());
            all.push((table.name, rows));
        }
        all
    }

    #[tokio::test]
    async fn rows_go_from_each_engine_to_each() {
        for (from, to) in [
            (sqlite().await, sqlite().await),
            (sqlite().await, postgres().await),
            (postgres().await, sqlite().await),
            (postgres().await, postgres().await),
        ] {
            let (from, to) = (with_tables(from).await, with_tables(to).await);
            for sql in ROWS {
                execute(&from, sql).await;
            }

            let mut snapshot = from.snapshot().await.unwrap();
            let mut tx = to.write().await.unwrap();
            for table in snapshot.tables().await.unwrap() {
                let rows: Vec<String> = snapshot.rows(&table).try_collect().await.unwrap();
                tx.load(&table, &format!("[{}]", rows.join(","))).await.unwrap();
            }
            tx.commit().await.unwrap();
            drop(snapshot);

            let names: Vec<String> = all(&to).await.into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["parent", "a_child", "pieces"]);
            assert_eq!(all(&from).await, all(&to).await);
        }
    }

    #[tokio::test]
    async fn a_snapshot_does_not_show_what_was_written_after_it() {
        for db in [with_tables(sqlite().await).await, with_tables(postgres().await).await] {
            execute(&db, ROWS[0]).await;
            let mut snapshot = db.snapshot().await.unwrap();
            execute(&db, "delete from parent").await;

            let tables = snapshot.tables().await.unwrap();
            let rows: Vec<String> = snapshot.rows(&tables[0]).try_collect().await.unwrap();

            assert_eq!(rows.len(), 3);
        }
    }
}
