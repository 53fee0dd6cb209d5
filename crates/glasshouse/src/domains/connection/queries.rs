//! SQL of the history of removed domains, and of who else wants a name. Used by the domains service and the connection
//! check; both engines run the same text.

use store::{Conn, DbError, on_engine};

use crate::accounts::AccountId;
use crate::clock::Timestamp;
use crate::domains::Domain;

/// Remembers that an account had a name, and forgets what is older than `forget_before`.
pub async fn insert_former(
    conn: &mut Conn,
    domain: &Domain,
    now: Timestamp,
    forget_before: Timestamp,
) -> Result<(), DbError> {
    const FORGET: &str = "delete from former_domains where removed_at < $1";
    const INSERT: &str = "insert into former_domains (host, account_id, removed_at) values ($1, $2, $3) \
         on conflict (host, account_id) do update set removed_at = excluded.removed_at";
    on_engine!(conn, |c| sqlx::query(FORGET).bind(forget_before.as_millis()).execute(c).await.map(drop))?;
    on_engine!(conn, |c| {
        sqlx::query(INSERT)
            .bind(&domain.host)
            .bind(domain.account_id.as_str())
            .bind(now.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Whether another account has one of two names served, claimed one after `claimed_since`, or removed one after
/// `removed_since`.
pub async fn is_wanted_elsewhere(
    conn: &mut Conn,
    account: &AccountId,
    (host, twin): (&str, &str),
    claimed_since: Timestamp,
    removed_since: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "select exists (select 1 from domains where (host = $1 or host = $2) \
         and account_id <> $3 and removed_at is null and (created_at > $4 or status <> 'pending')) \
         or exists (select 1 from former_domains where (host = $1 or host = $2) \
         and account_id <> $3 and removed_at > $5)";
    let is_wanted = on_engine!(conn, |c| {
        sqlx::query_scalar(SQL)
            .bind(host)
            .bind(twin)
            .bind(account.as_str())
            .bind(claimed_since.as_millis())
            .bind(removed_since.as_millis())
            .fetch_one(c)
            .await
    });
    Ok(is_wanted?)
}
