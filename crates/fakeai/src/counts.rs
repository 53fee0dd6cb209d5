//! TrafficCounts of requests and bytes by path. Used by tests of what was sent, and by `GET /_count`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// Requests and bytes of one path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PathTraffic {
    pub requests: u64,
    /// Bytes of the requests' bodies.
    pub bytes_in: u64,
    /// Bytes of the responses' bodies before compression. Bodies without an end are not counted.
    pub bytes_out: u64,
}

/// TrafficCounts of all paths.
#[derive(Debug, Default)]
pub(crate) struct TrafficCounts(Mutex<BTreeMap<String, PathTraffic>>);

impl TrafficCounts {
    pub(crate) fn add(&self, path: &str, bytes_in: usize) {
        self.change(path, |count| {
            count.requests += 1;
            count.bytes_in += bytes_in as u64;
        });
    }

    pub(crate) fn add_out(&self, path: &str, bytes_out: usize) {
        self.change(path, |count| count.bytes_out += bytes_out as u64);
    }

    pub(crate) fn all(&self) -> BTreeMap<String, PathTraffic> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn change(&self, path: &str, change: impl FnOnce(&mut PathTraffic)) {
        let mut paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Gemini's links are countless, and one path.
        let path = path.find("/grounding-api-redirect/").map_or(path, |at| &path[..at + 24]);
        match paths.get_mut(path) {
            Some(count) => change(count),
            None => change(paths.entry(path.to_owned()).or_default()),
        }
    }
}
