//! SQL of AI monitoring. The only place that knows these tables; both engines run the same text, but for rows as JSON.
//! Functions that write many rows do so in one statement, so that a transaction over many runs has a constant number of
//! statements.

pub mod answers;
pub mod domains;
pub mod history;
pub mod ledger;
pub mod prompts;
pub mod providers;
pub mod reading;
pub mod reports;
pub mod runs;
pub mod sums;
pub mod targets;

use serde::Serialize;
use sqlx::AssertSqlSafe;
use store::{Conn, DbError, Engine, on_engine};

/// Rows of a table, given to a statement as one JSON array of objects.
#[derive(Debug, Clone, Copy)]
struct RowSet<'a> {
    table: &'static str,
    columns: &'a [&'static str],
    /// Columns that hold bytes: `\x` and hexadecimal digits in JSON.
    bytes: &'static [&'static str],
}

impl RowSet<'static> {
    const fn new(table: &'static str, columns: &'static [&'static str]) -> RowSet<'static> {
        RowSet { table, columns, bytes: &[] }
    }
}

impl RowSet<'_> {
    /// Writes the table expression that reads the rows of parameter `$1`, named `new`.
    fn source(&self, engine: Engine) -> String {
        match engine {
            Engine::Postgres => format!("json_populate_recordset(null::{}, $1::json) as new", self.table),
            Engine::Sqlite => {
                let value = |column: &&str| match self.bytes.contains(column) {
                    true => format!("unhex(substr(value ->> '$.{column}', 3)) as {column}"),
                    false => format!("value ->> '$.{column}' as {column}"),
                };
                let values: Vec<String> = self.columns.iter().map(value).collect();
                format!("(select {} from json_each($1)) as new", values.join(", "))
            }
        }
    }

    /// Inserts rows; `conflict` is the `on conflict` clause. Returns the number of rows that were written.
    async fn insert(&self, conn: &mut Conn, rows: &[impl Serialize], conflict: &str) -> Result<u64, DbError> {
        let (table, columns) = (self.table, self.columns.join(", "));
        let source = self.source(conn.engine());
        // Without `where true` SQLite takes `on conflict` for a join's `on`.
        self.run(
            conn,
            rows,
            format!("insert into {table} ({columns}) select {columns} from {source} where true {conflict}"),
        )
        .await
    }

    /// Adds up rows: inserts those that are new, and adds every column but those of the key to those that are not.
    async fn add(&self, conn: &mut Conn, rows: &[impl Serialize], key: &[&str]) -> Result<u64, DbError> {
        let table = self.table;
        let summed = self.columns.iter().filter(|column| !key.contains(column));
        let sums: Vec<String> =
            summed.map(|column| format!("{column} = {table}.{column} + excluded.{column}")).collect();
        let conflict = format!("on conflict ({}) do update set {}", key.join(", "), sums.join(", "));
        self.insert(conn, rows, &conflict).await
    }

    /// Updates the rows with the same key; `set` assigns from `new`.
    async fn update(
        &self,
        conn: &mut Conn,
        rows: &[impl Serialize],
        key: &[&str],
        set: &str,
    ) -> Result<u64, DbError> {
        let table = self.table;
        let source = self.source(conn.engine());
        let same: Vec<String> = key.iter().map(|column| format!("{table}.{column} = new.{column}")).collect();
        self.run(conn, rows, format!("update {table} set {set} from {source} where {}", same.join(" and ")))
            .await
    }

    async fn run(&self, conn: &mut Conn, rows: &[impl Serialize], sql: String) -> Result<u64, DbError> {
        if rows.is_empty() {
            return Ok(0);
        }
        let rows = serde_json::to_string(rows).expect("rows are plain data");
        Ok(on_engine!(conn, |c| sqlx::query(AssertSqlSafe(sql))
            .bind(rows)
            .execute(c)
            .await
            .map(|done| done.rows_affected()))?)
    }
}

/// Runs a statement with a condition on a list of texts: `$before COLUMN ∈ list $after`, the list being `$1`.
macro_rules! on_texts {
    ($conn:expr, $make:expr, $before:expr, $after:expr, $list:expr, |$query:ident, $c:ident| $body:expr) => {
        match $conn.raw() {
            store::EngineConn::Sqlite($c) => {
                let list = serde_json::to_string($list).expect("texts are JSON");
                let $query =
                    $make(concat!($before, " in (select value from json_each($1)) ", $after)).bind(list);
                store::time_limited(async { $body }).await
            }
            store::EngineConn::Postgres($c) => {
                let $query = $make(concat!($before, " = any($1) ", $after)).bind($list);
                store::time_limited(async { $body }).await
            }
        }
    };
}
use on_texts;

/// Returns the clause that locks rows until the transaction ends. A write transaction of SQLite is alone.
fn locked(conn: &Conn, sqlite: &'static str, postgres: &'static str) -> &'static str {
    match conn.engine() {
        Engine::Sqlite => sqlite,
        Engine::Postgres => postgres,
    }
}

/// Makes transactions about the prompts of one account wait for each other.
pub async fn lock_account(conn: &mut Conn, account: &str) -> Result<(), DbError> {
    const SQL: &str = "select pg_advisory_xact_lock(hashtext('mentions of ' || $1))";
    if let store::EngineConn::Postgres(c) = conn.raw() {
        store::time_limited(async { sqlx::query(SQL).bind(account).execute(c).await.map(drop) }).await?;
    }
    Ok(())
}
