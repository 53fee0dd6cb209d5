//! SQL of the table of pages at addresses that cannot exist; both engines run the same text.

use store::{Conn, DbError, on_engine};

use crate::DomainId;
use platform::clock::Timestamp;

/// Row of the table.
#[derive(Debug, sqlx::FromRow)]
pub struct ImpossiblePageRow {
    pub asked_at: i64,
    /// Texts of the page, in JSON.
    pub texts: Option<String>,
    pub problem: Option<String>,
}

/// Finds the record of a domain.
pub async fn find_impossible_page(
    conn: &mut Conn,
    id: &DomainId,
) -> Result<Option<ImpossiblePageRow>, DbError> {
    const SQL: &str = "select asked_at, texts, problem from impossible_pages where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?)
}

/// Sets the time of the last fetch to now, unless it is later than `before`. Returns false when it was not set.
pub async fn claim(
    conn: &mut Conn,
    id: &DomainId,
    now: Timestamp,
    before: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "insert into impossible_pages (domain_id, asked_at) \
         select id, $2 from domains where id = $1 and removed_at is null \
         on conflict (domain_id) do update set asked_at = excluded.asked_at \
         where impossible_pages.asked_at <= $3";
    let changed = on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(id.as_str())
            .bind(now.as_millis())
            .bind(before.as_millis())
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    });
    Ok(changed? > 0)
}

/// Writes the texts and the problem.
pub async fn keep(
    conn: &mut Conn,
    id: &DomainId,
    texts: Option<&str>,
    problem: Option<&str>,
) -> Result<(), DbError> {
    const SQL: &str = "update impossible_pages set texts = $2, problem = $3 where domain_id = $1";
    on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(texts)
        .bind(problem)
        .execute(c)
        .await
        .map(drop))?;
    Ok(())
}

/// Sets the time of the last fetch.
pub async fn set_asked_at(conn: &mut Conn, id: &DomainId, at: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update impossible_pages set asked_at = $2 where domain_id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).bind(at.as_millis()).execute(c).await.map(drop))?;
    Ok(())
}

/// Deletes the record of a domain.
pub async fn forget(conn: &mut Conn, id: &DomainId) -> Result<(), DbError> {
    const SQL: &str = "delete from impossible_pages where domain_id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?;
    Ok(())
}
