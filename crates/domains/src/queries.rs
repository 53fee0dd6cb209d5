//! SQL of the domains table. Used by the domains service only; both engines run the same text.

use store::{Conn, DbError, on_engine};

use super::model::{Domain, DomainId, DomainStatus};
use super::names;
use accounts::AccountId;
use platform::clock::Timestamp;

/// Row of the domains table.
#[derive(Debug, sqlx::FromRow)]
pub struct DomainRow {
    pub id: String,
    pub account_id: String,
    /// Name in canonical form.
    pub host: String,
    status: String,
    /// True while the operator's lock is on.
    pub suspended: bool,
    /// JSON.
    pub settings: String,
    /// JSON.
    pub rendering: String,
    /// Version of the record; increases with every change.
    pub version: i64,
    /// Time of creation, in Unix milliseconds.
    pub created_at: i64,
    /// Time of the last change, in Unix milliseconds.
    pub updated_at: i64,
}

impl DomainRow {
    /// Parses the record. Logs an error and returns none when a newer version wrote the record.
    fn read(self) -> Option<Domain> {
        let (id, host) = (self.id.clone(), self.host.clone());
        self.parse()
            .inspect_err(|error| {
                tracing::error!(
                    domain = host,
                    id,
                    error,
                    "a domain's record cannot be read: it is of a newer version"
                );
            })
            .ok()
    }

    /// Parses the record. Fails when a newer version wrote the record.
    pub fn parse(&self) -> Result<Domain, String> {
        let status = with_lock(self.stored_status()?, self.suspended);
        let settings = serde_json::from_str(&self.settings).map_err(|error| format!("settings: {error}"))?;
        let rendering =
            serde_json::from_str(&self.rendering).map_err(|error| format!("rendering: {error}"))?;
        Ok(Domain {
            id: DomainId::from(self.id.as_str()),
            account_id: AccountId::from(self.account_id.as_str()),
            host: self.host.clone(),
            status,
            settings,
            rendering,
            version: self.version,
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
        })
    }

    /// Parses the status without the lock. Fails when only a newer version knows the status; a locked record is pending then.
    pub fn stored_status(&self) -> Result<DomainStatus, String> {
        self.status
            .parse()
            .or_else(|error| if self.suspended { Ok(DomainStatus::Pending) } else { Err(error) })
    }
}

/// Returns the status of a record: suspended while the record is locked, else the stored status.
pub fn with_lock(stored: DomainStatus, is_locked: bool) -> DomainStatus {
    if is_locked { DomainStatus::Suspended } else { stored }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("settings are plain data")
}

/// Inserts a record. A unique violation means that this account has the name, or that another account serves it.
pub async fn insert_domain(conn: &mut Conn, domain: &Domain) -> Result<(), DbError> {
    const SQL: &str = "insert into domains \
         (id, account_id, host, status, suspended, settings, rendering, version, created_at, updated_at, site) \
         values ($1, $2, $3, $4, false, $5, $6, $7, $8, $9, $10)";
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
            .bind(names::site(&domain.host))
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Finds the record of an account with exactly this name.
pub async fn find_domain(
    conn: &mut Conn,
    account: &AccountId,
    host: &str,
) -> Result<Option<Domain>, DbError> {
    const SQL: &str = "select * from domains where account_id = $1 and host = $2";
    let row: Option<DomainRow> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(account.as_str()).bind(host).fetch_optional(c).await
    })?;
    Ok(row.and_then(DomainRow::read))
}

/// Finds the record with an id.
pub async fn find_domain_by_id(conn: &mut Conn, id: &DomainId) -> Result<Option<Domain>, DbError> {
    Ok(find_row(conn, id.as_str()).await?.and_then(DomainRow::read))
}

/// Finds the row with an id.
pub async fn find_row(conn: &mut Conn, id: &str) -> Result<Option<DomainRow>, DbError> {
    const SQL: &str = "select * from domains where id = $1 and removed_at is null";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?)
}

/// Lists rows in the order of their ids, starting after `after`.
pub async fn list_rows(conn: &mut Conn, after: &str, limit: i64) -> Result<Vec<DomainRow>, DbError> {
    const SQL: &str = "select * from domains where id > $1 and removed_at is null order by id limit $2";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(after).bind(limit).fetch_all(c).await)?)
}

