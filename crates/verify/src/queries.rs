//! SQL of verifications by schedule; both engines run the same text.

use domains::DomainId;
use platform::clock::Timestamp;
use store::{Conn, DbError, on_engine};

use super::model::VerificationSchedule;

/// Row of a domain's verifications.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct VerificationRow {
    pub every: String,
    pub last_at: Option<i64>,
    pub last_ok: Option<bool>,
    /// JSON list.
    pub last_checks: Option<String>,
}

pub async fn find(conn: &mut Conn, domain: &DomainId) -> Result<Option<VerificationRow>, DbError> {
    const SQL: &str = "select every, last_at, last_ok, last_checks from verifications where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_optional(c).await)?)
}

/// Lists the domains that have a row, with the time from which each is due; none: it is off.
pub async fn list_due_times(conn: &mut Conn) -> Result<Vec<(String, Option<i64>)>, DbError> {
    const SQL: &str =
        "select domain_id, case when every = 'off' then null else next_at end from verifications";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
}

/// Sets how often a domain is verified.
pub async fn put_schedule(
    conn: &mut Conn,
    domain: &DomainId,
    every: VerificationSchedule,
    next: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into verifications (domain_id, every, next_at) \
         select id, $2, $3 from domains where id = $1 and removed_at is null \
         on conflict (domain_id) do update set every = excluded.every, next_at = excluded.next_at";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(domain.as_str())
            .bind(every.id())
            .bind(next.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Plans the next verification of a domain.
pub async fn plan(conn: &mut Conn, domain: &DomainId, next: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "insert into verifications (domain_id, every, next_at) \
         select id, 'daily', $2 from domains where id = $1 and removed_at is null \
         on conflict (domain_id) do update set next_at = excluded.next_at";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).bind(next.as_millis()).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Writes the result of a verification.
pub async fn put_result(
    conn: &mut Conn,
    domain: &DomainId,
    (at, ok): (Timestamp, bool),
    checks: &str,
) -> Result<(), DbError> {
    const SQL: &str =
        "update verifications set last_at = $2, last_ok = $3, last_checks = $4 where domain_id = $1";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(domain.as_str())
            .bind(at.as_millis())
            .bind(ok)
            .bind(checks)
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}
