//! Memory of the requests whose lines were counted, for formats with several lines of a request. Bounded: old ones are forgotten.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

use domains::DomainId;

/// Maximum number of requests of each of the two generations. Lines of one request come within seconds.
const GENERATION: usize = 50_000;

/// Requests by the hash of their domain and id, with the log that was the first to have one of their lines. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct CountedRequests(Arc<Mutex<Generations>>);

#[derive(Debug, Default)]
struct Generations {
    hasher: std::hash::RandomState,
    current: HashMap<u64, (u64, u64)>,
    previous: HashMap<u64, (u64, u64)>,
}

impl CountedRequests {
    /// Returns true for the first line of a request, and for the same line of the same log when the log is read again.
    pub fn is_first(&self, domain: &DomainId, id: &str, (log, line): (u64, u64)) -> bool {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let request = requests.hasher.hash_one((domain.as_str(), id));
        if let Some(first) = requests.current.get(&request).or_else(|| requests.previous.get(&request)) {
            return *first == (log, line);
        }
        if requests.current.len() == GENERATION {
            requests.previous = std::mem::take(&mut requests.current);
        }
        requests.current.insert(request, (log, line));
        true
    }

    /// Forgets the requests of a log that was not counted.
    pub fn forget(&self, log: u64) {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        requests.current.retain(|_, (of, _)| *of != log);
        requests.previous.retain(|_, (of, _)| *of != log);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_counts_with_its_first_line_for_as_long_as_it_is_remembered() {
        let (requests, shop) = (CountedRequests::default(), DomainId::from("shop"));

        assert!(requests.is_first(&shop, "a", (1, 1)));
        assert!(!requests.is_first(&shop, "a", (1, 2)), "another line");
        assert!(!requests.is_first(&shop, "a", (2, 1)), "another log");
        assert!(requests.is_first(&shop, "a", (1, 1)), "the log is read again");
        assert!(requests.is_first(&DomainId::from("other"), "a", (1, 2)));

        requests.forget(1);
        assert!(requests.is_first(&shop, "a", (2, 1)));
        for request in 0..2 * GENERATION {
            requests.is_first(&shop, &request.to_string(), (3, 1));
        }
        assert!(requests.is_first(&shop, "a", (4, 1)));
    }
}
