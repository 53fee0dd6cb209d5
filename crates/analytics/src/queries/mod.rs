//! SQL of crawler visits. Used by analytics only; both engines run the same text. Texts are never sorted here: the engines
//! sort them differently.

pub mod imports;
pub mod impostors;
pub mod reading;
pub mod referrals;
pub mod refusals;
pub mod tokens;
pub mod upkeep;

use serde::Serialize;
use serde_json::json;
use store::{Conn, DbError, Engine, on_engine};

use super::model::{DayKey, TimeKey, VisitKey};
use super::stores::FirstDay;
use domains::DomainId;
use platform::clock::Timestamp;

/// Columns of counts of pages, and of counts of days but for the path.
const VISITS: &[(&str, &str)] = &[
    ("domain", "text"),
    ("day", "integer"),
    ("path", "text"),
    ("crawler", "text"),
    ("verified", "text"),
    ("served", "text"),
    ("status", "integer"),
    ("visits", "bigint"),
];
const TIMES: &[(&str, &str)] = &[
    ("domain", "text"),
    ("day", "integer"),
    ("served", "text"),
    ("bucket", "integer"),
    ("visits", "bigint"),
];

const NO_ROWS: &str = "[]";

/// A row of counts as a JSON object.
#[derive(Serialize)]
struct Count<'a, K> {
    #[serde(flatten)]
    key: &'a K,
    visits: u64,
}

fn json_of<K: Serialize>(rows: &[(K, u64)]) -> String {
    let rows: Vec<_> = rows.iter().map(|(key, visits)| Count { key, visits: *visits }).collect();
    serde_json::to_string(&rows).expect("counts are JSON")
}

/// Runs a statement with the rows of a JSON array of objects as its table `v`.
async fn execute_with(
    conn: &mut Conn,
    columns: &[(&str, &str)],
    sql: &str,
    rows: &str,
) -> Result<(), DbError> {
    if rows == NO_ROWS {
        return Ok(());
    }
    let sql = with_rows(conn.engine(), columns, sql);
    on_engine!(conn, |c| sqlx::query(sqlx::AssertSqlSafe(sql)).bind(rows).execute(c).await.map(drop))?;
    Ok(())
}

/// Prepends the table `v` to a statement, whose first parameter is a JSON array of objects.
fn with_rows(engine: Engine, columns: &[(&str, &str)], sql: &str) -> String {
    let (select, from) = match engine {
        Engine::Sqlite => {
            let column = |(name, _): &(&str, &str)| format!("value ->> '$.{name}' as {name}");
            (columns.iter().map(column).collect::<Vec<_>>(), "json_each($1)".to_owned())
        }
        Engine::Postgres => {
            let typed = columns.iter().map(|(name, kind)| format!("{name} {kind}")).collect::<Vec<_>>();
            let names = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
            (names, format!("json_to_recordset($1::json) as r({})", typed.join(", ")))
        }
    };
    format!("with v as (select {} from {from}) {sql}", select.join(", "))
}

/// Returns the SQL of the texts of a JSON array as a list, for `in`.
fn texts_of(engine: Engine, parameter: &str) -> String {
    match engine {
        Engine::Sqlite => format!("(select value from json_each({parameter}))"),
        Engine::Postgres => format!("(select json_array_elements_text({parameter}::json))"),
    }
}

/// Records that a part of a file of the spool is counted in this transaction. Returns false when it was counted before.
pub async fn begin_part(conn: &mut Conn, file: &str, number: usize, now: Timestamp) -> Result<bool, DbError> {
    const FIRST: &str = "insert into visit_batches (id, parts, applied_at) values ($1, $2 + 1, $3) on conflict (id) do nothing";
    const NEXT: &str =
        "update visit_batches set parts = $2 + 1, applied_at = $3 where id = $1 and parts = $2";
    let (sql, number) = (if number == 0 { FIRST } else { NEXT }, number as i32);
    let changed = on_engine!(conn, |c| {
        let query = sqlx::query(sql).bind(file).bind(number).bind(now.as_millis());
        query.execute(c).await.map(|done| done.rows_affected())
    });
    Ok(changed? == 1)
}

/// Forgets a file of the spool that no process has any more.
pub async fn forget_file(conn: &mut Conn, file: &str) -> Result<(), DbError> {
    const SQL: &str = "delete from visit_batches where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(file).execute(c).await.map(drop))?)
}

