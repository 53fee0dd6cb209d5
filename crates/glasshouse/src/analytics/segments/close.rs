//! Closing days: open rows of a day that is over become part of its packed rows; late ones are added the same way, and those
//! of a busy day before it is over.
//! A step is one transaction: rows are open or closed, never both and never neither. It may be repeated at any time, and
//! other processes may close days as well. See docs/decisions/0215 and docs/decisions/0311.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use store::{Conn, Db, DbError};

use super::first_days::FirstDays;
use super::paths::{Numbering, PathTable};
use super::rows::{DayRows, OTHER_NUMBER};
use super::window::OpenRow;
use crate::analytics::model::{Day, OTHER_PATHS};
use crate::analytics::queries::{first_days, segments as queries, totals};
use crate::domains::DomainId;

/// Open rows that are closed at once: nobody else writes to SQLite meanwhile.
pub const ROWS_AT_ONCE: usize = 20_000;
/// Different pages of one day of a domain that are kept; the rarest beyond them are counted together.
pub const MAX_PAGES: usize = 100_000;

/// Closes what is open of some days, a step of it. `false`: there was nothing.
pub async fn close_some(
    db: &Db,
    domain: &DomainId,
    days: (Day, Day),
    max_pages: usize,
) -> Result<bool, DbError> {
    let mut tx = db.write().await?;
    queries::lock_numbers(&mut tx, domain).await?;
    let mut open = take_rows(&mut tx, domain, days).await?;
    let has_totals = totals::close_totals(&mut tx, domain, days).await?;
    if !open.is_empty() {
        // Only after the rows are ours: whoever had them before has closed them by now.
        let table = queries::find_paths(&mut tx, domain).await?;
        add_rows(&mut tx, domain, &mut open, &table, max_pages).await?;
    }
    tx.commit().await?;
    Ok(!open.is_empty() || has_totals)
}

/// Takes as many open rows as are packed at once.
pub async fn take_rows(
    conn: &mut Conn,
    domain: &DomainId,
    days: (Day, Day),
) -> Result<BTreeMap<Day, Vec<OpenRow>>, DbError> {
    let mut open: BTreeMap<Day, Vec<OpenRow>> = BTreeMap::new();
    for row in queries::take_open_rows(conn, domain, days, ROWS_AT_ONCE).await? {
        open.entry(row.day).or_default().push(row);
    }
    Ok(open)
}

/// Adds rows to closed days; answers the paths that got numbers after those of the table, which is all there are. Rows of
/// pages that their day has no room for get the name of all such pages. The caller lets nobody else close days of the domain.
pub async fn add_rows(
    conn: &mut Conn,
    domain: &DomainId,
    days: &mut BTreeMap<Day, Vec<OpenRow>>,
    table: &PathTable,
    max_pages: usize,
) -> Result<Vec<Arc<str>>, DbError> {
    let numbers: Vec<Day> = days.keys().copied().collect();
    let mut closed = queries::find_segments(conn, domain, &numbers).await?;
    let (mut numbering, mut packed) = (Numbering::after(table), Vec::new());
    let mut first: BTreeMap<u32, FirstDays> = BTreeMap::new();
    for (day, rows) in days {
        let closed = closed.remove(day).unwrap_or_default();
        fold(&closed, rows, &numbering, max_pages);
        let rows = rows.iter().map(|row| (numbering.number(&row.path), &row.kind, row.visits));
        let rows: Vec<_> = rows.collect();
        for (page, kind, _) in rows.iter().filter(|(page, ..)| *page != OTHER_NUMBER) {
            if let Some(days) = FirstDays::of(kind, *day) {
                first.entry(*page).or_insert(days).take_earlier(days);
            }
        }
        packed.push((*day, closed.with(rows)));
    }
    let new = numbering.into_new();
    queries::add_paths(conn, domain, table, &new).await?;
    queries::put_segments(conn, domain, &packed).await?;
    first_days::note_first_days(conn, domain, &first).await?;
    Ok(new)
}

/// Packs first days of pages by their paths; answers the paths that got numbers, as [`add_rows`] does.
pub async fn add_first_days(
    conn: &mut Conn,
    domain: &DomainId,
    days: &[(Arc<str>, FirstDays)],
    table: &PathTable,
) -> Result<Vec<Arc<str>>, DbError> {
    let mut numbering = Numbering::after(table);
    let mut first: BTreeMap<u32, FirstDays> = BTreeMap::new();
    for (path, days) in days {
        let number = numbering.number(path);
        if number != OTHER_NUMBER {
            first.entry(number).or_insert(*days).take_earlier(*days);
        }
    }
    let new = numbering.into_new();
    queries::add_paths(conn, domain, table, &new).await?;
    first_days::note_first_days(conn, domain, &first).await?;
    Ok(new)
}

/// Renames the pages beyond a day's room. Those that the day has already stay, then those with most visits.
fn fold(closed: &DayRows, rows: &mut [OpenRow], numbering: &Numbering<'_>, max_pages: usize) {
    let mut visits: HashMap<Arc<str>, u64> = HashMap::new();
    for row in rows.iter() {
        *visits.entry(row.path.clone()).or_default() += row.visits;
    }
    let known: HashSet<u32> =
        closed.rows.iter().map(|row| row.page).filter(|page| *page != OTHER_NUMBER).collect();
    if known.len() + visits.len() <= max_pages {
        return;
    }
    let is_known = |path: &Arc<str>| numbering.find(path).is_some_and(|number| known.contains(&number));
    let mut new: Vec<_> = visits.into_iter().filter(|(path, _)| !is_known(path)).collect();
    new.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let room = max_pages.saturating_sub(known.len());
    let refused: HashSet<Arc<str>> = new.into_iter().skip(room).map(|(path, _)| path).collect();
    let other = Arc::from(OTHER_PATHS);
    for row in rows.iter_mut().filter(|row| refused.contains(&row.path)) {
        row.path = Arc::clone(&other);
    }
}
