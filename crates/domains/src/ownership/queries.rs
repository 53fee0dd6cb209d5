//! SQL of the history of removed domains, and of other accounts' claims on a site. Used by the domains service and the
//! connection check; both engines run the same text.

use store::{Conn, DbError, on_engine};

use crate::{Domain, names};
use accounts::AccountId;
use platform::clock::Timestamp;

/// Records that an account had a name served, and deletes entries older than `forget_before`. A claim that was never served
/// is not recorded.
pub async fn insert_former(
    conn: &mut Conn,
    domain: &Domain,
    now: Timestamp,
    forget_before: Timestamp,
) -> Result<(), DbError> {
    const FORGET: &str = "delete from former_domains where removed_at < $1";
    const INSERT: &str = "insert into former_domains (host, account_id, removed_at, site) \
         select host, account_id, cast($2 as bigint), $3 from domains \
         where id = $1 and removed_at is null and status <> 'pending' \
         on conflict (host, account_id) do update set removed_at = excluded.removed_at, site = excluded.site";
    on_engine!(conn, |c| sqlx::query(FORGET).bind(forget_before.as_millis()).execute(c).await.map(drop))?;
    on_engine!(conn, |c| {
        sqlx::query(INSERT)
            .bind(domain.id.as_str())
            .bind(now.as_millis())
            .bind(names::site(&domain.host))
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Decides whether another account has a claim on a site, or removed a served name of the site after `removed_since`.
pub async fn is_claimed_elsewhere(
    conn: &mut Conn,
    account: &AccountId,
    site: &str,
    removed_since: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "select exists (select 1 from domains where account_id <> $2 and removed_at is null \
         and site = $1) or exists (select 1 from former_domains where account_id <> $2 and removed_at > $3 \
         and site = $1)";
    let is_claimed = on_engine!(conn, |c| {
        sqlx::query_scalar(SQL)
            .bind(site)
            .bind(account.as_str())
            .bind(removed_since.as_millis())
            .fetch_one(c)
            .await
    });
    Ok(is_claimed?)
}
