//! How much one reader of sitemaps holds, counted where it is held. Shared with the threads that parse for it.
//! See docs/decisions/0262.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What is not counted piece by piece: downloads on their way, and decoders, of all files that are open.
const BUFFERS: usize = 2 << 20;

/// A reader's memory. What is not taken any more must be given back.
#[derive(Debug)]
pub(super) struct Memory {
    used: AtomicUsize,
    most: usize,
}

impl Memory {
    /// Room for so many bytes.
    pub(super) fn of(most: usize) -> Memory {
        Memory { used: AtomicUsize::new(0), most: most.saturating_sub(BUFFERS) }
    }

    /// Whether nothing more may be held. What is held grows in small steps, so the last of them may end above the limit.
    pub(super) fn is_full(&self) -> bool {
        self.used.load(Ordering::Relaxed) >= self.most
    }

    /// Counts what is held from now on.
    pub(super) fn take(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts what is held no longer.
    pub(super) fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}
