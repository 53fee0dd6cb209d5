//! SQL of the reports, and of whole days and first days that move to another store.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use store::{Conn, DbError, on_engine};

use super::texts_of;
use crate::for_dashboard::DomainDay;
use crate::model::{Day, OTHER_PATHS, ServedBy, Verified, VisitKey};
use crate::stores::{FirstDay, FirstDays, PageCounts, PageSelection};
use crate::sums::{DayTotal, Kind, PageVisits, Scope, TimeCounts, VisitSum};
use domains::DomainId;

/// Error: the stored data is not a visit.
#[derive(Debug, thiserror::Error)]
#[error("visits are stored in an unknown form")]
struct Damaged;

fn damaged() -> DbError {
    sqlx::Error::Decode(Box::new(Damaged)).into()
}

/// Returns the condition of visits in scope, impostors' left out.
fn in_scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Snapshots => "verified <> 'no' and served <> 'origin'",
        Scope::WithOrigin => "verified <> 'no'",
    }
}

/// Lists the kinds of visits.
async fn list_kinds(conn: &mut Conn) -> Result<HashMap<u32, Arc<Kind>>, DbError> {
    const SQL: &str =
        "select cast(number as bigint), crawler, verified, served, cast(status as bigint) from visit_kinds";
    type Row = (i64, String, String, String, i64);
    let rows: Vec<Row> = on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?;
    let kind = |(number, crawler, verified, served, status): Row| {
        let kind = Kind {
            crawler,
            verified: Verified::parse(&verified).ok_or_else(damaged)?,
            served: ServedBy::parse(&served).ok_or_else(damaged)?,
            status: u16::try_from(status).map_err(|_| damaged())?,
        };
        Ok((number as u32, Arc::new(kind)))
    };
    rows.into_iter().map(kind).collect()
}

/// Lists the visits of a window by page and kind, in no order. Each page is one row, since a row for each day and kind takes
/// longer to transfer than to read: kind, day and visits of each, separated by spaces.
pub async fn list_pages(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
    scope: Scope,
    pages: PageSelection<'_>,
) -> Result<Vec<PageVisits>, DbError> {
    let (only, of_page) = match pages {
        PageSelection::All => ("", ""),
        PageSelection::One(_) => {
            ("", "and v.path = (select number from visit_paths where domain = d.number and path = $4)")
        }
        PageSelection::Failed => ("and status >= 400", ""),
    };
    let path = match pages {
        PageSelection::One(path) => path,
        PageSelection::All | PageSelection::Failed => "",
    };
    let sql = format!(
        "select p.path, s.counts from (select v.path, \
             string_agg(cast(v.kind as text) || ' ' || cast(t.day as text) || ' ' || cast(v.visits as text), ' ') as counts \
             from visit_domains d join visit_days t on t.domain = d.number and t.day between $2 and $3 \
             join visits v on v.day = t.number {of_page} \
             where d.domain_id = $1 and $4 = $4 and v.kind in (select number from visit_kinds where {} {only}) \
             group by v.path) s \
         join visit_paths p on p.number = s.path",
        in_scope(scope)
    );
    let rows: Vec<(String, String)> = on_engine!(conn, |c| {
        let query = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(domain.as_str());
        query.bind(from).bind(to).bind(path).fetch_all(c).await
    })?;
    // Read after the rows, so that all their kinds are known.
    let kinds = list_kinds(conn).await?;
    let page = |(path, counts): (String, String)| {
        Ok(PageVisits { path: path.into(), sums: sums_of(&counts, &kinds).ok_or_else(damaged)? })
    };
    rows.into_iter().map(page).collect()
}

/// Parses `KIND DAY VISITS` of each day and kind.
fn sums_of(text: &str, kinds: &HashMap<u32, Arc<Kind>>) -> Option<Vec<VisitSum>> {
    let mut words = text.split(' ');
    let mut sums = Vec::new();
    while let Some(kind) = words.next() {
        let kind = kinds.get(&kind.parse().ok()?)?.clone();
        let (last, visits) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        sums.push(VisitSum { kind, last, visits });
    }
    Some(sums)
}

/// Lists every row of a day by page, impostors' included.
pub async fn list_rows(
    conn: &mut Conn,
    domain: &DomainId,
    day: Day,
) -> Result<Vec<(VisitKey, u64)>, DbError> {
    const SQL: &str = "select p.path, cast(v.kind as bigint), cast(v.visits as bigint) \
         from visit_domains d join visit_days t on t.domain = d.number and t.day = $2 \
         join visits v on v.day = t.number join visit_paths p on p.number = v.path where d.domain_id = $1";
    let rows: Vec<(String, i64, i64)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(day).fetch_all(c).await)?;
    let kinds = list_kinds(conn).await?;
    let row = |(path, kind, visits): (String, i64, i64)| {
        let Kind { crawler, verified, served, status } = &**kinds.get(&(kind as u32)).ok_or_else(damaged)?;
        let (verified, served, status) = (*verified, *served, *status);
        let (path, crawler) = (path.into(), crawler.clone().into());
        Ok((
            VisitKey { domain: domain.clone(), day, path, crawler, verified, served, status },
            visits.unsigned_abs(),
        ))
    };
    rows.into_iter().map(row).collect()
}