/// Returns the SQL that makes a JSON object of keys and values.
fn object_of(engine: Engine, values: &str) -> String {
    match engine {
        Engine::Sqlite => format!("json_group_object({values})"),
        Engine::Postgres => format!("cast(jsonb_object_agg({values}) as text)"),
    }
}

/// Returns the SQL that adds up two JSON objects of counts.
fn sum_of(engine: Engine, first: &str, second: &str) -> String {
    let each = |object: &str| match engine {
        Engine::Sqlite => format!("select key, value from json_each({object})"),
        Engine::Postgres => {
            format!("select key, cast(value as bigint) as value from json_each_text(cast({object} as json))")
        }
    };
    format!(
        "(select {} from (select key, cast(sum(value) as bigint) as total from ({} union all {}) both_counts group by key) sums)",
        object_of(engine, "key, total"),
        each(first),
        each(second)
    )
}

/// Adds counts to every table that a report reads. Rows of domains that are gone are dropped.
pub async fn add_counts(
    conn: &mut Conn,
    pages: &[(VisitKey, u64)],
    times: &[(TimeKey, u64)],
) -> Result<(), DbError> {
    let rows = json_of(pages);
    number_kinds(conn, &rows).await?;
    add_page_rows(conn, &rows).await?;
    add_total_rows(conn, &rows).await?;
    add_times(conn, times).await
}

/// Adds counts of pages, without totals.
pub async fn add_pages(conn: &mut Conn, pages: &[(VisitKey, u64)]) -> Result<(), DbError> {
    let rows = json_of(pages);
    number_kinds(conn, &rows).await?;
    add_page_rows(conn, &rows).await
}

/// Adds counts of days.
pub async fn add_totals(conn: &mut Conn, days: &[(DayKey, u64)]) -> Result<(), DbError> {
    let rows = json_of(days);
    number_kinds(conn, &rows).await?;
    add_total_rows(conn, &rows).await
}

/// Adds counts of times. Times of the origin's own answers are in no report and are dropped.
pub async fn add_times(conn: &mut Conn, times: &[(TimeKey, u64)]) -> Result<(), DbError> {
    let engine = conn.engine();
    let sql = format!(
        "update visit_days set times = {} from (select n.domain, n.day, {} as times from (\
             select d.number as domain, v.day, v.served || ' ' || cast(v.bucket as text) as time, \
                 cast(sum(v.visits) as bigint) as answers \
             from v join visit_domains d on d.domain_id = v.domain where v.served <> 'origin' \
             group by d.number, v.day, v.served, v.bucket) n group by n.domain, n.day) new \
         where visit_days.domain = new.domain and visit_days.day = new.day",
        sum_of(engine, "visit_days.times", "new.times"),
        object_of(engine, "n.time, n.answers")
    );
    let rows = json_of(times);
    number_days(conn, TIMES, &rows).await?;
    execute_with(conn, TIMES, &sql, &rows).await
}

/// Adds rows to `visits`. Their kinds must have numbers.
async fn add_page_rows(conn: &mut Conn, rows: &str) -> Result<(), DbError> {
    const SQL: &str = "insert into visits (day, path, kind, visits) \
         select t.number, p.number, k.number, sum(v.visits) from v \
         join visit_domains d on d.domain_id = v.domain \
         join visit_days t on t.domain = d.number and t.day = v.day \
         join visit_paths p on p.domain = d.number and p.path = v.path \
         join visit_kinds k on k.crawler = v.crawler and k.verified = v.verified and k.served = v.served \
             and k.status = v.status \
         where true group by t.number, p.number, k.number order by t.number, p.number, k.number \
         on conflict (day, path, kind) do update set visits = visits.visits + excluded.visits";
    number_days(conn, VISITS, rows).await?;
    number_paths(conn, rows).await?;
    execute_with(conn, VISITS, SQL, rows).await
}

/// Adds rows to `visit_totals`. Their kinds must have numbers.
async fn add_total_rows(conn: &mut Conn, rows: &str) -> Result<(), DbError> {
    let engine = conn.engine();
    let sql = format!(
        "insert into visit_totals (domain, day, counts) select n.domain, n.day, {} from (\
             select d.number as domain, v.day, cast(k.number as text) as kind, cast(sum(v.visits) as bigint) as visits \
             from v join visit_domains d on d.domain_id = v.domain \
             join visit_kinds k on k.crawler = v.crawler and k.verified = v.verified and k.served = v.served \
                 and k.status = v.status \
             group by d.number, v.day, k.number) n \
         where true group by n.domain, n.day order by n.domain, n.day \
         on conflict (domain, day) do update set counts = {}",
        object_of(engine, "n.kind, n.visits"),
        sum_of(engine, "visit_totals.counts", "excluded.counts")
    );
    execute_with(conn, VISITS, &sql, rows).await
}