/// Increments a record's version and returns the record, which stays locked until the transaction ends.
pub async fn begin_change(conn: &mut Conn, id: &DomainId) -> Result<Option<Domain>, DbError> {
    const SQL: &str =
        "update domains set version = version + 1 where id = $1 and removed_at is null returning *";
    let row: Option<DomainRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.and_then(DomainRow::read))
}

/// Lists every account's record of a name.
pub async fn list_by_host(conn: &mut Conn, host: &str) -> Result<Vec<Domain>, DbError> {
    const SQL: &str = "select * from domains where host = $1 order by created_at, id";
    let rows: Vec<DomainRow> = on_engine!(conn, |c| sqlx::query_as(SQL).bind(host).fetch_all(c).await)?;
    Ok(rows.into_iter().filter_map(DomainRow::read).collect())
}

/// Finds the time at which a check moved a domain out of pending.
pub async fn find_connected_at(conn: &mut Conn, id: &DomainId) -> Result<Option<Timestamp>, DbError> {
    const SQL: &str = "select connected_at from domains where id = $1";
    let at: Option<Option<i64>> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(at.flatten().map(Timestamp::from_millis))
}

/// Stores the findings of a domain's check in place of the previous findings.
pub async fn put_check(
    conn: &mut Conn,
    id: &DomainId,
    findings: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into domain_checks (domain_id, checked_at, findings) \
         select id, $2, $3 from domains where id = $1 and removed_at is null \
         on conflict (domain_id) do update set checked_at = excluded.checked_at, findings = excluded.findings";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(id.as_str()).bind(now.as_millis()).bind(findings).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Finds the time and the findings of a domain's last check.
pub async fn find_check(conn: &mut Conn, id: &DomainId) -> Result<Option<(Timestamp, String)>, DbError> {
    const SQL: &str = "select checked_at, findings from domain_checks where domain_id = $1";
    let row: Option<(i64, String)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.map(|(at, findings)| (Timestamp::from_millis(at), findings)))
}

/// Lists the records of an account, or of all accounts, in the order they were added.
pub async fn list_domains(conn: &mut Conn, account: Option<&AccountId>) -> Result<Vec<Domain>, DbError> {
    const ALL: &str = "select * from domains where removed_at is null order by created_at, id";
    const OF_ACCOUNT: &str =
        "select * from domains where account_id = $1 and removed_at is null order by created_at, id";
    let rows: Vec<DomainRow> = on_engine!(conn, |c| match account {
        None => sqlx::query_as(ALL).fetch_all(c).await,
        Some(account) => sqlx::query_as(OF_ACCOUNT).bind(account.as_str()).fetch_all(c).await,
    })?;
    Ok(rows.into_iter().filter_map(DomainRow::read).collect())
}

/// Counts an account's records.
pub async fn count_domains(conn: &mut Conn, account: &AccountId) -> Result<u64, DbError> {
    const SQL: &str = "select count(*) from domains where account_id = $1 and removed_at is null";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(account.as_str()).fetch_one(c).await)?;
    Ok(count.unsigned_abs())
}

/// Serializes additions to one account, so that each addition counts all records.
pub async fn lock_account(conn: &mut Conn, account: &AccountId) -> Result<(), DbError> {
    // SQLite has one writer. Elsewhere locking the account's own records would lock no row when there are none, hence an
    // advisory lock.
    lock_by_number(conn, account.as_str()).await
}

/// Serializes additions to and promotions within one site, so that each sees the result of the other.
pub async fn lock_site(conn: &mut Conn, host: &str) -> Result<(), DbError> {
    lock_by_number(conn, &names::site(host)).await
}

async fn lock_by_number(conn: &mut Conn, text: &str) -> Result<(), DbError> {
    if conn.engine() == store::Engine::Postgres {
        const SQL: &str = "select pg_advisory_xact_lock(hashtextextended($1, 10))";
        on_engine!(conn, |c| sqlx::query(SQL).bind(text).execute(c).await.map(drop))?;
    }
    Ok(())
}

