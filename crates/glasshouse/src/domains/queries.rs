//! SQL of the domains table. Used by the domains service only; both engines run the same text.

use store::{Conn, DbError, on_engine};

use super::model::{Domain, DomainId, DomainStatus, Rendering, Settings};
use crate::accounts::AccountId;
use crate::clock::Timestamp;

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    account_id: String,
    host: String,
    status: String,
    suspended: bool,
    settings: String,
    rendering: String,
    version: i64,
    created_at: i64,
    updated_at: i64,
}

impl From<Row> for Domain {
    fn from(row: Row) -> Domain {
        let stored: DomainStatus = row.status.parse().expect("only our own statuses are written");
        Domain {
            id: DomainId::from(row.id),
            account_id: AccountId::from(row.account_id),
            host: row.host,
            status: if row.suspended { DomainStatus::Suspended } else { stored },
            settings: serde_json::from_str(&row.settings).expect("only our own settings are written"),
            rendering: serde_json::from_str(&row.rendering).expect("only our own settings are written"),
            version: row.version,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        }
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("settings are plain data")
}

/// Writes a new record. A unique violation means that the name is taken, on this account or as a served one.
pub async fn insert_domain(conn: &mut Conn, domain: &Domain) -> Result<(), DbError> {
    const SQL: &str = "insert into domains \
         (id, account_id, host, status, suspended, settings, rendering, version, created_at, updated_at) \
         values ($1, $2, $3, $4, false, $5, $6, $7, $8, $9)";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(domain.id.as_str())
            .bind(domain.account_id.as_str())
            .bind(&domain.host)
            .bind(domain.status.as_str())
            .bind(json(&domain.settings))
            .bind(json(&domain.rendering))
            .bind(domain.version)
            .bind(domain.created_at.as_millis())
            .bind(domain.updated_at.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// The record of an account with one of two names; the first name is preferred.
pub async fn find_domain(
    conn: &mut Conn,
    account: &AccountId,
    host: &str,
    twin: Option<&str>,
) -> Result<Option<Domain>, DbError> {
    const SQL: &str = "select * from domains where account_id = $1 and (host = $2 or host = $3) \
         order by case when host = $2 then 0 else 1 end limit 1";
    let row: Option<Row> = on_engine!(conn, |c| {
        sqlx::query_as(SQL)
            .bind(account.as_str())
            .bind(host)
            .bind(twin.unwrap_or(host))
            .fetch_optional(c)
            .await
    })?;
    Ok(row.map(Domain::from))
}

/// The record with an id.
pub async fn find_domain_by_id(conn: &mut Conn, id: &DomainId) -> Result<Option<Domain>, DbError> {
    const SQL: &str = "select * from domains where id = $1";
    let row: Option<Row> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.map(Domain::from))
}

/// The record that answers at the edge for one of two names: a served one, else a suspended, else the oldest claim.
pub async fn find_edge_domain(
    conn: &mut Conn,
    host: &str,
    twin: Option<&str>,
) -> Result<Option<Domain>, DbError> {
    const SQL: &str = "select * from domains where host = $1 or host = $2 \
         order by case when suspended then 1 when status <> 'pending' then 0 else 2 end, \
         case when host = $1 then 0 else 1 end, created_at, id limit 1";
    let row: Option<Row> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(host).bind(twin.unwrap_or(host)).fetch_optional(c).await
    })?;
    Ok(row.map(Domain::from))
}

/// Every account's record of a name.
pub async fn list_by_host(conn: &mut Conn, host: &str) -> Result<Vec<Domain>, DbError> {
    const SQL: &str = "select * from domains where host = $1 order by created_at, id";
    let rows: Vec<Row> = on_engine!(conn, |c| sqlx::query_as(SQL).bind(host).fetch_all(c).await)?;
    Ok(rows.into_iter().map(Domain::from).collect())
}

/// The records of an account, or of all, in the order they were added.
pub async fn list_domains(conn: &mut Conn, account: Option<&AccountId>) -> Result<Vec<Domain>, DbError> {
    const ALL: &str = "select * from domains order by created_at, id";
    const OF_ACCOUNT: &str = "select * from domains where account_id = $1 order by created_at, id";
    let rows: Vec<Row> = on_engine!(conn, |c| match account {
        None => sqlx::query_as(ALL).fetch_all(c).await,
        Some(account) => sqlx::query_as(OF_ACCOUNT).bind(account.as_str()).fetch_all(c).await,
    })?;
    Ok(rows.into_iter().map(Domain::from).collect())
}

/// Number of an account's records.
pub async fn count_domains(conn: &mut Conn, account: &AccountId) -> Result<u64, DbError> {
    const SQL: &str = "select count(*) from domains where account_id = $1";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(account.as_str()).fetch_one(c).await)?;
    Ok(count.unsigned_abs())
}

/// Makes additions to one account wait for each other, so that none of them counts too few.
pub async fn lock_account(conn: &mut Conn, account: &AccountId) -> Result<(), DbError> {
    // SQLite has one writer anyway; elsewhere an update of nothing on the account's own records would lock no row
    // when there are none, hence a lock by number.
    if conn.engine() == store::Engine::Postgres {
        const SQL: &str = "select pg_advisory_xact_lock(hashtextextended($1, 10))";
        on_engine!(conn, |c| sqlx::query(SQL).bind(account.as_str()).execute(c).await.map(drop))?;
    }
    Ok(())
}

/// Deletes a record, and with it what belongs to its id. `false`: there was none.
pub async fn delete_domain(conn: &mut Conn, id: &DomainId) -> Result<bool, DbError> {
    const SQL: &str = "delete from domains where id = $1";
    let deleted = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .execute(c)
        .await
        .map(|done| done.rows_affected()));
    Ok(deleted? > 0)
}

/// Locks or unlocks every account's record of a name. Answers how many there are.
pub async fn set_suspended(
    conn: &mut Conn,
    host: &str,
    suspended: bool,
    now: Timestamp,
) -> Result<u64, DbError> {
    const SQL: &str =
        "update domains set suspended = $2, version = version + 1, updated_at = $3 where host = $1";
    let changed = on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(host)
            .bind(suspended)
            .bind(now.as_millis())
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    });
    Ok(changed?)
}

/// Replaces the settings. `false`: the record is gone.
pub async fn save_settings(
    conn: &mut Conn,
    id: &DomainId,
    settings: &Settings,
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str =
        "update domains set settings = $2, version = version + 1, updated_at = $3 where id = $1";
    save(conn, SQL, id, json(settings), now).await
}

/// Replaces how pages are rendered. `false`: the record is gone.
pub async fn save_rendering(
    conn: &mut Conn,
    id: &DomainId,
    rendering: &Rendering,
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str =
        "update domains set rendering = $2, version = version + 1, updated_at = $3 where id = $1";
    save(conn, SQL, id, json(rendering), now).await
}

async fn save(
    conn: &mut Conn,
    sql: &'static str,
    id: &DomainId,
    value: String,
    now: Timestamp,
) -> Result<bool, DbError> {
    let changed = on_engine!(conn, |c| {
        sqlx::query(sql)
            .bind(id.as_str())
            .bind(&value)
            .bind(now.as_millis())
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    });
    Ok(changed? > 0)
}
