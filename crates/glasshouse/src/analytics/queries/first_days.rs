//! SQL of the pages of a domain and their first days: packed for pages that have a number; those of open rows are in the rows.
//! Both are always read in one statement: between two, a day could be closed, and its pages seen at neither place.
//! `visit_paths` holds what earlier versions kept in a row for each page, until it is packed.

use std::collections::{BTreeMap, BTreeSet};

use store::{Conn, DbError, on_engine};

use super::{add_rows, damaged};
use crate::analytics::model::Day;
use crate::analytics::segments::first_days::{FirstDayList, FirstDays, PAGES_PER_LIST};
use crate::analytics::segments::rows::{Damaged, unpack_pages};
use crate::analytics::segments::window_pages::{OpenPage, WindowPages};
use crate::domains::DomainId;

/// In the place of a list's first number: it is a set of pages.
const NO_LIST: i64 = -1;

/// First days by number, and by path those that are not packed yet. A page can be in both.
pub type KeptFirstDays = (Vec<(u32, FirstDays)>, Vec<(String, FirstDays)>);

/// A packed list and its first number, or a path and its days.
type StoredDays = (Option<Vec<u8>>, i64, Option<String>, Option<Day>, Option<Day>);

/// A packed list and its first number, a set of pages, or the lines of pages with rows of their own.
type StoredPages = (Option<Vec<u8>>, i64, Option<String>);

/// All first days of a domain.
pub async fn find_first_days(conn: &mut Conn, domain: &DomainId) -> Result<KeptFirstDays, DbError> {
    const SQL: &str = "select packed, first_number, cast(null as text) as path, \
             cast(null as bigint) as served_day, cast(null as bigint) as any_day \
         from visit_first_days where domain_id = $1 \
         union all select null, 0, path, min(case when served <> 'origin' then day end), min(day) \
         from visit_open where domain_id = $1 and verified <> 'no' and path <> '(other)' group by path \
         union all select null, 0, path, first_served_day, first_any_day from visit_paths where domain_id = $1";
    let rows: Vec<StoredDays> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_all(c).await)?;
    let (mut numbered, mut by_path) = KeptFirstDays::default();
    for row in rows {
        match row {
            (Some(packed), first, ..) => numbered.extend(unpack(&packed, first)?),
            (None, _, Some(path), served, Some(any)) => by_path.push((path, FirstDays { served, any })),
            _ => return Err(damaged(Damaged)),
        }
    }
    Ok((numbered, by_path))
}

/// The statement of [`list_window_pages`]: the sets of pages of closed days, the visits that count, and their first day in
/// rows of earlier versions. Pages with rows of their own come as one text, a line each: a thousand rows take milliseconds. A path that an
/// earlier version kept with a line break reads as it is counted now.
macro_rules! window_pages {
    ($sets:literal, $counts:literal, $first:literal) => {
        concat!(
            "select packed, first_number, cast(null as text) as open from visit_first_days where domain_id = $1 ",
            $sets,
            "union all select null, 0, string_agg(line, '\n') from (\
             select cast(min(day) as text) || ' ' || \
                 cast(max(case when day between $2 and $3 then 1 else 0 end) as text) || ' ' || replace(path, '\n', '%0A') as line \
             from visit_open where domain_id = $1 and verified <> 'no' and path <> '(other)' and ",
            $counts,
            " group by path union all select cast(",
            $first,
            " as text) || ' 0 ' || replace(path, '\n', '%0A') from visit_paths where domain_id = $1 and ",
            $first,
            " is not null) o"
        )
    };
}

/// The pages that were visited from one day to another, and the first days of all. Impostors' and what was folded are left out.
pub async fn list_window_pages(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (Day, Day),
    with_origin: bool,
) -> Result<WindowPages, DbError> {
    const SNAPSHOTS: &str = window_pages!(
        "union all select served_pages, -1, null from visit_segments \
         where domain_id = $1 and day between $2 and $3 ",
        "served <> 'origin'",
        "first_served_day"
    );
    const ALL: &str = window_pages!(
        "union all select served_pages, -1, null from visit_segments \
         where domain_id = $1 and day between $2 and $3 \
         union all select pages, -1, null from visit_segments \
         where domain_id = $1 and day between $2 and $3 ",
        "1 = 1",
        "first_any_day"
    );
    let sql = if with_origin { ALL } else { SNAPSHOTS };
    let rows: Vec<StoredPages> = on_engine!(conn, |c| {
        sqlx::query_as(sql).bind(domain.as_str()).bind(from).bind(to).fetch_all(c).await
    })?;
    let mut pages = WindowPages::default();
    for row in rows {
        match row {
            (Some(set), NO_LIST, ..) => pages.visited |= unpack_pages(&set).map_err(damaged)?,
            (Some(packed), first, ..) => {
                let of_scope = |(number, days): (u32, FirstDays)| Some((number, days.day(with_origin)?));
                pages.first.extend(unpack(&packed, first)?.into_iter().filter_map(of_scope));
            }
            (None, _, Some(open)) => {
                let open = open.split('\n').map(|line| OpenPage::parse(line).ok_or_else(|| damaged(Damaged)));
                pages.open = open.collect::<Result<_, DbError>>()?;
            }
            (None, _, None) => {}
        }
    }
    Ok(pages)
}

