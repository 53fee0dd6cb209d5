//! What a visit of a crawler is. Pure.

use std::sync::Arc;
use std::time::Duration;

use super::crawlers::Crawler;
use crate::clock::Timestamp;
use crate::domains::DomainId;

/// Longest path that is kept, in bytes.
pub const MAX_PATH_BYTES: usize = 1024;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// How a visit was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServedBy {
    /// With a stored snapshot, from memory or from the object store.
    Cache,
    /// With a page rendered for it.
    Render,
}

impl ServedBy {
    /// The text that clients and the database see.
    pub const fn as_str(self) -> &'static str {
        match self {
            ServedBy::Cache => "cache",
            ServedBy::Render => "render",
        }
    }
}

/// Whether a crawler is who it claims to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verified {
    /// Its address or signature is the provider's.
    Yes,
    /// Its address is not one that the provider publishes.
    No,
    /// Nobody knows: its address is hidden, or the provider publishes none.
    Unknown,
}

impl Verified {
    /// The text in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verified::Yes => "yes",
            Verified::No => "no",
            Verified::Unknown => "unknown",
        }
    }
}

/// One visit of a crawler that was answered with a snapshot.
#[derive(Debug, Clone)]
pub struct Visit {
    /// The domain record it is counted under.
    pub domain: DomainId,
    /// Path without the query.
    pub path: Arc<str>,
    /// Who it claimed to be.
    pub crawler: &'static Crawler,
    /// Whether that is true.
    pub verified: Verified,
    /// How it was answered.
    pub served: ServedBy,
    /// When it was answered.
    pub at: Timestamp,
    /// How long the answer took.
    pub duration: Duration,
}

/// Visits that are counted together: one row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VisitKey {
    /// Domain record.
    pub domain: DomainId,
    /// UTC day, counted from 1970.
    pub day: i64,
    /// Path, cut to [`MAX_PATH_BYTES`].
    pub path: Arc<str>,
    /// Id of the crawler.
    pub crawler: &'static str,
    /// Whether it was checked.
    pub verified: Verified,
    /// How it was answered.
    pub served: ServedBy,
}

impl VisitKey {
    /// The day as the database has it, `YYYY-MM-DD`.
    pub fn day_text(&self) -> String {
        Timestamp::from_millis(self.day * DAY_MS).day()
    }
}

/// How many visits, and their time together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VisitCount {
    /// Visits.
    pub visits: u64,
    /// Milliseconds that their answers took.
    pub total_ms: u64,
}

impl Visit {
    /// The row that the visit is counted in.
    pub fn key(&self) -> VisitKey {
        let mut end = self.path.len().min(MAX_PATH_BYTES);
        while !self.path.is_char_boundary(end) {
            end -= 1;
        }
        let path = if end == self.path.len() { self.path.clone() } else { self.path[..end].into() };
        VisitKey {
            domain: self.domain.clone(),
            day: self.at.as_millis().div_euclid(DAY_MS),
            path,
            crawler: &self.crawler.id,
            verified: self.verified,
            served: self.served,
        }
    }
}
