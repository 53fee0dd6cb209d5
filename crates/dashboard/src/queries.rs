//! SQL of what was dismissed. Used by the dashboard's service only; both engines run the same text.

use store::{Conn, DbError, on_engine};

use accounts::AccountId;
use domains::DomainId;
use platform::clock::Timestamp;

/// A dismissed entry of a domain.
#[derive(Debug, sqlx::FromRow)]
pub struct DismissedRow {
    pub domain_id: String,
    pub entry: String,
    pub count: i64,
    pub dismissed_at: i64,
}

/// Lists what was dismissed of an account's domains since a time, or of one of them.
pub async fn list_dismissed(
    conn: &mut Conn,
    account: &AccountId,
    domain: Option<&DomainId>,
    since: Timestamp,
) -> Result<Vec<DismissedRow>, DbError> {
    const SQL: &str = "select domain_id, entry, count, dismissed_at from dashboard_dismissed \
         where dismissed_at > $3 and ($2 = '' or domain_id = $2) \
         and domain_id in (select id from domains where account_id = $1)";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL)
            .bind(account.as_str())
            .bind(domain.map_or("", DomainId::as_str))
            .bind(since.as_millis())
            .fetch_all(c)
            .await
    })?)
}

/// Hides an entry, in place of an earlier dismissal.
pub async fn put_dismissed(
    conn: &mut Conn,
    domain: &DomainId,
    (entry, count): (&str, i64),
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into dashboard_dismissed (domain_id, entry, count, dismissed_at) \
         select id, $2, $3, $4 from domains where id = $1 and removed_at is null \
         on conflict (domain_id, entry) do update set count = excluded.count, dismissed_at = excluded.dismissed_at";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(domain.as_str())
            .bind(entry)
            .bind(count)
            .bind(now.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?)
}

/// Shows an entry again.
pub async fn delete_dismissed(conn: &mut Conn, domain: &DomainId, entry: &str) -> Result<(), DbError> {
    const SQL: &str = "delete from dashboard_dismissed where domain_id = $1 and entry = $2";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).bind(entry).execute(c).await.map(drop)
    })?)
}

/// Deletes what is over for good.
pub async fn delete_expired(conn: &mut Conn, domain: &DomainId, before: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "delete from dashboard_dismissed where domain_id = $1 and dismissed_at <= $2";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).bind(before.as_millis()).execute(c).await.map(drop)
    })?)
}