/// Marks a record as removed and frees its name. Returns false when there was no such record.
///
/// The id replaces the host: no host looks like an id, and both unique indexes stay satisfied.
pub async fn mark_removed(conn: &mut Conn, id: &DomainId, now: Timestamp) -> Result<bool, DbError> {
    const SQL: &str = "update domains set removed_at = $2, host = id, version = version + 1 \
         where id = $1 and removed_at is null";
    let removed = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()));
    Ok(removed? > 0)
}

/// Deletes the row of a removed domain. Foreign keys delete the rows that still refer to the domain.
pub async fn delete_removed(conn: &mut Conn, id: &DomainId) -> Result<(), DbError> {
    const SQL: &str = "delete from domains where id = $1 and removed_at is not null";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?;
    Ok(())
}

/// Decides whether an operator's lock applies to a name, even when no account has the name.
pub async fn is_locked(conn: &mut Conn, host: &str) -> Result<bool, DbError> {
    const SQL: &str = "select count(*) from domain_locks where host = $1";
    for name in names::locked_by(host) {
        let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(&name).fetch_one(c).await)?;
        if count > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Stores a lock on a name.
pub async fn insert_lock(conn: &mut Conn, host: &str, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str =
        "insert into domain_locks (host, locked_at) values ($1, $2) on conflict (host) do nothing";
    on_engine!(conn, |c| sqlx::query(SQL).bind(host).bind(now.as_millis()).execute(c).await.map(drop))?;
    Ok(())
}

/// Deletes a lock on a name. Returns 1 when there was a lock.
pub async fn delete_lock(conn: &mut Conn, host: &str) -> Result<u64, DbError> {
    const SQL: &str = "delete from domain_locks where host = $1";
    let deleted =
        on_engine!(conn, |c| sqlx::query(SQL).bind(host).execute(c).await.map(|done| done.rows_affected()));
    Ok(deleted?)
}

/// Lists every account's rows that a lock on a name applies to: the name, its twin, and all names below it.
pub async fn list_below(conn: &mut Conn, host: &str) -> Result<Vec<DomainRow>, DbError> {
    const SQL: &str = "select * from domains where removed_at is null and (host = $1 or host = $2 or host like $3) order by id";
    let twin = names::twin(host);
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL)
            .bind(host)
            .bind(twin.as_deref().unwrap_or(host))
            .bind(format!("%.{host}"))
            .fetch_all(c)
            .await
    })?)
}

/// Sets the operator's lock of a record.
pub async fn set_suspended(
    conn: &mut Conn,
    id: &str,
    suspended: bool,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "update domains set suspended = $2, version = version + 1, updated_at = $3 \
         where id = $1 and suspended <> $2";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(id).bind(suspended).bind(now.as_millis()).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Writes the settings and rendering of a record whose change began with [`begin_change`].
pub async fn finish_change(conn: &mut Conn, domain: &Domain) -> Result<(), DbError> {
    const SQL: &str = "update domains set settings = $2, rendering = $3, updated_at = $4 where id = $1";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(domain.id.as_str())
            .bind(json(&domain.settings))
            .bind(json(&domain.rendering))
            .bind(domain.updated_at.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Moves a pending record to a served status. Returns false when the record is no longer pending, is locked or removed, or
/// another account has the name or its twin served or locked.
///
/// The second of two concurrent promotions fails with a unique violation.
pub async fn promote(
    conn: &mut Conn,
    domain: &Domain,
    to: DomainStatus,
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "update domains set status = $2, version = version + 1, updated_at = $3, connected_at = $3 \
         where id = $1 and status = 'pending' and not suspended and removed_at is null and not exists \
         (select 1 from domains other where other.id <> $1 and (other.suspended or other.status <> 'pending') \
         and (other.host = $4 or (other.host = $5 and other.account_id <> domains.account_id)))";
    let changed = on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(domain.id.as_str())
            .bind(to.as_str())
            .bind(now.as_millis())
            .bind(&domain.host)
            .bind(names::twin(&domain.host).as_deref().unwrap_or(&domain.host))
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    });
    Ok(changed? > 0)
}
