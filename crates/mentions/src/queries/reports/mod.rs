//! SQL of reports: the reports, the ones that are due, and the changes that were sent.

pub mod input;

use serde::Serialize;
use store::{Conn, DbError, on_engine};

use crate::model::UtcDay;
use crate::queries::RowSet;
use ::domains::DomainId;
use platform::clock::Timestamp;

/// A stored report.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ReportRow {
    pub id: String,
    pub domain_id: String,
    pub day: i64,
    pub report_type: String,
    /// First day of the window.
    pub week_start: i64,
    /// JSON.
    pub payload: String,
    pub content_hash: String,
    pub analysis_version: i64,
    pub created_at: i64,
    pub built_at: i64,
}

/// Kind of the reports that this version builds.
pub const AUTO: &str = "auto";

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "select id, domain_id, day, report_type, week_start, payload, content_hash, analysis_version,
                created_at, built_at from mention_reports where ",
            $condition
        )
    };
}

/// Lists the newest reports of a domain.
pub async fn list_reports(conn: &mut Conn, domain: &DomainId, most: i64) -> Result<Vec<ReportRow>, DbError> {
    const SQL: &str = select!("domain_id = $1 order by day desc, created_at desc, id limit $2");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(most).fetch_all(c).await)?)
}

pub async fn find_report(conn: &mut Conn, id: &str) -> Result<Option<ReportRow>, DbError> {
    const SQL: &str = select!("id = $1");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?)
}

pub async fn find_report_of_day(
    conn: &mut Conn,
    domain: &DomainId,
    day: UtcDay,
) -> Result<Option<ReportRow>, DbError> {
    const SQL: &str = select!("domain_id = $1 and day = $2 and report_type = 'auto'");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(day).fetch_optional(c).await)?)
}

/// Writes the report of a day. `id` and `created_at` of one that is there stay.
pub async fn put_report(conn: &mut Conn, row: &ReportRow) -> Result<(), DbError> {
    const SQL: &str = "insert into mention_reports (id, domain_id, day, report_type, week_start, payload,
            content_hash, analysis_version, created_at, built_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        on conflict (domain_id, day, report_type) do update set week_start = excluded.week_start,
            payload = excluded.payload, content_hash = excluded.content_hash,
            analysis_version = excluded.analysis_version, built_at = excluded.built_at";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(&row.id)
        .bind(&row.domain_id)
        .bind(row.day)
        .bind(&row.report_type)
        .bind(row.week_start)
        .bind(&row.payload)
        .bind(&row.content_hash)
        .bind(row.analysis_version)
        .bind(row.created_at)
        .bind(row.built_at)
        .execute(c)
        .await
        .map(drop))?)
}

/// Records that a report was looked at and stays as it is.
pub async fn touch_report(
    conn: &mut Conn,
    id: &str,
    analysis_version: i64,
    built_at: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "update mention_reports set analysis_version = $2, built_at = $3 where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id)
        .bind(analysis_version)
        .bind(built_at.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Counts the runs of some days of a domain that are not over.
pub async fn count_open(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (UtcDay, UtcDay),
) -> Result<i64, DbError> {
    const SQL: &str = "select count(*) from mention_runs where domain_id = $1
        and status in ('queued', 'running', 'answered') and day >= $2 and day <= $3";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(domain.as_str())
        .bind(from)
        .bind(to)
        .fetch_one(c)
        .await)?)
}

/// Days and times by which reports are due.
#[derive(Debug, Clone, Copy)]
pub struct DueDays {
    pub today: UtcDay,
    pub midnight: Timestamp,
    /// Time since which today's report must not have been built.
    pub not_built_since: Timestamp,
    /// First day of reports that are still built again.
    pub first_kept: UtcDay,
}

