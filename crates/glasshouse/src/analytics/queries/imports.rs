//! SQL of how far access logs were imported. See docs/decisions/0190.

use std::collections::HashSet;

use store::{Conn, DbError, on_engine};

use crate::analytics::import::Checkpoint;
use crate::clock::Timestamp;
use crate::domains::DomainId;

/// Checkpoints that are looked for in one statement.
const CHECKPOINTS_PER_STATEMENT: usize = 500;
/// As many as this of a domain are read all at once rather than looked for.
const FEW_CHECKPOINTS: usize = 5_000;

/// Lets nobody else count an imported log of this domain until the transaction ends.
pub async fn lock(conn: &mut Conn, domain: &DomainId, now: Timestamp) -> Result<(), DbError> {
    // The row without a checkpoint is the lock: updating it is waited for on both engines.
    const SQL: &str = "insert into visit_imports (domain_id, checkpoint, applied_at) values ($1, '', $2) \
         on conflict (domain_id, checkpoint) do update set applied_at = excluded.applied_at";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).bind(now.as_millis()).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Checkpoints up to which lines of this domain were counted: those among the given ones at least.
async fn list_known_checkpoints(
    conn: &mut Conn,
    domain: &DomainId,
    checkpoints: &[Checkpoint],
) -> Result<HashSet<String>, DbError> {
    const FEW: &str = "select checkpoint from visit_imports where batch is null and domain_id = $1 limit $2";
    let few: Vec<String> = on_engine!(conn, |c| {
        let query = sqlx::query_scalar(FEW).bind(domain.as_str());
        query.bind(FEW_CHECKPOINTS as i64).fetch_all(c).await
    })?;
    if few.len() < FEW_CHECKPOINTS {
        return Ok(few.into_iter().collect());
    }
    let mut known = HashSet::new();
    for chunk in checkpoints.chunks(CHECKPOINTS_PER_STATEMENT) {
        let found: Vec<String> = on_engine!(conn, |c| {
            let mut query = sqlx::QueryBuilder::new(
                "select checkpoint from visit_imports where batch is null and domain_id = ",
            );
            query.push_bind(domain.as_str().to_owned()).push(" and checkpoint in (");
            let mut list = query.separated(", ");
            for checkpoint in chunk {
                list.push_bind(checkpoint.as_str().to_owned());
            }
            query.push(")").build_query_scalar().fetch_all(c).await
        })?;
        known.extend(found);
    }
    Ok(known)
}

/// Notes that every line up to a checkpoint is counted; with a batch: that they are being counted under its name.
pub async fn add_checkpoint(
    conn: &mut Conn,
    domain: &DomainId,
    checkpoint: &str,
    batch: Option<&str>,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into visit_imports (domain_id, checkpoint, applied_at, batch) values ($1, $2, $3, $4) \
         on conflict (domain_id, checkpoint) do update set applied_at = excluded.applied_at, batch = excluded.batch";
    on_engine!(conn, |c| {
        let query = sqlx::query(SQL).bind(domain.as_str()).bind(checkpoint);
        query.bind(now.as_millis()).bind(batch).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Checkpoints whose lines are being counted, or were when a process ended, with the names of their batches.
pub async fn list_pending(conn: &mut Conn, domain: &DomainId) -> Result<Vec<(String, String)>, DbError> {
    const SQL: &str =
        "select checkpoint, batch from visit_imports where domain_id = $1 and batch is not null";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_all(c).await)?)
}

/// Notes what became of a batch: its lines are counted, or they are not.
pub async fn settle(
    conn: &mut Conn,
    domain: &DomainId,
    checkpoint: &str,
    batch: &str,
    is_counted: bool,
) -> Result<(), DbError> {
    const COUNTED: &str =
        "update visit_imports set batch = null where domain_id = $1 and checkpoint = $2 and batch = $3";
    const NOT_COUNTED: &str =
        "delete from visit_imports where domain_id = $1 and checkpoint = $2 and batch = $3";
    let sql = if is_counted { COUNTED } else { NOT_COUNTED };
    on_engine!(conn, |c| {
        sqlx::query(sql).bind(domain.as_str()).bind(checkpoint).bind(batch).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// How many of these lines were counted before: as many as the last known checkpoint is after.
pub async fn lines_known(
    conn: &mut Conn,
    domain: &DomainId,
    checkpoints: &[Checkpoint],
) -> Result<usize, DbError> {
    let known = list_known_checkpoints(conn, domain, checkpoints).await?;
    Ok(checkpoints.iter().rposition(|checkpoint| known.contains(checkpoint.as_str())).map_or(0, |at| at + 1))
}