/// Lists visits by day and kind, impostors' included.
pub async fn list_totals(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
) -> Result<Vec<DayTotal>, DbError> {
    const SQL: &str = "select cast(day as bigint), counts from visit_totals \
         where domain = (select number from visit_domains where domain_id = $1) and day between $2 and $3";
    let rows: Vec<(Day, String)> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(from).bind(to).fetch_all(c).await
    })?;
    // Read after the rows, so that all their kinds are known.
    let kinds = list_kinds(conn).await?;
    let mut totals = Vec::new();
    for (day, counts) in rows {
        for (kind, visits) in totals_of(&counts, &kinds)? {
            totals.push(DayTotal { day, kind: kind.clone(), visits });
        }
    }
    Ok(totals)
}

/// Parses a JSON object of visits by kind.
fn totals_of<'k>(
    counts: &str,
    kinds: &'k HashMap<u32, Arc<Kind>>,
) -> Result<Vec<(&'k Arc<Kind>, u64)>, DbError> {
    let counts: HashMap<u32, u64> = serde_json::from_str(counts).map_err(|_| damaged())?;
    counts.into_iter().map(|(kind, visits)| Ok((kinds.get(&kind).ok_or_else(damaged)?, visits))).collect()
}

/// Counts the visits of some domains by domain and day. Impostors are left out.
pub async fn list_days_of_domains(
    conn: &mut Conn,
    domains: &[DomainId],
    (from, to): (Day, Day),
) -> Result<Vec<DomainDay>, DbError> {
    let sql = format!(
        "select domain_id, cast(day as bigint), counts from visit_domains join visit_totals on domain = number \
         where domain_id in {} and day between $2 and $3",
        texts_of(conn.engine(), "$1")
    );
    let rows: Vec<(String, Day, String)> = on_engine!(conn, |c| {
        let query = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(json_of(domains));
        query.bind(from).bind(to).fetch_all(c).await
    })?;
    let kinds = list_kinds(conn).await?;
    let mut days = Vec::new();
    for (domain, day, counts) in rows {
        let mut of_day = DomainDay { domain: DomainId::from(domain), day, visits: 0, served: 0, failed: 0 };
        for (kind, visits) in totals_of(&counts, &kinds)? {
            if kind.verified != Verified::No {
                of_day.visits += visits;
                of_day.served += if kind.served == ServedBy::Origin { 0 } else { visits };
                of_day.failed += if kind.status >= 400 { visits } else { 0 };
            }
        }
        days.extend((of_day.visits > 0).then_some(of_day));
    }
    Ok(days)
}

/// Lists the first day with a visit of each of some domains, impostors' visits included.
pub async fn list_first_days_of_domains(
    conn: &mut Conn,
    domains: &[DomainId],
) -> Result<Vec<(DomainId, Day)>, DbError> {
    let sql = format!(
        "select domain_id, cast(day as bigint) from (select domain_id, \
             (select min(day) from visit_totals where domain = number) as day from visit_domains where domain_id in {}) f \
         where day is not null",
        texts_of(conn.engine(), "$1")
    );
    let rows: Vec<(String, Day)> = on_engine!(conn, |c| {
        sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(json_of(domains)).fetch_all(c).await
    })?;
    Ok(rows.into_iter().map(|(domain, day)| (DomainId::from(domain), day)).collect())
}

fn json_of(domains: &[DomainId]) -> String {
    let ids: Vec<&str> = domains.iter().map(DomainId::as_str).collect();
    serde_json::to_string(&ids).expect("texts are JSON")
}

/// Counts the pages that were visited, and those of them whose first visit ever is in the window.
pub async fn count_pages(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
    scope: Scope,
) -> Result<PageCounts, DbError> {
    let first = match scope {
        Scope::Snapshots => "first_served_day",
        Scope::WithOrigin => "first_any_day",
    };
    let sql = format!(
        "select (select count(distinct v.path) from visit_domains d \
                 join visit_days t on t.domain = d.number and t.day between $2 and $3 \
                 join visits v on v.day = t.number where d.domain_id = $1 \
                 and v.kind in (select number from visit_kinds where {}) \
                 and v.path <> coalesce((select p.number from visit_domains o join visit_paths p on p.domain = o.number \
                     where o.domain_id = $1 and p.path = '{OTHER_PATHS}'), 0)), \
             (select count(*) from visit_paths \
                 where domain = (select number from visit_domains where domain_id = $1) and {first} between $2 and $3)",
        in_scope(scope)
    );
    let (visited, new): (i64, i64) = on_engine!(conn, |c| {
        let query = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(domain.as_str());
        query.bind(from).bind(to).fetch_one(c).await
    })?;
    Ok(PageCounts { visited: visited.unsigned_abs(), new: new.unsigned_abs() })
}

