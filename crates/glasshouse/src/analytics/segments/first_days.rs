//! When each of a domain's pages was visited first, by its number: lists of days as columns of varints under zstd. Pure.
//! See docs/decisions/0360.

use super::rows::{Damaged, Kind, compress, decompress, put, take};
use crate::analytics::model::{Day, ServedBy, Verified};

/// Pages of one list.
pub const PAGES_PER_LIST: u32 = 5_000;

/// The first days of a page. Impostors visit nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstDays {
    /// With a snapshot.
    pub served: Option<Day>,
    pub any: Day,
}

impl FirstDays {
    /// Those of a page that had only visits of this kind on this day.
    pub fn of(kind: &Kind, day: Day) -> Option<FirstDays> {
        let served = (kind.served != ServedBy::Origin).then_some(day);
        (kind.verified != Verified::No).then_some(FirstDays { served, any: day })
    }

    /// Takes earlier days in place of its own.
    pub fn take_earlier(&mut self, other: FirstDays) {
        self.any = self.any.min(other.any);
        self.served = self.served.into_iter().chain(other.served).min();
    }

    /// The first day, visits that the origin answered counted or not.
    pub fn day(self, with_origin: bool) -> Option<Day> {
        if with_origin { Some(self.any) } else { self.served }
    }
}

/// The first days of pages whose numbers follow each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstDayList(Vec<Option<FirstDays>>);

impl FirstDayList {
    /// Notes the first days of the page at a place; `false`: earlier ones were known.
    pub fn note(&mut self, at: usize, days: FirstDays) -> bool {
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        let known = self.0[at];
        let earliest = self.0[at].get_or_insert(days);
        earliest.take_earlier(days);
        known != Some(*earliest)
    }

    /// Forgets the first days of pages at some places. Returns whether any were known.
    pub fn forget(&mut self, is_forgotten: impl Fn(usize) -> bool) -> bool {
        let mut has_known = false;
        for (_, days) in self.0.iter_mut().enumerate().filter(|(at, _)| is_forgotten(*at)) {
            has_known |= days.take().is_some();
        }
        has_known
    }

    /// Place and first days of each page that has some.
    pub fn iter(&self) -> impl Iterator<Item = (usize, FirstDays)> + '_ {
        self.0.iter().enumerate().filter_map(|(at, days)| Some((at, (*days)?)))
    }

    /// As bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + self.0.len() * 4);
        put(&mut bytes, self.0.len() as u64);
        // Column by column. Nothing is 0; a day with a snapshot is told from the first one.
        let any = |days: &Option<FirstDays>| days.map_or(0, |days| days.any.unsigned_abs() + 1);
        let served =
            |days: &Option<FirstDays>| days.map_or(0, |d| d.served.map_or(0, |day| day.abs_diff(d.any) + 1));
        self.0.iter().for_each(|days| put(&mut bytes, any(days)));
        self.0.iter().for_each(|days| put(&mut bytes, served(days)));
        compress(&bytes)
    }

    /// Reads what [`FirstDayList::pack`] wrote.
    pub fn unpack(packed: &[u8]) -> Result<FirstDayList, Damaged> {
        let bytes = decompress(packed)?;
        let mut rest = bytes.as_slice();
        let count = usize::try_from(take(&mut rest)?).map_err(|_| Damaged)?;
        if count > rest.len() {
            return Err(Damaged);
        }
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(take_day(&mut rest)?.map(|any| FirstDays { served: None, any }));
        }
        for days in &mut list {
            match (days, take_day(&mut rest)?) {
                (Some(days), Some(later)) => days.served = Some(days.any.checked_add(later).ok_or(Damaged)?),
                (_, None) => {}
                (None, Some(_)) => return Err(Damaged),
            }
        }
        if rest.is_empty() { Ok(FirstDayList(list)) } else { Err(Damaged) }
    }
}

fn take_day(rest: &mut &[u8]) -> Result<Option<Day>, Damaged> {
    let Some(day) = take(rest)?.checked_sub(1) else { return Ok(None) };
    Day::try_from(day).map(Some).map_err(|_| Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(served: Option<Day>, any: Day) -> FirstDays {
        FirstDays { served, any }
    }

    #[test]
    fn the_earliest_days_are_kept() {
        let mut list = FirstDayList::default();

        assert!(list.note(2, days(None, 20_000)));
        assert!(list.note(2, days(Some(20_005), 20_005)));
        assert!(!list.note(2, days(Some(20_005), 20_006)));
        assert!(list.note(2, days(Some(20_001), 20_001)));
        assert!(!list.note(2, days(None, 20_000)));

        assert_eq!(list.iter().collect::<Vec<_>>(), [(2, days(Some(20_001), 20_000))]);
    }

    #[test]
    fn a_list_comes_back_as_it_was() {
        let mut list = FirstDayList::default();
        list.note(0, days(Some(0), 0));
        list.note(7, days(None, 20_000));
        list.note(4_999, days(Some(20_400), 19_000));

        assert_eq!(FirstDayList::unpack(&list.pack()), Ok(list));
        assert_eq!(FirstDayList::unpack(&FirstDayList::default().pack()), Ok(FirstDayList::default()));
    }

    #[test]
    fn first_days_of_some_pages_are_forgotten() {
        let mut list = FirstDayList::default();
        list.note(2, days(None, 20_000));
        list.note(4, days(Some(20_001), 20_000));

        assert!(list.forget(|at| at > 2));
        assert!(!list.forget(|at| at > 2));

        assert_eq!(list.iter().collect::<Vec<_>>(), [(2, days(None, 20_000))]);
        assert_eq!(FirstDayList::unpack(&list.pack()), Ok(list));
    }

    #[test]
    fn bytes_that_are_no_list_are_refused() {
        // A page without a first day that had a snapshot; more pages than there are bytes; something behind the last page.
        for bytes in [&[1, 0, 1][..], &[200, 1, 1, 1], &[1, 1, 0, 0], &[0xff]] {
            assert_eq!(FirstDayList::unpack(&compress(bytes)), Err(Damaged), "{bytes:?}");
        }
    }
}
