//! Closing days: open rows of a day that is over become part of its packed rows; late ones are added the same way.
//! A step is one transaction: rows are open or closed, never both and never neither. It may be repeated at any time, and
//! other processes may close days as well. See docs/decisions/0215.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use store::{Db, DbError};

use super::paths::{Numbering, PathTable};
use super::rows::{DayRows, Kind, OTHER_NUMBER};
use super::window::OpenRow;
use crate::analytics::model::Day;
use crate::analytics::queries::{segments as queries, totals};
use crate::domains::DomainId;

/// Open rows that are closed at once: nobody else writes to SQLite meanwhile.
const ROWS_AT_ONCE: i64 = 20_000;
/// Different pages of one day of a domain that are kept; the rarest beyond them are counted together.
pub const MAX_PAGES: usize = 100_000;

/// Closes one step of a day. `false`: there was nothing open.
pub async fn close_some(db: &Db, domain: &DomainId, day: Day, max_pages: usize) -> Result<bool, DbError> {
    let mut tx = db.write().await?;
    queries::lock_numbers(&mut tx, domain).await?;
    let open = queries::take_open_rows(&mut tx, domain, day, ROWS_AT_ONCE).await?;
    let has_totals = totals::close_totals(&mut tx, domain, day).await?;
    if open.is_empty() {
        tx.commit().await?;
        return Ok(has_totals);
    }
    // Only after the rows are ours: whoever had them before has closed them by now.
    let closed = queries::find_segment(&mut tx, domain, day).await?.unwrap_or_default();
    let table = queries::find_paths(&mut tx, domain).await?;
    let (rows, new) = add(&closed, open, &table, max_pages);
    queries::add_paths(&mut tx, domain, &table, &new).await?;
    queries::put_segment(&mut tx, domain, day, &rows).await?;
    tx.commit().await?;
    Ok(true)
}

/// A day with rows added to it, and the paths that get numbers by that.
fn add(
    closed: &DayRows,
    open: Vec<OpenRow>,
    table: &PathTable,
    max_pages: usize,
) -> (DayRows, Vec<Arc<str>>) {
    let kept = pages_with_room(closed, &open, table, max_pages);
    let mut counts: BTreeMap<(u32, Kind), u64> = closed.counts();
    let mut numbering = Numbering::after(table);
    for row in open {
        let page = match &kept {
            Some(kept) if !kept.contains(&row.path) => OTHER_NUMBER,
            _ => numbering.number(&row.path),
        };
        *counts.entry((page, row.kind)).or_default() += row.visits;
    }
    (DayRows::of(counts), numbering.into_new())
}

/// The paths among the open rows that there is room for: those that the day has already, then those with most visits. None:
/// there is room for all.
fn pages_with_room(
    closed: &DayRows,
    open: &[OpenRow],
    table: &PathTable,
    max_pages: usize,
) -> Option<HashSet<Arc<str>>> {
    let mut visits: HashMap<&Arc<str>, u64> = HashMap::new();
    for row in open {
        *visits.entry(&row.path).or_default() += row.visits;
    }
    let known: HashSet<u32> =
        closed.rows.iter().map(|row| row.page).filter(|page| *page != OTHER_NUMBER).collect();
    if known.len() + visits.len() <= max_pages {
        return None;
    }
    let is_known = |path: &Arc<str>| table.find(path).is_ok_and(|number| known.contains(&number));
    let (mut kept, mut new): (Vec<_>, Vec<_>) = visits.into_iter().partition(|(path, _)| is_known(path));
    new.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    new.truncate(max_pages.saturating_sub(known.len()));
    kept.extend(new);
    Some(kept.into_iter().map(|(path, _)| path.clone()).collect())
}