/// Counts answers by source and bucket of their duration.
pub async fn list_times(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
) -> Result<TimeCounts, DbError> {
    const SQL: &str = "select times from visit_days \
         where domain = (select number from visit_domains where domain_id = $1) and day between $2 and $3";
    let rows: Vec<String> = on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(domain.as_str()).bind(from).bind(to).fetch_all(c).await
    })?;
    let mut sums = TimeCounts::new();
    for row in rows {
        let times: HashMap<String, u64> = serde_json::from_str(&row).map_err(|_| damaged())?;
        for (time, answers) in times {
            let (served, bucket) = time.split_once(' ').ok_or_else(damaged)?;
            let bucket = bucket.parse().map_err(|_| damaged())?;
            *sums.entry((ServedBy::parse(served).ok_or_else(damaged)?, bucket)).or_default() += answers;
        }
    }
    Ok(sums)
}

/// Lists the days of the first visits of each path.
pub async fn list_first_days(conn: &mut Conn, domain: &DomainId) -> Result<Vec<FirstDay>, DbError> {
    const SQL: &str = "select path, cast(first_served_day as bigint), cast(first_any_day as bigint) from visit_paths \
         where domain = (select number from visit_domains where domain_id = $1) and first_any_day is not null";
    let rows: Vec<(String, Option<Day>, Day)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_all(c).await)?;
    Ok(rows.into_iter().map(|(path, served, any)| (path.into(), FirstDays { served, any })).collect())
}

/// Lists the days of which something is kept.
pub async fn list_kept_days(conn: &mut Conn, domain: &DomainId) -> Result<Vec<Day>, DbError> {
    const SQL: &str = "select cast(day as bigint) from visit_totals \
             where domain = (select number from visit_domains where domain_id = $1) \
         union select day from visit_referrals where domain_id = $1 \
         union select day from policy_refusals where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_all(c).await)?)
}

/// Lists the given domains whose records exist.
pub async fn list_existing(conn: &mut Conn, domains: &[DomainId]) -> Result<HashSet<DomainId>, DbError> {
    let sql = format!("select id from domains where id in {}", texts_of(conn.engine(), "$1"));
    let ids: Vec<String> = on_engine!(conn, |c| {
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(json_of(domains)).fetch_all(c).await
    })?;
    Ok(ids.into_iter().map(DomainId::from).collect())
}

/// Counts the different pages of a day.
pub async fn count_pages_of_day(conn: &mut Conn, domain: &DomainId, day: Day) -> Result<u64, DbError> {
    let sql = format!(
        "select count(distinct v.path) from visit_domains d join visit_days t on t.domain = d.number and t.day = $2 \
         join visits v on v.day = t.number join visit_paths p on p.number = v.path \
         where d.domain_id = $1 and p.path <> '{OTHER_PATHS}'"
    );
    let pages: i64 = on_engine!(conn, |c| {
        let query = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(domain.as_str());
        query.bind(day).fetch_one(c).await
    })?;
    Ok(pages.unsigned_abs())
}

/// Lists the given paths that a domain has on a day, or ever.
pub async fn list_known_paths(
    conn: &mut Conn,
    domain: &DomainId,
    day: Option<Day>,
    paths: &[Arc<str>],
) -> Result<HashSet<String>, DbError> {
    let sql = format!(
        "select path from visit_paths p where domain = (select number from visit_domains where domain_id = $1) \
         and path in {} and ($3 < 0 or exists (select 1 from visit_days t join visits v on v.day = t.number \
             where t.domain = p.domain and t.day = $3 and v.path = p.number))",
        texts_of(conn.engine(), "$2")
    );
    let rows = serde_json::to_string(paths).expect("texts are JSON");
    let found: Vec<String> = on_engine!(conn, |c| {
        let query = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(domain.as_str()).bind(rows);
        query.bind(day.unwrap_or(-1)).fetch_all(c).await
    })?;
    Ok(found.into_iter().collect())
}

/// Returns the size of the paths of a domain as a number of paths: long paths count as several.
pub async fn count_kept_paths(
    conn: &mut Conn,
    domain: &DomainId,
    bytes_of_path: i64,
) -> Result<u64, DbError> {
    const SQL: &str = "select count(*), cast(coalesce(sum(length(path)), 0) as bigint) from visit_paths \
         where domain = (select number from visit_domains where domain_id = $1) and path <> '(other)'";
    let (paths, bytes): (i64, i64) =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_one(c).await)?;
    Ok(paths.max(bytes / bytes_of_path).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_a_page_are_read_in_threes() {
        let kind = |crawler: &str| {
            let (verified, served) = (Verified::Yes, ServedBy::Cache);
            Arc::new(Kind { crawler: crawler.to_owned(), verified, served, status: 200 })
        };
        let kinds = HashMap::from([(1, kind("gptbot")), (7, kind("bingbot"))]);
        let read = |text| {
            let sums = sums_of(text, &kinds)?;
            Some(sums.iter().map(|sum| (sum.kind.crawler.clone(), sum.last, sum.visits)).collect::<Vec<_>>())
        };

        assert_eq!(
            read("7 20000 3 1 -2 1"),
            Some(vec![("bingbot".to_owned(), 20_000, 3), ("gptbot".to_owned(), -2, 1)])
        );
        assert_eq!((read("1 20000"), read("2 20000 1"), read("")), (None, None, None));
    }
}