/// First days of a list by number.
fn unpack(packed: &[u8], first: i64) -> Result<Vec<(u32, FirstDays)>, DbError> {
    let first = u32::try_from(first).map_err(|_| damaged(Damaged))?;
    let list = FirstDayList::unpack(packed).map_err(damaged)?;
    Ok(list.iter().map(|(at, days)| (first.saturating_add(at as u32), days)).collect())
}

/// Notes when numbered pages were visited first; an earlier day than the known one takes its place. The caller lets nobody
/// else give numbers of the domain.
pub async fn note_first_days(
    conn: &mut Conn,
    domain: &DomainId,
    first: &BTreeMap<u32, FirstDays>,
) -> Result<(), DbError> {
    const BEFORE: &str = "with v (domain_id, first_number, packed) as (";
    const AFTER: &str = ") insert into visit_first_days (domain_id, first_number, packed) \
         select domain_id, first_number, packed from v \
         where exists (select 1 from domains where domains.id = v.domain_id) \
         on conflict (domain_id, first_number) do update set packed = excluded.packed";
    let (Some((lowest, _)), Some((highest, _))) = (first.first_key_value(), first.last_key_value()) else {
        return Ok(());
    };
    let mut known = find_lists(conn, domain, (first_of_list(*lowest), first_of_list(*highest))).await?;
    let mut changed = BTreeSet::new();
    for (number, days) in first {
        let of_list = first_of_list(*number);
        if known.entry(of_list).or_default().note((number % PAGES_PER_LIST) as usize, *days) {
            changed.insert(of_list);
        }
    }
    let packed: Vec<(i64, Vec<u8>)> =
        changed.into_iter().map(|first| (first, known[&first].pack())).collect();
    add_rows!(conn, packed, BEFORE, AFTER, |(first, packed)| {
        "text": domain.as_str().to_owned(),
        "bigint": *first,
        "bytea": packed.clone(),
    });
    Ok(())
}

fn first_of_list(number: u32) -> i64 {
    i64::from(number - number % PAGES_PER_LIST)
}

/// The lists that begin from one number to another.
async fn find_lists(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (i64, i64),
) -> Result<BTreeMap<i64, FirstDayList>, DbError> {
    const SQL: &str = "select first_number, packed from visit_first_days \
         where domain_id = $1 and first_number between $2 and $3";
    let rows: Vec<(i64, Vec<u8>)> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(from).bind(to).fetch_all(c).await
    })?;
    let list = |(first, packed): (i64, Vec<u8>)| Ok((first, FirstDayList::unpack(&packed).map_err(damaged)?));
    rows.into_iter().map(list).collect()
}

/// Domains of which earlier versions kept a row for each page.
pub async fn list_domains_with_unpacked(conn: &mut Conn) -> Result<Vec<DomainId>, DbError> {
    const SQL: &str = "select id from domains where \
         exists (select 1 from visit_paths where visit_paths.domain_id = domains.id)";
    let ids: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(SQL).fetch_all(c).await)?;
    Ok(ids.iter().map(|id| DomainId::from(id.as_str())).collect())
}

/// Takes some of those rows away, to be packed in the same transaction.
pub async fn take_unpacked(
    conn: &mut Conn,
    domain: &DomainId,
    most: usize,
) -> Result<Vec<(String, FirstDays)>, DbError> {
    const SQL: &str = "delete from visit_paths where domain_id = $1 and path in \
             (select path from visit_paths where domain_id = $1 limit $2) \
         returning path, first_served_day, first_any_day";
    let rows: Vec<(String, Option<Day>, Day)> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(most as i64).fetch_all(c).await
    })?;
    Ok(rows.into_iter().map(|(path, served, any)| (path, FirstDays { served, any })).collect())
}
