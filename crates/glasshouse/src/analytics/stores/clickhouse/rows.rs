//! The rows of the one table, and ClickHouse's binary form of rows. Pure.
//! A row is one of five kinds: what the batch was called, counts of a day, of a page, of times, of people from assistants.

use super::super::VisitError;
use crate::analytics::model::{Day, DayKey, ServedBy, TimeKey, Verified, VisitKey};
use crate::analytics::referrals::ReferralKey;

/// What sent rows are called in a statement.
pub const NAME: &str = "sent";
/// Their columns, those of the table in its order.
pub const STRUCTURE: &str = "domain String, what UInt8, day UInt16, path String, crawler String, verified UInt8, \
     served UInt8, status UInt16, bucket UInt16, visits UInt64";

/// The name of a batch, in `path`.
pub const BATCH: u8 = 0;
/// Counts of a day; `status` is its first digit.
pub const DAY: u8 = 1;
/// Counts of a page.
pub const PAGE: u8 = 2;
/// Counts of times.
pub const TIME: u8 = 3;
/// People from assistants; `crawler` is the assistant.
pub const REFERRAL: u8 = 4;

#[derive(Debug, Clone, Default)]
pub struct Row<'a> {
    pub domain: &'a str,
    pub what: u8,
    pub day: u16,
    pub path: &'a str,
    pub crawler: &'a str,
    pub verified: u8,
    pub served: u8,
    pub status: u16,
    pub bucket: u16,
    pub visits: u64,
}

/// A day as it is stored. None: it lies before 1970 or after 2149, and nobody visited anything then.
pub fn stored_day(day: Day) -> Option<u16> {
    u16::try_from(day).ok()
}

impl<'a> Row<'a> {
    pub fn of_day(key: &'a DayKey, visits: u64) -> Option<Row<'a>> {
        Some(Row {
            domain: key.domain.as_str(),
            what: DAY,
            day: stored_day(key.day)?,
            crawler: &key.crawler,
            verified: key.verified as u8,
            served: key.served as u8,
            status: key.status_class,
            visits,
            ..Row::default()
        })
    }

    pub fn of_page(key: &'a VisitKey, visits: u64) -> Option<Row<'a>> {
        Some(Row {
            domain: key.domain.as_str(),
            what: PAGE,
            day: stored_day(key.day)?,
            path: &key.path,
            crawler: &key.crawler,
            verified: key.verified as u8,
            served: key.served as u8,
            status: key.status,
            visits,
            ..Row::default()
        })
    }

    pub fn of_time(key: &'a TimeKey, visits: u64) -> Option<Row<'a>> {
        Some(Row {
            domain: key.domain.as_str(),
            what: TIME,
            day: stored_day(key.day)?,
            served: key.served as u8,
            bucket: u16::try_from(key.bucket).ok()?,
            visits,
            ..Row::default()
        })
    }

    pub fn of_referral(key: &'a ReferralKey, people: u64) -> Option<Row<'a>> {
        Some(Row {
            domain: key.domain.as_str(),
            what: REFERRAL,
            day: stored_day(key.day)?,
            path: &key.path,
            crawler: &key.assistant,
            visits: people,
            ..Row::default()
        })
    }

    /// Adds the row's bytes.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        put_text(bytes, self.domain);
        bytes.push(self.what);
        bytes.extend(self.day.to_le_bytes());
        put_text(bytes, self.path);
        put_text(bytes, self.crawler);
        bytes.extend([self.verified, self.served]);
        bytes.extend(self.status.to_le_bytes());
        bytes.extend(self.bucket.to_le_bytes());
        bytes.extend(self.visits.to_le_bytes());
    }
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    let mut length = text.len();
    while length >= 0x80 {
        bytes.push((length as u8) | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend(text.as_bytes());
}

/// Reads an answer, column by column.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(answer: &'a [u8]) -> Reader<'a> {
        Reader(answer)
    }

    /// Reads row after row to the end.
    pub fn rows<T>(
        mut self,
        mut row: impl FnMut(&mut Reader<'a>) -> Result<T, VisitError>,
    ) -> Result<Vec<T>, VisitError> {
        let mut rows = Vec::new();
        while !self.0.is_empty() {
            rows.push(row(&mut self)?);
        }
        Ok(rows)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], VisitError> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub fn u8(&mut self) -> Result<u8, VisitError> {
        Ok(self.bytes::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, VisitError> {
        Ok(u16::from_le_bytes(self.bytes()?))
    }

    pub fn u64(&mut self) -> Result<u64, VisitError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    pub fn day(&mut self) -> Result<Day, VisitError> {
        Ok(Day::from(self.u16()?))
    }

    pub fn text(&mut self) -> Result<&'a str, VisitError> {
        text_of(self.bytes_of_text()?)
    }

    /// A text that is not checked yet: see [`text_of`].
    pub fn bytes_of_text(&mut self) -> Result<&'a [u8], VisitError> {
        let mut length = 0_usize;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            length |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let (text, rest) = self.0.split_at_checked(length).ok_or_else(damaged)?;
                self.0 = rest;
                return Ok(text);
            }
        }
        Err(damaged())
    }

    pub fn verified(&mut self) -> Result<Verified, VisitError> {
        let number = self.u8()?;
        let all = [Verified::Yes, Verified::No, Verified::Unknown];
        all.into_iter().find(|verified| *verified as u8 == number).ok_or_else(damaged)
    }

    pub fn served(&mut self) -> Result<ServedBy, VisitError> {
        let number = self.u8()?;
        let all = [ServedBy::Cache, ServedBy::Render, ServedBy::Origin];
        all.into_iter().find(|served| *served as u8 == number).ok_or_else(damaged)
    }
}

/// Bytes of an answer as text.
pub fn text_of(bytes: &[u8]) -> Result<&str, VisitError> {
    std::str::from_utf8(bytes).map_err(|_| damaged())
}

fn damaged() -> VisitError {
    VisitError::refused("its answer is not what was asked for")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_length_come_back() {
        for length in [0, 1, 127, 128, 300, 70_000] {
            let (text, mut bytes) = ("x".repeat(length), Vec::new());
            put_text(&mut bytes, &text);

            assert_eq!(Reader::new(&bytes).text().unwrap(), text);
            assert!(Reader::new(&bytes[..bytes.len() - 1]).text().is_err());
        }
    }

    #[test]
    fn an_answer_that_breaks_off_is_an_error() {
        let answer = [1, b'a', 5, 0, 0, 0, 0, 0, 0, 0];
        let read = |length: usize| {
            Reader::new(&answer[..length]).rows(|row| Ok((row.text()?.to_owned(), row.u64()?)))
        };

        assert_eq!(read(10).unwrap(), [("a".to_owned(), 5)]);
        assert_eq!(read(0).unwrap(), []);
        for length in 1..10 {
            assert!(read(length).is_err(), "{length}");
        }
    }
}