/// Gives numbers to the domains and kinds of rows that have none.
async fn number_kinds(conn: &mut Conn, rows: &str) -> Result<(), DbError> {
    const NEW: &str = "select count(*) from (select 1 from v join domains on domains.id = v.domain \
         left join visit_domains d on d.domain_id = v.domain \
         left join visit_kinds k on k.crawler = v.crawler and k.verified = v.verified and k.served = v.served \
             and k.status = v.status \
         where d.number is null or k.number is null limit 1) n";
    const KINDS: &str = "insert into visit_kinds (number, crawler, verified, served, status) \
         select (select coalesce(max(number), 0) from visit_kinds) + row_number() over (order by n.crawler), \
             n.crawler, n.verified, n.served, n.status \
         from (select distinct crawler, verified, served, status from v) n \
         where not exists (select 1 from visit_kinds k where k.crawler = n.crawler and k.verified = n.verified \
             and k.served = n.served and k.status = n.status)";
    if has_new(conn, VISITS, NEW, rows).await? {
        lock_numbers(conn).await?;
        number_domains(conn, VISITS, rows).await?;
        execute_with(conn, VISITS, KINDS, rows).await?;
    }
    Ok(())
}

/// Gives numbers to the domains of rows that have none. The caller holds the lock of numbers.
async fn number_domains(conn: &mut Conn, columns: &[(&str, &str)], rows: &str) -> Result<(), DbError> {
    const SQL: &str = "insert into visit_domains (number, domain_id) \
         select (select coalesce(max(number), 0) from visit_domains) + row_number() over (order by n.domain), n.domain \
         from (select distinct domain from v) n where exists (select 1 from domains where id = n.domain) \
             and not exists (select 1 from visit_domains where domain_id = n.domain)";
    execute_with(conn, columns, SQL, rows).await
}

/// Gives numbers to the days of rows that have none, and to their domains.
async fn number_days(conn: &mut Conn, columns: &[(&str, &str)], rows: &str) -> Result<(), DbError> {
    const NEW: &str = "select count(*) from (select 1 from v join domains on domains.id = v.domain \
         left join visit_domains d on d.domain_id = v.domain \
         left join visit_days t on t.domain = d.number and t.day = v.day where t.number is null limit 1) n";
    const DAYS: &str = "insert into visit_days (number, domain, day, times) \
         select (select coalesce(max(number), 0) from visit_days) + row_number() over (order by n.domain, n.day), \
             n.domain, n.day, '{}' \
         from (select distinct d.number as domain, v.day from v join visit_domains d on d.domain_id = v.domain) n \
         where not exists (select 1 from visit_days t where t.domain = n.domain and t.day = n.day)";
    if has_new(conn, columns, NEW, rows).await? {
        lock_numbers(conn).await?;
        number_domains(conn, columns, rows).await?;
        execute_with(conn, columns, DAYS, rows).await?;
    }
    Ok(())
}

/// Condition of rows of the table `f` whose path has no number, or was visited first on a later day as far as is known.
const IS_NEW: &str = "p.number is null or f.day < coalesce(p.first_any_day, f.day + 1) \
     or f.served < coalesce(p.first_served_day, f.served + 1)";

/// Returns the SQL that inserts the paths of the table `f`. An earlier first day replaces the known one.
fn insert_paths() -> String {
    let earlier = |column: &str| {
        format!(
            "{column} = case when excluded.{column} < coalesce(visit_paths.{column}, excluded.{column} + 1) \
                 then excluded.{column} else visit_paths.{column} end"
        )
    };
    format!(
        "insert into visit_paths (number, domain, path, first_served_day, first_any_day) \
         select (select coalesce(max(number), 0) from visit_paths) + row_number() over (order by f.domain, f.path), \
             f.domain, f.path, f.served, f.day \
         from f left join visit_paths p on p.domain = f.domain and p.path = f.path where {IS_NEW} \
         on conflict (domain, path) do update set {}, {}",
        earlier("first_served_day"),
        earlier("first_any_day")
    )
}

