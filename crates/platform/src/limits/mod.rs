//! Limits: everything that counts, queues or limits uses one of these. Knows no feature.

pub mod keyed_count;

pub use keyed_count::{KeyedCount, KeyedSlot};
