//! SQL of paths whose visits have expired: their text and their first days go, their numbers are never given again. Used by the
//! store when a domain has little room left. Every statement needs the lock on the domain's numbers.
//! See docs/decisions/0423.

use std::sync::Arc;

use roaring::RoaringBitmap;
use store::{Conn, DbError, on_engine};

use super::damaged;
use crate::analytics::model::Day;
use crate::analytics::segments::first_days::FirstDayList;
use crate::analytics::segments::paths::{GIVEN_UP, PathTable, pack_paths};
use crate::analytics::segments::rows::DayRows;
use crate::domains::DomainId;

/// Closed days that are read at once: each may have 100,000 pages.
const DAYS_AT_ONCE: i64 = 20;

/// Lists domains that gave at least so many numbers to pages.
pub async fn list_domains_with_numbers(conn: &mut Conn, least: i64) -> Result<Vec<DomainId>, DbError> {
    const SQL: &str = "select domain_id from visit_path_lists group by domain_id \
         having cast(sum(paths) as bigint) >= $1 order by domain_id";
    let ids: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(least).fetch_all(c).await)?;
    Ok(ids.iter().map(|id| DomainId::from(id.as_str())).collect())
}

/// Lists the numbers of all pages that closed days name.
pub async fn list_numbers_in_use(conn: &mut Conn, domain: &DomainId) -> Result<RoaringBitmap, DbError> {
    const SQL: &str =
        "select day, packed from visit_segments where domain_id = $1 and day > $2 order by day limit $3";
    let (mut used, mut after) = (RoaringBitmap::new(), Day::MIN);
    loop {
        let days: Vec<(Day, Vec<u8>)> = on_engine!(conn, |c| {
            sqlx::query_as(SQL).bind(domain.as_str()).bind(after).bind(DAYS_AT_ONCE).fetch_all(c).await
        })?;
        let Some((last, _)) = days.last() else { return Ok(used) };
        after = *last;
        for (_, packed) in days {
            used.extend(DayRows::unpack(&packed).map_err(damaged)?.rows.iter().map(|row| row.page));
        }
    }
}

/// Gives up the paths with these numbers, and when they were visited first.
pub async fn give_up_paths(
    conn: &mut Conn,
    domain: &DomainId,
    table: &PathTable,
    numbers: &RoaringBitmap,
) -> Result<(), DbError> {
    const LISTS: &str =
        "select first_number, paths from visit_path_lists where domain_id = $1 and first_number > 0";
    const PUT: &str = "update visit_path_lists set packed = $3 where domain_id = $1 and first_number = $2";
    let lists: Vec<(i64, i64)> =
        on_engine!(conn, |c| sqlx::query_as(LISTS).bind(domain.as_str()).fetch_all(c).await)?;
    let given_up: Arc<str> = Arc::from(GIVEN_UP);
    for (first, paths) in lists {
        let range = first as u32..(first + paths) as u32;
        if numbers.range(range.clone()).next().is_none() {
            continue;
        }
        let kept =
            |number| if numbers.contains(number) { &given_up } else { &table.paths()[number as usize] };
        let packed = pack_paths(&range.map(|number| kept(number).clone()).collect::<Vec<_>>());
        on_engine!(conn, |c| {
            sqlx::query(PUT).bind(domain.as_str()).bind(first).bind(packed).execute(c).await.map(drop)
        })?;
    }
    forget_first_days(conn, domain, numbers).await
}

async fn forget_first_days(
    conn: &mut Conn,
    domain: &DomainId,
    numbers: &RoaringBitmap,
) -> Result<(), DbError> {
    const LISTS: &str = "select first_number, packed from visit_first_days where domain_id = $1";
    const PUT: &str = "update visit_first_days set packed = $3 where domain_id = $1 and first_number = $2";
    let lists: Vec<(i64, Vec<u8>)> =
        on_engine!(conn, |c| sqlx::query_as(LISTS).bind(domain.as_str()).fetch_all(c).await)?;
    for (first, packed) in lists {
        let mut list = FirstDayList::unpack(&packed).map_err(damaged)?;
        if list.forget(|at| numbers.contains((first as u32).saturating_add(at as u32))) {
            on_engine!(conn, |c| {
                let query = sqlx::query(PUT).bind(domain.as_str()).bind(first).bind(list.pack());
                query.execute(c).await.map(drop)
            })?;
        }
    }
    Ok(())
}
