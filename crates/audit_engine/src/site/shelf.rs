//! What reports show of rows and no join compares: kept in an unnamed file from a page's checks to the report, because it
//! is most of what is known of a page. Used by the crawl and by whoever asks for rows. See docs/decisions/0248.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::site::{Details, Kept};

/// Bytes that are collected before they are written. An audit with fewer writes no file.
const STEP: usize = 256 * 1024;

/// Details of rows. Where no file can be written, memory takes its place.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    file: Option<File>,
    written: u64,
    memory: Vec<u8>,
    has_failed: bool,
}

impl Shelf {
    /// Keeps the details of one row.
    pub fn keep(&mut self, details: &Details) -> Kept {
        let start = self.written + self.memory.len() as u64;
        serde_json::to_writer(&mut self.memory, details).expect("texts and numbers become JSON in memory");
        let end = self.written + self.memory.len() as u64;
        if self.memory.len() >= STEP && !self.has_failed {
            self.write();
        }
        Kept { start, length: u32::try_from(end - start).expect("each field of a row is cut") }
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

    /// The details of a row.
    pub fn get(&self, kept: Kept) -> Details {
        let length = kept.length as usize;
        let bytes = match (&self.file, kept.start.checked_sub(self.written)) {
            (Some(file), None) => {
                let mut bytes = vec![0; length];
                file.read_exact_at(&mut bytes, kept.start).expect("what this process wrote can be read");
                bytes
            }
            (_, from) => {
                let from = from.map_or(0, |from| from as usize);
                self.memory[from..from + length].to_vec()
            }
        };
        serde_json::from_slice(&bytes).expect("what became JSON becomes details again")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::Fields;

    fn details(title: &str) -> Details {
        Details { fields: Fields { title: title.to_owned(), ..Fields::default() }, ..Details::default() }
    }

    #[test]
    fn details_are_the_same_from_memory_and_from_the_file() {
        let mut shelf = Shelf::default();
        let titles: Vec<String> = (0..2000).map(|number| format!("{number} {}", "x".repeat(300))).collect();

        let kept: Vec<Kept> = titles.iter().map(|title| shelf.keep(&details(title))).collect();

        assert!(shelf.file.is_some() && !shelf.memory.is_empty() && shelf.memory.len() < STEP);
        assert!(kept.iter().zip(&titles).all(|(kept, title)| shelf.get(*kept).fields.title == *title));
    }

    #[test]
    fn a_disk_that_fails_loses_nothing() {
        let mut shelf = Shelf::default();
        let first = shelf.keep(&details(&"x".repeat(STEP)));
        shelf.has_failed = true;

        let others: Vec<Kept> = (0..3).map(|_| shelf.keep(&details(&"y".repeat(STEP)))).collect();

        assert_eq!(shelf.get(first).fields.title.len(), STEP);
        assert!(others.iter().all(|kept| shelf.get(*kept).fields.title.starts_with('y')));
    }
}
