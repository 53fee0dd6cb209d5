//! SQL of the parts of runs: results, and checkpoints of a crawl.

use store::{Conn, DbError, on_engine};

use crate::model::RunId;
use crate::stored::PartKind;

/// Writes a part; the same part again takes its place.
pub async fn put_segment(
    conn: &mut Conn,
    run: &RunId,
    kind: PartKind,
    part: usize,
    data: &[u8],
) -> Result<(), DbError> {
    const SQL: &str = "insert into audit_segments (run_id, kind, part, data) values ($1, $2, $3, $4) \
         on conflict (run_id, kind, part) do update set data = excluded.data";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(run.as_str())
            .bind(kind.as_str())
            .bind(part as i64)
            .bind(data)
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Reads a part.
pub async fn find_segment(
    conn: &mut Conn,
    run: &RunId,
    kind: PartKind,
    part: usize,
) -> Result<Option<Vec<u8>>, DbError> {
    const SQL: &str = "select data from audit_segments where run_id = $1 and kind = $2 and part = $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_scalar(SQL)
            .bind(run.as_str())
            .bind(kind.as_str())
            .bind(part as i64)
            .fetch_optional(c)
            .await
    })?)
}

/// Lists every part of a kind, in order.
pub async fn list_segments(conn: &mut Conn, run: &RunId, kind: PartKind) -> Result<Vec<Vec<u8>>, DbError> {
    const SQL: &str = "select data from audit_segments where run_id = $1 and kind = $2 order by part";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(run.as_str())
        .bind(kind.as_str())
        .fetch_all(c)
        .await)?)
}

pub async fn count_segments(conn: &mut Conn, run: &RunId, kind: PartKind) -> Result<usize, DbError> {
    const SQL: &str = "select count(*) from audit_segments where run_id = $1 and kind = $2";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(run.as_str())
        .bind(kind.as_str())
        .fetch_one(c)
        .await)?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// Names of a run's parts.
pub async fn list_segment_names(conn: &mut Conn, run: &RunId) -> Result<Vec<(String, i64)>, DbError> {
    const SQL: &str = "select kind, part from audit_segments where run_id = $1 order by kind, part";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(run.as_str()).fetch_all(c).await)?)
}

/// Reads a part by its stored name.
pub async fn find_segment_named(
    conn: &mut Conn,
    run: &RunId,
    kind: &str,
    part: i64,
) -> Result<Option<Vec<u8>>, DbError> {
    const SQL: &str = "select data from audit_segments where run_id = $1 and kind = $2 and part = $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(run.as_str()).bind(kind).bind(part).fetch_optional(c).await
    })?)
}

/// Deletes at most `most` parts of a run, of one kind if it is given; answers how many there were.
pub async fn delete_segments(
    conn: &mut Conn,
    run: &RunId,
    kind: Option<PartKind>,
    most: i64,
) -> Result<u64, DbError> {
    const SQL: &str = "delete from audit_segments where run_id = $1 and (kind, part) in \
         (select kind, part from audit_segments where run_id = $1 and ($2 = '' or kind = $2) limit $3)";
    let deleted = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(run.as_str())
        .bind(kind.map_or("", PartKind::as_str))
        .bind(most)
        .execute(c)
        .await
        .map(|done| done.rows_affected()));
    Ok(deleted?)
}
