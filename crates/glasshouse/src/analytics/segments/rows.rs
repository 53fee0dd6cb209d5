//! A closed day of a domain as bytes: rows sorted by page and kind, as columns of varints under zstd. Pure.
//! Must refuse bytes that are not what it wrote, and never take more memory for them than a day may have.

use std::cell::RefCell;
use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use crate::analytics::model::{ServedBy, Verified};

/// The number of all pages that are too many to be counted each.
pub const OTHER_NUMBER: u32 = 0;

const COMPRESSION_LEVEL: i32 = 6;
const VERSION: u64 = 1;
/// What a day may unpack to: a million rows are far less.
const MAX_UNPACKED_BYTES: usize = 256 << 20;

thread_local! {
    /// Making one takes longer than unpacking a day of a small site, and a report unpacks a hundred days.
    static DECOMPRESSOR: RefCell<zstd::bulk::Decompressor<'static>> =
        RefCell::new(zstd::bulk::Decompressor::new().expect("memory has room for it"));
}

/// What visits of a page have in common that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    /// Id of the crawler.
    pub crawler: String,
    /// Whether it was checked.
    pub verified: Verified,
    /// How it was answered.
    pub served: ServedBy,
    /// Status of the answer.
    pub status: u16,
}

/// Visits of a closed day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DayRows {
    /// Every kind that there is, in order.
    pub kinds: Vec<Kind>,
    /// In the order of pages and kinds.
    pub rows: Vec<DayRow>,
}

/// Visits of one page and kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayRow {
    /// Number of the page.
    pub page: u32,
    /// Where in the kinds.
    pub kind: u32,
    pub visits: u64,
}

/// Bytes that are no closed day, list of paths or set of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a closed day of visits is damaged")]
pub struct Damaged;

/// The pages of a day, impostors' left out.
#[derive(Debug, Default, PartialEq)]
pub struct PageSets {
    /// That got a snapshot.
    pub served: RoaringBitmap,
    pub any: RoaringBitmap,
}

/// Puts counts in the order of their keys and makes those with the same key one.
pub fn sum_up<T, K: Ord>(counts: &mut Vec<T>, key: impl Fn(&T) -> K, visits: impl Fn(&mut T) -> &mut u64) {
    // Stable: days are sorted runs, which this merges rather than sorts.
    counts.sort_by_key(&key);
    counts.dedup_by(|next, sum| {
        let is_same = key(next) == key(sum);
        if is_same {
            *visits(sum) += *visits(next);
        }
        is_same
    });
}

impl DayRows {
    /// Rows in order, from counts.
    pub fn of(counts: BTreeMap<(u32, Kind), u64>) -> DayRows {
        let counts = counts.iter().map(|((page, kind), visits)| (*page, kind, *visits));
        DayRows::default().with(counts.collect())
    }

    /// The day with more counts: page, kind and visits.
    pub fn with(self, more: Vec<(u32, &Kind, u64)>) -> DayRows {
        let mut kinds: Vec<&Kind> = self.kinds.iter().chain(more.iter().map(|(_, kind, _)| *kind)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let place = |kind: &Kind| kinds.binary_search(&kind).expect("every kind is among them") as u32;
        let places: Vec<u32> = self.kinds.iter().map(place).collect();
        let mut rows = self.rows;
        for row in &mut rows {
            row.kind = places[row.kind as usize];
        }
        rows.extend(more.iter().map(|(page, kind, visits)| DayRow {
            page: *page,
            kind: place(kind),
            visits: *visits,
        }));
        sum_up(&mut rows, |row| (row.page, row.kind), |row| &mut row.visits);
        DayRows { kinds: kinds.into_iter().cloned().collect(), rows }
    }

    /// The pages that were visited.
    pub fn page_sets(&self) -> PageSets {
        let mut sets = PageSets::default();
        for row in self.rows.iter().filter(|row| row.page != OTHER_NUMBER) {
            let kind = &self.kinds[row.kind as usize];
            if kind.verified != Verified::No {
                sets.any.insert(row.page);
                if kind.served != ServedBy::Origin {
                    sets.served.insert(row.page);
                }
            }
        }
        sets
    }

    /// As bytes. Equal rows are equal bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64 + self.rows.len() * 4);
        put(&mut bytes, VERSION);
        put(&mut bytes, self.kinds.len() as u64);
        for kind in &self.kinds {
            put(&mut bytes, kind.crawler.len() as u64);
            bytes.extend(kind.crawler.as_bytes());
            put(&mut bytes, kind.verified as u64);
            put(&mut bytes, kind.served as u64);
            put(&mut bytes, u64::from(kind.status));
        }
        put(&mut bytes, self.rows.len() as u64);
        // Column by column: neighbours are alike, which is what compresses.
        let mut last = 0;
        for row in &self.rows {
            put(&mut bytes, u64::from(row.page - last));
            last = row.page;
        }
        self.rows.iter().for_each(|row| put(&mut bytes, u64::from(row.kind)));
        self.rows.iter().for_each(|row| put(&mut bytes, row.visits));
        compress(&bytes)
    }

