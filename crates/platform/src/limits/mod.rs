//! Limits: everything that counts, queues or limits uses one of these. Knows no feature.

pub mod fair_queue;
pub mod keyed_count;
pub mod rate_window;
pub mod shared_window;

pub use fair_queue::{FairPermit, FairQueue, FairSemaphore};
pub use keyed_count::{KeyedCount, KeyedSlot};
pub use rate_window::RateWindow;
pub use shared_window::{SharedWindow, SharedWindows};
