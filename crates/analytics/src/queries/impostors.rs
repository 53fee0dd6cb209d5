//! SQL of the counts of impostors' visits, from which those of an hour follow; both engines run the same text.

use store::{Conn, DbError, on_engine};

use domains::DomainId;

/// Returns the oldest count since a time, in Unix milliseconds.
pub async fn find_oldest(conn: &mut Conn, domain: &DomainId, since: i64) -> Result<Option<i64>, DbError> {
    const SQL: &str =
        "select visits from impostor_counts where domain_id = $1 and at >= $2 order by at limit 1";
    Ok(on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(domain.as_str()).bind(since).fetch_optional(c).await
    })?)
}

/// Stores the number of impostors' visits at a time.
pub async fn put(conn: &mut Conn, domain: &DomainId, at: i64, visits: i64) -> Result<(), DbError> {
    const SQL: &str = "insert into impostor_counts (domain_id, at, visits) \
         select id, $2, $3 from domains where id = $1 and removed_at is null \
         on conflict (domain_id, at) do update set visits = excluded.visits";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).bind(at).bind(visits).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Deletes the counts before a time.
pub async fn delete_before(conn: &mut Conn, domain: &DomainId, time: i64) -> Result<(), DbError> {
    const SQL: &str = "delete from impostor_counts where domain_id = $1 and at < $2";
    on_engine!(conn, |c| sqlx::query(SQL).bind(domain.as_str()).bind(time).execute(c).await.map(drop))?;
    Ok(())
}