/// Lists some domains that have a report to be built: their window has changed and no run of it is open, their yesterday is
/// over, or their reports are of an older analysis.
pub async fn list_due(conn: &mut Conn, due: DueDays, most: i64) -> Result<Vec<String>, DbError> {
    const CHANGED: &str = "select m.domain_id from mention_reports_due m
        left join mention_reports r on r.domain_id = m.domain_id and r.day = $1 and r.report_type = 'auto'
        where (r.built_at is null or r.built_at <= $2) and not exists (select 1 from mention_runs o
            where o.domain_id = m.domain_id and o.status in ('queued', 'running', 'answered')
                and o.day > $1 - 7 and o.day <= $1)
        order by m.changed_at limit $3";
    const CLOSED: &str = "select d.domain_id from mention_domains d
        left join mention_reports r on r.domain_id = d.domain_id and r.day = $1 and r.report_type = 'auto'
        where (r.built_at is null or r.built_at < $2) and exists (select 1 from mention_domain_sums s
            where s.domain = d.number and s.day > $1 - 7 and s.day <= $1 and s.responses + s.absent_overviews > 0)
        limit $3";
    const OUTDATED: &str = "select distinct r.domain_id from mention_reports r
        join mention_domains d on d.domain_id = r.domain_id
        where r.report_type = 'auto' and r.day >= $1 and r.analysis_version < d.analysis_version
            and d.recompute_total is null limit $2";
    let not_built = due.not_built_since.as_millis();
    let mut ids: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(CHANGED)
        .bind(due.today)
        .bind(not_built)
        .bind(most)
        .fetch_all(c)
        .await)?;
    let closed: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(CLOSED)
        .bind(due.today - 1)
        .bind(due.midnight.as_millis())
        .bind(most)
        .fetch_all(c)
        .await)?;
    let outdated: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(OUTDATED)
        .bind(due.first_kept)
        .bind(most)
        .fetch_all(c)
        .await)?;
    ids.extend(closed);
    ids.extend(outdated);
    ids.sort();
    ids.dedup();
    Ok(ids)
}

/// Change of a domain's answers since its reports were built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct DueMark {
    /// First of the days that changed.
    pub from_day: i64,
    pub changed_at: i64,
}

pub async fn find_due(conn: &mut Conn, domain: &DomainId) -> Result<Option<DueMark>, DbError> {
    const SQL: &str = "select from_day, changed_at from mention_reports_due where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_optional(c).await)?)
}

/// Forgets a change whose reports are built, unless there was another one since.
pub async fn delete_due(conn: &mut Conn, domain: &DomainId, mark: DueMark) -> Result<(), DbError> {
    const SQL: &str =
        "delete from mention_reports_due where domain_id = $1 and from_day = $2 and changed_at = $3";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(domain.as_str())
        .bind(mark.from_day)
        .bind(mark.changed_at)
        .execute(c)
        .await
        .map(drop))?)
}

/// Lists the days of a domain's reports from one on, with the version of their analysis.
pub async fn list_report_days(
    conn: &mut Conn,
    domain: &DomainId,
    from: UtcDay,
) -> Result<Vec<(i64, i64)>, DbError> {
    const SQL: &str = "select day, analysis_version from mention_reports
        where domain_id = $1 and day >= $2 and report_type = 'auto' order by day";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(from).fetch_all(c).await)?)
}

const TOLD: RowSet = RowSet::new("mention_told", &["domain_id", "channel", "change_key", "day"]);

/// A change that was sent.
#[derive(Debug, Clone, Serialize)]
pub struct ToldRow {
    pub domain_id: String,
    pub channel: &'static str,
    pub change_key: String,
    pub day: i64,
}

/// Records changes that are sent.
pub async fn insert_told(conn: &mut Conn, rows: &[ToldRow]) -> Result<(), DbError> {
    TOLD.insert(conn, rows, "on conflict (domain_id, channel, change_key) do nothing").await.map(drop)
}

/// Lists the keys of changes that were sent.
pub async fn list_told(conn: &mut Conn, domain: &DomainId, channel: &str) -> Result<Vec<String>, DbError> {
    const SQL: &str = "select change_key from mention_told where domain_id = $1 and channel = $2";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).bind(channel).fetch_all(c).await)?)
}

/// Deletes the records of sent changes of days before a day.
pub async fn delete_told_before(conn: &mut Conn, day: UtcDay) -> Result<(), DbError> {
    const SQL: &str = "delete from mention_told where day < $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(day).execute(c).await.map(drop))?)
}

/// Finds the day of a domain's last digest.
pub async fn find_digest_day(conn: &mut Conn, domain: &DomainId) -> Result<Option<i64>, DbError> {
    const SQL: &str = "select day from mention_digests where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_optional(c).await)?)
}

pub async fn put_digest_day(conn: &mut Conn, domain: &DomainId, day: UtcDay) -> Result<(), DbError> {
    const SQL: &str = "insert into mention_digests (domain_id, day) values ($1, $2)
        on conflict (domain_id) do update set day = excluded.day";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(domain.as_str()).bind(day).execute(c).await.map(drop))?)
}
