//! SQL of closed days and of the numbers of pages. A closed day and the open rows that belong to it are always read in one
//! statement: between two, a day could be closed, and its visits seen twice or not at all.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use store::{Conn, DbError, Engine, on_engine};

use super::{add_rows, damaged};
use crate::analytics::model::{Day, ServedBy, Verified};
use crate::analytics::segments::paths::{PathTable, pack_paths, unpack_paths};
use crate::analytics::segments::rows::{Damaged, DayRows, Kind, PageSets, pack_pages};
use crate::analytics::segments::window::OpenRow;
use crate::domains::DomainId;

/// Paths of one list. The last list is written anew with every day that adds to it.
const PATHS_PER_LIST: i64 = 5_000;
/// Paths or days that are looked for in one statement.
const VALUES_PER_STATEMENT: usize = 500;

/// Lets nobody else close days of this domain until the transaction ends.
pub async fn lock_numbers(conn: &mut Conn, domain: &DomainId) -> Result<(), DbError> {
    const SQL: &str = "insert into visit_path_lists (domain_id, first_number, paths, packed) values ($1, 0, 0, $2) \
         on conflict (domain_id, first_number) do update set paths = 0";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).bind(Vec::<u8>::new()).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// The number that the domain's next new page gets.
pub async fn find_next_number(conn: &mut Conn, domain: &DomainId) -> Result<u32, DbError> {
    Ok(last_list(conn, domain).await?.map_or(1, |(first, paths)| first + paths) as u32)
}

/// First number and length of the last list that has paths.
async fn last_list(conn: &mut Conn, domain: &DomainId) -> Result<Option<(i64, i64)>, DbError> {
    const SQL: &str = "select first_number, paths from visit_path_lists \
         where domain_id = $1 and first_number > 0 order by first_number desc limit 1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_optional(c).await)?)
}

/// The numbers of a domain's pages. They are put in order off the runtime's threads.
pub async fn find_paths(conn: &mut Conn, domain: &DomainId) -> Result<PathTable, DbError> {
    const SQL: &str = "select first_number, packed from visit_path_lists \
         where domain_id = $1 and first_number > 0 order by first_number";
    let lists: Vec<(i64, Vec<u8>)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_all(c).await)?;
    let table = tokio::task::spawn_blocking(move || table_of(lists));
    table.await.expect("unpacking does not panic").map_err(damaged)
}

/// The table of all lists, each with its first number.
fn table_of(lists: Vec<(i64, Vec<u8>)>) -> Result<PathTable, Damaged> {
    let mut paths: Vec<Arc<str>> = Vec::new();
    for (first, packed) in lists {
        if first != paths.len() as i64 + 1 {
            return Err(Damaged);
        }
        paths.extend(unpack_paths(&packed)?);
    }
    Ok(PathTable::of(paths))
}

