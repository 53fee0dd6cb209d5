//! SQL of accounts, API keys, people, sessions and usage. The only place that knows these tables.

pub mod people;
pub mod sessions;
pub mod weekly_mails;

use std::sync::atomic::AtomicI64;

use store::{Conn, DbError, on_engine};

use super::keys::KeyHash;
use super::model::{Account, AccountId, ApiKeyInfo, Email, KeyAccess, KeyId, KeyIdentity};
use super::usage::UsageMetric;
use platform::clock::Timestamp;
use platform::plans::Plan;

type AccountRow = (String, String, String, bool, i64);

fn account((id, email, plan, active, created_at): AccountRow) -> Account {
    Account {
        id: id.into(),
        email,
        plan: stored_plan(&plan),
        active,
        created_at: Timestamp::from_millis(created_at),
    }
}

fn stored_plan(text: &str) -> Plan {
    // Only ids of plans are ever written; were one unknown, the account must not gain by it.
    text.parse().unwrap_or(Plan::Essential)
}

pub async fn insert_account(conn: &mut Conn, account: &Account) -> Result<(), DbError> {
    const SQL: &str =
        "insert into accounts (id, email, plan, active, created_at) values ($1, $2, $3, $4, $5)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(account.id.as_str())
        .bind(&account.email)
        .bind(account.plan.id())
        .bind(account.active)
        .bind(account.created_at.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

pub async fn count_accounts(conn: &mut Conn) -> Result<i64, DbError> {
    Ok(on_engine!(conn, |c| sqlx::query_scalar("select count(*) from accounts").fetch_one(c).await)?)
}

pub async fn list_accounts(conn: &mut Conn) -> Result<Vec<Account>, DbError> {
    const SQL: &str = "select id, email, plan, active, created_at from accounts order by created_at, id";
    let rows: Vec<AccountRow> = on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?;
    Ok(rows.into_iter().map(account).collect())
}

pub async fn find_account_by_email(conn: &mut Conn, email: &Email) -> Result<Option<Account>, DbError> {
    const SQL: &str = "select id, email, plan, active, created_at from accounts where email = $1";
    let row: Option<AccountRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(email.as_str()).fetch_optional(c).await)?;
    Ok(row.map(account))
}

pub async fn find_account(conn: &mut Conn, id: &AccountId) -> Result<Option<Account>, DbError> {
    const SQL: &str = "select id, email, plan, active, created_at from accounts where id = $1";
    let row: Option<AccountRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.map(account))
}

pub async fn set_plan(conn: &mut Conn, account: &AccountId, plan: Plan) -> Result<(), DbError> {
    const SQL: &str = "update accounts set plan = $2 where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(account.as_str())
        .bind(plan.id())
        .execute(c)
        .await
        .map(drop))?)
}

pub async fn set_active(conn: &mut Conn, account: &AccountId, active: bool) -> Result<(), DbError> {
    const SQL: &str = "update accounts set active = $2 where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(account.as_str()).bind(active).execute(c).await.map(drop))?)
}

/// Makes changes of one account wait for each other, so that none of them counts too few.
pub async fn lock_account(conn: &mut Conn, account: &AccountId) -> Result<(), DbError> {
    // SQLite has one writer anyway; an update of nothing locks the row elsewhere.
    const SQL: &str = "update accounts set active = active where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(account.as_str()).execute(c).await.map(drop))?)
}

/// Counts an account's keys that work; those of one maker when one is given.
pub async fn count_working_keys(
    conn: &mut Conn,
    account: &AccountId,
    maker: Option<&str>,
    now: Timestamp,
) -> Result<u64, DbError> {
    const SQL: &str = "select count(*) from api_keys where account_id = $1 and revoked_at is null
         and (expires_at is null or expires_at > $2) and ($3 = '' or created_by = $3)";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(account.as_str())
        .bind(now.as_millis())
        .bind(maker.unwrap_or_default())
        .fetch_one(c)
        .await)?;
    Ok(count.unsigned_abs())
}

pub async fn insert_key(
    conn: &mut Conn,
    account: &AccountId,
    key: &ApiKeyInfo,
    hash: KeyHash,
) -> Result<(), DbError> {
    const SQL: &str = "insert into api_keys
         (id, account_id, name, domain, hash, last4, created_at, expires_at, reads_only, created_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(key.id.as_str())
        .bind(account.as_str())
        .bind(&key.name)
        .bind(&key.domain)
        .bind(hash.to_hex())
        .bind(&key.last4)
        .bind(key.created_at.as_millis())
        .bind(key.expires_at.map(Timestamp::as_millis))
        .bind(key.access == KeyAccess::Read)
        .bind(&key.created_by)
        .execute(c)
        .await
        .map(drop))?)
}

#[derive(sqlx::FromRow)]
struct KeyRow {
    id: String,
    name: String,
    domain: Option<String>,
    last4: String,
    created_at: i64,
    last_used_at: Option<i64>,
    revoked_at: Option<i64>,
    expires_at: Option<i64>,
    reads_only: bool,
    created_by: Option<String>,
}

