//! Visits of a window by page: the statement that asks for them, and the reports' form of its answer. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

// Faster than that of the standard library for short texts: every row is looked up twice.
use hashbrown::HashMap;

use super::rows::{DAY, PAGE, Reader, text_of};
use super::{in_scope, quoted};
use crate::analytics::for_dashboard::DomainDay;
use crate::analytics::model::{Day, OTHER_PATHS, ServedBy, Verified};
use crate::analytics::segments::paths::PathTable;
use crate::analytics::segments::rows::{DayRow, DayRows, Kind, OTHER_NUMBER};
use crate::analytics::segments::window::WindowVisits;
use crate::analytics::stores::{Detail, VisitError};
use crate::domains::DomainId;

/// Rows of one kind of a domain's window.
pub fn of_window(domain: &DomainId, what: u8, (from, to): (Day, Day)) -> String {
    let (domain, from) = (quoted(domain.as_str()), from.max(0));
    format!("domain = {domain} and what = {what} and day between {from} and {to}")
}

/// What of each row is sent, after path, crawler, served and visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// Nothing: the report does not need it, and most of its time would go into sending it.
    Few,
    /// Day, verified and status.
    All,
}

impl Columns {
    /// Those that a statement asks for.
    pub fn of(detail: Detail<'_>) -> Columns {
        match detail {
            Detail::Rows | Detail::Days | Detail::Errors => Columns::All,
            Detail::Sums(_) | Detail::Page(..) => Columns::Few,
        }
    }
}

/// Asks for rows with these columns. Where a row is left of nearly every row that there is, the server is not asked to sum up:
/// it groups by texts, which takes three times as long as sending them all and summing up here.
/// See docs/decisions/0278.
pub fn statement(domain: &DomainId, window: (Day, Day), detail: Detail<'_>) -> String {
    let rows = of_window(domain, PAGE, window);
    match detail {
        Detail::Rows => format!(
            "select path, crawler, served, sum(visits), day, verified, status from visits where {rows} \
             group by day, path, crawler, verified, served, status format RowBinary"
        ),
        Detail::Sums(scope) => format!(
            "select path, crawler, served, visits from visits where {rows} and {} format RowBinary",
            in_scope(scope)
        ),
        Detail::Days => format!(
            "select path, crawler, served, sum(visits), day, toUInt8(2), toUInt16(0) from visits \
             where {rows} and verified != 1 group by day, path, crawler, served format RowBinary"
        ),
        Detail::Page(scope, path) => format!(
            "select path, crawler, served, sum(visits) from visits where {rows} and {} and path = {} \
             group by path, crawler, served format RowBinary",
            in_scope(scope),
            quoted(path)
        ),
        Detail::Errors => format!(
            "select path, crawler, toUInt8(2), sum(visits), day, toUInt8(2), status from visits \
             where {rows} and verified != 1 and status >= 400 group by day, path, crawler, status format RowBinary"
        ),
    }
}

/// Writes the statement that sums up the visits of some domains by domain and day.
pub fn sums_of(domains: &[DomainId], (from, to): (Day, Day)) -> String {
    let names: Vec<String> = domains.iter().map(|domain| quoted(domain.as_str())).collect();
    let (names, from) = (names.join(", "), from.max(0));
    format!(
        "select domain, day, sum(visits), sumIf(visits, status >= 4) from visits \
         where domain in ({names}) and what = {DAY} and day between {from} and {to} and verified != 1 \
         group by domain, day"
    )
}

/// Reads a row of [`sums_of`].
pub fn read_sum(row: &mut Reader<'_>) -> Result<DomainDay, VisitError> {
    let (domain, day) = (DomainId::from(row.text()?.to_owned()), row.day()?);
    Ok(DomainDay { domain, day, visits: row.u64()?, failed: row.u64()? })
}

/// The answer to such a statement. Rows of a page stay apart as they came: every report sums them up anyway.
pub fn read(answer: &[u8], columns: Columns) -> Result<WindowVisits, VisitError> {
    let mut paths: Vec<Arc<str>> = Vec::new();
    let mut numbers: HashMap<&[u8], u32> = HashMap::from([(OTHER_PATHS.as_bytes(), OTHER_NUMBER)]);
    let mut kinds: Vec<Kind> = Vec::new();
    let mut kind_numbers: HashMap<(&[u8], Verified, ServedBy, u16), u32> = HashMap::new();
    let mut days: BTreeMap<Day, Vec<DayRow>> = BTreeMap::new();
    Reader::new(answer).rows(|row| {
        let (path, crawler) = (row.bytes_of_text()?, row.bytes_of_text()?);
        let (served, visits) = (row.served()?, row.u64()?);
        let (day, verified, status) = match columns {
            Columns::Few => (0, Verified::Unknown, 0),
            Columns::All => (row.day()?, row.verified()?, row.u16()?),
        };
        let page = match numbers.get(path) {
            Some(known) => *known,
            None => {
                paths.push(text_of(path)?.into());
                numbers.insert(path, paths.len() as u32);
                paths.len() as u32
            }
        };
        let kind = match kind_numbers.get(&(crawler, verified, served, status)) {
            Some(known) => *known,
            None => {
                let next = kinds.len() as u32;
                kinds.push(Kind { crawler: text_of(crawler)?.to_owned(), verified, served, status });
                kind_numbers.insert((crawler, verified, served, status), next);
                next
            }
        };
        days.entry(day).or_default().push(DayRow { page, kind, visits });
        Ok(())
    })?;
    let closed = days.into_iter().map(|(day, rows)| (day, DayRows { kinds: kinds.clone(), rows }));
    Ok(WindowVisits::new(closed.collect(), Vec::new(), Arc::new(PathTable::of(paths))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn few(path: &str, crawler: &str, visits: u8) -> Vec<u8> {
        let texts = [path, crawler].map(|text| [&[text.len() as u8], text.as_bytes()].concat());
        [texts.concat().as_slice(), &[0, visits], &[0; 7]].concat()
    }

    #[test]
    fn rows_of_a_page_that_came_apart_are_one_sum() {
        let rows = [("/b", "gptbot", 1), ("/a", "gptbot", 2), ("/b", "gptbot", 3), ("/b", "bingbot", 5)];
        let answer = rows.map(|(path, crawler, visits)| few(path, crawler, visits)).concat();

        let visits = read(&answer, Columns::Few).unwrap();

        let sums = visits.sum(|_| true, |kind| Some(if kind.crawler == "gptbot" { "gpt" } else { "bing" }));
        let sums: Vec<_> =
            sums.iter().map(|sum| (visits.pages().path(sum.page).clone(), sum.key, sum.visits)).collect();
        assert_eq!(sums, [("/b".into(), "bing", 5), ("/b".into(), "gpt", 4), ("/a".into(), "gpt", 2)]);
    }

    #[test]
    fn a_row_with_all_columns_has_its_day_and_status() {
        let answer = [few("/a", "gptbot", 7), few("/a", "gptbot", 1)]
            .map(|row| [&row, &[9, 0, 1, 0x94, 1][..]].concat());

        let visits = read(&answer.concat(), Columns::All).unwrap();

        let rows: Vec<_> =
            visits.rows().map(|(day, _, kind, visits)| (day, kind.verified, kind.status, visits)).collect();
        assert_eq!(rows, [(9, Verified::No, 404, 7), (9, Verified::No, 404, 1)]);
    }

    #[test]
    fn a_path_that_is_no_text_is_refused() {
        let mut answer = few("/a", "gptbot", 7);
        answer[2] = 0xff;

        assert!(read(&answer, Columns::Few).is_err());
    }
}
