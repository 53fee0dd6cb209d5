//! Compares the schemas that the migrations make on the two engines. Used by the application's test of its migrations.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Db, DbError, Engine, on_engine};

/// One table: its columns as `name type null|not null`, and the names of its indexes.
type Tables = BTreeMap<String, BTreeSet<String>>;

/// Lists in what two databases differ: tables, columns (type and nullability) and explicitly made indexes.
///
/// Empty means equal. Types are compared by family: both spellings of a 64-bit integer are one, and so on.
pub async fn schema_differences(a: &Db, b: &Db) -> Result<Vec<String>, DbError> {
    let (a_tables, b_tables) = (read_schema(a).await?, read_schema(b).await?);
    let mut differences = Vec::new();
    for (here, tables, others) in [(a, &a_tables, &b_tables), (b, &b_tables, &a_tables)] {
        for (table, parts) in tables {
            let Some(other) = others.get(table) else {
                differences.push(format!("table {table} is only in {:?}", here.engine()));
                continue;
            };
            for part in parts.difference(other) {
                differences.push(format!("{table}: {part} is only in {:?}", here.engine()));
            }
        }
    }
    Ok(differences)
}

async fn read_schema(db: &Db) -> Result<Tables, DbError> {
    let mut conn = db.read().await?;
    // The catalogues have nothing in common, so each engine has its own text here.
    let (columns_sql, indexes_sql) = match conn.engine() {
        Engine::Sqlite => (
            "select m.name, c.name, lower(c.type), c.\"notnull\" = 0 and c.pk = 0
             from sqlite_master m join pragma_table_info(m.name) c
             where m.type = 'table' and m.name not like 'sqlite_%'",
            "select tbl_name, name from sqlite_master where type = 'index' and sql is not null",
        ),
        Engine::Postgres => (
            "select c.table_name::text, c.column_name::text, c.data_type::text, c.is_nullable = 'YES'
             from information_schema.columns c
             join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
             where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'",
            "select i.tablename::text, i.indexname::text from pg_indexes i
             where i.schemaname = current_schema()
             and not exists (select 1 from pg_constraint k where k.conindid = format('%I', i.indexname)::regclass)",
        ),
    };
    let columns: Vec<(String, String, String, bool)> =
        on_engine!(conn, |c| sqlx::query_as(columns_sql).fetch_all(c).await)?;
    let indexes: Vec<(String, String)> =
        on_engine!(conn, |c| sqlx::query_as(indexes_sql).fetch_all(c).await)?;

    let mut tables = Tables::new();
    for (table, column, kind, nullable) in columns {
        let null = if nullable { "null" } else { "not null" };
        tables.entry(table).or_default().insert(format!("column {column} {} {null}", family(&kind)));
    }
    for (table, index) in indexes {
        tables.entry(table).or_default().insert(format!("index {index}"));
    }
    // The migrator's own table differs by design.
    tables.remove("_sqlx_migrations");
    Ok(tables)
}

fn family(kind: &str) -> &str {
    match kind {
        "bigint" | "integer" => "integer",
        "double precision" | "real" => "real",
        "bytea" | "blob" => "bytes",
        other => other,
    }
}