/// Keeps the numbers of new paths, the first of which gets the table's next number.
pub async fn add_paths(
    conn: &mut Conn,
    domain: &DomainId,
    known: &PathTable,
    new: &[Arc<str>],
) -> Result<(), DbError> {
    const SQL: &str = "insert into visit_path_lists (domain_id, first_number, paths, packed) values ($1, $2, $3, $4) \
         on conflict (domain_id, first_number) do update set paths = excluded.paths, packed = excluded.packed";
    if new.is_empty() {
        return Ok(());
    }
    let open_list = last_list(conn, domain).await?.filter(|(_, paths)| *paths < PATHS_PER_LIST);
    let first = open_list.map_or(i64::from(known.next_number()), |(first, _)| first);
    let paths = [&known.paths()[first as usize..], new].concat();
    on_engine!(conn, |c| {
        let query = sqlx::query(SQL).bind(domain.as_str()).bind(first).bind(paths.len() as i64);
        query.bind(pack_paths(&paths)).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// A row of an open day.
#[derive(sqlx::FromRow)]
struct StoredRow {
    day: Day,
    path: String,
    crawler: String,
    verified: String,
    served: String,
    status: i64,
    visits: i64,
}

impl StoredRow {
    fn open(self) -> Result<OpenRow, DbError> {
        let kind = Kind {
            crawler: self.crawler,
            verified: Verified::parse(&self.verified).ok_or_else(|| damaged(Damaged))?,
            served: ServedBy::parse(&self.served).ok_or_else(|| damaged(Damaged))?,
            status: u16::try_from(self.status).map_err(|_| damaged(Damaged))?,
        };
        Ok(OpenRow { day: self.day, path: self.path.into(), kind, visits: self.visits.unsigned_abs() })
    }
}

/// Takes open rows of some days away, the earliest first and so many at most, to be packed in the same transaction. Rows that
/// another process counts in at the moment stay: waiting for them could be for ever, where it waits for some of these.
pub async fn take_open_rows(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
    most: usize,
) -> Result<Vec<OpenRow>, DbError> {
    let sql = match conn.engine() {
        Engine::Sqlite => {
            "delete from visit_open where domain_id = $1 and day between $2 and $3
                and (day, path, crawler, verified, served, status) in (
                    select day, path, crawler, verified, served, status
                    from visit_open where domain_id = $1 and day between $2 and $3 order by day limit $4)
            returning day, path, crawler, verified, served, status, visits"
        }
        Engine::Postgres => {
            "with taken as materialized (
                select day, path, crawler, verified, served, status
                from visit_open where domain_id = $1 and day between $2 and $3 order by day limit $4
                for update skip locked)
            delete from visit_open as o using taken as t
            where o.domain_id = $1 and o.day = t.day and o.path = t.path and o.crawler = t.crawler
                and o.verified = t.verified and o.served = t.served and o.status = t.status
            returning o.day, o.path, o.crawler, o.verified, o.served, o.status, o.visits"
        }
    };
    let rows: Vec<StoredRow> = on_engine!(conn, |c| {
        sqlx::query_as(sql).bind(domain.as_str()).bind(from).bind(to).bind(most as i64).fetch_all(c).await
    })?;
    rows.into_iter().map(StoredRow::open).collect()
}

/// The different pages that a day has in open rows; no more than `most`.
pub async fn list_open_pages(
    conn: &mut Conn,
    domain: &DomainId,
    day: Day,
    most: usize,
) -> Result<Vec<String>, DbError> {
    const SQL: &str = "select distinct path from visit_open \
         where domain_id = $1 and day = $2 and path <> '(other)' limit $3";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    Ok(on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(domain.as_str()).bind(day).bind(most).fetch_all(c).await
    })?)
}

/// Lists the days of a domain that have open rows. Goes from day to day in the index: a day may have 100,000 rows.
pub async fn list_open_days(conn: &mut Conn, domain: &DomainId) -> Result<Vec<Day>, DbError> {
    const SQL: &str = "with recursive days (day) as (\
             select min(day) from visit_open where domain_id = $1 \
             union all select (select min(day) from visit_open where domain_id = $1 and day > days.day) \
             from days where days.day is not null) \
         select day from days where day is not null";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_all(c).await)?)
}

/// Those of the paths that an open day has.
pub async fn list_open_among(
    conn: &mut Conn,
    domain: &DomainId,
    day: Day,
    paths: &HashSet<Arc<str>>,
) -> Result<HashSet<String>, DbError> {
    let paths: Vec<&Arc<str>> = paths.iter().collect();
    let mut known = HashSet::new();
    for chunk in paths.chunks(VALUES_PER_STATEMENT) {
        let found: Vec<String> = on_engine!(conn, |c| {
            let mut query =
                sqlx::QueryBuilder::new("select distinct path from visit_open where domain_id = ");
            query.push_bind(domain.as_str().to_owned()).push(" and day = ").push_bind(day);
            query.push(" and path in (");
            let mut list = query.separated(", ");
            for path in chunk {
                list.push_bind(path.to_string());
            }
            query.push(")").build_query_scalar().fetch_all(c).await
        })?;
        known.extend(found);
    }
    Ok(known)
}

