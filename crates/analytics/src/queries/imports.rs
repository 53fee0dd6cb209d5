//! SQL of the progress of imports of access logs, those that are pushed among them. See docs/decisions/0190.

use std::collections::HashSet;

use store::{Conn, DbError, on_engine};

use super::texts_of;
use crate::import::{Checkpoint, LogPart, PUSHED};
use domains::DomainId;
use platform::clock::Timestamp;

/// Begins to count the first lines of a part of a log: records that they are counted. Returns the number of its lines that were
/// counted before, if there are any; then nothing is recorded.
pub async fn begin(
    conn: &mut Conn,
    domain: &DomainId,
    part: &LogPart,
    now: Timestamp,
) -> Result<Option<usize>, DbError> {
    lock(conn, domain, now).await?;
    let known = lines_known(conn, domain, &part.checkpoints).await?;
    if known > 0 {
        return Ok(Some(known));
    }
    add_checkpoint(conn, domain, part.checkpoints[part.lines_at_once() - 1].as_str(), now).await?;
    Ok(None)
}

/// Locks the imports of this domain until the transaction ends.
async fn lock(conn: &mut Conn, domain: &DomainId, now: Timestamp) -> Result<(), DbError> {
    // The row without a checkpoint is the lock: on both engines a second update of it waits.
    const SQL: &str = "insert into visit_imports (domain_id, checkpoint, applied_at) values ($1, '', $2) \
         on conflict (domain_id, checkpoint) do update set applied_at = excluded.applied_at";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).bind(now.as_millis()).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Records that every line up to a checkpoint is counted.
async fn add_checkpoint(
    conn: &mut Conn,
    domain: &DomainId,
    checkpoint: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into visit_imports (domain_id, checkpoint, applied_at) values ($1, $2, $3) \
         on conflict (domain_id, checkpoint) do update set applied_at = excluded.applied_at";
    on_engine!(conn, |c| {
        let query = sqlx::query(SQL).bind(domain.as_str()).bind(checkpoint).bind(now.as_millis());
        query.execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Returns the number of these lines that were counted before: all lines up to the last known checkpoint.
async fn lines_known(
    conn: &mut Conn,
    domain: &DomainId,
    checkpoints: &[Checkpoint],
) -> Result<usize, DbError> {
    let sql = format!(
        "select checkpoint from visit_imports where domain_id = $1 and checkpoint in {}",
        texts_of(conn.engine(), "$2")
    );
    let texts: Vec<&str> = checkpoints.iter().map(Checkpoint::as_str).collect();
    let texts = serde_json::to_string(&texts).expect("texts are JSON");
    let known: Vec<String> = on_engine!(conn, |c| {
        let query = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(domain.as_str());
        query.bind(texts).fetch_all(c).await
    })?;
    let known: HashSet<String> = known.into_iter().collect();
    Ok(checkpoints.iter().rposition(|checkpoint| known.contains(checkpoint.as_str())).map_or(0, |at| at + 1))
}

/// Records the key of a pushed log and its body. Returns false when another body came with the key; then nothing is recorded.
pub async fn claim_key(
    conn: &mut Conn,
    domain: &DomainId,
    (key, body): (&str, &str),
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "select checkpoint from visit_imports where domain_id = $1 and checkpoint in ($2, $3)";
    lock(conn, domain, now).await?;
    let known: Vec<String> = on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(domain.as_str()).bind(key).bind(body).fetch_all(c).await
    })?;
    if known.iter().any(|known| known == key) && !known.iter().any(|known| known == body) {
        return Ok(false);
    }
    for checkpoint in [key, body] {
        add_checkpoint(conn, domain, checkpoint, now).await?;
    }
    Ok(true)
}

/// Forgets the logs that were pushed before a point in time.
pub async fn forget_pushes_before(conn: &mut Conn, before: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "delete from visit_imports where checkpoint like $1 and applied_at < $2";
    let pushed = format!("{PUSHED}%");
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(&pushed).bind(before.as_millis()).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Stores imported counts that a store beside the database does not have yet.
pub async fn add_pending(conn: &mut Conn, domain: &DomainId, id: &str, counts: &str) -> Result<(), DbError> {
    const SQL: &str = "insert into visit_pending_imports (id, domain_id, counts) values ($1, $2, $3)";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(id).bind(domain.as_str()).bind(counts).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Finds pending counts: their id, and the counts as JSON.
pub async fn find_pending(conn: &mut Conn) -> Result<Option<(String, String)>, DbError> {
    const SQL: &str = "select id, counts from visit_pending_imports order by id limit 1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_optional(c).await)?)
}

/// Deletes pending counts that the store has.
pub async fn delete_pending(conn: &mut Conn, id: &str) -> Result<(), DbError> {
    const SQL: &str = "delete from visit_pending_imports where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(id).execute(c).await.map(drop))?)
}