/// Gives numbers to the paths of rows that have none, and records the days of first visits.
async fn number_paths(conn: &mut Conn, rows: &str) -> Result<(), DbError> {
    // First days: with a snapshot, and at all.
    const FIRST_DAYS: &str = ", f as (select d.number as domain, v.path as path, \
         min(case when v.served <> 'origin' and v.verified <> 'no' and v.path <> '(other)' then v.day end) as served, \
         min(case when v.verified <> 'no' and v.path <> '(other)' then v.day end) as day \
         from v join visit_domains d on d.domain_id = v.domain group by d.number, v.path) ";
    let new = format!(
        "{FIRST_DAYS}select count(*) from (select 1 from f \
         left join visit_paths p on p.domain = f.domain and p.path = f.path where {IS_NEW} limit 1) n"
    );
    if has_new(conn, VISITS, &new, rows).await? {
        lock_numbers(conn).await?;
        execute_with(conn, VISITS, &format!("{FIRST_DAYS}{}", insert_paths()), rows).await?;
    }
    Ok(())
}

/// Records the days of the first visits of paths. An earlier day replaces the known one.
pub async fn add_first_days(conn: &mut Conn, domain: &DomainId, first: &[FirstDay]) -> Result<(), DbError> {
    const COLUMNS: &[(&str, &str)] =
        &[("domain", "text"), ("path", "text"), ("served", "integer"), ("day", "integer")];
    const PATHS: &str = ", f as (select d.number as domain, v.path, v.served, v.day from v \
         join visit_domains d on d.domain_id = v.domain) ";
    let row = |(path, days): &FirstDay| json!({ "domain": domain, "path": path, "served": days.served, "day": days.any });
    let rows = serde_json::Value::from(first.iter().map(row).collect::<Vec<_>>()).to_string();
    lock_numbers(conn).await?;
    number_domains(conn, COLUMNS, &rows).await?;
    execute_with(conn, COLUMNS, &format!("{PATHS}{}", insert_paths()), &rows).await
}

async fn has_new(conn: &mut Conn, columns: &[(&str, &str)], sql: &str, rows: &str) -> Result<bool, DbError> {
    if rows == NO_ROWS {
        return Ok(false);
    }
    let sql = with_rows(conn.engine(), columns, sql);
    let count: i64 =
        on_engine!(conn, |c| sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(rows).fetch_one(c).await)?;
    Ok(count > 0)
}

/// Locks the numbers until the transaction ends. Two transactions that read the highest number at once would give the same.
async fn lock_numbers(conn: &mut Conn) -> Result<(), DbError> {
    const SQL: &str = "insert into visit_batches (id, parts, applied_at) values ('', 0, 0) \
         on conflict (id) do update set parts = 0";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).execute(c).await.map(drop))?)
}

/// Stored row, for tests of everything that records visits.
#[cfg(any(test, feature = "testing"))]
#[derive(Debug, PartialEq, Eq)]
pub struct VisitRow {
    /// Domain record.
    pub domain_id: String,
    /// UTC day, `YYYY-MM-DD`.
    pub day: String,
    pub path: String,
    /// Id of the crawler.
    pub crawler: String,
    /// Result of the check of the crawler's identity.
    pub verified: String,
    /// Source of the answer.
    pub served: String,
    /// Status of the answer.
    pub status: i64,
    pub visits: i64,
}

/// Lists all rows, sorted.
#[cfg(any(test, feature = "testing"))]
pub async fn list_visits(conn: &mut Conn) -> Result<Vec<VisitRow>, DbError> {
    const SQL: &str = "select d.domain_id, cast(t.day as bigint), p.path, k.crawler, k.verified, k.served, \
             cast(k.status as bigint), cast(v.visits as bigint) \
         from visits v join visit_days t on t.number = v.day join visit_domains d on d.number = t.domain \
         join visit_paths p on p.number = v.path join visit_kinds k on k.number = v.kind \
         order by d.domain_id, t.day, p.path, k.crawler, k.served";
    type Row = (String, i64, String, String, String, String, i64, i64);
    let rows: Vec<Row> = on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?;
    let row = |(domain_id, day, path, crawler, verified, served, status, visits): Row| {
        let day = crate::model::start_of(day).day();
        VisitRow { domain_id, day, path, crawler, verified, served, status, visits }
    };
    Ok(rows.into_iter().map(row).collect())
}