/// Those of some days that are closed.
pub async fn find_segments(
    conn: &mut Conn,
    domain: &DomainId,
    days: &[Day],
) -> Result<HashMap<Day, DayRows>, DbError> {
    let mut found = HashMap::new();
    for chunk in days.chunks(VALUES_PER_STATEMENT) {
        let rows: Vec<(Day, Vec<u8>)> = on_engine!(conn, |c| {
            let mut query =
                sqlx::QueryBuilder::new("select day, packed from visit_segments where domain_id = ");
            query.push_bind(domain.as_str().to_owned()).push(" and day in (");
            let mut list = query.separated(", ");
            for day in chunk {
                list.push_bind(*day);
            }
            query.push(")").build_query_as().fetch_all(c).await
        })?;
        for (day, packed) in rows {
            found.insert(day, DayRows::unpack(&packed).map_err(damaged)?);
        }
    }
    Ok(found)
}

/// Keeps closed days in place of what was kept of them. Pages that got a snapshot are in one set, the others in a second one;
/// of days that earlier versions closed all of them are in the second one.
pub async fn put_segments(
    conn: &mut Conn,
    domain: &DomainId,
    days: &[(Day, DayRows)],
) -> Result<(), DbError> {
    const BEFORE: &str = "with v (domain_id, day, packed, served_pages, pages) as (";
    const AFTER: &str = ") insert into visit_segments (domain_id, day, packed, served_pages, pages) \
         select domain_id, day, packed, served_pages, pages from v \
         where exists (select 1 from domains where domains.id = v.domain_id) \
         on conflict (domain_id, day) do update set packed = excluded.packed, served_pages = excluded.served_pages, \
         pages = excluded.pages";
    let packed = |(day, rows): &(Day, DayRows)| {
        let PageSets { served, any } = rows.page_sets();
        (*day, rows.pack(), pack_pages(&served), pack_pages(&(&any - &served)))
    };
    let days: Vec<_> = days.iter().map(packed).collect();
    add_rows!(conn, days, BEFORE, AFTER, |(day, packed, served, others)| {
        "text": domain.as_str().to_owned(),
        "bigint": *day,
        "bytea": packed.clone(),
        "bytea": served.clone(),
        "bytea": others.clone(),
    });
    Ok(())
}

/// A closed day, or a row of an open one.
#[derive(sqlx::FromRow)]
struct WindowRow {
    day: Day,
    packed: Option<Vec<u8>>,
    path: Option<String>,
    crawler: Option<String>,
    verified: Option<String>,
    served: Option<String>,
    status: i64,
    visits: i64,
}

/// What is kept of some days: closed ones as their bytes, and rows of open ones.
pub type StoredWindow = (Vec<(Day, Vec<u8>)>, Vec<OpenRow>);

/// A domain's visits from one day to another, both included; of open days those of one path, when it is given.
pub async fn list_window(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
    path: Option<&str>,
) -> Result<StoredWindow, DbError> {
    const SQL: &str = "select day, packed, cast(null as text) as path, cast(null as text) as crawler, \
             cast(null as text) as verified, cast(null as text) as served, \
             cast(0 as bigint) as status, cast(0 as bigint) as visits \
         from visit_segments where domain_id = $1 and day between $2 and $3 \
         union all select day, null, path, crawler, verified, served, status, visits \
         from visit_open where domain_id = $1 and day between $2 and $3 and ($4 = '' or path = $4)";
    let rows: Vec<WindowRow> = on_engine!(conn, |c| {
        let query = sqlx::query_as(SQL).bind(domain.as_str()).bind(from).bind(to);
        query.bind(path.unwrap_or_default()).fetch_all(c).await
    })?;
    let (mut closed, mut open) = (Vec::new(), Vec::new());
    for row in rows {
        match (row.packed, row.path, row.crawler, row.verified, row.served) {
            (Some(packed), ..) => closed.push((row.day, packed)),
            (None, Some(path), Some(crawler), Some(verified), Some(served)) => {
                let (day, status, visits) = (row.day, row.status, row.visits);
                open.push(StoredRow { day, path, crawler, verified, served, status, visits }.open()?);
            }
            _ => return Err(damaged(Damaged)),
        }
    }
    Ok((closed, open))
}

