//! What a closed day of a domain adds up to, as bytes: its visits by kind, and how long answers took. Pure.
//! Both have the form of a closed day's rows, so that there is one such form: visits by kind are those of one page, and a
//! bucket of times stands in a page's place.
//! See docs/decisions/0277.

use std::collections::BTreeMap;

use super::rows::{Damaged, DayRow, DayRows, Kind, OTHER_NUMBER};
use crate::analytics::model::{ServedBy, Verified};

/// Visits by kind; the status is its first digit only.
pub type KindCounts = BTreeMap<Kind, u64>;

/// Way and bucket of its time.
pub type TimeOfWay = (ServedBy, i64);

/// Answers by way and bucket of their time.
pub type TimeCounts = BTreeMap<TimeOfWay, u64>;

/// What a day adds up to.
#[derive(Debug, Default)]
pub struct DayTotals {
    /// Its visits.
    pub kinds: KindCounts,
    /// How long answers took.
    pub times: TimeCounts,
}

/// Visits by kind as bytes.
pub fn pack_kinds(counts: &KindCounts) -> Vec<u8> {
    let row = |(kind, visits): (&Kind, &u64)| ((OTHER_NUMBER, kind.clone()), *visits);
    DayRows::of(counts.iter().map(row).collect()).pack()
}

/// Reads what [`pack_kinds`] wrote, in order.
pub fn unpack_kinds(packed: &[u8]) -> Result<Vec<(Kind, u64)>, Damaged> {
    let DayRows { kinds, rows } = DayRows::unpack(packed)?;
    // Of one page: each kind has its row, in the same order.
    let is_whole = kinds.len() == rows.len() && rows.iter().zip(0..).all(|(row, at)| row.kind == at);
    let visits = rows.into_iter().map(|row| row.visits);
    if is_whole { Ok(kinds.into_iter().zip(visits).collect()) } else { Err(Damaged) }
}

/// Times as bytes.
pub fn pack_times(times: &TimeCounts) -> Vec<u8> {
    let row = |((served, bucket), visits): (&(ServedBy, i64), &u64)| {
        let kind = Kind { crawler: String::new(), verified: Verified::Unknown, served: *served, status: 0 };
        ((u32::try_from(*bucket).unwrap_or_default(), kind), *visits)
    };
    DayRows::of(times.iter().map(row).collect()).pack()
}

/// Reads what [`pack_times`] wrote.
pub fn unpack_times(packed: &[u8]) -> Result<Vec<(TimeOfWay, u64)>, Damaged> {
    let DayRows { kinds, rows } = DayRows::unpack(packed)?;
    let time = |row: DayRow| ((kinds[row.kind as usize].served, i64::from(row.page)), row.visits);
    Ok(rows.into_iter().map(time).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_day_adds_up_to_comes_back_as_it_was() {
        let kind = |crawler: &str, served, status| Kind {
            crawler: crawler.to_owned(),
            verified: Verified::Yes,
            served,
            status,
        };
        let kinds = KindCounts::from([
            (kind("gptbot", ServedBy::Cache, 2), 7),
            (kind("gptbot", ServedBy::Origin, 4), 1),
            (kind("bingbot", ServedBy::Cache, 2), u64::MAX),
        ]);
        let times = TimeCounts::from([
            ((ServedBy::Cache, 0), 3),
            ((ServedBy::Render, 0), 4),
            ((ServedBy::Render, 380), 1),
        ]);

        assert_eq!(unpack_kinds(&pack_kinds(&kinds)).map(KindCounts::from_iter), Ok(kinds));
        assert_eq!(unpack_times(&pack_times(&times)).map(TimeCounts::from_iter), Ok(times.clone()));
        assert_eq!(unpack_kinds(&pack_times(&times)), Err(Damaged));
        assert_eq!(unpack_times(b"no totals"), Err(Damaged));
    }
}
