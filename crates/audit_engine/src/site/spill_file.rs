//! An unnamed file for most data of a page until it is read again: the addresses and texts that pages name, values
//! for reports, and the journal of an interrupted audit. See docs/decisions/0245.

use std::fs::File;
use std::num::NonZeroU32;
use std::os::unix::fs::FileExt;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes that are collected before they are written. An audit with fewer writes no file.
const STEP: usize = 256 * 1024;

/// Position of a value in a spill file. Small, because every row has two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpillOffset {
    start: (u32, u32),
    length: NonZeroU32,
}

impl SpillOffset {
    fn new(start: u64, length: usize) -> SpillOffset {
        let length = u32::try_from(length).ok().and_then(NonZeroU32::new);
        SpillOffset {
            start: ((start >> 32) as u32, start as u32),
            length: length
                .expect("what is known of a page has bytes, and fewer than its document's few millions"),
        }
    }

    fn start(self) -> u64 {
        u64::from(self.start.0) << 32 | u64::from(self.start.1)
    }

    fn length(self) -> usize {
        self.length.get() as usize
    }
}

/// A list of things that grows at its end. Where no file can be written, memory takes its place.
#[derive(Debug, Default)]
pub struct SpillFile {
    file: Option<File>,
    written: u64,
    memory: Vec<u8>,
    has_failed: bool,
}

impl SpillFile {
    /// Keeps one thing.
    pub fn keep<T: Serialize>(&mut self, value: &T) -> SpillOffset {
        let start = self.memory.len();
        let memory = std::mem::take(&mut self.memory);
        self.memory = postcard::to_extend(value, memory).expect("plain data becomes bytes in memory");
        self.kept(start)
    }

    /// Stores bytes.
    pub fn keep_bytes(&mut self, bytes: &[u8]) -> SpillOffset {
        let start = self.memory.len();
        self.memory.extend_from_slice(bytes);
        self.kept(start)
    }

    fn kept(&mut self, start: usize) -> SpillOffset {
        let kept = SpillOffset::new(self.written + start as u64, self.memory.len() - start);
        if self.memory.len() >= STEP && !self.has_failed {
            self.write();
        }
        kept
    }

    fn write(&mut self) {
        let written = match &self.file {
            Some(file) => file.write_all_at(&self.memory, self.written),
            None => tempfile::tempfile().and_then(|file| {
                let written = file.write_all_at(&self.memory, 0);
                self.file = Some(file);
                written
            }),
        };
        if written.is_err() {
            // A full or read-only disk: what is written stays readable, the rest stays here.
            self.has_failed = true;
            return;
        }
        self.written += self.memory.len() as u64;
        self.memory.clear();
    }

    /// Reads a stored value, or its first field.
    pub fn get<T: DeserializeOwned>(&self, kept: SpillOffset) -> T {
        let (start, length) = (kept.start(), kept.length());
        let value = match (&self.file, start.checked_sub(self.written)) {
            (Some(file), None) => {
                let mut bytes = vec![0; length];
                file.read_exact_at(&mut bytes, start).expect("what this process wrote can be read");
                postcard::from_bytes(&bytes)
            }
            (_, from) => {
                let from = from.map_or(0, |from| from as usize);
                postcard::from_bytes(&self.memory[from..from + length])
            }
        };
        value.expect("what became bytes becomes the same again")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_is_kept_is_the_same_from_memory_and_from_the_file() {
        let mut spill = SpillFile::default();
        let titles: Vec<String> = (0..2000).map(|number| format!("{number} {}", "x".repeat(300))).collect();

        let kept: Vec<SpillOffset> = titles.iter().map(|title| spill.keep(title)).collect();

        assert!(spill.file.is_some() && !spill.memory.is_empty() && spill.memory.len() < STEP);
        assert!(kept.iter().zip(&titles).all(|(kept, title)| spill.get::<String>(*kept) == *title));
    }

    #[test]
    fn a_disk_that_fails_loses_nothing() {
        let mut spill = SpillFile::default();
        let first = spill.keep(&"x".repeat(STEP));
        spill.has_failed = true;

        let others: Vec<SpillOffset> = (0..3).map(|_| spill.keep(&"y".repeat(STEP))).collect();

        assert_eq!(spill.get::<String>(first).len(), STEP);
        assert!(others.iter().all(|kept| spill.get::<String>(*kept).starts_with('y')));
    }

    #[test]
    fn the_first_field_can_be_had_alone() {
        let mut spill = SpillFile::default();

        let kept = spill.keep(&(7_u64, "the rest"));

        assert_eq!(spill.get::<u64>(kept), 7);
    }

    #[test]
    fn a_place_beyond_four_gigabytes_is_the_same_again() {
        let kept = SpillOffset::new(5 << 32 | 3, 9);

        assert_eq!((kept.start(), kept.length()), (5 << 32 | 3, 9));
    }
}