/// Reads a closed day's bytes. Every page of it has a number below `next_number`.
pub fn unpack(packed: &[u8], next_number: u32) -> Result<DayRows, DbError> {
    let day = DayRows::unpack(packed).map_err(damaged)?;
    match day.rows.last() {
        Some(last) if last.page >= next_number => Err(damaged(Damaged)),
        _ => Ok(day),
    }
}

/// Domains with rows of days before this one that are not closed.
pub async fn list_domains_with_open_days(conn: &mut Conn, before: Day) -> Result<Vec<DomainId>, DbError> {
    const SQL: &str = "select id from domains where \
         exists (select 1 from visit_open where visit_open.domain_id = domains.id and visit_open.day < $1) or \
         exists (select 1 from visit_days where visit_days.domain_id = domains.id and visit_days.day < $1) or \
         exists (select 1 from visit_times where visit_times.domain_id = domains.id and visit_times.day < $1)";
    list_domains(conn, SQL, before).await
}

/// Domains of which something is kept by page from before this day.
pub async fn list_domains_with_old_visits(conn: &mut Conn, before: Day) -> Result<Vec<DomainId>, DbError> {
    const SQL: &str = "select id from domains where \
         exists (select 1 from visit_open where visit_open.domain_id = domains.id and visit_open.day < $1) or \
         exists (select 1 from visit_segments where visit_segments.domain_id = domains.id and visit_segments.day < $1) or \
         exists (select 1 from visit_times where visit_times.domain_id = domains.id and visit_times.day < $1) or \
         exists (select 1 from visit_totals where visit_totals.domain_id = domains.id and visit_totals.day < $1 \
             and visit_totals.times is not null) or \
         exists (select 1 from visit_referrals where visit_referrals.domain_id = domains.id and visit_referrals.day < $1)";
    list_domains(conn, SQL, before).await
}

async fn list_domains(conn: &mut Conn, sql: &'static str, before: Day) -> Result<Vec<DomainId>, DbError> {
    let ids: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(sql).bind(before).fetch_all(c).await)?;
    Ok(ids.iter().map(|id| DomainId::from(id.as_str())).collect())
}

/// The first day of a domain that has rows which are not closed, if it is before this one.
pub async fn find_first_open_day(
    conn: &mut Conn,
    domain: &DomainId,
    before: Day,
) -> Result<Option<Day>, DbError> {
    const SQL: &str = "select min(day) from (\
         select min(day) as day from visit_open where domain_id = $1 and day < $2 \
         union all select min(day) from visit_days where domain_id = $1 and day < $2 \
         union all select min(day) from visit_times where domain_id = $1 and day < $2) o";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).bind(before).fetch_one(c).await)?)
}

/// Deletes some of what is kept by page from before a day; answers how many rows.
pub async fn delete_some_before(conn: &mut Conn, domain: &DomainId, before: Day) -> Result<u64, DbError> {
    const STATEMENTS: [&str; 5] = [
        "delete from visit_open where domain_id = $1 and day < $2 and (day, path, crawler, verified, served, status) in \
         (select day, path, crawler, verified, served, status from visit_open where domain_id = $1 and day < $2 limit 1000)",
        "delete from visit_segments where domain_id = $1 and day < $2 and day in \
         (select day from visit_segments where domain_id = $1 and day < $2 limit 100)",
        "delete from visit_times where domain_id = $1 and day < $2 and (day, served, bucket) in \
         (select day, served, bucket from visit_times where domain_id = $1 and day < $2 limit 1000)",
        "update visit_totals set times = null where domain_id = $1 and day < $2 and times is not null and day in \
         (select day from visit_totals where domain_id = $1 and day < $2 and times is not null limit 1000)",
        "delete from visit_referrals where domain_id = $1 and day < $2 and (day, assistant, path) in \
         (select day, assistant, path from visit_referrals where domain_id = $1 and day < $2 limit 1000)",
    ];
    let mut deleted = 0;
    for sql in STATEMENTS {
        deleted += on_engine!(conn, |c| {
            let query = sqlx::query(sql).bind(domain.as_str()).bind(before);
            query.execute(c).await.map(|done| done.rows_affected())
        })?;
    }
    Ok(deleted)
}
