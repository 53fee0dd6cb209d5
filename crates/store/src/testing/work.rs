//! Work of a database for a statement, counted by the database itself: independent of the clock and of the machine's speed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Conn, DbError, EngineConn};

/// Approximate steps of SQLite's virtual machine per row.
const STEPS_OF_ROW: u64 = 10;
/// Steps between two counts.
const EVERY: u16 = 10;

/// Runs a function in a transaction, and returns about how many rows the engine read for it, over all tables.
pub async fn rows_looked_at<T>(
    conn: &mut Conn,
    work: impl AsyncFnOnce(&mut Conn) -> Result<T, DbError>,
) -> (T, u64) {
    let counted = begin(conn).await;
    let done = work(conn).await.expect("the database answers");
    (done, end(conn, counted).await)
}

enum Counted {
    Steps(Arc<AtomicU64>),
    Rows(i64),
}

async fn begin(conn: &mut Conn) -> Counted {
    match conn.raw() {
        EngineConn::Sqlite(c) => {
            let steps = Arc::new(AtomicU64::new(0));
            let shared = steps.clone();
            let mut handle = c.lock_handle().await.expect("the connection is free");
            handle.set_progress_handler(EVERY.into(), move || {
                shared.fetch_add(EVERY.into(), Ordering::Relaxed);
                true
            });
            Counted::Steps(steps)
        }
        EngineConn::Postgres(_) => Counted::Rows(rows_read(conn).await),
    }
}

async fn end(conn: &mut Conn, counted: Counted) -> u64 {
    match counted {
        Counted::Steps(steps) => {
            if let EngineConn::Sqlite(c) = conn.raw() {
                c.lock_handle().await.expect("the connection is free").remove_progress_handler();
            }
            steps.load(Ordering::Relaxed) / STEPS_OF_ROW
        }
        Counted::Rows(before) => (rows_read(conn).await - before).unsigned_abs(),
    }
}

/// Returns the rows of all tables that the transaction has read, by scans and by indexes.
async fn rows_read(conn: &mut Conn) -> i64 {
    const SQL: &str = "select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint
        from pg_stat_xact_user_tables";
    match conn.raw() {
        EngineConn::Postgres(c) => sqlx::query_scalar(SQL).fetch_one(c).await.expect("statistics are kept"),
        EngineConn::Sqlite(_) => 0,
    }
}
