//! Visits of a window by page: the statement that asks for them, and the reports' form of its answer. Pure.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::rows::{PAGE, Reader};
use super::{in_scope, of_window, quoted};
use crate::analytics::model::{Day, OTHER_PATHS, ServedBy, Verified};
use crate::analytics::segments::paths::PathTable;
use crate::analytics::segments::rows::{DayRow, DayRows, Kind, OTHER_NUMBER, sum_up};
use crate::analytics::segments::window::WindowVisits;
use crate::analytics::stores::{Detail, VisitError};
use crate::domains::DomainId;

/// Asks for day, path, crawler, verified, served, status and visits. In the place of what a report does not need stands a
/// constant. Where a row is left of nearly every row that there is, the server is not asked to sum up: it groups by texts, which
/// takes three times as long as sending them all and summing up here.
/// See docs/decisions/0278.
pub fn statement(domain: &DomainId, window: (Day, Day), detail: Detail<'_>) -> String {
    let rows = of_window(domain, PAGE, window);
    let needed = "toUInt16(0), path, crawler, toUInt8(2), served, toUInt16(0)";
    match detail {
        Detail::Rows => format!(
            "select day, path, crawler, verified, served, status, sum(visits) from visits where {rows} \
             group by day, path, crawler, verified, served, status format RowBinary"
        ),
        Detail::Sums(scope) => format!(
            "select {needed}, visits from visits where {rows} and {} format RowBinary",
            in_scope(scope)
        ),
        Detail::Page(scope, path) => format!(
            "select {needed}, sum(visits) from visits where {rows} and {} and path = {} \
             group by path, crawler, served format RowBinary",
            in_scope(scope),
            quoted(path)
        ),
        Detail::Errors => format!(
            "select day, path, crawler, toUInt8(2), toUInt8(2), status, sum(visits) from visits \
             where {rows} and verified != 1 and status >= 400 group by day, path, crawler, status format RowBinary"
        ),
    }
}

/// The answer to such a statement, summed up.
pub fn read(answer: &[u8]) -> Result<WindowVisits, VisitError> {
    let mut paths: Vec<Arc<str>> = Vec::new();
    let mut numbers: HashMap<&str, u32> = HashMap::from([(OTHER_PATHS, OTHER_NUMBER)]);
    let mut kinds: Vec<Kind> = Vec::new();
    let mut kind_numbers: HashMap<(&str, Verified, ServedBy, u16), u32> = HashMap::new();
    let mut days: BTreeMap<Day, Vec<DayRow>> = BTreeMap::new();
    Reader::new(answer).rows(|row| {
        let (day, path, crawler) = (row.day()?, row.text()?, row.text()?);
        let (verified, served, status) = (row.verified()?, row.served()?, row.u16()?);
        let page = *numbers.entry(path).or_insert_with(|| {
            paths.push(path.into());
            paths.len() as u32
        });
        let kind = *kind_numbers.entry((crawler, verified, served, status)).or_insert_with(|| {
            kinds.push(Kind { crawler: crawler.to_owned(), verified, served, status });
            kinds.len() as u32 - 1
        });
        days.entry(day).or_default().push(DayRow { page, kind, visits: row.u64()? });
        Ok(())
    })?;
    let closed = days.into_iter().map(|(day, mut rows)| {
        sum_up(&mut rows, |row| (row.page, row.kind), |row| &mut row.visits);
        (day, DayRows { kinds: kinds.clone(), rows })
    });
    Ok(WindowVisits::new(closed.collect(), Vec::new(), Arc::new(PathTable::of(paths))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_page_that_came_apart_are_one_sum() {
        let mut answer = Vec::new();
        for (path, crawler, visits) in
            [("/b", "gptbot", 1), ("/a", "gptbot", 2), ("/b", "gptbot", 3), ("/b", "bingbot", 5)]
        {
            let texts = [path, crawler].map(|text| [&[text.len() as u8], text.as_bytes()].concat());
            answer.extend([&[0, 0], texts.concat().as_slice(), &[2, 0, 0, 0, visits], &[0; 7]].concat());
        }

        let visits = read(&answer).unwrap();

        let rows = visits
            .rows()
            .map(|(_, page, kind, count)| (visits.pages().path(page), kind.crawler.as_str(), count));
        let rows: Vec<_> = rows.collect();
        assert_eq!(
            rows,
            [("/b".into(), "gptbot", 4), ("/b".into(), "bingbot", 5), ("/a".into(), "gptbot", 2)]
        );
    }
}