    /// Reads what [`DayRows::pack`] wrote.
    pub fn unpack(packed: &[u8]) -> Result<DayRows, Damaged> {
        let bytes = decompress(packed)?;
        let mut rest = bytes.as_slice();
        if take(&mut rest)? != VERSION {
            return Err(Damaged);
        }
        let count = take_count(&mut rest)?;
        let kinds = (0..count).map(|_| take_kind(&mut rest)).collect::<Result<Vec<_>, _>>()?;
        let count = take_count(&mut rest)?;
        let mut rows = Vec::with_capacity(count);
        let mut page = 0_u32;
        for _ in 0..count {
            let delta = u32::try_from(take(&mut rest)?).map_err(|_| Damaged)?;
            page = page.checked_add(delta).ok_or(Damaged)?;
            rows.push(DayRow { page, kind: 0, visits: 0 });
        }
        for row in &mut rows {
            let kind = take(&mut rest)?;
            row.kind =
                u32::try_from(kind).ok().filter(|kind| (*kind as usize) < kinds.len()).ok_or(Damaged)?;
        }
        for row in &mut rows {
            row.visits = take(&mut rest)?;
        }
        if rest.is_empty() { Ok(DayRows { kinds, rows }) } else { Err(Damaged) }
    }
}

/// A set of pages as bytes.
pub fn pack_pages(pages: &RoaringBitmap) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(pages.serialized_size());
    pages.serialize_into(&mut bytes).expect("memory takes every byte");
    bytes
}

/// Reads what [`pack_pages`] wrote.
pub fn unpack_pages(bytes: &[u8]) -> Result<RoaringBitmap, Damaged> {
    RoaringBitmap::deserialize_from(bytes).map_err(|_| Damaged)
}

fn take_kind(rest: &mut &[u8]) -> Result<Kind, Damaged> {
    let length = take_count(rest)?;
    let (name, after) = rest.split_at_checked(length).ok_or(Damaged)?;
    *rest = after;
    let crawler = std::str::from_utf8(name).map_err(|_| Damaged)?.to_owned();
    let verified = [Verified::Yes, Verified::No, Verified::Unknown];
    let verified = verified.get(take(rest)? as usize).copied().ok_or(Damaged)?;
    let served = [ServedBy::Cache, ServedBy::Render, ServedBy::Origin];
    let served = served.get(take(rest)? as usize).copied().ok_or(Damaged)?;
    let status = u16::try_from(take(rest)?).map_err(|_| Damaged)?;
    Ok(Kind { crawler, verified, served, status })
}

/// How many of something follow: each takes a byte at least.
fn take_count(rest: &mut &[u8]) -> Result<usize, Damaged> {
    let count = usize::try_from(take(rest)?).map_err(|_| Damaged)?;
    if count <= rest.len() { Ok(count) } else { Err(Damaged) }
}

/// Adds a number, seven bits a byte, the lowest first.
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number as u8) | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number that [`put`] added.
pub(super) fn take(rest: &mut &[u8]) -> Result<u64, Damaged> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first().ok_or(Damaged)?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Damaged)
}

pub(super) fn compress(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, COMPRESSION_LEVEL).expect("memory takes every byte")
}

pub(super) fn decompress(packed: &[u8]) -> Result<Vec<u8>, Damaged> {
    let size = zstd::zstd_safe::get_frame_content_size(packed).ok().flatten().ok_or(Damaged)?;
    let size = usize::try_from(size).ok().filter(|size| *size <= MAX_UNPACKED_BYTES).ok_or(Damaged)?;
    DECOMPRESSOR.with_borrow_mut(|decompressor| decompressor.decompress(packed, size)).map_err(|_| Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(crawler: &str, verified: Verified, served: ServedBy) -> Kind {
        Kind { crawler: crawler.to_owned(), verified, served, status: 200 }
    }

    fn day() -> DayRows {
        let cached = kind("googlebot", Verified::Yes, ServedBy::Cache);
        let passed_on = kind("gptbot", Verified::Unknown, ServedBy::Origin);
        let spoofed = kind("gptbot", Verified::No, ServedBy::Cache);
        DayRows::of(BTreeMap::from([
            ((0, cached.clone()), 900),
            ((3, cached.clone()), 1),
            ((3, passed_on.clone()), 2),
            ((70_000, passed_on), 5),
            ((70_001, spoofed), u64::MAX),
            ((4_000_000_000, cached), 7),
        ]))
    }

    #[test]
    fn a_day_comes_back_as_it_was() {
        assert_eq!(DayRows::unpack(&day().pack()), Ok(day()));
        assert_eq!(DayRows::unpack(&DayRows::default().pack()), Ok(DayRows::default()));
    }

    #[test]
    fn the_sets_leave_out_impostors_and_what_was_folded() {
        let sets = day().page_sets();

        assert_eq!(sets.served.iter().collect::<Vec<_>>(), [3, 4_000_000_000]);
        assert_eq!(sets.any.iter().collect::<Vec<_>>(), [3, 70_000, 4_000_000_000]);
        assert_eq!(unpack_pages(&pack_pages(&sets.any)), Ok(sets.any));
    }

    #[test]
    fn bytes_that_are_no_day_are_refused() {
        let packed = day().pack();
        let unpacked = decompress(&packed).unwrap();

        for length in 0..packed.len() {
            assert_eq!(DayRows::unpack(&packed[..length]), Err(Damaged), "{length} bytes");
        }
        for at in 0..unpacked.len() {
            // Whatever it becomes, it is read without a panic and without much memory.
            let mut changed = unpacked.clone();
            changed[at] ^= 0x7f;
            let _ = DayRows::unpack(&compress(&changed));
        }
        assert_eq!(DayRows::unpack(&compress(&[unpacked, vec![0]].concat())), Err(Damaged));
    }
}
