//! SQL that deletes visits: those that are too old, those of a removed domain, those of a replaced day. Each statement deletes
//! some rows, so that other writers do not wait long.

use store::{Conn, DbError, Engine, on_engine};

use crate::model::Day;
use domains::DomainId;
use platform::clock::Timestamp;

/// Finds the first day of which something is kept by page.
pub async fn find_first_day(conn: &mut Conn) -> Result<Option<Day>, DbError> {
    // Domain by domain: the first day of each is at the beginning of its keys.
    const SQL: &str = "select cast(min(day) as bigint) from (\
         select (select min(day) from visit_days where domain = visit_domains.number) as day from visit_domains \
         union all select (select min(day) from visit_referrals where domain_id = domains.id) from domains) first_days";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).fetch_one(c).await)?)
}

/// Lists domains of which something is kept by page of days before this one.
pub async fn list_domains_with_old_visits(conn: &mut Conn, before: Day) -> Result<Vec<DomainId>, DbError> {
    const SQL: &str = "select domain_id from visit_domains \
         where exists (select 1 from visit_days where domain = visit_domains.number and day < $1) \
         union select id from domains where exists (select 1 from visit_referrals where domain_id = domains.id and day < $1)";
    let ids: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(before).fetch_all(c).await)?;
    Ok(ids.into_iter().map(DomainId::from).collect())
}

/// Deletes some of what is kept by page of days from one to before another. Returns the number of rows.
pub async fn delete_some_days(
    conn: &mut Conn,
    domain: &DomainId,
    (from, before): (Day, Day),
) -> Result<u64, DbError> {
    const STATEMENTS: [&str; 3] = [
        "delete from visits where (day, path, kind) in (select v.day, v.path, v.kind from visit_domains d \
             join visit_days t on t.domain = d.number and t.day >= $2 and t.day < $3 \
             join visits v on v.day = t.number where d.domain_id = $1 limit 5000)",
        "delete from visit_days where domain = (select number from visit_domains where domain_id = $1) \
         and day >= $2 and day < $3 and not exists (select 1 from visits where visits.day = visit_days.number)",
        "delete from visit_referrals where domain_id = $1 and (day, assistant, path) in \
         (select day, assistant, path from visit_referrals where domain_id = $1 and day >= $2 and day < $3 limit 5000)",
    ];
    execute_all(conn, &STATEMENTS, domain, (from, before)).await
}

/// Deletes totals and refusals of days from one to before another. Returns the number of rows.
pub async fn delete_totals(
    conn: &mut Conn,
    domain: &DomainId,
    (from, before): (Day, Day),
) -> Result<u64, DbError> {
    const STATEMENTS: [&str; 2] = [
        "delete from visit_totals \
         where domain = (select number from visit_domains where domain_id = $1) and day >= $2 and day < $3",
        "delete from policy_refusals where domain_id = $1 and day >= $2 and day < $3",
    ];
    execute_all(conn, &STATEMENTS, domain, (from, before)).await
}

async fn execute_all(
    conn: &mut Conn,
    statements: &[&'static str],
    domain: &DomainId,
    (from, before): (Day, Day),
) -> Result<u64, DbError> {
    let mut changed = 0;
    for sql in statements {
        changed += on_engine!(conn, |c| {
            let query = sqlx::query(*sql).bind(domain.as_str()).bind(from).bind(before);
            query.execute(c).await.map(|done| done.rows_affected())
        })?;
    }
    Ok(changed)
}

/// Deletes some of what is kept of a domain. Returns the number of rows.
pub async fn delete_some(conn: &mut Conn, domain: &DomainId) -> Result<u64, DbError> {
    const STATEMENTS: [&str; 3] = [
        "delete from visit_paths where number in (select number from visit_paths \
             where domain = (select number from visit_domains where domain_id = $1) limit 5000)",
        "delete from visit_pending_imports where domain_id = $1",
        "delete from visit_imports where domain_id = $1",
    ];
    let ever = (Day::MIN, Day::MAX);
    let visits = delete_some_days(conn, domain, ever).await? + delete_totals(conn, domain, ever).await?;
    if visits > 0 {
        return Ok(visits);
    }
    let mut deleted = 0;
    for sql in STATEMENTS {
        deleted += on_engine!(conn, |c| {
            sqlx::query(sql).bind(domain.as_str()).execute(c).await.map(|done| done.rows_affected())
        })?;
    }
    Ok(deleted)
}

/// Forgets some of the files that were applied before a point in time. Returns their number.
pub async fn forget_files_before(conn: &mut Conn, before: Timestamp) -> Result<u64, DbError> {
    const SQL: &str = "delete from visit_batches where id in \
         (select id from visit_batches where applied_at < $1 and id <> '' limit 1000)";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL).bind(before.as_millis()).execute(c).await.map(|done| done.rows_affected())
    })?)
}

/// Lists domains with at least so many paths, or so many bytes of paths.
pub async fn list_full_domains(conn: &mut Conn, paths: i64, bytes: i64) -> Result<Vec<DomainId>, DbError> {
    const SQL: &str = "select domain_id from visit_domains join (select domain from visit_paths \
         group by domain having count(*) >= $1 or sum(length(path)) >= $2) p on domain = number";
    let ids: Vec<String> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(paths).bind(bytes).fetch_all(c).await)?;
    Ok(ids.into_iter().map(DomainId::from).collect())
}

/// Deletes the paths of a domain that have no visits. Returns their number. Waits for transactions that count visits, which
/// may have looked up a path and not counted it yet.
pub async fn delete_expired_paths(conn: &mut Conn, domain: &DomainId) -> Result<u64, DbError> {
    const SQL: &str = "delete from visit_paths \
         where domain = (select number from visit_domains where domain_id = $1) \
         and number not in (select v.path from visit_domains d join visit_days t on t.domain = d.number \
             join visits v on v.day = t.number where d.domain_id = $1)";
    // SQLite has one writer.
    if conn.engine() == Engine::Postgres {
        on_engine!(conn, |c| {
            sqlx::query("lock table visit_paths in access exclusive mode").execute(c).await.map(drop)
        })?;
    }
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).execute(c).await.map(|done| done.rows_affected())
    })?)
}
