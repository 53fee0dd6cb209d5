//! Memory of one reader of sitemaps, counted where it is allocated. Shared with the threads that parse for the reader.
//! See docs/decisions/0056.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory that is not counted piece by piece: download buffers and decoders of all open files.
const BUFFERS: usize = 2 << 20;

/// Memory counter of a reader. Memory that is freed must be given back.
#[derive(Debug)]
pub(super) struct Memory {
    used: AtomicUsize,
    most: usize,
}

impl Memory {
    /// Makes a counter with this limit, in bytes.
    pub(super) fn of(most: usize) -> Memory {
        Memory { used: AtomicUsize::new(0), most: most.saturating_sub(BUFFERS) }
    }

    /// Returns true when the limit is reached. Memory grows in small steps, so the last step may exceed the limit.
    pub(super) fn is_full(&self) -> bool {
        self.used.load(Ordering::Relaxed) >= self.most
    }

    /// Adds allocated bytes.
    pub(super) fn take(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts freed bytes.
    pub(super) fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}