pub async fn list_keys(conn: &mut Conn, account: &AccountId) -> Result<Vec<ApiKeyInfo>, DbError> {
    const SQL: &str = "select id, name, domain, last4, created_at, last_used_at, revoked_at,
         expires_at, reads_only, created_by from api_keys where account_id = $1 order by created_at, id";
    let rows: Vec<KeyRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(account.as_str()).fetch_all(c).await)?;
    let key = |row: KeyRow| ApiKeyInfo {
        id: row.id.into(),
        name: row.name,
        domain: row.domain,
        last4: row.last4,
        created_at: Timestamp::from_millis(row.created_at),
        last_used_at: row.last_used_at.map(Timestamp::from_millis),
        revoked_at: row.revoked_at.map(Timestamp::from_millis),
        expires_at: row.expires_at.map(Timestamp::from_millis),
        access: if row.reads_only { KeyAccess::Read } else { KeyAccess::Write },
        created_by: row.created_by,
    };
    Ok(rows.into_iter().map(key).collect())
}

/// Hashes of the keys that work, in their order, from the one after `after` on.
pub async fn list_key_hashes(conn: &mut Conn, after: &str, limit: i64) -> Result<Vec<String>, DbError> {
    const SQL: &str =
        "select hash from api_keys where hash > $1 and revoked_at is null order by hash limit $2";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(after).bind(limit).fetch_all(c).await)?)
}

/// Returns true when a key with this hash exists and was not revoked.
pub async fn is_working_key(conn: &mut Conn, hash: KeyHash) -> Result<bool, DbError> {
    const SQL: &str = "select count(*) from api_keys where hash = $1 and revoked_at is null";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(hash.to_hex()).fetch_one(c).await)?;
    Ok(count > 0)
}

pub async fn list_inactive_accounts(conn: &mut Conn) -> Result<Vec<AccountId>, DbError> {
    const SQL: &str = "select id from accounts where not active";
    let ids: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(SQL).fetch_all(c).await)?;
    Ok(ids.into_iter().map(AccountId::from).collect())
}

#[derive(sqlx::FromRow)]
struct IdentityRow {
    id: String,
    account_id: String,
    plan: String,
    active: bool,
    domain: Option<String>,
    expires_at: Option<i64>,
    reads_only: bool,
    created_by: Option<String>,
}

/// Finds who a key belongs to, unless it was revoked.
pub async fn find_key_identity(conn: &mut Conn, hash: KeyHash) -> Result<Option<KeyIdentity>, DbError> {
    const SQL: &str =
        "select k.id, k.account_id, a.plan, a.active, k.domain, k.expires_at, k.reads_only, k.created_by
         from api_keys k join accounts a on a.id = k.account_id
         where k.hash = $1 and k.revoked_at is null";
    let row: Option<IdentityRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(hash.to_hex()).fetch_optional(c).await)?;
    Ok(row.map(|row| KeyIdentity {
        key: row.id.into(),
        account: row.account_id.into(),
        plan: stored_plan(&row.plan),
        active: row.active,
        scope: row.domain.map(String::into_boxed_str),
        expires_at: row.expires_at.map(Timestamp::from_millis),
        reads_only: row.reads_only,
        created_by: row.created_by.map(String::into_boxed_str),
        used_at: AtomicI64::new(0),
    }))
}

/// Revokes a key, of `account` when one is given, and answers its hash; none: there is no such key. Revoking twice keeps the
/// first time.
pub async fn revoke_key(
    conn: &mut Conn,
    account: Option<&AccountId>,
    key: &KeyId,
    now: Timestamp,
) -> Result<Option<String>, DbError> {
    const SQL: &str = "update api_keys set revoked_at = coalesce(revoked_at, $3)
         where id = $1 and ($2 = '' or account_id = $2) returning hash";
    let account = account.map_or("", AccountId::as_str);
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(key.as_str())
        .bind(account)
        .bind(now.as_millis())
        .fetch_optional(c)
        .await)?)
}

/// Writes down when a key was last used; an older time changes nothing.
pub async fn record_key_use(conn: &mut Conn, key: &KeyId, at: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update api_keys set last_used_at = $2
         where id = $1 and (last_used_at is null or last_used_at < $2)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(key.as_str())
        .bind(at.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Adds `count` to the month's use unless that would be more than `most`. One statement, so two cannot both take the last.
pub async fn reserve_usage(
    conn: &mut Conn,
    account: &AccountId,
    month: &str,
    metric: UsageMetric,
    count: i64,
    most: i64,
) -> Result<bool, DbError> {
    // `where $4 <= $5` guards the first use of a month; it also keeps SQLite from reading `on` as part of a join.
    const SQL: &str = "insert into usage (account_id, month, metric, used)
         select $1, $2, $3, cast($4 as bigint) where cast($4 as bigint) <= cast($5 as bigint)
         on conflict (account_id, month, metric) do update set used = usage.used + excluded.used
         where usage.used <= cast($5 as bigint) - excluded.used";
    let changed = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(account.as_str())
        .bind(month)
        .bind(metric.id())
        .bind(count)
        .bind(most)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(changed > 0)
}

pub async fn refund_usage(
    conn: &mut Conn,
    account: &AccountId,
    month: &str,
    metric: UsageMetric,
    count: i64,
) -> Result<(), DbError> {
    const SQL: &str = "update usage set used = case when used > $4 then used - $4 else 0 end
         where account_id = $1 and month = $2 and metric = $3";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(account.as_str())
        .bind(month)
        .bind(metric.id())
        .bind(count)
        .execute(c)
        .await
        .map(drop))?)
}

/// Lists the month's use by the text of its metric.
pub async fn list_usage(
    conn: &mut Conn,
    account: &AccountId,
    month: &str,
) -> Result<Vec<(String, i64)>, DbError> {
    const SQL: &str = "select metric, used from usage where account_id = $1 and month = $2";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(account.as_str()).bind(month).fetch_all(c).await)?)
}
